# The parts of compute.py for TensorFlow, and for Keras on it.
os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
os.environ["KERAS_BACKEND"] = "tensorflow"
KINDS = {"fp16": "float16", "bf16": "bfloat16", "tf32": "float32", "fp32": "float32", "fp64": "float64"}
WORDS = {"fp16": "uint16", "bf16": "uint16", "tf32": "uint32", "fp32": "uint32", "fp64": "uint64"}


def start(device):
    global tf, numpy, place
    frame(b"s", "import tensorflow")
    import numpy
    import tensorflow as tf
    place = "/" + device
    frame(b"s", "starting " + device)
    tf.config.set_soft_device_placement(False)
    gpu = "GPU" in device
    offered = ["fp16", "bf16", "fp32", "fp64"]
    with tf.device(place):
        tf.zeros([1])
    if gpu:
        count_cudnn_calls()
        details = tf.config.experimental.get_device_details(
            tf.config.list_physical_devices("GPU")[int(device.split(":")[1])])
        if details.get("compute_capability", (0,))[0] >= 8:
            offered.append("tf32")
    library = "TensorFlow " + tf.__version__
    if gpu and hasattr(tf.sysconfig, "get_build_info"):
        library += ", built for cuDNN %s" % tf.sysconfig.get_build_info().get("cudnn_version")
    return {"precisions": ",".join(offered), "library": library, "switches": "tf32" if gpu else ""}


started_with = {}


def switch(off, kind):
    tf32 = tf.config.experimental
    if not started_with:
        started_with.update(tf32=tf32.tensor_float_32_execution_enabled())
    decided = kind == "tf32" or "tf32" in off
    tf32.enable_tensor_float_32_execution(kind == "tf32" if decided else started_with["tf32"])


def take(data, kind):
    layers.clear()
    with tf.device(place):
        return tf.bitcast(tf.constant(numpy.frombuffer(data, WORDS[kind])), KINDS[kind])


def give(array):
    return numpy.ascontiguousarray(array.numpy()).tobytes()


def wait():
    tf.test.experimental.sync_devices() if hasattr(tf.test.experimental, "sync_devices") else None


def placed(operation):
    def run(*arguments):
        with tf.device(place):
            return operation(*arguments)
    return run


@placed
def gemm(a, b, m, n, k):
    return [tf.matmul(tf.reshape(a, [m, k]), tf.reshape(b, [k, n]))]


@placed
def dot(a, b, rows, k):
    return [tf.linalg.diag_part(tf.matmul(tf.reshape(a, [rows, k]), tf.reshape(b, [rows, k]), transpose_b=True))]


@placed
def conv2d(x, w, channels, groups, filters, height, width, out_height, out_width, stride, pad):
    image = tf.transpose(tf.reshape(x, [-1, channels, height, width]), [0, 2, 3, 1])
    weights = tf.transpose(tf.reshape(w, [filters, channels // groups, 3, 3]), [2, 3, 1, 0])
    result = tf.nn.conv2d(image, weights, stride, [[0, 0], [pad, pad], [pad, pad], [0, 0]])
    return [tf.transpose(result, [0, 3, 1, 2])]


@placed
def softmax(x, rows, n):
    matrix = tf.reshape(x, [rows, n])
    return [tf.nn.softmax(matrix), tf.reduce_logsumexp(matrix, 1)]


def layer(maker, kind, weights, *shape, **options):
    one = maker(dtype=kind, **options)
    one.build(shape)
    one.set_weights([numpy.asarray(weight) for weight in weights])
    return one


layers = {}
cudnn_calls = []


def count_cudnn_calls():
    """Keras looks up cuDNN's recurrent kernels by these names in eager mode."""
    for name in ("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3"):
        def counted(*arguments, _original=getattr(tf.raw_ops, name), **named):
            cudnn_calls.append(1)
            return _original(*arguments, **named)
        setattr(tf.raw_ops, name, counted)


def how_it_ran(name):
    if name != "lstm" or "GPU" not in place:
        return ""
    return "cuDNN" if cudnn_calls else "without cuDNN"


@placed
def layernorm(x, gain, shift, rows, n, epsilon):
    key = ("layernorm", id(gain))
    if key not in layers:
        layers[key] = layer(tf.keras.layers.LayerNormalization, x.dtype.name, [gain, shift], rows, n, epsilon=epsilon)
    return [layers[key](tf.reshape(x, [rows, n]))]


@placed
def lstm(weights, bias, x, h, c, inputs, hidden, count):
    steps, key = count // hidden, ("lstm", id(weights))
    if key not in layers:
        matrix = tf.transpose(tf.reshape(weights, [4 * hidden, inputs + hidden]))
        layers[key] = layer(tf.keras.layers.LSTM,
                            x.dtype.name, [matrix[:inputs], matrix[inputs:], bias],
                            steps,
                            1,
                            inputs,
                            units=hidden,
                            return_state=True)
    state = [tf.reshape(h, [steps, hidden]), tf.reshape(c, [steps, hidden])]
    return layers[key](tf.reshape(x, [steps, 1, inputs]), initial_state=state)[1:]


answer_all()
