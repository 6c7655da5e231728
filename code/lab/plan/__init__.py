"""From an experiment and a site to trials, each with its key."""
