"""Steps that exclude each other, come too often or are never taken, read from the statements of a file as they stand;
for the reader of scripts."""

# Each may be called once in a process, and raises from then on.
ONCE_IN_A_PROCESS = ("torch.set_num_interop_threads", "torch.multiprocessing.set_start_method",
                     "multiprocessing.set_start_method", "jax.distributed.initialize")
# What gives a context, which counts only where it is entered.
CONTEXTS = ("cupy.cuda.Device", "torch.cuda.device", "torch.no_grad", "torch.inference_mode", "torch.autocast",
            "torch.amp.autocast", "torch.cuda.stream", "tensorflow.device", "jax.default_device", "numba.cuda.gpus",
            "jax.default_matmul_precision", "cupy.cuda.Stream")
STATES_OF_SHARDS = ("state_dict_type", "full_optim_state_dict", "optim_state_dict", "get_model_state_dict",
                    "get_optimizer_state_dict", "get_state_dict")
BEGINS_CUDA = re.compile(r"\.cuda\(|\.to\(['\"]cuda|device=['\"]cuda|cuda\.(synchronize|get_device_(name|properties)|mem_get_info|"
                         r"current_device|memory_allocated)\(")
ADAMS = re.compile(r"torch\.optim\.(Adam|AdamW|NAdam|RAdam|Adamax|RMSprop)$")


class Steps:
    def __init__(self, reader, tracing):
        self.reader, self.tracing = reader, tracing

    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        self.once(nodes, functions)
        self.not_entered(nodes)
        if {"torch", "accelerate", "transformers"} & roots:
            self.kept_by_hook(functions)
            self.checkpoint_of_input(nodes)
            self.checkpoints_that_evaluate(nodes)
            self.launched_late(nodes)
            self.states_of_one(nodes)
            self.small_eps(functions + [node for node in nodes if isinstance(node, ast.Module)])
        if "tensorflow" in roots:
            self.growth_and_parts(nodes)
        if "jax" in roots:
            self.traced_each_time(nodes)
        if "numba" in roots:
            self.clock_of_launches(nodes)

    def full(self, node):
        return self.tracing.full(node)

    def written(self, node):
        return self.tracing.written(node)

    def says(self, form):
        return re.search(form, self.reader.text) is not None

    def mistake(self, node, name, *more, other=None):
        self.reader.mistake(node, name, self.written(node), *more, other=other)

    # ---- all frameworks

    def once(self, nodes, functions):
        """for fold in folds: configure(), where configure() calls torch.set_num_interop_threads."""
        calls, callers = {}, {}
        for of in functions:
            inner = within_others(of)
            for one in ast.walk(of):
                if isinstance(one, ast.Call) and id(one) not in inner:
                    if self.full(one.func) in ONCE_IN_A_PROCESS and not self.caught(of, one):
                        calls[of.name] = one
                    callers.setdefault(getattr(one.func, "id", ""), set()).add(of.name)
        names = [of.name for of in functions]
        waiting = list(calls)
        while waiting:
            name = waiting.pop()
            for outer in callers.get(name, ()) if names.count(name) == 1 else ():
                if outer not in calls:
                    calls[outer] = calls[name]
                    waiting.append(outer)
        for loop in nodes:
            parts = loop.body if isinstance(loop, (ast.For, ast.While)) else [loop.elt] if isinstance(
                loop, (ast.ListComp, ast.GeneratorExp)) else []
            for call in (one for part in parts for one in ast.walk(part) if isinstance(one, ast.Call)):
                made = call if self.full(call.func) in ONCE_IN_A_PROCESS and not self.caught(loop, call) else \
                    calls.get(getattr(call.func, "id", "")) if names.count(getattr(call.func, "id", "")) == 1 else None
                leaves = any(isinstance(one, (ast.Break, ast.Return)) for part in parts for one in ast.walk(part))
                if made is not None and not leaves:
                    return self.mistake(made, "a setting of one time in a loop", self.full(made.func), other=call)
        return None

    def caught(self, of, call):
        """Whether it is tried, or asked for first, or forced."""
        if any(keyword.arg == "force" for keyword in call.keywords):
            return True
        return any(one is not of and isinstance(one, (ast.Try, ast.If)) and any(inner is call for inner in ast.walk(one))
                   for one in ast.walk(of))

    def not_entered(self, nodes):
        """cupy.cuda.Device(1), as a statement."""
        for one in nodes:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and self.full(one.value.func) in CONTEXTS:
                self.mistake(one.value, "a context that is not entered", other=one)

    # ---- PyTorch

    def kept_by_hook(self, functions):
        """def hook(module, inputs, output): kept.append(output.abs().mean()), while the model trains."""
        if not self.says(r"register_(full_)?forward_hook\(") or not self.says(r"\.backward\(") or self.says(r"\.clear\(\)"):
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

    def checkpoint_of_input(self, nodes):
        """def forward(self, x): x = checkpoint(self.stem, x, use_reentrant=True), where x is the batch itself."""
        if self.says(r"requires_grad_\(|requires_grad *= *True|enable_input_require_grads"):
            return
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        inside = {getattr(call.func, "id", "") for of in classes for call in ast.walk(of) if isinstance(call, ast.Call)}
        for of in classes:
            forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
            if forward is None or of.name in inside or len(forward.args.args) < 2:
                continue
            given = {one.arg for one in forward.args.args[1:]}
            for statement in forward.body:
                for call in self.tracing.own_calls(statement):
                    if self.full(call.func) == "torch.utils.checkpoint.checkpoint" and len(call.args) > 1 and all(
                            isinstance(one, ast.Name) and one.id in given for one in call.args[1:]) and any(
                                k.arg == "use_reentrant" and getattr(k.value, "value", None) is True for k in call.keywords):
                        self.mistake(call, "a checkpoint of what needs no gradient", self.written(call.args[0]))
                given -= self.tracing.stored(statement)

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
        begun = None
        for one in (one for tree in nodes if isinstance(tree, ast.Module) for one in tree.body):
            launch = next((call for call in ast.walk(one) if isinstance(call, ast.Call) and self.full(call.func) in (
                "accelerate.notebook_launcher", "accelerate.launchers.notebook_launcher")), None)
            if launch is not None and begun is not None:
                return self.mistake(begun, "CUDA that begins before processes are forked", self.written(launch), other=launch)
            if launch is None and id(one) not in within and begun is None:
                begun = next((call for call in ast.walk(one) if isinstance(call, ast.Call) and id(call) not in within and
                              BEGINS_CUDA.search(self.written(call))), None)
        return None

    def states_of_one(self, nodes):
        """if rank == 0: with FSDP.state_dict_type(…): model.state_dict(), which gathers the parts of all processes."""
        for one in nodes:
            if not isinstance(one, ast.If) or not ONE_RANK.match(self.written(one.test)) or one.orelse or not re.search(
                    r"== 0|^0 ==|is_|^not ", self.written(one.test)):
                continue
            for call in (call for part in one.body for call in ast.walk(part) if isinstance(call, ast.Call)):
                name = self.full(call.func)
                if name.startswith("torch.distributed.") and name.rsplit(".", 1)[-1] in STATES_OF_SHARDS:
                    self.reader.mistake(call, "a collective that one process calls", self.written(call), self.written(call),
                                        other=one.test)
                    break

    def small_eps(self, scopes):
        """model.half(); torch.optim.Adam(model.parameters()): its eps of 1e-8 is 0 in half precision."""
        if self.says(r"\beps\b|GradScaler|autocast|deepspeed|apex|bitsandbytes|master|requires_grad *= *False|peft"):
            return
        for of in scopes:
            own = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
            half = {}
            calls = [one for one in ast.walk(of) if id(one) not in own and isinstance(one, (ast.Assign, ast.Expr)) and
                     isinstance(one.value, ast.Call)]
            for one in sorted(calls, key=lambda one: one.lineno):
                call = one.value
                made = re.search(r"\.half\(\)|\.to\([^()]*torch\.(float16|half)\b[^()]*\)$", self.written(call))
                name = self.written(one.targets[0]) if isinstance(one, ast.Assign) else self.written(
                    call.func.value) if isinstance(call.func, ast.Attribute) else ""
                if made and (isinstance(one, ast.Assign) or isinstance(call.func, ast.Attribute)):
                    half[name] = one
                if ADAMS.match(self.full(call.func)):
                    given = re.match(r"([\w.]+)\.parameters\(\)$", self.written(call.args[0])) if call.args else None
                    if given and given.group(1) in half:
                        self.mistake(call, "an eps that half precision lacks", given.group(1), other=half[given.group(1)])

    # ---- TensorFlow

    def growth_and_parts(self, nodes):
        """set_memory_growth(gpus[0], True) of a GPU that set_logical_device_configuration has cut into parts."""
        found = {}
        for one in nodes:
            last = self.full(one.func).rsplit(".", 1)[-1] if isinstance(one, ast.Call) else ""
            kind = "growth" if last == "set_memory_growth" and len(one.args) > 1 and getattr(
                one.args[1], "value", None) is True else "parts" if last in (
                    "set_logical_device_configuration", "set_virtual_device_configuration") else None
            if kind and one.args:
                found.setdefault(self.written(one.args[0]), {}).setdefault(kind, one)
        for both in found.values():
            if len(both) == 2 and both["growth"].lineno > both["parts"].lineno and not self.apart(
                    nodes, both["growth"], both["parts"]):
                self.mistake(both["growth"], "growth of memory in a GPU of parts", other=both["parts"])

    def apart(self, nodes, one, other):
        """Whether only one of the two runs: in two branches, two functions, or the second where the first failed."""
        def holds(body, node):
            return any(inner is node for part in body for inner in ast.walk(part))
        for node in nodes:
            if isinstance(node, ast.If) and (holds(node.body, one) and holds(node.orelse, other) or
                                             holds(node.body, other) and holds(node.orelse, one)):
                return True
            if isinstance(node, ast.If) and any(isinstance(last, (ast.Return, ast.Raise)) for last in node.body[-1:]) and \
                    holds(node.body, one) != holds(node.body, other):
                return True
            if isinstance(node, (ast.FunctionDef, ast.ExceptHandler)) and holds(node.body, one) != holds(node.body, other):
                return True
        return False

    # ---- JAX and Numba

    def traced_each_time(self, nodes):
        """step = jax.jit(lambda p, x: …) in a loop: each round traces and compiles a new function."""
        for loop in (one for one in nodes if isinstance(one, (ast.For, ast.While)) and self.tracing.repeats(one)):
            inner = within_others(loop)
            bound = {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)} if isinstance(loop, ast.For) else set()
            for one in (one for part in loop.body for one in ast.walk(part)):
                if id(one) in inner or not isinstance(one, ast.Call) or self.full(one.func) not in ("jax.jit", "jax.pmap"):
                    continue
                of = one.args[0] if one.args else None
                fresh = isinstance(of, ast.Lambda) or isinstance(of, ast.Call) and self.full(of.func) == "functools.partial"
                free = {name.id for name in ast.walk(of) if isinstance(name, ast.Name)} if fresh else set()
                if fresh and not free & bound:
                    self.mistake(one, "a function that each round compiles anew", other=of)

    def clock_of_launches(self, nodes):
        """The clock around a kernel's launch, which gives back before the kernel ran."""
        launches = any(isinstance(one, ast.Call) and isinstance(one.func, ast.Subscript) for one in nodes)
        if not launches or self.says(r"synchronize|copy_to_host|cuda\.event|elapsed_time|\.wait\(|cuda\.profil"):
            return
        clock = ("time.perf_counter", "time.time", "time.monotonic", "timeit.default_timer")
        for one in nodes:
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and isinstance(one.left, ast.Call) and self.full(
                    one.left.func) in clock:
                return self.mistake(one, "a clock of kernels that nobody waits for")
        return None
