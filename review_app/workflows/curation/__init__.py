"""Curation of tasks: what is wrong with them, flags, patches and what those change."""
