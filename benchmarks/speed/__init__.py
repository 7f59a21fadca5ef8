"""Speed: side by side with the plain query, the literal paper and other libraries; one page of ratios."""
