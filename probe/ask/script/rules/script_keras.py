"""Keras on its backends, tf.data and tf.distribute, and what must come in order; for the reader of scripts."""

TENSORS = re.compile(r"tensorflow\.((math|linalg|signal|strings|bitwise)\.\w+|random\.(normal|uniform|truncated_normal|"
                     r"gamma|poisson|categorical|shuffle)|nn\.(relu|softmax|sigmoid|tanh|conv2d|l2_loss|gelu|elu)|"
                     r"image\.(resize\w*|flip\w*|random_\w+|central_crop|decode\w+)|io\.(read_file|decode_\w+)|"
                     r"(constant|convert_to_tensor|zeros|ones|fill|eye|range|linspace|cast|reshape|concat|stack|matmul|"
                     r"add|subtract|multiply|divide|square|sqrt|exp|abs|reduce_\w+|one_hot|expand_dims|squeeze|"
                     r"identity|transpose|where|gather|tile|repeat|pad|zeros_like|ones_like|argmax|argmin|einsum|norm|"
                     r"clip_by_value|maximum|minimum|sin|cos|tanh|sigmoid|pow))$")
DATASETS = re.compile(r"tensorflow\.data\.(Dataset\.\w+|TFRecordDataset|TextLineDataset|FixedLengthRecordDataset|"
                      r"experimental\.\w*[dD]ataset\w*)$|tensorflow\.keras\.utils\.\w+_dataset_from_\w+$|"
                      r"keras\.(utils|preprocessing)\.\w*_?dataset_from_\w+$")
OF_DATASET = ("batch", "cache", "concatenate", "enumerate", "filter", "flat_map", "ignore_errors", "interleave", "map",
              "padded_batch", "prefetch", "ragged_batch", "rebatch", "repeat", "shard", "shuffle", "skip", "take",
              "take_while", "unbatch", "unique", "window", "with_options", "apply", "snapshot", "scan",
              "bucket_by_sequence_length", "group_by_window")
# Methods of PyTorch's that the objects of TensorFlow, Keras and Flax lack.
OF_TORCH = ("to", "cuda", "half", "parameters", "named_parameters", "zero_grad", "load_state_dict", "detach",
            "requires_grad_", "is_cuda", "pin_memory")
OF_TORCH_MODELS = OF_TORCH + ("cpu", "state_dict")
# The classes whose members known_names.json lists, by the kind of a thing.
CLASSES = {"tf-dataset": "tensorflow.data.Dataset", "strategy": "tensorflow.distribute.Strategy",
           "jax-array": "jax.Array", "jax-device": "jax.Device", "gpu": "tensorflow.config.PhysicalDevice"}
# Callable contexts aside: these raise where they decorate a function.
NO_DECORATORS = ("tensorflow.device", "tensorflow.GradientTape", "tensorflow.name_scope", "tensorflow.init_scope")
KERAS_DEVICES = {
    "tensorflow": (r"/?(device:)?(cpu|gpu|tpu)(:\d+)?|/job:.*", "TensorFlow's names, as 'gpu:0'"),
    "jax": (r"(cpu|gpu|tpu|cuda|rocm)(:\d+)?", "'gpu:0' or 'cpu'"),
    "torch": (r"(cpu|gpu|cuda|mps|xpu|meta|tpu|xla)(:\d+)?", "'cuda:0' or 'cpu'"),
}
# What only one framework reads of a process.
READER_OF = {"TF_FORCE_GPU_ALLOW_GROWTH": "tensorflow", "TF_GPU_ALLOCATOR": "tensorflow",
           "XLA_PYTHON_CLIENT_PREALLOCATE": "jax", "XLA_PYTHON_CLIENT_MEM_FRACTION": "jax",
           "XLA_PYTHON_CLIENT_ALLOCATOR": "jax", "JAX_PLATFORMS": "jax", "JAX_PLATFORM_NAME": "jax",
           "PYTORCH_CUDA_ALLOC_CONF": "torch", "PYTORCH_ALLOC_CONF": "torch"}
SPOKEN = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch", "keras": "Keras"}
# Modules that bring no framework along.
NEUTRAL = ("numpy", "pandas", "scipy", "sklearn", "matplotlib", "PIL", "tqdm", "cv2", "seaborn", "yaml", "h5py", "absl",
           "imageio", "skimage", "requests")
# What a script of another backend may ask of TensorFlow and still make nothing with it.
ABOUT_DEVICES_ALONE = ("tensorflow.config", "tensorflow.distribute", "tensorflow.device", "tensorflow.keras",
                       "tensorflow.test", "tensorflow.random.set", "tensorflow.get_logger",
                       "tensorflow.compat.v1.ConfigProto", "tensorflow.compat.v1.logging")
CLUSTERED = ("MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TFConfigClusterResolver",
             "ParameterServerStrategyV2", "CentralStorageStrategy")
# What lists the devices of the machine by opening all of them, with options of its own; a process opens each once.
OPENS_ALL_GPUS = re.compile(r"tensorflow\.(compat\.v1\.)?(test\.(is_gpu_available|gpu_device_name)|python\.client\.device_lib\.list_local_devices)$")
TRAINS = ("fit", "train_on_batch", "fit_generator")


class Keras:
    def __init__(self, reader):
        self.reader = reader
        self.backend = None  # that the script chooses
        self.backend_at = None
        self.settings = []  # (variable, node, source, path) that one framework alone reads
        self.roots = set()  # modules that it imports
        self.computes = False  # with TensorFlow's own operations
        self.other_tensorflow = False  # it does more of TensorFlow than to configure devices
        self.configured = []  # calls that configure TensorFlow's GPUs
        self.clusters = []  # strategies that read TF_CONFIG: (node, path, source)
        self.tapes = []  # tf.GradientTape
        self.seeded = False
        self.alone_option = False  # the one GPU that is left visible is the one that an option names
        self.built = []  # Keras models that have their variables
        self.hidden = []  # (path, node, source) at which all GPUs were hidden
        self.alone = []  # the same, where one GPU was left: it is GPU:0
        self.tf_keras_at = None
        self.gpus_used = []
        self.initialized_tpu = False
        self.tpus = []
        self.uses_keras = False  # keras itself, and not tensorflow.keras
        self.distributed = False  # keras.distribution was set

    def before(self, path):
        """Whether what stands on this path surely came before what is read now."""
        here = self.reader.path
        return here[: len(path)] == tuple(path) and not (here and not path and re.match(r"p\d+:", here[0]))

    # ---- imports and variables

    def imports(self, node, module):
        root = module.split(".")[0]
        self.roots.add(root)
        if root == "tf_keras" and self.tf_keras_at is None:
            self.tf_keras_at = (node, self.reader.source)
        self.uses_keras = self.uses_keras or root == "keras"

    def variable(self, node, name, value):
        reader, said = self.reader, text_of(value)
        if name == "KERAS_BACKEND":
            self.backend, self.backend_at = said, (node, reader.source)
        if name in READER_OF and not (name == "TF_FORCE_GPU_ALLOW_GROWTH" and said in ("false", "0")):
            self.settings.append((name, node, reader.source, reader.path))
        if name == "TF_CONFIG":
            if is_form(value) and re.match(r"\s*\{\s*'", form_of(value)):
                reader.mistake(node, "TF_CONFIG that is no JSON", reader.written(node))
            # Also a strategy that only some of the ways to here have made: for the others the variable means nothing.
            late = [one for one in self.clusters if self.before(one[1]) or one[1][:len(reader.path)] == reader.path]
            if late:
                self.late(node, "TF_CONFIG after its strategy", late[0])
        if name in ("CUDA_VISIBLE_DEVICES",):
            self.hidden = [h for h in self.hidden if h[1] is None]
        listed = isinstance(value, Thing) and (value.kind in ("mapping", "gpus") or value.kind == "words")
        if listed or isinstance(value, Many):
            what = {"Many": "a list", "Thing": "a dictionary" if getattr(value, "kind", "") == "mapping" else "a list"}
            reader.mistake(node, "os.environ of what is no text", "%s = %s" % (name, what[type(value).__name__]))

    def late(self, node, name, begun):
        """A mistake of order: `begun` is what should have come later; it may stand in another file."""
        reader = self.reader
        here = begun[2] == reader.source
        file = " of " + begun[2].rpartition("/")[2] if begun[2] and not here else ""
        reader.mistake(node, name, reader.written(node), reader.written(begun[0]), "%d%s" % (begun[0].lineno, file),
                       other=begun[0] if here else None)

    # ---- calls

    def call(self, node, name, values, words):
        reader, parts = self.reader, name.split(".")
        last = parts[-1]
        if parts[0] == "tensorflow" and not name.startswith(ABOUT_DEVICES_ALONE):
            self.other_tensorflow = True
            self.computes = self.computes or not name.startswith("tensorflow.data.")
        if last in ("set_memory_growth", "set_virtual_device_configuration", "set_logical_device_configuration"):
            self.configured.append((node, reader.source, reader.path))
        if name in ("tensorflow.device", "tensorflow.compat.v1.device", "keras.device") and values:
            self.device(node, name, values[0])
        if name == "tensorflow.GradientTape":
            self.tapes.append((node, reader.source))
        if last == "set_random_seed" or name == "tensorflow.random.set_seed":
            self.seeds(node)
        if last in ("get_memory_info", "reset_memory_stats", "get_memory_usage") and "config" in parts:
            reader.answers.memory_of(node, values[0] if values else words.get("device"))
            self.numbered_anew(node, values[0] if values else words.get("device"))
        if last in ("MirroredStrategy", "OneDeviceStrategy") and parts[0] == "tensorflow":
            given = values[0] if values else words.get("devices", words.get("device"))
            for one in given.items if isinstance(given, Many) and given.items else [given]:
                self.numbered_anew(node, one)
                reader.answers.not_physical(node, one, False)
                if form_of(one).startswith("/physical_device:"):
                    reader.mistake(node, "a physical device where a name belongs", reader.written(node))
            together = words.get("cross_device_ops", values[1] if len(values) > 1 else None)
            if last == "MirroredStrategy" and text_of(together) is not None:
                reader.mistake(node, "a text for what adds gradients up", text_of(together))
            if last == "MirroredStrategy" and (is_form(given) or is_number(given)) or last == "OneDeviceStrategy" and \
                    isinstance(given, Many):
                reader.mistake(node, "devices of a strategy in the wrong form", reader.written(node))
        if parts[0] == "tensorflow" and last in CLUSTERED:
            self.clusters.append((node, reader.path, reader.source))
        if last in ("initialize_tpu_system", "tpu_initialize"):
            self.initialized_tpu = True
        if last == "TPUStrategy" and parts[0] == "tensorflow":
            self.tpus.append((node, reader.source, reader.path))
        if name.startswith("keras.distribution.") or name.startswith("tensorflow.keras.distribution."):
            return self.distribution(node, last, values, words)
        if last == "set_visible_devices" and values:
            self.chosen(node, values)
        if name in ("jax.devices", ) and values and text_of(values[0]) in ("gpu", "cuda") and reader.jaxs.on_cpu:
            reader.mistake(node, "a GPU of JAX where the CPU was chosen", reader.written(node))
        if TENSORS.match(name):
            return Thing("tf-tensor")
        if DATASETS.match(name):
            return Thing("tf-dataset")
        if name.startswith("keras.ops.") and self.backend == "torch" and last not in ("convert_to_numpy", "shape"):
            reader.torch.started(node, "cuda|cpu")
            return Thing("tensor", device="cuda|cpu", line=node.lineno)
        if last == "rank" and parts[0] == "horovod":
            return Thing("number", rank=True, horovod=True)
        return None

    def seeds(self, node):
        """The first seed of a script that comes after a model whose weights were drawn."""
        first, self.seeded = not self.seeded, True
        late = [one for one in self.built if self.before(one[1])]
        if first and late and re.search(r"\.fit\(|GradientTape", self.reader.text) and not re.search(
                r"load_model|load_weights|set_weights|weights=|applications\.", self.reader.text):
            self.late(node, "a seed behind a model's weights", late[0])

    def chosen(self, node, values):
        kind = text_of(values[1]) if len(values) > 1 else None
        reader = self.reader
        several = isinstance(values[0], Many)
        if several and not values[0].items and not values[0].open and kind != "CPU":
            self.hidden.append((reader.path, node, reader.source))
        elif kind == "GPU" or kind is None:
            self.hidden = []
            alone = values[0].items[0] if several and len(values[0].items) == 1 and not values[0].open else values[0]
            if isinstance(alone, Thing) and alone.kind == "gpu":
                self.alone.append((reader.path, node, reader.source))
                index = alone["index"]
                self.alone_option = isinstance(index, Thing) and index.kind == "number" and index["default"] is not None
        if kind == "GPU" and several and values[0].items and all(is_number(i) for i in values[0].items):
            reader.mistake(node, "set_visible_devices of a text", reader.written(node.args[0]))

    def numbered_anew(self, node, where):
        """The name of a second GPU, where one was made visible."""
        alone = [h for h in self.alone if self.before(h[0])]
        listed = isinstance(where, Thing) and where["listed"]  # a name that TensorFlow gave
        by_option = self.alone_option and not listed and re.search(r"gpu:" + re.escape(NUMBER), form_of(where), re.I)
        cut = re.search(r"set_(logical|virtual)_device_configuration", self.reader.text)  # one GPU, and several devices
        if alone and not cut and is_form(where) and (by_option or re.search(r"gpu:[1-9]", form_of(where).replace(NUMBER, "0"), re.I)):
            self.late(node, "a GPU that is numbered anew", (alone[-1][1], None, alone[-1][2]))

    def device(self, node, name, where):
        reader = self.reader
        if isinstance(where, Place) and where.text:
            for one in where.text.split("|"):
                if name != "keras.device" and not TF_DEVICE.match(one):
                    reader.mistake(node, "tf.device of a name that is none", one, doubted="|" in where.text)
        if name != "keras.device":
            if isinstance(where, Thing) and where.kind == "texts":
                for one in where["items"]:
                    self.device(node, name, one)
                return
            reader.answers.not_physical(node, where, False)
            if form_of(where).startswith("/physical_device:" + UNKNOWN):  # the others are no names of tf.device
                reader.mistake(node, "a physical device where a name belongs", reader.written(node))
            if is_number(where) or isinstance(where, Many):
                reader.mistake(node, "tf.device of a name that is none", reader.written(node.args[0]))
        if isinstance(where, Thing) and where.kind == "option" and name != "keras.device":
            for one in set(where["choices"] or [text_of(where["default"])]) - {None}:
                if not TF_DEVICE.match(one):
                    reader.mistake(node, "tf.device of a name that is none", one, doubted=True)
        said = form_of(where).replace(NUMBER, "0")
        if is_form(where) and UNKNOWN not in said:
            hidden = [h for h in self.hidden if self.before(h[0])]
            self.numbered_anew(node, where)
            if hidden and re.search(r"gpu", said, re.I):
                self.late(node, "a GPU that was hidden", (hidden[-1][1], None, hidden[-1][2]))
            backend = self.backend or "tensorflow"
            if name == "keras.device" and backend in KERAS_DEVICES and not re.fullmatch(
                    KERAS_DEVICES[backend][0], said, re.I):
                reader.mistake(node, "a device that Keras's backend doesn't know", said, SPOKEN[backend],
                               KERAS_DEVICES[backend][1], doubted=self.backend is None)
        if name != "keras.device" and self.backend in ("jax", "torch") and "keras" in self.roots:
            self.gpus_used.append((node, reader.source, reader.path))

    def distribution(self, node, last, values, words):
        reader = self.reader
        if self.backend in ("torch", "numpy", "openvino") and last in ("DataParallel", "DeviceMesh", "set_distribution",
                                                                      "list_devices", "ModelParallel", "initialize"):
            reader.mistake(node, "a distribution of Keras on a backend that has none", reader.written(node),
                           self.backend)
        if last == "DeviceMesh":
            shape = values[0] if values else words.get("shape")
            names = reader.jaxs.names_of(values[1] if len(values) > 1 else words.get("axis_names"))
            if isinstance(shape, Many) and not shape.open and names is not None and len(shape.items) != len(names):
                reader.mistake(node, "a mesh with more or fewer axes than names", reader.written(node),
                               str(len(shape.items)), str(len(names)))
            return Thing("keras-mesh", names=names)
        if last == "LayoutMap":
            return Thing("layout-map", mesh=values[0] if values else words.get("device_mesh"))
        if last == "ModelParallel" and values:
            reader.mistake(node, "arguments of ModelParallel without names", reader.written(node))
        if last in ("DataParallel", "ModelParallel") and is_form(words.get("devices")):
            reader.mistake(node, "devices of a strategy in the wrong form", reader.written(node))
        if last == "TensorLayout":
            self.layout(node, values[0] if values else words.get("axes"),
                        values[1] if len(values) > 1 else words.get("device_mesh"))
        if last == "set_distribution":
            late = [one for one in self.built if self.before(one[1])]
            none = values and isinstance(values[0], Text) and values[0].value is None
            if late and not none and not self.distributed:
                self.late(node, "a distribution after the model", late[0])
            self.distributed = True
        return None

    def layout(self, node, axes, mesh):
        names = mesh["names"] if isinstance(mesh, Thing) and mesh.kind == "keras-mesh" else None
        for axis in axes.items if isinstance(axes, Many) and names else []:
            if isinstance(axis, Text) and isinstance(axis.value, str) and axis.value not in names:
                self.reader.mistake(node, "an axis that the mesh lacks", self.reader.written(node), axis.value,
                                    ", ".join(repr(name) for name in names))

    # ---- methods and members

    def lacks(self, node, owner, attribute):
        """A member that no object of this class has."""
        reader = self.reader
        if reader.guarded or attribute.startswith("_") or attribute in owner.attributes or \
                reader.pins and owner.kind != "flax-module":  # an older release may have it
            return
        if owner["class"] and (owner.kind != "flax-module" or owner["class"].method(attribute) or
                               owner["class"].held(attribute) is not None):
            return
        kind, of = owner.kind, CLASSES.get(owner.kind)
        if kind == "strategy" and not re.match(r"(Multi|Mirr|OneD|TPU|Param|Central)", owner["name"] or ""):
            return
        if kind == "gpu" and attribute in ("memory_limit", ):
            return
        if attribute in ("class_names", "file_paths"):  # of datasets that *_dataset_from_directory() made
            return
        # A script that names both chooses by the release.
        if kind == "loss-scale" and attribute in ("get_scaled_loss", "get_unscaled_gradients") and not re.search(
                r"\.scale_loss\(", reader.text):
            near = {"get_scaled_loss": "; Keras 3 has scale_loss", "get_unscaled_gradients": "; Keras 3 unscales in apply"}
            return reader.mistake(node, "a member that an object lacks", reader.written(node),
                                  "LossScaleOptimizer of Keras 3", near[attribute], doubted=owner["keras"] != "keras")
        known = reader.members.get(of) if of else None
        if known and attribute not in known:
            near = difflib.get_close_matches(attribute, sorted(known), 1, 0.7)
            reader.mistake(node, "a member that an object lacks", reader.written(node), of,
                           "; it has %s" % near[0] if near else "", doubted=True)
        elif kind == "tf-tensor" and attribute in OF_TORCH and attribute != "is_cuda":
            self.lacked(node, "tensorflow.Tensor")
        elif kind == "flax-module" and attribute in OF_TORCH_MODELS:
            self.lacked(node, "a module of Flax")
        elif kind in ("keras-model", "layer") and owner["keras"] and attribute in OF_TORCH_MODELS + ("train", "eval") and \
                self.backend != "torch" and "torch" not in reader.text:
            self.lacked(node, "a model of Keras")

    def lacked(self, node, of):
        self.reader.mistake(node, "a member that an object lacks", self.reader.written(node), of, "", doubted=True)

    def method(self, node, thing, attribute, values, words):
        """(whether it is known, its value)"""
        reader = self.reader
        if thing.kind == "tf-dataset":
            if attribute in OF_DATASET:
                return True, Thing("tf-dataset")
            return attribute in ("as_numpy_iterator", "reduce", "cardinality"), None
        if thing.kind == "strategy" and re.match(r"(experimental_)?distribute_dataset", attribute):
            return True, Thing("distributed")
        if thing.kind == "strategy" and attribute == "run":
            self.run(node, thing, values, words)
        if thing.kind == "strategy" and attribute == "reduce" and values:
            if len(values) == 2 and not words and not any(isinstance(one, ast.Starred) for one in node.args):
                reader.mistake(node, "arguments that a call doesn't take", reader.written(node), "its third argument, axis, has no default",
                               "Add axis=None, which adds up what the replicas give.")
            said = text_of(values[0])
            if said is not None and said.lower() not in ("sum", "mean"):
                reader.mistake(node, "a reduction that tf.distribute doesn't know", said)
        if thing.kind == "tf-tensor" and attribute in ("numpy", "get_shape"):
            return True, None
        if thing.kind == "keras-model" and attribute in TRAINS and not thing["class"]:
            if self.backend in ("numpy", "openvino") and thing["keras"] == "keras":
                at = self.backend_at[0] if self.backend_at[1] == reader.source else None
                reader.mistake(node, "training on a backend of Keras that can't", reader.written(node.func),
                               self.backend, other=at)
        return False, None

    def run(self, node, strategy, values, words):
        """strategy.run(step, args=(batch,)) of a dataset that was not distributed: each replica gets all of it."""
        given = words.get("args", values[1] if len(values) > 1 else None)
        items = given.items if isinstance(given, Many) else [given]
        batch = next((one for one in items if isinstance(one, Thing) and one.kind == "tf-batch"), None)
        if strategy["name"] not in ("OneDeviceStrategy", ) and batch is not None:
            self.reader.mistake(node, "a dataset that was not distributed", self.reader.written(node), other=batch["made"])

    def decorates(self, decorator):
        """@tf.device('/GPU:0')"""
        reader = self.reader
        if not isinstance(decorator, ast.Call):
            if reader.full(decorator):  # @numba.autojit
                reader.removed.name(decorator, reader.full(decorator))
            return
        name = reader.full(decorator.func)
        of = reader.find_value(decorator.func.value) if isinstance(decorator.func, ast.Attribute) else None
        scope = isinstance(of, Thing) and of.kind == "strategy" and decorator.func.attr == "scope"
        if name in NO_DECORATORS or scope or name == "keras.device" and self.backend in (None, "tensorflow"):
            reader.mistake(decorator, "a context as a decorator", reader.written(decorator))

    def model_called(self, node, model):
        """model(x) of Keras: what comes out is its backend's."""
        if self.backend == "torch" and model["keras"] in ("keras", None):
            self.reader.torch.started(node, "cuda|cpu")
            return Thing("tensor", device="cuda|cpu", line=node.lineno)
        return None

    def dropped(self, node, of):
        """dataset.batch(32): a dataset is never changed."""
        reader = self.reader
        if not isinstance(of, ast.Call) or not isinstance(of.func, ast.Attribute):
            return
        begin = of.func.value
        while isinstance(begin, ast.Call) and isinstance(begin.func, ast.Attribute) and begin.func.attr in OF_DATASET:
            begin = begin.func.value  # data.batch(8).prefetch(1)
        thing = reader.find_value(begin)
        if not isinstance(thing, Thing):
            return
        if thing.kind == "tf-dataset" and of.func.attr in OF_DATASET or \
                thing.kind == "strategy" and of.func.attr == "experimental_distribute_dataset":
            reader.mistake(of, "a result that is dropped", reader.written(of))

    # ---- ranks

    def by_rank(self, node, of, at):
        """gpus[hvd.rank()], CUDA_VISIBLE_DEVICES = str(hvd.rank()): the rank among all nodes."""
        reader = self.reader
        if isinstance(at, Thing) and at["horovod"] and (isinstance(of, Thing) or "VISIBLE_DEVICE" in str(of).upper()):
            reader.mistake(node, "a GPU by Horovod's rank", reader.written(node))
        local = isinstance(of, Thing) and of.kind == "jax-devices" and of["local"]
        if isinstance(at, Thing) and at["process"] and local:
            reader.mistake(node, "a local device by the number of its process", reader.written(node))

    # ---- the end

    def end(self):
        reader = self.reader
        foreign = self.backend in ("jax", "torch") and "keras" in self.roots and not reader.tf_keras and self.uses_keras
        plain = all(root in FRAMEWORKS or root in NEUTRAL or self.is_python(root) for root in self.roots)
        uses = self.roots & {"tensorflow", "torch", "jax"}
        if "keras" in self.roots:
            uses |= {self.backend} if self.backend else {"tensorflow", "jax", "torch"}
        if "tf_keras" in self.roots:
            uses |= {"tensorflow"}
        for name, node, source, path in self.settings if plain and uses and not reader.starts_programs else ():
            if READER_OF[name] not in uses:
                self.at(node, source, path, "a variable of another framework", name, SPOKEN[READER_OF[name]],
                        SPOKEN.get(sorted(uses)[0], "another"))
        if foreign and not self.other_tensorflow and not reader.strategies:
            for node, source, path in self.configured[:1]:
                self.at(node, source, path, "TensorFlow's GPUs under another backend", reader.written(node),
                        SPOKEN[self.backend])
        if foreign and not self.computes:
            for node, source, path in self.gpus_used[:1]:
                self.at(node, source, path, "tf.device under another backend", reader.written(node),
                        SPOKEN[self.backend])
        if self.backend in ("jax", "torch") and self.tf_keras_at and "keras" not in self.roots:
            node, source = self.backend_at
            self.at(node, source, (), "a backend of Keras 2", self.backend)
        if self.tpus and not self.initialized_tpu and "initialize_tpu_system" not in reader.text:
            node, source, path = self.tpus[0]
            self.at(node, source, path, "a TPU that is not initialized", reader.written(node))

    @staticmethod
    def is_python(root):
        import sys
        names = getattr(sys, "stdlib_module_names", None)
        return root in names if names else root in ("os", "sys", "re", "time", "json", "math", "argparse", "random",
                                                    "pathlib", "functools", "itertools", "collections", "typing",
                                                    "dataclasses", "logging", "glob", "csv", "datetime", "__future__")

    def at(self, node, source, path, name, *said):
        reader = self.reader
        before = reader.source, reader.path
        reader.source, reader.path = source, path
        reader.mistake(node, name, *said)
        reader.source, reader.path = before


# The ends that Keras 3 takes of a file's name, by what is given it.
ENDS_OF_FILES = {"save_weights": (".weights.h5", ), "load_weights": (".weights.h5", ".keras", ".h5", ".hdf5"), "save": (".keras", ".h5", ".hdf5"),
                 "load_model": (".keras", ".h5", ".hdf5")}
WITHOUT_EAGER = r"disable_eager|disable_v2|disable_v2_tensorshape|as_default\(|wrap_function|Graph\(|FuncGraph|function"
MESSAGES_OF_CONFIG = ("gpu_options", "graph_options", "rewrite_options", "optimizer_options", "experimental")
WIDE = 65504  # the largest number of float16


class FilesAndSessions(OfValues):
    """What Keras 3 writes and reads, whole models in half precision, and sessions of TensorFlow 1."""

    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"tensorflow", "keras"} & roots:
            return
        self.know(nodes)
        calls = self.tracing.index.calls
        if not self.says(r"tf_keras|TF_USE_LEGACY_KERAS|disable_v2_behavior|Keras 2\b|[Tt]ensor[Ff]low *[=<]= *2\.(\d|1[0-5])\b") and not any(
                map(self.reader.pinned_for, ("tensorflow", "keras"))):
            self.names_of_files(calls)
        self.all_in_half(calls)
        self.wide_in_half(nodes, calls)
        self.constants_beside_halves(nodes, calls)
        self.placeholders(calls)
        self.fields_of_config(nodes, calls)
        self.index_of_worker(calls)
        self.profiles_without_end(calls)
        self.softmax_at_the_end(calls)
        self.configs_for_targets(calls)
        self.added_in_each_round(calls)
        self.states_of_chance(calls)
        self.average_of_one(calls)
        self.growth_behind_a_question(nodes, calls)

    # ---- the memory of sessions

    def growth_behind_a_question(self, nodes, calls):
        """if tf.test.is_gpu_available(): Session(config=config), whose options let the memory grow: the question has opened all GPUs."""
        if not self.says(r"allow_growth *= *True|per_process_gpu_memory_fraction|set_memory_growth\("):
            return
        asks = [one for one in calls if OPENS_ALL_GPUS.match(self.full(one.func))]
        for call in calls if asks else ():
            full = self.full(call.func)
            if full.endswith(".set_memory_growth"):
                sets = self.said(self.given(call, 1, "enable")) is True
            else:
                sets = re.match(r"tensorflow\.(\w+\.)*(Interactive)?Session$", full) is not None and self.says(
                    r"allow_growth *= *True|per_process_gpu_memory_fraction") and self.given(call, 2, "config") is not None
            before = next((one for one in asks if sets and self.asked_before(one, call)), None)
            if before is not None:
                config = self.written(self.given(call, 2, "config")) if not full.endswith(".set_memory_growth") else None
                at = next((one for one in nodes if config and isinstance(one, ast.Assign) and self.written(
                    one.targets[0]) == config + ".gpu_options.allow_growth"), call)
                self.reader.mistake(at, "growth behind a question that opens the GPUs", self.written(at), self.written(before),
                                    other=before, doubted=True)

    def asked_before(self, ask, call):
        """Whether a question is surely asked on the way to a call: above it, or in the test around it."""
        if self.origins.scope(ask) is not self.origins.scope(call) or self.origins.position(ask) > self.origins.position(call):
            return False
        if any(isinstance(one, ast.If) and ask in ast.walk(one.test) for one in self.origins.around(call)):
            return True
        statement = next((one for one in self.origins.around(ask) if isinstance(one, ast.stmt)), None)
        if isinstance(statement, (ast.If, ast.While)) and ask not in ast.walk(statement.test):
            return False
        return isinstance(statement, (ast.Expr, ast.Assign, ast.If, ast.For)) and self.origins.surely_before(statement, call)

    # ---- files

    def ending(self, node, deepest=4):
        """The last part of a text that the file writes down; None: not known."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.JoinedStr):
            return self.ending(node.values[-1]) if node.values else None
        if isinstance(node, ast.BinOp):
            return self.ending(node.right if isinstance(node.op, (ast.Add, ast.Div)) else node.left, deepest)
        if isinstance(node, ast.Call):
            full = self.full(node.func)
            if full == "os.path.join" and len(node.args) > 1 or full in ("pathlib.Path", "str") or getattr(node.func, "id", "") == "str":
                counts = self.origins.of(node.args[-1]) if node.args and not full.startswith(("os", "pathlib")) else []
                if counts and all(isinstance(one, ast.Constant) and type(one.value) is int for one in counts):
                    return str(counts[0].value)  # str(fold), whose digits are no extension
                return self.ending(node.args[-1], deepest) if node.args and not isinstance(node.args[-1], ast.Starred) else None
            if getattr(node.func, "attr", "") == "format" and isinstance(node.func.value, ast.Constant):
                return self.ending(node.func.value)
        known = self.origins.of(node) if deepest > 0 and isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else []
        ends = [self.ending(one, deepest - 1) if one is not node and isinstance(one, ast.expr) else None for one in known]
        return ends[0] if ends and all(one is not None and self.kind_of(one) == self.kind_of(ends[0]) for one in ends) else None

    @staticmethod
    def kind_of(end):
        return re.search(r"(\.weights)?(\.\w+)?$", end).group()

    def is_model(self, node):
        """Whether it is surely a model of Keras's, also the one that a callback watches."""
        owner = self.origins.owner(node) if isinstance(node, ast.Attribute) else None
        if owner is not None and node.attr == "model" and any(re.search(r"keras\.(\w+\.)*Callback$", self.full(base)) for base in owner.bases):
            return True
        known = self.origins.known(node)
        if isinstance(node, ast.Name) and known and all(isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and self.full(
                one.func) for one in known) and self.is_trained_by_keras(node):
            return True
        return self.made_by(node, MODELS_OF_KERAS, surely=True) is not None or bool(known) and all(isinstance(one, ast.Call) and any(
            isinstance(of, ast.ClassDef) and any(re.search(r"keras\.(\w+\.)*Model$", self.full(base)) for base in of.bases) and not any(
                getattr(method, "name", "").startswith(("save", "load")) for method in of.body) for of in self.origins.functions_of(one.func)) for one in known)

    def is_trained_by_keras(self, node):
        """Whether what another file makes is trained with words that fit() of Keras alone takes."""
        return not {"torch", "sklearn", "xgboost", "lightgbm", "catboost", "jax", "mxnet"} & {
            name.split(".")[0] for name in self.tracing.names.values()} and any(
                self.method(one, "fit") and getattr(one.func.value, "id", "") == node.id and self.origins.scope(one) is self.origins.scope(
                    node) and {"epochs"} < {k.arg for k in one.keywords} & {"epochs", "validation_data", "steps_per_epoch", "validation_split"}
                for one in self.tracing.index.calls)

    def names_of_files(self, calls):
        """model.save_weights("best.h5"), which Keras 3 wants to be called best.weights.h5."""
        for call in calls:
            last = getattr(call.func, "attr", getattr(call.func, "id", ""))
            full = self.full(call.func)
            if re.search(r"keras\.callbacks\.ModelCheckpoint$", full):
                path, only = self.given(call, 0, "filepath"), self.said(self.word(call, "save_weights_only"), False)
                ends = ENDS_OF_FILES["save_weights"] if only is True else (".keras", ".h5") if only is False else ()
            elif re.search(r"keras\.(models|saving)\.load_model$", full) or last in ("save", "save_weights", "load_weights") and isinstance(
                    call.func, ast.Attribute) and not full and self.is_model(call.func.value):
                path, ends = self.given(call, 0, "filepath", "path"), ENDS_OF_FILES[last]
                if last == "load_weights" and any(isinstance(one, ast.Call) and self.full(one.func) == "tensorflow.train.latest_checkpoint"
                                                  for one in self.origins.of(path)):
                    self.reader.mistake(call, "a file's name that Keras 3 doesn't take", self.written(path), ends[0], doubted=True)
            else:
                continue
            end = self.ending(path) if path is not None and ends and self.word(call, "save_format") is None else None
            if end and not end.endswith(ends) and "://" not in end and (not end.endswith("}") or re.search(r"\{(epoch|loss|acc\w*|val_\w+)(:[^{}]*)?\}$", end)):
                self.reader.mistake(call, "a file's name that Keras 3 doesn't take", self.written(path), ends[0], doubted=True)

    # ---- half precision

    def all_in_half(self, calls):
        """set_floatx("float16"), or the policy "float16", of a script that trains: the weights are of float16 as well."""
        if not self.says(r"\.fit\(|GradientTape|train_on_batch") or self.says(r"(set_floatx|set_\w*policy)\(['\"]float32"):
            return
        for call in calls:
            last = self.full(call.func).rsplit(".", 1)[-1]
            if last in ("set_floatx", "set_global_policy", "set_dtype_policy") and "keras" in self.full(call.func) and call.args and not self.in_branch(call):
                said = self.said(call.args[0])
                if said is None:  # the default of an option
                    made = self.origins.known(call.args[0])
                    made = [self.given(one, 0, "name") if isinstance(one, ast.Call) and self.full(one.func).endswith(
                        "Policy") else one for one in made]
                    said = made[0].value if len(made) == 1 and isinstance(made[0], ast.Constant) else None
                if said == "float16":
                    self.reader.mistake(call, "a training all in float16", self.written(call), doubted=True)

    def policy_of_half(self, calls):
        return not self.says(r"mixed_bfloat16") and any(one.args and self.full(one.func).rsplit(".", 1)[-1] in POLICIES[:3] and any(
            getattr(each, "value", None) == "mixed_float16" for each in self.origins.known(one.args[0]) + [one.args[0]]) for one in calls)

    def layers_in_half(self, nodes, calls):
        """call() of the layers of the file that compute in float16: (class, method)."""
        for of in nodes if self.policy_of_half(calls) else ():
            if isinstance(of, ast.ClassDef) and any(LAYERS_OF_KERAS.match(self.full(base)) for base in of.bases) and not re.search(
                    r"autocast|dtype *=|dtype_policy", re.sub(r"(tf|ops)\.\w+\([^()]*dtype *=[^()]*\)", "", self.reader.written_whole(of))):
                yield from ((of, one) for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "call")

    def wide_in_half(self, nodes, calls):
        """scores += (1 - mask) * -1e9 in a layer of float16, where -1e9 is -inf, and 0 * -inf is NaN."""
        for of, method in self.layers_in_half(nodes, calls):
            if re.search(r"float32", self.reader.written_whole(method)):
                continue
            for one in ast.walk(method):
                for number in (one.left, one.right) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult) else ():
                    said = self.said(number)
                    if isinstance(said, (int, float)) and WIDE < abs(said) < float("inf"):
                        self.reader.mistake(one, "a number that float16 doesn't hold", self.written(number), of.name, doubted=True)

    def constants_beside_halves(self, nodes, calls):
        """x + self.table in a layer of float16, where self.table was made in float32 and is no weight."""
        for of, method in self.layers_in_half(nodes, calls):
            given = method.args.args[1].arg if len(method.args.args) > 1 else None
            bound = {}
            for one in ast.walk(method):
                for target in one.targets if isinstance(one, ast.Assign) else ():
                    bound.setdefault(self.written(target), []).append(one.value)
            # What the method is given, and what layers give it.
            halves = {given} - set(bound) | {name for name, values in bound.items() if all(isinstance(value, ast.Call) and isinstance(
                value.func, ast.Attribute) and self.origins.owner(value.func) is of for value in values)}
            for one in ast.walk(method):
                sides = (one.left, one.right) if isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Add, ast.Sub, ast.Mult)) else ()
                for x, other in (sides, sides[::-1]) if sides else ():
                    while isinstance(other, ast.Subscript):
                        other = other.value
                    if getattr(x, "id", "") in halves and self.origins.owner(other) is of if isinstance(other, ast.Attribute) else False:
                        made = [each for _, value, _ in self.origins.bindings.get((id(of), other.attr), ()) for each in (
                            self.origins.of(value) if isinstance(value, ast.expr) else [value])]
                        if made and all(isinstance(each, ast.Call) and self.is_float32(each) for each in made):
                            self.reader.mistake(one, "a table of float32 in a layer of float16", self.written(other), of.name, other=made[0], doubted=True)

    def is_float32(self, call):
        """Whether TensorFlow makes a tensor of float32 here, by what the call says or by itself."""
        full, last = self.full(call.func), self.full(call.func).rsplit(".", 1)[-1]
        if last not in ("cast", "constant", "convert_to_tensor", "zeros", "ones", "normal", "uniform") or not TENSORS.match(full):
            return False
        kind = self.word(call, "dtype") or (call.args[1] if len(call.args) > 1 and last in ("cast", "constant", "convert_to_tensor") else None)
        return self.written(kind).endswith("float32") if kind is not None else last in ("zeros", "ones", "normal")

    # ---- sessions of TensorFlow 1

    def placeholders(self, calls):
        """tf.compat.v1.placeholder(…) of a script that never leaves eager execution."""
        if re.search(WITHOUT_EAGER, self.reader.text):
            return
        for call in calls:
            if self.full(call.func) == "tensorflow.compat.v1.placeholder":
                return self.reader.mistake(call, "a placeholder under eager execution", self.written(call), doubted=True)

    def fields_of_config(self, nodes, calls):
        """config.gpu_options = GPUOptions(…), and visible_device_list = 0: protobuf takes neither."""
        for one in nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if isinstance(target, ast.Attribute) and target.attr in MESSAGES_OF_CONFIG and self.made_by(
                    target.value, re.compile(r"tensorflow\.(compat\.v1\.)?(ConfigProto|GraphOptions)$"), surely=True) is not None:
                self.reader.mistake(one, "a part of a configuration that is assigned", self.written(target))
            elif isinstance(target, ast.Attribute) and target.attr == "visible_device_list" and type(self.said(one.value)) is int:
                self.reader.mistake(one, "a number for a list of devices", self.written(target), str(self.said(one.value)))
        for call in calls:
            given = self.word(call, "visible_device_list") if self.full(call.func).endswith(".GPUOptions") else None
            if type(self.said(given)) is int:
                self.reader.mistake(call, "a number for a list of devices", "visible_device_list", str(self.said(given)))

    # ---- others

    def index_of_worker(self, calls):
        """TF_CONFIG = {"cluster": {"worker": [two]}, "task": {"type": "worker", "index": 2}}: the last has the number 1."""
        for call in calls:
            of = self.value_of(call.args[0]) if self.full(call.func) == "json.dumps" and call.args else None
            pairs = zip((getattr(key, "value", None) for key in of.keys), of.values) if isinstance(of, ast.Dict) else (
                (word.arg, word.value) for word in of.keywords) if isinstance(of, ast.Call) and getattr(of.func, "id", "") == "dict" else ()
            known = {key: self.value_of(value) for key, value in pairs}
            cluster, task = known.get("cluster"), known.get("task")
            if not isinstance(cluster, ast.Dict) or not isinstance(task, ast.Dict):
                continue
            said = {getattr(key, "value", None): value for key, value in zip(task.keys, task.values)}
            kind, index = self.said(said.get("type")), self.said(said.get("index"))
            hosts = next((self.value_of(value) for key, value in zip(cluster.keys, cluster.values) if getattr(key, "value", None) == kind), None)
            if isinstance(hosts, ast.List) and type(index) is int and index >= len(hosts.elts) and not any(
                    isinstance(one, ast.Starred) for one in hosts.elts):
                self.reader.mistake(said["index"], "a worker that the cluster lacks", str(index), kind, str(len(hosts.elts)))

    def profiles_without_end(self, calls):
        """tf.profiler.experimental.start(dir), and no stop(): nothing is written."""
        started = [one for one in calls if self.full(one.func) == "tensorflow.profiler.experimental.start"]
        if started and not self.says(r"profiler\.(experimental\.)?stop|\bstop\(|\.stop\b|import stop"):
            self.reader.mistake(started[0], "a profile that nobody ends", self.written(started[0].func), doubted=True)

    def softmax_at_the_end(self, calls):
        """Activation("softmax") as the last layer under mixed_float16, which needs dtype="float32"."""
        for call in calls if self.policy_of_half(calls) else ():
            out = self.given(call, 1, "outputs") if re.search(r"keras\.(models\.)?Model$", self.full(call.func)) else None
            last = self.value_of(out) if out is not None else None
            layers = self.value_of(call.args[0]) if re.search(r"keras\.(models\.)?Sequential$", self.full(call.func)) and call.args else None
            last = layers.elts[-1] if isinstance(layers, ast.List) and layers.elts else last.func if isinstance(last, ast.Call) else None
            last = self.value_of(last) if last is not None else None
            full = self.full(last.func) if isinstance(last, ast.Call) else ""
            kind = self.given(last, 0 if full.endswith("Activation") else 1, "activation") if full.endswith(("layers.Activation", "layers.Dense")) else None
            soft = full.endswith("layers.Softmax") or self.said(kind) == "softmax" or kind is not None and self.full(kind).endswith(".softmax")
            if soft and "keras" in full and not any(k.arg in ("dtype", None) for k in last.keywords):
                self.reader.mistake(last, "a softmax in float16", self.written(last))

    def configs_for_targets(self, calls):
        """tf.Session(config), whose first argument is the name of a server."""
        for call in calls:
            if re.match(r"tensorflow\.(compat\.v1\.)?(Interactive)?Session$", self.full(call.func)) and call.args and self.made_by(
                    call.args[0], re.compile(r"tensorflow\.(compat\.v1\.)?ConfigProto$"), surely=True) is not None:
                self.reader.mistake(call, "a configuration in the place of a server", self.written(call))

    def added_in_each_round(self, calls):
        """for batch in batches: sess.run(tf.reduce_mean(y)), which adds an operation to the graph in each round."""
        for call in calls:
            if not self.method(call, "run") or not call.args or "sess" not in self.written(call.func.value).lower():
                continue
            loop = next((one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))), None)
            count = self.said(self.given(loop.iter, 0)) if isinstance(loop, ast.For) and getattr(
                getattr(loop.iter, "func", None), "id", "") == "range" and len(loop.iter.args) == 1 else None
            if isinstance(loop, (ast.For, ast.While)) and self.tracing.repeats(loop) and not (type(count) is int and count < 20) and not self.in_branch(call):
                for one in getattr(call.args[0], "elts", [call.args[0]]):
                    full = self.full(one.func).replace(".compat.v1.", ".") if isinstance(one, ast.Call) else ""
                    if TENSORS.match(full) or re.match(r"tensorflow\.assign(_add|_sub)?$", full) or self.method(
                            one, "assign", "assign_add", "assign_sub") and self.word(one, "use_locking") is None:
                        self.reader.mistake(one, "an operation that each round adds", self.written(one), doubted=True)

    def states_of_chance(self, calls):
        """enable_op_determinism(), and tf.random.Generator.from_non_deterministic_state()."""
        on = next((one for one in calls if self.full(one.func).endswith(".enable_op_determinism")), None)
        for call in calls if on is not None and not self.in_branch(on) and not self.says(r"disable_op_determinism") else ():
            if self.full(call.func).endswith("Generator.from_non_deterministic_state") and call.lineno > on.lineno and self.origins.scope(on) in (
                    None, self.origins.scope(call)) and not self.in_branch(call):
                self.reader.mistake(call, "a generator of chance under determinism", self.written(call), other=on)

    def average_of_one(self, calls):
        """compute_average_loss(losses, global_batch_size=BATCH), where the dataset has BATCH * num_replicas_in_sync in a batch."""
        for call in calls:
            size = self.given(call, 2, "global_batch_size") if self.full(call.func) == "tensorflow.nn.compute_average_loss" else None
            name = self.written(size) if isinstance(size, (ast.Name, ast.Attribute)) else None
            if name and type(self.said(size)) is int and not re.search(r"\b%s *\*=" % re.escape(name), self.reader.text):
                form = r"(?m)^ *(\S+) = (?:.*[^\w.])?(?:%s \* [\w.]+\.num_replicas_in_sync|[\w.]+\.num_replicas_in_sync \* %s)\b" % ((re.escape(name), ) * 2)
                wide = {target for target in re.findall(form, self.reader.text) if target != name}
                batched = {self.written(one.args[0]) for one in calls if self.method(one, "batch") and one.args}
                if wide & batched and name not in batched:
                    self.reader.mistake(call, "a mean of one replica that is added up", self.written(call), doubted=True)
