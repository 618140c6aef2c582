"""How it is spread: one thin transform for each arrow, around the pure functions of `models`.

Units and receipts are all that ever crosses a worker's border; a batch must not (see `BatchCoder`).
"""
