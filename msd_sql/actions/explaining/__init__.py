"""What `msd_explain` says in words: the price of a question, what its answer is worth, what its distances say."""
