"""The Translation page and its parts."""
