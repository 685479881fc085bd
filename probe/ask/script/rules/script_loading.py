"""Loaders and their workers, what is compiled, traced and exported, and what is measured on the way; for the reader of scripts."""

LOADER = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
IMAGE_FOLDERS = re.compile(r"torchvision\.datasets\.(ImageFolder|ImageNet|DatasetFolder|Places365|CocoDetection|CocoCaptions|VOC\w+|"
                           r"Flowers102|Food101|OxfordIIITPet|INaturalist|CelebA|Cityscapes)$")
DECODES = re.compile(r"Image\.open\(|imread\(|read_image\(|decode_(image|jpeg|png)\(|VideoReader\(|torchaudio\.load\(|librosa\.load\(")
# Files whose position, or whose library's state, forked processes share.
SHARED_FILES = ("h5py.File", "zipfile.ZipFile", "tarfile.open")
REDUCES = tuple("sum mean max min amax amin any all norm std var median prod item count_nonzero argmax argmin".split())
SHAPED = re.compile(r"(torch|numpy|numpy\.random|jax\.numpy)\.(randn|rand|zeros|ones|empty|random|standard_normal)$")
RESETS = ("torch.compiler.reset", "torch._dynamo.reset")
TRACES = ("torch.jit.trace", "torch.onnx.export")
OF_DEVICE = re.compile(r"torch\.(arange|zeros|ones|full|empty|eye|tensor|linspace|tril|triu)$")
MODELS_FROM_THE_HUB = re.compile(r"(transformers\.(\w+\.)*AutoModel\w*|transformers\.(\w+\.)*\w+For\w+|peft\.(\w+\.)*\w*PeftModel\w*)\.from_pretrained$")
SINGLE_NUMBERS = ("int", "float", "bool", "str")


class Loading(Steps):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"torch", "torchvision", "transformers", "accelerate", "lightning", "pytorch_lightning", "peft"} & roots:
            return
        index = self.tracing.index
        self.roots, self.nodes, self.parents, self.assigned = roots, nodes, index.parents, index.assigned
        self.calls, self.functions, self.loops = index.calls, index.functions, index.loops
        self.classes = {one.name: one for one in index.classes}
        self.trains = self.says(r"\.backward\(")
        if "torch" in roots:
            self.look_at_loaders()
            self.look_at_graphs()
        if "torchvision" in roots:
            self.encoded_on_the_gpu()
        self.look_at_libraries()

    def look_at_libraries(self):
        """Of script_hub."""

    def look_at_loaders(self):
        self.firsts = [one for one in self.calls if getattr(one.func, "id", "") == "next" and len(one.args) == 1 and isinstance(
            one.args[0], ast.Call) and getattr(one.args[0].func, "id", "") == "iter" and one.args[0].args]  # next(iter(…))
        self.loaders = [(call, self.said(self.word(call, "num_workers")) if self.word(call, "num_workers") is not None else
                         0 if len(call.args) < 6 else None) for call in self.calls if self.full(call.func) in LOADER]
        for call, workers in self.loaders:
            several = type(workers) is int and workers > 0
            self.decoded_alone(call, workers)
            if several:
                self.begun_for_each_epoch(call)
                self.built_for_each_epoch(call)
                self.begun_for_each_step(call)
                self.shared_file(call)
                self.spawned(call)
                self.lists_of_an_array(call)
        self.endless_copies()
        self.started_without_a_guard()
        self.left_behind_by_spawn()
        self.weights_of_each_step()
        self.small_share_of_memory()
        self.shares_above_one()
        self.precisions_of_a_table()

    def look_at_graphs(self):
        self.compiled_again()
        self.lengths_that_change()
        self.numbers_that_change()
        self.branches_of_values()
        self.fixed_by_its_example()
        self.device_of_its_example()
        self.compiled_and_switched_off()
        self.weights_of_eight_bits()
        self.compiled_and_passed_by()
        self.compiled_to_generate()

    # ---- what expressions stand for

    def true(self, call, name):
        return self.said(self.word(call, name)) is True

    def around(self, node):
        """What a node stands in, from the inside."""
        while id(node) in self.parents:
            node = self.parents[id(node)]
            yield node

    def loops_around(self, node):
        """The loops that a node runs in, as far as its function, without those whose head it is."""
        before = node
        for one in self.around(node):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                return
            if isinstance(one, (ast.For, ast.While)) and not (isinstance(one, ast.For) and before is one.iter):
                yield one
            before = one

    def bound_to(self, call):
        """The name that a call's result is given."""
        by = self.parents.get(id(call))
        return self.written(by.targets[0]) if isinstance(by, ast.Assign) and by.value is call else ""

    def comes_from(self, node, call):
        """Whether an expression can come from this call."""
        return any(one is call for one in self.origins.of(node))

    def own(self, of):
        """The nodes of a loop or function that run with it."""
        hidden = within_others(of)
        return [one for one in ast.walk(of) if id(one) not in hidden]

    def steps_in(self, of):
        """Whether a loop or function trains: it calls backward()."""
        return any(isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("backward", "manual_backward") for one in self.own(of))

    def through(self, loop):
        """What a loop goes through, without enumerate() and tqdm()."""
        over = loop.iter
        while isinstance(over, ast.Call) and over.args and getattr(over.func, "id", getattr(over.func, "attr", "")) in (
                "enumerate", "tqdm", "track"):
            over = over.args[0]
        return over

    def class_of(self, node):
        """The class of the file whose object an expression stands for."""
        made = self.origins.made(node)
        return self.classes.get(getattr(made.func, "id", "")) if isinstance(made, ast.Call) else None

    @staticmethod
    def method(of, name):
        return next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == name), None) if of else None

    def dataset_of(self, call):
        return call.args[0] if call.args else self.word(call, "dataset")

    # ---- loaders and their workers

    def decoded_alone(self, call, workers):
        """DataLoader(ImageFolder(…), num_workers=0, pin_memory=True), in a script that trains."""
        given = self.dataset_of(call)
        if workers != 0 or given is None or not self.trains or not self.true(call, "pin_memory") or self.says(
                r"[dD]ebug|win32|Windows|darwin"):
            return
        made = self.origins.made(given)
        get = self.method(self.class_of(given), "__getitem__")
        if isinstance(made, ast.Call) and IMAGE_FOLDERS.match(self.full(made.func)) or get is not None and DECODES.search(
                self.reader.written_whole(get)):
            self.mistake(call, "images that one process decodes")

    def begun_for_each_epoch(self, call):
        """DataLoader(…, num_workers=8, persistent_workers=False), and for epoch in range(300): for x, y in loader:"""
        word = self.word(call, "persistent_workers")
        if self.said(word) is not False:
            return
        for loop in self.loops:
            over = self.through(loop) if isinstance(loop, ast.For) else None
            outer = next(self.loops_around(loop), None)
            if over is not None and self.comes_from(over, call) and isinstance(outer, ast.For) and self.rounds(outer) >= 50:
                return self.mistake(word, "workers that each epoch starts", self.written(outer.iter), other=outer.iter)

    def rounds(self, loop):
        """How often a loop over range() surely runs, of a number that is known."""
        given = loop.iter.args if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and getattr(
            loop.iter.func, "id", "") in ("range", "trange") else ()
        end = given[min(1, len(given) - 1)] if given else None
        value = self.said(end.left if isinstance(end, ast.BinOp) and self.written(end.right) == "1" else end)
        return value if type(value) is int else 0

    def built_for_each_epoch(self, call):
        """for epoch in …: loader = DataLoader(dataset, persistent_workers=True, …), of what no epoch changes."""
        name = self.bound_to(call)
        if not self.true(call, "persistent_workers") or not name:
            return
        loop = next(self.loops_around(call), None)
        of = next((one for one in self.around(call) if isinstance(one, ast.FunctionDef)), None)
        if loop is None and of is not None:  # def train_epoch(…), which a loop calls
            loop = next((one for called in self.calls if getattr(called.func, "id", getattr(called.func, "attr", "")) == of.name
                         for one in self.loops_around(called)), None)
            if loop is None or not any(isinstance(one, ast.For) and self.written(self.through(one)) == name and next(
                    self.loops_around(one), None) is None for one in self.own(of)):
                return
        if not isinstance(loop, ast.For) or not re.search(r"epoch", self.written(loop.target)):
            return
        inputs = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
        changed = {one for statement in loop.body for one in self.tracing.stored(statement)} | self.tracing.stored(loop.target)
        touched = {self.written(one.func.value) for one in self.own(loop) if isinstance(one, ast.Call) and isinstance(
            one.func, ast.Attribute) and one.func.attr not in ("to", "cuda")}
        handed = {name.id for one in self.own(loop) if isinstance(one, ast.Call) and one is not call for a in one.args
                  for name in ast.walk(a) if isinstance(name, ast.Name)}
        data = self.dataset_of(call)
        if of is not None and loop not in list(self.loops_around(call)):
            changed, handed = set(self.tracing.stored(of)) - {name}, set()
        if not (inputs - {name}) & (changed | touched) and not (isinstance(data, ast.Name) and data.id in handed):
            self.mistake(call, "a loader that each epoch builds anew", other=loop.iter)

    def begun_for_each_step(self, call):
        """for step in range(steps): x, y = next(iter(loader))"""
        for one in self.firsts:
            if self.comes_from(one.args[0].args[0], call):
                loop = next(self.loops_around(one), None)
                trains = [step for step in (self.own(loop) if loop is not None else ()) if isinstance(step, ast.Call) and getattr(
                    step.func, "attr", "") in ("backward", "manual_backward") and next(self.loops_around(step), None) is loop]
                if trains and next(self.loops_around(call), None) is not loop and not any(
                        isinstance(by, ast.ExceptHandler) for by in self.around(one)):
                    self.mistake(one, "workers that each step starts", self.written(one.args[0].args[0]), other=call)

    def shared_file(self, call):
        """self.file = h5py.File(path) in __init__, read in __getitem__ by workers that are forked."""
        of = self.class_of(self.dataset_of(call)) if self.dataset_of(call) is not None else None
        first, get = self.method(of, "__init__"), self.method(of, "__getitem__")
        if first is None or get is None or re.search(r"getstate|getpid|worker", self.reader.written_whole(of)) or self.word(
                call, "worker_init_fn", "multiprocessing_context") is not None or SPAWNS.search(self.reader.text):
            return
        read = self.reader.written_whole(get)
        for one in ast.walk(first):
            made = one.value if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) else None
            name = self.written(one.targets[0]) if made is not None else ""
            if not name.startswith("self.") or not re.search(r"\b%s\b" % re.escape(name), read):
                continue
            if self.full(made.func) in SHARED_FILES or getattr(made.func, "id", "") == "open" and re.search(
                    r"%s\.seek\(" % re.escape(name), read):
                self.mistake(one, "a file that the workers share", name, other=call)

    def spawns(self, call):
        """Whether the workers of a loader begin a new interpreter, by what the script says."""
        context = self.word(call, "multiprocessing_context")
        if context is not None:
            of = self.origins.made(context)
            said = self.said(of.args[0]) if isinstance(of, ast.Call) and of.args else self.said(context)
            return said in ("spawn", "forkserver")
        return self.says(r"set_start_method\(['\"](spawn|forkserver)['\"]")

    def is_guarded(self, node):
        """Whether it stands in a function, or where __name__ was asked."""
        return getattr(node, "cell", None) or any(isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)) or
                                                  isinstance(one, ast.If) and "__name__" in self.written(one.test) for one in self.around(node))

    def spawned(self, call):
        """What the workers of multiprocessing_context="spawn" can't do: import the script, or be handed a lambda."""
        if not self.spawns(call):
            return
        for name in ("collate_fn", "worker_init_fn"):
            word = self.word(call, name)
            made = self.origins.made(word) if word is not None else None
            local = isinstance(word, ast.Name) and any(
                of.name == word.id and any(isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) for one in self.around(of))
                for of in self.functions) and not any(of.name == word.id and self.parents.get(id(of)) in self.nodes[:1] for of in self.functions)
            if isinstance(made, ast.Lambda) or local:
                self.mistake(word, "a function that no new process can be handed", name, other=call, doubted=False)
        loop = next((one for one in self.loops if isinstance(one, ast.For) and self.comes_from(self.through(one), call) and
                     not self.is_guarded(one)), None)
        if loop is not None and not self.is_guarded(call):
            self.mistake(loop, "processes that run the whole script again", self.written(self.through(loop)), other=call, doubted=False)

    def started_without_a_guard(self):
        """torch.multiprocessing.spawn(work, nprocs=2), not below if __name__ == "__main__"."""
        for call in self.calls:
            if self.full(call.func) in ("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes") and not self.is_guarded(
                    call) and self.said(self.word(call, "start_method")) != "fork":
                self.mistake(call, "processes that run the whole script again", self.written(call.func), doubted=False)

    def left_behind_by_spawn(self):
        """if __name__ == "__main__": torch.backends.cudnn.benchmark = True; mp.spawn(work): a new process imports the file, and has
        nothing of what stands below the question for __name__ or in the function that starts it."""
        for call in self.calls:
            if self.full(call.func) != "torch.multiprocessing.spawn" or not call.args or any(isinstance(one, ast.Try) for one in self.around(call)):
                continue
            workers = [of for of in self.origins.functions_of(call.args[0]) if isinstance(of, ast.FunctionDef)]
            scope = self.origins.scope(call)
            guard = next((one for one in self.around(call) if isinstance(one, ast.If) and "__name__" in self.written(one.test)), None)
            holder = scope if isinstance(scope, ast.FunctionDef) else guard
            if len(workers) != 1 or holder is None:
                continue
            below = {id(inner) for of in self.reached_functions(workers[0], 3) for inner in ast.walk(of)}
            for one in ast.walk(holder):
                if self.origins.scope(one) is not scope or id(one) in below or not isinstance(one, (ast.Assign, ast.Call)) or one.lineno > call.lineno:
                    continue
                name = self.full(one.targets[0]) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) else \
                    self.full(one.func) if isinstance(one, ast.Call) else ""
                last = name.rsplit(".", 1)[-1]
                if SWITCHES_OF_GPU.match(name) and len(re.findall(r"\b%s\b" % last, self.reader.text)) == 1 and "seed_everything" not in self.reader.text:
                    self.mistake(one, "a switch that new processes don't have", self.written(call.func), other=call)
            self.names_of_the_guard(workers[0], guard if holder is guard else None, call)

    def reached_functions(self, of, deepest):
        """A function, and those of the file that it calls by their names."""
        found, waiting = {id(of): of}, [(of, deepest)]
        while waiting:
            one, depth = waiting.pop()
            for call in calls_in(one.body) if depth else ():
                for inner in self.origins.functions_of(call.func) if isinstance(call.func, ast.Name) else ():
                    if isinstance(inner, ast.FunctionDef) and id(inner) not in found:
                        found[id(inner)] = inner
                        waiting.append((inner, depth - 1))
        return list(found.values())

    def names_of_the_guard(self, worker, guard, call):
        """work(rank) reads args, which is bound below the question for __name__ alone: a new process has no such name."""
        if guard is None or guard.orelse or self.says(r"\b(globals|exec|setattr)\(|import \*|\bglobal "):
            return
        of_file = [one for one in self.nodes if isinstance(one, ast.Module)]
        inside = {id(one) for one in ast.walk(guard)}
        bound = {one.id for one in ast.walk(guard) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and self.origins.scope(one) is None}
        others = {getattr(one, "id", None) or getattr(one, "asname", None) or getattr(one, "name", "") for whole in of_file for one in ast.walk(whole)
                  if id(one) not in inside and self.origins.scope(one) is None and (isinstance(one, ast.Name) and isinstance(
                      one.ctx, ast.Store) or isinstance(one, (ast.alias, ast.FunctionDef, ast.ClassDef)))}
        for of in self.reached_functions(worker, 2):
            own = {one.arg for one in ast.walk(of) if isinstance(one, ast.arg)} | {
                one.id for one in ast.walk(of) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)} | {
                    one.name for one in ast.walk(of) if isinstance(one, (ast.FunctionDef, ast.ExceptHandler)) and one is not of} | {
                        (one.asname or one.name).split(".")[0] for one in ast.walk(of) if isinstance(one, ast.alias)}
            read = next((one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id in bound - others - own and not any(
                isinstance(each, (ast.Try, ast.If)) for each in self.around(one)) and self.origins.scope(of) is None), None)
            if read is not None:
                return self.mistake(read, "a name that new processes don't have", self.written(call.func), other=call)

    def lists_of_an_array(self, call):
        """self.rows = np.load(path).tolist(), of which each worker comes to copy all."""
        of = self.class_of(self.dataset_of(call)) if self.dataset_of(call) is not None else None
        first, get = self.method(of, "__init__"), self.method(of, "__getitem__")
        if first is None or get is None:
            return
        arrays = set()
        for one in (one for one in ast.walk(first) if isinstance(one, ast.Assign)):
            name, value = self.written(one.targets[0]), one.value
            if isinstance(value, ast.Call) and re.match(r"(numpy|torch)\.(load|fromfile|memmap|loadtxt|genfromtxt)$", self.full(value.func)):
                arrays.add(name)
                continue
            rows = value.elt if isinstance(value, ast.ListComp) and self.written(value.generators[0].iter) in arrays else None
            lists = isinstance(rows, ast.ListComp) or isinstance(rows, ast.Call) and (
                getattr(rows.func, "id", "") in ("list", "tuple") or getattr(rows.func, "attr", "") == "tolist")
            whole = value.func.value if isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "tolist" else None
            whole = whole is not None and (self.written(whole) in arrays or isinstance(whole, ast.Call) and self.full(whole.func) in (
                "numpy.load", "torch.load"))
            if (lists or whole) and name.startswith("self.") and re.search(
                    r"(tensor|array)\(%s\[" % re.escape(name), self.reader.written_whole(get)):
                self.mistake(one, "lists of numbers that each worker copies", name, other=call)

    def endless_copies(self):
        """for x, y in itertools.islice(itertools.cycle(loader), steps), of a loader that shuffles."""
        for call in self.calls if self.trains else ():
            of = call.args[0] if call.args and self.full(call.func) == "itertools.cycle" else None
            made = self.made_by(of, *LOADER) if of is not None else None
            if made is not None and self.true(made, "shuffle"):
                self.mistake(call, "a cycle that keeps each batch", self.written(of))

    # ---- what each step costs, and memory

    def weights_of_each_step(self):
        """for name, p in model.named_parameters(): writer.add_histogram(name, p, step), in each step of the training."""
        for call in self.calls:
            if getattr(call.func, "attr", "") != "add_histogram":
                continue
            loops = list(self.loops_around(call))
            at = next((n for n, loop in enumerate(loops) if self.steps_in(loop)), None)
            guarded = False
            for one in self.around(call):
                guarded = guarded or isinstance(one, (ast.If, ast.IfExp))
                if at is not None and one is loops[at]:
                    break
            innermost = at is not None and not any(isinstance(one, (ast.For, ast.While)) and one not in loops and self.steps_in(one)
                                                   for one in self.own(loops[at]))
            if innermost and not guarded and not self.says(r"set_detect_anomaly|debug"):
                self.mistake(call, "weights that each step copies to the host", other=loops[at])

    def small_share_of_memory(self):
        """torch.cuda.set_per_process_memory_fraction(0.05), before a training."""
        for call in self.calls if self.trains and not self.says(r"OutOfMemory|out of memory|\bOOM\b|\boom\b") else ():
            if self.full(call.func) in ("torch.cuda.set_per_process_memory_fraction", "torch.cuda.memory.set_per_process_memory_fraction"):
                share = self.said(call.args[0] if call.args else self.word(call, "fraction"))
                if isinstance(share, (int, float)) and 0 < share <= 0.05:
                    self.mistake(call, "a small share of the memory", "%g" % (100 * share))

    def shares_above_one(self):
        """torch.cuda.set_per_process_memory_fraction(float(config["memory_gb"])), which is 20."""
        for call in self.calls:
            if self.full(call.func) in ("torch.cuda.set_per_process_memory_fraction", "torch.cuda.memory.set_per_process_memory_fraction"):
                share = call.args[0] if call.args else self.word(call, "fraction")
                while isinstance(share, ast.Call) and getattr(share.func, "id", "") == "float" and len(share.args) == 1:
                    share = share.args[0]
                value = self.said(share)
                if isinstance(value, (int, float)) and not isinstance(value, bool) and not 0 <= value <= 1:
                    self.mistake(call, "a share of the memory above one", "%g" % value)

    def precisions_of_a_table(self):
        """torch.set_float32_matmul_precision({"fast": "tf32", "exact": "highest"}[kind])"""
        for call in self.calls:
            given = call.args[0] if call.args and self.full(call.func) == "torch.set_float32_matmul_precision" else None
            for one in self.origins.known(given) if given is not None else ():
                said = getattr(one, "value", None)
                if isinstance(one, ast.Constant) and one is not given and isinstance(said, str) and said and said not in (
                        "highest", "high", "medium"):
                    self.reader.mistake(call, "a precision that PyTorch doesn't know", said, doubted=True, other=one)
                    break

    # ---- torch.compile

    def compiled_again(self):
        """for step in …: torch.compiler.reset(); compiled = torch.compile(loss_fn); compiled(x).backward()"""
        for loop in self.loops:
            body = [one for statement in loop.body if not isinstance(statement, (ast.For, ast.While, ast.If)) for one in
                    self.tracing.own_calls(statement)]
            made = next((one for one in body if self.full(one.func) == "torch.compile"), None)
            reset = next((one for one in body if self.full(one.func) in RESETS), None)
            if made is not None and reset is not None and self.tracing.repeats(loop) and any(
                    getattr(one.func, "attr", "") in ("backward", "step") for one in body):
                self.mistake(made, "a function that each step compiles anew", self.written(reset), other=reset)

    def lengths_that_change(self):
        """torch.compile(net, dynamic=False), and length = random.randint(32, 512); x = torch.randn(16, length, 512)"""
        if self.says(r"mark_dynamic|bucket|recompile_limit|cache_size_limit|pad_to_multiple|max_length"):
            return
        fixed = next((call for call in self.calls if self.full(call.func) == "torch.compile" and self.said(
            self.word(call, "dynamic")) is False), None)
        if fixed is None:
            return
        padded = next((call for call in self.calls if self.full(call.func) == "torch.nn.utils.rnn.pad_sequence"), None)
        for loop in self.loops:
            drawn = {}
            for one in (one for one in loop.body if isinstance(one, ast.Assign)):
                if re.match(r"(int\()?(random|np\.random|numpy\.random|rng|torch)\.(randint|randrange|integers|choice)\(", self.written(one.value)):
                    drawn[self.written(one.targets[0])] = one
            for call in calls_in(loop.body) if drawn else ():
                if SHAPED.match(self.full(call.func)) or self.full(call.func) == "torch.randint":
                    used = next((name.id for a in call.args for name in ast.walk(a) if isinstance(name, ast.Name) and name.id in drawn), None)
                    if used:
                        return self.mistake(self.word(fixed, "dynamic"), "sizes that each compile again", used, other=drawn[used])
            if padded is not None and self.steps_in(loop):
                return self.mistake(self.word(fixed, "dynamic"), "sizes that each compile again", self.written(padded), other=padded)
        return None

    def numbers_that_change(self):
        """def forward(self, x): self.calls += 1, in a module under torch.compile, which compiles a number of a module as a constant."""
        if self.says(r"allow_unspec_int_on_nn_module|force_nn_module_property_static_shapes|dynamo\.disable|compiler\.disable|suppress_errors"):
            return
        made = [call.args[0] for call in self.calls if self.full(call.func) == "torch.compile" and call.args] + [
            call.func.value for call in self.calls if is_call(call, "compile") and not self.full(call.func)]
        waiting, seen = [self.class_of(one) for one in made], []
        for of in waiting:
            if of is None or of in seen:
                continue
            seen.append(of)
            waiting += [self.classes.get(getattr(call.func, "id", "")) for one in of.body if getattr(one, "name", "") == "__init__"
                        for call in calls_in(one.body)]
            changed = self.changed_number(of) or self.changed_from_outside(of)
            if changed is not None:
                return self.mistake(changed, "a number that each call compiles anew", self.written(changed), of.name)
        return None

    def changed_from_outside(self, of):
        """net.step = step, in a loop that counts on and calls what is compiled, of a number that forward() reads."""
        forward = self.method(of, "forward")
        reads = {one.attr for one in ast.walk(forward) if isinstance(one, ast.Attribute) and self.written(
            one.value) == "self"} if forward is not None else set()
        for loop in self.loops:
            counter = loop.target if isinstance(loop, ast.For) else None
            if isinstance(counter, ast.Tuple) and getattr(getattr(loop.iter, "func", None), "id", "") == "enumerate":
                counter = counter.elts[0]
            counts = isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") in ("range", "enumerate")
            grown = {one.target.id for one in ast.walk(loop) if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name) and
                     isinstance(one.value, ast.Constant) and type(one.value.value) is int}
            grown |= {counter.id} if counts and isinstance(counter, ast.Name) and any(is_call(call, "backward") for part in loop.body if not any(
                isinstance(inner, (ast.For, ast.While)) for inner in ast.walk(part)) for call in calls_in([part])) else set()
            for one in loop.body:
                target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
                if isinstance(target, ast.Attribute) and target.attr in reads and getattr(one.value, "id", "") in grown and \
                        type(self.first_of(of, target.attr)) is int and self.class_of(target.value) is of:
                    return one
        return None

    def first_of(self, of, name):
        """The number that __init__ of a class assigns to an attribute."""
        values = [one.value for one in ast.walk(of) if isinstance(one, ast.Assign) and self.written(one.targets[0]) == "self." + name]
        return self.said(values[0]) if len(values) == 1 else None

    def changed_number(self, of):
        """The statement in forward(), or in a method that it calls, that counts a number of the module on."""
        forward = self.method(of, "forward")
        called = [self.method(of, call.func.attr) for call in calls_in(forward.body) if self.written(call.func).startswith(
            "self.") and isinstance(call.func, ast.Attribute)] if forward is not None else []
        for method in [one for one in [forward] + called if one is not None and not one.decorator_list]:
            for one in ast.walk(method):
                target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
                if not isinstance(target, ast.Attribute) or self.written(target.value) != "self":
                    continue
                grows = isinstance(one, ast.AugAssign) and isinstance(one.op, (ast.Add, ast.Sub)) or isinstance(
                    one.value, ast.BinOp) and self.written(target) in (self.written(one.value.left), self.written(one.value.right))
                step = one.value if isinstance(one, ast.AugAssign) else one.value.right if grows else None
                first = [value for value in self.assigned.get(self.written(target), ()) if value is not getattr(one, "value", None)]
                if grows and isinstance(step, ast.Constant) and type(step.value) is int and first and all(
                        type(self.said(value)) is int for value in first) and self.origins.scope(one) is method:
                    return one
        return None

    def compiled_and_passed_by(self):
        """model = torch.compile(model); model.loss(x).backward(): what is compiled is forward(), and this method is not."""
        made = [call for call in self.calls if self.full(call.func) == "torch.compile" and call.args]
        if not made or not self.trains or self.says(r"(?<!torch)\.compile\(") or any(self.compiles(call.func) for call in self.calls):
            return
        for call in self.calls:
            compiled = self.compiles(call.func.value) if isinstance(call.func, ast.Attribute) else None
            of = self.classes.get(self.class_name(compiled.args[0])) if compiled is not None and compiled.args else None
            method = self.method(of, call.func.attr) if of is not None and call.func.attr != "forward" else None
            if method is None or method.decorator_list or not call.args and not call.keywords:
                continue
            runs = any(self.written(one.func) in ("self", "self.forward") or self.written(one.func).startswith("self.") and any(
                self.written(target) == self.written(one.func) for target in self.targets_of(of)) for one in calls_in(method.body))
            handed = any(self.compiles(given) is compiled for one in self.calls if one is not call and one is not compiled
                         for given in one.args + [k.value for k in one.keywords] if self.may_call(one))
            if runs and not handed:
                return self.mistake(compiled, "a compiled model that is passed by", self.written(call.func), other=call)
        return None

    def compiled_to_generate(self):
        """model = torch.compile(model); model.generate(**inputs), which calls the original model, token by token."""
        made = [call for call in self.calls if self.full(call.func) == "torch.compile" and call.args]
        if not made or self.says(r"(?<!torch)\.compile\(|cache_implementation|\.forward *=") or any(self.compiles(call.func) for call in self.calls):
            return
        for call in self.calls:
            compiled = self.compiles(call.func.value) if is_call(call, "generate") else None
            if compiled is None or not compiled.args or self.made_by(compiled.args[0], MODELS_FROM_THE_HUB) is None:
                continue
            if not any(self.compiles(given) is compiled for one in self.calls if one is not call and one is not compiled
                       for given in one.args + [k.value for k in one.keywords] if self.may_call(one)):
                return self.mistake(compiled, "a compiled model that is passed by", self.written(call.func), other=call)

    def compiles(self, node):
        """The call of torch.compile that a value comes from; None: another, or one that is not compiled."""
        named = isinstance(node, ast.Name) and node.id != "self" or isinstance(node, ast.Attribute) and node.attr in self.origins.attributes
        if not named or any(isinstance(one, (ast.FunctionDef, ast.Lambda)) for one in self.origins.of(node, True)):
            return None
        return next((one for one in self.origins.wrappers_of(node) if self.full(one.func) == "torch.compile"), None)

    def class_name(self, node):
        made = self.origins.made(node)
        return getattr(made.func, "id", "") if isinstance(made, ast.Call) else ""

    @staticmethod
    def targets_of(of):
        """What a class assigns to its object."""
        return [part for one in ast.walk(of) if isinstance(one, ast.Assign) for target in one.targets for part in ast.walk(target)
                if isinstance(part, ast.Attribute)]

    def may_call(self, call):
        """Whether a call of what the file does not hold may call the model that it is given."""
        name = self.full(call.func) or self.written(call.func)
        return not self.origins.functions_of(call.func) and not re.match(r"torch\.(save|optim|nn\.utils|compile)|print$|len$|sum$|isinstance$", name)

    def compiled_and_switched_off(self):
        """os.environ["TORCHDYNAMO_DISABLE"] = "1", or backend="eager", in a script that compiles to be fast."""
        made = [call for call in self.calls if self.full(call.func) == "torch.compile"] + [
            one for of in self.functions for one in of.decorator_list if self.full(one) == "torch.compile"]
        for one in self.nodes if made else ():
            if not isinstance(one, ast.Assign) or any(isinstance(by, (ast.If, ast.Try, ast.FunctionDef)) for by in self.around(one)):
                continue
            target, value = one.targets[0], self.said(one.value)
            variable = self.said(target.slice) if isinstance(target, ast.Subscript) and self.full(target.value) == "os.environ" else None
            off = variable in ("TORCHDYNAMO_DISABLE", "TORCH_COMPILE_DISABLE") and str(value) in ("1", "true", "True")
            if off or value is True and self.full(target) == "torch._dynamo.config.disable":
                again = [other for other in self.assigned.get(self.written(target), ()) if other is not one.value]
                if not again and not self.says(r"(pop|delenv)\(['\"]TORCH|del os\.environ"):
                    self.mistake(one, "a compiler that is switched off", other=made[0])
        if self.says(r"debug|explain\(|graph.?break|profil|perf_counter|time\.time|allclose|assert_close|backends?\b *(=|in) *[\[(]"):
            return
        for call in made if len(made) == 1 else ():
            backend = self.word(call, "backend") if isinstance(call, ast.Call) else None
            if self.said(backend) in ("eager", "aot_eager") and any(self.steps_in(loop) and (
                    self.rounds(loop) >= 100 or isinstance(loop, ast.For) and re.search(r"loader|epoch", self.written(loop.iter) + self.written(
                        loop.target))) for loop in self.loops):
                self.mistake(backend, "a backend that compiles nothing", self.written(backend), other=call)

    def decides(self, of):
        """Where a function branches by the values of its tensors: if x.mean() > 0"""
        given = of.args.args + of.args.kwonlyargs
        tensors = {one.arg for one in given if getattr(one.annotation, "id", "") not in SINGLE_NUMBERS} - {"self"}
        for one, default in zip(of.args.args[::-1], of.args.defaults[::-1]):
            if isinstance(default, ast.Constant):
                tensors.discard(one.arg)
        values = set()

        def has(node, names):
            return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))

        def is_value(node):
            for one in ast.walk(node):
                if isinstance(one, ast.Name) and one.id in values:
                    return True
                if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in REDUCES and not re.search(
                        r"\.(shape|size\(|ndim|dim\()", self.written(one)):
                    if self.full(one.func).startswith("torch.") and any(has(a, tensors) for a in one.args) or not self.full(
                            one.func) and has(one.func.value, tensors):
                        return True
            return False

        for one in sorted((one for one in self.own(of) if hasattr(one, "lineno")), key=lambda one: one.lineno):
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                if is_value(one.value) and not isinstance(one.value, ast.Compare) and self.is_one_number(one.value):
                    values.add(one.targets[0].id)
                elif has(one.value, tensors) and not re.search(r"\.(shape|size\(|ndim|dim\(|device|dtype)|len\(", self.written(one.value)):
                    tensors.add(one.targets[0].id)
            test = one.test if isinstance(one, (ast.If, ast.While, ast.IfExp)) else None
            if test is not None and is_value(test) and not any(isinstance(part, (ast.Is, ast.IsNot)) for part in ast.walk(test)) and not \
                    self.says(r"is_(tracing|compiling|scripting|in_onnx_export)\("):
                return test
        return None

    @staticmethod
    def is_one_number(node):
        """x.abs().amax() without a dimension"""
        while isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("float", "item", "abs", "sqrt"):
            node = node.func.value
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in REDUCES and not node.keywords and \
            (not node.args or isinstance(node.func.value, ast.Name) and len(node.args) == 1 and not isinstance(node.args[0], ast.Constant))

    def forward_of(self, node):
        """The function that is called for an expression: a function's name, or forward() of a module of the file."""
        if isinstance(node, ast.Name):
            of = [one for one in self.functions if one.name == node.id]
            if len(of) == 1:
                return of[0]
        return self.method(self.class_of(node), "forward")

    def branches_of_values(self):
        """@torch.compile(fullgraph=True) or torch.jit.trace of a function with `if x.sum() > 0:`."""
        found = [(one, of) for of in self.functions for one in of.decorator_list if isinstance(one, ast.Call)]
        found += [(call, self.forward_of(call.args[0])) for call in self.calls if call.args and self.full(call.func) in (
            "torch.compile", ) + TRACES]
        for call, of in found:
            name = self.full(call.func)
            whole = name == "torch.compile" and self.true(call, "fullgraph")
            if of is None or not whole and name not in TRACES:
                continue
            test = self.decides(of)
            if test is not None and whole:
                self.mistake(call, "a branch that a whole graph can't hold", self.written(test), other=test, doubted=False)
            elif test is not None:
                self.mistake(call, "a branch that a trace doesn't keep", self.written(test), other=test)

    # ---- what an example fixes

    def shape(self, node):
        """The sizes of a tensor or array that is made of numbers which stand there."""
        made = self.origins.made(node)
        if not isinstance(made, ast.Call) or not SHAPED.match(self.full(made.func)):
            return None
        given = made.args[0].elts if made.args and isinstance(made.args[0], (ast.Tuple, ast.List)) else [
            one for one in made.args if not isinstance(one, (ast.Name, ast.Attribute)) or type(self.said(one)) is int]
        sizes = [self.said(one) for one in given]
        return sizes if sizes and all(type(one) is int for one in sizes) else None

    def example(self, call):
        given = call.args[1] if len(call.args) > 1 else self.word(call, "args")
        given = self.origins.made(given) if given is not None else None
        return given.elts[0] if isinstance(given, ast.Tuple) and len(given.elts) == 1 else given

    def other_size(self, call, given):
        """The first of these whose sizes differ from those of the example."""
        fixed = self.shape(self.example(call)) if self.example(call) is not None else None
        for one in given:
            sizes = self.shape(one)
            if fixed and sizes and len(sizes) == len(fixed) and sizes != fixed:
                return one, fixed, sizes
        return None

    def fixed_by_its_example(self):
        """torch.export.export(model, (torch.randn(8, 128),)), and a call of it with 500 rows."""
        for call in self.calls:
            name, given = self.full(call.func), []
            if name not in ("torch.onnx.export", "torch.export.export") or self.word(call, "dynamic_axes", "dynamic_shapes", None) is not None:
                continue
            path = call.args[2] if len(call.args) > 2 else self.word(call, "f")
            if name == "torch.onnx.export" and path is not None:
                sessions = {self.bound_to(one) for one in self.calls if getattr(one.func, "attr", getattr(
                    one.func, "id", "")) == "InferenceSession" and one.args and self.written(one.args[0]) == self.written(path)} - {""}
                given = [(run, run.args[1].values) for run in self.calls if getattr(run.func, "attr", "") == "run" and self.written(
                    run.func.value) in sessions and len(run.args) > 1 and isinstance(run.args[1], ast.Dict)]
            elif name == "torch.export.export":
                program = self.bound_to(call)
                modules = {self.bound_to(one) for one in self.calls if program and self.written(one.func) == program + ".module"} - {""}
                given = [(one, one.args) for one in self.calls if self.written(one.func) in modules or program and self.written(
                    one.func) == program + ".module()"]
            for run, values in given:
                seen = self.other_size(call, values)
                if seen:
                    self.mistake(call, "a size that an example fixed", *("×".join(map(str, one)) for one in seen[1:]), other=run)
                    break

    def device_of_its_example(self):
        """torch.jit.trace(model.cuda(), …) of a forward with torch.arange(…, device=x.device), loaded to the CPU."""
        for call in self.calls:
            if self.full(call.func) != "torch.jit.trace" or len(call.args) < 2:
                continue
            # What the model and its example came from and went through, and what moves the model in place.
            ways = [one for arg in call.args for one in [arg] + self.origins.wrappers_of(arg) + self.origins.of(arg, True)]
            moves = [one for one in self.calls if getattr(one.func, "attr", "") == "to" and self.written(one.func.value) == self.written(
                call.args[0]) and self.origins.scope(one) is self.origins.scope(call)]
            to = [one for one in ways + moves if getattr(getattr(one, "func", None), "attr", "") == "to" and one.args]
            places = [place for one in to for place in self.origins.of(one.args[0])]
            on_gpu = re.search(r"\.cuda\(|['\"]cuda", " ".join(self.written(one) for one in ways + moves + places)) is not None
            if not on_gpu and any(not isinstance(self.said(one.args[0]), str) for one in to):
                continue  # to a device that is not known
            of, path = self.forward_of(call.args[0]), None
            inside = [of] + [part for whole in [self.parents.get(id(of))] if isinstance(whole, ast.ClassDef) for part in whole.body if re.search(
                r"self\.%s\(" % re.escape(getattr(part, "name", "")), self.reader.written_whole(of))] if of is not None else []
            made = [one for part in inside for one in ast.walk(part) if isinstance(one, ast.Call) and OF_DEVICE.match(self.full(one.func)) and re.search(
                r"\.device$", self.written(self.word(one, "device") or ast.Constant("")))]
            for save in self.calls:
                if getattr(save.func, "attr", "") == "save" and save.args and (
                        save.func.value is call or self.written(save.func.value) == self.bound_to(call) or self.full(save.func) == "torch.jit.save" and self.written(
                            save.args[0]) == self.bound_to(call)):
                    path = self.paths_of(save.args[-1])
            for load in self.calls if made and path else ():
                if self.full(load.func) == "torch.jit.load" and load.args and path & self.paths_of(load.args[0]) and self.place_of_load(
                        load).startswith("cpu" if on_gpu else "cuda"):
                    self.mistake(call, "a device that a trace keeps", self.written(made[0]), self.written(load), other=made[0])

    def paths_of(self, node):
        """How a path is written, here and where it comes from."""
        return {self.written(node)} | {self.written(one) for one in self.origins.known(node) if isinstance(one, ast.expr)}

    def place_of_load(self, load):
        """The device of torch.jit.load(path, map_location=…), or of the .to() that follows; "": not known."""
        where = self.word(load, "map_location") or (load.args[1] if len(load.args) > 1 else None)
        after = self.parents.get(id(self.parents.get(id(load))))
        if where is None and isinstance(after, ast.Call) and getattr(after.func, "value", None) is load:
            if after.func.attr == "cuda":
                return "cuda"
            where = self.given(after, 0, "device") if after.func.attr == "to" else None
        made = self.made_by(where, "torch.device", surely=True) if where is not None else None
        return str(self.said(made.args[0] if made is not None and made.args else where) or "")

    # ---- quantization and images

    def weights_of_eight_bits(self):
        """quantize_(model, Int8WeightOnlyConfig()), and a thousand calls of a model that nobody compiled."""
        for call in self.calls if not self.says(r"compile|save|aot|export") else ():
            if self.full(call.func).rsplit(".", 1)[-1] != "quantize_" or not self.full(call.func).startswith("torchao.") or len(call.args) < 2:
                continue
            kind = self.origins.made(call.args[1])
            name = self.full(kind.func).rsplit(".", 1)[-1] if isinstance(kind, ast.Call) else ""
            runs = next((one for one in self.calls if self.written(one.func) in (
                self.written(call.args[0]), self.written(call.args[0]) + ".generate") and (
                    any(self.rounds(loop) >= 100 or isinstance(loop, ast.For) and self.says(r"loader") for loop in self.loops_around(one)))), None)
            if name in ("Int8WeightOnlyConfig", "int8_weight_only") and runs is not None:
                self.mistake(call, "weights of eight bits that nothing compiles", other=runs)

    def encoded_on_the_gpu(self):
        """decode_jpeg(read_file(path).cuda(), device="cuda"): the encoded bytes stay on the CPU."""
        for call in self.calls:
            name = self.full(call.func)
            if not re.match(r"torchvision\.io\.(image\.)?decode_(jpeg|image|png|webp|gif)$", name) or not call.args:
                continue
            of = self.value_of(call.args[0])
            if re.search(r"\.(cuda\(|to\(['\"]cuda)", self.written(of)):
                self.mistake(of, "encoded bytes on the GPU", self.written(call), other=call, doubted=False)
