"""Rewards, whose fault an ending was, and what many trials add up to."""
