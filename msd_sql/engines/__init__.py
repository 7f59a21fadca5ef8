"""The marginals of a protected relation, from memory, SQL or Spark, behind one interface."""
