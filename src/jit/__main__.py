"""`jit`, and `python -m jit`."""

from __future__ import annotations

import sys


def main() -> int:
    from jit.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
