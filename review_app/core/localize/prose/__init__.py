"""What running text names: entities, places, amounts, values, and of whom it speaks."""
