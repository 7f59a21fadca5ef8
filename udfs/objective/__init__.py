"""The rule that a method maximises: relevance and diversity as one integer score."""
