"""One file per framework, with the calls that answer the questions of the reference.

A file here imports its framework and ``paramproof.differences.measure``, and nothing else of the
project. It has

- ``ASKED``: for a name in ``questions.toml``, the code that answers, as the page prints it, and the
  call. Every layer has its defaults, with no argument that the question does not need.
- ``COUNTS``: for what is counted, how a user of the framework would count it, and a function of a
  model that the framework's own file has built. It returns arrays, or their number.
- ``tensor`` and ``array``: from a NumPy array, and to one; ``same_draws``: a context in which
  the same is drawn each time.

The calls that several questions share: ``dense`` takes (in, out) and returns a kernel and a bias;
``attention`` takes the features, the heads and the width, and returns the kernels of query and key,
and all parameters; ``attend`` takes (1, TOKENS, WIDTH) and a mask of its keys, (1, TOKENS).
"""
