"""Mistakes of scripts that run in several processes, one for each GPU: seeds, samplers, collectives, and what one process
alone should write; for the reader of scripts."""

DIST = "torch.distributed."
# A test, a function or a path with one of these in it tells the processes apart.
TELLS_RANKS = re.compile(r"rank|(?<![a-z])(main|master|primary|chief|leader|coordinator)(?![a-z])|global_zero|pid\b|uuid|\blocal\b|"
                         r"(gpu|device|local|proc|process|node|index|idx|id)\w*(\(\))? *[!=]= *['\"]?(cuda:)?0", re.I)
# What a file that asks for the process's number says somewhere: a test, a filter, or a library's helper.
TELLS_APART = r"rank\w*(\(\)|['\"]\])? *([!=]=|[<>]|in\b|%)|(if|not|and|or) (\w+\.)*\w*rank|is_\w*(main|master|chief|zero|first|primary)|process_index|world_size *= *1\b"
NAMED_DDP = re.compile(r"(self\.)?(ddp(_(model|net|module))?|\w+_ddp)$")
SEEDS_ALIKE = ("numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.seed", "random.Random", "random.seed",
          "torch.manual_seed")
MULTIPLIED_BY = ("torch.matmul", "torch.mm", "torch.einsum", "torch.cdist", "torch.nn.functional.cosine_similarity")
ON_THE_GPU = re.compile(r"\.cuda\(\)|['\"]cuda['\"]|cuda:|\.cuda\(\w*rank")

PROCESSES = ("multiprocessing.Process", "torch.multiprocessing.Process")
POOLS_OF_PROCESSES = ("multiprocessing.Pool", "torch.multiprocessing.Pool", "concurrent.futures.ProcessPoolExecutor",
                      "multiprocessing.pool.Pool", "concurrent.futures.process.ProcessPoolExecutor")
DISTRIBUTED_SAMPLERS = ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler")

# What may give a process a GPU of its own, as it is written.
CHOOSES_A_GPU = (r"set_device|VISIBLE_DEVICES|cuda:|device_ids?\b|cuda\.device\(|prepare\(|\.cuda\( *(?!non_blocking|memory_format|\))\w|"
                 r"\.to\([^()\n]*(rank|gpu|idx|index|local)|device\([^\n]*(rank|gpu|idx|['\"] *,)|get_device|current_device|fabric|"
                 r"\w*(dev|gpu)\w* *= *[^=\n]*(rank|gpu|idx|index|\bid\b)")
SCHEDULES_OF_RATES = re.compile(r"torch\.optim\.lr_scheduler\.[A-Z]\w+$|transformers\.(optimization\.)?get_(\w+_)?schedule\w*$")
TRAINERS_THAT_WRAP = re.compile(r"transformers\.(\w+\.)*(Seq2Seq)?Trainer$|trl\.(\w+\.)*(SFT|DPO|Reward|KTO|ORPO)Trainer$")
OF_THE_FIRST_GPU = ("processes that all take the first GPU", "DistributedDataParallel of a model on the first GPU",
                    "DistributedDataParallel of each process on one GPU", "objects that all send from one GPU")


COUNTS_CORES = re.compile(r"(torch\.)?multiprocessing\.cpu_count$|os\.(process_)?cpu_count$")
STARTS_PROCESSES = ("torch.multiprocessing.spawn", "torch.multiprocessing.spawn.spawn", "torch.multiprocessing.start_processes")


class Ranks(Steps):
    def look(self, nodes):
        if self.begins(nodes, r"[dD]istributed|multiprocessing|local_rank|ddp|__getitem__|lightning|accelerate|num_proc|num_workers|ProcessPool"):
            self.seeded_in_each_item()
            self.whole_for_each_process()
            self.one_gpu_of_all()
            self.saved_by_all()
            self.written_by_all()
            self.metric_of_one()
            self.gathered_without_gradient()
            self.through_the_host()
            self.number_given_twice()
            self.one_gpu_of_all_spawned()
            self.group_of_members()
            self.sums_of_gradients()
            self.not_waited_for()
            self.option_of_a_launcher()
            self.reduced_for_one()
            self.both_send_first()
            self.split_apart()
            self.meeting_point()
            self.number_of_nobody()
            self.stream_for_each_process()
            self.reduced_each_time()
            self.forward_before_no_sync()
            self.unused_that_are_used()
            self.padded_last_batch()
            self.logged_by_each()
            self.lists_of_collectives()
            self.results_of_collectives()
            self.left_by_one()
            self.several_devices_of_one_process()
            self.nothing_to_average()
            self.orders_of_their_own()
            self.one_rank_for_all()
            self.processes_of_cores()
            self.batches_left_on_the_cpu()
            self.share_of_all()
            self.kept_by_prepare_data()
            self.mapped_in_processes()
            self.transformed_on_the_gpu()
            self.sent_by_each()
            self.schedule_of_one()
            self.validated_by_one()
            self.wrapped_for_a_trainer()

    # ---- what the rules ask

    def begins(self, nodes, about):
        """Whether the file is about this; sorts its calls by what they call."""
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"torch", "accelerate", "lightning", "pytorch_lightning", "deepspeed", "datasets"} & roots or not self.says(about):
            return False
        index = self.tracing.index
        self.nodes, self.outer, self.assigned, self.by_name = nodes, index.parents, index.assigned, {}
        self.functions, self.classes, self.loops = index.functions, index.classes, index.loops
        for call in index.calls:
            self.by_name.setdefault(self.full(call.func), []).append(call)
        return True

    def calls_of(self, *names):
        return [call for name in names for call in self.by_name.get(name, ())]

    def collectives(self, *names):
        return [call for full, calls in self.by_name.items() if full.startswith(DIST) and full.rsplit(".", 1)[-1] in names
                for call in calls]

    def names_of(self, *names):
        """The names that what these calls give is assigned to."""
        return {name for name, values in self.assigned.items() for value in values if self.made_by(
            value, *names, surely=True)} if self.calls_of(*names) else set()

    def around(self, node):
        """(what stands around it, its part), from the inside to the file."""
        while id(node) in self.outer:
            yield self.outer[id(node)], node
            node = self.outer[id(node)]

    def function_around(self, node):
        return next((of for of, _ in self.around(node) if isinstance(of, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module))), None)

    def tells(self, node):
        """Whether an expression, or what one of its names was assigned, tells the processes apart."""
        names = [one for one in ast.walk(node) if isinstance(one, (ast.Name, ast.Attribute))]
        return any(TELLS_RANKS.search(self.written(one)) for one in [node] + [
            value for name in names for value in self.assigned.get(self.written(name), ())])

    def for_some(self, node):
        """Whether a question for the rank, or for a flag, stands around it or gives back before it."""
        for of, part in self.around(node):
            test = of.test if isinstance(of, (ast.If, ast.IfExp, ast.While)) else of if isinstance(of, ast.BoolOp) else None
            if test is not None and (self.tells(test) or isinstance(test, (ast.Name, ast.Attribute))):
                return True
            for before in getattr(of, "body", None) if isinstance(getattr(of, "body", None), list) else ():
                if before is part:
                    break
                if isinstance(before, ast.If) and isinstance(before.body[-1], (
                        ast.Return, ast.Continue, ast.Raise)) and self.tells(before.test):
                    return True
            if isinstance(of, ast.FunctionDef):
                said = of.name + " ".join(self.written(one) for one in of.decorator_list)
                if re.search(r"rank|(on|is|only|if|for|from)_(main|master|first)|main_process|zero", said) or any(
                        self.runs_in_one(one) for one in of.decorator_list):
                    return True
        return False

    def called_for_some(self, function):
        return any(self.for_some(call) for calls in self.by_name.values() for call in calls if getattr(
            call.func, "attr", getattr(call.func, "id", "")) == getattr(function, "name", None))

    def all_meet_in(self, function):
        """Whether all processes come through this function, or through the file's own statements."""
        return any(self.function_around(call) is function and not self.for_some(call) for call in self.collectives(
            "init_process_group", "barrier", *MEETINGS))

    def holds_backward(self, node):
        return any(getattr(call.func, "attr", "") == "backward" for call in calls_in([node]))

    def iterated(self, loop):
        """The names that a loop goes through: loader, for enumerate(tqdm(loader))."""
        return {self.written(one) for one in ast.walk(loop.iter) if isinstance(one, (ast.Name, ast.Attribute))} if isinstance(
            loop, ast.For) else set()

    def has_ddp(self):
        return self.calls_of(*DDP_OF_TORCH)

    # ---- seeds and data

    def seeded_in_each_item(self):
        """def __getitem__(self, index): rng = numpy.random.default_rng(0)"""
        for method in (one for one in self.functions if one.name == "__getitem__"):
            for call in calls_in(method.body):
                of = call.func.value if isinstance(call.func, ast.Attribute) else None
                generator = getattr(call.func, "attr", "") == "manual_seed" and isinstance(of, ast.Call) and self.full(
                    of.func) == "torch.Generator"
                seed = call.args[0] if len(call.args) == 1 else self.word(call, "seed")
                if (generator or self.full(call.func) in SEEDS_ALIKE) and type(getattr(seed, "value", None)) is int and not any(
                        isinstance(one, (ast.If, ast.IfExp)) for one, _ in self.around(call)):
                    self.mistake(call, "a seed of every item")

    def whole_for_each_process(self):
        """loader = DataLoader(data, shuffle=True), beside DistributedDataParallel."""
        if not self.has_ddp() or self.says(
                r"[sS]ampler\(|sampler *=|prepare\(|shard|split_\w*by|rank\w*(\(\))? *::|% *(self\.|args\.)?(world|n_?proc)|"
                r"num_replicas|seed\w*\([^)\n]*rank|(//?=?|\*) *(\w+\.)*(world|get_world|n_?proc|n_?gpus|num_gpus)|Subset\("):
            return
        streams = {of.name for of in self.classes if any("IterableDataset" in self.written(base) for base in of.bases)}
        trained = {id(one) for loop in self.loops if isinstance(loop, ast.For) and self.holds_backward(loop) for name in ast.walk(
            loop.iter) if isinstance(name, (ast.Name, ast.Attribute)) for one in self.origins.of(name)}
        for value in self.calls_of("torch.utils.data.DataLoader"):
            shuffles = value.args and self.said(self.given(value, 2, "shuffle")) is True
            data = self.value_of(value.args[0]) if shuffles else value
            if shuffles and id(value) in trained and not self.tells(data) and self.word(value, "batch_sampler", "sampler") is None and \
                    getattr(getattr(data, "func", None), "id", "") not in streams:
                self.mistake(value, "all samples in each process", other=self.has_ddp()[0])

    def split_apart(self):
        """random_split(data, lengths), in processes that nothing seeds."""
        if not self.calls_of(DIST + "init_process_group") and not self.says(r"DistributedSampler\(") or self.says(
                r"manual_seed|seed_everything|set_seed|seed_all|init_seed|fix_seed|random_seed|broadcast_object"):
            return
        for call in self.calls_of("torch.utils.data.random_split", "torch.utils.data.dataset.random_split"):
            if self.given(call, 2, "generator") is None and not self.for_some(call):
                self.mistake(call, "a split of each process")

    def stream_for_each_process(self):
        """class Stream(IterableDataset): __iter__ asks for its worker, and not for its process."""
        if not self.calls_of(DIST + "init_process_group") or self.says(r"split_\w*by|shard|dispatch_batches|prepare\("):
            return
        for of in self.classes:
            iterate = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__iter__"), None)
            if iterate is None or not any("IterableDataset" in self.written(base) for base in of.bases):
                continue
            worker = next((call for call in calls_in(iterate.body) if self.full(call.func).endswith(".get_worker_info")), None)
            if worker is None or re.search(r"rank|world|replica|node|proc|rand|shuffle|seed", self.reader.written_whole(of)):
                continue
            uses = [one for one in ast.walk(iterate) if isinstance(one, ast.Assign) and re.search(
                r"start|first|begin|offset|stride|step|lo$|index", self.written(one.targets[0]))]
            self.mistake(uses[-1] if uses else worker, "a stream that each process reads whole", of.name, other=worker)

    # ---- GPUs and launches

    def one_gpu_of_all(self):
        """dist.init_process_group("nccl"); model = DDP(net.cuda()), where nothing chooses a GPU."""
        group = next(iter(self.calls_of(DIST + "init_process_group")), None)
        if any(e.get("name") == "DistributedDataParallel of a model on the first GPU" for e in self.reader.events):
            return None
        if group is not None and not self.chooses_gpu(group):
            for call in self.has_ddp():
                if self.given(call, 1, "device_ids") is None and not any(k.arg is None for k in call.keywords) and self.on_current_gpu(
                        self.given(call, 0, "module")):
                    return self.mistake(call, "processes that all take the first GPU", other=group)
        if group is None or self.says(
                r"set_device|VISIBLE_DEVICES|cuda:|device_ids|device_id\b|gloo|mpi|cuda\.device\(|prepare\(|world_size *= *1\b|"
                r"\.cuda\( *(?!non_blocking|memory_format)\w|\.to\([^()\n]*(rank|gpu)|device\([^\n]*(rank|gpu|['\"] *,)"):
            return
        if not self.says(r"LOCAL_RANK|local_rank"):
            return  # DistributedDataParallel says so itself
        for call in self.has_ddp():
            of = self.value_of(call.args[0]) if call.args else call
            if ON_THE_GPU.search(self.written(of)) or isinstance(of, ast.Name) and ON_THE_GPU.search(self.reader.text):
                return self.mistake(call, "processes that all take the first GPU", other=group)

    def chooses_gpu(self, group):
        """Whether a process may have a GPU of its own as its current one, or the group is none of NCCL's."""
        given = [self.said(one) for one in (self.given(group, 0, "backend"), self.word(group, "world_size")) if one is not None]
        named = any(isinstance(one, ast.Constant) and isinstance(one.value, str) and "VISIBLE_DEVICES" in one.value and len(
            one.value) < 40 for one in self.nodes)
        return named or bool({"gloo", "mpi", 1} & set(given)) or self.word(group, "device_id") is not None or any(
            getattr(call.func, "attr", getattr(call.func, "id", "")) in OWN_GPU + ("prepare", "prepare_model") or self.full(
                call.func) == "torch.cuda.device" for call in self.tracing.index.calls)

    def on_current_gpu(self, model):
        """Whether a model is moved to "cuda" without a number, and to nothing else."""
        moves = [one for one in self.origins.wrappers_of(model) if is_call(one, "to") or is_call(one, "cuda")] if model is not None else []
        return bool(moves) and all(self.is_current(self.given(one, 0, "device"), is_call(one, "cuda")) for one in moves)

    def is_current(self, where, without):
        """Whether a device is "cuda" or torch.device("cuda"), also where a condition chooses between that and the CPU."""
        if where is None:
            return without
        values = self.origins.of(where)
        return bool(values) and all(isinstance(one, ast.Constant) and one.value in ("cuda", "cpu") or isinstance(
            one, ast.Call) and self.full(one.func) == "torch.device" and len(one.args) == 1 and not one.keywords and self.is_current(
                one.args[0], False) for one in values) and not all(isinstance(one, ast.Constant) and one.value == "cpu" for one in values)

    def through_the_host(self):
        """dist.init_process_group("gloo"), and DistributedDataParallel of a model on the GPU."""
        if self.says(r"nccl|platform|is_available\(\)|os\.name|backend *= *(\w+\.)*(args|config|cfg|opt)|ucc|mpi"):
            return
        for call in self.calls_of(DIST + "init_process_group"):
            backend = self.value_of(self.given(call, 0, "backend"))
            for ddp in self.has_ddp() if getattr(backend, "value", None) == "gloo" else ():
                ids = self.given(ddp, 1, "device_ids")
                if ON_THE_GPU.search(self.written(ddp)) or isinstance(ids, ast.List) and ids.elts:
                    return self.mistake(call, "gradients that go through the host", other=ddp)

    def one_gpu_of_all_spawned(self):
        """mp.spawn(worker, nprocs=torch.cuda.device_count()), of a worker that says x.cuda() and chooses no GPU."""
        if not self.says(r"cuda\.device_count\(") or self.says(CHOOSES_A_GPU) or any(
                e.get("name") in OF_THE_FIRST_GPU for e in self.reader.events):
            return
        for call in self.calls_of("torch.multiprocessing.spawn", "torch.multiprocessing.spawn.spawn", "torch.multiprocessing.start_processes"):
            count = self.value_of(self.given(call, 2, "nprocs"))
            for worker in self.origins.functions_of(self.given(call, 0, "fn")):
                if not isinstance(worker, ast.FunctionDef) or not worker.args.args or "cuda.device_count()" not in self.written(count):
                    continue
                calls = list(self.reached(worker, 20, classes=False))
                rank = worker.args.args[0].arg
                # A function of another file that is given the rank may choose the GPU.
                if any(not self.full(one.func).startswith("torch.") and getattr(one.func, "id", "") not in ("print", "str", "int", "float", "len", "range", "open") and
                       not any(isinstance(of, ast.FunctionDef) for of in self.origins.functions_of(one.func)) and any(
                           getattr(part, "id", "") == rank for part in one.args + [k.value for k in one.keywords]) for one in calls):
                    continue
                moves = [one for one in calls if (is_call(one, "cuda") or is_call(one, "to") and one.args or self.word(
                    one, "device") is not None) and self.is_current(self.given(one, 0, "device") if isinstance(
                        one.func, ast.Attribute) and one.func.attr in ("to", "cuda") else self.word(one, "device"), is_call(one, "cuda"))]
                if moves:
                    first = min(moves, key=lambda one: one.lineno)
                    return self.mistake(first, "spawned processes that all take the first GPU", self.written(call.func), other=call)

    def number_given_twice(self):
        """mp.spawn(worker, args=(0, world_size)), of a worker(rank, world_size)."""
        for call in self.calls_of("torch.multiprocessing.spawn"):
            worker = self.given(call, 0, "fn")
            inner = [one for one in self.origins.functions_of(worker) if isinstance(one, ast.Lambda) or any(isinstance(
                of, ast.FunctionDef) for of in self.origins.around(one)) and isinstance(worker, ast.Name) and isinstance(one, ast.FunctionDef)]
            if worker is not None and (inner or isinstance(worker, ast.Lambda)) and not self.says(r"start_method=['\"]fork"):
                self.mistake(worker, "a function that no new process can be handed", "fn", other=call, doubted=False)
            name, given = self.given(call, 0, "fn"), self.value_of(self.given(call, 1, "args"))
            found = [one for one in self.functions if one.name == getattr(name, "id", None)]
            hidden, made = 0, self.value_of(name) if name is not None else None
            of = self.origins.functions_of(made.func) if isinstance(made, ast.Call) else self.origins.functions_of(
                name.value) if isinstance(name, ast.Attribute) else []
            if isinstance(name, ast.Attribute) and isinstance(self.value_of(name.value), ast.Call):
                of = self.origins.functions_of(self.value_of(name.value).func)  # spawn(runner.run), or of an object that is called
            if not found and len(of) == 1 and isinstance(of[0], ast.ClassDef):
                called, hidden = name.attr if isinstance(name, ast.Attribute) else "__call__", 1
                found = [one for one in of[0].body if getattr(one, "name", "") == called and not one.decorator_list]
            if len(found) != 1 or not isinstance(given, ast.Tuple) or any(isinstance(one, ast.Starred) for one in given.elts):
                continue
            takes = found[0].args
            gets = len(given.elts) + 1 + hidden
            if gets < len(takes.args) - len(takes.defaults):
                self.mistake(call, "a worker that is given too little", "%s(%s)" % (found[0].name, self.written(takes)),
                             "%d" % (gets - hidden), other=given, doubted=False)
            if takes.vararg is None and gets > len(takes.args):
                self.mistake(call, "a worker that is given too much", "%s(%s)" % (found[0].name, self.written(takes)),
                             "%d" % (len(given.elts) + 1), other=given, doubted=False)

    def meeting_point(self):
        """mp.spawn(worker, …), whose init_process_group() finds no MASTER_ADDR."""
        spawned = {self.written(call.args[0]) for call in self.calls_of("torch.multiprocessing.spawn") if call.args}
        if not spawned or self.says(r"MASTER_|init_method|FileStore|TCPStore|HashStore|environ\.update|load_dotenv|rendezvous"):
            return
        spawned |= {self.written(call.func) for of in self.functions if of.name in spawned for call in calls_in(of.body)}
        for call in self.calls_of(DIST + "init_process_group"):
            if getattr(self.function_around(call), "name", None) in spawned and self.word(call, "store") is None and self.given(call, 1, "init_method") is None and self.given(call, 4, "rank") is not None and all(k.arg for k in call.keywords):
                self.mistake(call, "processes without a meeting point")

    def number_of_nobody(self):
        """mp.spawn(worker, …), whose init_process_group("nccl") is told neither its number nor how many there are."""
        spawned = {self.written(call.args[0]) for call in self.calls_of("torch.multiprocessing.spawn") if call.args}
        if not spawned or self.says(r"['\"](RANK|WORLD_SIZE)\b|\b(RANK|WORLD_SIZE)\s*=|environ\.update|load_dotenv|putenv|['\"](mpi|ucc)['\"]|torchrun|rendezvous"):
            return
        called = {self.written(call.func) for call in self.tracing.index.calls}
        roots = {name for name in spawned if name not in called}  # one that is also called may be started by a launcher
        roots |= {self.written(call.func) for of in self.functions if of.name in roots for call in calls_in(of.body)}
        for call in self.calls_of(DIST + "init_process_group"):
            told = [self.given(call, at, name) is not None for at, name in ((3, "world_size"), (4, "rank"))]
            if getattr(self.function_around(call), "name", None) in roots and not all(told) and all(k.arg for k in call.keywords) and not any(
                    isinstance(one, ast.Starred) for one in call.args):
                missing = " nor ".join(name for name, here in zip(("world_size", "rank"), told) if not here)
                self.mistake(call, "processes without a number", ("neither " if not any(told) else "no ") + missing, doubted=False)

    def option_of_a_launcher(self):
        """parser.add_argument("--local_rank", required=True), which torchrun does not pass."""
        options = [one for one in self.nodes if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "add_argument" and any(
            getattr(flag, "value", None) == "--local_rank" for flag in one.args)]
        if self.says(r"deepspeed|--local-rank|subprocess|parse_known_args|use[-_]env"):
            return
        if options and self.says(r"-m +torch\.distributed\.launch\b") and not self.reader.pinned_for("torch"):
            self.mistake(options[0], "a local rank that the launcher spells otherwise", other=None)
        if self.says(r"LOCAL_RANK|distributed\.launch"):
            return
        # Started by torchrun, the process knows its number and not which GPU is its own.
        by_variables = [call for call in self.calls_of(DIST + "init_process_group") if self.given(call, 2, "world_size") is None and self.given(
            call, 3, "rank") is None and str(self.said(self.given(call, 1, "init_method"), "env://")) == "env://"]
        names = {name_of_option(one) for one in options}
        sets = any(isinstance(one, ast.Attribute) and one.attr in names and not isinstance(one.ctx, ast.Load) for one in self.nodes)
        if by_variables and self.has_ddp() and not sets and not self.says(r"spawn|Process\(|SLURM|OMPI_|mpirun|set_defaults|setattr\(|device_count\(\) *[)\]]* *$|% *torch\.cuda"):
            for call in options:
                default = self.said(self.word(call, "default"))
                if type(default) is int and default >= 0:
                    self.mistake(call, "a local rank that torchrun does not pass", other=by_variables[0])
        for call in (one for one in self.nodes if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "add_argument"):
            if call.args and getattr(call.args[0], "value", None) == "--local_rank" and getattr(
                    self.word(call, "required"), "value", None) is True:
                self.reader.mistake(call, "a local rank that torchrun does not pass", self.written(call), doubted=True)

    # ---- what one process is to write

    def saved_by_all(self):
        """torch.save(state, "last.pt"); dist.barrier(): all processes write one file."""
        alike = self.has_ddp() and self.calls_of(DIST + "init_process_group") and not self.says(TELLS_APART) or self.says(
            r"accelerator\.prepare\(") and self.says(r"wait_for_everyone|num_processes|accelerator\.gather") and not self.says(TELLS_APART)
        for call in self.calls_of("torch.save"):
            path, function = self.given(call, 1, "f"), self.function_around(call)
            if path is not None and not self.tells(path) and not re.search(
                    r"BytesIO|[tT]emp", self.written(self.value_of(path))) and (alike or self.all_meet_in(function)) and not self.for_some(call) and \
                    not self.called_for_some(function) and not TELLS_RANKS.search(self.written(call)) and not any(
                        isinstance(of, ast.With) for of, _ in self.around(call)) and not self.says(r"world_size *= *1\b"):
                self.mistake(call, "a file that all processes write", self.written(path))

    def written_by_all(self):
        """self.writer = SummaryWriter(folder), in each process."""
        writers = [call for full, calls in self.by_name.items() for call in calls if re.search(r"\.SummaryWriter$", full)]
        for call in writers:
            function = self.function_around(call)
            near = next((of for of, _ in self.around(call) if isinstance(of, ast.ClassDef)), None)
            meets = self.all_meet_in(function) or near is not None and any(
                self.all_meet_in(one) and not self.called_for_some(one) for one in near.body if isinstance(one, ast.FunctionDef))
            given = [one for one in call.args] + [k.value for k in call.keywords]
            if meets and not any(self.tells(one) for one in given) and not self.called_for_some(near or function) and not any(
                    isinstance(of, (ast.If, ast.IfExp, ast.BoolOp)) for of, _ in self.around(call)) and not self.for_some(call):
                self.mistake(call, "a log that all processes write")

    def metric_of_one(self):
        """if dist.get_rank() == 0: print(correct / total), which are those of one process's part."""
        if self.says(r"reduce|gather|torchmetrics|\.sync\b|broadcast|DataLoader\(") and not self.says(
                r"shuffle=False[^\n]*Sampler\(|Sampler\([^\n]*shuffle=False"):
            return
        for of in self.functions:
            text = self.reader.written_whole(of)
            validates = re.search(r"eval|valid|test", of.name) or any("no_grad" in self.written(one) or "inference" in self.written(
                one) for one in of.decorator_list)
            if not validates or re.search(r"reduce|gather|backward", text):
                continue
            counted = {self.written(target) for loop in ast.walk(of) if isinstance(loop, ast.For) for one in ast.walk(loop) if isinstance(
                one, ast.AugAssign) and isinstance(one.op, ast.Add) for target in [one.target] if re.search(
                    r"sum\(|argmax|eq\(|numel|len\(|size\(", self.written(one.value))}
            for one in (one for one in of.body if self.is_for_one(one) and "get_rank" in self.written(one.test)):
                for call in calls_in(one.body):
                    used = {self.written(inner) for inner in ast.walk(call) if isinstance(inner, (ast.Name, ast.Subscript))}
                    if getattr(call.func, "id", getattr(call.func, "attr", "")) in ("print", "info", "log", "add_scalar") and \
                            len(used & counted) >= 2:
                        self.mistake(call, "a metric of one process's part", other=one.test)

    def logged_by_each(self):
        """self.log("val_loss", loss) in validation_step, beside Trainer(devices=4)."""
        trainer = next((call for full, calls in self.by_name.items() if re.match(r"(pytorch_)?lightning\.(\w+\.)*Trainer$", full)
                        for call in calls if self.spreads(call)), None)
        for of in self.functions if trainer is not None and not self.says(r"sync_dist|torchmetrics|all_gather|all_reduce") else ():
            if of.name not in ("validation_step", "test_step"):
                continue
            for call in calls_in(of.body):
                if self.written(call.func) == "self.log" and len(call.args) > 1 and not any(k.arg is None for k in call.keywords) and \
                        re.search(r"loss|acc|score|error|mse|mae", self.written(call.args[0])) and not self.written(
                            call.args[1]).startswith("self."):
                    self.mistake(call, "a metric that the processes don't share", other=trainer)

    def spreads(self, trainer):
        devices = getattr(self.word(trainer, "devices"), "value", None)
        strategy = getattr(self.word(trainer, "strategy"), "value", None)
        return type(devices) is int and devices > 1 or isinstance(strategy, str) and devices not in (1, "1") and re.match(
            r"ddp|fsdp|deepspeed", strategy) is not None

    def padded_last_batch(self):
        """accelerator.gather((predictions, labels)), which counts the samples twice that fill the last batch."""
        if self.says(r"gather_for_metrics|even_batches|\[ *: *(len\(|\w*(total|num|n_)|-)|\.repeat\(|samples_seen|remainder"):
            return
        gathers = {}
        for call in self.nodes:
            if isinstance(call, ast.Call) and re.match(r"(\w+\.)*accelerator\.gather$", self.written(call.func)) and len(call.args) == 1:
                loop = next((of for of, _ in self.around(call) if isinstance(of, ast.For)), None)
                made = self.made_by(loop.iter, "torch.utils.data.DataLoader") if loop is not None else None
                drops = self.word(made, "drop_last") is not None if made is not None else self.says(r"drop_last")
                if loop is not None and not self.holds_backward(loop) and not drops:
                    gathers.setdefault(id(loop), []).append(call)
        for calls in gathers.values():
            said = " ".join(self.written(one) for call in calls for one in (call.args[0], self.value_of(call.args[0])))
            if re.search(r"label|target|ref|\by\b", said) and re.search(r"pred|argmax|logit|output", said) and re.search(
                    r"no_grad|inference_mode|\.eval\(\)", self.reader.written_whole(self.function_around(calls[0]))):
                self.mistake(calls[0], "samples that are gathered twice")

    def one_comes_to(self, node):
        """The test that lets the first process alone come to a node, in its function or where that is called."""
        test, of = self.for_one_alone(node), self.function_around(node)
        if test is not None or not isinstance(of, ast.FunctionDef):
            return test
        tests = [self.for_one_alone(site.call) for site in self.origins.sites(of)]
        return tests[0] if tests and all(one is not None for one in tests) else None

    def schedule_of_one(self):
        """if rank == 0: scheduler.step(), where each process steps its optimizer."""
        if self.says(r"broadcast") or not self.has_ddp() and not self.calls_of(DIST + "init_process_group"):
            return
        steps = [call for call in self.nodes if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "step" and self.made_by(
            call.func.value, SCHEDULES_OF_RATES) is not None]
        tests = [self.one_comes_to(call) for call in steps]
        backward = [call for call in self.nodes if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "backward"]
        if steps and all(test is not None for test in tests) and any(self.one_comes_to(call) is None for call in backward):
            self.mistake(steps[0], "a schedule that one process follows", self.written(tests[0]), other=tests[0])

    def validated_by_one(self):
        """if rank == 0: for x, y in test_loader: …, of a loader with a DistributedSampler: the parts of the others are left out."""
        if self.says(r"reduce|gather|broadcast|torchmetrics") or not self.calls_of(*DISTRIBUTED_SAMPLERS):
            return
        for loop in self.loops:
            if not isinstance(loop, ast.For) or self.holds_backward(loop):
                continue
            adds = any(isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) and re.search(
                r"sum\(|argmax|eq\(|numel|size\(|loss|correct", self.written(one.value)) for one in ast.walk(loop))
            over = loop.iter
            while isinstance(over, ast.Call) and over.args and getattr(over.func, "id", getattr(over.func, "attr", "")) in ("enumerate", "tqdm"):
                over = over.args[0]
            loader = self.made_by(over, "torch.utils.data.DataLoader", surely=True) if adds else None
            given = self.word(loader, "sampler") if loader is not None else None
            sampler = self.made_by(given, *DISTRIBUTED_SAMPLERS, surely=True) if given is not None else None
            test = self.one_comes_to(loop) if sampler is not None and self.given(sampler, 1, "num_replicas") is None else None
            if test is not None:
                self.mistake(loop.iter, "a validation of one process's part", self.written(test), other=given)

    def wrapped_for_a_trainer(self):
        """Trainer(model=DistributedDataParallel(model)), which wraps the model itself and reads what its forward() takes."""
        for full, calls in self.by_name.items():
            for call in calls if TRAINERS_THAT_WRAP.match(full) else ():
                model = self.given(call, 0, "model")
                wrapper = self.made_by(model, *DDP_OF_TORCH, surely=True) if model is not None else None
                if wrapper is not None:
                    self.mistake(wrapper, "a wrapper around what a trainer wraps", self.written(call.func), other=call)

    def share_of_all(self):
        """correct / len(loader.dataset), of the samples that a DistributedSampler gave to this process."""
        for one in self.nodes if self.says(r"DistributedSampler\(") else ():
            if not isinstance(one, ast.BinOp) or not isinstance(one.op, (ast.Div, ast.Mult)):
                continue
            length = next((inner for inner in ast.walk(one.right) if isinstance(inner, ast.Call) and getattr(
                inner.func, "id", "") == "len" and len(inner.args) == 1 and isinstance(
                inner.args[0], ast.Attribute) and inner.args[0].attr == "dataset"), None) if isinstance(one.op, ast.Div) else None
            loaders = self.origins.of(length.args[0].value) if length is not None else []
            function = self.function_around(one)
            # The number of processes that only begins them or shares out the data is no sign that anything is summed.
            shared = (r"reduce|gather|synchron|sync_|broadcast|[*/%][^\n]*(world|replicas)|(world|replicas)[^\n]*[*/%]|= *[\w.]+\([^\n]*(world|replicas)|"
                      r"(?m:^ *(?![\w.]*world)[\w., ]+ *= [^\n]*(world_size|replicas))|return [^\n]*(world|replicas)")
            if not loaders or not all(self.full(loader) == "torch.utils.data.DataLoader" or isinstance(loader, ast.Call) and self.full(
                    loader.func) == "torch.utils.data.DataLoader" for loader in loaders) or not isinstance(function, ast.FunctionDef):
                continue
            by = [self.made_by(self.word(loader, "sampler"), *DISTRIBUTED_SAMPLERS, surely=True) for loader in loaders]
            near = self.near(function) + "".join(self.reader.written_whole(self.function_around(site.call))
                                                 for site in self.origins.sites(function))
            summed = {self.written(of.target) for of in ast.walk(function) if isinstance(of, ast.AugAssign)}
            counts = any(self.written(of) in summed for of in ast.walk(one.left)) or re.search(r"\bsum\(", self.written(
                self.value_of(one.left)) + self.written(one.left) + "".join(self.written(self.value_of(of)) for of in ast.walk(
                    one.left) if isinstance(of, ast.Name)))
            near = re.sub(r"\w*Sampler\([^()]*\)|init_process_group\([^()]*\)|def \w+\([^()\n]*\)|dist\.get_world_size\(\) > 1", "", near)
            if counts and all(by) and not re.search(shared, near) and not re.search(
                    r"^[\d.]+$|len\(", self.written(one.left)):
                self.mistake(one, "a share of all samples by one process's part", self.written(length), other=loaders[0])

    def kept_by_prepare_data(self):
        """def prepare_data(self): self.data = load(), which Lightning calls in one process of each node."""
        trainer = next((call for full, calls in self.by_name.items() if re.match(r"(pytorch_)?lightning\.(\w+\.)*Trainer$", full)
                        for call in calls if self.spreads(call)), None)
        for of in self.classes if trainer is not None and not self.says(r"\.prepare_data\(\)") else ():
            if not any(re.search(r"Lightning(Data)?Module$", self.written(base)) for base in of.bases):
                continue
            methods = {one.name: one for one in of.body if isinstance(one, ast.FunctionDef)}
            kept, elsewhere, read = {}, set(), set()
            for name, method in methods.items():
                for one in ast.walk(method):
                    if not isinstance(one, ast.Attribute) or self.written(one.value) != "self":
                        continue
                    by = self.outer.get(id(one))
                    empty = isinstance(by, ast.Assign) and isinstance(by.value, ast.Constant)
                    if isinstance(one.ctx, ast.Store) and name == "prepare_data" and not empty:
                        kept.setdefault(one.attr, one)
                    elif isinstance(one.ctx, ast.Store) and not empty:
                        elsewhere.add(one.attr)
                    elif name != "prepare_data":
                        read.add(one.attr)
            for name, one in kept.items():
                if name in read - elsewhere and not re.search(r"hasattr|getattr", self.reader.written_whole(of)):
                    self.mistake(one, "data that one process keeps", self.written(one), other=trainer)

    # ---- other processes that use the GPU

    def mapped_in_processes(self):
        """dataset.map(embed, num_proc=4) or pool.map(embed, parts), of a function that uses the GPU, which the script uses before."""
        for call in self.tracing.index.calls if not self.says(r"spawn|forkserver|mp_context") else ():
            function = None
            if getattr(call.func, "attr", "") in ("map", "filter"):
                count = self.said(self.word(call, "num_proc"))
                function = self.given(call, 0, "function") if type(count) is int and count > 1 else None
            if function is None and isinstance(call.func, ast.Attribute) and re.match(
                    r"(map|starmap|imap|imap_unordered|map_async|apply|apply_async|submit)$", call.func.attr):
                function = self.given(call, 0, "func") if self.made_by(call.func.value, *POOLS_OF_PROCESSES) is not None else None
            if self.full(call.func) in PROCESSES and not any(e.get("name") == "a forked process that uses CUDA" for e in self.reader.events):
                function = self.given(call, 1, "target")
            for of in self.origins.functions_of(function) if function is not None else ():
                inner = {id(one) for one in ast.walk(of)}
                uses = [one for one in self.tracing.index.calls if self.begins_cuda(one)]
                outside = [one for one in uses if id(one) not in inner and one.lineno < call.lineno and not any(isinstance(
                    by, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.If)) and "__name__" not in self.written(getattr(by, "test", by)) and not any(
                        inside is call for inside in ast.walk(by)) for by in self.origins.around(one))]
                if outside and any(id(one) in inner for one in uses):
                    self.mistake(call, "a forked process that uses CUDA", self.written(call), other=outside[0])

    def begins_cuda(self, call):
        """Whether a call moves something to a GPU, or makes it there."""
        to = call.args[0] if getattr(call.func, "attr", "") == "to" and len(call.args) == 1 else self.word(call, "device")
        return is_call(call, "cuda") and isinstance(call.func, ast.Attribute) or to is not None and bool(self.origins.known(to)) and all(
            str(self.said(one)).startswith("cuda") or isinstance(one, ast.Call) and self.full(one.func) == "torch.device" and one.args and str(
                self.said(one.args[0])).startswith("cuda") for one in self.origins.known(to))

    def transformed_on_the_gpu(self):
        """CIFAR10(root, transform=Compose([ToTensor(), ToGPU()])), whose items the workers of a DataLoader make."""
        for loader in self.calls_of("torch.utils.data.DataLoader") if not self.says(r"spawn|forkserver|multiprocessing_context") else ():
            count = self.said(self.given(loader, 5, "num_workers"))
            data = self.value_of(self.given(loader, 0, "dataset")) if type(count) is int and count > 0 else None
            given = self.word(data, "transform") if isinstance(data, ast.Call) and re.match(
                r"torchvision\.datasets\.\w+$", self.full(data.func)) else None
            steps = []
            for one in self.origins.known(given) if given is not None else ():
                inside = self.value_of(one.args[0]) if isinstance(one, ast.Call) and self.full(one.func).endswith(".Compose") and one.args else None
                steps += inside.elts if isinstance(inside, ast.List) else [one]
            for step in steps:
                if isinstance(step, ast.Call) and self.full(step.func).endswith("transforms.Lambda") and step.args:
                    step = step.args[0]
                made = step.func if isinstance(step, ast.Call) else step
                for of in self.origins.functions_of(made) or ([made] if isinstance(made, ast.Lambda) else []):
                    move = next((one for one in self.tracing.index.calls if self.begins_cuda(one) and any(one is inner for inner in ast.walk(of))), None)
                    if move is not None:
                        self.mistake(move, "a DataLoader whose workers use CUDA", other=loader)

    # ---- collectives

    def sent_by_each(self):
        """dist.broadcast(weights, src=dist.get_rank()): each process names itself as the one that sends."""
        for call in self.whole("broadcast", "broadcast_object_list", "scatter"):
            src = self.given(call, *((2, "src") if self.full(call.func).endswith("scatter") else (1, "src")))
            values = self.origins.of(src) if src is not None else []
            if values and all(re.search(r"get_rank\(\)$|(environ(\.get\(|\[)|getenv\()['\"]RANK['\"]", self.written(one)) for one in values) and not \
                    self.for_some(call):
                self.mistake(call, "a sender that each process names anew", self.written(src))

    def whole(self, *names):
        """Calls of torch.distributed's own functions, without those of torch.distributed.nn, which give tensors."""
        return [call for call in self.collectives(*names) if re.match(
            r"torch\.distributed\.(distributed_c10d\.)?\w+$", self.full(call.func))]

    def lists_of_collectives(self):
        """dist.all_gather([zeros] * world, x), which is one tensor many times, and a list for gather() in all processes."""
        for call in self.whole("all_gather", "gather"):
            given = self.given(call, *((0, "tensor_list") if self.full(call.func).endswith("all_gather") else (1, "gather_list")))
            for one in self.origins.known(given) if given is not None else ():
                of = None
                if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult):
                    of = next((side.elts[0] for side in (one.left, one.right) if isinstance(side, ast.List) and len(side.elts) == 1), None)
                elif isinstance(one, ast.ListComp) and isinstance(one.elt, ast.Name) and one.elt.id not in {
                        name.id for inner in one.generators for name in ast.walk(inner.target) if isinstance(name, ast.Name)}:
                    of = one.elt
                made = self.value_of(of) if of is not None else None
                if isinstance(made, ast.Call) and re.search(r"(^|\.)(zeros|empty|ones)(_like)?$|\.(clone|new_zeros|new_empty)$", self.written(
                        made.func)):
                    self.mistake(one, "one tensor in all places of a list", self.written(one), self.written(call.func), other=call,
                                 doubted=False)
                    break
        for call in self.whole("gather", "gather_object"):
            given = self.given(call, 1, "gather_list" if self.full(call.func).endswith("gather") else "object_gather_list")
            values = self.origins.of(given) if given is not None else []
            lists = bool(values) and all(isinstance(one, (ast.ListComp, ast.List)) or isinstance(one, ast.BinOp) and isinstance(
                one.left, ast.List) for one in values)
            if lists and not self.for_some(call) and not self.called_for_some(self.function_around(call)) and not any(
                    self.for_some(one) for one in values) and self.word(call, "group") is None and not self.says(r"world_size *= *1\b"):
                self.mistake(call, "a list that one process alone may give", self.written(given))

    def results_of_collectives(self):
        """loss = dist.all_reduce(loss): the tensor is changed in place, and there is no result."""
        for call in self.whole("all_reduce", "broadcast", "reduce", "all_gather", "scatter"):
            by, tensor = self.outer.get(id(call)), self.written(call.args[0]) if call.args else ""
            if self.word(call, "async_op") is not None or len(call.args) > 3 or any(k.arg is None for k in call.keywords):
                continue
            to = self.written(by.targets[0]) if isinstance(by, ast.Assign) and len(by.targets) == 1 else ""
            later = [one for one in ast.walk(self.function_around(call)) if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(
                one.ctx, ast.Load) and one.lineno > call.lineno and self.written(one) == to] if to else []
            used = [self.outer.get(id(one)) for one in later]
            if isinstance(by, ast.BinOp) or isinstance(by, ast.Attribute) and by.attr != "wait" or later and (
                    to == tensor or any(isinstance(one, ast.BinOp) or isinstance(one, ast.Attribute) and one.attr in READS_NUMBERS
                                        for one in used)):
                self.mistake(call, "a collective's result that is None", tensor, doubted=False)

    def left_by_one(self):
        """if rank == 0 and stopper(loss): break, while the others go on to their next backward pass."""
        for one in self.nodes if self.has_ddp() or self.of_fsdp_calls() else ():
            if not isinstance(one, ast.Break):
                continue
            loop = next(of for of, _ in self.around(one) if isinstance(of, (ast.For, ast.While, ast.AsyncFor)))
            test = self.for_one_alone(one)
            inside = test is not None and any(test is inner for inner in ast.walk(loop))
            if inside and re.search(r"\.backward\(", self.near(loop)) and not self.says(r"world_size *== *1|\bJoin\("):
                self.mistake(one, "a loop that one process leaves", self.written(test), other=test)

    def of_fsdp_calls(self):
        return self.calls_of(*FSDP1)

    def gathered_without_gradient(self):
        """dist.all_gather(parts, texts); logits = images @ torch.cat(parts).t(): no gradient comes back."""
        for call in self.collectives("all_gather", "all_gather_into_tensor"):
            of = self.function_around(call)
            text = self.reader.written_whole(of)
            parts, own = (self.written(one) for one in call.args[:2]) if len(call.args) > 1 else ("", "")
            if not isinstance(of, ast.FunctionDef) or not re.match(r"\w+$", parts) or re.search(
                    r"no_grad|inference_mode|detach|autograd|distributed\.nn|\b%s\[.*\] *=|requires_grad" % re.escape(parts), text):
                continue
            product = self.product_of_gathered(call, of)
            if product is not None:
                self.mistake(call, "a gathered tensor that gives no gradient", own, other=product)
                continue
            names = {parts} | {one.targets[0].id for one in ast.walk(of) if isinstance(one, ast.Assign) and isinstance(
                one.targets[0], ast.Name) and re.search(r"(cat|concat|stack)\(.*\b%s\b" % re.escape(parts), self.written(one.value))}
            for one in ast.walk(of):
                terms = [one.left, one.right] if isinstance(one, ast.BinOp) and isinstance(
                    one.op, ast.MatMult) else one.args if isinstance(one, ast.Call) and self.full(one.func) in MULTIPLIED_BY else []
                if any(isinstance(name, ast.Name) and name.id in names for term in terms for name in ast.walk(term)) and re.search(
                        r"cross_entropy|loss|logsumexp|log_softmax|criterion", text):
                    self.mistake(call, "a gathered tensor that gives no gradient", own, other=one)
                    break

    def product_of_gathered(self, call, of):
        """logits = gather(a) @ gather(b).t(), where gather() returns what all_gather filled: no gradient comes back."""
        parts = self.written(call.args[0]) if call.args else ""
        gives = [one for one in ast.walk(of) if isinstance(one, ast.Return) and one.value is not None]
        if len(gives) != 1 or not re.match(r"torch\.(cat|concat|stack|vstack)\(\(?%s\b" % re.escape(parts), self.written(gives[0].value)):
            return None
        for site in self.origins.sites(of):
            near = self.function_around(site.call)
            text = self.reader.written_whole(near)
            product = next((one for one in self.origins.around(site.call) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.MatMult)), None)
            if product is not None and re.search(r"\.backward\(", text) and re.search(r"cross_entropy|logsumexp|log_softmax|criterion", text) and not \
                    re.search(r"no_grad|inference_mode|detach", text):
                return product
        return None

    def group_of_members(self):
        """if rank in members: group = dist.new_group(members), which all processes must call."""
        for call in self.collectives("new_group", "new_subgroups", "new_subgroups_by_enumeration"):
            test = next((of.test for of, part in self.around(call) if isinstance(of, ast.If) and part in of.body and not of.orelse and
                         re.search(r"(?<![a-z])rank(?![a-z_])", self.written(of.test))), None)
            if test is not None and self.word(call, "use_local_synchronization") is None and not re.search(
                    r"is None|initialized|world_size", self.written(test)):
                self.mistake(call, "a group that its members alone make", other=test, doubted=False)

    def sums_of_gradients(self):
        """dist.all_reduce(p.grad), and nothing divides."""
        if self.says(r"\bAVG\b|PREMUL|(/=?|div_?\(|mul_?\(|\*) *[\w.]*\(?\w*(world|size|gpus|procs|ranks|workers|replicas)|world\w*(\(\))? *\*"):
            return
        for call in self.collectives("all_reduce"):
            if re.search(r" /=? |div_?\(|mul_?\(", self.near(self.function_around(call) or call)) or re.search(
                    r"(div_?|mul_?)\(|\.grad\b[^\n]*/|/=", "".join(self.near(site.call) for site in self.origins.sites(self.function_around(
                        call)) if isinstance(self.function_around(call), ast.FunctionDef))):
                continue
            of = self.given(call, 0, "tensor")
            kind = self.given(call, 1, "op")
            if of is not None and re.search(r"\.grad(\.data)?$", self.written(of)) and (
                    kind is None or self.written(kind).endswith("ReduceOp.SUM")) and self.says(r"\.step\("):
                self.mistake(call, "gradients that are added up")

    def not_waited_for(self):
        """work = dist.all_reduce(flat, async_op=True), and nothing waits for it."""
        waits = r"\.wait\(|synchronize|is_completed|get_future|wait_stream|_coalesc|\.result\("
        anywhere = self.says(waits)
        for call in self.collectives(*MEETINGS):
            of = self.function_around(call)
            if anywhere and (not isinstance(of, ast.FunctionDef) or re.search(waits, self.near(of)) or not isinstance(
                    self.outer[id(call)], (ast.Expr, ast.Assign)) or isinstance(self.origins.scope(of), ast.ClassDef)):
                continue
            tensor = call.args[-1] if call.args else None
            returns = isinstance(self.outer[id(call)], ast.Return) or any(
                isinstance(one, ast.Return) and one.value is not None for one in ast.walk(of))
            used = any(isinstance(one, ast.Name) and one.lineno > call.lineno and self.written(tensor) == one.id for one in ast.walk(of))
            held = any(isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Attribute) or isinstance(part, ast.Call) and
                       self.written(part).startswith("self.") for part, _ in self.around(call))
            if getattr(self.word(call, "async_op"), "value", None) is True and (used or not returns) and (used or not held):
                self.mistake(call, "a collective that nobody waits for")

    def reduced_for_one(self):
        """dist.reduce(loss, dst=0); scheduler.step(loss.item()): the others have their own."""
        for call in self.collectives("reduce"):
            of, name = self.given(call, 0, "tensor"), self.function_around(call)
            if not isinstance(of, ast.Name) or self.for_some(call) or "broadcast" in self.reader.written_whole(name):
                continue
            for one in ast.walk(name):
                used = any(getattr(inner, "id", None) == of.id for inner in ast.walk(one))
                steps = isinstance(one, ast.Call) and re.search(r"sched\w*\.step$|stopp?\w*$|backward$", self.written(one.func))
                if steps and used and one.lineno > call.lineno and not self.for_some(one):
                    self.mistake(call, "a sum that one process has", of.id, other=one)
                    break

    def both_send_first(self):
        """peer = 1 - rank; dist.send(mine, peer); dist.recv(theirs, peer)"""
        receives = self.collectives("recv")
        for call in self.collectives("send") if receives else ():
            peer = self.value_of(self.given(call, 1, "dst")) if len(call.args) > 1 or call.keywords else call
            if not re.search(r"rank\w*(\(\))? *(\^ *1|\+ *1\)? *% )|1 - \w*rank", self.written(peer)) or self.for_some(call):
                continue
            function = self.function_around(call)
            later = next((one for one in receives if self.function_around(one) is function and one.lineno > call.lineno), None)
            first = any(self.function_around(one) is function and one.lineno < call.lineno for one in receives)
            if later is not None and not first and not self.for_some(later):
                self.mistake(call, "two processes that both send first", self.written(later), other=later, doubted=False)

    # ---- DistributedDataParallel

    def reduced_each_time(self):
        """loss = loss / parts; loss.backward(), and a step for each few batches: no_sync() is missing."""
        if self.says(r"no_sync|require_backward_grad_sync|requires_gradient_sync|\.accumulate\(|set_requires_gradient|_hook\("):
            return
        wrapped = self.names_of(*DDP_OF_TORCH) | {one.arg for of in self.functions for one in of.args.args if NAMED_DDP.match(one.arg)}
        for loop in (one for one in self.loops if wrapped and isinstance(one, ast.For)):
            inner = {id(one) for other in ast.walk(loop) if other is not loop and isinstance(other, ast.For) for one in ast.walk(other)}
            own = [one for part in loop.body for one in ast.walk(part) if isinstance(one, ast.Call) and id(one) not in inner]
            runs = next((one for one in own if self.written(one.func) in wrapped), None)
            back = next((one for one in own if getattr(one.func, "attr", "") == "backward"), None)
            steps = [one for one in own if self.written(one.func).endswith(("optimizer.step", "optim.step", "opt.step", "scaler.step"))]
            body = getattr(self.function_around(loop), "body", [])
            behind = any(self.written(call.func).endswith(("optimizer.step", "optim.step", "opt.step")) for part in
                         body[body.index(loop) + 1:] for call in calls_in([part])) if loop in body else False
            parts = re.search(r"micro|accum|parts|chunk", self.written(loop.iter) + self.written(loop.target))
            if runs is not None and back is not None and not steps and behind and parts:
                self.mistake(runs, "gradients that are averaged for each part", other=back)

    def forward_before_no_sync(self):
        """loss = f(model(x)); with model.no_sync(): loss.backward(): what the pass forward saw decides."""
        for block in (one for one in self.nodes if isinstance(one, ast.With)) if self.says(r"no_sync\(") else ():
            of = self.function_around(block)
            for item in block.items:
                said = self.written(item.context_expr)
                if isinstance(item.context_expr, ast.Name):
                    said = "; ".join(self.written(one.value) for one in ast.walk(of) if isinstance(one, ast.Assign) and
                                     self.written(one.targets[0]) == said) if of is not None else ""
                model = re.search(r"([\w.]+)\.no_sync\(", said)
                within = list(calls_in(block.body))
                if not model or not any(getattr(one.func, "attr", "") == "backward" for one in within) or any(
                        model.group(1) in self.written(one) for one in within):
                    continue
                runs = [one for one in calls_in(of.body if of is not None else []) if self.written(one.func) == model.group(1) and
                        one.lineno < block.lineno and not any(isinstance(part, ast.Lambda) for part in self.origins.around(one))]
                before = runs[-1] if runs else self.forward_of_loss(within, block)
                if before is not None:
                    self.mistake(block, "a pass forward outside of no_sync", self.written(before), other=before)

    def forward_of_loss(self, within, block):
        """The pass forward whose loss was computed before a block that only calls loss.backward(), in another function; None: not known."""
        if len(re.findall(r"no_sync\(", self.reader.text)) != 1 or any(getattr(one.func, "attr", "") not in (
                "backward", "scale", "item", "detach") for one in within):
            return None
        made = {name.id for part in block.body for name in ast.walk(part) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        of = next(one for one in within if one.func.attr == "backward")
        waiting, seen = [(name, 6) for name in ast.walk(of.func.value) if isinstance(name, ast.Name) and name.id not in made], set()
        while waiting:
            node, deepest = waiting.pop()
            for one in self.origins.known(node):
                if id(one) in seen or isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                    continue
                seen.add(id(one))
                for part in ast.walk(one):
                    if isinstance(part, ast.Call) and self.made_by(part.func, *DDP_OF_TORCH) is not None:
                        return part
                    if isinstance(part, ast.Name) and deepest:
                        waiting.append((part, deepest - 1))
        return None

    def several_devices_of_one_process(self):
        """DistributedDataParallel(model, device_ids=list(range(torch.cuda.device_count())))"""
        for call in self.has_ddp():
            ids = self.given(call, 1, "device_ids")
            values = self.origins.of(ids) if ids is not None else []
            many = [one for one in values if isinstance(one, (ast.List, ast.Tuple)) and len(one.elts) > 1 and not any(
                isinstance(part, ast.Starred) for part in one.elts)]
            every = [one for one in values if isinstance(one, (ast.Call, ast.ListComp)) and re.match(
                r"(list\(|\[\w+ for \w+ in )?range\((torch\.cuda\.)?device_count\(\)", self.written(one))]
            every += [one for one in values if self.part_of_all_gpus(one)]
            if values and len(many + every) == len(values):
                self.mistake(call, "several GPUs of one process", self.written(ids), doubted=not many)

    def is_product_of(self, node, part):
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and part is not None and self.written(part) in (
            self.written(node.left), self.written(node.right))

    def part_of_all_gpus(self, ids):
        """list(range(rank * n, (rank + 1) * n)), where n = device_count() // args.processes, of which the default is 1."""
        over = ids.args[0] if isinstance(ids, ast.Call) and getattr(ids.func, "id", "") == "list" and len(ids.args) == 1 else ids.generators[
            0].iter if isinstance(ids, ast.ListComp) and len(ids.generators) == 1 and self.written(ids.elt) == self.written(
                ids.generators[0].target) and not ids.generators[0].ifs else None
        if not isinstance(over, ast.Call) or getattr(over.func, "id", "") != "range" or len(over.args) != 2:
            return False
        first, last = over.args
        step = next((one for one in (first.left, first.right) if self.is_product_of(last, one)), None) if self.is_product_of(
            first, getattr(first, "right", None)) else None
        made = self.value_of(step) if step is not None else None
        return isinstance(made, ast.BinOp) and isinstance(made.op, ast.FloorDiv) and self.full(getattr(
            made.left, "func", made.left)) == "torch.cuda.device_count" and self.said(made.right) == 1

    def nothing_to_average(self):
        """for p in teacher.parameters(): p.requires_grad = False; teacher = DDP(teacher)"""
        if self.says(r"requires_grad *= *True|requires_grad_\((True)?\)|get_peft_model|LoraConfig|unfreeze"):
            return
        for call in self.has_ddp():
            model = self.given(call, 0, "module")
            made = {id(one) for one in self.origins.of(model, True) if isinstance(one, ast.Call)} if model is not None else set()
            if len(made) != 1:
                continue
            for one in self.nodes:
                frozen, at = None, one
                if isinstance(one, ast.For) and is_call(one.iter, "parameters") and len(one.body) == 1:
                    text = self.reader.written_whole(one.body[0])
                    frozen = one.iter.func.value if re.match(
                        r"\w+\.requires_grad(_\(False\)| = False)$", text.strip()) else None
                elif is_call(one, "requires_grad_") and isinstance(one.func, ast.Attribute) and self.said(self.given(one, 0, "requires_grad")) is False:
                    frozen = one.func.value
                of = self.function_around(one) if frozen is not None else None
                if of is None or {id(v) for v in self.origins.of(frozen, True)} != made or isinstance(self.outer.get(id(one)), ast.If):
                    continue
                sites = [site.call for site in self.origins.sites(of)] if isinstance(of, ast.FunctionDef) else []
                here = of is self.function_around(call)
                stored = any(re.match(r"%s\.\w" % re.escape(self.written(frozen)), name) for name in self.assigned)
                if not stored and (here and one.lineno < call.lineno or len(sites) == 1 and self.function_around(
                        sites[0]) is self.function_around(call) and sites[0].lineno <= call.lineno):
                    self.mistake(call, "nothing that DistributedDataParallel could average", self.written(model), other=at)
                    break

    def orders_of_their_own(self):
        """DistributedSampler(data, seed=seed + rank): each process takes its part of another order."""
        for call in self.calls_of(*DISTRIBUTED_SAMPLERS):
            seed = self.word(call, "seed")
            names = [one for one in ast.walk(seed) if isinstance(one, (ast.Name, ast.Attribute, ast.Call))] if seed is not None else []
            own = [one for name in names for one in [name] + self.origins.known(name)]
            if any(RANK_ITSELF.search(self.written(one)) or re.search(r"(^|[._])local_rank$", self.written(one)) or any(
                    RANK_ITSELF.search(self.written(part)) for part in ast.walk(one) if isinstance(one, ast.BinOp)) for one in own):
                self.mistake(seed, "an order of each process's own", "seed=" + self.written(seed), other=call)

    def one_rank_for_all(self):
        """DistributedSampler(data, rank=0, num_replicas=world), or init_process_group(rank=0, world_size=world) in what spawn() starts."""
        for call in self.calls_of(*DISTRIBUTED_SAMPLERS):
            rank, many = self.given(call, 2, "rank"), self.given(call, 1, "num_replicas")
            if type(self.said(rank)) is int and isinstance(rank, ast.Constant) and many is not None and self.said(many) != 1 and not self.for_some(call):
                self.mistake(rank, "a part that all processes take", self.written(call.func), "rank=" + self.written(rank), other=call)
        spawned = [of for call in self.calls_of("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes") if call.args
                   for of in self.origins.functions_of(call.args[0]) if isinstance(of, ast.FunctionDef)]
        for of in spawned:
            for call in self.reached(of, 2, False):
                rank = self.given(call, 4, "rank") if self.full(call.func) == DIST + "init_process_group" else None
                if isinstance(rank, ast.Constant) and type(rank.value) is int and self.said(self.given(call, 3, "world_size")) != 1 and not self.for_some(call):
                    self.mistake(rank, "a rank that all processes have", "rank=" + self.written(rank), other=call)

    def processes_of_cores(self):
        """mp.spawn(worker, nprocs=mp.cpu_count()), of a worker that takes the GPU of its rank: there are more cores than GPUs."""
        starts = [(call, self.given(call, 2, "nprocs"), self.given(call, 0, "fn")) for call in self.calls_of(*STARTS_PROCESSES)]
        for call in self.calls_of(*PROCESSES):  # for rank in range(cores): Process(target=worker, args=(rank, cores))
            loop = next((of for of, _ in self.around(call) if isinstance(of, (ast.For, ast.ListComp))), None)
            through = loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter if loop is not None else None
            if getattr(getattr(through, "func", None), "id", "") == "range" and len(through.args) == 1:
                starts.append((call, through.args[0], self.word(call, "target")))
        for call, count, worker in starts:
            made = self.origins.of(count) if count is not None else []
            if not made or not all(isinstance(one, ast.Call) and COUNTS_CORES.match(self.full(one.func)) for one in made):
                continue
            for of in self.origins.functions_of(worker):
                took = next((one for one in self.reached(of, 3) if self.takes_gpu_of_rank(one)), None) if isinstance(of, ast.FunctionDef) else None
                if took is not None:
                    self.mistake(made[0], "a process for each core", self.written(took), other=took)
                    return

    def takes_gpu_of_rank(self, call):
        """net.to(rank), net.cuda(local_rank), torch.cuda.set_device(rank), torch.device(f"cuda:{rank}")"""
        name = self.full(call.func)
        if name == "torch.device":
            return len(call.args) > 0 and re.match(r"f?['\"]cuda(:\{\w*rank\}['\"]|:['\"] \+ str\(\w*rank\)|['\"], \w*rank|:%d['\"] % \w*rank|:\{\}['\"]\.format\(\w*rank\))$", ", ".join(
                map(self.written, call.args))) is not None
        if name != "torch.cuda.set_device" and not is_call(call, "to") and not is_call(call, "cuda"):
            return False
        where = self.given(call, 0, "device")
        return where is not None and re.match(r"(\w*rank|f['\"]cuda:\{\w*rank\}['\"])$", self.written(where)) is not None

    def batches_left_on_the_cpu(self):
        """net = DDP(Net().to(rank)); for x, y in loader: net(x), without device_ids, so that the wrapper moves nothing."""
        if self.says(r"set_default_device|set_default_tensor_type|prefetch"):
            return
        for call in self.has_ddp():
            bound = self.outer.get(id(call))
            if len(call.args) != 1 or any(k.arg in ("device_ids", None) for k in call.keywords) or not isinstance(bound, ast.Assign) or not isinstance(bound.targets[0], ast.Name):
                continue
            moves = [one for one in self.origins.wrappers_of(call.args[0]) if self.takes_gpu_of_rank(one)]
            made = [one for one in self.origins.known(call.args[0], True) if isinstance(one, ast.Call)]
            plain = made and all(self.keeps_places(one.func) for one in made)
            if not moves or not plain:
                continue
            name, scope = bound.targets[0].id, self.origins.scope(call)
            for loop in self.loops:
                if not isinstance(loop, ast.For) or self.origins.scope(loop) is not scope or not self.on_the_cpu(loop.iter):
                    continue
                for use in calls_in(loop.body):
                    given = use.args[0] if self.written(use.func) == name and len(use.args) == 1 and not use.keywords else None
                    if isinstance(given, ast.Name) and self.is_of_batch(given, loop):
                        self.mistake(use, "a batch that its wrapper does not move", given.id, self.written(moves[0]), other=moves[0])
                        return

    def keeps_places(self, func):
        """Whether a model is a layer of PyTorch's, or a class of the file that moves nothing itself."""
        own = self.origins.functions_of(func)
        return all(not re.search(r"\.cuda\(|\.to\(|device", self.reader.written_whole(of)) for of in own) if own else re.match(
            r"torch\.nn\.[A-Z]|torchvision\.models\.", self.full(func)) is not None

    def on_the_cpu(self, data):
        """Whether a loop goes through a DataLoader, or a list of tensors, that the file makes without a word of a device."""
        if isinstance(data, ast.Call) and getattr(data.func, "id", "") in ("enumerate", "tqdm") and data.args:
            data = data.args[0]
        made = self.origins.of(data)
        return bool(made) and all(self.is_plain_data(one, 4) for one in made)

    def is_plain_data(self, one, deepest):
        if isinstance(one, ast.ListComp):
            one = one.elt
        if isinstance(one, (ast.List, ast.Tuple)):
            return bool(one.elts) and deepest > 0 and all(self.is_plain_data(part, deepest - 1) for part in one.elts)
        if isinstance(one, ast.BinOp):
            return deepest > 0 and any(self.is_plain_data(part, deepest - 1) for part in (one.left, one.right))
        if isinstance(one, ast.Name):
            made = self.origins.of(one)
            return deepest > 0 and bool(made) and all(self.is_plain_data(part, deepest - 1) for part in made if part is not one) and made != [one]
        if not isinstance(one, ast.Call) or re.search(r"cuda|device|collate_fn", self.reader.written_whole(one)):
            return False
        name = self.full(one.func)
        if name in ("torch.utils.data.DataLoader", "torch.utils.data.TensorDataset"):
            return deepest > 0 and bool(one.args) and self.is_plain_data(one.args[0], deepest - 1)
        own = self.origins.functions_of(one.func)
        return all(isinstance(of, ast.ClassDef) and not re.search(r"cuda|device|\.to\(", self.reader.written_whole(of)) for of in own) if own else re.match(
            r"torch\.(randn?|randint|zeros|ones|arange)$|torchvision\.datasets\.[A-Z]", name) is not None

    def is_of_batch(self, given, loop):
        """Whether a name is bound by the loop alone, or by unpacking what the loop binds, and by nothing else in it."""
        targets = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        bound = [one for part in loop.body for one in ast.walk(part) if isinstance(one, ast.Assign) and given.id in {
            name.id for target in one.targets for name in ast.walk(target) if isinstance(name, ast.Name)}]
        return given.id in targets and not bound or len(bound) == 1 and isinstance(bound[0].value, ast.Name) and bound[0].value.id in targets and isinstance(
            bound[0].targets[0], ast.Tuple)

    def unused_that_are_used(self):
        """DistributedDataParallel(net, find_unused_parameters=True) of layers that all take part in each pass."""
        for call in self.has_ddp():
            said = self.word(call, "find_unused_parameters")
            if getattr(said, "value", None) is not True or not call.args:
                continue
            net = self.origins.made(call.args[0])
            name = self.full(net.func) if isinstance(net, ast.Call) else ""
            plain = name == "torch.nn.Sequential" and all(self.full(one.func).startswith("torch.nn.") or getattr(
                one.func, "id", "") == "range" for one in ast.walk(net) if isinstance(one, ast.Call))
            if plain or re.match(r"torch\.nn\.(Linear|Conv\dd)$|torchvision\.models\.(resnet|vgg|densenet)\w*$", name):
                self.mistake(call, "a search for unused parameters in vain", self.written(said))
