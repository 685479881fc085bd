"""The package envdoctor: its functions on this host and on captured ones, arrays of real NumPy, mypy --strict, Python 3.8.

Arguments: the source folder, the program."""
import array
import ast
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "app"))
import readers

readers.run_inside()
source, binary = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
sys.path[:0] = [str(source / "python"), str(source / "tests/python")]
os.environ["ENVDOCTOR"] = binary
import stand_in

own_folder = tempfile.TemporaryDirectory()
tempfile.tempdir = own_folder.name
FRAMEWORKS = ("numpy", "torch", "tensorflow", "jax", "keras")
begin = time.monotonic()
import envdoctor

failures = []


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {what}")


def raises(name, kind, work, *words):
    try:
        work()
    except kind as error:
        expect(name, all(word in str(error) for word in words), error)
        return error
    except Exception as error:
        expect(name, False, f"{type(error).__name__} instead of {kind.__name__}: {error}")
    else:
        expect(name, False, "nothing was raised")


# This host, and that no framework comes along.
report = envdoctor.check(quick=True)
expect("check", report.verdict in ("pass", "warn", "fail", "incomplete") and report.checks and report.snapshot["schema"] == "envdoctor.snapshot/1", report)
expect("check", report.raw["schema"] == "envdoctor.report/1" and all(f.id and f.severity for f in report.findings), report.findings)
found = envdoctor.verify(kernels=["triad", "dot"], devices="host")
ran = {row["kernel"] for row in found.snapshot["compute"] if row["agreement"]["outcome"] in ("same-bits", "within-bound")}
expect("verify", ran == {"triad", "dot"}, found.snapshot.get("compute"))
expect("visible", isinstance(envdoctor.visible().stacks, tuple))
expect("imports", not set(FRAMEWORKS) & set(sys.modules), "a framework was imported")

# Files, texts, and what is neither.
host = source / "fixtures/hosts/made-a100-module-and-library-differ/expected"
for given in (host / "snapshot.json", str(host / "report.json"), (host / "snapshot.json").read_text(), (host / "snapshot.json").read_bytes()):
    found = envdoctor.diagnose(given)
    expect("diagnose", found.cause and found.cause.id == "driver.version-mismatch" and found.cause.root and found.cause.evidence[0].path, str(given)[:60])
found = envdoctor.diagnose("step 1\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
expect("log", found.cause.id == "memory.out-of-memory" and found.cause.evidence[0].line == 2, found.cause)
found = envdoctor.diagnose('{"level": "error", "text": "CUDA error: no kernel image is available for execution on the device"}\n')
expect("a log of JSON", found.verdict in ("fail", "incomplete"), found.verdict)
found = envdoctor.diagnose("step 1\nRuntimeError: the frobnicator of shard 3 refused\n")
expect("undetermined", found.undetermined and found.undetermined.lines == 2 and found.undetermined.decisive[0].line == 2, found.undetermined)
raises("no file", FileNotFoundError, lambda: envdoctor.diagnose("no/such/train.log"))
raises("no file", FileNotFoundError, lambda: envdoctor.diagnose(pathlib.Path("no/such/train.log")))
raises("no log", envdoctor.UsageError, lambda: envdoctor.diagnose(b"\x7fELF" + bytes(300)))
raises("no GPU asked for", envdoctor.UsageError, lambda: envdoctor.require(gpus=0), "gpus=0")
raises("no diagnosis", envdoctor.UsageError, lambda: envdoctor.check(quick=True, only="driver.no-such"), "driver.no-such")
os.environ["ENVDOCTOR"] = "/no/such/program"
raises("no program", envdoctor.ProgramError, envdoctor.check, "/no/such/program")
os.environ["ENVDOCTOR"] = binary


def on(name, **need):
    """What `require` says of a captured host: empty where all is there."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ENVDOCTOR"] = stand_in.make(folder, binary, source / f"fixtures/hosts/{name}/expected/snapshot.json")
        try:
            envdoctor.require(**need)
            return "", True
        except envdoctor.Unavailable as error:
            return error.cause, error.known
        finally:
            os.environ["ENVDOCTOR"] = binary


for name, need, begins, known in (
        ("made-a100-healthy", {}, "", True), ("made-eight-h100-healthy", {"gpus": 8, "memory_gib": 79, "arch": "sm_90"}, "", True),
        ("made-eight-h100-healthy", {"gpus": 9}, "expect.gpus: 9 GPUs needed, 8 usable", True),
        ("made-a100-healthy", {"memory_gib": 100}, "expect.gpus: 1 GPU, 100 GiB needed, 0 usable", True),
        ("made-a100-healthy", {"arch": "sm_80"}, "", True), ("made-a100-healthy", {"arch": "sm_90"}, "expect.gpus: 1 GPU, sm_90 needed, 0 usable", True),
        ("made-a100-healthy", {"arch": "gfx942"}, "expect.gpus: ", True),
        ("made-a100-module-and-library-differ", {}, "driver.version-mismatch: ", True), ("made-no-gpu-server", {}, "hardware.no-gpu: ", True),
        ("made-visible-devices-empty", {}, "visibility.empty: ", True), ("made-gtx970-nouveau-bound", {}, "driver.nouveau-bound: ", True),
        ("made-pod-one-of-eight-h100", {}, "", True), ("made-pod-one-of-eight-h100", {"gpus": 2}, "expect.gpus: 2 GPUs needed, 1 usable", True),
        ("made-arc-a770-healthy", {}, "", True), ("made-mi300x-no-render-group", {}, "driver.permission: ", True)):
    said, sure = on(name, **need)
    expect(f"{name} {need}", said.startswith(begins) and bool(said) == bool(begins) and sure == known, (said, sure))
# Each of several frameworks in one environment gets its own cause.
both = json.loads((source / "fixtures/hosts/made-a100-healthy/expected/snapshot.json").read_text())
both["python"] = {"executable": "/opt/venv/bin/python", "version": "3.11.7", "kind": "venv", "packages": {"torch": "2.15.0", "jax": "0.10.2", "jaxlib": "0.10.2"}, "others": []}
both["torch"] = {"version": "2.15.0+cu132", "cuda_version": "13.2", "cuda_available": False, "device_count": 0}
both["jax"] = {"version": "0.10.2", "jaxlib_version": "0.10.2", "backend": "cpu", "devices": ["cpu:0"], "plugins": {}}
seen = envdoctor.diagnose(json.dumps(both))
for framework, cause in (("torch", "driver.too-old: "), ("jax", "runtime.cpu-only-build: "), ("tensorflow", "expect.framework: tensorflow is not installed")):
    raises(f"the cause for {framework}", envdoctor.Unavailable, lambda framework=framework: envdoctor.require(framework=framework, report=seen), cause)
for need in ({"gpus": 0}, {"framework": "caffe"}, {"arch": "ampere"}, {"memory_gib": -1}):
    raises(f"require {need}", envdoctor.UsageError, lambda need=need: envdoctor.require(**need))

# Documents of other versions: unknown fields are passed over, what is missing or of another type is not known.
odd = envdoctor._reports.read(envdoctor.Report, {"verdict": "pass", "new": 1, "findings": [{"id": "a.b", "root": True, "severity": "error", "fix": 7, "caused_by": [1, "x"]}, 3], "undetermined": None})
expect("odd", odd.verdict == "pass" and odd.cause.id == "a.b" and odd.cause.fix == () and odd.cause.caused_by == ("x",) and odd.verdict_why == "", odd)
import pickle
sent = pickle.loads(pickle.dumps(envdoctor.Unavailable("a.b: why", "a.b", True, report)))
expect("sent", (str(sent), sent.id, sent.known, sent.report) == ("a.b: why", "a.b", True, report), sent)
raises("frozen", AttributeError, lambda: setattr(report, "verdict", "pass"))

# Arrays without NumPy.
same = envdoctor.compare([[1, 2], [3, 4]], [[1, 2], [3, 4.5]])
expect("lists", not same.alike and same.arrays[0].worst_place == (1, 1) and same.arrays[0].shape == (2, 2), same)
expect("buffers", envdoctor.compare(array.array("f", [1, 2]), memoryview(array.array("f", [1, 2]))).alike)
expect("bytes", envdoctor.compare(bytearray(b"ab"), b"ab").alike)
raises("ragged", envdoctor.UsageError, lambda: envdoctor.compare([[1], [1, 2]], [1]), "lengths")
raises("no array", envdoctor.UsageError, lambda: envdoctor.compare({"a": 1}, [1]))
raises("a list of arrays", envdoctor.UsageError, lambda: envdoctor.compare([array.array("f", [1])], [1]), "a list of array is no array")
raises("no operation", envdoctor.UsageError, lambda: envdoctor.compare([1], [1], op="matmull"), "matmul")
expect("imports", not set(FRAMEWORKS) & set(sys.modules), "a framework was imported")

import numpy
draw = numpy.random.default_rng(7)
a, b = draw.standard_normal((64, 512)).astype("f4"), draw.standard_normal((512, 32)).astype("f4")
exact, there = (a.astype("f8") @ b).astype("f4"), a @ b
expect("rounding", envdoctor.compare(exact, there, op="matmul", depth=512).alike)
there[17, 5] += 1
wrong = envdoctor.compare(exact, there, op="matmul", depth=512)
expect("one wrong", not wrong.alike and wrong.arrays[0].worst_place == (17, 5) and wrong.arrays[0].judgement == "none" and wrong.arrays[0].beyond == 1, wrong)
for form in (exact.T, exact[::2, ::-1], exact.astype("f2"), exact.astype(">f8"), exact.astype("i4"), exact > 0, exact.astype("c8"), numpy.float32(3), numpy.zeros((2, 0, 3))):
    written = pathlib.Path(own_folder.name) / "a.npy"
    written.unlink(missing_ok=True)
    envdoctor._arrays.write(form, str(written))
    again = numpy.load(written)
    expect("npy", again.dtype == form.dtype and again.shape == form.shape and (again == form).all(), form.dtype)
    expect("npy", written.read_bytes()[:8] == b"\x93NUMPY\x01\x00" and (written.stat().st_size - numpy.asarray(form).nbytes) % 64 == 0, "header")
import ml_dtypes
expect("bfloat16", envdoctor.compare(exact.astype(ml_dtypes.bfloat16), exact.astype(ml_dtypes.bfloat16)).arrays[0].type_a == "bfloat16")
for eight_bits in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
    narrow = exact.astype(eight_bits)
    found = envdoctor.compare(narrow, narrow.astype("f4")).arrays[0]
    expect("eight bits", (found.name, found.type_a, found.shape, found.differing) == ("", eight_bits.__name__, (64, 32), 0), found)
expect("shapes", "shape" in envdoctor.compare(exact, exact[1:]).arrays[0].error, envdoctor.compare(exact, exact[1:]))
class Protocol:
    """Offers only what is named."""

    def __init__(self, **offers):
        for name, value in offers.items():
            setattr(type(self), name, value)


for name, one in (("dlpack", type("D", (Protocol,), {})(__dlpack__=lambda self, **more: exact.__dlpack__(**more), __dlpack_device__=lambda self: exact.__dlpack_device__())),
                  ("array", type("A", (Protocol,), {})(__array__=lambda self: exact)), ("numpy", type("N", (Protocol,), {})(numpy=lambda self: exact)),
                  ("cuda", type("C", (Protocol,), {})(__cuda_array_interface__={}, get=lambda self: exact, __array__=None))):
    expect(name, envdoctor.compare(exact, one).alike, name)
def without_values(self):
    raise NotImplementedError("Cannot convert a symbolic tensor")


raises("symbolic", envdoctor.UsageError, lambda: envdoctor.compare(type("S", (Protocol,), {})(__array__=without_values), exact), "S holds no numbers", "symbolic tensor")
raises("objects", envdoctor.UsageError, lambda: envdoctor.compare(numpy.array([{}]), [1]))
expect("temporary", not list(pathlib.Path(own_folder.name).glob("envdoctor-*")), "arrays are left")

# A block of this process.
with envdoctor.Watch() as watch:
    time.sleep(1.2)
expect("watch", watch.use in ("never-opened", "unknown") and watch.worked in (False, None) and watch.line, (watch.use, watch.line))
raises("watch", envdoctor.Unavailable, watch.require)


def fails():
    with envdoctor.Watch():
        raise KeyError("mine")


raises("watch", KeyError, fails, "mine")

# The program's answer about a block is reported unchanged; without an answer it is unknown.
for line, use, worked in (('{"verdict": {"use": "ran", "worked": true, "line": "ran on GPU 0"}}', "ran", True), ('{"verdict": {"use": "idle", "worked": false, "line": "opened"}}', "idle", False),
                          ('{"verdict": {"use": "unknown", "worked": false, "line": "?"}}', "unknown", None), ("", "unknown", None), ("[]", "unknown", None)):
    program = pathlib.Path(own_folder.name) / "program"
    program.write_text(f"#!/bin/sh\ncat\necho '{line}'\n")
    program.chmod(0o755)
    os.environ["ENVDOCTOR"] = str(program)
    with envdoctor.Watch() as watch:
        pass
    os.environ["ENVDOCTOR"] = binary
    expect(f"watch {line}", (watch.use, watch.worked) == (use, worked), (watch.use, watch.worked, watch.line))

# Types, and the oldest Python.
done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", source / "python/envdoctor"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tempfile.gettempdir())
expect("mypy", done.returncode == 0, done.stdout[-600:])
done = subprocess.run([pathlib.Path(sys.executable).parent / "vermin", "--no-tips", "--violations", "-t=3.8-", source / "python/envdoctor"], stdout=subprocess.PIPE, text=True)
expect("3.8", done.returncode == 0 and "Minimum required versions: 3." in done.stdout, done.stdout[-600:])
for file in (source / "python/envdoctor").glob("*.py"):
    tree = ast.parse(file.read_text(), feature_version=(3, 8))
    expect("3.8", any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body) or file.name in ("__init__.py", "__main__.py"), f"{file.name}: annotations are evaluated")
    for node in ast.walk(tree):  # aliases and bases are evaluated even so
        bases = [*node.bases] if isinstance(node, ast.ClassDef) else [node.value] if isinstance(node, ast.Assign) else []
        plain = [n for base in bases for n in ast.walk(base) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in ("dict", "list", "tuple", "set", "type")]
        expect("3.8", not plain, f"{file.name}:{getattr(node, 'lineno', 0)}")
public = [getattr(envdoctor, name) for name in envdoctor.__all__]
expect("docstrings", all(thing.__doc__ for thing in public), [thing for thing in public if not thing.__doc__])

print("\n".join(failures[:20]))
print(f"{len(failures)} failures in {time.monotonic() - begin:.0f} s")
sys.exit(bool(failures))
