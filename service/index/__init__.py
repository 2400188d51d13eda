"""Labels and passages made searchable by words and by meaning."""
