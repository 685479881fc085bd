# What TensorFlow sees, and where it places work. Memory growth is on, so that a GPU in use keeps its memory.
os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
tf = bring("tensorflow", "tensorflow")


def short(device):
    return device.split("/device:")[-1] if device else "not reported"


def matmul():
    ones = tf.ones([64, 64])
    return tf.matmul(ones, ones)


def placed_under_gpu():
    with tf.device("/GPU:0"):
        return short(matmul().device)


def devices_of_session():
    """TensorFlow 1: one list, and no difference between physical and visible."""
    from tensorflow.python.client import device_lib
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    return [device.name.split("/device:")[-1] for device in device_lib.list_local_devices(session_config=config)]


def ask_tensorflow_1():
    devices = devices_of_session()
    note("tensorflow", "built_with_cuda", lambda: bool(tf.test.is_built_with_cuda()))
    note("tensorflow", "devices", lambda: devices)
    note("tensorflow", "physical_gpus", lambda: sum(name.startswith("GPU") for name in devices))


def onednn():
    from tensorflow.python.util import _pywrap_util_port
    return bool(_pywrap_util_port.IsMklEnabled())


def determinism():
    from tensorflow.python.framework import config
    return bool(config.is_op_determinism_enabled())


def ask_tensorflow():
    build = tf.sysconfig.get_build_info() if hasattr(tf.sysconfig, "get_build_info") else {}
    note("tensorflow", "version", lambda: tf.__version__)
    note("tensorflow", "built_with_cuda", lambda: bool(build.get("is_cuda_build", tf.test.is_built_with_cuda())))
    for key in ("cuda_version", "cudnn_version"):
        note("tensorflow", key, lambda: build.get(key))
    step("listing devices with tensorflow")
    gpus = tf.config.list_physical_devices("GPU")
    note("tensorflow", "physical_gpus", lambda: len(gpus))
    note("tensorflow", "visible_gpus", lambda: len(tf.config.get_visible_devices("GPU")))
    if gpus:
        note("tensorflow", "memory_growth", lambda: bool(tf.config.experimental.get_memory_growth(gpus[0])))
    for gpu in gpus:
        try:
            tf.config.experimental.set_memory_growth(gpu, True)
        except Exception as error:  # something has started the devices before us
            answer["tensorflow"]["memory_growth"] = {"failed": words(error)}
    step("starting devices with tensorflow")
    note("tensorflow", "devices", lambda: [short(device.name) for device in tf.config.list_logical_devices()])
    note("tensorflow", "logical_gpus", lambda: len(tf.config.list_logical_devices("GPU")))
    step("a matmul with tensorflow")
    note("tensorflow", "placement", lambda: short(matmul().device))
    note("tensorflow", "soft_placement", lambda: bool(tf.config.get_soft_device_placement()))
    note("tensorflow", "placement_under_gpu", placed_under_gpu)  # soft placement moves it where there is no such GPU
    threads = tf.config.threading
    note("tensorflow", "intra_op_threads", threads.get_intra_op_parallelism_threads)
    note("tensorflow", "inter_op_threads", threads.get_inter_op_parallelism_threads)
    note("tensorflow", "deterministic_ops", determinism)
    note("tensorflow", "tf32", lambda: bool(tf.config.experimental.tensor_float_32_execution_enabled()))
    note("tensorflow", "onednn", onednn)


if tf:
    if hasattr(tf, "config") and hasattr(tf.config, "list_physical_devices"):
        ask_tensorflow()
    else:
        ask_tensorflow_1()
