"""What a language and its country decide: terms, money, names, and the words that tools compare."""
