"""Fetches and unpacks the packages of the lock: every byte is checked, nothing is installed, no rights are needed."""
