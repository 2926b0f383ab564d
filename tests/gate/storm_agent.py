"""An agent client in a storm: `python storm_agent.py NUMBER EDITS HOOK FILE…` makes so many edits through the hook.

Half of its edits are replacements that it applies to the file as it then is. The others write a whole copy that it kept
from its last turn, old as that may be; only if the hook says that the file changed does it read it again.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time


def main(number: int, edits: int, hook: str, files: list[str]) -> None:
    chance = random.Random(number)
    copies: dict[str, str] = {}
    done = 0
    while done < edits:
        path = chance.choice(files)
        turn = min(chance.randint(20, 50), edits - done)
        began = time.monotonic()
        while turn and edit(hook, number, path, f"{number}-{done}", copies):
            turn, done = turn - 1, done + 1
        if turn:  # denied: other work first, and the more the busier this machine is
            time.sleep(chance.uniform(5, 12) * (time.monotonic() - began))
        elif chance.random() < 0.5:
            tell(hook, number, "SessionEnd")
            copies.clear()
        else:
            tell(hook, number, "Stop")
    tell(hook, number, "SessionEnd")


def edit(hook: str, number: int, path: str, line: str, copies: dict[str, str]) -> bool:
    """One edit; False if it was denied."""
    whole = path in copies and line[-1] in "02468"
    denied = ask(hook, number, path, "Write" if whole else "Edit")
    if "changed since you read it" in denied:
        copies.pop(path)
        whole, denied = False, ask(hook, number, path, "Edit")
    if denied:
        return False
    text = copies[path] if whole else read(path)
    copies[path] = f"{text}{line}\n"
    write_slowly(path, copies[path])
    return True


def write_slowly(path: str, text: str) -> None:
    """In two halves over an emptied file: whoever reads or writes meanwhile does harm."""
    half = len(text) // 2
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, text[:half].encode())
    os.write(fd, text[half:].encode())
    os.close(fd)


def read(path: str) -> str:
    with open(path) as file:
        return file.read()


def ask(hook: str, number: int, path: str, tool: str) -> str:
    out = tell(hook, number, "PreToolUse", tool_name=tool, tool_input={"file_path": path, "content": ""})
    return json.loads(out)["hookSpecificOutput"]["permissionDecisionReason"] if out else ""


def tell(hook: str, number: int, event: str, **fields: object) -> str:
    payload = {"session_id": f"agent-{number}", "cwd": os.getcwd(), "hook_event_name": event, **fields}
    done = subprocess.run(["sh", "-c", hook], input=json.dumps(payload), capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr
    return done.stdout


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
