"""What tests share: a small shop, random instances of the problem."""
