"""The Scores page and its parts."""
