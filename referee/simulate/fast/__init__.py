"""The fast core of `referee simulate`: the hands of readable.py as records of whole numbers, compiled by numba."""
