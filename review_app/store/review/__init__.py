"""Documents, segments, answers, findings and the glossary."""
