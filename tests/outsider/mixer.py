"""A family from another distribution: MLP-Mixer, without tokens, positions or attention.

It registers by an entry point, and imports only what any family may import.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from paramproof.formulas import Family, Inventory
from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import Indicator, Layers, Rows, Width, require_fields
from paramproof.formulas.terms import feed_forward, layer_norm, linear, present, repeated, within

SOURCE = "Tolstikhin et al. 2021, arXiv:2105.01601, section 2"


class MixerLetters(NamedTuple):
    """The symbols of the Mixer's formulas. The last one is an indicator, 0 or 1."""

    B: Layers
    """num_blocks"""
    S: Rows
    """num_patches"""
    Y: Rows
    """num_labels"""
    H: Width
    """hidden_size"""
    D: Width
    """tokens_mlp_dim"""
    F: Width
    """channels_mlp_dim"""
    R: Width
    """patch_size"""
    C: Width
    """num_channels"""
    classifier: Indicator = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class MixerSpec:
    """An MLP-Mixer: patches of R·R pixels, blocks that mix patches and then channels, a head."""

    family: ClassVar[str] = "mixer"
    ranges: ClassVar[dict[str, tuple[int, int]]] = {
        "num_blocks": (0, 3),
        "num_patches": (1, 50),
        "num_labels": (1, 20),
        "hidden_size": (1, 48),
        "tokens_mlp_dim": (1, 40),
        "channels_mlp_dim": (1, 90),
        "patch_size": (1, 8),
        "num_channels": (1, 4),
    }

    num_patches: int
    patch_size: int
    num_channels: int = 3
    hidden_size: int
    num_blocks: int
    tokens_mlp_dim: int
    channels_mlp_dim: int
    num_labels: int = 1000
    classifier: bool = True

    def __post_init__(self) -> None:
        require_fields(self, from_zero=("num_blocks",))

    def letters(self) -> MixerLetters:
        return MixerLetters(
            B=self.num_blocks,
            S=self.num_patches,
            Y=self.num_labels,
            H=self.hidden_size,
            D=self.tokens_mlp_dim,
            F=self.channels_mlp_dim,
            R=self.patch_size,
            C=self.num_channels,
            classifier=int(self.classifier),
        )


def inventory(letters: MixerLetters) -> Inventory:
    B, S, Y, H, D, F, R, C, classifier = letters
    block = (
        within("patches_norm", layer_norm(H)),
        within("patch_mixing", feed_forward(S, D)),
        within("channels_norm", layer_norm(H)),
        within("channel_mixing", feed_forward(H, F)),
    )
    return Inventory(
        letters,
        (
            *within("stem", linear(R * R * C, H, SOURCE)),
            *repeated(B, within(f"blocks.{LAYER}", *block)),
            *within("final_norm", layer_norm(H)),
            *present(classifier, within("classifier", linear(H, Y, SOURCE))),
        ),
    )


def closed_form(letters: MixerLetters) -> int:
    B, S, Y, H, D, F, R, C, classifier = letters
    block = 2 * S * D + D + S + 2 * H * F + F + 5 * H
    return (C * (R * R) + 3) * H + B * block + classifier * (H + 1) * Y


FAMILY = Family(MixerSpec, MixerLetters, inventory, closed_form)
