"""An experiment of a single short trial, for tests that ask where and as whom it runs."""

SMALL = """
title = "Small"
question = "Does it run here too?"
parameters = { sizes = 64, iterations = 100, repetitions = 1 }
[[series]]
name = "tcp"
program = "tcp"
operation = "send"
measure = "throughput"
"""
