"""From a question to a cited answer: match, plan, retrieve, verbalise, generate, check."""
