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
# A real zsh at a terminal of its own: what stands on its line after Tab.
ZSH = """
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='>'; fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; echo RE''ADY"
while zpty -r z line; do [[ $line == *READY* ]] && break; done
zpty -w -n z "$2"$'\\t'; sleep 1; zpty -w -n z $'\\C-a\\C-ktrue\\C-u'; zpty -w z "echo EN''D"
while zpty -r z line; do print -r -- "$line"; [[ $line == *END* ]] && break; done
"""


def zsh_completes(typed, wanted):
    if not shutil.which("zsh"):
        return print("skipped: zsh is not installed")
    place = folder / "functions"
    place.mkdir(exist_ok=True)
    shutil.copy(made("zsh"), place / "_envdoctor")
    script = folder / "at_terminal.zsh"
    script.write_text(ZSH)
    seen = subprocess.run(["zsh", "-f", script, place, typed], capture_output=True, text=True, timeout=60).stdout.replace("\a", "")
    if wanted not in seen:
        failed.append(f"zsh makes of '{typed}': {seen[-200:]!r}, not '{wanted}'")


zsh_completes("envdoctor diag", "envdoctor diagnose")
zsh_completes("envdoctor --fail-on w", "--fail-on warning")
zsh_completes("envdoctor explain force", "explain force-cpu")
zsh_completes("envdoctor compare --op mat", "--op matmul")
expect("bash offers topics", bash("envdoctor", "explain", "force"), {"force-cpu"})
expect("bash offers operations", bash("envdoctor", "compare", "--op", "mat"), {"matmul"})
expect("bash offers families", bash("envdoctor", "--only", "driv"), {"driver"})
expect("fish offers kernels", ["fish", "-c", f"source {made('fish')}; complete -C 'envdoctor verify --kernel tri'"], {"triad"})
expect("fish offers commands", ["fish", "-c", f"source {made('fish')}; complete -C 'envdoctor diag'"], {"diagnose"})
expect("fish offers sections", ["fish", "-c", f"source {made('fish')}; complete -C 'envdoctor show op'"], {"opencl"})
expect("groff reads the manual, what a command says below its options too",
       ["groff", "-man", "-Tascii", "-ww", str(made("man"))], {"started,"})
shutil.rmtree(folder)
print("\n".join(failed) or "completions and manual page are well")
sys.exit(bool(failed))
