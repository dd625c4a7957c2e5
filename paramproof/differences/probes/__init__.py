"""One file per framework, which asks its framework what the reference wants to know.

A file here imports its framework, ``paramproof.builders.protocol`` and
``paramproof.differences.measure``, and nothing else of the project. Its public functions are
those named in ``paramproof.differences.questions``; a docstring of theirs is printed as what was
asked. Every layer is made as it comes, with no argument that the question does not need.

``counts`` gives every native way of counting the parameters of a model that the framework's
own file has built: what is counted, how, and the number. ``dtypes`` gives a parameter's type
by its native path. ``abstract`` makes a dense layer from 10⁶ to 10⁶ features, which nobody could
allocate, and its source is printed; ``value_of`` asks one of its weights for a value.
"""

from typing import TypeAlias

CountsByKind: TypeAlias = dict[str, tuple[str, int]]
"""By what is counted: how a user of the framework would count it, and the number."""
