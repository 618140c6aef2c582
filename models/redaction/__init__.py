"""Redaction: what a policy believes of the candidates, and what it does with the text."""
