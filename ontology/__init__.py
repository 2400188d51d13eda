"""The ONTO ontology and domain ontologies: reading, checking, and their IRIs as names."""
