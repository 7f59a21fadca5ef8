"""Which γ suits local_search: private selections under quotas on four data sets."""
