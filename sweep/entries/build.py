"""Build the file of a model type from nothing: derive its classes, and check what is written."""

from __future__ import annotations

import signal
from typing import Any

from sweep.entries.added_variants import VariantAdder
from sweep.entries.entry_builder import EntryBuilder
from sweep.entries.older_names import with_older_names
from sweep.entries.repair import CHECK_SEEDS, EntryRepair
from sweep.entries.type_sweep import TypeSweep
from sweep.entries.zero_sizes import with_zero_sizes
from sweep.fields.bounds import with_bounds
from sweep.fields.filled_values import with_filled_values
from sweep.fields.networks import with_networks
from sweep.fields.read_keys import with_read_keys
from sweep.fields.spellings import with_spellings
from sweep.fields.stages import with_stages
from sweep.library.most_used import WIDELY_USED


def build_entry(model_type: str, seconds: float, result: dict[str, Any]) -> None:
    """Build the file of a type: put its ``entry`` into ``result``, and what ``failed``."""
    sweep = TypeSweep(model_type, lambda _: None, seconds)
    result["failed"] = sweep.failed
    sweep.run()
    signal.setitimer(signal.ITIMER_PROF, 0)
    # A choice of stages that a shallower backbone lacks is refused, and no mismatch.
    data = with_stages(EntryBuilder(sweep).build())
    repair = EntryRepair(data)
    repair.run(CHECK_SEEDS if model_type in WIDELY_USED.split() else CHECK_SEEDS[:1])
    sweep.failed |= repair.failed
    result["entry"] = with_read_keys(data)
    adder = VariantAdder(result["entry"], seconds)
    # The new variants may read what the others do not, as LFM2's convolutions read conv_bias.
    data = with_read_keys(adder.data) if adder.run() else adder.data
    data = with_networks(with_bounds(with_filled_values(with_older_names(data))))
    result["entry"] = with_zero_sizes(with_spellings(data))
    result["failed"] |= adder.failed
