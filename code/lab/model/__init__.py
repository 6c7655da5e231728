"""The values that all stages exchange."""
