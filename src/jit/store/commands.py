"""Commands as JSON, so that every decision in the log can be made again. Each system has a room of its own for them."""

from __future__ import annotations

from jit.systems.decide import is_of_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Owner
    from jit.store.leases import Json
    from jit.systems.decide import AnyCommand

OF_FILES = ("touch", "stop", "end", "committed", "free", "resume")


def owner_of(command: AnyCommand) -> Owner:
    """Who asks: the envelope's actor, not repeated in the command."""
    if is_of_files(command):
        return command.owner  # type: ignore[union-attr]
    from jit.store.claim_commands import claim_owner

    return claim_owner(command)  # type: ignore[arg-type]


def command_fields(command: AnyCommand) -> str:
    if is_of_files(command):
        from jit.store.file_commands import file_command_fields

        return file_command_fields(command)  # type: ignore[arg-type]
    from jit.store.claim_commands import claim_command_fields

    return claim_command_fields(command)  # type: ignore[arg-type]


def decode_command(owner: Owner, body: Json) -> AnyCommand:
    if body["name"] in OF_FILES:
        from jit.store.file_commands import decode_file_command

        return decode_file_command(owner, body)
    from jit.store.claim_commands import decode_claim_command

    return decode_claim_command(owner, body)
