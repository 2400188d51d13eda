"""The HTTP borders: one blueprint an area."""
