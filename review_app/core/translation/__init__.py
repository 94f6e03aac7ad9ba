"""Texts on their way to a model and back: requests, prompts, and what to make of an answer."""
