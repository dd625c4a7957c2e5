"""Alter a framework's code while a model is built."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from unittest import mock


@contextmanager
def constructed(kind: type, name: str, **options: Any) -> Iterator[None]:
    """Give other ``options`` to every ``kind`` that is constructed with a name of this pattern."""
    original: Any = kind.__init__

    @wraps(original)
    def constructor(self: Any, *args: Any, **given: Any) -> None:
        named = re.fullmatch(name, given.get("name") or "")
        original(self, *args, **(given | options if named else given))

    # Keras inspects it, to create a configuration from the arguments.
    constructor.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
    with mock.patch.object(kind, "__init__", constructor):
        yield


@contextmanager
def followed(owner: Any, name: str, edit: Callable[..., Any]) -> Iterator[None]:
    """Call ``edit`` after ``owner.name``, with the same arguments.

    These begin with the result, if there is one, and what ``edit`` returns then replaces it.
    """
    original = getattr(owner, name)

    @wraps(original)
    def replaced(*args: Any, **options: Any) -> Any:
        made = original(*args, **options)
        edited = edit(*args) if made is None else edit(made, *args)
        return made if edited is None else edited

    with mock.patch.object(owner, name, replaced):
        yield
