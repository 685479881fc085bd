"""Hostile files: logs, snapshots, reports, arrays, scripts."""
import gzip
import io
import json
import lzma
import os
import pathlib
import shutil
import struct
import subprocess
import zipfile

from trial import Wrong, expect

examples = pathlib.Path(__file__).resolve().parents[2] / "docs/examples"

# Lines of our own wording after what programs print, with the diagnosis that must follow.
LOGS = {
    "driver.too-old": "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
    "driver.version-mismatch": "Failed to initialize NVML: Driver/library version mismatch",
    "runtime.arch-unsupported": "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    "memory.out-of-memory": "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total "
                       "capacity; 21.10 GiB already allocated; 1.20 GiB free; 21.30 GiB reserved in total by PyTorch)",
    "cpu.isa-missing": "Process finished with exit code 132 (interrupted by signal 4: SIGILL)",
}


def ids(done):
    try:
        return {finding["id"] for finding in json.loads(done.text)["findings"]}
    except (ValueError, KeyError) as error:
        raise Wrong(f"no report: {error}: {done.err[:200]!r}") from None


def diagnose_log(program, content):
    return program.run("diagnose", "--log", program.file("train.log", content), "--format", "json")


def kind_log_forms(random):
    """The same line in other encodings, line endings, compressions and company is the same cause."""
    progress = "".join(f"\rEpoch 1/3: {i}%|###       | {i}/400" for i in range(400))
    forms = {
        "crlf": lambda line: f"start\r\n{line}\r\nend\r\n".encode(),
        "carriage returns": lambda line: f"start\r{line}\rend\r".encode(),
        "behind a progress bar": lambda line: f"start{progress}\r{line}\n".encode(),
        "before a progress bar": lambda line: f"{line}{progress}\n".encode(),
        "utf-8 with mark": lambda line: b"\xef\xbb\xbf" + line.encode(),
        "utf-16 little": lambda line: b"\xff\xfe" + f"start\n{line}\n".encode("utf-16-le"),
        "utf-16 big": lambda line: b"\xfe\xff" + f"start\n{line}\n".encode("utf-16-be"),
        "utf-16 crlf": lambda line: b"\xff\xfe" + f"start\r\n{line}\r\n".encode("utf-16-le"),
        "utf-16 little without mark": lambda line: f"start\n{line}\n".encode("utf-16-le"),
        "utf-16 big without mark": lambda line: f"start\n{line}\n".encode("utf-16-be"),
        "gzip": lambda line: gzip.compress(f"{line}\n".encode()),
        "two gzip members": lambda line: gzip.compress(b"start\n") + gzip.compress(f"{line}\n".encode()),
        "xz": lambda line: lzma.compress(f"{line}\n".encode()),
        "two xz streams": lambda line: lzma.compress(b"start\n") + lzma.compress(f"{line}\n".encode()),
        "utf-16 in gzip": lambda line: gzip.compress(b"\xff\xfe" + f"{line}\n".encode("utf-16-le")),
        "coloured": lambda line: f"\x1b[31mERROR\x1b[0m \x1b[1m{line}\x1b[0m\n".encode(),
        "with a NUL": lambda line: f"start\0\n{line}\n".encode(),
        "with broken utf-8": lambda line: b"\xff\xc0\x80\n" + line.encode() + b"\n",
        "behind a long line": lambda line: b"x" * 300_000 + b"\n" + line.encode() + b"\n",
        "among many lines": lambda line: b"step loss 0.5\n" * 20_000 + line.encode() + b"\n" + b"step loss 0.4\n" * 20_000,
        "no final newline": lambda line: line.encode(),
        "indented": lambda line: f"      | {line}\n".encode(),
        "with a time stamp": lambda line: f"2026-01-02T03:04:05.678Z stderr F {line}\n".encode(),
        "in a JSON log": lambda line: (json.dumps({"time": 1, "msg": line}) + "\n").encode(),
    }
    if shutil.which("zstd"):
        forms["zstd"] = lambda line: subprocess.run(["zstd", "-c"], input=f"{line}\n".encode(), capture_output=True).stdout
    for cause, line in LOGS.items():
        for form, make in forms.items():
            def trial(program, _, cause=cause, line=line, make=make):
                found = ids(diagnose_log(program, make(line)))
                expect(cause in found, f"{cause} is not found: {sorted(found)}")
            yield f"{cause} {form}", trial


def kind_not_logs(random):
    """What is no text is a usage error, not a log without faults."""
    binaries = [path for path in ("/bin/bash", "/bin/ls", "/bin/cat", "/usr/bin/env", "/bin/sleep", "/usr/bin/python3")
                if os.path.exists(path)]
    for path in binaries:
        yield path, lambda program, _, path=path: program.refuses("diagnose", "--log", path, names=path)
    headers = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff\xe0", "zip": b"PK\x03\x04", "pdf body": b"%PDF-1.7\n",
               "sqlite": b"SQLite format 3\0", "pickle": b"\x80\x04\x95", "elf": b"\x7fELF\x02\x01\x01", "tar": b"x" * 257 + b"ustar\0"}
    for name, header in headers.items():
        for size in (2_000, 60_000):
            content = header + bytes(random.randrange(256) for _ in range(size))
            yield f"{name} of {size}", lambda program, _, c=content: program.refuses("diagnose", "--log", program.file("it", c))
    for size in (1, 10, 1000, 100_000):
        content = bytes(size)
        yield f"{size} NULs", lambda program, _, c=content: expect(
            diagnose_log(program, c).status != 0, "NULs are a passed log")


def kind_compressed_damage(random):
    """Damaged compressed logs are refused by name; bombs end within limits."""
    line = (LOGS["driver.too-old"] + "\n").encode()
    packed = {"gzip": gzip.compress(line * 50), "xz": lzma.compress(line * 50)}
    for form, whole in packed.items():
        for place in sorted(random.sample(range(12, len(whole) - 1), 8)):
            yield f"{form} cut at {place}", lambda program, _, c=whole[:place]: program.refuses(
                "diagnose", "--log", program.file("cut.log", c), names="cut.log")
        for place in sorted(random.sample(range(len(whole) // 2, len(whole) - 1), 3)):
            broken = whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1:]
            yield f"{form} with byte {place} changed", lambda program, _, c=broken: program.refuses(
                "diagnose", "--log", program.file("bad.log", c), names="bad.log")
        make = gzip.compress if form == "gzip" else lzma.compress
        bomb = make(bytes(200 << 20))
        yield f"{form} bomb", lambda program, _, c=bomb: program.run("diagnose", "--log", program.file("bomb", c), seconds=15)
        yield f"{form} bomb in a bomb", lambda program, _, c=make(bomb): program.run(
            "diagnose", "--log", program.file("bomb", c), seconds=15)


def values_of(document, path=()):
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from values_of(value, (*path, key))


def replaced(document, path, value):
    if not path:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = replaced(copy[path[0]], path[1:], value)
    return copy


def kind_snapshots(random):
    """A snapshot that is cut, bent or stuffed: a report or a usage error, never a crash."""
    text = (examples / "healthy.json").read_text()
    whole = json.loads(text)
    for place in random.sample(range(len(text)), 40):
        yield f"cut at {place}", lambda program, _, p=place: program.refuses(
            "diagnose", program.file("s.json", text[:p]), names="s.json")
    odd = [None, True, -1, 2**63, -2**63 - 1, 1e308, "", "\0", "\u202e", "x" * 100_000, [], {}, [[]], {"absent": 1}, {"failed": []}]
    for place in random.sample(list(values_of(whole)), 90):
        value = random.choice(odd)
        yield f"{'/'.join(map(str, place))} is {str(value)[:20]!r}", lambda program, _, p=place, v=value: program.run(
            "diagnose", program.file("s.json", json.dumps(replaced(whole, p, v))))
    for depth in (31, 33, 1000, 1_000_000):
        yield f"{depth} lists deep", lambda program, _, d=depth: program.refuses(
            "diagnose", program.file("s.json", '{"schema": "envdoctor.snapshot/1", "pci": ' + "[" * d + "]" * d + "}"))


def report(verdict="pass", findings=(), host=None):
    """A report as a host of a fleet would send it."""
    snapshot = json.loads((examples / "healthy.json").read_text())
    snapshot["host"].update(host or {})
    document = {"schema": "envdoctor.report/1", "snapshot": snapshot, "findings": list(findings), "checks": [], "stacks": [],
                "verdict": verdict, "verdict_why": "as made", "tool": {"name": "envdoctor", "version": "0.1.0"}, "waived": []}
    return {key: value for key, value in document.items() if value is not None}


def kind_fleet_verdicts(random):
    """A report that failed, or whose verdict nobody knows, never makes a passed fleet."""
    passed = json.dumps(report())
    for others in (0, 1, 5):
        for verdict in ("fail", "incomplete", "FAIL", "ok", "", "passed", 0, True, [], {}, None):
            def trial(program, _, verdict=verdict, others=others):
                for i in range(others):
                    program.file(f"fleet/good{i}.json", passed)
                program.file("fleet/odd.json", json.dumps(report(verdict)))
                done = program.run("fleet", program.folder / "fleet")
                expect(done.status != 0, f"exit status 0 with the verdict {verdict!r}")
                expect(verdict != "fail" or done.status == 1, f"exit status {done.status} with a host that failed")
            yield f"{verdict!r} beside {others}", trial


def kind_fleet_outliers(random):
    """One host among many that differs in a version is reported."""
    hosts = {"kernel": ("5.15.0-113-generic", "6.8.0-1-generic"), "os": ("Ubuntu 22.04.4 LTS", "Rocky Linux 9.4"),
             "arch": ("x86_64", "aarch64"), "virtualization": ("none", "kvm"), "container": ("none", "docker")}
    for key, (usual, other) in hosts.items():
        for count in (6, 20, 60, 200):
            def trial(program, _, key=key, usual=usual, other=other, count=count):
                for i in range(count):
                    program.file(f"fleet/host{i:04}.json", json.dumps(report(host={key: other if i == count // 3 else usual})))
                done = program.run("fleet", program.folder / "fleet", seconds=30)
                expect(other in done.text and f"host{count // 3:04}" in done.text, f"the one host with {other} is not reported")
            yield f"{key} of one in {count}", trial


def npy(shape=(4, 4), descr="<f4", data=None, header=None, version=1):
    text = header if header is not None else f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    count = 1
    for length in shape:
        count *= max(length, 0)
    size = int(descr[2:]) if descr[2:].isdigit() else 4
    body = bytes(min(count * size, 1 << 16)) if data is None else data
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode() + body


def kind_npy(random):
    """An array file that lies about itself is refused; equal ones stay equal."""
    good = npy()
    attacks = {f"cut at {n}": good[:n] for n in random.sample(range(len(good)), 12)}
    for shape in ((-1,), (2**62, 2**62), (2**63,), (0, -5), (1 << 40,), (10**18,)):
        attacks[f"shape {shape}"] = npy(shape=shape, data=b"\0" * 64)
    for descr in ("|O", "<f3", "<q9", "|V8", "<U4", "<M8[ns]", ">f4x", "", "<f99999999999"):
        attacks[f"type {descr!r}"] = npy(header=f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (4, 4), }}")
    for header in ("", "{", "[]", "{'descr': '<f4'}", "{'shape': (4,)}", "__import__('os').abort()", "{'descr': '<f4', " * 500):
        attacks[f"header {header[:20]!r}"] = npy(header=header)
    for version in (0, 4, 255):
        attacks[f"format {version}"] = b"\x93NUMPY" + bytes([version, 0]) + good[8:]
    for name, content in attacks.items():
        yield name, lambda program, _, c=content: program.refuses(
            "compare", program.file("a.npy", c), program.file("b.npy", good), names="a.npy")


def npz(members, method=zipfile.ZIP_STORED):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return memory.getvalue()


def kind_npz(random):
    """Archives of arrays: what Python would read otherwise, or not at all, is refused."""
    import warnings
    warnings.simplefilter("ignore")
    ones, zeros = npy(data=struct.pack("<f", 1.0) * 16), npy()
    good = npz([("a.npy", ones), ("b.npy", zeros)])
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        word = "stored" if method == zipfile.ZIP_STORED else "deflated"
        whole = npz([("a.npy", ones), ("b.npy", zeros)], method)
        attacks = {f"{word}, a name twice": npz([("a.npy", ones), ("b.npy", zeros), ("a.npy", zeros)], method)}
        for n in random.sample(range(1, len(whole)), 10):
            attacks[f"{word}, cut at {n}"] = whole[:n]
        start = whole.index(b"a.npy") + 5
        for n in random.sample(range(start + 10, start + (60 if method else 180)), 6):
            attacks[f"{word}, byte {n} of the content changed"] = whole[:n] + bytes([whole[n] ^ 0xFF]) + whole[n + 1:]
        attacks[f"{word}, encrypted"] = whole.replace(b"PK\x03\x04\x14\0\0\0", b"PK\x03\x04\x14\0\1\0").replace(
            b"PK\1\2\x14\3\x14\0\0\0", b"PK\1\2\x14\3\x14\0\1\0")
        for name, content in attacks.items():
            yield name, lambda program, _, c=content: program.refuses(
                "compare", program.file("a.npz", c), program.file("b.npz", good), names="a.npz")
    for name in ("../../a.npy", "/etc/a.npy", "a\nb.npy", "\x1b[31m.npy", "a" * 5000 + ".npy", "CON.npy"):
        content = npz([(name, ones)])
        yield f"a member {name[:12]!r}", lambda program, _, c=content: program.run(
            "compare", program.file("a.npz", c), program.file("b.npz", c))
    bomb = npz([("a.npy", npy(shape=(1 << 27,), data=bytes(1 << 29)))], zipfile.ZIP_DEFLATED)
    yield "a bomb of 512 MiB", lambda program, _: program.run(
        "compare", program.file("a.npz", bomb), program.file("b.npz", bomb), seconds=30)


def kind_scripts(random):
    """A script is read and never run, whatever it holds."""
    marker = "open('ran', 'w').write('1')"
    scripts = {
        "plain": marker, "decorator": f"@(lambda f: {marker})\ndef f(): pass", "class body": f"class A:\n  {marker}",
        "default": f"def f(x={marker}): pass", "annotation": f"x: ({marker}) = 1", "f-string": f"f'{{{marker}}}'",
        "coding": "# -*- coding: rot13 -*-\n" + marker, "null": "x = 1\0\n" + marker, "bom": "\ufeff" + marker,
        "deep": "(" * 3000 + ")" * 3000, "long": "x = " + "+".join(["1"] * 20_000), "tabs": "if 1:\n\tx\n        y",
        "nested": "".join(" " * i + "if 1:\n" for i in range(90)) + " " * 90 + "pass", "surrogate": "x = '\\ud800'",
        "huge number": "x = " + "9" * 10_000, "import hook": "import sys; sys.meta_path.clear()\nimport torch",
        "sitecustomize": marker, "empty": "", "comment": "#" * 100_000, "escape": "x = '\x1b[31m'", "latin-1": "x = 'é'",
        "walrus": f"(y := {marker})", "match": f"match {marker}:\n  case _: pass", "lambda": f"(lambda: {marker})()",
    }
    for name, text in scripts.items():
        def trial(program, _, name=name, text=text):
            content = text.encode("latin-1") if name == "latin-1" else text.encode("utf-8", "surrogatepass")
            if name == "sitecustomize":
                program.file("sitecustomize.py", marker)
            program.run("script", program.file("train.py", content), seconds=30)
            expect(not (program.folder / "ran").exists(), "the script was run")
        yield name, trial
