"""Releases, their signatures, and the files that are carried along."""
