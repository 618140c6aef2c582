"""Text: a text becomes characters, tokens, sentences, sections and the items of taggers."""
