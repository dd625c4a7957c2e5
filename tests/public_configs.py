"""Configurations of popular models, as in their own repositories."""

from tests.configs import read

LLAMA_3_1_8B, MIXTRAL_8X7B, DEEPSEEK_V3, SMALL_MIXTRAL = read(
    "LLAMA_3_1_8B", "MIXTRAL_8X7B", "DEEPSEEK_V3", "SMALL_MIXTRAL"
)
