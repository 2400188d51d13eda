"""The client of any SPARQL 1.1 store, and the embedded store's process."""
