"""Everything that speaks SPARQL: the query files, the library that binds terms, the store."""
