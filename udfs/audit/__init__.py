"""The exact audit: output distributions enumerated, every claim compared with them."""
