"""A player whose source lies plays against honest sources, by a grid and by random strategies.

The promise (docs/timing.md): a row that arrives more than W + A + both bounds after the press of an honest source never
makes its sender a caller, whatever it claims and whatever else its sender sends. `promise.py` checks it by playing the
same facts without these rows.
"""
