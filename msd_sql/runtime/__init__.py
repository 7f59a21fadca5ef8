"""A registered database: its connections, its calls, and what is remembered between them."""
