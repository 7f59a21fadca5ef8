"""The data of the benchmarks: made by a seed or read from the files beside the checkout, kept in a cache folder."""
