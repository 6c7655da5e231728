"""Figures: their data, and the functions that draw them."""
