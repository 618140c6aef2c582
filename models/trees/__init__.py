"""Boosted decision trees: AdaBoostM1 on C4.5, its features as bytes, its model file, labelling."""
