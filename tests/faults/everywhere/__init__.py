"""Faults of PyTorch's catalogue, planted in the builder of every framework.

``misread.py`` has faults for any builder: a size or numeric that is confused, a wrong name. Those
in ``planted.py`` are in the framework's own code: a table of what each framework drops.
"""
