"""The process that runs one instance of a Python model for Conch.

`host` is the boundary between the two halves of this package: the transport (`wire`, `connection`, `main`), which
speaks with the engine and knows no model, and `runner`, which knows what Triton promises a model and no transport.
"""
