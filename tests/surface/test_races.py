"""Real processes that ask at the same moment."""

from __future__ import annotations

import pytest

from tests.surface.jitcli import Jit, log_of, race, wait_until
from tests.traceability import covers
from tests.world.ground import git

pytestmark = pytest.mark.surface
MANY = 20


def worktrees(jit: Jit) -> list[Jit]:
    """As many worktrees as racers, each with an agent of its own."""
    places = [jit.cwd.parent / f"w{number}" for number in range(MANY)]
    for number, place in enumerate(places):
        git(jit.cwd, "worktree", "add", "--quiet", "-b", f"b{number}", str(place))
    return [Jit(place, f"agent:{number}") for number, place in enumerate(places)]


@covers("L:3", "002:T12", "002:AC3", "002:inv1", "002:AC9", "002:create.claimable", "002:layout.control")
def test_of_twenty_agents_in_their_own_worktrees_exactly_one_gets_the_issue(jit: Jit) -> None:
    issue = jit.issue()
    results = race([(agent, ("claim", "acquire", issue)) for agent in worktrees(jit)])
    codes = sorted(result.code for result in results)
    assert codes == [0] + [10] * (MANY - 1)
    (winner,) = (result.json for result in results if result.code == 0)
    assert set(log_of(jit).active) == {winner["lease_id"]}
    assert {result.error["details"]["lease_id"] for result in results if result.code} == {winner["lease_id"]}
    assert len({row["worktree_id"] for row in jit.ask("worktree", "list")["worktrees"]}) == MANY + 1


@covers("L:3", "002:AC1")
def test_twenty_agents_on_twenty_issues_all_win(jit: Jit) -> None:
    issues = [jit.issue(f"i{number}") for number in range(MANY)]
    agents = worktrees(jit)
    results = race([(agent, ("claim", "acquire", issue)) for agent, issue in zip(agents, issues, strict=True)])
    assert [result.code for result in results] == [0] * MANY
    assert sorted(result.json["fence"] for result in results) == list(range(1, MANY + 1))
    assert len(log_of(jit).holders()) == MANY


@covers("L:20")
def test_twenty_agents_that_ask_for_work_share_ten_issues_and_ten_hear_that_there_is_none(jit: Jit) -> None:
    issues = {jit.issue(f"i{number}") for number in range(10)}
    results = race([(jit.by(f"agent:{number}"), ("claim", "next")) for number in range(MANY)])
    won = [result.json["issue_id"] for result in results if result.code == 0]
    lost = [result.error["code"] for result in results if result.code == 3]
    assert (len(won), set(won)) == (10, issues)
    assert lost == ["no-work"] * 10
    assert set(log_of(jit).holders()) == {f"issue:{issue}" for issue in issues}


@covers("002:inv1")
def test_when_a_claim_has_run_out_one_of_many_takes_it_over(jit: Jit) -> None:
    issue = jit.issue()
    first = jit.ask("claim", "acquire", issue, "--ttl", "1")["lease_id"]
    wait_until(lambda: jit.ask("claim", "list")["count"] == 0)
    results = race([(jit.by(f"agent:{number}"), ("claim", "acquire", issue)) for number in range(8)])
    assert sorted(result.code for result in results) == [0] + [10] * 7
    state = log_of(jit)
    assert state.types.count("claim.evicted") == 1
    assert state.ended == {first: "auto-evict"}


@covers("002:layout.control", "002:AC2")
def test_the_first_commands_of_a_new_repository_may_come_all_at_once(jit: Jit) -> None:
    for path in sorted((jit.cwd / ".git/jit").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (jit.cwd / ".git/jit").rmdir()
    issues = [jit.issue(f"i{number}") for number in range(6)]
    agents = [(jit.by(f"agent:{number}"), ("claim", "acquire", issue)) for number, issue in enumerate(issues)]
    results = race([*agents, (jit, ("init",)), (jit, ("init",))])
    assert [result.code for result in results] == [0] * 8, results
    assert len(log_of(jit).holders()) == 6
