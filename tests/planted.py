"""Bugs that are planted in our own code, to see them surface."""


def plant(monkeypatch, module, name, bug, where=None):
    """Replace a function of ours by one in the same file that runs ``bug`` before the original."""
    source = f"def planted(*args):\n    {bug}\n    return original(*args)"
    namespace = {**vars(module), "original": getattr(module, name)}
    exec(compile(source, module.__file__, "exec"), namespace)
    monkeypatch.setattr(where or module, name, namespace["planted"])
