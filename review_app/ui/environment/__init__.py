"""The Environment page and its parts."""
