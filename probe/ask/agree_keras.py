# The parts of agree.py for Keras: Keras 2 on TensorFlow, Keras 3 on TensorFlow, JAX and PyTorch.
import contextlib

os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")


class Keras:
    """A Keras layer or model, called eagerly with training=False."""

    def __init__(self, model, base):
        self.model, self.base = model, base
        self.three = base.__module__.endswith("layers.layer")
        self.root = sys.modules[base.__module__.split(".")[0]]
        version = getattr(self.root, "__version__", "?")
        self.backend = self.root.backend.backend() if self.three else "tensorflow"
        global tf, jax, torch
        if self.backend == "tensorflow":
            import tensorflow as tf
            gpus = tf.config.list_physical_devices("GPU")
            self.device = "GPU:0" if gpus else "CPU:0"
            on = "tensorflow " + tf.__version__
        elif self.backend == "jax":
            import jax
            self.device = str(jax.devices()[0].platform) + ":0"
            on = "jax " + jax.__version__
        else:
            import torch
            self.device = "cuda:0" if torch.cuda.is_available() else "cpu"
            on = "torch " + str(torch.__version__)
        self.library = "Keras %s on %s" % (version, on)

    def why_not(self, against):
        if against == "cpu" and self.device.lower().startswith("cpu"):
            return "Keras lists no GPU here, so that there is no other device: use --against fp64"
        return ""

    # Inputs

    def shapes(self):
        """(shape, dtype, name) of each input that the model declares; None: it declares none."""
        declared_ = getattr(self.model, "inputs", None)
        if declared_:
            return [(tuple(i.shape), getattr(i.dtype, "name", str(i.dtype)), getattr(i, "name", "")) for i in declared_]
        shape = getattr(self.model, "_build_input_shape", None) or (getattr(self.model, "_build_shapes_dict", None) or
                                                                    {}).get("input_shape")
        return [(tuple(shape), "float32", "")] if shape and not isinstance(shape, dict) and all(
            s is None or isinstance(s, int) for s in shape) else []

    def make_inputs(self, seed):
        found = self.shapes()
        if not found:
            raise NotLoaded(
                "the model does not declare the shape of its input: name one by --input FILE.npy, or let the "
                "function return (model, input)")
        random = numpy.random.default_rng(seed)
        words_ = [int(l.input_dim) for l in self.layers(self.model) if type(l).__name__ == "Embedding"]
        first = [
            l for l in self.layers(self.model) if type(l).__name__ not in ("InputLayer", ) and not hasattr(l, "layers")
        ][:1]
        made = []
        for shape, dtype, _ in found:
            size = numpy.prod([s or 16 for s in shape[1:]], dtype="int64")
            shape = (shape[0] or (2 if size > 20000 else 8),) + tuple(s or 16 for s in shape[1:])
            if "int" in dtype or (words_ and type(first[0]).__name__ == "Embedding"):
                made.append(random.integers(0, min(words_ or [2]), shape).astype("int32"))
            elif dtype == "string":
                raise NotLoaded("the model takes text: name its input by --input FILE.npy")
            else:
                made.append(random.standard_normal(shape).astype("float32"))
        return made

    def given(self, inputs):
        found = [self.tensor(array) for array in inputs]
        structure = getattr(self.model, "_inputs_struct", None) if self.three else getattr(
            self.model, "_nested_inputs", None)
        if isinstance(structure, dict) and len(structure) == len(found):
            return dict(zip(structure, found))
        return found[0] if len(found) == 1 else found

    def tensor(self, array):
        if self.three:
            return self.root.ops.convert_to_tensor(array)
        return tf.convert_to_tensor(array)

    def build(self, inputs):
        if not getattr(self.model, "built", True) or not list(self.weights()):
            self.run(inputs)

    def activations(self, inputs):
        batch = inputs[0].shape[0] if inputs and inputs[0].ndim else 1
        most = sum(a.size for a in inputs)
        for layer in self.layers(self.model):
            try:
                outputs = layer.output
                for one in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
                    most = max(most, batch * int(numpy.prod([s or 16 for s in one.shape[1:]])))
            except Exception:
                continue
        return most

    def run(self, inputs):
        with self.quietly():
            if self.takes_training() and not self.always_training():
                return self.model(self.given(inputs), training=False)
            return self.model(self.given(inputs))

    def takes_training(self):
        if not self.three:
            return getattr(self.model, "_expects_training_arg", True)
        return bool(getattr(self.model, "_call_has_training_arg", True)) or hasattr(self.model, "layers")

    def always_training(self):
        """A layer was put into the model as dropout(x, training=True), which Keras 3 follows unless the caller
        passes another value."""
        for layer in self.layers(self.model):
            for node in getattr(layer, "_inbound_nodes", []):
                kwargs = getattr(getattr(node, "arguments", None), "kwargs", None) or getattr(
                    node, "call_kwargs", None) or {}
                if kwargs.get("training") is True:
                    return True
        return False

    def quietly(self):
        if self.backend == "torch":
            return torch.no_grad()
        return contextlib.nullcontext()

    # Layers and weights

    def layers(self, layer):
        found, seen = [], set()
        for one in [layer] + list(layer._flatten_layers(include_self=False)):
            if id(one) not in seen:
                seen.add(id(one))
                found.append(one)
        return found

    def weights(self, layer=None):
        for index, variable in enumerate((self.model if layer is None else layer).variables):
            yield "%d %s" % (index, variable.name), self.numbers(variable)

    def numbers(self, tensor):
        if self.backend == "torch":
            value = tensor.value if hasattr(tensor, "value") and not callable(tensor.value) else tensor
            value = value.detach().cpu()
            return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
        if self.three and hasattr(tensor, "value") and not callable(tensor.value):
            tensor = tensor.value
        return numpy.asarray(tensor)

    def kept(self):
        return [(variable, self.numbers(variable).copy()) for variable in self.model.variables]

    def put_back(self, kept):
        for variable, value in kept:
            if self.numbers(variable).tobytes() != value.tobytes():
                variable.assign(value)

    def policy(self, layer):
        policy = getattr(layer, "_dtype_policy", None) or getattr(layer, "dtype_policy", None)
        if str(getattr(policy, "quantization_mode", None)).startswith("int"):
            return "int8"
        return str(getattr(policy, "compute_dtype", None) or "float32")

    def precisions(self, inputs):
        return [self.policy(l) for l in self.layers(self.model) if not hasattr(l, "layers") and (
            self.policy(l) == "int8" or any(
                "float" in str(v.dtype)
                for v in getattr(l, "_trainable_variables", None) or getattr(l, "_trainable_weights", [])))]

    # Calls

    def watch(self, call):
        return watching(self.base, call)

    def each(self, value, change):
        if value is None or isinstance(value, (str, int, float, bool)):
            return value
        if isinstance(value, (list, tuple)):
            parts = [self.each(part, change) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, dict):
            return {key: self.each(part, change) for key, part in value.items()}
        return change(value) if self.is_tensor(value) else value

    def is_tensor(self, value):
        if isinstance(value, numpy.ndarray):
            return True
        if self.three:
            return self.root.backend.is_tensor(value) if hasattr(self.root.backend,
                                                                 "is_tensor") else self.root.ops.is_tensor(value)
        return isinstance(value, tf.Tensor)

    def concrete(self, args, kwargs):
        good, any_ = [True], [False]

        def check(value):
            any_[0] = True
            if self.backend == "jax" and isinstance(value, jax.core.Tracer):
                good[0] = False
            if self.backend == "tensorflow" and not isinstance(value, numpy.ndarray) and not hasattr(value, "numpy"):
                good[0] = False
            return value
        self.each([list(args), kwargs], check)
        return good[0] and any_[0]

    def kept_inputs(self, args, kwargs):
        return None

    def as_given(self, given, args, kwargs):
        return args, kwargs

    def state(self, layer):
        own = getattr(layer, "_non_trainable_variables", None) or getattr(layer, "_non_trainable_weights", None) or []
        return [self.numbers(variable).copy() for variable in own]

    def full_name(self, name, around):
        """Layers inside another layer are often named without it."""
        for outer in reversed(around[1:]):
            if outer.name not in name.split("/")[:-1]:
                name = outer.name + "/" + name
        return name

    def arrays(self, result):
        found = []
        self.each(result, lambda tensor: found.append(self.numbers(tensor)))
        return found

    def mapped(self, value, change):
        def one(tensor):
            if not self.concrete([tensor], {}):  # of a loop that is being traced
                return tensor
            array = self.numbers(tensor)
            return self.wide(change(array), tensor) if array.dtype == "float64" else tensor
        return self.each(value, one)

    def moved(self, value, change):
        def one(tensor):
            array = self.numbers(tensor)
            if not is_floating(array):
                return tensor
            new = change(array.astype("float64")).astype(array.dtype)
            return torch.from_numpy(new) if self.backend == "torch" and array.dtype.name != "bfloat16" else self.tensor(
                new)
        return self.each(value, one)

    def gradients(self, inputs, signs, change):
        """By weight; in float64 with `change` applied, or as the model is where that is None."""
        given = self.given(inputs)
        variables = [v for v in self.model.trainable_variables if "float" in str(v.dtype).replace("dtype", "")]
        if change is None:
            return self.gradients_in(variables, lambda v: self.as_it_is(v), given, signs)
        with on_cpu(self.backend), casts_kept_in(self.backend):
            given = self.each(given, lambda t: self.in_float64(t, None, change))
            return self.gradients_in(variables, lambda v: self.in_float64(v, v.name, change), given, signs, change)

    def as_it_is(self, variable):
        if not self.three:
            return tf.convert_to_tensor(variable)
        return variable.value.detach().clone() if self.backend == "torch" else self.root.ops.convert_to_tensor(
            variable.value)

    def gradients_in(self, variables, value_of, given, signs, change=None):
        values = [value_of(v) for v in variables]

        def total(values_):
            with self.with_weights(dict(zip(map(id, variables), values_)), change):
                results = []
                self.each(
                    self.base.__call__(self.model, given, **({
                        "training": False
                    } if self.takes_training() else {})), results.append)
            whole = 0
            for result in results:
                if "float" in str(result.dtype):
                    weights = signs(tuple(result.shape))
                    if self.backend == "tensorflow":
                        whole = whole + tf.reduce_sum(result * tf.cast(tf.constant(weights), result.dtype))
                    elif self.backend == "jax":
                        whole = whole + (result * jax.numpy.asarray(weights).astype(result.dtype)).sum()
                    else:
                        whole = whole + (result * torch.from_numpy(weights).to(result.dtype)).sum()
            return whole
        if self.backend == "tensorflow":
            with tf.GradientTape() as tape:
                for value in values:
                    tape.watch(value)
                whole = total(values)
            found = tape.gradient(whole, values)
            found = [tf.convert_to_tensor(g) if g is not None else None for g in found]
        elif self.backend == "jax":
            found = jax.grad(total)(values)
        else:
            values = [value.requires_grad_() for value in values]
            with torch.enable_grad():
                found = torch.autograd.grad(total(values), values, allow_unused=True)
        names = ["%s" % (getattr(v, "path", None) or v.name) for v in variables]
        return {name: self.numbers(g).astype("float64") for name, g in zip(names, found) if g is not None}

    @contextlib.contextmanager
    def with_weights(self, weights, change):
        """The model with its trainable weights replaced by these tensors; the others unchanged, or in float64."""
        if not self.three:
            with self.swapped_two(self.model, weights, change or unchanged, "float64" if change else None):
                yield
            return
        mapping = dict(weights)
        policies = []
        if change:
            mapping = {
                id(v): self.in_float64(v, v.name, change)
                for v in self.model.variables if "float" in str(v.dtype)
            }
            mapping.update(weights)
            policies = [(one, one.__dict__["_dtype_policy"]) for one in self.layers(self.model)
                        if "_dtype_policy" in one.__dict__]
        scope = self.root.StatelessScope()
        scope.state_mapping.update(mapping)
        try:
            for one, policy in policies:
                if "float" in str(policy.compute_dtype):
                    one.__dict__["_dtype_policy"] = self.policy_like(policy, "float64")
            with scope:
                yield
        finally:
            for one, policy in policies:
                one.__dict__["_dtype_policy"] = policy

    def wide(self, array, like=None):
        """As a tensor in float64, with the Keras mask of the tensor that it replaces."""
        tensor = self.tensor(numpy.ascontiguousarray(array)) if not self.three or self.backend != "torch" else \
            torch.from_numpy(numpy.ascontiguousarray(array))
        mask = getattr(like, "_keras_mask", None)
        if mask is not None:
            try:
                tensor._keras_mask = mask
            except AttributeError:
                pass
        return tensor

    def in_float64(self, tensor, name, change):
        array = self.numbers(tensor)
        return self.wide(change(array.astype("float64"), name), tensor) if is_floating(array) else tensor

    def about(self, layer, args, result):
        name = getattr(layer, "path", None) if self.three else None
        module = type(layer).__module__
        kind = type(layer).__name__ if module.split(
            ".")[0] in OF_KERAS else module.split(".")[-1] + "." + type(layer).__name__
        row = {
            "name": "the model" if layer is self.model else name or layer.name,
            "kind": kind,
            "computes_in": self.policy(layer)
        }
        arrays = self.arrays(result)
        floating = [a.dtype.name for a in arrays if is_floating(a)]
        if floating:
            row["dtype"] = floating[0]
        own = [v for v in layer.weights if len(v.shape) > 0] if not hasattr(layer, "layers") else []
        row["weighted"] = bool(own)
        row["terms"] = self.terms(kind, own, args, arrays)
        return row

    def terms(self, kind, own, args, results):
        """The longest sum that one number of the result is made of."""
        first = next(iter(self.arrays(list(args))), None)
        if kind == "Embedding":
            return 1
        if "Depthwise" in kind or "Separable" in kind:
            most = max([int(numpy.prod(v.shape[:-1])) for v in own if len(v.shape) > 1] or [1])
        else:
            most = max([int(numpy.prod(v.shape)) // int(v.shape[-1]) for v in own if len(v.shape) > 1] or [1])
        if first is None or not results or not results[0].size or first.ndim == 0:
            return most
        if kind in ("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional", "ConvLSTM1D", "ConvLSTM2D",
                    "ConvLSTM3D") and first.ndim > 2:
            return most * int(first.shape[1])
        if most == 1:
            most = max(1, first.size // results[0].size)
            if "Normalization" in kind or kind in ("Softmax", "Dot", "Attention", "AdditiveAttention"):
                most = max(most, int(first.shape[-1]))
        return most

    def original_call(self, layer, original, args, kwargs):
        with self.quietly():
            return original(layer, *args, **kwargs)

    def again(self, layer, original, args, kwargs):
        if self.three:
            with self.root.StatelessScope():
                return self.original_call(layer, original, args, kwargs)
        kept = [(v, v.numpy()) for v in layer.non_trainable_variables]
        try:
            return original(layer, *args, **kwargs)
        finally:
            for variable, value in kept:
                if variable.numpy().tobytes() != value.tobytes():
                    variable.assign(value)

    def exact(self, layer, original, args, kwargs, change, noise):
        run = self.exact_three if self.three else self.exact_two
        with on_cpu(self.backend), casts_kept_in(self.backend):
            args = self.each(args, lambda t: self.in_float64(t, None, change))
            kwargs = self.each(kwargs, lambda t: self.in_float64(t, None, change))
            return run(layer, original, args, kwargs, change, "float64")

    def policy_like(self, policy, name):
        """The policy of this name; for a quantised layer one with the same quantisation."""
        if not getattr(policy, "quantization_mode", None):
            return self.root.DTypePolicy(name)
        return self.root.dtype_policies.get(policy.name.split("_from_")[0] + "_from_" + name)

    def exact_three(self, layer, original, args, kwargs, change, dtype):
        mapping = {}
        for variable in layer.variables:
            if "float" in str(variable.dtype) and dtype == "float64":  # otherwise Keras casts them itself
                mapping[id(variable)] = self.in_float64(variable, variable.name, change)
        policies = [(one, one.__dict__["_dtype_policy"]) for one in self.layers(layer)
                    if "_dtype_policy" in one.__dict__]
        constants = [(one, name, value) for one in self.layers(layer) for name, value in one.__dict__.items()
                     if not isinstance(value, self.root.Variable) and self.is_tensor(value) and
                     self.concrete([value], {}) and is_floating(self.numbers(value))]
        wide = "mixed_bfloat16" if dtype == "bfloat16" else dtype
        scope = self.root.StatelessScope()
        scope.state_mapping.update(mapping)
        try:
            for one, policy in policies:
                if "float" in str(policy.compute_dtype):
                    one.__dict__["_dtype_policy"] = self.policy_like(policy, wide)
            for one, name, value in constants:
                one.__dict__[name] = self.root.ops.cast(self.in_float64(value, None, unchanged), dtype)
            with scope:
                return self.original_call(layer, original, args, kwargs)
        finally:
            for one, policy in policies:
                one.__dict__["_dtype_policy"] = policy
            for one, name, value in constants:
                one.__dict__[name] = value

    def exact_two(self, layer, original, args, kwargs, change, dtype):
        with self.swapped_two(layer, {}, change, dtype):
            return original(layer, *args, **kwargs)

    @contextlib.contextmanager
    def swapped_two(self, layer, done, change, dtype):
        """Temporarily replaces the values of attributes that are variables: those of `done` by their ids, the others
        changed."""
        held, done = [], dict(done)

        def swapped(value):
            if isinstance(value, tf.Variable):
                if not value.dtype.is_floating or (dtype is None and id(value) not in done):
                    return value
                if id(value) not in done:
                    done[id(value)] = tf.cast(self.in_float64(value, value.name, change), dtype)
                return done[id(value)]
            if isinstance(value, tf.Tensor) and dtype is not None:
                return self.in_float64(value, None,
                                       unchanged) if hasattr(value, "numpy") and value.dtype.is_floating else value
            if isinstance(value, (list, tuple)) and any(isinstance(part, tf.Variable) for part in value):
                return [swapped(part) for part in value]
            return value
        def forget_masks():
            """Cells keep their dropout masks, which are ones at inference, in the precision of their first input."""
            for one in self.layers(layer):
                for forget in ("reset_dropout_mask", "reset_recurrent_dropout_mask"):
                    getattr(one, forget, lambda: None)()
        try:
            forget_masks()
            for one in self.layers(layer):
                held.append((one, dict(one.__dict__)))
                for name, value in list(one.__dict__.items()):
                    if not name.endswith(("trainable_weights", "trainable_variables")):
                        new = swapped(value)
                        if new is not value:
                            one.__dict__[name] = new
                if dtype is None:
                    continue
                if one._compute_dtype_object is None or one._compute_dtype_object.is_floating:
                    one._set_dtype_policy(dtype)
                for name in ("fused", "_fused"):
                    if name in one.__dict__:
                        one.__dict__[name] = False
            yield
        finally:
            for one, attributes in held:
                for name, value in attributes.items():
                    if one.__dict__.get(name) is not value:
                        one.__dict__[name] = value
            forget_masks()

    def multiplies(self, layer):
        return not hasattr(layer, "layers") and type(layer).__name__ != "Embedding" and any(
            len(v.shape) > 1 for v in layer.weights)

    def other(self, against, layer, original, args, kwargs):
        if against == "deterministic":
            if self.backend == "tensorflow":
                tf.config.experimental.enable_op_determinism()
            return self.again(layer, original, args, kwargs)
        if against == "cpu":
            def here(tensor):
                return self.wide(self.numbers(tensor), tensor)
            with on_cpu(self.backend):
                if not self.three:
                    return self.again(layer, original, self.each(args, here), self.each(kwargs, here))
                scope = self.root.StatelessScope()
                scope.state_mapping.update({id(v): here(v) for v in layer.variables})
                with scope:
                    return self.original_call(layer, original, self.each(args, here), self.each(kwargs, here))

        def cast(tensor, name=None):
            return self.root.ops.cast(tensor, "bfloat16") if self.three else tf.cast(tensor, "bfloat16")

        def narrow(tensor):
            array = self.numbers(tensor)
            return cast(tensor) if is_floating(array) else tensor
        run = self.exact_three if self.three else self.exact_two
        return run(layer, original, self.each(args, narrow), self.each(kwargs, narrow), unchanged, "bfloat16")


@contextlib.contextmanager
def watching(base, call):
    original = base.__call__

    def wrapped(layer, *args, **kwargs):
        return call(layer, original, args, kwargs)
    base.__call__ = wrapped
    try:
        yield
    finally:
        base.__call__ = original


@contextlib.contextmanager
def on_cpu(backend):
    """In float64, which must be enabled in JAX."""
    with contextlib.ExitStack() as stack:
        if backend == "tensorflow":
            stack.enter_context(tf.device("/CPU:0"))
        elif backend == "jax":
            allow = getattr(jax, "enable_x64", None)
            if allow is None or not callable(allow):
                from jax.experimental import enable_x64 as allow
            stack.enter_context(allow(True))
            stack.enter_context(jax.default_device(jax.local_devices(backend="cpu")[0]))
        else:
            import keras
            stack.enter_context(keras.device("cpu"))
        yield


@contextlib.contextmanager
def casts_kept_in(backend):
    """While a layer runs in float64, no intermediate value may be rounded to less."""
    narrow = ("float32", "float16", "bfloat16")
    if backend == "torch":
        with casts_kept():
            yield
        return
    if backend == "tensorflow":
        from tensorflow.python.ops import gen_math_ops, gen_nn_ops
        cast, pool = gen_math_ops.cast, gen_nn_ops.max_pool3d

        def keep(x, DstT=None, *more, **options):  # noqa: N803, TensorFlow's signature
            if DstT is not None and getattr(x, "dtype", None) == tf.float64 and tf.as_dtype(DstT).name in narrow:
                return x
            return cast(x, DstT, *more, **options)

        def pool_twice(input, ksize, strides, padding, data_format="NDHWC", name=None):  # noqa: A002
            """Its float64 kernel is missing; over two dimensions and then the third it is the same, as nothing
            rounds."""
            if getattr(input, "dtype", None) != tf.float64 or data_format != "NDHWC":
                return pool(input, ksize, strides, padding, data_format, name)
            n, depth, height, width, channels = input.shape
            planes = tf.reshape(input, (n * depth, height, width, channels))
            planes = tf.nn.max_pool2d(planes, ksize[2:4], strides[2:4], padding)
            height, width = planes.shape[1:3]
            deep = tf.reshape(planes, (n, depth, height * width, channels))
            deep = tf.nn.max_pool2d(deep, (ksize[1], 1), (strides[1], 1), padding)
            return tf.reshape(deep, (n, deep.shape[1], height, width, channels))
        changed = [(gen_math_ops, "cast", cast, keep), (gen_nn_ops, "max_pool3d", pool, pool_twice)]
    else:
        from keras.src.backend.jax import core
        cast = core.cast

        def keep(x, dtype):
            if str(getattr(x, "dtype", "")) == "float64" and str(dtype) in narrow:
                return x
            return cast(x, dtype)
        # Modules that imported it by name have a reference of their own.
        changed = [(module, "cast", cast, keep) for module in list(sys.modules.values())
                   if getattr(module, "__name__", "").startswith("keras.src.backend.jax") and
                   getattr(module, "cast", None) is cast]
    for module, name, _, other in changed:
        setattr(module, name, other)
    try:
        yield
    finally:
        for module, name, original, _ in changed:
            setattr(module, name, original)
