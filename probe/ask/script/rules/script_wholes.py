"""Mistakes that a few statements of a script show together, wherever they stand; for the reader of scripts.

As for what is traced, the statements of one function are read as they stand; where a value comes from, `origins` tells.
"""

# What wraps a model or a function and gives back what is to be used in its place.
WRAPS = ("torch.compile", "torch.jit.script", "torch.jit.trace", "torch.nn.DataParallel", "torch.cuda.make_graphed_callables",
         "torch.nn.parallel.DistributedDataParallel", "jax.jit", "jax.pmap", "jax.vmap", "tensorflow.function", "flax.nnx.jit")
DDP_OF_TORCH = ("torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.DistributedDataParallel")
# Collectives that the other processes wait for. Barriers are left out: one process downloads while the others wait.
MEETINGS = ("all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_object", "reduce_scatter", "all_to_all",
            "gather", "gather_object", "reduce", "broadcast", "broadcast_object_list", "reduce_scatter_tensor")
ONE_RANK = re.compile(r"(\w+\.)*(\w*rank\w*(\(\))?) == 0$|0 == (\w+\.)*\w*rank\w*(\(\))?$|(not|not int\()? ?(\w+\.)*(local_|global_|get_)?rank(\(\))?\)?$|"
                      r"(\w+\.)*is_(main|master|rank0|rank_zero|global_zero|local_main)(_process|_node|_rank)?(\(\))?$")
# The number of a process among all, and a name that asks for the first of them.
RANK_ITSELF = re.compile(r"(^|\._?)(global_|local_|get_)?rank(\(\))?$|(environ(\.get\(|\[)|getenv\()['\"](LOCAL_)?RANK['\"]|process_index$")
ASKS_FOR_RANK = re.compile(r"rank|main|master|zero|chief", re.I)
THE_FIRST_OF_ALL = re.compile(r"(\w+\.)*is_((local_)?main_process|global_zero|rank_zero|rank0|(world|local)_process_zero(\(\))?)$")
OF_MODULE_ALONE = ("state_dict", "load_state_dict", "parameters", "named_parameters", "to", "cuda", "eval", "train", "modules",
                   "buffers", "zero_grad", "requires_grad_", "apply", "register_buffer", "named_modules", "children")
ON_GPU = re.compile(r"CUDA|Tensorrt|TensorRT|ROCM|MIGraphX|Dml|OpenVINO|CoreML")
PROVIDERS = tuple(name + "ExecutionProvider" for name in (
    "CUDA Tensorrt NvTensorRTRTX ROCM MIGraphX Dml OpenVINO CoreML CPU Azure QNN VitisAI ACL ArmNN Dnnl Cann Xnnpack WebGPU Rknpu "
    "TVM VSINPU Nnapi SNPE JS WebNN").split())
# What the CUDA provider of ONNX Runtime 1.22 takes.
OPTIONS_OF_CUDA = ("device_id user_compute_stream has_user_compute_stream gpu_mem_limit arena_extend_strategy cudnn_conv_algo_search "
                   "do_copy_in_default_stream cudnn_conv_use_max_workspace cudnn_conv1d_pad_to_nc1d enable_cuda_graph use_tf32 prefer_nhwc "
                   "enable_skip_layer_norm_strict_mode gpu_external_alloc gpu_external_free gpu_external_empty_cache sdpa_kernel fuse_conv_bias "
                   "tunable_op_enable tunable_op_tuning_enable tunable_op_max_tuning_duration_ms use_ep_level_unified_stream").split()
STRATEGIES_OF_TF = re.compile(r"tensorflow\.distribute\.(experimental\.)?(\w*Mirrored|TPU|CentralStorage|ParameterServer)Strategy$")
LOSSES_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.losses\.[A-Z]\w+$")
# What computes with the values of an array, or hands them on as they are now.
OF_ARRAYS = frozenset("mean sum std var min max argmax argmin any all copy astype tobytes tofile clone dot prod cumsum round clip nonzero argsort sort".split())
MEAN_LOSSES = ("tensorflow.reduce_mean", "tensorflow.math.reduce_mean", "keras.ops.mean")


class WholeFile:
    """What reads the statements of one file as they stand."""

    def __init__(self, reader, tracing):
        self.reader, self.tracing = reader, tracing

    def full(self, node):
        return self.tracing.full(node)

    def written(self, node):
        return self.tracing.written(node)

    @property
    def origins(self):
        return self.tracing.origins

    def reached(self, of, deepest, classes=True):
        """The calls of a function, and of the functions of the file that it calls; `classes`: of what stands in classes as well."""
        seen, waiting = {id(of)}, [(of, deepest)]
        while waiting:
            one, depth = waiting.pop()
            for call in calls_in(one.body if isinstance(one.body, list) else [one.body]):
                yield call
                for inner in self.origins.functions_of(call.func) if depth > 0 else ():
                    if id(inner) not in seen and (classes or not isinstance(inner, ast.ClassDef)):
                        seen.add(id(inner))
                        waiting.append((inner, depth - 1))

    def word(self, call, *names):
        """What a call is given under one of these names, also in **settings that the file writes out."""
        found = next((k.value for k in call.keywords if k.arg in names), None)
        return self.origins.keyword(call, *names) if found is None and any(k.arg is None for k in call.keywords) else found

    def said(self, node, default=None):
        """The number, text or truth value that an expression stands for."""
        return self.origins.constant(node, default)

    def value_of(self, node):
        """The one expression that a value comes from; the node itself where there are several, or none is known."""
        known = self.origins.known(node)
        return known[0] if len(known) == 1 else node

    def made_by(self, node, *names, surely=False):
        """The call of one of these full names that an expression comes from."""
        return self.origins.made_by(node, *names, surely=surely)

    def given(self, call, at, *names):
        """What a call is given at this place, or under one of these names."""
        return call.args[at] if len(call.args) > at else self.word(call, *names)

    def default_of(self, name):
        """The default of the option that argparse keeps under this name; None: not known."""
        return self.origins.option_of(name)

    def mistake(self, node, name, *more, other=None, doubted=True):
        """Doubted where what stands elsewhere could make it right."""
        self.reader.mistake(node, name, self.written(node), *more, other=other, doubted=doubted)

    def is_reported(self, node):
        """Whether this line has a finding already, of a rule that knows more of it."""
        cell = getattr(node, "cell", None)
        return any(e["subject"] == "script-mistake" and e["line"] == line_of(node) and e.get("source") == self.reader.source and
                   e.get("cell") == (str(cell) if cell else None) for e in self.reader.events)

    def is_repeated(self, node):
        """Whether a node stands in a loop of its function."""
        return any(isinstance(one, (ast.For, ast.While, ast.ListComp)) for one in self.origins.around(node) if self.origins.scope(
            one) is self.origins.scope(node))

    def made_by_form(self, node, form):
        """The one call that an expression comes from, where its full name has this form; unlike made_by(), not through wrappers."""
        values = self.origins.of(node)
        return values[0] if len(values) == 1 and isinstance(values[0], ast.Call) and form.match(self.full(values[0].func)) else None

    def within(self, node, holder):
        """What stands around a node, up to a holder."""
        for one in self.origins.around(node):
            if one is holder:
                return
            yield one

    def in_branch(self, node):
        """Whether a node stands in an if or a conditional expression, other than if __name__ == "__main__"."""
        return any(isinstance(one, (ast.If, ast.IfExp)) and "__name__" not in self.written(one.test) for one in self.origins.around(node))

    def runs_something(self, nodes):
        """Whether a file does more than define names that others import."""
        return any(isinstance(part, (ast.For, ast.While, ast.With)) or isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) or isinstance(
            part, ast.If) and "__name__" in self.written(part.test) for of in nodes if isinstance(of, ast.Module) for part in of.body)

    def says(self, form):
        return re.search(form, self.reader.text) is not None

    def near(self, node, deepest=2):
        """The text of a node, and of the functions of the file that it calls."""
        called = {id(of): of for call in ast.walk(node) if isinstance(call, ast.Call) for of in self.origins.functions_of(call.func) if isinstance(
            of, ast.FunctionDef) and of is not node} if deepest > 0 else {}
        return "\n".join([self.reader.written_whole(node)] + [self.near(of, deepest - 1) for of in called.values()])

    def is_for_one(self, node):
        """if rank == 0: …, with no other branch: what one process runs alone."""
        if not isinstance(node, ast.If) or node.orelse:
            return False
        test = self.written(node.test)
        made = self.value_of(node.test) if isinstance(node.test, (ast.Name, ast.Attribute)) else None
        if isinstance(made, ast.Compare):  # self.main = dist.get_rank() == 0, whatever it is called
            test = self.written(made)
        test = re.sub(r"^int\(os\.(environ\[|environ\.get\(|getenv\()['\"](LOCAL_)?RANK['\"][^()\[\]]*[\])]\) == 0$", "rank == 0", test)
        return ONE_RANK.match(test) is not None and ("== 0" in test or "0 ==" in test or "is_" in test or test.startswith("not "))

    def one_asked_for(self, test, positive=True, deepest=4):
        """Whether a test holds, or where it does not, in the first process alone; also of a property or a function that asks."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.one_asked_for(test.operand, not positive, deepest)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == positive:
            return any(self.one_asked_for(one, positive, deepest) for one in test.values)
        said = self.written(test)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and self.said(test.comparators[0]) == 0:
            asks = type(test.ops[0]) in ((ast.Eq, ) if positive else (ast.NotEq, ast.Gt))
            of = test.left
            known = self.origins.known(of) if isinstance(of, (ast.Name, ast.Attribute)) else []
            return asks and (RANK_ITSELF.search(self.written(of)) is not None or bool(known) and all(
                RANK_ITSELF.search(self.written(one)) for one in known))
        if THE_FIRST_OF_ALL.search(said):
            return positive
        if re.search(r"(^|\.)(get_|global_)?rank(\(\))?$", said):
            return not positive  # if rank: …
        known = self.origins.known(test) if deepest and isinstance(test, (ast.Name, ast.Attribute, ast.Call)) else []
        return bool(known) and all(one is not test and self.one_asked_for(one, positive, deepest - 1) for one in known)

    def for_one_alone(self, node):
        """What lets the first process alone come to a node: a test around or before it, or the function's decorator."""
        part = node
        for of in self.origins.around(node):
            if isinstance(of, ast.If) and not of.orelse and any(part is one for one in of.body) and self.one_asked_for(of.test):
                return of.test
            if isinstance(of, ast.IfExp) and part is of.body and self.one_asked_for(of.test) and isinstance(of.orelse, ast.Constant):
                return of.test
            for before in self.origins.block_of(part):
                if before is part:
                    break
                if isinstance(before, ast.If) and not before.orelse and isinstance(before.body[-1], (
                        ast.Return, ast.Continue)) and self.one_asked_for(before.test, False):
                    return before.test
            if isinstance(of, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return next((one for one in of.decorator_list if self.runs_in_one(one)), None)
            if isinstance(of, (ast.Lambda, ast.ClassDef)):
                return None
            part = of
        return None

    def runs_in_one(self, decorator):
        """Whether a decorator runs its function in the first process alone: a library's, or one of the file's own."""
        if re.search(r"(^|\.)(rank_zero_only|on_(local_)?main_process)$", self.written(decorator)):
            return True
        own = self.origins.functions_of(decorator) if isinstance(decorator, ast.Name) else ()
        for of in own:
            taken = [one.arg for one in of.args.args] if isinstance(of, ast.FunctionDef) else []
            runs = [one for one in calls_in(of.body) if getattr(one.func, "id", "") in taken[:1]] if taken else []
            if runs and all(self.for_one_alone(one) is not None for one in runs):
                return True
        return False


def calls_in(body):
    """The calls of these statements, and of all that stands below them."""
    return (one for part in body for one in ast.walk(part) if isinstance(one, ast.Call))


class Wholes(WholeFile):
    def look(self, nodes):
        """The nodes of one file, whose imports `tracing` knows."""
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        modules = [node for node in nodes if isinstance(node, ast.Module)]
        for of in functions:
            self.unused_wrapper(of)
        if {"torch", "accelerate", "lightning", "pytorch_lightning"} & roots:
            self.around_ddp(nodes, functions + modules)
            self.met_by_one(nodes, functions)
            self.cast_by_the_batch(nodes)
            self.volatile(nodes)
            self.kept_with_graph(nodes)
            self.kept_in_an_object(nodes)
            self.compiled_states(functions + modules)
            self.parallel_states()
            self.copied_to_host(nodes)
            self.streams_apart(nodes)
            self.profiled(nodes)
            self.clipped_shards(nodes)
            self.wide_mask(nodes)
        if "transformers" in roots:
            self.half_weights(nodes)
        if "cupy" in roots:
            self.device_named(nodes)
            self.copied_from_cupy(nodes)
        if "onnxruntime" in roots:
            self.processor_first(nodes)
            self.options_of_providers(nodes)
        if "tensorflow" in roots or "keras" in roots:
            self.loss_unscaled(nodes)
            self.mean_of_replica(nodes)
            self.cached_for_ever(nodes)
            self.slow_cells(nodes)
        if "jax" in roots:
            self.gradients_of_one(functions)
        if "numba" in roots:
            self.dropped_copies(nodes)
            self.copied_each_time(nodes, functions)

    # ---- all frameworks

    def unused_wrapper(self, of):
        """fast = torch.compile(model); return model"""
        loaded = {one.id for one in ast.walk(of) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)}
        shared = {name for one in ast.walk(of) if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        for one in ast.walk(of):
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) and \
                    isinstance(one.value, ast.Call) and self.full(one.value.func) in WRAPS and one.value.args:
                name = one.targets[0].id
                if name not in loaded | shared and name != "_" and "locals" not in loaded:
                    self.reader.mistake(one, "a wrapper that nothing uses", self.written(one.value), name)

    # ---- PyTorch

    def around_ddp(self, nodes, scopes):
        """loss = ddp.module(x); loss.backward(): gradients are averaged where the wrapper itself is called."""
        if self.says(r"no_sync|average_gradients|reduce_gradients|_sync_params|find_unused|horovod|deepspeed") or self.says(
                r"all_reduce") and self.says(r"\.grad\b"):
            return
        wrapped = {self.written(target) for one in nodes if isinstance(one, ast.Assign) and isinstance(
            one.value, ast.Call) and self.full(one.value.func) in DDP_OF_TORCH for target in one.targets}
        wrapped |= {one.arg for of in scopes if isinstance(of, ast.FunctionDef) for one in of.args.args if NAMED_DDP.match(one.arg)}
        called = {self.written(one.func) for one in nodes if isinstance(one, ast.Call)}
        wrapped |= {self.written(one) for of in nodes if isinstance(of, ast.Attribute) and of.attr == "module" for one in [of.value]
                    if self.made_by(one, *DDP_OF_TORCH) is not None}
        wrapped -= called  # where the wrapper is called as well, some of its gradients are averaged
        for of in scopes if wrapped else ():
            own = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
            tainted = {}
            for one in ast.walk(of):
                if id(one) in own or not isinstance(one, ast.Assign):
                    continue
                inner = next((call for call in ast.walk(one.value) if isinstance(call, ast.Call) and
                              self.inner_of(call.func, wrapped)), None)
                names = {name.id for name in ast.walk(one.value) if isinstance(name, ast.Name)}
                inner = inner or next((tainted[name] for name in names if name in tainted), None)
                for target in one.targets if inner is not None else ():
                    tainted.update({t.id: inner for t in ast.walk(target) if isinstance(t, ast.Name)})
            for one in ast.walk(of):
                if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "backward":
                    held = [name.id for name in ast.walk(one) if isinstance(name, ast.Name) and name.id in tainted]
                    if held:
                        call = tainted[held[0]]
                        return self.reader.mistake(call, "a pass around DistributedDataParallel", self.written(call), other=one)
        return None

    def inner_of(self, node, wrapped):
        """ddp.module or ddp.module.compute_loss, as what is called."""
        if isinstance(node, ast.Attribute) and node.attr == "module":
            return self.written(node.value) in wrapped
        kept = self.origins.known(node) if isinstance(node, (ast.Name, ast.Attribute)) else []  # self.raw = self.ddp.module
        if len(kept) == 1 and kept[0] is not node and isinstance(kept[0], ast.Attribute) and kept[0].attr == "module":
            return self.written(kept[0].value) in wrapped
        return isinstance(node, ast.Attribute) and node.attr not in OF_MODULE_ALONE and isinstance(
            node.value, ast.Attribute) and node.value.attr == "module" and self.written(node.value.value) in wrapped

    def meets(self, node):
        name = self.full(node.func)
        whole = self.written(node.func)
        if re.match(r"(\w+\.)*(accelerator|acc|accel)\.(gather|gather_for_metrics|reduce|pad_across_processes)$|self\.all_gather$|"
                    r"(\w+\.)*fabric\.(all_gather|all_reduce)$|(\w+\.)*trainer\.save_checkpoint$", whole) or whole.endswith(
                        ".save_checkpoint") and self.says(r"(?<![\w.])%s *(,[^\n=]*)?= *deepspeed\.initialize\(" % re.escape(
                            whole.rpartition(".")[0])):
            return True
        if re.match(r"self\.log(_dict)?$", whole) and getattr(self.word(node, "sync_dist"), "value", None) is True:
            return self.word(node, "rank_zero_only") is None
        if re.match(r"torch\.distributed\.checkpoint\.(\w+\.)*(save|load|async_save|save_state_dict|load_state_dict)$", name):
            return self.word(node, "no_dist", "process_group") is None
        return name.startswith("torch.distributed.") and name.rsplit(".", 1)[-1] in MEETINGS and not any(
            keyword.arg == "group" for keyword in node.keywords)

    def met_by_one(self, nodes, functions):
        """if rank == 0: evaluate(…), where evaluate() calls dist.all_reduce: the other processes never come."""
        meeting = {}
        for of in functions:
            guarded = [id(inner) for one in ast.walk(of) if isinstance(one, ast.If) for inner in ast.walk(one)]
            for one in ast.walk(of):
                if isinstance(one, ast.Call) and self.meets(one) and id(one) not in guarded:
                    meeting.setdefault(of.name, one)
        names = [of.name for of in functions]
        for _ in range(3) if meeting else ():  # what calls them meets as well
            for of in functions:
                for call in self.tracing.own_calls_of(of):
                    if of.name not in meeting and self.method_or_function(call) in meeting and names.count(of.name) == 1:
                        meeting[of.name] = meeting[self.method_or_function(call)]
        others = self.says(r"rank\w*(\(\))? *!= *0|rank\w* *> *0")
        told = set()
        for one in nodes:
            for statement in one.body if self.is_for_one(one) else ():
                for call in self.tracing.own_calls(statement):
                    name = self.method_or_function(call)
                    inside = meeting.get(name) if names.count(name) == 1 else None
                    if inside is not None or self.meets(call) and not others:
                        told.add(id(call))
                        self.reader.mistake(call, "a collective that one process calls", self.written(call),
                                            self.written(inside if inside is not None else call), other=inside)
        met = [one for one in self.tracing.index.calls if self.meets(one)]
        # Where the others come to a collective as well, behind a question of their own, each may be one half of a pair.
        paired = any(isinstance(of, ast.If) and (of.orelse or self.one_asked_for(of.test, False)) and ASKS_FOR_RANK.search(self.written(of.test))
                     for one in met for of in self.origins.around(one))
        for call in self.tracing.index.calls if not paired and met else ():
            name = self.method_or_function(call)
            inside = meeting.get(name) if names.count(name) == 1 else None
            test = self.for_one_alone(call) if id(call) not in told and (inside is not None or self.meets(call)) else None
            if test is not None:
                self.reader.mistake(call, "a collective that one process calls", self.written(call), self.written(
                    inside if inside is not None else call), other=test)

    @staticmethod
    def method_or_function(call):
        """The name of a function, or of a method of the same object, that is called."""
        own = isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "self"
        return call.func.attr if own else getattr(call.func, "id", "")

    def cast_by_the_batch(self, nodes):
        """with torch.autocast(images.device.type): images = images.to(device)"""
        for loop in (one for one in nodes if isinstance(one, ast.For)):
            bound = {t.id for t in ast.walk(loop.target) if isinstance(t, ast.Name)}
            for statement in loop.body:
                bound -= self.tracing.stored(statement) if not isinstance(statement, ast.With) else set()
                if not isinstance(statement, ast.With):
                    continue
                for item in statement.items:
                    call = item.context_expr
                    if not isinstance(call, ast.Call) or self.full(call.func) not in ("torch.autocast", "torch.amp.autocast"):
                        continue
                    where = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "device_type"),
                                                                None)
                    said = self.written(where) if where is not None else ""
                    name = said[:-len(".device.type")] if said.endswith(".device.type") else ""
                    if name in bound and re.search(r"\b%s\b\s*=\s*%s\.(to|cuda)\(" % (name, name),
                                                   self.reader.written_whole(statement)):
                        self.reader.mistake(statement, "an autocast of the device where the batch still lies",
                                            self.written(call), name)

    def volatile(self, nodes):
        for one in nodes:
            # A Variable that nothing imports was taken from PyTorch's autograd all the same.
            if isinstance(one, ast.Call) and (self.full(one.func).startswith("torch.") or self.written(one.func) == "Variable"):
                for keyword in one.keywords:
                    if keyword.arg == "volatile" and getattr(keyword.value, "value", None) is True:
                        self.reader.mistake(one, "volatile, which is gone", self.written(one))

    def kept_with_graph(self, nodes):
        """loss.backward(); total += loss: each round's graph hangs on the last one's."""
        for loop in (one for one in nodes if isinstance(one, (ast.For, ast.While))):
            inner = within_others(loop) | {id(one) for block in ast.walk(loop) if isinstance(block, ast.With) and re.search(
                r"no_grad|inference_mode|set_grad_enabled", self.written(block.items[0].context_expr)) for one in ast.walk(block)}
            own = [one for one in ast.walk(loop) if id(one) not in inner]
            backward = {name for one in own if isinstance(one, ast.Call) for name in self.goes_back(one)}
            backward |= self.parts_of_losses(own, backward)
            backward |= self.losses_of_functions(own)
            if backward:
                self.losses_in_a_list(own, backward)
            for one in own if backward else ():
                target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
                if not isinstance(target, (ast.Name, ast.Attribute)):
                    continue
                name = self.written(target)
                loss = next((part.id for part in self.summed(one.value) if isinstance(part, ast.Name) and part.id in backward),
                            None)
                grows = isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) or isinstance(one, ast.Assign) and any(
                    self.written(part) == name for part in self.summed(one.value))
                again = re.search(r"\b%s(\.detach_?\(|\.item\(\)\s*$|\.backward|\s*=\s*%s\.)" % ((re.escape(name),) * 2),
                                  self.reader.text)
                if loss and grows and name != loss and name not in backward and not again and not self.says(
                        r"(?m)^\s*%s\s*=\s*%s\.(detach|item|cpu|data)" % (loss, loss)):
                    self.reader.mistake(one, "a loss that is kept with its graph", self.written(one), loss)

    def goes_back(self, call):
        """The name of the loss that a call computes the gradients of, also through a scaler, a share of it, or an engine."""
        name = getattr(call.func, "attr", "")
        of = call.func.value if name == "backward" else None
        if name == "manual_backward" or isinstance(of, (ast.Name, ast.Attribute)) and re.search(r"(?i)accelerator|fabric|engine", self.written(of)):
            of = call.args[0] if call.args else None
        elif is_call(of, "scale") and len(of.args) == 1:
            of = of.args[0]
        if isinstance(of, ast.BinOp) and isinstance(of.op, ast.Div):
            of = of.left
        return [of.id] if isinstance(of, ast.Name) else []

    def kept_in_an_object(self, nodes):
        """def step(self, x): …; loss.backward(); self.total += loss, of a method that is called for each batch."""
        for of in (one for one in nodes if isinstance(one, ast.ClassDef)):
            for method in (one for one in of.body if isinstance(one, ast.FunctionDef)):
                inner = {id(each) for one in ast.walk(method) if isinstance(one, ast.With) and re.search(
                    r"no_grad|inference_mode|set_grad_enabled", self.written(one.items[0].context_expr)) or isinstance(
                        one, (ast.For, ast.While)) for each in ast.walk(one)}
                own = [one for one in ast.walk(method) if id(one) not in inner]
                backward = {name for one in own if isinstance(one, ast.Call) for name in self.goes_back(one)}
                for one in own if backward else ():
                    name = self.written(one.target) if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) else ""
                    loss = getattr(one.value, "id", "") if name.startswith("self.") else ""
                    set_here = re.search(r"%s\s*=[^=]" % re.escape(name), self.reader.written_whole(method)) if loss else None
                    if loss in backward and not set_here and not self.says(r"%s\.(detach|data\b|item\(\)\s*$|backward)|%s\s*=\s*[^\n]*(item|detach|\.data\b|float\()" % (
                            re.escape(name), re.escape(loss))):
                        self.reader.mistake(one, "a loss that is kept with its graph", self.written(one), loss, doubted=True)

    def parts_of_losses(self, own, backward):
        """The losses that a loss is the sum of: loss = first + 0.1 * second; total = sum(losses.values())."""
        made = {}
        for one in own:
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                made.setdefault(one.targets[0].id, []).append(one.value)
        parts = {name.id for loss in backward for value in made.get(loss, ()) if isinstance(value, (ast.BinOp, ast.Name)) for name in ast.walk(
            value) if isinstance(name, ast.Name) and len(made.get(name.id, ())) == 1 and self.is_loss(made[name.id][0])}
        tables = {name.id for loss in backward for value in made.get(loss, ()) for name in ast.walk(value) if isinstance(
            name, ast.Name) and re.search(r"\b%s(\.values\(|\[)" % name.id, self.written(value)) and name.id != loss}
        for one in own:
            table = one.iter.func.value if isinstance(one, ast.For) and getattr(getattr(one.iter, "func", None), "attr", "") in ("items", "values") else None
            value = one.target.elts[-1] if table is not None and isinstance(one.target, ast.Tuple) else one.target if table is not None else None
            known = self.value_of(table) if getattr(table, "id", "") in tables and isinstance(value, ast.Name) else None
            held = known.values if isinstance(known, ast.Dict) else ()
            if held and all(self.is_loss(each) for each in held):
                parts.add(value.id)
        return parts

    def losses_of_functions(self, own):
        """The names of what a function of the file gives back with its graph: loss.backward(); optimizer.step(); return loss."""
        found = set()
        for one in own:
            call = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.value, ast.Call) else None
            of = self.origins.functions_of(call.func) if call is not None else ()
            if len(of) != 1 or not isinstance(of[0], ast.FunctionDef) or of[0].decorator_list:
                continue
            inner = within_others(of[0])
            parts = [each for each in ast.walk(of[0]) if id(each) not in inner]
            returned = [each.value for each in parts if isinstance(each, ast.Return)]
            steps = {each.func.value.id for each in parts if is_call(each, "backward") and isinstance(each.func.value, ast.Name)}
            targets = one.targets[0].elts if isinstance(one.targets[0], ast.Tuple) else [one.targets[0]]
            for at, target in enumerate(targets):
                given = [each.elts[at] if isinstance(each, ast.Tuple) and len(each.elts) == len(targets) else each if len(targets) == 1 else None for each in returned]
                if isinstance(target, ast.Name) and given and all(isinstance(each, ast.Name) and each.id in steps for each in given) and not re.search(
                        r"\b%s\s*=\s*%s\.|%s\.detach_" % ((given[0].id, ) * 3), self.reader.written_whole(of[0])):
                    found.add(target.id)
        return found

    def is_loss(self, node):
        """What computes a loss with its graph, as it is written: a criterion, or a mean of what a call gives."""
        text = self.written(node)
        if not isinstance(node, ast.Call) or re.search(r"detach|item\(|float\(|\.data\b|numpy|no_grad|\.cpu\(", text):
            return False
        made = self.value_of(node.func)
        return LOSS_CALLS.match(self.full(node.func)) is not None or isinstance(made, ast.Call) and LOSS_CLASSES.match(self.full(
            made.func)) is not None or getattr(node.func, "attr", "") in ("mean", "sum") and not self.full(node.func) and any(
                isinstance(one, ast.Call) and re.match(r"(self\.)?(model|net|network)$", self.written(one.func)) for one in ast.walk(node))

    def losses_in_a_list(self, own, backward):
        """loss.backward(); history[epoch].append(loss), of a list that is made before all loops and never emptied."""
        for one in own:
            of, kept = self.kept_in(one, own)
            if of is None:
                continue
            given = kept.elts if isinstance(kept, (ast.Tuple, ast.List)) else kept.values if isinstance(kept, ast.Dict) else [kept]
            loss = next((part.id for part in given if isinstance(part, ast.Name) and part.id in backward), None)
            while isinstance(of, ast.Subscript):
                of = of.value
            if loss is None or not isinstance(of, (ast.Name, ast.Attribute)) or self.says(
                    r"(?m)^\s*%s\s*=\s*%s\.(detach|item|cpu|data)|\b%s\.detach_\(" % (loss, loss, loss)):
                continue
            loops = [outer for outer in self.origins.around(one) if isinstance(outer, (ast.For, ast.While))]
            made = [value for value in self.origins.of(of) if not (isinstance(value, Part) and value.of is one)]
            holder = self.origins.scope(one)
            returned = isinstance(of, ast.Name) and isinstance(holder, ast.FunctionDef) and any(isinstance(each, ast.Return) and each.value is not None and any(
                getattr(part, "id", "") == of.id for part in (each.value.elts if isinstance(each.value, ast.Tuple) else [each.value])) for each in ast.walk(holder))
            again = any(isinstance(value, (Part, ast.arg)) or any(loop in self.origins.around(value) for loop in loops) or not returned and len(loops) < 2 and any(
                self.is_repeated(call) for call in self.calls_of_its_function(value)) for value in made)
            name = re.escape(self.written(of))
            if made and not again and not self.says(r"maxlen|%s(\[[^\n]*\])?\.(clear|pop|popleft)\(|del %s\b|%s\[:\] *=|(sum|stack|cat|mean)\(%s[^\n]*"
                                                    r"\)\.backward\(" % ((name, ) * 4)):
                self.reader.mistake(one, "a loss that is kept with its graph", self.written(one), loss)

    def kept_in(self, one, own):
        """(losses, loss), of losses.append(loss), losses += [loss] and losses[step] = loss, where each round counts step on."""
        if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("append", "extend") and len(one.args) == 1:
            return one.func.value, one.args[0]
        if isinstance(one, ast.AugAssign) and isinstance(one.value, (ast.List, ast.Tuple)):
            return one.target, one.value
        target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
        key = getattr(target.slice, "id", "") if isinstance(target, ast.Subscript) else ""
        counts = any(isinstance(each, ast.AugAssign) and getattr(each.target, "id", "") == key for each in own)
        return (target.value, one.value) if key and counts else (None, None)

    def compiled_states(self, scopes):
        """model = torch.compile(model); torch.save(model.state_dict()): its names begin with "_orig_mod."."""
        if self.says(r"_orig_mod|removeprefix\((?!['\"]module)"):
            return
        saved, loads = None, None
        for of in scopes:
            own = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
            compiled = {self.written(one.targets[0]): one for one in ast.walk(of) if id(one) not in own and isinstance(
                one, ast.Assign) and isinstance(one.value, ast.Call) and self.full(one.value.func) == "torch.compile"}
            for one in ast.walk(of):
                if id(one) in own or not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute):
                    continue
                name = self.written(one.func.value)
                if one.func.attr == "state_dict" and name in compiled and one.lineno > compiled[name].lineno:
                    saved = saved or one
                if one.func.attr == "load_state_dict" and name not in compiled and not re.search(
                        r"opt|sched|scaler", name, re.I):
                    loads = loads or one
        if saved is None or loads is None:
            saved, loads = self.compiled_states_of_a_file()
        if saved is None or loads is None or not self.says(r"torch\.save\(") or self.are_other_files():
            return
        if self.said(self.given(loads, 1, "strict")) is not False:
            self.reader.mistake(saved, "a state of a compiled model", self.written(saved), self.written(saved.func.value), other=loads)
        else:
            apart = self.origins.scope(saved) is not None
            self.reader.mistake(loads if apart else saved, "a state of a compiled model that nothing takes", self.written(saved),
                                self.written(loads), other=saved if apart else loads)

    def are_other_files(self):
        """Whether the script loads none of the files that it saves, all of which it names."""
        calls = self.tracing.index.calls
        saved, loaded = ([self.said(self.given(one, at, "f")) for one in calls if self.full(one.func) == name]
                         for name, at in (("torch.save", 1), ("torch.load", 0)))
        return bool(saved and loaded) and all(isinstance(one, str) for one in saved + loaded) and not set(saved) & set(loaded)

    def compiled_states_of_a_file(self):
        """The state of a compiled model that one function saves, and the call of another that loads the file into a plain one."""
        calls, saves = self.tracing.index.calls, []
        for call in calls:
            if self.full(call.func) != "torch.save" or not (len(call.args) > 1 or self.word(call, "f") is not None):
                continue
            state = next((inner for part in [call.args[0]] + self.origins.known(call.args[0]) for inner in ast.walk(part) if is_call(
                inner, "state_dict") and self.made_by(inner.func.value, "torch.compile") is not None), None)
            if state is not None:
                saves.append((state, self.given(call, 1, "f")))
        for call in calls if saves else ():
            made = self.origins.of(call.func.value, True) if is_call(call, "load_state_dict") and call.args else ()
            if not made or not all(isinstance(one, ast.Call) for one in made) or self.made_by(call.func.value, "torch.compile") is not None or any(
                    self.full(one.func).startswith("torch.optim") for one in made):
                continue
            within = self.origins.scope(call)
            files = [one.args[0] for one in calls if self.full(one.func) == "torch.load" and one.args and self.origins.scope(one) is within]
            state = next((state for state, path in saves for of in files if self.is_same_file(path, of)), None)
            if state is not None and len(files) == 1:
                return state, call
        return None, None

    def parallel_states(self):
        """torch.save(ddp.state_dict(), path), and plain.load_state_dict(torch.load(path), strict=False), which takes nothing of it."""
        if self.says(r"\.module\b|module\.['\"]|removeprefix|consume_prefix|unwrap|\.lstrip\(|\[7:\]|replace\(|hasattr\("):
            return
        calls, kinds = self.tracing.index.calls, DDP_OF_TORCH + ("torch.nn.DataParallel", )
        loads = [one for one in calls if is_call(one, "load_state_dict") and one.args and self.said(self.given(one, 1, "strict")) is False]
        saves = [one for one in calls if loads and self.full(one.func) == "torch.save" and len(one.args) > 1]
        for call in loads:
            made = self.origins.of(call.func.value, True)
            if not made or not all(isinstance(one, ast.Call) for one in made) or self.made_by(call.func.value, *kinds) is not None:
                continue
            within = self.origins.scope(call)
            files = [one.args[0] for one in calls if self.full(one.func) == "torch.load" and one.args and self.origins.scope(one) is within]
            written = [one for one in saves if len(files) == 1 and self.is_same_file(one.args[1], files[0])]
            state = [inner for one in written for part in [one.args[0]] + self.origins.known(one.args[0]) for inner in ast.walk(part) if is_call(
                inner, "state_dict") and not re.search(r"opt|sched|scaler", self.written(inner.func.value), re.I)]
            if len(written) == 1 and state and all(self.made_by(one.func.value, *kinds, surely=True) is not None for one in state):
                return self.mistake(call, "a state of a parallel model that nothing takes", self.written(state[0]), other=state[0])

    def is_same_file(self, one, other):
        """Whether both say the same path: the same text, or a name or member of the same values."""
        said = self.said(one)
        if isinstance(said, str):
            return said == self.said(other)
        # args.checkpoint of two functions is one option.
        first, second = ({self.written(made) if isinstance(made, ast.Attribute) and self.origins.calls_of_option(made.attr) else id(
            made) for made in self.origins.known(path)} for path in (one, other))
        return bool(first) and first == second

    def copied_to_host(self, nodes):
        """host.copy_(features, non_blocking=True), of a pinned buffer that is read with nothing that waits."""
        waits = self.says(r"synchronize|wait_stream|wait_event|\.wait\(|\.item\(\)|\.query\(")
        pinned = {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and isinstance(
            one.value, ast.Call) and self.full(one.value.func).startswith("torch.") and (
                re.search(r"pin_memory=True", self.written(one.value)) and "device=" not in self.written(one.value))}
        pinned |= {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and isinstance(
            one.value, ast.Subscript) and self.written(one.value.value) in pinned}
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "copy_" and any(
                    k.arg == "non_blocking" and getattr(k.value, "value", None) is True for k in one.keywords):
                of = one.func.value
                while isinstance(of, ast.Subscript):
                    of = of.value
                if waits and self.written(of) in pinned | self.pinned_members():
                    read = self.read_at_once(one, self.written(of))
                    if read is not None:
                        self.reader.mistake(one, "a copy to the host that nobody waits for", self.written(one), other=read)
                elif self.written(of) in pinned:
                    read = next((later for later in nodes if isinstance(later, ast.Call) and later.lineno > one.lineno and any(
                        self.written(part) == self.written(of) for part in [later.func] + later.args + [
                            getattr(later.func, "value", None)] if part is not None)), None)
                    self.reader.mistake(one, "a copy to the host that nobody waits for", self.written(one), other=read)

    def pinned_members(self):
        """What is assigned torch.empty(…, pin_memory=True), or torch.empty(…).pin_memory()."""
        return {name for name, values in self.tracing.index.assigned.items() if all(isinstance(one, ast.Call) and (
            self.said(self.word(one, "pin_memory")) is True or is_call(one, "pin_memory")) for one in values)}

    def read_at_once(self, copy, name, deepest=2):
        """Where the statements behind a copy compute with what it fills, before one that may wait for it; also where its function is called."""
        before = copy
        for outer in self.origins.around(copy):
            for body in (getattr(outer, field, None) for field in ("body", "orelse", "finalbody")):
                if not isinstance(body, list) or before not in body:
                    continue
                for one in body[body.index(before) + 1:]:
                    text = self.reader.written_whole(one)
                    if re.search(r"synchroni[sz]e|wait|\.done\b|query\(|\.item\(|\.cpu\(|\.tolist\(|asnumpy|float\(", text) or isinstance(
                            one, (ast.FunctionDef, ast.ClassDef, ast.Break, ast.Continue, ast.Raise)):
                        return None
                    found = next((node for node in ast.walk(one) if self.computes_with(node, name)), None)
                    if found is not None:
                        return found
                    if isinstance(one, ast.Return):
                        given_back = one.value is not None and self.written(one.value) == name and deepest > 0
                        return next((read for read in map(lambda call: self.read_of_result(call, deepest - 1), self.calls_of_its_function(
                            one)) if read is not None), None) if given_back else None
                    if any(isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store) and self.written(node) == name
                           for node in ast.walk(one)):
                        return None
            if not isinstance(outer, (ast.With, ast.Expr, ast.Assign)):
                return None
            before = outer
        return None

    def calls_of_its_function(self, node):
        function = self.origins.scope(node)
        return [site.call for site in self.origins.sites(function)] if isinstance(function, ast.FunctionDef) else []

    def read_of_result(self, call, deepest):
        """Where what a call gives back is computed with at once."""
        by = self.origins.parents.get(id(call))
        if isinstance(by, ast.Assign) and isinstance(by.targets[0], (ast.Name, ast.Attribute)):
            return self.read_at_once(call, self.written(by.targets[0]), deepest)
        return by if by is not None and self.computes_with(by, self.written(call)) else None

    def computes_with(self, node, name):
        """host.mean(), numpy.sum(host), host * 2: not a call that may only keep it."""
        names = (name, name + ".numpy()")
        if isinstance(node, ast.Call):
            method = isinstance(node.func, ast.Attribute) and node.func.attr in OF_ARRAYS and self.written(node.func.value) in names
            return method or self.full(node.func).startswith("numpy.") and any(self.written(one) in names for one in node.args)
        return isinstance(node, ast.BinOp) and (self.written(node.left) in names or self.written(node.right) in names)

    def streams_apart(self, nodes):
        """with torch.cuda.stream(side): …, whose results are used with nothing that waits for them."""
        if not self.says(r"stream"):
            return None
        others = re.sub(r"current_stream\([^()]*\)\.synchronize\(\)", "", self.reader.text)  # waits for what came before
        behind = [call for call in self.tracing.index.calls if is_call(call, "wait_stream") and call.args and self.made_by(
            call.args[0], "torch.cuda.current_stream") is not None]  # the other stream waits, and nobody waits for it
        if behind and others.count("wait_stream") == len(behind):
            others = others.replace("wait_stream", "")
        once = sum(self.written(part).count("synchronize") for of in self.tracing.index.functions if of.name in ("__init__", "__iter__")
                   for part in of.body if not isinstance(part, (ast.For, ast.While))) + self.waited_before(nodes)  # before any batch
        if re.search(r"wait_stream|wait_event|record_event|\.wait\(|CUDAGraph|cuda\.graph|\.query\(", others) or others.count(
                "synchronize") > once:
            return None
        for one in nodes:
            for item in one.items if isinstance(one, ast.With) else ():
                call = item.context_expr
                if isinstance(call, ast.Call) and self.full(call.func) == "torch.cuda.stream" and any(
                        isinstance(inner, ast.Assign) for inner in one.body) and not (behind and not self.read_elsewhere(one, nodes)):
                    gives = next((part for part in nodes if isinstance(part, ast.Yield) and part.lineno > one.lineno), None)
                    return self.reader.mistake(one, "a stream that nobody waits for", self.written(call), other=gives)
        return None

    def waited_before(self, nodes):
        """How often a function or the file waits before its first loop, and before it names what copies on another stream."""
        aside = [self.origins.scope(one) for one in nodes if isinstance(one, ast.With) and any(
            "stream(" in self.written(item.context_expr) for item in one.items)]
        names = {getattr(each, "name", "") for one in aside if one is not None for each in [one] + list(self.origins.around(one))}
        found = 0
        for of in nodes:
            if not isinstance(of, (ast.FunctionDef, ast.Module)) or getattr(of, "name", "") in ("__init__", "__iter__") or not any(
                    isinstance(part, (ast.For, ast.While)) for part in of.body):
                continue
            for part in of.body:
                if isinstance(part, (ast.For, ast.While)) or not isinstance(part, (ast.FunctionDef, ast.ClassDef)) and any(
                        getattr(one, "id", getattr(one, "attr", None)) in names or isinstance(one, ast.With) and self.origins.scope(
                            one) in aside for one in ast.walk(part)):
                    break
                if isinstance(part, ast.Expr):
                    found += self.written(part).count("synchronize")
        return found

    def read_elsewhere(self, block, nodes):
        """Whether what a block on another stream assigns is read where that stream is not the current one."""
        made = {self.written(target) for one in block.body if isinstance(one, ast.Assign) for whole in one.targets for target in ast.walk(whole)
                if isinstance(target, (ast.Name, ast.Attribute)) and isinstance(target.ctx, ast.Store)}
        aside = {id(inner) for one in nodes if isinstance(one, ast.With) and any("stream" in self.written(item.context_expr) for item in one.items)
                 for part in one.body for inner in ast.walk(part)}
        return any(isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load) and one.lineno != block.lineno and id(
            one) not in aside and self.written(one) in made and (isinstance(one, ast.Attribute) or self.origins.scope(one) is self.origins.scope(block))
                   for one in nodes)

    def profiled(self, nodes):
        """A schedule of the profiler goes on with prof.step()."""
        for one in nodes:
            for item in one.items if isinstance(one, ast.With) else ():
                entered, name = item.context_expr, item.optional_vars
                call = self.made_by(entered, "torch.profiler.profile", surely=True)
                scheduled = call and self.said(self.word(call, "schedule"), call) is not None and self.word(call, "schedule")
                if scheduled and isinstance(name, ast.Name) and not self.says(r"\b%s\.step\(" % name.id) and not any(
                        isinstance(inner, ast.Call) and any(getattr(a, "id", "") == name.id for a in inner.args)
                        for inner in ast.walk(one)):
                    self.reader.mistake(call, "a schedule that no step moves on", name.id, other=scheduled)
                elif scheduled and name is None and (entered is call or self.is_only_entered(entered, nodes)):
                    # Nothing else holds the profiler, so that nothing can step it.
                    self.reader.mistake(call, "a schedule that no step moves on", "prof" if entered is call else self.written(entered), other=scheduled)

    def is_only_entered(self, entered, nodes):
        """Whether all that reads this name or attribute is a with, start() or stop(), or asks for what was recorded."""
        said, last = self.written(entered), getattr(entered, "attr", getattr(entered, "id", None))
        if last is None or self.says(r"\bgetattr\(|\bvars\("):
            return False
        for one in nodes:
            if getattr(one, "attr", getattr(one, "id", None)) == last and isinstance(one, (ast.Name, ast.Attribute)):
                by = self.origins.parents.get(id(one))
                if not (isinstance(one.ctx, ast.Store) or self.written(one) == said and isinstance(by, ast.withitem) or isinstance(
                        by, ast.Attribute) and by.attr in ("start", "stop", "key_averages", "export_chrome_trace", "events")):
                    return False
        return True

    def clipped_shards(self, nodes):
        """torch.nn.utils.clip_grad_norm_ of a model of FSDP, each process of which has a part of each gradient."""
        wrappers = re.compile(r"torch\.distributed\.(\w+\.)*FullyShardedDataParallel$")
        wrapped = {one.arg for one in nodes if isinstance(one, ast.arg) and one.annotation is not None and self.full(
            one.annotation).endswith(".FullyShardedDataParallel")}
        for one in nodes:
            if isinstance(one, ast.Call) and self.full(one.func) in CLIPS and one.args and isinstance(one.args[0], ast.Call):
                of = getattr(one.args[0].func, "value", None)
                if of is not None and getattr(one.args[0].func, "attr", "") == "parameters" and (self.written(of) in wrapped or self.made_by(
                        of, wrappers, surely=True) is not None):
                    self.reader.mistake(one, "a norm of one process's part", self.written(one), self.written(of))

    def wide_mask(self, nodes):
        """scores.masked_fill(mask, -1e9) where autocast makes half precision of them."""
        half = any(isinstance(one, ast.Call) and self.full(one.func) in (
            "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast") and not self.says(r"bfloat16|enabled=False")
            for one in nodes)
        short = set()  # names of what is surely in half precision
        for one in nodes if not half else ():
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                said = self.written(one.value)
                names = {name.id for name in ast.walk(one.value) if isinstance(name, ast.Name)}
                made = re.search(r"dtype=torch\.(float16|half)\b|\.half\(\)", said) and self.says(r"cuda") and not re.search(
                    r"float32|bool|\bint|long", said)
                product = isinstance(one.value, ast.BinOp) and names & short
                short = short | {one.targets[0].id} if made or product else short - {one.targets[0].id} if not names & short else short
        for one in nodes if half or short else ():
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("masked_fill", "masked_fill_") and len(
                    one.args) == 2 and not self.widened(one) and (half or self.written(one.func.value) in short):
                number = self.said(one.args[1])
                least = re.match(r"torch\.finfo\((torch\.(float32|float)|)\)\.(min|max)$", self.written(self.value_of(one.args[1]).operand if isinstance(
                    self.value_of(one.args[1]), ast.UnaryOp) else self.value_of(one.args[1])))
                if type(number) in (int, float) and 65504 < abs(number) < float("inf") or least:
                    self.reader.mistake(one, "a number that half precision doesn't hold", self.written(one.args[1]))

    def widened(self, call):
        """Whether the function that a call stands in, or a class around it, makes float32 of something."""
        around = [of for of in self.origins.around(call) if isinstance(of, (ast.FunctionDef, ast.ClassDef))]
        return any(".float()" in self.reader.written_whole(of) for of in around) if around else self.says(r"\.float\(\)")

    def summed(self, node):
        """The parts of a sum, each also where it is multiplied; a choice gives those of its ways."""
        if isinstance(node, ast.IfExp):
            return self.summed(node.body) + self.summed(node.orelse)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult, ast.Div)):
            return self.summed(node.left) + self.summed(node.right)
        return [node]

    def half_weights(self, nodes):
        """from_pretrained(torch_dtype=torch.float16) and TrainingArguments(fp16=True): the scaler refuses such gradients."""
        if not self.says(r"Trainer\(") or not self.says(r"\.train\(") or self.says(
                r"peft|load_in_|quantization|(model|net|\bp|params?|data|modules?)\w*\.float\(\)|\.to\((dtype *= *)?torch\.float32|LoraConfig|deepspeed|fsdp"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "from_pretrained":
                kind = next((k.value for k in one.keywords if k.arg in ("torch_dtype", "dtype")), None)
                half = kind is not None and (self.full(kind) in ("torch.float16", "torch.half") or
                                             getattr(kind, "value", None) == "float16")
                scaled = next((k for call in nodes if isinstance(call, ast.Call) for k in call.keywords if k.arg == "fp16" and
                               getattr(k.value, "value", None) is True), None)
                if half and scaled is not None:
                    return self.reader.mistake(one, "weights in half precision under a scaler", self.written(kind),
                                               other=scaled.value)
            trained = self.halved_for_trainer(one) if isinstance(one, ast.Call) else None
            if trained is not None:
                return self.reader.mistake(trained[0], "weights in half precision under a scaler", self.written(trained[0]), other=trained[1])
        return None

    def halved_for_trainer(self, call):
        """(model.half(), fp16=True), of Trainer(model, args) whose model comes from one and whose args say the other."""
        if not re.match(r"transformers\.(Seq2Seq)?Trainer$", self.full(call.func)):
            return None
        model, settings = self.given(call, 0, "model"), self.made_by(
            self.given(call, 1, "args"), re.compile(r"transformers\.(Seq2Seq)?TrainingArguments$"), surely=True)
        scaled = self.word(settings, "fp16") if settings is not None else None
        made = self.origins.wrappers_of(model) if model is not None and scaled is not None and self.said(scaled) is True else []
        half = [one for one in made if isinstance(one.func, ast.Attribute) and (one.func.attr == "half" and not one.args or one.func.attr == "to" and any(
            self.full(kind) in ("torch.float16", "torch.half") for kind in one.args + [k.value for k in one.keywords if k.arg == "dtype"]))]
        wide = any(isinstance(one.func, ast.Attribute) and one.func.attr in ("float", "bfloat16", "double", "to") and one not in half for one in made)
        alone = model is not None and len(self.origins.known(model, True)) == 1
        return (half[0], scaled) if half and not wide and alone and not any(self.in_branch(one) for one in half) else None

    # ---- CuPy

    def device_named(self, nodes):
        """cupy.cuda.Device(1).use, without its brackets."""
        for one in nodes:
            of = one.value if isinstance(one, ast.Expr) else None
            if isinstance(of, ast.Attribute) and of.attr in ("use", "synchronize") and isinstance(
                    of.value, ast.Call) and self.full(of.value.func).startswith("cupy.cuda."):
                self.reader.mistake(of, "a method that is named and not called", self.written(of))

    def copied_from_cupy(self, nodes):
        """array.get(blocking=False), with nothing that waits."""
        waits = self.says(r"synchronize|\.done\b")
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("get", "asnumpy") and any(
                    k.arg == "blocking" and getattr(k.value, "value", None) is False for k in one.keywords):
                host = next((k.value for k in one.keywords if k.arg == "out"), None)
                reads = next((name for name in nodes if isinstance(name, ast.Name) and name.id == getattr(
                    host, "id", None) and name.lineno > one.lineno), None)
                if host is None and isinstance(self.origins.parents.get(id(one)), ast.Assign):  # host = array.get(blocking=False)
                    host = self.origins.parents[id(one)].targets[0]
                if waits:
                    reads = self.read_at_once(one, self.written(host)) if host is not None else None
                    if reads is None:
                        continue
                self.reader.mistake(one, "a copy to the host that nobody waits for", self.written(one), other=reads)

    # ---- ONNX Runtime

    def options_of_providers(self, nodes):
        """("CUDAExecutionProvider", {"gpu_memory_limit": n}), of which one is a slip: the session goes on without the provider."""
        for one in nodes:
            if isinstance(one, ast.Tuple) and len(one.elts) == 2 and self.said(one.elts[0]) == "CUDAExecutionProvider":
                options = self.value_of(one.elts[1])
                for key in options.keys if isinstance(options, ast.Dict) else ():
                    said = getattr(key, "value", None)
                    near = difflib.get_close_matches(said, OPTIONS_OF_CUDA, 1, 0.7) if isinstance(said, str) and said not in OPTIONS_OF_CUDA else None
                    if near:
                        self.reader.mistake(key, "an option that a provider lacks", said, near[0], other=one)

    def processor_first(self, nodes):
        """providers=["CPUExecutionProvider", "CUDAExecutionProvider"]: the first that can takes a node."""
        def first_is_cpu(of):
            return any(isinstance(one, ast.Constant) and one.value == "CPUExecutionProvider" for one in ast.walk(of))

        def first(of):
            tried = isinstance(of, ast.Tuple) and of in tried_in_turn
            return (tried or isinstance(of, ast.List)) and of.elts and first_is_cpu(of.elts[0])

        made = {self.written(one.targets[0]): one.value for one in nodes if isinstance(one, ast.Assign) and isinstance(
            one.value, ast.Tuple)}

        def gpu(of):
            of = made.get(self.written(of), of)
            return any(isinstance(one, ast.Constant) and isinstance(one.value, str) and
                       one.value.endswith("ExecutionProvider") and ON_GPU.search(one.value) for one in ast.walk(of))

        if not self.says(r"InferenceSession"):
            return
        # [one for one in WANTED if one in available]
        tried_in_turn = [made[name] for name in {self.written(part.iter) for one in nodes if isinstance(one, ast.ListComp)
                                                 for part in one.generators} if name in made]
        names = {}
        given = any(k.arg == "providers" for one in nodes if isinstance(one, ast.Call) for k in one.keywords)
        for one in nodes:
            if first(one) and any(gpu(rest) for rest in one.elts[1:]):
                self.reader.mistake(one.elts[0], "a session whose processor comes first", self.written(one))
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and re.match(r"\w+Providers?$", one.value) and \
                    one.value not in PROVIDERS:
                near = difflib.get_close_matches(one.value, PROVIDERS, 1, 0.7)
                if near:
                    self.reader.mistake(one, "a provider that ONNX Runtime lacks", one.value, near[0])
            if isinstance(one, ast.Call) and self.full(one.func) == "onnxruntime.InferenceSession" and len(one.args) < 3 and \
                    not any(k.arg in ("providers", None) or k.arg not in OF_SESSIONS for k in one.keywords) and self.says(
                        r"CUDAExecutionProvider|get_device\(\) *== *['\"]GPU") and not given and not self.says(r"set_providers"):
                self.reader.mistake(one, "a session that is given no provider", self.written(one))
            if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "sorted" and not one.keywords and one.args and re.search(
                    r"[pP]rovider|WANTED|EPS?\b", self.written(one.args[0])) and self.says(r"['\"]CUDAExecutionProvider") and self.says(
                        r"['\"]CPUExecutionProvider"):
                self.reader.mistake(one, "a session whose processor comes first", self.written(one))
            given = self.word(one, "providers") if isinstance(one, ast.Call) and self.full(one.func) == "onnxruntime.InferenceSession" else None
            if isinstance(given, ast.Call) and getattr(given.func, "id", "") == "sorted" and not given.keywords and not self.says(
                    r"discard\(['\"]CPU|remove\(['\"]CPU|!= *['\"]CPUExec"):
                self.reader.mistake(given, "a session whose processor comes first", self.written(given))
            if isinstance(one, ast.Assign) and first(one.value) and len(one.value.elts) == 1:
                names.update({self.written(target): one for target in one.targets})
        for one in nodes:
            begins = self.lengthened(one)
            listed = names.get(self.written(begins[0])) if begins is not None and gpu(begins[1]) else None
            if listed is not None:
                self.reader.mistake(one, "a session whose processor comes first", self.written(listed.value), other=listed)

    def lengthened(self, one):
        """(names, item), of names.append(item), names.extend([item]), names += [item] and names + [item]."""
        if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("append", "extend") and len(one.args) == 1:
            return one.func.value, one.args[0]
        if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add):
            return one.target, one.value
        return (one.left, one.right) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add) else None

    # ---- TensorFlow and Keras

    def loss_unscaled(self, nodes):
        """mixed_float16 in a loop of one's own, whose loss nobody scales."""
        if self.says(r"scale_loss|scaled_loss|loss_scale\b|def train_step\(self|\.compile\(") or any(
                is_call(one, "fit") and not any(isinstance(of, ast.FunctionDef) for of in self.origins.functions_of(one.func)) for one in nodes):
            return
        policy = next((one for one in nodes if isinstance(one, ast.Call) and one.args and getattr(
            one.args[0], "value", None) == "mixed_float16" and self.full(one.func).rsplit(".", 1)[-1] in POLICIES or isinstance(
                one, ast.Call) and self.full(one.func).endswith(".LossScaleOptimizer")), None)
        applies = any(isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("apply_gradients", "apply")
                      for one in nodes)
        if policy is None or not applies or not self.says(r"GradientTape"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "gradient" and len(one.args) > 1:
                return self.reader.mistake(one, "a loss in half precision that nobody scales", self.written(one), other=policy)

    def mean_of_replica(self, nodes):
        """strategy.run(step): its optimizers add up the gradients of all replicas, each of a mean of its own."""
        if self.says(r"compute_average_loss|/ *(\w+\.)*num_replicas|get_replica_context|all_reduce") or re.search(
                r"ReduceOp\.MEAN", re.sub(r"\.reduce\((\w+\.)?distribute\.ReduceOp\.MEAN", "", self.reader.text)):
            return
        found = set()
        for call in self.tracing.index.calls:
            if getattr(call.func, "attr", "") not in ("run", "experimental_run_v2") or not call.args or not (
                    "strategy" in self.written(call.func).lower() or self.made_by(call.func.value, STRATEGIES_OF_TF) is not None):
                continue
            for of in self.origins.functions_of(call.args[0]):
                text = self.reader.written_whole(of)
                if re.search(r"\.(apply_gradients|apply|minimize)\(", text):
                    found.update(self.means_of(of))
        for one in sorted(found, key=lambda one: one.lineno):
            self.reader.mistake(one, "a mean of one replica that is added up", self.written(one))

    def means_of(self, of):
        """The means whose gradients a function asks for, also through functions of the file."""
        for call in calls_in([of]):
            asked = self.given(call, 0, "target") if getattr(call.func, "attr", "") == "gradient" else self.given(
                call, 0, "loss") if getattr(call.func, "attr", "") == "minimize" else None
            for source in self.origins.of(asked):
                for one in self.added(source):
                    for made in self.origins.of(one):
                        if isinstance(made, ast.Call) and (self.full(made.func) in MEAN_LOSSES or self.mean_of_keras(made)):
                            yield made

    def added(self, node):
        """The parts of a sum."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.added(node.left) + self.added(node.right)
        return [node]

    def mean_of_keras(self, call):
        """loss_fn(y, model(x)), where loss_fn = keras.losses.MeanSquaredError() takes the mean itself."""
        made = self.made_by(call.func, LOSSES_OF_KERAS, surely=True) if not self.full(call.func) else None
        return made is not None and not made.args and self.word(made, "reduction") is None and not any(k.arg is None for k in made.keywords)

    def slow_cells(self, nodes):
        """LSTM(…, recurrent_dropout=0.2): cuDNN has no such cell."""
        for one in nodes:
            if isinstance(one, ast.Call) and re.match(r"(tensorflow\.)?keras\.(\w+\.)*(LSTM|GRU)$", self.full(one.func)):
                for keyword in one.keywords:
                    value = self.said(keyword.value)
                    slow = keyword.arg == "recurrent_dropout" and isinstance(value, float) and value > 0 or \
                        keyword.arg == "recurrent_activation" and isinstance(value, str) and value != "sigmoid" or \
                        keyword.arg == "unroll" and value is True or keyword.arg == "activation" and value in (
                            "relu", "sigmoid", "elu", "selu", "gelu", "linear")
                    if slow:
                        self.reader.mistake(keyword.value, "a cell that cuDNN lacks", self.full(one.func).rsplit(".", 1)[-1],
                                            "%s=%s" % (keyword.arg, self.written(keyword.value)))
                        break

    def cached_for_ever(self, nodes):
        """ds.repeat().cache(): an endless dataset never fits."""
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "cache" and isinstance(one.func, ast.Attribute):
                endless = self.endless(one.func.value, 12)
                if endless is not None and not (self.in_branch(one) and self.in_branch(endless)):
                    self.reader.mistake(one, "a cache of what never ends", self.written(one), other=endless)

    def endless(self, node, deepest):
        """The call of repeat() that makes a dataset endless, also by other names and through functions."""
        for one in self.origins.of(node) if deepest > 0 else ():
            if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute) or self.full(one.func) or one.func.attr in (
                    "take", "take_while", "zip"):
                continue
            count = self.given(one, 0, "count") if one.func.attr == "repeat" else one
            if count is None or one.func.attr == "repeat" and self.said(count, 0) in (None, -1):
                return one
            found = self.endless(one.func.value, deepest - 1)
            if found is not None:
                return found
        return None

    # ---- JAX and Numba

    def gradients_of_one(self, functions):
        """A function of pmap that updates with gradients that no device shares."""
        for of in functions:
            traced = self.tracing.decorated_by(of, "jax.pmap")
            if (not traced or "axis_name" not in self.reader.written_whole(of.decorator_list[0])) and not self.is_mapped_by_name(of):
                continue
            gradients = {}
            for one in ast.walk(of):
                if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Call):
                    made = self.full(one.value.func.func)
                    if made in ("jax.value_and_grad", "jax.grad"):
                        target = one.targets[0]
                        last = target.elts[-1] if isinstance(target, ast.Tuple) and made == "jax.value_and_grad" else target
                        if isinstance(last, ast.Name):
                            gradients[last.id] = one
            shared = {name.id for one in ast.walk(of) if isinstance(one, ast.Call) and self.full(one.func) in (
                "jax.lax.pmean", "jax.lax.psum") for argument in one.args[:1] for name in ast.walk(argument)
                if isinstance(name, ast.Name)}
            shared |= {name.id for one in ast.walk(of) if isinstance(one, ast.Call) and re.search(
                r"p(mean|sum)\b", self.written(one)) for name in ast.walk(one) if isinstance(name, ast.Name)} if self.says(
                    r"tree\.map|tree_map") else set()
            for one in ast.walk(of):
                if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("update", "apply_gradients"):
                    given = [a for a in one.args[:1]] + [k.value for k in one.keywords if k.arg == "grads"]
                    for name in given:
                        if isinstance(name, ast.Name) and name.id in gradients and name.id not in shared:
                            self.reader.mistake(one, "gradients that the devices don't share", name.id,
                                                other=gradients[name.id])

    def is_mapped_by_name(self, of):
        """self.update = jax.pmap(self._update, axis_name="cards"), of what lies on all devices alike, and shares no gradients."""
        calls = [one for one in self.tracing.index.calls if self.full(one.func) == "jax.pmap" and one.args and (
            len(one.args) > 1 or self.word(one, "axis_name") is not None)]
        if not any(to is of for one in calls for to in self.origins.functions_of(one.args[0])) or not self.says(r"replicat") or self.says(
                r"GradientTransformation|optax\.stateless"):
            return False
        averaged = [one for one in ast.walk(of) if isinstance(one, ast.Call) and re.search(r"\bp(mean|sum)\b", self.written(one.func))]
        inner = within_others(of)
        # Updates or parameters may be averaged instead of gradients, or the loss before its gradient is taken.
        told_alone = all(id(one) not in inner and one.args and re.search(r"loss|metric|acc|value|err", self.written(one.args[0]))
                         for one in averaged)
        bound = [name.id for one in ast.walk(of) if isinstance(one, ast.Assign) for target in one.targets for name in ast.walk(target)
                 if isinstance(name, ast.Name)]
        replaced = any("grad" in name and bound.count(name) > 1 for name in bound)
        return told_alone and not replaced and not self.gradients_given_on(of)

    def gradients_given_on(self, of):
        """Whether a function gives gradients to another of the file, which may average them."""
        return any(re.search(r"grad", self.written(given)) and isinstance(to, ast.FunctionDef) for call in calls_in(of.body)
                   for given in call.args for to in self.origins.functions_of(call.func))

    def dropped_copies(self, nodes):
        """array.copy_to_host(), as a statement."""
        for one in nodes:
            of = one.value if isinstance(one, ast.Expr) else None
            if isinstance(of, ast.Call) and getattr(of.func, "attr", "") == "copy_to_host" and not of.args and not of.keywords:
                self.reader.mistake(of, "a copy to the host that is dropped", self.written(of))

    def copied_each_time(self, nodes, functions):
        """kernel[blocks, threads](array) in a loop, of arrays that lie on the host."""
        if self.says(r"to_device|device_array|as_cuda_array|cupy|pinned_array|mapped_array|managed_array|torch"):
            return
        host = re.compile(r"numpy\.(zeros|ones|empty|full|arange|linspace|random\.\w+|zeros_like|ones_like|array|load)$")

        def of_host(node, seen=()):
            """Whether an array comes from NumPy alone, also as a copy of another."""
            values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Attribute)) else []
            return bool(values) and all(
                isinstance(one, ast.Call) and (host.match(self.full(one.func)) is not None or is_call(one, "copy") and (
                    one in seen or of_host(one.func.value, seen + (one, )))) for one in values)

        kernels = {of.name for of in functions if any(self.full(one.func if isinstance(one, ast.Call) else one) ==
                                                      "numba.cuda.jit" for one in of.decorator_list)}
        arrays = {self.written(target) for one in nodes if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and
                  host.match(self.full(one.value.func)) for target in one.targets}
        arrays |= {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and getattr(
            one.value.func, "attr", "") == "copy" and self.written(one.value.func.value) in arrays}
        makers = {of.name for of in functions if re.search(r"\b(np|numpy)\.(zeros|ones|empty|full|random)", self.reader.written_whole(of))}
        arrays |= {name.id for one in nodes if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and getattr(
            one.value.func, "id", "") in makers for name in ast.walk(one.targets[0]) if isinstance(name, ast.Name)}
        loops = [one for one in nodes if isinstance(one, (ast.For, ast.While)) and self.tracing.repeats(one)]
        self.copied_by_a_method(functions, loops, kernels, of_host)
        for loop in loops:
            bound = {name for statement in loop.body if not self.swaps(statement) for name in self.tracing.stored(statement)}
            for call in (one for statement in loop.body for one in ast.walk(statement) if isinstance(one, ast.Call)):
                if isinstance(call.func, ast.Subscript) and getattr(call.func.value, "id", "") in kernels and any(
                        (self.written(one) in arrays or of_host(one)) and not self.tracing.binds(bound, self.written(one)) or
                    isinstance(one, ast.Attribute) and self.written(one) in arrays for one in call.args):
                    self.reader.mistake(call, "arrays that a kernel copies in each round", self.written(call))

    def copied_by_a_method(self, functions, loops, kernels, of_host):
        """def step(self): kernel[blocks, threads](self.a, self.b), in a loop that calls self.step()."""
        called = {of for loop in loops for call in calls_in(loop.body) for of in self.origins.functions_of(call.func)}
        for of in functions:
            for call in calls_in(of.body) if of in called or any(getattr(call.func, "attr", "") == of.name for loop in loops for call in
                                                                 calls_in(loop.body)) else ():
                if isinstance(call.func, ast.Subscript) and getattr(call.func.value, "id", "") in kernels and any(
                        of_host(one) and all(self.origins.scope(made) is not of for made in self.origins.of(one)) for one in call.args):
                    self.reader.mistake(call, "arrays that a kernel copies in each round", self.written(call))

    @staticmethod
    def swaps(statement):
        """a, b = b, a"""
        pair = statement.targets[0] if isinstance(statement, ast.Assign) else None
        return isinstance(pair, ast.Tuple) and isinstance(statement.value, ast.Tuple) and sorted(
            map(ast.dump, statement.value.elts)) == sorted(ast.dump(one).replace("Store()", "Load()") for one in pair.elts)
