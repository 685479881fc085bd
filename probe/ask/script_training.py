"""The order of training's steps: gradients that are scaled, optimizers, seeds, settings that can be made only once."""

# Calls that raise when they come a second time: what makes it right.
ONCE = {
    "torch.set_num_interop_threads": "Call it once, at the beginning of the program.",
    "torch.multiprocessing.set_start_method": "Call it once, or with force=True.",
    "multiprocessing.set_start_method": "Call it once, or with force=True.",
    "torch.distributed.init_process_group": "Call it once, or destroy_process_group() before.",
}
CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad_norm",
         "torch.nn.utils.clip_grad.clip_grad_norm_", "torch.nn.utils.clip_grad.clip_grad_value_")
# Switches under torch.backends that take True or False alone, not 1, 0 or a text.
SWITCHES = re.compile(r"torch\.backends\.(cudnn\.(enabled|benchmark|deterministic|allow_tf32)|cuda\.matmul\.allow_\w+)$")
PRECISION_SWITCHES = re.compile(r"torch\.backends\.(\w+\.)*fp32_precision$")
# Calls that take True or False: the argument's name.
TRUTHS = {"torch.use_deterministic_algorithms": "mode", "torch.backends.cuda.enable_flash_sdp": "enabled",
          "torch.backends.cuda.enable_math_sdp": "enabled", "torch.backends.cuda.enable_mem_efficient_sdp": "enabled",
          "torch.backends.cuda.enable_cudnn_sdp": "enabled"}
# What draws numbers takes a torch.Generator, and no seed.
DRAWS = re.compile(r"torch\.(rand|randn|randint|randperm|normal|bernoulli|multinomial|utils\.data\.(random_split|DataLoader|"
                   r"RandomSampler|dataset\.random_split))$")
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
CLOCKS = ("time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer", "time.perf_counter_ns",
          "time.time_ns", "time.process_time")
# What asks a GPU's tensor for its value, so that it waits.
WAITS = ("item", "tolist", "cpu", "numpy", "synchronize", "wait", "elapsed_time", "barrier", "nonzero", "any", "all")


def reached(first, later):
    """Whether what stands on the first path has surely run before what stands on the later one, which runs as well."""
    return later[: len(first)] == first and not any(step[-1:] in "abcehij" and step[:1].isdigit()
                                                     for step in later[len(first):])


class Training:
    def __init__(self, reader):
        self.reader = reader
        self.once = {}  # calls that may come once: [(node, path, source)]
        self.steps = []  # what becomes of scaled gradients: (what, scaler, optimizer, node, path, source)
        self.backwards = []  # loss.backward() that goes by no library
        self.asked_backward = []  # Accelerator(…) and Fabric(…) that want it: (why and what to write, node, path, source)
        self.whole_backward = False  # their own backward is called
        self.settings = {}  # torch.backends.cudnn.benchmark and the like: (value, node, path, source)
        self.without = 0  # contexts in which nothing has a gradient

    def here(self, node):
        return node, self.reader.path, self.reader.source

    # ---- calls

    def call(self, node, name, values, words):
        if name in ONCE:
            self.comes_once(node, name, words)
        if name == "torch.distributed.destroy_process_group":
            self.once.pop("torch.distributed.init_process_group", None)
        self.kinds(node, name, values, words)
        if name in CLIPS:
            self.steps.append(("clip", None, None) + self.here(node))
        if name in REPLACES:
            self.replaced(node, values[0] if values else words.get("module", words.get("model")), REPLACES[name], name)

    def kinds(self, node, name, values, words):
        """Settings that take a truth value, a kind of number or a generator."""
        def at(place, word):
            return values[place] if place < len(values) else words.get(word)

        if name in TRUTHS:
            of = at(0, TRUTHS[name])
            if isinstance(of, Text) and isinstance(of.value, str):
                self.other_kind(node, "it takes True or False, and no text", "Write %s(True)." % name)
        if name == "torch.set_default_dtype":
            of = at(0, "d")
            whole = isinstance(of, Name) and re.match(r"torch\.(u?int\d*|long|short|bool)$", of.full)
            if whole or isinstance(of, Text) and isinstance(of.value, str):
                self.other_kind(node, "it takes a kind of floating-point number", "Write torch.float32 or torch.bfloat16.")
        if name == "torch.set_default_tensor_type" and isinstance(at(0, "t"), Text) and isinstance(at(0, "t").value, str) and \
                not re.match(r"torch\.(\w+\.)?\w+Tensor$", at(0, "t").value):
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
        if DRAWS.match(name) and "generator" in words and is_number(words["generator"]):
            self.other_kind(self.reader.keyword_of(node, "generator"), "generator= takes a torch.Generator, and no seed",
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
        if name.startswith("torch.optim.") and all(isinstance(words.get(w), Text) and words[w].value is True
                                                   for w in ("fused", "foreach")):
            self.other_kind(node, "fused and foreach exclude each other", "Keep one of them.")

    def other_kind(self, node, why, instead):
        self.reader.mistake(node, "a setting of another kind", self.reader.written(node), why, instead)

    def switch(self, node, name, value):
        """torch.backends.cudnn.benchmark = …"""
        said = value.value if isinstance(value, Text) else self
        if said is self:
            return
        if SWITCHES.match(name) and not isinstance(said, bool) and not name.endswith("accumulation"):
            self.other_kind(node, "it takes True or False alone, not %r" % (said,), "Write %s = True." % name)
        if PRECISION_SWITCHES.match(name) and said not in ("ieee", "tf32", "bf16", "none"):
            self.other_kind(node, "it takes 'ieee', 'tf32', 'bf16' or 'none', not %r" % (said,), "Write 'tf32' or 'ieee'.")

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
                reader.mistake(node, "a call that may come only once", reader.written(node),
                               "line %s" % getattr(at, "lineno", "?"), ONCE[name], other=before)
                return
        self.once.setdefault(key, []).append(self.here(node))

    def replaced(self, node, of, how, name):
        """The optimizer was made of the parameters that the model had before."""
        if isinstance(of, Thing) and isinstance(of["of"], Thing) and of["parallel"]:
            of = of["of"]
        reader = self.reader
        if not isinstance(of, Thing) or of.kind != "module":
            return
        for optimizer, path in reader.torch.optimizers:
            if optimizer["of"] is of and reader.path[: len(path)] == path and not optimizer["replaced"] and \
                    not exclusive(path, reader.path):
                optimizer.state["replaced"] = True
                reader.torch.at((optimizer["node"], optimizer["source"]), "an optimizer of parameters that are replaced",
                                reader.written(optimizer["node"]), name.rsplit(".", 1)[-1] + "()", how,
                                other=node if optimizer["source"] == reader.source else None)

    # ---- methods

    def method(self, node, thing, attribute, values, words):
        reader = self.reader
        if isinstance(thing, Thing) and thing.kind == "scaler":
            self.of_scaler(node, thing, attribute, values, words)
        elif isinstance(thing, Thing) and thing.kind == "optimizer" and attribute == "step":
            self.steps.append(("plain step", None, thing) + self.here(node))
        elif attribute == "backward" and isinstance(thing, Thing) and thing.kind in ("accelerator", "trainer"):
            self.whole_backward = True
        elif attribute == "backward" and not (isinstance(thing, Thing) and thing["scaled"]):
            self.backwards.append((thing, ) + self.here(node))
        elif attribute == "manual_seed" and isinstance(thing, Thing) and thing.kind == "generator" and values and isinstance(
                values[0], Text) and not isinstance(values[0].value, int):
            self.other_kind(node, "a generator's seed is a whole number", "Write int(…).")
        elif attribute in ("to", "contiguous", "clone") and isinstance(thing, (Thing, Bound)):
            for word in ("memory_format", "dtype"):
                if isinstance(words.get(word), Text) and isinstance(words[word].value, str) and self.is_of_torch(thing):
                    self.other_kind(node, "%s= takes an object, and no text" % word, "Write torch.%s." % words[word].value)
        elif attribute in ("resize_token_embeddings", "to_empty") and isinstance(thing, Thing) and thing.kind == "module":
            self.replaced(node, thing, "makes other parameters", "." + attribute)
        return None

    @staticmethod
    def is_of_torch(thing):
        return isinstance(thing, Thing) and thing.kind in ("tensor", "module", "moved", "batch")

    def of_scaler(self, node, scaler, attribute, values, words):
        if scaler["off"]:
            return
        given = values[0] if values else words.get("optimizer")
        optimizer = given if isinstance(given, Thing) and given.kind == "optimizer" else None
        if attribute in ("scale", "unscale_", "step", "update"):
            self.steps.append((attribute, scaler, optimizer) + self.here(node))

    def library(self, node, kind, values, words):
        """Accelerator(…), Fabric(…): why the backward pass must go by it."""
        def said(word):
            value = words.get(word)
            value = value["default"] if isinstance(value, Thing) and value.kind in ("option", "number") else value
            return text_of(value)
        why = None
        if kind == "accelerator":
            if said("mixed_precision") == "fp16":
                why = "mixed_precision='fp16' scales the loss in accelerator.backward(loss) alone, so that small gradients " \
                    "become 0"
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

    def end(self):
        self.scaled_steps()
        self.go_round()

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
                    if last == "scale" and not one["escaped"]:
                        reader.torch.at((node, source), "gradients that are still scaled", reader.written(node),
                                        other=at if of == source else None)
            elif what == "unscale_" and not scaler["escaped"]:
                last, before, at, of = self.last_of(number, scaler, ("scale", "unscale_", "step", "update"), True)
                same_one = optimizer is not None and before is optimizer
                if last == "step" and same_one:
                    self.out_of_order(node, source, "the gradients were already used by step()",
                                      "Call unscale_() before step().", at, of)
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
                        steps = [s for s in self.steps[:number] if s[0] == "step" and s[1] is one and s[2] is optimizer and
                                 reached(s[4], path)]
                        if steps and not one["escaped"]:
                            reader.torch.at((node, source), "an optimizer that steps twice", reader.written(node),
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
                    step[-1:] == "l" for one in steps for step in one[4]):
                self.out_of_order(steps[0][3], steps[0][5], "no update() follows, so that the second step raises",
                                  "Write scaler.update() after it.")

    def out_of_order(self, node, source, why, instead, other=None, of=None):
        self.reader.torch.at((node, source), "a step of a GradScaler out of order", self.reader.written(node), why, instead,
                             other=other if of == source else None)

    def go_round(self):
        """loss.backward() where the accelerator scales the loss."""
        reader = self.reader
        if self.whole_backward or not self.backwards or re.search(r"(accelerator|fabric)\w*\.backward\(", reader.text):
            return
        for why, node, path, source in self.asked_backward[:1]:
            for _, at, where, of in self.backwards:
                if not exclusive(path, where):
                    reader.torch.at((at, of), "a backward pass around its library", reader.written(at), *why,
                                    other=node if source == of else None)
                    return
