"""Before and after a commit: whose files are in it, and which leases it ends.

A staged file must not be somebody else's: one that another session holds now, or one that this session lost to another
since it had it. The index is shared by everybody in a worktree, so other people's staged files are an everyday sight;
the answer is always the command that commits only one's own.
"""

from __future__ import annotations

import os
import shlex

from jit.errors import Invalid
from jit.hooks.git_lost import find_lost
from jit.hooks.git_site import Complaint
from jit.hooks.git_structure import check_structure
from jit.kernel.instant import elapsed_ms
from jit.views.active import clock_text, duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.git_site import Site
    from jit.kernel.lease import Lease
    from jit.world.paths import Spot

SHOWN = 20
AGAIN = "read each again, then make your edit again: that takes it anew"


def guard(site: Site) -> list[Complaint]:
    """Everything that speaks against committing what is staged."""
    staged = site.names("diff", "--cached", "--name-only", "-z", "--diff-filter=ACMRDT", "--no-renames")
    if not staged:
        return []
    try:
        site.committer  # noqa: B018  a commit without a usable name is refused before anything is looked at
    except Invalid as fault:
        return [Complaint(fault.message, (f"hint: {fault.hint}",))]
    return [*_check_files(site, staged), *check_structure(site, staged)]


def release(site: Site) -> None:
    """The leases of this session on what HEAD has just brought have done their work."""
    committed = site.names("diff-tree", "--no-commit-id", "--name-only", "-r", "-z", "--root", "--no-renames", "HEAD")
    if not committed:  # a merge shows nothing by itself; what it brought is its difference to the first parent
        committed = _merged(site)
    own = {
        resource: spot
        for resource, spot in site.resources(committed).items()
        if any(site.committer.owns(lease.owner) for lease in site.ledger.holders(resource))
    }
    if own:
        _submit(site, own)


def _merged(site: Site) -> list[str]:
    parents = site.git("rev-list", "--parents", "--max-count=1", "HEAD").split()[1:]
    if len(parents) < 2:
        return []
    return site.names("diff-tree", "--name-only", "-r", "-z", "--no-renames", parents[0], "HEAD")


def _submit(site: Site, own: dict[str, Spot]) -> None:
    """One command for each owner name under which the session holds files."""
    from jit.engine import Engine
    from jit.hooks.place import FileWorld
    from jit.kernel.lease import Owner
    from jit.systems.files.commands import Committed

    world = FileWorld()
    world.paths = {resource: spot.absolute for resource, spot in own.items()}
    held: dict[tuple[str, str], list[str]] = {}
    for resource in own:
        for lease in site.ledger.holders(resource):
            if site.committer.owns(lease.owner):
                key = lease.owner.agent, lease.owner.session.partition("/")[0]
                held.setdefault(key, []).append(resource)
    engine = Engine(site.space.store, world)
    for (agent, session), resources in held.items():
        engine.submit(Committed(Owner(agent, "", f"{session}/"), tuple(dict.fromkeys(resources))))


def _check_files(site: Site, staged: list[str]) -> list[Complaint]:
    spots = site.resources(staged)
    foreign: dict[str, str] = {}
    stale: dict[str, str] = {}
    free: dict[str, Spot] = {}
    for resource, spot in spots.items():
        live = [(x, how) for x in site.ledger.holders(resource) if (how := site.standing(x)) != "lapsed"]
        rival = next((x for x, _ in live if not x.shared and not site.committer.owns(x.owner)), None)
        if rival is not None:
            foreign[spot.path] = f"held by {_since(site, rival)}"
        elif any(how == "stale" for _, how in live):
            stale[spot.path] = f"your lease is stale: no sign of life since {clock_text(live[0][0].beat.wall_ms)}"
        elif not live:
            free[resource] = spot
    lost = {free[name].path: f"lost to {_since(site, rival)}" for name, rival in find_lost(site, free).items()}
    return _file_complaints(site, staged, foreign, {**stale, **lost})


def _file_complaints(site: Site, staged: list[str], foreign: dict[str, str], lost: dict[str, str]) -> list[Complaint]:
    told: list[Complaint] = []
    if foreign:
        told.append(Complaint(_count(foreign, staged, "held by somebody else"), _listed(site, foreign)))
    if lost:
        words = _count(lost, staged, "no longer yours")
        told.append(Complaint(words, (*_listed(site, lost), f"  {AGAIN}")))
    if told:
        told.append(_way_on(site, staged, [*foreign, *lost]))
    return told


def _way_on(site: Site, staged: list[str], refused: list[str]) -> Complaint:
    own = [_pathspec(_typed(site, name)) for name in staged if name not in refused]
    why = (f"  to see who and why: jit file why {shlex.quote(_typed(site, refused[0]))}",)
    if site.merge_heads() or os.path.exists(f"{site.repo.git_dir}/CHERRY_PICK_HEAD"):
        return Complaint("git commits all of a merge or none of it: wait until these files are free", why)
    if not own:
        return Complaint("nothing of your own is staged", why)
    return Complaint(f"to commit only your own files: git commit -- {shlex.join(own)}", why)


def _typed(site: Site, name: str) -> str:
    """A path as it is typed where the command was given."""
    prefix = site.environ.get("GIT_PREFIX", "")
    return os.path.relpath(name, prefix) if prefix else name


def _pathspec(name: str) -> str:
    """Git takes a name with stars or brackets for a pattern, unless told not to."""
    return f":(literal){name}" if name.startswith(":") or any(sign in name for sign in "*?[\\") else name


def _count(some: dict[str, str], staged: list[str], what: str) -> str:
    files = "file is" if len(some) == 1 else "files are"
    return f"{len(some)} of {len(staged)} staged {files} {what}"


def _listed(site: Site, some: dict[str, str]) -> tuple[str, ...]:
    shown = tuple(f"  {shlex.quote(_typed(site, name))}: {words}" for name, words in list(some.items())[:SHOWN])
    return shown if len(some) <= SHOWN else (*shown, f"  and {len(some) - SHOWN} more")


def _since(site: Site, lease: Lease) -> str:
    ago = duration(elapsed_ms(lease.acquired, site.space.world.now()))
    return f"{lease.owner.agent} since {clock_text(lease.acquired.wall_ms)} ({ago} ago)"
