"""From a question and what it mentions to ranked plans over the graph's own predicates."""
