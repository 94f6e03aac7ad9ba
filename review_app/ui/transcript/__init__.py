"""The Transcript page and its parts."""
