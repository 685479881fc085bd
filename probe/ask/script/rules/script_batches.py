"""What a loop of PyTorch's takes from what it prepared, and what its processes do together; for the reader of scripts."""

PREPARES_IN_ORDER = re.compile(r"prepare|setup|setup_dataloaders$|prepare_for_\w+$")
# Arguments of a model that come from one batch.
OF_ONE_BATCH = frozenset("input_ids attention_mask token_type_ids position_ids pixel_values labels decoder_input_ids decoder_attention_mask "
                         "input_features inputs_embeds".split())
GONE_HOOKS = {
    "training_epoch_end": "Keep what training_step() gives in a list, and write on_train_epoch_end(self).",
    "validation_epoch_end": "Keep what validation_step() gives in a list, and write on_validation_epoch_end(self).",
    "test_epoch_end": "Keep what test_step() gives in a list, and write on_test_epoch_end(self).",
}
SILENT_HOOKS = {
    "on_epoch_start": "on_train_epoch_start", "on_epoch_end": "on_train_epoch_end", "on_batch_start": "on_train_batch_start",
    "on_batch_end": "on_train_batch_end", "on_init_start": "setup", "on_init_end": "setup", "on_keyboard_interrupt": "on_exception",
    "on_pretrain_routine_start": "on_fit_start", "on_pretrain_routine_end": "on_fit_start"}
# Hooks of a LightningModule from before 1.0 and 2.0, which are methods like any other now.
HOOKS_OF_OLD_MODULES = {
    "validation_end": "on_validation_epoch_end", "test_end": "on_test_epoch_end", "training_end": "training_step", "tng_dataloader": "train_dataloader",
    "training_step_end": "training_step", "validation_step_end": "validation_step", "test_step_end": "test_step"}
ENDS_OF_EPOCHS = ("on_train_epoch_end", "on_validation_epoch_end", "on_test_epoch_end")
MODULES_OF_LIGHTNING = re.compile(r"(lightning\.pytorch|lightning|pytorch_lightning)\.(?!fabric)(\w+\.)*Lightning(Data)?Module$")
# Properties that Lightning gives its modules, without a setter; of a data module hparams alone.
SET_BY_NOBODY = {
    "hparams": "Write self.save_hyperparameters(…), which fills self.hparams.", "device": "Leave it out: self.device is where the Trainer puts the module.",
    "logger": "Give the logger to the Trainer, or take another name.", "current_epoch": "Take another name.", "global_step": "Take another name.",
    "global_rank": "Take another name.", "local_rank": "Take another name."}
OF_LIGHTNING = re.compile(r"(lightning\.pytorch|lightning|pytorch_lightning)\.(?!fabric)(\w+\.)*(Callback|LightningModule|ModelCheckpoint|\w+Callback)$")
FOR_THE_OTHERS = re.compile(r"rank\w*(\(\))? *(!= *0|> *0)|not (\w+\.)*is_(main|master|rank0|rank_zero|global_zero|local_main)")
FOR_ALL_PROCESSES = re.compile(r"is_initialized|world_size|__main__|is_distributed")
NAMES_A_RANK = re.compile(r"(^|[^a-z])(local_?rank|rank|gpu|device_?id|local)([^a-z]|$)", re.I)
TELLS_OF_GPU = ("torch.cuda.get_device_name", "torch.cuda.get_device_properties", "torch.cuda.is_available", "torch.cuda.device_count")
# Packages that move no model of PyTorch's.
KNOWN_ROOTS = frozenset("torch torchvision torchaudio numpy pandas sklearn scipy matplotlib argparse logging os sys time math random json csv "
                        "pathlib tqdm collections dataclasses typing itertools functools re glob copy warnings platform datetime pickle "
                        "__future__ yaml PIL cv2 tensorboard torchmetrics".split())


class Batches(Scoped):
    OF = {"torch", "accelerate", "lightning", "pytorch_lightning"}

    def rules(self, nodes):
        self.taken_in_another_order(nodes)
        self.parts_that_stay()
        self.hooks_that_are_gone()
        self.hooks_that_nothing_calls()
        self.properties_without_a_setter()
        self.frozen_batches()
        self.halves_under_a_scaler()
        self.halves_under_accelerate()
        self.events_not_waited_for(nodes)
        if self.says(r"no_sync|no_backward_sync|require_backward_grad_sync|set_requires_gradient_sync"):
            self.steps_without_sync(nodes)
        if self.says(r"barrier\(|wait_for_everyone"):
            self.barriers_of_one(nodes)
        if self.says(r"VISIBLE_DEVICES"):
            self.beyond_the_visible(nodes)
        self.found_for_nothing()
        if self.says(r"Trainer\("):
            self.samples_that_nobody_shares_out()

    # ---- what is prepared

    def taken_in_another_order(self, nodes):
        """model, loader, optimizer = accelerator.prepare(model, optimizer, loader)"""
        for one in nodes:
            call = one.value if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) else None
            target = one.targets[0] if call is not None else None
            if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(call.func, ast.Attribute) or self.full(
                    call.func) or not PREPARES_IN_ORDER.match(call.func.attr) or len(target.elts) != len(call.args):
                continue
            given, taken = [self.written(a) for a in call.args], [self.written(t) for t in target.elts]
            for at, name in enumerate(taken):
                if name != given[at] and given.count(name) == 1 and taken.count(name) == 1 and taken.count(given[at]) == 1:
                    self.mistake(one, "what prepare() gives in another order", name, given[at], doubted=False)
                    break

    def parts_that_stay(self):
        """model(input_ids=batch["input_ids"].to(device), attention_mask=batch["attention_mask"])"""
        for call in self.tracing.index.calls:
            words = {k.arg: k.value for k in call.keywords if k.arg in OF_ONE_BATCH}
            moved, stays = {}, {}
            for word, value in words.items():
                ways = self.origins.wrappers_of(value)
                whole = self.batch_of(value)
                if whole is None:
                    continue
                if any(self.goes_to_a_gpu(one) for one in ways):
                    moved.setdefault(whole, value)
                elif not ways:
                    stays.setdefault(whole, value)
            for whole, value in stays.items():
                if whole in moved and not self.says(r"\b%s *= *%s\.to\(|\b%s\.to\(|tensor *\. *to\b|device_map" % ((re.escape(whole), ) * 3)):
                    self.mistake(value, "a part of a batch that stays on the CPU", whole, self.written(moved[whole]), other=moved[whole])

    def batch_of(self, value):
        """The name of what an expression is an item of: batch, for batch["labels"].to(device) and for x = batch["x"]; x.to(device)."""
        for one in self.origins.of(value, True):
            if isinstance(one, ast.Subscript) and isinstance(self.origins.key(one), str) or isinstance(
                    one, ast.Attribute) and one.attr in OF_ONE_BATCH:
                return self.written(one.value)
        return None

    def goes_to_a_gpu(self, call):
        """x.to(device) or x.cuda(), where the device isn't surely the CPU."""
        if is_call(call, "cuda"):
            return True
        first = self.given(call, 0, "device") if is_call(call, "to") else None
        return first is not None and not self.full(first).startswith("torch.") and self.said(first) != "cpu"

    def hooks_that_are_gone(self):
        """def validation_epoch_end(self, outputs), which Lightning 2.0 refuses."""
        old = "pytorch_lightning" in {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.pinned_for("lightning"):
            return
        for of in self.tracing.index.classes:
            if not any(self.full(base).endswith(".LightningModule") for base in of.bases):
                continue
            for one in of.body:
                if not isinstance(one, ast.FunctionDef):
                    continue
                if one.name in HOOKS_OF_OLD_MODULES and not self.says(r"(?<!def )\b%s\b" % one.name):
                    self.reader.mistake(one, "a hook that nothing calls any more", one.name, "the Trainer", HOOKS_OF_OLD_MODULES[one.name], doubted=old)
                elif one.name in ENDS_OF_EPOCHS and len(one.args.args) == 2 and not one.args.defaults:
                    self.reader.mistake(one, "a hook that Lightning gives no outputs", one.name, one.args.args[1].arg, doubted=old)
                elif one.name in GONE_HOOKS and one.args.args[1:]:
                    self.reader.mistake(one, "a hook that Lightning no longer calls", one.name, "NotImplementedError", GONE_HOOKS[one.name],
                                        doubted=old)
                elif one.name == "training_step" and any(arg.arg == "optimizer_idx" for arg in one.args.args):
                    self.reader.mistake(one, "a hook that Lightning no longer calls", "training_step(…, optimizer_idx)", "RuntimeError",
                                        "Set self.automatic_optimization = False, and step each optimizer of self.optimizers().", doubted=old)

    def is_of_lightning(self, of, deepest=3, form=OF_LIGHTNING):
        """Whether all that a class inherits is of Lightning, also through classes of the file."""
        own = {one.name: one for one in self.tracing.index.classes}
        return deepest > 0 and bool(of.bases) and all(form.match(self.full(base)) or getattr(base, "id", "") in own and self.is_of_lightning(
            own[base.id], deepest - 1, form) for base in of.bases)

    def properties_without_a_setter(self):
        """self.hparams = hparams, in a LightningModule: since Lightning 1.3 it raises AttributeError."""
        if not self.says(r"self\.(%s)\b[^=\n]*=[^=]" % "|".join(SET_BY_NOBODY)) or self.reader.pinned_for("lightning"):
            return
        for of in self.tracing.index.classes:
            if not self.is_of_lightning(of, form=MODULES_OF_LIGHTNING) or any(getattr(one, "name", "") == "__setattr__" for one in of.body):
                continue
            own = {name for one in of.body for part in ([one] if hasattr(one, "name") else ast.walk(one)) for name in names_bound_by(part)}
            data = any(self.full(base).endswith("LightningDataModule") for base in of.bases)
            for one in ast.walk(of):
                for target in one.targets if isinstance(one, ast.Assign) else ():
                    for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                        if isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == "self" and part.attr in SET_BY_NOBODY and part.attr not in own and (
                                part.attr == "hparams" or not data) and not any(isinstance(outer, ast.Try) for outer in self.origins.around(part)):
                            self.reader.mistake(one, "a property of Lightning's that is set", self.written(one), part.attr, SET_BY_NOBODY[part.attr],
                                                since="lightning 1.3" if part.attr == "hparams" else None)

    def hooks_that_nothing_calls(self):
        """def on_epoch_end(self, trainer, pl_module), of a Callback: Lightning 2 knows no such hook and leaves it out."""
        if self.reader.pinned_for("lightning") or not self.says(r"\bTrainer\(|LightningCLI\(") or self.says(r"\bFabric\(|getattr\("):
            return
        old = "pytorch_lightning" in {name.split(".")[0] for name in self.tracing.names.values()}
        for of in self.tracing.index.classes:
            for one in of.body if self.is_of_lightning(of) else ():
                if isinstance(one, ast.FunctionDef) and one.name in SILENT_HOOKS and not self.says(
                        r"(?<!def )\b%s\b" % one.name):  # what the script calls or hands on by itself does run
                    self.reader.mistake(one, "a hook that nothing calls any more", one.name, "the Trainer", SILENT_HOOKS[one.name], doubted=old)

    def frozen_batches(self):
        """@dataclass(frozen=True) class Batch, which a loader's collate_fn makes and Lightning can't move field by field."""
        lightning = any(self.full(base).endswith(".LightningModule") for of in self.tracing.index.classes for base in of.bases)
        if not lightning or not self.says(r"\bTrainer\(") or self.says(r"transfer_batch_to_device|apply_to_collection"):
            return
        frozen = {id(of): (of, made) for of in self.tracing.index.classes for made in of.decorator_list if isinstance(
            made, ast.Call) and self.full(made.func) == "dataclasses.dataclass" and self.said(self.word(made, "frozen")) is True and
            not of.bases and not any(isinstance(one, ast.FunctionDef) and one.name == "to" for one in of.body) and any(isinstance(
                one, ast.AnnAssign) and self.full(one.annotation) == "torch.Tensor" for one in of.body)}
        for call in self.tracing.index.calls if frozen else ():
            collate = self.word(call, "collate_fn")
            if collate is None or not LOADERS_OF_TORCH.match(self.full(call.func)):
                continue
            made = self.value_of(collate)
            for of in self.origins.functions_of(made.func if isinstance(made, ast.Call) else collate):
                if isinstance(of, ast.ClassDef):
                    of = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__call__"), None)
                for made in self.results_of(of) if of is not None else ():
                    for each in self.origins.functions_of(made.func):
                        if id(each) in frozen:
                            self.reader.mistake(frozen[id(each)][1], "a batch that is frozen", each.name, other=collate)
                            return

    def results_of(self, of):
        """The calls that a function or lambda gives back."""
        given = [of.body] if isinstance(of, ast.Lambda) else [one.value for one in own_nodes(of) if isinstance(one, ast.Return)]
        return [made for made in map(self.value_of, (one for one in given if one is not None)) if isinstance(made, ast.Call)]

    # ---- precision

    def halves_under_a_scaler(self):
        """model.to(device, dtype=torch.float16), whose gradients a GradScaler refuses."""
        calls = self.tracing.index.calls
        if any(e["subject"] == "script-mistake" and e["name"] == "a GradScaler of a model in half precision" for e in self.reader.events):
            return
        if not any(self.full(one.func) in SCALERS for one in calls) or not self.says(r"scaler\w*\.(step|unscale_)\("):
            return
        for call in calls:
            if not self.full(call.func).startswith("torch.optim.") or not call.args:
                continue
            of = self.origins.made(call.args[0])
            model = of.func.value if isinstance(of, ast.Call) and getattr(of.func, "attr", "") == "parameters" else None
            for one in self.origins.wrappers_of(model) if model is not None else ():
                kinds = list(one.args) + [k.value for k in one.keywords if k.arg == "dtype"] if is_call(one, "to") else []
                named = [self.full(kind) for given in kinds for kind in self.origins.of(given)
                         if isinstance(kind, (ast.Name, ast.Attribute))]
                if is_call(one, "half") or "torch.float16" in named or "torch.half" in named:
                    self.mistake(one, "a GradScaler of a model in half precision", other=call)

    def halves_under_accelerate(self):
        """Accelerator(mixed_precision="fp16"), which scales the loss, and model.half() before the optimizer takes its parameters."""
        if not self.says(r"\.backward\(") or self.says(r"peft|LoraConfig|deepspeed|fsdp|fully_shard|\.float\(\)|\.to\((dtype *= *)?torch\.float32|\.data *="):
            return
        calls = self.tracing.index.calls
        scales = next((one for one in calls if self.full(one.func) == "accelerate.Accelerator" and self.said(self.word(one, "mixed_precision")) == "fp16"), None)
        for call in calls if scales is not None else ():
            if not self.full(call.func).startswith("torch.optim.") or not call.args:
                continue
            for of in self.origins.known(call.args[0]):
                if isinstance(of, (ast.ListComp, ast.GeneratorExp)):  # [p for p in model.parameters() if p.requires_grad]
                    of = of.generators[0].iter if isinstance(of.elt, ast.Name) else None
                model = of.func.value if is_call(of, "parameters") else of.args[1].func.value if isinstance(of, ast.Call) and getattr(
                    of.func, "id", "") == "filter" and len(of.args) == 2 and is_call(of.args[1], "parameters") else None
                made = self.origins.wrappers_of(model) if model is not None and len(self.origins.known(model, True)) == 1 else []
                half = [one for one in made if is_call(one, "half") and not one.args or is_call(one, "to") and any(
                    self.full(kind) in ("torch.float16", "torch.half") for given in list(one.args) + [
                        k.value for k in one.keywords if k.arg == "dtype"] for kind in self.origins.known(given))]
                if half and not any(is_call(one, name) for one in made for name in ("float", "bfloat16", "double")):
                    self.mistake(half[0], "half weights that accelerate scales for", other=scales)

    # ---- events

    def events_not_waited_for(self, nodes):
        """end.record(); times.append(start.elapsed_time(end)), with nothing between them that waits."""
        for of in nodes:
            for body in (getattr(of, "body", None), getattr(of, "orelse", None), getattr(of, "finalbody", None)):
                recorded = {}
                for statement in body if isinstance(body, list) else ():
                    calls = list(calls_in([statement]))
                    for one in calls:
                        if is_call(one, "elapsed_time") and len(one.args) == 1 and self.written(one.args[0]) in recorded and not isinstance(
                                statement, COMPOUND):
                            self.mistake(one, "an event that the GPU has not reached", other=recorded[self.written(one.args[0])])
                    records = statement.value if isinstance(statement, ast.Expr) and is_call(statement.value, "record") else None
                    if records is not None:
                        recorded[self.written(records.func.value)] = records
                    elif calls and not any(is_call(one, "elapsed_time") for one in calls):
                        recorded = {}  # any call may wait

    # ---- processes

    def sides(self, test):
        """A question as (what is asked, whether it is asked for): ("(i + 1) % n == 0", False), of (i + 1) % n != 0."""
        positive = True
        for _ in range(6):
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, positive = test.operand, not positive
            elif isinstance(test, ast.Name) and self.value_of(test) is not test:
                test = self.value_of(test)
            else:
                break
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.NotEq, ast.Eq)):
            return (self.written(test.left), self.written(test.comparators[0])), positive == isinstance(test.ops[0], ast.Eq)
        if isinstance(test, ast.BinOp) and isinstance(test.op, ast.Mod):
            return (self.written(test), "0"), not positive
        return (self.written(test), ""), positive

    def leaves_out(self, side):
        """The no_sync() that one side of a question gives, or enters."""
        parts = [item.context_expr for part in side if isinstance(part, ast.With) for item in part.items] + [
            part.value for part in side if isinstance(part, ast.Assign)] if isinstance(side, list) else [side]
        return next((part for part in parts if isinstance(part, (ast.Call, ast.Attribute)) and re.search(
            r"\.no_sync(\(|$)", self.written(part))), None)

    def steps_without_sync(self, nodes):
        """with model.no_sync() if last else nullcontext(): …; if last: optimizer.step()"""
        steps = {}
        for of in self.functions + [one for one in nodes if isinstance(one, ast.Module)]:
            for one in own_nodes(of):
                if isinstance(one, ast.If):
                    call = next((c for c in calls_in(one.body) if is_call(c, "step") and re.search(
                        r"opt|scaler", self.written(c.func.value), re.I)), None)
                    if call is not None:
                        steps.setdefault(id(of), []).append((self.sides(one.test), call))
            for one in own_nodes(of) if id(of) in steps else ():
                asked, at = None, one
                if isinstance(one, (ast.IfExp, ast.If)):
                    for side, positive in ((one.body, True), (one.orelse, False)):
                        leaves = self.leaves_out(side)
                        if leaves is not None:
                            what, yes = self.sides(one.test)
                            asked, at = (what, yes == positive), leaves
                elif is_call(one, "no_backward_sync") and self.given(one, 1, "enabled") is not None:
                    asked = self.sides(self.given(one, 1, "enabled"))
                elif is_call(one, "set_requires_gradient_sync") and one.args:
                    what, yes = self.sides(one.args[0])
                    asked = what, not yes
                elif isinstance(one, ast.Assign) and getattr(one.targets[0], "attr", "") == "require_backward_grad_sync":
                    what, yes = self.sides(one.value)
                    asked = what, not yes
                if asked is None or any(any(inner is at for inner in ast.walk(call)) for _, call in steps[id(of)]):
                    continue
                same = next((call for told, call in steps[id(of)] if told == asked), None)
                if same is not None:
                    self.mistake(at, "a step that no_sync leaves out", self.written(same), other=same)

    def barriers_of_one(self, nodes):
        """if rank != 0: return; save(); dist.barrier()"""
        barriers = [one for one in self.tracing.index.calls if self.full(one.func) == "torch.distributed.barrier" and not any(
            k.arg == "group" for k in one.keywords) and not one.args or re.search(r"accelerator\.wait_for_everyone$", self.written(one.func))]
        asked = {}  # barrier -> the question before it
        for barrier in barriers:
            part = barrier
            for of in self.origins.around(barrier):
                if isinstance(of, ast.If):
                    test = self.written(of.test)
                    if (self.is_for_one(of) or not of.orelse and self.one_asked_for(of.test)) and any(part is one for one in of.body):
                        asked.setdefault(id(barrier), (barrier, of.test))
                    elif re.search(r"rank|main|master|zero", test, re.I) and not FOR_ALL_PROCESSES.search(test):
                        return  # the others wait as well
                if isinstance(of, ast.FunctionDef):
                    for before in of.body:
                        if before is part:
                            break
                        if isinstance(before, ast.If) and FOR_THE_OTHERS.search(self.written(before.test)) and not before.orelse and isinstance(
                                before.body[-1], (ast.Return, ast.Continue)) and not any(
                                    one in barriers for one in calls_in(before.body)) and " and " not in self.written(before.test):
                            asked.setdefault(id(barrier), (barrier, before.test))
                    test = self.for_one_alone(barrier)
                    if test is not None:
                        asked.setdefault(id(barrier), (barrier, test))
                    break
                part = of
        if any(" or " in self.written(test) or "local" in self.written(test) for _, test in asked.values()):
            return
        for barrier, test in asked.values():
            self.mistake(barrier, "a barrier that one process reaches", self.written(test), other=test)

    def beyond_the_visible(self, nodes):
        """os.environ["CUDA_VISIBLE_DEVICES"] = str(local_rank), and then torch.device("cuda", local_rank)"""
        for one in nodes:
            if not isinstance(one, ast.Assign) or "VISIBLE_DEVICES" not in self.written(one.targets[0]) or not isinstance(
                    one.targets[0], ast.Subscript):
                continue
            value = one.value
            while isinstance(value, ast.Call) and len(value.args) == 1 and getattr(value.func, "id", "") in ("str", "int"):
                value = value.args[0]
            if isinstance(value, ast.JoinedStr) and len(value.values) == 1 and isinstance(value.values[0], ast.FormattedValue):
                value = value.values[0].value
            rank = self.written(value)
            number = self.value_of(value)
            from_rank = re.search(r"RANK|get_rank|local_rank|process_index", self.written(number))
            if not isinstance(value, (ast.Name, ast.Attribute)) or not from_rank and not NAMES_A_RANK.search(rank):
                continue
            if any(call.lineno < one.lineno and getattr(call.func, "attr", "") in ("cuda", "set_device") and self.origins.scope(
                    call) is self.origins.scope(one) for call in self.tracing.index.calls):
                continue  # CUDA has begun with all GPUs
            for call in self.tracing.index.calls:
                used = self.gpu_by(call)
                if used is not None and call.lineno > one.lineno and self.same_number(used, rank, number) and self.mate(call, one):
                    self.mistake(one, "a number beyond the one GPU that is visible", self.written(call), str(line_of(one)), other=call)
                    break

    def same_number(self, used, rank, number):
        if isinstance(used, ast.JoinedStr):
            parts = [self.written(one.value) for one in used.values if isinstance(one, ast.FormattedValue)]
            return parts == [rank] and "cuda:" in self.written(used)
        return self.written(used) == rank or isinstance(used, (ast.Name, ast.Attribute)) and not isinstance(
            number, (ast.Constant, ast.Name)) and self.value_of(used) is number

    def mate(self, call, assigned):
        """Whether a name in the two means the same: both stand in one function, or the name is the file's."""
        one, other = self.origins.scope(call), self.origins.scope(assigned)
        return one is other or other is None

    def gpu_by(self, call):
        """The number of the GPU that a call names."""
        name = self.full(call.func)
        if name == "torch.cuda.set_device" and call.args:
            return call.args[0]
        if name == "torch.device" and call.args:
            return call.args[-1] if len(call.args) == 2 or isinstance(call.args[0], ast.JoinedStr) else None
        if is_call(call, "cuda") and len(call.args) == 1:
            return call.args[0]
        if is_call(call, "to") and len(call.args) == 1 and isinstance(call.args[0], (ast.JoinedStr, ast.Name)):
            return call.args[0] if not isinstance(call.args[0], ast.Name) or NAMES_A_RANK.search(call.args[0].id) else None
        device = self.word(call, "device") if name.startswith("torch.") else None
        return device if isinstance(device, ast.JoinedStr) else None

    # ---- samples

    def samples_that_nobody_shares_out(self):
        """Trainer(devices=4, use_distributed_sampler=False), and a DataLoader that is given no sampler of its own."""
        for call in self.tracing.index.calls:
            flag = self.word(call, "use_distributed_sampler", "replace_sampler_ddp") if TRAINERS.match(self.full(call.func)) else None
            if flag is None or self.said(flag) is not False or not self.of_several(call):
                continue
            for loader in self.tracing.index.calls:
                if LOADERS_OF_TORCH.match(self.full(loader.func)) and self.is_whole_in_each(loader):
                    self.mistake(loader, "all samples in each process", other=flag)

    def of_several(self, trainer):
        """Whether a Trainer runs several processes."""
        devices, nodes = self.word(trainer, "devices"), self.said(self.word(trainer, "num_nodes"), 1)
        many = self.value_of(devices) if devices is not None else None
        count = len(many.elts) if isinstance(many, (ast.List, ast.Tuple)) else self.said(devices)
        strategy = self.word(trainer, "strategy")
        shares = strategy is not None and re.search(r"ddp|DDP|fsdp|FSDP", self.written(self.value_of(strategy))) is not None
        return type(nodes) is int and nodes > 1 or type(count) is int and count > 1 or shares and count not in (1, "1")

    def is_whole_in_each(self, loader):
        """A loader of the training that shuffles all of a dataset, with nothing that asks for the process around it."""
        if self.said(self.given(loader, 2, "shuffle")) is not True or any(self.word(loader, word) is not None for word in (
                "sampler", "batch_sampler")) or len(loader.args) > 3 or any(k.arg is None for k in loader.keywords):
            return False
        around = [one for one in self.origins.around(loader) if isinstance(one, (ast.FunctionDef, ast.ClassDef))]
        data = [of for one in self.origins.of(self.given(loader, 0, "dataset")) if isinstance(one, ast.Call) for of in self.origins.functions_of(one.func)]
        return not any(re.search(r"global_rank|world_size|num_replicas|get_rank|\brank\b|num_shards|PROCID|\bRANK\b", self.reader.written_whole(of))
                       for of in around + data)

    # ---- a GPU that nobody takes

    def found_for_nothing(self):
        """if torch.cuda.is_available(): log.info("training on %s", torch.cuda.get_device_name(0)), in a script that moves nothing."""
        if not self.says(r"\.backward\(") or self.says(
                r"\.to\(|\.cuda\(|device\b *=|map_location *= *(?!['\"]cpu)|set_default|accelerat|Trainer\(|deepspeed|Fabric|ignite|fastai|"
                r"DataParallel|cuda\.(Float|Half)Tensor|\.type\(|pin_memory|autocast|exit\(|raise\b|assert\b|cuda\.device\(|to_device|"
                r"is_available\(\) *(and|or)|== *['\"]cpu|\bdevice\("):
            return
        tells = {name: [one for one in self.tracing.index.calls if self.full(one.func) == name] for name in TELLS_OF_GPU}
        first = next((calls[0] for name, calls in tells.items() if calls and name.rsplit(".", 1)[-1].startswith("get_")), None)
        modules = [of for of in self.tracing.index.classes if any(self.full(base) == "torch.nn.Module" for base in of.bases)] or self.says(
            r"nn\.(Sequential|Linear)\(|models\.\w+\(")
        loops = any(is_call(one, "backward") for loop in self.tracing.index.loops for one in calls_in(loop.body))
        imports = {name.split(".")[0] for name in self.tracing.names.values()}
        if first is not None and modules and loops and not imports - KNOWN_ROOTS:
            self.mistake(first, "a GPU that is found and never used", doubted=False)
