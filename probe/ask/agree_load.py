# Finds the model that the user names: a file, a folder, or a function that builds it. It follows common.py.


class NotLoaded(Exception):
    """An error for the user who named the model: why, and what to do."""


ALLOW = "use --allow-code if you trust its author"
PICKLES = (".pt", ".pth", ".pkl", ".pickle", ".joblib", ".bin", ".ckpt")
OF_KERAS = ("keras", "tf_keras", "keras_hub", "keras_nlp", "keras_cv")
WITH_CODE = ("Lambda", "__lambda__", "TFSMLayer", "TorchModuleWrapper", "JaxLayer", "FlaxLayer", "__tensor_lambda__")


def code_in(config, at="model"):
    """The first thing in a Keras configuration whose loading may run code from the file; empty: nothing."""
    if isinstance(config, dict):
        name, module = config.get("class_name"), config.get("module")
        if name in WITH_CODE:
            return "a %s layer%s" % (name.strip("_"), " (%s)" % config["config"]["name"] if isinstance(
                config.get("config"), dict) and isinstance(config["config"].get("name"), str) else "")
        if isinstance(module,
                      str) and "class_name" in config and module != "builtins" and module.split(".")[0] not in OF_KERAS:
            return "%s of the module %s" % (name, module)
        if module == "builtins" and name not in ("dict", "list", "tuple", "set", "slice", "str", "int", "float", "bool",
                                                 "complex", "bytes"):
            return "%s of Python's own" % (name,)
        parts = config.items()
    elif isinstance(config, (list, tuple)):
        parts = enumerate(config)
    else:
        return ""
    for key, part in parts:
        found = code_in(part, key)
        if found:
            return found
    return ""


def configuration(path):
    """The metadata of a .keras or .h5 file, read without Keras."""
    if path.endswith(".keras"):
        import zipfile
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo("config.json").file_size > 256 << 20:
                raise NotLoaded("its config.json is larger than 256 MiB")
            metadata = json.loads(archive.read("metadata.json")) if "metadata.json" in archive.namelist() else {}
            return json.loads(archive.read("config.json")), str(metadata.get("keras_version", ""))
    import h5py
    with h5py.File(path, "r") as file:
        config = file.attrs.get("model_config")
        if config is None:
            raise NotLoaded(
                "it holds weights only: name a script that builds the model and loads them, as script.py:build")
        return json.loads(config), str(file.attrs.get("keras_version", "2"))


def keras_for(version):
    """The Keras that wrote a file of this version, if this Python has it; otherwise the one that is installed."""
    names = ("tf_keras", "keras") if version.startswith("2") else ("keras", "tf_keras")
    errors = []
    for name in names:
        frame(b"s", "import " + name)
        try:
            return __import__(name)
        except Exception as error:
            errors.append(words(error))
    raise NotLoaded("this Python has no Keras that imports (%s); name another by --python" % errors[0])


def keras_file(path, wishes):
    try:
        config, version = configuration(path)
    except (KeyError, ValueError, OSError) as error:
        raise NotLoaded("it cannot be read as a Keras model: " + words(error))
    found = code_in(config)
    if found and not wishes["allow_code"]:
        raise NotLoaded("it holds %s, whose loading may run code that came with the file: %s" % (found, ALLOW))
    needed = os.path.getsize(path) * 6 >> 20
    if needed > wishes["memory_mib"]:
        raise NotLoaded("its weights alone need about %d MiB, and the limit is %d MiB: allow more by --memory" % (
            needed, wishes["memory_mib"]))
    keras = keras_for(version)
    more = {}
    if path.endswith(".keras") or not keras.__version__.startswith("2"):
        more["safe_mode"] = not wishes["allow_code"]
    frame(b"s", "loading " + os.path.basename(path))
    try:
        return keras.models.load_model(path, compile=False, **more)
    except Exception as error:
        raise NotLoaded("Keras %s does not load it: %s. If it needs your own classes, name a script that builds it, as "
                        "script.py:build" % (keras.__version__, words(error)))


def saved_model(path, wishes):
    metadata = os.path.join(path, "keras_metadata.pb")
    held = open(metadata, "rb").read() if os.path.exists(metadata) else b""
    graph = open(os.path.join(path, "saved_model.pb"), "rb").read(512 << 20)
    if not wishes["allow_code"]:
        if b'"class_name": "Lambda"' in held or b"__lambda__" in held:
            raise NotLoaded("it holds a Lambda layer, whose loading runs code that came with the file: " + ALLOW)
        for name in (b"WriteFile", b"ReadFile", b"SaveV2Slices", b"PyFunc", b"EagerPyFunc"):
            if b"\x12" + bytes([len(name)]) + name in graph:
                raise NotLoaded(
                    "its graph holds the operation %s, which reaches beyond the model: %s" % (name.decode(), ALLOW))
    frame(b"s", "import tensorflow")
    import tensorflow as tf
    keras = getattr(tf, "keras", None)
    if held and keras is not None and getattr(keras, "__version__", "2").startswith("2"):
        return keras.models.load_model(path, compile=False)
    raise NotLoaded("a SavedModel's layers are known to Keras 2 alone, and this Python has %s: save the model as "
                    ".keras, or name a script that builds it, as script.py:build" % (
                        "Keras " + keras.__version__ if keras is not None else "none"))


def pickled(path, wishes):
    if not wishes["allow_code"]:
        raise NotLoaded(
            "it is a pickle, whose loading runs whatever code it names: %s, or name a script that builds the "
            "model and loads its weights, as script.py:build" % ALLOW)
    if path.endswith((".pkl", ".pickle", ".joblib")):
        import pickle
        with open(path, "rb") as file:
            return pickle.load(file)
    import torch
    model = torch.load(path,
                       map_location="cpu",
                       **({
                           "weights_only": False
                       } if "weights_only" in torch.load.__code__.co_varnames else {}))
    if not isinstance(model, torch.nn.Module):
        raise NotLoaded(
            "it holds no torch.nn.Module, as a file of weights does: name a script that builds the model and "
            "loads them, as script.py:build")
    return model


def called(wishes):
    """The function that builds the model, called without arguments."""
    place, name = wishes["model"].rsplit(":", 1)
    frame(b"s", "import " + os.path.basename(place))
    if place.endswith(".py"):
        import importlib.util
        sys.path.insert(0, os.path.dirname(os.path.abspath(place)))
        spec = importlib.util.spec_from_file_location(os.path.basename(place)[:-3], place)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        import importlib
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(place)
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise NotLoaded("%s has no %s" % (place, name))
        found = getattr(found, part)
    frame(b"s", "%s()" % name)
    # A model class is called too; a model object in the module is used as it is.
    return found() if isinstance(found, type) or not hasattr(found, "__call__") or not is_model(found) else found


def is_model(found):
    return any(
        base.__name__ in ("Layer", "Module") and base.__module__.split(".")[0] in OF_KERAS + ("torch", "tensorflow")
        for base in type(found).__mro__)


def arrays_of(path):
    loaded = numpy.load(path, allow_pickle=False)
    return [loaded[name] for name in loaded.files] if hasattr(loaded, "files") else [loaded]


def framework_of(model):
    for base in type(model).__mro__:
        root = base.__module__.split(".")[0]
        if root == "torch" and base.__name__ == "Module":
            return Torch(model)
        if base.__name__ == "Layer" and (root in OF_KERAS or base.__module__.startswith("tensorflow.python.keras")):
            return Keras(model, base)
    raise NotLoaded(
        "it is a %s.%s, and not a model of Keras or torch.nn.Module" % (type(model).__module__, type(model).__name__))


def load(wishes):
    """The framework with its model, and its inputs as a list of arrays, or None where they must be generated."""
    named = wishes["model"]
    if wishes["kind"] == "function":
        model = called(wishes)
    elif os.path.isdir(named):
        model = saved_model(named, wishes)
    elif named.endswith((".keras", ".h5", ".hdf5")):
        model = keras_file(named, wishes)
    elif named.endswith(PICKLES):
        model = pickled(named, wishes)
    else:
        raise NotLoaded("no model is kept in a file of that name; known are .keras, .h5, a SavedModel folder, .pt, and "
                        "script.py:build")
    inputs = None
    if isinstance(model, (tuple, list)) and len(model) == 2:
        model, inputs = model
        wishes["given"] = True
        inputs = [as_array(one) for one in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    if wishes.get("input"):
        inputs = arrays_of(wishes["input"])
    return framework_of(model), inputs


def as_array(value):
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return numpy.asarray(value)
