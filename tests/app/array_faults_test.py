"""`envdoctor compare` on pairs of arrays, one of them damaged: no fault is called rounding, and the description is correct.

Arguments: the source folder, the program."""
import collections
import io
import json
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import types
import zipfile

import readers

readers.run_inside()
import jsonschema
import ml_dtypes
import numpy as np
import safetensors.numpy

binary = sys.argv[2]
folder = pathlib.Path(tempfile.mkdtemp())
failures = []
schema = jsonschema.Draft7Validator(json.loads((pathlib.Path(sys.argv[1]) / "docs/schema/compare-1.json").read_text()))
rng = np.random.default_rng(20261123)


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {what}")


def save(name, array):
    if isinstance(array, pathlib.Path):
        return array
    np.save(folder / name, array)
    return folder / name


def compare(name, a, b, *more, status, judgement=..., says=(), **keys):
    """Both forms of the answer; `keys` are members of the JSON of the first array."""
    command = [binary, "compare", str(save("a.npy", a)), str(save("b.npy", b)), *more]
    done = subprocess.run([*command, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    expect(name, done.returncode == text.returncode == status, f"exit {done.returncode}, not {status}: {done.stderr.decode()[:300]}")
    words = " ".join((text.stdout + text.stderr).decode().split())
    for word in [says] if isinstance(says, str) else says:
        expect(name, word in words, f"does not say '{word}': {words[:1500]}")
    if status == 2 or not done.stdout:
        return []
    document = json.loads(done.stdout, parse_constant=lambda word: failures.append(f"{name}: {word} is no JSON"))
    for error in schema.iter_errors(document):
        failures.append(f"{name}: at {list(error.absolute_path)}: {error.message[:200]}")
    arrays = document["arrays"]
    if judgement is not ...:
        expect(name, arrays[0].get("judgement") == judgement, f"{arrays[0].get('judgement')}: {arrays[0].get('explanation')}")
    for key, value in keys.items():
        expect(name, arrays[0].get(key) == value, f"{key} is {arrays[0].get(key)}, not {value}")
    return arrays


# Integers are compared exactly, beyond 2^53 as well.
big = np.array([2**53 + 1, 5, -(2**62) - 1], np.int64)
for dtype in (np.int64, np.uint64):
    whole = np.abs(big).astype(dtype)
    off = whole.copy()
    off[0] -= 1
    compare(f"{dtype.__name__} beyond 2^53", whole, off, status=1, judgement="none", differing=1, worst_a="9007199254740993",
            says="1 of 3 numbers differs, at [0], by 1; all others have the same bits.")
compare("int64 as float64", big, big.astype(np.float64), status=1, differing=2)
compare("uint64 and int64", np.array([2**63], np.uint64), np.array([-(2**63)], np.int64), status=1, differing=1)
compare("int8 at --op", np.array([1, 2], np.int8), np.array([1, 3], np.int8), "--op", "add", status=1, judgement="none", says="exactly")

# Sums.
sums = rng.random(2560).astype(np.float32) + 1
for depth in ("10000000", "1000000000000"):
    compare("a deep sum against zeros", sums, np.zeros_like(sums), "--op", "sum", "--depth", depth, status=1, judgement="none", zero_in_b=2560)
compare("one deep sum against zero", sums[:1], sums[:1] * 0, "--op", "sum", "--depth", "10000000", status=1, judgement="none")
signed = rng.standard_normal(4096).astype(np.float32) * np.exp(rng.uniform(-20, 0, 4096)).astype(np.float32)
zeroed = signed.copy()
zeroed[np.argsort(np.abs(signed))[:1700]] = 0
compare("small sums zeroed beside large ones", signed, zeroed, "--op", "sum", "--depth", "4096", status=1, judgement="none")
huge = rng.standard_normal((16, 16)) * 1e200
compare("float64 1e200 and twice that", np.array([1e200]), np.array([2e200]), "--op", "sum", "--depth", "8", status=1, judgement="none")
for op in ("matmul", "conv", "scan", "sum"):
    compare(f"1e200 doubled, {op}", huge, huge * 2, "--op", op, "--depth", "8", status=1, judgement="none", max_relative=1.0)
compare("1.7e308 and its negative", np.array([1.7e308] * 4), np.array([-1.7e308] * 4), "--op", "matmul", "--depth", "8", status=1, judgement="none")

# Rows.
scale = np.exp(rng.uniform(-14, 4, (96, 1))).astype(np.float32)
left, right = rng.standard_normal((96, 512)).astype(np.float32) * scale, rng.standard_normal((512, 96)).astype(np.float32)
product = (left.astype(np.float64) @ right).astype(np.float32)
small_rows = np.argsort(scale[:, 0])[:40]
spoilt = product.copy()
spoilt[small_rows] = 0
compare("40 of 96 rows zeroed, the small ones", product, spoilt, "--op", "matmul", "--depth", "512", status=1, judgement="none",
        where="rows", beyond_where="rows", says="in 40 of 96 rows as a whole")
compare("a matrix of rows of all sizes, rounded", product, left @ right, "--op", "matmul", "--depth", "512", status=0, judgement="float32-rounding")
spoilt = product.copy()
spoilt[7] = spoilt[7] * np.float32(1.01)
compare("one row", product, spoilt, "--op", "matmul", "--depth", "512", status=1, judgement="none", where="row", says=["all in row [7, :]", "local fault"])
spoilt = product.copy()
spoilt[:, 11] += np.abs(spoilt[:, 11]) * np.float32(0.01)
compare("one column", product, spoilt, "--op", "matmul", "--depth", "512", status=1, judgement="none", says="all in column [:, 11]")
spoilt = product.copy()
spoilt.reshape(-1)[9000:] = 3
compare("the tail", product, spoilt, "--op", "matmul", "--depth", "512", status=1, judgement="none", where="tail", says="from [93, 72] to the end")
spoilt = product.copy()
spoilt[16:32, 32:48] = 0
compare("a tile", product, spoilt, "--op", "matmul", "--depth", "512", status=1, judgement="none", where="block", says="in a block from [16, 32] to [31, 47]")

# One element.
for depth in (512, 4096, 100_000):
    one_sign = (rng.random((32, 64)).astype(np.float32) + np.float32(0.5)) * np.float32(depth)
    rounded = one_sign * (1 + rng.standard_normal(one_sign.shape) * 2.0**-23).astype(np.float32)
    compare("a positive product", one_sign, rounded, "--op", "matmul", "--depth", str(depth), status=0, judgement="float32-rounding")
    rounded[3, 9] *= np.float32(1.0004)
    compare("a positive product, one element wrong by 4e-4", one_sign, rounded, "--op", "matmul", "--depth", str(depth), status=1, judgement="none",
            beyond=1, beyond_where="one", says=["[3, 9]", "local fault"])
equal = rng.standard_normal((40, 64)).astype(np.float32)
wrong = equal.copy()
wrong[5, 1] += np.float32(0.01)
for op in ("matmul", "sum", "scan", "conv"):
    compare(f"one of 2560, {op}", equal, wrong, "--op", op, "--depth", "1024", status=1, judgement="none", beyond=1)
compare("one of 2560, exp", equal, wrong, "--op", "exp", status=1, judgement="none", beyond=1)
compare("one of 2560, without --op", equal, wrong, status=1, judgement=None, where="one", worst_place=[5, 1],
        says="1 of 2 560 numbers differs, at [5, 1], by 0.01; all others have the same bits.")
plain = subprocess.run([binary, "compare", folder / "a.npy", folder / "b.npy"], stdout=subprocess.PIPE).stdout.decode()
expect("the sentence comes first", plain.startswith("1 of 2 560 numbers differs"), plain[:200])



# Nothing sound is called wrong: products and sums of inputs of all kinds, in two orders of summation.
def in_order(a, b):
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total = total + a[:, k:k + 1] * b[k:k + 1]
    return total


for seed in range(6):
    r = np.random.default_rng([7, seed])
    depth, rows, columns = (int(2**r.uniform(0, most)) for most in (11, 6, 6))
    one, two = r.standard_normal((rows, depth)), r.standard_normal((depth, columns))
    by_row, by_column = np.exp(r.uniform(-9, 9, (rows, 1))), np.exp(r.uniform(-9, 9, (1, columns)))
    for kind, a, b in (("normal", one, two), ("rows", one * by_row, two), ("rows and columns", one * by_row, two * by_column),
                       ("positive", np.abs(one), np.abs(two)), ("sparse", one * (r.random(one.shape) < .1), two), ("offset", one, two + 10),
                       ("bias", one + 10, two), ("whole", np.round(one * 3), np.round(two * 3) / 8),
                       ("all sizes", one * np.exp(r.normal(0, 3, one.shape)), two * np.exp(r.normal(0, 3, two.shape)))):
        a, b = a.astype(np.float32), b.astype(np.float32)
        compare(f"{kind} {seed}: product", a @ b, in_order(a, b), "--op", "matmul", "--depth", str(depth), status=0)
        compare(f"{kind} {seed}: scan", np.cumsum(a.astype(np.float64), axis=1).astype(np.float32), np.cumsum(a, axis=1), "--op", "scan", "--depth", str(depth), status=0)

# Elementwise.
wide = np.exp(rng.uniform(-60, 60, 4096)).astype(np.float32)
doubled = wide.copy()
doubled[np.argsort(wide)[:3000]] *= 2
for op in ("add", "mul", "exp", "sqrt"):
    compare(f"3000 of 4096 doubled, {op}", wide, doubled, "--op", op, status=1, judgement="none", differing=3000)
compare("3000 of 4096 doubled, triad", wide, doubled, "--op", "triad", status=1, judgement="none")
steps = rng.integers(-2, 3, wide.size).astype(np.int32)
compare("two steps each", wide, (wide.view(np.int32) + steps).view(np.float32), "--op", "exp", status=0, judgement="float32-rounding")
compare("half of it", wide, wide * (1 + rng.uniform(-1, 1, 4096) * 2.0**-9).astype(np.float32), "--op", "mul", status=1, judgement="half-precision")
complex_ = (rng.standard_normal(500) + 1j * rng.standard_normal(500)).astype(np.complex64)
noisy = (complex_ + (np.abs(complex_) * 2.0**-24 * rng.uniform(-1, 1, 500))).astype(np.complex64)
compare("parts of complex numbers", complex_, noisy, "--op", "mul", status=0)
changed = complex_.copy()
changed[17] += 1j
compare("one imaginary part", complex_, changed, status=1, worst_place=[17], says="at [17]")

# The last bit.
last = equal.copy()
last[3, 3] = np.nextafter(last[3, 3], np.float32(9))
compare("the last bit", equal, last, status=0, judgement="float32-rounding", says="last bit")
compare("the same in another type", equal, equal.astype(np.float64) * (1 + 2.0**-30), status=0, judgement="float32-rounding")

# Nothing to compare, or not the same things.
compare("empty", np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32), status=3, says="Nothing was compared")
compare("empty at --op", np.zeros(0), np.zeros(0), "--op", "add", status=3)
np.savez(folder / "a.npz", weights=equal)
np.savez(folder / "b.npz", bias=equal)
compare("other names", folder / "a.npz", folder / "b.npz", status=1, says=["weights", "only in A", "bias", "only in B"])
compare("an archive of one and a file", folder / "a.npz", equal, status=0)

# Bits that the values don't show.
nan = equal.copy()
nan[2, 2] = np.nan
found = compare("NaN in one", equal, nan, status=1, judgement="none", not_a_number=1, worst_place=[2, 2], says=["at [2, 2]", "nan in B"])
compare("NaN in both", nan, nan, status=0, judgement="same-bits", both_nan=1)
payload = nan.view(np.uint32).copy()
payload[2, 2] |= 1
compare("NaN's payload", nan, payload.view(np.float32), status=0, judgement="same-numbers", nan_payload=1, differing=0, says="1 NaN has other bits")
zeros = equal.copy()
zeros[1] = 0
compare("the sign of zero", zeros, np.where(zeros == 0, np.float32(-0.0), zeros), status=0, judgement="same-numbers", sign_of_zero=64,
        says="All 2 560 numbers are the same, but not all bits: 64 zeros have another sign.")
tiny = equal.copy()
tiny[0, :5] = 1e-40
flushed = tiny.copy()
flushed[0, :5] = 0
for more in ((), ("--op", "mul"), ("--op", "matmul", "--depth", "64")):
    compare("flushed", tiny, flushed, *more, status=1, judgement="flushed-subnormals", flushed=5, says="flushes subnormals to zero")
flushed[9] = np.nextafter(flushed[9], np.float32(9))
compare("flushed and rounded", tiny, flushed, "--op", "mul", status=1, judgement="flushed-subnormals")

# Networks.
logits = rng.standard_normal((96, 10)).astype(np.float32)
near = logits * (1 + rng.uniform(-1, 1, logits.shape) * 5e-4).astype(np.float32)
compare("a network", logits, near, "--op", "network", status=0, judgement="within-tolerance", rtol=1e-3, atol=1e-5, top_1={"rows": 96, "agree": 96},
        says="the same in 96 of 96 rows")
compare("a network, more strictly", logits, near, "--rtol", "1e-6", "--atol", "0", status=1, judgement="outside-tolerance", rtol=1e-6, atol=0)
compare("as numpy has it", logits, near, "--rtol", "2e-4", "--atol", "2e-5", status=0 if np.allclose(near, logits, 2e-4, 2e-5) else 1)
other = logits.copy()
other[4] = -other[4]
compare("another class", logits, other, "--op", "network", status=1, judgement="outside-tolerance", top_1={"rows": 96, "agree": 95},
        says=["the same in 95 of 96 rows", "all in row [4, :]"])
compare("half a network", logits.astype(np.float16), near.astype(np.float16), "--op", "network", status=0, rtol=1e-2, atol=1e-3)
compare("a quantized one", np.array([3, 4], np.uint8), np.array([3, 5], np.uint8), "--op", "network", status=1, judgement="outside-tolerance")
compare("a quantized one, by one", np.array([3, 4], np.uint8), np.array([3, 5], np.uint8), "--atol", "1", status=0)
compare("tolerances of something else", logits, near, "--op", "exp", "--rtol", "1", status=2, says="--rtol")

# Rows in another order.
order = rng.permutation(96)
compare("rows permuted", logits, logits[order], status=1, says="B holds the rows of A in another order")
compare("rows permuted and rounded", product, (left @ right)[order], "--op", "matmul", "--depth", "512", status=1, says="in another order")
fortran = np.asfortranarray(logits)
compare("columns permuted in Fortran order", fortran, np.asfortranarray(fortran[:, ::-1]), status=1, says="columns of A in another order")
compare("other rows", logits, rng.standard_normal((96, 10)).astype(np.float32), status=1, hint="")
wrong = fortran.copy(order="F")
wrong[5, 3] += 1
compare("a place in Fortran order", fortran, wrong, status=1, worst_place=[5, 3], says="at [5, 3]")

# Further types.
values = rng.standard_normal((8, 9)).astype(np.float32)
brain = values.astype(ml_dtypes.bfloat16)
compare("bfloat16", brain, values, status=0, judgement="bfloat16-rounding", type_a="bfloat16")
changed = brain.copy()
changed[1, 2] *= 2
compare("bfloat16, one doubled", brain, changed, "--op", "add", status=1, judgement="none", beyond=1, worst_a=f"{float(brain[1, 2]):.9g}")
for name in ("float8_e4m3fn", "float8_e5m2"):
    every = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name))
    as_float = every.astype(np.float32)
    safetensors.numpy.save_file({"x": as_float}, folder / "float.safetensors")
    code = {"float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2"}[name]
    head = json.dumps({"x": {"dtype": code, "shape": [256], "data_offsets": [0, 256]}}).encode()
    (folder / "small.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + every.tobytes())
    compare(name, folder / "small.safetensors", folder / "float.safetensors", status=0, type_a=name, judgement="same-numbers")
compare("float8_e5m2 by numpy", np.arange(99, dtype=np.uint8).view(ml_dtypes.float8_e5m2), np.arange(99, dtype=np.uint8).view(ml_dtypes.float8_e5m2), status=0)
compare("which 8 bits", np.zeros(3, ml_dtypes.float8_e4m3fn), np.zeros(3, np.float32), status=2, says="does not say which type of 8 bits")

# Safetensors.
model = {"w": equal, "b": equal[0].astype(ml_dtypes.bfloat16), "n": np.array([7], np.int64), "half": equal.astype(np.float16)}
safetensors.numpy.save_file(model, folder / "a.safetensors", metadata={"format": "np"})
safetensors.numpy.save_file({**model, "n": np.array([8], np.int64)}, folder / "b.safetensors")
compare("safetensors, the same", folder / "a.safetensors", folder / "a.safetensors", status=0, says="All 4 arrays hold the same numbers.")
rows = compare("safetensors", folder / "a.safetensors", folder / "b.safetensors", status=1, says=["1 of 4 arrays differs", "by 1"])
expect("safetensors", [(r["name"], r["differing"]) for r in rows] == [("b", 0), ("half", 0), ("n", 1), ("w", 0)], rows)


def hostile(name, content, says, file="hostile.safetensors"):
    (folder / file).write_bytes(content)
    compare(name, folder / file, folder / file, status=2, says=[file, says])


def header(text, data=b""):
    return struct.pack("<Q", len(text)) + text + data


entry = b'{"dtype":"F32","shape":[2],"data_offsets":[%d,%d]}'
for name, content, says in (
        ("empty", b"", "ends inside"), ("long", struct.pack("<Q", 1 << 60) + b"{}", "at byte 0"), ("no JSON", header(b"{x}"), "no JSON"),
        ("deep", header(b'{"a":' * 50 + b"1" + b"}" * 50), "deeper"), ("twice", header(b'{"a":%b,"a":%b}' % (entry % (0, 8), entry % (8, 16)), bytes(16)), "twice"),
        ("overlap", header(b'{"a":%b,"b":%b}' % (entry % (0, 8), entry % (4, 12)), bytes(12)), "b: at data_offsets"),
        ("gap", header(b'{"a":%b}' % (entry % (8, 16)), bytes(16)), "at data_offsets"), ("cut", header(b'{"a":%b}' % (entry % (0, 8)), bytes(7)), "cut"),
        ("size", header(b'{"a":%b}' % (entry % (0, 12)), bytes(12)), "needs 8 bytes"), ("list", header(b"[1]"), "no JSON object"),
        ("type", header(b'{"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}}', bytes(1)), "of type 'F4'"),
        ("huge", header(b'{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}'), "more numbers"),
        ("negative", header(b'{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}}'), "at shape")):
    hostile(f"safetensors {name}", content, says)

# What torch.save writes: pickles of calls that are described, not made; storages are named by "persistent" identities.
torch, utils, storages = types.ModuleType("torch"), types.ModuleType("torch._utils"), types.ModuleType("torch.storage")
sys.modules.update({"torch": torch, "torch._utils": utils, "torch.storage": storages})
for module, names in ((torch, ["FloatStorage", "BFloat16Storage", "LongStorage", "ComplexFloatStorage", "float8_e5m2"]), (storages, ["UntypedStorage"]),
                      (utils, ["_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter", "_rebuild_sparse_tensor"])):
    for name in names:
        made = type(name, (), {"__module__": module.__name__}) if name.endswith("Storage") else types.FunctionType((lambda *_: None).__code__, {}, name)
        made.__module__, made.__qualname__ = module.__name__, name
        setattr(module, name, made)


class Call:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


class Storage:
    def __init__(self, key, type_, count):
        self.identity = ("storage", type_, key, "cpu", count)


class Pickler(pickle.Pickler):
    def persistent_id(self, item):
        return item.identity if isinstance(item, Storage) else None


def tensor(key, type_, array, shape=None, strides=None, offset=0):
    strides = strides or tuple(s // array.itemsize for s in array.strides)
    return Call(utils._rebuild_tensor_v2, Storage(key, type_, array.size), offset, shape or array.shape, strides, False, collections.OrderedDict())


def torch_save(name, value, data, protocol=2, **members):
    stream = io.BytesIO()
    Pickler(stream, protocol=protocol).dump(value)
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr("archive/data.pkl", stream.getvalue())
        archive.writestr("archive/byteorder", members.get("byteorder", "little"))
        for key, array in data.items():
            archive.writestr(f"archive/data/{key}", array.tobytes())
        archive.writestr("archive/version", "3\n")
    return folder / name


class StateDict(collections.OrderedDict):
    """Pickled as its base class with an attribute, as modules do."""

    def __reduce__(self):
        return collections.OrderedDict, (), {"_metadata": collections.OrderedDict([("", {"version": 1})])}, None, iter(self.items())


data = {"0": equal, "1": equal[0].astype(ml_dtypes.bfloat16), "2": np.array([300], np.int64)}
state = StateDict([("layer.weight", Call(utils._rebuild_parameter, tensor("0", torch.FloatStorage, equal), True, collections.OrderedDict())),
                   ("layer.bias", tensor("1", torch.BFloat16Storage, data["1"])), ("steps", tensor("2", torch.LongStorage, data["2"], (), ()))])
for protocol in (2, 4):
    compare("torch, one tensor", torch_save("one.pt", tensor("0", torch.FloatStorage, equal), data, protocol), equal, status=0, judgement="same-bits", shape=[40, 64])
    rows = compare("a state_dict", torch_save("state.pt", state, data, protocol), torch_save("state2.pt", state, {**data, "2": np.array([301], np.int64)}, protocol), status=1)
    expect("a state_dict", [(r["name"], r["differing"], r["type_a"]) for r in rows] ==
           [("layer.bias", 0, "bfloat16"), ("layer.weight", 0, "float32"), ("steps", 1, "int64")], rows)
    rows = compare("a checkpoint", torch_save("check.pt", {"epoch": 3, "loss": 0.5, "done": True, "model": state, "list": [tensor("0", torch.FloatStorage, equal)]}, data, protocol),
                   folder / "check.pt", status=0)
    expect("a checkpoint", [r["name"] for r in rows] == ["list.0", "model.layer.bias", "model.layer.weight", "model.steps"], rows)
compare("a transposed tensor", torch_save("t.pt", tensor("0", torch.FloatStorage, equal, (64, 40), (1, 64)), data), np.ascontiguousarray(equal.T), status=0, judgement="same-bits")
compare("a part of a storage", torch_save("t.pt", tensor("0", torch.FloatStorage, equal, (3, 64), (64, 1), 128), data), equal[2:5], status=0, judgement="same-bits")
compare("one row for many", torch_save("t.pt", tensor("0", torch.FloatStorage, equal, (5, 64), (0, 1)), data), np.repeat(equal[:1], 5, 0), status=0, judgement="same-bits")
compare("big-endian", torch_save("t.pt", tensor("0", torch.FloatStorage, equal), {"0": equal.astype(">f4")}, byteorder="big"), equal, status=0, judgement="same-bits")
compare("complex", torch_save("t.pt", tensor("0", torch.ComplexFloatStorage, complex_, (20, 25), (1, 20)), {"0": complex_}), np.ascontiguousarray(complex_.reshape(25, 20).T), status=0)
small = np.arange(100, dtype=np.uint8).view(ml_dtypes.float8_e5m2)


class Dtype:
    def __reduce__(self):
        return "float8_e5m2"


Dtype.__module__ = "torch"
third = Call(utils._rebuild_tensor_v3, Storage("0", storages.UntypedStorage, 100), 0, (100,), (1,), False, collections.OrderedDict(), Dtype())
torch.float8_e5m2 = third.arguments[-1]
compare("a type without a storage of its own", torch_save("t.pt", third, {"0": small}), small, status=0, judgement="same-bits", type_a="float8_e5m2")


class Evil:
    def __reduce__(self):
        return print, ("owned",)


def bad(name, value, says, data=data):
    torch_save("bad.pt", value, data)
    compare(name, folder / "bad.pt", folder / "bad.pt", status=2, says=["bad.pt", says])


bad("a call", [tensor("0", torch.FloatStorage, equal), Evil()], "holds __builtin__.print, which is not read")
bad("a sparse tensor", Call(utils._rebuild_sparse_tensor, 1), "torch._utils._rebuild_sparse_tensor")
conjugated = tensor("0", torch.FloatStorage, equal)
conjugated.arguments += ({"conj": True},)
bad("a conjugated tensor", conjugated, "kept conjugated or negated")
bad("no tensor", {"a": 1}, "contains no tensor")
bad("out of the storage", tensor("0", torch.FloatStorage, equal, (40, 65), (64, 1)), "out of its storage")
bad("an offset", tensor("0", torch.FloatStorage, equal, offset=1), "out of its storage")
bad("no storage", tensor("9", torch.FloatStorage, equal), "does not contain")
bad("cut", tensor("0", torch.FloatStorage, equal), "cut", {"0": equal[:3]})
bad("repeated for ever", tensor("0", torch.FloatStorage, equal, (1 << 40,), (0,)), "too often")
itself = []
itself.append(itself)
bad("a list in itself", itself, "too deep or too often")
doubling = [1]
for _ in range(28):
    doubling = [doubling, doubling]
bad("lists in lists", doubling, "too deep or too often")
bad("an unknown operation", [b"bytes", {1, 2}], "is not read")
(folder / "old.pt").write_bytes(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.")
compare("the old format", folder / "old.pt", folder / "old.pt", status=2, says=["old.pt", "version 1.6"])
good = (folder / "state.pt").read_bytes()
for at in range(0, len(good), max(1, len(good) // 150)):
    damaged = bytearray(good)
    damaged[at] ^= 0xFF
    (folder / "damaged.pt").write_bytes(damaged)
    done = subprocess.run([binary, "compare", folder / "damaged.pt", folder / "state.pt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    expect(f"byte {at}", done.returncode in (0, 1, 2), f"exit {done.returncode}")

print("\n".join(failures[:40]))
print(f"{len(failures)} failures")
sys.exit(bool(failures))
