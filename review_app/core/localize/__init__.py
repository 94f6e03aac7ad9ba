"""Glossary matching, money, and what a locale decides."""
