"""The computations behind tables, figures and queries, topic by topic."""
