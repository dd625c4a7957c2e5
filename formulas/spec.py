"""Specs: the sizes and parts of models, a class for each family, and their letters in formulas.

A spec knows no framework and no formula. Every spec is possible: creating one that no framework can
build raises ``ValueError``, which names field and value. ``spec.letters()`` returns its sizes as
the letters of the formulas. A plug-in's family needs nothing but this module for its spec.

Random specs are constructed, never filtered: H is A times K, and a head that needs a part implies
it. Sizes are small, so that a hundred models are built in seconds. The caller chooses each value:
at random from a seed, or as Hypothesis does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, dataclass, fields
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_type_hints,
)

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import shown

Quantity: TypeAlias = Any
"""An int (exact), a NumPy int64 array (many sizes at once) or an ``Expression`` (symbolic).

Formulas use only ``+``, ``-`` and ``*``, so the same code serves all three. NumPy's int64 wraps
silently beyond 2**63 - 1 (9.2e18 parameters), which no model is near. Ints have no limit.
"""

INDICATOR, LAYERS, ROWS, WIDTH = KINDS = (
    "an indicator",  # 1 if a model has some part, else 0
    "a number of layers",
    "rows of a table",  # tokens, positions, types
    "a width",  # any other size: of vectors, of heads, or inside a layer
)
"""The kinds of letters, in their order in a product."""

Indicator: TypeAlias = Annotated[Any, INDICATOR]
Layers: TypeAlias = Annotated[Any, LAYERS]
Rows: TypeAlias = Annotated[Any, ROWS]
Width: TypeAlias = Annotated[Any, WIDTH]

FamilyLetters: TypeAlias = NamedTuple
"""The letters of any family, each annotated with its kind. One of them is H, the hidden size.

A family with attention heads has the letter A for their number; their width is K or H / A.
"""

Letters = TypeVar("Letters", bound=FamilyLetters)

FIELDS = {
    "L": "num_hidden_layers",
    "N": "num_encoder_layers",
    "M": "num_decoder_layers",
    "H": "hidden_size",
    "A": "num_attention_heads",
    "G": "num_key_value_heads",
    "K": "head_dim",
    "F": "intermediate_size",
    "V": "vocab_size",
    "U": "target_vocab_size",
    "P": "max_position_embeddings",
    "T": "type_vocab_size",
    "mlm": "mlm_head",
    "nsp": "nsp_head",
    "shared": "share_embeddings",
    "learned": "learned_positions",
    "bias": "attention_bias",
}
"""The field of each letter of this package's families, if it has another name.

Only ``untied`` is the negation of one, ``tie_word_embeddings``.
"""

Choose: TypeAlias = Callable[[str, int, int], int]
"""Returns a value for the field with this name, between the smallest and the largest."""

Ranges: TypeAlias = Mapping[str, tuple[int, int]]
"""The smallest and the largest value of each field, both inclusive."""

RANGES: Ranges = {
    "num_hidden_layers": (0, 4),
    "num_attention_heads": (1, 8),
    "head_size": (1, 12),
    "intermediate_size": (1, 300),
    "vocab_size": (1, 600),
    "max_position_embeddings": (1, 64),
}
"""The ranges of sizes that families share. A spec adds its own in ``ranges``."""

NUMBERS_OF_LAYERS = ("num_hidden_layers", "num_encoder_layers", "num_decoder_layers")

DERIVED = cast(int, None)
"""The default of a size that is computed from other sizes if it is omitted."""

Activation: TypeAlias = Literal["gelu", "gelu_new", "relu", "silu"]


class Spec(Protocol):
    """A model of any family: a frozen dataclass of sizes (ints) and flags (bools).

    A class may also have the ``ranges`` of its sizes, and a classmethod ``drawn`` that returns a
    random spec from ``Choices``. A family with attention heads has a property ``head_size``, the
    width of one head.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    family: ClassVar[str]

    @property
    def hidden_size(self) -> int:
        """Width of the hidden states between layers, the letter H."""

    def __hash__(self) -> int: ...

    def letters(self) -> FamilyLetters:
        """Return the letters of the formulas with the values of this spec."""


@cache
def letter_kinds(letters: Any) -> dict[str, str]:
    """Return the kind of each letter of a family, in order; "" for a letter without a kind."""
    hints = get_type_hints(letters, include_extras=True)
    annotated = {name: getattr(hints[name], "__metadata__", ("",))[0] for name in letters._fields}
    return {name: kind if kind in KINDS else "" for name, kind in annotated.items()}


def head_size_of(described: Spec | FamilyLetters | Mapping[str, Quantity]) -> Quantity:
    """Return the width of one attention head: K or H / A of letters, 1 without heads."""
    if hasattr(described, "head_size"):
        return described.head_size
    own = described._asdict() if isinstance(described, tuple) else {}
    return own["K"] if "K" in own else own["H"] // own["A"] if "A" in own else 1


def letters_of(letters: type[Letters], spec: Any) -> Letters:
    values = (
        not spec.tie_word_embeddings if name == "untied" else getattr(spec, FIELDS.get(name, name))
        for name in letters._fields
    )
    return letters._make(int(value) if type(value) is bool else value for value in values)


def require(condition: bool, name: str, value: object, wanted: str) -> None:
    """Raise ``ValueError``, in one line with field and value, unless ``condition`` is true."""
    if not condition:
        raise InvalidInput(f"{name}={shown(value)} is not possible: it must be {wanted}")


def require_size(name: str, value: object, lowest: int = 1) -> None:
    require(isinstance(value, int) and not isinstance(value, bool), name, value, "an int")
    require(cast(int, value) >= lowest, name, value, f"{lowest} or more")


def require_fields(spec: Any, from_zero: Collection[str] = NUMBERS_OF_LAYERS) -> None:
    """Require that every field is a bool or a size; only sizes in ``from_zero`` may be 0."""
    for field in fields(spec):
        name, value = field.name, getattr(spec, field.name)
        if field.type == "bool":
            require(type(value) is bool, name, value, "True or False")
        else:
            require_size(name, value, 0 if name in from_zero else 1)


def require_heads(hidden_size: int, heads: int, where: str = "") -> None:
    wanted = f"a divisor of hidden_size={hidden_size}{where}"
    require(hidden_size % heads == 0, "num_attention_heads", heads, wanted)


def fill_default(spec: Any, name: str, value: int) -> None:
    if getattr(spec, name) is None:
        object.__setattr__(spec, name, value)


class Choices:
    """Chooses a value for each field; fields in ``fixed`` already have theirs."""

    def __init__(self, choose: Choose, fixed: Mapping[str, Any], ranges: Ranges) -> None:
        self.choose = choose
        self.fixed = fixed
        self.ranges = {**RANGES, **ranges}

    def size(self, name: str) -> int:
        if name not in self.ranges:
            raise InvalidInput(f"{name} has no range of sizes: add one to the spec's ranges")
        return self.fixed[name] if name in self.fixed else self.choose(name, *self.ranges[name])

    def sizes(self, *names: str) -> dict[str, int]:
        chosen = {name: self.size(name) for name in names}
        if "head_size" in chosen:
            chosen["hidden_size"] = chosen["num_attention_heads"] * chosen.pop("head_size")
        return chosen

    def flag(self, name: str, possible: bool = True) -> bool:
        if name in self.fixed:
            return bool(self.fixed[name])
        return bool(possible and self.choose(name, 0, 1))

    def tied(self) -> bool:
        """Return whether the head is tied, the simpler case that shrinking should prefer."""
        return bool(self.fixed.get("tie_word_embeddings") or not self.choose("untied", 0, 1))


def draw(spec: type[Spec], choose: Choose, fixed: Mapping[str, Any]) -> Spec:
    """Return a spec with the fields in ``fixed``, and values from ``choose`` for the others.

    If its class has a classmethod ``drawn``, that creates the spec from ``Choices``. Otherwise each
    field is chosen on its own, and the hidden size is a multiple of the number of heads, if any.
    """
    kind: Any = spec
    choices = Choices(choose, fixed, getattr(kind, "ranges", {}))
    if hasattr(kind, "drawn"):
        return cast(Spec, kind.drawn(choices))
    own: dict[str, Any] = {}
    for field in fields(kind):
        if field.type in ("bool", bool):
            tied = field.name == "tie_word_embeddings"
            own[field.name] = choices.tied() if tied else choices.flag(field.name)
        elif field.name != "hidden_size":
            own[field.name] = choices.size(field.name)
    heads = own.get("num_attention_heads")
    own["hidden_size"] = heads * choices.size("head_size") if heads else choices.size("hidden_size")
    return cast(Spec, kind(**own))


@dataclass(frozen=True, kw_only=True, slots=True)
class Numerics:
    """Numerical settings, which change a model's outputs but never its count.

    ``layer_norm_eps`` is added to the variance, or to the mean square in an RMSNorm.
    ``hidden_act`` is named as in ``config.json``: ``gelu`` (with the error function), ``gelu_new``
    (its tanh approximation), ``relu`` or ``silu``. ``rope_theta`` is the base of rotary positions.
    Dropout is always off. The defaults are BERT's.

    Raises ``ValueError`` for a number out of range and for an unknown activation.
    """

    layer_norm_eps: float = 1e-12
    hidden_act: Activation = "gelu"
    rope_theta: float = 10000.0

    def __post_init__(self) -> None:
        eps, theta = self.layer_norm_eps, self.rope_theta
        require(type(eps) is float and 0 <= eps < 1, "layer_norm_eps", eps, "a float in [0, 1)")
        known = get_args(Activation)
        require(self.hidden_act in known, "hidden_act", self.hidden_act, " or ".join(known))
        finite = type(theta) is float and 1 < theta < float("inf")
        require(finite, "rope_theta", theta, "a float above 1")


class EncoderLetters(NamedTuple):
    """The letters of BERT's formulas.

    The last four are indicators, 0 or 1. ``untied`` is 1 only if ``mlm`` is.
    """

    L: Layers
    H: Width
    A: Width
    F: Width
    V: Rows
    P: Rows
    T: Rows
    pooler: Indicator = 1
    mlm: Indicator = 0
    untied: Indicator = 0
    nsp: Indicator = 0


class GPTLetters(NamedTuple):
    """The letters of GPT's formulas. The last is an indicator, 0 or 1."""

    L: Layers
    H: Width
    A: Width
    F: Width
    V: Rows
    P: Rows
    untied: Indicator = 0


class LlamaLetters(NamedTuple):
    """The letters of LLaMA's formulas. The last is an indicator, 0 or 1."""

    L: Layers
    H: Width
    A: Width
    G: Width
    K: Width
    F: Width
    V: Rows
    untied: Indicator = 1


class EncoderDecoderLetters(NamedTuple):
    """The letters of the encoder-decoder's formulas: V is of the source, U of the target.

    The last four are indicators, 0 or 1.
    """

    N: Layers
    M: Layers
    H: Width
    A: Width
    F: Width
    V: Rows
    U: Rows
    P: Rows
    shared: Indicator = 1
    learned: Indicator = 0
    bias: Indicator = 1
    untied: Indicator = 0


class _SplitIntoHeads:
    __slots__ = ()

    hidden_size: int
    num_attention_heads: int

    def __post_init__(self) -> None:
        require_fields(self)
        require_heads(self.hidden_size, self.num_attention_heads)

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_attention_heads


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderSpec(_SplitIntoHeads):
    """A BERT encoder: embeddings, layers, and optionally a pooler and heads.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. The MLM head is a dense
    layer, a norm and a decoder with one bias per token; the decoder's matrix is tied to
    the token table (``tie_word_embeddings``) or untied. The NSP head reads the pooled
    output, so it needs the pooler.

    Source: Devlin et al. 2018, arXiv:1810.04805, section 3; field names as in the
    ``config.json`` of the released models.
    """

    family: ClassVar[str] = "encoder"
    original_numerics: ClassVar[Numerics] = Numerics()
    """Source: google-research/bert, modeling.py, of 2018. In 2019 the tanh approximation replaced
    the error function. The epsilon is that of tf.contrib.layers.layer_norm."""
    ranges: ClassVar[Ranges] = {"type_vocab_size": (1, 5)}

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    pooler: bool = True
    mlm_head: bool = False
    tie_word_embeddings: bool = True
    nsp_head: bool = False

    def __post_init__(self) -> None:
        _SplitIntoHeads.__post_init__(self)  # A class with slots is made anew: no super().
        if not self.mlm_head:
            wanted = "True where mlm_head is False: without that head there is nothing to untie"
            require(self.tie_word_embeddings, "tie_word_embeddings", False, wanted)
        if self.nsp_head:
            wanted = "False where pooler is False: that head reads the pooled output"
            require(self.pooler, "nsp_head", True, wanted)

    @classmethod
    def drawn(cls, choices: Choices) -> Self:
        sizes = choices.sizes(*RANGES, "type_vocab_size")
        pooler, mlm_head = choices.flag("pooler"), choices.flag("mlm_head")
        return cls(
            pooler=pooler,
            mlm_head=mlm_head,
            tie_word_embeddings=not mlm_head or choices.tied(),
            nsp_head=choices.flag("nsp_head", pooler),
            **sizes,
        )

    def letters(self) -> EncoderLetters:
        return letters_of(EncoderLetters, self)


@dataclass(frozen=True, kw_only=True, slots=True)
class GPTSpec(_SplitIntoHeads):
    """A GPT: learned positions, layers with the norm first, a final norm, a language head.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. The head's matrix is
    tied to the token table (``tie_word_embeddings``) or untied; it has no bias.

    Source: Radford et al. 2019, Language Models are Unsupervised Multitask Learners, section
    2.3, and openai/gpt-2, src/model.py; GPT-3: Brown et al. 2020, arXiv:2005.14165, table 2.1.
    """

    family: ClassVar[str] = "gpt"
    original_numerics: ClassVar[Numerics] = Numerics(layer_norm_eps=1e-5, hidden_act="gelu_new")
    """Source: openai/gpt-2, src/model.py."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    tie_word_embeddings: bool = True

    def letters(self) -> GPTLetters:
        return letters_of(GPTLetters, self)


@dataclass(frozen=True, kw_only=True, slots=True)
class LlamaSpec:
    """A LLaMA: rotary positions, RMSNorm first, gated feed-forward, grouped queries, no bias.

    Sizes are ints from 1 up, ``num_hidden_layers`` from 0 up. ``num_key_value_heads`` defaults
    to ``num_attention_heads``: each query head has its own keys and values. ``head_dim`` defaults
    to ``hidden_size // num_attention_heads``, which must divide exactly. Rotary positions rotate
    pairs of features, so ``head_dim`` is even. They have no table, so the number of positions
    occurs in no count. The language head's matrix is untied, or tied to the token table
    (``tie_word_embeddings``).

    Source: Touvron et al. 2023, arXiv:2302.13971, section 2.2; grouped queries: Ainslie et
    al. 2023, arXiv:2305.13245; rotary positions: Su et al. 2021, arXiv:2104.09864.
    """

    family: ClassVar[str] = "llama"
    original_numerics: ClassVar[Numerics] = Numerics(layer_norm_eps=1e-6, hidden_act="silu")
    """Source: meta-llama/llama, branch llama_v1, llama/model.py. The default epsilon is 1e-5 in
    ModelArgs and 1e-6 in RMSNorm. Hugging Face's configuration_llama.py has 1e-6, and so do, in
    copies by others, the params.json of the first release except for the largest model."""
    ranges: ClassVar[Ranges] = {
        "num_key_value_heads": (1, 4),
        "queries_per_key": (1, 3),
        "pairs_per_head": (1, 6),
        "hidden_size": (1, 96),
    }

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int = DERIVED
    head_dim: int = DERIVED
    intermediate_size: int
    tie_word_embeddings: bool = False

    def __post_init__(self) -> None:
        heads, hidden = self.num_attention_heads, self.hidden_size
        if self.head_dim is None:
            require_size("hidden_size", hidden)
            require_size("num_attention_heads", heads)
            require_heads(hidden, heads, " where head_dim is not given")
            fill_default(self, "head_dim", hidden // heads)
        fill_default(self, "num_key_value_heads", heads)
        require_fields(self)
        keys, wanted = self.num_key_value_heads, f"a divisor of num_attention_heads={heads}"
        require(heads % keys == 0, "num_key_value_heads", keys, wanted)
        even = "even: rotary positions rotate pairs of features"
        require(self.head_dim % 2 == 0, "head_dim", self.head_dim, even)

    @classmethod
    def drawn(cls, choices: Choices) -> Self:
        sizes = choices.sizes(
            "num_hidden_layers", "num_key_value_heads", "intermediate_size", "vocab_size"
        )
        heads = sizes["num_key_value_heads"] * choices.size("queries_per_key")
        head_dim = 2 * choices.size("pairs_per_head")
        of_its_own = choices.flag("a head size of its own")
        return cls(
            hidden_size=choices.size("hidden_size") if of_its_own else heads * head_dim,
            num_attention_heads=heads,
            head_dim=head_dim,
            tie_word_embeddings=choices.tied(),
            **sizes,
        )

    @property
    def head_size(self) -> int:
        return self.head_dim

    def letters(self) -> LlamaLetters:
        return letters_of(LlamaLetters, self)


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderDecoderSpec(_SplitIntoHeads):
    """A Transformer of 2017: norms after the residual sums, and no final norms.

    Sizes are ints from 1 up, the numbers of layers from 0 up. ``target_vocab_size`` defaults to
    ``vocab_size``. ``share_embeddings`` ties the decoder's token table to the encoder's, and
    ``tie_word_embeddings`` the output projection, which has no bias, to the decoder's token table.
    ``learned_positions`` gives each side a trained table; otherwise positions are fixed sinusoids
    in tables of the same shape, which are never counted as trainable. ``attention_bias`` gives a
    bias to each projection of the attention.

    Source: Vaswani et al. 2017, arXiv:1706.03762, section 3. The paper and its code
    (tensorflow/tensor2tensor) have ``attention_bias=False``; many later implementations have
    biases.
    """

    family: ClassVar[str] = "encoder-decoder"
    original_numerics: ClassVar[Numerics] = Numerics(layer_norm_eps=1e-6, hidden_act="relu")
    """Source: tensorflow/tensor2tensor, layers/common_layers.py, layer_norm, dense_relu_dense."""
    ranges: ClassVar[Ranges] = {
        "num_encoder_layers": (0, 3),
        "num_decoder_layers": (0, 3),
        "target_vocab_size": (1, 600),
    }

    vocab_size: int
    target_vocab_size: int = DERIVED
    hidden_size: int
    num_encoder_layers: int
    num_decoder_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    share_embeddings: bool = True
    tie_word_embeddings: bool = True
    learned_positions: bool = False
    attention_bias: bool = True

    def __post_init__(self) -> None:
        fill_default(self, "target_vocab_size", self.vocab_size)
        _SplitIntoHeads.__post_init__(self)
        if self.share_embeddings:
            own, target = self.vocab_size, self.target_vocab_size
            wanted = f"False where vocab_size={own} and target_vocab_size={target} differ"
            require(own == target, "share_embeddings", True, wanted)

    @classmethod
    def drawn(cls, choices: Choices) -> Self:
        _, *shared = RANGES
        sizes = choices.sizes("num_encoder_layers", "num_decoder_layers", *shared)
        vocabularies = choices.choose("one table, two, two of one size", 0, 2)
        own = choices.size("target_vocab_size") if vocabularies == 1 else sizes["vocab_size"]
        return cls(
            target_vocab_size=own,
            share_embeddings=not vocabularies,
            tie_word_embeddings=choices.tied(),
            learned_positions=choices.flag("learned_positions"),
            attention_bias=choices.flag("attention_bias"),
            **sizes,
        )

    def letters(self) -> EncoderDecoderLetters:
        return letters_of(EncoderDecoderLetters, self)
