"""The Runs page and its parts."""
