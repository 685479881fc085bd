"""What a training loop leaves out, and what is asked of the wrong one of two: of a wrapper, a class, a frozen object; for the reader of
scripts."""

ZEROES = re.compile(r"zero|\.grad\b|reset|clear|accum|set_to_none|closure|hook|callback|first_step|second_step", re.I)
GOES_THROUGH_BATCHES = re.compile(r"loader|batch|dataset|_dl\b|\bdl\b|train_(set|data|iter)", re.I)
VALIDATES = re.compile(r"(?<![a-z])(val|valid|validation|test|dev|eval|evaluation)(?![a-z])|(val|valid|test|dev|eval)_?(loader|data|dl|set|iter)", re.I)
WRAPPERS_OF_TORCH = DDP_OF_TORCH + ("torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.data_parallel.DataParallel")
# What torch.nn.Module and the two wrappers have besides MODULE_MEMBERS, as of PyTorch 2.15.
MORE_OF_WRAPPERS = frozenset(
    "call_super_init dump_patches get_extra_state mtia register_backward_hook register_forward_pre_hook register_full_backward_hook "
    "register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_post_hook "
    "register_state_dict_pre_hook set_extra_state set_submodule broadcast_buffers bucket_bytes_cap bucket_bytes_cap_default "
    "delay_all_reduce_named_params device_type find_unused_parameters gradient_as_bucket_view is_multi_device_module join_device "
    "join_hook join_process_group mixed_precision modules_buffers modules_params named_module_params parameters_to_ignore process_group "
    "require_backward_grad_sync require_forward_param_sync scatter gather replicate parallel_apply src_device_obj static_graph to_kwargs "
    "use_side_stream_for_tensor_copies will_sync_module_buffers debugging_enabled T_destination".split())
# What makes a state whose class is frozen, and what freezes a class of the file.
MAKES_FROZEN = re.compile(r"flax\.training\.train_state\.TrainState(\.create)?$")
FREEZES = re.compile(r"flax\.struct\.(dataclass|PyTreeNode)$|flax\.training\.train_state\.TrainState$")
# Properties of classes whose objects tell of the processes.
PROPERTIES = (
    (re.compile(r"accelerate\.(accelerator\.)?Accelerator$"), "is_main_process is_local_main_process is_last_process device num_processes process_index "
     "local_process_index distributed_type sync_gradients mixed_precision use_distributed optimizer_step_was_skipped"),
    (re.compile(r"accelerate\.(state\.)?(PartialState|AcceleratorState)$"), "is_main_process is_local_main_process is_last_process use_distributed"),
    (re.compile(r"(pytorch_lightning|lightning(\.pytorch)?)\.(trainer\.)?Trainer$"), "is_global_zero global_rank local_rank world_size num_devices "
     "current_epoch global_step callback_metrics"))
ENABLES_XLA = re.compile(r"--tf_xla_auto_jit=(1|2|fusible)\b")
SAYS_XLA_IS_OFF = re.compile(r"#\W*(disabl\w*|turn(ing)? off|switch(ing)? off|deactivat\w*) (the )?XLA\b(?! (devices|logs?|warnings?|messages?))", re.I)


class Learning(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        if "torch" in roots:
            self.never_zeroed()
            self.stepped_again()
            self.never_evaluated()
            self.members_of_wrappers()
            self.device_that_may_be_none()
            self.default_of_the_gpu()
        if {"flax", "dataclasses", "torch", "jax"} & roots:
            self.fields_of_frozen()
        if {"lightning", "pytorch_lightning"} & roots:
            self.checkpoint_dropped()
        if {"accelerate", "lightning", "pytorch_lightning"} & roots:
            self.properties_of_classes()
        if "tensorflow" in roots and not self.reader.other_form:
            self.opposite_of_its_comment()

    # ---- loops that train

    def never_zeroed(self):
        """for x, y in loader: loss = …; loss.backward(); optimizer.step(), and no zero_grad()."""
        if self.says(r"deepspeed|post_accumulate|(?i:bench|throughput|profil)|autograd\.grad\b|horovod"):
            return
        reported = set()
        for step in self.calls:
            optimizer = self.stepped(step)
            made = self.made_by(optimizer, OPTIMIZERS_AT_ALL, surely=True) if optimizer is not None else None
            loops = [one for one in self.origins.around(step) if isinstance(one, (ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ClassDef))]
            loop = loops[0] if made is not None and loops and isinstance(loops[0], (ast.For, ast.While)) else None
            if loop is None or id(loop) in reported or any(one is loop for one in self.origins.around(made)) or not self.repeats(loop):
                continue
            back = next((one for one in calls_in(loop.body) if is_call(one, "backward") and self.origins.position(one) < self.origins.position(step)), None)
            if back is None or ZEROES.search(self.near(loop)) or self.hands_out(loop, optimizer, made):
                continue
            over = [one for one in loops[1:loops.index(next((of for of in loops if not isinstance(of, (ast.For, ast.While))), loops[-1])) + 1]
                    if isinstance(one, (ast.For, ast.While))]
            zeroed = any(ZEROES.search(self.near(one)) for one in over)
            if zeroed and not (isinstance(loop, ast.For) and GOES_THROUGH_BATCHES.search(self.written(loop.iter))):
                continue
            reported.add(id(loop))
            self.mistake(step, "gradients that are never zeroed", self.written(back), self.written(optimizer), other=back)

    def stepped_again(self):
        """loss.backward(); optimizer.step(); …; loss.backward(); optimizer.step(), one behind the other, and no zero_grad() anywhere."""
        if ZEROES.search(self.reader.text) or self.says(r"deepspeed|post_accumulate|autograd\.grad\b|horovod|\.grad\b"):
            return
        first = {}  # by the statements that a step stands among
        for step in self.calls:
            optimizer = self.stepped(step)
            block = self.origins.block_of(self.parents.get(id(step))) if optimizer is not None else []
            made = self.made_by(optimizer, OPTIMIZERS_AT_ALL, surely=True) if block else None
            if made is None:
                continue
            at = block.index(self.parents[id(step)])
            before = first.setdefault(id(block), at)
            back = next((one for part in block[before + 1:at] for one in calls_in([part]) if is_call(one, "backward")), None)
            owners = {self.written(one.value) for one in self.nodes if isinstance(one, ast.Attribute) and one.attr in ("parameters", "named_parameters")}
            if back is not None and len(owners) == 1 and not any(isinstance(one, (ast.For, ast.While)) for one in self.origins.around(step)):
                self.mistake(step, "gradients that are never zeroed", self.written(back), self.written(optimizer), other=back)
                return

    def stepped(self, step):
        """The optimizer of optimizer.step() or scaler.step(optimizer)."""
        if not is_call(step, "step") or step.keywords or len(step.args) > 1:
            return None
        return step.args[0] if step.args else step.func.value

    def repeats(self, loop):
        """Whether a loop is to go round more than once: not range(1), and no break or return at its end."""
        if isinstance(loop.body[-1], (ast.Break, ast.Return, ast.Raise)):
            return False
        over = getattr(loop, "iter", None)
        return not (isinstance(over, ast.Call) and getattr(over.func, "id", "") == "range" and len(over.args) == 1 and self.said(over.args[0]) == 1)

    def hands_out(self, loop, optimizer, made):
        """Whether a loop gives the optimizer, or the model, to what the file does not show, which may zero the gradients."""
        held = {self.written(optimizer)}
        given = self.given(made, 0, "params")
        if is_call(given, "parameters"):
            held.add(self.written(given.func.value))
        for call in calls_in(loop.body):
            full, of = self.full(call.func), call.func
            if full.startswith(("torch.", "numpy.", "tqdm.")) or self.origins.functions_of(of):
                continue
            if isinstance(of, ast.Attribute) and self.written(of.value) in ("self", "cls", "super()"):
                return True
            if is_call(call, "step") and self.stepped(call) is not None:
                continue
            if any(self.written(one) in held for one in call.args + [k.value for k in call.keywords]) and not is_call(call, "unscale_"):
                return True
        return False

    def never_evaluated(self):
        """for epoch in …: net.train(); …; with torch.no_grad(): for x, y in valid_loader: net(x), and no eval() anywhere."""
        if self.says(r"eval\b(?!_)|\.train\((False|mode|\w+=)|\.training *=|(?i:mc_?dropout|monte)|train_mode|set_mode"):
            return
        for call in self.calls:
            statement = self.parents.get(id(call))
            loop = self.parents.get(id(statement))
            if not is_call(call, "train") or call.args or call.keywords or not isinstance(statement, ast.Expr) or not isinstance(loop, (ast.For, ast.While)):
                continue
            model = self.written(call.func.value)
            learns = any(is_call(one, "backward") for one in calls_in(loop.body))
            for part in loop.body if learns else ():
                asks = next((one for one in ast.walk(part) if isinstance(one, ast.For) and VALIDATES.search(self.written(one.iter)) and any(
                    self.written(inner.func) == model for inner in calls_in(one.body)) and not any(is_call(inner, "backward") for inner in calls_in(
                        one.body))), None)
                if asks is None or not self.is_without_gradients(asks) or not self.may_draw(call.func.value):
                    continue
                used = next(inner for inner in calls_in(asks.body) if self.written(inner.func) == model)
                self.mistake(used, "a validation in training mode", self.written(call), model, other=call)
                return

    def has_other_engine(self):
        """Whether a library may train in the script's place; a class of the file's own that is called a trainer doesn't."""
        own = [one.name for one in self.tracing.index.classes if one.name.endswith("Trainer") and not one.bases]
        return OTHER_ENGINES.search(re.sub(r"\b(%s)\b" % "|".join(own), "", self.reader.text) if own else self.reader.text) is not None

    def is_without_gradients(self, loop):
        holders = [loop] + list(self.origins.around(loop)) + [one for one in ast.walk(loop) if isinstance(one, ast.With)]
        return any(isinstance(one, ast.With) and any(re.search(r"no_grad|inference_mode", self.written(item.context_expr)) for item in one.items)
                   for one in holders)

    def may_draw(self, model):
        """Whether a model has parts that validate in another way than they train; where its class is not of the file, it is taken to have some."""
        found = self.origins.known(model, True)
        calls = [one for one in found if isinstance(one, ast.Call)]
        own = [of for call in calls for of in self.origins.functions_of(call.func)] + [one for one in found if isinstance(one, ast.ClassDef)]
        if own or any(self.full(call.func).startswith("torch.nn.") for call in calls) or not found:
            return self.says(r"Dropout|dropout|BatchNorm|Transformer|resnet|efficientnet|mobilenet|from_pretrained|timm\b")
        return True

    # ---- wrappers

    def members_of_wrappers(self):
        """net = DistributedDataParallel(net); torch.save(net.model.state_dict(), path): only the wrapper's .module has members of its own."""
        if self.says(r"__getattr__|setattr\("):
            return
        stores = [one for one in self.nodes if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)]
        for one in self.nodes:
            if not isinstance(one, ast.Attribute) or not isinstance(one.ctx, ast.Load) or one.attr.startswith("_") or one.attr in MODULE_MEMBERS or \
                    one.attr in MORE_OF_WRAPPERS or not isinstance(one.value, (ast.Name, ast.Attribute)) or getattr(one.value, "id", "") == "self":
                continue
            values = [self.unmoved(value) for value in self.origins.of(one.value)]
            if not values:
                continue
            # What is set before the model is wrapped is the model's.
            set_here = {each.attr for each in stores if not (self.origins.scope(each) is self.origins.scope(values[0]) and line_of(each) < line_of(values[0]))}
            kinds = {self.full(call.func) if isinstance(call, ast.Call) else "" for call in values}
            if not kinds <= set(WRAPPERS_OF_TORCH) or one.attr in set_here or self.says(
                    r"(has|get)attr\([^\n]*['\"]%s['\"]" % re.escape(one.attr)) or self.is_tried(one) or self.is_reported(one):
                continue
            self.mistake(one, "a member of a wrapped model", min(kinds).rpartition(".")[2], self.written(one.value) + ".module." + one.attr
                         if one.attr != "model" else self.written(one.value) + ".module")

    def unmoved(self, value):
        """DataParallel(net), of DataParallel(net).cuda()"""
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("to", "cuda", "train", "eval") and isinstance(value.func.value, ast.Call):
            value = value.func.value
        return value

    def is_tried(self, node):
        """Whether a try, or a test that may tell the wrapper from the model, stands around a node; the first process alone is no such test."""
        return any(isinstance(one, ast.Try) or isinstance(one, (ast.If, ast.IfExp)) and not self.one_asked_for(one.test) and re.search(
            r"isinstance|hasattr|type\(|wrapped|parallel|distributed|ddp|multi|gpus?\b|world", self.written(one.test), re.I)
                   for one in self.origins.around(node))

    def device_that_may_be_none(self):
        """torch.cuda.set_device(torch.device("cuda" if torch.cuda.is_available() else "cpu"))"""
        for call in self.calls:
            if self.full(call.func) != "torch.cuda.set_device" or len(call.args) != 1 or any(isinstance(one, (ast.If, ast.IfExp, ast.Try, ast.BoolOp)) and
                    "__name__" not in self.written(getattr(one, "test", one)) for one in self.origins.around(call)):
                continue
            if self.asked_before(call) or self.says(r"assert torch\.cuda|(raise|exit\()[^\n]*(?i:gpu|cuda)"):
                continue
            for one in self.devices_of(call.args[0], 3):
                if isinstance(one, ast.IfExp) and re.search(r"cuda\.is_available\(\)|device_count\(\)", self.written(one.test)) and re.search(
                        r"['\"](cpu|mps)\b", self.written(one.orelse)) and not self.is_reported(call):
                    self.mistake(call, "set_device of what is no GPU", other=one)
                    break

    def default_of_the_gpu(self):
        """torch.set_default_tensor_type("torch.cuda.FloatTensor"); …; device = "cuda" if torch.cuda.is_available() else "cpu" """
        if self.says(r"assert torch\.cuda|(raise|exit\()[^\n]*(?i:gpu|cuda)|@\w*(skip|pytest)"):
            return
        for call in self.calls:
            kind = self.given(call, 0, "t", "device") if self.full(call.func) in ("torch.set_default_tensor_type", "torch.set_default_device") else None
            if kind is None or not (self.full(kind).startswith("torch.cuda.") or re.match(r"torch\.cuda\.|cuda(:\d+)?$", str(self.said(kind, "")))) or any(
                    isinstance(one, (ast.If, ast.IfExp, ast.Try, ast.BoolOp)) and "__name__" not in self.written(getattr(one, "test", one))
                    for one in self.origins.around(call)) or self.asked_before(call):
                continue
            scope = self.origins.scope(call)
            chosen = next((one for one in self.nodes if isinstance(one, ast.IfExp) and line_of(one) > line_of(call) and self.origins.scope(
                one) is scope and re.search(r"cuda\.is_available\(\)", self.written(one.test)) and re.search(r"['\"]cpu\b", self.written(one.orelse))), None)
            if chosen is not None and not self.is_reported(call):
                self.mistake(call, "a call that needs a GPU in a script that does without", other=chosen)

    def devices_of(self, node, deepest):
        """What a device is made of: the text that torch.device() is given, and what a name was assigned."""
        if isinstance(node, ast.Call) and self.full(node.func) == "torch.device" and node.args and deepest:
            return self.devices_of(node.args[0], deepest - 1)
        if isinstance(node, ast.Name) and deepest:
            return [each for one in self.origins.statements_of(node) if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(
                one.targets[0], ast.Name) for each in self.devices_of(one.value, deepest - 1)]
        return [node]

    def asked_before(self, call):
        """Whether the function of a call may have ended before it, where there is no GPU."""
        of = self.origins.scope(call)
        body = of.body if of is not None and isinstance(of.body, list) else [one for one in self.nodes if isinstance(one, ast.stmt)]
        return any(isinstance(one, ast.If) and any(isinstance(each, (ast.Return, ast.Raise)) or re.search(r"exit\(", self.written(each))
                                           for each in one.body) for one in body if line_of(one) < line_of(call))

    # ---- frozen objects

    def fields_of_frozen(self):
        """state = TrainState.create(…); state.params = new"""
        frozen = {id(of): of for of in self.tracing.index.classes if self.is_frozen(of)}
        for one in self.nodes:
            targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AugAssign) else ()
            for target in targets:
                if not isinstance(target, ast.Attribute) or any(isinstance(of, (ast.Try, ast.With)) and re.search(
                        r"try|raises", self.written(of.items[0].context_expr) if isinstance(of, ast.With) else "try") for of in self.origins.around(one)):
                    continue
                kind = self.frozen_kind(target, frozen)
                if kind:
                    self.reader.mistake(target, "a field of what is frozen", self.written(target), kind, self.written(target.value), target.attr)

    def frozen_kind(self, target, frozen):
        """The name of the frozen class whose object an attribute is assigned to; "": another, or not known."""
        of = target.value
        if isinstance(of, ast.Name) and of.id == "self":
            holder = next((one for one in self.origins.around(target) if isinstance(one, (ast.FunctionDef, ast.ClassDef))), None)
            inside = self.parents.get(id(holder))
            first = holder.args.args[:1] if isinstance(holder, ast.FunctionDef) else []
            return inside.name if id(inside) in frozen and first and first[0].arg == "self" and not holder.decorator_list else ""
        values = self.origins.of(of)
        kinds = set()
        for one in values:
            if not isinstance(one, ast.Call):
                return ""
            own = self.origins.functions_of(one.func.value if is_call(one, "create") else one.func)
            if MAKES_FROZEN.match(self.full(one.func)):
                kinds.add("TrainState")
            elif len(own) == 1 and id(own[0]) in frozen:
                kinds.add(own[0].name)
            else:
                return ""
        return min(kinds) if kinds else ""

    def is_frozen(self, of):
        """Whether a class's decorator or base freezes its objects, and nothing of its own lets them change."""
        if any(getattr(one, "name", "") in ("__setattr__", "__new__") for one in of.body):
            return False
        for one in of.decorator_list:
            name = self.full(one.func if isinstance(one, ast.Call) else one)
            kept = {k.arg: getattr(k.value, "value", None) for k in one.keywords} if isinstance(one, ast.Call) else {}
            if FREEZES.match(name) and kept.get("frozen") is not False or name in ("dataclasses.dataclass", "chex.dataclass") and kept.get("frozen") is True:
                return True
        return any(FREEZES.match(self.full(base)) for base in of.bases)

    # ---- Lightning and Accelerate

    def checkpoint_dropped(self):
        """model.load_from_checkpoint(path), as a statement of its own"""
        if self.says(r"def load_from_checkpoint"):
            return
        for call in self.calls:
            if not is_call(call, "load_from_checkpoint") or not isinstance(self.parents.get(id(call)), ast.Expr) or self.is_tried_for(call):
                continue
            of = self.written(call.func.value)
            known = self.origins.functions_of(call.func.value)
            own = any(isinstance(one, ast.ClassDef) and re.search(r"LightningModule", " ".join(map(self.written, one.bases))) for one in known)
            run = any(isinstance(one.func, ast.Attribute) and one.func.attr in ("fit", "test", "predict", "validate") and any(
                self.written(each) == of for each in one.args + [k.value for k in one.keywords]) for one in self.calls)
            if own or run and not of.startswith(("self.", "super(")) and of != "self":
                self.mistake(call, "a checkpoint of Lightning's that is dropped", of, known[0].name if own else "type(%s)" % of)

    def is_tried_for(self, call):
        """with pytest.raises(…): model.load_from_checkpoint(path)"""
        return any(isinstance(one, ast.With) and "raises" in self.written(one.items[0].context_expr) or isinstance(one, ast.Try)
                   for one in self.origins.around(call))

    def properties_of_classes(self):
        """if Accelerator.is_main_process: …, which is always true"""
        for one in self.nodes:
            if not isinstance(one, ast.Attribute) or not isinstance(one.ctx, ast.Load) or not isinstance(one.value, (ast.Name, ast.Attribute)):
                continue
            parent = self.parents.get(id(one))
            if isinstance(parent, ast.Attribute) and parent.attr in ("fget", "fset", "setter", "getter", "deleter", "__doc__", "__get__"):
                continue
            of = self.full(one.value)
            if any(form.match(of) and one.attr in names.split() for form, names in PROPERTIES) and not self.origins.statements_of(one.value):
                self.mistake(one, "a property that a class is asked for", of.rpartition(".")[2], doubted=False)

    # ---- what a comment says

    def opposite_of_its_comment(self):
        """# Disable XLA, above os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2" """
        lines = self.reader.text.split("\n")
        for one in self.nodes:
            if isinstance(one, ast.Assign) and re.match(r"(os\.)?environ\[['\"]TF_XLA_FLAGS['\"]\]$", self.written(one.targets[0])) and isinstance(
                    one.value, ast.Constant) and ENABLES_XLA.search(str(one.value.value)) and not getattr(one, "cell", None):
                at = line_of(one)
                above = lines[at - 2] if 2 <= at <= len(lines) else ""
                if SAYS_XLA_IS_OFF.search(above):
                    self.mistake(one, "flags that do the opposite", doubted=False)
