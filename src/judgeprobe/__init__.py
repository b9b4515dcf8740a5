"""judgeprobe: is an LLM judge a valid instrument?

A valid judge holds its verdict under edits that keep the construct (invariance S) and changes it
under minimal edits that change the construct (sensitivity R). Importing this package imports no
model library, no table library and no statistics library; each part is imported where it is used.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
