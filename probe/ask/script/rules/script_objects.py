"""Objects that are taken for others: a module for a function, a number for a list, a whole model for weights, an example on the CPU for
one on the GPU, detached outputs for a graph, a peak that was reset for one of work; for the reader of scripts."""

# Modules of the frameworks, none of which can be called.
MODULES = re.compile(
    r"torch\.(nn|optim|cuda|profiler|distributed|utils|jit|onnx|amp|autograd|random|backends|fx|hub|multiprocessing|func|fft|linalg|special|"
    r"distributions|library|mps|xpu|accelerator|utils\.(data|checkpoint|benchmark|tensorboard|cpp_extension|dlpack)|optim\.(lr_scheduler|swa_utils)|"
    r"nn\.(functional|init|parallel|utils|modules)|nn\.utils\.rnn|cuda\.(amp|nvtx|graphs)|distributed\.(fsdp|rpc|tensor|checkpoint)|"
    r"autograd\.(profiler|functional))$|"
    r"jax\.(numpy|random|lax|nn|profiler|tree|tree_util|scipy|image|distributed|experimental|sharding|debug|dtypes|nn\.initializers|"
    r"experimental\.(pallas|shard_map|multihost_utils|mesh_utils))$|cupy\.(random|linalg|fft)$|"
    r"tensorflow\.(random|nn|data|distribute|train|summary|io|image|keras|math|linalg|profiler|saved_model|lite|config|"
    r"keras\.(layers|optimizers|losses|models|callbacks|metrics|mixed_precision|utils|backend|applications))$")
# Functions that give one number, of one argument alone, and methods that do so of none.
GIVES_ONE_NUMBER = re.compile(r"torch\.(sum|mean|prod|std|var|norm|median|amax|amin|logsumexp)$")
ALWAYS_ONE_NUMBER = ("torch.dist", "torch.dot", "torch.vdot", "torch.trace", "torch.det", "torch.linalg.det")
OF_ONE_NUMBER = ("sum", "mean", "prod", "std", "var", "norm", "dist", "dot", "trace")
NUMBERS_OF_LOSSES = re.compile(r"torch\.nn\.(CrossEntropyLoss|MSELoss|L1Loss|NLLLoss|SmoothL1Loss|HuberLoss|BCELoss|BCEWithLogitsLoss|KLDivLoss|"
                               r"CTCLoss|TripletMarginLoss|MarginRankingLoss|CosineEmbeddingLoss)$")
# Methods that only modules have, and what takes a module in its first place.
OF_A_MODULE = ("eval", "train", "load_state_dict", "parameters", "named_parameters", "named_modules", "modules", "children", "named_children",
               "state_dict")
TAKES_A_MODULE = re.compile(r"torch\.(onnx\.export|jit\.(trace|script)|export\.export|nn\.DataParallel|nn\.parallel\.(\w+\.)?DistributedDataParallel|"
                            r"quantization\.quantize_dynamic|ao\.quantization\.quantize_dynamic)$")
LAYER = re.compile(r"(conv|fc|layer|bn|linear|block|lstm|gru|rnn|dropout)_?\d*$|(features|classifier|encoder|decoder|backbone|layers|blocks|embedding)$")
HOLDS_A_STATE = re.compile(r"ckpt|check|state|data|dict|args|conf|param|weight|saved|info", re.I)
EITHER_DEVICE = re.compile(r"(torch\.device\()?\(?['\"]cuda(:0)?['\"]\)? if (torch\.)?cuda\.is_available\(\) else (torch\.device\()?['\"]cpu['\"]\)*$")
MEMBERS_OF_A_MODULE = ("eval", "parameters", "named_parameters", "state_dict", "zero_grad", "cuda")
RUNS_A_MODULE = ("predict", "fit", "test", "validate")
# What runs a model once with an example, and which of its arguments the example is.
RUNS_AN_EXAMPLE = {"torch.onnx.export": (1, ("args", )), "torch.jit.trace": (1, ("example_inputs", )), "torch.export.export": (1, ("args", )),
                   "thop.profile": (1, ("inputs", )), "fvcore.nn.FlopCountAnalysis": (1, ("inputs", ))}
MAKES_EXAMPLES = re.compile(r"torch\.(randn|rand|zeros|ones|randint|empty|full)$")
OPTIMIZERS_AT_ALL = re.compile(r"(torch\.optim|transformers(\.optimization)?)\.(SGD|Adam|AdamW|NAdam|RAdam|Adamax|Adagrad|Adadelta|RMSprop|Rprop|ASGD)$")
# Methods whose result still belongs to the graph of their tensor, and nothing else.
HANDS_ON_A_GRAPH = ("squeeze unsqueeze view reshape flatten permute transpose cpu cuda to float half double contiguous clone sigmoid softmax relu "
                    "tanh exp log mean sum argmax chunk split".split())
# Methods whose result has the gradient of their tensor, and that every tensor has.
KEEPS_ITS_GRADIENT = frozenset(HANDS_ON_A_GRAPH) - {"argmax", "chunk", "split"}
READS_PEAK = re.compile(r"torch\.cuda\.max_memory_(allocated|reserved|cached)$|tensorflow\.config\.experimental\.get_memory_info$")
RESETS_ITS_PEAK = re.compile(r"torch\.cuda\.reset_(peak_memory_stats|max_memory_allocated|max_memory_cached)$|"
                             r"tensorflow\.config\.experimental\.reset_memory_stats$")
IS_NO_WORK = re.compile(r"torch\.cuda\.(synchronize|empty_cache|reset_\w+|current_device)$|gc\.collect$|time\.\w+$|print$")


class Objects(OfValues):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"torch", "jax", "tensorflow", "cupy"} & roots:
            return
        self.know(nodes)
        self.parents, self.calls = self.tracing.index.parents, self.tracing.index.calls
        self.modules = None
        for call in self.calls:
            self.called_module(call)
        self.peaks_that_were_reset(nodes)
        if "torch" not in roots:
            return
        for one in nodes:
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load):
                self.item_of_a_number(one)
        for call in self.calls:
            self.its_own_state(call)
        self.whole_models()
        self.numpy_of_a_graph()
        self.examples_that_stay()
        self.weights_that_stay()
        self.steps_that_learn_nothing()
        self.moved_in_spite_of_a_choice(nodes)

    # ---- modules, and tensors of one number

    def called_module(self, call):
        """with torch.profiler():, torch.utils.checkpoint(block, x)"""
        name = self.full(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) else ""
        if name and MODULES.match(name) and not any(isinstance(one, ast.Try) for one in self.origins.around(call)) and not self.is_bound_otherwise(call.func):
            self.mistake(call, "a module that is called", name, doubted=False)
        elif isinstance(call.func, ast.Name) and self.is_module_alone(call.func.id) and not any(isinstance(one, ast.Try) for one in self.origins.around(call)):
            self.mistake(call, "a module that is called", call.func.id)

    def is_module_alone(self, name):
        """import network as Net: whether nothing but imports of whole modules binds a name."""
        if self.modules is None:
            whole = [one for one in self.origins.nodes if isinstance(one, ast.Import)]
            inside = {id(alias) for one in whole for alias in one.names}
            others = {bound for one in self.origins.nodes if id(one) not in inside and not isinstance(one, ast.Import) for bound in names_bound_by(one)}
            self.modules = {alias.asname or alias.name for one in whole for alias in one.names if alias.asname or "." not in alias.name} - others
        return name in self.modules

    def is_bound_otherwise(self, node):
        """Whether the file gives the first name of torch.x another value than its import."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id not in self.tracing.names or bool(self.origins.statements_of(node))

    def its_own_state(self, call):
        """model.load_state_dict(model)"""
        given = self.given(call, 0, "state_dict") if is_call(call, "load_state_dict") else None
        if isinstance(given, (ast.Name, ast.Attribute)) and self.written(given) == self.written(call.func.value) != "self":
            self.reader.mistake(call, "a setting of another kind", self.written(call), "it takes a state, and this is what has one",
                                "Write load_state_dict(….state_dict()), or of what torch.load gave.")

    def item_of_a_number(self, node):
        """distance = torch.dist(a, b); distance.data[0]"""
        at = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
        if not isinstance(at, ast.Constant) or type(at.value) is not int or self.is_reported(node):
            return
        of, old = node.value, False
        while isinstance(of, ast.Attribute) and of.attr in ("data", "grad") or is_call(of, "cpu") or is_call(of, "detach") or is_call(of, "cuda"):
            old = old or getattr(of, "attr", "") == "data"
            of = of.func.value if isinstance(of, ast.Call) else of.value
        values = self.origins.of(of) if isinstance(of, (ast.Name, ast.Call)) else []
        if values and all(self.is_one_number(one, old, 3) for one in values) and not any(isinstance(one, ast.Try) for one in self.origins.around(node)):
            self.mistake(node, "a number taken from a loss by its index", doubted=False)
        elif old and isinstance(of, ast.Name) and self.is_loss_of_another_file(of, node):
            self.mistake(node, "a number taken from a loss by its index", doubted=True)

    def is_loss_of_another_file(self, of, node):
        """loss, parts = criterion(out, y), where another file says what criterion is; only PyTorch before 0.5 had loss.data[0]."""
        made = self.origins.statements_of(of)
        return re.match(r"(\w+_)?loss$", of.id) is not None and bool(made) and not self.says(r"reduction|reduce *=|size_average") and all(
            isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and re.search(r"(?i)crit|loss", self.written(one.value.func)) and
            not self.full(one.value.func).startswith("torch.") and not self.origins.functions_of(one.value.func) and not isinstance(
                one.targets[0], ast.Starred) for one in made) and not any(isinstance(one, ast.Try) for one in self.origins.around(node))

    def is_one_number(self, one, old, deepest):
        """Whether a call surely gives a tensor without dimensions; `old`: it is asked for .data, so that it is a tensor."""
        if isinstance(one, Part) and isinstance(one.of, ast.AugAssign) and deepest > 0:  # total += loss
            inner = self.origins.of(one.of.value)
            return bool(inner) and all(isinstance(v, ast.Constant) or self.is_one_number(v, old, deepest - 1) for v in inner)
        if isinstance(one, ast.BinOp) and deepest > 0:
            sides = [one.left, one.right]
            known = [[v for v in self.origins.of(side) if v is not one] for side in sides]
            return all(isinstance(side, ast.Constant) or values and all(isinstance(v, ast.Constant) or self.is_one_number(v, old, deepest - 1) for v in values)
                       for side, values in zip(sides, known)) and not all(isinstance(side, ast.Constant) for side in sides)
        if not isinstance(one, ast.Call) or any(k.arg is None for k in one.keywords) or any(isinstance(a, ast.Starred) for a in one.args):
            return False
        name, words = self.full(one.func), {k.arg for k in one.keywords}
        if name:
            return name in ALWAYS_ONE_NUMBER or GIVES_ONE_NUMBER.match(name) is not None and len(one.args) == 1 and words <= {
                "dtype"} or LOSS_CALLS.match(name) is not None and not words & {"reduction", "reduce"} and len(one.args) < 3
        made = self.made_by(one.func, NUMBERS_OF_LOSSES, surely=True) if isinstance(one.func, (ast.Name, ast.Attribute)) else None
        if made is not None:
            # size_average=True and the like say what holds anyway.
            return not any(k.arg in ("reduction", "reduce", "size_average", None) and getattr(k.value, "value", None) not in ("mean", "sum", True) for k in made.keywords) and len(
                made.args) < 2
        if isinstance(one.func, ast.Attribute) and one.func.attr in GIVE_BACK_METHODS and deepest > 0:
            inner = self.origins.of(one.func.value)
            return bool(inner) and all(self.is_one_number(v, old, deepest - 1) for v in inner)
        # x.sum() may be that of a table or array, and .data[0] says that it is a tensor's.
        return old and isinstance(one.func, ast.Attribute) and one.func.attr in OF_ONE_NUMBER and not one.args and not words and not self.says(
            r"\bpd\.|pandas")

    # ---- files that hold a whole model

    def whole_models(self):
        """model = torch.load(path); model.eval(): the file holds a whole model, which torch.load refuses."""
        # A file that may hold a model or its state is asked for what it holds.
        if self.says(r"safe_globals|pickle_module|FORCE_NO_WEIGHTS_ONLY|torch\.load *= *|isinstance\([^()\n]*(dict|Dict|Mapping|Module)\b") or \
                self.reader.pinned_for("torch"):
            return
        for call in self.calls:
            if self.full(call.func) != "torch.load" or not call.args or len(call.args) > 2 or any(
                    k.arg in ("weights_only", "pickle_module", None) for k in call.keywords) or self.is_reported(call) or self.is_asked(call):
                continue
            use = next((one for one in self.calls if self.uses_as_module(one, call) and not self.is_reported(one)), None) or self.used_behind_branch(call)
            use = use or self.layer_of(call)
            if use is not None and not self.is_written_here(call.args[0]):
                self.mistake(call, "a whole model that is loaded as weights", other=use if use.lineno != call.lineno else None)

    def layer_of(self, load):
        """model.conv1, where a table of weights has none."""
        return next((one for one in self.origins.nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) and LAYER.match(
            one.attr) and isinstance(one.value, ast.Name) and not HOLDS_A_STATE.search(one.value.id) and self.is_of_load(
                one.value, load, 3) and not self.is_asked(one) and not self.is_reported(one)), None)

    def is_written_here(self, path):
        """Whether the script writes this file itself, so that other rules know what it holds."""
        said = self.said(path)
        return any(self.full(one.func) == "torch.save" and len(one.args) > 1 and (self.written(one.args[1]) == self.written(
            path) or said is not None and said == self.said(one.args[1])) for one in self.calls)

    def is_asked(self, node):
        """Whether what can raise is tried here, or a release is asked for."""
        return any(isinstance(one, ast.Try) and one.handlers and any(node is each for part in one.body for each in ast.walk(part)) for one in self.origins.around(
            node)) or any(isinstance(one, (ast.If, ast.IfExp)) and re.search(r"version|isinstance|hasattr", self.written(one.test))
                          for one in self.origins.around(node))

    def uses_as_module(self, one, load):
        """model.eval(), model(x), torch.onnx.export(model, …), trainer.predict(model=model), of what torch.load alone gave."""
        of = one.func.value if isinstance(one.func, ast.Attribute) and one.func.attr in OF_A_MODULE and not (
            one.func.attr in ("train", "modules", "children") and one.args and not isinstance(one.args[0], ast.Constant)) else None
        if of is None and TAKES_A_MODULE.match(self.full(one.func)):
            of = self.given(one, 0, "model", "module")
        if of is None and isinstance(one.func, ast.Attribute) and one.func.attr in RUNS_A_MODULE and re.search(r"trainer$", self.written(one.func.value)):
            of = self.given(one, 0, "model")
        if of is None and isinstance(one.func, ast.Name) and not self.full(one.func) and one is not load:
            of = one.func
        return of is not None and self.is_of_load(of, load, 3) and not self.is_asked(one)

    def used_behind_branch(self, load):
        """if …: model = make() else: model = torch.load(path), and behind it model.eval(): on this way it is what was loaded."""
        statement = self.origins.parents.get(id(load))
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
            return None
        name, part = statement.targets[0].id, statement
        while True:
            outer, block = self.origins.parents.get(id(part)), self.origins.block_of(part)
            for later in block[next((at for at, each in enumerate(block) if each is part), -1) + 1:] if block else ():
                for call in calls_in([later.value] if isinstance(later, (ast.Expr, ast.Assign)) else ()):
                    of = call.func.value if isinstance(call.func, ast.Attribute) else None
                    if isinstance(of, ast.Name) and of.id == name and call.func.attr in MEMBERS_OF_A_MODULE and not call.args and not self.is_reported(
                            call) and not self.is_asked(call):
                        return call
                if any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, (ast.Store, ast.Del)) for one in ast.walk(later)) or any(
                        isinstance(one, (ast.Return, ast.Raise, ast.Continue, ast.Break)) for one in ast.walk(later)):
                    return None
            if not isinstance(outer, (ast.If, ast.With)):
                return None
            part = outer

    def is_of_load(self, node, load, deepest):
        """Whether an expression is what a load gave, or an item of it, through .to() and the like, and nothing else."""
        if isinstance(node, ast.Call) and node is not load:
            inner = self.origins.inner_of(node)
            return inner is not None and deepest > 0 and self.is_of_load(inner, load, deepest - 1)
        if isinstance(node, ast.Subscript) and deepest > 0:
            return isinstance(node.value, (ast.Name, ast.Call)) and self.is_of_load(node.value, load, deepest - 1)
        if node is load:
            return True
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        values = self.origins.of(node, True)
        if len(values) == 1 and values[0] is load:
            return True
        bound = self.origins.statements_of(node) if isinstance(node, ast.Name) and len(values) == 1 else []
        made = bound[0].value if len(bound) == 1 and isinstance(bound[0], ast.Assign) and len(bound[0].targets) == 1 and isinstance(
            bound[0].targets[0], ast.Name) else None
        return isinstance(made, (ast.Subscript, ast.Call)) and deepest > 0 and self.is_of_load(made, load, deepest - 1)

    # ---- what a model gives

    def numpy_of_a_graph(self):
        """net.load_state_dict(torch.load(path)); net.eval(); net(x).numpy(), of a model that another file defines."""
        if self.says(r"no_grad|inference_mode|set_grad_enabled|requires_grad|freeze"):
            return
        loaded = {(self.written(call.func.value), id(self.origins.scope(call))) for call in self.calls if is_call(call, "load_state_dict")}
        for call in self.calls if loaded else ():
            if not is_call(call, "numpy") or call.args or call.keywords:
                continue
            run = self.value_of(call.func.value)
            while isinstance(run, ast.Call) and isinstance(run.func, ast.Attribute) and run.func.attr in KEEPS_ITS_GRADIENT:
                run = self.value_of(run.func.value)
            made = self.origins.made(run.func) if isinstance(run, ast.Call) and isinstance(run.func, ast.Name) and run.args else None
            if isinstance(made, ast.Call) and (self.written(run.func), id(self.origins.scope(run))) in loaded and not self.origins.functions_of(
                    made.func) and not re.match(r"torch\.jit", self.full(made.func)):
                self.mistake(call, "numpy() of a tensor with a gradient", self.written(call), other=run)

    # ---- a choice that is not kept to

    def moved_in_spite_of_a_choice(self, nodes):
        """device = "cuda" if torch.cuda.is_available() else "cpu"; net.to(device); x.to("cuda"), which raises where there is no GPU."""
        if self.says(r"assert torch\.cuda|(raise|exit\()[^\n]*(?i:gpu|cuda)|Trainer\(|prepare\(|@\w*(skip|pytest)") or any(
                k.arg == "device_map" for call in self.calls for k in call.keywords) or any(
                e.get("name") == "a call that needs a GPU in a script that does without" for e in self.reader.events):
            return
        chosen = {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and len(one.targets) == 1 and EITHER_DEVICE.match(
            self.written(one.value))}
        moved = next((one for one in self.calls if is_call(one, "to") and one.args and self.written(one.args[0]) in chosen and self.origins.scope(
            one) is None), None)
        for call in self.calls if moved is not None else ():
            where = call.args[0] if is_call(call, "to") and call.args else None
            if where is not None and isinstance(where, ast.Constant) and re.match(r"cuda(:0)?$", str(where.value)) and not self.is_chosen(call, 3):
                return self.reader.mistake(where, "a call that needs a GPU in a script that does without", self.written(call), other=moved, doubted=True)

    def is_chosen(self, node, deepest):
        """Whether something decides whether a node runs, or it isn't known what calls it."""
        for one in self.origins.around(node):
            if isinstance(one, (ast.IfExp, ast.Try, ast.BoolOp, ast.ClassDef, ast.Lambda)) or isinstance(
                    one, ast.If) and "__name__" not in self.written(one.test):
                return True
            if isinstance(one, ast.FunctionDef):
                sites = self.origins.sites(one)
                return not sites or deepest == 0 or any(isinstance(each, (ast.Return, ast.Raise)) and each is not one.body[-1] for each in ast.walk(
                    one)) or any(self.is_chosen(site.call, deepest - 1) for site in sites)
        return False

    # ---- examples and weights on the CPU

    def is_gpu(self, where):
        """Whether a place is a GPU, where there is one."""
        values = self.origins.known(where) if where is not None else []
        return any(re.match(r"(torch\.device\()?f?['\"]cuda", self.written(one)) for one in values) and not any(
            isinstance(one, ast.Call) and self.full(one.func) != "torch.device" for one in values)

    def is_move(self, call):
        return is_call(call, "cuda") and not self.full(call.func) or is_call(call, "to") and self.is_gpu(self.given(call, 0, "device"))

    def moved_before(self, model, node):
        """The call that moves a model to the GPU in the function where a node stands, and surely before it; None: not known, or moved back."""
        name, scope = self.written(model), self.origins.scope(node)
        moves = [one for one in self.calls if isinstance(one.func, ast.Attribute) and one.func.attr in ("to", "cuda", "cpu", "to_empty", "xpu", "mps") and
                 self.written(self.root_of(one)) == name and self.origins.scope(one) is scope and one.lineno < node.lineno]
        moves += [one for one in self.origins.wrappers_of(model) if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("to", "cuda", "cpu") and
                  self.origins.scope(one) is scope and one.lineno < node.lineno]
        moves.sort(key=self.origins.position)
        if not moves or not self.is_move(moves[-1]):
            return None
        holder = next((one for one in self.origins.around(moves[-1]) if isinstance(one, ast.stmt)), None)
        return moves[-1] if holder is not None and self.origins.surely_before(holder, node) else None

    @staticmethod
    def root_of(call):
        """net, of net.eval().to(device)"""
        of = call.func.value
        while isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute):
            of = of.func.value
        return of

    def examples_that_stay(self):
        """net.to(device); torch.onnx.export(net, torch.randn(1, 3, 224, 224), path), where the device is a GPU."""
        if self.says(r"set_default_(device|tensor_type)|with torch\.device|\bdevice_map|accelerat"):
            return
        for call in self.calls:
            at, words = RUNS_AN_EXAMPLE.get(self.full(call.func), (9, ()))
            model = self.given(call, 0, "model", "func", "mod")
            given = self.given(call, at, *words) if words else None
            if given is None or not isinstance(model, (ast.Name, ast.Attribute)) or self.is_reported(call):
                continue
            made = self.value(given)
            parts = made.elts if isinstance(made, (ast.Tuple, ast.List)) else [given]
            stays = [one for one in parts if self.stays(one)]
            move = self.moved_before(model, call) if stays else None
            if move is not None and not self.is_reported(call) and not self.moves_itself(model):
                self.mistake(call, "a model and its input on two devices", "cuda", "cpu", other=move, doubted=True)

    def moves_itself(self, model):
        """Whether the model is of a class of the file that may move what it is given."""
        made = self.made_of_class(model)
        return made is not None and re.search(r"\.(to|cuda)\(|\bdevice\b", self.reader.written_whole(made)) is not None

    def made_of_class(self, model):
        for one in self.origins.known(model, True):
            for of in self.origins.functions_of(one.func) if isinstance(one, ast.Call) else ():
                if isinstance(of, ast.ClassDef):
                    return of
        return None

    def stays(self, node):
        """Whether an example is made on the CPU, and nothing moves it."""
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Call) and MAKES_EXAMPLES.match(self.full(one.func)) is not None and not any(
            k.arg in ("device", None) for k in one.keywords) for one in values)

    def weights_that_stay(self):
        """model.to(device); model.load_state_dict(torch.load(path, map_location="cpu"), assign=True): the model is on the CPU again."""
        for call in self.calls if self.says(r"assign *= *True") else ():
            given = self.given(call, 0, "state_dict") if is_call(call, "load_state_dict") and self.said(self.word(call, "assign")) is True else None
            loads = self.origins.of(given) if given is not None else []
            if len(loads) != 1 or not isinstance(loads[0], ast.Call) or not self.loads_to_cpu(loads[0]):
                continue
            model = call.func.value
            before = self.moved_before(model, call) or next((one for one in self.origins.wrappers_of(model) if isinstance(one, ast.Call) and self.is_move(
                one) and self.origins.scope(one) is not self.origins.scope(call)), None)
            made = {id(one) for one in self.origins.known(model, True) if isinstance(one, ast.Call)}
            others = [one for one in self.calls if isinstance(one.func, ast.Attribute) and one.func.attr in ("to", "cuda", "to_empty", "prepare", "setup") and
                      one is not before and one.lineno != getattr(before, "lineno", 0) and self.is_same(one, model, made)]
            if before is not None and made and not others and not self.says(r"fully_shard|FSDP|prepare\(|\.setup\("):
                self.mistake(call, "weights of the CPU that take the place of the model's", self.written(model), self.written(before), other=before)

    def is_same(self, move, model, made):
        """Whether a call moves this model, or may: what it moves is made by the same call, or is called the same."""
        of = self.root_of(move)
        return self.written(of).rsplit(".", 1)[-1] == self.written(model).rsplit(".", 1)[-1] or bool(made & {id(one) for one in self.origins.known(of, True)})

    def loads_to_cpu(self, call):
        """torch.load(path, map_location="cpu"), safetensors.torch.load_file(path)"""
        name = self.full(call.func)
        if name == "safetensors.torch.load_file":
            where = self.given(call, 1, "device")
            return where is None or self.said(where) == "cpu"
        where = self.given(call, 1, "map_location") if name == "torch.load" else None
        values = self.origins.known(where) if where is not None else []
        return bool(values) and all(getattr(one, "value", None) == "cpu" or re.match(r"torch\.device\(['\"]cpu", self.written(one)) for one in values)

    # ---- models that no gradient reaches

    def steps_that_learn_nothing(self):
        """y = net(x); table = y.detach().cpu().numpy(); …; optimizer.step(), where nothing else is done with what net gives."""
        if not self.says(r"\.backward\(") or self.says(r"requires_grad|\.grad *=|autograd\.|create_graph|manual_backward|functional_call|exec\("):
            return
        for step in self.calls:
            made = self.made_by(step.func.value, OPTIMIZERS_AT_ALL, surely=True) if is_call(step, "step") and not step.args else None
            given = self.value_of(made.args[0]) if made is not None and made.args else None
            of = given.func.value if is_call(given, "parameters") and not given.args else None
            scope = self.origins.scope(step)
            outputs = self.outputs_of(of.id, scope) if isinstance(of, ast.Name) and self.origins.scope(given) is scope else []
            kept = []  # what keeps their graphs over a loop
            if outputs and not self.reach_something(outputs, scope, kept):
                self.mistake(step, "a step of a model that no gradient reaches", of.id, self.written(outputs[0]), other=outputs[0])
                for one in kept:
                    self.reader.mistake(one, "graphs that no backward pass frees", self.written(one.value), self.written(one.targets[0]), of.id,
                                        other=outputs[0], doubted=True)

    def names_of(self, name, scope):
        """Where a name is read; `scope`: in this function alone."""
        return [one for one in self.origins.nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) and (
            scope is None or self.origins.scope(one) is scope)]

    def outputs_of(self, name, scope):
        """The calls of a model; none: it is used in another way as well."""
        calls = []
        for one in self.names_of(name, None):
            by = self.parents.get(id(one))
            if isinstance(by, ast.Call) and by.func is one:
                calls.append(by)
            elif isinstance(by, ast.Attribute):
                call = self.parents.get(id(by))
                takes = self.parents.get(id(call))
                # What else a model is asked for must not join its parameters with a loss.
                if by.attr == "parameters" and not (isinstance(takes, ast.Call) and (OPTIMIZERS_AT_ALL.match(self.full(takes.func)) or getattr(
                        takes.func, "id", "") == "next" or "clip_grad" in self.full(takes.func))):
                    return []
                if by.attr not in ("parameters", "train", "eval", "to", "cuda", "state_dict", "load_state_dict", "device_ids", "zero_grad"):
                    return []
            elif not (isinstance(by, ast.Call) and self.full(by.func) in WRAPS and isinstance(self.parents.get(id(by)), ast.Assign) and self.written(
                    self.parents[id(by)].targets[0]) == name):
                return []
        return calls if all(self.origins.scope(one) is scope for one in calls) else []

    def reach_something(self, outputs, scope, kept):
        """Whether what a model gives, or is made of it, goes anywhere with its graph; what keeps it over a loop is added to `kept`."""
        seen, waiting = set(), list(outputs)
        while waiting:
            node = waiting.pop()
            holder, by = node, self.parents.get(id(node))
            while True:
                if self.without_gradients(holder):
                    break
                if isinstance(by, ast.Attribute):
                    call = self.parents.get(id(by))
                    if by.attr in ("detach", "data", "shape", "dtype", "device", "ndim") or by.attr in (
                            "item", "tolist", "size", "numpy", "dim", "append") and isinstance(call, ast.Call):
                        break
                    if by.attr not in HANDS_ON_A_GRAPH or not isinstance(call, ast.Call) or call.func is not by:
                        return True
                    holder, by = call, self.parents.get(id(call))
                elif isinstance(by, (ast.Tuple, ast.List, ast.Subscript)) and not (isinstance(by, ast.Subscript) and by.value is not holder):
                    holder, by = by, self.parents.get(id(by))
                elif isinstance(by, ast.Call) and self.full(by.func) in ("torch.cat", "torch.stack", "torch.squeeze", "torch.sigmoid", "torch.relu"):
                    holder, by = by, self.parents.get(id(by))
                elif is_call(by, "append") and isinstance(by.func.value, ast.Name) or isinstance(by, ast.Assign) and len(
                        by.targets) == 1 and isinstance(by.targets[0], ast.Name):
                    name = by.targets[0].id if isinstance(by, ast.Assign) else by.func.value.id
                    if isinstance(by, ast.Assign) and self.joined(by, name):
                        kept += [] if by in kept else [by]
                    waiting += [] if name in seen else self.names_of(name, scope)
                    seen.add(name)
                    break
                elif isinstance(by, ast.Expr) or isinstance(by, ast.Call) and getattr(by.func, "id", "") in ("len", "type"):
                    break
                else:
                    return True
        return False

    def joined(self, statement, name):
        """all = torch.cat((all, part))"""
        return self.full(getattr(statement.value, "func", None)) in ("torch.cat", "torch.stack") and any(
            isinstance(one, ast.Name) and one.id == name for one in ast.walk(statement.value))

    # ---- peaks

    def peaks_that_were_reset(self, nodes):
        """torch.cuda.reset_peak_memory_stats(); peak = torch.cuda.max_memory_allocated(): the peak of nothing."""
        reads = [one for one in self.calls if READS_PEAK.match(self.full(one.func)) and (
            "get_memory_info" not in self.full(one.func) or re.search(r"\[['\"]peak", self.written(self.parents.get(id(one)))))]
        if not reads or not any(RESETS_ITS_PEAK.match(self.full(one.func)) for one in self.calls):
            return
        found = {}
        for _, block in self.bodies(nodes):
            for number, statement in enumerate(block):
                reset = statement.value if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and RESETS_ITS_PEAK.match(
                    self.full(statement.value.func)) else None
                for later in block[number + 1:] if reset is not None else ():
                    read = next((one for one in reads if any(part is one for part in ast.walk(later))), None)
                    if read is not None and isinstance(later, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign)):
                        found.setdefault(id(read), (read, reset))
                    if read is not None or not isinstance(later, ast.Expr) or not isinstance(later.value, ast.Call) or not (IS_NO_WORK.match(self.full(
                            later.value.func)) or getattr(later.value.func, "id", "") == "print"):
                        break
        # A value that is read first, and another one at the end, are compared: then this one is meant as it is.
        if found and len(found) == len({(one.lineno, one.col_offset) for one in reads}):
            for read, reset in found.values():
                self.mistake(read, "a peak that was just reset", self.written(reset), other=reset)
