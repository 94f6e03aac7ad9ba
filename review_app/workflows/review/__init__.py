"""Human review: texts are imported, checked, answered by people, and counted."""
