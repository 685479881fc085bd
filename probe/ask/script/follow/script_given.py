"""What calls are given: arguments about devices that they don't take, and values that they don't know."""

ABOUT_CALLS = re.compile(
    r"(^|_)(devices?|gpus?|cuda|cpu|mps|tpu|tpus|xla|ipus|hpus|dtype|precision|accelerator|fp16|bf16|float16|tf32|"
    r"amp|half|backend|platforms?|non_blocking|blocking|pin|pinned|location|strategy|distributed|nodes|nprocs|"
    r"processes|workers|rank|offload|placement|sharding|8bit|4bit|quantization|mesh|gradscaler|autocast)(_|$)")
# Arguments of that kind that the callable itself has nothing to do with, since it passes them on.
LIBRARIES_OF_SIGNATURES = ("lightning", "accelerate", "transformers", "diffusers", "torchaudio", "torchmetrics", "peft")
TRAINERS_OF_TRANSFORMERS = ("transformers.Trainer", "transformers.Seq2SeqTrainer")
SAME_LIBRARY = {"pytorch_lightning": "lightning", "lightning_fabric": "lightning", "tf_keras": "tf_keras"}
NUMBER_KINDS = re.compile(r"(torch\.)?(b?float\d*\w*|half|double|u?int\d+|long|short|bool|complex\d+)$")
# What functions take whose argument is no object of its own kind: (call, argument, its place) -> values.
VALUES = {
    ("torch.distributed.init_process_group", "backend", 0):
    "nccl gloo mpi ucc xccl cncl hccl mccl tccl fake xla smddp ccl hpu neuron".split(),
    ("torch.distributed.new_group", "backend", 2):
    "nccl gloo mpi ucc xccl hccl tccl fake ccl neuron".split(),
    ("torch.compile", "mode", None):
    "default lite reduce-overhead max-autotune max-autotune-no-cudagraphs".split(),
    ("torch.set_deterministic_debug_mode", "debug_mode", 0): ["default", "warn", "error"],
    ("torch.cuda.set_sync_debug_mode", "debug_mode", 0): ["default", "warn", "error"],
    ("torch.backends.cuda.preferred_blas_library", "backend", 0):
    "default cublas hipblas cublaslt hipblaslt ck".split(),
    ("torch.cuda.memory._record_memory_history", "enabled", 0): ["state", "all"],
    ("torch.backends.cuda.preferred_linalg_library", "backend", 0):
    "default cusolver magma".split(),
    ("torch.multiprocessing.set_start_method", "method", 0):
    "fork spawn forkserver".split(),
    ("torch.multiprocessing.get_context", "method", 0):
    "fork spawn forkserver".split(),
    ("torch.utils.data.DataLoader", "multiprocessing_context", None):
    "fork spawn forkserver".split(),
    ("transformers.BitsAndBytesConfig", "bnb_4bit_quant_type", None): ["fp4", "nf4"],
    ("torch.onnx.export", "training", None): [],
}
# Kinds of device without a number.
KINDS_ALONE = {("torch.distributed.device_mesh.init_device_mesh", "device_type", 0),
               ("torch.distributed.init_device_mesh", "device_type", 0),
               ("torch.distributed.device_mesh.DeviceMesh", "device_type", 0),
               ("torch.distributed.DeviceMesh", "device_type", 0)}
# Arguments that take an object, for which a truth value, text or kind of number stands often: what it would be.
OBJECTS = {
    "FullyShardedDataParallel": {"cpu_offload": "CPUOffload(offload_params=True)",
                                 "mixed_precision": "MixedPrecision(param_dtype=torch.bfloat16)",
                                 "sharding_strategy": "ShardingStrategy.FULL_SHARD",
                                 "backward_prefetch": "BackwardPrefetch.BACKWARD_PRE"},
    "fully_shard": {"offload_policy": "CPUOffloadPolicy()", "mp_policy": "MixedPrecisionPolicy(param_dtype=torch.bfloat16)"},
}
# Seeds that are drawn, where one is given often.
SEEDED = {
    "torch.seed": "Write torch.manual_seed(…): torch.seed() draws a seed.",
    "torch.random.seed": "Write torch.manual_seed(…).",
    "torch.initial_seed": "Write torch.manual_seed(…).",
    "torch.cuda.seed": "Write torch.cuda.manual_seed(…).",
    "torch.cuda.seed_all": "Write torch.cuda.manual_seed_all(…).",
    "torch.mps.seed": "Write torch.mps.manual_seed(…).",
    "torch.xpu.seed": "Write torch.xpu.manual_seed(…)."
}
# Objects whose methods are known by their signature.
OF_KINDS = {
    "scaler": "torch.amp.GradScaler.",
    "optimizer": "torch.optim.Optimizer.",
    "accelerator": "accelerate.Accelerator.",
    "trainer": "lightning.Fabric.",
    "sampler": "torch.utils.data.distributed.DistributedSampler."
}
# What other libraries call the same: of these, the one that a call takes is meant.
SAME_ARGUMENTS = [one.split() for one in (
    "lr learning_rate", "eps epsilon", "dim axis dims", "keepdim keepdims keep_dims", "bias use_bias", "pad padding", "weight weights class_weight", "p rate prob",
    "scale scale_factor", "kernel kernel_size", "stride strides", "pool pool_size kernel_size", "activate activation activation_fn", "sep separator delimiter",
    "beta1 beta_1 b1 betas", "size shape", "classes num_classes n_classes", "filename filepath path fname", "units out_features features", "workers num_workers n_jobs",
    "random_state seed", "decay weight_decay", "inplace in_place", "batch batch_size", "epoch epochs", "n_estimators num_trees n_trees", "input x", "iterations max_iter")]
# What takes all sizes in one argument, and what takes each by itself.
TAKES_A_SHAPE = re.compile(r"(numpy|jax\.numpy)\.(zeros|ones|empty)$")
TAKES_SIZES = re.compile(r"numpy\.random\.(rand|randn)$")
DEVICE_WORDS = ("device", "map_location", "pin_memory_device", "device_name")
# Of diffusers 0.39: a pipeline's maps.
PIPELINE_MAPS = ("balanced", "cpu", "cuda", "mps", "xpu", "npu", "hpu", "mlu", "neuron")


class Parameters:
    """The rows of parameters.json, a line "MODULE\tRELEASES\tCALLS" each, of which a module's are read once a script calls something of it."""

    FILES = {}  # for all scripts of a run

    def __init__(self, path):
        if path not in self.FILES:
            with open(path, encoding="utf-8") as file:
                self.FILES[path] = {line.partition("\t")[0]: line.rstrip("\n").split("\t") for line in file}
        self.modules = self.FILES[path]

    def of(self, module, name):
        """What a call takes, and the releases that this was read in; None: it isn't known."""
        row = self.modules.get(module)
        if row is None:
            return None
        if isinstance(row[2], str):
            row[2] = {one: takes.split() for takes, _, names in (group.partition("=") for group in row[2].split("|")) for one in names.split()}
        taken = row[2].get(name)
        return None if taken is None else (taken, row[1])


class Given:
    def __init__(self, reader, rows, parameters=None):
        """Each row is "MODULE RELEASE(WORDS)=NAMES": all of these take these arguments about devices, and no others."""
        self.reader, self.takes, self.releases = reader, {}, {}
        self.parameters = Parameters(parameters) if parameters else None
        for row in rows:
            head, _, names = row.partition(")=")
            module, _, words = head.partition("(")
            module, _, release = module.partition(" ")
            self.releases[module] = release
            taken = words.split()
            for name in names.split():
                self.takes[module + "." + name] = taken

    def taken_by(self, name):
        parts = name.split(".")
        root = SAME_LIBRARY.get(parts[0], parts[0])
        if root in LIBRARIES_OF_SIGNATURES:
            return self.takes.get(root + "." + parts[-1]) if len(parts) > 1 else None
        return self.takes.get(name)

    def call(self, node, name, values, words):
        self.arguments(node, name, self.taken_by(name), values, words)
        self.values(node, name, values, words)
        self.count(node, name, name, values, words)
        last = name.rsplit(".", 1)[-1]
        if name.startswith("torch.nn.functional.") and "device" in words and self.taken_by(name) is None:
            self.reader.mistake(words.nodes.get("device", self.reader.keyword_of(node, "device")),
                                "an argument that a call doesn't take", name, "device", "Leave it out.")
        for word in ("device", "gpu", "location", "to") if name == "torch.load" else ():
            if word in words:
                self.reader.mistake(self.reader.keyword_of(node, word), "an argument that goes to pickle",
                                    self.reader.written(node), word)
        if TAKES_A_SHAPE.match(name) and len(values) == 2 and all(isinstance(one, Text) and type(one.value) is int for one in values):
            self.reader.mistake(node, "arguments that a call doesn't take", name, "its second argument is dtype, and no size",
                                "Write %s((%s))." % (name.rpartition(".")[2], ", ".join(self.reader.written(one) for one in node.args)))
        elif TAKES_SIZES.match(name) and len(values) == 1 and isinstance(node.args[0], (ast.Tuple, ast.List)):
            self.reader.mistake(node, "arguments that a call doesn't take", name, "it takes each size by itself, and no shape",
                                "Write %s(%s)." % (name.rpartition(".")[2], ", ".join(self.reader.written(one) for one in node.args[0].elts)))
        if name in TRAINERS_OF_TRANSFORMERS:
            for word in words:
                if word and ABOUT_CALLS.search(word) and not self.reader.pinned_for("transformers"):
                    self.reader.mistake(words.nodes.get(word, self.reader.keyword_of(node, word)),
                                        "an argument that a call doesn't take", name, word,
                                        "Give it to TrainingArguments.")
        if name.startswith(("torch.", "torchvision.", "torchaudio.", "safetensors.")):
            for word in DEVICE_WORDS:
                if word in words and last not in ("autocast", "Tensor"):
                    self.reader.torch.named_place(node, words[word])
            if "dtype" in words and isinstance(words["dtype"], Text) and isinstance(words["dtype"].value, str) and \
                    not name.startswith("safetensors."):
                self.reader.mistake(node, "a kind of number that is a text", self.reader.written(node),
                                    words["dtype"].value)
        if last in OBJECTS and name.startswith("torch.distributed."):
            for word, instead in OBJECTS[last].items():
                value = words.get(word)
                kind = isinstance(value, Name) and re.match(r"torch\.(b?float\d+|half)$", value.full)
                if kind or isinstance(value, Text) and value.value not in (None, False):
                    at = self.reader.keyword_of(node, word)
                    self.reader.mistake(at, "an argument that takes an object", "%s=%s" % (word, self.reader.written(at)),
                                        instead)
        if last == "spawn" and "xla_multiprocessing" in name:
            count = words.get("nprocs", values[2] if len(values) > 2 else None)
            if isinstance(count, Text) and count.value not in (None, 1):
                self.reader.mistake(self.reader.keyword_of(node, "nprocs"), "a value that its library doesn't know",
                                    str(count.value), "xmp.spawn(nprocs=…)", "None (all devices) and 1")
        if last == "DistributedDataParallel":
            self.parallel(node, words)

    def parallel(self, node, words):
        ids = words.get("device_ids")
        several = isinstance(ids, Many) and len(ids.items) > 1 and not ids.open
        number = isinstance(ids, Text) and ids.value is not None or isinstance(ids, Thing) and ids.kind == "number"
        if several or number:
            at = self.reader.keyword_of(node, "device_ids")
            self.reader.mistake(at, "a value that its library doesn't know", self.reader.written(at),
                                "DistributedDataParallel(device_ids=…)", "a list of one GPU, and None")

    def arguments(self, node, name, taken, values, words, shown=None):
        if taken is None or self.reader.pinned_for(name):
            return
        known, strange = [word.lstrip("*") for word in taken], []
        for word in words:
            if word and word not in known and ABOUT_CALLS.search(word) and word not in self.reader.removed.taken(name):
                at = words.nodes.get(word, self.reader.keyword_of(node, word))
                instead = "Leave it out" + ("; of this kind it takes %s." % ", ".join(known[:8]) if known else
                                            ": put what it gives, or what it is called on, on a device by itself.")
                self.reader.mistake(at, "an argument that a call doesn't take", shown or name, word, instead)
                strange.append(word)
        if not strange and "*device" in taken and name.startswith("torch."):
            for argument, value in zip(node.args, values):
                if isinstance(value, Place) and not value.said:
                    self.reader.mistake(argument, "a device given by its place", self.reader.written(node))
                    return

    def count(self, node, name, shown, values, words, of_object=False):
        """How many arguments a call takes by place, which must be there, and all that it takes by name."""
        taken, against = self.row(name, of_object)
        root = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        # nn that nothing binds may be Flax's, or another library's.
        other = getattr(root, "id", "") == "nn" and "nn" in self.reader.unbound and "torch" not in self.reader.text
        if taken is None or other or self.reader.pinned_for(name) or self.reader.guarded or len(values) != len(node.args) or \
                any(isinstance(one, ast.Starred) for one in node.args):
            return
        most = int(taken[0].split("-")[1])
        names = [one.lstrip("*!?") for one in taken[1:]]
        by_place = [one.lstrip("!") for one in taken[1:] if one[0] != "*"]
        given = len(values) - (most - len(by_place))  # what is taken by its place alone has no name here
        lacks = [one.lstrip("*!") for number, one in enumerate(taken[1:])
                 if "!" in one and one.lstrip("*!") not in words and (one[0] == "*" or number >= given)]
        strange = [word for word in words
                   if word and word not in names and word != "verbose"] if "**" not in taken else []
        twice = [one for one in by_place[: max(given, 0)] if one in words]
        reported = [word for word in strange if ABOUT_CALLS.search(word) and (
            self.taken_by(name) is not None or name in TRAINERS_OF_TRANSFORMERS or name.startswith("torch.nn.functional.")) or
            word in self.reader.removed.taken(name)]
        why, lines = None, self.reader.by_line(node, words, [word for word in strange if word not in reported])
        if reported and (not lines or len(values) > most):
            return
        if len(values) > most:
            why = "it takes %s by place" % ("no argument"
                                            if not most else "1 argument" if most == 1 else "%d arguments" % most)
        elif lines:
            why = "it has no argument"
        elif twice:
            why = "it is given '%s' twice" % twice[0]
        elif lacks and None not in words and not any(one.arg is None for one in node.keywords):  # of **settings, more may be known than is here
            why = "it lacks '%s'" % lacks[0]
        if not why:
            return
        told = [one.lstrip("*!") for one in taken[1:] if one.strip("*-") and "?" not in one and not one.lstrip("*!").startswith("_")]
        instead = "It takes (%s)." % ", ".join(told) if told else SEEDED.get(name, "Leave the arguments out.")
        if len(values) > most or not lines:
            self.reader.mistake(node, "arguments that a call doesn't take", shown, why, instead, against=against)
            return
        for at, each in lines:  # each line of a call that stands on several
            near = [one for one in (self.nearest(word, told, words) for word in each) if one]
            why_here = "%s '%s'%s" % (why, "' or '".join(each), "; '%s' exist%s" % ("' and '".join(near), "s" * (len(near) == 1)) if near else "")
            self.reader.mistake(at, "arguments that a call doesn't take", shown, why_here, instead, against=against)

    def row(self, name, of_object):
        """What a call takes, and the releases of its package that this is known of."""
        full = self.reader.removed.full(name)
        module, _, last = full.rpartition(".")
        # A method that is called by its class takes the object first.
        by_class = module.rpartition(".")[2][:1].isupper() and "." in module and not of_object
        taken = None if by_class else self.takes.get("#" + full)
        if taken is not None:
            release = self.releases.get("#" + module)
            return taken, "%s %s" % (full.partition(".")[0], release) if release else None
        module = re.sub(r"^(tensorflow\.|tf_)(?=keras\b)", "", module)
        known = self.parameters.of(module + "()" * of_object, last) if self.parameters and full not in self.reader.own_names else None
        return (known[0], "%s %s" % (module.partition(".")[0], known[1])) if known else (None, None)

    @staticmethod
    def nearest(word, names, given):
        """The argument that a name was written for, as far as its letters or other libraries' names tell."""
        left = [one for one in names if one not in given]
        plain = lambda one: one.lower().replace("_", "")
        alike = [one for one in left if plain(one) == plain(word)]
        alike += difflib.get_close_matches(word, left, 1, 0.8)
        alike += [one for same in SAME_ARGUMENTS if difflib.get_close_matches(word, same, 1, 0.75) for one in left if one in same]
        begin = [one for one in left if len(word) > 2 and one.startswith(word) or len(one) > 2 and word.startswith(one)]
        return (alike + begin + difflib.get_close_matches(word, left, 1, 0.6) + [None])[0]

    def method(self, node, thing, attribute, values, words):
        """Methods of tensors and modules of PyTorch's own."""
        if not isinstance(thing, Thing):
            return
        own = OF_KINDS.get(thing.kind)
        if own and not (thing.kind == "trainer" and thing["prepares"] != "setup") and not thing["class"]:
            self.count(node, own + attribute, self.reader.written(node.func), values, words, of_object=True)
        of = "torch.Tensor." if thing.kind == "tensor" else "torch.nn.Module." if thing.kind == "module" and \
            not thing["hf"] and not thing["class"] and not thing["stranger"] and not thing["metric"] else None
        if of == "torch.nn.Module." and attribute in ("half", "bfloat16", "double", "cpu", "cuda", "eval", "train",
                                                      "requires_grad_", "zero_grad", "to_empty"):
            self.count(node, of + attribute, self.reader.written(node.func), values, words, of_object=True)
        if of and attribute not in ("to", "forward"):
            self.arguments(node, of + attribute, self.takes.get(of + attribute), values, words, self.reader.written(node.func))
        if thing.kind == "tensor" and "device" in words:
            self.reader.torch.named_place(node, words["device"])

    def values(self, node, name, values, words):
        for (call, word, place), known in VALUES.items():
            if call == name and known:
                value = words.get(word, values[place] if place is not None and place < len(values) else None)
                said = value.value if isinstance(value, Text) and isinstance(value.value, str) else None
                if said and not (word == "backend" and (":" in said or said.lower() in known)) and said not in known and \
                        not self.registers(word) and not self.reader.asks_for(said):
                    self.reader.mistake(words.nodes.get(word, self.reader.keyword_of(node, word)), "a value that its library doesn't know", said,
                                        "%s(%s=…)" % (name.rsplit(".", 1)[-1], word), ", ".join(known[:8]))
        for call, word, place in KINDS_ALONE:
            if call == name:
                value = words.get(word, values[place] if place < len(values) else None)
                if is_form(value) and ":" in form_of(value):
                    said = form_of(value).replace(UNKNOWN, "…").replace(NUMBER, "…")
                    self.reader.mistake(node, "a value that its library doesn't know", said,
                                        "%s(%s=…)" % (name.rsplit(".", 1)[-1], word), "'cuda', 'cpu' without a number")

    def registers(self, word):
        return word == "backend" and "register_backend" in self.reader.text
