"""Localization: entities, machine translation, the derived domain, and its proof."""
