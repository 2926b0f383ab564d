"""Staged changes of `.jit` itself: settings need common history with main, issues need a claim.

A merge brings what others changed under leases of their own: what is the same as in a merged commit was not changed
here. A new issue needs no claim, because nobody else can know its id.
"""

from __future__ import annotations

from jit.errors import ConfigError, Invalid, NotPermitted
from jit.hooks.git_site import Complaint
from jit.rights import claim_fault, require_global_right
from jit.store.documents import FOLDER
from jit.world.git_questions import committed_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.errors import JitError
    from jit.hooks.git_site import Site

SHARED = (".jit/config.toml", ".jit/type-hierarchy", ".jit/gates/registry")


def check_structure(site: Site, staged: list[str]) -> list[Complaint]:
    if not any(name.startswith(".jit/") for name in staged):
        return []
    changed = _changed_here(site, staged)
    return [*_check_shared(site, changed), *_check_issues(site, changed)]


def issue_of(name: str) -> str:
    """The issue whose file this is; nothing for other files."""
    folder, _, rest = name.removeprefix(f"{FOLDER}/").partition("/")
    return folder if name.startswith(f"{FOLDER}/") and rest else ""


def complain(fault: JitError, *, stops: bool) -> Complaint:
    allowed = "" if stops else "; allowed because worktree.enforce_leases is warn"
    return Complaint(fault.message + allowed, (f"hint: {fault.hint}",) if fault.hint else (), stops)


def _changed_here(site: Site, staged: list[str]) -> list[str]:
    changed = staged
    for head in site.merge_heads():
        differs = set(site.names("diff", "--cached", "--name-only", "-z", "--no-renames", head, "--", ".jit"))
        changed = [name for name in changed if name in differs]
    return changed


def _check_shared(site: Site, changed: list[str]) -> list[Complaint]:
    touched = [name for name in changed if name.startswith(SHARED)]
    if not touched:
        return []
    try:
        require_global_right(site.space)
    except (NotPermitted, Invalid, ConfigError) as fault:
        return [complain(fault, stops=True)]
    return []


def _check_issues(site: Site, changed: list[str]) -> list[Complaint]:
    issues = sorted({issue for name in changed if (issue := issue_of(name))})
    if not issues:
        return []
    try:
        mode = site.space.settings.text("worktree.enforce_leases")
    except ConfigError as fault:  # a misspelt mode must not turn into none
        return [complain(fault, stops=True)]
    if mode == "off":
        return []
    known = set(committed_names(site.repo, FOLDER))
    faults = [claim_fault(site.space, issue, "a commit that changes issue") for issue in issues if issue in known]
    return [complain(fault, stops=mode == "strict") for fault in faults if fault is not None]
