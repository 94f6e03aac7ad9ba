"""The Overview page and its parts."""
