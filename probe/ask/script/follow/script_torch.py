"""What PyTorch's calls do to tensors, modules and devices, for the reader of scripts."""

FACTORIES = ("tensor", "zeros", "ones", "rand", "randn", "randint", "randperm", "arange", "empty", "full", "eye",
             "linspace", "logspace", "normal", "Tensor", "FloatTensor", "LongTensor", "DoubleTensor", "HalfTensor",
             "IntTensor", "hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window",
             "scalar_tensor", "tril_indices", "triu_indices")
LIKE = ("zeros_like", "ones_like", "rand_like", "randn_like", "empty_like", "full_like", "randint_like")
FROM_HOST = ("from_numpy",)
OF_TENSORS = ("cat", "stack", "concat", "matmul", "mm", "bmm", "add", "sub", "mul", "div", "dot", "einsum", "where",
              "hstack", "vstack", "addmm", "mv", "outer", "tril", "triu", "exp", "log", "sqrt", "softmax",
              "log_softmax", "sigmoid", "tanh", "relu", "abs", "clamp", "cumsum", "cumprod", "flip", "roll",
              "transpose", "reshape", "squeeze", "unsqueeze", "flatten", "permute", "argmax", "argmin", "argsort",
              "tile", "repeat_interleave", "diag", "pow", "square", "round", "floor", "sign", "cdist", "cross", "kron",
              "masked_fill", "gather", "tensordot", "baddbmm", "minimum", "maximum", "atan2", "sin", "cos", "logsumexp",
              "index_select", "masked_select", "eq", "ne", "lt", "gt", "le", "ge", "logical_and", "logical_or",
              "bincount", "histc", "nonzero", "diff", "movedim", "swapaxes", "logical_not", "neg", "erf")
COLLECTIVES = ("all_reduce", "broadcast", "reduce", "all_gather", "gather", "scatter", "reduce_scatter", "send",
               "recv", "isend", "irecv", "all_to_all", "all_gather_into_tensor", "reduce_scatter_tensor",
               "all_to_all_single")
# Modules that compute nothing of their own, so that they have no device.
LOSSES = ("Loss", "Softmax", "ReLU", "Sigmoid", "Tanh", "Dropout", "Flatten", "Identity", "MaxPool", "AvgPool")
OF_TWO = ("max", "min", "sort", "topk", "median", "mode", "kthvalue")
# Methods of a tensor whose other tensors must lie where it lies.
MEETS = ("matmul", "mm", "bmm", "add", "sub", "mul", "div", "dot", "add_", "mul_", "sub_", "masked_fill",
         "masked_fill_", "gather", "scatter", "scatter_", "index_select", "eq", "ne", "lt", "le", "gt", "ge", "div_",
         "logical_and", "addcmul_", "lerp_")
MEETS_OF_VISION = ("nms", "batched_nms", "box_iou", "generalized_box_iou", "roi_align", "roi_pool", "ps_roi_align", "deform_conv2d")
TO_ONE_NUMBER = ("sum", "mean", "norm", "std", "var", "prod", "max", "min", "median", "any", "all")
RECURRENT = ("LSTM", "GRU", "RNN", "MultiheadAttention")
# Of a tensor: what gives no tensor, or one of unknown device.
OF_TENSOR_OTHER = ("item", "tolist", "size", "dim", "numel", "backward", "is_cuda", "get_device", "data_ptr", "stride",
                   "element_size", "type", "share_memory_", "pin_memory", "numpy", "map_", "apply_", "requires_grad_",
                   "__array__", "ndimension", "nelement", "is_pinned", "storage", "register_hook", "max", "min", "sort",
                   "topk", "chunk", "split", "unbind", "mode", "median", "kthvalue", "unique", "nonzero", "to_dense",
                   "new")
EAGER_STATE = ("Adagrad",)  # torch.optim's own that make their state at once
CONTEXTS = ("tensorflow.device", "torch.cuda.device", "torch.autocast", "torch.cuda.amp.autocast", "torch.amp.autocast",
            "torch.cuda.stream", "torch.device", "jax.default_device", "keras.device", "jax.default_matmul_precision")
MAPS_LEAVES = ("torch.utils._pytree.tree_map", "optree.tree_map")  # both give a new tree
GIVES_BACK = ("torch.compile", "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel", "torch.jit.script",
              "torch.nn.parallel.DataParallel", "jax.device_put", "jax.jit", "jax.device_get", "jax.lax.pmean",
              "jax.lax.psum", "jax.lax.pmax", "jax.lax.pmin", "jax.lax.all_gather", "jax.lax.stop_gradient",
              "jax.lax.with_sharding_constraint", "optax.apply_updates", "tensorflow.identity", "tensorflow.function", "accelerate.utils.send_to_device",
              "accelerate.utils.operations.send_to_device", "lightning.fabric.utilities.move_data_to_device",
              "lightning.fabric.utilities.apply_func.move_data_to_device", "lightning.pytorch.utilities.move_data_to_device",
              "pytorch_lightning.utilities.move_data_to_device", "ignite.utils.convert_tensor")
SCALAR_LOSSES = ("cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy",
                 "binary_cross_entropy_with_logits", "kl_div", "cosine_embedding_loss", "margin_ranking_loss")
# A class with one of these in it does something of its own about devices or members.
MOVES_ITSELF = re.compile(r"\.to\(|\.cuda\(|\.cpu\(|device|_apply|is_cuda|type_as|get_device|"
                          r"return_tensors|BatchEncoding")
# A module's class with one of these in it holds weights or buffers that its attributes don't show.
HOLDS_WEIGHTS = re.compile(r"register_\w+\(|add_module|setattr|\bModule(List|Dict)\b|\bParameter|\bBuffer\b|\*\*kwargs|super\(.*\)\.__init__\(.+\)")
# A class with one of these in it moves what it was given, or what it holds.
MOVES_TENSORS = re.compile(r"\.to\(|\.cuda\(|\.cpu\(|_apply|type_as")
# What a program says of a process is a text, as all variables are.
SEVERAL_NODES = re.compile(r"(--nnodes[=\s]+|--num[-_]nodes[=\s]+|SBATCH\s+(--nodes=|-N\s*))([2-9]|[1-9]\d)\b|\bGROUP_RANK\b")
# Slurm counts the processes of each node as well, and a script that asks for that number expects several nodes.
LOCAL_BESIDE_RANK = re.compile(r"['\"]SLURM_LOCALID['\"]|\w*local_?rank\w* *(: *int)? *= *int\(os\.(environ|getenv)[^\n]*LOCAL_RANK['\"]")
# What lets a script go without a GPU, or gives it back its own.
ASKS_WHETHER_THERE_IS_ONE = re.compile(r"is_available|device_count|environ\.(pop|clear)|del os\.environ|unsetenv|accelerator\.|list_gpus|"
                                       r"ray\.(init|remote)|submitit|FakeTensor")
RANKS = re.compile(r"(^|_)(RANK|LOCALID|PROCID)$")
SPAWNS = re.compile(r"set_start_method\((?!['\"]fork['\"])|get_context\((?!['\"]fork['\"])|forkserver|['\"]spawn['\"]")
# What gives a process its own GPU, so that plain "cuda" means that one.
# Makers of models of PyTorch's in other libraries.
ZOOS = re.compile(r"timm\.create_model$|segmentation_models_pytorch\.(create_model|[A-Z]\w+)$|"
                  r"monai\.networks\.nets\.[A-Z]\w+$|efficientnet_pytorch\.EfficientNet\.from_\w+$")
# A process that takes the GPU of its own number.
OF_RANK = re.compile(r"\.(to|cuda)\((f['\"]cuda:\{)?(local_)?rank\}?['\"]?\)|set_device\((local_)?rank\)|"
                     r"device=(f['\"]cuda:\{)?(local_)?rank\b|device\((f['\"]cuda:\{|['\"]cuda['\"], ?)(local_)?rank\}?")
CHOOSES_GPU = re.compile(r"LOCAL_RANK|local_rank|set_device|cuda:|device_ids|VISIBLE_DEVICES|\.cuda\((?!non_blocking)\w|cuda\.device\(")
OWN_GPU = ("set_device", "set_device_index", "set_device_idx", "CUDA_VISIBLE_DEVICES", "device_of")
# Metrics of torchmetrics that add to tensors with dimensions, which they hold.
COUNTERS = re.compile(r"(Binary|Multiclass|Multilabel)?(Accuracy|F1Score|FBetaScore|Precision|Recall|ConfusionMatrix|"
                      r"JaccardIndex|StatScores|Specificity|MatthewsCorrCoef|CohenKappa|HammingDistance)$")
WEIGHTS = re.compile(r"model|net|check|ckpt|weight|state|resume|best|last|\.pth|\.tar", re.I)
HOLDS_ITSELF = re.compile(r"setattr|add_module|register_module|def \w*parameters|_modules")
HOLDS = r"(ModuleList|ModuleDict|ParameterList|ParameterDict|Sequential)\b.*\b%s\b"
# Methods that leave a tensor where it lies, of what may be one.
OF_MOVED = ("float", "half", "double", "unsqueeze", "squeeze", "view", "reshape", "permute", "transpose",
            "flatten", "contiguous", "repeat", "long", "detach", "clone")
# Methods whose result has a gradient if its tensor has one.
KEEPS_GRADIENT = ("float", "half") + OF_MOVED[2:-3] + ("clone", "softmax", "log_softmax", "sigmoid", "tanh", "relu",
                                                       "exp", "sum", "mean", "norm", "std", "var", "abs", "clamp")
# Kinds of number that methods convert to.
CONVERTS = {"half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16"}
NUMBER_NAMES = {"half": "float16", "float": "float32", "double": "float64", "float16": "float16", "float32": "float32",
                "float64": "float64", "bfloat16": "bfloat16"}
# Factories whose tensors are float32 where nothing is said.
DRAWN = ("rand", "randn", "zeros", "ones", "empty", "eye", "linspace", "FloatTensor")
OTHER_DEFAULT = re.compile(r"set_default_(dtype|tensor_type)|set_floatx|default_dtype")
CONVERTING = re.compile(r"\.(half|float|double|bfloat16|to|type|type_as)\(|dtype|autocast|Embedding|long\(|int\(")
TO_BE_CALLED = ("cuda", "cpu", "to", "eval", "zero_grad", "step", "backward", "update", "unscale_", "half", "bfloat16", "train")
# Where decorators come from that leave the arguments of their function as they are.
PLAIN_DECORATORS = ("torch", "tensorflow", "jax", "keras", "tf_keras", "flax", "functools", "contextlib", "abc",
                    "typing", "dataclasses", "property", "staticmethod", "classmethod", "numba", "atexit", "pytest",
                    "unittest", "hydra", "click", "typer", "absl", "flask", "fastapi", "gin", "enum", "overload",
                    "cached_property", "abstractmethod", "warnings", "line_profiler", "profile", "typing_extensions",
                    "lightning", "equinox", "pytorch_lightning", "app", "ray", "spaces", "gradio", "record", "nvtx",
                    "accelerate", "transformers")
MOVES = ("to", "cuda", "cpu", "half", "bfloat16", "double", "float", "xpu", "npu", "pin_memory", "type", "type_as", "contiguous")


def number_of(value):
    """The kind of floating-point number that torch.float16 names."""
    if isinstance(value, Name) and re.match(r"(torch|numpy)\.\w+$", value.full):
        return NUMBER_NAMES.get(value.full.split(".")[1]) if value.full != "numpy.float" else None
    return None


class Torch(Loaders):
    def __init__(self, reader):
        self.reader = reader
        self.default = "cpu"  # torch.set_default_device
        self.current = None  # torch.cuda.set_device
        self.optimizers = []
        self.scalers = []
        self.parallel = []
        self.loads = []
        self.also_pinned = set()  # where copies of a loader stand that may pin its memory
        self.saves = False
        self.needs_gpu = []  # calls that raise where there is no GPU
        self.asked = False  # an assertion asks whether there is a GPU
        self.last_load = (None, "")  # the last call of torch.load, and the device that it takes its file to
        self.loaded = {}  # the device and the call, by the name of what it gave
        self.asked_current = []  # calls that ask the current device for its memory
        self.indexed_gpus = set()  # the GPUs to which something was moved
        self.recorded = []  # events
        self.fixed_loads = []  # to the first GPU, whatever GPU the process has
        self.maps = False  # one of its loads has a map_location
        self.to_cpu = self.to_gpu = False  # it names the one, or the other
        self.autocasts = []
        self.launched = []  # options that torch.distributed.launch passed, and torchrun does not
        self.launched_used = self.reads_local_rank = self.ranked = False
        self.module_on_cpu = False  # it moves a model to the CPU
        self.moves_seen = None  # to the GPU, in what a worker runs
        self.backend = None  # of the process group
        self.own_gpu = False  # something of the script may say which GPU is a process's own
        self.hides_all = None  # where the script surely hides all GPUs from itself: (path, node, source)
        self.copies_done = 0  # how often it waited for the GPU
        self.to_either = False  # the script takes the device that is there, or the CPU
        self.plain = []  # tensors that modules keep as they keep a number
        self.module_on_gpu = None  # it moves a model to this GPU
        self.default_set = None  # where the default device was set behind a model that was made
        self.made_before = False  # a module was made
        self.samplers = []  # of distributed processes, that shuffle
        self.makings = {}  # the modules that the script makes, by their class

    # ---- decorators

    def wraps(self, decorators):
        """Whether a decorator may change what its function is given: one of this script, or of what is not known."""
        for one in decorators:
            one = one.func if isinstance(one, ast.Call) else one
            name = self.reader.full(one)
            if name and name.split(".")[0] in PLAIN_DECORATORS or isinstance(one,
                                                                             ast.Name) and one.id in PLAIN_DECORATORS:
                continue
            if isinstance(one, ast.Attribute) and one.attr in ("setter", "getter", "deleter", "register"):
                continue
            of = self.reader.find_value(one)
            if isinstance(of, (Function, Class)) and not MOVES_ITSELF.search(self.reader.written_whole(of.node)):
                continue
            return True
        return False

    @staticmethod
    def unwrapped(values):
        """What of these a decorator leaves as it is: tensors it may move."""
        return [None if isinstance(v, Many) or isinstance(v, Thing) and v.kind in (
            "tensor", "batch", "moved", "encoding", "outputs", "sequence") else v for v in values]

    # ---- devices

    def place(self, value, node=None):
        text = "cuda:" + ANY if isinstance(value, Thing) and value.kind == "number" else place_of(value)
        if text and "|" in text and not (isinstance(value, Thing) and value.kind == "option"):
            self.to_either = True
        self.to_gpu = self.to_gpu or bool(text) and text.startswith("cuda")
        if text == "cuda" and self.current is not None:
            return "cuda:%d" % self.current
        return text

    def named_place(self, node, value):
        """A text that no device has as its name raises."""
        if isinstance(value, Thing) and value.kind == "texts":
            for one in value["items"]:
                self.named_place(node, one)
            return
        option = isinstance(value, Thing) and value.kind == "option"
        said = form_of(value["default"] if option else value).replace(NUMBER, "0")
        kind, _, index = said.partition(":")
        if UNKNOWN not in kind and is_form(value["default"] if option else value) and \
                (kind not in DEVICE_KINDS or (index and UNKNOWN not in index and not index.isdigit())):
            said = said.replace(UNKNOWN, "…")
            self.reader.mistake(node, "a device that PyTorch doesn't know", said, doubted=option)

    def hidden_by(self, node, name, value, doubted):
        """os.environ["CUDA_VISIBLE_DEVICES"] = "-1": from here on there is no GPU, unless CUDA has begun, or another value follows."""
        if name != "CUDA_VISIBLE_DEVICES":
            return
        reader = self.reader
        begun = doubted or any(e["name"] == "torch.Tensor.cuda" for e in reader.events)
        again = len(re.findall(r"CUDA_VISIBLE_DEVICES", re.sub(r"#.*", "", reader.text))) > 1
        self.hides_all = (reader.path, node, reader.source) if text_of(value) in ("-1", "") and not begun and not again and not re.search(
            ASKS_WHETHER_THERE_IS_ONE, reader.text) else None

    def needs_one(self, node, place):
        """A copy to the GPU, or a load to it, in a script that has hidden all GPUs from itself."""
        reader = self.reader
        if self.hides_all is None or not place or not place.startswith("cuda") or "|" in place or ANY in place:
            return
        path, at, source = self.hides_all
        around = reader.written_whole(reader.inside[-1].node) if reader.inside else reader.text
        if reader.keras.before(path) and not re.search(r"\bexcept\b|suppress\(", around):
            here = source == reader.source
            reader.mistake(node, "a GPU that its script hides", reader.written(node), reader.written(at), "line %d%s" % (
                at.lineno, "" if here else " of " + (source or "the script").rpartition("/")[2]), other=at if here else None)

    def started(self, node, place):
        if place and ":" not in place:  # a number is judged beside the variable itself
            self.needs_one(node, place)
        if self.moves_seen is not None and place and place.split("|")[0].split(":")[0] == "cuda":
            self.moves_seen.append((node, self.reader.source, place))
        if place:
            self.indexed_gpus.add(place)
        if place and place.split(":")[0] == "cuda":
            self.reader.note(node, "call", "torch.Tensor.cuda", place)

    def read_in_worker(self, node, of):
        """A tensor of the GPU that what a worker runs reads from its dataset."""
        place = of["device"] if isinstance(of, Thing) and of.kind == "tensor" else None
        if self.moves_seen is not None and place and place.split("|")[0].split(":")[0] == "cuda":
            self.moves_seen.append((node, self.reader.source, place))

    # ---- calls by name

    def call(self, node, name, values, words):
        parts = name.split(".")
        if name.startswith("torchvision.models.") and parts[-1][:1].islower() or ZOOS.match(name):
            if not any(isinstance(one, Text) and one.value is True for one in values):  # resnet18(True) has weights that were trained
                self.reader.training.draws(node)
            return Thing("module", device=self.default, line=node.lineno, made=(node, self.reader.source))
        if parts[0] == "torchmetrics" and parts[-1][:1].isupper():
            return self.metric(node, parts[-1], values, words)
        if name in ("multiprocessing.Process", "torch.multiprocessing.Process"):
            self.forked(node, words)
        if name.startswith("torchvision.ops.") and parts[-1] in MEETS_OF_VISION:
            self.meet(node, [v for v in values + list(words.values()) if isinstance(v, Thing) and v.kind == "tensor"])
        if parts[0] != "torch":
            return None
        if name == "torch.hub.load" and isinstance(words.get("pretrained"), Text) and words["pretrained"].value is False:
            self.reader.training.draws(node)
        last, reader = parts[-1], self.reader
        handler = getattr(self, "do_" + name.replace("torch.", "", 1).replace(".", "_"), None)
        if handler:
            return handler(node, values, words)
        if name.startswith("torch.utils.data.") and last.endswith("Sampler") and last[:1].isupper():
            return Thing("sampler", line=node.lineno)
        if last == "FullyShardedDataParallel" and name.startswith("torch.distributed."):
            of = values[0] if values else words.get("module")
            return Thing("module", device=None, parallel=True, of=of)  # it takes the model to its GPU
        if last == "fully_shard" and name.startswith("torch.distributed."):
            if values and isinstance(values[0], Thing):
                reader.change(values[0], "device", None)  # it takes the model to its GPU
            return values[0] if values else None
        if name.startswith("torch.optim.") and last[:1].isupper() and len(parts) == 3:
            return self.optimizer(node, last, values, words)
        if name.startswith("torch.distributed.") and last in COLLECTIVES and "group" not in words:
            self.collective(node, values + list(words.values()))
            return None
        if name.startswith("torch.nn.functional."):
            tensors = [v for v in values + list(words.values()) if isinstance(v, Thing) and v.kind == "tensor"]
            self.meet(node, tensors[:2] if last == "ctc_loss" else tensors)
            if last == "binary_cross_entropy":
                self.reader.training.unsafe(node)
            scalar = last in SCALAR_LOSSES and not {"reduction", "reduce", "size_average"
                                                    } & set(words) and len(values) < 4
            return Thing("tensor", device=tensors[0]["device"] if tensors else None, scalar=scalar,
                         grad=any(t["grad"] for t in tensors)) if tensors or scalar else None
        if name.startswith("torch.nn.") and last[:1].isupper() and "utils" not in parts and "init" not in parts:
            return self.module(node, name, last, values, words)
        if (len(parts) == 2 or name.startswith("torch.cuda.")) and last.endswith("Tensor") and last[:1].isupper():
            place = "cuda" if len(parts) == 3 else "cpu" if self.default == "cpu" else None
            self.started(node, place)
            return Thing("tensor", device=place, line=node.lineno)
        if len(parts) == 2 and last in FACTORIES:
            return self.factory(node, last, values, words)
        if len(parts) == 2 and last in FROM_HOST:
            double = bool(values) and isinstance(values[0], Thing) and bool(values[0]["double"])
            return Thing("tensor", device="cpu", line=node.lineno, double=double, number="float64" if double else None)
        if len(parts) == 2 and last == "as_tensor" and "device" not in words and self.of_host(node, values):
            return self.factory(node, "tensor", values, words)
        if len(parts) == 2 and last == "as_tensor":
            place = self.place(words["device"]) if "device" in words else None
            of = values[0] if values and "dtype" not in words else None
            double = isinstance(of, Thing) and bool(of["double"])
            if double:
                self.double_on_mps(node, place)
            self.started(node, place)
            return Thing("tensor", device=place, line=node.lineno, double=double, number="float64" if double else None)
        if len(parts) == 2 and last in LIKE and values and isinstance(values[0], Thing):
            return Thing("tensor", device=self.place(words["device"]) if "device" in words else values[0]["device"],
                         number=number_of(words["dtype"]) if "dtype" in words else values[0]["number"])
        if len(parts) == 2 and last in OF_TWO and values and isinstance(values[0],
                                                                        Thing) and values[0].kind == "tensor":
            if len(values) > 1 and is_number(values[1]) or "dim" in words:
                return self.pair(values[0])
        if len(parts) == 2 and last in ("chunk", "split", "unbind") and values and isinstance(values[0], Thing):
            return Thing("sequence", item=Thing("tensor", device=values[0]["device"], line=node.lineno))
        if len(parts) == 2 and last in OF_TENSORS:
            given = values[0].items if values and isinstance(values[0], Many) else values
            if values and isinstance(values[0], Thing) and values[0].kind == "sequence":
                given = [values[0]["item"]]
            tensors = [v for v in given if isinstance(v, Thing) and v.kind == "tensor"]
            self.meet(node, tensors)
            return Thing("tensor", device=tensors[0]["device"], cause=tensors[0]["cause"],
                         lies=tensors[0]["lies"] if len(tensors) == 1 else None) if tensors else None
        return None

    def do_multiprocessing_get_context(self, node, values, words):
        """A context has the calls of the module."""
        return Name("torch.multiprocessing")

    def do_distributed_init_process_group(self, node, values, words):
        backend = text_of(values[0] if values else words.get("backend"))
        self.backend = backend if backend and self.backend in (None, backend) else "several"

    def collective(self, node, values):
        """NCCL takes tensors of the GPU alone."""
        given = [item for v in values for item in (v.items if isinstance(v, Many) else [v])]
        for one in given if self.backend == "nccl" else ():
            if isinstance(one, Thing) and one.kind == "tensor" and (one["device"] or one["lies"]) == "cpu":
                return self.reader.mistake(node, "a collective of NCCL over a tensor on the CPU",
                                           self.reader.written(node))
        return None

    @staticmethod
    def pair(of):
        """x.max(1): values and indices."""
        return Many([Thing("tensor", device=of["device"], line=of["line"]) for _ in range(2)])

    def factory(self, node, last, values, words):
        if "device" in words:
            self.named_place(node, words["device"])
            place = self.place(words["device"])
            self.started(node, place)
        else:
            place = self.default
        self.draws(node, place, words)
        double = self.is_double(words) or last == "DoubleTensor" or last in ("tensor", "Tensor") and bool(values) and \
            isinstance(values[0], Thing) and bool(values[0]["double"]) and "dtype" not in words
        if double:
            self.double_on_mps(node, place)
        scalar = last == "tensor" and values and (isinstance(values[0], Text) or is_number(values[0]) or
                                                  self.one_number(node.args[0] if node.args else None)) or \
            bool(values) and last in ("zeros", "ones", "empty", "full", "rand", "randn") and isinstance(values[0], Many) and \
            not values[0].items and not values[0].open
        grad = words.get("requires_grad")
        usual = last in DRAWN and None not in words and not self.reader.training.says(OTHER_DEFAULT)
        number = number_of(words.get("dtype")) if "dtype" in words else "float32" if usual else None
        return Thing("tensor", device=None if scalar else place, line=node.lineno, lies=place, number=number,
                     made=(node, self.reader.source), double=double,
                     under=self.default_set if "device" not in words else None,
                     cause=self.made_in_module(node) if place == "cpu" and "device" not in words else None,
                     leaf=isinstance(grad, Text) and grad.value is True)

    def of_host(self, node, values):
        """Whether numbers, lists of them or an array of NumPy's are given, of which a new tensor is made."""
        of, given = values[0] if values else None, node.args[0] if node.args else None
        return isinstance(of, Many) and all(is_number(one) for one in of.items) or isinstance(
            of, Thing) and of.kind == "host-data" or isinstance(given, ast.Call) and (self.reader.full(given.func) or "").startswith("numpy.")

    def one_number(self, node):
        """What is surely a number, however it is computed: len(x), x.std(), np.mean(x)."""
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return all(self.one_number(side) or isinstance(side, ast.Constant) for side in sides) and any(
                self.one_number(side) for side in sides)
        if not isinstance(node, ast.Call) or node.keywords:
            return False
        if isinstance(node.func, ast.Name):
            return node.func.id in ("len", "float", "int", "sum", "abs", "round")
        last = getattr(node.func, "attr", "")
        name = self.reader.full(node.func) or ""
        if name.startswith("numpy."):
            return len(node.args) == 1 and last in TO_ONE_NUMBER
        return name.startswith("math.") or not node.args and last in TO_ONE_NUMBER + ("item", )

    @staticmethod
    def is_double(words):
        kind = words.get("dtype")
        return isinstance(kind, Name) and kind.full in ("torch.float64", "torch.double", "numpy.float64")

    def double_on_mps(self, node, place):
        kinds = {one.split(":")[0] for one in (place or "").split("|")}
        if "mps" in kinds:
            self.reader.mistake(node, "double precision on MPS", self.reader.written(node), doubted=len(kinds) > 1)

    def made_in_module(self, node):
        """Where a method of a module makes a tensor without a word of its device."""
        inside = self.reader.inside[-1] if self.reader.inside else None
        of = inside.owner if inside else None
        return (node, self.reader.source) if of and any(b.endswith(".Module") for b in of.all_bases()) else None

    def indexed(self, node, of, indices):
        """An index lies on the CPU, or where the tensor lies."""
        for one in indices:
            if isinstance(one, Thing) and one.kind == "tensor" and not one["zero"] and not one["scalar"] and \
                    one["device"] != "cpu" and apart(of["device"], one["device"]):
                made = one["made"] if one["made"] and one["made"][1] == self.reader.source else (None, None)
                return self.reader.mistake(node, "an index on another device", self.reader.written(node), of["device"],
                                           one["device"], other=made[0], doubted="|" in of["device"] + one["device"])
        return None

    def do_Generator(self, node, values, words):
        where = values[0] if values else words.get("device")
        return Thing("generator", device=self.place(where) if where is not None else "cpu")

    def draws(self, node, place, words):
        """A generator draws on its own device alone."""
        of = words.get("generator")
        if isinstance(of, Thing) and of.kind == "generator" and place and apart(of["device"], place) and \
                of["device"].split(":")[0] != place.split(":")[0]:
            self.reader.mistake(node, "a generator of another device", self.reader.written(node), of["device"], place,
                                doubted="|" in of["device"] + place)

    def do_autograd_Variable(self, node, values, words):
        of, grad = values[0] if values else None, words.get("requires_grad")
        if not isinstance(of, Thing) or of.kind != "tensor":
            return None
        return Thing("tensor", device=of["device"], line=of["line"], loader=of["loader"],
                     leaf=isinstance(grad, Text) and grad.value is True)

    def rank_as_text(self, node, values):
        of = values[0] if len(values) == 1 else None
        if isinstance(of, Thing) and of.kind == "variable" and RANKS.search(of["name"] or ""):
            self.reader.mistake(node, "a rank as text", self.reader.written(node))

    def global_rank(self, node, value):
        """The rank among all nodes counts on, where each node counts its GPUs from 0."""
        if isinstance(value, Thing) and value["launched"]:
            self.launched_used = True
        several = SEVERAL_NODES.search(self.reader.text) or LOCAL_BESIDE_RANK.search(self.reader.text)
        if isinstance(value, Thing) and value["rank"] and several and not self.ranked:
            self.ranked = True
            self.reader.mistake(node, "a GPU by its global rank", self.reader.written(node))

    def do_device(self, node, values, words):
        self.rank_as_text(node, values)
        self.global_rank(node, values[-1] if values else words.get("index"))
        self.named_place(node, values[0] if values else words.get("type"))
        text = place_of(values[0]) if values else None
        self.to_cpu = self.to_cpu or text == "cpu"
        self.to_gpu = self.to_gpu or bool(text) and text.startswith("cuda")
        if text and len(values) > 1 and isinstance(values[1], Text):
            text = "%s:%s" % (text, values[1].value)
        elif text == "cuda" and (len(values) > 1 or "index" in words):
            text = "cuda:" + ANY
        return Place(text)

    def gpu_alone(self, node, values, words):
        if not self.reader.path and not self.reader.guarded and not self.asked:
            self.needs_gpu.append((node, self.reader.source))
        return None

    def memory_of(self, node, values, words):
        """torch.cuda.max_memory_allocated(), which asks the current device where none is given."""
        if not values and "device" not in words and not self.spread(node):
            self.asked_current.append((node, self.reader.source))

    do_cuda_max_memory_allocated = do_cuda_memory_allocated = do_cuda_max_memory_reserved = memory_of
    do_cuda_memory_reserved = do_cuda_memory_summary = do_cuda_reset_peak_memory_stats = memory_of

    def do_cuda_synchronize(self, node, values, words):
        self.copies_done += 1
        return self.gpu_alone(node, values, words)

    do_cuda_current_device = do_cuda_get_device_name = gpu_alone
    do_cuda_get_device_properties = do_cuda_get_device_capability = do_cuda_mem_get_info = gpu_alone

    def do_cuda_is_available(self, node, values, words):
        return Thing("gpu-there")

    def copied(self, node, of):
        """copy.deepcopy(model): a model of its own, which stays where it is."""
        if not isinstance(of, Thing) or of.kind != "module" or of["metric"]:
            return None
        made = (node, self.reader.source)
        given = getattr(node.args[0], "id", None) if node.args else None
        if self.reader.inside and self.reader.inside[-1].name == "__init__" and given in [
                one.arg for one in self.reader.inside[-1].node.args.args]:
            made = self.reader.calls[-1]  # EMA(model): who makes the copy decides when
        return Thing("module", **dict({key: of[key] for key in ("device", "class", "hf", "weightless")}, line=node.lineno,
                                      copied=made, cause=made))

    def do_cuda_Event(self, node, values, words):
        on = values[0] if values else words.get("enable_timing", None if None in words else Text(False))
        return Thing("event", timing=on.value if isinstance(on, Text) else None, node=node, source=self.reader.source,
                     inside=id(self.reader.inside[-1]) if self.reader.inside else None)

    def do_cuda_is_bf16_supported(self, node, values, words):
        return Thing("answer")  # true on newer GPUs

    def look_for_own_gpu(self, tree):
        self.own_gpu = self.own_gpu or any(
            getattr(one, "attr", getattr(one, "value", None)) in OWN_GPU for one in ast.walk(tree))

    def do_cuda_set_device(self, node, values, words):
        place = place_of(values[0]) if values else None
        if place and place.split(":")[0] == "cpu":
            self.reader.mistake(node, "set_device of what is no GPU", self.reader.written(node))
        self.rank_as_text(node, values)
        self.global_rank(node, values[0] if values else words.get("device"))
        self.named_place(node, values[0] if values else None)
        if values and isinstance(values[0], Text) and isinstance(values[0].value, int):
            self.current = values[0].value

    def do_set_default_device(self, node, values, words):
        self.named_place(node, values[0] if values else None)
        before, self.default = self.default, self.place(values[0]) if values else None
        if (self.default or "").startswith("cuda") and "|" not in self.default:
            self.gpu_alone(node, values, words)
        self.default_set = (node, self.reader.source) if before == "cpu" and self.made_before else None

    def do_set_default_tensor_type(self, node, values, words):
        cuda = values and isinstance(values[0], (Text, Name)) and "cuda" in str(getattr(values[0], "value", "") or
                                                                              getattr(values[0], "full", ""))
        self.default = "cuda" if cuda else None
        if cuda:
            self.gpu_alone(node, values, words)

    def do_set_float32_matmul_precision(self, node, values, words):
        if values and isinstance(values[0], Text) and values[0].value not in ("highest", "high", "medium"):
            self.reader.mistake(node, "a precision that PyTorch doesn't know", str(values[0].value))

    def do_nn_utils_rnn_pad_sequence(self, node, values, words):
        of = values[0].items[0] if values and isinstance(values[0], Many) and values[0].items else None
        of = self.reader.item_of(values[0]) if values and of is None else of
        return Thing("tensor", device=of["device"], line=node.lineno) if isinstance(
            of, Thing) and of.kind == "tensor" else None

    do_nn_utils_rnn_pack_sequence = do_nn_utils_rnn_pad_sequence

    def do_nn_utils_rnn_pack_padded_sequence(self, node, values, words):
        of = words.get("lengths", values[1] if len(values) > 1 else None)
        if isinstance(of, Thing) and of.kind == "tensor" and (of["device"] or "").startswith("cuda"):
            self.reader.mistake(node, "lengths of sequences on the GPU", self.reader.written(node),
                                doubted="|" in of["device"])
        packed = values[0] if values else words.get("input")
        return Thing("tensor", device=packed["device"], line=node.lineno, grad=packed["grad"]) if isinstance(
            packed, Thing) and packed.kind == "tensor" else None  # it moves as a tensor does

    def do_nn_utils_rnn_pad_packed_sequence(self, node, values, words):
        """The padded tensor lies where its sequences lie, and the lengths on the CPU."""
        packed = values[0] if values else words.get("sequence")
        return Many([Thing("tensor", device=packed["device"], line=node.lineno, grad=packed["grad"]), None]) if isinstance(
            packed, Thing) and packed.kind == "tensor" else None

    def do_set_rng_state(self, node, values, words):
        """The state that torch.load took to the GPU with the rest of a file: saved["rng"]."""
        said = re.fullmatch(r"(\w+)(\[[^\[\]]*\]|\.get\([^()]*\))", self.reader.written(node.args[0])) if node.args else None
        place, at = self.loaded.get((self.reader.source, said.group(1)), ("", None)) if said else ("", None)
        if place.startswith("cuda"):
            self.reader.mistake(node, "a generator's state on the GPU", self.reader.written(node), doubted="|" in place,
                                other=at)

    do_random_set_rng_state = do_cuda_set_rng_state = do_cuda_random_set_rng_state = do_set_rng_state

    @staticmethod
    def spread(node):
        """f(**options): what it says is not known."""
        return any(keyword.arg is None for keyword in node.keywords)

    def do_load(self, node, values, words):
        self.maps = self.maps or "map_location" in words
        self.named_place(node, words.get("map_location", values[1] if len(values) > 1 else None))
        if "map_location" not in words and len(values) < 2 and not self.spread(node) and not self.reader.with_gpu & set(self.reader.path) and \
                (self.reader.loads_models or WEIGHTS.search(self.reader.written(node))):
            self.loads.append((node, self.reader.path, self.reader.source))
        where = words.get("map_location", values[1] if len(values) > 1 else None)
        place = None if self.spread(node) else place_of(where)
        self.needs_one(node, place)
        said = text_of(where) if isinstance(where, Text) else where.text if isinstance(where, Place) else None
        if said in ("cuda:0", "cuda") and not self.reader.guarded:
            inside = self.reader.inside
            whole = self.reader.written_whole(inside[-1].node) if inside else ""
            self.fixed_loads.append((node, whole, self.reader.source, said))
        self.last_load = node, place or ""
        return self.reader.training.loaded(node, values, words)

    def do_quantization_quantize_dynamic(self, node, values, words):
        """A copy of the module, whose layers in int8 compute on the CPU alone."""
        of = values[0] if values else words.get("model")
        if not isinstance(of, Thing) or of.kind != "module":
            return None
        if words.get("inplace") is not None:
            return of
        return Thing("module", **dict(of.state, quantized=node, made=(node, self.reader.source)))

    do_ao_quantization_quantize_dynamic = do_quantization_quantize_dynamic

    def do_save(self, node, values, words):
        self.saves = True
        self.reader.training.saves(node, values, words)

    def do_compile(self, node, values, words):
        return values[0] if values else None

    do_jit_script = do_compile

    def do_jit_trace(self, node, values, words):
        """It calls the model once, with the example that it is given."""
        example = values[1] if len(values) > 1 else words.get("args", words.get("example_inputs"))
        if values and isinstance(values[0], Thing) and values[0].kind == "module" and example is not None:
            self.apply(node, values[0], example.items if isinstance(example, Many) else [example], {})

    do_onnx_export = do_export_export = do_jit_trace

    def do_autocast(self, node, values, words):
        if not values and "device_type" not in words and not self.spread(node):
            self.reader.mistake(node, "autocast without a device", "torch.autocast()")
        where = values[0] if values else words.get("device_type")
        self.named_place(node, where)
        if isinstance(where, Place) and not where.said:
            self.reader.mistake(node, "autocast of a device that is no text", self.reader.written(node))
        kind = (text_of(where) or "").split(":")[0]
        on = words.get("enabled")
        if kind and not (isinstance(on, Text) and not on.value):
            chosen = any(step[-1:] in "abce" for step in self.reader.path)
            self.autocasts.append((node, self.reader.source, kind, chosen))
        return None

    do_amp_autocast = do_autocast

    def do_cuda_amp_GradScaler(self, node, values, words, at=0):
        on = words.get("enabled")
        first = words.get("init_scale", values[at] if len(values) > at else None)
        first = first["default"] if isinstance(first, Thing) and first.kind == "option" else first
        if (is_form(first) or isinstance(first, Place)) and not (isinstance(on, Text) and not on.value):
            self.reader.mistake(node, "a scale that is no number", self.reader.written(node), doubted=on is not None)
        scaler = Thing("scaler", node=node, source=self.reader.source, path=self.reader.path)
        scaler.state["depth"] = self.reader.training.loops
        scaler.state["off"] = isinstance(on, Text) and not on.value
        if not scaler["off"]:
            self.scalers.append(scaler)
        return scaler

    def do_amp_GradScaler(self, node, values, words):
        return self.do_cuda_amp_GradScaler(node, values, words, 1)

    def metric(self, node, last, values, words):
        """A module with counters, which must lie where its inputs lie."""
        if last == "MetricCollection":
            of = values[0] if values else None
            held = of.attributes.values() if isinstance(of, Thing) and of.kind == "mapping" else of.items if isinstance(
                of, Many) else values + list(words.values())
            if not any(isinstance(one, Thing) and one["metric"] and one["device"] for one in held):
                return None
        elif not COUNTERS.match(last):
            return None
        return Thing("module", device=self.default, metric=True, line=node.lineno, cause=(node, self.reader.source))

    def module(self, node, name, last, values, words):
        if last in ("DataParallel", "DistributedDataParallel"):
            of = values[0] if values else words.get("module")
            ids = words.get("device_ids", values[1] if len(values) > 1 else None)
            given = ids["default"] if isinstance(ids, Thing) and ids.kind == "option" else ids
            numbers = [i.value if isinstance(i, Text) else None for i in given.items] if isinstance(given, Many) else None
            for one in given.items if isinstance(given, Many) else ():
                self.global_rank(node, one)
            wrapped = Thing("module",
                            device=of["device"] if isinstance(of, Thing) else None,
                            parallel=True,
                            of=of,
                            hides=last,
                            ids=numbers,
                            option=given is not ids,
                            node=node,
                            source=self.reader.source,
                            path=self.reader.path)
            if last == "DataParallel":
                self.parallel.append(wrapped)
            elif wrapped["device"] == "cpu" and self.backend == "nccl" and not (isinstance(ids, Many) and ids.items):
                self.reader.mistake(node, "a collective of NCCL over a tensor on the CPU", self.reader.written(node))
            elif re.match(r"cuda:\d+$", wrapped["device"] or "") and isinstance(given, Many) and len(
                    given.items) == 1 and (is_number(given.items[0]) and not isinstance(given.items[0], Text)
                                           and not given.items[0]["current"]):
                self.reader.mistake(node, "DistributedDataParallel of a model on the first GPU", self.reader.written(node))
            elif wrapped["device"] == "cpu" and isinstance(ids, Many) and ids.items:
                self.reader.mistake(node, "DistributedDataParallel of a model on the CPU", self.reader.written(node))
            elif isinstance(given, Many) and len(given.items) == 1 and isinstance(given.items[0], Text) and \
                    type(given.items[0].value) is int and OF_RANK.search(self.reader.text):
                self.reader.mistake(node, "DistributedDataParallel of each process on one GPU",
                                    self.reader.written(node))
            elif wrapped["device"] == "cuda" and not self.own_gpu and isinstance(given, Many) and any(
                    isinstance(one, Thing) and one.kind == "number" and not one["current"] and
                    (one["default"] is None or one["launched"]) for one in given.items):
                self.reader.mistake(node, "DistributedDataParallel of a model on the first GPU", self.reader.written(node))
            elif wrapped["device"] == "cuda" and not self.own_gpu and self.backend == "nccl" and not words and not self.spread(
                    node) and len(values) == 1 and not CHOOSES_GPU.search(self.reader.text):
                self.reader.mistake(node, "DistributedDataParallel of a model on the first GPU", self.reader.written(node))
            return wrapped
        if "device" in words:
            self.named_place(node, words["device"])
            place = self.place(words["device"])
            self.started(node, place)
            return Thing("module", device=place, line=node.lineno, made=(node, self.reader.source))
        if any(mark in last for mark in LOSSES):
            plain = not {"reduction", "reduce", "size_average"} & set(words) and not self.spread(node)
            weight = words.get("weight", words.get("pos_weight"))
            return Thing("module", device=None, loss=last.endswith("Loss"), weightless=True, named=last,
                         weight=weight["device"] if isinstance(weight, Thing) and weight.kind == "tensor" else None,
                         made=(node, self.reader.source),
                         scalar=last.endswith("Loss") and plain)
        if last in ("Parameter", "Buffer"):
            of = values[0] if values and isinstance(values[0], Thing) else None
            return Thing("tensor", device=of["device"] if of else None, line=node.lineno, parameter=True,
                         lies=of["device"] or of["lies"] if of else None)  # a scalar has no device, and is somewhere
        if last in ("Sequential", "ModuleList", "ModuleDict"):
            given = values[0].items if values and isinstance(values[0], Many) else values
            if last == "Sequential" and len(node.args) == 1 and id(node.args[0]) in self.reader.sequences:
                given = [self.reader.sequences[id(node.args[0])]]  # Sequential(*[Block() for _ in range(6)])
            each = None
            if len(given) == 1 and isinstance(given[0], Thing) and given[0].kind == "sequence":
                each = given[0]["item"]  # ModuleList(Block() for _ in range(6))
                given = [each]
            members = [v for v in given if isinstance(v, Thing) and v.kind == "module" and not v["weightless"]]
            strange = not all(isinstance(v, Thing) and v.kind == "module"
                              for v in given)  # where its own weights may be
            places = {m["device"] for m in members}
            place = None if strange else self.default if not members else places.pop() if len(places) == 1 else None
            first = given[0] if given and isinstance(given[0], Thing) and last == "Sequential" else None
            made = Thing("module", device=place, line=node.lineno, weightless=not members and not strange,
                         number=first["number"] if first else None, made=(node, self.reader.source), each=each)
            for one in given:
                if isinstance(one, Thing) and one.kind == "module":
                    one.state["container"] = made
            if each and each.kind == "module" and place:  # its members move with it
                each.state.update(device=None, whole=made)
            return made
        self.made_before = True
        self.reader.training.draws(node)
        plain = not self.reader.training.says(OTHER_DEFAULT) and None not in words and (
            last in RECURRENT or last.startswith(("Linear", "Conv", "Bilinear"))) and not last.startswith("Lazy")
        return Thing("module", device=self.default, line=node.lineno, recurrent=last in RECURRENT,
                     number=(number_of(words["dtype"]) if "dtype" in words else "float32") if plain else None,
                     made=(node, self.reader.source))

    def place_of_class(self, of):
        """Where the modules of a class lie in the end, also inside of others that were moved; None: not known, or not in one place."""
        places = set()
        for thing in self.makings.get(of, ()):
            for _ in range(10):
                outer = next((one for one in (thing["container"], thing["whole"]) if isinstance(one, Thing)), None)
                thing = outer or thing
            places.add(thing["device"])
        return places.pop() if len(places) == 1 else None

    def is_without_weights(self, of, thing):
        """Whether a module of the script surely holds neither weights nor buffers, as most losses: it lies nowhere."""
        if not all(base.endswith(".Module") for base in of.all_bases()) or HOLDS_WEIGHTS.search(
                self.reader.written_whole(of.node)):
            return False

        def weights(value):  # None: not known
            if isinstance(value, Thing):
                placed = value.kind == "tensor" or value.kind == "module" and value["device"] is not None
                bare = value["weightless"] or value["loss"] or value["bare"] or value.kind in ("number", "option")
                return True if placed else False if bare else None
            return None if value is None or isinstance(value, (Many, dict)) else False

        held = [weights(value) for value in thing.attributes.values()]
        bare = not any(held) and (None not in held or re.search(r"(Loss|Criterion)$", of.node.name) is not None)
        thing.state["bare"] = bare
        return bare

    def optimizer(self, node, last, values, words):
        of = values[0] if values else words.get("params")
        for one in of.items if isinstance(of, Many) else ():
            if isinstance(one, Thing) and (one["unleafed"] or one["lost"]):
                self.reader.mistake(node, "an optimizer of a tensor that was moved", self.reader.written(node.args[0])
                                    if node.args else "params", doubted="|" in (one["device"] or ""))
        first = node.args[0] if node.args else None
        if isinstance(of, Bound) and of.thing is None and of.name == "parameters" or self.of_unknown(first):
            of = Bound(self.stranger(first), "params")
        optimizer = Thing("optimizer",
                          name=last,
                          of=of.thing if isinstance(of, Bound) and of.name == "params" else None,
                          node=node,
                          source=self.reader.source,
                          place=None)
        if optimizer["of"] is not None:
            optimizer.state["place"] = optimizer["of"]["device"]
            self.optimizers.append((optimizer, self.reader.path))
            optimizer.state["calls"] = self.reader.calls + [(node, self.reader.source)]
        elif not isinstance(of, Bound) and self.grouped(first) is not None:
            optimizer.state["groups_of"] = self.grouped(first)
            self.optimizers.append((optimizer, self.reader.path))
            optimizer.state["calls"] = self.reader.calls + [(node, self.reader.source)]
        return optimizer

    def grouped(self, node):
        """The module whose parameters groups(model), or [{"params": [p for p in model.parameters() if …]}], hands on as they are."""
        function = self.reader.find(node.func.id) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        if isinstance(function, Function):
            text = self.reader.written_whole(function.node)
        else:
            text = self.reader.written(node) if isinstance(node, (ast.List, ast.ListComp, ast.GeneratorExp)) else ""
        if not re.search(r"\.(named_)?parameters\(\)", text) or re.search(r"clone|detach|float\(|deepcopy|\.data\b|\.to\(", text):
            return None
        modules = [value for value in (self.reader.find(one.id) for one in ast.walk(node) if isinstance(one, ast.Name)) if isinstance(
            value, Thing) and value.kind == "module"]
        return modules[0] if modules and all(one is modules[0] for one in modules) else None

    def of_unknown(self, node):
        """model.parameters() of a model that was made elsewhere."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and
                node.func.attr == "parameters" and isinstance(node.func.value, ast.Name)):
            return False
        value = self.reader.find(node.func.value.id)
        return value is None or isinstance(value, Name) or isinstance(value, Thing) and value.kind == "moved"

    def stranger(self, node):
        model = Thing("module", device=None, stranger=True, line=getattr(node, "lineno", None))
        if self.of_unknown(node):
            self.reader.scope.names[node.func.value.id] = model
        return model

    # ---- methods

    def method(self, node, thing, attribute, values, words):
        if isinstance(thing, (Thing, Many)):
            self.no_such_method(node, thing, attribute)
        if attribute in ("to", "cuda", "cpu"):
            return self.move(node, thing, attribute, values, words)
        if attribute in ("synchronize", "wait", "query"):
            self.copies_done += 1
        if attribute == "device" and isinstance(thing, Thing) and thing.kind == "tensor":
            self.reader.mistake(node, "an attribute that is called", self.reader.written(node))
        if not isinstance(thing, Thing):
            return None
        if thing.kind == "module":
            return self.of_module(node, thing, attribute, values, words)
        if thing.kind == "tensor":
            return self.of_tensor(node, thing, attribute, values, words)
        if thing.kind == "optimizer" and attribute == "load_state_dict" and thing["of"] is not None:
            thing.state["loaded"] = (thing["loaded"] or []) + [
                (node, self.reader.source, self.reader.path, thing["of"]["device"], self.function_of_here())]
            return None
        if thing.kind == "moved":
            return thing if attribute in OF_MOVED else None
        if thing.kind == "generator":
            return thing if attribute == "manual_seed" else None
        if thing.kind == "scaler":
            of = values[0]["of"] if attribute in ("step", "unscale_") and values and isinstance(
                values[0], Thing) and values[0].kind == "optimizer" else None
            if isinstance(of, Thing) and of["half"]:
                self.reader.mistake(node, "a GradScaler of a model in half precision", self.reader.written(node),
                                    other=of["half"][0] if of["half"][1] == self.reader.source else None)
            thing.state["scales" if attribute == "scale" else "steps" if attribute == "step" else attribute] = node
            return Thing("tensor", line=node.lineno, scaled=True) if attribute == "scale" else None
        return None

    def target(self, node, attribute, values, words):
        """Where .to(…), .cuda(…) and .cpu() put it; "same": only the kind of number changes."""
        if attribute == "cpu":
            return "cpu"
        where = values[0] if values else words.get("device")
        self.global_rank(node, where)
        if attribute == "cuda":
            if where is None and not values and "device" not in words:
                return self.place(Text("cuda"))
            return self.place(where)
        if where is None and ("dtype" in words or "memory_format" in words):
            return "same"
        if isinstance(where, Name) and where.full.startswith("torch."):
            return "same"
        if isinstance(where, Thing) and where.kind == "tensor":
            return where["device"]
        self.named_place(node, where)
        return self.place(where)

    def move(self, node, thing, attribute, values, words):
        place = self.target(node, attribute, values, words)
        self.started(node, place)
        if isinstance(thing, Thing) and thing.kind in ("encoding", "outputs"):
            if thing.kind == "encoding" and place != "same":
                self.reader.change(thing, "device", place)  # in place, and given back
            return thing
        if isinstance(thing, Thing) and thing.kind == "batch" and place != "same":
            self.reader.change(thing, "device", place)
            self.reader.change(thing, "moved", True)
            return thing
        if thing is None or isinstance(thing, Bound) or isinstance(thing, Thing) and thing.kind == "moved":
            return Thing("moved", device=place, line=node.lineno) if place not in (None, "same") else None
        if not isinstance(thing, Thing) or thing.kind not in ("module", "tensor"):
            return None
        number = self.converted(attribute, values, words)
        if place == "same" and thing.kind == "tensor":
            return Thing("tensor", **dict(thing.state, number=number or None, double=number == "float64" or bool(
                number == "same" and thing["double"]))) if number != "same" else thing
        if thing.kind == "module" and number != "same":
            self.reader.change(thing, "number", number)
        if place == "same":
            return thing
        if thing.kind == "tensor":
            self.copies(node, thing, place, words)
            if thing["double"] and "dtype" not in words and len(values) < 2 or self.is_double(words):
                self.double_on_mps(node, place)
            late = words.get("non_blocking")
            hurries = place == "cpu" and (thing["device"] or "").startswith("cuda") and isinstance(
                late, Text) and late.value is True
            apart_ = place is not None and thing["device"] is not None and apart(thing["device"], place)
            return Thing("tensor",
                         device=place,
                         line=node.lineno,
                         unleafed=apart_ and thing["leaf"],
                         copying=self.copies_done if hurries else None,
                         at=(node, self.reader.source),
                         scalar=thing["scalar"],
                         grad=thing["grad"],
                         number=thing["number"] if number == "same" else number,
                         lost=node if thing["parameter"] and place is not None and apart(thing["device"] or thing["lies"], place) else None)
        self.moved(node, thing, place)
        if thing["quantized"] and (place or "").startswith("cuda"):
            self.reader.mistake(node, "a quantized module on the GPU", self.reader.written(node), doubted="|" in place,
                                other=thing["quantized"])
        if place != "cpu":
            self.module_on_gpu = self.module_on_gpu or place or "cuda|cpu"
        self.reader.change(thing, "at", (node, self.reader.source))
        whole = thing
        for _ in range(10):
            self.reader.change(whole, "late", None)
            if not isinstance(whole["whole"], Thing):
                break
            whole = whole["whole"]
        self.module_on_cpu = self.module_on_cpu or place == "cpu"
        if thing["weight"]:
            self.reader.change(thing, "weight", place)
        if not thing["weightless"]:
            self.reader.change(thing, "device", place)
            for other in (thing["of"], thing["outer"]):
                if isinstance(other, Thing):
                    self.reader.change(other, "device", place)
        return thing

    @staticmethod
    def converted(attribute, values, words):
        """The kind of number that .to(…) gives; "same": as before; None: not known."""
        if attribute != "to":
            return "same"
        given = [v for v in values if isinstance(v, Name)] + ([words["dtype"]] if "dtype" in words else [])
        if not given and all(
                isinstance(v, (Place, Text)) or isinstance(v, Thing) and v.kind in ("number", "option", "form")
                for v in values) and None not in words:
            return "same"
        return number_of(given[0]) if given else None

    def moved(self, node, thing, place):
        if self.reader.moves_state or place == "cpu":  # at the end, to be saved
            return
        if isinstance(thing, Thing) and thing["double"]:
            self.double_on_mps(node, place)
        for optimizer, path in self.optimizers:
            here = self.reader.path
            unknown = thing["stranger"] and optimizer["place"] is None and place not in (None, "cpu")
            if optimizer["of"] is not thing:
                continue
            for at, source, when, was, function in optimizer["loaded"] or ():
                if apart(was, place) and not exclusive(when, here):
                    # Where a helper loads the state, the move behind its call is what stands in the wrong place.
                    both = [(at, source), (node, self.reader.source)]
                    first, second = both if function is self.function_of_here() or function is None else both[::-1]
                    self.at(first, "an optimizer's state that is loaded before its model moves", self.reader.written(at),
                            other=second[0] if second[1] == first[1] else None, doubted=bool(when) or "|" in place)
            if here[: len(path)] == path and (unknown or apart(optimizer["place"], place)):
                if optimizer["name"] in EAGER_STATE:
                    self.reader.mistake(node, "a model that moves after its optimizer with state", self.reader.written(node),
                                        other=optimizer["node"], doubted=unknown)
                elif not optimizer["loaded"]:
                    self.reader.mistake(node, "a model that moves after its optimizer", self.reader.written(node),
                                        other=optimizer["node"], doubted=unknown)

    def function_of_here(self):
        """The statement of the function that is being read; None: none."""
        return self.reader.inside[-1].node if self.reader.inside else None

    def at(self, cause, name, *more, **options):
        """A mistake that is told where its cause stands."""
        reader, before = self.reader, self.reader.source
        node, reader.source = cause
        reader.mistake(node, name, *more, **options)
        reader.source = before

    def copies(self, node, thing, place, words):
        late = words.get("non_blocking")
        if not isinstance(late, Text) or late.value is not True:
            return
        loader = thing["loader"]
        if isinstance(loader, Thing) and loader["pinned"] is False and not loader["named"] and not loader["collate"]:
            self.reader.mistake(node, "non_blocking without pinned memory", self.reader.written(node))
        elif isinstance(loader, Thing):
            self.also_pinned.add((line_of(node), self.reader.source or ""))

    def of_module(self, node, thing, attribute, values, words):
        if attribute in ("parameters", "named_parameters"):
            return Bound(thing, "params")
        if attribute == "state_dict":
            return Thing("state-dict", of=thing, hides=thing["hides"])
        if attribute == "load_state_dict":
            self.reader.training.loads_state(node, thing, values[0] if values else words.get("state_dict"), values,
                                             words)
        if attribute in CONVERTS:
            self.reader.change(thing, "number", CONVERTS[attribute])
            self.reader.change(thing, "half", (node, self.reader.source) if attribute == "half" else None)
            self.reader.change(thing, "double", attribute == "double")
            if attribute == "double":
                self.double_on_mps(node, thing["device"])
        if attribute == "to_empty":
            self.reader.change(thing, "device", self.place(words["device"]) if "device" in words else None)
        if attribute in ("eval", "train", "half", "float", "double", "requires_grad_", "bfloat16", "to_empty", "type"):
            return thing
        if attribute == "forward" or attribute == "update" and thing["metric"]:
            return self.apply(node, thing, values, {})
        if attribute == "clone" and thing["metric"]:
            return Thing("module", device=thing["device"], metric=True, line=node.lineno, cause=thing["cause"])
        if attribute == "generate" and thing["hf"]:
            given = self.apply(node, thing, values, words)
            return Thing("tensor", device=given["device"], line=node.lineno) if given else None
        return None

    def early(self, node, of):
        """What reads a tensor while it is still being copied."""
        if of["copying"] is not None and of["copying"] == self.copies_done:
            self.reader.mistake(node, "non_blocking to the CPU", self.reader.written(node))

    def to_numpy(self, node, of):
        if isinstance(of, Many):
            of = next((i for i in of.items if isinstance(i, Thing) and i.kind == "tensor" and i["device"]), None)
        if isinstance(of, Thing) and of.kind == "sequence":
            of = of["item"]
        if isinstance(of, Thing) and of.kind == "tensor":
            self.early(node, of)
        place = of["device"] if isinstance(of, Thing) and of.kind == "tensor" else None
        if isinstance(of, Thing) and of.kind == "tensor" and of["number"] == "bfloat16":
            self.reader.mistake(node, "numpy() of bfloat16", self.reader.written(node))
        if isinstance(of,
                      Thing) and of.kind == "tensor" and of["grad"] and not (place and set(place.split("|")) - {"cpu"}):
            self.reader.mistake(node, "numpy() of a tensor with a gradient", self.reader.written(node))
        if place and set(place.split("|")) - {"cpu"}:
            self.reader.mistake(node, "numpy() of a tensor on the GPU", self.reader.written(node), doubted="|" in place)

    def of_tensor(self, node, thing, attribute, values, words):
        if attribute == "numpy":
            self.to_numpy(node, thing)
        if attribute in ("item", "tolist"):
            self.early(node, thing)
        if attribute == "item":
            return Thing("number")
        if attribute == "tolist":
            return Thing("host-data")
        if attribute == "pin_memory" and (thing["device"] or "").split(":")[0] == "cuda" and "|" not in thing["device"]:
            self.reader.mistake(node, "pin_memory of a tensor on the GPU", self.reader.written(node))
        tensors = [v for v in values if isinstance(v, Thing) and v.kind == "tensor"]
        if attribute in MEETS:
            self.meet(node, [thing] + tensors)
        if attribute == "type" and values and isinstance(values[0], Name) and re.match(
                r"torch\.[a-z]+\d*$", values[0].full):
            return Thing("tensor", device=thing["device"], line=thing["line"], cause=thing["cause"])  # a kind of number
        of_place = re.match(r"torch\.(cuda\.)?[A-Z][a-z]+Tensor$", values[0].full) if attribute == "type" and values and \
            isinstance(values[0], Name) else None
        if of_place:
            return Thing("tensor", device="cuda" if of_place.group(1) else "cpu", line=node.lineno,
                         cause=None if of_place.group(1) else (node, self.reader.source))
        if attribute == "type_as":
            return Thing("tensor", device=tensors[0]["device"] if tensors else None, line=thing["line"])
        if attribute in ("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "cauchy_", "geometric_",
                         "log_normal_"):
            self.draws(node, thing["device"], words)
        if attribute in TO_ONE_NUMBER and not values and not words:
            return Thing("tensor", device=thing["device"], line=thing["line"], zero=True,
                         grad=thing["grad"] and attribute in KEEPS_GRADIENT)
        if attribute == "double":
            self.double_on_mps(node, thing["device"])
            return Thing("tensor", device=thing["device"], line=thing["line"], cause=thing["cause"], double=True,
                         number="float64")
        if attribute in CONVERTS:
            return Thing("tensor", device=thing["device"], line=thing["line"], cause=thing["cause"], grad=thing["grad"],
                         number=CONVERTS[attribute], lies=thing["lies"])
        if attribute in ("detach_", "requires_grad_", "clone", "detach"):
            return Thing("tensor",
                         device=thing["device"],
                         line=thing["line"],
                         scalar=thing["scalar"],
                         zero=thing["zero"],
                         number=thing["number"],
                         lies=thing["lies"],
                         cause=thing["cause"])
        if attribute in OF_TWO and (values or "dim" in words) and not tensors:
            return self.pair(thing)
        if attribute in ("chunk", "split", "unbind"):
            return Thing("sequence", item=Thing("tensor", device=thing["device"], line=thing["line"], cause=thing["cause"]))
        return None if attribute in OF_TENSOR_OTHER else Thing(
            "tensor",
            device=thing["device"],
            line=thing["line"],
            cause=thing["cause"],
            number=thing["number"] if attribute in KEEPS_GRADIENT[1:] else None,
            lies=thing["lies"],
            grad=thing["grad"] and attribute in KEEPS_GRADIENT)

    def apply(self, node, thing, values, words):
        """model(x): both must lie on one device."""
        if thing.kind == "moved":
            self.reader.hand_over(values + list(words.values()), node)
            self.reader.training.works(thing["device"])
        if thing.kind != "module":
            return None
        if thing["late"]:
            self.part_is_late(node, thing, [v for v in values if isinstance(v, Thing) and v.kind == "tensor"])
        if thing["metric"] and thing["device"] is None:
            return None
        self.works_on_gpu(node, [thing])
        if not thing["weightless"] and not thing["loss"] and thing["device"] is None and isinstance(thing["whole"], Thing):
            whole = thing["whole"]
            for _ in range(10):
                whole = whole["whole"] if whole["device"] is None and isinstance(whole["whole"], Thing) else whole
            place = whole["device"] or thing["placed"]
            if place:  # a part lies where the whole lies
                thing.state["device"], before = place, None
                try:
                    return self.apply(node, thing, values, words)
                finally:
                    thing.state["device"] = before
        given = values + list(words.values())
        tensors = [v for v in given if isinstance(v, Thing) and (v.kind == "tensor" or v.kind == "moved" and
                                                                 thing["device"] and not thing["loss"])]
        if thing["named"] == "BCELoss":
            self.reader.training.unsafe(node)
        if thing["loss"] or thing["weightless"]:
            self.meet(node, tensors[:2] if thing["named"] == "CTCLoss" else tensors)  # its lengths may lie on the CPU
            if thing["weight"] and tensors and tensors[0]["device"]:
                self.meet(node, [tensors[0], Thing("tensor", device=thing["weight"], cause=thing["made"])])
            if thing["loss"]:
                return Thing("tensor", device=None, scalar=True, line=node.lineno,
                             grad=any(t["grad"] for t in tensors)) if thing["scalar"] else None
            return Thing("tensor", device=tensors[0]["device"], cause=tensors[0]["cause"]) if tensors else None
        if thing["device"] is None and tensors and not thing["stranger"] and not thing["class"] and not thing["parallel"]:  # a member of a module
            inner = self.held_in(values[1:])
            self.meet(node, tensors + [v for v in inner if isinstance(v, Thing) and v.kind == "tensor"])
            given = Thing("tensor", device=tensors[0]["device"], line=node.lineno)
            return Many([given, None]) if thing["recurrent"] else given
        for held in self.held_in(values[1:]):  # lstm(x, (h, c))
            if isinstance(held, Thing) and held.kind == "tensor" and not thing["class"]:
                tensors.append(held)
        if thing["class"] and "pack_padded_sequence" in self.reader.text:
            tensors = tensors[:1]  # it takes lengths on the CPU, which forward is given beside its input
        on_cpu = thing["parallel"] and thing["device"] == "cpu"  # DataParallel takes what lies on the CPU to the GPUs
        if (not thing["parallel"] or on_cpu) and not self.moves_its_input(thing):
            for tensor in tensors:
                if apart(thing["device"], tensor["device"]):
                    doubted = "|" in thing["device"] + tensor["device"]
                    cause = tensor["under"] if tensor["under"] and thing["device"] == "cpu" else self.cause_of(
                        node, thing, tensor)
                    self.at(cause, "a model and its input on two devices",
                            self.reader.written(node), thing["device"], tensor["device"], doubted=doubted,
                            other=self.other_of(cause, *self.cpu_first(tensor, thing)))
                    return None
        for encoding in [v for v in values + list(words.values()) if isinstance(v, Thing) and v.kind == "encoding"]:
            self.encoded(node, thing, encoding)
        self.other_number(node, thing, tensors)
        given = self.inside_of(node, thing, values)
        place = None if self.moves_within(thing) else thing["device"]
        grad = self.reader.training.has_gradient(thing)
        if thing["hf"]:
            return Thing("outputs", device=place, line=node.lineno, grad=grad,
                         number=thing["number"] if not self.reader.training.casts else None)
        made = Thing("tensor", device=place, line=node.lineno, grad=grad,
                     number=thing["number"] if thing["number"] and not self.reader.training.casts else None)
        if not thing["class"] and values and not thing["stranger"] and not thing["parallel"]:
            return Many([made, None]) if thing["recurrent"] else made
        return made if tensors or isinstance(given, Thing) and given.kind == "tensor" else None

    def other_number(self, node, thing, tensors):
        """A product of matrices takes one kind of number, unless autocast converts."""
        if self.reader.training.casts or not tensors or thing["whole"] or thing["weightless"] or thing["loss"]:
            return
        wants, has = thing["number"], tensors[0]["number"]
        if not wants or not has or wants == has or tensors[0].kind != "tensor":
            return
        of, says = thing["class"], self.reader.training.class_says
        plain = not of or not of.parents and all(base.endswith("nn.Module") for base in of.bases) and \
            says(of, MULTIPLIES) and says(of, HOLDS_NUMBERS) and not says(of, CONVERTING)
        if plain:
            self.reader.mistake(node, "a model and its input of two kinds of number", self.reader.written(node), wants,
                                has)

    @staticmethod
    def held_in(values):
        return [one for each in values for one in (each.items if isinstance(each, Many) else [each["item"]] if isinstance(
            each, Thing) and each.kind == "sequence" else [])]

    def encoded(self, node, thing, encoding):
        """model(**tokens), model.generate(**tokens)"""
        if apart(thing["device"], encoding["device"]) and not self.moves_its_input(thing):
            self.reader.mistake(node,
                                "a model and its input on two devices",
                                self.reader.written(node),
                                thing["device"],
                                encoding["device"],
                                doubted="|" in thing["device"] + encoding["device"])

    def moves_within(self, thing):
        """Whether what forward gives may lie elsewhere than the module."""
        of = thing["of"] if isinstance(thing["of"], Thing) else thing
        forward = of["class"].method("forward") if of["class"] else None
        return bool(forward) and bool(re.search(r"\.(to|cuda|cpu)\(", self.reader.written_whole(forward.node)))

    def inside_of(self, node, thing, values):
        """What forward does with what the module made on the CPU and does not hold, so that it stayed there."""
        of = thing["class"]
        forward = of.method("forward") if of else None
        if not forward or not thing["device"] or thing["parallel"] or of.parents or forward.owner is not of:
            return None
        # Of what Lightning calls, the device of all is known.
        text = self.reader.written_whole(forward.node if "device" in thing.attributes else of.node)
        if MOVES_TENSORS.search(text) or \
                any(not b.endswith(("nn.Module", "LightningModule")) for b in of.bases):
            return None
        return self.reader.follow(forward, [thing] + values, {}, node)

    def plain_list(self, target, owner, value):
        """self.layers = [nn.Linear(…), …]: a module doesn't hold what a list of Python does."""
        items = value.items if isinstance(value, Many) else ()
        if isinstance(value, Thing) and value.kind in ("sequence", "mapping"):
            items = [value["item"] or value["each"]] if value["item"] or value["each"] else value.attributes.values()
        if owner.kind != "module" or not owner["class"] or not items or not all(
                isinstance(i, Thing) and (i.kind == "module" and not i["weightless"] or i["parameter"]) for i in items):
            return
        if all(any(item is held for held in owner.attributes.values()) for item in items):
            return  # self.heads = [self.first, self.second], which the module holds by their own names
        lightning = any(base.endswith("LightningModule") for base in owner["class"].all_bases())
        if isinstance(value, Thing) and value.kind == "mapping" and not (lightning and any(item["metric"] for item in items)):
            if self.is_called_by_key(target, owner, items):
                self.not_held(target, owner, "modules in a dict of Python's")
            return  # any other table of modules may be one that is asked for by name
        for item in items:
            item.state["cause"] = (target, self.reader.source)
        self.not_held(target, owner)

    def is_called_by_key(self, target, owner, items):
        """self.heads = {name: nn.Linear(8, 1) for name in names}, whose members forward calls, and that nothing else holds."""
        forward, name = owner["class"].method("forward"), re.escape(getattr(target, "attr", "")) or r"\w+"
        whole = self.reader.written_whole(owner["class"].node)
        if forward is None or any(item["whole"] for item in items) or re.search(
                r"requires_grad|no_grad|\.eval\(|detach\(|load_state_dict|\.update\(", whole):
            return False
        text = self.reader.written_whole(forward.node)
        each = re.search(r"for (?:\w+, )?(\w+) in self\.%s\.(values|items)\(\)" % name, text)
        return re.search(r"self\.%s\[[^\]]*\]\(" % name, text) is not None or each is not None and re.search(
            r"\b%s\(" % re.escape(each.group(1)), text) is not None

    def not_held(self, node, owner, kind="modules in a list of Python's"):
        whole = self.reader.written_whole(owner["class"].node)
        name = re.escape(getattr(node, "attr", "")) or r"\w+"
        # The class may move them itself, one by one.
        moves = re.search(r"\.(to|cuda)\(", whole) and re.search(
            r"in \w*\(?self\.%s\b|self\.%s\[[^\]]*\]\.(to|cuda)\(" % (name, name), whole)
        if not moves and not HOLDS_ITSELF.search(whole) and not re.search(HOLDS % name, whole):
            self.reader.mistake(node, kind, self.reader.written(node))

    @staticmethod
    def holder(value):
        """The module of model.part[1].last, as far as it is known."""
        while isinstance(value, Bound):
            value = value.thing
        return value if isinstance(value, Thing) and value.kind == "module" and not value["loss"] else None

    def has_no_device(self, node, owner):
        """model.device: modules of PyTorch's own have none."""
        if owner.kind == "module" and not any(owner[key] for key in ("class", "hf", "stranger", "parallel", "metric", "copied")):
            self.reader.mistake(node, "a module's device", self.reader.written(node))

    def late_part(self, target, owner, value):
        """model.fc = nn.Linear(…) behind model.to(…): the new part stays on the CPU."""
        whole = self.holder(owner)
        if not whole or not isinstance(value, Thing) or value.kind != "module" or value["weightless"]:
            return
        for _ in range(10):
            whole = whole["whole"] if whole["device"] is None and isinstance(whole["whole"], Thing) else whole
        if value["device"] == "cpu" and whole["device"] and apart(whole["device"], "cpu"):
            self.reader.change(whole, "late", (target, self.reader.source, value))

    def part_is_late(self, node, thing, tensors):
        target, source, part = thing["late"]
        for tensor in tensors:
            if tensor["device"] and apart(tensor["device"], "cpu"):
                self.at((target, source), "a part of a model that was moved before", self.reader.written(target),
                        tensor["device"], doubted="|" in tensor["device"])

    def plain_tensor(self, target, owner, value):
        """self.table = torch.zeros(…): a module moves its parameters and buffers, and no other tensor."""
        if owner.kind != "module" or not owner["class"]:
            return
        # The class may move it itself, as Lightning's setup() does.
        moved = re.search(r"self\.%s = self\.%s\.(to|cuda)\(" % (2 * (re.escape(target.attr), )), self.reader.written_whole(owner["class"].node))
        for one in value.items if isinstance(value, Many) else [value["item"]] if isinstance(
                value, Thing) and value.kind == "sequence" else [value]:
            if isinstance(one, Thing) and one.kind == "tensor" and moved:
                self.reader.change(one, "device", None)
            elif isinstance(one, Thing) and one.kind == "tensor" and not one["parameter"]:
                one.state["cause"] = (target, self.reader.source)

    def moves_its_input(self, thing):
        if not thing["class"]:
            return False
        forward = thing["class"].method("forward")
        text = self.reader.written_whole(forward.node) if forward else ".to("
        return ".to(" in text or ".cuda(" in text or "device" in text

    def meet(self, node, tensors):
        tensors = [t for t in tensors if not t["zero"] and not t["scalar"]]  # one of no dimensions may lie on the CPU
        for one in tensors[1:]:
            if apart(tensors[0]["device"], one["device"]):
                doubted = "|" in tensors[0]["device"] + one["device"]
                cause = self.cause_of(node, tensors[0], one)
                self.at(cause, "tensors on two devices", self.reader.written(node),
                        tensors[0]["device"], one["device"], doubted=doubted,
                        other=self.other_of(cause, *self.cpu_first(one, tensors[0])))
                return
        self.works_on_gpu(node, tensors)

    @staticmethod
    def cpu_first(*things):
        return sorted(things, key=lambda one: one["device"] != "cpu")

    def other_of(self, cause, *things):
        """Where one of them was moved or made, in the module in which the mistake is told."""
        for one in things:
            for key in ("at", "made"):
                if one[key] and one[key][1] == cause[1] and one[key][0] is not cause[0] and \
                        getattr(one[key][0], "lineno", None) != getattr(cause[0], "lineno", None):
                    return one[key][0]
        return None

    def works_on_gpu(self, node, tensors):
        """The first product of matrices on a GPU makes cuBLAS's handle."""
        self.reader.training.works("|".join(t["device"] or "" for t in tensors))
        if any(t["device"] and t["device"].split(":")[0] == "cuda" and "|" not in t["device"] for t in tensors):
            self.reader.variables.begin(node, "cublas", self.reader.written(node))

    def cause_of(self, node, *things):
        """Where what lies on the CPU was made or kept so that no move reaches it."""
        found = [t["cause"] for t in things if t["device"] == "cpu" and t["cause"]]
        return found[0] if found else (node, self.reader.source)

    # ---- statements

    def moves_leaves(self, call):
        """tree_map(lambda leaf: leaf.to(device), batch), of tensors; modules would move in place."""
        if len(call.args) < 2:
            return False
        given = self.reader.find_value(call.args[0])
        body = getattr(getattr(given, "node", call.args[0]), "body", None)
        body = body[0].value if isinstance(body, list) and len(body) == 1 and isinstance(body[0], ast.Return) else body
        text = self.reader.written(body) if isinstance(body, ast.AST) else ""
        leaves = re.search(r"is_tensor|Tensor\b", text) or re.match(r"(\w*_)?(batch|inputs?|samples?|targets?|data)$", self.reader.written(call.args[1]))
        return bool(leaves) and re.search(r"\.(to|cuda|cpu|half|float|bfloat16|pin_memory)\(", text) is not None

    def dropped(self, node, of):
        """A statement that is nothing but a call, whose result would have been what matters."""
        reader = self.reader
        named = reader.find_value(of.value) if isinstance(of, ast.Attribute) and of.attr in TO_BE_CALLED else None
        if isinstance(named, Thing) and named.kind in ("module", "tensor", "optimizer", "scaler"):
            return reader.mistake(of, "a method that is named and not called", reader.written(of))
        function = reader.full(of) if isinstance(of, ast.Attribute) else None
        if function and function.startswith(("torch.cuda.", "torch.distributed.", "torch.mps.", "torch.xpu.")) and \
                reader.given.taken_by(function) is not None and of.attr[:1].islower() and not reader.trying:  # whether a release has it
            return reader.mistake(of, "a method that is named and not called", reader.written(of))
        if not isinstance(of, ast.Call):
            return None
        name = reader.full(of.func)
        constant = bool(of.args) and isinstance(of.args[0],
                                                ast.Constant)  # torch.device(text) alone asks whether it is one
        if name in CONTEXTS and (name != "torch.device" or constant):
            return reader.mistake(of, "a context without with", reader.written(of))
        called = reader.find_value(of.func.value) if isinstance(of.func, ast.Attribute) else None
        if isinstance(called, Thing) and called["prepares"] and reader.libraries.is_dropped(called, of):
            return reader.mistake(of, "a result that is dropped", reader.written(of))
        if isinstance(called, Thing) and called.kind == "scaler" and of.func.attr == "scale":
            return reader.mistake(of, "a result that is dropped", reader.written(of))
        if name in GIVES_BACK or name in MAPS_LEAVES and self.moves_leaves(of):
            return reader.mistake(of, "a result that is dropped", reader.written(of))
        if isinstance(of.func, ast.Attribute) and of.func.attr in MOVES and name is None:
            thing = reader.find_value(of.func.value)
            measured = of.func.attr == "contiguous" and re.search(r"perf_counter|timeit|Event\(|do_bench|time\.time", reader.text)
            if isinstance(thing, Thing) and thing.kind == "tensor" and not measured:
                reader.mistake(of, "a tensor's move that is dropped", reader.written(of))
        return None

    def switch(self, node, name, value):
        return self.reader.training.switch(node, name, value)

    # ---- what only the end shows

    def events_without_timing(self):
        """Events that were recorded beside one that measures time, or whose time is asked for wherever they are kept."""
        reader = self.reader
        timed = {(one["source"], one["inside"]) for one in self.recorded if one["timing"]}
        alone = not timed and not any(one["timing"] is None for one in self.recorded)
        for one in self.recorded if re.search(r"\.elapsed_time\(", reader.text) else ():
            if one["timing"] is False and not one["waited"] and not re.search(r"wait_event\(", reader.text) and \
                    (alone or (one["source"], one["inside"]) in timed):
                self.at((one["node"], one["source"]), "an event that measures no time", reader.written(one["node"]))

    def memory_of_another(self):
        """The current GPU is asked for its memory, and all work is on one other."""
        reader = self.reader
        gpus = {one for one in self.indexed_gpus if one.split(":")[0] != "cpu"}
        if len(gpus) == 1 and re.fullmatch(r"cuda:[1-9]", min(gpus)) and not re.search(
                r"set_device|cuda\.device\(|CUDA_VISIBLE_DEVICES|device_of|device_index", reader.text):
            for node, source in self.asked_current:
                self.at((node, source), "memory of another GPU", reader.written(node), min(gpus))

    def loads_on_the_first(self):
        """Each process loads on the first GPU, though each has a GPU of its own."""
        reader = self.reader
        if self.backend and self.own_gpu and re.search(r"LOCAL_RANK|local_rank", reader.text):
            for node, whole, source, said in self.fixed_loads:
                if not re.search(r"rank\w*(\(\))? *[!=]= *0|is_main|is_master|if not \w*rank|not self\.\w*rank", whole):
                    self.at((node, source), "a load of each process on the first GPU", reader.written(node), said)

    def end(self):
        reader = self.reader
        # A copy that a function makes for several loaders is of use where one of them pins its memory.
        reader.events[:] = [e for e in reader.events if e["subject"] != "script-mistake" or e["name"] != "non_blocking without pinned memory" or (
            e["line"], e.get("source", "")) not in self.also_pinned]
        for scaler in self.scalers:
            if scaler["scales"] is not None and scaler["steps"] is None and not scaler["escaped"]:
                reader.source = scaler["source"]
                reader.mistake(scaler["scales"], "a GradScaler that never steps", reader.written(scaler["scales"]))
        for wrapped in self.parallel:
            place, ids = wrapped["device"], wrapped["ids"]
            reader.source = wrapped["source"]
            if place and "|" not in place and ANY not in place and place.startswith("cuda") and ids and ids[0] is not None:
                if int(place.partition(":")[2] or 0) != ids[0]:
                    reader.mistake(wrapped["node"], "DataParallel on other GPUs than its model",
                                   reader.written(wrapped["node"]), place, doubted=wrapped["option"])
        if self.launched_used and re.search(r"\btorchrun\b", reader.text) and "LOCAL_RANK" not in reader.text and \
                "distributed.launch" not in reader.text and not self.reads_local_rank:
            self.at(self.launched[0], "a local rank that torchrun does not pass", reader.written(self.launched[0][0]))
        # A trainer that the file writes itself sets no epoch for anyone.
        own = [of.name for _, trees in reader.tracing.files for tree in trees for of in ast.walk(tree) if isinstance(of, ast.ClassDef) and not any(
            reader.written(base) != "object" for base in of.bases)] if self.samplers else []
        text = re.sub(r"\b(%s)\(" % "|".join(own), "", reader.text) if own else reader.text
        if self.samplers and not re.search(r"set_epoch|prepare\(|Trainer\(|set_seed\(|Fabric\(", text) and \
                re.search(r"for (\w*epoch\w*|ep|e) in ", reader.text) and not reader.loaded:
            loop = next((one for _, trees in reader.tracing.files for tree in trees for one in ast.walk(tree) if isinstance(
                one, ast.For) and re.match(r"\w*epoch\w*$|ep$|e$", reader.written(one.target))), None)
            trains = ".backward(" in reader.text or loop is not None and any(isinstance(one, ast.For) for one in ast.walk(loop) if one is not loop)
            if trains and (loop is None or reader.written(loop.iter) not in ("range(1)", "range(0, 1)")):  # one epoch has one order
                self.at(self.samplers[0], "a sampler that shuffles alike in all epochs", reader.written(self.samplers[0][0]),
                        other=loop.iter if loop is not None else None)
        self.events_without_timing()
        self.memory_of_another()
        self.loads_on_the_first()
        kinds = {kind for _, _, kind, _ in self.autocasts}
        if kinds == {"cpu"} and self.to_gpu and not self.to_cpu and not self.module_on_cpu:
            for node, source, _, chosen in self.autocasts:
                if not chosen:
                    self.at((node, source), "autocast of the CPU around work of the GPU", reader.written(node))
        # A device of either kind that nothing uses says as well that the script is to run without a GPU.
        either = re.search(r"['\"]cuda(:\d+)?['\"] if torch\.cuda\.is_available\(\) else\s*(torch\.device\()?['\"]cpu['\"]",
                           reader.text) and not re.search(r"\.cuda\(|(to\(|device=)['\"]cuda", reader.text)
        if (self.to_either or either) and self.needs_gpu:
            node, reader.source = self.needs_gpu[0]
            reader.mistake(node,
                           "a call that needs a GPU in a script that does without",
                           reader.written(node),
                           doubted=True)
        if (self.to_either or self.to_cpu and not self.to_gpu and not self.maps) and not self.saves:
            for node, path, source in self.loads:
                reader.source = source
                reader.path = path
                reader.mistake(node, "torch.load without map_location", reader.written(node), doubted=True)
                reader.path = ()
