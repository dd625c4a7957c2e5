"""The models of mlx-lm, with workarounds for its quirks; nothing else knows MLX.

mlx-lm imports transformers as soon as it is imported itself, for tokenizers. Its models need MLX
alone. So the package is put in place without running its ``__init__``, and the names that it gives
to model types are read from the source of ``mlx_lm.utils``.
"""

from __future__ import annotations

import ast
import copy
import importlib
import importlib.util
import inspect
import re
import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stdout
from functools import cache
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

from paramproof.formulas.path import starred
from paramproof.sources.reference import in_one_line
from sweep.witnesses.comparison import Group, Refused

MISSING = re.compile(r"(\w+)\.__init__\(\) missing \d+ required positional arguments?: (.*)")

Arrays = dict[str, tuple[int, ...]]
"""The shape of each array of a model by its name."""


class MissingKeys(Refused):
    """A configuration lacks ``keys`` that mlx-lm requires, for its class ``of``."""

    def __init__(self, of: str, keys: tuple[str, ...]) -> None:
        super().__init__(f"{of} requires {', '.join(keys)}")
        self.keys = keys


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("mlx", "mlx-lm")}


@cache
def _package() -> Path:
    """Put ``mlx_lm`` in place without running its ``__init__``; return its folder."""
    spec = importlib.util.find_spec("mlx_lm")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("mlx-lm is not installed", name="mlx_lm")
    (folder,) = spec.submodule_search_locations
    sys.modules.setdefault("mlx_lm", importlib.util.module_from_spec(spec))
    return Path(folder)


@cache
def _constant(name: str) -> Mapping[Any, str]:
    """Return a constant of ``mlx_lm.utils``, which gives some modules another name."""
    body = ast.parse(_package().joinpath("utils.py").read_text("utf-8")).body
    assignments = (one for one in body if isinstance(one, ast.Assign))
    (value,) = (one.value for one in assignments if ast.unparse(one.targets[0]) == name)
    return dict(ast.literal_eval(value))


@cache
def module_of(model_type: str, class_name: str = "") -> ModuleType | None:
    """Return the module of mlx-lm that builds a model type, or None if it has none.

    For some types it depends on the class that a configuration names. Raises ``Refused`` if the
    module needs a package that is not installed.
    """
    usual = _constant("MODEL_REMAPPING").get(model_type, model_type)
    name = _constant("MODEL_ARCHITECTURE_REMAPPING").get((model_type, class_name), usual)
    if not _package().joinpath("models", f"{name}.py").exists():
        return None
    try:
        # A module may print why it ends the process.
        with redirect_stdout(StringIO()) as printed:
            return importlib.import_module(f"mlx_lm.models.{name}")
    except SystemExit:
        raise Refused(" ".join(printed.getvalue().split())) from None


def has_language_model(model_type: str) -> bool:
    """Return whether mlx-lm has a model of a type: some modules are only parts of others."""
    return hasattr(module_of(model_type), "Model")


def keys_read(config: Mapping[str, Any]) -> Mapping[str, inspect.Parameter]:
    """Return the keys at top level that mlx-lm reads of a configuration like this one."""
    module = _module_for(config)
    return inspect.signature(module.ModelArgs).parameters if module else {}


def build(config: Mapping[str, Any]) -> Counter[Group]:
    """Build mlx-lm's model of a configuration, and count its groups; see ``arrays``."""
    return Counter(Group(starred(name), shape) for name, shape in arrays(config).items())


def arrays(config: Mapping[str, Any]) -> Arrays:
    """Build mlx-lm's model of a configuration, and return the shape of each array.

    Arrays are lazy, so no values are computed. All arrays are there, since
    ``get_total_parameters`` of mlx-lm leaves out those of modules that contain others.

    Raises ``MissingKeys`` or ``Refused``.
    """
    from mlx.utils import tree_flatten

    module = _module_for(config)
    assert module is not None
    try:
        with warnings.catch_warnings(action="ignore"):
            # Some modules write into the parts of their arguments.
            model = module.Model(module.ModelArgs.from_dict(copy.deepcopy(dict(config))))
    except Exception as error:
        if found := MISSING.search(str(error)):
            keys = tuple(re.findall(r"'(\w+)'", found[2]))
            raise MissingKeys(found[1], keys) from error
        raise Refused(in_one_line(error)) from error
    found = tree_flatten(model.parameters())
    return {name: tuple(array.shape) for name, array in found if array.size}


def _module_for(config: Mapping[str, Any]) -> ModuleType | None:
    class_name, *_ = config.get("architectures") or ("",)
    return module_of(config["model_type"], class_name)
