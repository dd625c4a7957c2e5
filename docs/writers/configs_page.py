"""The generated parts of docs/configurations.md: what is read, and what is refused."""

import json
from collections.abc import Iterator

from docs.writers.blocks import ROOT, write_blocks
from docs.writers.markdown import table
from paramproof.sources.configs.config_format import ConfigFormat
from paramproof.sources.configs.formats import BY_MODEL_TYPE, FORMATS, UNNAMED

PAGE = ROOT / "docs" / "configurations.md"


def blocks() -> dict[str, str]:
    """The text of every block, by its name."""
    return {
        "kinds": table(["`model_type`", "classes", "keys of sizes"], _kinds()),
        "refused": table(["key", "is read only as", "otherwise"], _refused()),
    }


def write() -> None:
    """Rewrite both blocks."""
    write_blocks(PAGE, blocks())


def _kinds() -> Iterator[tuple[str, ...]]:
    for name, kind in {**BY_MODEL_TYPE, "(none)": UNNAMED}.items():
        classes = [kind.default, *(name for name in kind.architectures if name != kind.default)]
        yield f"`{name}`", _names(classes), "; ".join(_sizes(kind))


def _sizes(kind: ConfigFormat) -> Iterator[str]:
    for size, keys in kind.sizes.items():
        absent = " (may be absent)" if size in kind.default_size else ""
        yield " or ".join(f"`{key}`" for key in keys) + absent


def _refused() -> list[tuple[str, ...]]:
    return sorted({row for kind in FORMATS for row in _rows(kind)})


def _rows(kind: ConfigFormat) -> Iterator[tuple[str, ...]]:
    for key, (allowed, otherwise) in kind.accepted_only.items():
        values = ["null"] if allowed is None else [json.dumps(allowed), "null"]
        yield f"`{key}`", " or ".join(f"`{value}`" for value in values), otherwise
    for key, size in kind.must_equal.items():
        usual = kind.sizes[size][0]
        yield f"`{key}`", f"the same as `{usual}`", "the tables would be of another width"


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
