"""From records to a PDF in which every number is a claim: named, with its interval, its n and its records."""
