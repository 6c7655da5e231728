"""Kits: an assignment with its hand-out, what students begin with, and a reference solution that stays here."""
