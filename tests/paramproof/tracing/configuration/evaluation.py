"""Evaluate terms with the catalogue's reader."""

import json

from paramproof.catalogue.program import Catalogue
from paramproof.tracing.configuration.nodes import FORMAT, encoded, refuse
from paramproof.tracing.configuration.reader_terms import lowered


def catalogue_of(path, rules, models=()):
    """Return a catalogue of the type ``toy`` alone, with its files in a folder."""
    models = dict(models)
    data = encoded({"configurations": {"ToyConfig": rules}, "models": models}, {})
    index = {"types": {"toy": "ToyConfig"}, "configurations": {"ToyConfig": "toy"}}
    index |= {"models": dict.fromkeys(models, "toy")}
    for name, one in {"toy": data, "index": index}.items():
        (path / f"{name}.json").write_text(json.dumps({"format": FORMAT, **one}), "utf-8")
    return Catalogue(path)


def reader_of(path, terms, refusals=(), kind="fields"):
    """Return a function that makes a configuration of keys, with these fields or properties."""
    rules = {
        "keys": {},
        kind: {name: lowered(one) for name, one in terms.items()},
        "refusals": [refuse(lowered(one), None) for one in refusals],
    }
    catalogue = catalogue_of(path, rules)
    return lambda keys: catalogue.configuration({**keys, "model_type": "toy"})
