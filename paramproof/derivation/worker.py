"""The subprocess of a derivation: ``python -m paramproof.derivation.worker``.

It receives one request, reports progress, and replies with the derivation or the reason for its
failure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paramproof.builders.registry import framework
from paramproof.child_process import Parent
from paramproof.derivation.pipeline import derive
from paramproof.formulas.derivation_data import derivation_data
from paramproof.sources.reference import in_one_line, load_reference
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.internal_errors import InternalError


def main() -> None:
    parent = Parent()
    request = parent.request()
    try:
        parent.tell({"note": "importing"})
        made = _constructor(**request["constructor"])
        derivation = derive(made, request["seed"], lambda note: parent.tell({"note": note}))
        parent.tell({"derivation": derivation_data(derivation)})
    except InternalError as error:
        parent.tell({"failed": str(error)})
    except ValueError as error:
        parent.tell({"refused": str(error)})
    except BaseException as error:  # Anybody's constructor may raise anything.
        parent.tell({"refused": f"{request['constructor']['what']}: {in_one_line(error)}"})


def _constructor(
    what: str, sizes: Mapping[str, int], keys: Mapping[str, Any] | None, architecture: str
) -> Constructor:
    if ":" in what and keys is None:
        from paramproof.tracing.constructors.function import function_constructor

        return function_constructor(what, load_reference(what), sizes)
    needed = framework("transformers")
    if needed.missing:
        raise ValueError(
            f"{what}: to derive it {' and '.join(needed.missing)} must be installed: "
            f"{needed.how_to_get}"
        )
    from paramproof.tracing.constructors.transformers_class import transformers_constructor

    return transformers_constructor(what, keys, architecture, sizes)


if __name__ == "__main__":
    main()
