"""The apply_patch envelope: every file it touches is seen, and nothing inside a hunk is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.hooks.clients.patch import Change, changes, paths, shell_paths

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=12)
LINES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30)


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def test_adds_updates_deletes_and_moves_are_told_apart() -> None:
    text = envelope(
        "*** Add File: a.txt",
        "+one",
        "*** Update File: b.txt",
        "*** Move to: d/c.txt",
        "@@ def f():",
        " same",
        "-old",
        "+new",
        "*** End of File",
        "*** Delete File: d.txt",
    )
    assert changes(text) == (Change("add", "a.txt"), Change("update", "b.txt", "d/c.txt"), Change("delete", "d.txt"))
    assert paths(text) == ("a.txt", "b.txt", "d/c.txt", "d.txt")


def test_a_file_that_appears_twice_is_one_path() -> None:
    text = envelope("*** Update File: a", "@@", "-x", "+y", "*** Update File: a", "@@", "-y", "+z")
    assert paths(text) == ("a",)


@pytest.mark.parametrize("mark", ["+", "-", " "])
def test_a_header_inside_a_hunk_is_content(mark: str) -> None:
    text = envelope("*** Update File: a", "@@", f"{mark}*** Delete File: b", f"{mark}*** End Patch", "*** Add File: c")
    assert paths(text) == ("a", "c")


def test_a_header_inside_an_added_file_is_content() -> None:
    assert paths(envelope("*** Add File: a", "+*** Delete File: b")) == ("a",)


def test_an_indented_header_counts_where_no_hunk_can_stand() -> None:
    assert paths(envelope("  *** Add File: a", "+x", "  *** Delete File: b", " *** Add File: c")) == ("a", "b", "c")


def test_a_move_counts_only_after_an_update() -> None:
    assert paths(envelope("*** Add File: a", "*** Move to: b")) == ("a",)


def test_spaces_inside_a_path_stay_and_those_around_it_go() -> None:
    assert paths(envelope("*** Add File:   my file.txt  ")) == ("my file.txt",)


def test_windows_line_ends_do_not_reach_the_path() -> None:
    assert paths("*** Begin Patch\r\n*** Update File: a.txt\r\n*** Move to: b.txt\r\n@@\r\n") == ("a.txt", "b.txt")


def test_nothing_is_read_after_the_end() -> None:
    assert paths(envelope("*** Add File: a") + "*** Add File: b\n") == ("a",)


def test_a_patch_without_an_end_gives_what_can_be_seen() -> None:
    assert paths("*** Update File: a\n@@\n-x") == ("a",)


@pytest.mark.parametrize("text", ["", "hello", "*** Begin Patch\n*** End Patch", "*** Add File:\n+x"])
def test_a_text_that_names_no_file_has_no_paths(text: str) -> None:
    assert paths(text) == ()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("apply_patch <<'EOF'\n" + envelope("*** Add File: a") + "EOF\n", ("a",)),
        ("cd sub && apply_patch <<'EOF'\n" + envelope("*** Add File: a", "*** Add File: /b") + "EOF", ("sub/a", "/b")),
        ("cd sub; apply_patch <<EOF\n" + envelope("*** Delete File: a") + "EOF", ("sub/a",)),
        ('applypatch << "EOF"\n' + envelope("*** Update File: a", "*** Move to: b") + "EOF", ("a", "b")),
        ("apply_patch '" + envelope("*** Add File: a") + "'", ("a",)),
        ("echo start\napply_patch <<'E'\n" + envelope("*** Add File: a") + "E\necho done", ("a",)),
        (
            "apply_patch <<'E'\n"
            + envelope("*** Add File: a")
            + "E\napply_patch <<'E'\n"
            + envelope("*** Add File: b")
            + "E",
            ("a", "b"),
        ),
        ("cat <<'EOF'\n" + envelope("*** Add File: a") + "EOF", ()),
        ("apply_patch --help", ()),
        ("ls -la", ()),
        ("", ()),
    ],
)
def test_a_patch_inside_a_shell_command_is_found(command: str, expected: tuple[str, ...]) -> None:
    assert shell_paths(command) == expected


@given(st.text(max_size=300))
def test_no_text_is_too_strange(text: str) -> None:
    assert all(path == path.strip() and path for path in paths(text))
    assert all(shell_paths("apply_patch <<'E'\n*** Begin Patch\n" + text))


@given(
    st.lists(st.tuples(st.sampled_from(["Add", "Update", "Delete"]), NAMES, st.lists(LINES, max_size=4)), max_size=5)
)
def test_every_file_of_a_patch_is_found_whatever_its_hunks_say(
    files: list[tuple[str, str, list[str]]],
) -> None:
    marks = {"Add": "+", "Update": " ", "Delete": ""}
    lines = [
        line
        for verb, name, body in files
        for line in (f"*** {verb} File: {name}", *(marks[verb] + text for text in body if marks[verb]))
    ]
    assert paths(envelope(*lines)) == tuple(dict.fromkeys(name for _, name, _ in files))
