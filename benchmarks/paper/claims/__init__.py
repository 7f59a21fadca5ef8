"""The claims of the paper and of this project about the experiments, and whether they hold."""
