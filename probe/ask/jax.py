# What JAX sees, and why a plug-in was not used. It must not take the GPU's memory in advance.
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
jax = bring("jax", "jax")


plugin_errors = {}


def hear_plugins():
    """JAX reports a plug-in whose initialize() raises only in its log: "Exception when calling
    jax_plugins.xla_cuda12.…"."""
    import logging

    class Ear(logging.Handler):
        def emit(self, record):
            error = record.exc_info[1] if record.exc_info else None
            module = record.getMessage().partition("jax_plugins.")[2].partition(".")[0]
            if error and module:
                first = error.__cause__
                plugin_errors[module] = words(error) + (" (%s)" % words(first) if first else "")

    logging.getLogger("jax._src.xla_bridge").addHandler(Ear())


def backend_errors():
    """By platform or plug-in. JAX looks for a TPU library everywhere; a missing one is no error."""
    from jax._src import xla_bridge
    errors = dict(plugin_errors)
    errors.update({str(name): str(why)[:400] for name, why in getattr(xla_bridge, "_backend_errors", {}).items()
                   if "libtpu.so" not in str(why)})
    factories, running = getattr(xla_bridge, "_backend_factories", {}), getattr(xla_bridge, "_backends", {})
    if "cuda" in factories and "cuda" not in running and not any("cuda" in name for name in errors):
        errors["cuda"] = "its plug-in is registered, and JAX sees no NVIDIA GPU to start it for"
    return errors


def matmul():
    ones = jax.numpy.ones((64, 64))
    return str(sorted(str(device) for device in (ones @ ones).devices())[0])


def ask_jax():
    note("jax", "version", lambda: jax.__version__)
    hear_plugins()
    step("starting jax")
    note("jax", "backend", jax.default_backend)
    note("jax", "devices", lambda: [str(device) for device in jax.devices()])
    note("jax", "backend_errors", backend_errors)
    step("a matmul with jax")
    note("jax", "matmul", matmul)


if jax:
    ask_jax()
