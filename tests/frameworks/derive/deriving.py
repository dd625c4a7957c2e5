"""Derivations of the constructors in this folder, by their names."""

from importlib import import_module

from paramproof.formulas.derivation_data import derivation_data, derivation_from


def constructor(name, **sizes):
    """``lost:through_json`` with other sizes at first."""
    from paramproof.tracing.constructors.function import function_constructor

    module, _, function = name.partition(":")
    return function_constructor(
        name, getattr(import_module(f"{__package__}.{module}"), function), sizes
    )


def derived(name, **sizes):
    """Derive a constructor, and check that its derivation survives the way through JSON."""
    from paramproof.derivation.pipeline import derive

    found = derive(constructor(name, **sizes))
    assert derivation_from(derivation_data(found)) == found
    return found


def count(name, **sizes):
    """How many trainable parameters there are: the model is made, and counted by PyTorch."""
    made = constructor(name)
    model = made.make({**made.sizes, **sizes})
    return sum(one.numel() for one in model.parameters() if one.requires_grad)


def conditions(derivation):
    """The conditions of a derivation as text, with what is so elsewhere."""
    return {str(stated.condition): str(stated.consequence) for stated in derivation.conditions}
