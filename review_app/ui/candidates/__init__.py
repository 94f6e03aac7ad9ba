"""The Candidates page and its parts."""
