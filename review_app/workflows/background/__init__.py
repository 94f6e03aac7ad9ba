"""Jobs in processes of their own, and how they tell how far they are."""
