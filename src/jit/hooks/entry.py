"""What clients and git start: `python -I -S …/jit/hooks/entry.py --client claude`, or `--git pre-commit …`.

The interpreter is isolated and knows nothing of site-packages, so this file says where jit is; last, so that nothing
beside jit can stand in for a module of Python's own. If there is a bundle of the modules that a hook needs, they are
taken from it (see `bundle`; it is as trusted as Python's own files beside it); else they are imported as usual. This
file is compiled at every start, so there is little in it.
"""

import marshal
import posix
import sys

if __name__ == "__main__":
    folder = __file__.rpartition("/")[0]
    sys.path.append(folder[:-10])
    loader = {"stale": True}
    try:
        bundle = posix.open(f"{folder}/__pycache__/bundle.{sys.implementation.cache_tag}-{sys.hexversion:x}", 0)
        code, *rest = marshal.loads(posix.read(bundle, 32768))  # noqa: S302
        exec(code, loader)  # noqa: S102
        loader["install"](sys.path[-1], bundle, *rest)  # type: ignore[operator]
    except (OSError, EOFError, ValueError, TypeError):
        pass
    from jit.hooks.main import start

    start(loader)
