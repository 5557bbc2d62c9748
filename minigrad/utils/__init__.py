"""``minigrad.utils``: data in batches."""

from . import data
