"""What a training loop of PyTorch's does in the wrong order, or never; for the reader of scripts."""

SCHEDULERS = re.compile(r"torch\.optim\.lr_scheduler\.(?!LRScheduler|_LRScheduler)[A-Z]\w*$")
OTHER_ENGINES = re.compile(r"deepspeed|colossalai|\bpl\.|[Ll]ightning|Accelerator|accelerate|fabric|\bapex\b|horovod|ignite|\bskorch|fastai|opacus|xm\.optimizer_step|"
                           r"post_accumulate|fairscale|Trainer\b")
WITHOUT_GRADIENTS = re.compile(r"no_grad|inference_mode|set_grad_enabled|volatile|requires_grad_?\W*False")
# For the rest of a script: a statement of its own, and parameters that want none.
SWITCHED_OFF = r"(?m)^[ \t]*(torch\.)?(autograd\.)?(set_grad_enabled\(|no_grad\(\)\.__enter__|inference_mode\(\)\.__enter__|_?set_grad)|\b\w+ *= *(torch\.)?(no_grad|inference_mode)\b|(?<!weight\.)(?<!bias\.)requires_grad_?\W*False|volatile|enter_context"
# What draws other images from the same ones.
AUGMENTS = re.compile(r"torchvision\.transforms\.(v2\.)?(transforms\.)?(Random(?!Apply|Choice|Order)\w+|ColorJitter|RandAugment|AutoAugment|TrivialAugmentWide|AugMix)$")
COMPOSES = re.compile(r"torchvision\.transforms\.(v2\.)?(transforms\.)?Compose$")
FOR_TESTS = re.compile(r"(^|_)(val|valid|validation|test|testing|eval)(_?(set|data|dataset|ds|loader))?(_|$)", re.I)
OF_TENSORS_ALONE = re.compile(r"torchvision\.transforms\.(transforms\.)?(Normalize|RandomErasing|LinearTransformation|ConvertImageDtype)$")
TURNS_INTO_TENSORS = re.compile(r"torchvision\.transforms\.(transforms\.)?(ToTensor|PILToTensor)$")
DROPS = re.compile(r"torch\.nn\.functional\.(alpha_|feature_)?dropout[123]?d?$")
DROP_LAYERS = re.compile(r"torch\.nn\.(modules\.\w+\.)?(Alpha)?Dropout[123]?d?$")
MOVES_BY_ITSELF = re.compile(r"default_device|default_tensor_type\([^)]*cuda|DataParallel|\.prepare\(|Trainer\b|device_map|\b(\w*model\w*|\w*net\w*)\.(to|cuda)\(", re.I)
# What draws no numbers of NumPy's or Python's, so that a script which imports nothing else draws only by PyTorch.
DRAWS_NOTHING = frozenset("torch numpy random os sys time math re json argparse logging pathlib typing collections copy functools itertools datetime glob shutil "
                          "warnings tqdm matplotlib torchvision torchaudio tensorboard tensorboardX PIL cv2 __future__".split())
STAYS_OPEN = re.compile(r"(?i)mc[_ -]?dropout|monte|uncertain|bayes|stochastic|ensemble")


class Loops(Learning):
    def look(self, nodes):
        if not any(name.split(".")[0] == "torch" for name in self.tracing.names.values()):
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        self.other_engine = self.has_other_engine()
        self.never_back()
        self.parameters_not_called()
        self.optimizer_not_prepared()
        if self.says(r"\.backward\("):
            self.reads = {}  # by how a name or an attribute is written
            for one in nodes:
                if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load):
                    self.reads.setdefault(self.written(one), []).append(one)
            self.optimizers = [(one, name) for name, values in self.tracing.index.assigned.items() for one in values if isinstance(
                one, ast.Call) and OPTIMIZERS_AT_ALL.match(self.full(one.func))]
            self.never_stepped()
            self.order_of_steps()
            self.schedulers()
            self.model_made_anew()
            self.evaluated_with_gradients()
            self.backward_of_a_number()
            self.left_behind()
        self.seeds_of_others()
        self.dropout_that_stays()
        self.transforms()
        self.counters()
        self.shares_of_batches()
        self.modules_without_init()

    # ---- steps

    def never_back(self):
        """loss = criterion(net(x), y); optimizer.step(), and no backward() anywhere."""
        if self.says(r"backward|autograd|\.grad\b|closure") or self.other_engine:
            return
        for step in self.calls:
            optimizer = self.stepped(step)
            if optimizer is None or self.made_by(optimizer, OPTIMIZERS_AT_ALL, surely=True) is None:
                continue
            loop = next((one for one in self.origins.around(step) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))), None)
            loss = next((one for one in calls_in(loop.body) if self.is_loss(one)), None) if loop is not None else None
            if loss is not None:
                self.mistake(step, "a step without gradients", self.written(loss), other=loss)
                return

    def is_loss(self, call):
        return LOSS_CALLS.match(self.full(call.func)) is not None or isinstance(call.func, (ast.Name, ast.Attribute)) and self.made_by(
            call.func, NUMBERS_OF_LOSSES, surely=True) is not None

    def parameters_not_called(self):
        """torch.optim.Adam(model.parameters, lr=0.1)"""
        for call in self.calls:
            given = self.given(call, 0, "params") if OPTIMIZERS_AT_ALL.match(self.full(call.func)) else None
            if isinstance(given, ast.Attribute) and given.attr == "parameters" and not self.tracing.index.assigned.get(self.written(given)):
                self.mistake(given, "parameters that are not asked for", self.written(given), doubted=False)

    def never_stepped(self):
        """optimizer = SGD(net.parameters()); for …: optimizer.zero_grad(); loss.backward(), and no optimizer.step()."""
        if self.other_engine or self.says(r"\.grad\b|\.data\b[^\n]*[-+]="):
            return
        for made, name in self.optimizers:
            uses = [self.parents.get(id(one)) for one in self.reads.get(name, [])]
            if "[" in name or not uses or not all(isinstance(one, ast.Attribute) and one.attr in ("zero_grad", "param_groups", "state_dict", "load_state_dict") or
                                    isinstance(one, ast.Call) and SCHEDULERS.match(self.full(one.func)) for one in uses):
                continue
            zeroed = next((one for one in uses if isinstance(one, ast.Attribute) and one.attr == "zero_grad"), None)
            loop = next((one for one in self.origins.around(zeroed) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))), None) if zeroed else None
            back = next((one for one in calls_in(loop.body) if is_call(one, "backward")), None) if loop is not None else None
            if back is not None:
                self.mistake(back, "an optimizer that never steps", name, self.written(made), other=made)

    def order_of_steps(self):
        """loss.backward(); optimizer.zero_grad(); optimizer.step(), and a clip behind the step"""
        for step in self.calls:
            optimizer = self.stepped(step)
            if optimizer is None or step.args or self.made_by(optimizer, OPTIMIZERS_AT_ALL, surely=True) is None:
                continue
            block = self.origins.block_of(self.parents.get(id(step)))
            at = next((i for i, one in enumerate(block) if isinstance(one, ast.Expr) and one.value is step), None)
            back = next((i for i in range((at or 0) - 1, -1, -1) if any(is_call(one, "backward") for one in calls_in([block[i]]))), None)
            if at is None or back is None or isinstance(block[back], (ast.FunctionDef, ast.ClassDef)):
                continue
            model = self.given(self.made_by(optimizer, OPTIMIZERS_AT_ALL), 0, "params")
            model = self.written(model.func.value) if is_call(model, "parameters") else None
            for one in block[back + 1:at]:
                call = one.value if isinstance(one, ast.Expr) else None
                if is_call(call, "step") and self.written(self.stepped(call)) == self.written(optimizer):
                    break
                if is_call(call, "zero_grad") and self.written(call.func.value) in (self.written(optimizer), model):
                    self.mistake(call, "gradients that are zeroed before the step", self.written(step), other=step, doubted=False)
            for i, one in enumerate(block[at + 1:], at + 1):
                if any(is_call(each, "backward") for each in calls_in([one])):
                    break
                call = one.value if isinstance(one, (ast.Expr, ast.Assign)) else None
                loops = any(isinstance(each, (ast.For, ast.While)) for each in self.origins.around(step))
                if isinstance(call, ast.Call) and self.full(call.func) in CLIPS and loops and not self.says(r"accum"):
                    self.mistake(call, "a clip behind its step", self.written(step), other=step)

    def optimizer_not_prepared(self):
        """model, loader = accelerator.prepare(model, loader); optimizer = AdamW(model.parameters()); accelerator.backward(loss); optimizer.step()"""
        prepared = [call for call in self.calls if is_call(call, "prepare") and self.made_by(call.func.value, "accelerate.Accelerator", surely=True)]
        if not prepared or any(isinstance(one, ast.Starred) for call in prepared for one in call.args) or self.says(r"prepare_optimizer|deepspeed|fsdp"):
            return
        given = {self.written(one) for call in prepared for one in call.args}
        for step in self.calls:
            optimizer = self.stepped(step)
            made = self.made_by(optimizer, OPTIMIZERS_AT_ALL, surely=True) if isinstance(optimizer, ast.Name) and not step.args else None
            if made is not None and optimizer.id not in given and not self.is_reported(step) and not any(self.made_by(one, OPTIMIZERS_AT_ALL) is not None for call in prepared for one in call.args):
                self.mistake(made, "an optimizer that nothing prepared", optimizer.id, self.written(prepared[0].func), other=step)
                return

    # ---- rates

    def schedulers(self):
        if self.other_engine:
            return
        for name, values in list(self.tracing.index.assigned.items()):
            made = values[0] if len(values) == 1 else None
            if not isinstance(made, ast.Call) or not SCHEDULERS.match(self.full(made.func)):
                continue
            kind = self.full(made.func).rsplit(".", 1)[-1]
            steps = [call for call in self.calls if is_call(call, "step") and self.written(call.func.value) == name]
            uses = self.reads.get(name, [])
            if not steps and all(isinstance(self.parents.get(id(one)), ast.Attribute) and self.parents[id(one)].attr in (
                    "state_dict", "load_state_dict", "get_last_lr", "get_lr") for one in uses) and re.fullmatch(r"\w+", name):
                self.mistake(made, "a schedule that never steps", name)
            for call in steps:
                given = self.given(call, 0, "metrics", "epoch")
                if kind == "ReduceLROnPlateau" and given is None and not call.keywords:
                    self.mistake(call, "a schedule that isn't told its measure", doubted=False)
                elif kind not in ("ReduceLROnPlateau", "ChainedScheduler") and isinstance(given, ast.Name) and re.search(
                        r"(?i)loss|acc(uracy)?$|metric|score", given.id):
                    self.mistake(call, "a measure for a schedule of epochs", kind, given.id)
            if len(steps) == 1 and kind != "ReduceLROnPlateau":
                self.before_the_optimizer(steps[0])

    def before_the_optimizer(self, call):
        """for epoch in range(n): scheduler.step(); for x, y in loader: …; optimizer.step()"""
        statement = self.parents.get(id(call))
        loop = self.parents.get(id(statement))
        if call.args or call.keywords or not isinstance(statement, ast.Expr) or not isinstance(loop, (ast.For, ast.While)) or statement not in loop.body:
            return
        at = loop.body.index(statement)

        def step_of(part):
            return next((one for one in self.reached(ast.Module(body=[part], type_ignores=[]), 2, classes=False) if is_call(one, "step") and one is not call and self.made_by(
                one.args[0] if one.args else one.func.value, OPTIMIZERS_AT_ALL) is not None), None)

        later = [one for one in map(step_of, loop.body[at + 1:]) if one is not None]
        if later and not any(map(step_of, loop.body[:at])):
            self.mistake(call, "a schedule before its optimizer", other=later[0])

    def model_made_anew(self):
        """net = Net(); optimizer = Adam(net.parameters()); net = Net(): the optimizer has the weights of the first."""
        for made, _ in self.optimizers:
            given = self.given(made, 0, "params")
            model = given.func.value if is_call(given, "parameters") and isinstance(given.func.value, ast.Name) else None
            before = self.origins.made(model) if model is not None else None
            scope = self.origins.scope(made)
            for one in self.nodes if isinstance(before, ast.Call) and line_of(before) < line_of(made) else ():
                if not isinstance(one, ast.Assign) or line_of(one) <= line_of(made) or self.written(one.targets[0]) != model.id or not isinstance(
                        one.value, ast.Call) or self.origins.scope(one) is not scope:
                    continue
                again = one.value if self.origins.made(one.value) is one.value and self.origins.functions_of(one.value.func) else None
                if again is None:  # net = Net().to(device)
                    inner = self.origins.made(one.value)
                    again = inner if isinstance(inner, ast.Call) and line_of(inner) == line_of(one) else None
                if again is not None and self.written(again.func) == self.written(before.func) and not any(isinstance(each, ast.Name) and each.id == model.id for each in ast.walk(
                        one.value)) and any(is_call(each, "backward") and line_of(each) > line_of(one) and self.origins.scope(each) is scope for each in self.calls) and not any(
                            line_of(each) > line_of(one) for each, _ in self.optimizers if self.origins.scope(each) is scope):
                    self.mistake(one, "a model that its optimizer doesn't know", model.id, self.written(made), other=made)
                    return

    # ---- evaluation

    def evaluated_with_gradients(self):
        """net.eval(); for x, y in test_loader: net(x), and no torch.no_grad() around it."""
        if self.other_engine or self.says(r"autograd\.grad\b|\.grad\b|saliency|attack|perturb|(backward|register|tensor)_hook|jacobian") or self.says(SWITCHED_OFF):
            return
        switches = [call for call in self.calls if is_call(call, "eval") and not call.args and not call.keywords or is_call(call, "train") and len(
            call.args) == 1 and self.said(call.args[0]) is False]
        for switch in sorted(switches, key=line_of):
            used, model = None, self.written(switch.func.value)
            holder = self.origins.scope(switch)
            body = holder.body if isinstance(holder, ast.FunctionDef) else self.origins.block_of(self.parents.get(id(switch)))
            for loop in (one for part in body for one in ast.walk(part) if isinstance(one, ast.For)):
                used = next((one for one in calls_in(loop.body) if self.written(one.func) == model and (one.args or one.keywords)), None)
                if used is None or line_of(loop) < line_of(switch) and not any(one is loop for one in self.origins.around(switch)):
                    used = None
                    continue
                backs = [one for one in calls_in(loop.body) if is_call(one, "backward")]
                if backs and not (line_of(switch) < line_of(loop) and all(any(isinstance(each, ast.If) for each in self.within(one, loop)) for one in backs)):
                    used = None
                    continue
                break
            if used is None or self.is_without(used, loop, holder):
                continue
            if not any(map(self.is_reported, calls_in(loop.body))):
                self.mistake(used, "an evaluation with gradients", self.written(switch), other=switch)
            return

    def is_without(self, used, loop, holder):
        """Whether something keeps gradients away from a call: what stands around it, in its loop, or around the calls of its function."""
        around = [one for one in self.origins.around(used) if isinstance(one, (ast.With, ast.FunctionDef, ast.ClassDef))]
        said = [self.written(item.context_expr) for one in around if isinstance(one, ast.With) for item in one.items]
        said += [self.written(by) for one in around if not isinstance(one, ast.With) for by in one.decorator_list]
        if any(map(WITHOUT_GRADIENTS.search, said)) or WITHOUT_GRADIENTS.search(self.near(loop)):
            return True
        if not isinstance(holder, ast.FunctionDef) or not WITHOUT_GRADIENTS.search(self.reader.text):
            return False
        sites = self.origins.sites(holder)
        return not sites or any(WITHOUT_GRADIENTS.search(self.reader.written_whole(of) if isinstance(of, ast.FunctionDef) else "\n".join(
            self.written(item.context_expr) for item in of.items)) for site in sites for of in self.origins.around(site.call) if isinstance(of, (ast.With, ast.FunctionDef)))

    def backward_of_a_number(self):
        """loss = criterion(out, y).item(); loss.backward(), and torch.tensor(loss, requires_grad=True)"""
        for call in self.calls:
            if not is_call(call, "backward") or call.args:
                continue
            values = self.origins.of(call.func.value) if isinstance(call.func.value, ast.Name) else []
            if values and all(is_call(one, "item") and not one.args for one in values):
                self.mistake(call, "a backward pass of a number", self.written(values[0]), other=values[0], doubted=False)
            for one in values:
                words = {k.arg: self.said(k.value) for k in one.keywords} if isinstance(one, ast.Call) else {}
                if words.get("requires_grad") is not True or self.full(one.func) not in ("torch.tensor", "torch.Tensor", "torch.autograd.Variable", "torch.FloatTensor"):
                    continue
                inner = one.args[0] if one.args else None
                if isinstance(inner, ast.Attribute) and inner.attr == "data":
                    inner = inner.value
                if inner is not None and any(isinstance(of, ast.Call) and self.is_loss(of) for of in self.origins.of(inner)):
                    self.mistake(one, "a loss that is cut off", self.written(call), other=call, doubted=False)

    # ---- places and seeds

    def left_behind(self):
        """from model import Network; net = Network(); net(x.to(device)), and nothing moves the model."""
        if MOVES_BY_ITSELF.search(self.reader.text) or not any(is_call(one, "backward") for one in self.calls):
            return
        for name, values in self.tracing.index.assigned.items():
            made = values[0] if len(values) == 1 else None
            if not isinstance(made, ast.Call) or not re.fullmatch(r"\w+", name) or not re.search(r"(^|\.)[A-Z]\w*$", self.full(made.func)) or self.full(
                    made.func).startswith("torch") or re.search(r"(?i)device|cuda|gpu", self.written(made)):
                continue
            if not any(isinstance(self.parents.get(id(one)), ast.Attribute) and self.parents[id(one)].attr == "parameters" for one in self.reads.get(name, [])):
                continue
            for call in self.calls:
                given = self.value_of(call.args[0]) if self.written(call.func) == name and call.args else None
                if is_call(given, "to") and given.args and EITHER_DEVICE.match(self.written(self.value_of(given.args[0]))) or is_call(given, "cuda"):
                    self.mistake(call, "a model that nothing moves", name, self.written(given), other=made)
                    return

    def seeds_of_others(self):
        """np.random.seed(0), and torch.randn(3) alone draws."""
        seeds = [call for call in self.calls if self.full(call.func) in ("numpy.random.seed", "random.seed")]
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not seeds or not roots <= DRAWS_NOTHING or self.says(r"manual_seed|set_rng_state|Generator\(|seed_everything") or any(
                re.match(r"(numpy\.random|random)\.(?!seed$)", self.full(call.func)) for call in self.calls):
            return
        drawn = next((call for call in self.calls if re.match(r"torch\.(rand|randn|randint|randperm|normal|multinomial|bernoulli|nn\.(Linear|Conv\dd|LSTM|GRU|Embedding))$",
                                                              self.full(call.func))), None)
        if drawn is not None:
            self.mistake(seeds[0], "a seed of other numbers", self.written(drawn), other=drawn)

    def dropout_that_stays(self):
        """F.dropout(x, 0.5) and nn.Dropout(0.5)(x) in forward(), which draw in evaluation as well."""
        if STAYS_OPEN.search(self.reader.text) or not self.says(r"\.eval\(\)|Lightning|\.train\(False"):
            return
        for call in self.calls:
            holder = self.origins.scope(call)
            if getattr(holder, "name", "") != "forward" or not isinstance(self.parents.get(id(holder)), ast.ClassDef):
                continue
            if DROPS.match(self.full(call.func)) and len(call.args) < 3 and not {"training", None} & {k.arg for k in call.keywords}:
                self.mistake(call, "dropout that never ends", "Write %s(…, training=self.training)." % self.written(call.func))
            elif isinstance(call.func, ast.Call) and DROP_LAYERS.match(self.full(call.func.func)):
                self.mistake(call, "dropout that never ends", "Make the layer in __init__().")

    # ---- data

    def transforms(self):
        composed = [call for call in self.calls if COMPOSES.match(self.full(call.func)) and call.args and self.steps_of(call)]
        for call in composed:
            steps = [self.value_of(one) for one in self.steps_of(call)]
            names = [self.full(one.func) if isinstance(one, ast.Call) else "" for one in steps]
            makes = next((i for i, name in enumerate(names) if TURNS_INTO_TENSORS.match(name)), None)
            early = next((one for i, one in enumerate(steps) if makes is not None and i < makes and OF_TENSORS_ALONE.match(names[i])), None)
            if early is not None and "" not in names[:makes]:
                self.mistake(early, "a step of tensors before they are made", self.written(steps[makes]), other=call, doubted=False)
        if composed and not self.says(r"(?i)\btta\b|test.time|self.?superv|contrastive|simclr"):
            self.augmented_tests(composed)

    def steps_of(self, compose):
        """What transforms.Compose joins: a list, also of one that is filled line by line."""
        given = compose.args[0]
        if isinstance(given, (ast.List, ast.Tuple)):
            return given.elts
        made = self.value_of(given) if isinstance(given, ast.Name) else None
        uses = [one for one in self.nodes if isinstance(one, ast.Name) and one.id == given.id and self.origins.scope(one) is self.origins.scope(
            compose) and isinstance(one.ctx, ast.Load) and one is not given] if isinstance(made, ast.List) and not made.elts else []
        adds = [self.parents.get(id(self.parents.get(id(one)))) for one in uses]
        plain = adds and all(is_call(one, "append") and len(one.args) == 1 and not self.in_branch(one) and not self.is_looped(one) for one in adds)
        # A list that is filled anew further down, or once for two, is left alone.
        made_once = plain and len([one for one in self.origins.statements_of(given)]) == 1
        return [one.args[0] for one in sorted(adds, key=line_of)] if made_once and all(line_of(one) < line_of(compose) for one in adds) else []

    def is_looped(self, node):
        return any(isinstance(one, (ast.For, ast.While)) and self.origins.scope(one) is self.origins.scope(node) for one in self.origins.around(node))

    def augmented_tests(self, composed):
        """test_set = ImageFolder("test", transform=augment)"""
        for call in self.calls:
            draws = self.drawn_by(call, composed)
            if draws is not None and self.is_for_tests(call) and not self.in_branch(call):
                self.mistake(call, "an augmented test", self.written(draws.func), other=draws)
            elif draws is None:
                self.augmented_part(call, composed)

    def augmented_part(self, call, composed):
        """train_set, val_set = random_split(ImageFolder(root, augment), sizes)"""
        bound = self.parents.get(id(call))
        parts = bound.targets[0] if isinstance(bound, ast.Assign) and len(bound.targets) == 1 else None
        if self.full(call.func) in ("torch.utils.data.random_split", "torch.utils.data.dataset.random_split") and isinstance(parts, (ast.Tuple, ast.List)) and call.args:
            made = self.value_of(call.args[0])
            draws = self.drawn_by(made, composed) if isinstance(made, ast.Call) else None
            held = [self.written(one) for one in parts.elts if FOR_TESTS.search(self.written(one))]
            if draws is not None and held and not self.says(r"\.transforms? *=[^=]|set_transform|deepcopy") and len(held) < len(parts.elts):
                self.mistake(call, "an augmented test", self.written(draws.func), other=draws)

    def drawn_by(self, call, composed):
        """The step of a data set's transform that draws at random, also of one that a class or function of the file makes in one way alone."""
        given = next((k.value for k in call.keywords if k.arg == "transform"), None)
        made = self.origins.known(given) if isinstance(given, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else []
        if len(made) == 1 and isinstance(made[0], ast.Call) and not made[0].args and not made[0].keywords:
            of = self.origins.functions_of(made[0].func)
            within = [one for one in composed if len(of) == 1 and isinstance(of[0], ast.ClassDef) and of[0] in self.origins.around(one)]
            made = within if len(within) == 1 and not self.in_branch(within[0]) else made
        if len(made) != 1 or not any(made[0] is one for one in composed):
            return None
        return next((one for one in map(self.value_of, self.steps_of(made[0])) if isinstance(one, ast.Call) and AUGMENTS.match(self.full(one.func)) and not any(
            isinstance(value, ast.arg) for part in one.args + [k.value for k in one.keywords] for value in self.origins.of(part))), None)

    def is_for_tests(self, call):
        """Whether a data set is made for tests, by the name that it gets or the part that it is asked for; not also for training."""
        bound = self.parents.get(id(call))
        names = [self.written(one) for one in bound.targets] if isinstance(bound, ast.Assign) else []
        words = {k.arg: self.said(k.value) for k in call.keywords}
        asked = words.get("train") is False or words.get("split") in ("test", "val", "valid")
        names = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", one) for one in names]  # datasetVal
        named = len(names) == 1 and FOR_TESTS.search(names[0]) is not None and "train" not in names[0].lower()
        return (asked or named) and words.get("train") is not True and words.get("split") != "train"

    def shares_of_batches(self):
        """correct += (pred == y).sum().item(); print(correct / len(loader)): a loader's length counts batches."""
        for one in self.nodes:
            counted = one.left if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) else None
            while isinstance(counted, ast.BinOp) and isinstance(counted.op, ast.Mult):  # 100. * hits / len(loader)
                counted = counted.right if isinstance(counted.left, ast.Constant) else counted.left
            if not isinstance(counted, ast.Name):
                continue
            lengths = [each for each in ast.walk(one.right) if isinstance(each, ast.Call) and getattr(each.func, "id", "") == "len" and len(each.args) == 1]
            loader = self.made_by(lengths[0].args[0], "torch.utils.data.DataLoader", surely=True) if len(lengths) == 1 and one.right is lengths[0] else None
            size = self.said(self.given(loader, 1, "batch_size")) if loader is not None else None
            if type(size) is not int or size < 2:
                continue
            scope = self.origins.scope(one)
            counted = next((each for each in self.nodes if isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add) and self.written(
                each.target) == counted.id and self.origins.scope(each) is scope and self.counts_matches(each.value)), None)
            if counted is not None:
                self.mistake(one, "matches by the number of batches", self.written(lengths[0]), str(size), other=counted)

    def counts_matches(self, node):
        """(pred == y).sum().item(), pred.eq(y).sum()"""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "cpu", "float", "numpy", "data"):
            node = node.func.value
        if not is_call(node, "sum") or node.args:
            return False
        of = node.func.value
        while is_call(of, "cpu") or is_call(of, "float") or is_call(of, "type"):
            of = of.func.value
        of = self.value_of(of)
        return isinstance(of, ast.Compare) and isinstance(of.ops[0], ast.Eq) or is_call(of, "eq")

    # ---- Python

    def counters(self):
        """epoch = 0; while epoch < 10: …, and nothing counts."""
        for loop in self.tracing.index.loops:
            if not isinstance(loop, ast.While) or any(isinstance(one, (ast.Break, ast.Return, ast.Raise)) for one in ast.walk(loop)) or self.says(r"exit\("):
                continue
            tests = loop.test.values if isinstance(loop.test, ast.BoolOp) and isinstance(loop.test.op, ast.And) else [loop.test]
            for test in tests:
                if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], (ast.Lt, ast.LtE)) or not isinstance(test.left, ast.Name):
                    continue
                name = test.left.id
                limit = test.comparators[0]
                bound = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in (
                    name, getattr(limit, "id", name))]
                start = self.origins.of(test.left)
                limits = self.origins.of(limit)
                plain = all(isinstance(one, ast.Constant) and type(one.value) is int for one in start) and start and limits and not any(
                    isinstance(one, ast.Call) for one in ast.walk(limit)) and not isinstance(limit, ast.Attribute)
                if plain and not bound and not self.says(r"\b(global|nonlocal) [^\n]*\b%s\b" % re.escape(name)):
                    self.mistake(test, "a loop that counts nothing", name, doubted=False)

    def modules_without_init(self):
        """class Net(nn.Module): def __init__(self): self.fc = nn.Linear(3, 2), without super().__init__()"""
        for of in self.tracing.index.classes:
            init = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
            if init is None or len(of.bases) != 1 or self.full(of.bases[0]) not in ("torch.nn.Module", "torch.nn.modules.module.Module"):
                continue
            if any(isinstance(one.func, ast.Attribute) and one.func.attr == "__init__" for one in calls_in(init.body)):
                continue
            layer = next((one for one in ast.walk(init) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) and self.written(
                one.targets[0].value) == "self" and isinstance(one.value, ast.Call) and re.match(r"torch\.nn\.[A-Z]", self.full(one.value.func)) and not self.full(
                    one.value.func).endswith("Parameter")), None)
            if layer is not None:
                self.mistake(layer, "a module without its beginning", of.name, other=init, doubted=False)
