"""The reference for any model, by the type of its spec."""

from __future__ import annotations

from typing import Any

from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec
from tests.reference import encoder, encoder_decoder, gpt, llama

FORWARD = {
    EncoderSpec: encoder.forward,
    EncoderDecoderSpec: encoder_decoder.forward,
    GPTSpec: gpt.forward,
    LlamaSpec: llama.forward,
}


def forward(spec: Any, *arguments: Any) -> dict[str, Any]:
    """Return the outputs of the model of ``spec``, by kind."""
    return FORWARD[type(spec)](spec, *arguments)
