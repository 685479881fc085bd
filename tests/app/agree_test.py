"""`envdoctor agree` on a simulated PyTorch: the faults that it names, the models that it refuses, and its output in each format.

Real frameworks are tried by ./dev test --frameworks. Arguments: the source folder, the program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zipfile

import readers

readers.run_inside()
import numpy

source, binary = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
folder = pathlib.Path(tempfile.mkdtemp(prefix="envdoctor-agree-"))
failures = []

(folder / "models.py").write_text('''
import collections
import contextlib
import time
import numpy
import torch
from torch import nn


class Own(nn.Module):
    def __init__(self, does):
        super().__init__()
        self.linear = nn.Linear(32, 32)
        self.weight, self.bias, self.does, self.calls = self.linear.weight, self.linear.bias, does, 0
        del self._modules["linear"]

    def forward(self, x):
        return self.does(self, x)


def wide(x):
    return x.dtype is torch.float64


def plain(layer, x):
    return x @ layer.weight.T + layer.bias


def model(does=plain):
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), Own(does), nn.Dropout(), nn.Linear(32, 4)), torch.randn(16, 16)


def in_bits(tensor, bits):
    mantissa, exponent = numpy.frexp(tensor.values)
    return torch.Tensor(numpy.ldexp(numpy.rint(numpy.ldexp(mantissa, bits)), exponent - bits).astype(tensor.values.dtype))


def spoilt(does):
    return lambda: model(lambda layer, x: plain(layer, x) if wide(x) else does(layer, x))


def column(layer, x):
    y = plain(layer, x)
    y.values[:, 5] = 0
    return y


def count(layer, x):
    layer.calls += 1
    return plain(layer, x) * layer.calls


def reordered(layer, x):
    return torch.Tensor(x.values[:, 20:] @ layer.weight.values.T[20:] + x.values[:, :20] @ layer.weight.values.T[:20] + layer.bias.values)


def unordered(layer, x):
    """Its sums are added in another order in every second call, as atomic additions of a GPU do it."""
    layer.calls += 1
    return reordered(layer, x) if layer.calls % 2 else plain(layer, x)


def drifting(layer, x):
    """The same, and by more than rounding."""
    layer.calls += 1
    return plain(layer, x) * (1 + layer.calls * 1e-4)


def norm(epsilon):
    return lambda layer, x: torch.Tensor(x.values / numpy.sqrt(numpy.mean(x.values ** 2) + (1e-5 if wide(x) else epsilon)))


def in_place(layer, x):
    """It changes its input, as nn.SiLU(inplace=True) does, which nobody uses behind it."""
    return plain(layer, x.mul_(0.5))


def lost_in_place(layer, x):
    return plain(layer, x.mul_(1 if wide(x) else 1.01))


class Packed(collections.namedtuple("Packed", "data lengths")):
    """A result that does not let itself be made of nothing, as a PackedSequence."""
    def __new__(cls, data, lengths):
        assert data is not None
        return super().__new__(cls, data, lengths)


class InPieces(nn.Module):
    def __init__(self):
        super().__init__()
        self.pack, self.linear = Own(lambda layer, x: Packed(plain(layer, x), None)), nn.Linear(32, 4)

    def forward(self, x):
        return self.linear(self.pack(x).data)


class Narrowed(nn.Module):
    """Autocast around some of three layers."""
    def __init__(self, layers):
        super().__init__()
        self.a, self.b, self.c, self.layers = nn.Linear(32, 32), nn.Linear(32, 32), nn.Linear(32, 4), layers

    def forward(self, x):
        for name in "abc":
            with torch.autocast("cpu", dtype=torch.bfloat16) if name in self.layers else contextlib.nullcontext():
                x = getattr(self, name)(x.float())
        return x


class LeftInTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(32)

    def forward(self, x):
        self.norm.training = True
        return self.norm(x)


def rows_in_eight_bits(layer, x):
    step = abs(layer.weight.values).max(1, keepdims=True) / 127
    return x @ torch.Tensor(numpy.rint(layer.weight.values / step) * step).to(torch.float32).T + layer.bias


def grow(layer, x):
    held = [bytearray(1 << 24) for _ in range(400)]
    return plain(layer, x)


def whole_in_bfloat16():
    found, x = model()
    return found.to(torch.bfloat16), x


def untrained():
    """Its classes differ by less than a rounding, so either side may choose any of them."""
    last = nn.Linear(16, 4)
    last.weight.values *= numpy.float32(1e-9)
    last.bias.values[:] = 0.25
    return nn.Sequential(last), torch.randn(64, 16)


def needs_an_input():
    return model()[0]


def no_model():
    return 7


tf32 = spoilt(lambda layer, x: in_bits(x, 11) @ in_bits(layer.weight, 11).T + layer.bias)
bfloat16 = lambda: model(lambda layer, x: (x.to(torch.bfloat16) @ layer.weight.to(torch.bfloat16).T).float() + layer.bias)
no_bias = spoilt(lambda layer, x: x @ layer.weight.T)
transposed = spoilt(lambda layer, x: x @ layer.weight + layer.bias)
epsilon = lambda: model(norm(1e-3))
same_epsilon = lambda: model(norm(1e-5))
not_a_number = spoilt(lambda layer, x: plain(layer, x) * float("nan"))
zeros = spoilt(column)
int8 = spoilt(lambda layer, x: x @ torch.Tensor(numpy.rint(layer.weight.values / (abs(layer.weight.values).max() / 127)) * (abs(layer.weight.values).max() / 127)).to(torch.float32).T + layer.bias)
offset = spoilt(lambda layer, x: plain(layer, x) + torch.Tensor(numpy.arange(32, dtype="float32")))
factor = spoilt(lambda layer, x: plain(layer, x) * 1.001)
dropout = lambda: model(lambda layer, x: plain(layer, x) * torch.rand_like(x))
counter = lambda: model(count)
order = spoilt(reordered)
in_its_input = lambda: model(in_place)
lost_in_its_input = lambda: model(lost_in_place)
eight_bits_by_row = spoilt(rows_in_eight_bits)
in_pieces = lambda: (InPieces(), torch.randn(16, 32))
autocast_of_all = lambda: (Narrowed("abc"), torch.randn(16, 32))
autocast_of_one = lambda: (Narrowed("b"), torch.randn(16, 32))
norm_in_training = lambda: (nn.Sequential(nn.Linear(16, 32), LeftInTraining(), nn.Linear(32, 4)), torch.randn(16, 16))
other_bits = spoilt(unordered)
drift = spoilt(drifting)
hang = lambda: time.sleep(1000)
hungry = lambda: model(grow)
no_float64 = spoilt(plain)
raises = lambda: model(lambda layer, x: plain(layer, x) if not wide(x) else 1 / 0)
crash = lambda: __import__("os").abort()
noise = lambda: (print("a" * 100000), model())[1]
''')


def agree(name, *more, python=sys.executable, env=None):
    done = subprocess.run([binary, "agree", name, "--python", str(python), "--format", "json", *more], cwd=folder, capture_output=True, text=True,
                          timeout=120, env=dict(os.environ, PYTHONPATH=str(source / "tests/fakes/model"), PYTHONDONTWRITEBYTECODE="1", **(env or {})))
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else {}, done.stdout + done.stderr


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {str(what)[-600:]}")


# What is wrong, and where.
for name, words in {"tf32": "multiplies in TF32", "bfloat16": "bfloat16", "no_bias": "leaves out its bias", "transposed": "transposed",
                    "epsilon": "factor", "not_a_number": "NaN", "zeros": "zeros in column 5 of 32", "int8": "eight bits",
                    "offset": "off by a constant", "factor": "factor", "dropout": "called again", "counter": "called again", "drift": "called again",
                    "lost_in_its_input": "factor", "eight_bits_by_row": "eight bits"}.items():
    status, report, said = agree("models.py:" + name)
    title = report["findings"][0]["title"] if report.get("findings") else ""
    expect(name, status == 1 and "Layer '2' (models.Own)" in title and words in title, f"{status} {title} {said[:600]}")
    expect(name, report.get("findings", [{}])[0].get("id") == "compute.layer-differs" and len(report["findings"]) == 1, said)
for name in ("model", "same_epsilon", "order", "whole_in_bfloat16", "noise", "in_its_input", "in_pieces", "autocast_of_all"):
    status, report, said = agree("models:" + name)
    expect(name, status == 0 and report.get("verdict") == "pass" and not report["findings"], f"{status} {said[:800]}")
    agreement = report.get("snapshot", {}).get("agree", {})
    expect(name, agreement.get("weights_unchanged") is True and agreement["layers"][-1]["name"] == "the model", agreement)
status, report, said = agree("models.py:other_bits")
notes = [(f["id"], f["severity"], f["title"]) for f in report.get("findings", [])]
expect("other bits", status == 0 and report.get("verdict") == "pass" and len(notes) == 1, f"{status} {notes} {said[:600]}")
expect("other bits", notes and notes[0][:2] == ("compute.layer-differs", "info") and "Layer '2' (models.Own) gives other bits" in notes[0][2], notes)
output = agree("models:untrained")[1]["snapshot"]["agree"]["output"]
expect("untrained", output["rows"] == 64 and output["same_class"] == 64, output)
output = agree("models:offset")[1]["snapshot"]["agree"]["output"]
expect("other classes", output["same_class"] < output["rows"] == 16, output)
for name, words in (("autocast_of_one", "Layer 'b' (nn.Linear) computes in bfloat16"), ("norm_in_training", "Layer '1.norm' (nn.BatchNorm1d) normalises by the batch")):
    status, report, said = agree("models.py:" + name)
    expect(name, status == 1 and words in report["findings"][0]["title"] and report["snapshot"]["agree"]["weights_unchanged"], f"{status} {said[:800]}")
expect("autocast", agree("models:autocast_of_all")[1]["snapshot"]["agree"]["judged_by"] == "bfloat16")
expect("a model's precision", agree("models:whole_in_bfloat16")[1]["snapshot"]["agree"]["judged_by"] == "bfloat16")
for against, judged_by in (("tf32", "tf32"), ("bf16", "bfloat16"), ("deterministic", "float32")):
    status, report, said = agree("models:model", "--against", against)
    expect(against, status == 0 and report["snapshot"]["agree"]["judged_by"] == judged_by, said[:800])
    expect(against, against == "deterministic" or report["snapshot"]["agree"]["output"]["relative_difference"] > 1e-5, said[:800])

# What is not compared is never called the same.
for name, words, more in (("raises", "ZeroDivisionError", ()), ("hang", "--timeout", ("--timeout", "4")), ("crash", "SIGABRT", ()), ("no_model", "not a model", ()),
                          ("needs_an_input", "--input", ()), ("nothing", "has no nothing", ()), ("hungry", "memory", ("--memory", "1000"))):
    status, report, said = agree("models.py:" + name, *more)
    expect(name, status == 3 and report.get("verdict") == "incomplete" and words in report["verdict_why"], f"{status} {report.get('verdict_why')} {said[-300:]}")
status, report, said = agree("models.py:model", "--against", "cpu")
expect("no GPU", status == 3 and "no GPU" in report["verdict_why"], said[:300])
numpy.save(folder / "x.npy", numpy.ones((3, 16), "float32"))
status, report, said = agree("models.py:needs_an_input", "--input", "x.npy")
expect("an input", status == 0 and report["snapshot"]["agree"]["inputs"] == "3 x 16 float32", said[:400])
numpy.save(folder / "objects.npy", numpy.array([{}]), allow_pickle=True)
expect("a pickled input", agree("models.py:needs_an_input", "--input", "objects.npy")[0] == 3)

# Nothing is loaded that runs code of whoever wrote it.
(folder / "ran").unlink(missing_ok=True)
import pickle


class Evil:
    def __reduce__(self):
        return (os.system, (f"touch {folder}/ran",))


(folder / "model.pt").write_bytes(pickle.dumps(Evil()))
(folder / "model.pkl").write_bytes(pickle.dumps(Evil()))
for layer, words in (({"class_name": "Lambda", "module": "keras.layers", "config": {"name": "squash"}}, "Lambda layer (squash)"),
                     ({"class_name": "Net", "module": "os.path", "config": {}}, "module os.path"),
                     ({"class_name": "function", "module": "builtins", "config": "exec"}, "Python's own")):
    with zipfile.ZipFile(folder / "model.keras", "w") as archive:
        archive.writestr("config.json", json.dumps({"class_name": "Sequential", "module": "keras", "config": {"layers": [layer]}}))
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.5.0"}))
    status, report, said = agree("model.keras")
    expect(words, status == 3 and words in report["verdict_why"] and "--allow-code" in report["verdict_why"], said[:300])
for name in ("model.pt", "model.pkl"):
    status, report, said = agree(name)
    expect(name, status == 3 and "pickle" in report["verdict_why"], said[:300])
expect("code", not (folder / "ran").exists())
status, report, said = agree("model.pkl", "--allow-code")
expect("--allow-code", (folder / "ran").exists(), said[:300])
(folder / "broken.keras").write_bytes(b"PK\x03\x04 nonsense")
expect("a broken file", agree("broken.keras")[0] == 3)

# The command line.
for wrong in (["nowhere.keras"], ["models.py"], ["models.py:model", "--against", "fp8"], ["models.py:model", "--input", "none.npy"], ["a/b:model"], ["nowhere.py:model"], []):
    done = subprocess.run([binary, "agree", *wrong], cwd=folder, capture_output=True, text=True, timeout=60)
    expect(wrong, done.returncode == 2 and done.stderr and not done.stdout, done.stderr)

# Every format says it, and the text is one page of eighty columns.
status, report, said = agree("models.py:no_bias", "-o", "text=r.txt", "-o", "html=r.html", "-o", "junit=r.xml", "-o", "sarif=r.sarif")
text = (folder / "r.txt").read_text()
expect("text", max(map(len, text.splitlines())) <= 80 and len(text.splitlines()) < 50, text)
expect("text", "Model" in text and "float32 on cpu against float64" in text and "weights: unchanged" in text, text)
page = (folder / "r.html").read_text()
expect("html", "leaves out its bias" in page and "<h2>Model</h2>" in page, page[-2000:])
for words in ("float32 on cpu against float64", "weights: unchanged", "5 calls of layers" if "5 calls" in page else "6 calls of layers", "times the bound"):
    expect("html", words in page, words)
cases = {case.getAttribute("name"): [child.tagName for child in case.childNodes if child.nodeType == 1]
         for suite in xml.dom.minidom.parse(str(folder / "r.xml")).getElementsByTagName("testsuite")
         if suite.getAttribute("name") == "model models.py:no_bias" for case in suite.getElementsByTagName("testcase")}
expect("junit", cases.get("2") == ["failure"] and cases.get("the model") == ["skipped"] and cases.get("0") == [], cases)
junit = (folder / "r.xml").read_text()
expect("junit", "leaves out its bias" in junit and "the model computes the same" in junit, junit[:600])
expect("home", str(folder) not in json.dumps(report), "the folder is named")
again = subprocess.run([binary, "diagnose", "-", "--format", "json", "--only", "compute.layer-differs"], input=json.dumps(report), capture_output=True, text=True, timeout=60)
expect("diagnose", json.loads(again.stdout)["findings"] == report["findings"], again.stdout[:500] + again.stderr)

print("\n".join(failures[:20]))
print(f"{len(failures)} failures")
sys.exit(bool(failures))
