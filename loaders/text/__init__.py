"""Text made ready: cleaned, split into sentences, passages and chunks, its language told."""
