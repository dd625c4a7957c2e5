"""Faults of PyTorch's catalogue, planted in the builder of every framework.

``misread.py`` has faults for any builder: a size or numeric that is confused, a wrong name. The
others are in the framework's own code; each framework's file is named like its builder's file. It
has ``PLANTS``, and ``IMPOSSIBLE`` if the framework cannot have a fault.
"""
