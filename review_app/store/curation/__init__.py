"""Flags, patches, their drafts and evidence, and what the rules say."""
