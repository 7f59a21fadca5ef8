"""Flight SQL: the curator over gRPC, for standard clients."""
