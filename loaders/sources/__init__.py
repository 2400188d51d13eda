"""One module a kind of source: what it is, and what it says."""
