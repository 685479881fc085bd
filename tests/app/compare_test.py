"""`envdoctor compare` on arrays that numpy wrote, with simulated arithmetics, and on malicious files.

Arguments: the source folder, the program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import readers

readers.run_inside()
import numpy as np

binary = sys.argv[2]
folder = pathlib.Path(tempfile.mkdtemp())
failures = []
rng = np.random.default_rng(20261121)


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {what}")


def compare(a, b, *more, status=None):
    done = subprocess.run([binary, "compare", str(a), str(b), "--format", "json", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if status is not None:
        expect((a, b, *more), done.returncode == status, f"exit {done.returncode}, not {status}: {done.stderr.decode()[:200]}")
    return (json.loads(done.stdout)["arrays"] if done.stdout else []), done.stderr.decode()


def save(name, array):
    np.save(folder / name, array)
    return folder / name


def rounded(x, bits):
    """Float32 numbers cut to `bits` of significand, to nearest even."""
    raw = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    drop = 24 - bits
    raw = raw + (1 << (drop - 1)) - 1 + ((raw >> drop) & 1)
    return ((raw >> drop) << drop).astype(np.uint32).view(np.float32)


def truncated(x, bits):
    return (x.astype(np.float32).view(np.uint32) >> (24 - bits) << (24 - bits)).view(np.float32)


def sequential(a, b, dtype):
    """Row by row products with sums kept in dtype, one term after the other."""
    total = np.zeros((a.shape[0], b.shape[1]), dtype)
    for k in range(a.shape[1]):
        total = (total + (a[:, k:k + 1].astype(dtype) * b[k:k + 1, :].astype(dtype)).astype(dtype)).astype(dtype)
    return total.astype(np.float32)


# Which arithmetic made it, for three depths and ten seeds each.
for depth in (64, 1024, 4096):
    for seed in range(10 if depth < 4096 else 3):
        r = np.random.default_rng([depth, seed])
        a, b = r.standard_normal((24, depth)).astype(np.float32), r.standard_normal((depth, 24)).astype(np.float32)
        exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
        cpu = save("cpu.npy", exact)
        made = {"float32-rounding": [sequential(a, b, np.float32)],
                "tf32-or-half-inputs": [rounded(a, 11) @ rounded(b, 11), truncated(a, 11) @ truncated(b, 11)],
                "half-precision": [rounded(a, 8) @ rounded(b, 8), truncated(a, 8) @ truncated(b, 8)],
                "none": [exact * np.float32(1.1), np.roll(exact, 1)]}
        one = exact.copy()
        one[3, 5] += 200 * np.sqrt(depth)
        made["none"].append(one)
        for judgement, arrays in made.items():
            for number, array in enumerate(arrays):
                (row,), _ = compare(cpu, save("gpu.npy", array), "--op", "matmul", "--depth", str(depth))
                expect(f"depth {depth} seed {seed}", row["judgement"] == judgement, f"{judgement} {number} judged as {row['judgement']}: {row['explanation']}")

# Data of one sign: float32 sums drift, but stay within gamma_k.
positive = rng.random((16, 8192), dtype=np.float32)
exact = positive.astype(np.float64).sum(axis=1)
drifting = np.zeros(16, np.float32)
for k in range(8192):
    drifting = drifting + positive[:, k]
(row,), _ = compare(save("s.npy", exact.astype(np.float32)), save("t.npy", drifting), "--op", "sum", "--depth", "8192", status=0)
expect("positive sums", row["judgement"] == "float32-rounding", row)

# The histogram is numpy's own distance in ulps.
x = rng.standard_normal(10_000).astype(np.float32)
steps = rng.integers(0, 9, x.size).astype(np.int32)
y = (x.view(np.int32) + steps).view(np.float32)
(row,), _ = compare(save("x.npy", x), save("y.npy", y), status=1)
expect("count", row["differing"] == int((steps > 0).sum()), row)
inside = np.abs(np.frexp(x)[0]) < 0.9  # away from powers of two a step is one ulp of x
wanted = [int((steps == 0).sum()), int((steps == 1).sum())]
expect("histogram", abs(row["ulp_histogram"][1] - wanted[1]) < 30 and row["ulp_histogram"][0] == wanted[0], (row["ulp_histogram"], wanted))
expect("not judged", row["judgement"] is None, row)
compare(save("x.npy", x), save("y.npy", x), status=0)
(row,), _ = compare(save("x.npy", x), save("y.npy", x.astype(np.float64) * (1 + 2.0**-30)), status=0)
expect("two types", row["max_ulp"] <= 1 and row["judgement"] == "float32-rounding", row)
for dtype in ("<f2", ">f4", ">f8", "<i2", ">i4", "<u8", "|b1", "<c8", "<c16"):
    z = (rng.random((5, 7)) * 100).astype(dtype)
    compare(save("x.npy", z), save("y.npy", z), status=0)
    w = z.copy()
    w[2, 3] = ~w[2, 3] if dtype == "|b1" else w[2, 3] + 1
    (row,), _ = compare(save("x.npy", z), save("y.npy", w), status=1)
    expect(dtype, row["differing"] == 1, row)
special = np.array([np.nan, np.inf, -np.inf, 1e-40, 0, 1], np.float32)
other = np.array([np.nan, np.inf, np.inf, 0, 0, np.nan], np.float32)
(row,), _ = compare(save("x.npy", special), save("y.npy", other), "--op", "exp", status=1)
expect("specials", (row["not_a_number"], row["infinite"], row["flushed"], row["judgement"]) == (1, 1, 1, "none"), row)

# Archives, packed and not.
np.savez(folder / "a.npz", w=x, v=x[:10], only=x)
np.savez_compressed(folder / "b.npz", w=y, v=x[:10])
rows, _ = compare(folder / "a.npz", folder / "b.npz", status=1)
expect("npz", [(r["name"], r.get("differing"), r.get("error", "")[:7]) for r in rows] ==
       [("only", None, "only in"), ("v", 0, ""), ("w", int((steps > 0).sum()), "")], rows)
(row,), _ = compare(save("x.npy", np.zeros((2, 3))), save("y.npy", np.zeros((3, 2))), status=1)
expect("shapes", "shapes" in row["error"], row)

# Larger than it may keep in memory. The address sanitizer alone takes more than that, so there the file is small.
sanitized = "ASAN_OPTIONS" in os.environ
big = folder / "big.npy"
np.lib.format.open_memmap(big, "w+", np.float32, ((1 if sanitized else 96) << 20,)).flush()
compare(big, big, status=0)
if not sanitized:
    peak = subprocess.run(["/bin/sh", "-c", f"ulimit -v 300000; exec {binary} compare {big} {big}"], stdout=subprocess.PIPE)
    expect("memory", peak.returncode == 0, "384 MiB of numbers need more than 300 MB of address space")
big.unlink()

# Files meant to harm: a clear error naming the file, exit 2.
good = (folder / "x.npy").read_bytes()


def header(text, version=b"\x01\x00"):
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text


hostile = {
    "empty": b"", "magic": b"\x93NUMPY", "version": header(b"{}", b"\x09\x00"), "cut": good[:-3], "cut header": good[:20],
    "no dict": header(b"import os"), "object": header(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
    "structured": header(b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
    "huge": header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}"),
    "huge zero": header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}"),
    "colour": header(b"{'descr': '\x1b[31m<f4', 'fortran_order': False, 'shape': (1,)}"),
    "negative": header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
    "odd size": header(b"{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}"),
    "long header": b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "zip": b"PK\x03\x04" + bytes(100), "random": bytes(rng.integers(0, 256, 3000, np.uint8)),
}
for name, content in hostile.items():
    path = folder / "hostile.npy"
    path.write_bytes(content)
    _, err = compare(path, path, status=2)
    expect(name, "hostile.npy" in err and "\x1b" not in err, err)
packed = bytearray((folder / "b.npz").read_bytes())
for at in range(0, len(packed), max(1, len(packed) // 200)):
    damaged = packed.copy()
    damaged[at] ^= 0xFF
    (folder / "damaged.npz").write_bytes(damaged)
    done = subprocess.run([binary, "compare", folder / "damaged.npz", folder / "b.npz"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    expect(f"byte {at}", done.returncode in (0, 1, 2), f"exit {done.returncode}")
compare(save("x.npy", x), folder / "none.npy", status=2)
compare(save("x.npy", x), save("y.npy", y), "--op", "nonsense", status=2)

print("\n".join(failures[:20]))
print(f"{len(failures)} failures")
sys.exit(bool(failures))
