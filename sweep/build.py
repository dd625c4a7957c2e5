"""Build the file of a model type from nothing: derive its classes, and check what is written."""

from __future__ import annotations

import signal
from typing import Any

from sweep.added_variants import VariantAdder
from sweep.entry_builder import EntryBuilder
from sweep.filled_values import with_filled_values
from sweep.most_used import WIDELY_USED
from sweep.older_names import with_older_names
from sweep.read_keys import with_read_keys
from sweep.repair import CHECK_SEEDS, EntryRepair
from sweep.spellings import with_spellings
from sweep.stages import with_stages
from sweep.type_sweep import TypeSweep
from sweep.zero_sizes import with_zero_sizes


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
    adder.run()
    data = with_filled_values(with_older_names(adder.data))
    result["entry"] = with_zero_sizes(with_spellings(data))
    result["failed"] |= adder.failed
