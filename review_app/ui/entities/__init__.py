"""The Entities page and its parts."""
