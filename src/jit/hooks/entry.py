"""What clients and git start: `python -I -S …/jit/hooks/entry.py --client claude`, or `--git pre-commit …`.

The interpreter is isolated and knows nothing of site-packages, so this file says where jit is. If there is a bundle of
the modules that a hook needs, they are taken from it (see `bundle`); else they are imported as usual. Nothing is
collected and nothing is torn down: the process lives for milliseconds. This file is compiled at every start, so it is
short.
"""

import gc
import marshal
import posix
import sys

if __name__ == "__main__":
    gc.disable()
    folder = __file__.rpartition("/")[0]
    sys.path.append(folder[: -len("/jit/hooks")])  # last: what lies beside jit must not stand in for Python's own
    loader = {"stale": True}
    path = f"{folder}/__pycache__/bundle.{sys.implementation.cache_tag}-{sys.hexversion:x}"
    try:
        bundle = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
        # As trusted as Python's own files beside it.
        code, tiers, extensions = marshal.loads(posix.read(bundle, 32768))  # noqa: S302
        exec(code, loader)  # noqa: S102
        loader["install"](sys.path[-1], bundle, tiers, extensions)  # type: ignore[operator]
    except (OSError, EOFError, ValueError, TypeError):
        pass
    from jit.hooks.main import main

    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    if loader["stale"]:
        from jit.hooks.bundle import refresh

        refresh()
    posix._exit(status)  # noqa: SLF001  the name it has
