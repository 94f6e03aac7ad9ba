"""What the instructions ask for, beside what the gold actions do about it."""
