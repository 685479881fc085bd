"""Mistakes around what wraps a model for several GPUs: DataParallel, FSDP, meshes of devices and DeepSpeed; for the reader of
scripts."""

FSDP1 = ("torch.distributed.fsdp.FullyShardedDataParallel", "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel")
DATA_PARALLEL = ("torch.nn.DataParallel", "torch.nn.parallel.DataParallel")
OF_A_LOSS = re.compile(r"cross_entropy|_loss$|(^|\.)loss\w*$|criterion|Loss$")
PARTS_WITH_WEIGHTS = re.compile(r"torch\.nn\.(Linear|Bilinear|Conv\w*\dd|Embedding|LSTM|GRU|MultiheadAttention|TransformerEncoderLayer|Parameter)$")
WRAP_POLICIES = re.compile(r"torch\.distributed\.fsdp\.wrap\.(ModuleWrapPolicy|CustomPolicy)$")
CALLED_POLICIES = tuple("torch.distributed.fsdp.wrap.%s_auto_wrap_policy" % kind for kind in ("transformer", "size_based", "lambda"))
TIME_FIRST = ("torch.nn.RNN", "torch.nn.GRU", "torch.nn.LSTM", "torch.nn.TransformerEncoderLayer", "torch.nn.Transformer",
              "torch.nn.MultiheadAttention")
READS_NUMBERS = ("norm", "mean", "std", "sum", "float", "detach", "cpu", "numpy", "tolist", "max", "min", "abs", "clone", "item")


class Shards(Ranks):
    def look(self, nodes):
        if not self.begins(nodes, r"Parallel|ddp|fsdp|FSDP|fully_shard|device_mesh|LightningModule|deepspeed|ZeroRedundancy|\.cpu\(|to\(['\"]cpu"):
            return
        self.parts_behind_the_wrapper()
        self.names_of_a_wrapper()
        self.state_of_shards()
        self.one_unit()
        self.called_policies()
        self.root_first()
        self.mesh_without_names()
        self.scaler_of_shards()
        self.vector_of_losses()
        self.members_of_replicas()
        self.divided_in_time()
        self.first_of_the_devices()
        self.exported_wrapper()
        self.there_and_back()
        self.one_gpu_of_replicas()
        self.one_gpu_of_lightning()
        self.unfrozen_behind_the_wrapper()
        self.loaded_in_one()
        self.part_that_no_pass_reaches()
        if self.says(r"deepspeed"):
            self.engine_passed_by()
            self.configurations()

    # ---- DistributedDataParallel and DataParallel

    def parts_behind_the_wrapper(self):
        """model = DDP(net); model.module.head = Linear(…): the wrapper has counted its parameters before."""
        wrapped = self.names_of(*DDP_OF_TORCH)
        for name, values in self.assigned.items() if wrapped else ():
            owner = name.partition(".module.")[0]
            of = self.origins.made(values[0])
            if owner != name and owner in wrapped and isinstance(of, ast.Call) and self.full(of.func).startswith("torch.nn."):
                made = min(one.lineno for one in self.assigned[owner])
                if values[0].lineno > made and all(one.lineno <= values[0].lineno for one in self.assigned[owner]):
                    self.mistake(values[0], "a part that its wrapper does not know", name, other=self.assigned[owner][0])

    def names_of_a_wrapper(self):
        """torch.save(ddp_model.state_dict(), path), and a plain model loads it from the same path."""
        if self.says(r"module\.['\"]|removeprefix|consume_prefix|strict *= *False|\.lstrip\(|\[7:\]"):
            return
        wrapped = self.names_of(*DDP_OF_TORCH, *DATA_PARALLEL)
        saved = {}
        for call in self.calls_of("torch.save"):
            of = call.args[0] if len(call.args) > 1 else None
            name = self.written(of.func.value) if isinstance(of, ast.Call) and getattr(of.func, "attr", "") == "state_dict" else ""
            if NAMED_DDP.match(name) or name in wrapped and len(self.assigned[name]) == 1:
                saved[self.written(call.args[1])] = of
        for call in (one for one in self.nodes if saved and isinstance(one, ast.Call) and getattr(
                one.func, "attr", "") == "load_state_dict" and one.args):
            loaded = self.value_of(call.args[0])
            path = self.written(loaded.args[0]) if isinstance(loaded, ast.Call) and self.full(
                loaded.func) == "torch.load" and loaded.args else None
            model = self.written(call.func.value)
            if path in saved and not NAMED_DDP.match(model) and model not in wrapped and not model.endswith(
                    ".module") and model in self.assigned:
                self.mistake(saved[path], "a state whose names begin with module", self.written(saved[path].func.value), other=call)

    def vector_of_losses(self):
        """model = DataParallel(WithLoss()); loss = model(x, y); loss.backward(): there is one loss for each GPU."""
        giving = {of.name for of in self.classes for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward" and
                  isinstance(one.body[-1], ast.Return) and isinstance(one.body[-1].value, ast.Call) and
                  OF_A_LOSS.search(self.written(one.body[-1].value.func)) and "none" not in self.written(one.body[-1])}
        wrapped = {}
        for name, values in self.assigned.items() if giving else ():
            for value in (self.made_by(one, *DATA_PARALLEL) for one in values):
                if value is not None and value.args and self.class_of(value.args[0]) in giving:
                    wrapped[name] = value
        for call in (one for one in self.nodes if wrapped and isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "backward"):
            of = self.value_of(call.func.value)
            if isinstance(of, ast.Call) and self.written(of.func) in wrapped:
                self.mistake(call, "a loss of each GPU", self.written(call.func.value), other=wrapped[self.written(of.func)])

    def class_of(self, node):
        """The name of the class that a module is made by."""
        made = self.origins.made(node)
        return getattr(made.func, "id", None) if isinstance(made, ast.Call) else None

    def members_of_replicas(self):
        """def forward(self, x): self.calls += 1, of a module in DataParallel, whose replicas are thrown away."""
        inside = {self.class_of(call.args[0]) for call in self.calls_of(*DATA_PARALLEL) if call.args and not self.has_one_gpu(call)}
        parts = {getattr(call.func, "id", "") for of in self.classes if of.name in inside for call in calls_in(of.body)}
        for of in (one for one in self.classes if one.name in inside | parts):
            self.renewed_in_replicas(of)
        for of in (one for one in self.classes if one.name in inside):
            forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
            for one in ast.walk(forward) if forward is not None else ():
                if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Attribute) and self.written(
                        one.target.value) == "self" and not self.says(r"register_buffer\(['\"]%s" % re.escape(one.target.attr)):
                    self.mistake(one, "a member of a replica that is thrown away", self.written(one.target))

    def has_one_gpu(self, call):
        """DataParallel(model, device_ids=[0]), which calls the model itself and makes no replica."""
        ids = self.value_of(self.given(call, 1, "device_ids")) if self.given(call, 1, "device_ids") is not None else None
        return isinstance(ids, (ast.List, ast.Tuple)) and len(ids.elts) < 2 and not any(isinstance(one, ast.Starred) for one in ids.elts)

    def renewed_in_replicas(self, of):
        """def forward(self, x): self.mean = 0.9 * self.mean + 0.1 * x.mean(0), which makes a new tensor of a replica's buffer."""
        forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
        kept = {self.said(call.args[0]) for call in calls_in(of.body) if self.written(call.func) == "self.register_buffer" and call.args}
        kept |= {one.targets[0].attr for part in of.body if getattr(part, "name", "") == "__init__" for one in ast.walk(part) if isinstance(
            one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) and type(getattr(one.value, "value", None)) in (int, float)}
        set_here = [one for one in ast.walk(forward) if isinstance(one, ast.Assign)] if forward is not None else []
        for one in set_here:
            target = one.targets[0]
            if not isinstance(target, ast.Attribute) or self.written(target.value) != "self" or target.attr not in kept:
                continue
            again = isinstance(one.value, ast.BinOp) or isinstance(one.value, ast.Call) and getattr(one.value.func, "attr", "") in (
                "lerp", "add", "mul", "sub", "cat", "maximum", "minimum")
            name = self.written(target)
            if again and any(isinstance(part, ast.Attribute) and self.written(part) == name for part in ast.walk(one.value)) and sum(
                    self.written(other.targets[0]) == name for other in set_here) == 1:
                self.mistake(one, "a member of a replica that is thrown away", name)

    def one_gpu_of_replicas(self):
        """def forward(self, x): torch.arange(n, device=self.device), which is cuda:0 in each replica of DataParallel."""
        for call in self.calls_of(*DATA_PARALLEL):
            ids = self.value_of(self.given(call, 1, "device_ids")) if self.given(call, 1, "device_ids") is not None else None
            if isinstance(ids, (ast.List, ast.Tuple)) and len(ids.elts) < 2:
                continue
            made = self.origins.made(call.args[0]) if call.args else None
            inside = [one for one in self.classes if isinstance(made, ast.Call) and getattr(made.func, "id", "") == one.name]
            for of in inside + [one for one in self.classes for part in inside if one is not part and any(
                    getattr(inner.func, "id", "") == one.name for inner in calls_in(part.body))]:
                for method in of.body:
                    if isinstance(method, ast.FunctionDef) and method.name != "__init__" and (method.name == "forward" or re.search(
                            r"self\.%s\(" % re.escape(method.name), self.reader.text)):
                        self.numbered_in(method, call)

    def one_gpu_of_lightning(self):
        """Trainer(devices=4), and def training_step(self, batch, i): noise = torch.randn(8).to("cuda:0")"""
        for call in self.calls_of("lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer"):
            devices = self.word(call, "devices")
            many = self.said(devices) if devices is not None else None
            if type(many) is int and (many > 1 or many == -1) or isinstance(devices, ast.List) and len(devices.elts) > 1:
                for of in self.classes:
                    for method in of.body if any(self.full(base).endswith(".LightningModule") for base in of.bases) else ():
                        if isinstance(method, ast.FunctionDef) and method.name != "__init__":
                            self.numbered_in(method, call, "a GPU by its number in each process")

    def numbered_in(self, method, parallel, name="a GPU by its number in a replica"):
        """Where a module's method makes a tensor on a GPU that is named by its number, or moves one there."""
        for one in calls_in(method.body):
            where = one.args[0] if getattr(one.func, "attr", "") in ("to", "cuda") and one.args and not self.full(one.func) else self.word(
                one, "device") if self.full(one.func).startswith("torch.") or is_call(one, "to") else None
            if where is None:
                continue
            known = self.origins.of(where)
            if known and all(self.number_of_gpu(of, is_call(one, "cuda")) for of in known):
                self.mistake(one, name, self.written(where), other=parallel)

    def number_of_gpu(self, node, alone):
        """Whether it is torch.device("cuda:0") or "cuda:0", or the number itself where that alone is given."""
        if isinstance(node, ast.Call) and self.full(node.func) == "torch.device" and node.args:
            if len(node.args) > 1:
                return self.said(node.args[0]) == "cuda" and type(self.said(node.args[1])) is int
            node = node.args[0]
            if isinstance(node, ast.IfExp):  # "cuda:0" if torch.cuda.is_available() else "cpu"
                node = node.body
        value = self.said(node)
        return isinstance(value, str) and re.match(r"cuda:\d+$", value) is not None or alone and type(value) is int

    def unfrozen_behind_the_wrapper(self):
        """net.body.requires_grad_(False); ddp = DDP(net); …; ddp.module.body.requires_grad_(True): DDP averages what it found."""
        wrappers = self.calls_of(*DDP_OF_TORCH)
        if len(wrappers) != 1 or not self.says(r"requires_grad"):
            return
        wrapper = wrappers[0]
        scope = self.origins.scope(wrapper)
        if any(isinstance(one, (ast.For, ast.While)) for one in self.origins.around(wrapper)) or not wrapper.args:
            return
        switched = [place for one in self.nodes for place in self.switches(one)]
        frozen = any(flag is False and self.ran_before(at, wrapper, scope, 3) for _, flag, at in switched)
        given = self.written(wrapper.args[0])
        for of, flag, at in switched if frozen else ():
            root, of_ddp = of, False
            while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
                of_ddp = of_ddp or isinstance(root, ast.Attribute) and self.made_by(root, *DDP_OF_TORCH) is not None
                root = root.func if isinstance(root, ast.Call) else root.value
            of_ddp = of_ddp or isinstance(root, ast.Name) and self.made_by(root, *DDP_OF_TORCH) is not None
            same = isinstance(root, ast.Name) and root.id == given and self.origins.scope(at) is scope and at.lineno > wrapper.lineno
            if flag is True and (of_ddp or same):
                self.mistake(at, "parameters that their wrapper does not know", other=wrapper)
                return

    def switches(self, one):
        """(what it is of, True or False, where), of x.requires_grad_(True) and p.requires_grad = False, also through functions."""
        if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "requires_grad_":
            flag, of = self.given(one, 0, "requires_grad"), one.func.value
            flag = ast.Constant(True) if flag is None else flag
        elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) and one.targets[0].attr == "requires_grad":
            flag, of = one.value, one.targets[0].value
        else:
            return
        loop = next((by for by in self.origins.around(one) if isinstance(by, ast.For) and re.search(
            r"parameters\(\)|\.modules\(\)|children\(\)", self.written(by.iter))), None)
        if loop is not None and isinstance(of, ast.Name):
            of = loop.iter
        root = of
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        function = self.origins.scope(one)
        names = [a.arg for a in function.args.args] if isinstance(function, ast.FunctionDef) else []
        if not isinstance(root, ast.Name) or root.id not in names or root.id == "self":
            if isinstance(flag, ast.Constant):
                yield of, flag.value, loop if loop is not None else one
            return
        for site in self.origins.sites(function):
            def of_site(name):
                at = names.index(name) - site.hidden
                found = next((k.value for k in site.keywords if k.arg == name), None)
                return found if found is not None else site.args[at] if 0 <= at < len(site.args) else self.origins.default(
                    function, function.args.args[names.index(name)])
            said = of_site(flag.id) if isinstance(flag, ast.Name) and flag.id in names else flag
            owner = of_site(root.id)
            if isinstance(said, ast.Constant) and owner is not None:
                yield owner, said.value, site.call

    def ran_before(self, node, wrapper, scope, deepest):
        """Whether a statement surely ran before the wrapper was made: in its function above it, or in what that called above it."""
        of = self.origins.scope(node)
        if of is scope:
            loops = [one for one in self.origins.around(node) if isinstance(one, (ast.For, ast.While)) and not re.search(
                r"parameters\(\)|modules\(\)|children\(\)", self.written(getattr(one, "iter", one)))]
            return node.lineno <= wrapper.lineno and not loops
        while isinstance(of, ast.Lambda):
            of = self.origins.scope(of)
        return isinstance(of, ast.FunctionDef) and deepest > 0 and any(
            self.ran_before(site.call, wrapper, scope, deepest - 1) for site in self.origins.sites(of))

    def divided_in_time(self):
        """DataParallel(GRU(64, 128)): it divides the first dimension, which is time."""
        for call in self.calls_of(*DATA_PARALLEL):
            of = self.origins.made(call.args[0]) if call.args else call
            first = self.word(of, "batch_first") if isinstance(of, ast.Call) else None
            if isinstance(of, ast.Call) and self.full(of.func) in TIME_FIRST and (first is None or getattr(
                    first, "value", None) is False) and self.given(call, 3, "dim") is None and not any(k.arg is None for k in of.keywords):
                self.mistake(call, "a sequence that is divided in time", self.written(of), other=of)

    def first_of_the_devices(self):
        """net.to("cuda:0"); DataParallel(net, device_ids=args.gpus), whose default is 2,3: the first must hold the parameters."""
        for call in self.calls_of(*DATA_PARALLEL):
            ids = self.given(call, 1, "device_ids") if call.args else None
            moves = [one for one in self.tracing.index.calls if ids is not None and getattr(one.func, "attr", "") in ("to", "cuda") and
                     one.lineno <= call.lineno and self.written(one.func.value) == self.written(call.args[0]) and self.origins.scope(
                         one) is self.origins.scope(call)]
            first, at = self.first_number(ids), self.gpu_of(self.given(moves[-1], 0, "device"), ids) if moves else None
            if at is not None and (at == "last" or first is not None and at != first):
                self.mistake(call, "a model that is not on the first of its GPUs", self.written(moves[-1]), self.written(ids),
                             other=moves[-1])

    def first_number(self, ids):
        """The first of a list of GPUs that is written down, or the default of an option; None: not known."""
        ids = self.value_of(ids) if ids is not None else None
        if isinstance(ids, ast.Call) and getattr(ids.func, "id", "") in ("list", "tuple") and len(ids.args) == 1:
            ids = self.value_of(ids.args[0])
        if isinstance(ids, ast.ListComp):
            ids = ids.generators[0].iter
            ids = ids.func.value if isinstance(ids, ast.Call) and getattr(ids.func, "attr", "") == "split" else None
        if isinstance(ids, ast.Attribute):
            ids = self.default_of(ids.attr)
        if isinstance(ids, (ast.List, ast.Tuple)) and ids.elts:
            ids = ids.elts[0]
        said = re.match(r"\d+", str(getattr(ids, "value", "")))
        return int(said.group()) if said else None

    def gpu_of(self, where, ids):
        """The number of the GPU that an expression names, 0 where it names none; "last": the last of these; None: not known."""
        where = ast.Constant("cuda") if where is None else where
        gpus = [one for one in self.origins.known(where) if getattr(one, "value", None) != "cpu"]  # "cuda" if … else "cpu"
        where = gpus[0] if len(gpus) == 1 else where
        number = where
        if isinstance(where, ast.Call) and self.full(where.func) == "torch.device" and where.args:
            number = where.args[1] if len(where.args) > 1 else where.args[0]
            number = number.body if isinstance(number, ast.IfExp) else number
        if isinstance(number, ast.Subscript) and self.written(number.value) == self.written(ids):
            return "last" if self.written(number.slice) == "-1" else None
        text = str(getattr(number, "value", ""))
        if text == "cuda" and not (isinstance(where, ast.Call) and len(where.args) > 1) and not self.says(
                r"set_device|VISIBLE_DEVICES|cuda\.device\(|set_default_device"):
            return 0
        said = re.match(r"(?:cuda:)?(\d+)$", text)
        return int(said.group(1)) if said else None

    def exported_wrapper(self):
        """model = DataParallel(net); torch.onnx.export(model, …)"""
        wrapped = self.names_of(*DATA_PARALLEL, *DDP_OF_TORCH)
        for call in self.calls_of("torch.onnx.export", "torch.jit.script", "torch.export.export"):
            of = self.written(call.args[0]) if call.args else ""
            if of in wrapped and not any(getattr(value, "attr", "") == "module" for value in self.assigned[of]):
                self.mistake(call, "an export of a wrapper", of, other=self.assigned[of][0])

    def there_and_back(self):
        """for epoch in …: torch.save(model.cpu().state_dict(), path); model.cuda()"""
        for loop in self.loops:
            body = loop.body
            for number, one in enumerate(body):
                there = next((call for call in calls_in([one]) if isinstance(call.func, ast.Attribute) and re.search(
                    r"\.(cpu\(\)|to\(['\"]cpu['\"]\))$", self.written(call))), None)
                name = self.written(there.func.value) if there is not None else ""
                if not re.match(r"[\w.]+$", name) or not self.holds_backward(loop):
                    continue
                saves = any(self.full(call.func) == "torch.save" and (name + ".") in self.written(call) and "state_dict" in self.written(
                    call) for call in calls_in(body[number:]))
                back = any(isinstance(call.func, ast.Attribute) and call.func.attr in ("cuda", "to") and call is not there and
                           self.written(call.func.value) == name for call in calls_in(body[number:]))
                if saves and back and isinstance(one, ast.Expr):
                    self.mistake(there, "a model that is moved to be saved", name)

    # ---- shards

    def state_of_shards(self):
        """optimizer = ZeroRedundancyOptimizer(…); torch.save(optimizer.state_dict(), path)"""
        if not self.says(r"ZeroRedundancyOptimizer\(") or self.says(r"consolidate_state_dict"):
            return
        for call in self.calls_of("torch.save"):
            for one in ast.walk(call.args[0]) if call.args else ():
                if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "state_dict" and re.search(
                        r"opt|zero", self.written(one.func.value)):
                    self.mistake(one, "a state in parts that nobody gathers", self.written(one.func.value))

    def one_unit(self):
        """policy = ModuleWrapPolicy(…); model = FSDP(net), which is not given the policy."""
        loaded = {one.id for one in self.nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        calls = self.calls_of(*FSDP1)
        unused = {name: value for name, values in self.assigned.items() for value in values if isinstance(value, ast.Call) and
                  name not in loaded and re.match(r"\w+$", name) and (WRAP_POLICIES.match(self.full(value.func)) or "auto_wrap_policy" in
                                                                      self.written(value) and self.full(value.func) == "functools.partial")}
        for call in calls if len(calls) == 1 else ():
            if unused and self.given(call, 4, "auto_wrap_policy") is None and not any(k.arg is None for k in call.keywords):
                name, value = sorted(unused.items())[0]
                self.mistake(call, "a model that is one shard's unit", name, other=value)

    def called_policies(self):
        """auto_wrap_policy=transformer_auto_wrap_policy(transformer_layer_cls={Block}), which has yet to get its module."""
        asked = ("module", "recurse", "nonwrapped_numel")
        for call in self.calls_of(*CALLED_POLICIES):
            named = {k.arg for k in call.keywords}
            missing = [one for one in asked[len(call.args):] if one not in named]
            if missing and None not in named and not any(isinstance(one, ast.Starred) for one in call.args):
                self.mistake(call, "a policy that is called instead of given", ", ".join(missing), self.written(call.func), doubted=False)

    def root_first(self):
        """fully_shard(model); for layer in model.layers: fully_shard(layer)"""
        for of in self.nodes:
            roots = {}
            for one in of.body if isinstance(of, (ast.FunctionDef, ast.Module)) else ():
                call = getattr(one, "value", None) if isinstance(one, (ast.Expr, ast.Assign)) else None
                if isinstance(call, ast.Call) and self.full(call.func).endswith(".fully_shard") and call.args:
                    roots[self.written(call.args[0])] = call
                if isinstance(one, ast.For) and any(self.full(inner.func).endswith(".fully_shard") for inner in calls_in(one.body)):
                    for name, root in roots.items():
                        if re.search(r"\b%s\." % re.escape(name), self.written(one.iter)):
                            self.mistake(root, "a root that is sharded before its parts", name, other=one.iter, doubted=False)

    def mesh_without_names(self):
        """mesh = init_device_mesh("cuda", (2, 4)); mesh["tp"]"""
        unnamed = {}
        for name, values in self.assigned.items():
            if all(isinstance(one, ast.Call) and self.full(one.func).endswith(".init_device_mesh") and len(one.args) < 3 and not any(
                    k.arg in ("mesh_dim_names", None) for k in one.keywords) for one in values):
                unnamed[name] = values[0]
        for one in self.nodes if unnamed else ():
            if isinstance(one, ast.Subscript) and self.written(one.value) in unnamed and isinstance(getattr(
                    one.slice, "value", getattr(getattr(one.slice, "value", None), "s", None)), str):
                self.mistake(one, "a mesh without names", other=unnamed[self.written(one.value)], doubted=False)

    def scaler_of_shards(self):
        """scaler = GradScaler("cuda") of a model in FSDP: it sees the infinities of its own part alone."""
        if self.says(r"ShardedGradScaler|bfloat16|NO_SHARD|fully_shard|enabled *=") or not (
                self.calls_of(*FSDP1) or self.of_fsdp()):
            return
        for call in self.calls_of(*SCALERS):
            if self.says(r"\.scale\("):
                self.mistake(call, "a scaler that sees one part")

    def of_fsdp(self):
        """The parameters of functions that are said to be modules of FSDP."""
        return {one.arg for of in self.functions for one in of.args.args + of.args.kwonlyargs
                if one.annotation is not None and self.full(one.annotation) in FSDP1}

    def loaded_in_one(self):
        """if rank == 0: model.load_state_dict(…); model = FSDP(model): the parts of the others stay random."""
        for call in self.calls_of(*FSDP1) if not self.says(r"sync_module_states *= *True|broadcast|_sync_params") else ():
            model = self.given(call, 0, "module")
            made = {id(one) for one in self.origins.of(model, True) if isinstance(one, ast.Call)} if model is not None else set()
            if len(made) != 1 or self.word(call, "sync_module_states") is not None or any(k.arg is None for k in call.keywords):
                continue
            for one in self.tracing.index.calls:
                if getattr(one.func, "attr", "") == "load_state_dict" and {id(v) for v in self.origins.of(one.func.value, True)} == made:
                    test = self.for_one_alone(one)
                    if test is not None and self.function_around(one) is self.function_around(call) and one.lineno < call.lineno:
                        self.mistake(call, "weights that one process loads", self.written(one), other=one)
                        break

    def part_that_no_pass_reaches(self):
        """self.aux = nn.Linear(…), which no method reads, in a model of DistributedDataParallel."""
        if self.says(r"requires_grad|find_unused|static_graph|getattr|__dict__|named_children|children\(\)|_modules|freeze|Join\("):
            return
        for call in self.has_ddp():
            of = next((one for one in self.classes if one.name == self.class_of(self.given(call, 0, "module"))), None)
            if of is None or any(k.arg is None for k in call.keywords) or [self.tracing.full(base) for base in of.bases] != ["torch.nn.Module"]:
                continue
            methods = {one.name: one for one in of.body if isinstance(one, ast.FunctionDef)}
            for one in ast.walk(methods["__init__"]) if {"__init__", "forward"} <= set(methods) else ():
                target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
                if isinstance(target, ast.Attribute) and self.written(target.value) == "self" and isinstance(
                        one.value, ast.Call) and PARTS_WITH_WEIGHTS.match(self.full(one.value.func)) and one in methods["__init__"].body and len(
                            re.findall(r"[\w.]\.%s\b|['\"]%s['\"]" % (target.attr, target.attr), self.reader.text)) == 1:
                    self.mistake(call, "a part of the model that no pass reaches", self.written(target), other=one)
                    break

    # ---- DeepSpeed

    def engines(self):
        """{name: the call of deepspeed.initialize() that gave it}"""
        found = {}
        for one in self.nodes:
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and self.full(one.value.func) == "deepspeed.initialize":
                target = one.targets[0]
                found[self.written(target.elts[0] if isinstance(target, ast.Tuple) else target)] = one.value
        return found

    def engine_passed_by(self):
        """loss = loss_of(engine(x)); loss.backward(); engine.step()"""
        engines = self.engines()
        for name, made in engines.items():
            steps = not self.says(r"(engine|model|%s)\.backward\(" % re.escape(name)) and any(
                isinstance(one, ast.Call) and self.written(one.func) == name + ".step" for one in self.nodes)
            for call in self.nodes if steps else ():
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "backward" and not call.args and re.search(
                        r"loss", self.written(call.func.value)):
                    self.reader.mistake(call, "a backward pass around its library", self.written(call),
                                        "%s scales the loss and reduces the gradients in its own backward()" % name,
                                        "Write %s.backward(%s)." % (name, self.written(call.func.value)), other=made, doubted=True)

    @staticmethod
    def items_of(node):
        """{key: its value} of a dictionary that is written out."""
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict":
            return {keyword.arg: keyword.value for keyword in node.keywords}
        return {key.value: value for key, value in zip(node.keys, node.values) if isinstance(key, ast.Constant)} if isinstance(
            node, ast.Dict) else {}

    def is_on(self, config, name):
        return getattr(self.items_of(config.get(name)).get("enabled"), "value", None) is True

    def configurations(self):
        for node in self.nodes:
            config = self.items_of(node)
            if not {"fp16", "bf16", "zero_optimization", "train_batch_size"} & set(config):
                continue
            if self.is_on(config, "fp16") and self.is_on(config, "bf16"):
                self.mistake(config["bf16"], "two precisions of one engine", other=config["fp16"], doubted=False)
            self.sizes_of(config)
            zero = self.items_of(config.get("zero_optimization"))
            if getattr(self.items_of(zero.get("offload_optimizer")).get("device"), "value", None) in ("cpu", "nvme"):
                self.optimizer_of_the_gpu(zero["offload_optimizer"])
            if getattr(zero.get("stage"), "value", None) == 3:
                self.read_in_parts(zero["stage"])
            if self.is_on(config, "fp16") and "auto_cast" not in self.items_of(config["fp16"]):
                self.wider_inputs(config["fp16"])

    def sizes_of(self, config):
        """{"train_batch_size": 32, "train_micro_batch_size_per_gpu": 16, "gradient_accumulation_steps": 4}"""
        sizes = [getattr(config.get(key), "value", None) for key in (
            "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")]
        if all(type(one) is int and one > 0 for one in sizes) and sizes[0] % (sizes[1] * sizes[2]):
            self.mistake(config["train_batch_size"], "sizes of a batch that don't fit", "%d" % sizes[1], "%d" % sizes[2], doubted=False)

    def optimizer_of_the_gpu(self, offload):
        """deepspeed.initialize(optimizer=AdamW(…)), whose states are on the CPU."""
        for made in self.calls_of("deepspeed.initialize"):
            of = self.value_of(self.given(made, 2, "optimizer"))
            if isinstance(of, ast.Call) and re.match(r"torch\.optim\.Adam", self.full(of.func)):
                self.mistake(of, "an optimizer on the CPU that is torch's", other=offload)

    def read_in_parts(self, stage):
        """net.embed.weight.norm(), under stage 3, where each process holds a part."""
        if self.says(r"GatheredParameters|zero_to_fp32|save_16bit_model|_consolidated|safe_get|gather_16bit|get_fp32_state_dict"):
            return
        engines = self.engines()
        first = min((one.lineno for one in engines.values()), default=None)
        models = {self.written(self.given(one, 1, "model")) for one in engines.values() if self.given(one, 1, "model") is not None}
        models |= {name + ".module" for name in engines}
        for one in self.nodes if first is not None else ():
            if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute) or one.lineno <= first:
                continue
            of = self.written(one.func.value)
            if one.func.attr in READS_NUMBERS and re.search(r"\.(weight|bias)$", of) and any(
                    of.startswith(name + ".") for name in models) or one.func.attr == "state_dict" and of in models:
                self.mistake(one, "a parameter of which each process has a part", of, other=stage)
                return

    def wider_inputs(self, half):
        """engine(torch.randn(32, 512)), whose weights are in half precision."""
        engines = self.engines()
        for call in (one for one in self.nodes if isinstance(one, ast.Call) and self.written(one.func) in engines and len(one.args) == 1):
            of = self.value_of(call.args[0])
            if isinstance(of, ast.Call) and self.full(of.func) in ("torch.randn", "torch.rand", "torch.ones", "torch.zeros") and \
                    self.word(of, "dtype") is None and not self.says(r"set_default_dtype"):
                self.mistake(of, "an input that is wider than the engine", self.written(call), other=half)
