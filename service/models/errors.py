"""How a model service can fail."""

from __future__ import annotations

from ontology.errors import AskontoError


class ModelError(AskontoError):
    """The model service gave no answer that can be used."""


class ModelTimeout(ModelError):
    """The model service did not answer within the deadline."""


class RequestRefused(ModelError):
    """The model service does not take such a request (status 400 or 422)."""
