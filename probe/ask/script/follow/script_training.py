"""The order of training's steps: gradients that are scaled, optimizers, seeds, settings that can be made only once."""

# Calls that raise when they come a second time: what makes it right.
ONCE = {
    "torch.set_num_interop_threads": "Call it once, at the beginning of the program.",
    "torch.multiprocessing.set_start_method": "Call it once, or with force=True.",
    "multiprocessing.set_start_method": "Call it once, or with force=True.",
    "torch.distributed.init_process_group": "Call it once, or destroy_process_group() before.",
}
# What such a call must come before: calls that use what it sets, the form that must stand in the file, and one that must not.
# torch.jit.fork starts threads in TorchScript alone; a context that is named leaves the default one as it was.
USED_BEFORE = {
    "torch.set_num_interop_threads": (re.compile(r"torch\.jit\._?fork$"), re.compile(r"jit\.(script|trace)\b"), None),
    "multiprocessing.set_start_method":
    (re.compile(r"(torch\.)?multiprocessing\.(\w*Queue|Event|R?Lock|Value|Array|Manager|Pool|Barrier|\w*Semaphore|Condition|"
                r"get_context|get_start_method)$"), re.compile("set_start_method"), re.compile(r"get_context\([^)]|allow_none")),
}
CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad_norm",
         "torch.nn.utils.clip_grad.clip_grad_norm_", "torch.nn.utils.clip_grad.clip_grad_value_")
# Switches under torch.backends that take True or False alone, not 1, 0 or a text.
SWITCHES = re.compile(
    r"torch\.backends\.(cudnn\.(enabled|benchmark|deterministic|allow_tf32)|cuda\.matmul\.allow_\w+)$")
# What a script may import that opens no group of processes.
OPENS_NO_GROUP = frozenset("torch numpy os sys time math random argparse logging json typing datetime pathlib functools itertools "
                           "collections dataclasses contextlib warnings __future__".split())
PRECISION_SWITCHES = re.compile(r"torch\.backends\.(\w+\.)*fp32_precision$")
# Calls that take True or False: the argument's name.
TRUTHS = {
    "torch.use_deterministic_algorithms": "mode",
    "torch.backends.cuda.enable_flash_sdp": "enabled",
    "torch.backends.cuda.enable_math_sdp": "enabled",
    "torch.backends.cuda.enable_mem_efficient_sdp": "enabled",
    "torch.backends.cuda.enable_cudnn_sdp": "enabled"
}
# Of torch._dynamo.list_backends(None) of PyTorch 2.15, and of packages that add some; and names that are none.
BACKENDS_OF_COMPILE = ("inductor eager eager_noexcept aot_eager aot_ts cudagraphs onnxrt openxla openxla_eval tvm ipex "
                       "tensorrt torch_tensorrt hpu_backend neuron openvino npugraph_ex").split()
NO_BACKENDS = ("cuda", "gpu", "cpu", "triton", "torchscript", "jit", "fx", "default", "xla", "reduce-overhead",
               "max-autotune", "cublas", "cudnn")
SETS_AUTOCAST = re.compile(r"set_autocast_(gpu_)?dtype")
# Where a script decides by itself what has a gradient, and modules whose results have none.
DECIDES_GRADIENTS = re.compile(r"requires_grad|set_grad_enabled|no_grad\b(?!\(\))|inference_mode\b(?!\(\))")
NO_GRADIENTS = re.compile(r"no_grad|inference_mode|argmax|sample|long\(|detach")
HOLDS_NUMBERS = re.compile(r"Linear|Conv|LSTM|GRU|Parameter|Embedding|register_|Norm|Attention|Transformer|RNN|Buffer")
MULTIPLIES = re.compile(r"Linear|Conv|LSTM|GRU|matmul|@")
# What draws numbers takes a torch.Generator, and no seed.
DRAWS = re.compile(
    r"torch\.(rand|randn|randint|randperm|normal|bernoulli|multinomial|utils\.data\.(random_split|DataLoader|"
    r"RandomSampler|dataset\.random_split))$")
# Members that every module has, whatever wraps it.
MODULE_MEMBERS = (
    "forward train eval to cuda cpu parameters named_parameters modules named_modules children named_children "
    "buffers named_buffers state_dict load_state_dict zero_grad half float double bfloat16 apply register_buffer "
    "training requires_grad_ module device no_sync join add_module register_parameter type share_memory "
    "get_parameter get_submodule get_buffer extra_repr device_ids output_device dim logger reducer "
    "compile ipu xpu register_forward_hook register_module register_comm_hook to_empty").split()
# What puts other parameters in the place of those that a model has, or adds some.
REPLACES = {
    "torch.distributed.fsdp.FullyShardedDataParallel": "shards the parameters into others",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel": "shards the parameters into others",
    "torch.distributed.fsdp.fully_shard": "shards the parameters into others",
    "torch.distributed._composable.fsdp.fully_shard": "shards the parameters into others",
    "torch.distributed.tensor.parallel.parallelize_module": "shards the parameters into others",
    "peft.get_peft_model": "freezes the parameters and adds new ones",
}
SEEDS = ("torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "torch.random.manual_seed")
LIBRARY_SEEDS = re.compile(r"(lightning|pytorch_lightning|transformers|accelerate)\b.*\.(seed_everything|set_seed)$")
# What makes the memory that a CUDA graph reads.
# Contexts in which results have gradients as outside, and in which numbers are not converted.
KEEP_GRADIENTS = ("torch.autocast", "torch.amp.", "torch.cuda.", "torch.profiler.", "torch.enable_grad", "time.",
                  "warnings.", "torch.device")
KEEP_NUMBERS = ("torch.no_grad", "torch.inference_mode", "torch.cuda.stream", "torch.profiler.", "torch.cuda.device",
                "torch.set_grad", "torch.enable_grad", "time.", "warnings.", "torch.device")
CLOCKS = ("time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer", "time.perf_counter_ns",
          "time.time_ns")
# What asks a GPU's tensor for its value, so that it waits; written anywhere between two readings of the clock.
WAITS = re.compile(
    r"synchronize|\.item\(|\.cpu\(|\.tolist\(|numpy|\b(?:p?print|float|int|bool)\(|barrier|allclose|equal\(|"
    r"wait|elapsed_time\(|nonzero|\.any\(|\.all\(|loader|profile|\.to\(|masked_select|unique|sync|"
    r"log(?!its|_softmax|_prob|sumexp|addexp|sigmoid)|\b[fF]r?[\"']")


def reached(first, later):
    """Whether what stands on the first path has surely run before what stands on the later one, which runs as well."""
    return later[:len(first)] == first and not any(step[-1:] in "abcehij" and step[:1].isdigit()
                                                   for step in later[len(first):])


class Training:
    def __init__(self, reader):
        self.reader = reader
        self.once = {}  # calls that may come once: [(node, path, source)]
        self.used = {}  # what uses the setting of such a call before it: [(node, path, source)]
        self.steps = []  # what becomes of scaled gradients: (what, scaler, optimizer, node, path, source)
        self.backwards = []  # loss.backward() that goes by no library
        self.scales = []  # Accelerator(…) and Fabric(…) that scale: (what to write, node, path, source)
        self.accelerate_scales = False  # accelerate scales the loss for float16
        self.asked_backward = [
        ]  # Accelerator(…) and Fabric(…) that want it: (why and what to write, node, path, source)
        self.whole_backward = False  # their own backward is called
        self.settings = {}  # torch.backends.cudnn.benchmark and the like: (value, node, path, source)
        self.clocks = {}  # readings of a clock: how much the GPU had been given by then
        self.given = 0  # how often the GPU was given work
        self.drawn = None  # the first module whose weights were drawn
        self.seeded = False
        self.said = {}  # forms that were looked for in the script or in a class: whether they stand there
        self.autocasts = []  # on a GPU: (node, source, path, kind of number)
        self.gpu_casts = []  # of the contexts around: whether autocast is surely on for the GPU
        self.casts = 0  # contexts that convert numbers, or may
        self.files = {}  # that the script writes: what is in them
        self.early, self.opened = [], False  # calls before a group of processes is open
        self.loops = 0  # that are being read
        self.depths = {}  # of these steps: how many loops are around
        self.round = set()  # steps of scalers in a loop
        self.without = 0  # contexts in which nothing has a gradient

    def here(self, node):
        return node, self.reader.path, self.reader.source

    # ---- calls

    def call(self, node, name, values, words):
        if name in ONCE:
            self.comes_once(node, name, words)
        for late, (uses, where, never) in USED_BEFORE.items():
            if uses.match(name) and self.says(where) and not (never and self.says(never)):
                self.used.setdefault(late, []).append(self.here(node))
        if name == "torch.distributed.destroy_process_group":
            self.once.pop("torch.distributed.init_process_group", None)
        self.kinds(node, name, values, words)
        self.needs_group(node, name)
        if name in SEEDS or LIBRARY_SEEDS.match(name):
            self.seeds(node, name)
        if name in CLIPS:
            self.steps.append(("clip", None, None) + self.here(node))
        if name in REPLACES:
            self.replaced(node, values[0] if values else words.get("module", words.get("model")), REPLACES[name], name)

    def kinds(self, node, name, values, words):
        """Settings that take a truth value, a kind of number or a generator."""
        def at(place, word):
            return values[place] if place < len(values) else words.get(word)

        if name in ("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast",
                    "torch.amp.autocast_mode.autocast"):
            self.half_begins(node, name, values, words)
        if SWITCHES.match(name):
            self.other_kind(node, "it is True or False, and no function", "Write %s = True." % name)
        self.workers_alike(node, words)
        for word in ("worker_init_fn", "collate_fn"):
            said = self.reader.keyword_of(node, word)
            if said is not node and isinstance(said, ast.Call) and name.endswith("DataLoader"):
                of = self.reader.find_value(said.func)
                if isinstance(of, Function) and not isinstance(of.node, ast.Lambda) and not any(
                        isinstance(one, (ast.Return, ast.Yield)) and one.value is not None
                        for one in ast.walk(of.node)):
                    self.reader.mistake(said, "a function's result where the function belongs",
                                        "%s=%s" % (word, self.reader.written(said)),
                                        "%s=%s" % (word, self.reader.written(said.func)))
        if name in TRUTHS:
            of = at(0, TRUTHS[name])
            if isinstance(of, Text) and isinstance(of.value, str):
                self.other_kind(node, "it takes True or False, and no text", "Write %s(True)." % name)
        if name == "torch.nn.attention.sdpa_kernel" and isinstance(at(0, "backends"), Text) and isinstance(
                at(0, "backends").value, str):
            self.other_kind(node, "it takes an SDPBackend, and no text", "Write SDPBackend.FLASH_ATTENTION.")
        if name == "torch.compile":
            backend = text_of(words.get("backend"))
            near = difflib.get_close_matches(backend or "", BACKENDS_OF_COMPILE, 1, 0.8)
            if backend and backend not in BACKENDS_OF_COMPILE and (near or backend in NO_BACKENDS) and \
                    "register_backend" not in self.reader.text:
                self.other_kind(node, "there is no backend '%s'" % backend, "Write backend='%s'." % (near or ["inductor"])[0])
        if name.startswith("torch.distributed.") and name.rsplit(".", 1)[-1] in ("all_reduce", "broadcast", "reduce") and \
                is_number(at(0, "tensor")):
            self.other_kind(node, "it takes a tensor, and no number", "Write torch.tensor(…, device='cuda').")
        if name == "torch.set_default_dtype":
            of = at(0, "d")
            whole = isinstance(of, Name) and re.match(r"torch\.(u?int\d*|long|short|bool)$", of.full)
            if whole or isinstance(of, Text) and isinstance(of.value, str):
                self.other_kind(node, "it takes a kind of floating-point number",
                                "Write torch.float32 or torch.bfloat16.")
        kind = at(0, "t") if name == "torch.set_default_tensor_type" else None
        if isinstance(kind, Text) and isinstance(kind.value, str) and \
                not re.match(r"torch\.(\w+\.)?\w+Tensor$", kind.value):
            self.other_kind(node, "it takes the name of a kind of tensor", "Write torch.set_default_device('cuda').")
        if name in ("torch.set_num_threads", "torch.set_num_interop_threads"):
            of = at(0, "nthreads")
            if isinstance(of, Text) and type(of.value) is int and of.value < 1 or isinstance(of, Text) and isinstance(
                    of.value, str):
                self.other_kind(node, "it takes a whole number from 1 on", "Write %s(os.cpu_count())." % name)
        if name == "torch.cuda.set_per_process_memory_fraction":
            of = at(0, "fraction")
            if isinstance(of, Text) and (isinstance(of.value, str) or is_number(of) and not 0 <= of.value <= 1):
                self.other_kind(node, "it takes a fraction between 0 and 1", "Write 0.5 for the half.")
        if name in SEEDS and isinstance(at(0, "seed"), Text) and at(0, "seed").value is None:
            self.other_kind(node, "None is no seed", "Write a whole number.")
        if name == "numpy.random.seed" and isinstance(at(0, "seed"), Text) and type(at(0, "seed").value) is int and \
                not 0 <= at(0, "seed").value < 2 ** 32:
            self.other_kind(node, "NumPy takes seeds from 0 to 2**32 - 1", "Write seed % 2**32.")
        if name == "numpy.random.seed" and node.args and re.fullmatch(r"torch\.initial_seed\(\)( \+ \w+)?",
                                                                      self.reader.written(node.args[0])):
            self.reader.mistake(node, "a seed that NumPy doesn't take", self.reader.written(node))
        if DRAWS.match(name) and "generator" in words and is_number(words["generator"]):
            self.other_kind(self.reader.keyword_of(node,
                                                   "generator"), "generator= takes a torch.Generator, and no seed",
                            "Write generator=torch.Generator().manual_seed(…).")
        if name.startswith("torch.distributed.") and name.rsplit(".", 1)[-1] in COLLECTIVES and isinstance(
                words.get("op"), Text) and isinstance(words["op"].value, str):
            self.other_kind(node, "op= takes one of ReduceOp", "Write op=torch.distributed.ReduceOp.SUM.")
        if name in ("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast") and isinstance(
                words.get("dtype"), Text) and isinstance(words["dtype"].value, str):
            self.other_kind(node, "dtype= takes a kind of number, and no text", "Write dtype=torch.float16.")
        if name == "torch.compile":
            mode, options = words.get("mode"), words.get("options")
            if isinstance(mode, Text) and mode.value and isinstance(options, Thing) and options.kind == "mapping":
                self.other_kind(node, "mode and options exclude each other", "Keep one of them.")
        if name == "torch.distributed.init_process_group":
            where = at(1, "init_method")
            said = text_of(where)
            if said and (said.startswith("tcp://") and not re.search(r":\d+$", said) or "://" not in said):
                self.other_kind(node, "init_method lacks its %s" % ("port" if "://" in said else "kind, as 'tcp://'"),
                                "Write init_method='tcp://HOST:PORT', or 'env://'.")
        if name.startswith("torch.optim.") and all(
                isinstance(words.get(w), Text) and words[w].value is True for w in ("fused", "foreach")):
            self.other_kind(node, "fused and foreach exclude each other", "Keep one of them.")

    def workers_alike(self, node, words):
        """worker_init_fn=…, which seeds each worker with one number: all of them draw the same."""
        of, workers = words.get("worker_init_fn"), words.get("num_workers")
        if isinstance(of, Function) and isinstance(of.node, ast.Lambda):
            for one in ast.walk(of.node):
                if isinstance(one, ast.Call) and re.search(r"(np|numpy)\.random\.seed$", self.reader.written(one.func)) and one.args and re.fullmatch(
                        r"torch\.initial_seed\(\)( \+ \w+)?", self.reader.written(one.args[0])):
                    return self.reader.torch.at((one, of.file), "a seed that NumPy doesn't take", self.reader.written(one))
        hidden = isinstance(of, Bound) or isinstance(of, Thing) and bool(of["class"])  # self stands before the worker's number
        if isinstance(of, Bound):
            of = of.value
        elif isinstance(of, Thing):
            of = of["of"] if of.kind == "partial" else of["class"].method("__call__") if of["class"] else None
        if not isinstance(of, Function) or not isinstance(of.node, ast.FunctionDef) or len(of.node.args.args) <= hidden or isinstance(
                workers, Text) and workers.value in (0, 1):
            return
        name, seeds = of.node.args.args[int(hidden)].arg, []
        for one in ast.walk(of.node):
            if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load):
                return
            if isinstance(one, ast.Call) and re.search(r"(^|\.)(seed|manual_seed)$", self.reader.written(one.func)):
                seeds.append(one)
        if seeds and all(one.args and isinstance(one.args[0], (ast.Constant, ast.Name, ast.Attribute, ast.Subscript)) and not one.keywords
                         for one in seeds) and not re.search(r"initial_seed|get_worker_info|getpid|urandom|time\(",
                                                             self.reader.written_whole(of.node)):
            self.reader.torch.at((seeds[0], of.file), "workers that are seeded alike", self.reader.written(seeds[0]),
                                 other=node if of.file == self.reader.source else None)

    def half_begins(self, node, name, values, words):
        """autocast on a GPU in float16, which is its kind where none is given."""
        own = name.startswith("torch.cuda")
        where = None if own else values[0] if values else words.get("device_type")
        kind = words.get("dtype", None if own else values[1] if len(values) > 1 else None)
        on = words.get("enabled", values[0] if own and values else Text(True))
        gpu = own or text_of(where) == "cuda"
        if not gpu or not (isinstance(on, Text) and on.value is True) or None in words or kind is None and (
                "dtype" in words or len(values) > 1) or self.says(SETS_AUTOCAST):
            return
        said = number_of(kind) if kind is not None else "float16"
        self.autocasts.append((node, self.reader.source, self.reader.path, said))

    def other_kind(self, node, why, instead):
        self.reader.mistake(node, "a setting of another kind", self.reader.written(node), why, instead)

    def switch(self, node, name, value):
        """torch.backends.cudnn.benchmark = …"""
        said = value.value if isinstance(value, Text) else self
        if said is self:
            self.settings.pop(name, None)
            return
        self.settings[name] = (said, ) + self.here(node)
        function = name.startswith("torch.") and name.rsplit(".", 1)[-1][:1].islower()
        if function and self.reader.given.takes.get("#" + name) and \
                isinstance(said, (bool, int, float, str)):
            self.reader.mistake(node, "a function that is assigned", name, repr(said))
        if SWITCHES.match(name) and not isinstance(said, bool) and not name.endswith("accumulation"):
            self.other_kind(node, "it takes True or False alone, not %r" % (said, ), "Write %s = True." % name)
        if PRECISION_SWITCHES.match(name) and said not in ("ieee", "tf32", "bf16", "none"):
            self.other_kind(node, "it takes 'ieee', 'tf32', 'bf16' or 'none', not %r" % (said, ),
                            "Write 'tf32' or 'ieee'.")

    # ---- seeds and clocks

    def draws(self, node):
        """The weights of a module are drawn when it is made."""
        if self.drawn is None:
            self.drawn = self.here(node) + (tuple(self.reader.calls), )

    def seeds(self, node, name):
        """The first seed of a script that seeds all there is comes after a model whose weights were drawn."""
        reader = self.reader
        first, self.seeded = not self.seeded, True
        # A number that somebody chooses by this name is to repeat a run.
        named = node.args and re.fullmatch(r"(\w+\.)*(seed|SEED)|\w+\[['\"]seed['\"]\]", reader.written(node.args[0]))
        means = named or LIBRARY_SEEDS.match(name) or reader.inside and re.search(r"seed|determin|reprod|random",
                                                                         reader.inside[-1].name, re.I) or re.search(
                                                                             r"\brandom\.seed\(", reader.text)
        if not first or not means or self.drawn is None or re.search(
                r"load_state_dict|from_pretrained|weights=|pretrained=True",
                reader.text) or not re.search(r"\.backward\(|\.fit\(|\.train\(", reader.text):
            return
        at, path, source, calls = self.drawn
        if reached(path, reader.path) and not any(step[:1] in "ucp" for step in reader.path):
            seed, node = node, reader.calls[0][0] if reader.calls and reader.calls[0][1] is None else node
            for one, other in zip(reader.calls, calls + (None, ) * len(reader.calls)):
                if other is None or one[0] is not other[0]:
                    node = one[0] if one[1] == reader.source or one[1] is None else node
                    break
            else:  # both stand in one function
                node = seed
            reader.torch.at((node, None if reader.calls else reader.source),
                            "a seed behind the weights",
                            reader.written(node),
                            "line %s" % getattr(at, "lineno", "?"),
                            other=at if source is None else None)

    def reads_clock(self, node, name):
        if self.reader.at_the_edge:  # of a with: what it holds may wait, and other rules read the timers of classes
            return Thing("number")
        self.clocks[id(node)] = self.given
        return Thing("number", clock=node, source=self.reader.source)

    def works(self, place):
        if "cuda" in (place or ""):
            self.given += 1

    def elapsed(self, node, end, start):
        """clock() - start, where the GPU may still be at work."""
        reader = self.reader
        ends = [v["clock"] if isinstance(v, Thing) and v.kind == "number" else None for v in (start, end)]
        if None in ends or start["source"] != end["source"] or ends[0] is ends[1]:
            return
        given = self.clocks.get(id(ends[0])), self.clocks.get(id(ends[1]))
        first, last = ends[0].lineno, ends[1].lineno
        if None in given or given[0] == given[1] or first >= last or reader.source or getattr(
                ends[0], "cell", None) != getattr(ends[1], "cell", None):
            return
        between = "\n".join(reader.text.split("\n")[first:last])
        if not reader.cell and not WAITS.search(between) and not self.called_waits(first, last) and not self.left_to_the_cpu(first):
            reader.mistake(ends[1], "a clock that doesn't wait for the GPU", reader.written(ends[1]), other=ends[0])

    def left_to_the_cpu(self, line):
        """if device.type == "cuda": …; return, above the line: what follows runs without a GPU."""
        body = getattr(self.reader.inside[-1].node, "body", None) if self.reader.inside else None
        return isinstance(body, list) and any(
            isinstance(one, ast.If) and one.lineno < line and isinstance(one.body[-1], (ast.Return, ast.Raise)) and
            re.search(r"(?i)cuda|gpu", self.reader.written(one.test)) and not re.search(r"\bnot\b|!=", self.reader.written(one.test)) for one in body)

    def called_waits(self, first, last):
        """Whether a function of the script that is called between these lines may wait."""
        between = "\n".join(self.reader.text.split("\n")[first:last])
        for function, _ in self.reader.functions:
            if re.search(r"\b%s\(" % re.escape(function.name), between) and \
                    WAITS.search(self.reader.written_whole(function.node)):
                return True
        return False

    def compared_alone(self, node):
        """torch.backends.cudnn.benchmark == False, as a statement: nothing is set."""
        of = node.value
        if isinstance(of, ast.Compare) and len(of.ops) == 1 and isinstance(of.ops[0], ast.Eq):
            name = self.reader.full(of.left) or ""
            subscript = isinstance(of.left, ast.Subscript) and self.reader.full(of.left.value) == "os.environ"
            if subscript or name.startswith(("torch.backends.", "jax.config.")):
                self.reader.mistake(node, "a comparison where something is to be set", self.reader.written(of),
                                    self.reader.written(of.left))

    def begins_workers(self, node, loader):
        """for batch in loader, whose workers take the default way of starting processes, which is fixed from then on."""
        late = "multiprocessing.set_start_method"
        _, where, never = USED_BEFORE[late]
        if node is not None and loader["workers"] and self.says(where) and not self.says(never):
            node, path, source = self.here(node)  # the loops around it are meant to run
            self.used.setdefault(late, []).append((node, tuple(step for step in path if step[-1:] != "l"), source))

    def comes_once(self, node, name, words):
        reader, key = self.reader, name.replace("torch.multi", "multi")
        forced = words.get("force")
        if "force" in words and not (isinstance(forced, Text) and not forced.value):
            return
        if reader.trying or reader.guarded:
            return
        for at, path, source in self.once.get(key, ()):
            if reached(path, reader.path) and not any(step[:1] == "p" for step in reader.path):
                before = at if source == reader.source and at is not node else None
                reader.mistake(node,
                               "a call that may come only once",
                               reader.written(node),
                               "line %s" % getattr(at, "lineno", "?"),
                               ONCE[name],
                               other=before)
                return
        self.once.setdefault(key, []).append(self.here(node))
        for at, path, source in self.used.get(key, ()):
            if reached(path, reader.path):
                reader.mistake(node, "a setting of what is in use", reader.written(node), reader.written(at),
                               "line %s" % getattr(at, "lineno", "?"), other=at if source == reader.source else None)
                return

    def replaced(self, node, of, how, name):
        """The optimizer was made of the parameters that the model had before."""
        if isinstance(of, Thing) and isinstance(of["of"], Thing) and of["parallel"]:
            of = of["of"]
        reader = self.reader
        if not isinstance(of, Thing) or of.kind != "module":
            return
        for optimizer, path in reader.torch.optimizers:
            if of in (optimizer["of"], optimizer["groups_of"]) and reader.path[: len(path)] == path and not optimizer["replaced"] and \
                    not exclusive(path, reader.path):
                optimizer.state["replaced"] = True
                made = optimizer["calls"]  # what the same function calls before is told there
                at, source = next((one for one, other in zip(made, reader.calls + [None])
                                   if other is None or one[0] is not other[0]), made[-1])
                reader.torch.at((at, source), "an optimizer of parameters that are replaced", reader.written(at),
                                name.rsplit(".", 1)[-1] + "()", how,
                                other=node if source == reader.source else None)

    # ---- files of weights

    def key_of(self, node, value):
        """By what a file is known: its name, or the expression that gives it."""
        said = form_of(value)
        return said if is_form(value) and UNKNOWN not in said else self.reader.written(node)

    def saves(self, node, values, words):
        where = node.args[1] if len(node.args) > 1 else self.reader.keyword_of(node, "f")
        if not values or where is node:
            return
        of = values[1] if len(values) > 1 else words.get("f")
        what = values[0]
        if isinstance(what, Thing) and what.kind == "mapping":
            what = Thing("mapping")
            what.attributes.update(values[0].attributes)
        self.files[self.key_of(where, of)] = what, node, self.reader.source

    def loaded(self, node, values, words):
        """What torch.load gives of a file that this script has written; a whole model only with weights_only=False."""
        reader = self.reader
        if not node.args or reader.torch.spread(node):
            return None
        what, at, source = self.files.get(self.key_of(node.args[0], values[0] if values else None), (None, ) * 3)
        held = list(what.attributes.values()) if isinstance(what, Thing) and what.kind == "mapping" else [what]
        only = words.get("weights_only", Text(True))
        whole = [
            one for one in held if isinstance(one, Thing) and one.kind in ("module", "optimizer") and not one["metric"]
        ]
        if whole and isinstance(only, Text) and only.value is True and not re.search(
                r"safe_globals|pickle_module", reader.text) and not reader.pinned_for("torch"):
            reader.mistake(node,
                           "a whole model that is loaded as weights",
                           reader.written(node),
                           other=at if source == reader.source else None)
        if isinstance(what, Thing) and what.kind == "state-dict":
            return what
        if isinstance(what, Thing) and what.kind == "mapping" and any(
                isinstance(one, Thing) and one.kind == "state-dict" for one in held):
            made = Thing("mapping", path=reader.path)
            made.attributes.update({
                name: one
                for name, one in what.attributes.items() if isinstance(one, Thing) and one.kind == "state-dict"
            })
            return made
        return None

    def loads_state(self, node, module, state, values, words):
        """model.load_state_dict(…) of a state whose names begin with "module.", or that lacks it."""
        strict = words.get("strict", values[1] if len(values) > 1 else Text(True))
        if isinstance(state, Thing) and state.kind == "module":
            return self.other_kind(node, "it takes a state, and this is a module",
                                   "Write load_state_dict(….state_dict()).")
        if not isinstance(state,
                          Thing) or state.kind != "state-dict" or module["hf"] or module["metric"] or not isinstance(
                              strict, Text) or not strict.value or re.search(
                                  r"module\.['\"]|removeprefix|consume_prefix", self.reader.text):
            return None
        known = module["made"] or module["class"] or module["hides"]
        if bool(state["hides"]) != bool(module["hides"]) and known and \
                not (module["parallel"] and not module["hides"]):
            why = "the state's names begin with 'module.', and the model's don't" if state["hides"] else \
                "the model's names begin with 'module.', and the state's don't"
            self.reader.mistake(node, "a state of a wrapped model", self.reader.written(node), why)
        return None

    @staticmethod
    def inner(owner):
        """ddp.module: what is moved is both, and its state has no prefix."""
        if not owner["hides"]:
            return owner
        made = owner["inner"] or Thing("module")
        made.state.update(owner.state, hides=None, inner=None, outer=owner)
        made.attributes = owner.attributes
        owner.state["inner"] = made
        return made

    def wrapped_member(self, node, owner):
        """ddp.encode(…): what wraps a module has not its members."""
        of = owner["of"]
        inner = getattr(node.value, "attr", "") == "module"
        if not owner["hides"] or not isinstance(of, Thing) or not of["class"] or inner or \
                not isinstance(node.ctx, ast.Load) or \
                node.attr in owner.attributes:
            return
        method = of["class"].method(node.attr)
        own = method is not None or node.attr in of.attributes
        if own and not node.attr.startswith("__") and node.attr not in MODULE_MEMBERS and not self.reader.guarded and \
                not self.reader.trying:
            self.reader.mistake(node, "a member of a wrapped model", self.reader.written(node), owner["hides"],
                                self.reader.written(node.value) + ".module." + node.attr)

    # ---- groups of processes

    def needs_group(self, node, name):
        """dist.get_rank() before the group is opened."""
        reader, last = self.reader, name.rsplit(".", 1)[-1]
        if last == "init_process_group":
            for at, path, source, how in self.early[:1]:
                # What stands on the file's own level runs before any function that nobody calls.
                own = not path and source is None and ".backward(" in reader.text
                if reached(path, reader.path) and (own or not any(step[:1] in "ucp" for step in reader.path[len(path):])) and not re.search(
                        r"is_initialized|init_device_mesh|Accelerator\(|init_distributed|Fabric\(|PartialState",
                        reader.text):
                    reader.torch.at((at, source),
                                    "a group of processes that is not open yet",
                                    how,
                                    "line %s" % getattr(node, "lineno", "?"),
                                    other=node if source == reader.source else None)
            self.opened = True
        elif not self.opened and not reader.trying and not reader.guarded and not reader.deciding and (
                name.startswith("torch.distributed.") and last in COLLECTIVES +
            ("get_rank", "get_world_size", "barrier", "new_group")
                or last == "DistributedDataParallel" and name.startswith("torch.nn.") or last == "DistributedSampler" and name.startswith(
                    "torch.utils.data.") and len(node.args) < 2 and not any(k.arg in ("num_replicas", "rank", None) for k in node.keywords)):
            self.early.append((node, reader.path, reader.source, reader.written(node)))

    # ---- gradients

    def enters_another(self, node, harmless):
        """Whether this `with` enters a context whose name begins like none of these."""
        for item in node.items:
            call = item.context_expr
            name = self.reader.full(call.func) if isinstance(call, ast.Call) else None
            plain = getattr(getattr(call, "func", None), "id", "") in ("open", "tqdm")
            if not plain and not (name or "").startswith(harmless):
                return True
        return False

    def without_gradient(self, node):
        """Whether nothing has a gradient in this `with`, or what it does can't be known."""
        return self.enters_another(node, KEEP_GRADIENTS)

    def converts_numbers(self, node):
        """Whether autocast is on in this `with`, or what it does can't be known."""
        on = [one for one in node.items if not (isinstance(one.context_expr, ast.Call) and (self.reader.full(one.context_expr.func) or "").endswith(
            ".autocast") and any(k.arg == "enabled" and getattr(k.value, "value", None) is False for k in one.context_expr.keywords))]
        return self.enters_another(ast.With(items=on, body=[]), KEEP_NUMBERS)

    def autocast_of_gpu(self, node):
        """Whether this `with` surely turns autocast on for the GPU (True), or off (False); None: neither."""
        for item in node.items:
            call = item.context_expr
            name = self.reader.full(call.func) if isinstance(call, ast.Call) else None
            if name in ("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast"):
                on = next((k.value for k in call.keywords if k.arg == "enabled"), None)
                where = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "device_type"), None)
                gpu = name.startswith("torch.cuda") or getattr(where, "value", None) == "cuda"
                return gpu and on is None and not (name.startswith("torch.cuda") and call.args)
        return None

    def unsafe(self, node):
        """Binary cross entropy of probabilities, which autocast refuses on a GPU."""
        if self.gpu_casts and self.gpu_casts[-1]:
            self.reader.mistake(node, "a loss that autocast refuses", self.reader.written(node))

    def has_gradient(self, module):
        """Whether what a module gives surely has one: it may be asked for numpy() only without."""
        reader = self.reader
        if self.without or module["weightless"] or module["loss"] or module["stranger"] or module["metric"] or \
                any(step[:1] in "uc" for step in reader.path):
            return False
        if reader.loaded or self.says(DECIDES_GRADIENTS):
            return False
        of = module["class"]
        return not of or of.method("forward") is not None and not self.class_says(of, NO_GRADIENTS)

    def says(self, form):
        """Whether this stands in the script; each form is looked for once."""
        if form not in self.said:
            self.said[form] = bool(form.search(self.reader.text))
        return self.said[form]

    def class_says(self, of, form):
        if (of, form) not in self.said:
            self.said[of, form] = bool(form.search(self.reader.written_whole(of.node)))
        return self.said[of, form]

    # ---- methods

    def method(self, node, thing, attribute, values, words):
        reader = self.reader
        if isinstance(thing, Thing) and thing.kind == "scaler":
            self.of_scaler(node, thing, attribute, values, words)
        elif isinstance(thing, Thing) and thing.kind == "optimizer" and attribute == "step":
            self.steps.append(("plain step", None, thing) + self.here(node))
            of = thing["of"]
            if self.accelerate_scales and self.whole_backward and isinstance(of, Thing) and of["prepared"] and not thing["prepared"] and \
                    not thing["escaped"]:
                reader.mistake(node, "a step of an optimizer that accelerate doesn't know", reader.written(node),
                               other=of["prepared"])
        elif attribute == "backward" and isinstance(thing, Thing) and thing.kind in ("accelerator", "trainer"):
            self.whole_backward = True
        elif attribute == "backward" and not (isinstance(thing, Thing) and thing["scaled"]):
            self.backwards.append((thing, ) + self.here(node))
        elif isinstance(thing, Thing) and thing.kind == "event":
            self.of_event(node, thing, attribute, values)
        elif attribute == "manual_seed" and isinstance(thing,
                                                       Thing) and thing.kind == "generator" and values and isinstance(
                                                           values[0], Text) and not isinstance(values[0].value, int):
            self.other_kind(node, "a generator's seed is a whole number", "Write int(…).")
        elif attribute in ("to", "contiguous", "clone") and isinstance(thing, (Thing, Bound)):
            for word in ("memory_format", "dtype"):
                if isinstance(words.get(word), Text) and isinstance(words[word].value, str) and self.is_of_torch(thing):
                    self.other_kind(node, "%s= takes an object, and no text" % word,
                                    "Write torch.%s." % words[word].value)
        elif attribute in ("resize_token_embeddings", "to_empty") and isinstance(thing,
                                                                                 Thing) and thing.kind == "module":
            self.replaced(node, thing, "makes other parameters", "." + attribute)
        return None

    def of_event(self, node, event, attribute, values):
        """start.elapsed_time(end) of events that measure nothing, or that the GPU has not reached yet."""
        torch = self.reader.torch
        if attribute == "record":
            event.state["recorded"] = torch.copies_done
            event.state["recorded_at"] = node.lineno, self.reader.inside[-1] if self.reader.inside else None
            torch.recorded.append(event)
        if attribute in ("wait", "synchronize", "query"):
            event.state["waited"] = True
        if attribute != "elapsed_time":
            return
        other = values[0] if values and isinstance(values[0], Thing) and values[0].kind == "event" else None
        for one in [event] + ([other] if other else []):
            if one["timing"] is False:
                return torch.at((one["node"], one["source"]),
                                "an event that measures no time",
                                self.reader.written(one["node"]),
                                other=node if one["source"] == self.reader.source else None)
        early = other and other["recorded"] is not None and other["recorded"] == torch.copies_done
        line, function = other["recorded_at"] if early else (0, None)
        between = "\n".join(self.reader.text.split("\n")[line:node.lineno - 1])
        here = self.reader.inside[-1] if self.reader.inside else None
        if early and function is here and (here is None or not self.reader.source and not WAITS.search(between)):
            self.reader.mistake(node, "an event that the GPU has not reached", self.reader.written(node))

    @staticmethod
    def is_of_torch(thing):
        return isinstance(thing, Thing) and thing.kind in ("tensor", "module", "moved", "batch")

    def of_scaler(self, node, scaler, attribute, values, words):
        if scaler["off"]:
            return
        if attribute == "step" and not values and not words:
            self.reader.mistake(node, "arguments that a call doesn't take", self.reader.written(node.func),
                                "it lacks 'optimizer'", "Write scaler.step(optimizer).")
        given = values[0] if values else words.get("optimizer")
        optimizer = given if isinstance(given, Thing) and given.kind == "optimizer" else None
        if attribute in ("scale", "unscale_", "step", "update"):
            if self.loops:
                self.round.add(id(node))
            self.depths[id(node)] = self.loops
            self.steps.append((attribute, scaler, optimizer) + self.here(node))

    def library(self, node, kind, values, words):
        """Accelerator(…), Fabric(…): why the backward pass must go by it."""
        def said(word):
            value = words.get(word)
            value = value["default"] if isinstance(value, Thing) and value.kind in ("option", "number") else value
            return text_of(value)

        why = None
        if said("mixed_precision" if kind == "accelerator" else "precision") in ("fp16", "16-mixed", "16"):
            own = "accelerator.clip_grad_norm_" if kind == "accelerator" else "fabric.clip_gradients"
            self.scales.append(("Call %s(…), which unscales them." % own, ) + self.here(node))
        if kind == "accelerator":
            if said("mixed_precision") == "fp16":
                self.accelerate_scales = True
                why = "mixed_precision='fp16' scales the loss in accelerator.backward(loss) alone, so that small " \
                    "gradients become 0"
            elif said("gradient_accumulation_steps") not in (None, "1"):
                why = "accelerator.backward(loss) alone divides the loss by the steps that are accumulated"
            elif "deepspeed_plugin" in words:
                why = "DeepSpeed's own backward pass is left out"
        elif said("precision") in ("16-mixed", "bf16-mixed", "16", "bf16"):
            why = "precision='%s' asks for fabric.backward(loss), and it raises RuntimeError" % said("precision")
        elif re.match(r"deepspeed", said("strategy") or ""):
            why = "DeepSpeed asks for fabric.backward(loss), and it raises RuntimeError"
        if why:
            self.asked_backward.append(((why, "Write %s.backward(loss)." % kind), ) + self.here(node))

    # ---- what only the end shows

    def never_opened(self):
        """DistributedDataParallel where nothing opens a group of processes."""
        reader = self.reader
        early = [one for one in self.early if "DistributedSampler(" not in one[3]]  # of which few lines are shown without a group
        if self.opened or not early or reader.loaded or ".backward(" not in reader.text and not self.alone() or re.search(
                r"(?<!_)init(?!_subclass)(?!__)|[sS]etup|launch|spawn|Accelerator|Fabric|Trainer|deepspeed|horovod|xla",
                reader.text):
            return
        at, path, source, how = early[0]
        trains = ".backward(" in reader.text or "DistributedDataParallel" not in how and "DDP(" not in how
        if not path and trains:
            reader.torch.at((at, source), "a group of processes that is not open yet", how, "nothing calls it")

    def alone(self):
        """Whether a script imports nothing but PyTorch and what can't open a group for it."""
        return all(one.split(".")[0] in OPENS_NO_GROUP for _, trees in self.reader.tracing.files for tree in trees for node in ast.walk(tree)
                   for one in ([name.name for name in node.names] if isinstance(node, ast.Import) else [
                       "." if node.level else node.module or ""] if isinstance(node, ast.ImportFrom) else ()))

    def end(self):
        self.never_opened()
        self.scaled_steps()
        self.go_round()
        self.clipped_under_library()
        self.half_alone()
        self.contradicting_switches()
        for source, trees in self.reader.tracing.files if ".replay(" in self.reader.text else ():
            for tree in trees:
                self.inputs_of_graphs(tree, source)
        for function, of in self.reader.functions:
            if of is not None and function.name == "training_step" and any(
                    base.endswith("LightningModule") for base in of.all_bases()):
                self.optimized_by_hand(function, of)

    def half_alone(self):
        """Training in float16 without a scaler, and a scaler without anything in float16."""
        reader = self.reader
        if reader.loaded or self.asked_backward or re.search(r"Trainer\(|Accelerator\(|Fabric\(|deepspeed|apex",
                                                             reader.text):
            return
        scalers = re.search(r"[sS]caler", reader.text)
        for node, source, where, kind in self.autocasts:
            backward = [
                b for b in self.backwards
                if not exclusive(b[2], where) and self.beginning(b[2]) == self.beginning(where)
            ]
            if not scalers and backward and kind == "float16" and re.search(r"\.step\(", reader.text):
                return reader.torch.at((node, source),
                                       "half precision without a scaler",
                                       reader.written(node),
                                       other=backward[0][1] if backward[0][3] == source else None)
        for what, scaler, _, node, path, source in self.steps:
            if what == "scale" and scaler["depth"] and scaler["depth"] == self.depths.get(
                    id(node)) and not scaler["escaped"]:
                return reader.torch.at((scaler["node"], scaler["source"]), "a scaler that is made in each step",
                                       reader.written(scaler["node"]))
        for scaler in {one[1] for one in self.steps if one[0] == "scale" and one[1] is not None}:
            if not scaler["escaped"] and scaler["steps"] is not None and not re.search(
                    r"autocast|\.half\(|float16|amp_", reader.text):
                reader.torch.at((scaler["node"], scaler["source"]), "a scaler without half precision",
                                reader.written(scaler["node"]))
        return None

    def clipped_under_library(self):
        """torch.nn.utils.clip_grad_norm_, where accelerate's own unscales first."""
        reader = self.reader
        if not self.whole_backward or re.search(r"unscale|clip_gradients|\w*accelerat\w*\.clip_grad", reader.text):
            return
        for why, node, path, source in self.scales[:1]:
            for what, _, _, at, where, of in self.steps:
                if what == "clip" and not exclusive(path, where):
                    return reader.torch.at((at, of),
                                           "gradients that are still scaled",
                                           reader.written(at),
                                           why,
                                           other=node if source == of else None)

    def contradicting_switches(self):
        """cudnn.benchmark = True, where the script asks for determinism."""
        name = "torch.backends.cudnn.benchmark"
        value, node, path, source = self.settings.get(name, (None, ) * 4)
        wanted = self.settings.get("torch.backends.cudnn.deterministic", (None, ) * 4)
        if value is True and wanted[0] is True and not exclusive(
                path, wanted[2]) and self.beginning(path) == self.beginning(wanted[2]):
            self.reader.torch.at((node, source),
                                 "a search for the fastest algorithm that is to be deterministic",
                                 name,
                                 other=wanted[1] if wanted[3] == source else None)

    def inputs_of_graphs(self, tree, source):
        """A CUDA graph reads the memory that its inputs had when it was captured: other tensors are not seen."""
        def calls(of, method):
            return [one for one in ast.walk(of) if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == method]

        def captures(of):
            return [one for one in ast.walk(of) if isinstance(one, ast.With) and
                    any(self.reader.written(item.context_expr).startswith("torch.cuda.graph(") for item in one.items)]

        def stored(of, form):
            return [(one, part) for one in ast.walk(of) if isinstance(one, ast.Assign) for target in one.targets
                    for part in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(part, form)]

        for of in ast.walk(tree):
            if isinstance(of, ast.ClassDef) and captures(of):
                methods = [one for one in of.body if isinstance(one, ast.FunctionDef)]
                for method in (one for one in methods if calls(one, "replay") and not captures(one)):
                    recorded = captures(of)
                    for part in recorded:  # with the methods that run in it
                        recorded += [other for other in methods if other not in recorded and calls(part, other.name)]
                    read = {self.reader.written(one) for part in recorded for one in ast.walk(part)
                            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load)}
                    for one, target in stored(method, ast.Attribute):
                        if self.reader.written(target) in read and not isinstance(one.value, ast.Constant):
                            self.input_replaced(one, target, source)
            elif isinstance(of, (ast.FunctionDef, ast.Module)) and not any(isinstance(one, ast.ClassDef)
                                                                           for one in ast.walk(of)):
                for block in captures(of):
                    last = max(one.lineno for one in ast.walk(block) if hasattr(one, "lineno"))
                    read = {one.id for one in ast.walk(block) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
                    ends = [call.lineno for call in calls(of, "replay") if call.lineno > last]
                    for one, target in stored(of, ast.Name):
                        if target.id in read and last < one.lineno < max(ends, default=0) and \
                                not isinstance(one.value, ast.Constant):
                            self.input_replaced(one, target, source)

    def input_replaced(self, node, target, source):
        self.reader.torch.at((node, source), "an input of a CUDA graph that is replaced", self.reader.written(node),
                             self.reader.written(target))

    def optimized_by_hand(self, function, of):
        """Lightning calls backward() itself, unless automatic_optimization is False."""
        reader = self.reader
        by_hand = any(
            re.search(r"automatic_optimization\s*=\s*False", reader.written_whole(one.node))
            for one in [of] + of.parents)
        asked = re.search(r"['\"]--precision['\"].*\bdefault\s*=\s*['\"]?16\b(?!-true)", reader.text) and re.search(
            r"precision\s*=\s*\w+\.precision\b", reader.text)
        if by_hand and (asked or re.search(r"precision\s*=\s*['\"]?16", reader.text)):
            called = {getattr(one.func, "attr", "") for one in ast.walk(function.node) if isinstance(one, ast.Call) and getattr(
                getattr(one.func, "value", None), "id", "") == "self"}
            helpers = [method.node for name, method in of.methods.items() if name in called and name != "manual_backward"]
            for call in (one for part in [function.node] + helpers for one in ast.walk(part)):
                if getattr(getattr(call, "func", None), "attr", "") == "backward":
                    return reader.torch.at((call, function.file), "a backward pass around its library",
                                           reader.written(call),
                                           "precision='16-mixed' scales the loss in self.manual_backward(loss) alone",
                                           "Write self.manual_backward(loss).", doubted=bool(asked))
        if any(re.search(r"automatic_optimization", reader.written_whole(one.node)) for one in [of] + of.parents) or \
                of.has_stranger() and len(of.bases) + len(of.parents) < len(of.node.bases):
            return
        gives = any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(function.node))
        inner = {getattr(one.func, "attr", "") for one in ast.walk(function.node) if isinstance(one, ast.Call) and getattr(
            getattr(one.func, "value", None), "id", "") == "self"}
        own = [method.node for name, method in of.methods.items() if name in inner]
        for call in (one for part in [function.node] + own for one in ast.walk(part)):
            attribute = getattr(getattr(call, "func", None), "attr", "")
            if attribute == "manual_backward" or attribute == "backward" and gives:
                why = "automatic optimization calls backward() on what training_step gives" + (
                    ", and manual_backward() raises"
                    if attribute[0] == "m" else ", so that the second raises RuntimeError")
                return reader.torch.at((call, function.file), "a backward pass around its library",
                                       reader.written(call), why,
                                       "Leave it out, or set self.automatic_optimization = False.")

    def last_of(self, number, scaler, wanted, surely=False):
        """The last of these steps before the one of this number, on the same way."""
        _, _, _, _, path, _ = self.steps[number]
        for what, of, optimizer, node, before, source in reversed(self.steps[:number]):
            if what in wanted and of is scaler and not exclusive(before, path) and \
                    self.beginning(before) == self.beginning(path):
                return (what, optimizer, node, source) if reached(before, path) or not surely else (None, ) * 4
        return None, None, None, None

    @staticmethod
    def beginning(path):
        """Functions that nobody calls begin anew."""
        return [step for step in path if step[:1] in "ucp"]

    def is_scaled_limit(self, clip):
        """Whether the limit of a clip is scaled as the gradients are: clip_grad_norm_(parameters, limit * scaler.get_scale())."""
        given = clip.args[1:2] + [k.value for k in clip.keywords] if isinstance(clip, ast.Call) else []
        names = {getattr(one, "id", getattr(one, "attr", "")) for of in given for one in ast.walk(of)} - {""}
        return any("get_scale" in name or re.search(r"\b%s(: *[\w.\[\], ]+)? = [^\n]*get_scale\(" % re.escape(name), self.reader.text) for name in names)

    def scaled_steps(self):
        reader = self.reader
        scalers = []
        for one in self.steps:
            if one[1] is not None and one[1] not in scalers:
                scalers.append(one[1])
        for number, (what, scaler, optimizer, node, path, source) in enumerate(self.steps):
            if what == "clip":
                for one in scalers:
                    last, _, at, of = self.last_of(number, one, ("scale", "unscale_", "step", "update"))
                    if last == "scale" and not one["escaped"] and not self.is_scaled_limit(node):
                        reader.torch.at((node, source),
                                        "gradients that are still scaled",
                                        reader.written(node),
                                        "Call scaler.unscale_(optimizer) before it.",
                                        other=at if of == source else None)
            elif what == "unscale_" and not scaler["escaped"]:
                last, before, at, of = self.last_of(number, scaler, ("scale", "unscale_", "step", "update"), True)
                same_one = optimizer is not None and before is optimizer
                if last == "step" and same_one:
                    self.out_of_order(node, source, "the gradients were already used by step()",
                                      "Call unscale_() before step().", at, of)
                elif self.updates_seldom(number, scaler, path) and id(node) in self.round:
                    self.out_of_order(node, source,
                                      "update() comes only in some rounds, so that it is called twice before",
                                      "Call it only where the optimizer steps.")
                elif last == "unscale_" and same_one and at is not node:
                    self.out_of_order(node, source, "unscale_() was already called for this optimizer",
                                      "Call it once for each step.", at, of)
            elif what == "update" and not scaler["escaped"]:
                last, _, at, of = self.last_of(number, scaler, ("scale", "unscale_", "step", "update"))
                later = any(one[0] == "step" and one[1] is scaler for one in self.steps[number:])
                if last == "scale" and later:
                    self.out_of_order(node, source, "no step() came before it, which looks for infinite gradients",
                                      "Call scaler.step(optimizer) first, then scaler.update().", at, of)
            elif what == "plain step" and optimizer is not None:
                for one in scalers:
                    last = self.last_of(number, one, ("scale", "step", "update"))[0]
                    if last in ("step", "update"):
                        steps = [
                            s for s in self.steps[:number]
                            if s[0] == "step" and s[1] is one and s[2] is optimizer and reached(s[4], path)
                        ]
                        if steps and not one["escaped"]:
                            reader.torch.at((node, source),
                                            "an optimizer that steps twice",
                                            reader.written(node),
                                            other=steps[-1][3] if steps[-1][5] == source else None)
        for scaler in scalers:
            kinds = {one[0] for one in self.steps if one[1] is scaler}
            steps = [one for one in self.steps if one[1] is scaler and one[0] == "step"]
            if scaler["escaped"] or not steps:
                continue
            if "scale" not in kinds and not re.search(r"\.scale\(", reader.text):
                self.out_of_order(steps[0][3], steps[0][5], "no loss was scaled before",
                                  "Write scaler.scale(loss).backward().")
            elif "update" not in kinds and not re.search(r"\.update\(", reader.text) and any(
                    id(one[3]) in self.round for one in steps):
                self.out_of_order(steps[0][3], steps[0][5], "no update() follows, so that the second step raises",
                                  "Write scaler.update() after it.")

    def updates_seldom(self, number, scaler, path):
        """Whether each update() that follows stands under a condition that this step is not under."""
        later = [one[4] for one in self.steps[number:] if one[0] == "update" and one[1] is scaler]
        return bool(later) and all(one[:len(path)] == path and any(step[-1:] in "ab" and step[:1].isdigit()
                                                                   for step in one[len(path):]) for one in later)

    def out_of_order(self, node, source, why, instead, other=None, of=None):
        self.reader.torch.at((node, source),
                             "a step of a GradScaler out of order",
                             self.reader.written(node),
                             why,
                             instead,
                             other=other if of == source else None)

    def go_round(self):
        """loss.backward() where the accelerator scales the loss."""
        reader = self.reader
        if self.whole_backward or not self.backwards or re.search(r"(accelerator|fabric)\w*\.backward\(", reader.text):
            return
        for why, node, path, source in self.asked_backward[:1]:
            for _, at, where, of in self.backwards:
                if not exclusive(path, where):
                    reader.torch.at((at, of),
                                    "a backward pass around its library",
                                    reader.written(at),
                                    *why,
                                    other=node if source == of else None)
                    return
