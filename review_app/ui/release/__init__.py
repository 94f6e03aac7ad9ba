"""The Release page and its parts."""
