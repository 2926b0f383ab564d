"""A file that is ours from the first line to the last: the plugin of a client that runs hooks in its own process."""

from __future__ import annotations

import json
import re

from jit.errors import AlreadyExists
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.install.command import Program

MARK = "// jit: written by `jit setup`, removed by `jit uninstall`"
_COMMAND = re.compile(r"^const COMMAND = .*$", re.MULTILINE)


class PluginFile(Record):
    """`text` is what must stand in the file."""

    path: str
    client: str
    text: str

    kind = "plugin"

    def put(self, before: bytes | None) -> bytes:
        if before is not None and not is_ours(before):
            raise AlreadyExists(
                f"{self.path} is there already and is not from jit, so nothing was changed",
                hint=f"move it away, then run the command again: mv '{self.path}' '{self.path}.mine'",
                details={"file": self.path},
            )
        return self.text.encode()

    def strip(self, before: bytes, original: bytes | None) -> bytes | None:
        """Ours is the whole file; what somebody made of it since cannot be told apart from it."""
        return original if is_ours(before) else before


def is_ours(data: bytes) -> bool:
    return data.startswith(MARK.encode())


def plugin_text(source: str, program: Program) -> str:
    """The plugin as it is shipped, with the command it has to run."""
    line = f"const COMMAND = {json.dumps(program.words('--client', 'opencode'))}"
    text, count = _COMMAND.subn(lambda _: line, source)
    if count != 1:
        raise ValueError("the plugin must have one line that begins with `const COMMAND = `")
    return f"{MARK}\n{text}"
