"""The Glossary page and its parts."""
