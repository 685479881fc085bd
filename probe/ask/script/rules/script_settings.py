"""Settings that reach nothing: made and given to no call, or changed behind the call that copied them; for the reader of scripts."""

# Calls that make settings: what takes them, without which nothing is known. They do nothing by themselves.
SETTINGS_FOR = {
    "tensorflow.compat.v1.ConfigProto": r"\.fit\(|Session\(",
    "tensorflow.data.Options": r"Dataset\b|\.fit\(",
    "onnxruntime.SessionOptions": r"InferenceSession\(",
    "transformers.BitsAndBytesConfig": r"from_pretrained\(",
    "transformers.GPTQConfig": r"from_pretrained\(",
    "diffusers.BitsAndBytesConfig": r"from_pretrained\(",
    "torch.distributed.fsdp.MixedPrecision": r"FSDP\(|FullyShardedDataParallel\(",
    "torch.distributed.fsdp.MixedPrecisionPolicy": r"fully_shard\(",
    "torch.distributed.fsdp.CPUOffload": r"FSDP\(|FullyShardedDataParallel\(",
    "accelerate.utils.FullyShardedDataParallelPlugin": r"Accelerator\(",
    "accelerate.FullyShardedDataParallelPlugin": r"Accelerator\(",
    "accelerate.DeepSpeedPlugin": r"Accelerator\(",
    "accelerate.utils.DeepSpeedPlugin": r"Accelerator\(",
    "accelerate.utils.GradientAccumulationPlugin": r"Accelerator\(",
    "accelerate.utils.FP8RecipeKwargs": r"Accelerator\(",
    "accelerate.utils.GradScalerKwargs": r"Accelerator\(",
    "accelerate.utils.DistributedDataParallelKwargs": r"Accelerator\(",
    "accelerate.DistributedDataParallelKwargs": r"Accelerator\(",
}
# The same for names of one form.
SETTINGS_BY_FORM = (
    (re.compile(r"(lightning\.pytorch|pytorch_lightning|lightning)\.(pytorch\.)?(strategies|plugins|profilers)\.(\w+\.)*[A-Z]\w+$"), r"\bTrainer\("),
    (re.compile(r"torch\.utils\.data\.(distributed\.)?(DistributedSampler|WeightedRandomSampler)$"), r"DataLoader\("),
    (re.compile(r"(tensorflow\.)?keras\.mixed_precision\.(experimental\.)?Policy$"), r"\.fit\(|layers\."),
    (re.compile(r"tensorflow\.config\.(Logical|experimental\.Virtual)DeviceConfiguration$"), r"tensorflow"),
    (re.compile(r"peft\.(LoraConfig|IA3Config|PrefixTuningConfig|AdaLoraConfig)$"), r"from_pretrained\("),
    (re.compile(r"transformers\.(Seq2Seq)?TrainingArguments$"),
     r"\btransformers\.(Seq2Seq)?Trainer\(|from transformers import (\([^)]*|[^\n]*)\b(Seq2Seq)?Trainer\b"),
    (re.compile(r"keras\.distribution\.(DataParallel|ModelParallel)$"), r"\.fit\("),
    (re.compile(r"dask_cuda\.LocalCUDACluster$"), r"\bClient\("),
    (re.compile(r"numba\.cuda\.stream$"), r"cuda\.jit"),
)
# Calls that copy the settings they are given: by place and name. What changes them behind the call changes nothing.
COPIES_SETTINGS = {
    "onnxruntime.InferenceSession": ((1, "sess_options"), (2, "providers"), (3, "provider_options")),
    "tensorflow.compat.v1.Session": ((2, "config"), ),
    "tensorflow.compat.v1.InteractiveSession": ((2, "config"), ),
    "tensorflow.Session": ((2, "config"), ),
    "deepspeed.initialize": ((9, "config"), (99, "config_params")),
}
# Variables that hold a list of flags: what stands between two of them, and behind the name of one.
LISTS_OF_FLAGS = {"XLA_FLAGS": (None, "="), "LIBTPU_INIT_ARGS": (None, "="), "TF_XLA_FLAGS": (None, "="),
                  "PYTORCH_CUDA_ALLOC_CONF": (",", ":"), "PYTORCH_ALLOC_CONF": (",", ":")}
CHANGES_SETTINGS = re.compile(r"(add|set|enable|disable|register|append|update|setdefault|insert|extend)(_\w+)?$")


TEXT_METHODS = frozenset("split splitlines readlines lower upper strip rstrip lstrip encode decode format join replace casefold as_posix".split())
NAMES_A_TEXT = re.compile(r"(\w*_)?(words?|w|tok|tokens?|text|names?|stem|suffix|path|term|url|line|string|title|n?grams?|sentence|label_name)$")

# Variables that are read when CUDA begins in a process, and hooks that run after it has.
READ_WITH_CUDA = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING",
                  "CUDA_MODULE_LOADING", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR")
HAVE_HOOKS = ((re.compile(r"(lightning\.pytorch|pytorch_lightning|lightning)\.(\w+\.)*(Callback|LightningModule)$"), "the trainer has put the model on the GPU"),
              (re.compile(r"transformers\.(\w+\.)*TrainerCallback$"), "the Trainer has put the model on the GPU"),
              (re.compile(r"(tensorflow\.)?keras\.callbacks\.Callback$"), "the model was made"))
HOOKS_OF_TRAINING = re.compile(r"on_(train|fit|validation|sanity_check|predict|test|epoch|step|batch)(_epoch|_batch)?_(start|begin|end)$|"
                               r"(training|validation|test|predict)_step$")


OPTIONS_OF_DEVICES = re.compile(r"(dist_url|init_method|dist_backend|backend|device|gpus?|gpu_ids?|world_size|n_?gpus?|num_gpus|(no_|use_)?cuda|fp16|bf16|"
                                r"precision|amp)$")
MAKES_TENSORS = re.compile(r"torch\.(randn|rand|zeros|ones|tensor|randint|full|empty|arange|from_numpy|as_tensor)$")
SAMPLERS_OF_TORCH = re.compile(r"torch\.utils\.data\.(distributed\.)?(DistributedSampler|WeightedRandomSampler)$")


class Settings(WholeFile):
    def look(self, nodes):
        self.nodes = nodes
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"tensorflow", "onnxruntime", "transformers", "diffusers", "torch", "accelerate", "deepspeed", "lightning",
                "pytorch_lightning", "keras", "peft", "dask_cuda", "numba", "jax"} & roots:
            return
        for name in LISTS_OF_FLAGS if self.says("_FLAGS|_ARGS|ALLOC_CONF") else ():
            self.flags_replaced(name)
        asked_for = {id(self.shuffles_unless_sampled(call)) for call in self.tracing.index.calls if self.full(
            call.func) == "torch.utils.data.DataLoader"}
        for call in self.tracing.index.calls:
            name = self.full(call.func)
            where = SETTINGS_FOR.get(name) or next((text for form, text in SETTINGS_BY_FORM if form.match(name)), None) if name else None
            if where and self.says(where) and id(call) not in asked_for and not self.reader.unused_configurations and self.unused(call, 4):
                self.mistake(call, "settings that nothing is given", other=(
                    self.epochs_of(call) or self.loader_beside(call)) if SAMPLERS_OF_TORCH.match(name) else None)
            if name.endswith(".Trainer"):
                self.reported_at_its_option(call)
            if name in COPIES_SETTINGS:
                self.changed_behind(nodes, call, COPIES_SETTINGS[name])
        if self.says(r"add_argument\("):
            self.options_that_are_replaced()
        if self.says(r"\bFlask\(") and not self.says("WERKZEUG_RUN_MAIN"):
            self.loaded_again_by_a_reloader()
        if self.says(r"\.device = "):
            self.choices_that_are_replaced()
        if self.says(r"\.prepare\("):
            self.prepared_in_vain()
        if self.says("PYTHONHASHSEED"):
            self.hashes_of_each_run(nodes)
        if self.says(r"class \w+\((?:[^)\n]*(?:Callback|LightningModule))"):
            self.set_in_a_hook(nodes)

    # ---- options of devices

    def options_that_are_replaced(self):
        """args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu"), of an option --device that nothing read before."""
        if self.says(r"\b(get|set|has)attr\(args|__dict__|set_defaults|SUPPRESS"):
            return
        for one in self.nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name) or not OPTIONS_OF_DEVICES.match(target.attr):
                continue
            made = self.origins.calls_of_option(target.attr)
            parsed = [each for each in self.origins.known(target.value)]
            if len(made) != 1 or not parsed or not all(isinstance(each, ast.Call) and getattr(each.func, "attr", "") == "parse_args" for each in parsed):
                continue
            block = self.origins.block_of(one)
            holder = self.origins.parents.get(id(one))
            straight = isinstance(holder, (ast.Module, ast.FunctionDef)) or isinstance(holder, ast.If) and "__name__" in self.written(holder.test)
            at = next((n for n, each in enumerate(block) if each is one), None)
            begun = next((n for n, each in enumerate(block) if isinstance(each, ast.Assign) and each.value is parsed[0]), None)
            if straight and at is not None and begun is not None and begun < at and self.says_nothing_of_options(one.value, target.value.id) and not any(
                    self.may_read(each, target) for each in block[begun + 1:at]) and not re.search(
                        r"(?i)ignored|deprecated|unused|overrid|automatic|overwrit|do not|not used|auto", self.reader.written_whole(made[0])):
                self.mistake(one, "an option that is replaced", target.attr, other=made[0])

    def choices_that_are_replaced(self):
        """args.device = "cpu" if args.no_cuda else "cuda"; work(args), which sets args.device to the GPU wherever there is one."""
        sets = [one for one in self.nodes if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(
            one.targets[0], ast.Attribute) and one.targets[0].attr == "device" and isinstance(one.targets[0].value, ast.Name)]
        for first in sets:
            asked = next((part for part in ast.walk(first.value) if isinstance(part, ast.Attribute) and AGAINST_GPU.match(part.attr)), None)
            for second in sets if asked is not None else ():
                of, said = self.origins.scope(second), self.written(second.value)
                if not isinstance(of, ast.FunctionDef) or of is self.origins.scope(first) or not any(one is second for one in of.body) or not re.search(
                        r"['\"]cuda[^\n]* if torch\.cuda\.is_available\(\) else ", said) or self.written(second.targets[0].value) not in {
                            one.arg for one in of.args.args}:
                    continue
                before = of.body[:next(n for n, one in enumerate(of.body) if one is second)]
                names = {asked.attr, "device"}
                reads = [part for one in before + [second.value] for part in ast.walk(one) if isinstance(
                    part, ast.Attribute) and part.attr in names and self.full(part) != "torch.device"]
                given = [site for site in self.origins.sites(of) if self.origins.scope(site.call) is self.origins.scope(first) and site.call.lineno > first.lineno]
                if given and len(given) == len(self.origins.sites(of)) and not reads and not any(isinstance(part, (
                        ast.Return, ast.Raise)) for one in before for part in ast.walk(one)):
                    self.mistake(second, "a choice that is replaced", self.written(first), other=first)

    def says_nothing_of_options(self, value, name):
        """Whether a value is a constant, an address of this machine, or asks what there is: nothing of options, settings or variables."""
        said = self.written(value)
        if isinstance(value, ast.BinOp):
            parts = [one for one in ast.walk(value) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            return any(re.match(r"tcp://(127\.0\.0\.1|localhost)", one.value) for one in parts) and not re.search(r"\b%s\." % name, said)
        calls = [self.full(one.func) for one in ast.walk(value) if isinstance(one, ast.Call)]
        names = [one for one in ast.walk(value) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id != "torch"]
        return not names and all(one in ("torch.device", "torch.cuda.is_available", "torch.cuda.device_count") for one in calls) and (
            bool(calls) or isinstance(value, ast.Constant) and value.value is not None)

    def may_read(self, statement, target):
        """Whether a statement may read an option: it names it, or hands all options, or a function of the file, to what runs then."""
        name = self.written(target.value)
        for one in ast.walk(statement):
            if isinstance(one, ast.Attribute) and one.attr == target.attr:
                return True
            if isinstance(one, ast.Call) and self.written(one.func) not in ("print", "vars", "logger.info", "logging.info", "json.dumps") and any(
                    isinstance(part, ast.Name) and part.id == name for part in list(one.args) + [k.value for k in one.keywords]):
                return True
            if isinstance(one, ast.Call) and any(re.search(r"\.%s\b" % target.attr, self.reader.written_whole(of))
                                                 for of in self.origins.functions_of(one.func)):
                return True
        return isinstance(statement, (ast.If, ast.Try, ast.With, ast.For, ast.While)) and any(
            isinstance(one, (ast.Return, ast.Raise)) for one in ast.walk(statement))

    # ---- servers

    def loaded_again_by_a_reloader(self):
        """model = from_pretrained(…, device_map="auto"); app.run(debug=True): the reloader runs the file in a second process as well."""
        for call in self.tracing.index.calls:
            if getattr(call.func, "attr", "") != "run" or self.made_by(call.func.value, "flask.Flask", surely=True) is None:
                continue
            reloads, debug = self.word(call, "use_reloader"), self.given(call, 2, "debug")
            if self.said(reloads if reloads is not None else debug) is not True:
                continue
            loads = next((one for one in self.tracing.index.calls if self.origins.scope(one) is None and one.lineno < call.lineno and self.is_on_gpu(one)), None)
            if loads is not None:
                return self.mistake(call, "a model that a reloader loads twice", self.written(loads.func) + "()", other=loads)

    def is_on_gpu(self, call):
        """from_pretrained() with a device map or quantized, or pipeline() and .to() with a GPU, or .cuda()."""
        name = getattr(call.func, "attr", "") or self.full(call.func)
        if name == "from_pretrained":
            where = self.said(self.word(call, "device_map"))
            return where in ("auto", "balanced", "sequential") or isinstance(where, str) and where.startswith("cuda") or self.made_by(
                self.word(call, "quantization_config"), "transformers.BitsAndBytesConfig") is not None
        if name not in ("to", "cuda") or not isinstance(call.func, ast.Attribute) or any(self.written(call.func).startswith(one) for one in ("torch.", "os.")):
            return False
        made = [one for one in self.origins.known(call.func.value, True) if isinstance(one, ast.Call)]
        if not made or not all(re.search(r"\.from_pretrained$|\.load_model$|^torchvision\.models\.\w+$|\.hub\.load$|^torch\.(load|jit\.load)$", self.full(one.func)) for one in made):
            return False
        values = self.origins.known(call.args[0]) if call.args else []
        return name == "cuda" or any(re.match(r"(torch\.device\()?['\"]cuda", self.written(one)) for one in values)

    # ---- what accelerate gives back

    def prepared_in_vain(self):
        """batch = accelerator.prepare(tokenizer(text, return_tensors="pt")), which moves neither tensors nor dictionaries of them."""
        for call in self.tracing.index.calls:
            if getattr(call.func, "attr", "") != "prepare" or self.made_by(call.func.value, "accelerate.Accelerator") is None or isinstance(
                    self.origins.parents.get(id(call)), ast.Attribute):
                continue
            for one in call.args:
                values = self.origins.of(one)
                if values and all(isinstance(each, ast.Call) and not any(k.arg == "device" for k in each.keywords) and (MAKES_TENSORS.match(
                        self.full(each.func)) or self.said(self.word(each, "return_tensors")) == "pt") for each in values):
                    self.mistake(call, "tensors that prepare leaves where they are", self.written(one))
                    break

    # ---- samplers

    def epochs_of(self, sampler):
        """Where such a sampler is told the epoch, as if something drew from it."""
        return next((call for call in self.tracing.index.calls if getattr(call.func, "attr", "") == "set_epoch" and self.made_by(
            call.func.value, self.full(sampler.func)) is sampler), None)

    def loader_beside(self, sampler):
        """The one loader of the sampler's function, over the data of the sampler, which should have got it."""
        of = self.origins.scope(sampler)
        found = [call for call in self.tracing.index.calls if self.full(call.func) == "torch.utils.data.DataLoader" and self.origins.scope(
            call) is of and call.args and sampler.args and self.written(call.args[0]) == self.written(sampler.args[0])]
        return found[0] if len(found) == 1 else None

    def shuffles_unless_sampled(self, loader):
        """DataLoader(data, shuffle=sampler is None), which isn't given the sampler: with one, nothing shuffles and nothing is shared out.
        Gives back the sampler."""
        if len(loader.args) > 3 or any(k.arg in ("sampler", "batch_sampler", None) for k in loader.keywords) or any(isinstance(
                one, ast.Starred) for one in loader.args) or self.says(r"\.prepare\(|\.setup_dataloaders\(|\bTrainer\("):
            return None
        shuffle = self.value_of(self.given(loader, 2, "shuffle"))
        if isinstance(shuffle, ast.IfExp) and self.said(shuffle.body) in (True, False) and self.said(shuffle.orelse) in (True, False):
            shuffle = shuffle.test
        asks = shuffle.left if isinstance(shuffle, ast.Compare) and len(shuffle.ops) == 1 and self.is_none(shuffle.comparators[0]) else \
            shuffle.operand if isinstance(shuffle, ast.UnaryOp) and isinstance(shuffle.op, ast.Not) else shuffle
        sampler = self.made_by(asks, SAMPLERS_OF_TORCH) if isinstance(asks, (ast.Name, ast.Attribute)) else None
        if sampler is not None and not any(isinstance(one, (ast.If, ast.IfExp)) and any(
                self.written(part) == self.written(asks) for part in ast.walk(one.test)) for one in self.origins.around(loader)):
            self.mistake(loader, "a loader without the sampler that it asks for", self.written(asks), other=sampler)
        return sampler

    # ---- settings of a trainer

    def reported_at_its_option(self, call):
        """options = dict(deterministic=True, benchmark=True); Trainer(**options): it is reported at the line of the option to take away."""
        name, option = "arguments of a trainer that contradict each other", self.word(call, "benchmark")
        before = [e for e in self.reader.events if e.get("name") == name and e["line"] == call.lineno and "benchmark" in str(e.get("first"))]
        line = getattr(option, "lineno", call.lineno)
        if before and self.said(option) is True and not call.lineno <= line <= (getattr(call, "end_lineno", None) or call.lineno):
            self.reader.events.remove(before[0])
            self.reader.mistake(option, name, before[0].get("value"), before[0].get("first"), before[0].get("second"), other=call)

    # ---- set too late for a trainer

    def set_in_a_hook(self, nodes):
        """class Setup(Callback): def on_train_start(…): os.environ["PYTORCH_CUDA_ALLOC_CONF"] = …, when the model is on the GPU."""
        for of in nodes:
            kinds = [text for form, text in HAVE_HOOKS if isinstance(of, ast.ClassDef) and any(form.match(self.full(base)) for base in of.bases)]
            for method in of.body if kinds else ():
                if not isinstance(method, ast.FunctionDef) or not HOOKS_OF_TRAINING.match(method.name):
                    continue
                for one in (one for part in method.body for one in ast.walk(part)):
                    name = next((name for name in READ_WITH_CUDA if self.says(name) and self.sets_variable(one, name)), None)
                    if name is not None and not any(isinstance(outer, ast.FunctionDef) and outer is not method for outer in [
                            self.origins.scope(one)]) and not self.says(r"subprocess|accelerator *= *['\"](cpu|tpu)"):
                        self.reader.mistake(one, "a variable that was read before", name, kinds[0], "in %s" % method.name, doubted=True)

    # ---- set too late for Python itself

    def hashes_of_each_run(self, nodes):
        """os.environ["PYTHONHASHSEED"] = "0", and hash(word) % buckets: Python has read the variable when it started."""
        sets = next((one for one in nodes if self.sets_variable(one, "PYTHONHASHSEED")), None)
        if sets is None or any(re.match(r"os\.(exec|spawn|posix_spawn)", self.full(call.func)) for call in self.tracing.index.calls) or self.says(
                r"sys\.executable|['\"]spawn['\"]"):
            return
        for call in self.tracing.index.calls:
            if getattr(call.func, "id", "") == "hash" and len(call.args) == 1 and not self.origins.functions_of(call.func) and self.is_text(
                    call.args[0]) and self.becomes_a_number(call):
                return self.mistake(sets, "a seed of hashes that comes too late", self.written(call), other=call)

    def sets_variable(self, node, name):
        """os.environ[NAME] = …, os.environ.setdefault(NAME, …), os.putenv(NAME, …), os.environ.update({NAME: …}) or update(NAME=…)"""
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            return self.full(node.targets[0].value) == "os.environ" and self.said(node.targets[0].slice) == name
        if not isinstance(node, ast.Call) or self.full(node.func) not in ("os.environ.setdefault", "os.putenv", "os.environ.update"):
            return False
        first = self.value_of(node.args[0]) if node.args else None
        return any(k.arg == name for k in node.keywords) or self.said(first) == name or isinstance(first, ast.Dict) and any(
            self.said(key) == name for key in first.keys if key is not None)

    # ---- lists of flags

    def flags_replaced(self, name):
        """os.environ["XLA_FLAGS"] = "--a", and then = "--b", on a way that goes through both: the first flag is lost."""
        sets = [one for one in self.nodes if isinstance(one, ast.Assign) and self.sets_variable(one, name) and isinstance(
            self.said(one.value), str)]
        for number, second in enumerate(sets):
            for first in sets[:number]:
                lost = self.flags_of(name, first) - self.flags_of(name, second)
                if lost and self.both_run(first, second):
                    return self.mistake(second, "flags that replace others", name, ", ".join(sorted(lost)), other=first)

    def flags_of(self, name, node):
        between, behind = LISTS_OF_FLAGS[name]
        return {flag.split(behind)[0].strip() for flag in self.said(node.value).split(between) if flag.strip()}

    def both_run(self, first, second):
        """Whether two statements of one block run one after the other with no work between, each maybe under a switch of its own."""
        one, other = self.switched(first), self.switched(second)
        if one is None or other is None or one is other or self.says("mutually_exclusive|fork|Process"):
            return False
        if isinstance(other, ast.If) and (not isinstance(one, ast.If) or self.written(one.test) == self.written(other.test)):
            return False  # a default that a switch replaces
        block = self.origins.block_of(one)
        if block is None or block is not self.origins.block_of(other):
            return False
        begin, end = (next(at for at, each in enumerate(block) if each is part) for part in (one, other))
        return begin < end and not any(getattr(call.func, "id", "") != "print" for call in calls_in(block[begin + 1:end]))

    def switched(self, statement):
        """A statement itself, or the `if switch:` whose body it is alone with others that go on; None: something else decides."""
        around = self.origins.parents.get(id(statement))
        if not isinstance(around, ast.If):
            return statement if isinstance(around, (ast.Module, ast.FunctionDef)) else None
        if around.orelse or not isinstance(around.test, (ast.Name, ast.Attribute, ast.Subscript)) or any(isinstance(
                one, (ast.Return, ast.Raise, ast.Break, ast.Continue)) for one in ast.walk(around)):
            return None
        return around if isinstance(self.origins.parents.get(id(around)), (ast.Module, ast.FunctionDef)) else None

    def is_text(self, node):
        """Whether a value is a text by how it is made, or by its name."""
        made = [one for one in [node] + [getattr(one, "of", one) for one in self.origins.of(node)] if isinstance(one, ast.AST)]
        parts = [each for one in made for each in (one.elts if isinstance(one, ast.Tuple) else [one])]
        return any(isinstance(one, ast.JoinedStr) or isinstance(one, ast.Constant) and isinstance(one.value, (str, bytes)) or isinstance(
            one, ast.Call) and (getattr(one.func, "id", "") == "str" or getattr(one.func, "attr", "") in TEXT_METHODS) or
                   NAMES_A_TEXT.match(getattr(one, "id", getattr(one, "attr", ""))) or isinstance(one, ast.Subscript) and isinstance(
                       one.value, ast.Name) and NAMES_A_TEXT.match(one.value.id) and isinstance(one.slice, ast.Slice) for one in parts)

    def becomes_a_number(self, call):
        """hash(x) % n, abs(hash(x)) & mask, h = hash(x); h % n, or manual_seed(hash(x)): also behind the result of a function."""
        def is_hash(node):
            inner = node.args[0] if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("abs", "int") and len(node.args) == 1 else node
            return any(one is call or one is not node and isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("abs", "int") and call in one.args
                       for one in [inner] + self.origins.of(inner))

        for one in self.nodes:
            if isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Mod, ast.BitAnd)) and (is_hash(one.left) or is_hash(one.right)):
                return True
            if isinstance(one, ast.Call) and re.search(r"seed|default_rng|PRNGKey|Random", self.written(one.func)) and any(map(is_hash, one.args)):
                return True
        return False

    # ---- made for nobody

    def unused(self, node, deepest):
        """Whether a value is bound to a name, or returned to callers who bind it, and nothing is given it."""
        outer = self.origins.parents.get(id(node))
        while isinstance(outer, ast.IfExp) and outer.test is not node:  # make() if several else None
            node, outer = outer, self.origins.parents.get(id(outer))
        if isinstance(outer, (ast.Assign, ast.AnnAssign)) and outer.value is node:
            targets = outer.targets if isinstance(outer, ast.Assign) else [outer.target]
            return len(targets) == 1 and self.name_goes_nowhere(targets[0], deepest)
        return isinstance(outer, ast.Return) and self.returned_for_nothing(outer, deepest)

    def returned_for_nothing(self, statement, deepest, at=None):
        """`at`: the value's place in return loader, sampler."""
        of = self.origins.scope(statement)
        sites = self.origins.sites(of) if isinstance(of, ast.FunctionDef) and deepest > 0 else ()
        return bool(sites) and all(getattr(site.call.func, "id", "") == of.name and (self.unused(
            site.call, deepest - 1) if at is None else self.item_unused(site.call, at, deepest - 1)) for site in sites)

    def item_unused(self, call, at, deepest):
        """Whether loader, sampler = make() leaves the item of this place unused."""
        outer = self.origins.parents.get(id(call))
        to = outer.targets[0] if isinstance(outer, ast.Assign) and outer.value is call and len(outer.targets) == 1 else None
        return isinstance(to, ast.Tuple) and at < len(to.elts) and not any(isinstance(one, ast.Starred) for one in to.elts) and self.name_goes_nowhere(
            to.elts[at], deepest)

    @staticmethod
    def is_none(node):
        return isinstance(node, ast.Constant) and node.value is None

    def name_goes_nowhere(self, target, deepest):
        if not isinstance(target, ast.Name) or self.says(r"locals\(\)|globals\(\)|__all__|\bexec\("):
            return False
        of = self.origins.scope(target)
        if isinstance(of, ast.ClassDef) and any(isinstance(one, ast.Attribute) and one.attr == target.id for one in self.origins.nodes):
            return False  # self.NAME
        for one in self.origins.nodes:
            if isinstance(one, ast.Name) and one.id == target.id and isinstance(one.ctx, ast.Load) and (
                    self.is_of_file(one) if of is None else any(around is of for around in self.origins.around(one))) and not self.only_looked_at(
                        one, deepest):
                return False
        return not (isinstance(of, ast.FunctionDef) and target.id in self.origins.shared(of))

    def is_of_file(self, name):
        """Whether a name may be the file's own: no function around it binds one of its own."""
        return not any(isinstance(of, ast.FunctionDef) and any(
            isinstance(one, ast.arg) and one.arg == name.id or isinstance(one, ast.Name) and one.id == name.id and isinstance(one.ctx, ast.Store)
            for one in ast.walk(of)) and not any(isinstance(one, (ast.Global, ast.Nonlocal)) for one in ast.walk(of)) for of in self.origins.around(name))

    def only_looked_at(self, read, deepest):
        """Whether a read sets a field of the settings, calls a method of theirs as a statement, prints them or returns them for nothing."""
        one, outer = read, self.origins.parents.get(id(read))
        if isinstance(outer, ast.Return):
            return self.returned_for_nothing(outer, deepest)
        around = self.origins.parents.get(id(outer))
        if isinstance(outer, ast.Tuple) and isinstance(around, ast.Return):
            return self.returned_for_nothing(around, deepest, next(at for at, each in enumerate(outer.elts) if each is one))
        if isinstance(outer, ast.Compare) and all(self.is_none(each) for each in outer.comparators) or isinstance(
                outer, (ast.If, ast.IfExp)) and outer.test is one or isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
            return True  # sampler is None, if sampler:
        while isinstance(outer, (ast.Attribute, ast.Subscript)):
            if not isinstance(outer.ctx, ast.Load):
                return True
            one, outer = outer, self.origins.parents.get(id(outer))
        if isinstance(outer, ast.Call) and outer.func is one and one is not read:
            return isinstance(self.origins.parents.get(id(outer)), ast.Expr)
        return isinstance(outer, ast.Call) and getattr(outer.func, "id", "") == "print" or isinstance(outer, ast.FormattedValue)

    # ---- changed too late

    def changed_behind(self, nodes, call, takes):
        """session = InferenceSession(path, options); options.intra_op_num_threads = 4, which nothing takes any more."""
        statement = next((one for one in self.origins.around(call) if isinstance(one, ast.stmt)), None)
        block = self.origins.block_of(statement)
        for at, word in takes:
            given = self.given(call, at, word)
            names = {one.id for one in ast.walk(given) if isinstance(one, ast.Name)} if given is not None else set()
            for number, later in enumerate(block):
                name = self.changes(later)
                if later.lineno > statement.lineno and name in names and self.is_changed_object(name, given) and not self.read_again(
                        name, block, number, statement):
                    self.mistake(later, "settings that are changed behind the call that takes them", name, self.written(call.func), other=call)
                    return
            if isinstance(given, (ast.Name, ast.Attribute)) and self.changed_elsewhere(self.written(given), call, block, statement):
                return

    def changed_elsewhere(self, name, call, block, statement):
        """self.session = InferenceSession(path, self.options); self.strict(), which adds to self.options; and for … of what is added."""
        if name == "self" or any(isinstance(one, (ast.For, ast.While)) for one in self.origins.around(statement)):
            return False
        function = next((one for one in self.origins.around(call) if isinstance(one, ast.FunctionDef)), None)
        if function is not None and name in {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}:
            return False  # who gave them may give them to the next
        behind = [one for one in block if one.lineno > statement.lineno]
        if sum(self.full(one.func) == self.full(call.func) for one in self.tracing.index.calls) > 1:
            return False  # the next session may take them
        for later in behind:
            if isinstance(later, (ast.For, ast.With, ast.Assign, ast.Expr)) and self.changing(later, name) is not None:
                return self.told_late(self.changing(later, name), name, name, call)
            called = later.value if isinstance(later, ast.Expr) and isinstance(later.value, ast.Call) else None
            for of in self.origins.functions_of(called.func) if called is not None else ():
                if not isinstance(of, ast.FunctionDef) or sum(any(to is of for to in self.origins.functions_of(
                        one.func)) for one in self.tracing.index.calls) != 1:
                    continue
                takes = [one.arg for one in of.args.args][isinstance(called.func, ast.Attribute) and bool(of.args.args) and of.args.args[0].arg == "self":]
                inner = name if name.startswith("self.") and isinstance(called.func, ast.Attribute) and self.written(called.func.value) == "self" else next(
                    (word for word, one in zip(takes, called.args) if self.written(one) == name), None)
                change = next(filter(None, (self.changing(one, inner) for one in of.body)), None) if inner else None
                if change is not None:
                    return self.told_late(change, inner, name, call, called)
        return False

    def told_late(self, change, inner, name, call, called=None):
        """Tells of a change, unless something else in the file reads the settings behind the call."""
        for one in self.nodes:
            if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load) and self.written(one) == name and one.lineno > call.lineno:
                around = self.origins.parents.get(id(one))
                inside = any(part is call or part is called for part in self.origins.around(one))
                if not inside and not (isinstance(around, ast.Attribute) and (not isinstance(around.ctx, ast.Load) or CHANGES_SETTINGS.match(around.attr))):
                    return False
        self.mistake(change, "settings that are changed behind the call that takes them", inner, self.written(call.func), other=call)
        return True

    def changing(self, statement, name):
        """The statement in a statement that changes a field of what has this name: name.field = …, name.add_entry(…)."""
        for one in ast.walk(statement):
            target = one.targets[0] if isinstance(one, ast.Assign) else one.value.func if isinstance(one, ast.Expr) and isinstance(
                one.value, ast.Call) and isinstance(one.value.func, ast.Attribute) and CHANGES_SETTINGS.match(one.value.func.attr) else None
            if isinstance(target, (ast.Attribute, ast.Subscript)) and self.written(target.value) == name:
                return one
        return None

    @staticmethod
    def changes(statement):
        """The name of what a statement changes a field or item of."""
        of = statement.targets[0] if isinstance(statement, ast.Assign) else statement.value.func if isinstance(
            statement, ast.Expr) and isinstance(statement.value, ast.Call) and isinstance(
                statement.value.func, ast.Attribute) and CHANGES_SETTINGS.match(statement.value.func.attr) else None
        if not isinstance(of, (ast.Attribute, ast.Subscript)):
            return None
        while isinstance(of, (ast.Attribute, ast.Subscript)):
            of = of.value
        return of.id if isinstance(of, ast.Name) and of.id not in ("self", "cls") else None

    def is_changed_object(self, name, given):
        """Whether the settings themselves are given, or stand in a list or dictionary that is: not a number of theirs."""
        return not any(isinstance(one, (ast.Attribute, ast.Subscript, ast.Call, ast.comprehension)) and any(getattr(
            part, "id", "") == name for part in ast.walk(one)) for one in ast.walk(given))

    def read_again(self, name, block, number, statement):
        """Whether something takes the settings after all: a later statement, or the next round of a loop."""
        if any(isinstance(one, (ast.For, ast.While)) for one in self.origins.around(statement)):
            return True
        for later in block[number:]:
            own = self.changes(later) == name
            reads = [one for one in ast.walk(later) if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)]
            if len(reads) > own:
                return True
        return False
