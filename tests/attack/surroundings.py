"""Hostile environments: streams, limits, output files, environments, folders, drivers."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

from files import examples, ids, npy, npz, report
from trial import STATUSES, expect

healthy = str(examples / "healthy.json")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
COMMANDS = {
    "version": ("--version",), "help": ("--help",), "list": ("list",), "explain": ("explain", "driver.too-old"),
    "diagnose": ("diagnose", healthy), "json": ("diagnose", healthy, "--format", "json"),
    "show": ("show", healthy), "compare": ("compare", healthy, healthy), "fleet": ("fleet", healthy),
    "check": ("check", "--quick"), "capture": ("capture", "--quick"), "visible": ("visible", healthy),
    "run": ("run", "--", "true"), "run that fails": ("run", "--", "sh", "-c", "exit 7"),
}


def own_status(name, done):
    """The status that the command has where its streams work."""
    return {"run": 0, "run that fails": 7}.get(name, done)


def kind_streams(random):
    """Streams that are full, closed or gone end no command by a signal, and a lost report is an error."""
    for name, arguments in COMMANDS.items():
        for stream in ("stdout", "stderr"):
            for how in ("full", "closed", "read-only", "gone"):
                def trial(program, _, name=name, arguments=arguments, stream=stream, how=how):
                    descriptor = 1 if stream == "stdout" else 2
                    redirect = {"full": f"{descriptor}>/dev/full", "closed": f"{descriptor}>&-",
                                "read-only": f"{descriptor}</dev/null", "gone": f"{descriptor}| true"}[how]
                    script = f'"$@" {redirect}' if how != "gone" else (
                        'mkfifo p; true < p & "$@" ' + f"{descriptor}> p")
                    done = program.run(*arguments, wrap=("bash", "-c", script, "bash"), statuses=(*STATUSES, 7, 141), seconds=60)
                    if name.startswith("run") and stream == "stderr":
                        expect(done.status == own_status(name, None), f"exit status {done.status}: the command's own is lost")
                    if stream == "stdout" and how == "full" and not name.startswith("run"):
                        expect(done.status == 2, f"exit status {done.status} though nothing could be written")
                yield f"{name}, {stream} {how}", trial


def kind_output_files(random):
    """An output file is whole or as it was before."""
    formats = ("text", "json", "junit", "sarif", "markdown", "html", "prometheus")
    for form in formats:
        for limit in (1, 100, "all but one of its"):
            def trial(program, _, form=form, limit=limit):
                path = program.file("out/report", "the old one")
                if not isinstance(limit, int):
                    limit = len(program.run("diagnose", healthy, "--format", form, raw=True).out) - 1
                done = program.run("diagnose", healthy, "-o", f"{form}={path}", limits=[(resource.RLIMIT_FSIZE, limit)])
                left = pathlib.Path(path).read_text()
                expect(done.status == 2, f"exit status {done.status} though the file could not be written")
                expect(left == "the old one", f"the old file holds now {left[:40]!r}")
                expect(os.listdir(program.folder / "out") == ["report"], f"left over: {os.listdir(program.folder / 'out')}")
            yield f"{form} with files of at most {limit} bytes", trial

        def folder(program, _, form=form):
            (program.folder / "it").mkdir()
            program.refuses("diagnose", healthy, "-o", f"{form}={program.folder}/it")
        yield f"{form} onto a folder", folder

        def link(program, _, form=form):
            target = program.file("target", "the old one")
            os.symlink(target, program.folder / "link")
            program.run("diagnose", healthy, "-o", f"{form}={program.folder}/link")
            expect((program.folder / "link").is_symlink(), "the link was replaced by a file")
            expect(pathlib.Path(target).read_text() != "the old one", "the file that the link names was not written")
        yield f"{form} through a link", link

    def device(program, _):
        os.symlink("/dev/null", program.folder / "nothing")
        program.run("diagnose", healthy, "-o", f"json={program.folder}/nothing", "-o", "junit=/dev/null")
        expect(pathlib.Path("/dev/null").is_char_device(), "/dev/null was replaced by a file")
    yield "onto /dev/null", device

    def protected(program, _):
        path = program.file("report", "the old one")
        os.chmod(path, 0o444)
        os.chmod(program.folder, 0o777)
        done = program.run("diagnose", healthy, "-o", path, wrap=NOBODY)
        expect(done.status == 2 and pathlib.Path(path).read_text() == "the old one", "a read-only file was replaced")
    yield "onto a file that may not be written", protected

    def planted(program, _):
        target = program.file("own/target", "the old one")
        (program.folder / "shared").mkdir()
        os.chmod(program.folder / "shared", 0o1777)
        os.symlink(target, program.folder / "shared/link")
        os.lchown(program.folder / "shared/link", 65534, 65534)
        program.refuses("diagnose", healthy, "-o", program.folder / "shared/link", names="shared/link")
        expect(pathlib.Path(target).read_text() == "the old one", "somebody else's link was followed in a shared folder")
    if os.geteuid() == 0:
        yield "through somebody else's link in a folder like /tmp", planted
    for name in ("snapshot", "host-folder"):
        def full(program, _, name=name):
            path = program.file("out/it.json", "the old one")
            arguments = ("-o", path) if name == "snapshot" else ("--host-folder", program.folder / "out/host")
            done = program.run("capture", "--quick", *arguments, limits=[(resource.RLIMIT_FSIZE, 50)], seconds=60)
            expect(done.status == 2, f"exit status {done.status}")
            expect(pathlib.Path(path).read_text() == "the old one", "the old file is gone")
            expect(os.listdir(program.folder / "out") == ["it.json"], f"left over: {os.listdir(program.folder / 'out')}")
        yield f"capture of a {name} with files of at most 50 bytes", full


def kind_host_folder(random):
    """A captured folder is written below its own root, into an empty folder only."""
    for i, link in enumerate(("etc", "proc", "sys", "usr", "dev", "root", "root/etc", "root/proc", "files", "host")):
        for target in ("outside", "../outside"):
            def trial(program, _, link=link, target=target):
                outside = program.folder / "outside"
                outside.mkdir()
                folder = program.folder / "captured"
                (folder / link).parent.mkdir(parents=True)
                os.symlink(outside if target == "outside" else target, folder / link)
                done = program.run("capture", "--quick", "--host-folder", folder, seconds=60)
                expect(not list(outside.rglob("*")), "files were written outside the folder")
                expect(done.status == 2, f"exit status {done.status} for a folder that is not empty")
            yield f"{link} leads {target}", trial

    def itself(program, _):
        (program.folder / "outside").mkdir()
        os.symlink("outside", program.folder / "captured")
        program.refuses("capture", "--quick", "--host-folder", program.folder / "captured", names="captured", seconds=60)
        expect(not list((program.folder / "outside").iterdir()), "files were written outside the folder")
    yield "the folder is a link", itself

    def empty(program, _):
        (program.folder / "captured").mkdir()
        done = program.run("capture", "--quick", "--host-folder", program.folder / "captured", seconds=60)
        expect(done.status == 0 and (program.folder / "captured/snapshot.json").exists(), f"exit status {done.status}")
        program.refuses("capture", "--quick", "--host-folder", program.folder / "captured", names="captured", seconds=60)
    yield "an empty folder takes a host, and then no second one", empty


def errors(document):
    return {finding["id"] for finding in document["findings"] if finding["severity"] == "error"}


def kind_limits(random):
    """Under limits nothing that works is called broken, and nothing is passed."""
    limits = [("open files", resource.RLIMIT_NOFILE, (4, 6, 8, 10, 12, 14, 16, 18, 20, 24)),
              ("processes", resource.RLIMIT_NPROC, (1, 2, 3, 4, 5, 8)),
              ("processor seconds", resource.RLIMIT_CPU, (1,)),
              ("stack", resource.RLIMIT_STACK, (128 << 10, 256 << 10)),
              ("file size", resource.RLIMIT_FSIZE, (0, 100)), ("core", resource.RLIMIT_CORE, (0,))]
    for word, limit, values in limits:
        for value in values:
            def trial(program, _, limit=limit, value=value):
                wrap = NOBODY if limit == resource.RLIMIT_NPROC else ()
                os.chmod(program.folder, 0o777)
                free = json.loads(program.run("check", "--quick", "--format", "json", wrap=wrap, seconds=60).text)
                done = program.run("check", "--quick", "--format", "json", wrap=wrap, limits=[(limit, value)], seconds=60,
                                   statuses=(*STATUSES, 126))  # 126: not even envdoctor could be started
                expect(done.status != 0, "passed")
                if done.status in (2, 126):
                    expect(done.status == 126 or done.err.startswith(b"envdoctor: "), f"no message: {done.err[:200]!r}")
                else:
                    new = errors(json.loads(done.text)) - errors(free)
                    expect(not new, f"found under the limit only: {sorted(new)}")
            yield f"{word} {value}", trial


def kind_endless_input(random):
    """Input that never ends, or never begins, is left within the time limit."""
    uses = {"diagnose": ("diagnose",), "a log": ("diagnose", "--log"), "compare": ("compare", healthy), "fleet": ("fleet",),
            "script": ("script",), "visible": ("visible",), "show": ("show",), "expect": ("diagnose", healthy, "--expect")}
    for use, arguments in uses.items():
        for what in ("fifo", "/dev/zero", "/dev/urandom", "a folder"):
            def trial(program, _, arguments=arguments, what=what):
                path = str(program.folder / "it") if what in ("fifo", "a folder") else what
                if what == "fifo":
                    os.mkfifo(path)
                elif what == "a folder":
                    os.mkdir(path)
                done = program.run("--timeout", "2", *arguments, path, seconds=12)
                expect(done.status != 0, "passed")
            yield f"{use} of {what}", trial

    def fed(script, *arguments):
        def trial(program, _):
            return program.run("--timeout", "2", *arguments, wrap=("bash", "-c", script, "bash"), seconds=12)
        return trial

    def lasting(program, _):
        process = program.start("diagnose", "--log", "-", stdin=b"")
        time.sleep(0.5)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        expect(not children and process.poll() is None, "standard input is bounded though nobody asked for a limit")
        out, _ = process.communicate(b"ok\n")
        expect(process.returncode == 3, f"exit status {process.returncode}")
    yield "standard input may last for hours", lasting

    def late(program, random):
        done = fed('mkfifo p; (sleep 1; cat "$4"; sleep 0.2; echo) > p & exec "${@:1:3}" diagnose p', healthy)(program, random)
        expect(done.status == 0, f"exit status {done.status}: {done.err[-200:]!r}")
    yield "a pipe whose writer comes late is read whole", late
    for what, command in {"text": "yes", "one line": "tr '\\0' x < /dev/zero", "NULs": "cat /dev/zero", "nothing": "sleep 4"}.items():
        for way, words in {"standard input": f'{command} | "$@" diagnose --log -', "a pipe": f'"$@" diagnose --log <({command})',
                           "a snapshot": f'{command} | "$@" diagnose -'}.items():
            def endless(program, random, script=words):
                expect(fed(script)(program, random).status == 2, "an endless input was taken")
            yield f"{way} of endless {what}", endless


def kind_environment(random):
    """Variables of any content are reported without harm, or not at all."""
    names = ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "OCL_ICD_VENDORS", "PYTHONPATH", "PATH", "HOME", "VIRTUAL_ENV",
             "CONDA_PREFIX", "TF_FORCE_GPU_ALLOW_GROWTH", "XLA_FLAGS", "KERAS_BACKEND", "HIP_VISIBLE_DEVICES", "LANG", "TERM")
    values = {"escapes": b"\x1b]0;owned\x07\x1b[2J", "newlines": b"0\n::error::forged\n", "long": b"A" * 100_000,
              "not utf-8": b"\xff\xfe\xc0", "empty": b"", "percent": b"%s%n%d", "override": "\u202egnp.exe".encode(),
              "device": b"/dev/zero", "fifo": b"fifo"}
    for name in names:
        for word, value in values.items():
            def trial(program, _, name=name, value=value):
                if value == b"fifo":
                    os.mkfifo(program.folder / "it")
                    value = os.fsencode(program.folder / "it")
                env = {b"PATH": os.environb[b"PATH"], b"HOME": os.fsencode(program.folder), name.encode(): value}
                done = program.run("check", "--quick", env=env, seconds=60)
                expect(b"\n::error::" not in done.out, "a forged line")
                expect(b"\xff\xfe" not in done.out, "bytes that are no UTF-8")
            yield f"{name} {word}", trial


def kind_lines(random):
    """Words of a host begin no line of their own in any format."""
    words = {"newline": "Ubuntu\n::error::forged", "return": "Ubuntu\r::error::forged", "escape": "\x1b[31mUbuntu",
             "html": "<script>alert(1)</script>", "xml": "]]><failure/>", "markdown": "|\n\n# forged\n"}
    for form in ("text", "json", "junit", "sarif", "markdown", "html", "prometheus", "github", "gitlab"):
        for word, value in words.items():
            def trial(program, _, form=form, value=value):
                document = json.loads((examples / "no-gpu.json").read_text())
                document["host"]["os"] = value
                document["host"]["kernel"] = value
                done = program.run("diagnose", program.file("s.json", json.dumps(document)), "--format", form, "-v")
                for line in done.text.splitlines():
                    expect(not line.startswith(("::error::forged", "# forged")), f"a forged line in {form}")
                expect("<script>alert(1)</script>" not in done.text or form not in ("html",), "markup of the host is kept")
            yield f"{word} in {form}", trial


def kind_expect_files(random):
    """A file of expectations that asks nothing, or nonsense, is an error."""
    for word, text in {"empty": "", "blank": "\n\n", "comment": "# gpus = 8\n", "table": "[a]\n", "list": "gpus = [1]\n",
                       "typo": "gpu.s = 8\n", "twice": "gpus = 1\ngpus = 2\n", "cut": 'gpu = "H1', "binary": "\0\1\2",
                       "date": "gpus = 1979-05-27\n", "nan": "gpus = nan\n", "deep": "a=" + "[" * 5000 + "]" * 5000,
                       "negative": "gpus = -1\n", "huge": "gpus = 99999999999999999999\n", "json": '{"gpus": 8}',
                       "ini": "gpus: 8\n", "bool": "gpus = true\n", "inline": "gpus = {min = 8}\n", "utf-16": "g\0p\0u\0s\0",
                       "escape": 'gpu = "\\u001b[31m"\nx = 1\n'}.items():
        yield word, lambda program, _, t=text: program.refuses(
            "diagnose", healthy, "--expect", program.file("e.toml", t))


def kind_growth(random):
    """A hundred thousand of anything in ten seconds of processor time, or refused for a limit that is stated."""
    def run(program, *arguments, **options):
        # Shared machines ran at a third of their speed; what grows with the square takes hours.
        program.run(*arguments, limits=[(resource.RLIMIT_CPU, 40)], seconds=150, **options)

    many = 100_000

    def many_icds(program, _):
        for i in range(many):
            program.file(f"vendors/{i}.icd", f"/nonexistent/lib{i}.so\n")
        run(program, "check", "--quick", env={"PATH": os.environ["PATH"], "OCL_ICD_VENDORS": str(program.folder / "vendors")})
    yield "100000 .icd files", many_icds

    def many_arrays(program, _):
        content = npz([(f"a{i}.npy", npy()) for i in range(many)])
        run(program, "compare", program.file("a.npz", content), program.file("b.npz", content))
    yield "100000 arrays", many_arrays

    def snapshot_with(key, rows):
        def trial(program, _):
            document = json.loads((examples / "healthy.json").read_text())
            document[key] = rows(document.get(key))
            run(program, "diagnose", program.file("s.json", json.dumps(document)))
            run(program, "diagnose", program.file("s.json", json.dumps(document)), "--format", "html")
        return trial
    def inside(section, key, rows):
        return snapshot_with(section, lambda had: {**had, key: rows(had.get(key) or [])})
    yield "100000 processes on a GPU", inside("nvidia", "processes", lambda _: [
        {"pid": i, "name": "p", "gpu": 0, "memory_mib": 1} for i in range(many)])
    yield "100000 packages", inside("python", "packages", lambda _: {f"pkg{i}": "1.0" for i in range(many)})
    yield "100000 drivers that do not load", inside("opencl", "icds", lambda _: [
        {"file": f"/etc/OpenCL/vendors/{i}.icd", "library": f"l{i}.so", "loads": False, "error": "x"} for i in range(many)])
    yield "100000 device nodes", snapshot_with("device_nodes", lambda had: [
        {**had[0], "path": f"/dev/nvidia{i}"} for i in range(many)])
    yield "100000 results", snapshot_with("compute", lambda _: [
        {"device": "opencl:A/B", "kernel": "gemm", "precision": "fp32", "size": {"n": i},
         "agreement": {"outcome": "outside", "max_ulp": 9, "error_over_bound": 2}} for i in range(many)])

    def many_packages(program, _):
        base = program.folder / "venv"
        packages = base / "lib/python3.11/site-packages"
        (base / "bin").mkdir(parents=True)
        (base / "bin/python3").symlink_to(sys.executable)
        program.file("venv/pyvenv.cfg", "version = 3.11.2\n")
        for i in range(many):
            (packages / f"pkg{i}-1.0.dist-info").mkdir(parents=True)
            (packages / f"pkg{i}-1.0.dist-info/METADATA").write_text(f"Metadata-Version: 2.1\nName: pkg{i}\nVersion: 1.0\n")
        run(program, "check", "--quick", "--python", base)
    yield "100000 installed packages", many_packages
    yield "100000 PCI devices", snapshot_with("pci", lambda had: [{**had[0], "address": f"{i:04x}:01:00.0"} for i in range(many)])
    yield "100000 libraries", snapshot_with("libraries", lambda had: [
        {"soname": f"lib{i}.so.1", "found": True, "path": f"/usr/lib/lib{i}.so.1"} for i in range(many)])
    yield "100000 variables", snapshot_with("env", lambda had: {f"CUDA_{i}": "1" for i in range(many)})
    yield "100000 symptoms", snapshot_with("log", lambda had: [
        {"class": "failed", "subject": "cuda-call", "code": "CUDA_ERROR_UNKNOWN", "line": f"line {i}", "source": f"a.log:{i}"}
        for i in range(many)])
    yield "100000 modules", snapshot_with("modules", lambda had: [{"name": f"m{i}"} for i in range(many)])

    def many_reports(program, _):
        for i in range(3000):
            program.file(f"fleet/{i}.json", json.dumps(report()))
        run(program, "fleet", program.folder / "fleet")
    yield "3000 reports", many_reports
    line = "RuntimeError: CUDA error: out of memory\n"
    for count, text in ((200_000, line), (2_000_000, "x\n"), (20_000, "a" * 1000 + "\n"), (1, "b" * 50_000_000)):
        yield f"a log of {count} lines of {len(text)}", lambda program, _, t=text * count: run(
            program, "diagnose", "--log", program.file("a.log", t))
    for count in (10_000, 50_000):
        yield f"a script of {count} lines", lambda program, _, c=count: run(
            program, "script", program.file("t.py", "import torch\n" + "x = torch.zeros(3).cuda()\n" * c))


# A driver for the test: what it does in its constructor, its only call and its destructor is asked for by the compiler.
DRIVER = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void daemon_(void) { if (fork() == 0) { setsid(); if (fork() == 0) { close(0); close(1); close(2); execlp("sleep", MARK, "600", (char*)0); } _exit(0); } }
static void overflow(char* where) { memset(where, 65, 1 << 20); }
__attribute__((constructor)) static void begin(void) { AT_START; }
__attribute__((destructor)) static void end(void) { AT_END; }
int clIcdGetPlatformIDsKHR(unsigned entries, void** platforms, unsigned* count) { AT_CALL; if (count) *count = 0; return -1001; }
void* clGetExtensionFunctionAddress(const char* name) { return strcmp(name, "clIcdGetPlatformIDsKHR") ? 0 : (void*)clIcdGetPlatformIDsKHR; }
"""


def kind_drivers(random):
    """A driver that misbehaves at any moment is blamed itself, and nothing of it stays."""
    deeds = {"crashes": "*(volatile int*)0 = 1", "aborts": "abort()", "exits": "exit(0)", "leaves": "_exit(3)",
             "hangs": "for (;;) sleep(1)", "kills its group": "kill(0, 9)", "forks a daemon": "daemon_()",
             "closes everything": "for (int i = 0; i < 64; ++i) close(i)", "writes": 'write(1, "{}\\n", 3), write(2, "forged\\n", 7)',
             "takes signals": "signal(15, SIG_IGN); raise(15)", "writes past its room": "char room[8]; overflow(room)"}
    for moment in ("AT_START", "AT_CALL", "AT_END"):
        for deed, code in deeds.items():
            def trial(program, _, moment=moment, deed=deed, code=code):
                mark = f"attack-{program.folder.name}"
                source = program.file("driver.c", DRIVER)
                moments = {m: "(void)0" for m in ("AT_START", "AT_CALL", "AT_END")} | {moment: code}
                library = str(program.folder / "libattack.so")
                subprocess.run(["cc", "-shared", "-fPIC", "-w", f'-DMARK="{mark}"', *(f"-D{m}={c}" for m, c in moments.items()),
                                "-o", library, source], check=True)
                program.file("vendors/attack.icd", library + "\n")
                env = {"PATH": os.environ["PATH"], "OCL_ICD_VENDORS": str(program.folder / "vendors")}
                done = program.run("check", "--quick", "--timeout", "20", "--format", "json", env=env, seconds=40)
                for finding in json.loads(done.text)["findings"]:
                    if finding["id"].startswith("opencl.loader"):
                        expect(False, f"the loader is blamed: {finding['id']}")
                if deed in ("crashes", "aborts", "hangs", "writes past its room"):
                    blamed = json.dumps([f for f in json.loads(done.text)["findings"] if f["id"].startswith("opencl.")])
                    expect("libattack" in blamed or "attack.icd" in blamed, "the driver is not blamed")
                time.sleep(0.2)
                left = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split()
                for pid in left:
                    os.kill(int(pid), signal.SIGKILL)
                expect(not left, "a process that the driver started is still there")
            yield f"{deed} {moment[3:].lower()}", trial


# A mount namespace of the trial's own, with what `$1` lists emptied.
EMPTY = """
set -e
for folder in $1; do mount -t tmpfs none "$folder"; done
case " $1 " in *" /dev "*) mknod -m 666 /dev/null c 1 3 ;; esac
shift
exec "$@"
"""


def kind_empty_host(random):
    """Kernel files that are missing mean that nothing is known, not that there is no GPU."""
    if os.geteuid() != 0:
        return
    places = ("/sys", "/dev", "/sys/bus", "/sys/class", "/sys/bus/pci", "/sys/devices", "/proc/driver", "/etc", "/run",
              "/sys/bus/pci/devices", "/sys/module")
    for place in places:
        for command in ("check", "visible"):
            def trial(program, _, place=place, command=command):
                arguments = ("check", "--quick", "--format", "json") if command == "check" else ("visible",)
                done = program.run(*arguments, wrap=("unshare", "--mount", "--propagation", "private", "sh", "-c", EMPTY, "sh", place),
                                   seconds=60)
                expect(done.status != 0 or command == "visible", "passed")
                if command == "check" and place in ("/sys", "/sys/bus", "/sys/bus/pci", "/sys/bus/pci/devices"):
                    certain = {f["id"] for f in json.loads(done.text)["findings"] if f["id"] == "hardware.no-gpu"}
                    expect(not certain, "no GPU is claimed where the bus could not be read")
            yield f"{command} without {place}", trial


def kind_run(random):
    """`run` hands on bytes and statuses whatever its own streams and arguments are."""
    for status in (0, 1, 2, 3, 7, 100, 125, 126, 127, 128, 255):
        yield f"status {status}", lambda program, _, s=status: expect(
            program.run("run", "--quiet", "--", "sh", "-c", f"exit {s}", statuses=(s,)).status == s, "another status")
    for number in (1, 2, 3, 6, 9, 11, 13, 14, 15):
        yield f"signal {number}", lambda program, _, n=number: program.run(
            "run", "--quiet", "--", "sh", "-c", f"kill -{n} $$", statuses=(128 + n,))
    for size in (0, 1, 65_537, 3_000_000):
        def trial(program, _, size=size):
            content = os.urandom(size)
            done = program.run("run", "--quiet", "--", "cat", stdin=content, statuses=(0,), raw=True)
            expect(done.out == content, "other bytes")
        yield f"{size} bytes", trial
    for word in ("--", "-h", "--version", "", " ", "$(touch ran)", "`touch ran`", "'", '"', "*", "\n", "é", "-o", "=x"):
        def trial(program, _, word=word):
            done = program.run("run", "--quiet", "--", "printf", "%s", word, statuses=(0,))
            expect(done.out == word.encode(), f"the argument arrived as {done.out!r}")
            expect(not (program.folder / "ran").exists(), "a shell was used")
        yield f"the argument {word!r}", trial
