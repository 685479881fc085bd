"""Where a script waits for a GPU without need, or does not wait where it must: streams, graphs, clocks, memory; for the
reader of scripts."""

LOOPS = (ast.For, ast.While, ast.AsyncFor)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
# What makes the host wait, or gives memory back that the next step asks for again.
SLOW_IN_EACH_STEP = {"torch.cuda.empty_cache": r"fragment|OOM|out.of.memory|OutOfMemory",
                     "torch.cuda.synchronize": r"Event\(|timeit|(?i:profil|benchmark)|Stream\(",
                     "gc.collect": r"gc\.(disable|freeze)|cycle|weakref"}
CLOCKS_OF_HOST = ("time.perf_counter", "time.time", "time.monotonic", "timeit.default_timer", "time.perf_counter_ns")
READS_VALUES = ("item", "cpu", "tolist", "numpy", "synchronize")
ADAMS_OF_GRAPHS = re.compile(r"torch\.optim\.(Adam|AdamW|NAdam|RAdam|Adamax|Adadelta|RMSprop|Rprop|ASGD)$")
LOADERS_OF_TORCH = re.compile(r"torch\.utils\.data\.(dataloader\.)?DataLoader$")
# Names of dictionaries of tensors, names of the tensors that loaders give, and names of what moves itself in place.
BATCHES_BY_NAME = re.compile(r"^(\w+\.)?(\w*batch|inputs|samples?|encoding|encoded|features|example)$")
TENSORS_BY_NAME = re.compile(r"(x|y|x[bt]|y[bt]|\w*(images?|imgs?|targets?|labels?|masks?|tokens|ids|features|frames|inputs?))$")
OWN_MOVE = re.compile(r"enc|graph|model|net\b|module|inputs|tokeni|data\b")
NO_KERNELS = re.compile(r"torch\.(device|load|save|tensor|as_tensor|from_numpy|compile|no_grad|manual_seed|is_tensor|Size|autocast)$")
ON_A_GPU = r"\.cuda\(|['\"]cuda|\.to\("
RESETS_PEAK = r"reset_(peak_|max_|accumulated_)?memory"
RECURRENT_OF_CUDNN = re.compile(r"torch\.nn\.(LSTM|GRU|RNN)$")


def own_nodes(of, stops=FUNCTIONS):
    """The nodes of a function, module or loop in their order, without those of functions (or loops) within it."""
    found, waiting = [], list(reversed(of.body))
    while waiting:
        one = waiting.pop()
        found.append(one)
        if not isinstance(one, stops):
            waiting.extend(reversed(list(ast.iter_child_nodes(one))))
    return found


def is_call(node, attribute):
    """Whether it calls a method of this name, of whatever object."""
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == attribute


class Scoped(WholeFile):
    """What reads each function's own statements, and knows what each name was made by."""
    OF = {"torch"}

    def look(self, nodes):
        if not self.OF & {name.split(".")[0] for name in self.tracing.names.values()}:
            return
        modules = [one for one in nodes if isinstance(one, ast.Module)]
        self.functions = self.tracing.index.functions
        self.scopes = [(of, own_nodes(of)) for of in self.functions]
        self.scopes.append((modules[0], [one for of in modules for one in own_nodes(of)]))
        self.by_name = {}
        for of in self.functions:
            self.by_name[of.name] = None if of.name in self.by_name else of
        self.made = self.tracing.index.assigned
        self.rules(nodes)

    def mistake(self, node, name, *more, other=None, doubted=True):
        """Doubted where what stands elsewhere could make it right; left out where this line has a finding already."""
        if not self.is_reported(node):
            super().mistake(node, name, *more, other=other, doubted=doubted)

    def origin(self, node):
        """torch.nn.Linear(8, 8).cuda().eval(): "torch.nn.Linear", its call, and the calls that follow, the last first."""
        after = []
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not self.full(node.func):
            after.append(node)
            node = node.func.value
        return (self.full(node.func) if isinstance(node, ast.Call) else ""), node, after

    def training_loops(self, nodes):
        """(loop, its own nodes), of the innermost loops that hold a backward pass."""
        for loop in nodes:
            if isinstance(loop, LOOPS):
                own = own_nodes(loop, FUNCTIONS + LOOPS)
                if any(is_call(one, "backward") for one in own):
                    yield loop, own

    def repeated(self, nodes):
        """Whether the file trains at length: a hundred steps, or epochs over batches."""
        inner = [loop for loop, _ in self.training_loops(nodes)]
        for loop in nodes:
            if isinstance(loop, ast.For) and any(one in inner for one in ast.walk(loop)):
                count = self.value_of(loop.iter.args[-1]) if isinstance(loop.iter, ast.Call) and loop.iter.args else None
                if loop not in inner or type(getattr(count, "value", None)) is int and count.value >= 100:
                    return True
        return False

    @staticmethod
    def directly(body):
        """The statements of a block, and those of its `with` blocks: what surely runs with it."""
        for one in body:
            yield one
            if isinstance(one, (ast.With, ast.AsyncWith)):
                yield from Scoped.directly(one.body)

    def without_gradients(self, own):
        """The nodes, by id, that stand under no_grad or inference_mode."""
        return {id(inner) for one in own if isinstance(one, ast.With) and any(re.search(
            r"no_grad|inference_mode|set_grad_enabled", self.written(item.context_expr)) for item in one.items)
                for inner in ast.walk(one)}

    @staticmethod
    def root(node):
        """model, of model.cuda().eval()."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        return node


class Waits(Scoped):
    def rules(self, nodes):
        self.streams = self.says(r"\bstream\(")
        self.slow_in_each_step(nodes)
        self.switches_of_debugging(nodes)
        self.profilers_of_the_cpu(nodes)
        self.captured(nodes)
        self.pinned_in_vain(nodes)
        self.chosen_for_nothing(nodes)
        self.loaded_to_one(nodes)
        self.chosen_by_the_build(nodes)
        self.fields_that_stay(nodes)
        self.clocks_of_blocks(nodes)
        self.clocks_of_decorators(nodes)
        self.clocks_of_timeit(nodes)
        self.clocks_of_magics(nodes)
        self.waits_for_another(nodes)
        self.batches_that_stay(nodes)
        for of, own in self.scopes:
            self.timed_from_the_first(of, own)
            self.peaks_of_calls(of, own)
            self.evaluates_with_graph(of, own)
            self.one_at_a_time(own)
        for body in (one.body for one in nodes if self.streams and isinstance(getattr(one, "body", None), list)):
            self.streams_in_order(body)
        for loop in (one for one in nodes if isinstance(one, LOOPS)):
            self.freed_too_early(loop)
            self.copied_by_elements(loop)
            self.walked_by_cells(loop)
        self.serves_with_graph()
        self.kept_for_nobody(nodes)
        if "cupy" in self.tracing.names.values():
            self.over_the_host(nodes)
        if "tensorflow" in self.tracing.names.values():
            self.all_memory_of_two(nodes)

    def slow_in_each_step(self, nodes):
        """for x, y in loader: loss.backward(); optimizer.step(); torch.cuda.empty_cache()"""
        def slow(call):
            name = self.full(call.func) if isinstance(call, ast.Call) else ""
            return name if name in SLOW_IN_EACH_STEP and not self.says(SLOW_IN_EACH_STEP[name]) else None
        helpers = {name: next((call for call in map(slow, (getattr(one, "value", None) for one in of.body)) if call), None)
                   for name, of in self.by_name.items() if of and all(isinstance(one, ast.Expr) for one in of.body)}
        for loop, _ in self.training_loops(nodes):
            if isinstance(loop, ast.For) and isinstance(loop.iter, (ast.Tuple, ast.List)) or re.search(RESETS_PEAK, self.near(loop)):
                continue  # what is measured for each of several sizes
            for one in self.directly(loop.body):
                call = one.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else None
                name = call and (slow(call) or helpers.get(getattr(call.func, "id", "")))
                clocks = name == "torch.cuda.synchronize" and re.search(r"\btime\b|perf_counter|monotonic|clock|timer", self.near(loop))
                if name and not clocks:
                    kind = {"torch.cuda.empty_cache": "a cache that each step empties", "gc.collect": "a collection in each step"}
                    self.mistake(call, kind.get(name, "a wait in each step"))

    def switches_of_debugging(self, nodes):
        """torch.autograd.set_detect_anomaly(True), over a training of hundreds of steps."""
        if not any(one in self.reader.text for one in ("LAUNCH_BLOCKING", "cudnn.enabled", "detect_anomaly")):
            return
        if self.says(r"(?i)debug|diagnos|reproduc|determin|trace\b|create_graph|miopen|\bbug\b|workaround|profil") or not \
                self.repeated(nodes):
            return
        for one in self.scopes[-1][1]:
            if isinstance(one, ast.Assign) and len(one.targets) == 1:
                target, value = self.written(one.targets[0]).replace('"', "'"), getattr(one.value, "value", None)
                if target == "os.environ['CUDA_LAUNCH_BLOCKING']" and value == "1" or value is False and self.full(
                        one.targets[0]) == "torch.backends.cudnn.enabled":
                    self.mistake(one, "launches that each wait" if value else "a library of kernels that is off")
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
                call, first = one.value, one.value.args[0] if one.value.args else self.word(one.value, "mode")
                if self.full(call.func) == "torch.autograd.set_detect_anomaly" and getattr(first, "value", None) is True:
                    self.mistake(call, "a search for anomalies that never ends")
                if self.full(call.func) in ("os.environ.setdefault", "os.putenv") and [getattr(a, "value", None) for a in call.args] == [
                        "CUDA_LAUNCH_BLOCKING", "1"]:
                    self.mistake(call, "launches that each wait")

    def profilers_of_the_cpu(self, nodes):
        """profile(activities=[ProfilerActivity.CPU]), whose table is sorted by cuda_time_total."""
        table = next((k.value for one in nodes if isinstance(one, ast.Call) for k in one.keywords if k.arg == "sort_by" and re.match(
            r"(self_)?(cuda|device)_", str(getattr(k.value, "value", "")))), None)
        for one in nodes if table is not None else ():
            if isinstance(one, ast.Call) and self.full(one.func) == "torch.profiler.profile":
                kinds = self.value_of(self.word(one, "activities")) if self.word(one, "activities") else None
                if isinstance(kinds, (ast.List, ast.Tuple, ast.Set)) and kinds.elts and all(
                        self.full(kind) == "torch.profiler.ProfilerActivity.CPU" for kind in kinds.elts):
                    self.mistake(one, "a profile without the GPU", self.written(table), other=table)

    # ---- CUDA graphs

    def captured(self, nodes):
        """with torch.cuda.graph(graph): scale = y.norm().item(), or the step of an Adam that is not capturable."""
        for one in nodes:
            if not isinstance(one, ast.With) or not any(isinstance(item.context_expr, ast.Call) and self.full(
                    item.context_expr.func) == "torch.cuda.graph" for item in one.items):
                continue
            inside = own_nodes(one)
            called = [self.by_name.get(getattr(call.func, "id", "")) for call in inside if isinstance(call, ast.Call)]
            inside += [node for of in called if of for node in own_nodes(of)]
            for call in (call for call in inside if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                if call.func.attr in READS_VALUES and not call.args:
                    self.mistake(call, "a value that is read while a graph is captured", other=one, doubted=False)
                if call.func.attr == "step" and not call.args:
                    made = self.made_by(call.func.value, ADAMS_OF_GRAPHS)
                    if made is not None and not self.says("capturable"):
                        self.mistake(made, "an optimizer that no graph captures", self.written(call), other=call, doubted=False)

    # ---- streams

    def streams_in_order(self, body):
        """y = torch.relu(x); with torch.cuda.stream(side): z = y @ w, where side does not wait for y."""
        pending = {}
        for one in body:
            side = next((item.context_expr for item in getattr(one, "items", ()) if isinstance(item.context_expr, ast.Call) and self.full(
                item.context_expr.func) == "torch.cuda.stream" and item.context_expr.args), None)
            if side is not None and pending and not re.search(r"wait_|synchronize|\.wait\(|query\(", self.reader.written_whole(one)):
                read = next((name for name in own_nodes(one) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and
                             name.id in pending), None)
                if read is not None and self.origin(self.value_of(side.args[0]))[0] == "torch.cuda.Stream":
                    at = next(inner for inner in self.directly(one.body) if any(part is read for part in ast.walk(inner)))
                    self.mistake(at, "a stream that does not wait for what it reads", read.id, self.written(side.args[0]),
                                 other=pending[read.id])
                    return
            elif re.search(r"wait_stream|wait_event|synchronize\(|\.wait\(|record_event|CUDAGraph|cuda\.graph|\.item\(\)|\.cpu\(\)",
                           self.reader.written_whole(one)):
                pending = {}
            elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                pending.pop(one.targets[0].id, None)
                if self.computes(one.value, pending):
                    pending[one.targets[0].id] = one

    def chosen_by_the_build(self, nodes):
        """if torch.version.cuda is not None: device = "cuda": a build for CUDA runs on machines without a GPU, too."""
        self.chosen_by_a_switch(nodes)
        if self.says(r"is_available\(|device_count\(") or not self.says(r"\bversion\b"):
            return
        for one in nodes:
            asks = isinstance(one, (ast.If, ast.IfExp)) and next((part for part in ast.walk(one.test) if isinstance(
                part, ast.Attribute) and self.full(part) == "torch.version.cuda"), None)
            first = (one.body if isinstance(one.body, list) else [one.body]) if asks else ()
            if any(isinstance(part, ast.Constant) and re.match(r"cuda(:\d+)?$", str(part.value)) for inner in first for part in ast.walk(inner)):
                self.mistake(one.test, "a build for CUDA that is taken for a GPU")

    def chosen_by_a_switch(self, nodes):
        """if not torch.backends.cudnn.enabled: sys.exit("no GPU"): the switch is True on machines without a GPU, too."""
        switches = ("torch.backends.cudnn.enabled", "torch.backends.cudnn.is_available")
        for one in nodes if self.says(r"cudnn") else ():
            asks = isinstance(one, (ast.If, ast.IfExp, ast.Assert)) and next((part for part in ast.walk(one.test) if isinstance(
                part, ast.Attribute) and self.full(part) in switches), None)
            if not asks or self.says_of_gpu(one.test):
                continue
            if isinstance(one, ast.Assert):
                ways = [one.msg] if one.msg is not None else []
            else:
                ways = (one.body if isinstance(one.body, list) else [one.body])
            names_one = not isinstance(one, ast.Assert) and any(isinstance(part, ast.Constant) and re.match(
                r"cuda(:\d+)?$", str(part.value)) for inner in ways for part in ast.walk(inner))
            refuses = any(isinstance(part, ast.Constant) and isinstance(part.value, str) and re.search(
                r"\bGPUs?\b|\bCUDA device|graphics card", part.value) and not re.search(r"cudnn", part.value, re.I) for inner in ways for part in ast.walk(
                    inner)) and (isinstance(one, ast.Assert) or isinstance(one.test, ast.UnaryOp) and any(isinstance(part, ast.Raise) or isinstance(
                        part, ast.Call) and self.written(part.func) in ("sys.exit", "exit", "quit", "SystemExit", "os._exit") for inner in ways for part in ast.walk(inner)))
            if names_one or refuses:
                self.mistake(one.test, "a switch of cuDNN that is taken for a GPU", self.written(asks))

    def says_of_gpu(self, test):
        """Whether a test asks for a GPU as well."""
        return re.search(r"cuda\.is_available|device_count|accelerator", self.written(test)) is not None

    def fields_that_stay(self, nodes):
        """for f in fields(self): getattr(self, f.name).to(device), which drops each copy."""
        for of in (one for one in nodes if isinstance(one, ast.ClassDef) and not any("Module" in self.full(base) for base in one.bases)):
            for one in ast.walk(of):
                call = one.value if isinstance(one, ast.Expr) else None
                owner = call.func.value if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("to", "cuda", "cpu") else None
                if isinstance(owner, ast.Call) and getattr(owner.func, "id", "") == "getattr" and owner.args and \
                        self.written(owner.args[0]) == "self" and "Tensor" in self.reader.written_whole(of):
                    self.reader.mistake(one, "a tensor's move that is dropped", self.written(call), doubted=True)

    def computes(self, node, pending):
        """Whether a value is surely computed by the GPU: of what it computed, or made there."""
        parts = list(ast.walk(node))
        if any(isinstance(one, ast.Name) and one.id in pending for one in parts):
            return True
        name = self.full(node.func) if isinstance(node, ast.Call) else ""
        where = self.word(node, "device") if name else None
        return re.match(r"torch\.[a-z_]+$", name) is not None and not NO_KERNELS.match(name) and where is not None and "cuda" in \
            self.written(self.value_of(where))

    def freed_too_early(self, loop):
        """for …: y = f(x); with torch.cuda.stream(copies): host.copy_(y, non_blocking=True), without record_stream."""
        if not self.streams or self.says(r"record_stream"):
            return None
        made = {}
        for number, one in enumerate(loop.body):
            side = isinstance(one, ast.With) and any(isinstance(item.context_expr, ast.Call) and self.full(
                item.context_expr.func) == "torch.cuda.stream" for item in one.items)
            rest = "\n".join(self.reader.written_whole(later) for later in loop.body[number:]) if side else ""
            if side and not re.search(r"synchronize|wait_stream|wait_event|\.wait\(|append\(|\[\w+\] *= *\w+$", rest):
                for copy in own_nodes(one):
                    if isinstance(copy, ast.Call) and getattr(self.word(copy, "non_blocking"), "value", None) is True:
                        read = next((name for name in ast.walk(copy) if isinstance(name, ast.Name) and name.id in made), None)
                        if read is not None:
                            return self.mistake(copy, "memory that another stream still reads", read.id, other=made[read.id])
            elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(
                    one.value, (ast.Call, ast.BinOp)) and not re.search(r"pin_memory|\.cpu\(", self.written(one.value)):
                made[one.targets[0].id] = one
        return None

    def batches_that_stay(self, nodes):
        """for key in batch: batch[key].to(device), of a loader's batch or a batch by its name: each copy is dropped."""
        for one in nodes if not self.says(r"torch_geometric|\bdgl\b") else ():  # their batches move themselves
            call = one.value if isinstance(one, ast.Expr) else None
            if isinstance(call, (ast.ListComp, ast.GeneratorExp)) and not any(part.ifs for part in call.generators):
                call = call.elt
            of = call.func.value if is_call(call, "to") or is_call(call, "cuda") else None
            if isinstance(of, ast.Subscript) and self.is_batch(of.value) and not OWN_MOVE.search(self.written(of.slice)) or isinstance(
                    of, ast.Name) and (self.is_part_of_batch(of) or self.is_given_whole(of)):
                self.reader.mistake(one, "a tensor's move that is dropped", self.written(call), doubted=True)

    def is_part_of_batch(self, name):
        """Whether a name is what a loop takes from a batch, or one of the tensors that a loader gives."""
        for statement in self.origins.statements_of(name):
            if not isinstance(statement, (ast.For, ast.comprehension)):
                return False
            over, target = statement.iter, statement.target
            of = over.func.value if is_call(over, "values") or is_call(over, "items") else over if not isinstance(over, ast.Call) else None
            values = not is_call(over, "items") or isinstance(target, ast.Tuple) and getattr(target.elts[-1], "id", "") == name.id
            one_of_all = isinstance(target, ast.Tuple) and not OWN_MOVE.search(name.id) and TENSORS_BY_NAME.match(
                name.id) and self.is_given_by_loader(name)
            if not one_of_all and not (of is not None and values and self.is_batch(of)):
                return False
        return bool(self.origins.statements_of(name))

    def is_given_whole(self, name):
        """for x in loader: x.to(device); model(x), of a loop that takes nothing apart: what a tokenizer gives, and moves itself, is given as **x."""
        loop = next((one for one in self.origins.statements_of(name) if isinstance(one, ast.For) and getattr(one.target, "id", "") == name.id), None)
        over = loop.iter.args[0] if loop is not None and isinstance(loop.iter, ast.Call) and loop.iter.args and re.search(r"tqdm|track$", self.written(
            loop.iter.func)) else getattr(loop, "iter", None)
        if over is None or not re.search(r"(?i)(data_?loader|loader|_dl|^dl)$", self.written(over)) or self.says(r"transformers|Batch\b|collate|\b%s\.\w+ *(=|\[|\)|,)" % name.id):
            return False
        uses = [one for part in loop.body for one in ast.walk(part) if isinstance(one, ast.Name) and one.id == name.id and one is not name]
        calls = [self.origins.parents.get(id(one)) for one in uses]
        return bool(calls) and all(isinstance(one, ast.Call) and re.search(r"(?i)(model|net|network|encoder|\bf)$", self.written(one.func)) for one in calls)

    def is_batch(self, node):
        return BATCHES_BY_NAME.search(self.written(node)) is not None or self.is_given_by_loader(node)

    def is_given_by_loader(self, node):
        return any(isinstance(one, Part) and LOADERS_OF_TORCH.match(self.origins.full_of(one.of)) for one in self.origins.of(node))

    # ---- clocks and peaks

    def clocks_of_blocks(self, nodes):
        """with Stopwatch() as watch: model(x), whose __exit__ reads the clock and does not wait for the GPU."""
        if not self.says(r"\.cuda\(|['\"]cuda"):
            return
        for of in nodes:
            leave = of if isinstance(of, ast.FunctionDef) and any("contextmanager" in self.written(one) for one in of.decorator_list) else \
                next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__exit__"), None) if isinstance(
                    of, ast.ClassDef) else None
            own = sorted(own_nodes(leave), key=lambda one: getattr(one, "lineno", 0)) if leave is not None else []
            begun = next((one.lineno for one in own if isinstance(one, ast.Yield)), None if leave is of else 0)
            if leave is None or begun is None:
                continue
            stops = next((one for one in own if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and one.lineno > begun and any(
                self.full_of_clock(end) for end in self.origins.of(one.left))), None)
            # What waits behind the reading of the clock comes too late for it.
            if stops is None or re.search(r"sync|\.item\(|\.cpu\(|Event|elapsed_time|wait", "\n".join(
                    self.reader.written_whole(one) for one in leave.body if one.lineno <= stops.lineno and (
                        (getattr(one, "end_lineno", None) or one.lineno) > begun or leave is not of))):
                continue
            for block in (one for one in nodes if isinstance(one, ast.With)):
                entered = any(isinstance(made, ast.Call) and of.name in (
                    getattr(made.func, "id", ""), leave is of and getattr(made.func, "attr", ""))
                              for item in block.items for made in [self.value_of(item.context_expr)])
                text = "\n".join(map(self.near, block.body)) if entered else "item("  # a function of the file may wait
                if not re.search(r"synchronize|item\(|\.cpu\(|tolist\(|numpy\(|print\(", text) and self.of_the_gpu(block):
                    self.mistake(stops.left, "a clock that doesn't wait for the GPU", other=block.items[0].context_expr)
                    break

    def full_of_clock(self, end):
        return isinstance(end, ast.Call) and self.full(end.func) in CLOCKS_OF_HOST

    def of_the_gpu(self, block):
        """Whether a block calls a module, or computes with a tensor, that the script puts on a GPU and ends with that."""
        last = block.body[-1]
        while isinstance(last, (ast.For, ast.With)):
            last = last.body[-1]
        return any(self.is_of_gpu(given, 4) for one in ast.walk(last) for given in (
            [one.func] + one.args if isinstance(one, ast.Call) else [one.left, one.right] if isinstance(one, ast.BinOp) else ()))

    def is_of_gpu(self, node, deepest):
        """Whether an expression is a module or tensor that the script puts on a GPU, or is computed from one."""
        made = self.value_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else node
        if isinstance(node, (ast.Name, ast.Attribute)) and (isinstance(made, ast.Call) and self.is_put_on_gpu(made) or any(
                map(self.is_put_on_gpu, self.origins.wrappers_of(node)))):
            return True
        if deepest == 0 or not isinstance(made, (ast.Call, ast.BinOp)):
            return False
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in READS_VALUES:
            return False
        parts = [made.left, made.right] if isinstance(made, ast.BinOp) else made.args if self.full(made.func).startswith("torch.") else []
        return any(self.is_of_gpu(one, deepest - 1) for one in parts)

    def clocks_of_decorators(self, nodes):
        """@timed def product(a, b): return a @ b, where timed() reads the clock around f(*args) and waits for nothing."""
        if not self.says(r"\.cuda\(|['\"]cuda"):
            return
        for of in self.functions:
            takes = [one.arg for one in of.args.args] + [one.arg for inner in of.body if isinstance(inner, ast.FunctionDef) for one in inner.args.args]
            if not any(isinstance(one, ast.FunctionDef) for one in of.body) or re.search(
                    r"synchronize|\.item\(|\.cpu\(|Event|elapsed_time|wait", self.reader.written_whole(of)):
                continue
            stops = next((one for one in ast.walk(of) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and any(isinstance(
                end, ast.Call) and self.full(end.func) in CLOCKS_OF_HOST for end in self.origins.of(one.left))), None)
            calls = stops is not None and any(isinstance(one, ast.Call) and getattr(one.func, "id", "") in takes and any(
                isinstance(part, ast.Starred) for part in one.args) for one in ast.walk(of))
            timed = {one.name: one for one in self.functions if calls and any(getattr(d.func if isinstance(
                d, ast.Call) else d, "id", "") == of.name for d in one.decorator_list) and not re.search(
                    r"synchronize|\.item\(|\.cpu\(|tolist\(|\.numpy\(|\bprint\(|float\(", self.reader.written_whole(one))}
            for call in self.tracing.index.calls if timed else ():
                if getattr(call.func, "id", "") in timed and any(self.is_of_gpu(one, 4) for one in call.args):
                    self.mistake(stops, "a clock that doesn't wait for the GPU", other=call)
                    break

    def waits_for_another(self, nodes):
        """y = x.to("cuda:1") @ x; torch.cuda.synchronize(); clock(): it waits for the current GPU, which is the first."""
        named = set(re.findall(r"['\"]cuda:(\d+)|\bcuda\(([^()\n]*)\)|['\"](cuda)['\"]|(['\"]cuda:\{)", self.reader.text))
        numbers = {one[0] for one in named}
        if len(named) != 1 or not numbers - {"", "0"} or self.says(
                r"set_device|cuda\.device\(|VISIBLE_DEVICES|set_default_device|Event\(|current_stream|Stream\(|device_count\(\) *- *1"):
            return
        for one in nodes:
            for block in (getattr(one, field, None) for field in ("body", "orelse", "finalbody")):
                for waits, after in zip(block, block[1:]) if isinstance(block, list) else ():
                    call = waits.value if isinstance(waits, ast.Expr) and isinstance(waits.value, ast.Call) else None
                    read = next((part for part in ast.walk(after) if self.full_of_clock(part)), None) if call is not None else None
                    begun = any(self.full_of_clock(part) for before in block[:block.index(waits)] for part in ast.walk(before))
                    if read is not None and begun and not isinstance(after, LOOPS + (ast.FunctionDef, ast.ClassDef)) and self.full(
                            call.func) == "torch.cuda.synchronize" and not call.args and not call.keywords:
                        self.mistake(call, "a wait for another GPU", sorted(numbers)[0], other=read)

    def clocks_of_timeit(self, nodes):
        """timeit.timeit(lambda: model(x), number=10), where what is timed gives the GPU work and waits for nothing."""
        for call in nodes:
            if not isinstance(call, ast.Call) or self.full(call.func) not in ("timeit.timeit", "timeit.repeat", "timeit.Timer"):
                continue
            timed = self.given(call, 0, "stmt")
            runs = [timed] if isinstance(timed, ast.Lambda) else self.origins.functions_of(timed) if timed is not None else []
            if not runs or any(isinstance(one, ast.ClassDef) for one in runs) or any(re.search(
                    r"sync|\.item\(|\.cpu\(|tolist\(|numpy\(|print\(|Event|wait|float\(|int\(|nonzero|['\"]cpu", self.near(one)) for one in runs):
                continue
            within = self.origins.scope(call)
            # Who waits for the GPU beside the timed calls knows that they come back early.
            waits = within is not None and not isinstance(within, ast.Lambda) and any(
                self.full(one.func) == "torch.cuda.synchronize" for one in calls_in(within.body))
            last = runs[0].body if isinstance(runs[0], ast.Lambda) else None
            given = [last.func] + last.args if isinstance(last, ast.Call) else [last.left, last.right] if isinstance(
                last, ast.BinOp) else [one for inner in calls_in(runs[0].body if last is None else []) for one in [inner.func] + inner.args]
            if waits or any(self.is_of_gpu(one, 4) for one in given if not isinstance(one, ast.Starred)):
                self.mistake(call, "a clock that doesn't wait for the GPU", other=timed)

    def clocks_of_magics(self, nodes):
        """%timeit model(x), of what is on a GPU."""
        for how, at, timed, last in timed_by_magics(nodes) if not self.reader.other_form else ():
            text = "\n".join(map(self.near, timed))
            if re.search(r"sync|\.item\(|\.cpu\(|tolist\(|numpy\(|print\(|Event|wait|float\(|int\(|nonzero|['\"]cpu|backward\(", text) or how == "time" and any(
                    isinstance(one, LOOPS) for part in timed for one in ast.walk(part)):
                continue
            runs = self.origins.functions_of(last.func) if isinstance(last, ast.Call) else []
            if any(isinstance(one, ast.ClassDef) or how == "time" and any(isinstance(part, LOOPS) for part in ast.walk(one)) for one in runs):
                continue
            given = [last.func] + last.args if isinstance(last, ast.Call) else [last.left, last.right] if isinstance(last, ast.BinOp) else []
            given += [one for run in runs if isinstance(run, ast.FunctionDef) for call in calls_in(run.body) for one in [call.func] + call.args]
            if any(self.is_of_gpu(one, 4) for one in given if not isinstance(one, ast.Starred)):
                self.reader.mistake(at, "a magic that doesn't wait", self.written(last), "%" + how, "torch.cuda.synchronize() behind it, or measure with "
                                    "torch.utils.benchmark.Timer", doubted=True)

    def is_put_on_gpu(self, made):
        """torch.ones(8, device="cuda"), net.to(device), where device is "cuda" or torch.device("cuda")."""
        if re.search(r"\.cuda\(\)|['\"]cuda", self.written(made)):
            return True
        where = (made.args or [self.word(made, "device")])[0] if is_call(made, "to") else self.word(made, "device")
        return where is not None and self.names_gpu(where, 3)

    def names_gpu(self, where, deepest):
        """"cuda", f"cuda:{n}" or torch.device("cuda", n), under whatever name."""
        for one in self.origins.known(where):
            if isinstance(one, ast.Call) and self.full(one.func) == "torch.device" and deepest > 0:
                given = self.given(one, 0, "device", "type")
                if given is not None and self.names_gpu(given, deepest - 1):
                    return True
            if re.match(r"\(*f?['\"]cuda", self.written(one)):
                return True
        return False

    def timed_from_the_first(self, of, own):
        """start = perf_counter(); for _ in range(10): model(x), where model was not called before."""
        if self.says(r"(?i)first call|cold|#[^\n]*warm") or not self.says(r"\.cuda\(|['\"]cuda"):
            return
        for body in [of.body] + [one.body for one in own if isinstance(one, ast.With)]:
            for number, loop in enumerate(body):
                if not isinstance(loop, ast.For) or len(loop.body) != 1 or not isinstance(loop.iter, ast.Call) or getattr(
                        loop.iter.func, "id", "") != "range" or not loop.iter.args:
                    continue
                count, call = self.value_of(loop.iter.args[-1]), getattr(loop.body[0], "value", None)
                start = next((one for one in reversed(body[:number]) if isinstance(one, ast.Assign) and isinstance(
                    one.value, ast.Call) and self.full(one.value.func) in CLOCKS_OF_HOST), None)
                if start is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not isinstance(
                        getattr(count, "value", None), int) or not 2 <= count.value <= 200:
                    continue
                name = call.func.id
                module = self.origin(self.value_of(call.func))[0]
                calls = len(re.findall(r"\b%s\(" % re.escape(name), self.reader.text))
                handed = any(getattr(given, "id", "") == name for call in calls_in([of]) if re.search(r"(?i)warm|bench|run|call", self.written(
                    call.func)) for given in call.args + [k.value for k in call.keywords])
                if calls == 1 and not handed and re.match(r"torch\.nn\.[A-Z]|torch\.compile|torchvision\.models\.|transformers\.", module):
                    self.mistake(start, "a clock that measures the first call", name, other=call)

    def peaks_of_calls(self, of, own):
        """def peak(size): …; return torch.cuda.max_memory_allocated(), called for each of several sizes."""
        if not isinstance(of, ast.FunctionDef) or re.search(RESETS_PEAK, self.near(of)):
            return
        peak = next((one for one in own if isinstance(one, ast.Call) and self.full(one.func) == "torch.cuda.max_memory_allocated"), None)
        for _, others in self.scopes if peak is not None else ():
            for loop in others:
                over = loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter if isinstance(
                    loop, (ast.ListComp, ast.DictComp, ast.GeneratorExp)) else None
                if isinstance(self.value_of(over) if over is not None else None, (ast.Tuple, ast.List)) and any(
                        isinstance(call, ast.Call) and getattr(call.func, "id", "") == of.name for call in ast.walk(loop)) and not re.search(
                            RESETS_PEAK, self.near(loop)):
                    return self.mistake(peak, "a peak of memory that is never reset", other=over)
        return None

    # ---- memory

    def evaluates_with_graph(self, of, own):
        """model.eval(); for x, y in loader: hits += (model(x).argmax(1) == y).sum(), with gradients on."""
        if self.says(r"grad_enabled|requires_grad|\.grad\b|autograd\.(?!profiler)|create_graph|lightning|Trainer\(") or not \
                self.says(ON_A_GPU) or self.never_with_gradients(of) or any(is_call(one, "backward") for one in own):
            return
        trains = [self.origins.position(one) for one in own if is_call(one, "train") and not one.args]
        quiet = {self.written(self.root(one.func.value)) for one in own if is_call(one, "eval") and not one.args} - {""}
        for loop in (one for one in own if quiet and isinstance(one, ast.For)):
            if not re.search(r"loader|batch|_dl$|^dl$", self.written(loop.iter)) or any(
                    one < self.origins.position(loop.body[-1]) for one in trains):
                continue
            for call in own_nodes(loop):
                reported = any(e["subject"] == "script-mistake" and loop.lineno <= int(e["line"]) <= loop.end_lineno and e.get(
                    "source") == self.reader.source for e in self.reader.events)
                if isinstance(call, ast.Call) and self.written(call.func) in quiet and call.args and not reported and not any(
                        self.is_quiet(outer) for outer in self.origins.around(call)):
                    return self.mistake(call, "an evaluation that builds graphs", self.written(call.func))
        return None

    def serves_with_graph(self):
        """model.eval(); @app.post("/"), whose function calls model(x): the graph of each request is kept until its answer is made."""
        if not self.says(r"@\w+\.(get|post|put|route|websocket)\(") or not self.says(ON_A_GPU) or self.says(
                r"no_grad|inference_mode|grad_enabled|requires_grad|\.grad\b|backward|\.freeze\("):
            return
        quiet = {self.written(call.func.value) for call in self.tracing.index.calls if is_call(call, "eval") and not call.args}
        quiet |= {self.written(statement.targets[0]) for statement in self.scopes[-1][1] if isinstance(statement, ast.Assign) and any(
            is_call(one, "eval") and not one.args for one in ast.walk(statement.value))}
        for of, own in self.scopes:
            if any(isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("get", "post", "put", "route", "websocket")
                   for one in getattr(of, "decorator_list", ())):
                called = [inner for call in own if isinstance(call, ast.Call) for inner in self.origins.functions_of(call.func) if isinstance(inner, ast.FunctionDef)]
                for call in own + [one for inner in called for one in own_nodes(inner)]:
                    if isinstance(call, ast.Call) and isinstance(call.func, (ast.Name, ast.Attribute)) and self.written(call.func) in quiet and (
                            call.args or call.keywords):
                        return self.mistake(call, "an evaluation that builds graphs", self.written(call.func))

    def is_quiet(self, node):
        """with torch.no_grad(): or @torch.inference_mode()"""
        said = [item.context_expr for item in node.items] if isinstance(node, ast.With) else getattr(node, "decorator_list", [])
        return any(re.search(r"no_grad|inference_mode|quiet|eval", self.written(one)) for one in said)

    def never_with_gradients(self, of):
        """Whether a function may be called under no_grad() alone: a caller of the file does, or it is handed on."""
        if not isinstance(of, ast.FunctionDef):
            return False
        sites = self.origins.sites(of)
        text = self.near(of)
        if not sites and self.says(r"no_grad|inference_mode"):
            return True
        return re.search(r"no_grad|inference_mode", text) is not None or any(
            self.is_quiet(outer) for site in sites for outer in self.origins.around(site.call)) or any(
                re.search(r"no_grad|inference_mode", self.reader.written_whole(outer)) for outer in self.origins.around(of) if isinstance(
                    outer, ast.ClassDef)) or any(self.never_with_gradients_above(site.call) for site in sites)

    def never_with_gradients_above(self, call):
        function = self.origins.scope(call)
        return isinstance(function, ast.FunctionDef) and any(self.is_quiet(outer) for site in self.origins.sites(function)
                                                             for outer in self.origins.around(site.call))

    def kept_for_nobody(self, nodes):
        """loss.backward(retain_graph=True), where each round computes its loss anew and goes back once."""
        if self.says(r"autograd\.grad\(|create_graph|register_hook"):
            return
        for loop, own in self.training_loops(nodes):
            if re.search(r"hidden|(?<!pin_)memory(?!_format)|state\b|\bhx?\b|carry", self.near(loop)):
                continue
            passes = [one for one in own if is_call(one, "backward")]
            keeps = self.word(passes[0], "retain_graph")
            if len(passes) != 1 or getattr(keeps, "value", None) is not True or not any(is_call(one, "zero_grad") for one in own):
                continue
            bound = self.tracing.stored(loop)
            assigned = [one for one in own if isinstance(one, ast.Assign)]
            outer = {name.id for one in assigned for name in ast.walk(one.value) if isinstance(name, ast.Name)} - bound
            harmless = all(self.harmless(name) for name in outer)
            carried = self.carried(loop)
            if harmless and not carried:
                self.mistake(passes[0], "a graph that is kept for nobody")

    def harmless(self, name):
        """Whether a name of outside holds no graph: a module, a function, a number, what a library gives."""
        values = self.made.get(name, ())
        return all(re.match(r"torch\.(nn\.|optim\.|device|rand|zeros|ones|tensor|arange|cuda\.|amp\.|compile|utils)|torchvision\.|numpy\.",
                            self.origin(one)[0]) or isinstance(one, ast.Constant) or isinstance(one, ast.Call) and getattr(
                                one.func, "id", "")[:1].isupper() for one in values) and (bool(values) or name in self.tracing.names or
                                                                                           name in self.by_name)

    def carried(self, loop):
        """Whether a round reads what the one before it bound, other than sums of numbers."""
        first = {}
        for one in own_nodes(loop):
            if isinstance(one, ast.Assign):
                for name in [n for n in ast.walk(one.value) if isinstance(n, ast.Name)] + [
                        n for target in one.targets for n in ast.walk(target) if isinstance(n, ast.Name)]:
                    first.setdefault(name.id, isinstance(name.ctx, ast.Load))
        bound = {name.id for one in own_nodes(loop) if isinstance(one, ast.Assign) for target in one.targets
                 for name in ast.walk(target) if isinstance(name, ast.Name)}
        targets = {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)} if isinstance(loop, ast.For) else set()
        return any(first.get(name) for name in bound - targets)

    def pinned_in_vain(self, nodes):
        """DataLoader(…, collate_fn=Batch, pin_memory=True), where the class Batch has no method pin_memory."""
        classes = {one.name: one for one in nodes if isinstance(one, ast.ClassDef) and not one.bases}
        plain = {name for name, of in classes.items() if not any(getattr(one, "name", "") in ("pin_memory", "__getattr__")
                                                                  for one in of.body)}
        for name, of in self.by_name.items():
            ends = [one.value for one in own_nodes(of) if isinstance(one, ast.Return)] if of else []
            if ends and all(isinstance(one, ast.Call) and getattr(one.func, "id", "") in plain for one in ends):
                plain = plain | {name}
        for one in nodes if plain else ():
            if isinstance(one, ast.Call) and self.full(one.func) == "torch.utils.data.DataLoader":
                pins, makes = self.word(one, "pin_memory"), self.word(one, "collate_fn")
                if getattr(pins, "value", None) is True and self.makes_own(makes, plain, classes):
                    self.mistake(pins, "a batch that no loader pins", makes.value.id, other=classes[makes.value.id])
                elif getattr(pins, "value", None) is True and getattr(makes, "id", "") in plain:
                    of = classes.get(makes.id)
                    if of is None or any(getattr(m, "name", "") == "__init__" for m in of.body) and not any(
                            getattr(m, "name", "") == "__call__" for m in of.body):
                        self.mistake(pins, "a batch that no loader pins", makes.id, other=of)

    @staticmethod
    def makes_own(makes, plain, classes):
        """Whether a function is a class method of one of these classes, and gives back objects of it."""
        of = classes.get(getattr(getattr(makes, "value", None), "id", "")) if isinstance(makes, ast.Attribute) else None
        method = next((one for one in of.body if getattr(one, "name", "") == makes.attr), None) if of is not None and of.name in plain else None
        ends = [one.value for one in own_nodes(method) if isinstance(one, ast.Return)] if isinstance(method, ast.FunctionDef) else []
        return bool(ends) and all(isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("cls", of.name) for one in ends)

    # ---- places

    def chosen_for_nothing(self, nodes):
        """device = "cuda" if torch.cuda.is_available() else "cpu", which nothing in a script that trains uses."""
        if len(re.findall(r"['\"]cuda", self.reader.text)) != 1 or self.says(
                r"\.cuda\(|\.to\(|device *=(?! *(torch\.device|\(?['\"]))|set_default|argparse|globals\(|locals\(|Trainer|ccelerat|abric"):
            return
        for one in self.scopes[-1][1]:
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and re.search(
                    r"['\"]cuda(:\d)?['\"] if torch\.cuda\.is_available\(\) else", self.written(one.value)):
                name = one.targets[0].id
                used = any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in nodes)
                if not used and name != "_" and any(True for _ in self.training_loops(nodes)):
                    self.mistake(one, "a device that nothing uses", name)

    def loaded_to_one(self, nodes):
        """torch.cuda.set_device(local_rank); state = torch.load(path), which goes to the GPU that it was saved from."""
        if not self.says(r"LOCAL_RANK|local_rank") or not self.says(r"set_device\(|device_ids *=") or self.says(
                r"['\"]gloo|save\(.*\.cpu\(|weights_to_cpu|broadcast"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and self.full(one.func) == "torch.load" and len(one.args) == 1 and not any(
                    k.arg in ("map_location", None) for k in one.keywords):
                names = [name for name, values in self.made.items() if any(value is one for value in values)]
                if any(is_call(call, "load_state_dict") and call.args and (call.args[0] is one or self.written(
                        call.args[0]).split("[")[0] in names) for call in nodes):
                    self.mistake(one, "a state that each process loads to one GPU")

    # ---- one at a time

    def copied_by_elements(self, loop):
        """for i in range(len(rewards)): returns[i] = torch.tensor(rewards[i]).cuda()"""
        target = loop.target if isinstance(loop, ast.For) else None
        if isinstance(target, ast.Tuple) and getattr(getattr(loop.iter, "func", None), "id", "") == "enumerate":
            target = target.elts[0]
        for one in loop.body if isinstance(target, ast.Name) else ():
            if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Subscript) or self.written(
                    one.targets[0].slice) != target.id:
                continue
            name, made, after = self.origin(one.value)
            sent = any(call.func.attr in ("cuda", "to") for call in after) or name and self.word(made, "device") is not None
            if name in ("torch.tensor", "torch.as_tensor", "torch.from_numpy") and sent and made.args and (
                    isinstance(made.args[0], ast.Name) or self.written(made.args[0]).endswith("[%s]" % target.id)) and \
                    not re.search(r"(?i)path|load|open|read", self.reader.written_whole(loop)):
                self.mistake(one, "a copy to the GPU for each element", other=loop.iter)

    def one_at_a_time(self, own):
        """outputs = torch.stack([model(x) for x in batch]), of a batch that is one tensor."""
        tensors = {self.written(one.targets[0]) for one in own if isinstance(one, ast.Assign) and re.match(
            r"torch\.(rand|randn|zeros|ones|randint)$", self.origin(one.value)[0])}
        for one in own:
            many = one.args[0] if isinstance(one, ast.Call) and self.full(one.func) in ("torch.stack", "torch.cat") and one.args else None
            if not isinstance(many, (ast.ListComp, ast.GeneratorExp)) or len(many.generators) != 1 or many.generators[0].ifs:
                continue
            each = many.generators[0]
            module = self.origin(self.value_of(many.elt.func))[0] if isinstance(many.elt, ast.Call) else ""
            of = self.written(each.iter)
            if module.startswith("torch.nn.") and len(many.elt.args) == 1 and self.written(
                    many.elt.args[0]).startswith(self.written(each.target)) and of in tensors:
                self.mistake(one, "samples that go through a model one by one", of, self.written(many.elt.func))

    def walked_by_cells(self, loop):
        """for t in range(x.size(0)): h, c = self.cell(x[t], (h, c)), and nothing else."""
        if not isinstance(loop, ast.For) or not 1 <= len(loop.body) <= 2 or len(loop.body) == 2 and not is_call(
                getattr(loop.body[1], "value", None), "append"):
            return
        step, bound = loop.body[0], {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)}
        call = step.value if isinstance(step, ast.Assign) and isinstance(step.value, ast.Call) else None
        kind = self.origin(self.value_of(call.func))[0] if call and len(call.args) == 2 else ""
        input_, states = (call.args[0], {n.id for n in ast.walk(call.args[1]) if isinstance(n, ast.Name)}) if kind else (None, set())
        if kind in ("torch.nn.LSTMCell", "torch.nn.GRUCell", "torch.nn.RNNCell") and states == self.tracing.stored(step) and \
                bound & {n.id for n in ast.walk(input_) if isinstance(n, ast.Name)} and isinstance(input_, (ast.Subscript, ast.Name)):
            self.mistake(step, "a loop over a cell", kind.rsplit(".", 1)[-1], kind.rsplit(".", 1)[-1][:-4])

    # ---- beside other libraries

    def over_the_host(self, nodes):
        """cupy.asarray(features.cpu().numpy()), and torch.from_numpy(cupy.asnumpy(ranks)).cuda()"""
        for one in (one for one in nodes if isinstance(one, ast.Call)):
            name, made, after = self.origin(one)
            first = made.args[0] if name and made.args else None
            if name in ("cupy.asarray", "cupy.array") and one is made and is_call(first, "numpy") and is_call(first.func.value, "cpu"):
                self.mistake(one, "a way over the host to CuPy", "cupy.from_dlpack(tensor)")
            back = isinstance(first, ast.Call) and (self.full(first.func) == "cupy.asnumpy" or is_call(first, "get") and not first.args)
            if name in ("torch.from_numpy", "torch.tensor", "torch.as_tensor") and back and (any(
                    call.func.attr in ("cuda", "to") for call in after) or self.word(made, "device") is not None):
                self.mistake(one, "a way over the host to CuPy", "torch.from_dlpack(array)")

    def all_memory_of_two(self, nodes):
        """import tensorflow and torch: a dataset of TensorFlow takes the GPU's memory that PyTorch needs."""
        if self.says(r"memory_growth|set_visible_devices|VISIBLE_DEVICES|ALLOW_GROWTH|logical_device|device\(['\"]/?(cpu|CPU)"):
            return
        starts = next((one for one in nodes if isinstance(one, ast.Call) and re.match(
            r"tensorflow\.(random\.(uniform|normal)|constant|zeros|ones|data\.Dataset\.from_tensor_slices|keras\.(Sequential|Model))$",
            self.full(one.func))), None)
        moved = next((one for one in nodes if is_call(one, "cuda") and not one.args), None)
        if starts is not None and moved is not None:
            self.mistake(starts, "memory that two libraries take", self.written(moved), other=moved)


# Times that are printed in another unit than they have.
# What gives seconds, and how many seconds each unit holds that a script may write behind a number.
CLOCKS_IN_SECONDS = ("time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer", "tensorflow.timestamp")
UNITS = (("milliseconds", re.compile(r"\W{0,3}(ms|msecs?|millis(econds?)?|milliseconds?)\b", re.I), 1e-3),
         ("seconds", re.compile(r"\W{0,3}(s|secs?|seconds?)\b", re.I), 1.0),
         ("microseconds", re.compile(r"\W{0,3}(us|µs|μs|microseconds?)\b", re.I), 1e-6))
LEAVES_THE_UNIT = ("round", "float", "str", "int", "tensorflow.strings.as_string", "numpy.round", "format", "abs")
PRINTS = ("print", "tensorflow.print")
FIELD = re.compile(r"\{(:[^{}]*)?\}")
PERCENT_FIELD = re.compile(r"%[-+ #0]*\d*(\.\d+)?[a-zA-Z]")
NO_COUNTS = r"#.*|\w*class\w* *= *1000"  # the classes of ImageNet count no rounds
THOUSANDS = re.compile(r"\b(1_?000(_?000)?(\.0*)?|1e[36])\b")


class Units(WholeFile):
    """(time.time() - begun) / 1000 as milliseconds, and begun.elapsed_time(end), which is in milliseconds, as seconds."""

    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"torch", "tensorflow", "jax", "cupy", "numba", "keras"} & roots:
            return
        for one in nodes:
            unit = self.seconds_of(one)
            if unit is None or self.seconds_of(self.origins.parents.get(id(one))) is not None:
                continue
            for said in self.said_behind(one):
                name, seconds = next(((name, each) for name, form, each in UNITS if form.match(said)), (None, unit))
                # Where a loop has a thousand rounds, or data come by thousands, a factor may count those.
                if name is not None and abs(seconds / unit - 1) > 0.1 and len(THOUSANDS.findall(re.sub(NO_COUNTS, "", self.reader.text))) <= int(
                        isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Mult, ast.Div))):
                    self.mistake(one, "a time in another unit than it says", self.named(unit), name)
                    return

    def named(self, unit):
        known = next((name for name, _, each in UNITS if abs(each / unit - 1) < 0.1), None)
        return "in " + known if known else "in units of %g seconds" % unit

    def seconds_of(self, node):
        """How many seconds one of a time's units has; None: it is no time, or none that is known."""
        if isinstance(node, ast.Call):
            return 1e-3 if getattr(node.func, "attr", "") == "elapsed_time" and self.made_by(node.func.value, "torch.cuda.Event") is not None or \
                self.full(node.func) == "cupy.cuda.get_elapsed_time" else None
        if not isinstance(node, ast.BinOp):
            return None
        if isinstance(node.op, ast.Sub):
            return 1.0 if all(map(self.reads_seconds, (node.left, node.right))) else None
        factor = self.said(node.right) if isinstance(node.op, (ast.Mult, ast.Div)) else None
        if isinstance(node.op, ast.Div) and factor not in (60, 1000, 3600, 1000000) and isinstance(node.right, (ast.Name, ast.Attribute, ast.Call)):
            return self.seconds_of(node.left)  # the time of one round
        unit = self.seconds_of(node.left) if factor in (1000, 1000000) and isinstance(factor, (int, float)) else None
        return None if unit is None else unit * factor if isinstance(node.op, ast.Div) else unit / factor

    def reads_seconds(self, node):
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Call) and self.full(one.func) in CLOCKS_IN_SECONDS for one in values)

    def said_behind(self, node, deepest=3):
        """The texts that stand directly behind a value where it is printed."""
        above = self.origins.parents.get(id(node))
        while isinstance(above, ast.Call) and (self.full(above.func) or self.written(above.func)) in LEAVES_THE_UNIT and above.args[:1] == [node]:
            node, above = above, self.origins.parents.get(id(above))
        if isinstance(above, ast.FormattedValue):
            text = self.origins.parents.get(id(above))
            parts = text.values if isinstance(text, ast.JoinedStr) else []
            yield from self.text_at(parts, above)
        elif isinstance(above, ast.Call) and (self.full(above.func) or self.written(above.func)) in PRINTS:
            yield from self.text_at(above.args, node)
        elif isinstance(above, ast.Call) and getattr(above.func, "attr", "") == "format" and isinstance(above.func.value, ast.Constant):
            yield from self.in_form(above.func.value.value, FIELD, above.args, node)
        elif isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod) and isinstance(above.left, ast.Constant):
            yield from self.in_form(above.left.value, PERCENT_FIELD, [node], node)
        elif isinstance(above, ast.Tuple) and self.is_form(self.origins.parents.get(id(above)), above):
            yield from self.in_form(self.origins.parents[id(above)].left.value, PERCENT_FIELD, above.elts, node)
        elif isinstance(above, ast.Assign) and above.value is node and isinstance(above.targets[0], ast.Name) and deepest:
            name, scope = above.targets[0].id, self.origins.scope(above)
            for use in self.origins.nodes:
                if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load) and self.origins.scope(use) is scope and \
                        self.value_of(use) is node:
                    yield from self.said_behind(use, deepest - 1)

    @staticmethod
    def is_form(node, given):
        """"%s took %.2f s" % (name, seconds)"""
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and node.right is given and isinstance(node.left, ast.Constant)

    @staticmethod
    def in_form(text, field, given, node):
        """What stands behind the field of a text that a value goes to."""
        fields = list(field.finditer(text)) if isinstance(text, str) else []
        at = next((number for number, one in enumerate(given) if one is node), None)
        if at is not None and len(fields) == len(given):
            yield text[fields[at].end():]

    @staticmethod
    def text_at(parts, node):
        at = next((number for number, one in enumerate(parts) if one is node), None)
        said = parts[at + 1] if at is not None and at + 1 < len(parts) else None
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            yield said.value
