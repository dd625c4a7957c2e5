"""Run the command line as ``python -m paramproof``."""

from paramproof.cli.main import main

if __name__ == "__main__":
    main()
