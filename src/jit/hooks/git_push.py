"""Before a push: issues that change for everybody must be under a claim that still stands.

What is pushed is what no remote has yet. Commits that came from there, by a merge or a rebase, were judged when they
were pushed first. An issue that the pushed commits only bring into being needs no claim.
"""

from __future__ import annotations

import os

from jit.errors import ConfigError, Expired, NotPermitted
from jit.hooks.git_site import Complaint
from jit.hooks.git_structure import complain, issue_of
from jit.kernel.lease import lease_standing
from jit.store.documents import FOLDER
from jit.views.active import active, clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.git_site import Site

OVERRIDE = "in an emergency: git push --no-verify"


def guard(site: Site, args: list[str], refs: bytes) -> list[Complaint]:
    """`args` are the remote's name and address; `refs` has one line for each ref that is pushed."""
    if is_local(args[1] if len(args) > 1 else ""):
        return []
    try:
        mode = site.space.settings.text("worktree.enforce_leases")
    except ConfigError as fault:  # a misspelt mode must not turn into none
        return [complain(fault, stops=True)]
    if mode == "off":
        return []
    faults = [_claim_fault(site, issue, file) for issue, file in _changed_issues(site, refs).items()]
    told = [complain(fault, stops=mode == "strict") for fault in faults if fault is not None]
    return [*told, Complaint(OVERRIDE)] if told and mode == "strict" else told


def is_local(url: str) -> bool:
    """A path or a `file:` address; `host:path` and everything with another scheme is elsewhere."""
    if "://" in url or "::" in url:
        return url.startswith("file://")
    return ":" not in url.partition("/")[0]


def _changed_issues(site: Site, refs: bytes) -> dict[str, str]:
    """The issues that the pushed commits change, each with one of its files."""
    commits = "".join(_commits(site, line) for line in os.fsdecode(refs).splitlines())
    if not commits:
        return {}
    told = site.git(
        "diff-tree", "--stdin", "--no-commit-id", "--name-status", "-r", "-c", "-z", "--root", "--no-renames",
        "--", FOLDER, feed=commits.encode(),
    ).split("\0")  # fmt: skip
    changed: dict[str, str] = {}
    for status, name in zip(told[::2], told[1::2], strict=False):
        issue = issue_of(name)
        if issue and set(status) != {"A"}:
            changed.setdefault(issue, name)
    return changed


def _commits(site: Site, line: str) -> str:
    """The commits that one ref brings to a remote, one a line; a ref that is deleted brings none."""
    _, local, _, remote = line.split(" ")
    if _is_nothing(local):
        return ""
    known = [] if _is_nothing(remote) or not _has(site, remote) else [remote]
    return site.git("rev-list", local, "--not", "--remotes", *known)


def _is_nothing(commit: str) -> bool:
    return not commit.strip("0")


def _has(site: Site, commit: str) -> bool:
    """Is the commit here? Somebody else may have pushed it since the last fetch."""
    from jit.world.git_questions import run

    return run(site.repo, "cat-file", "-e", f"{commit}^{{commit}}")[0] == 0


def _claim_fault(site: Site, issue: str, file: str) -> NotPermitted | Expired | None:
    evidence = site.space.evidence()
    held = active(site.ledger, evidence, issue=issue)
    if not held:
        return NotPermitted(
            f"issue {issue} is changed by what you push ({file}), and nobody has an active claim on it",
            hint=f"jit claim acquire {issue}",
        )
    if all(lease_standing(lease, evidence) == "stale" for lease in held):
        return Expired(
            f"issue {issue} is changed by what you push ({file}), and the claim of {held[0].owner.agent} on it"
            f" is stale: no heartbeat since {clock_text(held[0].beat.wall_ms)}",
            hint=f"jit claim heartbeat {held[0].lease_id}",
        )
    return None
