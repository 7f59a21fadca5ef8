"""What each SQL function does, one module each."""
