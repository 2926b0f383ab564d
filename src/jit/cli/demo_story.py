"""What happens in `jit demo`, step by step; each step is a command of a real process.

The first act is about files (`demo_files`). In the second, seven agents in three worktrees race for six
issues. One comes too late. One of the winners is killed with `kill -9` while it works: its claim is not robbed, it runs
out, and then the one that came too late takes the issue over. The others finish.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time

from jit.cli.demo_agent import Agent, run_jit
from jit.cli.demo_audit import broken
from jit.cli.demo_files import Act
from jit.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from jit.cli.demo_agent import Answer, Document

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")
PLACES = ("main", "east", "west")
TITLES = (
    "fix the login form",
    "speed up the search",
    "write the release notes",
    "upgrade the database driver",
    "remove the old endpoint",
    "translate the error pages",
)
LONG_TTL_S, SHORT_TTL_S = 60, 3
PATIENCE_S = 60
HELD = 10
FOREIGN = ("JIT_", "GIT_")


class Story:
    """A scratch repository, its agents and what became of them. `say` hears of every step."""

    def __init__(self, scratch: str, environ: Mapping[str, str], say: Callable[[str], None]) -> None:
        self.main = f"{scratch}/main"
        self.environ = dict(_secluded(environ, scratch))
        self.files = Act(self.main, self.environ, say)
        self.agents: list[Agent] = []
        self.outcomes: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self.denial = ""
        self.killed_issue = ""
        self._scratch = scratch
        self._say = say
        self._lapses_at = 0.0
        self._watch = threading.Timer(PATIENCE_S, self._kill_all)
        self._watch.daemon = True

    def play(self) -> None:
        self._watch.start()
        self._set_up()
        self.files.play()
        late = self._race()
        victim = self._kill_one(late)
        self._refuse(late, victim)
        self._finish([agent for agent in self.agents if agent not in (late, victim)])
        self._reclaim(late, victim)

    def end(self) -> None:
        """Leave no process behind."""
        self._watch.cancel()
        self._kill_all()

    def log(self) -> list[Document]:
        """All records, as they are in the log."""
        with open(f"{self.main}/.git/jit/claims.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def _set_up(self) -> None:
        self._say(f"a repository with {len(PLACES)} worktrees and {len(TITLES)} issues in {self._scratch}")
        os.mkdir(self.main)
        self._git("init", "--quiet", "--initial-branch=main")
        self._git("commit", "--quiet", "--allow-empty", "--message=begin")
        for place in PLACES[1:]:
            self._git("worktree", "add", "--quiet", "-b", place, f"{self._scratch}/{place}")
        self._jit("init", "--no-clients", "--no-git-hooks")
        self.titles = {self._jit("issue", "create", "--title", title).text("id"): title for title in TITLES}

    def _race(self) -> Agent:
        """Everybody asks at once. The answer is the one who got nothing."""
        for at, name in enumerate(NAMES):
            self.agents.append(Agent(name, f"{self._scratch}/{PLACES[at % len(PLACES)]}", self.environ))
        self._say(f"{len(NAMES)} agents ask for work at the same moment: jit claim next")
        for agent in self.agents:
            agent.order("claim", "next", "--ttl", str(LONG_TTL_S))
        for agent in self.agents:
            answer = agent.answer()
            agent.claim = answer if answer.code == 0 else None
            got = self._title(answer) if agent.claim else f"nothing: {answer.text('error', 'message')}"
            self._say(f"  {agent.id} gets {got}")
        late = [agent for agent in self.agents if agent.claim is None]
        if len(late) != len(NAMES) - len(TITLES):
            raise broken(f"{len(late)} of {len(NAMES)} agents got none of {len(TITLES)} issues")
        return late[0]

    def _kill_one(self, late: Agent) -> Agent:
        """The victim gets a short claim first, or one would have to wait for as long as in earnest."""
        victim = next(agent for agent in self.agents if agent.claim and agent.place != late.place)
        lease = claim_of(victim).text("lease_id")
        victim.claim = _must(victim.do("claim", "renew", lease, "--ttl", str(SHORT_TTL_S)))
        self._lapses_at = time.monotonic() + SHORT_TTL_S
        self.killed_issue = victim.claim.text("issue_id")
        victim.kill()
        self.outcomes[victim.id] = "killed at work; its claim ran out"
        self._say(f"kill -9 {victim.pid}: {victim.id} is dead while it works on {self._title(victim.claim)}")
        return victim

    def _refuse(self, late: Agent, victim: Agent) -> None:
        answer = late.do("claim", "acquire", claim_of(victim).text("issue_id"))
        if answer.code != HELD:
            raise broken(f"a held issue was not refused: exit code {answer.code}")
        self.denial = answer.text("error", "message")
        self._say(f"{late.id} wants it at once and is refused: {self.denial}")

    def _finish(self, workers: Sequence[Agent]) -> None:
        for agent in workers:
            agent.order("issue", "update", claim_of(agent).text("issue_id"), "--state", "done")
        for agent in workers:
            _must(agent.answer())
            agent.order("claim", "release", claim_of(agent).text("lease_id"))
        for agent in workers:
            _must(agent.answer())
            self.outcomes[agent.id] = f"{self.outcomes.get(agent.id, '')} done, released".strip()
            self._say(f"  {agent.id} is done with {self._title(claim_of(agent))} and gives it back")

    def _reclaim(self, late: Agent, victim: Agent) -> None:
        """Ask again when the time is over, and only then: a dead agent's claim is not robbed."""
        self._say(f"{late.id} waits until {claim_of(victim).text('expires_at')}, when the dead agent's claim runs out")
        time.sleep(max(0.0, self._lapses_at - time.monotonic()))
        answer = _must(late.do("claim", "acquire", self.killed_issue, "--ttl", str(LONG_TTL_S)))
        late.claim = answer
        self.outcomes[late.id] = "too late; refused; took over when the claim had run out;"
        self._say(f"{late.id} takes over {self._title(answer)} with fence {answer.text('fence')}")
        self._finish([late])

    def _git(self, *words: str) -> None:
        command = ("git", *words)
        try:
            done = subprocess.run(command, cwd=self.main, env=self.environ, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise Unavailable("git is not installed", hint="install git, then: jit demo") from None
        if done.returncode:
            raise Unavailable(f"git {words[0]} failed: {done.stderr.strip()}", hint="git --version")

    def _jit(self, *words: str) -> Answer:
        return _must(run_jit(self.main, self.environ, *words))

    def _title(self, answer: Answer) -> str:
        return repr(self.titles.get(answer.text("issue_id"), "?"))

    def _kill_all(self) -> None:
        self.files.end()
        for agent in self.agents:
            agent.kill()


def claim_of(agent: Agent) -> Answer:
    if agent.claim is None:
        raise broken(f"{agent.id} has no claim")
    return agent.claim


def _must(answer: Answer) -> Answer:
    if answer.code:
        raise broken(f"a command failed: {answer.text('error', 'message')}")
    return answer


def _secluded(environ: Mapping[str, str], scratch: str) -> Iterator[tuple[str, str]]:
    """An environment without anything that would lead git or jit out of the scratch repository."""
    yield from ((name, value) for name, value in environ.items() if not name.startswith(FOREIGN))
    yield from (("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", os.devnull))
    yield "XDG_CONFIG_HOME", f"{scratch}/config"
    for role in ("AUTHOR", "COMMITTER"):
        yield from ((f"GIT_{role}_NAME", "jit demo"), (f"GIT_{role}_EMAIL", "demo@example.invalid"))
