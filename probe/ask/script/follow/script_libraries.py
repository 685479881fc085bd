"""What libraries above PyTorch take, and the programs that a script starts, for the reader of scripts."""
import shlex

TRAINERS = re.compile(r"(lightning|pytorch_lightning)(\.pytorch)?(\.trainer)*\.Trainer$")
FABRICS = re.compile(r"(lightning|lightning\.fabric|lightning_fabric)\.Fabric$")
# Tried on lightning 2.6: what Trainer and Fabric take, and what only 1.x took.
ACCELERATORS = ("cpu", "gpu", "cuda", "mps", "tpu", "hpu", "auto", "xla")
PRECISIONS = ("16", "32", "64", "bf16", "16-true", "16-mixed", "bf16-true", "bf16-mixed", "32-true", "64-true",
              "transformer-engine", "transformer-engine-float16", "nf4", "nf4-dq", "fp4", "fp4-dq", "int8",
              "int8-training")
STRATEGIES = re.compile(r"(auto|ddp(_spawn|_fork|_notebook)?(_find_unused_parameters_(true|false))?|fsdp(_cpu_offload)?|dp|"
                        r"deepspeed(_stage_[123](_offload(_nvme)?)?|_offload)?|single_device|single_xla|single_tpu|xla(_debug|_fsdp)?|"
                        r"tpu_spawn(_debug)?|model_parallel|hpu_\w+|single_hpu|\w*hpu\w*|\w*xpu\w*|\w*npu\w*)$")
GONE_STRATEGIES = ("dp", "ddp2", "ddp_sharded", "ddp_fully_sharded", "horovod", "bagua", "collaborative", "ddp_cpu",
                   "ddp_sharded_spawn", "fsdp_native")
# Strategies that start the program again, or copies of it: of lightning 2.6, they raise where it is interactive.
NO_NOTEBOOK = re.compile(r"(ddp(_spawn)?(_find_unused_parameters_(true|false))?|fsdp(_cpu_offload)?|deepspeed(_\w+)?)$")
DTYPES = ("auto", "float16", "bfloat16", "float32", "float64", "half", "float", "double", "float8_e4m3fn",
          "float8_e5m2")
DEVICE_MAPS = ("auto", "balanced", "balanced_low_0", "sequential")
MIXED = ("no", "fp16", "bf16", "fp8")
TOKENIZERS = re.compile(r"(Tokenizer|TokenizerFast|Processor|FeatureExtractor)$")
MOVED_ELSEWHERE = ("device_map", "quantization_config", "load_in_8bit", "load_in_4bit", None)



class Libraries:
    """Transformers, Accelerate and Lightning."""

    def __init__(self, reader):
        self.reader = reader

    def call(self, node, name, values, words):
        parts = name.split(".")
        if name == "argparse.ArgumentParser":
            return Thing("parser")
        if name in ("types.SimpleNamespace", "argparse.Namespace"):
            made = Thing("instance")
            made.attributes.update({word: value for word, value in words.items() if word})
            return made
        if parts[0] == "numpy" and self.doubles(parts, values, words):
            return Thing("ndarray", double=True)
        placed = self.reader.offload.pipeline_model(node, parts, values, words)
        if placed is not None:
            return placed
        if TRAINERS.match(name) or FABRICS.match(name):
            return self.trainer(node, words, bool(FABRICS.match(name)))
        if parts[0] == "accelerate" and parts[-1] == "Accelerator":
            self.one_of(node, "Accelerator(mixed_precision=…)", words, "mixed_precision", MIXED)
            self.reader.training.library(node, "accelerator", values, words)
            moves = not {"cpu", "device_placement", None} & set(words)
            return Thing("accelerator", prepares="prepare", moves=moves)
        if parts[0] == "transformers" and len(parts) > 1:
            return self.transformers(node, parts, values, words)
        return None

    @staticmethod
    def doubles(parts, values, words):
        """Arrays of NumPy's that are of double precision unless a kind is given."""
        if "dtype" in words:
            return isinstance(words["dtype"], Name) and words["dtype"].full in ("numpy.float64", "numpy.double")
        if None in words:
            return False
        if parts[1:] in (["stack"], ["concatenate"], ["vstack"], ["hstack"], ["asarray"], ["ascontiguousarray"]) and values:
            of = values[0]["item"] if isinstance(values[0], Thing) and values[0].kind == "sequence" else \
                values[0].items[0] if isinstance(values[0], Many) and values[0].items else values[0]
            return isinstance(of, Thing) and of.kind == "ndarray"
        if parts[1:] in (["genfromtxt"], ["loadtxt"]):
            return len(values) < 2
        if parts[1:] in (["zeros"], ["ones"], ["empty"], ["eye"], ["identity"]):
            return len(values) < 2
        if parts[1:] in (["linspace"], ["logspace"]):
            return len(values) < 4
        if parts[1:2] == ["random"] and parts[-1] in ("rand", "randn", "random", "normal", "uniform", "standard_normal",
                                                      "random_sample"):
            return True
        given = values[0].items if parts[1:] == ["array"] and len(values) == 1 and isinstance(values[0], Many) else []
        given = [i for one in given for i in (one.items if isinstance(one, Many) else [one])]
        return bool(given) and all(is_number(v) and isinstance(v, Text) for v in given) and any(
            isinstance(v.value, float) for v in given)

    @staticmethod
    def cast(thing, node, kind):
        """x.astype(np.float64): an array of NumPy's, of double precision or not."""
        named = isinstance(kind, Name) and kind.full in ("numpy.float64", "numpy.double")
        if named or text_of(kind) in ("float64", "double"):
            return Thing("ndarray", double=True)
        return Thing("ndarray") if isinstance(thing, Thing) and thing.kind == "ndarray" else None

    @staticmethod
    def is_dropped(thing, call):
        """accelerator.prepare(loader): what it gives back is what matters; a model alone is moved in place, too."""
        attribute, given = call.func.attr, call.args
        if thing["prepares"] == attribute and len(given) > 1:
            return True
        loader = given and isinstance(given[0], (ast.Name, ast.Attribute)) and TENSOR_LOADER.search(
            getattr(given[0], "id", getattr(given[0], "attr", "")))
        if thing["prepares"] == attribute:
            return bool(loader)
        return attribute in ("prepare_data_loader", "prepare_model", "prepare_optimizer", "setup_dataloaders",
                             "setup_module", "setup_optimizers")

    def one_of(self, node, of, words, word, known):
        said = text_of(words.get(word))
        if said is not None and said not in known:
            self.reader.mistake(words.nodes.get(word, self.reader.keyword_of(node, word)), "a value that its library doesn't know", said, of, ", ".join(known[:8]))

    def trainer(self, node, words, fabric):
        accelerator, strategy, devices = (text_of(words.get(word)) for word in ("accelerator", "strategy", "devices"))
        if accelerator and accelerator.lower() not in ACCELERATORS:
            self.one_of(node, "accelerator=", words, "accelerator", ACCELERATORS)
        self.one_of(node, "precision=", words, "precision", PRECISIONS)
        if strategy in GONE_STRATEGIES or is_form(words.get("strategy")) and strategy and not STRATEGIES.match(
                strategy) and "egistry" not in self.reader.text and not self.reader.pinned_for("lightning"):
            self.one_of(node, "strategy=", words, "strategy", ("auto", "ddp", "ddp_spawn", "fsdp", "deepspeed"))
        nothing = isinstance(words.get("devices"), Many) and not words["devices"].items and not words["devices"].open
        if devices == "0" or nothing:
            at = words.nodes.get("devices", self.reader.keyword_of(node, "devices"))
            self.reader.mistake(at, "a trainer without devices", "devices=%s" % (devices or "[]"))
        alone = words.nodes.get("strategy", self.reader.keyword_of(node, "strategy"))
        if strategy and NO_NOTEBOOK.match(strategy) and self.reader.cell and not self.reader.source:
            self.reader.mistake(alone, "a strategy that starts the script again", strategy)
        self.contradictions(node, words, accelerator, strategy, fabric)
        if fabric:
            self.reader.training.library(node, "fabric", (), words)
        if devices and not re.match(r"(auto|-?\d+(\s*,\s*\d+)*,?)$", devices):
            self.one_of(node, "devices=", words, "devices", ("auto", "1", "0,1"))
        return Thing("trainer", accelerator=accelerator, moves_auto=None not in words and not isinstance(
            words.get("accelerator"), (Thing, Place)), prepares="setup" if fabric else None, lightning=True,
                     moves=fabric and None not in words and
                     (accelerator in ("gpu", "cuda", "auto") or "accelerator" not in words))

    def contradictions(self, node, words, accelerator, strategy, fabric):
        """Arguments of a trainer of which one leaves the other without effect, or raises."""
        def is_true(word):
            return isinstance(words.get(word), Text) and words[word].value is True

        why = instead = None
        if accelerator == "cpu" and text_of(words.get("precision")) in ("16-mixed", "16"):
            why = "the CPU has no precision='16-mixed', and takes 'bf16-mixed'"
            instead = "Write precision='bf16-mixed'."
        elif is_true("deterministic") and is_true("benchmark"):
            why = "deterministic=True has no effect on cuDNN where benchmark=True"
            instead = "Leave benchmark out."
        elif accelerator in ("cpu", "mps") and re.match(r"fsdp", strategy or ""):
            why, instead = "FSDP needs accelerator='gpu', and it raises", "Write accelerator='gpu', or strategy='ddp'."
        elif accelerator == "mps" and re.match(r"ddp", strategy or ""):
            why, instead = "MPS takes no strategy of several processes, and it raises", "Leave strategy out."
        if why:
            self.reader.mistake(node, "arguments of a trainer that contradict each other",
                                "Fabric" if fabric else "Trainer", why, instead)

    def workers_of(self, node, words):
        """TrainingArguments(dataloader_prefetch_factor=2) without workers."""
        count = words.get("dataloader_num_workers", Text(0))
        factor = words.get("dataloader_prefetch_factor")
        if isinstance(count, Text) and count.value == 0 and is_number(factor) and None not in words:
            self.reader.mistake(node, "arguments that exclude each other", "TrainingArguments(…)",
                                "dataloader_prefetch_factor needs dataloader_num_workers of 1 or more",
                                "Give dataloader_num_workers, or leave it out.")

    def transformers(self, node, parts, values, words):
        torch, last = self.reader.torch, parts[-1]
        if last == "pipeline":
            torch.named_place(node, words.get("device"))
            self.dtype(node, words)
            self.reader.offload.of_pipeline(node, words, values)
        if last == "BitsAndBytesConfig":
            eight, four = (isinstance(words.get("load_in_%dbit" % bits), Text) and words["load_in_%dbit" % bits].value is True
                           for bits in (8, 4))
            if eight and four:
                self.reader.mistake(node, "two kinds of half precision", "load_in_4bit with load_in_8bit")
            return Thing("quantization", bits=8 if eight else 4 if four else None)
        if last in ("Trainer", "Seq2SeqTrainer"):
            model = words.get("model", values[0] if values else None)
            arguments = words.get("args", values[1] if len(values) > 1 else None)
            on_cpu = isinstance(arguments, Thing) and arguments["on_cpu"]
            return Thing("trainer", model=model if isinstance(model, Thing) and not on_cpu else None)
        if last.endswith("TrainingArguments"):
            self.workers_of(node, words)
            for pair in (("fp16", "bf16"), ("fp16_full_eval", "bf16_full_eval")):
                self.both_halves(node, pair, words)
            cpu = words.get("use_cpu", words.get("no_cuda"))
            return Thing("arguments", on_cpu=cpu is not None and not (isinstance(cpu, Text) and cpu.value is False))
        if last not in ("from_pretrained", "from_config") or len(parts) < 3:
            return None
        if TOKENIZERS.search(parts[-2]):
            return Thing("tokenizer")
        if parts[-2].startswith(("TF", "Flax")) or not re.search(r"Model|For[A-Z]", parts[-2]):
            return None
        self.dtype(node, words)
        self.reader.offload.refused(node, words)
        where = words.get("device_map")
        if is_form(where) and text_of(where) not in DEVICE_MAPS:
            torch.named_place(node, where)
        elsewhere = any(word in words for word in MOVED_ELSEWHERE)
        return Thing("module",
                     device=None if elsewhere else torch.default,
                     line=node.lineno,
                     hf=True,
                     number=number_of(words.get("dtype", words.get("torch_dtype"))),
                     placed=self.reader.offload.placed(node, words))

    def both_halves(self, node, pair, words):
        """fp16 and bf16 exclude each other; torch.cuda.is_bf16_supported() is true on newer GPUs."""
        kinds = [words.get(word) for word in pair]
        asked = [isinstance(kind, Thing) and kind.kind in ("answer", "gpu-there") for kind in kinds]
        if all(a or isinstance(k, Text) and k.value is True for a, k in zip(asked, kinds)):
            at = words.nodes.get(pair[1], self.reader.keyword_of(node, pair[1]))
            self.reader.mistake(at, "two kinds of half precision", "%s with %s" % pair, doubted=any(asked))

    def dtype(self, node, words):
        for word in ("torch_dtype", "dtype"):
            self.one_of(node, word + "=", words, word, DTYPES)

    def method(self, node, thing, attribute, values, words):
        if not isinstance(thing, Thing):
            return None
        if thing.kind == "ndarray" and attribute in ("reshape", "copy", "flatten", "ravel", "transpose", "squeeze",
                                                     "clip"):
            return thing
        if thing.kind == "tokenizer" and attribute in ("encode", "batch_encode_plus", "encode_plus", "pad"):
            return self.tokens(node, words, attribute == "encode")
        if thing["prepares"] == attribute or thing["prepares"] == "setup" and attribute.startswith("setup_"):
            return self.prepared(node, thing, values)
        if thing.kind == "trainer" and attribute == "fit" and values and thing["lightning"]:
            if thing["accelerator"] in ("gpu", "cuda"):
                self.reader.torch.module_on_gpu = "cuda"
            self.fit(node, thing, values[0])
            return Thing("fitted")
        if thing.kind == "instance" and attribute == "train" and thing["class"]:
            return self.own_loss(thing)
        if thing.kind == "trainer" and attribute == "train" and isinstance(thing["model"], Thing):
            if thing["model"]["hf"] and thing["model"]["device"] == "cpu":  # it moves the model to the GPU, and leaves it
                self.reader.change(thing["model"], "device", "cuda")
                self.reader.change(thing["model"], "trained", node)
            return Thing("trained")
        return None

    def tokens(self, node, words, alone=False):
        if text_of(words.get("return_tensors")) != "pt":
            return None
        return Thing("tensor" if alone else "encoding", device="cpu", line=node.lineno)

    def own_loss(self, trainer):
        """class MyTrainer(Trainer): compute_loss is given a model and its inputs where the GPU is."""
        of = trainer["class"]
        loss = of.method("compute_loss")
        if not loss or not any(re.match(r"transformers\.(\w+\.)*\w*Trainer$", base) for base in of.all_bases()):
            return None
        if loss.followed or re.search(r"use_cpu|no_cuda", self.reader.text):
            return None
        place = "cuda|cpu"
        model = Thing("module", device=place, hf=True)
        self.reader.follow(loss, [trainer, model, Thing("encoding", device=place)], {}, trainer["made"][0])
        return None

    def loops(self, node, over):
        """for batch in loader: model(**batch), where an accelerator was given the model and not the loader."""
        loader = over["of"] if isinstance(over, Thing) and over.kind == "enumerate" else over
        if not isinstance(loader, Thing) or loader.kind != "loader" or loader["prepared"] or loader["escaped"] or \
                loader["strange"]:
            return
        if MOVES_TENSORS.search(self.reader.written_whole(node)) or "send_to_device" in self.reader.text or \
                "device" in self.reader.written_whole(node):
            return
        names = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
        for one in node.body:  # batch -> x, y
            inner = list(ast.walk(one.value)) if isinstance(one, ast.Assign) else []
            if names & {getattr(n, "id", None) for n in inner} and not any(isinstance(n, ast.Call) for n in inner):
                names |= {n.id for target in one.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        for call in (n for one in node.body for n in ast.walk(one) if isinstance(n, ast.Call)):
            model = self.reader.find_value(call.func)
            given = [keyword.value for keyword in call.keywords] + call.args
            takes = any(getattr(n, "id", None) in names for one in given for n in (one, getattr(one, "value", None)))
            if takes and isinstance(model, Thing) and model["prepared"] and model.kind == "module" and \
                    not self.reader.torch.moves_its_input(model):
                self.reader.mistake(call, "a model and its input on two devices", self.reader.written(call),
                                    "the device of its accelerator", "cpu", other=model["prepared"], doubted=True)
                return

    def prepared(self, node, by, values):
        """It moves what it is given, and gives it back in the order in which it came."""
        for value in values:
            if isinstance(value, Thing):
                self.reader.change(value, "device", None)
                self.reader.change(value, "prepared", node if by["moves"] else None if value.kind == "module" else node)
        self.reader.brings_batches = True
        return values[0] if len(values) == 1 else Many(list(values))

    def fit(self, node, trainer, model):
        """Lightning moves the module to the GPU, and calls what it defines."""
        if not isinstance(model, Thing) or model.kind != "module" or not model["class"]:
            return
        if trainer["accelerator"] in ("gpu", "cuda"):
            self.steps_of(node, model, "cuda")
            self.reader.change(model, "device", "cpu")  # when it ends, it takes the module back
        elif trainer["accelerator"] in (None, "auto") and trainer["moves_auto"]:
            before = model["device"]
            self.steps_of(node, model, "cuda|cpu")
            self.reader.change(model, "device", before)

    def steps_of(self, node, model, place):
        """What Lightning calls with the module and its batches on the device."""
        of = model["class"]
        if re.search(r"_apply|is_cuda|get_device", "".join(self.reader.written_whole(one.node) for one in [of] + of.parents)) or \
                of.has_stranger() and len(of.bases) + len(of.parents) < len(of.node.bases) or \
                of.method("transfer_batch_to_device"):
            return
        self.reader.change(model, "device", place)
        before = model.attributes.get("device")
        model.attributes["device"] = Place(place)
        for name in ("training_step", "validation_step", "test_step"):
            if of.method(name):
                batch = Thing("batch", device=place, moved=True, loader=Thing("loader", named=True))
                self.reader.training.without += name != "training_step"
                self.reader.follow(of.method(name), [model, batch, Thing("number")], {}, node)
                self.reader.training.without -= name != "training_step"
        model.attributes.pop("device")
        if before is not None:
            model.attributes["device"] = before


class Children:
    """Programs that the script starts: what their command line and their environment say."""

    def __init__(self, reader):
        self.reader = reader
        self.lost = []  # copies of the environment that are changed and that nothing is given
        self.depth = self.count = 0

    def start(self, node, name, values, words):
        command = values[0] if values else words.get("args")
        in_shell = not name.startswith("subprocess.") or "output" in name.rsplit(".", 1)[-1][:9] and "get" in name
        shell = words.get("shell")
        in_shell = in_shell or isinstance(shell, Text) and bool(shell.value)
        self.environment(node, words.get("env"))
        items = command.items if isinstance(command, Many) else None
        said = form_of(command if items is None else items[0] if items else None)
        lost = LOST_EXPORT.match(said) if items is None else None
        if lost and lost.group(1) in VARIABLES:
            return self.reader.mistake(node, "a variable set in a shell that ends", lost.group(1))
        known_shell = in_shell or "shell" not in words and None not in words
        begins = re.match(r"(\w+)=\S*", said)
        if not in_shell and known_shell and begins and (begins.group(1) in VARIABLES or begins.group(1).isupper()):
            return self.reader.mistake(node, "a variable before a program without a shell", begins.group(0).replace(
                UNKNOWN, "…").replace(NUMBER, "…"), begins.group(1))
        tokens = items
        if items is None and is_form(command):
            try:
                tokens = [text_or_form(part) for part in shlex.split(said)]
            except ValueError:
                tokens = []
        return self.code(node, tokens or [])

    def look_for_lost_environments(self, function):
        """env = os.environ.copy(); env["CUDA_VISIBLE_DEVICES"] = …; Popen(command): env is never passed on."""
        reader, made = self.reader, set()
        nested = {inner for one in ast.walk(function) if one is not function and
                  isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) for inner in ast.walk(one)}
        for one in ast.walk(function):
            if isinstance(one, ast.Assign) and one not in nested and isinstance(one.targets[0], ast.Name) and re.match(
                    r"(dict\()?(os\.)?environ(\.copy\(\)|\))$|\{\*\*(os\.)?environ|copy\.\w+\((os\.)?environ\)",
                    reader.written(one.value)):
                made.add(one.targets[0].id)
        for name in made:
            inner = list(ast.walk(function))
            stores = [n for n in inner if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and
                      getattr(n.value, "id", "") == name]
            loads = [n for n in inner if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
            starts = [n for n in inner if isinstance(n, ast.Call) and
                      not any(k.arg in ("env", None) for k in n.keywords) and
                      re.match(r"(subprocess\.)?(Popen|run|call|check_call|check_output)$", reader.written(n.func))]
            if stores and starts and len(loads) == len(stores):
                self.lost.append((stores[0], starts[0], name))

    def end(self):
        for store, start, name in self.lost:
            self.reader.mistake(start, "an environment that no program gets", self.reader.written(store),
                                self.reader.written(start), name, other=store)

    def environment(self, node, given):
        if not isinstance(given, Thing) or given.kind != "mapping":
            return
        for name, value in given.attributes.items():
            if is_no_text(value):
                at = given.nodes.get(name, node)
                said = repr(value.value) if isinstance(value, Text) else "a number"
                self.reader.mistake(at, "a child's environment of what is no text", "%s = %s" % (name, said))
            self.reader.misspelt(given.nodes.get(name, node), name)
            self.reader.not_taken(given.nodes.get(name, node), name, value)

    def code(self, node, tokens):
        """python -c CODE: a program of its own."""
        for at in range(len(tokens) - 2):
            python = tokens[at]
            is_python = isinstance(python, Name) and python.full == "sys.executable" or \
                is_form(python) and bool(re.search(r"(^|/)python[\d.]*$", form_of(python)))
            if not is_python:
                continue
            code = tokens[at + 2] if text_of(tokens[at + 1]) == "-c" else None
            if isinstance(code, Text) and isinstance(code.value, str) and self.depth < 2 and self.count < 50:
                self.run(node, code.value)
            return

    def run(self, node, source):
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        reader = self.reader
        for inner in ast.walk(tree):
            if hasattr(inner, "lineno"):
                inner.lineno = node.lineno
                inner.cell = getattr(node, "cell", reader.cell)
        kept = ("scope", "globals", "main", "inside", "path", "policy", "device", "strategy", "tf_keras", "torch",
                "results", "starred", "hidden", "guarded")
        before = {name: getattr(reader, name) for name in kept}
        self.depth, self.count = self.depth + 1, self.count + 1
        reader.globals = reader.scope = Scope()
        reader.main, reader.inside, reader.path, reader.results = True, [], ("p%d:" % node.lineno,), []
        reader.policy = reader.device = reader.strategy = None
        reader.tf_keras, reader.starred, reader.hidden, reader.guarded = False, [], [], 0
        reader.torch = Torch(reader)
        try:
            reader.statements(tree.body)
            reader.careful(reader.torch.end)
        finally:
            self.depth -= 1
            for name, value in before.items():
                setattr(reader, name, value)
