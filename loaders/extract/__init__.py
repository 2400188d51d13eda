"""Statements out of documents by a chat model, each with the words that say it."""
