# What JAX sees, and why a plug-in was not used. It must not take the GPU's memory in advance.
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
jax = bring("jax", "jax")


def backend_errors():
    from jax._src import xla_bridge
    return {str(name): str(why)[:400] for name, why in getattr(xla_bridge, "_backend_errors", {}).items()}


def matmul():
    ones = jax.numpy.ones((64, 64))
    return str(sorted(str(device) for device in (ones @ ones).devices())[0])


def ask_jax():
    note("jax", "version", lambda: jax.__version__)
    step("starting jax")
    note("jax", "backend", jax.default_backend)
    note("jax", "devices", lambda: [str(device) for device in jax.devices()])
    note("jax", "backend_errors", backend_errors)
    step("a matmul with jax")
    note("jax", "matmul", matmul)


if jax:
    ask_jax()
