"""Random but harmless scripts: small commands over a few files, put together in all the ways of the shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

NAMES = [
    "a.txt",
    "b.txt",
    "'c d.txt'",
    "new.txt",
    "src/x.py",
    "src/new.py",
    "d/n",
    "./a.txt",
    "src/../b.txt",
    '"$F"',
    "$G.txt",
]
FOLDERS = ["d", "src", "src/deep", "made", "."]
PATTERNS = ["*.txt", "src/*.py", "[ab].txt", "{a,b}.txt", "?.txt", "src/{x,y,w}.py"]

SIMPLE = [
    "echo one > {n}",
    "echo one >> {n}",
    "echo one >| {n} 2>&1",
    "echo one &> {n}",
    "ls nothing 2> {n}",
    "echo two | tee {n} > /dev/null",
    "echo two | tee -a {n} {n} > /dev/null",
    "cat > {n} <<'EOF'\ntext > not.txt\nEOF\n",
    "cat <<EOF > {n}\n$(echo in > {n})\nEOF\n",
    "sed -i s/alpha/omega/ {n}",
    "sed -i.bak -e s/alpha/omega/ {n}",
    "sed -n 's/alpha/x/w {o}' a.txt",
    "perl -pi -e 's/alpha/omega/' {n}",
    "mv {n} {n}",
    "mv {n} {f}",
    "mv -t {f} {n}",
    "mv {f} moved",
    "cp {n} {n}",
    "cp {n} {f}",
    "cp {n} {n} {f}",
    "cp -r {f} copied",
    "cp -r {f} {f}",
    "ln -s {n} {o}",
    "ln -s src {o}",
    "install -m 644 {n} {o}",
    "rm -f {n}",
    "rm -f {p}",
    "rm -rf {f}/",
    "touch {n} {p}",
    "truncate -s 0 {n}",
    "chmod +x {n}",
    "dd if=a.txt of={o} 2> /dev/null",
    "mkdir -p made",
    "mkdir made",
    "rmdir made",
    "sort -o {n} {n}",
    "uniq a.txt {o}",
    "split -l 1 b.txt {o}",
    "find src -name '*.py' -delete",
    "find . -name '*.txt' -exec rm {{}} +",
    "find src -type f -exec cp {{}} d \\;",
    "find src -type f -exec sh -c 'echo x > \"$1.o\"' _ {{}} \\;",
    "ls | xargs -n 1 touch",
    "tar cf t.tar src && tar xf t.tar -C d",
    "gzip -f {n}",
    "cd {f}",
    "cd {f} && echo in > here.txt",
    "pushd {f} > /dev/null; echo in > pushed.txt; popd > /dev/null",
    "F={o}",
    "G=g; F=a.txt",
    "exec 3> {o}; echo x >&3",
    "echo x > >(cat > {o}); wait $!",
    "diff <(cat a.txt) <(echo b | tee {o}) > /dev/null",
    "cat a.txt b.txt",
    "grep -r alpha . | head -1",
]


def script(random: Random, depth: int = 3) -> str:
    if depth == 0 or random.random() < 0.35:
        return _simple(random)
    one, other = script(random, depth - 1), script(random, depth - 1)
    forms = [
        f"{one}; {other}",
        f"{one}\n{other}",
        f"{one} && {other}",
        f"{one} || {other}",
        f"( {one}\n)",
        f"{{ {one}\n}}",
        f"if {one}\nthen {other}\nfi",
        f"if false\nthen {one}\nelse {other}\nfi",
        f"for F in a.txt src/x.py 'c d.txt'; do {one}\ndone",
        f"for F in {random.choice(PATTERNS)}; do {one}\n{other}\ndone",
        f"case a in a) {one}\n;; *) {other}\n;; esac",
        f"f() {{ {one}\n}}; f; {other}",
        f'{one}\nf() {{ echo x > "$1"; }}; f {random.choice(NAMES)}',
        f"bash -c {shlex.quote(one)}; {other}",
        f"eval {shlex.quote(one)}; {other}",
        f"bash <<'SCRIPT'\n{one}\nSCRIPT\n{other}",
        f"N=0; while [ $N -lt 2 ]; do N=$((N+1)); {one}\ndone; {other}",
        f'echo "$({one}\n)" > /dev/null; {other}',
        f"! {one}\n{other}",
        f"{{ {one}\n}} > out.log; {other}",
    ]
    # A here-document must end its line, so joining on one line is only for scripts without.
    return random.choice(forms[:4] + forms[6:] if "<<" not in one + other else forms[1:2] + forms[4:])


def _simple(random: Random) -> str:
    text = random.choice(SIMPLE)
    parts = {"f": FOLDERS, "p": PATTERNS, "o": ["o1", "o2", "src/o3"]}
    while "{n}" in text:
        text = text.replace("{n}", random.choice(NAMES).replace("{", "{{"), 1)
    return text.format(**{key: random.choice(values) for key, values in parts.items()})
