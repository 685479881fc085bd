#!/usr/bin/env python3
"""The folder that `./dev gpu` packs, made of this build's programs, run without the shell's environment and with little
time: every step runs, and its output is ready for fixtures/hosts and bench/results. usage: run_test.py SOURCE BUILD"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

source, build = map(pathlib.Path, sys.argv[1:3])
with tempfile.TemporaryDirectory() as folder:
    pack, out = pathlib.Path(folder, "a pack"), pathlib.Path(folder, "written here")
    for name, target in {"run": source / "tests/gpu/run", "bin/envdoctor": build / "envdoctor",
                         "bin/fault_table": build / "fault_table",
                         "lib/fault_layer.so": build / "tests/fakes/fault_layer.so",
                         "lib/fake_opencl_hang.so": build / "tests/fakes/fake_opencl_hang.so",
                         "lib/fake_opencl_abort.so": build / "tests/fakes/fake_opencl_abort.so"}.items():
        (pack / name).parent.mkdir(parents=True, exist_ok=True)
        (pack / name).symlink_to(target)
    run = subprocess.run([pack / "run", out, "", "100"], env={"PATH": "/usr/bin:/bin", "HOME": folder}, cwd="/",
                         capture_output=True, text=True, timeout=200)
    summary = (out / "summary.md").read_text()
    steps = dict(re.findall(r"^\| (\w[\w-]*) \| ([^|]*?) \|", summary.split("| --- |", 1)[1], re.M))
    assert run.returncode == 0, f"exit status {run.returncode}\n{summary}{run.stderr}"
    assert set(steps) >= {"capture", "check", "verify", "bench", "faults", "hostile"}, summary
    usual = ("ok", "all, as there is no GPU", "left out: OpenCL lists", "left out: CUDA gave", "left out: no Python")
    assert all(word.startswith(usual) for word in steps.values()), summary
    # What needs a GPU or a framework either ran or is named.
    assert "cuda:" in (out / "verify.json").read_text() or "ptx" in steps, summary
    assert "frameworks" in steps or any(name.startswith("framework-") for name in steps), summary
    about = (out / "host/about.md").read_text()
    root, verdict = re.search(r"^root: ([a-z0-9.-]+)$", about, re.M), re.search(r"^verdict: (\w+)$", about, re.M)
    assert root and verdict, about
    assert root.group(1) == "none" or f'"{root.group(1)}"' in (out / "check.json").read_text(), about
    assert (out / "host/root").is_dir() and (out / "host/snapshot.json").is_file(), list(out.rglob("*"))
    for name in ("check", "verify", "bench", "hostile"):
        json.loads((out / f"{name}.json").read_text())
