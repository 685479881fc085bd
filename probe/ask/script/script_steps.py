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
MAPS_OVER_LEAVES = ("jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map", "torch.utils._pytree.tree_map")
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

SIZES_BY_NAME = re.compile(r"(\w+_)?(size|batch|batch_size|width|depth|length|len|dim|seq|seqlen|n|b|rank|tokens|context|resolution|count|rows|side)$")
GRAPPLER = "tensorflow.config.optimizer.set_experimental_options"
# What TensorFlow 2.21 reads of them (eager/context.py).
OPTIONS_OF_GRAPPLER = ("auto_mixed_precision auto_mixed_precision_mkl auto_mixed_precision_onednn_bfloat16 layout_optimizer constant_folding "
                       "shape_optimization remapping arithmetic_optimization dependency_optimization loop_optimization function_optimization "
                       "debug_stripper disable_model_pruning scoped_allocator_optimization pin_to_host_optimization implementation_selector "
                       "use_plugin_optimizers disable_meta_optimizer min_graph_nodes auto_parallel").split()


# Transforms of torchvision's first kind that are plain objects, and what only a module has.
PLAIN_TRANSFORMS = re.compile(r"torchvision\.transforms\.(transforms\.)?(Compose|ToTensor|PILToTensor|ToPILImage|Lambda|RandomOrder|RandomChoice)$")
OF_MODULES = ("to", "cuda", "cpu", "eval", "train", "half", "parameters", "modules", "requires_grad_", "state_dict")


class Steps(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        self.once(nodes, functions)
        self.not_entered(nodes)
        self.one_of_two_contexts(nodes)
        self.named_alone(nodes)
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

    # ---- PyTorch

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

    def graphs_that_pile_up(self, nodes):
        """for …: k = key(x); bank.append(k), of which everything else reads k.detach(): no backward pass frees its activations."""
        if self.says(r"requires_grad|grad_enabled|autograd\.|create_graph|lightning|Trainer\(|checkpoint\("):
            return
        trains = self.says(r"\.backward\(")
        for loop in (one for one in nodes if isinstance(one, ast.For)):
            if self.without_gradients(loop) or trains and not any(is_call(one, "backward") for one in calls_in(loop.body)):
                continue
            stored = self.stored_in(loop)
            for one in (one for part in loop.body for one in ast.walk(part)):
                name = one.targets[0] if isinstance(one, ast.Assign) else None
                if not isinstance(name, ast.Name) or stored.count(name.id) != 1 or not isinstance(one.value, ast.Call) or not self.is_model(
                        one.value.func) or self.without_gradients(one):
                    continue
                reads = [read for part in loop.body for read in ast.walk(part) if isinstance(read, ast.Name) and read.id == name.id and
                         isinstance(read.ctx, ast.Load)]
                kept = [(read, self.keeps(read, stored)) for read in reads]
                call = next((call for _, call in kept if call is not None), None)
                if call is not None and all(call is not None or self.goes_nowhere(read) for read, call in kept):
                    self.mistake(call, "graphs that no backward pass frees", name.id, self.written(one.value.func), other=one)

    @staticmethod
    def stored_in(loop):
        return [one.id for part in [loop.target] + loop.body for one in ast.walk(part) if isinstance(one, ast.Name) and isinstance(
            one.ctx, ast.Store)]

    def without_gradients(self, node):
        """Whether torch.no_grad() or the like is around it."""
        quiet = re.compile(r"no_grad|inference_mode|grad_enabled")
        return any(isinstance(one, ast.With) and any(quiet.search(self.written(item.context_expr)) for item in one.items) or isinstance(
            one, ast.FunctionDef) and any(quiet.search(self.written(by)) for by in one.decorator_list) for one in self.origins.around(node))

    def goes_nowhere(self, read):
        """Whether what reads a tensor takes no part in its graph: x.detach(), x.shape, or under torch.no_grad()."""
        outer = self.origins.parents.get(id(read))
        return isinstance(outer, ast.Attribute) and outer.attr in (
            "detach", "data", "shape", "size", "dtype", "device", "ndim", "item", "tolist") or self.without_gradients(read) or isinstance(
                outer, ast.Call) and getattr(outer.func, "id", "") in ("len", "print")

    def keeps(self, read, stored):
        """The call that appends a tensor to a list of outside, itself or in a method of the file; None: there is none."""
        call = self.origins.parents.get(id(read))
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or read not in call.args:
            return None
        if call.func.attr in ("append", "appendleft"):
            of = call.func.value
            return call if isinstance(of, (ast.Name, ast.Attribute)) and self.written(of) not in stored and self.never_joined(of) else None
        for of in self.origins.functions_of(call.func):
            at = call.args.index(read) + 1
            given = of.args.args[at].arg if isinstance(of, ast.FunctionDef) and len(of.args.args) > at else None
            for inner in calls_in(of.body) if given and not self.without_gradients(of.body[0]) else ():
                if getattr(inner.func, "attr", "") in ("append", "appendleft") and [self.written(one) for one in inner.args] == [
                        given] and self.never_joined(inner.func.value):
                    return call
        return None

    def never_joined(self, of):
        """Whether all that reads a list either takes no gradient or changes the list."""
        name = of.id if isinstance(of, ast.Name) else of.attr
        made = self.origins.of(of)
        short = any(isinstance(one, ast.Call) and self.origins.constant(self.word(one, "maxlen"), 99) in range(9) for one in made)
        for one in self.origins.nodes if not short else ():
            if getattr(one, "attr", getattr(one, "id", "")) != name or not isinstance(getattr(one, "ctx", None), ast.Load):
                continue
            outer = self.origins.parents.get(id(one))
            if isinstance(outer, ast.Attribute) and outer.attr == "clear":
                return False
            if isinstance(outer, ast.Call) and one in outer.args and getattr(outer.func, "id", "") not in ("len", "print") and not any(
                    isinstance(around, ast.Attribute) and around.attr in ("detach", "numpy", "data") for around in self.origins.around(one)
            ) and not self.without_gradients(one):
                return False
        return not short

    def graphs_of_validation(self, functions):
        """model.eval(); for …: losses.append(criterion(model(x), y)), with no torch.no_grad()."""
        if not self.says(r"\.backward\("):
            return
        for of in functions:
            text = self.reader.written_whole(of)
            decorated = " ".join(self.written(one) for one in of.decorator_list)
            if not re.search(r"\.eval\(\)", text) or re.search(
                    r"no_grad|inference_mode|set_grad_enabled|backward|\.train\(", text + decorated):
                continue
            for loop in (one for one in ast.walk(of) if isinstance(one, ast.For)):
                losses = {one.targets[0].id for one in loop.body if isinstance(one, ast.Assign) and isinstance(
                    one.targets[0], ast.Name) and isinstance(one.value, ast.Call) and re.search(
                        r"loss|crit|cross_entropy", self.written(one.value.func)) and not re.search(
                            r"item\(|detach|cpu\(", self.written(one.value))}
                for call in calls_in(loop.body):
                    given = [a for a in call.args] + [k.value for k in call.keywords]
                    if getattr(call.func, "attr", "") in ("append", "add") and any(getattr(a, "id", "") in losses for a in given):
                        self.mistake(call, "graphs that a validation keeps", other=loop.iter)

    def kept_of_recorded(self, nodes):
        """kept.append(fast(x)), where fast is compiled with mode="reduce-overhead": the next call overwrites it."""
        if self.says(r"cudagraph_mark_step_begin") or not self.says(r"reduce-overhead"):
            return
        # What is handed to a function under a name of a model's.
        models = {one.arg for of in nodes if isinstance(of, ast.FunctionDef) for one in of.args.args if re.match(
            r"(model|net|network|policy|encoder|backbone|module)$", one.arg)}

        def is_recorded(func):
            made = self.made_by(func, "torch.compile")
            return made is not None and self.said(self.word(made, "mode")) == "reduce-overhead" or self.written(func) in models

        rounds = [of for of in nodes if isinstance(of, ast.FunctionDef) and any(self.repeated(site.call) for site in self.origins.sites(of))]
        for loop in [one for one in nodes if isinstance(one, (ast.For, ast.While))] + rounds:  # or what a loop calls
            if any(getattr(one.func, "attr", "") in ("item", "cpu", "tolist", "numpy") for one in calls_in(loop.body)) or re.search(
                    r"\.clone\(|deepcopy|copy_\(", self.near(loop)) or loop in rounds and any(self.local_list(one) for one in calls_in(loop.body)):
                continue
            results = {name.id for one in loop.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and is_recorded(
                one.value.func) for name in ast.walk(one.targets[0]) if isinstance(name, ast.Name)}
            for call in (one for part in loop.body for one in ast.walk(part)):
                given = call.args[0] if is_call(call, "append") and call.args else call.value.elts[0] if isinstance(
                    call, ast.AugAssign) and isinstance(call.value, ast.List) and call.value.elts else None
                if getattr(given, "id", "") in results or isinstance(given, ast.Call) and is_recorded(given.func):
                    self.mistake(call, "an output that the next call overwrites", other=loop)
        for one in nodes:
            if isinstance(one, ast.ListComp) and isinstance(one.elt, ast.Call) and is_recorded(one.elt.func) and self.written(
                    one.elt.func) not in models:
                self.mistake(one, "an output that the next call overwrites", other=one.generators[0].iter)

    def repeated(self, call):
        """Whether a call stands in a loop of its function or file."""
        return any(isinstance(one, (ast.For, ast.While, ast.ListComp)) for one in self.origins.around(call) if self.origins.scope(
            one) is self.origins.scope(call))

    def local_list(self, call):
        """Whether what a call appends to is a list that its own function makes anew."""
        of = call.func.value if is_call(call, "append") else None
        return isinstance(of, ast.Name) and any(self.origins.scope(one) is self.origins.scope(call) and isinstance(
            one, ast.Assign) for one in self.origins.statements_of(of))

    def updated_for_many(self, functions):
        """scaler.step() in a function that a loop calls, and scaler.update() once behind the loop."""
        if not self.says(r"scaler\w*\.update\("):
            return
        steps = set()
        for of in functions:
            text = self.reader.written_whole(of)
            if re.search(r"scaler\w*\.(step|unscale_)\(", text) and not re.search(r"scaler\w*\.update\(", text):
                steps.add(of.name)
        for of in functions:
            loops = [one for one in of.body if isinstance(one, (ast.For, ast.While))]
            for loop in loops:
                calls = {self.written(one.func).rsplit(".", 1)[-1] for part in loop.body for one in ast.walk(part) if isinstance(one, ast.Call)}
                later = of.body[of.body.index(loop) + 1:]
                for one in calls_in(later):
                    if calls & steps and re.search(r"scaler\w*\.update$", self.written(one.func)):
                        self.mistake(one, "an update of the scaler for many steps", other=loop)

    def mean_with_graph(self, nodes):
        """def update(self, loss): self.value = 0.9 * self.value + 0.1 * loss, of a loss that has its graph."""
        if not self.says(r"\.backward\(|def training_step\("):
            return
        # What Lightning differentiates: what a step gives back.
        steps = [one for one in nodes if isinstance(one, ast.FunctionDef) and one.name == "training_step"]
        given_back = {id(one): {self.written(back.value) for back in ast.walk(one) if isinstance(back, ast.Return) and isinstance(
            back.value, ast.Name)} for one in steps}
        in_step = {id(call): given_back[id(one)] for one in steps for call in ast.walk(one) if isinstance(call, ast.Call)}
        for of in nodes:
            for method in of.body if isinstance(of, ast.ClassDef) else ():
                if not isinstance(method, ast.FunctionDef) or method.name not in ("update", "add", "__call__", "push", "step", "log"):
                    continue
                given = {one.arg for one in method.args.args[1:]}
                if not given or re.search(r"detach|item\(|float\(|no_grad|tolist", self.reader.written_whole(method)):
                    continue
                for one in ast.walk(method):
                    target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
                    if not isinstance(target, ast.Attribute) or not isinstance(one.value, (ast.BinOp, ast.Name)):
                        continue
                    names = {name.id for name in ast.walk(one.value) if isinstance(name, ast.Name)} & given
                    again = isinstance(one, ast.AugAssign) or self.written(target) in self.written(one.value)
                    handed = [call for call in nodes if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == method.name and
                              call.args and re.match(r"(\w*_)?loss$", self.written(call.args[0])) and (self.written(
                                  call.args[0]) in in_step.get(id(call), ()) or re.search(
                                      r"\b%s\.backward\(" % re.escape(self.written(call.args[0])), self.reader.text))]
                    if names and again and handed:
                        self.mistake(one, "a loss that is kept with its graph", sorted(names)[0], other=handed[0])

    def mean_of_what_has_no_backward(self, nodes):
        """self.value = 0.9 * self.value + 0.1 * x, in a meter that is given a tensor of the model's output, loop after loop."""
        if not self.says(r"\.backward\(") or self.says(r"set_grad_enabled\(False|inference_mode"):
            return
        for of in nodes:
            for method in of.body if isinstance(of, ast.ClassDef) and not of.bases else ():
                if not isinstance(method, ast.FunctionDef) or method.name.startswith("__") and method.name != "__call__" or method.decorator_list:
                    continue
                given = {one.arg for one in method.args.args[1:]}
                for loop in ast.walk(method):  # for name, value in values.items()
                    if isinstance(loop, ast.For) and re.match(r"\w+\.(items|values)\(\)$", self.written(loop.iter)):
                        given |= {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
                for one in ast.walk(method):
                    kept = self.grows_with(one, given)
                    if kept is None or re.search(r"\b%s = .*\b%s\b|self\.\w+(\.\w+)* = .*self\.\w+\.detach|no_grad" % (kept, kept), self.reader.written_whole(method)):
                        continue
                    target = one.target if isinstance(one, ast.AugAssign) else one.targets[0]
                    target = target.value if isinstance(target, ast.Subscript) else target
                    handed = self.handed_with_graph(method, kept) if self.is_read_as_number(target.attr, one) else None
                    if handed is not None and self.is_kept_over(handed) and not any(event.get("name") == "a loss that is kept with its graph" for event in self.reader.events):
                        self.mistake(one, "a loss that is kept with its graph", kept, other=handed)

    def is_read_as_number(self, name, statement):
        """Whether all that reads an attribute of this name prints it, or takes its number: nothing goes backward through it."""
        own = {id(one) for one in ast.walk(statement)}
        for one in self.origins.nodes:
            if not isinstance(one, ast.Attribute) or one.attr != name or not isinstance(one.ctx, ast.Load) or id(one) in own:
                continue
            if self.is_item_read(one, statement):
                continue
            if not any(isinstance(outer, (ast.FormattedValue, ast.Compare)) or isinstance(outer, ast.Call) and (
                    getattr(outer.func, "id", "") in ("float", "print", "round") or getattr(outer.func, "attr", "") in ("item", "detach"))
                       for outer in self.origins.around(one)):
                return False
        return True

    def is_item_read(self, table, statement):
        """old = self.means.get(name, value) beside the statement; or a loop over self.means.items() that takes numbers of the values."""
        outer = next((one for one in self.origins.around(table) if isinstance(one, (ast.stmt, ast.comprehension))), None)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if not isinstance(target, ast.Subscript) or outer is None:
            return False
        if isinstance(outer, ast.Assign):
            return self.origins.scope(outer) is self.origins.scope(statement) and isinstance(outer.targets[0], ast.Name) and \
                outer.targets[0].id in self.names_of_item(statement, target.value)
        if not isinstance(outer, (ast.For, ast.comprehension)) or not re.search(r"\.(items|values)\(\)$", self.written(outer.iter)):
            return False
        value = outer.target.elts[-1] if isinstance(outer.target, ast.Tuple) else outer.target
        reads = [one for one in ast.walk(self.origins.parents[id(outer)] if isinstance(outer, ast.comprehension) else outer) if isinstance(
            one, ast.Name) and one.id == getattr(value, "id", "") and isinstance(one.ctx, ast.Load)]
        return bool(reads) and all(any(isinstance(around, ast.FormattedValue) or isinstance(around, ast.Call) and (getattr(
            around.func, "id", "") in ("float", "print", "round") or getattr(around.func, "attr", "") in ("item", "detach"))
                                       for around in self.origins.around(one)) for one in reads)

    def is_kept_over(self, handed):
        """Whether the loop around an expression makes no object of the file's classes, so that what keeps it is older."""
        loop = next((one for one in self.origins.around(handed) if isinstance(one, (ast.For, ast.While))), None)
        return loop is not None and not any(isinstance(of, ast.ClassDef) for call in calls_in(loop.body) for of in self.origins.functions_of(call.func))

    def grows_with(self, one, given):
        """The parameter that a statement adds to what it adds to itself each time, as it is; None: none."""
        target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
        table = target.value if isinstance(target, ast.Subscript) else None  # self.means[name]
        target = target if table is None else table
        if not isinstance(target, ast.Attribute) or getattr(target.value, "id", "") != "self":
            return None
        value = one.value
        names = [target.attr] if table is None else self.names_of_item(one, table)
        if isinstance(one, ast.Assign) and not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and any(
                self.plain_in(side, name) for side in (value.left, value.right) for name in names)):
            return None
        sides = [value] if isinstance(one, ast.AugAssign) else [value.left, value.right]
        return next((name for name in sorted(given) for side in sides if self.plain_in(side, name)), None)

    def names_of_item(self, statement, table):
        """The names that hold what self.means has under some key, where a statement stores there: old = self.means.get(name, value)."""
        item = re.compile(r"%s(\[\w+\]|\.get\(\w+(, [\w.]+)?\))$" % re.escape(self.written(table)))
        function = self.origins.scope(statement)
        return [one.targets[0].id for one in ast.walk(function) if isinstance(one, ast.Assign) and isinstance(
            one.targets[0], ast.Name) and item.match(self.written(one.value))] + [self.written(one) for one in ast.walk(
                statement.value) if isinstance(one, (ast.Subscript, ast.Call)) and item.match(self.written(one))]

    def plain_in(self, node, name):
        """Whether a product is one of this name or attribute, with nothing called on it."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div, ast.Add, ast.Sub)):
            return self.plain_in(node.left, name) or isinstance(node.op, (ast.Mult, ast.Add)) and self.plain_in(node.right, name)
        return getattr(node, "id", getattr(node, "attr", None)) == name or isinstance(
            node, (ast.Subscript, ast.Call)) and self.written(node) == name

    def handed_with_graph(self, method, name):
        """The expression that a method is given, of a loss or of what the model gave, in a loop that trains; None: not sure."""
        of_name = [one for one in self.origins.nodes if isinstance(one, ast.FunctionDef) and one.name == method.name]
        calls = [one for one in self.origins.nodes if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == method.name]
        names = [one.arg for one in method.args.args]
        for call in calls if len(of_name) == 1 else [site.call for site in self.origins.sites(method)]:
            if name not in names:  # each of **values, or of a dictionary that is written out in the call
                table = next((self.value_of(one) for one in call.args if isinstance(self.value_of(one), ast.Dict)), None)
                for one in [k.value for k in call.keywords if k.arg] + (table.values if table is not None else []):
                    if self.has_graph(one, 10):
                        return one
                continue
            at = names.index(name) - 1
            given = next((k.value for k in call.keywords if k.arg == name), call.args[at] if len(call.args) > at else None)
            for one in self.values_given(given) if given is not None else ():
                if self.has_graph(one, 10):
                    return one
        return None

    def values_given(self, node):
        """What a name comes from: also each of **values, where a loop over values.items() hands them on."""
        loop = next((one for one in self.origins.statements_of(node) if isinstance(one, ast.For)), None) if isinstance(node, ast.Name) else None
        over = re.match(r"(\w+)\.(items|values)\(\)$", self.written(loop.iter)) if loop is not None else None
        outer = self.origins.scope(loop) if over else None
        if not isinstance(outer, ast.FunctionDef) or outer.args.kwarg is None or outer.args.kwarg.arg != over.group(1):
            return [node]
        return [k.value for site in self.origins.sites(outer) for k in site.call.keywords if k.arg]

    def has_graph(self, node, deepest):
        """Whether a value is computed from what a module gave in the same function, and nothing detached it."""
        if deepest <= 0 or re.search(r"detach|\.item\(|float\(|tolist|argmax|no_grad|\.data\b|==|[<>]", self.written(node)):
            return False
        scope = self.origins.scope(node)
        if not isinstance(scope, ast.FunctionDef) or "no_grad" in self.reader.written_whole(scope) or any(isinstance(one, ast.With) and re.search(
                r"no_grad|inference_mode|set_grad_enabled", self.written(one.items[0].context_expr)) for one in self.origins.around(node)):
            return False
        if isinstance(node, ast.Name):
            made = self.origins.statements_of(node)
            if len(made) == 1 and made[0] is scope:  # a parameter
                at = next((n for n, one in enumerate(scope.args.args) if one.arg == node.id), None)
                given = [next((k.value for k in site.keywords if k.arg == node.id), site.args[at - site.hidden] if 0 <= at - site.hidden < len(
                    site.args) else None) for site in self.origins.sites(scope)] if at is not None else []
                return bool(given) and all(isinstance(one, ast.AST) and self.has_graph(one, deepest - 1) for one in given)
            if len(made) == 1 and isinstance(made[0], ast.Assign) and isinstance(made[0].targets[0], ast.Tuple) and isinstance(made[0].value, ast.Call):
                part = self.part_returned(made[0], node.id)
                if part is not None:
                    return self.has_graph(part, deepest - 1)
            return len(made) == 1 and isinstance(made[0], ast.Assign) and self.has_graph(made[0].value, deepest - 1)
        if isinstance(node, ast.UnaryOp):
            return self.has_graph(node.operand, deepest - 1)
        if isinstance(node, ast.BinOp):
            return self.has_graph(node.left, deepest - 1) or self.has_graph(node.right, deepest - 1)
        if not isinstance(node, ast.Call):
            return False
        if re.match(r"torch\.nn\.functional\.\w+$|torch\.(sum|mean|exp|log|square|abs|pow)$", self.full(node.func)):
            return bool(node.args) and self.has_graph(node.args[0], deepest - 1)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "mean", "exp", "log", "pow", "square", "float", "flatten", "abs", "clamp", "view", "squeeze", "var", "std"):
            return self.has_graph(node.func.value, deepest - 1)
        return isinstance(node.func, ast.Name) and bool(re.search(r"\b%s\.parameters\(" % re.escape(node.func.id), self.reader.written_whole(scope)))

    def part_returned(self, statement, name):
        """What a function of the file gives for one of the names in first, second = losses(…); None: another call."""
        at = next((n for n, one in enumerate(statement.targets[0].elts) if getattr(one, "id", "") == name), None)
        functions = self.origins.functions_of(statement.value.func)
        of = functions[0] if len(functions) == 1 and isinstance(functions[0], ast.FunctionDef) else None
        given = [one.value for one in ast.walk(of) if isinstance(one, ast.Return)] if of is not None and not of.decorator_list else []
        plain = len(given) == 1 and isinstance(given[0], ast.Tuple) and len(given[0].elts) == len(statement.targets[0].elts)
        return given[0].elts[at] if plain and at is not None else None

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

    # ---- TensorFlow

    def limit_of_another_backend(self, nodes):
        """os.environ["KERAS_BACKEND"] = "jax"; set_logical_device_configuration(gpu, [LogicalDeviceConfiguration(memory_limit=8192)])"""
        if not self.says(r"KERAS_BACKEND['\"]\] *= *['\"]jax['\"]|KERAS_BACKEND['\"], *['\"]jax['\"]") or not self.says(
                r"\.fit\(|train_on_batch\(") or self.says(r"XLA_PYTHON_CLIENT|jax_platforms|JAX_PLATFORMS"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and re.match(r"tensorflow\.config\.(experimental\.)?(LogicalDevice|VirtualDevice)Configuration$",
                                                      self.full(one.func)):
                limit = self.given(one, 0, "memory_limit")
                size = self.said(limit)
                if limit is not None and (not isinstance(size, (int, float)) or size >= 2048):
                    self.mistake(one, "a limit of TensorFlow's where JAX computes", self.written(one))

    def growth_of_a_flag(self, nodes):
        """os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = str(flag): 'True' and 'False', which TensorFlow doesn't take."""
        for one in nodes:
            if isinstance(one, ast.Assign) and "TF_FORCE_GPU_ALLOW_GROWTH" in self.written(one.targets[0]) and isinstance(
                    one.value, ast.Call) and getattr(one.value.func, "id", "") == "str" and not re.search(
                        r"\b%s\s*(:\s*str\b|=\s*['\"])" % re.escape(self.written(one.value.args[0]).rsplit(".", 1)[-1]) if one.value.args else "$",
                        self.reader.text):
                self.mistake(one, "a flag that is written in capitals", self.written(one.value))

    def growth_of_one(self, nodes):
        """set_memory_growth(gpus[0], True) in a script that mirrors over several GPUs."""
        several = self.shows_several()
        if not several and not self.says(r"MirroredStrategy\((\)|.*len\()") or several is not True and self.says(
                r"set_visible_devices") or self.says(r"VISIBLE_DEVICES|ALLOW_GROWTH"):
            return
        calls = [one for one in nodes if isinstance(one, ast.Call) and self.full(one.func).endswith(".set_memory_growth") and one.args]
        if len(calls) == 1 and isinstance(calls[0].args[0], ast.Subscript) and getattr(calls[0].args[0].slice, "value", None) == 0:
            self.mistake(calls[0], "growth of memory in one of several GPUs")

    def shows_several(self):
        """Whether the file makes several GPUs visible, or mirrors over several that it names; None: not known."""
        known = None
        for call in self.tracing.index.calls:
            last = self.full(call.func).rsplit(".", 1)[-1]
            of = self.value_of(call.args[0]) if call.args and last in ("set_visible_devices", "MirroredStrategy") else None
            if isinstance(of, (ast.List, ast.Tuple)) and last == "MirroredStrategy":
                known = known is not False and (len(of.elts) > 1 or None)
            elif of is not None and last == "set_visible_devices" and self.said(self.given(call, 1, "device_type")) != "CPU":
                part = getattr(of.slice, "value", of.slice) if isinstance(of, ast.Subscript) and not isinstance(of.slice, ast.Slice) else \
                    getattr(of, "slice", None)
                count = len(of.elts) if isinstance(of, (ast.List, ast.Tuple)) else self.said(part.upper) if isinstance(
                    part, ast.Slice) and part.upper is not None and part.lower is None and part.step is None else None
                if type(count) is not int or count < 2:
                    return False
                known = True
        return known

    def second_of_one(self, nodes):
        """os.environ["CUDA_VISIBLE_DEVICES"] = "1", and an option whose default is "/GPU:1": the one that is left is 0."""
        shown = next((one for one in nodes if isinstance(one, ast.Assign) and self.written(one.targets[0]).replace('"', "'") ==
                      "os.environ['CUDA_VISIBLE_DEVICES']" and re.match(r"\d+$", str(getattr(one.value, "value", "")))), None)
        options = [one for one in nodes if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "add_argument"]
        for keyword in (k for one in options for k in one.keywords if shown is not None and k.arg == "default"):
            said = getattr(keyword.value, "value", None)
            if isinstance(said, str) and re.match(r"/?(device:)?gpu:[1-9]\d*$", said, re.I):
                self.mistake(keyword.value, "a second GPU where one is visible", self.written(shown.value), other=shown)
        late = any(e.get("name") == "a GPU that is numbered anew" for e in self.reader.events)
        shown = shown if shown is not None else self.one_of_the_gpus()
        for call in nodes if shown is not None and not late else ():
            if isinstance(call, ast.Call) and re.match(
                    r"(tensorflow|keras)\.device$|tensorflow\.config\.(experimental\.)?(get_memory_info|reset_memory_stats)$|"
                    r"tensorflow\.distribute\.(OneDevice|Mirrored)Strategy$", self.full(call.func)) and (call.args or call.keywords):
                where = self.value_of(self.given(call, 0, "devices", "device", "device_name"))
                for one in (inner for each in getattr(where, "elts", [where]) for inner in self.origins.of(each)):
                    said = one.value if isinstance(one, ast.Constant) else None
                    if isinstance(said, str) and re.match(r"/?(device:)?gpu:[1-9]\d*$", said, re.I) and not any(
                            e.get("name") == "a second GPU where one is visible" and e["line"] == one.lineno for e in self.reader.events):
                        if isinstance(shown, ast.Call):
                            self.mistake(call, "a GPU that is numbered anew", self.written(shown), str(line_of(shown)), other=shown)
                        else:
                            self.mistake(call, "a second GPU where one is visible", self.written(shown.value), other=shown)

    def one_of_the_gpus(self):
        """The call of set_visible_devices(gpus[1], "GPU"), the only one, in a file that cuts no GPU into parts."""
        calls = [one for one in self.tracing.index.calls if self.full(one.func).endswith("config.set_visible_devices") or self.full(
            one.func).endswith("experimental.set_visible_devices")]
        of = calls[0].args[0] if len(calls) == 1 and calls[0].args else None
        of = of.elts[0] if isinstance(of, (ast.List, ast.Tuple)) and len(of.elts) == 1 else of
        kind = self.said(self.given(calls[0], 1, "device_type")) if calls else None
        cut = self.says(r"set_(logical|virtual)_device_configuration")
        single = isinstance(of, ast.Subscript) and not isinstance(of.slice, ast.Slice) and kind != "CPU"
        return calls[0] if single and not cut and not self.in_branch(calls[0]) else None

    def halves_of_no_optimization(self, nodes):
        """converter.target_spec.supported_types = [tf.float16], of a converter that is told to optimize nothing."""
        if self.says(r"setattr\(|__dict__"):
            return
        told = {id(self.origins.scope(one)) for one in nodes if isinstance(one, ast.Attribute) and one.attr == "optimizations"}
        for one in nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if not self.written(target if target is not None else one).endswith(".target_spec.supported_types") or target is None:
                continue
            of = target.value.value
            made = next((call for call in self.origins.of(of) if isinstance(call, ast.Call) and self.full(call.func).startswith(
                "tensorflow.lite.TFLiteConverter.")), None)
            kinds = [kind for value in self.origins.of(one.value) + [one.value] if isinstance(value, ast.AST) for kind in ast.walk(value)
                     if isinstance(kind, (ast.Name, ast.Attribute))]
            if made is not None and any(self.full(kind) == "tensorflow.float16" for kind in kinds) and not told:
                self.mistake(one, "a type for weights that nothing optimizes", self.written(of))

    def parts_without_limit(self, nodes):
        """set_logical_device_configuration(gpus[0], [LogicalDeviceConfiguration() for _ in range(2)])"""
        if self.says(r"(list_physical_devices|get_visible_devices)\(['\"]CPU") or not self.says(
                r"list_physical_devices\((device_type=)?['\"]GPU"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and not one.args and not one.keywords and self.full(one.func) in (
                    "tensorflow.config.LogicalDeviceConfiguration", "tensorflow.config.experimental.VirtualDeviceConfiguration"):
                self.mistake(one, "a part of a GPU without a limit")

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
        # Parts of one GPU are enough for TensorFlow to ask for no growth of any.
        grows, cut = ([both[kind] for both in found.values() if kind in both] for kind in ("growth", "parts"))
        for growth, parts in ((growth, parts) for growth in grows for parts in cut):
            if self.function_of(nodes, growth) is self.function_of(nodes, parts) and growth.lineno < parts.lineno and re.search(
                    r"memory_limit *=", self.reader.written_whole(parts)) and not self.apart(nodes, growth, parts) and not any(
                        isinstance(up, (ast.If, ast.IfExp, ast.ExceptHandler)) and not any(inner is growth for inner in ast.walk(up))
                        for up in self.origins.around(parts)):
                self.mistake(growth, "growth of memory in a GPU that gets parts", other=parts)
        for receiver, both in found.items():
            growth, parts = both.get("growth"), both.get("parts")
            if growth is None or parts is None:
                continue
            in_methods = receiver.startswith("self.") and self.called_later(nodes, growth, parts)
            if in_methods or self.function_of(nodes, growth) is self.function_of(nodes, parts) and \
                    growth.lineno > parts.lineno and not self.apart(nodes, growth, parts):
                self.mistake(growth, "growth of memory in a GPU of parts", other=parts)

    def options_of_grappler(self, nodes):
        """tf.config.optimizer.set_experimental_options({"mixed_precision": True}): a name that nothing reads is no error."""
        for one in nodes:
            given = one.args[0] if isinstance(one, ast.Call) and self.full(one.func) == GRAPPLER and one.args else None
            for key in given.keys if isinstance(given, ast.Dict) else ():
                name = getattr(key, "value", None)
                if isinstance(name, str) and name not in OPTIONS_OF_GRAPPLER:
                    near = next((known for known in OPTIONS_OF_GRAPPLER if name in known), None) or next(
                        iter(difflib.get_close_matches(name, OPTIONS_OF_GRAPPLER, 1, 0.5)), "one that it knows")
                    self.mistake(one, "an option that grappler lacks", name, near)

    def called_later(self, nodes, one, other):
        """Whether two methods of one class hold these, and the first is called behind the second, each in one place."""
        methods = [self.function_of(nodes, each) for each in (one, other)]
        if methods[0] is methods[1] or None in methods or not any(isinstance(of, ast.ClassDef) and all(
                method in of.body for method in methods) for of in nodes):
            return False
        calls = [[call for call in nodes if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == method.name] for method in methods]
        return len(calls[0]) == len(calls[1]) == 1 and calls[0][0].lineno > calls[1][0].lineno and not self.apart(
            nodes, calls[0][0], calls[1][0])

    @staticmethod
    def function_of(nodes, one):
        return next((of for of in nodes if isinstance(of, ast.FunctionDef) and any(inner is one for inner in ast.walk(of))), None)

    def apart(self, nodes, one, other):
        """Whether only one of the two runs: in two branches, or the second where the first failed."""
        def holds(body, node):
            return any(inner is node for part in body for inner in ast.walk(part))
        for node in nodes:
            if isinstance(node, ast.If) and (holds(node.body, one) and holds(node.orelse, other) or
                                             holds(node.body, other) and holds(node.orelse, one)):
                return True
            if isinstance(node, ast.If) and any(isinstance(last, (ast.Return, ast.Raise)) for last in node.body[-1:]) and \
                    holds(node.body, one) != holds(node.body, other):
                return True
            if isinstance(node, ast.ExceptHandler) and holds(node.body, one) != holds(node.body, other):
                return True
        return False

    # ---- JAX and Numba

    def waited_for_late(self, functions):
        """for …: out = fn(x); times.append(clock() - begin), and out.block_until_ready() behind the loop."""
        clock = r"(time\.)?(perf_counter|monotonic|time)\(\) - "
        for of in functions:
            for loop in (one for one in of.body if isinstance(one, (ast.For, ast.While))):
                results = {statement.targets[0].id: number for number, statement in enumerate(loop.body) if isinstance(
                    statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and isinstance(statement.value, ast.Call)}
                waits = {name for rest in of.body[of.body.index(loop) + 1:] for name in results if re.search(
                    r"\b%s\.block_until_ready\(|block_until_ready\(%s\b" % (name, name), self.written(rest))}
                for number, statement in enumerate(loop.body):
                    said = self.written(statement)
                    if re.search(clock, said) and not any("block_until_ready" in self.written(one) for one in loop.body):
                        for name in waits:
                            if results[name] == number - 1:
                                self.mistake(statement, "a clock that stops before the wait", name, other=loop.body[number - 1])

    def compiled_at_each_call(self, nodes, functions):
        """def update(self): step = jax.jit(jax.grad(loss)), where loss is a function of update's own."""
        called = {getattr(call.func, "attr", getattr(call.func, "id", "")) for loop in nodes if isinstance(loop, (ast.For, ast.While))
                  for part in loop.body for call in ast.walk(part) if isinstance(call, ast.Call)}
        for of in functions:
            own = {one.name for one in of.body if isinstance(one, ast.FunctionDef)}
            if of.name not in called or of.decorator_list or any(isinstance(one, (ast.For, ast.While)) for one in of.body):
                continue
            for one in (one for one in of.body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)):
                jitted = one.value
                if not isinstance(jitted, ast.Call) or self.full(jitted.func) != "jax.jit" or not jitted.args:
                    continue
                inner = jitted.args[0].args[0] if isinstance(jitted.args[0], ast.Call) and self.full(jitted.args[0].func) in (
                    "jax.grad", "jax.value_and_grad", "jax.vmap") and jitted.args[0].args else jitted.args[0]
                name, text = one.targets[0].id, self.reader.written_whole(of)
                kept = re.search(r"return %s\b(?!\()|= %s$" % (name, name), text, re.M)
                if (isinstance(inner, ast.Lambda) or getattr(inner, "id", "") in own) and re.search(
                        r"\b%s\(" % name, text) and not kept:
                    self.mistake(jitted, "a function that each call compiles anew", of.name)

    def traced_each_time(self, nodes):
        """step = jax.jit(lambda p, x: …) in a loop: each round traces and compiles a new function.

        jax.jit of the same function finds what it has compiled, and tf.function doesn't.
        """
        for loop in (one for one in nodes if isinstance(one, (ast.For, ast.While))):
            inner, repeats = within_others(loop), self.tracing.repeats(loop)
            bound = {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)} if isinstance(loop, ast.For) else set()
            for one in (one for part in loop.body for one in ast.walk(part)):
                graph = isinstance(one, ast.Call) and self.full(one.func) in GRAPHS and not self.says(r"perf_counter|time\.time|timeit")
                if id(one) in inner or not isinstance(one, ast.Call) or self.full(one.func) not in ("jax.jit", "jax.pmap") and not graph:
                    continue
                of = one.args[0] if one.args else None
                while isinstance(of, ast.Call) and self.full(of.func) in WRAPPERS and of.args:
                    of = of.args[0]
                fresh = isinstance(of, ast.Lambda) or isinstance(of, ast.Call) and self.full(
                    of.func) == "functools.partial" or graph and isinstance(of, (ast.Name, ast.Attribute)) and self.kept_by_name(loop, one)
                free = {name.id for name in ast.walk(of) if isinstance(name, ast.Name)} if fresh else set()
                if fresh and (repeats and not free & bound or self.goes_on(loop, one)):
                    self.mistake(one, "a function that each round compiles anew", other=of)

    def goes_on(self, loop, call):
        """Whether each round of a loop calls what it has just compiled once, and goes on with what that gives: a step of training."""
        name = next((self.written(one.targets[0]) for one in loop.body if isinstance(one, ast.Assign) and one.value is call), None)
        for one in loop.body if name else ():
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and self.written(one.value.func) == name:
                stored = {self.written(target) for target in ast.walk(one.targets[0]) if isinstance(target, (ast.Name, ast.Attribute))}
                return bool(stored & {self.written(given) for given in one.value.args})
        return False

    def kept_by_name(self, loop, call):
        """fast = tf.function(step), or tf.function(step)(x): a statement of the loop itself, in no branch of it."""
        return any(isinstance(one, ast.Assign) and one.value is call and isinstance(one.targets[0], ast.Name) or isinstance(
            one, (ast.Assign, ast.Expr, ast.AugAssign)) and any(isinstance(inner, ast.Call) and inner.func is call for inner in ast.walk(one))
                   for one in loop.body)

    def clock_of_launches(self, nodes):
        """The clock around a kernel's launch, which gives back before the kernel ran."""
        launches = [one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Subscript)]
        waits = [one for one in launches if any(map(self.is_of_the_host, one.args))]
        clock = ("time.perf_counter", "time.time", "time.monotonic", "timeit.default_timer")
        ends = [one for one in nodes if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and any(
            isinstance(end, ast.Call) and self.full(end.func) in clock for end in [one.left] + self.origins.of(one.left))]
        self.compiled_under_a_clock(launches, ends)
        if len(waits) == len(launches) or self.says(r"synchronize|copy_to_host|cuda\.event|elapsed_time|\.wait\(|cuda\.profil"):
            return
        for one in ends:
            if isinstance(one.left, ast.Call) and not any(self.origins.scope(call) is self.origins.scope(one) for call in waits):
                return self.mistake(one, "a clock of kernels that nobody waits for")
        return None

    def is_of_the_host(self, node):
        """Whether an expression is an array of NumPy's: a launch that is given one copies it there and back, and so waits for its kernel."""
        values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) else []
        return bool(values) and all(isinstance(one, ast.Call) and (
            re.match(r"numpy\.(random\.)?[a-z]\w+$", self.full(one.func)) is not None or not self.full(one.func) and getattr(
                one.func, "attr", "") in ("astype", "copy", "reshape", "ravel", "flatten") and self.is_of_the_host(one.func.value)) for one in values)

    def compiled_under_a_clock(self, launches, ends):
        """begun = clock(); kernel[blocks, threads](a, b); print(clock() - begun), where nothing launched the kernel before."""
        if self.says(r"(?i)compil|first|warm|cold|incl|total|whole|jit time"):
            return
        for call in launches:
            kernels = [of for of in self.origins.functions_of(call.func.value) if isinstance(of, ast.FunctionDef)]
            marks = kernels[0].decorator_list if len(kernels) == 1 else []
            plain = len(marks) == 1 and (self.full(marks[0]) == "numba.cuda.jit" or isinstance(marks[0], ast.Call) and self.full(
                marks[0].func) == "numba.cuda.jit" and not marks[0].args and not marks[0].keywords)
            scope, statement = self.origins.scope(call), self.origins.parents.get(id(call))
            if not plain or scope is not None or any(isinstance(one, (ast.For, ast.While, ast.If)) for one in self.origins.around(call)) or sum(
                    getattr(one, "id", "") == kernels[0].name for one in self.origins.nodes) != 1 or not isinstance(statement, ast.Expr):
                continue
            around = self.origins.parents.get(id(statement))
            body = getattr(around, "body", [])
            at = body.index(statement) if statement in body else 0
            start = body[at - 1] if at else None
            started = self.written(start.targets[0]) if isinstance(start, ast.Assign) and isinstance(start.value, ast.Call) else None
            end = next((one for one in ends if started is not None and self.written(one.right) == started), None)
            if end is not None and self.full(start.value.func) in CLOCKS_OF_HOST:
                self.mistake(call, "a time that holds the compilation of a kernel", self.written(call), other=end)
