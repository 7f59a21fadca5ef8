"""Accounts of a curator: who may ask, what share of a budget each has, and which relations are published."""
