"""The file gate's commands as JSON."""

from __future__ import annotations

from jit.kernel.jsontext import dumps, quote
from jit.kernel.policy import WhileAlive
from jit.kernel.record import unreachable
from jit.systems.files.commands import Committed, End, Free, Resume, Stop, Target, Touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Owner
    from jit.store.leases import Json
    from jit.systems.files.commands import FileCommand


def file_command_fields(command: FileCommand) -> str:
    return f'"name":"{type(command).__name__.lower()}"{_rest(command)}'


def _rest(command: FileCommand) -> str:
    """What follows the name, each with a comma before it."""
    match command:
        case Touch():
            targets = dumps([[t.resource, t.rule, t.fresh, t.shared] for t in command.targets])
            policy = (
                f'"while_alive":[{command.policy.silence_ms},{command.policy.idle_ms}],"retry_ms":{command.retry_ms}'
            )
            words = f'"tool":{quote(command.tool)},"branch":{quote(command.branch)}'
            return f',"targets":{targets},"ids":{dumps(list(command.ids))},{policy},{words}'
        case Stop():
            keep = f',"keep":{dumps(list(command.keep))}' if command.keep else ""
            return keep + (',"failed":true' if command.failed else "")
        case End():
            whole = ',"whole_session":true' if command.whole_session else ""
            return f',"reason":{quote(command.reason)}{whole}'
        case Committed():
            return f',"resources":{dumps(list(command.resources))}'
        case Free():
            forced = ',"forced":true' if command.forced else ""
            return f',"lease_id":{quote(command.lease_id)},"reason":{quote(command.reason)}{forced}'
        case Resume():
            return f',"lease_id":{quote(command.lease_id)},"reason":{quote(command.reason)}'
        case _:
            unreachable(command)


def decode_file_command(owner: Owner, body: Json) -> FileCommand:
    match body["name"]:
        case "touch":
            return _decode_touch(owner, body)
        case "stop":
            return Stop(owner, tuple(body.get("keep", ())), bool(body.get("failed", False)))  # type: ignore[arg-type]
        case "end":
            return End(owner, str(body["reason"]), bool(body.get("whole_session", False)))
        case "committed":
            return Committed(owner, tuple(body["resources"]))  # type: ignore[arg-type]
        case "free":
            lease_id, reason = str(body["lease_id"]), str(body["reason"])
            return Free(lease_id, owner, reason, bool(body.get("forced", False)))
        case "resume":
            return Resume(str(body["lease_id"]), owner, str(body["reason"]))
        case name:
            raise ValueError(f"unknown command {name}")


def _decode_touch(owner: Owner, body: Json) -> Touch:
    return Touch(
        owner,
        tuple(Target(*row) for row in body["targets"]),  # type: ignore[attr-defined]
        tuple(body["ids"]),  # type: ignore[arg-type]
        WhileAlive(*body["while_alive"]),  # type: ignore[misc]
        body["retry_ms"],  # type: ignore[arg-type]
        str(body["tool"]),
        str(body["branch"]),
    )
