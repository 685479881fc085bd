"""Steps of PyTorch's that come too late, twice or for nothing, read from the statements of a file as they stand; for the reader of scripts."""

STATES_OF_SHARDS = ("state_dict_type", "full_optim_state_dict", "optim_state_dict", "get_model_state_dict",
                    "get_optimizer_state_dict", "get_state_dict")
BEGINS_CUDA = re.compile(r"\.cuda\(|\.to\(['\"]cuda|device=['\"]cuda|cuda\.(synchronize|get_device_(name|properties)|mem_get_info|"
                         r"current_device|memory_allocated)\(")
MADE_OF_NUMBERS = tuple("torch." + name for name in (
    "arange linspace logspace zeros ones rand randn full eye empty outer tril triu FloatTensor LongTensor").split()) + (
        "torch.nn.Linear", "torch.nn.Sequential")
ADAMS = re.compile(r"torch\.optim\.(Adam|AdamW|NAdam|RAdam|Adamax|RMSprop)$")
# What reads or makes one image as a tensor of three dimensions, and steps of a transform that do.
READS_IMAGE = re.compile(r"torchvision\.io\.(\w+\.)?(read_image|decode_image|decode_jpeg|decode_png)$|"
                         r"torchvision\.transforms\.(v2\.)?functional\.(to_tensor|pil_to_tensor)$")
TO_IMAGE = re.compile(r"torchvision\.transforms\.(v2\.)?(ToTensor|PILToTensor|ToImage)$")
SWITCHES_OF_GPU = re.compile(r"torch\.backends\.(cudnn|cuda)\.(\w+\.)*\w+$|torch\.use_deterministic_algorithms$|torch\.set_float32_matmul_precision$")
KEEPS_RANK = frozenset("to float half bfloat16 div div_ mul mul_ sub sub_ add add_ contiguous clone as_subclass type cuda cpu flip clamp "
                       "pin_memory".split())
# Calls that make a model which computes products of matrices or convolutions.
MODELS_BY_CALL = re.compile(r"torchvision\.models\.(\w+\.)*[a-z]\w+$|timm\.create_model$|torch\.nn\.(Sequential|Linear|Conv\dd|Transformer\w*|LSTM|GRU)$|"
                            r"transformers\.\w+\.from_pretrained$|segmentation_models_pytorch\.\w+$|monai\.networks\.nets\.\w+$")
# Transforms of torchvision's first kind that are plain objects, and what only a module has.
PLAIN_TRANSFORMS = re.compile(r"torchvision\.transforms\.(transforms\.)?(Compose|ToTensor|PILToTensor|ToPILImage|Lambda|RandomOrder|RandomChoice)$")
OF_MODULES = ("to", "cuda", "cpu", "eval", "train", "half", "parameters", "modules", "requires_grad_", "state_dict")


class TorchSteps(WholeFile):
    def kept_by_hook(self, functions):
        """def hook(module, inputs, output): kept.append(output.abs().mean()), while the model trains."""
        if not self.says(r"register_(full_)?forward_hook\(") or not self.says(r"\.backward\(") or self.emptied_in_each_step():
            return
        for of in functions:
            given = [one.arg for one in of.args.args]
            given = given[1:] if given[:1] == ["self"] else given
            if len(given) != 3 or not re.search(r"out", given[2]):
                continue
            for one in ast.walk(of):
                if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "append" and len(one.args) == 1 and any(
                        isinstance(name, ast.Name) and name.id == given[2] for name in ast.walk(one.args[0])) and not re.search(
                            r"detach|\.item\(|numpy|\.data\b|\.shape|\.size\(", self.reader.written_whole(of)) and not re.search(
                                r"no_grad|inference_mode|is_grad_enabled", self.reader.written_whole(of)):
                    self.mistake(one, "an output that a hook keeps with its graph", given[2])

    def emptied_in_each_step(self):
        """Whether each step empties what a hook keeps: clear() in its loop or function, or in what that calls."""
        emptied = [one for one in self.tracing.index.calls if getattr(one.func, "attr", "") == "clear" and not one.args]
        within = {getattr(self.origins.scope(one), "name", "") for one in emptied} - {""}
        if within & {"__enter__", "__exit__"}:
            return True

        def trains(node):
            return any(getattr(one.func, "attr", "") == "backward" for one in calls_in(node.body))

        loops = [one for one in self.tracing.index.loops if trains(one)]
        for step in loops + [one for one in self.tracing.index.functions if trains(one)] if emptied else ():
            inner = any(loop in loops and loop is not step for loop in ast.walk(step))
            if not inner and any(one in emptied or getattr(one.func, "attr", getattr(one.func, "id", "")) in within
                                 for one in calls_in(step.body)):
                return True
        return False

    def checkpoint_of_input(self, nodes):
        """def forward(self, x): x = checkpoint(self.stem, x, use_reentrant=True), where x is the batch itself."""
        if self.says(r"requires_grad_\((True)?\)|requires_grad *= *True|enable_input_require_grads|get_peft_model"):
            return
        for of in (one for one in nodes if isinstance(one, (ast.Module, ast.FunctionDef))):
            own, made = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef)), {}
            for one in (one for one in ast.walk(of) if id(one) not in own):
                if isinstance(one, ast.Assign):
                    made.setdefault(self.written(one.targets[0]), []).append(isinstance(one.value, ast.Call) and self.full(
                        one.value.func) in MADE_OF_NUMBERS[:-2])
            for one in (one for one in ast.walk(of) if id(one) not in own):
                if isinstance(one, ast.Call) and self.is_reentrant(one) and not isinstance(one.args[0], ast.Lambda) and all(
                        made.get(self.written(given)) == [True] for given in self.handed_to(one)):
                    self.mistake(one, "a checkpoint of what needs no gradient", self.written(one.args[0]))
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        inside = {getattr(call.func, "id", "") for of in classes for call in ast.walk(of) if isinstance(call, ast.Call)}
        for call in self.tracing.index.calls:
            if self.says(r"\.backward\(") and self.is_reentrant(call) and any(
                    all(self.is_input(one, inside, call) for one in given) for given in self.inputs_of(call)):
                self.mistake(call, "a checkpoint of what needs no gradient", self.written(call.args[0]))
        for of in classes:
            forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
            if forward is None or of.name in inside or len(forward.args.args) < 2:
                continue
            given = {one.arg for one in forward.args.args[1:]}
            for statement in forward.body:
                for call in self.tracing.own_calls(statement):
                    if self.is_reentrant(call) and all(isinstance(one, ast.Name) and one.id in given for one in self.handed_to(call)):
                        self.mistake(call, "a checkpoint of what needs no gradient", self.written(call.args[0]))
                given -= self.tracing.stored(statement)

    def inputs_of(self, call):
        """What a checkpoint is given; where its function is handed that, what each of the function's callers gives."""
        given = self.handed_to(call)
        function = self.origins.scope(call)
        names = [one.arg for one in function.args.args] if isinstance(function, ast.FunctionDef) else []
        rest = function.args.vararg if names else None
        if rest is not None and len(given) == 1 and isinstance(given[0], ast.Starred) and getattr(given[0].value, "id", "") == rest.arg:
            sites = [site.args[len(names) - site.hidden:] for site in self.origins.sites(function)]  # def run(self, module, *args)
            return [of for of in sites if of and not any(isinstance(one, ast.Starred) for one in of)]
        if function is None or getattr(function, "name", "forward") == "forward" or not all(getattr(one, "id", "") in names for one in given):
            return [given]
        places = [names.index(one.id) for one in given]
        return [[site.args[at - site.hidden] for at in places] for site in self.origins.sites(function) if all(
            0 <= at - site.hidden < len(site.args) for at in places)]

    def is_input(self, node, inside, call):
        """Whether a value is what the forward() of a whole model is given, or made of numbers, when the call first runs."""
        loops = [one for at in (call, node) for one in self.origins.around(at) if isinstance(one, ast.For)]
        values = self.origins.of(node)
        first = [one for one in values if one is not call and not any(loop in self.origins.around(one) for loop in loops)]
        for one in first:
            function = self.origins.function_of(one) if isinstance(one, ast.arg) else None
            of = self.origins.scope(function) if function is not None else None
            whole = isinstance(of, ast.ClassDef) and function.name == "forward" and of.name not in inside and one.arg != "self"
            if not whole and not (isinstance(one, ast.Call) and (self.full(one.func) in MADE_OF_NUMBERS[:-2] or self.is_frozen(
                    one.func) or self.freezes_itself(one.func) and all(self.is_input(given, inside, call) for given in one.args))):
                return False
        return bool(first)

    def freezes_itself(self, layer):
        """Whether self.stem is of a class whose __init__ ends with self.requires_grad_(False), and nothing thaws it."""
        if self.says(r"requires_grad(_\(| *= *(?![ =]))(?!False)"):
            return False
        made = self.origins.made(layer)
        for of in self.origins.functions_of(made.func) if isinstance(made, ast.Call) and isinstance(layer, ast.Attribute) else ():
            init = next((one for one in getattr(of, "body", ()) if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
            last = init.body[-1] if init is not None and isinstance(of, ast.ClassDef) else None
            if last is not None and (self.written(last) == "self.requires_grad_(False)" or isinstance(last, ast.For) and self.written(
                    last.iter) == "self.parameters()" and re.search(r"\.requires_grad(_\(| = )False", self.reader.written_whole(last))):
                return True
        return False

    def is_frozen(self, layer):
        """Whether self.embed needs no gradient: for p in model.embed.parameters(): p.requires_grad = False."""
        if not isinstance(layer, ast.Attribute):
            return False
        made = self.made_by(layer, "torch.nn.Embedding.from_pretrained")
        if made is not None and self.said(self.given(made, 1, "freeze"), True) is True and not self.says(
                r"requires_grad(_\(| *= *(?!=|False))"):
            return True
        of = r"\b%s\b" % re.escape(layer.attr)
        return self.says(of + r"(\.weight)?\.requires_grad(_\(| *= *)False") or any(
            isinstance(loop, ast.For) and re.search(of + r"\.(named_)?parameters\(\)", self.written(loop.iter)) and re.search(
                r"\.requires_grad(_\(| = )False", self.reader.written_whole(loop)) for loop in self.tracing.index.loops)

    def is_reentrant(self, call):
        return self.full(call.func) in ("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential") and bool(
            self.handed_to(call)) and self.said(self.word(call, "use_reentrant")) is True

    def handed_to(self, call):
        """The inputs of checkpoint(function, *inputs) or checkpoint_sequential(functions, segments, input)."""
        return call.args[2:3] if self.full(call.func).endswith("_sequential") else call.args[1:]

    def transforms_as_modules(self):
        """transforms.Compose([…]).to(device), of torchvision's first kind of transforms."""
        for call in self.tracing.index.calls if self.says(r"torchvision") else ():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in OF_MODULES or self.full(call.func) or any(
                    isinstance(one, ast.Try) or isinstance(one, (ast.If, ast.IfExp)) and re.search(r"isinstance|hasattr|callable", self.written(one.test))
                    for one in self.origins.around(call)):
                continue
            kinds = {self.full(one.func) if isinstance(one, ast.Call) else "" for one in self.origins.of(call.func.value, True)}
            if kinds and all(PLAIN_TRANSFORMS.match(kind) for kind in kinds):
                self.mistake(call, "a transform that is no module", sorted(kinds)[0].rsplit(".", 1)[-1], call.func.attr, doubted=False)

    def checkpoints_that_evaluate(self, nodes):
        """from_pretrained() gives a model that evaluates, whose checkpoints do nothing."""
        if not self.says(r"\.from_pretrained\(") or not self.says(r"\.backward\(") or self.says(r"Trainer\b|\.train\(|\.training\b"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "gradient_checkpointing_enable":
                self.mistake(one, "checkpoints of a model that evaluates", self.written(one.func.value))

    def launched_late(self, nodes):
        """notebook_launcher(…), which forks, behind a call that began CUDA in the notebook."""
        within = {id(inner) for one in nodes if isinstance(one, (ast.FunctionDef, ast.ClassDef, ast.Lambda)) for inner in ast.walk(one)}
        begun = early = None
        for one in (one for tree in nodes if isinstance(tree, ast.Module) for one in tree.body):
            launch = next((call for call in ast.walk(one) if isinstance(call, ast.Call) and self.full(call.func) in (
                "accelerate.notebook_launcher", "accelerate.launchers.notebook_launcher")), None)
            if launch is not None and early is not None and self.said(self.word(launch, "num_processes")) != 1:
                return self.mistake(early, "an Accelerator before its launcher", self.written(launch), other=launch)
            if launch is not None and begun is not None:
                return self.mistake(begun, "CUDA that begins before processes are forked", self.written(launch), other=launch)
            if launch is None and id(one) not in within and begun is None:
                begun = next((call for call in ast.walk(one) if isinstance(call, ast.Call) and id(call) not in within and
                              BEGINS_CUDA.search(self.written(call))), None)
            if launch is None and id(one) not in within and early is None and not isinstance(one, ast.If):
                early = next((call for call in ast.walk(one) if isinstance(call, ast.Call) and id(call) not in within and self.full(
                    call.func) in ("accelerate.Accelerator", "accelerate.accelerator.Accelerator")), None)
        return None

    def states_of_one(self, nodes):
        """if rank == 0: with FSDP.state_dict_type(…): model.state_dict(), which gathers the parts of all processes."""
        for one in nodes:
            for call in calls_in(one.body) if self.is_for_one(one) else ():
                name = self.full(call.func)
                if name.startswith("torch.distributed.") and name.rsplit(".", 1)[-1] in STATES_OF_SHARDS:
                    self.reader.mistake(call, "a collective that one process calls", self.written(call), self.written(call),
                                        other=one.test)
                    break

    def replaced_unmoved(self, nodes):
        """self.model = Net().to(device); …; self.model = Net(), which is trained: the new model stays on the CPU."""
        if not self.says(r"\.backward\(|\.step\(") or self.says(
                r"set_default_(device|tensor)|\.prepare\(|Accelerator|Trainer\(|deepspeed|Fabric|fully_shard|device_map|with torch\.device"):
            return
        places = {}
        for one in nodes:
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], (ast.Name, ast.Attribute)):
                target = one.targets[0]
                of = self.origins.owner(target) if isinstance(target, ast.Attribute) else self.origins.scope(target)
                if isinstance(target, ast.Name) or of is not None:
                    places.setdefault((id(of), self.written(target)), []).append(one)
        for (_, name), found in places.items():
            placed = next((one for one in found if self.is_on_gpu(one.value)), None)
            bare = next((one for one in found if placed is not None and one is not placed and self.is_unmoved_model(one)), None)
            if bare is None or len(found) > 2 or self.is_moved_elsewhere(nodes, name) or not self.is_trained_after(placed, bare, name):
                continue
            self.mistake(bare, "a model that is replaced by one on the CPU", self.written(placed.value), other=placed)

    def is_on_gpu(self, node):
        """Net().to(device) or Net().cuda(), where the device may be a GPU."""
        return any(is_call(one, "cuda") or is_call(one, "to") and any("cuda" in self.written(made) for given in one.args + [
            k.value for k in one.keywords] for made in self.origins.known(given)) for one in self.origins.wrappers_of(node))

    def is_unmoved_model(self, statement):
        """self.model = model, where a class of the file that is a module makes it, and nothing moves it."""
        value = statement.value
        made = self.origins.of(value, True)
        scope = self.origins.scope(statement)
        own = r"\b%s\.(to|cuda|to_empty)\(" % re.escape(self.written(value)) if isinstance(value, (ast.Name, ast.Attribute)) else None
        return bool(made) and all(self.is_made_by_module(one) for one in made) and not any(
            is_call(one, "to") or is_call(one, "cuda") for one in self.origins.wrappers_of(value)) and scope is not None and not (
                own and re.search(own, self.reader.written_whole(scope)))

    def is_made_by_module(self, one):
        """Net(…), of a class of the file that moves nothing itself and is given no device."""
        of = next(iter(self.origins.functions_of(one.func)), None) if isinstance(one, ast.Call) else None
        return isinstance(of, ast.ClassDef) and any(self.full(base) == "torch.nn.Module" for base in of.bases) and not re.search(
            r"device|\.to\(|cuda", self.reader.written_whole(of) + self.written(one))

    def is_moved_elsewhere(self, nodes, name):
        """Whether something else could move it: a move in place, or a function of the file that it is given to."""
        last = name.rsplit(".", 1)[-1]
        for one in nodes:
            if isinstance(one, ast.Expr) and (is_call(one.value, "to") or is_call(one.value, "cuda")):
                return True
            if isinstance(one, (ast.Assign, ast.Return)) and any((is_call(call, "to") or is_call(call, "cuda")) and re.search(
                    r"\b%s$" % re.escape(last), self.written(call.func.value)) for call in ast.walk(one)):
                return True
            if isinstance(one, ast.Call) and any(self.written(given).endswith(last) for given in one.args) and any(re.search(
                    r"\.to\(|\.cuda\(", self.reader.written_whole(of)) and not self.says_backward(of) for of in self.origins.functions_of(one.func)):
                return True
        return False

    def says_backward(self, of):
        return re.search(r"\.backward\(", self.reader.written_whole(of)) is not None

    def is_trained_after(self, placed, bare, name):
        """Whether what replaces the model is what the training takes: of self.model in a method that the constructor calls."""
        scope, first = self.origins.scope(bare), self.origins.scope(placed)
        if scope is None or first is None:
            return False
        if scope is first and placed.lineno > bare.lineno:
            return False
        later = [one for one in ast.walk(scope) if isinstance(one, ast.Call) and one.lineno > bare.lineno] if scope is first else ()
        if any(is_call(one, "backward") or any(self.written(given) == name for given in one.args) and any(
                self.says_backward(of) for of in self.origins.functions_of(one.func)) for one in later):
            return True
        of = self.origins.scope(scope)
        if not isinstance(of, ast.ClassDef) or self.origins.scope(first) is not of or first.name != "__init__":
            return False
        calls = [one for one in ast.walk(first) if isinstance(one, ast.Call) and self.written(one.func) == "self." + scope.name]
        trains = any(isinstance(one, ast.FunctionDef) and one is not scope and self.says_backward(one) and re.search(
            r"\b%s\b" % re.escape(name), self.reader.written_whole(one)) for one in of.body)
        return trains and (scope is first or any(one.lineno > placed.lineno for one in calls))

    def released_by_name(self, functions):
        """def release(*objects): del objects; torch.cuda.empty_cache(), while the caller's names hold the objects."""
        for of in functions:
            taken = [one for one in of.args.args + of.args.kwonlyargs + [of.args.vararg] if one is not None and one.arg not in ("self", "cls")]
            body = of.body[1:] if isinstance(of.body[0], ast.Expr) and isinstance(of.body[0].value, ast.Constant) else of.body
            gone = self.names_let_go(body)
            emptied = next((call for call in calls_in(body) if self.full(call.func) == "torch.cuda.empty_cache"), None)
            names = {one.arg for one in taken}
            if not taken or emptied is None or not gone or set(gone) - names or any(
                    isinstance(one, ast.Name) and one.id in names and isinstance(one.ctx, ast.Load) and one not in gone.values()
                    for part in body for one in ast.walk(part)):
                continue
            at = min(gone.values(), key=lambda one: one.lineno)
            parent = self.origins.parents.get(id(at))
            at = parent if isinstance(parent, ast.Delete) else at
            call = next((call for call in self.tracing.index.calls if of in self.origins.functions_of(call.func) and self.is_held(call)), None)
            if call is not None and at.lineno <= emptied.lineno:
                self.mistake(at, "objects that their caller holds", of.name, self.written(call), other=call)

    @staticmethod
    def names_let_go(body):
        """The names that the statements of a function delete, bind to None or loop over to delete each."""
        gone = {}
        for one in body:
            if isinstance(one, ast.Delete):
                gone.update({target.id: target for target in one.targets if isinstance(target, ast.Name)})
            elif isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and one.value.value is None:
                gone.update({target.id: target for target in one.targets if isinstance(target, ast.Name)})
            elif isinstance(one, ast.For) and isinstance(one.iter, ast.Name) and len(one.body) == 1 and isinstance(
                    one.body[0], ast.Delete) and isinstance(one.target, ast.Name) and [getattr(
                        target, "id", "") for target in one.body[0].targets] == [one.target.id]:
                gone[one.iter.id] = one.iter
        return gone

    def is_held(self, call):
        """release(model), as a statement of a function that goes on and neither deletes the name nor binds it anew."""
        statement = self.origins.parents.get(id(call))
        scope = self.origins.scope(call)
        scope = scope if scope is not None else next(iter(one for one in self.origins.around(call) if isinstance(one, ast.Module)), None)
        if not isinstance(statement, ast.Expr) or not call.args or not isinstance(scope, (ast.FunctionDef, ast.Module)) or not all(
                isinstance(one, ast.Name) for one in call.args):
            return False
        names = {one.id for one in call.args}
        if any(isinstance(one, (ast.Global, ast.Nonlocal)) and names & set(one.names) for one in ast.walk(scope)):
            return False
        for name in names:
            bound = [one for one in ast.walk(scope) if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load)]
            if len(bound) != 1 or bound[0].lineno > call.lineno:
                return False  # a parameter is the caller's as well, and what is bound again lets go of the first
        return any(isinstance(one, ast.Call) and one.lineno > statement.end_lineno and re.search(
            r"train|fit|load|build|make|create|from_pretrained|model|run|generate|eval|step|\.to$|\.cuda$", self.written(one.func), re.I)
                   for one in ast.walk(scope))

    def average_in_few_digits(self, nodes):
        """s.lerp_(p, 1e-4) of an average in bfloat16: the step is smaller than what its last digit stands for."""
        if not self.says(r"bfloat16|float16|half\("):
            return
        for call in self.tracing.index.calls:
            if is_call(call, "lerp_") or is_call(call, "add_") and is_call(call.func.value, "mul_"):
                weight = self.given(call, 1, "weight" if is_call(call, "lerp_") else "alpha")
                of = call.func.value if is_call(call, "lerp_") else call.func.value.func.value
                model = self.model_of_parameter(of)
            elif self.full(call.func).endswith("AveragedModel") and self.full(call.func).startswith("torch.optim.swa_utils."):
                by = self.value_of(self.given(call, 2, "avg_fn") or self.given(call, 3, "multi_avg_fn"))
                decay = self.given(by, 0, "decay") if isinstance(by, ast.Call) and re.match(
                    r"torch\.optim\.swa_utils\.get_ema_(multi_)?avg_fn$", self.full(by.func)) else None
                weight = ast.BinOp(ast.Constant(1.0), ast.Sub(), decay) if decay is not None else None
                model = call.args[0] if call.args else None
            else:
                continue
            share, kind = self.share_of(weight), self.short_kind(model) if model is not None else None
            if kind and 0 < share <= (1.001e-3 if kind == "torch.bfloat16" else 1.001e-4):
                self.mistake(call, "an average in few digits", kind, "%.2g" % share)

    def share_of(self, node):
        """The number of 1 - decay or of a constant; 0 where it is not known."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            whole, less = self.said(node.left), self.said(node.right)
            return whole - less if type(whole) in (int, float) and type(less) in (int, float) else 0
        made = self.value_of(node) if node is not None else None
        if isinstance(made, ast.BinOp) and made is not node:
            return self.share_of(made)
        share = self.said(node, 0) if node is not None else 0
        return share if type(share) in (int, float) else 0

    def model_of_parameter(self, node):
        """A, of the name that for s, p in zip(A.parameters(), B.parameters()) gives; None: another."""
        while isinstance(node, ast.Attribute) and node.attr == "data" or is_call(node, "detach"):
            node = node.value if isinstance(node, ast.Attribute) else node.func.value
        for loop in self.origins.around(node) if isinstance(node, ast.Name) else ():
            if isinstance(loop, ast.For) and isinstance(loop.target, ast.Tuple) and getattr(getattr(loop.iter, "func", None), "id", "") == "zip":
                for target, side in zip(loop.target.elts, loop.iter.args):
                    if getattr(target, "id", "") == node.id and is_call(side, "parameters"):
                        return side.func.value
        return None

    def short_kind(self, model):
        """The kind of half precision that a model was cast to and kept; None: another, or not known."""
        last = self.written(model).rsplit(".", 1)[-1]
        if self.says(r"\b%s\.(float|double|to)\(" % re.escape(last)):
            return None
        found = set()
        for one in self.origins.wrappers_of(model):
            kinds = {self.full(made) for given in one.args + [k.value for k in one.keywords] for made in self.origins.known(given)} if is_call(
                one, "to") else {"torch." + one.func.attr} if isinstance(one.func, ast.Attribute) else set()
            found |= kinds & {"torch.bfloat16", "torch.float16", "torch.half", "torch.float32", "torch.float", "torch.double", "torch.float64"}
        for one in self.origins.known(model, True):
            given = self.word(one, "torch_dtype", "dtype") if is_call(one, "from_pretrained") else None
            found |= {self.full(made) for made in self.origins.known(given)} if given is not None else set()
        return found.pop() if len(found) == 1 and found <= {"torch.bfloat16", "torch.float16", "torch.half"} else None

    def layout_of_one_image(self, nodes):
        """image.contiguous(memory_format=torch.channels_last), of an image with three dimensions."""
        if not self.says(r"channels_last\b"):
            return
        for call in self.tracing.index.calls:
            if (is_call(call, "contiguous") or is_call(call, "to") or is_call(call, "clone")) and self.full(
                    self.value_of(self.word(call, "memory_format"))) == "torch.channels_last" and self.rank_of(call.func.value) == 3:
                self.reader.mistake(call, "the layout of a batch for one image", self.written(call))

    def rank_of(self, node, deepest=12):
        """How many dimensions a tensor surely has; None: not known."""
        if deepest == 0 or node is None:
            return None
        if isinstance(node, ast.BinOp):
            sides = [one for one in (node.left, node.right) if not isinstance(one, ast.Constant)]
            return self.rank_of(sides[0], deepest - 1) if len(sides) == 1 else None
        if isinstance(node, ast.Name):
            if self.is_image_of_lambda(node):
                return 3
            made = self.origins.of(node)
            ranks = {self.rank_of(one, deepest - 1) if one is not node and not isinstance(one, (Part, ast.arg)) else None for one in made}
            return ranks.pop() if len(ranks) == 1 else None
        if not isinstance(node, ast.Call):
            return None
        name = self.full(node.func)
        if READS_IMAGE.match(name):
            return 3
        if re.match(r"torch\.(rand|randn|zeros|ones|empty)$", name):
            sizes = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], (ast.Tuple, ast.List)) else node.args
            return len(sizes) if sizes and not any(isinstance(one, ast.Starred) for one in sizes) and (
                len(sizes) > 1 or isinstance(node.args[0], (ast.Tuple, ast.List))) else None
        if isinstance(node.func, ast.Attribute) and not name.startswith(("torch.", "torchvision.")):
            of = node.func.value
            if node.func.attr == "permute":
                sizes = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], (ast.Tuple, ast.List)) else node.args
                return len(sizes) if len(sizes) > 1 and not any(isinstance(one, ast.Starred) for one in sizes) else None
            if node.func.attr == "unsqueeze":
                inner = self.rank_of(of, deepest - 1)
                return inner + 1 if inner is not None else None
            if node.func.attr in KEEPS_RANK:
                return self.rank_of(of, deepest - 1)
        return 3 if self.gives_an_image(node) else None

    def gives_an_image(self, call):
        """transform(image), of torchvision's Compose with ToTensor() or the like, in the __getitem__ of a data set."""
        made = self.origins.of(call.func)
        within = next((one for one in self.origins.around(call) if isinstance(one, ast.FunctionDef)), None)
        return len(call.args) == 1 and bool(made) and within is not None and within.name == "__getitem__" and all(
            isinstance(one, ast.Call) and self.makes_images(one) for one in made)

    def makes_images(self, call):
        """Compose([…, ToTensor(), …]), in which nothing makes several images of one."""
        name = self.full(call.func)
        if TO_IMAGE.match(name):
            return True
        if not re.match(r"torchvision\.transforms\.(v2\.)?Compose$", name) or not call.args:
            return False
        steps, scope = self.origins.known(call.args[0]), self.origins.scope(call)
        if isinstance(call.args[0], ast.Name) and scope is not None:  # what += adds comes behind
            steps = [one.value for one in ast.walk(scope) if isinstance(one, ast.Assign) and self.written(
                one.targets[0]) == call.args[0].id] or steps
        return bool(steps) and not self.says(r"FiveCrop|TenCrop|Lambda|lambda|unsqueeze|[vV]ideo") and all(isinstance(
            one, (ast.List, ast.Tuple)) and any(isinstance(part, ast.Call) and TO_IMAGE.match(self.full(part.func)) for part in one.elts)
                                                                                                 for one in steps)

    def is_image_of_lambda(self, node):
        """The x of Compose([ToTensor(), Lambda(lambda x: …)])."""
        of = next((one for one in self.origins.around(node) if isinstance(one, ast.Lambda)), None)
        call = self.origins.parents.get(id(of)) if of is not None else None
        steps = self.origins.parents.get(id(call)) if isinstance(call, ast.Call) else None
        if steps is None or not isinstance(steps, ast.List) or [one.arg for one in of.args.args] != [node.id] or not re.match(
                r"torchvision\.transforms\.(v2\.)?Lambda$", self.full(call.func)):
            return False
        before = steps.elts[:steps.elts.index(call)]
        return any(isinstance(one, ast.Call) and re.match(r"torchvision\.transforms\.(v2\.)?(ToTensor|PILToTensor)$", self.full(
            one.func)) for one in before) and not any(re.search(r"FiveCrop|TenCrop|Lambda|\.Resize\(\)", self.written(one)) for one in before)

    def divided_twice(self, nodes):
        """accelerator.backward(loss / steps), of an Accelerator that divides by the same number of steps itself."""
        for call in self.tracing.index.calls:
            made = self.made_by(call.func.value, "accelerate.Accelerator", "accelerate.accelerator.Accelerator", surely=True) if is_call(
                call, "backward") and len(call.args) == 1 else None
            steps = self.word(made, "gradient_accumulation_steps") if made is not None else None
            if steps is None or self.said(steps) == 1 or self.says(r"deepspeed|DeepSpeed"):
                continue
            for one in [call.args[0]] + self.origins.statements_of(call.args[0]) if isinstance(call.args[0], ast.Name) else [call.args[0]]:
                one = one.value if isinstance(one, ast.Assign) else one
                by = one.right if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) else one.value if isinstance(
                    one, ast.AugAssign) and isinstance(one.op, ast.Div) else None
                if by is not None and (self.written(by) == self.written(steps) or self.written(by).endswith(
                        ".gradient_accumulation_steps") or type(self.said(by)) is int and self.said(by) > 1 and self.said(by) == self.said(steps)):
                    self.mistake(call, "a loss that is divided twice", self.written(by), other=made)
                    break

    def map_turned_round(self):
        """torch.load(path, map_location={f"cuda:{rank}": "cuda:0"}): the key is where the file's tensors lie."""
        if self.says(r"VISIBLE_DEVICES"):
            return
        for call in self.tracing.index.calls:
            given = self.given(call, 1, "map_location") if self.full(call.func) == "torch.load" and call.args else None
            table = self.value_of(given) if given is not None else None
            if not isinstance(table, ast.Dict) or len(table.keys) != 1 or re.search(r"rank", self.written(call.args[0]), re.I):
                continue
            key, value = self.value_of(table.keys[0]), self.said(table.values[0])
            if isinstance(key, (ast.JoinedStr, ast.BinOp)) and re.search(r"rank", self.written(key), re.I) and value == "cuda:0":
                self.mistake(call, "a map of devices that is turned round", self.written(table), self.written(key), other=table)

    def switches_of_workers(self):
        """def init(number): torch.backends.cudnn.deterministic = True, as worker_init_fn: the model runs in another process."""
        for call in self.tracing.index.calls:
            given = self.word(call, "worker_init_fn") if self.full(call.func) == "torch.utils.data.DataLoader" else None
            of = next(iter(self.origins.functions_of(given)), None) if given is not None else None
            if not isinstance(of, ast.FunctionDef) or any(
                    one for one in self.tracing.index.calls if getattr(one.func, "id", "") == of.name):
                continue
            rest = self.reader.text.replace("\n".join(self.reader.text.split("\n")[of.lineno - 1:of.end_lineno]), "")
            for one in ast.walk(of):
                name = self.full(one.targets[0]) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) else \
                    self.full(one.func) if isinstance(one, ast.Call) else ""
                if SWITCHES_OF_GPU.match(name) and not re.search(r"\b%s\b" % name.rsplit(".", 1)[-1], rest) and "seed_everything" not in rest:
                    self.mistake(one, "a switch that the workers alone set", of.name, other=call)
                    break

    def dropped_fields(self, nodes):
        """batch.words.to(device), of a field that its class says to be a tensor, as a statement."""
        fields, others = set(), set()
        for of in self.tracing.index.classes:
            plain = any(re.search(r"(^|\.)NamedTuple$", self.full(base) or self.written(base)) for base in of.bases) or any(
                re.search(r"\bdataclass\b", self.written(one)) for one in of.decorator_list)
            for one in of.body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                    is_tensor = plain and self.full(one.annotation) in ("torch.Tensor", "torch.nn.utils.rnn.PackedSequence")
                    (fields if is_tensor else others).add(one.target.id)
                elif isinstance(one, ast.FunctionDef):
                    others.add(one.name)
                    others |= {part.attr for part in ast.walk(one) if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)}
        for one in nodes if fields - others else ():
            call = one.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else None
            if call is not None and (is_call(call, "to") or is_call(call, "cuda")) and isinstance(
                    call.func.value, ast.Attribute) and call.func.value.attr in fields - others and (call.args or is_call(call, "cuda")):
                self.mistake(call, "a tensor's move that is dropped")

    def moved_before_its_gpu(self):
        """model = Net().cuda(); …; torch.cuda.set_device(local_rank): each process puts its model on the first GPU."""
        calls = self.tracing.index.calls
        chosen = [one for one in calls if self.full(one.func) == "torch.cuda.set_device" and one.args]
        if len(chosen) != 1 or self.says(r"VISIBLE_DEVICES|cuda\.device\(|mp\.spawn|set_start_method") or not re.search(
                r"rank", self.written(chosen[0].args[0]), re.I) or not self.says(r"LOCAL_RANK|get_rank|local_rank"):
            return
        last = self.places_of(chosen[0])
        for call in calls if last else ():
            statement = self.origins.parents.get(id(call))
            plain = is_call(call, "cuda") and not call.args and not call.keywords or is_call(call, "to") and len(
                call.args) == 1 and self.said(call.args[0]) == "cuda"
            if not plain or not isinstance(statement, ast.Assign) or not self.is_module_made(call.func.value):
                continue
            name = self.written(statement.targets[0])
            if any((is_call(one, "to") or is_call(one, "cuda")) and self.written(one.func.value) == name for one in calls):
                continue
            first = self.places_of(call)
            if any(scope is other and one.lineno < two.lineno for scope, one in first for other, two in last):
                self.mistake(call, "a model that is moved before its process has a GPU", self.written(chosen[0]), other=chosen[0])
                return

    def is_module_made(self, node):
        """Whether it is made by torch.nn, or by a class of the file that is a module."""
        made = self.origins.known(node, True)
        return bool(made) and all(isinstance(one, ast.Call) and (self.full(one.func).startswith("torch.nn.") or any(isinstance(
            of, ast.ClassDef) and any(self.full(base) == "torch.nn.Module" for base in of.bases) for of in self.origins.functions_of(
                one.func))) for one in made)

    def places_of(self, node, deepest=4):
        """[(a function, class or None for the file, the node in it that comes to this node)], where each is called once, in no branch."""
        if deepest == 0 or self.in_branch(node):
            return []
        of = self.origins.scope(node)
        places = [(of, node)]
        if isinstance(of, ast.FunctionDef):
            owner = self.origins.scope(of)
            name = owner.name if of.name == "__init__" and isinstance(owner, ast.ClassDef) else of.name
            sites = [one for one in self.tracing.index.calls if getattr(one.func, "attr", getattr(one.func, "id", "")) == name]
            places += self.places_of(sites[0], deepest - 1) if len(sites) == 1 else []
        return places

    def small_eps(self, scopes):
        """model.half(); torch.optim.Adam(model.parameters()): its eps of 1e-8 is 0 in half precision."""
        if not self.says(r"half\(|float16|torch\.half") or self.says(r"GradScaler|autocast|deepspeed|apex|bitsandbytes|master|requires_grad *= *False|peft"):
            return
        for of in scopes:
            own = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
            half = {}
            calls = [one for one in ast.walk(of) if id(one) not in own and isinstance(one, (ast.Assign, ast.Expr)) and
                     isinstance(one.value, ast.Call)]
            for one in sorted(calls, key=lambda one: one.lineno):
                call = one.value
                made = re.search(r"\.half\(\)$|\.to\([^()]*torch\.(float16|half)\b[^()]*\)$", self.written(call))
                name = self.written(one.targets[0]) if isinstance(one, ast.Assign) else self.written(
                    call.func.value) if isinstance(call.func, ast.Attribute) else ""
                if made and (isinstance(one, ast.Assign) or isinstance(call.func, ast.Attribute)):
                    half[name] = one
                given = self.given(call, 3, "eps") if isinstance(call, ast.Call) and ADAMS.match(self.full(call.func)) else None
                eps = self.said(given, 1.0) if given is not None else 1e-8
                if ADAMS.match(self.full(call.func)) and type(eps) in (int, float) and eps < 3e-8:
                    given = re.match(r"([\w.]+)\.parameters\(\)$", self.written(call.args[0])) if call.args else None
                    if given and given.group(1) in half:
                        self.mistake(call, "an eps that half precision lacks", given.group(1), other=half[given.group(1)])
                    for model in (of.func.value for of in self.origins.of(call.args[0]) if is_call(of, "parameters")) if call.args else ():
                        made = next((one for one in self.origins.wrappers_of(model) if self.is_half(one)), None)
                        if made is not None:
                            self.mistake(call, "an eps that half precision lacks", self.written(model), other=made)

    def is_half(self, call):
        """model.half() or model.to(torch.float16), also with the kind under a name."""
        kinds = [one for given in call.args + [k.value for k in call.keywords] for one in self.origins.known(given)]
        return is_call(call, "half") and not call.args or is_call(call, "to") and bool(kinds) and any(
            self.full(one) in HALVES for one in kinds) and not any(self.full(one) == "torch.float32" for one in kinds)

    def beside_buffers(self, nodes):
        """self.table = freqs.sin() in a module that registers others: it stays on the CPU."""
        if not self.says(r"\.to\(|\.cuda\(|\.prepare\(|Trainer\(") or self.says(r"set_default_(device|tensor_type)\("):
            return
        for of in nodes:
            if not isinstance(of, ast.ClassDef) or not any(self.full(base).endswith("nn.Module") for base in of.bases):
                continue
            first = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
            if first is None or re.search(r"device|\.to\(|_apply", self.reader.written_whole(of)):
                continue
            tensors = set()
            for one in (one for one in first.body if isinstance(one, ast.Assign) and len(one.targets) == 1):
                target, name = one.targets[0], self.written(one.targets[0])
                if not self.is_tensor(one.value, tensors):
                    continue
                tensors.add(name)
                use = self.met(of, target.attr) if isinstance(target, ast.Attribute) and name.startswith("self.") else None
                if use is not None:
                    self.reader.mistake(target, "a tensor that a module doesn't hold", name, self.written(use), other=use)

    def is_tensor(self, node, tensors):
        """Whether it is made of tensors that are made of numbers: torch.arange(8).float(), table.sin(), 1 / table."""
        if isinstance(node, ast.BinOp):
            return self.is_tensor(node.left, tensors) or self.is_tensor(node.right, tensors)
        if isinstance(node, (ast.Subscript, ast.UnaryOp)):
            return self.is_tensor(getattr(node, "value", getattr(node, "operand", None)), tensors)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.written(node) in tensors
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute) and self.is_tensor(node.func.value, tensors):
            return node.func.attr not in ("item", "tolist", "size", "numpy", "dim", "numel", "sum", "mean", "max", "min")
        name = self.full(node.func)
        if node.args and isinstance(node.args[0], ast.Tuple) and not node.args[0].elts:
            return False  # a number meets tensors of any device
        if name.startswith("torch.nn.") and not name.startswith("torch.nn.functional."):
            return False  # nn.Parameter and nn.Buffer move with their module, and so does a layer
        return name in MADE_OF_NUMBERS or name.startswith("torch.") and any(self.is_tensor(one, tensors) for one in node.args)

    def met(self, of, name):
        """Where a method computes with self.NAME, or with a name for a part of it."""
        def is_it(node, names):
            while isinstance(node, ast.Subscript):
                node = node.value
            return self.written(node) in names
        for method in (one for one in of.body if isinstance(one, ast.FunctionDef) and one.name != "__init__"):
            names = {"self." + name}
            for one in ast.walk(method):
                if isinstance(one, ast.Assign):
                    pairs = zip(one.targets[0].elts, one.value.elts) if isinstance(one.targets[0], ast.Tuple) and isinstance(
                        one.value, ast.Tuple) else [(one.targets[0], one.value)]
                    names |= {target.id for target, value in pairs if isinstance(target, ast.Name) and is_it(value, names)}
            for one in ast.walk(method):
                if isinstance(one, ast.BinOp) and is_it(one.left, names) != is_it(one.right, names):
                    other = one.right if is_it(one.left, names) else one.left
                    if not isinstance(other, ast.Constant) and not self.written(other).startswith("self."):
                        return one
        return None

    def current_alone(self, nodes):
        """with torch.cuda.device(1): net = Linear(…), in a script that moves nothing."""
        if self.says(r"\.cuda\(|\.to\(|device *= *['\"]cuda|set_default_(device|tensor)|cuda\.\w*Tensor|Stream\(|prepare\("):
            return
        for one in nodes:
            for item in one.items if isinstance(one, ast.With) else ():
                call = item.context_expr
                made = isinstance(call, ast.Call) and self.full(call.func) == "torch.cuda.device" and any(
                    isinstance(inner, ast.Call) and self.full(inner.func) in MADE_OF_NUMBERS and "device" not in self.written(inner)
                    for statement in one.body for inner in ast.walk(statement))
                if made:
                    self.mistake(call, "a current device that moves nothing", other=one)

    def first_of_parallel(self, nodes):
        """DataParallel(model.to("cuda"), device_ids=[int(i) for i in args.gpus.split(",")]), whose default is "1,2"."""
        if self.says(r"set_device\(|VISIBLE_DEVICES|cuda\.device\("):
            return
        defaults = {}
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "add_argument" and one.args:
                said = next((getattr(k.value, "value", None) for k in one.keywords if k.arg == "default"), None)
                if isinstance(getattr(one.args[0], "value", None), str) and isinstance(said, str):
                    defaults[one.args[0].value.lstrip("-").replace("-", "_")] = said
        lists = {}
        for one in nodes:
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.ListComp) and isinstance(
                    one.value.generators[0].iter, ast.Call) and getattr(one.value.generators[0].iter.func, "attr", "") == "split":
                of = one.value.generators[0].iter.func.value
                said = defaults.get(of.attr) if isinstance(of, ast.Attribute) else None
                if said and re.match(r"[1-9]\d*( *, *\d+)*$", said):
                    lists[self.written(one.targets[0])] = said
        moved = {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and re.search(
            r"\.(cuda\(\)|cuda\(0\)|to\(['\"]cuda(:0)?['\"]\))$", self.written(one.value))}
        for one in nodes:
            if isinstance(one, ast.Call) and self.full(one.func) == "torch.nn.DataParallel" and one.args and \
                    self.written(one.args[0]) in moved:
                ids = next((k.value for k in one.keywords if k.arg == "device_ids"), None)
                if ids is not None and self.written(ids) in lists:
                    self.mistake(one, "a model beside its first GPU", lists[self.written(ids)])

    def loaded_where_saved(self, nodes, functions):
        """torch.load(path) in each of several processes: what one of them saved from its GPU comes to that GPU."""
        if not self.says(r"init_process_group\(") or not self.says(r"torch\.save\(") or self.says(r"cpu\(\)|['\"]gloo"):
            return
        for of in functions:
            loads = any(isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "load_state_dict" for one in ast.walk(of))
            for one in ast.walk(of) if loads else ():
                if isinstance(one, ast.Call) and self.full(one.func) == "torch.load" and len(one.args) == 1 and self.word(
                        one, "map_location") is None and not re.search(r"map_location|rank\w*(\(\))? *==", self.reader.written_whole(of)):
                    return self.mistake(one, "a state that each process loads to one GPU")
        return None

    def cast_of_the_cpu(self, nodes):
        """torch.autocast("cpu") around a model that is on the GPU."""
        for one in nodes:
            if isinstance(one, ast.Call) and self.full(one.func) in ("torch.autocast", "torch.amp.autocast") and one.args and \
                    getattr(one.args[0], "value", None) == "cpu":
                rest = re.sub(r"(autocast\(|map_location *= *)['\"]cpu['\"]", "", self.reader.text)
                if re.search(r"['\"]cuda|\.cuda\(", rest) and not re.search(r"['\"]cpu['\"]|is_available|autocast\(", re.sub(
                        r"autocast\(,", "", rest)):
                    self.mistake(one, "an autocast of the CPU beside a model on the GPU")

    def two_kinds_of_switches(self, nodes):
        """fp32_precision = "tf32", and allow_tf32 is read: of two interfaces only one may be used."""
        new = next((one for one in nodes if isinstance(one, ast.Attribute) and one.attr == "fp32_precision" and isinstance(
            one.ctx, ast.Store) and self.full(one).startswith("torch.backends.")), None)
        if new is None or self.says(r"hasattr\(torch|is_torch\w*version|[Vv]ersion\(|version\w*\)?\s*[<>]"):
            return None  # it chooses by the release
        old = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32")
        for one in nodes:
            if isinstance(one, ast.Attribute) and self.full(one) in old and not self.apart(nodes, one, new):
                return self.mistake(one, "a switch of TF32 beside the newer one", self.written(new), other=new, doubted=False)
        return None

    def begun_or_there(self, nodes):
        """device = "cuda" if torch.cuda.is_initialized() else "cpu": true only where CUDA has been used already."""
        for one in nodes:
            test = one.test if isinstance(one, (ast.If, ast.IfExp)) else None
            if isinstance(test, ast.Call) and self.full(test.func) == "torch.cuda.is_initialized":
                body = one.body if isinstance(one.body, list) else [one.body]
                if any(re.search(r"device\(['\"]cuda|= *['\"]cuda|^['\"]cuda|return ['\"]cuda", self.written(part)) for part in body):
                    self.mistake(test, "a question for CUDA that comes before its use")

    def again_in_handler(self, functions):
        """except OutOfMemoryError: return step(…): what is handled holds the memory of the step that failed."""
        for of in functions:
            for tried in (one for one in ast.walk(of) if isinstance(one, ast.Try)):
                calls = {self.written(one.func) for part in tried.body for one in ast.walk(part) if isinstance(one, ast.Call)}
                for handler in tried.handlers:
                    if handler.type is None or not re.search(r"OutOfMemoryError", self.written(handler.type)):
                        continue
                    for one in calls_in(handler.body):
                        name = self.written(one.func)
                        if name == of.name or name == "self." + of.name or name in calls and re.search(
                                r"step|forward|train|generate|model|net|infer|run", name):
                            self.mistake(one, "a try again within the handler", other=handler.type)

    def optimizer_before_shards(self, scopes):
        """optimizer = AdamW(model.parameters()); fully_shard(model): the parameters are others from then on."""
        if not self.says(r"fully_shard"):
            return
        optimizers = re.compile(r"torch\.optim\.[A-Z]")
        shards = {of.name for of in self.tracing.index.functions if "fully_shard(" in self.reader.written_whole(of)}
        for of in scopes:
            made, parts = {}, {}
            for statement in of.body:
                for call in (one for one in ast.walk(statement) if isinstance(one, ast.Call)):
                    name, given = self.full(call.func), [one.id for one in ast.walk(call) if isinstance(one, ast.Name)]
                    given += [of for one in given for of in parts.get(one, ())]
                    if isinstance(statement, ast.Assign) and call is statement.value and (
                            self.made_by(call, optimizers) is not None or re.search(r"optim", getattr(call.func, "id", ""))):
                        made.update({one: call for one in given if one != getattr(call.func, "id", "")})
                    if (name.endswith(".fully_shard") or getattr(call.func, "id", "") in shards) and call.args and self.written(call.args[0]) in made:
                        optimizer = made.pop(self.written(call.args[0]))
                        self.mistake(optimizer, "an optimizer of parameters that are sharded later", self.written(call), other=call)
                if isinstance(statement, (ast.Assign, ast.For)) and "parameters(" in self.reader.written_whole(statement):
                    read = [one.id for one in ast.walk(statement) if isinstance(one, ast.Name)]
                    for name in read if isinstance(statement, ast.For) else self.tracing.stored(statement):  # lists of parameters
                        parts[name] = {one for each in read for one in {each} | parts.get(each, set())} - {name}

    def same_for_all_workers(self, nodes):
        """An IterableDataset that goes through the same files in each of several workers."""
        if self.says(r"webdataset|split_by|shard\(|worker_id"):
            return
        streams = {of.name: of for of in nodes if isinstance(of, ast.ClassDef) and any(
            self.full(base).endswith("IterableDataset") for base in of.bases)}
        for one in nodes:
            if not isinstance(one, ast.Call) or self.full(one.func) != "torch.utils.data.DataLoader" or not one.args:
                continue
            count = next((k.value for k in one.keywords if k.arg == "num_workers"), None)
            several = self.said(count)
            given = one.args[0] if isinstance(one.args[0], ast.Call) else next(
                (a.value for a in nodes if isinstance(a, ast.Assign) and self.written(a.targets[0]) == self.written(one.args[0])), None)
            of = streams.get(getattr(getattr(given, "func", None), "id", ""))
            iterate = next((m for m in of.body if isinstance(m, ast.FunctionDef) and m.name == "__iter__"), None) if of else None
            files = iterate is not None and re.search(r"\bopen\(|in (enumerate\(|sorted\()?self\.\w+|range\(", self.reader.written_whole(
                iterate)) and not re.search(r"rand|choice|generator", self.reader.written_whole(iterate))
            asks = of is not None and (self.word(one, "worker_init_fn") is not None or re.search(
                r"worker_info", self.near(iterate) + self.reader.written_whole(of)))
            if type(several) is int and several > 1 and files and not asks:
                given = next((y for y in ast.walk(iterate) if isinstance(y, (ast.Yield, ast.YieldFrom))), iterate)
                self.mistake(one, "a stream that each worker reads whole", of.name, other=given)

    def steps_of_parts(self, nodes):
        """Accelerator(gradient_accumulation_steps=8), and no accumulate() anywhere."""
        if self.says(r"accumulate\(|Trainer\(|no_sync|% *\(?(\w+\.)*\w*accum|% *\(?(\w+\.)*gradient_acc") or not self.says(r"\.backward\("):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and self.full(one.func) in ("accelerate.Accelerator", "accelerate.accelerator.Accelerator"):
                for keyword in one.keywords:
                    if keyword.arg == "gradient_accumulation_steps" and getattr(keyword.value, "value", None) != 1:
                        self.mistake(keyword.value, "parts of a step that nobody gathers", self.written(keyword.value), other=one)

    def two_precisions(self, nodes):
        """Accelerator(mixed_precision="no"), and another with "bf16": they share one state."""
        if self.says(r"_reset_state|free_memory\(\)"):
            return
        made = [(one, next((getattr(k.value, "value", None) for k in one.keywords if k.arg == "mixed_precision"), None))
                for one in nodes if isinstance(one, ast.Call) and self.full(one.func) == "accelerate.Accelerator"]
        named = sorted((pair for pair in made if isinstance(pair[1], str)), key=lambda pair: pair[0].lineno)
        for (first, one), (second, other) in zip(named, named[1:]):
            if one != other and not self.apart(nodes, first, second):
                self.mistake(second, "a second precision of one state", other, one, other=first)

    def cast_behind_the_model(self, nodes):
        """logits = model(x)["out"]; with torch.autocast("cuda"): loss = criterion(logits, y)"""
        if any(of.name in ("forward", "__call__") and any("autocast" in self.written(by) for by in of.decorator_list) for of in self.tracing.index.functions):
            return
        for block in nodes:
            body = getattr(block, "body", None)
            for at, one in enumerate(body) if isinstance(body, list) else ():
                call = self.made_by(one.items[0].context_expr, *CASTS) if isinstance(one, ast.With) else None
                if call is None or self.word(call, "enabled") is not None and self.said(
                        self.word(call, "enabled"), True) is False or not self.computes_loss_alone(one):
                    continue
                read = {name.id for inner in one.body for name in ast.walk(inner) if isinstance(name, ast.Name)}
                for before in reversed(body[:at]):
                    if isinstance(before, ast.With):
                        break
                    runs = before.value if isinstance(before, ast.Assign) else None
                    while isinstance(runs, (ast.Subscript, ast.Attribute)) or is_call(runs, "squeeze") or is_call(runs, "flatten"):
                        runs = runs.value if not isinstance(runs, ast.Call) else runs.func.value
                    if isinstance(runs, ast.Call) and self.is_model(runs.func) and {name.id for name in ast.walk(before.targets[0]) if isinstance(
                            name, ast.Name)} & read:
                        self.mistake(before, "a model that runs outside its autocast", other=one)
                        break

    def computes_loss_alone(self, block):
        """Whether all that is called under a with is a loss or a function of torch's, and one is a loss."""
        calls = [call for call in calls_in(block.body) if not isinstance(call.func, ast.Attribute) or self.full(call.func) or re.search(
            r"crit|loss", self.written(call.func))]
        losses = [call for call in calls if re.search(r"crit|loss|cross_entropy|kl_div|_bce", self.written(call.func))]
        return bool(losses) and all(call in losses or re.match(r"torch\.(?!nn\.[A-Z])", self.full(call.func)) for call in calls)

    def is_model(self, func):
        """Whether a model is called: by its name, or by what makes it."""
        if re.match(r"(self\.)?(ddp_|base_)?(model|net|network)$", self.written(func)):
            return True
        if re.search(r"crit|loss|metric", self.written(func)):
            return False
        return self.made_by(func, MODELS_BY_CALL) is not None or any(self.is_network(of) for one in self.origins.of(
            func, True) if isinstance(one, ast.Call) for of in self.origins.functions_of(one.func))

    def is_network(self, of):
        """Whether a class of the file is a module with layers of its own."""
        return isinstance(of, ast.ClassDef) and any(self.full(base).endswith("nn.Module") for base in of.bases) and not re.search(
            r"[lL]oss|[cC]rit|[mM]etric", of.name) and any(isinstance(one, ast.Call) and MODELS_BY_CALL.match(self.full(one.func)) for one in ast.walk(of))

    def objects_without_device(self, nodes):
        """dist.all_gather_object with NCCL, which takes the current GPU: the first, where nobody chose."""
        if not self.says(r"['\"]nccl") or self.says(r"set_device\(|device_id *=|VISIBLE_DEVICES|cuda\.device\("):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and re.match(
                    r"torch\.distributed\.(all_gather_object|gather_object|broadcast_object_list|scatter_object_list)$",
                    self.full(one.func)):
                return self.mistake(one, "objects that all send from one GPU")
        return None
