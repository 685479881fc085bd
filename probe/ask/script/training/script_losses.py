"""Losses of PyTorch's that don't fit what they are given, and layers that don't fit each other; for the reader of scripts."""

LOSS_OF_CLASSES = re.compile(r"torch\.nn\.(modules\.)?(loss\.)?(CrossEntropyLoss|NLLLoss|BCELoss|BCEWithLogitsLoss|MultiLabelSoftMarginLoss)$")
LOSS_FUNCTION = re.compile(r"torch\.nn\.functional\.(cross_entropy|nll_loss|binary_cross_entropy|binary_cross_entropy_with_logits|multilabel_soft_margin_loss)$")
NAMES_OF_LOSSES = {"CrossEntropyLoss": "cross_entropy", "NLLLoss": "nll_loss", "BCELoss": "binary_cross_entropy",
                   "BCEWithLogitsLoss": "binary_cross_entropy_with_logits", "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss"}
# What a function, a method or a layer of PyTorch's gives: how its numbers end.
ENDS = {"softmax": "softmax", "log_softmax": "log_softmax", "sigmoid": "sigmoid", "relu": "relu", "tanh": "tanh", "Softmax": "softmax",
        "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid", "ReLU": "relu", "Tanh": "tanh", "Linear": "scores", "linear": "scores", "Conv2d": "scores",
        "Conv1d": "scores", "LazyLinear": "scores", "Bilinear": "scores"}
ENDS_BY_FUNCTION = re.compile(r"torch\.(nn\.functional\.)?(softmax|log_softmax|sigmoid|relu|tanh|linear)$")
LAYER_OF_TORCH = re.compile(r"torch\.nn\.(modules\.)?(\w+\.)?([A-Z]\w*)$")
# Layers and methods behind which numbers are what they were.
KEEPS_NUMBERS = frozenset("Dropout Dropout1d Dropout2d Dropout3d AlphaDropout Identity Flatten Unflatten".split())
KEEPS_NUMBERS_BY_METHOD = frozenset("squeeze view reshape flatten float double contiguous to cuda cpu unsqueeze".split())
KEEPS_NUMBERS_BY_FUNCTION = re.compile(r"torch\.(squeeze|flatten|reshape|unsqueeze)$|torch\.nn\.functional\.dropout$")
# What a loss applies itself, what it takes instead, and the loss or function to write.
APPLIES = {"cross_entropy": "log-softmax", "binary_cross_entropy_with_logits": "the sigmoid", "multilabel_soft_margin_loss": "the sigmoid"}
TAKES = {"nll_loss": ("log-probabilities", "Write log_softmax(…, dim=1), or take CrossEntropyLoss, which applies it."),
         "binary_cross_entropy": ("probabilities from 0 to 1", "Take BCEWithLogitsLoss, or apply torch.sigmoid before the loss.")}
APPLIED_TWICE = {"cross_entropy": ("softmax", "sigmoid"), "binary_cross_entropy_with_logits": ("sigmoid", "softmax", "log_softmax"),
                 "multilabel_soft_margin_loss": ("sigmoid", "softmax", "log_softmax")}
TAKEN_FOR_OTHERS = {"nll_loss": ("softmax", "sigmoid", "scores", "relu"), "binary_cross_entropy": ("scores", "relu", "tanh", "log_softmax")}
# Heads of torchvision's models that a script may replace.
HEADS = ("fc", "classifier", "head", "heads")
# Layers by what they take and give: (the place of the size that goes in, and of the one that comes out, what the sizes count).
SIZED = {"Linear": (0, 1, "features"), "Conv1d": (0, 1, "channels"), "Conv2d": (0, 1, "channels"), "Conv3d": (0, 1, "channels"),
         "ConvTranspose1d": (0, 1, "channels"), "ConvTranspose2d": (0, 1, "channels"), "ConvTranspose3d": (0, 1, "channels"),
         "BatchNorm2d": (0, 0, "channels"), "BatchNorm3d": (0, 0, "channels")}
WORDS_OF_SIZES = {"Linear": ("in_features", "out_features"), "BatchNorm2d": ("num_features", "num_features"),
                  "BatchNorm3d": ("num_features", "num_features")}
KEEPS_SIZES = re.compile(r"(ReLU6?|LeakyReLU|PReLU|RReLU|ELU|SELU|CELU|GELU|SiLU|Mish|Sigmoid|Tanh|Hardtanh|Hardswish|Hardsigmoid|Softplus|Softsign|"
                         r"Softmax|LogSoftmax|(Alpha|FeatureAlpha)?Dropout\d?d?|Identity)$")
KEEPS_CHANNELS = re.compile(r"((Adaptive)?(Max|Avg)Pool[123]d|Upsample|UpsamplingNearest2d|UpsamplingBilinear2d|Softmax2d|ZeroPad2d|ReflectionPad2d)$")
KEEPS_SIZES_BY_FUNCTION = re.compile(r"torch\.(nn\.functional\.)?(relu6?|relu_|leaky_relu|elu|selu|gelu|silu|sigmoid|tanh|dropout|softmax|log_softmax)$")
NAMED_AS_SCORES = re.compile(r"(^|[._])(logits?|outputs?|out|preds?|predictions?|scores|y_?hat|y_?pred)$|\boutputs?\.\w+$")
POOLS = re.compile(r"torch\.(nn\.functional\.)?(adaptive_)?(max|avg)_pool[123]d$")


class Losses(WholeFile):
    def look(self, nodes):
        if not any(name.split(".")[0] == "torch" for name in self.tracing.names.values()):
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        self.reported = set()
        for call in self.calls:
            kind = self.kind_of_loss(call)
            given, target = self.handed(call) if kind else (None, None)
            if given is not None and not any(isinstance(one, ast.Try) for one in self.origins.around(call)):
                self.against_its_input(call, kind, given, target)
        if self.says(r"nn\.|Linear|Conv"):
            self.layers_in_a_row()
            self.layers_in_forward()

    # ---- losses

    def kind_of_loss(self, call):
        """The function that a call of a loss comes down to; None: another call, or not known."""
        direct = LOSS_FUNCTION.match(self.full(call.func))
        if direct:
            return direct.group(1)
        if not isinstance(call.func, (ast.Name, ast.Attribute, ast.Call)) or len(call.args) + len(call.keywords) != 2:
            return None
        of = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "forward" else call.func
        made = self.made_by(of, LOSS_OF_CLASSES, surely=True)
        return NAMES_OF_LOSSES[self.full(made.func).rsplit(".", 1)[-1]] if made is not None else None

    def handed(self, call):
        """What a loss is given to judge, and the labels."""
        words = {k.arg: k.value for k in call.keywords}
        if any(isinstance(one, ast.Starred) for one in call.args) or None in words:
            return None, None
        at = list(call.args) + [None, None]
        return at[0] if at[0] is not None else words.get("input"), at[1] if at[1] is not None else words.get("target")

    def against_its_input(self, call, kind, given, target):
        ending, where = self.ending(given)
        name = self.written(call.func)
        if ending in APPLIED_TWICE.get(kind, ()):
            self.once_each(call, where, "a loss that applies what was applied", name, APPLIES[kind], ending)
        elif ending in TAKEN_FOR_OTHERS.get(kind, ()):
            takes, instead = TAKES[kind]
            self.once_each(call, where, "a loss that takes something else", name, takes,
                           "the scores of a layer" if ending == "scores" else "what %s gives" % ending, instead)
        elif ending == "relu" and kind in APPLIES:
            self.once_each(call, where, "scores that are cut off", name)
        elif ending == "scores" and kind in ("cross_entropy", "nll_loss") and self.has_one_output(where):
            self.once_each(call, where, "one score for several classes", name)
        elif ending in ("softmax", "log_softmax") and self.axis_of(where) == 0:
            self.once_each(call, where, "softmax over the batch", self.written(where))
        elif kind in ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits") and target is not None and self.full(getattr(self.value_of(target), "func", target)) == "torch.nn.functional.one_hot":
            self.once_each(call, None, "one-hot labels of whole numbers", name, self.written(target))
        elif ending is None and target is not None and self.ending(target)[0] in ("scores", "softmax", "log_softmax", "sigmoid") and self.is_label(given):
            self.once_each(call, None, "labels in the place of the scores", name, self.written(given), self.written(target))
        elif ending is None and target is not None and self.is_label(given) and (NAMED_AS_SCORES.search(self.written(target)) or self.is_of_its_batch(given, target)):
            self.once_each(call, None, "labels in the place of the scores", name, self.written(given), self.written(target))
        elif self.is_chosen_class(given):
            self.once_each(call, None, "a loss of chosen classes", name, self.written(given))

    def once_each(self, call, where, what, *more):
        """A model that is trained and validated with one loss is reported once, at the loss that trains."""
        key = (what, id(where) if where is not None else id(call))
        other = where if where is not None and line_of(where) != line_of(call) else None
        if key not in self.reported and not self.is_reported(call):
            self.reported.add(key)
            self.mistake(call, what, *more, other=other)

    def has_one_output(self, layer):
        return isinstance(layer, ast.Call) and self.full(layer.func).endswith(".Linear") and self.said(self.given(layer, 1, "out_features")) == 1

    def axis_of(self, call):
        """The dimension over which softmax goes, of a function, a method or a layer."""
        function = isinstance(call, ast.Call) and ENDS_BY_FUNCTION.match(self.full(call.func))
        return self.said(self.given(call, 1 if function else 0, "dim")) if isinstance(call, ast.Call) else None

    def is_label(self, node):
        """Whether a name is bound to a part of a batch: for x, y in loader."""
        return isinstance(node, ast.Name) and re.match(r"(y|labels?|targets?|gt|y_true|y_batch|batch_y|y_b|yb|b_y)$", node.id) is not None

    def is_of_its_batch(self, label, scores):
        """for x, y in loader: p = net(x); loss(y, p)"""
        made = self.value_of(scores)
        loop = next((one for one in self.origins.statements_of(label) if isinstance(one, ast.For)), None)
        names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)} if loop is not None else set()
        return isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and not re.match(r"(torch|numpy)\.", self.full(made.func)) and any(
            isinstance(one, ast.Name) and one.id in names - {label.id} for one in made.args)

    def is_chosen_class(self, node):
        """out.argmax(1), (out > 0.5).float(): chosen classes, which have no gradient."""
        value = self.value_of(node)
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in KEEPS_NUMBERS_BY_METHOD and not self.full(
                value.func):
            value = self.value_of(value.func.value)
        if isinstance(value, ast.Compare) and len(value.ops) == 1 and isinstance(value.ops[0], (ast.Gt, ast.GtE)) and self.said(value.comparators[0]) in (0, 0.0, 0.5):
            return any(is_call(one, "backward") for one in self.calls)
        return isinstance(value, ast.Call) and (self.full(value.func) == "torch.argmax" or not self.full(value.func) and is_call(
            value, "argmax")) and any(is_call(one, "backward") for one in self.calls)

    # ---- how numbers end

    def ending(self, node, deepest=7):
        """(what was applied last to get a value, the expression that did): None where it is not known, or not one."""
        values = self.origins.of(node) if deepest > 0 and node is not None else []
        found = [self.ending_of(one, deepest) for one in values]
        return found[0] if found and all(one[0] == found[0][0] for one in found) else (None, None)

    def ending_of(self, one, deepest):
        if not isinstance(one, ast.Call):
            return None, None
        full = self.full(one.func)
        by_function = ENDS_BY_FUNCTION.match(full)
        if by_function:
            return ENDS[by_function.group(2)], one
        if KEEPS_NUMBERS_BY_FUNCTION.match(full) and one.args:
            return self.ending(one.args[0], deepest - 1)
        if isinstance(one.func, ast.Attribute) and not full:
            if one.func.attr in ("softmax", "log_softmax", "sigmoid", "relu", "tanh") and not self.is_layer(one.func):
                return ENDS[one.func.attr], one
            if one.func.attr in KEEPS_NUMBERS_BY_METHOD:
                return self.ending(one.func.value, deepest - 1)
        return (None, None) if full else self.ending_of_called(one, deepest - 1)

    def is_layer(self, attribute):
        """Whether self.softmax is a layer of the file's, not a method of a tensor."""
        return isinstance(attribute.value, ast.Name) and attribute.value.id == "self" or bool(self.origins.functions_of(attribute))

    def modules_of(self, func):
        """The calls and classes that make what is called as a module: net, net.forward, self.head, self in a method."""
        of = func.value if isinstance(func, ast.Attribute) and func.attr == "forward" else func
        if isinstance(of, ast.Name) and of.id == "self":
            holder = next((one for one in self.origins.around(func) if isinstance(one, ast.ClassDef)), None)
            return [holder] if holder is not None else []
        if isinstance(of, ast.Attribute) and self.is_set_from_outside(of):
            return []
        found = self.origins.known(of, True)
        # What was saved before may take the place of what is made here, and is then of the same class.
        return [one for one in found if not (isinstance(one, ast.Call) and self.full(one.func) == "torch.load")] or found

    def is_set_from_outside(self, attribute):
        """Whether something other than its class gives an attribute a value: net.fc = nn.Linear(512, 2)."""
        return any(name.endswith("." + attribute.attr) and not name.startswith("self.") for name in self.tracing.index.assigned)

    def ending_of_called(self, call, deepest):
        of = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "forward" else call.func
        modules = self.modules_of(call.func) if deepest > 0 else []
        found = [self.ending_of_module(one, of, deepest) for one in modules]
        return found[0] if found and all(one[0] == found[0][0] for one in found) else (None, None)

    def ending_of_module(self, made, of, deepest):
        if isinstance(made, ast.ClassDef):
            return self.ending_of_class(made, deepest)
        if not isinstance(made, ast.Call):
            return None, None
        full = self.full(made.func)
        layer = LAYER_OF_TORCH.match(full)
        if layer and layer.group(3) == "Sequential":
            return self.ending_of_row(made, of, deepest)
        if layer:
            return (ENDS.get(layer.group(3)), made) if layer.group(3) in ENDS else (None, None)
        if full.startswith("torchvision.models."):
            heads = [one for name in HEADS for one in self.tracing.index.assigned.get("%s.%s" % (self.written(of), name), ())]
            return self.ending_of_module(self.value_of(heads[0]), heads[0], deepest - 1) if len(heads) == 1 else (None, None)
        classes = [one for one in self.origins.functions_of(made.func) if isinstance(one, ast.ClassDef)]
        return self.ending_of_class(classes[0], deepest) if len(classes) == 1 and not full else (None, None)

    def row_of(self, made):
        """The layers of nn.Sequential(…), in their order; None where they are not all written out."""
        parts = list(made.args)
        if len(parts) == 1 and isinstance(parts[0], ast.Call) and self.full(parts[0].func) == "collections.OrderedDict" and len(parts[0].args) == 1 and \
                isinstance(parts[0].args[0], (ast.List, ast.Tuple)):
            parts = [one.elts[1] if isinstance(one, ast.Tuple) and len(one.elts) == 2 else None for one in parts[0].args[0].elts]
        return None if not parts or any(one is None or isinstance(one, ast.Starred) for one in parts) else parts

    def ending_of_row(self, made, of, deepest):
        row = self.row_of(made)
        if row is None or self.says(r"\b%s\.(append|add_module|insert|extend|pop)\b" % re.escape(self.written(of))):
            return None, None
        for part in reversed(row):
            value = self.value_of(part)
            layer = LAYER_OF_TORCH.match(self.full(value.func)) if isinstance(value, ast.Call) else None
            if layer is None or layer.group(3) not in KEEPS_NUMBERS:
                return self.ending_of_module(value, part, deepest - 1)
        return None, None

    def ending_of_class(self, of, deepest):
        """How forward() of a class ends, where all its returns end alike."""
        forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
        if forward is None or forward.decorator_list or deepest <= 0 or any(isinstance(one, (ast.If, ast.IfExp)) and "training" in self.written(
                one.test) for one in ast.walk(forward)):
            return None, None
        own = within_others(forward)
        returns = [one for one in ast.walk(forward) if isinstance(one, ast.Return) and id(one) not in own]
        found = [self.ending(one.value, deepest - 1) for one in returns]
        return found[0] if found and all(one[0] == found[0][0] for one in found) else (None, None)

    # ---- sizes

    def sizes(self, made):
        """(what goes in, what comes out, what is counted) of a layer whose sizes the file writes out."""
        layer = LAYER_OF_TORCH.match(self.full(made.func)) if isinstance(made, ast.Call) else None
        if layer is None or layer.group(3) not in SIZED:
            return None
        first, last, counted = SIZED[layer.group(3)]
        words = WORDS_OF_SIZES.get(layer.group(3), ("in_channels", "out_channels"))
        given = [self.said(self.given(made, place, word)) for place, word in zip((first, last), words)]
        return (given[0], given[1], counted) if all(type(one) is int for one in given) else None

    def layers_in_a_row(self):
        """nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(64, 10))"""
        for call in self.calls:
            if self.full(call.func) in ("torch.nn.Sequential", "torch.nn.modules.container.Sequential"):
                self.through_row(call, None, True)

    def through_row(self, made, size, tells):
        """The (size, what is counted, its layer) behind nn.Sequential(…), which is given `size`; None: not known."""
        for part in self.row_of(made) or ():
            size = self.through_layer(self.value_of(part), size, tells, part)
        return size if self.row_of(made) else None

    def through_layer(self, value, size, tells, node):
        layer = LAYER_OF_TORCH.match(self.full(value.func)) if isinstance(value, ast.Call) else None
        name = layer.group(3) if layer else ""
        if name == "Sequential":
            return self.through_row(value, size, False)
        known = self.sizes(value)
        if known is not None:
            fed = size is not None and size[1] == known[2]
            if fed and size[0] != known[0] and tells and id(value) not in self.reported and not any(isinstance(one, ast.Try) for one in self.origins.around(node)):
                self.reported.add(id(value))
                self.mistake(value, "layers that don't fit", "%d %s" % (known[0], known[2]), self.written(size[2]), str(size[0]),
                             other=node if line_of(node) != line_of(value) else size[2], doubted=False)
            return known[1], known[2], value
        return size if KEEPS_SIZES.match(name) or KEEPS_CHANNELS.match(name) and size is not None and size[1] == "channels" else None

    def layers_in_forward(self):
        """x = F.relu(self.fc1(x)); return self.fc2(x), where fc2 takes another number than fc1 gives."""
        for of in self.tracing.index.classes:
            forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
            for call in calls_in(forward.body) if forward is not None else ():
                if isinstance(call.func, ast.Attribute) and self.written(call.func.value) == "self" and len(call.args) == 1 and not call.keywords:
                    self.size_behind(call, 12)

    def size_behind(self, node, deepest):
        """The (size, what is counted, its layer) of a value in forward(); tells layers on the way that don't fit."""
        values = self.origins.of(node) if deepest > 0 else []
        one = values[0] if len(values) == 1 else None
        if not isinstance(one, ast.Call) or not one.args:
            return None
        full = self.full(one.func)
        if KEEPS_SIZES_BY_FUNCTION.match(full):
            return self.size_behind(one.args[0], deepest - 1)
        if POOLS.match(full):
            size = self.size_behind(one.args[0], deepest - 1)
            return size if size is not None and size[1] == "channels" else None
        if full or not isinstance(one.func, ast.Attribute) or len(one.args) != 1 or self.is_set_from_outside(one.func):
            return None
        layers = self.origins.of(one.func)
        made = layers[0] if len(layers) == 1 else None
        if not isinstance(made, ast.Call) or not LAYER_OF_TORCH.match(self.full(made.func)):
            return None
        if self.full(made.func).endswith(".Sequential"):
            row = self.row_of(made)
            first = self.value_of(row[0]) if row else None
            known = self.sizes(first) if first is not None else None
            size = self.size_behind(one.args[0], deepest - 1)
            if known is not None:
                self.through_layer(first, size, True, one)
            return self.through_row(made, size, False)
        return self.through_layer(made, self.size_behind(one.args[0], deepest - 1), True, one)
