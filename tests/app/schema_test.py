"""Every document the program reads or writes is valid against the schemas it ships."""
import json
import pathlib
import subprocess
import sys

import jsonschema

source, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
snapshot = jsonschema.Draft7Validator(json.loads((source / "docs/schema/snapshot-1.json").read_text()))
report = jsonschema.Draft7Validator(json.loads((source / "docs/schema/report-1.json").read_text()))
failures = passed = 0


def check(name, document):
    global failures, passed
    validator = report if document.get("schema") == "envdoctor.report/1" else snapshot
    errors = [f"{name}: at /{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(document)]
    if validator is report:
        errors += [f"{name}: snapshot: {e.message[:200]}" for e in snapshot.iter_errors(document["snapshot"])]
    failures += bool(errors)
    passed += not errors
    print("\n".join(errors[:5]), end="\n" if errors else "")


def output(*arguments):
    done = subprocess.run([binary, *arguments], stdout=subprocess.PIPE, timeout=120)
    assert done.returncode in (0, 1, 3), (arguments, done.returncode)
    return json.loads(done.stdout)


for path in sorted([*source.glob("docs/examples/*.json"), *source.glob("fixtures/hosts/*/expected/*.json")]):
    document = json.loads(path.read_text())
    check(path.name, document)
    if document["schema"] == "envdoctor.snapshot/1":
        check(path.name + " diagnosed", output("diagnose", str(path), "--format", "json"))
check("capture", output("capture", "--quick"))
check("check", output("check", "--quick", "--format", "json"))
check("bench", output("bench", "--quick", "--kernel", "launch,copy,triad", "--size", "65536", "--format", "json"))

# The schemas can fail: a number where a text belongs, a missing key.
for broken in ({"schema": "envdoctor.snapshot/1", "host": {"os": 7}}, {"schema": "envdoctor.snapshot/1", "pci": {"address": "x"}},
               {"schema": "envdoctor.report/1", "snapshot": {}}):
    validator = report if "report" in broken["schema"] else snapshot
    if not list(validator.iter_errors(broken)):
        failures += 1
        print("taken, and should not be:", broken)
print(f"{passed} passed, {failures} failed")
sys.exit(failures > 0)
