"""What a script says and doesn't do: sums that each batch empties, functions that seed nothing, switches that nothing reads, a model that evaluates as it
trains; and images and weights of JAX's that are not what its layers take; for the reader of scripts."""

SEEDS_BY_NAME = re.compile(r"(?i)(^|_)(re)?seeds?(_|$)|seed_?(all|everything)|reproducib|determinis")
SWITCH_OF_TRAINING = re.compile(r"(is_|do_|in_)?(train|training|train_mode|train_model|learn|learning|update|backprop|phase|mode|stage)$")
ASKS_A_MODEL = re.compile(r"(?i)generat|sampl|predict|infer|eval|valid|test|complet|translat|accuracy|perplexity|score|classif|caption|transcri")
MAKES_A_GRAPH_OF = re.compile(r"summary|onnx|export|trace|flops|add_graph|benchmark", re.I)
FORMATS_NUMBERS = re.compile(r"%[-+ #0]*\d*(\.\d+)?[dieEfFgG]")
SPECIFIES_NUMBERS = re.compile(r"[dieEfFgG%]$")
BUILTIN_FUNCTIONS = frozenset("eval sum max min len abs round iter next input id hash range map filter zip sorted any all pow print open exec vars dir".split())
MOVES_AXES = re.compile(r"transpose|permute|moveaxis|swapaxes|rearrange|einops|movedim|channels_?last|NHWC|\.T\b|einsum|NCHW|PILToTensor")
SHAPES_IMAGES = re.compile(r"reshape|\.view\(|expand_dims|newaxis|, None\]|squeeze|stack\(|collate_fn|feature_group|dimension_numbers")
SHOWS_OR_LABELS = re.compile(r"imshow\(|plt\.|OneHotEncoder|one_hot\b")
CONVS_OF_JAX = re.compile(r"haiku\.Conv2D$|flax\.(linen|nnx)\.Conv$")
DENSE_OF_JAX = re.compile(r"haiku\.Linear$|flax\.linen\.Dense$")
MAKES_IT_FLAT = re.compile(r"(?i)reshape|flatten|ravel|mean|\bmax\(|rearrange|squeeze|global|vmap|einsum|sum\(|\[:, *0|gather|MultiHead|Attention")
JUDGES_CLASSES = re.compile(r"one_hot|cross_entropy|integer_labels|log_softmax")
OF_EACH_PIXEL = re.compile(r"(?i)segment|mask|pixel|u_?net|depth|denois|diffusion|per_position")
SOFTMAX_OF_JAX = re.compile(r"(jax\.nn|flax\.linen|flax\.linen\.activation)\.softmax$")
LOG_SOFTMAX_OF_JAX = re.compile(r"(jax\.nn|flax\.linen)\.log_softmax$|optax\.(losses\.)?softmax_cross_entropy(_with_integer_labels)?$")
IMAGES_OF_TORCHVISION = re.compile(r"torchvision\.datasets\.(\w+\.)?(MNIST|FashionMNIST|KMNIST|EMNIST|QMNIST|CIFAR10|CIFAR100|SVHN|STL10)$")
KEYS_OF_JAX = re.compile(r"jax\.random\.(PRNGKey|key)$")
MODULES_OF_JAX = ("flax.linen.Module", "haiku.Module")

LAYERS_THAT_DRAW = re.compile(r"torch\.nn\.(?:(Dropout\d?d?|AlphaDropout)|BatchNorm[123]d|(LSTM|GRU|RNN))$")


class Unheeded(Learning):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not roots & {"torch", "tensorflow", "keras", "jax", "flax", "haiku", "pytorch_lightning", "lightning"}:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        self.functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
        for loop in self.tracing.index.loops:
            if isinstance(loop, ast.For):
                self.emptied_in_each_round(loop)
        for of in self.functions:
            self.seeds_nothing(of)
            self.trains_either_way(of)
        self.builtins_for_numbers()
        if "torch" in roots and self.says(r"\.train\(\)") and self.says(r"\.backward\("):
            self.asked_as_it_trains()
        if "torch" in roots and self.says(r"backward\("):
            self.asked_untold()
            self.losses_never_asked()
        if "torchvision" in roots and self.says(r"\b(RNN|LSTM|GRU)\("):
            self.images_as_sequences()
        if roots & {"jax", "flax", "haiku"}:
            self.weights_of_one_key()
            self.images_by_channels()
            self.softmax_twice()
            self.never_flat()

    # ---- what is said and not done

    def emptied_in_each_round(self, loop):
        """for x, y in loader: total += loss.item(); if i % 100 == 99: print(total / 100); total = 0.0, where the last stands outside of the if"""
        for reset in loop.body:
            name = self.written(reset.targets[0]) if isinstance(reset, ast.Assign) and len(reset.targets) == 1 and isinstance(reset.targets[0], (
                ast.Name, ast.Attribute)) and isinstance(reset.value, ast.Constant) and type(reset.value.value) in (int, float) and not reset.value.value else None
            if not name:
                continue
            adds = [one for one in ast.walk(loop) if isinstance(one, ast.AugAssign) and self.written(one.target) == name]
            sets = [one for one in ast.walk(loop) if isinstance(one, ast.Assign) and any(self.written(target) == name for target in one.targets)]
            if len(adds) != 1 or not isinstance(adds[0].op, ast.Add) or adds[0] not in loop.body or len(sets) != 1 or isinstance(adds[0].value, ast.Constant):
                continue
            of_batch = GOES_THROUGH_BATCHES.search(self.written(loop.iter)) and re.search(r"loss\w*(\.detach\(\))?\.item\(\)$", self.written(adds[0].value))
            for part in loop.body:
                every = isinstance(part, ast.If) and any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) for one in ast.walk(part.test))
                mean = next((one for one in ast.walk(part) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) and self.written(one.left) == name and (
                    every and type(self.said(one.right)) is int and self.said(one.right) > 1 or of_batch and self.counts_rounds(one.right, loop))), None)
                if mean is not None:
                    self.mistake(reset, "a sum that each round empties", name, self.written(mean), other=mean)
                    break

    def counts_rounds(self, node, loop):
        """Whether it is len(loader), or i + 1 of enumerate(loader)."""
        over = loop.iter.args[0] if isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") in ("enumerate", "tqdm") and loop.iter.args else loop.iter
        index = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and getattr(getattr(loop.iter, "func", None), "id", "") == "enumerate" else None
        return self.written(node) == "len(%s)" % self.written(over) or index is not None and self.written(node) == self.written(index) + " + 1"

    def seeds_nothing(self, of):
        """def set_seed(seed): cudnn.benchmark = False, in which nothing takes the seed"""
        if not SEEDS_BY_NAME.search(of.name) or not isinstance(self.parents.get(id(of)), ast.Module) or of.args.vararg or of.args.kwarg or of.decorator_list:
            return
        given = next((one.arg for one in self.origins.parameters(of) if re.search(r"(?i)seed", one.arg)), None)
        inner = [one for part in of.body for one in ast.walk(part)]
        called = next((call for call in self.calls if self.written(call.func) == of.name and isinstance(self.parents.get(id(call)), ast.Expr)), None)
        stands = [one for one in of.body if not isinstance(one, (ast.Pass, ast.Raise)) and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
        if given is None or called is None or not stands or any(isinstance(one, ast.Name) and one.id in (given, "locals", "vars") for one in inner) or any(
                re.search(r"(?i)seed|random|generator|determinism", self.written(call.func)) for call in calls_in(of.body)):
            return
        self.mistake(called, "a function that seeds nothing", of.name, given, other=of)

    def trains_either_way(self, of):
        """def epoch(loader, train=True): …; loss.backward(); optimizer.step(), which asks for train nowhere, and is called with train=False"""
        switch = next((one for one in self.origins.parameters(of) if SWITCH_OF_TRAINING.match(one.arg)), None)
        if switch is None or of.args.vararg or of.args.kwarg or any(isinstance(one, ast.Name) and one.id in (switch.arg, "locals", "vars") for part in of.body for one in ast.walk(part)):
            return
        learns = next((call for call in calls_in(of.body) if is_call(call, "backward") or is_call(call, "apply_gradients") or is_call(call, "step") and not call.args), None)
        default = self.origins.default(of, switch)
        names = [one.arg for one in of.args.args]
        hidden = int(names[:1] in (["self"], ["cls"]))
        said = {}
        for call in self.calls if learns is not None else ():
            if getattr(call.func, "id", getattr(call.func, "attr", "")) == of.name and not any(isinstance(one, ast.Starred) for one in call.args) and not any(
                    k.arg is None for k in call.keywords):
                at = names.index(switch.arg) - hidden if switch.arg in names else len(call.args)
                given = call.args[at] if 0 <= at < len(call.args) else next((k.value for k in call.keywords if k.arg == switch.arg), default)
                said.setdefault(given.value if isinstance(given, ast.Constant) else None, call)
        trains = True in said or any(isinstance(one, str) and one.startswith("train") for one in said)
        other = next((call for one, call in said.items() if one is False or isinstance(one, str) and VALIDATES.search(one)), None)
        if trains and other is not None:
            self.mistake(other, "a switch that nothing reads", switch.arg, of.name, self.written(learns), other=learns)

    def builtins_for_numbers(self):
        """print("%.2f" % eval), and f"{sum:.3f}", of a function of Python's that nothing has called"""
        bound = None
        for one in self.nodes:
            given = ()
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) and isinstance(one.left, ast.Constant) and isinstance(one.left.value, str):
                parts = one.right.elts if isinstance(one.right, ast.Tuple) else [one.right]
                forms = re.findall(r"%%|%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]", one.left.value)
                forms = [form for form in forms if form != "%%"]
                given = [part for form, part in zip(forms, parts) if FORMATS_NUMBERS.match(form)] if len(forms) == len(parts) else ()
            elif isinstance(one, ast.FormattedValue) and isinstance(one.format_spec, ast.JoinedStr) and len(one.format_spec.values) == 1 and isinstance(
                    one.format_spec.values[0], ast.Constant) and SPECIFIES_NUMBERS.search(str(one.format_spec.values[0].value)):
                given = [one.value]
            for part in given:
                if isinstance(part, ast.Name):
                    if bound is None:
                        bound, own = {}, {one.name for one in self.functions if isinstance(self.parents.get(id(one)), ast.Module)}
                        for each in self.nodes:
                            for name in names_bound_by(each):
                                bound[name] = bound.get(name, 0) + 1
                    plain = part.id in BUILTIN_FUNCTIONS and part.id not in bound and "*" not in bound
                    if (plain or part.id in own and bound[part.id] == 1) and not self.is_reported(part):
                        self.reader.mistake(part, "a function that is formatted as a number", part.id)

    # ---- a model that evaluates as it trains

    def asked_as_it_trains(self):
        """def train(net): net.train(); …; train(net); print(generate(net)), and no eval() anywhere"""
        if self.says(r"eval\b(?!_)|\.train\((False|mode|\w+=)|\.training *=|(?i:mc_?dropout|monte)|train_mode|set_mode|Trainer\("):
            return
        for of in self.functions:
            taken = [one.arg for one in self.origins.parameters(of)]
            switch = next((call for call in calls_in(of.body) if is_call(call, "train") and not call.args and not call.keywords and getattr(
                call.func.value, "id", "") in taken), None)
            if switch is None or not any(is_call(call, "backward") for call in calls_in(of.body)):
                continue
            at = taken.index(switch.func.value.id)
            trained = [call for call in self.calls if self.written(call.func) == of.name and len(call.args) > at and isinstance(call.args[at], ast.Name)]
            statement = self.parents.get(id(trained[0])) if len(trained) == 1 else None
            block = self.origins.block_of(statement) if statement is not None else []
            place = next((i for i, one in enumerate(block) if one is statement), None)
            if place is None or not self.may_draw(trained[0].args[at]):
                continue
            used = self.asked_in(block[place + 1:], trained[0].args[at].id)
            if used is not None:
                self.mistake(used, "a model that is asked as it trains", trained[0].args[at].id, self.written(switch), other=switch)
                return
        self.asked_behind_its_loop()

    def asked_behind_its_loop(self):
        """for epoch in …: net.train(); …; loss.backward(), and behind the loop: net(x_test)"""
        for call in self.calls:
            statement = self.parents.get(id(call))
            if not is_call(call, "train") or call.args or call.keywords or not isinstance(statement, ast.Expr) or not isinstance(call.func.value, ast.Name):
                continue
            around = [one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef))]
            loops = around[:next((i for i, one in enumerate(around) if not isinstance(one, (ast.For, ast.While))), len(around))]
            first = loops[-1] if loops else statement
            block = self.origins.block_of(first)
            start = next((i for i, one in enumerate(block) if one is first), len(block))
            place = next((i for i in range(start, len(block)) if isinstance(block[i], (ast.For, ast.While)) and any(is_call(one, "backward") for one in calls_in([block[i]]))), None)
            used = self.asked_in(block[place + 1:], call.func.value.id) if place is not None and self.may_draw(call.func.value) else None
            if used is not None and not self.is_reported(used):
                self.mistake(used, "a model that is asked as it trains", call.func.value.id, self.written(call), other=call)
                return

    def asked_in(self, block, model):
        """The first call that asks a model for something, directly or in a function of the file that is called for it; None where it may be trained on."""
        rest = [call for call in calls_in(block)]
        if any(is_call(call, "backward") or is_call(call, "load_state_dict") for call in rest) or any(
                isinstance(one, ast.Name) and one.id == model and not isinstance(one.ctx, ast.Load) for part in block for one in ast.walk(part)):
            return None
        for call in rest:
            name = self.written(call.func)
            if name == model and call.args and not MAKES_A_GRAPH_OF.search(self.written(call)):
                return call
            of = next((one for one in self.functions if one.name == name), None)
            given = [one.arg for one, value in zip(self.origins.parameters(of), call.args) if getattr(value, "id", "") == model] if of is not None else []
            if given and ASKS_A_MODEL.search(name) and not any(is_call(one, "backward") for one in calls_in(of.body)) and any(
                    self.written(one.func) == given[0] for one in calls_in(of.body)):
                return call
        return None

    def asked_untold(self):
        """A loop that trains a model with dropout, and behind it: with torch.no_grad(): net(x), and nothing calls train() or eval()."""
        told = any(e["name"] in ("a model that is asked as it trains", "a validation in training mode", "a loaded model in training mode") for e in self.reader.events)
        back = [call for call in self.calls if is_call(call, "backward")]
        if told or not back or self.says(r"eval\b(?!_)|\.train\(|\.training *=|(?i:mc_?dropout|monte)|train_mode|set_mode|functional_call|vmap|\.apply\((?!self)|[Ll]ightning|[Ii]gnite|fastai"):
            return
        for use in self.calls:
            outer = list(self.origins.around(use))
            if not isinstance(use.func, ast.Name) or not use.args or not any(isinstance(one, ast.With) and any(re.match(
                    r"torch\.(no_grad|inference_mode)\(", self.written(item.context_expr)) for item in one.items) for one in outer):
                continue
            made, scope = self.origins.of(use.func, True), self.origins.scope(use)
            draws = self.draws_in(made[0]) if len(made) == 1 and isinstance(made[0], ast.Call) else None
            if draws is None or self.is_handed_away(use.func.id):
                continue
            near = [call for call in back if self.origins.scope(call) is scope]
            loops = [one for one in outer if isinstance(one, (ast.For, ast.While))]
            # What is asked in the loop that goes back may be a part of the training.
            behind = all(self.origins.position(call) < self.origins.position(use) and not any(any(call is inner for inner in calls_in(loop.body)) for loop in loops) for call in near)
            if behind and (near or ASKS_A_MODEL.search(getattr(scope, "name", ""))):
                self.mistake(use, "a model that nobody tells to evaluate", use.func.id, self.written(draws), other=draws)
                return

    def draws_in(self, made):
        """The layer of a model that the file makes which draws, or takes statistics, as long as it trains; None: none, or not known."""
        own = self.origins.functions_of(made.func)
        parts = calls_in(own[0].body) if len(own) == 1 and isinstance(own[0], ast.ClassDef) else calls_in([made]) if self.full(made.func) == "torch.nn.Sequential" else ()
        text = self.reader.written_whole(own[0]) if own else ""
        for call in parts:
            found = LAYERS_THAT_DRAW.match(self.full(call.func))
            bound = self.parents.get(id(call))
            name = self.written(bound.targets[0]) if isinstance(bound, ast.Assign) else ""
            if not found or name.startswith("self.") and len(re.findall(re.escape(name) + r"\b", text)) < 2:
                continue
            part = self.given(call, 0, "p") if found.group(1) else self.word(call, "dropout")
            layers = self.given(call, 2, "num_layers") if found.group(2) else None
            if found.group(2) and (part is None or layers is None or self.said(layers) == 1) or part is not None and not self.said(part):
                continue
            if not any(k.arg is None for k in call.keywords) and self.word(call, "track_running_stats") is None:
                return call
        return None

    def is_handed_away(self, name):
        """Whether a model goes to a function that the file does not hold, which may switch it."""
        return any(any(getattr(one, "id", "") == name for one in call.args + [k.value for k in call.keywords]) and not self.full(call.func).startswith("torch.") and self.written(
            call.func) not in ("print", "isinstance", "type", "len", "id", "next") and not self.origins.functions_of(call.func) for call in self.calls)

    # ---- what a model is given, and compared with

    def losses_never_asked(self):
        """loss_fn = nn.BCEWithLogitsLoss(); …; out = net(x); out.mean().backward(), and nothing calls loss_fn."""
        made = next((call for call in self.calls if CLASSES_OF_LOSSES.match(self.full(call.func))), None)
        if made is None or any(re.search(r"(?i)loss|criter|entropy|objective", self.written(call.func).rpartition(".")[2]) for call in self.calls if not CLASSES_OF_LOSSES.match(
                self.full(call.func))):
            return
        for back in self.calls:
            whole = back.args[0] if is_call(back, "backward") and len(back.args) == 1 else back.func.value if is_call(back, "backward") and not back.args else None
            mean = self.value_of(whole) if whole is not None else None
            of = mean.func.value if (is_call(mean, "mean") or is_call(mean, "sum")) and not mean.args else None
            gives = self.value_of(of) if isinstance(of, ast.Name) else None
            if isinstance(gives, ast.Call) and gives.args and isinstance(gives.func, (ast.Name, ast.Attribute)) and not self.full(gives.func) and re.search(
                    r"(?i)(^|\.)(\w*model|\w*net|\w*engine|module)\d?$", self.written(gives.func)):
                self.mistake(back, "a loss that nothing asks", self.written(gives), self.written(made), other=made)
                return

    def images_as_sequences(self):
        """def forward(self, x): out, _ = self.rnn(x), of net(images) with images as a loader of MNIST gives them: four dimensions, and it takes three"""
        if self.says(r"Lambda\(|collate_fn|squeeze_?\(\)"):
            return
        classes = [of for of in self.tracing.index.classes if any(self.full(base) == "torch.nn.Module" for base in of.bases)]
        takes = {}
        for of in classes:
            forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
            name = forward.args.args[1].arg if forward is not None and len(forward.args.args) > 1 else None
            layer = next((call for call in calls_in(forward.body) if call.args and getattr(call.args[0], "id", "") == name and isinstance(call.func, ast.Attribute) and self.made_by(
                call.func, RECURRENT_LAYERS, surely=True) is not None), None) if name else None
            stores = [one for one in ast.walk(forward) if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load)] if layer is not None else ()
            if layer is not None and all(line_of(one) >= line_of(layer) for one in stores):
                takes[id(of)] = layer
        bound = {name for one in self.nodes for name in names_bound_by(one)} if takes else ()
        for call in self.calls if takes else ():
            given = call.args[0] if call.args and isinstance(call.func, ast.Name) else None
            made = [one for one in self.origins.known(call.func, True) if isinstance(one, ast.Call)] if isinstance(given, ast.Name) else []
            one = made[0] if len(made) == 1 else None
            own = [of for of in self.origins.functions_of(one.func) if isinstance(of, ast.ClassDef)] if one is not None else []
            if one is not None and not own and len(classes) == 1 and isinstance(one.func, ast.Name) and one.func.id not in bound:
                own = classes  # the one class that the file has, under another name
            layer = takes.get(id(own[0])) if len(own) == 1 else None
            data = self.images_of(given) if layer is not None else None
            if data is not None and not self.is_reported(call):
                self.mistake(call, "images for a recurrent layer", self.written(layer), self.full(data.func).rpartition(".")[2], other=layer)

    def images_of(self, name):
        """The data set of torchvision's whose images a loop gives under this name, as they are; None: another, or not as they are."""
        loop = next((one for one in self.origins.around(name) if isinstance(one, ast.For) and any(getattr(each, "id", "") == name.id for each in ast.walk(one.target))), None)
        if loop is None:
            return None
        over = loop.iter
        while isinstance(over, ast.Call) and over.args and getattr(over.func, "id", getattr(over.func, "attr", "")) in ("enumerate", "tqdm"):
            over = over.args[0]
        loader = self.made_by(over, LOADERS, surely=True)
        data = self.made_by(self.given(loader, 0, "dataset"), IMAGES_OF_TORCHVISION, surely=True) if loader is not None else None
        for one in ast.walk(loop):
            if isinstance(one, ast.Assign) and any(getattr(each, "id", "") == name.id for target in one.targets for each in ast.walk(target)) and not (
                    isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute) and one.value.func.attr in ("to", "cuda", "float") and self.written(
                        one.value.func.value) == name.id):
                return None
        return data

    # ---- JAX

    def weights_of_one_key(self):
        """[normal(jax.random.PRNGKey(0), (n, m)) for m, n in zip(sizes, sizes[1:])]: the layers begin with the same numbers."""
        for call in self.calls:
            key = call.args[0] if call.args and isinstance(call.args[0], ast.Call) else None
            if key is None or not KEYS_OF_JAX.match(self.full(key.func)) or not key.args or not isinstance(key.args[0], ast.Constant):
                continue
            made = self.value_of(call.func) if isinstance(call.func, (ast.Name, ast.Call)) else None
            draws = re.match(r"jax\.random\.(?!split|fold_in)\w+$", self.full(call.func)) or isinstance(made, ast.Call) and re.match(
                r"jax\.nn\.initializers\.\w+$", self.full(made.func))
            around = list(self.origins.around(call))
            each = next((one for one in around if isinstance(one, (ast.ListComp, ast.GeneratorExp, ast.DictComp))), None)
            names = [getattr(one, "name", "") for one in around if isinstance(one, ast.FunctionDef)] + [
                self.written(target) for one in around if isinstance(one, ast.Assign) for target in one.targets]
            kept = next((one for one in around if is_call(one, "append")), None)  # params.append(normal(PRNGKey(0), …)) in a loop
            if each is None and kept is not None and any(isinstance(one, ast.For) for one in around):
                each, names = kept, [self.written(kept.func.value)]
            if draws and each is not None and any(re.search(r"(?i)param|weight|init|layer", name) for name in names):
                self.mistake(key, "a key that every round uses")

    def given_by_torch(self, node):
        """The loop over a DataLoader of PyTorch's that gives an array, also through jnp.array(…) and .numpy(); None: another gives it."""
        for _ in range(4):
            while isinstance(node, ast.Call) and (isinstance(node.func, ast.Attribute) and node.func.attr in ("numpy", "cpu", "detach") and not node.args or re.match(
                    r"(jax\.)?numpy\.(array|asarray)$|jax\.device_put$", self.full(node.func)) and node.args):
                node = node.args[0] if node.args else node.func.value
            if not isinstance(node, ast.Name):
                return None
            for loop in self.tracing.index.loops:
                if isinstance(loop, ast.For) and any(getattr(one, "id", "") == node.id for one in ast.walk(loop.target)) and loop in self.origins.around(node):
                    over = loop.iter.args[0] if isinstance(loop.iter, ast.Call) and loop.iter.args and getattr(loop.iter.func, "id", getattr(
                        loop.iter.func, "attr", "")) in ("enumerate", "tqdm") else loop.iter
                    if isinstance(over, ast.Call) and getattr(over.func, "id", "") == "tqdm" and over.args:
                        over = over.args[0]
                    return loop if self.made_by(over, LOADERS, surely=True) is not None else None
            bound = [one.value for one in self.nodes if isinstance(one, ast.Assign) and any(getattr(target, "id", "") == node.id for target in one.targets) and
                     self.origins.scope(one) is self.origins.scope(node)]
            if len(bound) != 1:
                return None
            node = bound[0]
        return None

    def images_by_channels(self):
        """for images, y in DataLoader(MNIST(…ToTensor())): model.apply(params, images.numpy()), whose hk.Conv2D takes the channels last"""
        if not self.says(r"\bToTensor\(|\bToImage\(|\bto_tensor\("):
            return None
        whole = [self.reader.written_whole(one) for of in self.nodes if isinstance(of, ast.Module) for one in of.body]
        text = "\n".join(one for one in whole if not (one.startswith("def ") and SHOWS_OR_LABELS.search(one)))  # these turn what is for themselves
        if MOVES_AXES.search(text):
            return None
        for call in self.calls:
            sizes = list(call.args) if is_call(call, "reshape") else []
            if self.full(call.func) == "jax.numpy.reshape":
                of, sizes = call.args[0] if call.args else None, sizes[1:]
            else:
                of = getattr(call.func, "value", None)
            sizes = sizes[0].elts if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)) else sizes
            said = [self.said(one) for one in sizes[-3:]]
            if len(sizes) >= 4 and said[-1] == 3 and said[0] == said[1] and type(said[0]) is int and said[0] > 3:
                loop = next((one for one in [self.loop_of_torch(of)] if one is not None), None)
                if loop is not None:
                    return self.mistake(call, "images whose channels a reshape mixes", self.written(loop.iter), other=loop)
        if SHAPES_IMAGES.search(text) or not any(self.full(call.func).startswith("torchvision.datasets.") for call in self.calls):
            return None
        conv = next((call for call in self.calls if CONVS_OF_JAX.match(self.full(call.func)) and self.word(call, "data_format") is None and (self.full(
            call.func).startswith("haiku") or any(isinstance(one, ast.Tuple) and len(one.elts) == 2 for one in [self.given(call, 1, "kernel_size")]))), None)
        if conv is None:
            return None
        for call in self.calls:
            if is_call(call, "apply") or is_call(call, "apply_fn"):
                loop = next((one for given in call.args[1:] for one in [self.loop_of_torch(given)] if one is not None), None)
                if loop is not None:
                    return self.mistake(conv, "images with their channels first", self.written(loop.iter), self.written(call), other=call)
        return None

    def loop_of_torch(self, node):
        """The loop over a loader that gives an array; a closure takes it from the loop that it stands in, and a step is given it by its caller."""
        loop = self.given_by_torch(node) if node is not None else None
        holder = self.origins.scope(node) if loop is None and isinstance(node, ast.Name) else None
        names = [one.arg for one in holder.args.args] if isinstance(holder, ast.FunctionDef) else []
        if loop is None and getattr(node, "id", None) in names:
            at = names.index(node.id)
            given = [call.args[at] for call in self.calls if self.written(call.func) == holder.name and len(call.args) > at]
            loop = next((one for one in map(self.given_by_torch, given) if one is not None), None)
        return loop

    def modules_of_jax(self):
        """The classes of layers that no other class of the file makes, with the method that computes them."""
        classes = [of for of in self.tracing.index.classes if any(self.full(base) in MODULES_OF_JAX for base in of.bases)]
        within = {self.written(call.func) for of in classes for call in calls_in(of.body)}
        found = [(of, next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__call__"), None)) for of in classes if of.name not in within]
        return [(of, method) for of, method in found if method is not None]

    def softmax_of(self, node, deepest=5):
        """The softmax that a value of JAX's surely comes out of; None: it is not known to."""
        one = self.value_of(node) if deepest else None
        if not isinstance(one, ast.Call):
            return None
        if SOFTMAX_OF_JAX.match(self.full(one.func)):
            return one
        of = []
        if is_call(one, "apply") or is_call(one, "apply_fn"):
            made = self.value_of(one.func.value) if is_call(one, "apply") else None
            while isinstance(made, ast.Call) and re.match(r"haiku\.(without_apply_rng|transform(_with_state)?)$", self.full(made.func)) and made.args:
                of = [each for each in self.origins.functions_of(made.args[0]) if isinstance(each, ast.FunctionDef)]
                made = self.value_of(made.args[0])
            own = [self.softmax_of(each.value, deepest - 1) for method in of for each in own_nodes(method) if isinstance(each, ast.Return) and each.value is not None]
            of = of if own and None not in own else [method for _, method in self.modules_of_jax()]
        elif not self.full(one.func) or self.origins.functions_of(one.func):
            of = [each for each in self.origins.functions_of(one.func) if isinstance(each, ast.FunctionDef)]
        ends = [self.softmax_of(each.value, deepest - 1) for method in of for each in own_nodes(method) if isinstance(each, ast.Return) and each.value is not None]
        return ends[0] if ends and None not in ends else None

    def softmax_twice(self):
        """class Net(nn.Module): …; return nn.softmax(x), and optax.softmax_cross_entropy(net.apply(params, x), y)"""
        for call in self.calls:
            given = self.given(call, 0, "logits", "x") if LOG_SOFTMAX_OF_JAX.match(self.full(call.func)) else None
            if given is None or self.is_reported(call):
                continue
            holder = self.origins.scope(call)
            names = [one.arg for one in holder.args.args] if isinstance(holder, ast.FunctionDef) else []
            values = [given]
            if getattr(given, "id", None) in names:
                at = names.index(given.id)
                values = [one.args[at] for one in self.calls if self.written(one.func) == holder.name and len(one.args) > at]
                # What hands on its own argument says no more than its caller.
                values = [one for one in values if not isinstance(self.origins.scope(one), ast.FunctionDef) or getattr(one, "id", None) not in [
                    each.arg for each in self.origins.scope(one).args.args]]
            ends = [self.softmax_of(one) for one in values]
            if ends and None not in ends:
                self.mistake(call, "a softmax of JAX's behind another", self.written(ends[0]), self.full(call.func).rpartition(".")[2], other=ends[0])
                return

    def never_flat(self):
        """hk.Sequential([hk.Conv2D(8, 3), jax.nn.relu, hk.Linear(10)]), which gives ten scores for each place of the image"""
        if not self.says(JUDGES_CLASSES.pattern) or self.says(OF_EACH_PIXEL.pattern):
            return
        for call in self.calls:
            layers = call.args[0].elts if re.match(r"(haiku|flax\.linen)\.Sequential$", self.full(call.func)) and call.args and isinstance(
                call.args[0], (ast.List, ast.Tuple)) else []
            kinds = [self.full(getattr(one, "func", one)) for one in layers]
            convs = [at for at, kind in enumerate(kinds) if CONVS_OF_JAX.match(kind)]
            last = next((at for at, kind in enumerate(kinds) if convs and at > convs[-1] and DENSE_OF_JAX.match(kind)), None)
            around = self.reader.written_whole(self.origins.scope(call)) if last is not None else ""
            if last is not None and all(kinds) and DENSE_OF_JAX.match(kinds[-1]) and not MAKES_IT_FLAT.search(around):
                self.mistake(layers[last], "scores for each place of an image", self.written(layers[convs[-1]]), other=layers[convs[-1]])
        for _, method in self.modules_of_jax():
            text = self.reader.written_whole(method)
            calls = [call for call in calls_in(method.body)]
            convs = [call for call in calls if CONVS_OF_JAX.match(self.full(call.func))]
            dense = [call for call in calls if DENSE_OF_JAX.match(self.full(call.func))]
            own = [call for call in calls if self.origins.functions_of(call.func)]
            if convs and dense and not own and not MAKES_IT_FLAT.search(text) and min(map(line_of, dense)) > max(map(line_of, convs)) and len(
                    [one for one in ast.walk(method) if isinstance(one, ast.Return)]) == 1:
                first = min(dense, key=line_of)
                self.mistake(first, "scores for each place of an image", self.written(convs[-1]), other=convs[-1])
