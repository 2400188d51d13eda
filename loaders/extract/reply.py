"""What the model is asked to return for a chunk, and what of its reply can be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from loaders.extract.values import Kind


def _said(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


def _strict(schema: dict[str, Any]) -> None:
    """Have every field required and no other allowed, as services with strict schemas demand."""
    for field in schema["properties"].values():
        field.pop("default", None)
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False


_Words = Annotated[str, AfterValidator(_said)]
_Perhaps = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
_CONFIG = ConfigDict(
    json_schema_extra=_strict, str_strip_whitespace=True, coerce_numbers_to_str=True, frozen=True
)


class Statement(BaseModel):
    """One statement in the model's words; "" where the text does not tell."""

    model_config = _CONFIG

    subject: _Words = Field(description="name of the thing the statement is about")
    subject_type: _Perhaps = Field("", description="its class")
    subject_qualifier: _Perhaps = Field("", description="what tells it from others of that name")
    predicate: _Words = Field(description="property")
    object: _Words = Field(description="name of the other thing, or the value")
    object_kind: Kind = Field(Kind.ENTITY, description="what the object is")
    object_type: _Perhaps = Field("", description="the object's class, where it is an entity")
    object_qualifier: _Perhaps = Field("", description="what tells it from others of that name")
    unit: _Perhaps = Field("", description="unit of a number")
    quote: _Words = Field(description="the words of the text that say it, verbatim")
    valid_from: _Perhaps = Field("", description="first day on which it holds")
    valid_until: _Perhaps = Field("", description="last day on which it holds")
    applies_in: _Perhaps = Field("", description="place in which it holds")


class Replacement(BaseModel):
    """A document that the text says its own document amends or takes the place of."""

    model_config = _CONFIG

    title: _Words
    quote: _Words = Field(description="the words of the text that say it, verbatim")


class Extraction(BaseModel):
    """All that one chunk states; `misshapen` says what was wrong with what cannot be used."""

    model_config = _CONFIG

    statements: tuple[Statement, ...]
    replaces: tuple[Replacement, ...] = Field((), description="mostly empty")
    misshapen: SkipJsonSchema[tuple[str, ...]] = ()

    @property
    def said(self) -> tuple[Statement | Replacement, ...]:
        """All that can be used."""
        return (*self.statements, *self.replaces)

    @model_validator(mode="before")
    @classmethod
    def _usable(cls, value: Any) -> Any:
        """Keep what has the right shape; a reply of which nothing has is none at all."""
        if isinstance(value, list):
            value = {"statements": value}
        if not isinstance(value, dict) or not isinstance(value.get("statements"), list | tuple):
            raise ValueError("there is no list of statements")
        good, bad = _sorted(Statement, _spread(value["statements"]))
        if bad and not good:
            raise ValueError(bad[0])
        given = value.get("replaces")
        replaces, odd = _sorted(Replacement, given if isinstance(given, list | tuple) else ())
        before = value.get("misshapen", ())
        return {"statements": good, "replaces": replaces, "misshapen": (*before, *bad, *odd)}


def _spread(items: Iterable[Any]) -> Iterator[Any]:
    """The items; one with a list of objects as a statement for each of them."""
    for item in items:
        if isinstance(item, dict) and isinstance(item.get("object"), list):
            yield from ({**item, "object": one} for one in item["object"])
        else:
            yield item


def _sorted(shape: type[BaseModel], items: Iterable[Any]) -> tuple[list[BaseModel], list[str]]:
    good, bad = [], []
    for item in items:
        try:
            good.append(shape.model_validate(item))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or shape.__name__.lower()
            bad.append(f"{place}: {first['msg']}")
    return good, bad
