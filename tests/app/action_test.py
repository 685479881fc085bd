"""action.yml run step by step with bash, as GitHub does, on a wheel that packaging/pack makes of the program at hand.
usage: action_test.py SOURCE PROGRAM"""
import ast
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import yaml

source, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
failures = []


def hold(right, what):
    if not right:
        failures.append(what)


os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
loader = importlib.machinery.SourceFileLoader("pack", str(source / "packaging/pack"))
sys.dont_write_bytecode = True
pack = importlib.util.module_from_spec(importlib.util.spec_from_loader("pack", loader))
loader.exec_module(pack)
stripped = tempfile.mkdtemp()
subprocess.run(["strip", "-o", f"{stripped}/envdoctor", program], check=True)
files = {"bin/envdoctor": (pathlib.Path(stripped, "envdoctor").read_bytes(), True), "share/man/man1/envdoctor.1.gz": (b"", False),
         f"{pack.DOCUMENTS}/envdoctor.cdx.json": (b"{}", False), f"{pack.DOCUMENTS}/LICENSE": (b"terms", False),
         f"{pack.DOCUMENTS}/licenses/zlib": (b"terms", False)}


def wheel_in(folder):
    folder.mkdir()
    return pack.write_wheel(files, folder, os.uname().machine, pack.version_of_project())


with tempfile.TemporaryDirectory() as temporary:
    here = pathlib.Path(temporary)
    wheel, again = wheel_in(here / "one"), wheel_in(here / "two")
    hold(wheel.read_bytes() == again.read_bytes(), "the same wheel twice has different bytes")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                ast.parse(archive.read(name), name, feature_version=(3, 8))  # throws at what Python 3.8 doesn't take
        metadata = archive.read(next(n for n in archive.namelist() if n.endswith("METADATA"))).decode()
        hold("Requires-Python: >=3.8\n" in metadata and "Requires-Dist" not in metadata, "the wheel asks for other packages")

    action = yaml.safe_load((source / "action.yml").read_text())
    steps = {step.get("id", step["name"]): step for step in action["runs"]["steps"]}
    upload = steps["Upload the report"]
    hold("always()" in upload["if"] and upload["with"]["path"] == "${{ runner.temp }}/envdoctor-report",
         "a failing check uploads nothing, or another folder")
    hold(action["outputs"]["verdict"]["value"] == "${{ steps.check.outputs.verdict }}", "the output verdict is of no step")

    def step(name, **inputs):
        """Status, standard output, what went to GITHUB_OUTPUT and GITHUB_STEP_SUMMARY."""
        wishes = {key: value["default"] for key, value in action["inputs"].items()} | inputs
        variables = {key: wishes[text.removeprefix("${{ inputs.").removesuffix(" }}")] for key, text in steps[name]["env"].items()}
        for file in ("output", "summary"):
            (here / file).write_text("")
        (here / "step.sh").write_text(steps[name]["run"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", here / "step.sh"], capture_output=True, text=True, cwd=source,
                              env={**os.environ, **variables, "RUNNER_TEMP": temporary, "GITHUB_OUTPUT": str(here / "output"),
                                   "GITHUB_STEP_SUMMARY": str(here / "summary")})
        return done.returncode, done.stdout + done.stderr, (here / "output").read_text(), (here / "summary").read_text()

    status, said, _, _ = step("Install envdoctor", package=str(wheel))
    hold(status == 0, f"the wheel isn't installed: {said}")
    report = here / "envdoctor-report"
    status, said, output, summary = step("check", arguments="diagnose fixtures/hosts/made-a100-healthy/snapshot.json")
    hold(status == 0 and output.endswith("verdict=pass\n") and "::error" not in said, f"a healthy host: exit {status}, {output!r}, {said}")
    hold(summary and all((report / f"envdoctor.{end}").stat().st_size for end in ("json", "html", "md")), "a report is missing")
    broken = "diagnose fixtures/hosts/made-a100-module-and-library-differ/snapshot.json"
    status, said, output, summary = step("check", arguments=broken)
    hold(status == 1 and output.endswith("verdict=fail\n") and "::error" in said and "driver.version-mismatch" in said and summary,
         f"a broken host: exit {status}, {output!r}, {said}")
    status, said, output, _ = step("check", arguments="chekc")
    hold(status == 2 and output == "verdict=none\n" and "::error" in said and not list(report.iterdir()),
         f"a wrong command line: exit {status}, {output!r}, {said}")
    status, said, output, _ = step("check", arguments="$(touch pwned) ; touch pwned")
    hold(status == 2 and not (source / "pwned").exists(), "the arguments were run by the shell")
    command = here / "envdoctor/bin/envdoctor"
    prefix = str(here / "envdoctor")
    uvx = {**os.environ, "UV": "/usr/bin/uv", "PATH": f"{prefix}/bin:" + os.environ["PATH"]}
    for variables, active in (({}, False), ({"VIRTUAL_ENV": prefix}, True)):
        shown = subprocess.run([command, "show", "python", "--quick"], capture_output=True, text=True, env={**uvx, **variables}).stdout
        hold((prefix in shown) == active, f"under uvx with {variables} the wrong Python is judged: {shown}")
    killed = subprocess.run([command, "no-such-command"], capture_output=True)
    hold(killed.returncode == 2, f"the console script answers {killed.returncode}, not the program's status")
    command.write_text("#!/bin/sh\nexit 0\n")
    status, said, output, _ = step("check")
    hold(status == 3 and output == "verdict=none\n", f"a program that writes no report passes: exit {status}, {output!r}")
    status, _, _, _ = step("Install envdoctor", package=str(here / "nowhere.whl"))
    hold(status != 0, "a package that isn't there is no error")

print("\n".join(failures) or "the action installs, checks, annotates and fails closed")
sys.exit(bool(failures))
