"""Documents made for the tests of report formats."""
import json

HOSTILE = ["<script>alert(1)</script>", "\u202egnp.exe", "x" * 10_000, "a\x01b\x1b[31m\r\n::error::no", "]]>&\"'|`*_[x](http://x)@y #1",
           "\ufffe\uffff \x85 \U0001f600 {0}", "# Heading\n\n<img src=http://127.0.0.1:9/x onerror=alert(1)>"]
KEPT = ("schema", "address", "at", "outcome", "device_id", "vendor_id", "class", "pci_address")


def poisoned(value, count):
    """The same document with hostile words behind every text that nothing is compared with."""
    if isinstance(value, dict):
        return {k: v if k in KEPT else poisoned(v, count) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(v, count) for v in value]
    if isinstance(value, str):
        count[0] += 1
        return value + HOSTILE[count[0] % len(HOSTILE)]
    return value


def result(device, kernel, outcome, rate, unit, share, histogram, **more):
    size = {"k": 1024, "m": 1024, "n": 1024} if kernel == "gemm" else {"n": 1 << 24}
    return {"device": device, "backend": "cuda" if device != "host" else "host", "kernel": kernel, "precision": "fp32", "size": size,
            "agreement": {"outcome": outcome, "max_ulp": 3.0, "error_over_bound": 0.2, "ulp_histogram": histogram},
            "rate": {"value": rate, "unit": unit}, "share_of_peak": share, "repeatable": True, **more}


def with_compute(host):
    """A snapshot with kernels' results put in."""
    document = json.loads(host.read_text())
    near = [900_000, 90_000, 9_000, 40, 1] + [0] * 10
    far = [10, 500, 4_000, 60_000, 300_000, 400_000, 90_000, 9_000, 100, 3, 0, 0, 0, 0, 77]
    document["compute"] = [
        result("cuda:0", "gemm", "within-bound", 51_000.0, "GFLOP/s", 0.76, near),
        result("cuda:1", "gemm", "outside", 50_100.0, "GFLOP/s", 0.75, far),
        result("cuda:0", "gemm", "within-bound", 9_000.0, "GFLOP/s", 0.13, near, variant="gpu, with copies"),
        result("cuda:0", "copy-in", "same-bits", 25.0, "GB/s", 0.8, [1 << 24] + [0] * 14, variant="pinned"),
        result("cuda:0", "copy-in", "same-bits", 11.0, "GB/s", 0.4, [1 << 24] + [0] * 14, variant="pageable"),
        result("cuda:0", "triad", "same-bits", 2_900.0, "GB/s", 0.86, [1 << 24] + [0] * 14),
        result("cuda:1", "triad", "same-bits", 2_100.0, "GB/s", 0.63, [1 << 24] + [0] * 14),
        result("host", "gemm", "within-bound", 1_900.0, "GFLOP/s", 0.6, near),
        result("host", "triad", "same-bits", 210.0, "GB/s", 0.7, [1 << 24] + [0] * 14)]
    document["topology"] = {
        "packages": [{"index": i, "cores": 48, "threads": 96} for i in range(2)],
        "numa_nodes": [{"index": i, "memory_mib": 515_000, "cpus": f"{i * 48}-{i * 48 + 47},{i * 48 + 96}-{i * 48 + 143}"} for i in range(2)]}
    for number, device in enumerate(document["pci"]):
        device["numa_node"] = number * 2 // len(document["pci"])
    document["pci"][-1].setdefault("link", {}).update({"width": 8, "max_width": 16, "speed_gtps": 32.0})
    document["compute"][1]["agreement"]["pattern"] = "tf32 inputs"
    document["compute_not_run"] = [{"device": "cuda:0", "kernel": "gemm", "precision": "fp16", "why": "no time was left"}]
    return document
