"""The Patch page and its parts."""
