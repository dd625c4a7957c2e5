"""Measure what the layers of decoders keep: ``python -m sweep.caches [TYPE ...]``.

Run it in the checkout, with PyTorch and Hugging Face transformers installed. It runs small models
of each type at random sizes, and reads the tensors that are then in their caches. For each axis of
each tensor it tries the expressions of a small grammar over the configuration and the layer's
weights, the simplest first. ``paramproof/following/caches.json`` gets those that agree in every
case, and the classes whose caches have the bytes that they give; for all else a reason is printed.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import reduce
from inspect import signature
from itertools import chain, product
from math import prod
from random import Random
from typing import Any, NamedTuple

import torch
import transformers
from transformers import CONFIG_MAPPING, Cache, EncoderDecoderCache

from paramproof.catalogue.configurations import entry
from paramproof.catalogue.names import classes_of, irrelevant_keys, model_types, usual_class
from paramproof.catalogue.program import ABSENT, Part
from paramproof.derivation.sampling import sample_sizes
from paramproof.following.cache_laws import FILE, TOKENS, WINDOWS, Decoder, Size, read_laws
from paramproof.following.caches import kept_by_layers
from paramproof.formulas.expression import expression
from paramproof.formulas.path import joined
from paramproof.key_names import looks_like_size
from paramproof.sources.reference import in_one_line
from sweep.library.keys import Keys, part_in, set_key
from sweep.library.model import config_of, make_model
from sweep.library.rows import format_json
from sweep.samples.adversary import published_configs

MODELS, FEW, MIN_MODELS, TRIES = 6, 2, 4, 150
"""The models of a type that run, those that a law needs, and the configurations drawn for them."""

MAX_REFUSED = 50  # The configurations after which a class that ran none of them is given up.
MAX_PARAMETERS = 10**7
MAX_AGREEING = 2  # The most sizes that are recorded for an axis.
DTYPE = "bfloat16"
ARGUMENTS = {"cache", "past_key_values", "cache_params", "state", "mems"}

LENGTHS = (TOKENS, *WINDOWS.values())
"""How many tokens a tensor may span: all, or those of a window with this field."""

ROLES = ("is_decoder", "is_encoder_decoder", "add_cross_attention")
"""Flags that stay as they are by default."""

SIZES = ((256, (32, 64, 96, 128)), (65, (8, 16, 24)), (16, (2, 4, 8)), (0, (1, 2, 3, 4)))
"""The sizes that are drawn for one that is at least the first number."""


def main(types: Sequence[str]) -> int:
    """Measure model types, by default all, and write what is found into the file.

    The types of parts come before those of whole models, which may have any of them.
    """
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    data: dict[str, Any] = {"classes": {}, "layers": {}, "rotated": {}, "nothing": {}}
    if types and FILE.exists():
        data = json.loads(FILE.read_text("utf-8"))
    every = [one for one in model_types() if one in CONFIG_MAPPING]
    for model_type in types or sorted(every, key=lambda one: bool(CONFIG_MAPPING[one].sub_configs)):
        reasons: Counter[str] = Counter()
        for rows in data.values():
            rows.pop(model_type, None)
        found = measure(model_type, data["layers"], reasons)
        for kind, rows in found.items():
            data[kind] |= rows
        print(model_type, "known" if found else "refused", dict(reasons.most_common(4)), flush=True)
        rows = {kind: dict(sorted(one.items())) for kind, one in data.items()}
        FILE.write_text(format_json(rows), "utf-8")
    return 0


class Case(NamedTuple):
    """A forward, and the dtype and shape of each tensor that each layer keeps after it."""

    keys: Keys
    decoder: Decoder
    path: str
    tokens: int
    batch: int
    layers: list[dict[str, tuple[str, tuple[int, ...]]]]


class Axis(NamedTuple):
    case: Case
    layer: int
    size: int


class Sampler:
    """Draws small configurations near one, in its formula's conditions; special tokens are 0."""

    def __init__(self, keys: Keys, class_name: str) -> None:
        self.keys = deepcopy(keys)
        for path, part in entry(keys, class_name).parts.items():
            for name in part.program.defaults:
                if name.endswith("_token_id") and type(part.get(name)) is int:
                    set_key(self.keys, joined(path, name), 0)
        self.found = entry(self.keys, class_name)
        self.formula = self.found.derivation
        self.conditions = [one.condition for one in self.formula.conditions]
        only = (one.only[0] for one in self.conditions if one.only)
        self.fixed = {*self.formula.fixed, *only}
        numbers = [expression(one.repeat) for one in self.formula.inventory()]
        self.repeated = {name for one in numbers for name in one.letters}
        for path, part in self.found.parts.items():
            own, names = part_in(self.keys, path) or {}, part.program.aliases
            for name in own.keys() & names.keys():
                own[names[name]] = own.pop(name)

    def draw(self, random: Random) -> Keys:
        """Draw sizes, flags, windows, kinds of layers. Raises ``ValueError`` if there are none."""
        fields, keys, ranges = self.formula.fields, deepcopy(self.keys), {}
        for letter, first in self.formula.sizes.items():
            size = random.choice(next(some for least, some in SIZES if first >= least))
            size = random.randint(120, 140) if "vocab" in fields[letter] else size
            ranges[letter] = (1, 6) if letter in self.repeated else (size, size)
        sizes = sample_sizes(random, self.formula.sizes, self.conditions, (), self.fixed, 6, ranges)
        if sizes is None:
            raise ValueError("no sizes were found")
        for path, part in self.found.parts.items():
            names = (part.program.defaults.keys() | part.read) - part.program.aliases.keys()
            for name in sorted(names - irrelevant_keys() - {"layer_types"}):
                whole = joined(path, name)
                value = another(name, part.get(name), random)
                if value is not None and whole not in fields.values():
                    set_key(keys, whole, value)
        for letter, size in sizes.items():
            if "[" not in fields[letter]:
                set_key(keys, fields[letter], size)
        for path, part in self.found.parts.items():
            kinds, own = part.get("layer_types"), part_in(keys, path)
            if isinstance(kinds, list) and "layer_types" in part.program.types and own is not None:
                number = own.get("num_hidden_layers", len(kinds))
                several = sorted({*kinds, random.choice((kinds[0], "full_attention"))})
                own["layer_types"] = random.choices(several, k=number)
        return keys


def another(name: str, value: Any, random: Random) -> Any:
    """Return another value of a flag, a window or a size, or None to leave it as it is."""
    rate = random.random()
    if type(value) is bool and name not in ROLES:
        return not value if rate < 0.1 else None
    if name in WINDOWS.values():
        return random.randint(3, 8) if rate < 0.8 else None
    if value is None or value is ABSENT:
        is_named = looks_like_size(name) or "indices" in name
        places = [0, 2] if "indices" in name else random.choice((4, 8, 16))
        return places if is_named and rate < 0.3 else None
    is_size = type(value) is int and value > 1 and not name.endswith(("_id", "_index"))
    return random.randint(2, 8) if is_size and rate < 0.4 else None


def cases(
    model_type: str, name: str, models: int, reasons: Counter[str], seed: str = ""
) -> Iterator[Case]:
    """Run small models of a class, and note why others did not run."""
    random, samplers, built = Random(f"{name}{seed}"), [], 0
    for keys in [{"model_type": model_type}, *published_configs().get(model_type, ())[:1]]:
        try:
            samplers.append(Sampler(keys, name))
        except ValueError as error:
            reasons[in_one_line(error)[:90]] += 1
    for number in range(TRIES if samplers else 0):
        if built == models or (not built and number == MAX_REFUSED):
            return
        try:
            keys = samplers[number % len(samplers)].draw(random)
            found, model = entry(keys, name), small_model(name, keys)
            path = decoder_path(found.parts, model.config)
            decoder = Decoder(found, path)
            windows = (decoder.whole(one) for one in WINDOWS.values())
            window = next((one for one in windows if one and one < 20), 5)
            many = [n for n in (1, window - 1, window, window + 1, 4 * window) if n]
            inputs = [(tokens, random.randint(1, 3)) for tokens in many]
            seen = [Case(keys, decoder, path, *one, kept_by(model, *one)) for one in inputs]
        except Exception as error:  # A class may refuse its configuration or input in any way.
            reasons[in_one_line(error)[:90]] += 1
            continue
        built += 1
        yield from seen


def small_model(name: str, keys: Keys) -> Any:
    """Return a model in bfloat16. Raises ``ValueError`` if it is large."""
    model = getattr(transformers, name)
    with warnings.catch_warnings(action="ignore"):
        config = config_of(CONFIG_MAPPING[keys["model_type"]], keys)
        if sum(one.numel() for one in make_model(model, config).parameters()) > MAX_PARAMETERS:
            raise ValueError("a large model")
        return model._from_config(config, dtype=getattr(torch, DTYPE)).eval()


def decoder_path(paths: Iterable[str], config: Any) -> str:
    """Return the path of the part that generates text, as transformers finds it."""
    own = config.get_text_config(decoder=True)
    for path in paths:
        if reduce(getattr, filter(None, path.split(".")), config) is own:
            return path
    raise ValueError("the part that generates text is not known")


def kept_by(model: Any, tokens: int, batch: int, **more: Any) -> list[dict[str, Any]]:
    """Return dtype and shape of the tensors in a cache, layer by layer; [] without a cache."""
    with torch.no_grad(), warnings.catch_warnings(action="ignore"):
        output = model(input_ids=torch.full((batch, tokens), 7), use_cache=True, **more)
    found = [one for one in output.values() if isinstance(one, Cache)]
    if any(isinstance(one, EncoderDecoderCache) for one in found):
        raise ValueError("the cache of an encoder and a decoder")
    return [dict(_tensors_in(layer)) for one in found for layer in one.layers]


def _tensors_in(layer: Any) -> Iterator[tuple[str, tuple[str, tuple[int, ...]]]]:
    for name, value in vars(layer).items():
        for place, one in (value if isinstance(value, dict) else {"": value}).items():
            if isinstance(one, torch.Tensor) and one.dim() and not name.startswith("_"):
                yield f"{name}.{place}".strip("."), (str(one.dtype)[6:], tuple(one.shape))


def fit(seen: Sequence[Case], reasons: Counter[str]) -> dict[str, Any]:
    """Return the laws of the layers by kind, and note why others have none."""
    kinds: dict[str, list[tuple[Case, int]]] = {}
    for case in seen:
        if len(case.layers) != len(case.decoder.kinds):
            reasons["a cache of another number of layers"] += 1
            return {}
        for layer, kind in enumerate(case.decoder.kinds):
            kinds.setdefault(kind, []).append((case, layer))
    laws = {}
    for kind, layers in sorted(kinds.items()):
        names = {tuple(sorted(case.layers[layer])) for case, layer in layers}
        # A kind may be rare: kinds with the same tensors are fitted together first.
        alike = [
            (case, layer)
            for many in kinds.values()
            for case, layer in many
            if {tuple(sorted(case.layers[layer]))} == names
        ]
        try:
            if len(names) > 1:
                raise ValueError("several sets of tensors")
            laws[kind] = {name: _row(name, layers, alike) for name in next(iter(names))}
        except ValueError as error:
            reasons[f"{kind} layers keep {error}"] += 1
    return laws


def _row(name: str, layers: Sequence[tuple[Case, int]], alike: Sequence[tuple[Case, int]]) -> Any:
    """Return the length, the dtype and the sizes of a tensor."""
    kept = [case.layers[at][name] for case, at in layers]
    if len({(dtype, len(shape)) for dtype, shape in kept}) > 1:
        raise ValueError(f"{name} of several dtypes or ranks")
    row: list[Any] = ["", kept[0][0].replace(DTYPE, "")]
    is_batched = False
    for place in range(len(kept[0][1])):
        own = _axes(name, place, layers)
        spans = [one for one in LENGTHS if all(_spans(one, *axis) for axis in own)]
        if not is_batched and all(one.size == one.case.batch for one in own):
            is_batched = True
        elif spans and not row[0]:
            row[0] = spans[0]
            if len(spans) > 1:
                raise ValueError(f"{name} of a window that was never full")
        elif sizes := _sizes(_axes(name, place, alike)) or _sizes(own):
            row.append(sizes)
        else:
            some = sorted({one.size for one in own})[:5]
            raise ValueError(f"{name}, whose sizes {some} no expression gives in enough models")
    if not is_batched:
        raise ValueError(f"{name} without an axis of the batch")
    return row


def _axes(name: str, place: int, layers: Sequence[tuple[Case, int]]) -> list[Axis]:
    shapes = [(case, at, case.layers[at][name][1]) for case, at in layers]
    return [Axis(case, at, shape[place]) for case, at, shape in shapes if len(shape) > place]


def _spans(length: str, case: Case, layer: int, size: int) -> bool:
    """Return whether an axis is as long as all tokens, or as the last ones of a window."""
    window = case.decoder.whole(length) if length != TOKENS else case.tokens + 1
    return window is not None and window > 1 and size == min(case.tokens, window - 1)


def _sizes(axes: Sequence[Axis]) -> list[Size]:
    """Return the simplest sizes that agree each time; none if few models were seen."""
    of = {(id(one.case.decoder), one.layer, one.size): one for one in axes}
    if len({decoder for decoder, *_ in of}) < MIN_MODELS:
        return []
    first, number = axes[0].case.decoder, axes[0].layer

    def values(size: Size) -> list[int | None]:
        return [one.case.decoder.value(size, one.layer) for one in of.values()]

    def agreeing(some: Iterable[Size]) -> list[Size]:
        for one in of.values():
            some = [a for a in some if one.case.decoder.value(a, one.layer) == one.size]
        return [*some]

    # A field with the same value in each case explains nothing.
    fields = [one for one in _fields(first.part) if first.whole(one) and len({*values(one)}) > 1]
    weights = [
        f"{name}[{place}]"
        for (layer, name), shape in first.weights.items()
        for place in range(len(shape or ()) if layer == number else 0)
    ]
    own = [*map(values, fields)]
    shares = [
        ["//", *pair] for pair in product((w for w in weights if values(w) not in own), fields)
    ]

    def grammar() -> Iterator[Sequence[Size]]:
        yield [1]
        yield fields
        yield weights
        yield [["//", *pair] for pair in product(fields, fields)]
        yield [["-", one, 1] for one in (*fields, *weights)]
        yield [[sign, *pair] for sign in "+*" for pair in product(fields, fields)]
        yield shares

    found = next(filter(None, map(agreeing, grammar())), [])[:MAX_AGREEING]
    # Weights know what no case drew, such as a head_dim of its own.
    more = [*agreeing(weights), *agreeing(shares)] if found else []
    return [*found, *(one for one in more if one not in found)][: MAX_AGREEING + 1]


def _fields(part: Any, before: str = "") -> Iterator[str]:
    """Yield the names of all fields of a configuration, and of those of its parts."""
    is_part = isinstance(part, Part)
    own = {**part.program.fields, **part.program.properties, **part.values} if is_part else part
    for name in sorted(one for one in own if isinstance(one, str)):
        value = part.get(name)
        yield before + name
        if isinstance(value, Part | dict):
            yield from _fields(value, f"{before}{name}.")


def measure(model_type: str, known: Mapping[str, Any], reasons: Counter[str]) -> dict[str, Any]:
    """Return what is found out about a type: its laws and the classes that obey them, or neither.

    ``known`` has the laws of the types that were measured before.
    """
    usual, every = usual_class(model_type), classes_of(model_type)
    of = {name: getattr(transformers, name) for name in every}
    names = [
        name
        for name, one in of.items()
        if name.endswith("Model") or name == usual or one.can_generate()
        if ARGUMENTS & signature(one.forward).parameters.keys()
    ]
    few = FEW if CONFIG_MAPPING[model_type].sub_configs else MODELS
    seen = {
        name: [*cases(model_type, name, few if name == usual else 1, reasons)] for name in names
    }
    first = next((one for some in seen.values() for one in some), None)
    if first is None or not any(case.layers for some in seen.values() for case in some):
        # A class that may generate, and is built as an encoder by default, returned none.
        generates = any(of[one].can_generate() for one in ([usual] if first else every))
        return {} if generates or (names and not first) else {"nothing": {model_type: {}}}
    own = first.decoder.model_type
    if own not in known and few < MODELS:
        seen[usual] = [*cases(model_type, usual, MODELS, reasons)]
    laws = known.get(own) or fit([*chain(*seen.values())], reasons)
    kinds = {kind for case in seen[usual] for kind in case.decoder.kinds}
    if own not in known and not laws.keys() >= kinds:  # A kind may be rare.
        seen[usual] += cases(model_type, usual, 2 * MODELS, reasons, " more")
        laws = fit([*chain(*seen.values())], reasons)
    classes = {}
    for name, some in seen.items():
        equal = Counter(has_bytes(case, laws, reasons) for case in some)
        reasons[f"{name}: {dict(equal)}"] += 99
        if equal[True] and not equal[False]:
            classes[name] = some[0].path
    found = {"layers": {own: laws}, "classes": {model_type: classes}}
    if (share := rotated_share(CONFIG_MAPPING[own]())) < 1:
        found["rotated"] = {own: share}
    return found if classes and laws else {}


def rotated_share(config: Any) -> float:
    """Return the share of a head that is rotated where least is; 0 without a rule for it."""
    rules = getattr(config, "rope_parameters", None) or {"partial_rotary_factor": 0}
    every = (one for one in (rules, *rules.values()) if isinstance(one, dict))
    return float(min(one.get("partial_rotary_factor", 1) for one in every))


def has_bytes(case: Case, laws: Mapping[str, Any], reasons: Counter[str]) -> bool | None:
    """Return whether a cache has the bytes that the laws give, None where they refuse."""
    try:
        layers = kept_by_layers(case.decoder, read_laws(laws), DTYPE, "dynamic")
    except ValueError as error:
        reasons[str(error)[:90]] += 1
        return None
    return case.batch * sum(one.bytes(case.tokens) for one in layers) == bytes_in(case.layers)


def bytes_in(layers: Sequence[Mapping[str, tuple[str, tuple[int, ...]]]]) -> int:
    """Return the bytes of the tensors of a cache."""
    tensors = (one for layer in layers for one in layer.values())
    return sum(getattr(torch, dtype).itemsize * prod(shape) for dtype, shape in tensors)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
