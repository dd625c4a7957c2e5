"""The tensors of a model under the names of transformers, which is what all questions are about.

Adapters, plans and schemes name the modules of transformers. So a model without its configuration,
such as a spec, or weights of a file, has no answer.
"""

from __future__ import annotations

from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import InvalidInput
from paramproof.resolver import Model
from paramproof.resolver.models import ConfigReading


def require_transformers(model: Model, what: str) -> tuple[Derivation, ConfigReading]:
    """Return the formula and the reading of a configuration. Raises ``InvalidInput``."""
    reading, found = model.reading, model.architecture
    if reading is None or not isinstance(found, Derivation) or reading.library != "transformers":
        raise InvalidInput(
            f"{what} need the names of transformers' modules: give a config.json of a type that "
            "transformers has",
            where=model.title,
        )
    return found, reading
