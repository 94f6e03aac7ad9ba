"""The Statistics page and its parts."""
