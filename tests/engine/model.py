"""Leases as plain dictionaries: what each command ought to answer, worked out without the kernel.

The model keeps its own time. `true_ms` is the time that has really passed and that nobody can set. Across a restart of
the machine a program cannot know it, and then only the clock on the wall is left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import TYPE_CHECKING

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.policy import Indefinite, Ttl, WhileAlive
from jit.systems.claims.decide import Claim, ClaimNext

if TYPE_CHECKING:
    from jit.kernel.lease import Owner, ProcessRef
    from jit.kernel.policy import Liveness, Policy
    from jit.systems.claims.decide import ClaimCommand


@dataclass(frozen=True)
class Moment:
    true_ms: int = 0
    wall_ms: int = 0
    boot: int = 0

    def since(self, earlier: Moment) -> int:
        same = self.boot == earlier.boot
        return self.true_ms - earlier.true_ms if same else max(0, self.wall_ms - earlier.wall_ms)


@dataclass(frozen=True)
class Held:
    resources: tuple[str, ...]
    owner: Owner
    policy: Policy
    renewed: Moment
    beat: Moment
    fence: int
    stopped: bool = False


@dataclass
class Model:
    now: Moment = field(default_factory=Moment)
    held: dict[str, Held] = field(default_factory=dict)
    lives: dict[ProcessRef, Liveness] = field(default_factory=dict)
    fence: int = 0

    def expect(self, command: ClaimCommand) -> list[str]:
        """What ought to happen, one word for each event; and it happens."""
        if isinstance(command, ClaimNext):
            return self._claim_next(command)
        if isinstance(command, Claim):
            return self._claim(command)
        if isinstance(command, Acquire):
            return self._acquire(command)
        return self._touch(command)

    def _claim_next(self, command: ClaimNext) -> list[str]:
        ended: list[str] = []
        for resource in command.candidates:
            acquire = command.claim.acquire
            single = Acquire(acquire.lease_id, (resource,), acquire.owner, acquire.policy, acquire.reason)
            *lapsed, answer = self._claim(Claim(single, command.claim.quota))
            ended += lapsed
            if not answer.startswith("denied") and answer != "refused yours":
                return [*ended, answer]
        return [*ended, "refused no-work"]

    def _claim(self, command: Claim) -> list[str]:
        acquire, quota = command.acquire, command.quota
        if isinstance(acquire.policy, Indefinite):
            endless = [held.owner.agent for held in self.held.values() if isinstance(held.policy, Indefinite)]
            if not acquire.reason:
                return ["refused reason"]
            if 0 in (quota.per_agent, quota.per_repo):
                return ["refused forbidden"]
            if endless.count(acquire.owner.agent) >= quota.per_agent:
                return ["refused agent-limit"]
            if len(endless) >= quota.per_repo:
                return ["refused repo-limit"]
        return self._acquire(acquire)

    def _acquire(self, command: Acquire) -> list[str]:
        said: list[str] = []
        for resource in command.resources:
            for lease_id, held in list(self.held.items()):
                if resource in held.resources and self._is_over(held):
                    said.append(self._end(lease_id, "lapsed"))
                elif resource in held.resources:
                    return [*said, self._in_the_way(lease_id, held, command)]
        self._begin(command.lease_id, command.resources, command.owner, command.policy)
        return [*said, f"granted {command.lease_id}"]

    def _in_the_way(self, lease_id: str, held: Held, command: Acquire) -> str:
        if not _same(held.owner, command.owner):
            return f"denied {lease_id}"
        if command.again == "renew" and set(command.resources) <= set(held.resources):
            return self._renew(lease_id, command.policy)
        return "refused yours"

    def _touch(self, command: Renew | Beat | Release | Transfer | Evict) -> list[str]:
        held = self.held.get(command.lease_id)
        if held is None:
            return ["refused not-found"]
        if self._is_over(held):
            said = [self._end(command.lease_id, "lapsed")]
            return said if isinstance(command, Evict) else [*said, "refused expired"]
        if isinstance(command, Evict):
            return [self._end(command.lease_id, "evicted") if command.reason else "refused reason"]
        if not _same(held.owner, command.owner):
            return ["refused not-owner"]
        return [self._of_owner(command, held)]

    def _of_owner(self, command: Renew | Beat | Release | Transfer, held: Held) -> str:
        if isinstance(command, Renew):
            endless = isinstance(command.policy, Indefinite) and not isinstance(held.policy, Indefinite)
            return "refused forbidden" if endless else self._renew(command.lease_id, command.policy or held.policy)
        if isinstance(command, Beat):
            self.held[command.lease_id] = changed(held, beat=self.now, stopped=command.stopped)
            return f"beaten {command.lease_id}"
        ended = self._end(command.lease_id, "released")
        if isinstance(command, Release):
            return ended
        self._begin(command.new_lease_id, held.resources, command.to, held.policy)
        return f"transferred {command.new_lease_id}"

    def _renew(self, lease_id: str, policy: Policy) -> str:
        held = self.held[lease_id]
        self.held[lease_id] = changed(held, policy=policy, renewed=self.now, beat=self.now, stopped=False)
        return f"renewed {lease_id}"

    def _begin(self, lease_id: str, resources: tuple[str, ...], owner: Owner, policy: Policy) -> None:
        self.fence += 1
        self.held[lease_id] = Held(resources, owner, policy, self.now, self.now, self.fence)

    def _end(self, lease_id: str, how: str) -> str:
        del self.held[lease_id]
        return f"{how} {lease_id}"

    def _is_over(self, held: Held) -> bool:
        if isinstance(held.policy, Ttl):
            return self.now.since(held.renewed) > held.policy.ttl_ms
        if not isinstance(held.policy, WhileAlive):
            return False
        silent_ms = self.now.since(held.beat)
        life = self.lives.get(held.owner.process, "unknown") if held.owner.process else "unknown"
        gone = life == "dead" or (life == "unknown" and silent_ms > held.policy.silence_ms)
        return gone or (held.stopped and silent_ms > held.policy.idle_ms)


def _same(one: Owner, other: Owner) -> bool:
    return (one.agent, one.worktree, one.session) == (other.agent, other.worktree, other.session)
