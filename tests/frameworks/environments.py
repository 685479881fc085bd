"""The environments that envdoctor is tested on: real packages from PyPI, some of them broken on purpose."""
import json
import os
import shutil


class Environment:
    """One virtual environment. `first`: the id of the first finding; None: it is healthy and no finding is an error."""

    def __init__(self, name, packages=(), first=None, on=None, breaks=None, env=None, shows=(), computes=None, agrees=()):
        self.name = name
        self.on = on  # the environment whose packages it starts with, byte code and all
        self.packages = list(packages)
        self.first = first
        self.breaks = breaks  # what is done to it after the install: breaks(folder, site_packages, interpreter)
        self.env = env or {}
        self.shows = shows  # (section, key, value) that the snapshot must hold; a function: what must be true of the value
        self.agrees = agrees  # (framework, backend of Keras) whose models of agree_models.py are run in it
        self.computes = computes  # the framework whose operations must agree with the references


def delete_package(folder, site, python):
    """The package is gone, but its metadata is still there."""
    shutil.rmtree(os.path.join(site, "tensorflow"))


def halve_uninstall(folder, site, python):
    """pip moves what it removes to names with ~; here it got no further than the metadata and part of the package."""
    for name in os.listdir(site):
        if name.startswith("tensorflow_cpu-"):
            os.rename(os.path.join(site, name), os.path.join(site, "~" + name[1:]))
    os.remove(os.path.join(site, "tensorflow", "__init__.py"))


def kernel_of_another(folder, site, python):
    """A kernel specification inside the environment that starts another Python."""
    kernel = os.path.join(folder, "share", "jupyter", "kernels", "python3")
    os.makedirs(kernel, exist_ok=True)
    with open(os.path.join(kernel, "kernel.json"), "w") as file:
        json.dump({"argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "language": "python"}, file)


TENSORFLOW_215 = "tensorflow-2.15-keras-2"

ENVIRONMENTS = [
    Environment(TENSORFLOW_215, ["tensorflow-cpu==2.15.1"], computes="tensorflow", agrees=[("keras", "tensorflow")],
                shows=[("tensorflow", "built_with_cuda", False), ("tensorflow", "training_on", "CPU:0"),
                       ("keras", "backend", "tensorflow")]),
    Environment("tensorflow-cpu-keras-3", ["tensorflow-cpu"], computes="tensorflow", agrees=[("keras", "tensorflow")],
                shows=[("tensorflow", "training_on", "CPU:0"), ("keras", "backend", "tensorflow")]),
    Environment("tensorflow-built-for-cuda", ["tensorflow"],
                shows=[("tensorflow", "built_with_cuda", True), ("tensorflow", "physical_gpus", 0)]),
    Environment("jax", ["jax"], computes="jax", shows=[("jax", "backend", "cpu"), ("jax", "matmul", "cpu:0")]),
    # Its Linux wheels on PyPI are CUDA builds, and their libraries must be there for it to import; Triton need not.
    Environment("torch", ["torch", "numpy", "--without", "triton"], computes="torch",
                shows=[("torch", "cuda_available", False), ("torch", "matmul", "cpu")]),
    Environment("keras-3-on-jax-and-torch", ["keras", "jax", "torch", "numpy", "--without", "triton"], env={"KERAS_BACKEND": "jax"},
                agrees=[("keras", "jax"), ("keras", "torch"), ("torch", "torch")], shows=[("keras", "backend", "jax")]),
    Environment("tensorflow-twice", ["tensorflow-cpu"], on="tensorflow-built-for-cuda",
                first="python.duplicate-packages"),
    Environment("keras-3-beside-tensorflow-2.15", ["keras==3.5.0"], on=TENSORFLOW_215, first="keras.version-mismatch"),
    Environment("backend-not-installed", ["keras==3.5.0", "numpy"], first="keras.backend-mismatch",
                env={"KERAS_BACKEND": "torch"}),
    Environment("numpy-2-under-tensorflow-2.15", ["numpy==2.2.6"], on=TENSORFLOW_215, first="python.numpy-abi"),
    Environment("package-deleted", on=TENSORFLOW_215, first="python.broken-install", breaks=delete_package),
    Environment("half-an-uninstall", on=TENSORFLOW_215, first="python.broken-install", breaks=halve_uninstall),
    # The plug-in without its CUDA libraries: JAX falls back to the CPU and reports why.
    Environment("jax-with-a-gpu-plugin", ["jax-cuda12-plugin", "jax-cuda12-pjrt"], on="jax",
                shows=[("jax", "backend", "cpu"), ("jax", "backend_errors", lambda errors: "CUDA" in errors["xla_cuda12"])]),
    Environment("kernel-of-another-python", on="jax", first="python.wrong-environment", breaks=kernel_of_another),
]
