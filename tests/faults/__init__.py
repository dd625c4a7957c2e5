"""Models broken on purpose, in every framework, and the evidence that must notice each of them.

A fault has a name and a row in the README. ``in_torch.py`` has all of them, planted in
PyTorch's encoder; ``in_frameworks.py`` plants the same faults elsewhere: in a framework's own code,
or in what any builder may misread. ``evidence.py`` has the kinds of evidence.
"""
