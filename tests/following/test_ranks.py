"""Each rank has what transformers leaves there of a model on the meta device, by a fake group."""

from functools import partial
from itertools import chain
from random import Random

import pytest
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
from transformers import CONFIG_MAPPING, initialization
from transformers.distributed.configuration_utils import DistributedConfig

from paramproof.catalogue.names import has_type, model_types, programs, usual_class
from paramproof.following.ranks import plans, ranks
from paramproof.resolver import resolve
from sweep.library.keys import with_other_sizes
from sweep.library.model import attempt, model_of
from sweep.plans import TRIES, with_two_layers
from sweep.samples.adversary import draw_config, saved_defaults

CONFIGS = {one: programs().types[one] for one in filter(has_type, model_types())}
CLASSES = plans()["classes"]
TYPES = [one for one, config in CONFIGS.items() if usual_class(one) in CLASSES.get(config, ())]


def divided(keys, sizes):
    how = DistributedConfig(**{f"{axis}_size": size for axis, size in sizes.items()})
    world, found = how.tp_size * how.pp_size * how.fsdp_size, []
    for rank in range(world):
        dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world)
        try:
            with initialization.no_tie_weights():
                model = model_of(keys["model_type"], usual_class(keys["model_type"]), keys)
            model = model.maybe_distribute_model(model, *model.prepare_distribute_model(how)[::2])
            model.tie_weights(recompute_mapping=False)
            own = [one for one in model.parameters() if one.requires_grad]
            local = (one.to_local() if hasattr(one, "to_local") else one for one in own)
            found.append(sum(one.numel() for one in local))
        finally:
            dist.destroy_process_group()
    return found


def on_ranks(counted, sizes):
    runs = ranks(counted, sizes).data["per_rank"]
    return [one["parameters"] for one in runs for _ in range(one["first"], one["last"] + 1)]


@pytest.mark.filterwarnings("ignore")  # A warning is not a refusal.
@pytest.mark.shared("a model is built for each rank of each type")
@pytest.mark.parametrize("name", TYPES)
def test_drawn_models(name, draw, compared):
    seeds = range(draw * TRIES, (draw + 1) * TRIES)
    keys = {"model_type": name, **with_two_layers(saved_defaults(CONFIG_MAPPING[name]))}
    first = [with_other_sizes(keys, Random(f"{name}{draw or ''}")), *[keys][draw:]]
    every = chain(first, (draw_config(name, Random(seed)) for seed in seeds))
    built = (one for one in every if attempt(model_of, name, usual_class(name), one))
    if (counted := next(filter(None, (attempt(resolve, one) for one in built)), None)) is None:
        pytest.skip("no model is built and counted at the sizes that are drawn")
    drawn = counted.reading.keys
    for sizes in ({"tp": 3}, {"tp": 2, "ep": 2}, {"pp": 3}, {"tp": 2, "fsdp": 3}):
        ours, theirs = partial(on_ranks, counted, sizes), partial(divided, drawn, sizes)
        compared("ranks", (drawn, sizes), ours, theirs, None if [*sizes] == ["tp"] else "")


@pytest.mark.parametrize(("axis", "why"), [("ep", "Cannot evenly shard"), ("pp", "layers.1.")])
def test_what_is_refused_fails_in_transformers(axis, why):
    keys, sizes = {"model_type": "mixtral", "num_hidden_layers": 3}, {"tp": 3, axis: 3}
    assert attempt(ranks, resolve(keys), sizes) is None
    with pytest.raises((ValueError, KeyError), match=why):
        divided(keys, sizes)
