"""Faults of PyTorch's catalogue, planted in the builder of every framework.

``misread.py`` has those of any builder: a size or a numeric taken for another, a wrong name. The
others are in the framework's own code, a file for each framework, named as its builder's file.
"""
