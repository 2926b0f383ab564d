"""Every value of the kernel, for Hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Lease, Owner, ProcessRef
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.store.api import Batch
from jit.systems.claims.decide import Claim, ClaimNext, Quota

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from jit.kernel.events import Event
    from jit.kernel.policy import Policy
    from jit.systems.claims.decide import ClaimCommand

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RECORDED_REFUSALS = ("not-owner", "forbidden", "agent-limit", "repo-limit")

text = st.text(max_size=12)
small = st.integers(0, 200)
millis = st.integers(0, 2**40)
ulids = st.text(DIGITS, min_size=26, max_size=26)
resources = st.builds("{}:{}".format, st.sampled_from(("issue", "file", "doc")), text)
several = st.lists(resources, min_size=1, max_size=3).map(tuple)
boots = st.sampled_from(("boot-1", "boot-2", ""))  # the system's own names: nobody can put anything else there


def instants() -> SearchStrategy[Instant]:
    near = st.builds(Instant, small, small, boots)
    return near | st.builds(Instant, millis, millis, boots)


def processes() -> SearchStrategy[ProcessRef]:
    few = st.sampled_from([ProcessRef("host", "boot-1", pid, 7, "ns") for pid in (1, 2)])
    return few | st.builds(ProcessRef, text, text, millis, millis, text)


def owners() -> SearchStrategy[Owner]:
    return st.builds(Owner, text, text, text, st.none() | processes())


def policies(least_ttl_ms: int = 0) -> SearchStrategy[Policy]:
    return st.one_of(
        st.builds(Ttl, st.integers(least_ttl_ms, 200) | st.integers(least_ttl_ms, 2**40)),
        st.builds(Indefinite, small | millis),
        st.builds(WhileAlive, small | millis, small | millis),
        st.builds(Revisions, st.integers(0, 5)),
    )


def leases(least_ttl_ms: int = 0) -> SearchStrategy[Lease]:
    revision = st.none() | st.integers(0, 9)
    policy = policies(least_ttl_ms)
    moments = (instants(), instants(), instants())
    return st.builds(Lease, ulids, several, owners(), policy, millis, *moments, text, text, st.booleans(), revision)


def evidence() -> SearchStrategy[Evidence]:
    lives = st.dictionaries(processes(), st.sampled_from(("alive", "dead", "unknown")), max_size=3)
    return st.builds(Evidence, instants(), lives, st.none() | st.integers(0, 9))


def commands() -> SearchStrategy[ClaimCommand]:
    who, policy = owners(), policies(1)
    again = st.sampled_from(("refuse", "renew"))
    acquire = st.builds(Acquire, ulids, several, who, policy, text, text, again)
    claim = st.builds(Claim, acquire, st.builds(Quota, small, small))
    return st.one_of(
        acquire,
        claim,
        st.builds(ClaimNext, claim, st.lists(resources, max_size=4).map(tuple)),
        st.builds(Renew, ulids, who, st.none() | policy),
        st.builds(Beat, ulids, who, st.booleans()),
        st.builds(Release, ulids, who, text),
        st.builds(Transfer, ulids, who, who, ulids, text, text),
        st.builds(Evict, ulids, who, text),
    )


def events() -> SearchStrategy[Event]:
    lease, who = leases(1), owners()
    refusal = st.sampled_from(RECORDED_REFUSALS)
    return st.one_of(
        st.builds(Granted, lease),
        st.builds(Renewed, lease),
        st.builds(Beaten, lease),
        st.builds(Released, lease, who, text),
        st.builds(Lapsed, lease),
        st.builds(Evicted, lease, who, text),
        st.builds(Transferred, lease, ulids, who, text),
        st.builds(Denied, resources, who, lease),
        st.builds(Refused, refusal, who, resources, st.none() | lease, small),
    )


def batches() -> SearchStrategy[Batch]:
    return st.builds(Batch, ulids, commands(), evidence(), st.lists(events(), min_size=1, max_size=3).map(tuple))
