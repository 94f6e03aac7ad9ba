"""Checks of translated text: a registry of small functions."""
