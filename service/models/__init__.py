"""Clients of language and embedding models."""
