"""The Tasks page and its parts."""
