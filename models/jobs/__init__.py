"""Jobs: what a run decides before it starts, the steps of a batch, and the rows that come of it."""
