"""What file leases are called.

Four kinds of lease belong to the file gate. The lease on a file itself; a *wait*, which stands for one owner's
attempt that was denied; a *sight*, which remembers what a file held when its owner last had it; and a *stop*, which
says that an owner's leases are stopped, so that whoever goes on need not look through all of them. The last three are
leases of their owner and end with its life, so they need no store of their own.
"""

from __future__ import annotations

from jit.systems.files import FILE, SEEN, STOP, WAIT, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Lease, Owner


REPOSITORY = "repo"


def file_resource(scope: str, path: str) -> str:
    """`scope` is a worktree's id, because every worktree has its own copy, or `repo` for files that must never
    diverge.
    """
    return f"{FILE}{scope}/{path}"


def path_of(resource: str) -> str:
    """The repository-relative path behind a file resource."""
    return resource.partition("/")[2]


def scope_of(resource: str) -> str:
    return resource[len(FILE) :].partition("/")[0]


def wait_resources(owner: Owner, resource: str) -> tuple[str, str]:
    """The names a wait stands under: its own, and that of everybody who waits for the file."""
    return f"{WAIT}{owner_key(owner)}|{resource}", f"{WAITING}{resource}"


def seen_resource(owner: Owner, resource: str) -> str:
    return f"{SEEN}{owner_key(owner)}|{resource}"


def stop_resource(owner: Owner) -> str:
    return f"{STOP}{owner_key(owner)}"


def owner_key(owner: Owner) -> str:
    return f"{owner.agent}|{owner.worktree}|{owner.session}"


def is_file(lease: Lease) -> bool:
    return lease.resources[0].startswith(FILE)


def is_wait(lease: Lease) -> bool:
    return lease.resources[0].startswith(WAIT)


def waited_for(wait: Lease) -> str:
    """The file that a wait is for."""
    return wait.resources[1][len(WAITING) :]
