"""A model of transformers on the meta device, compared with the tensors of its program."""

import warnings
from collections import Counter
from copy import deepcopy

import transformers

from paramproof.builders.meta import meta


def build(name, keys):
    """Return the model of a class for the keys of a file. Its warnings are ignored."""
    model_class = getattr(transformers, name)
    config_class = transformers.CONFIG_MAPPING[keys["model_type"]]
    keys = config_class._decode_special_floats(deepcopy(keys))
    with meta(), warnings.catch_warnings(action="ignore"):
        return model_class(config_class.from_dict(keys))


def observed(model):
    """Return the shape and role of each tensor by its path, and the paths of each storage."""
    found, storages = {}, {}
    for path, one in model.named_parameters(remove_duplicate=False):
        found[path] = tuple(one.shape), "trainable" if one.requires_grad else "frozen"
        storages.setdefault(id(one), set()).add(path)
    for prefix, module in model.named_modules(remove_duplicate=False):
        for name, one in module.named_buffers(recurse=False, remove_duplicate=False):
            is_temporary = name in module._non_persistent_buffers_set
            role = "temporary buffer" if is_temporary else "buffer"
            found[f"{prefix}.{name}".lstrip(".")] = tuple(one.shape), role
    return found, {frozenset(paths) for paths in storages.values()}


def differences(tensors, model):
    """Return how tensors of a program differ from those of a model, a line for each.

    A program need not know the shape of a buffer, nor a temporary buffer that it computes.
    """
    expected, shared = observed(model)
    found, storages = {}, {}
    for one in tensors:
        found[one.path] = one.shape, one.role
        if "buffer" not in one.role:
            storages.setdefault(one.storage, set()).add(one.path)
    for path, (shape, role) in [*found.items()]:
        if shape is None and "buffer" in role:
            found[path] = expected.get(path, (None, role))[0], role
            if path not in expected:
                del found[path]
    lines = [
        f"{path}: {found.get(path, 'absent')}, and transformers has {expected.get(path, 'none')}"
        for path in sorted(found.keys() | expected.keys())
        if found.get(path) != expected.get(path)
    ]
    times = Counter(one.path for one in tensors)
    lines += [f"{path} is there {many} times" for path, many in times.items() if many > 1]
    ties = {frozenset(paths) for paths in storages.values()} ^ shared
    return lines + [f"{sorted(one)} are tied in one of the two" for one in ties if len(one) > 1]
