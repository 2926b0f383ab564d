"""Another agent client, for the probe: a process that lives as long as its input is open.

Each line of the input is a question for a hook, which it starts as a child of its own: so the leases that the hook
takes belong to this process, and stand while it lives.
"""

import json
import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.rsplit("/", 3)[0])
    from jit.install.question import ask

    for order in sys.stdin:
        line, payload, cwd = json.loads(order)
        answer = ask(line, payload, cwd, os.environ)
        sys.stdout.write(json.dumps([answer.stdout, answer.fault, answer.stderr]) + "\n")
        sys.stdout.flush()
