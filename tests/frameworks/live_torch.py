"""An encoder made from PyTorch's layers, with its own names."""

from tests.specs import LIVE_ENCODER


def encoder(spec=LIVE_ENCODER):
    """Return an encoder as others write it: separate projections, lists, a parameter of its own."""
    from torch import empty, nn

    hidden = spec.hidden_size

    def block():
        parts = {name: nn.Linear(hidden, hidden) for name in ("wq", "wk", "wv", "wo")}
        parts |= {"up": nn.Linear(hidden, 20), "down": nn.Linear(20, hidden)}
        return nn.ModuleDict(parts | {"ln_1": nn.LayerNorm(hidden), "ln_2": nn.LayerNorm(hidden)})

    net = nn.ModuleDict({"tok": nn.Embedding(31, hidden), "seg": nn.Embedding(2, hidden)})
    net["ln"] = nn.LayerNorm(hidden)
    net["h"] = nn.ModuleList(block() for _ in range(spec.num_hidden_layers))
    net["cls"] = nn.Linear(hidden, hidden)
    net.register_parameter("pos", nn.Parameter(empty(1, 17, hidden)))
    net.register_buffer("position_ids", empty(17))
    return net


def with_head(spec=LIVE_ENCODER):
    """Return the same encoder with an MLM head that is not tied yet."""
    from torch import nn

    net = encoder(spec)
    net["lm"] = nn.ModuleList([nn.Linear(12, 12), nn.LayerNorm(12), nn.Linear(12, 31)])
    return net
