"""Every number that a report may print, topic by topic."""
