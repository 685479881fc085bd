"""Who starts envdoctor, from where, with what in its environment; secrets in it; file systems that do not answer."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from files import examples, npy, report
from surroundings import NOBODY
from trial import STATUSES, Program, expect

healthy = str(examples / "healthy.json")
MODULES = ("json", "struct", "os", "site", "torch", "tensorflow", "jax", "keras", "numpy", "sitecustomize", "encodings", "re")


def installed_torch(program):
    """A Python environment that claims to hold PyTorch, so that it is asked; a link to this Python beside its own folder."""
    base = program.folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", base], check=True)
    packages = next(base.glob("lib/python*/site-packages"))
    (packages / "torch").mkdir()
    (packages / "torch/__init__.py").write_text("__version__ = '2.4.0'\n")
    info = packages / "torch-2.4.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.4.0\n")
    (info / "RECORD").write_text("torch/__init__.py,,\n")
    return base


def planted(program):
    """A folder of somebody else's with everything that a program might take from where it is started."""
    here = program.folder / "here"
    here.mkdir()
    code = f"open({str(program.folder / 'ran')!r}, 'a').write(__name__)\n"
    for name in MODULES:
        (here / f"{name}.py").write_text(code)
    for name in ("libcuda.so.1", "libnvidia-ml.so.1", "libOpenCL.so.1", "libhip64.so", "libze_loader.so.1"):
        source = program.file("planted.c", f'#include <stdio.h>\n__attribute__((constructor)) static void f(void) '
                              f'{{ fclose(fopen("{program.folder}/ran", "a")); }}\n')
        if not (here / "libcuda.so.1").exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", here / "libcuda.so.1", source], check=True)
        elif not (here / name).exists():
            shutil.copy(here / "libcuda.so.1", here / name)
    for name in ("python3", "python", "nvidia-smi", "rocminfo", "lspci", "ldconfig", "conda", "gcc", "ld.so"):
        (here / name).write_text(f"#!/bin/sh\ntouch {program.folder}/ran\n")
        (here / name).chmod(0o755)
    (here / ".python-version").write_text("../../../../../../../../" + str(here) + "\n")
    (here / "bin").mkdir()
    shutil.copy(here / "python3", here / "bin/python3")
    (here / ".venv/bin").mkdir(parents=True)
    shutil.copy(here / "python3", here / ".venv/bin/python3")
    (here / ".venv/pyvenv.cfg").write_text("version = 3.11.2\n")
    (here / "keras.json").write_text('{"backend": "torch"}')
    return here


def kind_rights(random):
    """Started as root in somebody else's folder, as sudo starts it, nothing of that folder is run; set-uid it is refused."""
    commands = {"check": ("check",), "check --quick": ("check", "--quick"), "show": ("show",), "capture": ("capture",),
                "visible": ("visible",), "verify": ("verify", "--quick"), "script": ("script", "train.py")}
    odd = {"nothing": {}, "an empty place in PATH": {"PATH": f":{os.environ['PATH']}"},
           "a dot in PATH": {"PATH": f".:{os.environ['PATH']}"}, "the folder as PWD": {}}
    for word, arguments in commands.items():
        for extra, values in odd.items():
            def trial(program, _, arguments=arguments, values=values, extra=extra):
                base, here = installed_torch(program), planted(program)
                (here / "train.py").write_text("import torch\n")
                path = values.get("PATH", os.environ["PATH"])
                env = {"HOME": str(program.folder), "SUDO_USER": "nobody", "SUDO_UID": "65534",
                       "PATH": path.replace(os.environ["PATH"], f"{base}/bin:{os.environ['PATH']}")}
                if extra == "the folder as PWD":
                    env["PWD"] = str(here)
                inside = Program(program.path, here)
                inside.run(*arguments, env=env, seconds=120)
                ran = program.folder / "ran"
                expect(not ran.exists(), f"what lies there was run: {ran.exists() and ran.read_text()}")
            yield f"{word} in a planted folder with {extra}", trial

    if os.geteuid() != 0:
        return
    for mode in (0o4755, 0o2755, 0o6755):
        for arguments in (("check", "--quick"), ("run", "--", "id"), ("--version",), ("diagnose", healthy)):
            def setuid(program, _, mode=mode, arguments=arguments):
                folder = pathlib.Path("/usr/local/lib") / program.folder.name  # /tmp may be mounted nosuid
                folder.mkdir()
                try:
                    copy = folder / "envdoctor"  # written by a program of its own: none beside it holds it open
                    subprocess.run(["install", "-m", f"{mode:o}", program.path, copy], check=True)
                    env = {"PATH": os.environ["PATH"], "HOME": "/"}
                    done = Program(str(copy), "/").run(*arguments, wrap=NOBODY, env=env)
                    expect(done.status == 2 and b"set-uid" in done.err, f"exit status {done.status}: {done.err[:200]!r}")
                    expect(b"uid=0" not in done.out, "a program was run with the owner's rights")
                finally:
                    shutil.rmtree(folder)
            yield f"a set-id copy, mode {mode:o}: {' '.join(arguments[:2])[:20]}", setuid


# Of forms that no list of ours names: drawn letters and digits, which begin and end so that a part of them is seen.
def canary(random):
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "q7Z" + "".join(random.choice(letters) for _ in range(18)) + "x9K"


def kind_secrets(random):
    """What stands in a variable without a known form leaves by no command, format or file."""
    names = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PYTHONPATH", "OCL_ICD_VENDORS", "KERAS_BACKEND",
             "XLA_FLAGS", "CONDA_PREFIX", "VIRTUAL_ENV", "CUDA_HOME", "TF_CONFIG", "NCCL_COMM_ID", "POCL_PLATFORM_NAME_OVERRIDE",
             "NVIDIA_REQUIRE_CUDA", "HF_TOKEN", "CUDA_API_KEY", "JAX_PLATFORMS", "PYTORCH_CUDA_ALLOC_CONF", "NCCL_SOCKET_IFNAME")
    commands = {"check": ("check", "--quick"), "json": ("check", "--quick", "--format", "json"), "show": ("show",),
                "html": ("check", "--quick", "--format", "html"), "capture": ("capture", "--quick"), "visible": ("visible",),
                "sarif": ("check", "--quick", "--format", "sarif"), "run": ("run", "--", "sleep", "1.2"),
                "markdown": ("check", "--quick", "--format", "markdown"), "junit": ("check", "--quick", "--format", "junit")}
    forms = {"alone": "{}", "a path": "/srv/{}/lib", "in a list": "0,{}", "in JSON": '{{"a": "{}"}}', "an address": "tcp://{}:1"}
    for word, arguments in commands.items():
        for form, text in forms.items():
            secrets = {name: canary(random) for name in names}

            def trial(program, _, arguments=arguments, secrets=secrets, text=text):
                env = {"PATH": os.environ["PATH"], "HOME": str(program.folder)}
                env |= {name: text.format(secret) for name, secret in secrets.items()}
                done = program.run(*arguments, env=env, seconds=60)
                for name, secret in secrets.items():
                    expect(secret not in done.text, f"the value of {name} is shown")
                    expect(secret.encode() not in done.err, f"the value of {name} is shown on standard error")
            yield f"{word}: {form}", trial

    for name in names:
        secret = canary(random)

        def pasted(program, _, name=name, secret=secret):
            text = f"SHELL=/bin/sh\nHOME=/root\nPATH=/bin\nUSER=root\n{name}={secret}\nCUDA_DEVICE_ORDER=PCI_BUS_ID\n"
            done = program.run("diagnose", "--log", program.file("a.log", text), "--format", "json")
            expect(secret not in done.text, "the value is shown")
            document = json.loads((examples / "healthy.json").read_text())
            document["env"] = {name: secret}
            done = program.run("diagnose", program.file("s.json", json.dumps(document)), "--format", "json")
            expect(secret not in done.text, "the value is shown for a snapshot")
        yield f"pasted: {name}", pasted


# A file system whose server never answers: every access waits.
HUNG = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
server = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={server},rootmode=40000,user_id=0,group_id=0".encode()
if libc.mount(b"hung", sys.argv[1].encode(), b"fuse", 0, options) != 0:
    sys.exit(77)
os.set_inheritable(server, True)
child = os.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
_, status = os.waitpid(child, 0)
os.close(server)
libc.umount2(sys.argv[1].encode(), 2)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def kind_hung_files(random):
    """A file system, a pipe or a mass of work that never ends is left within --timeout, and nothing of it stays."""
    def trial_with(arguments, env=None, seconds=20):
        def trial(program, _):
            hung = program.folder / "hung"
            hung.mkdir()
            values = {"PATH": os.environ["PATH"], "HOME": str(program.folder)}
            values |= {name: value.replace("HUNG", str(hung)) for name, value in (env or {}).items()}
            words = [word.replace("HUNG", str(hung)) for word in arguments]
            wrap = ("unshare", "--mount", "--propagation", "private", sys.executable, "-c", HUNG, str(hung))
            done = program.run(*words, "--timeout", "3", env=values, wrap=wrap, seconds=seconds, statuses=(*STATUSES, 77))
            expect(done.status in (1, 2, 3, 77), f"exit status {done.status}")
            expect(done.seconds < 12, f"it took {done.seconds:.1f} s")
            left = subprocess.run(["pgrep", "-f", str(program.folder)], capture_output=True, text=True).stdout.split()
            expect(not left, f"left running: {left}")
        return trial
    if os.geteuid() == 0 and os.path.exists("/dev/fuse"):
        for name in ("PYTHONPATH", "JUPYTER_PATH", "OCL_ICD_VENDORS", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "KERAS_HOME",
                     "HOME", "OCL_ICD_FILENAMES"):
            yield f"check with {name} there", trial_with(("check", "--quick"), {name: "HUNG/x"})
        for word, arguments in {"diagnose": ("diagnose", "HUNG/s.json"), "a log": ("diagnose", "--log", "HUNG/a.log"),
                                "compare": ("compare", "HUNG/a.npy", "HUNG/b.npy"), "fleet": ("fleet", "HUNG"),
                                "an output": ("diagnose", healthy, "-o", "HUNG/out.json"), "expect": (
                                    "diagnose", healthy, "--expect", "HUNG/e.toml"), "script": ("script", "HUNG/t.py"),
                                "python": ("check", "--quick", "--python", "HUNG/venv"), "show": ("show", "HUNG/s.json")}.items():
            yield f"{word} there", trial_with(arguments)

    for form in ("text", "json", "html"):
        def fifo(program, _, form=form):
            os.mkfifo(program.folder / "out")
            done = program.run("diagnose", healthy, "-o", f"{form}={program.folder}/out", "--timeout", "2", seconds=12)
            expect(done.status == 2 and b"/out" in done.err, f"exit status {done.status}: {done.err[:200]!r}")
        yield f"{form} into a pipe that nobody reads", fifo

    def late_reader(program, _):
        os.mkfifo(program.folder / "out")
        reader = subprocess.Popen(["sh", "-c", f"sleep 1; cat {program.folder}/out"], stdout=subprocess.PIPE)
        program.run("diagnose", healthy, "-o", f"json={program.folder}/out", "--timeout", "10", seconds=15, statuses=(0,))
        expect(json.loads(reader.communicate()[0])["verdict"] == "pass", "the reader got no report")
    yield "a pipe whose reader comes late", late_reader

    def huge(program, _):
        head = npy(shape=(1 << 40,), data=b"")
        for name in ("a.npy", "b.npy"):
            path = program.file(name, head)
            os.truncate(path, len(head) + (4 << 40))
        done = program.run("compare", "a.npy", "b.npy", "--timeout", "2", seconds=15)
        expect(done.status in (2, 3), f"exit status {done.status}")
    yield "two arrays of 4 TiB", huge

    for number in (2, 9, 15, 1):
        for delay in range(5):
            def ended(program, random, number=number):
                program.file("out/report", "the old one")
                document = json.loads((examples / "healthy.json").read_text())
                document["log"] = [{"class": "failed", "subject": "cuda-call", "code": f"C{i}", "source": "a.log", "line": i,
                                    "text": "x" * 200} for i in range(3000)]
                snapshot = program.file("s.json", json.dumps(document))
                process = program.start("diagnose", snapshot, "-o", f"json={program.folder}/out/report")
                time.sleep(random.uniform(0.02, 0.5))
                process.send_signal(number)
                process.communicate()
                time.sleep(0.1)
                expect(os.listdir(program.folder / "out") == ["report"], f"left over: {os.listdir(program.folder / 'out')}")
                text = (program.folder / "out/report").read_text()
                expect(text == "the old one" or json.loads(text)["verdict"], "the file is neither old nor whole")
            yield f"signal {number} while it works, {delay}", ended


def kind_fleet_folders(random):
    """Folders and reports of a fleet that cannot be read are named, and the rest is judged."""
    if os.geteuid() != 0:
        return
    for depth in (0, 1, 3):
        for what in ("folder", "report", "link to nothing", "loop", "fifo", "binary", "socket"):
            def trial(program, _, depth=depth, what=what):
                os.chmod(program.folder, 0o755)
                place = program.folder / "fleet" / "/".join(["deep"] * depth)
                for i in range(3):
                    program.file(f"fleet/good{i}.json", json.dumps(report()))
                place.mkdir(parents=True, exist_ok=True)
                bad = place / ("bad" if what == "folder" else "bad.json")
                if what == "folder":
                    bad.mkdir(mode=0)
                elif what == "report":
                    bad.write_text(json.dumps(report()))
                    bad.chmod(0)
                elif what == "binary":
                    bad.write_bytes(os.urandom(5000))
                elif what == "fifo":
                    os.mkfifo(bad)
                elif what == "socket":
                    os.mknod(bad, 0o140600)
                else:
                    bad.symlink_to("bad.json" if what == "loop" else "nowhere")
                done = program.run("fleet", program.folder / "fleet", "--timeout", "5", wrap=NOBODY)
                expect("3 reports" in done.text, f"the rest is not judged: {done.text[:300]!r} {done.err[:200]!r}")
                if what not in ("fifo", "socket"):
                    expect(done.status == 3 and "bad" in done.text, f"exit status {done.status}: {done.text[:300]!r}")
            yield f"{what} {depth} deep", trial
