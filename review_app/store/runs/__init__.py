"""Runs and their trials."""
