"""May the candidates depend on protected data?"""
