"""Every envdoctor command of the recipes in docs/ci is run unchanged, and does what the recipe says.

Each other command of a step is run as well, the files that a recipe hands on are there, and the manifests are valid by
Kubernetes' own schemas. Arguments: the source folder, the program. In place of this machine a captured host is looked at."""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import xml.dom.minidom

import readers

readers.run_inside()
import kubernetes_validate
import yaml

source, binary = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
failures = []


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {what}")


def commands(text):
    """Shell lines that begin with envdoctor, however the recipe's own format wraps them."""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith(("#", "//")):
            continue
        found = re.search(r"""(?:^run: |^- |^sh '|-c, "(?:PATH=\S+; )?)(envdoctor [^'"\]]*)""", line)
        if found:
            yield found.group(1).strip()


def run(host, command, folder):
    (folder / "envdoctor").write_text(f'#!/bin/sh\nexec {binary} diagnose {source}/fixtures/hosts/{host}/expected/snapshot.json "$@"\n')
    (folder / "envdoctor").chmod(0o755)
    return subprocess.run(["sh", "-c", command], cwd=folder, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "GITHUB_ACTIONS": "true"},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, text=True)


tried = 0
for recipe in sorted((source / "docs/ci").iterdir()):
    if recipe.name.startswith("slurm") or recipe.name == "README.md":
        continue
    found = list(commands(recipe.read_text()))
    expect(recipe.name, found, "no command")
    for command in found:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            learned = subprocess.run([binary, "expect", "--learn", source / "fixtures/hosts/made-a100-healthy/expected/snapshot.json"], stdout=subprocess.PIPE)
            (folder / "host.toml").write_bytes(learned.stdout)
            good = run("made-a100-healthy", command, folder)
            expect(recipe.name, good.returncode == 0, f"{command}: exit {good.returncode} on a good host: {good.stdout[:400]} {good.stderr[:300]}")
            for name in re.findall(r"-o (?:\w+=)?(\S+)", command):
                expect(recipe.name, (folder / name).stat().st_size > 2, f"{name} is empty")
                if name.endswith(".xml"):
                    xml.dom.minidom.parse(str(folder / name))
                if name.endswith(".json"):
                    json.loads((folder / name).read_text())
            bad = run("made-a100-module-and-library-differ", command, folder)
            expect(recipe.name, bad.returncode == 1, f"{command}: exit {bad.returncode} on a bad host")
            expect(recipe.name, "::error title=" in bad.stderr, "no annotation on GitHub")
            tried += 1

HOSTS = (("made-a100-healthy", True), ("made-a100-module-and-library-differ", False))


def learned(folder):
    toml = subprocess.run([binary, "expect", "--learn", source / "fixtures/hosts/made-a100-healthy/expected/snapshot.json"], stdout=subprocess.PIPE)
    (folder / "host.toml").write_bytes(toml.stdout)


# GitHub and GitLab: all steps in their order, as the runner takes them.
github = yaml.safe_load((source / "docs/ci/github.yml").read_text())["jobs"]["preflight"]["steps"]
gitlab = yaml.safe_load((source / "docs/ci/gitlab.yml").read_text())["preflight"]
for host, good in HOSTS:
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        learned(folder)
        os.environ["GITHUB_STEP_SUMMARY"] = str(folder / "summary")
        failed = False
        for step in github:
            if "run" not in step or (failed and step.get("if") != "always()"):
                continue
            status = run(host, step["run"], folder).returncode
            failed = failed or status != 0
            tried += 1
        expect("github.yml", failed != good, f"the job {'fails' if failed else 'passes'} on {host}")
        expect("github.yml", (folder / "summary").read_text().startswith("## envdoctor: " + ("PASS" if good else "FAIL")), "no summary of the job")
        expect("github.yml", list(folder.glob(github[-1]["with"]["path"])), "nothing to upload")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        learned(folder)
        statuses = [run(host, command, folder).returncode for command in gitlab["script"]]
        expect("gitlab.yml", (max(statuses) == 0) == good, f"{statuses} on {host}")
        for name in [*gitlab["artifacts"]["paths"], *gitlab["artifacts"]["reports"].values()]:
            expect("gitlab.yml", (folder / name).stat().st_size > 1, f"no {name}")

# Kubernetes: valid, and what the containers run does what the comments say.
manifests = list(yaml.safe_load_all((source / "docs/ci/kubernetes.yml").read_text()))
for manifest in manifests:
    kubernetes_validate.validate(manifest, "1.37", strict=True)
try:
    kubernetes_validate.validate({**manifests[1], "spec": {"continers": []}}, "1.37", strict=True)
    expect("self", False, "the reader of manifests takes anything")
except kubernetes_validate.ValidationError:
    pass
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    (folder / "opt/bin").mkdir(parents=True)
    (folder / "tools").mkdir()
    places = {"/opt/envdoctor": str(folder / "opt"), "/tools": str(folder / "tools")}
    for host, good in HOSTS:
        run(host, "true", folder / "opt/bin")  # puts an envdoctor there that looks at this host
        for container in [*manifests[0]["spec"]["template"]["spec"]["containers"], *manifests[1]["spec"]["initContainers"]]:
            command = [re.sub("|".join(places), lambda found: places[found.group()], word) for word in container["command"]]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            expect("kubernetes.yml", (done.returncode == 0) == (good or command[0] == "cp"), f"{container['name']}: exit {done.returncode} on {host}")
            tried += 1

# The Slurm script, with a scontrol that records its arguments.
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    (folder / "scontrol").write_text(f'#!/bin/sh\necho "$@" >>{folder}/calls\n[ "$1" = -o ] && cat {folder}/state\nexit 0\n')
    (folder / "scontrol").chmod(0o755)

    def health(host, state, toml=""):
        (folder / "calls").write_text("")
        (folder / "state").write_text(state)
        (folder / "host.toml").unlink(missing_ok=True)
        if toml:
            (folder / "host.toml").write_text(toml)
        done = run(host, f"HOST_TOML={folder}/host.toml SLURMD_NODENAME=n1 {source}/docs/ci/slurm-prolog", folder)
        return done.returncode, (folder / "calls").read_text()

    status, calls = health("made-a100-healthy", "State=IDLE", 'gpus = 1\n')
    expect("slurm good", status == 0 and "update" not in calls, (status, calls))
    status, calls = health("made-eight-h100-no-fabric-manager", "State=IDLE")
    expect("slurm bad", status == 1 and "State=DRAIN Reason=envdoctor: driver.fabric-manager on host" in calls, (status, calls))
    status, calls = health("made-eight-h100-no-fabric-manager", "State=IDLE+DRAIN Reason=mine")
    expect("slurm drained", status == 1 and "update" not in calls, (status, calls))
    status, calls = health("made-a100-healthy", "State=IDLE", "gpus = [")
    expect("slurm bad file", status == 2 and "update" not in calls, (status, calls))
    status, calls = health("made-a100-healthy", "State=IDLE", 'gpus = 2\n')
    expect("slurm expected", status == 1 and "Reason=envdoctor: expect.gpus on host" in calls, (status, calls))

print("\n".join(failures[:20]))
print(f"{tried} commands of recipes, {len(failures)} failures")
sys.exit(bool(failures) or tried < 5)
