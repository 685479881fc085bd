"""How many files an addition touches: the examples of CONTRIBUTING.md, counted in the tree.

usage: additions_test.py SOURCE_FOLDER
"""
import os
import re
import subprocess
import sys

source = sys.argv[1]
os.chdir(source)
page = open("CONTRIBUTING.md", encoding="utf-8").read()
wings = ["app", "host", "evidence", "probe", "knowledge", "kernels", "checks", "compare", "reports", "tests"]


def files_with(pattern):
    """The files of the wings and tests that hold the pattern."""
    found = []
    for wing in wings:
        for folder, _, names in os.walk(wing):
            for name in names:
                path = os.path.join(folder, name)
                if not name.endswith((".cpp", ".h", ".inc", ".json", ".txt", ".py")):
                    continue
                if re.search(pattern, open(path, encoding="utf-8", errors="replace").read()):
                    found.append(path)
    return sorted(found)


failures = []


def expect(what, got, wanted):
    if got != wanted:
        failures.append("%s: %s, not %s" % (what, got, wanted))


# A wording: its row's id stands in one file.
row = re.search(r'^\{"id": "([a-z0-9-]+)"', page, re.M)
expect("files of the wording " + row[1], files_with('"id": "%s"' % row[1]), ["knowledge/wordings/wordings.json"])

# A diagnosis: its own file, its test, and a line of the roster.
example = re.search(r"`([a-z]+)\.([a-z0-9-]+)` is `(checks/\S+\.cpp)`", page)
family, name = example[1], example[2].replace("-", "_")
own = "checks/%s/%s.cpp" % (family, name)
expect("the page's file", example[3], own)
expect("files that define it", files_with(r"\bnamespace envdoctor::%s_%s \{" % (family, name)), [own])
expect("roster lines", files_with(r"ENVDOCTOR_DIAGNOSIS\(%s, %s\)" % (family, name)), ["checks/engine/roster.inc"])
expect("its test", os.path.exists("tests/checks/%s/%s_test.cpp" % (family, name)), True)

# Every diagnosis of the roster has a file of its name, and every file of a family that defines one is in the roster.
roster = re.findall(r"^ENVDOCTOR_DIAGNOSIS\((\w+), (\w+)\)", open("checks/engine/roster.inc", encoding="utf-8").read(), re.M)
expect("roster lines that repeat", [r for r in roster if roster.count(r) > 1], [])
listed = {"checks/%s/%s.cpp" % one for one in roster}
defined = set(files_with(r"^Diagnosis diagnosis\(\) \{|\nDiagnosis diagnosis\(\) \{"))
expect("diagnoses in the roster and defined", sorted(listed ^ {f for f in defined if f.startswith("checks/")}), [])

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
