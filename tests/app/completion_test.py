"""Completions and the manual page, read by the shells and by groff themselves.

usage: completion_test.py BINARY
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

binary = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp())
failed = []


def made(kind):
    file = folder / kind
    file.write_text(subprocess.run([binary, "completion", kind], capture_output=True, text=True, check=True).stdout)
    return file


def expect(what, command, wanted):
    if not shutil.which(command[0]):
        print(f"skipped: {what}: {command[0]} is not installed")
        return
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode or run.stderr or not wanted <= set(run.stdout.split()):
        failed.append(f"{what}: status {run.returncode}, {run.stderr.strip()}, got {run.stdout.split()[:8]}")


def bash(*words):
    script = (f"source {made('bash')}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _envdoctor;"
              ' echo "${COMPREPLY[@]}"')
    return ["bash", "-c", script]


expect("bash offers commands", bash("envdoctor", "ex"), {"explain", "expect"})
expect("bash offers formats", bash("envdoctor", "check", "--format", "js"), {"json"})
expect("bash offers diagnoses", bash("envdoctor", "explain", "hardware.no"), {"hardware.no-gpu"})
expect("bash offers sections", bash("envdoctor", "show", "op"), {"opencl"})
expect("zsh reads it", ["zsh", "-n", str(made("zsh"))], set())
expect("fish offers commands", ["fish", "-c", f"source {made('fish')}; complete -C 'envdoctor diag'"], {"diagnose"})
expect("fish offers sections", ["fish", "-c", f"source {made('fish')}; complete -C 'envdoctor show op'"], {"opencl"})
expect("groff reads the manual", ["groff", "-man", "-Tascii", "-ww", str(made("man"))], set())
shutil.rmtree(folder)
print("\n".join(failed) or "completions and manual page are well")
sys.exit(bool(failed))
