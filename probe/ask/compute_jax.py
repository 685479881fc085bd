# The parts of compute.py for JAX. It has no layers of its own: layer normalisation and the LSTM are written out, and
# compiled.
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
WORDS = {"fp16": "uint16", "bf16": "uint16", "tf32": "uint32", "fp32": "uint32"}


def start(device):
    global jax, jnp, numpy, place, KINDS
    frame(b"s", "import jax")
    import jax
    import jax.numpy as jnp
    import numpy
    KINDS = {"fp16": jnp.float16, "bf16": jnp.bfloat16, "tf32": jnp.float32, "fp32": jnp.float32}
    frame(b"s", "starting " + device)
    platform, ordinal = device.split(":")
    place = jax.devices(platform)[int(ordinal)]
    offered = ["fp16", "bf16", "fp32"]
    if platform != "cpu" and float(getattr(place, "compute_capability", None) or 0) >= 8:
        offered.append("tf32")
    return {"precisions": ",".join(offered), "library": "JAX " + jax.__version__,
            "switches": "" if platform == "cpu" else "tf32"}


def switch(off, kind):
    jax.config.update("jax_default_matmul_precision",
                      "tensorfloat32" if kind == "tf32" else "highest" if "tf32" in off else None)


def take(data, kind):
    word = jax.device_put(numpy.frombuffer(data, WORDS[kind]), place)
    return jax.lax.bitcast_convert_type(word, KINDS[kind])


def give(array):
    return numpy.ascontiguousarray(numpy.asarray(array)).tobytes()


waiting = []


def wait():
    for array in waiting:
        array.block_until_ready()
    del waiting[:]


def compiled(count):
    """Numbers, the arguments from `count` on, are part of the program."""
    def wrap(operation):
        programs = {}

        def run(*arguments):
            key = arguments[count:], jax.config.jax_default_matmul_precision
            if key not in programs:
                programs[key] = jax.jit(operation, static_argnums=range(count, len(arguments)))
            results = programs[key](*arguments)
            waiting.extend(results)
            return results
        return run
    return wrap


@compiled(2)
def gemm(a, b, m, n, k):
    return [a.reshape(m, k) @ b.reshape(k, n)]


@compiled(2)
def dot(a, b, rows, k):
    return [jnp.diagonal(a.reshape(rows, k) @ b.reshape(rows, k).T)]


@compiled(2)
def conv2d(x, w, channels, groups, filters, height, width, out_height, out_width, stride, pad):
    image, weights = x.reshape(-1, channels, height, width), w.reshape(filters, channels // groups, 3, 3)
    return [jax.lax.conv_general_dilated(image, weights, (stride, stride), ((pad, pad), (pad, pad)),
                                         feature_group_count=groups)]


@compiled(1)
def softmax(x, rows, n):
    return [jax.nn.softmax(x.reshape(rows, n)), jax.nn.logsumexp(x.reshape(rows, n), 1)]


@compiled(3)
def layernorm(x, gain, shift, rows, n, epsilon):
    matrix = x.reshape(rows, n)
    mean, variance = jnp.mean(matrix, 1, keepdims=True), jnp.var(matrix, 1, keepdims=True)
    return [(matrix - mean) * jax.lax.rsqrt(variance + epsilon) * gain + shift]


@compiled(5)
def lstm(weights, bias, x, h, c, inputs, hidden, count):
    steps, matrix = count // hidden, weights.reshape(4 * hidden, inputs + hidden)
    given = jnp.concatenate([x.reshape(steps, inputs), h.reshape(steps, hidden)], 1)
    i, f, g, o = jnp.split(given @ matrix.T + bias, 4, 1)
    after = jax.nn.sigmoid(f) * c.reshape(steps, hidden) + jax.nn.sigmoid(i) * jnp.tanh(g)
    return [jax.nn.sigmoid(o) * jnp.tanh(after), after]


answer_all()
