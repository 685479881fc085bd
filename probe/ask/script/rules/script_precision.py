"""Numbers that lose digits, gradients that stay scaled, and tensors on two devices, read function by function; for the
reader of scripts."""

HALVES = ("torch.float16", "torch.half")
SHORT = HALVES + ("torch.bfloat16",)
CASTS = ("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast")
SCALERS = ("torch.amp.GradScaler", "torch.cuda.amp.GradScaler")
WAITS_AND_PRINTS = frozenset("wait_for_everyone print is_main_process is_local_main_process is_last_process process_index "
                             "local_process_index num_processes end_training init_trackers log".split())
PRODUCTS = re.compile(r"\.(mm|matmul|bmm|addmm)\(| @ |F\.linear\(|F\.conv\dd\(|einsum\(")
OPTIMIZERS_OF_TORCH = re.compile(r"torch\.optim\.(Adam|AdamW|NAdam|RAdam|Adamax|Adagrad|Adadelta|RMSprop|Rprop|ASGD)$")
LOSS_CLASSES = re.compile(r"torch\.nn\.\w*Loss$")
LOSS_CALLS = re.compile(r"torch\.nn\.functional\.(cross_entropy|mse_loss|nll_loss|l1_loss|smooth_l1_loss|huber_loss|kl_div|"
                        r"binary_cross_entropy|binary_cross_entropy_with_logits|poisson_nll_loss)$")
TRAINERS_OF_LIGHTNING = re.compile(r"(lightning\.pytorch|pytorch_lightning|lightning)\.(\w+\.)*Trainer$")
# What draws random numbers on the GPU, or is code from elsewhere that may.
DRAWS_ON_GPU = re.compile(r"(?i)dropout|drop_?path|_like\(|rand\w*\([^)\n]*device|transformer|multihead|bernoulli|multinomial|timm|diffus|"
                          r"torchvision\.models|\.(normal|uniform|random|exponential)_\(|rsample|\.sample\(")


class Precision(Scoped):
    def rules(self, nodes):
        self.scaled_in_vain(nodes)
        self.state_without_scaler(nodes)
        self.generators_of_the_cpu(nodes)
        self.clipped_by_another(nodes)
        self.functions_under_autocast(nodes)
        self.deterministic_without_space(nodes)
        self.switch_of_convolutions(nodes)
        self.sizes_that_change(nodes)
        self.casts_to_float32(nodes)
        self.switched_in_the_place_of_a_dtype()
        self.loaded_before_the_move()
        self.ids_beyond_a_table(nodes)
        self.flash_of_modules(nodes)
        self.moved_for_several(nodes)
        self.scaler_for_nothing(nodes)
        self.refused_under_a_trainer(nodes)
        self.refused_under_a_cast(nodes)
        self.accelerator_for_nothing(nodes)
        for of, own in self.scopes:
            self.scaled_gradients(of, own)
            self.short_positions(of, own)
            self.flash_of_float32(own)
            self.trained_on_inference(of, own)
            self.backward_of_evaluating(own)
            self.loss_of_numpy(own)
            self.sum_of_halves(own)
            self.meta_modules(own)
        for one in nodes:
            if isinstance(one, ast.ClassDef):
                self.halves_apart(one)
            if isinstance(one, ast.For):
                self.targets_left_behind(one)

    def kind_of(self, node):
        """The full name of a dtype, also by a name of the file or as the default of a parameter."""
        return self.full(self.value_of(node)) if node is not None else ""

    # ---- automatic mixed precision

    def scaled_in_vain(self, nodes):
        """torch.autocast("cuda", dtype=torch.bfloat16), and a GradScaler."""
        casts = [one for one in nodes if isinstance(one, ast.Call) and self.full(one.func) in CASTS]
        kinds = [self.kind_of(self.word(one, "dtype") or (one.args[1] if len(one.args) > 1 else None)) for one in casts]
        if not kinds or any(kind != "torch.bfloat16" for kind in kinds) or self.says(r"float16\b(?<!bfloat16)|\.half\(|fp16"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and self.full(one.func) in SCALERS and self.word(one, "enabled") is None and not any(
                    k.arg is None for k in one.keywords) and any(self.says(r"\b%s\.scale\(" % re.escape(name)) for name, values in
                                                                 self.made.items() if any(one in ast.walk(v) for v in values)):
                return self.mistake(one, "a scaler of bfloat16", other=casts[0])
        return None

    def used_names(self, nodes, name):
        """What reads a name in the file; None: also something that can't be told, as a text of the same name."""
        reads = [one for one in nodes if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Store)]
        hidden = any(name in (getattr(one, "attr", ""), getattr(one, "arg", "")) or isinstance(one, (ast.Global, ast.Nonlocal)) and name in one.names or
                     isinstance(one, ast.alias) and name in (one.name, one.asname) or isinstance(one, ast.Constant) and one.value == name for one in nodes)
        return None if hidden or self.says(r"(?<![.\w])((globals|locals|exec|eval)\(|vars\(\))") else reads

    def scaler_for_nothing(self, nodes):
        """scaler = GradScaler(), which nothing reads: it scales no loss, and steps no optimizer."""
        if self.reader.other_form or self.reader.source is not None or self.says(r"\.(scale|unscale_)\("):
            return
        for one in nodes:
            made = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) else None
            made = made.body if isinstance(made, ast.IfExp) else made
            if isinstance(made, ast.Call) and self.full(made.func) in SCALERS and (
                    self.origins.scope(one) is not None or self.runs_something(nodes)) and self.used_names(nodes, one.targets[0].id) == []:
                self.mistake(made, "a GradScaler that nothing uses", one.targets[0].id)

    def accelerator_for_nothing(self, nodes):
        """accelerator = Accelerator(mixed_precision="fp16"), which is asked to wait and to print, and prepares nothing."""
        if self.reader.other_form or self.reader.source is not None or self.says(r"Trainer\(|AcceleratorState|PartialState|accelerate\.utils"):
            return
        calls = [one for one in nodes if isinstance(one, ast.Call) and self.full(one.func) == "accelerate.Accelerator"]
        made = self.origins.parents.get(id(calls[0])) if len(calls) == 1 else None
        if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name) or self.said(
                self.word(calls[0], "mixed_precision")) not in ("fp16", "bf16", "fp8"):
            return
        reads = self.used_names(nodes, made.targets[0].id)
        uses = [self.origins.parents.get(id(one)) for one in reads or ()]
        if uses and self.runs_something(nodes) and all(isinstance(one, ast.Attribute) and one.attr in WAITS_AND_PRINTS for one in uses) and self.says(r"(?i)model"):
            self.mistake(calls[0], "an Accelerator that prepares nothing", ", ".join(sorted({one.attr for one in uses})))

    def refused_under_a_trainer(self, nodes):
        """Trainer(precision="16-mixed", accelerator="gpu"), and F.binary_cross_entropy of probabilities in what training_step calls."""
        trainers = [one for one in self.tracing.index.calls if TRAINERS_OF_LIGHTNING.match(self.full(one.func))]
        mixed = [one for one in trainers if self.said(self.word(one, "precision")) in ("16-mixed", "bf16-mixed", "16", 16, "bf16")]
        if not mixed or len(mixed) < len(trainers) or self.says(r"autocast|precision_plugin|MixedPrecision\("):
            return
        place = self.word(mixed[0], "accelerator")
        if place is not None and self.said(place) not in ("gpu", "cuda", "auto"):
            return
        for of in nodes:
            if not isinstance(of, ast.ClassDef) or not any(re.search(r"LightningModule$", self.full(base)) for base in of.bases):
                continue
            for step in (one for one in of.body if isinstance(one, ast.FunctionDef) and one.name in ("training_step", "validation_step")):
                for call in self.refused_in(step):
                    self.mistake(call, "a loss that autocast refuses", other=mixed[0], doubted=self.said(place) not in ("gpu", "cuda"))

    def refused_under_a_cast(self, nodes):
        """with torch.autocast("cuda"): loss = criterion(p, y), whose forward calls F.binary_cross_entropy; @torch.autocast("cuda") as well."""
        if not self.says(r"binary_cross_entropy\(|BCELoss\(") or self.says(r"enabled *= *False|set_autocast"):
            return
        accelerator = next((one for one in self.tracing.index.calls if self.full(one.func) == "accelerate.Accelerator"), None)
        halves = accelerator is not None and self.said(self.word(accelerator, "mixed_precision")) in ("fp16", "bf16") and self.word(accelerator, "cpu") is None
        for one in nodes:
            casts = [item.context_expr for item in one.items] if isinstance(one, ast.With) else one.decorator_list if isinstance(one, ast.FunctionDef) else ()
            cast = next((cast for cast in casts if isinstance(cast, ast.Call) and (self.casts_on_gpu(cast) or halves and is_call(
                cast, "autocast") and self.made_by(cast.func.value, "accelerate.Accelerator") is not None)), None)
            for call in self.refused_in(one) if cast is not None else ():
                self.mistake(call, "a loss that autocast refuses", other=cast)

    def casts_on_gpu(self, call):
        """torch.autocast("cuda"), torch.cuda.amp.autocast(), turned on without a condition."""
        name = self.full(call.func)
        if name not in CASTS or self.word(call, "enabled") is not None or any(k.arg is None for k in call.keywords):
            return False
        where = self.given(call, 0, "device_type")
        return not call.args if name.startswith("torch.cuda") else where is not None and any(getattr(one, "value", None) == "cuda" for one in self.origins.known(where))

    def refused_in(self, of):
        """The calls of binary cross entropy of probabilities in a block or function, and in what it calls of the file."""
        seen, waiting, found = {id(of)}, [(of, 3)], []
        while waiting:
            one, depth = waiting.pop()
            for call in calls_in(one.body):
                made = self.made_by(call.func, "torch.nn.BCELoss", surely=True) if isinstance(call.func, (ast.Name, ast.Attribute)) else None
                if self.full(call.func) == "torch.nn.functional.binary_cross_entropy" or made is not None and call is not made and call.args:
                    if not any(is_call(part, "double") or is_call(part, "cpu") for part in ast.walk(call)):
                        found.append(call)
                for inner in self.called(call) if depth > 0 else ():
                    if id(inner) not in seen:
                        seen.add(id(inner))
                        waiting.append((inner, depth - 1))
        return found

    def called(self, call):
        """The functions of the file that a call runs, with the forward() of a module of the file."""
        runs = [one for one in self.origins.functions_of(call.func) if isinstance(one, ast.FunctionDef)]
        for made in self.origins.known(call.func, True) if isinstance(call.func, (ast.Name, ast.Attribute)) and not runs else ():
            for of in self.origins.functions_of(made.func) if isinstance(made, ast.Call) and made is not call else ():
                runs += [one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"] if isinstance(of, ast.ClassDef) else []
        return runs

    # ---- several GPUs, or one

    def moved_for_several(self, nodes):
        """if torch.cuda.device_count() > 1: model = DataParallel(model).cuda(), and model(x.cuda()) also where there is one."""
        if not self.says(r"device_count\(") or self.says(r"set_default_(device|tensor_type)|[aA]ccelerat|deepspeed|device_map|Trainer\(|Fabric\("):
            return
        for one in nodes:
            if isinstance(one, ast.If) and not one.orelse and self.asks_for_several(one.test):
                for move in (part for part in one.body if isinstance(part, (ast.Assign, ast.Expr))):
                    self.left_where_one_is(one, move)

    def asks_for_several(self, test):
        """torch.cuda.device_count() > 1, also by a name, and together with an is_available()."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return any(map(self.asks_for_several, test.values)) and all(self.asks_for_several(one) or "is_available" in self.written(
                self.value_of(one)) for one in test.values)
        if isinstance(test, ast.Name):
            test = self.value_of(test)
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return False
        counted = self.full(getattr(self.value_of(test.left), "func", test)) == "torch.cuda.device_count"
        least = self.said(test.comparators[0])
        return counted and (isinstance(test.ops[0], ast.Gt) and least == 1 or isinstance(test.ops[0], ast.GtE) and least == 2)

    def left_where_one_is(self, test, move):
        """A move of a model in a branch for several GPUs, where nothing else moves it and its inputs go to the GPU always."""
        call = move.value
        target = move.targets[0] if isinstance(move, ast.Assign) and len(move.targets) == 1 else call.func.value if isinstance(
            call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cuda") else None
        if not isinstance(target, ast.Name) or not isinstance(call, ast.Call) or not re.search(r"\.(cuda\(|to\((?!['\"]cpu))", self.written(call)):
            return
        of = next((one for one in ast.walk(call) if isinstance(one, ast.Name) and one.id == target.id), None)
        made = self.origins.of(of, True) if of is not None else []
        if len(made) != 1 or not isinstance(made[0], ast.Call) or not self.made_on_the_host(made[0]):
            return
        within = {id(one) for one in ast.walk(test)}
        if any(isinstance(up, (ast.With, ast.AsyncWith)) for up in self.origins.around(made[0])):
            return  # with torch.device("cuda"): …
        for other in self.tracing.index.calls:
            if id(other) not in within and not self.origins.functions_of(other.func) and not re.match(r"torch\.|torchsummary|torchinfo", self.full(
                    other.func)) and getattr(other.func, "id", "") not in ("print", "len", "type", "isinstance", "id", "str", "repr") and any(
                        one is made[0] for given in other.args + [k.value for k in other.keywords] for one in self.origins.of(given, True)):
                return  # who takes it may move it
            if id(other) not in within and isinstance(other.func, ast.Attribute) and other.func.attr in ("to", "cuda", "to_empty") and any(
                    one is made[0] for one in self.origins.of(other.func.value, True)):
                return  # it is moved elsewhere as well
        for other in self.tracing.index.calls:
            if not isinstance(other.func, ast.Name) or not other.args or not any(one is made[0] for one in self.origins.of(other.func, True)):
                continue
            given = self.value_of(other.args[0])
            text = self.written(given)
            if re.search(r"\.cuda\(", text) or self.goes_to_the_gpu(given):
                if not any(isinstance(up, (ast.If, ast.IfExp)) and not re.search(r"__name__|is_available", self.written(up.test))
                           for part in (given, other) for up in self.origins.around(part)):
                    return self.mistake(test.test, "a model that is moved for several GPUs", self.written(move), self.written(given), other=other)

    def made_on_the_host(self, call):
        """A model whose class is known, and puts nothing on the GPU itself."""
        if re.match(r"torch\.nn\.(Sequential|Linear|Conv\dd|LSTM|GRU|Transformer\w*)$|torchvision\.models\.", self.full(call.func)):
            return not self.says(r"\bdevice=") and not re.search(r"\.to\(|\.cuda\(", self.reader.written_whole(call))
        made = self.origins.functions_of(call.func)
        return len(made) == 1 and isinstance(made[0], ast.ClassDef) and not re.search(r"\.to\(|\.cuda\(|device", self.reader.written_whole(made[0]))

    def goes_to_the_gpu(self, node):
        """x.to(device), of a device that is the GPU wherever there is one."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "to" or not node.args:
            return False
        said = [self.said(one) if isinstance(one, ast.Constant) else self.written(one) for one in self.origins.of(node.args[0])]
        return bool(said) and any(re.search(r"cuda(:0)?\b", str(one)) for one in said) and not any(
            re.search(r"device_count|args|config|rank|cuda:[^0]", str(one)) for one in said)

    def switched_in_the_place_of_a_dtype(self):
        """torch.autocast("cuda", use_amp): the second place is that of dtype."""
        for call in self.tracing.index.calls:
            if self.full(call.func) in ("torch.autocast", "torch.amp.autocast") and len(call.args) > 1 and self.is_truth(call.args[1]):
                self.mistake(call, "a truth value where autocast takes a dtype", self.written(call.args[1]), doubted=False)

    def is_truth(self, node):
        """Whether an expression is surely True or False."""
        if isinstance(node, ast.Compare) or isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return True
        if isinstance(node, ast.Attribute) and any(  # an option
                isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("parse_args", "parse_known_args")
                for one in self.origins.of(node.value)) and any(self.is_switch(one) for one in self.origins.calls_of_option(node.attr)):
            return True
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Compare) or isinstance(one, ast.Constant) and isinstance(one.value, bool) or isinstance(
            one, ast.Call) and self.full(one.func) in ("torch.cuda.is_available", "torch.cuda.is_bf16_supported") or one is not node and isinstance(
                one, (ast.UnaryOp, ast.Attribute)) and self.is_truth(one) for one in values)

    @staticmethod
    def is_switch(call):
        """parser.add_argument("--amp", action="store_true")"""
        action = next((k.value for k in call.keywords if k.arg == "action"), None)
        return getattr(action, "value", None) in ("store_true", "store_false") or getattr(action, "attr", "") == "BooleanOptionalAction"

    def loaded_before_the_move(self):
        """opt.load_state_dict(…), and model.to(device) behind it: the state stays where the parameters were."""
        if self.says(r"\.state\.(values|items)\(|\.state\[|optim\w*_to\("):
            return
        for load in self.tracing.index.calls:
            made = self.made_by(load.func.value, OPTIMIZERS_OF_TORCH, surely=True) if is_call(load, "load_state_dict") else None
            given = self.value_of(made.args[0]) if made is not None and made.args else None
            if not is_call(given, "parameters") or any(is_call(one, "to") or is_call(one, "cuda") for one in self.origins.wrappers_of(given.func.value)):
                continue
            model = {id(one) for one in self.origins.known(given.func.value, True) if isinstance(one, ast.Call)}
            moves = [one for one in self.tracing.index.calls if (is_call(one, "to") or is_call(one, "cuda")) and model & {
                id(of) for of in self.origins.known(one.func.value, True)}]
            first = next((one for one in moves if self.moves_to_gpu(one)), None)
            if first is not None and not self.apart(load, first) and all(
                    self.origins.scope(one) is self.origins.scope(load) and one.lineno > load.lineno for one in moves):
                self.mistake(load, "an optimizer's state that is loaded before its model moves", self.written(load), other=first)

    def moves_to_gpu(self, call):
        """model.cuda() or model.to(device), of a device that is, or that an option takes for, a GPU."""
        if is_call(call, "cuda"):
            return not self.full(call.func)
        where = (self.given(call, 0, "device") if is_call(call, "to") else None)
        for one in self.origins.known(where) if where is not None else ():
            one = self.value_of(one.args[0]) if isinstance(one, ast.Call) and self.full(one.func) == "torch.device" and one.args else one
            sides = [one.body, one.orelse] if isinstance(one, ast.IfExp) else [one]
            if any(re.match(r"cuda", str(getattr(side, "value", ""))) for side in sides):
                return True
        return False

    def apart(self, one, other):
        """Whether two statements stand in two branches of one if."""
        for outer in self.origins.around(one):
            if isinstance(outer, ast.If) and any(inner is other for part in outer.body + outer.orelse for inner in ast.walk(part)):
                return not any(any(inner is one for part in side for inner in ast.walk(part)) and any(
                    inner is other for part in side for inner in ast.walk(part)) for side in (outer.body, outer.orelse))
        return False

    def casts_to_float32(self, nodes):
        """with torch.autocast("cuda", dtype=torch.float32)"""
        for one in nodes:
            if isinstance(one, ast.Call) and self.full(one.func) in CASTS and self.word(one, "enabled") is None:
                where = one.args[0] if one.args else self.word(one, "device_type")
                kind = self.kind_of(self.word(one, "dtype") or (one.args[1] if len(one.args) > 1 else None))
                if kind in ("torch.float32", "torch.float") and "cuda" in self.written(self.value_of(where) if where else one.func):
                    self.mistake(one, "an autocast to float32")

    def scaled_gradients(self, of, own):
        """scaler.scale(loss).backward(); clip_grad_norm_(…); scaler.step(optimizer), without unscale_."""
        calls = [one for one in own if isinstance(one, ast.Call)]
        scale = next((one for one in calls if is_call(one, "backward") and is_call(one.func.value, "scale")), None)
        if scale is None or self.may_be_off():
            return
        scaler = self.written(scale.func.value.func.value)
        steps = [one for one in calls if is_call(one, "step") and self.written(one.func.value) == scaler and one.args]
        unscaled = [one for one in calls if is_call(one, "unscale_")]
        updates = [one for one in calls if is_call(one, "update") and self.written(one.func.value) == scaler]
        near = self.near(of) if isinstance(of, ast.FunctionDef) else self.reader.text
        for one in calls:
            if self.full(one.func) in CLIPS and not re.search(r"unscale|inv_scale|get_scale", near) and steps and \
                    scale.lineno < one.lineno < steps[-1].lineno:
                self.mistake(one, "gradients that are still scaled", "Call %s.unscale_(optimizer) before it." % scaler, other=scale)
        if not self.says(r"%s\.step\(|scaler\.step\(|unscale|get_scale" % re.escape(scaler)):
            for one in calls if updates else ():
                if is_call(one, "step") and not one.args and re.search(r"opt", self.written(one.func.value), re.I) and \
                        scale.lineno < one.lineno:
                    self.mistake(one, "a step with scaled gradients", scaler, other=scale)
        bodies = [of.body] + [part for one in own for part in (getattr(one, "body", None), getattr(one, "orelse", None))
                              if isinstance(part, list)]
        body = next((body for body in bodies if sum(getattr(s, "value", None) in unscaled for s in body) > 1), ())
        seen = {}
        for call in (s.value for s in body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)):
            name = self.written(call)
            if is_call(call, "update"):
                seen = {}
            elif call in unscaled:
                if name in seen:
                    self.mistake(call, "a step of a GradScaler out of order", "unscale_() was already called for this optimizer",
                                 "Call it once for each step.", other=seen[name])
                seen[name] = call

    def clipped_by_another(self, nodes):
        """A hook that clips, in a file whose gradients are all scaled and never unscaled."""
        back = [one for one in nodes if is_call(one, "backward")]
        scale = next((one for one in back if is_call(one.func.value, "scale")), None)
        if scale is None or not all(is_call(one.func.value, "scale") for one in back) or self.may_be_off() or self.says(
                r"unscale|inv_scale|/ *\w*scale|accelerat|abric"):
            return
        scaler = self.written(scale.func.value.func.value)
        for one in nodes:
            of = self.origins.scope(one)
            if isinstance(one, ast.Call) and self.full(one.func) in CLIPS and not any(self.origins.scope(other) is of for other in back):
                self.mistake(one, "gradients that are still scaled", "Call %s.unscale_(optimizer) before it." % scaler, other=scale)

    def may_be_off(self):
        """Whether a scaler of the file is told when to scale."""
        return any(self.full(one.func) in SCALERS and (self.word(one, "enabled") is not None or any(k.arg is None for k in one.keywords))
                   for one in self.tracing.index.calls)

    def state_without_scaler(self, nodes):
        """torch.save({"model": …, "optimizer": …}), resumed later with a new GradScaler."""
        if self.says(r"scaler\w*\.(load_)?state_dict|accelerat|Trainer\b") or self.may_be_off():
            return
        scaler = next((one for one in nodes if isinstance(one, ast.Call) and self.full(one.func) in SCALERS), None)
        saves = any(isinstance(one, ast.Call) and self.full(one.func) == "torch.save" and re.search(
            r"opt\w*\.state_dict\(", self.reader.written_whole(one)) for one in nodes)
        loads = next((one for one in nodes if is_call(one, "load_state_dict") and re.search(
            r"opt", self.written(one.func.value), re.I)), None)
        if scaler is not None and saves and loads is not None:
            self.mistake(scaler, "a scaler that begins anew", other=loads)

    def functions_under_autocast(self, nodes):
        """class Product(torch.autograd.Function), which multiplies, called under autocast without custom_fwd."""
        if self.says(r"custom_fwd|custom_bwd|autocast\(enabled *= *False|enabled *= *False|\.to\(\w+\.dtype|\.type_as\("):
            return
        classes = {}
        for one in nodes:
            if isinstance(one, ast.ClassDef) and any(self.full(base) == "torch.autograd.Function" for base in one.bases):
                back = next((m for m in one.body if isinstance(m, ast.FunctionDef) and m.name == "backward"), None)
                text = self.reader.written_whole(back) if back else ""
                if "saved_tensors" in text and PRODUCTS.search(text) and not re.search(r"\.(float|half|to)\(", text):
                    classes[one.name] = next(m for m in one.body if isinstance(m, ast.FunctionDef))
        for block in (one for one in nodes if classes and isinstance(one, ast.With)):
            if any(isinstance(item.context_expr, ast.Call) and self.full(item.context_expr.func) in CASTS for item in block.items):
                for call in calls_in(block.body):
                    of = self.written(call.func.value) if is_call(call, "apply") else ""
                    if of in classes:
                        self.mistake(self.cls_of(nodes, of), "a function that autocast does not know", of, other=call)

    @staticmethod
    def cls_of(nodes, name):
        return next(one for one in nodes if isinstance(one, ast.ClassDef) and one.name == name)

    # ---- numbers of few digits

    def short_positions(self, of, own):
        """positions = torch.arange(length, dtype=torch.bfloat16), of which angles are computed."""
        defaults = {}
        if isinstance(of, ast.FunctionDef):
            args = of.args.args
            defaults = {a.arg: self.full(d) for a, d in zip(args[len(args) - len(of.args.defaults):], of.args.defaults)}
        for one in own:
            if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Name):
                continue
            call = one.value
            if not isinstance(call, ast.Call) or self.full(call.func) != "torch.arange" or len(call.args) != 1:
                continue
            kind = self.word(call, "dtype")
            kind = defaults.get(getattr(kind, "id", "")) or self.kind_of(kind)
            count = getattr(self.value_of(call.args[0]), "value", None)
            name = re.escape(one.targets[0].id)
            if kind in SHORT and not (isinstance(count, int) and count <= 256) and any(isinstance(use, ast.Assign) and re.search(
                    r"(outer|einsum)\(.*\b%s\b|\b%s(\[[^]]*\]|\.unsqueeze\(.*?\))? [*@] " % (name, name), self.written(use.value))
                    for use in own) and re.search(r"\.(cos|sin)\(|torch\.(cos|sin|polar)\(", self.reader.written_whole(of)):
                self.mistake(one, "positions in few digits", kind)

    def sum_of_halves(self, own):
        """total = products.sum(), of half a million numbers in float16, divided by their count."""
        halves = {}
        for one in own:
            if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Name):
                continue
            name, value = one.targets[0].id, one.value
            halves.pop(name, None)
            call = value if isinstance(value, ast.Call) else None
            size = call.args[0] if call and call.args else None
            if call and re.match(r"torch\.(rand|ones)$", self.full(call.func)) and self.kind_of(self.word(call, "dtype")) in HALVES:
                count = self.count(call.args)
                if count is not None and count > 400000:
                    halves[name] = one
            elif isinstance(value, ast.BinOp) and all(isinstance(part, ast.Name) and part.id in halves for part in (
                    value.left, value.right)) and isinstance(value.op, (ast.Mult, ast.Add)):
                halves[name] = one
            elif call and is_call(call, "sum") and not call.args and not call.keywords and self.written(call.func.value) in halves:
                self.mistake(call, "a sum beyond half precision", self.written(call.func.value),
                             other=halves[self.written(call.func.value)])

    @staticmethod
    def count(sizes):
        """How many elements, where all sizes are written: 1 << 20."""
        product = 1
        for one in sizes:
            try:
                value = ast.literal_eval(one) if not isinstance(one, ast.BinOp) else {
                    ast.LShift: lambda a, b: a << min(b, 64), ast.Mult: lambda a, b: a * b, ast.Pow: lambda a, b: a**min(b, 64)}[
                        type(one.op)](ast.literal_eval(one.left), ast.literal_eval(one.right))
            except (ValueError, TypeError, KeyError, SyntaxError, RecursionError):
                return None
            if type(value) is not int:
                return None
            product *= value
        return product

    def flash_of_float32(self, own):
        """with sdpa_kernel(SDPBackend.FLASH_ATTENTION): scaled_dot_product_attention(q, k, v), of float32."""
        if self.says(r"autocast|\.half\(|bfloat16|float16|set_default_dtype"):
            return
        made = {}
        for one in own:
            if isinstance(one, ast.Assign):
                value = one.value.elt if isinstance(one.value, (ast.GeneratorExp, ast.ListComp)) else one.value
                if isinstance(value, ast.Call) and re.match(r"torch\.(randn|rand|zeros|ones)$", self.full(value.func)) and self.word(
                        value, "device") is not None and self.word(value, "dtype") is None:
                    made.update({name.id: one for target in one.targets for name in ast.walk(target) if isinstance(name, ast.Name)})
        for block in (one for one in own if made and isinstance(one, ast.With)):
            call = block.items[0].context_expr
            if not isinstance(call, ast.Call):
                continue
            for attention in calls_in(block.body) if self.flash_alone(call) else ():
                if self.full(attention.func) == "torch.nn.functional.scaled_dot_product_attention" and attention.args and getattr(
                        attention.args[0], "id", "") in made:
                    self.mistake(attention, "attention in float32 where half is asked", other=made[attention.args[0].id],
                                 doubted=False)

    def flash_alone(self, call):
        """Whether attention may take no other kernel than those for half precision within this block."""
        given = self.given(call, 0, "backends")
        given = self.value_of(given) if given is not None else None
        kinds = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given] if given is not None else []
        says = {k.arg: self.said(k.value) for k in call.keywords}
        return self.full(call.func) == "torch.nn.attention.sdpa_kernel" and bool(kinds) and all(
            self.full(kind).endswith((".FLASH_ATTENTION", ".CUDNN_ATTENTION")) for kind in kinds) or self.full(
                call.func) == "torch.backends.cuda.sdp_kernel" and says.get("enable_flash", True) is True and says.get(
                    "enable_math") is False and says.get("enable_mem_efficient") is False

    def flash_of_modules(self, nodes):
        """FLASH_ATTENTION alone in a module's forward(), where all that the script trains on the GPU is in float32."""
        if "_sdp" not in self.reader.text and "FLASH_ATTENTION" not in self.reader.text:
            return
        text = re.sub(r"set_float32_matmul_precision|float32|dtype *= *(torch|np|numpy)\.(uint8|int\d+|long|bool)\b", "", self.reader.text)
        if re.search(r"autocast|\.half\(|bfloat16|float16|[dD]type|precision|deepspeed|[tT]rainer|\.type\(|\bamp\b|fp16|bf16|\.to\(self|\.to\(other",
                     text) or not self.says(r"\.cuda\(|['\"]cuda") or not self.says(r"\.backward\("):
            return
        off = [one for one in self.tracing.index.calls if self.full(one.func) in (
            "torch.backends.cuda.enable_math_sdp", "torch.backends.cuda.enable_mem_efficient_sdp") and self.said(self.given(one, 0, "enabled")) is False]
        everywhere = len({self.full(one.func) for one in off}) == 2
        for attention in self.tracing.index.calls:
            if self.full(attention.func) != "torch.nn.functional.scaled_dot_product_attention":
                continue
            around = list(self.origins.around(attention))
            block = next((item.context_expr for one in around if isinstance(one, ast.With) for item in one.items if isinstance(
                item.context_expr, ast.Call) and self.flash_alone(item.context_expr)), None)
            inside = any(isinstance(one, ast.ClassDef) and any(self.full(base).endswith("nn.Module") for base in one.bases) for one in around)
            if inside and (block is not None or everywhere):
                self.mistake(attention, "attention in float32 where half is asked", other=block or off[0])

    def sizes_that_change(self, nodes):
        """torch.backends.cudnn.benchmark = True, and images of random sizes."""
        switch = next((one for one in nodes if isinstance(one, ast.Assign) and getattr(one.value, "value", None) is True and self.full(
            one.targets[0]) == "torch.backends.cudnn.benchmark"), None)
        for loop in (one for one in nodes if switch is not None and isinstance(one, LOOPS)):
            drawn = set()
            for one in own_nodes(loop):
                if isinstance(one, ast.Assign):
                    targets = one.targets[0].elts if isinstance(one.targets[0], ast.Tuple) else one.targets
                    values = one.value.elts if isinstance(one.value, ast.Tuple) else [one.value] * len(targets)
                    drawn |= {self.written(target) for target, value in zip(targets, values) if isinstance(value, ast.Call) and self.full(
                        value.func) in ("random.randint", "random.randrange", "numpy.random.randint")}
                if isinstance(one, ast.Call) and drawn and (re.match(r"torch\.(rand|randn|zeros)$", self.full(one.func)) and len(
                        one.args) == 4 and any(self.written(a) in drawn for a in one.args[2:]) or self.full(
                            one.func) == "torch.nn.functional.interpolate" and any(
                                self.written(part) in drawn for part in ast.walk(one) if isinstance(part, ast.Name))):
                    return self.mistake(switch, "a search for each new size", self.written(one), other=one)
        return None

    # ---- what a run can't repeat

    def switch_of_convolutions(self, nodes):
        """torch.backends.cudnn.allow_tf32 = True, of a model that has layers of products of matrices alone."""
        if "allow_tf32" not in self.reader.text or self.says(r"(?i)matmul\.(allow_tf32|fp32)|set_float32_matmul|fp32_precision|autocast|half|float16|conv|lstm|gru|rnn|torch\.load\(|hub|cudnn\.allow_tf32 = False"):
            return
        plain = getattr(sys, "stdlib_module_names", ())
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not plain or any(root not in plain and root not in ("torch", "numpy", "tqdm", "scipy", "sklearn", "pandas", "matplotlib") for root in roots):
            return
        layer = next((one for one in nodes if isinstance(one, ast.Call) and re.match(
            r"torch\.(nn\.(Linear|Bilinear|Transformer\w*|MultiheadAttention)|matmul|mm|bmm|einsum)$", self.full(one.func))), None)
        for one in nodes if layer is not None else ():
            if isinstance(one, ast.Assign) and self.full(one.targets[0]) == "torch.backends.cudnn.allow_tf32" and getattr(one.value, "value", None) is True:
                return self.mistake(one, "a switch of convolutions alone", self.written(layer), other=layer)
        return None

    def deterministic_without_space(self, nodes):
        """torch.use_deterministic_algorithms(True), and CUBLAS_WORKSPACE_CONFIG nowhere."""
        if self.says(r"CUBLAS_WORKSPACE_CONFIG|warn_only") or not self.says(r"\.cuda\(|['\"]cuda"):
            return
        if not any(isinstance(one, ast.Call) and re.match(r"torch\.(nn\.(Linear|LSTM|GRU|Transformer\w*|MultiheadAttention)|matmul|mm|bmm)$",
                                                          self.full(one.func)) for one in nodes):
            return
        for one in self.scopes[-1][1]:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and self.full(
                    one.value.func) == "torch.use_deterministic_algorithms" and one.value.args and getattr(
                        one.value.args[0], "value", None) is True:
                self.mistake(one.value, "determinism without cuBLAS's space")

    def generators_of_the_cpu(self, nodes):
        """torch.save({…, "rng": torch.get_rng_state()}), without the GPU's generators."""
        if "rng_state" not in self.reader.text:
            return
        if self.says(r"cuda\.\w*rng_state|xpu|mps") or not self.says(r"cuda|map_location *= *['\"]cpu") or not self.says(DRAWS_ON_GPU) and self.says(
                r"nn\.(Module|Sequential)\b"):
            return  # the layers are all here, and none of them draws
        puts = next((one for one in nodes if isinstance(one, ast.Call) and self.full(one.func) in (
            "torch.set_rng_state", "torch.random.set_rng_state")), None)
        for one in nodes:
            if puts is None or not isinstance(one, ast.Call) or self.full(one.func) != "torch.save" or not one.args:
                continue
            kept = [one] + [of for of in self.origins.known(one.args[0]) if isinstance(of, ast.expr)]  # pack(model, optimizer)
            takes = next((call for call in calls_in(kept) if self.full(call.func) in (
                "torch.get_rng_state", "torch.random.get_rng_state")), None)
            of = self.origins.scope(takes) if takes is not None else None
            if takes is not None and any(re.search(r"opt\w*\.state_dict\(", self.reader.written_whole(each)) for each in kept + [of] * (of is not None)):
                return self.mistake(puts, "generators of the GPU that nobody saves", self.written(takes), other=takes)
        return None

    # ---- gradients

    def trained_on_inference(self, of, own):
        """with torch.inference_mode(): features = encoder(x), and then head(features), whose loss goes back."""
        if not any(is_call(one, "backward") for one in own):
            return
        inference = {}
        for one in own:
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and isinstance(one.targets[0], ast.Name) and any(self.written(
                    by) in ("torch.inference_mode()", "torch.inference_mode") for function in self.origins.functions_of(one.value.func) for by in getattr(
                        function, "decorator_list", ())) and not re.search(r"\.(item|tolist|numpy|clone)\(", self.written(one.value)):
                inference[one.targets[0].id] = (one, {id(n) for n in ast.walk(one)})
            if isinstance(one, ast.With) and any(isinstance(item.context_expr, ast.Call) and self.full(
                    item.context_expr.func) == "torch.inference_mode" and not item.context_expr.args for item in one.items):
                for inner in own_nodes(one):
                    if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Call) and isinstance(
                            inner.targets[0], ast.Name) and isinstance(inner.value.func, (ast.Name, ast.Attribute)) and not re.search(
                                r"\.(item|tolist|numpy)\(", self.written(inner.value)):
                        inference[inner.targets[0].id] = (inner, {id(n) for n in ast.walk(one)})
        quiet = self.without_gradients(own)
        for one in own if inference else ():
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and one.targets[0].id in inference and id(
                    one) not in inference[one.targets[0].id][1]:
                inference.pop(one.targets[0].id)
            if isinstance(one, ast.Call) and len(one.args) == 1 and getattr(one.args[0], "id", "") in inference:
                made = inference[one.args[0].id][0]
                module = self.origin(self.value_of(one.func))[0]
                if id(one) not in quiet and one.lineno > made.lineno and (module.startswith("torch.nn.") or re.search(
                        r"(^|\.|_)(head|classifier|decoder|probe|proj\w*|fc\d?|mlp|student|linear)$", self.written(one.func))):
                    return self.mistake(one, "a tensor of inference in a training", made.targets[0].id, other=made)
        return None

    def backward_of_evaluating(self, own):
        """lstm.eval(); lstm(frames)[0].sum().backward(): cuDNN goes back in training mode alone."""
        if self.says(r"cudnn") or not self.says(r"\.cuda\(|['\"]cuda"):
            return
        evaluating, called, quiet = {}, {}, self.without_gradients(own)
        for one in own:
            if isinstance(one, ast.Assign) and one.targets and isinstance(one.targets[0], ast.Name):
                after = self.origin(one.value)[2]
                if any(call.func.attr == "eval" for call in after) and self.recurrent(one.value):
                    evaluating[one.targets[0].id] = one
            if isinstance(one, ast.Assign) and id(one) not in quiet:  # what is computed of its outputs
                use = next((call for call in ast.walk(one.value) if isinstance(call, ast.Call) and getattr(
                    call.func, "id", "") in evaluating), None)
                use = use or next((called[n.id] for n in ast.walk(one.value) if isinstance(n, ast.Name) and n.id in called), None)
                called.update({n.id: use for target in one.targets for n in ast.walk(target) if use is not None and isinstance(n, ast.Name)})
            if not isinstance(one, ast.Call):
                continue
            root = self.root(one.func.value) if isinstance(one.func, ast.Attribute) else one.func
            name = self.written(root)
            if is_call(one, "eval") and not one.args and self.recurrent(self.value_of(root)):
                evaluating[name] = one
            if is_call(one, "train"):
                evaluating.pop(name, None)
            if is_call(one, "backward") or self.full(one.func) == "torch.autograd.grad":
                use = next((called[n.id] for n in ast.walk(one) if isinstance(n, ast.Name) and n.id in called), None)
                if use is not None and use.func.id in evaluating:
                    return self.mistake(use, "a recurrent layer that evaluates and goes back", use.func.id,
                                        other=evaluating[use.func.id])
        return None

    def recurrent(self, node):
        """Whether a value is a layer of cuDNN's recurrent ones, or a module of the file that has one."""
        name, made, _ = self.origin(node)
        if RECURRENT_OF_CUDNN.match(name):
            return True
        of = getattr(getattr(made, "func", None), "id", "")
        return any(isinstance(one, ast.ClassDef) and one.name == of and any(isinstance(call, ast.Call) and RECURRENT_OF_CUDNN.match(
            self.full(call.func)) for call in ast.walk(one)) for tree in self.trees() for one in tree.body)

    def trees(self):
        return next(trees for source, trees in self.tracing.files if source == self.reader.source)

    def loss_of_numpy(self, own):
        """loss = torch.tensor(error.mean()); loss.backward()"""
        made = {}
        for one in own:
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                name, call, after = self.origin(one.value)
                fresh = name in ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.Tensor") and self.word(
                    call, "requires_grad") is None and not any(a.func.attr == "requires_grad_" for a in after)
                made[one.targets[0].id] = one if fresh and one.targets[0].id not in made else None
            elif isinstance(one, (ast.AugAssign, ast.For)):
                made.update({name.id: None for name in ast.walk(one.target) if isinstance(name, ast.Name)})
            elif isinstance(one, ast.Attribute) and (one.attr == "requires_grad" or re.search(r"[a-z]_$", one.attr)):
                made[self.written(one.value)] = None  # requires_grad_, add_
            elif is_call(one, "backward") and made.get(self.written(one.func.value)) is not None:
                loss = made[self.written(one.func.value)]
                self.mistake(loss, "a loss that is made of numbers", self.written(one), other=one, doubted=False)

    def ids_beyond_a_table(self, nodes):
        """embedding = Embedding(vocab, 256); padding_id = vocab; tokens[:, 100:] = padding_id"""
        tables = {}
        for one in nodes:
            if isinstance(one, ast.Assign):
                name, call, _ = self.origin(one.value)
                if name == "torch.nn.Embedding" and call.args and isinstance(call.args[0], ast.Name):
                    tables[call.args[0].id] = (self.written(one.targets[0]), one)
        beyond = {self.written(one.targets[0]): one for one in nodes if isinstance(one, ast.Assign) and getattr(
            one.value, "id", "") in tables and isinstance(one.targets[0], ast.Name)}
        for one in nodes if beyond else ():
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Subscript) and getattr(one.value, "id", "") in beyond:
                size = beyond[one.value.id].value.id
                table, made = tables[size]
                tokens = self.written(one.targets[0].value)
                if self.says(r"\b%s\(%s\)" % (re.escape(table), re.escape(tokens))):
                    self.mistake(made, "ids beyond a table", size, one.value.id, other=one)

    # ---- two devices

    def targets_left_behind(self, loop):
        """for images, targets in loader: images = images.cuda(); loss = criterion(model(images), targets)"""
        if not isinstance(loop.target, ast.Tuple) or not all(isinstance(one, ast.Name) for one in loop.target.elts) or len(
                loop.target.elts) != 2 or self.says(r"accelerat|fabric\b|Fabric|prefetch|\.prepare\("):
            return
        first, second = (one.id for one in loop.target.elts)
        if not re.search(r"loader|_dl$", self.written(loop.iter)):
            return
        own, moved, inputs = own_nodes(loop), False, {first}
        for one in own:
            if isinstance(one, ast.Assign):
                names = {n.id for target in one.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
                if second in names or is_call(one.value, "to") and self.written(one.value.func.value) == second:
                    return
                if names == {first} and re.match(r"%s\.(cuda\(|to\(['\"]cuda)" % re.escape(first), self.written(one.value)):
                    moved = True
                elif any(isinstance(n, ast.Name) and n.id in inputs for n in ast.walk(one.value)):
                    inputs |= names
            if isinstance(one, ast.Call) and moved and len(one.args) >= 2 and getattr(one.args[1], "id", "") == second and (
                    LOSS_CALLS.match(self.full(one.func)) or LOSS_CLASSES.match(self.origin(self.value_of(one.func))[0])) and any(
                        isinstance(n, ast.Name) and n.id in inputs for n in ast.walk(one.args[0])) and not re.search(
                            r"\.cpu\(", self.written(one)):
                return self.mistake(one, "targets that stay on the CPU", second, other=loop)

    def halves_apart(self, of):
        """self.decoder(torch.relu(self.encoder(x))), where encoder is on cuda:0 and decoder on cuda:1."""
        methods = {one.name: one for one in of.body if isinstance(one, ast.FunctionDef)}
        if "__init__" not in methods or "forward" not in methods:
            return
        places = {}
        for one in own_nodes(methods["__init__"]):
            if isinstance(one, ast.Assign) and self.written(one.targets[0]).startswith("self."):
                place = self.gpu_of(one.value)
                if place:
                    places[self.written(one.targets[0])] = place
        if len(set(places.values())) < 2:
            return
        lies = {}

        def place_of(node):
            if isinstance(node, ast.Name):
                return lies.get(node.id)
            if isinstance(node, ast.BinOp):
                return place_of(node.left) or place_of(node.right)
            if not isinstance(node, ast.Call):
                return None
            if is_call(node, "to") or is_call(node, "cuda"):
                return self.gpu_of(node)
            name = self.written(node.func)
            inputs = [place_of(a) for a in node.args]
            if name in places:
                there = inputs[0] if inputs else None
                if there and there != places[name]:
                    self.mistake(node, "an activation on another GPU", there, places[name])
                return places[name]
            if isinstance(node.func, ast.Attribute) and not self.full(node.func):
                return place_of(node.func.value)
            return next((place for place in inputs if place), None) if self.full(node.func).startswith("torch.") else None

        for one in methods["forward"].body:
            if isinstance(one, (ast.Assign, ast.Return)) and one.value is not None:
                place = place_of(one.value)
                for target in getattr(one, "targets", ()):
                    lies.update({n.id: place for n in ast.walk(target) if isinstance(n, ast.Name)})
            elif isinstance(one, COMPOUND):
                return

    def gpu_of(self, node):
        """cuda:1, of what ends in .to("cuda:1") or .cuda(1)"""
        first = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
        value = getattr(self.value_of(first), "value", None) if first is not None else None
        if is_call(node, "cuda") and type(value) is int or is_call(node, "to") and type(value) is int:
            return "cuda:%d" % value
        return value if is_call(node, "to") and isinstance(value, str) and re.match(r"cuda:\d+$", value) else None

    def is_of_another(self, device):
        """Whether a device is that of another object, as of module.weight.device: it may be 'meta' there too."""
        def is_named(one):
            return isinstance(one, ast.Attribute) and one.attr == "device" and self.full(one) != "torch.device" or isinstance(one, ast.Call) and is_call(one, "get_device")

        values = [getattr(one, "of", one) for one in self.origins.of(device)] if device is not None else []
        return any(is_named(one) for of in [device] + values if isinstance(of, ast.AST) for one in ast.walk(of)) and not (
            values and all(isinstance(one, (ast.Constant, ast.Call)) and not any(is_named(part) for part in ast.walk(one)) for one in values))

    def meta_modules(self, own):
        """with torch.device("meta"): model = …; model.to("cuda"): there is nothing to copy."""
        meta, empty = {}, {}
        for one in own:
            if isinstance(one, ast.With) and any(isinstance(item.context_expr, ast.Call) and self.full(
                    item.context_expr.func) == "torch.device" and item.context_expr.args and getattr(
                        item.context_expr.args[0], "value", None) == "meta" for item in one.items):
                meta.update({inner.targets[0].id: one for inner in own_nodes(one) if isinstance(inner, ast.Assign) and isinstance(
                    inner.targets[0], ast.Name) and isinstance(inner.value, ast.Call)})
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(one.value, ast.Call) and getattr(
                    self.word(one.value, "device"), "value", None) == "meta" and self.full(one.value.func).startswith("torch.nn."):
                meta[one.targets[0].id] = one
            name = getattr(getattr(getattr(one, "func", None), "value", None), "id", "") if isinstance(one, ast.Call) else ""
            if name not in meta:
                continue
            if one.func.attr == "to_empty":
                empty[name] = one
                meta.pop(name)
            elif one.func.attr in ("load_state_dict", "_apply", "apply"):
                meta.pop(name)
            elif one.func.attr == "cuda" or one.func.attr == "to" and (one.args and not self.kind_of(one.args[0]).startswith(
                    "torch.") and "meta" not in self.written(one.args[0]) or self.word(one, "device") is not None):
                if not self.is_of_another(self.given(one, 0, "device") if one.func.attr == "to" else None):
                    self.mistake(one, "a module without data that is moved", name, other=meta[name])
                meta.pop(name)
        if empty and not self.says(r"load|reset_parameters|init|copy_|fill_|normal_|uniform_|\.apply\(|fully_shard|FSDP|Fully|zeros?_\("):
            for name, one in empty.items():
                if any(isinstance(call, ast.Call) and getattr(call.func, "id", "") == name for call in own):
                    self.mistake(one, "weights that nothing fills", name)
