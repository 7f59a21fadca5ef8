"""The guard against real databases: a corpus of statements a person can read, and a fuzzer."""
