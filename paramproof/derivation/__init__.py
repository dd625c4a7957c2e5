"""From a live constructor, the symbolic shape of every tensor, the formula and its conditions."""
