"""Replay of tasks."""
