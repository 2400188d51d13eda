"""Sources into the graph: PDF, web page, text, RDF file, ontology."""
