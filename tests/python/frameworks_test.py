"""The package and the pytest plugin beside a real framework, run by the interpreter of its environment.

Arguments: the source folder, the program, the framework, a folder with pytest."""
import os
import pathlib
import subprocess
import sys
import tempfile

source, binary, name, tools = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve()), sys.argv[3], sys.argv[4]
sys.path.insert(0, str(source / "python"))
os.environ["ENVDOCTOR"] = binary
import envdoctor

failures = []


def expect(what, condition, seen=""):
    if not condition:
        failures.append(f"{name}: {what}: {seen}")


report = envdoctor.check(timeout=300)
expect("check", report.snapshot.get(name, {}).get("version"), report.snapshot.get(name))
expect("import", not {"numpy", "torch", "tensorflow", "jax"} & set(sys.modules), "the package imports a framework")
try:
    envdoctor.require(framework=name, report=report)
    usable = True
except envdoctor.Unavailable as error:
    usable = False
    expect("cause", ": " in str(error) and error.id, error)

import numpy
draw = numpy.random.default_rng(7)
a, b = draw.standard_normal((64, 512)).astype("f4"), draw.standard_normal((512, 32)).astype("f4")
exact = (a.astype("f8") @ b).astype("f4")
if name == "torch":
    import torch
    here = lambda array: torch.from_numpy(array.copy())
    narrow, product = (lambda t: t.to(torch.bfloat16)), torch.matmul
    hard = [here(exact).requires_grad_(), here(exact).t().contiguous().t(), here(exact).to_sparse(), torch.nn.Parameter(here(exact))]
    eight_bits, without_values = here(exact).to(torch.float8_e4m3fn), torch.ones(3, device="meta")
elif name == "tensorflow":
    import tensorflow as tf
    here, narrow, product = tf.constant, (lambda t: tf.cast(t, tf.bfloat16)), tf.matmul
    hard = [tf.Variable(exact)]
    eight_bits, without_values = tf.cast(exact, tf.dtypes.experimental.float8_e4m3fn), tf.sparse.from_dense(exact)
else:
    import jax.numpy as jnp
    here, narrow, product = jnp.asarray, (lambda t: t.astype(jnp.bfloat16)), jnp.matmul
    hard = [jnp.asarray(exact)[:, :]]
    eight_bits, without_values = jnp.asarray(exact).astype(jnp.float8_e4m3fn), object()
there = product(here(a), here(b))
expect("product", envdoctor.compare(exact, there, op="matmul", depth=512).alike, envdoctor.compare(exact, there, op="matmul", depth=512))
half = envdoctor.compare(there, narrow(there))
expect("bfloat16", half.arrays[0].type_b == "bfloat16" and half.arrays[0].shape == (64, 32), half)
for one in hard:
    expect("tensor", envdoctor.compare(exact, one).alike, type(one))
found = envdoctor.compare(exact, eight_bits).arrays[0]
expect("float8", found.type_b == "float8_e4m3fn" and found.shape == (64, 32), found)
try:
    expect("no values", False, envdoctor.compare(exact, without_values))
except envdoctor.UsageError:
    pass

with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "test_it.py").write_text(f"""
import sys, pytest
@pytest.mark.gpu(framework={name!r})
def test_gpu():
    assert {name!r} not in sys.modules
def test_agrees(assert_agrees):
    import numpy, {name}
    assert_agrees(numpy.ones(3, "f4"), numpy.ones(3, "f4"))
""")
    for switch, wanted in (([], 0), (["--gpu-required"], 0 if usable else 1)):
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "envdoctor.pytest_plugin", "-p", "no:cacheprovider", "-rsE", *switch, "test_it.py"], cwd=folder, timeout=600,
                              env={**os.environ, "PYTHONPATH": f"{source}/python{os.pathsep}{tools}"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect(f"pytest {switch}", done.returncode == wanted and ("2 passed" in done.stdout) == usable, done.stdout[-1500:])

print("\n".join(failures))
sys.exit(bool(failures))
