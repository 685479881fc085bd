"""Losses of Keras, TensorFlow and JAX against the last layer of their model and against their labels; for the reader of scripts."""

# The losses of classes: by the name of a text or function, and by their class.
CLASS_LOSSES = {"categorical_crossentropy": "categorical", "sparse_categorical_crossentropy": "sparse", "binary_crossentropy": "binary",
                "CategoricalCrossentropy": "categorical", "SparseCategoricalCrossentropy": "sparse", "BinaryCrossentropy": "binary",
                "categoricalcrossentropy": "categorical", "sparsecategoricalcrossentropy": "sparse", "binarycrossentropy": "binary"}
SQUARES = ("mse", "mean_squared_error", "MeanSquaredError", "mae", "mean_absolute_error", "MeanAbsoluteError")
# Functions that take logits, with the places of labels and logits.
LOSSES_OF_LOGITS = {
    "tensorflow.nn.softmax_cross_entropy_with_logits": ("categorical", 0, 1), "tensorflow.nn.sparse_softmax_cross_entropy_with_logits": ("sparse", 0, 1),
    "tensorflow.nn.sigmoid_cross_entropy_with_logits": ("binary", 0, 1), "tensorflow.nn.weighted_cross_entropy_with_logits": ("binary", 0, 1),
    "optax.softmax_cross_entropy": ("categorical", 1, 0), "optax.softmax_cross_entropy_with_integer_labels": ("sparse", 1, 0),
    "optax.sigmoid_binary_cross_entropy": ("binary", 1, 0), "optax.losses.softmax_cross_entropy": ("categorical", 1, 0),
    "optax.losses.softmax_cross_entropy_with_integer_labels": ("sparse", 1, 0), "optax.losses.sigmoid_binary_cross_entropy": ("binary", 1, 0)}
UNBOUNDED = frozenset("linear relu relu6 elu selu gelu tanh leaky_relu silu swish".split())
BELOW_ZERO_CUT = ("relu", "relu6")


class ClassLoss:
    """A loss of classes: its kind ("squares" for a regression's), whether it takes logits (None: not known), and where it is named."""

    def __init__(self, kind, logits, at):
        self.kind, self.logits, self.at = kind, logits, at


class KerasLosses(KerasShapes):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not roots & (self.ROOTS | {"optax"}):
            return
        self.prepare(nodes)
        if roots & self.ROOTS:
            self.judge_shapes()
        if not self.says(r"(?i)cross_?entropy|softmax|\bm[sa]e\b|Mean\w+Error"):
            return
        self.softmax_of_one()
        for call in self.calls:
            if is_call(call, "compile") and not self.full(call.func):
                self.compiled(call)
            elif call.args or call.keywords:
                self.called_loss(call)
        if self.says(r"\.fit(_generator)?\("):
            self.fitted()

    # ---- what a loss is

    def loss_of(self, node):
        """The loss that an argument of compile() names; None: another, or several."""
        made = self.value_of(node)
        if isinstance(made, (ast.List, ast.Tuple)) and len(made.elts) == 1:
            return self.loss_of(made.elts[0])
        said = made.value if isinstance(made, ast.Constant) else None
        if isinstance(said, str):
            name = said.rpartition(".")[2]
            return ClassLoss(CLASS_LOSSES[name], False, node) if name in CLASS_LOSSES else ClassLoss("squares", False, node) if name in SQUARES else None
        if isinstance(made, ast.Call):
            return self.loss_of_class(made)
        name = self.of_keras(made) if isinstance(made, (ast.Name, ast.Attribute)) else ""
        if name.startswith(("losses.", "metrics.", "backend.", "objectives.")):
            last = name.rpartition(".")[2]
            return ClassLoss(CLASS_LOSSES[last], False, node) if last in CLASS_LOSSES and last[0].islower() else ClassLoss(
                "squares", False, node) if last in SQUARES and last[0].islower() else None
        if isinstance(made, (ast.FunctionDef, ast.Lambda)):
            return self.loss_of_function(made, node)
        return None

    def loss_of_class(self, made):
        """keras.losses.CategoricalCrossentropy(from_logits=True)"""
        name = self.of_keras(made.func)
        last = name.rpartition(".")[2]
        if not name.startswith("losses.") or not last[:1].isupper():
            return None
        if last in SQUARES:
            return ClassLoss("squares", False, made)
        return ClassLoss(CLASS_LOSSES[last], self.from_logits(made, 0), made) if last in CLASS_LOSSES else None

    def from_logits(self, call, at):
        given = self.given(call, at, "from_logits")
        if given is None:
            return None if any(k.arg is None for k in call.keywords) else False
        said = self.said(given)
        return said if isinstance(said, bool) else None

    def loss_of_function(self, of, node):
        """def loss(labels, logits): return tf.keras.losses.categorical_crossentropy(labels, logits, from_logits=True)"""
        returns = [of.body] if isinstance(of, ast.Lambda) else [one.value for one in ast.walk(of) if isinstance(one, ast.Return)]
        call = self.value_of(returns[0]) if len(returns) == 1 and returns[0] is not None else None
        if isinstance(call, ast.Call) and re.match(r"(tensorflow|keras\.ops)\.(math\.)?(reduce_)?mean$", self.full(call.func)) and call.args:
            call = self.value_of(call.args[0])
        found = self.loss_call(call) if isinstance(call, ast.Call) else None
        taken = [one.arg for one in of.args.args]
        stored = {one.id for one in ast.walk(of) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        if found is None or len(taken) != 2 or [getattr(one, "id", "") for one in found[1:]] != taken or stored & set(taken):
            return None
        return ClassLoss(found[0].kind, found[0].logits, node)

    def loss_call(self, call):
        """(the loss, labels, what the model gave) of a call that computes a loss of classes; None: another."""
        full = self.full(call.func)
        form = LOSSES_OF_LOGITS.get(full.replace(".compat.v1.", ".").replace("_with_logits_v2", "_with_logits"))
        if form:
            kind, labels, logits = form
            if "optax" not in full and (full.startswith("tensorflow.compat.v1") and call.args or any(k.arg is None for k in call.keywords)):
                return None
            return ClassLoss(kind, True, call), self.given(call, labels, "labels", "targets"), self.given(call, logits, "logits")
        name = self.of_keras(call.func) if full else ""
        last = name.rpartition(".")[2]
        if last in CLASS_LOSSES and last[0].islower() and name.startswith(("losses.", "metrics.", "backend.", "ops.")):
            return ClassLoss(CLASS_LOSSES[last], self.from_logits(call, 2), call), self.given(call, 0, "y_true", "target"), self.given(
                call, 1, "y_pred", "output")
        made = self.value_of(call.func) if not full and isinstance(call.func, (ast.Name, ast.Attribute, ast.Call)) else None
        loss = self.loss_of_class(made) if isinstance(made, ast.Call) else None
        return (loss, self.given(call, 0, "y_true"), self.given(call, 1, "y_pred")) if loss is not None and loss.kind != "squares" else None

    # ---- the loss and the last layer

    def softmax_of_one(self):
        """Dense(1, activation="softmax"), which gives 1 whatever it is given."""
        for call in self.calls:
            if self.layer_of(call) == "Dense" and self.said(self.given(call, 0, "units")) == 1 and self.activation(
                    self.given(call, 1, "activation") or ast.Constant("linear")) == "softmax":
                self.mistake(call, "a softmax over one unit", doubted=False)

    def compiled(self, call):
        """model.compile(loss=…) against what the model ends with."""
        given = self.given(call, 1, "loss")
        loss = self.loss_of(given) if given is not None else None
        if loss is not None:
            return self.judge(loss, self.endings_of_model(call.func.value), given if not isinstance(loss.at, ast.Call) else loss.at)
        of = self.value_of(call.func.value)
        if isinstance(of, ast.Call) and not self.is_sequential(of) and not self.is_functional(of):
            self.compiled_pair(call, of)
        return None

    def compiled_pair(self, call, pair):
        """GAN(discriminator=judge, generator=maker).compile(…, loss_fn=BinaryCrossentropy(from_logits=True)), where judge ends in sigmoid."""
        losses = [one for k in call.keywords if k.arg and "loss" in k.arg for one in [self.loss_of(k.value)] if one is not None]
        loss = losses[0] if len(losses) == 1 and losses[0].kind == "binary" else None
        given = [(k.arg or "", k.value) for k in pair.keywords] + [(self.written(one), one) for one in pair.args]
        judges = [one for name, one in given if re.search(r"(?i)disc|critic|judge|^(self\.)?d$", name)]
        if loss is not None and len(judges) == 1:
            self.judge(loss, self.endings_of_model(judges[0]), loss.at)

    def called_loss(self, call):
        found = self.loss_call(call)
        if found is None:
            return
        loss, labels, output = found
        endings = self.endings(output) if output is not None else []
        if endings:
            self.judge(loss, endings, call)
        elif labels is not None and "optax" not in self.full(call.func):
            self.swapped(call, labels, output)
        known = self.labels_of(labels) if labels is not None else None
        if known is not None and "optax" in self.full(call.func):
            self.judge_labels(loss, known, call)

    def swapped(self, call, labels, output):
        """loss_fn(model(x), y)"""
        if output is not None and self.endings(labels) and not self.endings(output) and isinstance(output, (ast.Name, ast.Call)) and all(
                isinstance(one, (Part, ast.arg)) or isinstance(one, ast.Call) and re.match(
                    r"(tensorflow|numpy)\.(zeros|ones|zeros_like|ones_like|one_hot)$", self.full(one.func)) for one in self.origins.of(output)):
            self.mistake(call, "a loss whose labels and outputs are swapped", self.written(labels), self.written(output))

    def judge(self, loss, endings, at):
        """Tells a loss that wants another last layer."""
        kinds = {one.kind for one in endings}
        if len(kinds) != 1 or loss.kind == "squares":
            return
        kind, last = endings[0].kind, endings[0].at
        units = {one.units for one in endings}
        units = units.pop() if len(units) == 1 else None
        said, layer = self.written(at), self.written(last)
        if loss.logits is True and kind in ("softmax", "sigmoid") and not (kind == "sigmoid" and loss.kind != "binary" and units != 1):
            self.reader.mistake(at, "a loss of logits behind an activation", said, layer, kind, other=last, doubted=True)
        elif loss.logits is True and kind in BELOW_ZERO_CUT:
            self.reader.mistake(at, "logits that can't be below zero", said, layer, other=last, doubted=True)
        elif loss.kind in ("categorical", "sparse") and units == 1 and kind != "softmax":
            self.reader.mistake(at, "a loss of classes over one unit", said, layer, other=last, doubted=True)
        elif loss.kind in ("categorical", "sparse") and loss.logits is False and kind == "sigmoid" and type(units) is int and units > 1:
            self.reader.mistake(at, "a loss of classes behind independent sigmoids", said, layer, other=last, doubted=True)
        elif loss.logits is False and kind in UNBOUNDED:
            wanted = "sigmoid" if loss.kind == "binary" else "softmax"
            self.reader.mistake(at, "a loss of probabilities without an activation", said, layer, wanted, other=last, doubted=True)

    # ---- the loss and the labels

    def fitted(self):
        compiled = [one for one in self.calls if is_call(one, "compile") and not self.full(one.func)]
        for call in self.calls:
            if not (is_call(call, "fit") or is_call(call, "fit_generator")) or self.full(call.func):
                continue
            before = [one for one in compiled if self.same_model(one, call)]
            losses = [self.loss_of(self.given(one, 1, "loss")) for one in before]
            if not losses or any(one is None for one in losses) or len({(one.kind, one.logits) for one in losses}) != 1:
                continue
            loss, labels = losses[-1], self.labels_of_fit(call)
            if labels is not None:
                self.judge_labels(loss, labels, before[-1] if isinstance(loss.at, ast.Name) else loss.at, self.endings_of_model(
                    call.func.value), self.shape_of_model(call.func.value))

    def labels_of_fit(self, call):
        given = self.given(call, 1, "y") if is_call(call, "fit") else None
        return self.labels_of(given if given is not None else self.given(call, 0, "x", "generator"))

    def same_model(self, one, other):
        """Whether two calls are of the same model: written alike in one function, or made by the same call."""
        of, model = one.func.value, other.func.value
        if self.written(of) == self.written(model) and self.origins.scope(one) is self.origins.scope(other):
            return True
        return bool({id(made) for made in self.objects_of(of)} & {id(made) for made in self.objects_of(model)})

    def judge_labels(self, loss, labels, at, endings=(), shape=None):
        """Tells a loss that wants labels of another form, and units that aren't as many as the classes."""
        units = {one.units for one in endings}
        units = units.pop() if len(units) == 1 else None
        kind = endings[0].kind if endings else None
        if labels.flat and shape is not None and len(shape) > 1 and endings:
            return self.wrong(endings[0].at, "an output of more dimensions than the labels", shape, self.written(labels.at))
        said, given = self.written(at), self.written(labels.at)
        if loss.kind == "categorical" and labels.kind in ("int", "binary") or loss.kind == "sparse" and labels.kind == "onehot":
            name = "integer labels for a loss of one-hot ones" if loss.kind == "categorical" else "one-hot labels for a loss of integers"
            return self.reader.mistake(at, name, said, given, other=labels.at, doubted=True)
        if loss.kind == "binary" and units is not None and (labels.kind in ("int", "binary") and units > 2 or labels.kind == "onehot" and units == 1 and (
                labels.classes or 2) > 1 or labels.kind == "binary" and units == 2):
            return self.reader.mistake(at, "a binary loss of another number of units", said, given, str(units), other=endings[0].at, doubted=True)
        if loss.kind == "binary" and loss.logits is False and labels.kind == "onehot" and (labels.classes or 0) > 2 and kind in (None, "softmax"):
            return self.reader.mistake(at, "a binary loss of classes that exclude each other", said, given, str(labels.classes), other=labels.at, doubted=True)
        if loss.kind == "squares" and labels.kind == "int" and kind == "softmax" and units is not None and units > 1:
            return self.reader.mistake(at, "squares of the numbers of classes", said, given, other=labels.at, doubted=True)
        few = labels.classes is not None and units is not None and units > 1 and (
            units < labels.classes if loss.kind == "sparse" else loss.kind == "categorical" and units != labels.classes)
        if few:
            return self.reader.mistake(endings[0].at, "units that are not as many as the classes", self.written(endings[0].at), str(labels.classes), given,
                                       other=labels.at, doubted=True)
        return None
