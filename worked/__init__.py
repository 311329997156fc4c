"""Worked numerics for pages: values that know where they come from, and how they are written.

The package knows nothing of transformers. It is handed runs (named tensors with named axes) and
templates, and gives back finished Markdown and a ledger of every number that the Markdown shows.
"""
