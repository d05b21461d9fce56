"""A client of the era in which each request stands alone."""
