"""Constructors that are none, or end badly. They import PyTorch when they are called."""

import os
import sys
import time


def raises(hidden_size=8):
    raise RuntimeError("no\nmodel \x1b[31mtoday")


def no_model(hidden_size=8):
    return {"hidden": hidden_size}


def lazy(hidden_size=8):
    from torch import nn

    return nn.LazyLinear(hidden_size)


def empty(hidden_size=8):
    from torch import nn

    return nn.Identity(hidden_size)


def takes_nothing():
    from torch import nn

    return nn.Linear(3, 4)


def takes_no_ints(name="bert", share=0.5, flag=True, zero=0):
    return takes_nothing()


def no_default(hidden_size, layers=3):
    from torch import nn

    return nn.ModuleList(nn.Linear(hidden_size, hidden_size) for _ in range(layers))


def needs_a_package(hidden_size=8):
    import a_package_that_nobody_has

    return a_package_that_nobody_has


def never_ends(hidden_size=8):
    while True:
        time.sleep(0.1)


def many_layers(hidden_size=8, layers=4):
    return no_default(hidden_size, layers)


def leaves(hidden_size=8):
    sys.exit("bye")


def leaves_at_once(hidden_size=8):
    os._exit(3)


def leaves_at_other_sizes(hidden_size=8):
    from torch import nn

    if hidden_size != 8:
        sys.exit(f"only at 8, and not at {int(hidden_size)}")
    return nn.Linear(hidden_size, 3)


def interrupts(hidden_size=8):
    raise KeyboardInterrupt


def recurses(hidden_size=8):
    return recurses(hidden_size + 1)


def prints(hidden_size=8):
    from torch import nn

    print('{"refused": "by what it prints"}', flush=True)
    os.write(1, b'{"refused": "by what it writes"}\n')
    sys.stdout.write("half a line")
    return nn.Linear(hidden_size, 3)


def closes(hidden_size=8):
    from torch import nn

    sys.stdout.close()
    return nn.Linear(hidden_size, 3)
