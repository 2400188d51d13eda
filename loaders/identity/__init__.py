"""Which thing a name stands for."""
