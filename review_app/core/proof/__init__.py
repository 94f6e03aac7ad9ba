"""What must hold of a localized domain: the square commutes, and nothing of the source is left."""
