"""Verbyte's harness: experiments in TOML become trials, records and tables."""

__version__ = "1.0.0"
