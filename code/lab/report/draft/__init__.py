"""The discussion to start from, topic by topic."""
