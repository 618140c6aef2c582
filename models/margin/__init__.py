"""Linear classifiers of single items, learned with the largest margin."""
