"""Bounds of CPU seconds, scaled by how slow this host is now."""

import json
import time

TABLES, USUAL_S = 200_000, 0.5  # so many small tables take so long on the computer that the bounds are of


def slowness() -> float:
    """One on that computer, two on one of half its speed."""
    start = time.process_time()
    for number in range(TABLES):
        json.dumps({"size": number, "name": str(number)}, sort_keys=True)
    return (time.process_time() - start) / USUAL_S
