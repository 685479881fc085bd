"""What a model is judged by: the mode that it validates in, the data that it validates on, the layers that no optimizer
gets, and files and words that are not read as they are written; for the reader of scripts."""

DRAWS_OR_NORMS = re.compile(r"(Dropout\w*|BatchNorm\w*|InstanceNorm\w*)\(|\bdropout=(0?\.\d*[1-9]|dropout|p)\b")
MODELS_THAT_DRAW = re.compile(r"torchvision\.models\.(resnet|densenet|mobilenet|efficientnet|vgg|alexnet|googlenet|inception|shufflenet|regnet|convnext|"
                              r"wide_resnet|resnext|squeezenet|mnasnet)\w*$|timm\.create_model$")
OF_ANOTHER_FILE = re.compile(r"(?!torch|transformers|tensorflow|keras|timm|diffusers|peft|sklearn)(\w+\.)+[A-Z]\w*$")
# Architectures that are called so everywhere, and have batch norm.
HAVE_BATCH_NORM = re.compile(r"\.(Pre_?Act|Wide_?|SE_?)?(ResNet|ResNeXt|DenseNet|MobileNet|EfficientNet|ShuffleNet|RegNet|Inception)(\d\w*|[VX_]\w*)?$")
DRAWS_BY_DESIGN = re.compile(r"gen(erator)?\b|netG|\bG\b|generator|actor|policy", re.I)
SWITCHED_BY_OTHERS = {"lightning", "pytorch_lightning", "ignite", "fastai", "catalyst", "composer", "mmcv", "mmengine", "skorch"}
JUDGES = re.compile(r"(?i)(?<![a-z])(accuracy|acc|score|predict|predictions|infer|inference|metrics|confusion)(?![a-z])")
# Layers whose weights are learned; what holds such layers is looked into.
LEARNS = re.compile(r"torch\.nn\.(Linear|LazyLinear|Bilinear|Conv\w+|LSTM|GRU|RNN|LSTMCell|GRUCell|Embedding|EmbeddingBag|MultiheadAttention|"
                    r"Transformer\w*|Parameter)$")
HOLDS_LAYERS = re.compile(r"torch\.nn\.(Sequential|ModuleList)$")
MAKES_OPTIMIZERS = re.compile(r"(torch\.optim|bitsandbytes\.optim|transformers|torch_optimizer|apex\.optimizers|timm\.optim)\.(\w+\.)*([A-Z]\w*)$")
PARTS_ALONE = re.compile(r"(\w+)\.(\w+)\.parameters\(\)$")
MAY_BE_FROZEN = r"requires_grad|(?i:freez|frozen|linear.?prob|probe|ema\b|momentum_update)"
OF_VALIDATION = re.compile(r"(^|_)(val|valid|validation|test|eval|dev)(_?(data|set|ds|dl|loader|dataloader|iter|generator|dataset)s?)*(_\d)?$|"
                           r"(val|valid|validation|test|eval)_?(loader|dataloader|dl)$", re.I)
LOADERS = re.compile(r"(torch\.utils\.data|torch_geometric\.loader)\.(dataloader\.)?DataLoader$")
HOOKS_OF_VALIDATION = ("val_dataloader", "test_dataloader")
ONLY_TO_TRY = r"(?i)overfit|sanity|smoke.?test|toy\b|debug|train_(acc|accuracy|eval)|k.?fold|few.?shot"
# What takes any word and hands it on: its own words, and what becomes of another.
OF_TOKENIZERS = ("text text_pair text_target text_pair_target add_special_tokens padding truncation max_length stride is_split_into_words "
                 "pad_to_multiple_of padding_side return_tensors return_token_type_ids return_attention_mask return_overflowing_tokens "
                 "return_special_tokens_mask return_offsets_mapping return_length verbose").split()
OF_FORMATS = ["type", "columns", "output_all_columns", "format_kwargs"]
# What a loop says that asks which classes a model tells, and how many are right.
COUNTS_HITS = re.compile(r"(argmax|torch\.max|\.max|topk)\([\s\S]*(==|\.eq\(|accuracy)|(accuracy|acc)\w*\([\s\S]*(argmax|\.max\()")
READ_AS_DICT = ("items", "keys", "values", "get")


class Judging(Learning):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if "numpy" in roots and not self.says(r"allow_pickle|np\.load *=") and self.says(r"\bload\("):
            self.pickled_tables()
        if {"datasets", "transformers"} & roots:
            self.words_handed_on()
        if {"torch", "torchvision", "lightning", "pytorch_lightning"} & roots:
            self.loaders = [call for call in self.calls if LOADERS.match(self.full(call.func))]
            self.samplers_of_unknown_kinds()
            self.tests_of_training_data()
            self.validated_on_what_was_learned()
            self.validated_over_the_training()
            self.samplers_in_one_order()
        if "torch" not in roots:
            return
        if not roots & SWITCHED_BY_OTHERS:
            self.never_switched()
        self.layers_without_optimizer()

    # ---- validation

    def never_switched(self):
        """A model with dropout that is trained, and asked under torch.no_grad() or for what it hits, where nothing ever calls eval() or train()."""
        if self.says(r"eval\b(?!_)|\.train\((False|mode|\w+=)|\.training *=|(?i:mc_?dropout|monte)|train_mode|set_mode|Trainer\(") or not self.says(
                r"\.backward\("):
            return
        steers = self.says(r"autograd\.grad\b|\.grad\b|attack|perturb|saliency|hook")
        for loop in self.tracing.index.loops:
            if not isinstance(loop, ast.For) or not self.is_validation(loop) or any(is_call(one, "backward") for one in calls_in(loop.body)) or not self.is_without_gradients(
                        loop) and not self.is_decorated(loop) and (steers or not VALIDATES.search(self.written(loop.iter)) or not COUNTS_HITS.search(self.near(loop, 0))):
                continue
            for call in calls_in(loop.body):
                name = self.written(call.func)
                if isinstance(call.func, (ast.Name, ast.Attribute)) and not self.full(call.func) and not DRAWS_BY_DESIGN.search(
                        name) and self.draws(call.func) and not self.is_reported(call):
                    self.mistake(call, "a validation in the mode of a new model", name)
                    return

    def is_validation(self, loop):
        holder = next((one for one in self.origins.around(loop) if isinstance(one, ast.FunctionDef)), None)
        return VALIDATES.search(self.written(loop.iter)) is not None or holder is not None and (VALIDATES.search(
            holder.name.replace("_", " ")) or JUDGES.search(holder.name.replace("_", " "))) is not None

    def is_decorated(self, loop):
        return any(re.search(r"no_grad|inference_mode", self.written(by)) for one in self.origins.around(loop) if isinstance(one, ast.FunctionDef)
                   for by in one.decorator_list)

    def draws(self, model):
        """Whether a model is made by a class of the file with dropout or batch norm, or is a well-known one that has them."""
        values = self.origins.known(model, True)
        own = [of for one in values if isinstance(one, ast.Call) for of in self.origins.functions_of(one.func) if isinstance(of, ast.ClassDef)]
        switched = self.says(r"\.train\(\)")  # what was loaded evaluates until it is switched
        made = [one for one in values if isinstance(one, ast.Call) and (MODELS_THAT_DRAW.match(self.full(one.func)) or switched and re.match(
            r"transformers\.[\w.]+\.from_pretrained$", self.full(one.func)))]
        layers = [one for one in values if isinstance(one, ast.Call) and self.full(one.func) == "torch.nn.Sequential"]
        others = [one for one in values if isinstance(one, ast.Call) and OF_ANOTHER_FILE.match(self.full(one.func))]
        if others and len(others) == len(values):  # of another file of the same project
            return self.says(r"(?i)\b\w*(dropout|drop_rate|batch_?norm)") or all(HAVE_BATCH_NORM.search(self.full(one.func)) for one in others)
        return bool(values) and len(own) + len(made) + len(layers) == len(values) and bool(made) or any(DRAWS_OR_NORMS.search(
            self.reader.written_whole(of)) for of in own + layers)

    def validated_on_what_was_learned(self):
        """val_loader = DataLoader(MNIST(root, train=True)), beside a loader of the same data that trains."""
        if self.says(ONLY_TO_TRY):
            return
        loaders = [(call, self.name_of(call)) for call in self.loaders]
        trained = []
        for call, name in loaders:
            if re.search(r"train", name, re.I):
                trained += [self.data_of(one) for one in self.data(call) or []]
        for call, name in loaders:
            if not (OF_VALIDATION.search(name) or name in HOOKS_OF_VALIDATION) or re.search(r"train|memory|bank|support|query|calib", name, re.I):
                continue
            if any(k.arg in ("sampler", "batch_sampler", None) for k in call.keywords) or self.is_chosen_by(call):
                continue
            values = self.data(call)
            if values and all(self.data_of(one) in trained for one in values) and not self.is_reported(call):
                self.mistake(values[0] if self.is_inside(values[0], call) else call, "a validation on the training data", name, self.written(values[0]),
                             other=None if self.is_inside(values[0], call) else values[0])

    def validated_over_the_training(self):
        """for x, y in train_loader: train; net.eval(); for x, y in train_loader: count, beside a val_loader that nothing reads"""
        if not self.loaders or self.says(ONLY_TO_TRY) or not self.says(r"\.backward\("):
            return
        read = {one.id for one in self.nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        unread = next((call for call in self.loaders if OF_VALIDATION.search(self.name_of(call)) and isinstance(self.parents.get(id(call)), ast.Assign) and isinstance(
            self.parents[id(call)].targets[0], ast.Name) and self.name_of(call) not in read), None)
        if unread is None:
            return
        names = {self.name_of(call) for call in self.loaders}
        loops = [one for one in self.tracing.index.loops if isinstance(one, ast.For)]
        trained = {self.loader_of(one.iter) for one in loops if any(is_call(each, "backward") for each in calls_in(one.body))} - {None}
        for loop in loops:
            block = self.origins.block_of(loop)
            before = block[:block.index(loop)] if block else []
            switched = next((one for one in reversed(before) if isinstance(one, ast.Expr) and (is_call(one.value, "eval") or is_call(one.value, "train"))), None)
            judges = switched is not None and is_call(switched.value, "eval") or self.is_without_gradients(loop)
            if self.loader_of(loop.iter) in trained and judges and not any(is_call(one, "backward") for one in calls_in(loop.body)) and \
                    self.shows_a_validation(block[block.index(loop):]):
                self.mistake(loop.iter, "a validation loop over the training data", self.name_of(unread), other=unread)
                return
        for call in self.calls:
            given = next((one.id for one in call.args if isinstance(one, ast.Name) and one.id in names), None)
            name = self.written(call.func).rsplit(".", 1)[-1].replace("_", " ")
            if given is not None and re.search(r"train", given) and re.search(
                    r"(?i)(^| )(val|valid|validate|validation|eval|evaluate|evaluation|test)( |$)", name) and not re.search(r"train", name) and not self.full(call.func).startswith("torch"):
                self.mistake(call, "a validation loop over the training data", self.name_of(unread), other=unread)
                return

    @staticmethod
    def shows_a_validation(statements):
        """val_loss += …, val_losses.append(…), print("val", …)"""
        for one in (each for part in statements for each in ast.walk(part)):
            stored = isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)
            of = one.func.value if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) else None
            said = one.id if stored else one.value if isinstance(one, ast.Constant) else of.id if isinstance(of, ast.Name) else None
            if isinstance(said, str) and re.search(r"(?i)(?<![a-z])(val|valid|validation|test)(?![a-z])", said.replace("_", " ")):
                return True
        return False

    def loader_of(self, node):
        """The name of a loader of the file that an expression goes through: also enumerate(loader) and tqdm(loader)."""
        names = {self.name_of(call) for call in self.loaders}
        return next((one.id for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in names), None)

    def samplers_in_one_order(self):
        """train_sampler = DistributedSampler(train_set, shuffle=False)"""
        samplers = [call for call in self.calls if re.match(r"torch\.utils\.data\.(distributed\.)?DistributedSampler$", self.full(call.func))]
        if not samplers or self.says(ONLY_TO_TRY) or self.says(r"random\.shuffle|\.shuffle\(|Iterable|TimeSeries|time.series|curriculum|sort(ed)?\(|no_grad\(\)\s*def train") or not self.says(
                r"\.backward\("):
            return
        for call in samplers:
            if self.is_chosen_by(call):
                continue
            name, bound = self.written(self.given(call, 0, "dataset") or call), self.name_of(call)
            name = " ".join([name, bound] + [self.name_of(one) for one in self.loaders if bound and bound in [self.written(k.value) for k in one.keywords]])
            if self.said(self.given(call, 3, "shuffle")) is False and re.search(r"(?i)train", name) and not re.search(
                    r"(?i)val|test|eval|infer|predict|feat|extract|knn|memory|bank|gallery|query|plain|calib", name):
                self.mistake(call, "a sampler of training that doesn't shuffle")

    def tests_of_training_data(self):
        """test_data = MNIST(root, train=True)"""
        if self.says(ONLY_TO_TRY) or self.says(r"random_split|Subset|SubsetRandomSampler"):
            return
        for call in self.calls:
            bound = self.parents.get(id(call))
            name = self.written(bound.targets[0]) if isinstance(bound, ast.Assign) and len(bound.targets) == 1 else ""
            said = [self.said(k.value) for k in call.keywords if k.arg == "train"]
            if re.match(r"(self\.)?(te|test|testing)_?(data|set|dataset|ds)?$", name) and said == [True] and self.full(call.func).startswith("torchvision.datasets.") and not self.is_reported(call):
                self.mistake(call, "a test of the training data", name)

    def samplers_of_unknown_kinds(self):
        """DataLoader(data, sampler=MySampler(data), shuffle=True), whatever the class is that is called a sampler."""
        for call in self.loaders:
            given = next((k.value for k in call.keywords if k.arg == "sampler"), None)
            made = self.value_of(given) if given is not None else None
            if isinstance(made, ast.Call) and self.written(made.func).endswith("Sampler") and self.said(next((k.value for k in call.keywords if k.arg ==
                    "shuffle"), None)) is True and not self.is_reported(call):
                self.reader.mistake(call, "arguments that exclude each other", self.written(call.func) + "(…)", "shuffle=True and a sampler exclude each other",
                                    "Leave shuffle out; the sampler gives the order.", other=call)

    def is_chosen_by(self, call):
        return any(isinstance(one, (ast.If, ast.IfExp)) and "__name__" not in self.written(one.test) for one in self.origins.around(call))

    def is_inside(self, node, call):
        return any(one is node for one in ast.walk(call))

    def name_of(self, call):
        """The name that a loader is bound to, or the function that gives it back; "": neither."""
        by = self.parents.get(id(call))
        if isinstance(by, ast.Assign) and len(by.targets) == 1 and isinstance(by.targets[0], (ast.Name, ast.Attribute)):
            return self.written(by.targets[0]).rsplit(".", 1)[-1]
        holder = self.parents.get(id(by))
        if isinstance(by, ast.Return) and isinstance(holder, ast.FunctionDef):
            return holder.name
        return ""

    def data(self, call):
        """The calls that make the data of a loader, where it goes through all of it; None: not known."""
        given = self.given(call, 0, "dataset")
        values = self.origins.of(given) if given is not None else []
        name = self.written(given).split("(")[0] if given is not None else ""
        within = {id(self.origins.scope(one)): self.origins.scope(one) for one in values}
        if any(isinstance(of, ast.FunctionDef) and of is not self.origins.scope(call) and len(self.origins.sites(of)) > 1 for of in within.values()):
            return None  # each call of that function makes others
        if not values or not all(isinstance(one, ast.Call) for one in values) or re.search(
                r"\b%s\.(data|targets|samples|imgs|indices|transform|train_data|mode|train|split|\w*indices)\b *=[^=]" % re.escape(name), self.reader.text):
            return None
        return values

    def data_of(self, call):
        """What tells that two calls make the same data: the call itself, or what is written for well-known data of training."""
        full = self.full(call.func)
        said = {k.arg: self.said(k.value) for k in call.keywords}
        of_training = said.get("train") is True or said.get("split") == "train" or re.match(
            r"torchvision\.datasets\.(\w+\.)?(MNIST|FashionMNIST|KMNIST|CIFAR10|CIFAR100)$", full) and len(call.args) > 1 and self.said(call.args[1]) is True
        if of_training and re.match(r"(torchvision|torchaudio|datasets|torch_geometric|torchtext)\.", full):
            return full, self.written(call.args[0]) if call.args else ""
        random = re.search(r"random_split|Subset|split|train_test", full or self.written(call.func)) or self.says(
            r"(?i)dummy|fake|synthetic|\brandn?\(|randint|RandomDataset")  # data that only show how it goes
        return id(call) if not random and (full or self.origins.functions_of(call.func)) else object()

    # ---- optimizers

    def layers_without_optimizer(self):
        """optim.Adam(self.bert.parameters()), in a class whose self.head = nn.Linear(…) no optimizer gets."""
        if self.says(MAY_BE_FROZEN):
            return
        made = [call for call in self.calls if MAKES_OPTIMIZERS.match(self.full(call.func)) and (call.args or call.keywords)]
        given = [self.parts_given(call) for call in made]
        if not given or None in given:
            return
        for of in self.tracing.index.classes:
            first = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
            if first is None or not any(re.search(r"(Module|LightningModule)$", self.written(base)) for base in of.bases):
                continue
            own = [(call, {part for owner, part in parts if owner == "self"}) for call, parts in zip(made, given) if any(one is of for one in self.origins.around(
                call)) and all(owner == "self" for owner, _ in parts)]
            if own and len(own) == sum(any(one is of for one in self.origins.around(call)) for call in made):
                self.tell_layers(of, first, own, {part for _, parts in own for part in parts})

    def parts_given(self, call):
        """{("self", "bert")} of what an optimizer is given; None: something else than the parameters of parts."""
        waiting, found = [self.given(call, 0, "params", "model_params")], set()
        while waiting:
            one = waiting.pop()
            values = self.origins.of(one) if isinstance(one, ast.Name) else [one]
            for value in values:
                said = PARTS_ALONE.match(self.written(value)) if isinstance(value, ast.Call) else None
                if said:
                    found.add(said.groups())
                elif isinstance(value, (ast.List, ast.Tuple)):
                    waiting += value.elts
                elif isinstance(value, ast.Dict):
                    waiting += [part for key, part in zip(value.keys, value.values) if getattr(key, "value", None) == "params"]
                elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
                    waiting += [value.left, value.right]
                elif isinstance(value, ast.Call) and (getattr(value.func, "id", "") == "list" or self.full(value.func) == "itertools.chain"):
                    waiting += value.args
                else:
                    return None
        return found

    def tell_layers(self, of, first, own, given):
        text = "\n".join(self.reader.written_whole(one) for one in of.body if one is not first)
        runs = "\n".join(self.reader.written_whole(one) for one in of.body if getattr(one, "name", "") not in ("__init__", "configure_optimizers"))
        for one in ast.walk(first):
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if not isinstance(target, ast.Attribute) or getattr(target.value, "id", "") != "self" or target.attr in given or not self.learns(one.value):
                continue
            word = r"\bself\.%s\b" % re.escape(target.attr)
            if re.search(word, runs) and not re.search(word + r"[\w.]*\.(load_state_dict|weight|data|eval|detach|parameters|named_parameters)\b", text) and not re.search(
                    r"no_grad|detach\(\)|inference_mode", self.forward_of(of)):
                self.mistake(own[0][0], "a layer that no optimizer gets", "self." + target.attr, self.written(own[0][0].func), other=one)
                return

    def forward_of(self, of):
        return "\n".join(self.reader.written_whole(one) for one in of.body if getattr(one, "name", "") == "forward")

    def learns(self, value):
        if not isinstance(value, ast.Call):
            return False
        full = self.full(value.func)
        return LEARNS.match(full) is not None or HOLDS_LAYERS.match(full) is not None and any(
            LEARNS.match(self.full(one.func)) for given in value.args for one in ast.walk(given) if isinstance(one, ast.Call))

    # ---- files and words

    def pickled_tables(self):
        """table = np.load(path).item(); table["x"]: a file that holds a dictionary is a pickle, which np.load refuses."""
        if self.reader.pinned_for("numpy"):
            return
        for one in self.nodes:
            if isinstance(one, ast.Subscript) and isinstance(self.origins.key(one), str):
                of = one.value
            elif isinstance(one, ast.Attribute) and one.attr in READ_AS_DICT and isinstance(self.parents.get(id(one)), ast.Call):
                of = one.value
            else:
                continue
            values = self.origins.of(of) if isinstance(of, (ast.Name, ast.Call)) else []
            loads = [self.loaded(value) for value in values]
            if loads and None not in loads and not any(isinstance(outer, ast.Try) for outer in self.origins.around(loads[0])) and not self.is_reported(loads[0]):
                self.reader.mistake(loads[0], "a pickled table that np.load refuses", self.written(loads[0]), self.written(one), other=one, since="numpy 1.16.3",
                                    doubted=False)

    def loaded(self, value):
        """The np.load() behind .item(), .tolist() or [()]; None: another value."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("item", "tolist") and not value.args:
            of = value.func.value
        elif isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Tuple) and not value.slice.elts:
            of = value.value
        else:
            return None
        made = self.origins.of(of) if isinstance(of, (ast.Name, ast.Call)) else []
        one = made[0] if len(made) == 1 else None
        return one if isinstance(one, ast.Call) and self.full(one.func) == "numpy.load" and not any(k.arg is None for k in one.keywords) else None

    def words_handed_on(self):
        """data.set_format("torch", column=names), and tokenizer(text, return_tensor="pt"): both take any word."""
        for call in self.calls:
            formats = isinstance(call.func, ast.Attribute) and call.func.attr in ("set_format", "with_format")
            if not formats and not (isinstance(call.func, (ast.Name, ast.Attribute)) and not self.full(call.func) and self.is_tokenizer(call.func)):
                continue
            known = OF_FORMATS if formats else OF_TOKENIZERS
            for k in call.keywords:
                near = difflib.get_close_matches(k.arg, known, 1, 0.84) if k.arg and k.arg not in known else ()
                if near and not self.is_reported(k.value) and not any(isinstance(one, ast.Try) for one in self.origins.around(call)):
                    self.reader.mistake(k.value, "a word that is handed on to what makes tensors" if formats else "a word that a tokenizer passes over",
                                        "%s(%s=…)" % (self.written(call.func), k.arg), near[0], doubted=formats)

    def is_tokenizer(self, func):
        values = self.origins.of(func)
        return bool(values) and all(isinstance(one, ast.Call) and re.match(r"transformers\.(\w+\.)*\w*Tokenizer(Fast)?\.from_pretrained$", self.full(one.func))
                                    for one in values)
