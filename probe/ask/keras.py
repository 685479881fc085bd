# A tiny Keras model on the backend that is configured: where its variables are placed and where its training step runs.


def keras_module():
    if "tensorflow" in sys.modules:
        return sys.modules["tensorflow"].keras  # follows TF_USE_LEGACY_KERAS
    return bring("keras", "keras")


def home_of(variable):
    value = getattr(variable, "value", variable)
    value = variable if callable(value) else value
    if hasattr(value, "devices"):
        return str(sorted(str(device) for device in value.devices())[0])
    return str(value.device).split("/device:")[-1]


def tiny_model(keras):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    return model


def training_device(model):
    """TensorFlow: the devices on which the step's own matmuls ran, by the run metadata."""
    import numpy
    inputs, targets = numpy.ones((8, 4), "float32"), numpy.zeros((8, 1), "float32")
    if "tensorflow" not in sys.modules:
        model.fit(inputs, targets, epochs=1, verbose=0)
        return None
    from tensorflow.python.eager import context
    context.enable_run_metadata()
    model.fit(inputs, targets, epochs=1, verbose=0)
    record = context.export_run_metadata()
    context.disable_run_metadata()
    graphs = list(record.partition_graphs)
    for function in record.function_graphs:
        graphs.extend(function.partition_graphs)
    found = set()
    for graph in graphs:
        found.update(node.device.split("/device:")[-1] for node in graph.node if "MatMul" in node.op and node.device)
    return ", ".join(sorted(found)) or None


def ask_keras(section):
    step("import keras")
    try:
        keras = keras_module()
        if not keras:
            return
        answer.setdefault("keras", {})
        note("keras", "backend", lambda: str(keras.backend.backend()) if hasattr(keras, "backend") else None)
        step("a tiny Keras model")
        model = tiny_model(keras)
        if section == "tensorflow":
            note(section, "variables_on", lambda: home_of(model.trainable_variables[0]))
        step("training a tiny Keras model")
        device = training_device(model)
        if section == "tensorflow" and device:
            answer[section]["training_on"] = device
    except BaseException as error:
        import traceback
        traceback.print_exc()
        if section == "tensorflow":
            answer.setdefault(section, {})["training_error"] = words(error)
        else:
            answer.setdefault("keras", {}).setdefault("backend", {"failed": words(error)})


if len(sys.argv) > 1 and sys.argv[1] in answer and "failed" not in answer[sys.argv[1]]:
    if isinstance(answer[sys.argv[1]].get("import_error"), dict):
        ask_keras(sys.argv[1])
