#!/usr/bin/env python3
"""What `envdoctor script` finds in scripts with a seeded mistake, and in correct ones: precision and recall.

    bench/scripts.py ENVDOCTOR [--least PRECISION RECALL]     the cases of fixtures/scripts

A case is `=== title`, `find: id:line …` where something must be found (`script.unreadable:-` has no line), `beside: FILE:
a line` of a module next to it, `---`, and the script. What is found at or above a warning counts; a missing Python framework is taken in the newest
release that was tried. With --least the exit status is 1 below these percentages.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "scripts"


def cases():
    """(title, expected, {file: text} of its neighbours, script)"""
    for path in sorted(HERE.glob("*.txt")):
        for case in path.read_text().split("\n=== ")[1:] if not path.read_text().startswith("=== ") else []:
            head, _, script = case.partition("\n---\n")
            title, *lines = head.split("\n")
            expected, beside = set(), {}
            for line in lines:
                if line.startswith("find: "):
                    expected |= set(line[6:].split())
                if line.startswith("beside: "):
                    name, _, text = line[8:].partition(":")
                    beside[name] = beside.get(name, "") + text[1:] + "\n"
            yield title, expected, beside, script


def found(program, folder):
    """{folder of the case: {id:line}}, and the scripts that could not be read."""
    env = {"PATH": "/usr/bin:/bin", "HOME": folder}
    answer = subprocess.run([program, "script", folder, "--format", "json"], env=env, capture_output=True, text=True)
    if answer.returncode not in (0, 1):
        sys.exit(answer.stderr)
    all_found = {}
    for finding in json.loads(answer.stdout)["findings"]:
        if finding["severity"] == "info":
            continue
        said = " ".join([finding["title"], finding["explanation"], *(one["text"] for one in finding.get("fix", []))])
        if re.search(r"\{[0-9]\}", said):
            sys.exit("a place that nothing fills: " + said)
        place = finding["subject"][len("script:"):]
        file, _, line = (place, "", "-") if finding["id"] == "script.unreadable" else place.rpartition(":")
        if len(pathlib.Path(file).parts) < 2:
            sys.exit("%s: %s" % (finding["id"], finding.get("explanation")))
        case = pathlib.Path(file).parts[-2]
        all_found.setdefault(case, set()).add("%s:%s" % (finding["id"], line))
    return all_found


def main():
    program = os.path.abspath(sys.argv[1])
    together = 50  # cases that one run reads: all of them take longer than it has, where the machine is busy
    with tempfile.TemporaryDirectory() as folder:
        expected, seen, parts = {}, {}, set()
        for number, (title, wanted, beside, script) in enumerate(cases()):
            name = "case%03d" % number
            expected[name] = (title, wanted)
            part = os.path.join(folder, "part%d" % (number // together))
            parts.add(part)
            os.makedirs(os.path.join(part, name))
            for file, text in dict(beside, **{"train.py": script}).items():
                pathlib.Path(part, name, file).write_text(text)
        for part in sorted(parts):
            seen.update(found(program, part))
    right = wrong = missed = 0
    for name, (title, wanted) in expected.items():
        got = seen.get(name, set())
        right, wrong, missed = right + len(got & wanted), wrong + len(got - wanted), missed + len(wanted - got)
        if got != wanted:
            print("%s: %s" % (title, ", ".join(["missed " + m for m in sorted(wanted - got)] +
                                               ["wrong " + w for w in sorted(got - wanted)])))
    precision = 100 * right / max(right + wrong, 1)
    recall = 100 * right / max(right + missed, 1)
    mistakes = sum(bool(wanted) for _, wanted in expected.values())
    print("%d scripts with a mistake, %d sound: precision %.1f %% (%d right, %d wrong), recall %.1f %% (%d missed)" %
          (mistakes, len(expected) - mistakes, precision, right, wrong, recall, missed))
    if "--least" in sys.argv:
        least = [float(v) for v in sys.argv[sys.argv.index("--least") + 1 :][:2]]
        return int(precision < least[0] or recall < least[1])


if __name__ == "__main__":
    sys.exit(main())
