"""Entities, prompts, machine translations and what the proof found."""
