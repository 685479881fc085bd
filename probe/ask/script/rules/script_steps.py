"""Steps that exclude each other, come too often or are never taken, read from the statements of a file as they stand;
for the reader of scripts."""

# Each may be called once in a process, and raises from then on.
ONCE_IN_A_PROCESS = ("torch.set_num_interop_threads", "torch.multiprocessing.set_start_method",
                     "multiprocessing.set_start_method", "jax.distributed.initialize")
# What gives a context, which counts only where it is entered.
CHOOSES_BY_ENTERING = ("cupy.cuda.Device", "torch.cuda.device", "jax.default_device")
ENTERED_CONTEXTS = ("cupy.cuda.Device", "torch.cuda.device", "torch.no_grad", "torch.inference_mode", "torch.autocast",
                    "torch.amp.autocast", "torch.cuda.stream", "tensorflow.device", "jax.default_device", "numba.cuda.gpus",
                    "jax.default_matmul_precision", "cupy.cuda.Stream", "numba.cuda.pinned", "numba.cuda.mapped",
                    "numba.cuda.defer_cleanup")
# What with enters, by full names and by names of methods, and what it would enter in vain.
WITH_ENTERS = re.compile(r"torch\.(no_grad|inference_mode|enable_grad|set_grad_enabled|autocast|amp\.autocast|cuda\.amp\.autocast|device|"
                        r"cuda\.(device|stream|graph)|nn\.attention\.sdpa_kernel|backends\.cuda\.sdp_kernel|profiler\.(profile|record_function)|"
                        r"random\.fork_rng)$|tensorflow\.(device|GradientTape)$|cupy\.cuda\.(Device|Stream)$|"
                        r"jax\.(default_device|default_matmul_precision|disable_jit|debug_nans|enable_x64|transfer_guard|profiler\.trace)$")
# What does nothing before it is called, and needs no argument.
CALLED_FOR_EFFECT = re.compile(
    r"torch\.(cuda|mps|xpu|accelerator)\.(synchronize|empty_cache|ipc_collect|init|reset_peak_memory_stats|reset_accumulated_memory_stats)$|"
    r"torch\.(distributed\.(barrier|destroy_process_group)|compiler\.reset|_dynamo\.reset|compiler\.cudagraph_mark_step_begin)$|"
    r"jax\.(effects_barrier|clear_caches|distributed\.initialize)$|numba\.cuda\.(synchronize|close|syncthreads|syncwarp)$|gc\.collect$|"
    r"cupy\.cuda\.(runtime\.deviceSynchronize|Stream\.null\.synchronize)$|(tensorflow\.)?keras\.backend\.clear_session$|"
    r"tensorflow\.(test\.experimental\.sync_devices|keras\.backend\.clear_session)$|horovod\.torch\.(init|shutdown)$")
CALLED_METHODS = ("block_until_ready", "synchronize", "free_all_blocks", "wait_for_everyone", "zero_grad", "empty_cache")
# What gives a new object at each call, and of what one object equals no other.
NEW_WHEN_CALLED = re.compile(r"torch\.(device|Generator|(nn|optim)\.[A-Z]\w+|cuda\.(Stream|Event))$|tensorflow\.distribute\.(experimental\.)?\w+Strategy$|"
                             r"cupy\.cuda\.(Device|Stream)$|(tensorflow\.)?keras\.(layers|optimizers|losses)\.[A-Z]\w+$")
COMPARED_BY_IDENTITY = re.compile(r"torch\.(nn|optim)\.[A-Z]\w+$|tensorflow\.distribute\.(experimental\.)?\w+Strategy$|"
                                  r"(tensorflow\.)?keras\.(layers|optimizers|losses)\.[A-Z]\w+$")
MAPS_OVER_LEAVES = ("jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map", "torch.utils._pytree.tree_map")


SIZES_BY_NAME = re.compile(r"(\w+_)?(size|batch|batch_size|width|depth|length|len|dim|seq|seqlen|n|b|rank|tokens|context|resolution|count|rows|side)$")


class Steps(TorchSteps, KeptGraphs, TensorFlowSteps):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        self.once(nodes, functions)
        self.not_entered(nodes)
        self.one_of_two_contexts(nodes)
        self.named_alone(nodes)
        self.compared_with_a_new_one(nodes)
        self.loops_own_name(nodes)
        self.highest_of_all(nodes)
        self.highest_so_far(nodes)
        self.highest_of_jax(nodes)
        if {"torch", "accelerate", "transformers"} & roots:
            self.kept_by_hook(functions)
            self.checkpoint_of_input(nodes)
            self.checkpoints_that_evaluate(nodes)
            self.launched_late(nodes)
            self.states_of_one(nodes)
            scopes = functions + [node for node in nodes if isinstance(node, ast.Module)]
            self.small_eps(scopes)
            self.beside_buffers(nodes)
            self.current_alone(nodes)
            self.first_of_parallel(nodes)
            self.loaded_where_saved(nodes, functions)
            self.cast_of_the_cpu(nodes)
            self.two_kinds_of_switches(nodes)
            self.begun_or_there(nodes)
            self.again_in_handler(functions)
            self.optimizer_before_shards(scopes)
            self.same_for_all_workers(nodes)
            self.steps_of_parts(nodes)
            self.two_precisions(nodes)
            self.cast_behind_the_model(nodes)
            self.graphs_that_pile_up(nodes)
            self.graphs_of_validation(functions)
            self.totals_that_are_drawn(functions)
            self.kept_of_recorded(nodes)
            self.updated_for_many(functions)
            self.mean_with_graph(nodes)
            self.mean_of_what_has_no_backward(nodes)
            self.objects_without_device(nodes)
            self.replaced_unmoved(nodes)
            self.released_by_name(functions)
            self.average_in_few_digits(nodes)
            self.layout_of_one_image(nodes)
            self.divided_twice(nodes)
            self.map_turned_round()
            self.moved_before_its_gpu()
            self.switches_of_workers()
            self.dropped_fields(nodes)
            self.transforms_as_modules()
        if "tensorflow" in roots:
            self.halves_of_no_optimization(nodes)
            self.parts_without_limit(nodes)
            self.parts_that_nothing_uses(nodes)
            self.first_before_the_question(nodes)
            self.growth_and_parts(nodes)
            self.options_of_grappler(nodes)
            self.growth_of_one(nodes)
            self.growth_of_a_flag(nodes)
            self.second_of_one(nodes)
            self.limit_of_another_backend(nodes)
        if {"jax", "tensorflow"} & roots:
            self.traced_each_time(nodes)
        if "jax" in roots:
            self.waited_for_late(functions)
            self.compiled_at_each_call(nodes, functions)
        if "numba" in roots:
            self.clock_of_launches(nodes)
        if "onnxruntime" in roots:
            self.built_or_used(nodes)

    # ---- all frameworks

    def once(self, nodes, functions):
        """for fold in folds: configure(), where configure() calls torch.set_num_interop_threads."""
        calls, callers = {}, {}
        makers = {id(part): of.name for of in nodes if isinstance(of, ast.ClassDef) for part in of.body
                  if getattr(part, "name", "") in ("__init__", "__post_init__")}  # who makes an object calls them
        for of in functions:
            inner, called = within_others(of), makers.get(id(of), of.name)
            for one in ast.walk(of):
                if isinstance(one, ast.Call) and id(one) not in inner:
                    if self.full(one.func) in ONCE_IN_A_PROCESS and not self.caught(of, one):
                        calls[called] = one
                    if not self.caught(of, one):
                        callers.setdefault(getattr(one.func, "id", ""), set()).add(called)
        names = [makers.get(id(of), of.name) for of in functions]
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
            for call in calls_in(parts):
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

    def compared_with_a_new_one(self, nodes):
        """if device is torch.device("cpu"), or strategy == tf.distribute.OneDeviceStrategy(…): an object that is made here is no other."""
        for one in nodes:
            if not isinstance(one, ast.Compare) or len(one.ops) != 1 or not isinstance(one.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
                continue
            names = [self.full(side.func) if isinstance(side, ast.Call) else "" for side in (one.left, one.comparators[0])]
            form = NEW_WHEN_CALLED if isinstance(one.ops[0], (ast.Is, ast.IsNot)) else COMPARED_BY_IDENTITY
            if any(name and form.match(name) for name in names):
                self.mistake(one, "a comparison with what is made for it", "False" if isinstance(one.ops[0], (ast.Is, ast.Eq)) else "True", doubted=False)

    def not_entered(self, nodes):
        """cupy.cuda.Device(1), as a statement."""
        for one in nodes:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
                made = self.context_of(one.value)
                if made is not None:
                    self.reader.mistake(one.value, "a context that is not entered", self.written(made), other=made)
            elif isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) and isinstance(
                    one.value, ast.Call) and self.is_left(one.targets[0]):
                made = self.context_of(one.value)
                if made is not None and self.full(made.func) in CHOOSES_BY_ENTERING and made.args and not isinstance(made.args[0], ast.Constant):
                    self.reader.mistake(one.value, "a context that is not entered", self.written(made), other=made)
            elif isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Attribute) and isinstance(
                    one.value, ast.Call):
                made = self.context_of(one.value)
                if made is not None and self.full(made.func) in CHOOSES_BY_ENTERING and made.args and getattr(
                        made.args[0], "value", None) != 0 and self.is_kept_in_vain(one):
                    self.reader.mistake(one.value, "a context that is not entered", self.written(made), other=made)

    def is_kept_in_vain(self, statement):
        """self.device = cupy.cuda.Device(gpu), which nobody reads, before arrays that are made in the same function."""
        target = statement.targets[0]
        if self.says(r"\.use\(|set_device|setDevice|enter_context|getattr\(|__dict__|vars\("):
            return False
        for one in self.origins.nodes:
            if isinstance(one, ast.Attribute) and one.attr == target.attr and isinstance(one.ctx, ast.Load):
                outer = self.origins.parents.get(id(one))
                if not isinstance(outer, ast.Attribute) or outer.attr != "id":
                    return False
        scope = self.origins.scope(statement)
        roots = ("cupy.", ) if "cupy" in self.full(statement.value.func) else ("torch.", "jax.")
        return isinstance(scope, ast.FunctionDef) and any(
            call.lineno > statement.lineno and self.full(call.func).startswith(roots) and ".cuda." not in self.full(call.func)
            for call in calls_in(scope.body))

    def one_of_two_contexts(self, nodes):
        """with torch.no_grad() and torch.autocast("cuda"): an object is true, so that `and` gives the second alone."""
        for one in nodes:
            if not isinstance(one, ast.BoolOp) or not self.is_context(one.values[0]):
                continue
            lost = one.values[0] if isinstance(one.op, ast.And) else one.values[1]
            if isinstance(one.op, ast.And) or self.is_context(lost):
                self.reader.mistake(one, "a context in the place of another", self.written(one), self.written(lost), other=lost)

    def is_context(self, node):
        """Whether all that an expression gives is a context that with could enter."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("no_sync", "scope") and not node.args:
            return not self.full(node.func)
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Call) and WITH_ENTERS.match(self.full(one.func)) for one in values)

    def loops_own_name(self, nodes):
        """for t in self.tensors(): t = t.to(device), where a dataclass of tensors lists its fields: they stay where they are."""
        for loop in nodes:
            if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or not loop.body:
                continue
            last, name = loop.body[-1], loop.target.id
            call = last.value if isinstance(last, ast.Assign) and self.written(last.targets[0]) == name else None
            if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") not in ("to", "cuda", "cpu") or self.written(
                    call.func.value) != name or loop.orelse or not self.gives_tensors(loop.iter):
                continue
            scope = self.origins.scope(loop) or nodes[0]
            if any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) and one.lineno > last.lineno for one in ast.walk(scope)):
                continue
            if not any(event.get("name") == "a loop's own name that is moved" and event.get("line") == last.lineno for event in self.reader.events):
                self.reader.mistake(last, "a loop's own name that is moved", self.written(last), other=loop)

    def gives_tensors(self, node):
        """Whether a loop over this goes through fields of a class that are annotated as tensors, and nothing else."""
        values = self.origins.of(node)
        return bool(values) and all(self.lists_tensors(one) for one in values)

    def lists_tensors(self, one):
        if isinstance(one, (ast.List, ast.Tuple)):
            return bool(one.elts) and all(isinstance(part, ast.Attribute) and self.is_field_of_tensor(part) for part in one.elts)
        if not isinstance(one, (ast.ListComp, ast.GeneratorExp)) or len(one.generators) != 1:
            return False
        of, over = one.elt, one.generators[0]
        if not is_call_of(of, "getattr", 2) or self.written(of.args[0]) != "self" or over.ifs:
            return False
        own = next((outer for outer in self.origins.around(one) if isinstance(outer, ast.ClassDef)), None)
        listed = re.match(r"((dataclasses\.)?fields\(self\)|self\.__dataclass_fields__|self\.__annotations__|vars\(self\)|self\.__dict__)$", self.written(over.iter))
        kinds = [part.annotation for part in own.body if isinstance(part, ast.AnnAssign)] if own is not None and listed else []
        return bool(kinds) and all(self.full(kind) == "torch.Tensor" for kind in kinds)

    def is_field_of_tensor(self, one):
        own = self.origins.owner(one)
        return own is not None and any(isinstance(part, ast.AnnAssign) and self.written(part.target) == one.attr and self.full(
            part.annotation) == "torch.Tensor" for part in own.body)

    # ---- what is named and not called

    def named_alone(self, nodes):
        """self.sync, where self.sync = torch.cuda.synchronize; also in a conditional expression, a list or a lambda that is mapped."""
        probed = {id(inner) for one in nodes if isinstance(one, ast.Try) and any(
            handler.type is None or re.search(r"AttributeError|\bException|NameError", self.written(handler.type)) for handler in one.handlers)
                  for part in one.body for inner in ast.walk(part)}
        for one in nodes:
            if not isinstance(one, ast.Expr) or id(one) in probed:
                continue
            for named in self.left_over(one.value):
                what = self.to_be_called(named)
                if what is None:
                    continue
                at = named if isinstance(named, (ast.Name, ast.Attribute)) else what
                written = self.written(at)
                if any(event.get("line") == at.lineno and event.get("name", "").endswith("that is named and not called")
                       for event in self.reader.events):
                    continue
                kind = "wait" if written.endswith("block_until_ready") else "method"
                self.reader.mistake(at, "a %s that is named and not called" % kind, written)

    def left_over(self, value):
        """The expressions of a statement whose values nobody takes."""
        if isinstance(value, ast.IfExp):
            return self.left_over(value.body) + self.left_over(value.orelse)
        if isinstance(value, ast.BoolOp):
            return self.left_over(value.values[-1])
        if isinstance(value, (ast.List, ast.Tuple)):
            return [one for part in value.elts for one in self.left_over(part)]
        if isinstance(value, ast.ListComp):
            return self.left_over(value.elt)
        if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Lambda) and (
                self.full(value.func) or self.written(value.func)) in MAPS_OVER_LEAVES:
            return self.left_over(value.args[0].body)
        return [value]

    def to_be_called(self, named):
        """The function that an expression names, or gives as its result, and that should have been called; None: none."""
        if isinstance(named, ast.Call):  # sync(), where sync = lambda: torch.cuda.synchronize
            if self.full(named.func):
                return None
            values = [one for one in self.origins.of(named) if isinstance(one, ast.Attribute)]
            return next((one for one in values if self.is_effect(one)), None)
        if not isinstance(named, (ast.Name, ast.Attribute)):
            return None
        if self.is_effect(named):
            return named
        return next((one for one in self.origins.of(named) if one is not named and self.is_effect(one)), None)

    def is_effect(self, one):
        """Whether an expression is a function that is called for its effect alone, with no argument that it needs."""
        if isinstance(one, (ast.Name, ast.Attribute)):
            full = self.full(one)
            if full:
                return CALLED_FOR_EFFECT.match(full) is not None
            own = any(isinstance(of, ast.FunctionDef) and of.name == getattr(one, "attr", "") for of in self.origins.nodes)
            return isinstance(one, ast.Attribute) and one.attr in CALLED_METHODS and not own
        if isinstance(one, ast.Lambda):
            return not one.args.args and isinstance(one.body, ast.Call) and self.is_effect(one.body.func)
        if isinstance(one, ast.FunctionDef) and not one.decorator_list:
            needed = len(one.args.args) - len(one.args.defaults) - int(isinstance(self.origins.scope(one), ast.ClassDef))
            return needed <= 0 and any(isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and CALLED_FOR_EFFECT.match(
                self.full(part.value.func)) for part in ast.walk(one))
        return False

    def context_of(self, call):
        """What a call makes that a with would have to enter, itself or as the result of a function of the file that enters none."""
        if self.full(call.func) in ENTERED_CONTEXTS:
            return call
        if is_call(call, "scope") and not call.args and self.made_by(call.func.value, STRATEGIES_OF_TF) is not None:
            return call
        called = [of for of in self.origins.functions_of(call.func) if isinstance(of, ast.FunctionDef)]
        if not called or any(re.search(r"\.use\(|__enter__|enter_context|\bwith\b|set_device", self.near(of)) for of in called):
            return None
        values = self.origins.of(call)
        return values[0] if values and all(isinstance(one, ast.Call) and self.full(one.func) in CHOOSES_BY_ENTERING for one in values) else None

    def is_left(self, target):
        """Whether all that reads a name asks for its number, or prints it."""
        scope = self.origins.scope(target)
        if scope is None or isinstance(scope, ast.ClassDef):
            return False
        reads = [one for one in ast.walk(scope) if isinstance(one, ast.Name) and one.id == target.id and one is not target]
        by = [self.origins.parents.get(id(one)) for one in reads]
        asked = any(isinstance(one, ast.Attribute) and one.attr != "id" for one in by)
        if asked and not any(call.lineno > target.lineno and (re.match(r"(cupy|torch|jax)\.(?!cuda\.)", self.full(call.func)) or self.origins.functions_of(
                call.func)) for call in calls_in(getattr(scope, "body", []) if isinstance(getattr(scope, "body", None), list) else [])):
            return False  # it is made to tell about a GPU, and nothing is computed
        return all(isinstance(one, ast.FormattedValue) or isinstance(one, ast.Attribute) and one.attr in (
            "id", "pci_bus_id", "mem_info", "attributes", "compute_capability") or isinstance(one, ast.Call) and getattr(
                one.func, "id", "") == "print" for one in by)

    def highest_so_far(self, nodes):
        """for size in sorted(sizes, reverse=True): probe.measure(size), a method that reads the peak and resets nothing."""
        if self.says(RESETS_PEAK) or self.says(r"multiprocessing|subprocess|ProcessPool|reset_peak|empty_stats"):
            return None
        for loop in nodes:
            over = loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter if isinstance(
                loop, (ast.ListComp, ast.DictComp)) else None
            if over is None or not self.falls(over):
                continue
            for call in calls_in(loop.body if isinstance(loop, ast.For) else [loop]):
                if self.reads_peak(call) and self.goes_through_sizes(loop, over) and not any(e.get("name") == "a peak of memory that is never reset" for e in self.reader.events):
                    return self.mistake(call, "a peak of memory that is never reset", other=over)
                for of in self.origins.functions_of(call.func):
                    peak = next((one for one in ast.walk(of) if self.reads_peak(one)), None) if isinstance(of, ast.FunctionDef) else None
                    if peak is not None and not any(e.get("name") == "a peak of memory that is never reset" for e in self.reader.events):
                        return self.mistake(peak, "a peak of memory that is never reset", other=over)
        return None

    def goes_through_sizes(self, loop, over):
        """for batch in sorted(batches, reverse=True), not a walk back over steps or files, where a peak so far may be meant."""
        target = getattr(loop, "target", None)
        return isinstance(target, ast.Name) and SIZES_BY_NAME.match(target.id) is not None and not is_call_of(self.value_of(over), "reversed", 1)

    def reads_peak(self, node):
        """torch.cuda.max_memory_allocated(), or get_memory_info(…) of which the peak is taken."""
        if not isinstance(node, ast.Call):
            return False
        name = self.full(node.func)
        if name.endswith("config.experimental.get_memory_info"):
            of = self.origins.parents.get(id(node))
            scope = self.origins.scope(node)
            if isinstance(of, ast.Assign) and scope is not None:
                return re.search(r"\b%s\[['\"]peak['\"]\]" % re.escape(self.written(of.targets[0])), self.reader.written_whole(scope)) is not None
            return isinstance(of, ast.Subscript) and "peak" in self.written(of.slice)
        return name == "torch.cuda.max_memory_allocated"

    def falls(self, over):
        """Whether a loop goes through sizes of which a later one is smaller than one before."""
        made = self.value_of(over)
        if isinstance(made, ast.Call) and getattr(made.func, "id", "") == "reversed":
            return True
        if isinstance(made, ast.Call) and getattr(made.func, "id", "") == "sorted":
            return any(k.arg == "reverse" and self.said(k.value) is True for k in made.keywords)
        numbers = [self.said(one) for one in made.elts] if isinstance(made, (ast.List, ast.Tuple)) else []
        return bool(numbers) and all(type(one) in (int, float) for one in numbers) and any(
            later < before for before, later in zip(numbers, numbers[1:]))

    def highest_of_all(self, nodes):
        """for size in (256, 128): …; peaks.append(torch.cuda.max_memory_allocated())"""
        for loop in nodes:
            if not isinstance(loop, ast.For) or not isinstance(loop.iter, (ast.Tuple, ast.List)) or re.search(RESETS_PEAK, self.near(loop)):
                continue
            for one in (one for part in loop.body for one in ast.walk(part)):
                of = one.value if isinstance(one, ast.Subscript) and "peak" in self.written(one.slice) else one
                if isinstance(of, ast.Call) and (self.full(of.func) == "torch.cuda.max_memory_allocated" or of is not one and
                                                 self.full(of.func).endswith(".get_memory_info")):
                    return self.mistake(one, "a peak of memory that is never reset", other=loop.iter)
        return None

    def highest_of_jax(self, nodes):
        """for run in (small, large): …; device.memory_stats()["peak_bytes_in_use"], which JAX never resets."""
        if not self.says(r"memory_stats\(") or not self.says(r"peak_bytes_in_use") or self.says(
                r"multiprocessing|subprocess|ProcessPool|os\.fork|so.far|running|submitit|(peak\w*|\)|\]) - \w*(peak|before|base|start)"):
            return
        for loop in nodes:
            over = loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter if isinstance(loop, (ast.ListComp, ast.DictComp)) else None
            made = self.value_of(over) if over is not None else None
            if made is None or not isinstance(made, (ast.Tuple, ast.List)) and not self.falls(over) or re.search(r"(?i)dev|gpu|phase|stage|step|epoch", self.written(
                    loop.target if isinstance(loop, ast.For) else loop.generators[0].target)):
                continue
            sizes = [self.said(one) for one in getattr(made, "elts", ())]
            if len(sizes) < 2 and not self.falls(over) or all(type(one) in (int, float) for one in sizes) and not self.falls(over):
                continue  # each is at least as large as the one before, and so is its peak
            peak = self.peak_of_jax(loop.body if isinstance(loop, ast.For) else [loop], 3)
            if peak is not None:
                return self.mistake(peak, "a peak that JAX never resets", other=over)

    def peak_of_jax(self, body, deepest):
        """Where memory_stats()["peak_bytes_in_use"] is read in these statements, or in what they call."""
        for part in body:
            for one in ast.walk(part):
                key = one.slice if isinstance(one, ast.Subscript) else one.args[0] if is_call(one, "get") and one.args else None
                if key is not None and self.said(getattr(key, "value", key) if type(key).__name__ == "Index" else key) == "peak_bytes_in_use":
                    return one
        for call in calls_in(body) if deepest else ():
            for of in self.origins.functions_of(call.func):
                peak = self.peak_of_jax(of.body, deepest - 1) if isinstance(of, ast.FunctionDef) else None
                if peak is not None:
                    return peak
        return None

    # ---- ONNX Runtime

    def built_or_used(self, nodes):
        """if onnxruntime.get_device() == "GPU": it tells how the package was built."""
        if self.says(r"get_providers\(\)"):
            return
        self.available_or_used(nodes)
        if self.says(r"get_available_providers"):
            return
        for one in nodes:
            if isinstance(one, ast.Compare) and any(isinstance(part, ast.Call) and self.full(part.func) == "onnxruntime.get_device"
                                                    for part in [one.left] + one.comparators):
                self.mistake(one, "a build that is taken for its use")

    def available_or_used(self, nodes):
        """session = InferenceSession(…); if "CUDAExecutionProvider" not in get_available_providers(): raise …"""
        for of in (one for one in nodes if isinstance(one, (ast.FunctionDef, ast.Module))):
            made = None
            for one in of.body:
                test = one.test if isinstance(one, ast.Assert) or isinstance(one, ast.If) and isinstance(
                    one.body[-1], ast.Raise) and not one.orelse else None
                asked = next((call for call in ast.walk(test) if isinstance(call, ast.Call) and self.full(call.func) ==
                              "onnxruntime.get_available_providers"), None) if test is not None and made is not None else None
                if asked is not None and re.search(r"(CUDA|Tensorrt|ROCM|MIGraphX)ExecutionProvider", self.written(test)):
                    self.mistake(asked, "providers that are there and may not be used", other=made)
                if isinstance(one, ast.Assign):
                    made = next((call for call in ast.walk(one.value) if isinstance(call, ast.Call) and self.full(call.func) ==
                                 "onnxruntime.InferenceSession"), made)
