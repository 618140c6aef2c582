"""What people measure of an output: campaigns are drawn, and certificates made of what was read.

`review_folder` is where a campaign lies, `register` counts them; `campaigns` draws one, `issuing`
makes its certificate, `sentences` says it in words, and `checking` finds what was changed since.
The gate that reads certificates is `outputs.risk_gate`.
"""
