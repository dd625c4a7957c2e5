"""Compare the catalogue with mlx-lm, which other people wrote; this needs no PyTorch."""
