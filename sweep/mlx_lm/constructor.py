"""A model of mlx-lm as a constructor: its sizes are fields of the model's ``ModelArgs``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.tracing.constructors import Constructor, require_sizes
from paramproof.tracing.internal_errors import calls_constructor
from paramproof.tracing.recorder import ignoring_array_code
from paramproof.tracing.tensor_groups import ObservedTensor
from sweep.library.keys import Keys
from sweep.witnesses.mlx_lm import Groups, build, versions


def mlx_lm_constructor(name: str, keys: Keys, sizes: Mapping[str, int]) -> Constructor:
    """Return the constructor of the model that mlx-lm builds of ``keys``, with ``sizes``.

    MLX takes plain ints, so shapes are fitted.
    """

    @calls_constructor
    def make(chosen: Mapping[str, int]) -> Groups:
        return build({**keys, **chosen})

    return Constructor(
        name,
        require_sizes(sizes),
        make,
        _observed_tensors,
        ignoring_array_code,
        ("mlx_lm", "mlx"),
        versions(),
        is_followed=False,
    )


def _observed_tensors(groups: Groups, _: Any) -> Iterator[ObservedTensor]:
    for group, number in groups.items():
        yield from [ObservedTensor(group.path, group.shape, "trainable")] * number
