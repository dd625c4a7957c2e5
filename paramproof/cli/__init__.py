"""The command ``paramproof``, a module for each of its commands."""

import gc

# What a command makes while it starts is modules and classes, which live until it ends: looking for
# garbage among them took a tenth of the time of a count.
gc.set_threshold(100_000)
