"""Where the data of a budget are: files that were moved or copied, renamed tables, a ledger in a file of its own."""
