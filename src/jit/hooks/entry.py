"""What clients and git start: `python -I -S …/jit/hooks/entry.py --client claude`, or `--git pre-commit …`.

The interpreter is isolated and knows nothing of site-packages, so this file says where jit is. It is all there is
before the first import of jit.
"""

import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.rsplit("/", 3)[0])
    from jit.hooks.main import main

    sys.exit(main(sys.argv[1:]))
