"""What the models of Keras in a file are made of and end with, and what their labels are, for the rules that judge a training;
for the reader of scripts."""

OF_KERAS = re.compile(r"(?:tensorflow\.(?:compat\.v[12]\.|python\.)?|tf_)?keras(?:_core)?\.(?:api\.|src\.)?([\w.]+)$")
OF_UNBOUND_KERAS = re.compile(r"(?:tf\.)?keras\.([\w.]+)$")
# The activations whose form is known, by the names of all frameworks.
ACTIVATIONS = frozenset("softmax log_softmax sigmoid relu relu6 elu selu gelu tanh linear leaky_relu silu swish".split())
ACTIVATES = re.compile(r"(tensorflow(\.nn|\.math|\.compat\.v1\.nn)?|(tensorflow\.|tf_)?keras\.(activations|ops|backend)|jax\.nn|"
                       r"flax\.(linen|nnx))\.\w+$")
ACTIVATION_LAYERS = {"Softmax": "softmax", "ReLU": "relu", "LeakyReLU": "leaky_relu", "ELU": "elu", "PReLU": "leaky_relu", "Sigmoid": "sigmoid"}
# What gives back the values that it is given, in another form at most.
HANDS_ON = frozenset("reshape squeeze cast expand_dims identity asarray array convert_to_tensor Flatten Reshape Permute ravel flatten astype".split())
ENDING_LAYERS = re.compile(r"Dense$|(Separable|Depthwise)?Conv[123]D(Transpose)?$|Convolution[123]D$")
WORDS_FOR_MODELS = ("Model", "models.Model", "training.Model", "engine.training.Model", "engine.Model", "Functional")
SEQUENTIALS = ("Sequential", "models.Sequential", "engine.sequential.Sequential")
DATA_OF_KERAS = {"mnist": 10, "fashion_mnist": 10, "cifar10": 10, "cifar100": 100, "reuters": 46, "imdb": 2}
SAME_LABELS = frozenset("shuffle batch repeat prefetch cache take skip with_options shard astype reshape ravel flatten squeeze copy numpy to_numpy tolist "
                        "shuffle_and_repeat unbatch".split())
WRAPS_LABELS = re.compile(r"(jax\.)?numpy\.(array|asarray|squeeze|ravel|reshape|expand_dims|copy|int32|int64)$|tensorflow\.(cast|convert_to_tensor|constant|"
                          r"reshape|squeeze|expand_dims)$")
LABELS_OF_SKLEARN = re.compile(r"sklearn\.datasets\.(load_(iris|wine|digits|breast_cancer)|fetch_covtype|fetch_olivetti_faces)$")
OF_FOLDERS = {"int": "int", "categorical": "onehot", "binary": "binary", "sparse": "int"}


class Ending:
    """What a model gives: its last activation (None: not known), where it stands, and the number of its units."""

    def __init__(self, kind, at, units=None):
        self.kind, self.at, self.units = kind, at, units


class Labels:
    """The form of labels: "int", "onehot" or "binary" (0 and 1, a column), and the number of classes where it is known.

    `flat`: it is known that there is one label for each example, and not one for each of its parts.
    """

    def __init__(self, kind, at, classes=None, flat=False):
        self.kind, self.at, self.classes, self.flat = kind, at, classes, flat


class KerasModels(WholeFile):
    ROOTS = {"tensorflow", "keras", "tf_keras", "keras_core"}

    def prepare(self, nodes):
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        self.origins.prepare()
        self.ended, self.ending_now, self.all_asked = {}, set(), 4000
        self.added, self.changed = {}, set()
        for call in self.calls:
            name = getattr(call.func, "attr", "")
            of = call.func.value if name in ("add", "pop") and isinstance(call.func.value, (ast.Name, ast.Attribute)) else None
            made = self.origins.of(of) if of is not None and not self.full(of) else ()
            for one in made:
                if self.is_sequential(one):
                    self.added.setdefault(id(one), []).append(call)
                    if len(made) > 1 or name == "pop":
                        self.changed.add(id(one))

    # ---- names

    def of_keras(self, node):
        """layers.Dense, of tf.keras.layers.Dense, also where a cut-out lacks the import; "" otherwise."""
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            return ""
        full = self.full(node)
        found = OF_KERAS.match(full) if full else None
        if not full and isinstance(node, ast.Attribute):
            found = OF_UNBOUND_KERAS.match(self.written(node))
            base = node
            while isinstance(base, ast.Attribute):
                base = base.value
            if found and (base.id in self.tracing.names or self.origins.reaching(base, base.id)):
                found = None
        return found.group(1) if found else ""

    def layer_of(self, call):
        """Dense, of a call that makes a layer of Keras's."""
        name = self.of_keras(call.func) if isinstance(call, ast.Call) else ""
        return name.rpartition(".")[2] if name.startswith("layers.") else ""

    def is_sequential(self, call):
        return isinstance(call, ast.Call) and self.of_keras(call.func) in SEQUENTIALS

    def is_functional(self, call):
        return isinstance(call, ast.Call) and self.of_keras(call.func) in WORDS_FOR_MODELS

    def own_model(self, made):
        """The class of the file that a call makes an object of, if it is a model or layer."""
        for of in self.origins.functions_of(made.func) if isinstance(made, ast.Call) else ():
            if isinstance(of, ast.ClassDef) and self.is_module(of):
                return of
        return None

    def is_module(self, of, deepest=3):
        for base in of.bases:
            if self.of_keras(base) in WORDS_FOR_MODELS + ("layers.Layer", ) or re.match(r"flax\.linen\.Module$|flax\.nnx\.Module$|equinox\.Module$|"
                                                                                        r"tensorflow\.Module$", self.full(base)):
                return True
            if deepest and any(isinstance(one, ast.ClassDef) and one is not of and self.is_module(one, deepest - 1) for one in self.origins.of(base)):
                return True
        return False

    def objects_of(self, node):
        """The calls that make the model behind an expression; none where one of them is not known."""
        values = self.origins.of(node, True)
        if values and all(isinstance(one, ast.Call) and (self.is_sequential(one) or self.is_functional(one) or self.own_model(one)) for one in values):
            return values
        return []

    # ---- the layers of a model

    def layers_of(self, sequential):
        """The layers of a Sequential in their order; None stands for what is not known."""
        given = self.given(sequential, 0, "layers")
        listed = self.value_of(given) if given is not None else None
        if id(sequential) in self.changed or any(k.arg is None for k in sequential.keywords):
            return [None]
        if listed is not None and not isinstance(listed, (ast.List, ast.Tuple)):
            return [None]
        layers = [] if listed is None else [None if isinstance(one, ast.Starred) else one for one in listed.elts]
        if isinstance(given, ast.Name) and self.says(r"\b%s(\.(append|extend|insert)\(| *\+=)" % re.escape(given.id)):
            return [None]
        for call in sorted(self.added.get(id(sequential), ()), key=self.origins.position):
            sure = len(call.args) == 1 and self.origins.scope(call) is self.origins.scope(sequential) and not any(isinstance(
                one, (ast.If, ast.For, ast.While, ast.Try, ast.IfExp)) for one in self.until_scope(call))
            layers.append(call.args[0] if sure else None)
        return layers or [None]

    def until_scope(self, node):
        """What a node stands in, within its function."""
        for one in self.origins.around(node):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                return
            if not (isinstance(one, ast.If) and "__name__" in self.written(one.test)):
                yield one

    # ---- what comes out

    def endings(self, node):
        """What a tensor was given by: [Ending], each known; none where one is not."""
        if node is None or self.all_asked <= 0 or id(node) in self.ending_now or len(self.ending_now) > 20:
            return []
        if id(node) not in self.ended:
            self.all_asked -= 1
            self.ending_now.add(id(node))
            self.ended[id(node)] = self.all_known([self.endings_of_value(one) for one in self.origins.of(node)])
            self.ending_now.discard(id(node))
        return self.ended[id(node)]

    @staticmethod
    def all_known(found):
        return [each for one in found for each in one] if found and all(found) else []

    def endings_of_value(self, value):
        if not isinstance(value, ast.Call):
            return []
        kind = self.activated(value.func)
        if kind:
            return [Ending(kind, value, self.units_before(value))]
        full = self.full(value.func)
        last = full.rsplit(".", 1)[-1] if full else getattr(value.func, "attr", "")
        if last in HANDS_ON and not self.layer_of(value):
            inside = value.args[0] if full and value.args else getattr(value.func, "value", None) if not full else None
            return self.endings(inside)
        if full:
            return []
        of = value.func
        if isinstance(of, ast.Attribute) and of.attr in ("predict", "call", "predict_on_batch", "apply"):
            of = of.value
        return self.endings_of_model(of, value)

    def units_before(self, value):
        """The units of what an activation is given."""
        known = self.endings(value.args[0]) if value.args else []
        return known[0].units if len(known) == 1 else None

    def activated(self, node):
        """The activation that a function is: softmax, of tf.nn.softmax; "" otherwise."""
        full = self.full(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
        last = full.rsplit(".", 1)[-1]
        return last if last in ACTIVATIONS and ACTIVATES.match(full) else ""

    def endings_of_model(self, node, call=None):
        """What a model or layer gives that an expression names; `call`: where it is called."""
        if id(node) in self.ending_now or len(self.ending_now) > 20:
            return []
        self.ending_now.add(id(node))
        values = self.origins.of(node, True)
        found = self.all_known([self.endings_of_object(one, call) for one in values])
        self.ending_now.discard(id(node))
        return found

    def endings_of_object(self, made, call=None):
        if isinstance(made, ast.arg) and made.arg == "self":
            of = self.origins.scope(self.origins.function_of(made))
            return self.endings_of_class(of) if isinstance(of, ast.ClassDef) and self.is_module(of) else []
        if self.is_sequential(made):
            layers = self.layers_of(made)
            return self.endings_of_layer(layers, len(layers) - 1)
        if self.is_functional(made):
            given = self.given(made, 1, "outputs")
            out = self.value_of(given)
            out = out.elts[0] if isinstance(out, (ast.List, ast.Tuple)) and len(out.elts) == 1 else given
            return self.endings(out)
        of = self.own_model(made)
        if of is not None:
            return self.endings_of_class(of)
        if isinstance(made, ast.Call) and re.match(r"applications\.(\w+\.)?[A-Z]\w+$", self.of_keras(made.func)):
            return self.endings_of_application(made)
        return self.endings_of_layer([made], 0, call) if isinstance(made, ast.Call) else []

    def endings_of_application(self, made):
        """EfficientNetB0(classes=10), which ends in softmax unless it is told otherwise."""
        if any(k.arg is None for k in made.keywords) or made.args and self.said(made.args[0], made) is not True or made.args[1:] or self.said(
                self.word(made, "include_top"), True) is not True:
            return []
        given = self.word(made, "classifier_activation")
        return self.ending("softmax" if given is None else self.activation(given), made, self.said(self.word(made, "classes"), 1000))

    def endings_of_class(self, of):
        """What call() or __call__() of a class of the file gives."""
        method = next((one for name in ("call", "__call__") for one in of.body if isinstance(one, ast.FunctionDef) and one.name == name), None)
        inner = within_others(method) if method is not None else ()
        returns = [one.value for one in ast.walk(method) if isinstance(one, ast.Return) and id(one) not in inner] if method is not None else []
        return self.all_known([self.endings(one) for one in returns])

    def endings_of_layer(self, layers, at, call=None):
        """What a layer gives that stands among others, or is called."""
        layer = self.value_of(layers[at]) if at >= 0 and layers[at] is not None else None
        if not isinstance(layer, ast.Call):
            return []
        kind = self.layer_of(layer)
        before = (lambda: self.endings(call.args[0])) if call is not None and call.args else (lambda: self.endings_of_layer(layers, at - 1))
        if kind == "Activation":
            return self.ending(self.activation(self.given(layer, 0, "activation")), layer, self.units_of(before()))
        if kind in ACTIVATION_LAYERS:
            return self.ending(ACTIVATION_LAYERS[kind], layer, self.units_of(before()))
        if kind in HANDS_ON:
            return before()
        if kind == "TimeDistributed" and layer.args:
            return self.endings_of_layer([layer.args[0]], 0)
        if ENDING_LAYERS.search(kind):
            given = self.given(layer, 1, "activation") if kind == "Dense" else self.word(layer, "activation")
            if given is None and any(k.arg is None for k in layer.keywords):
                return []
            units = self.said(self.given(layer, 0, "units", "filters"))
            return self.ending("linear" if given is None else self.activation(given), layer, units if type(units) is int else None)
        if not kind and (self.is_sequential(layer) or self.is_functional(layer) or self.own_model(layer)):
            return self.endings_of_object(layer)
        return []

    @staticmethod
    def ending(kind, at, units):
        return [Ending(kind, at, units)] if kind else []

    @staticmethod
    def units_of(endings):
        return endings[0].units if len(endings) == 1 else None

    def activation(self, node):
        """The activation that an argument names; None: not known."""
        if isinstance(node, ast.Constant) and node.value is None:
            return "linear"
        said = self.said(node)
        if isinstance(said, str):
            return said.lower() if said.lower() in ACTIVATIONS else None
        made = self.value_of(node)
        return self.activated(node) or ACTIVATION_LAYERS.get(self.layer_of(made)) or None

    # ---- labels

    def labels_of(self, node, deepest=8):
        """The form of labels, or of those of a dataset or generator; None: not known."""
        values = self.origins.of(node) if node is not None and deepest else []
        found = [self.labels_of_value(one, deepest - 1) for one in values]
        if not found or any(one is None for one in found) or len({(one.kind, one.classes) for one in found}) != 1:
            return None
        return found[0]

    def labels_of_value(self, one, deepest):
        if isinstance(one, Part):
            return self.labels_of_part(one, deepest)
        if isinstance(one, ast.Attribute) and one.attr == "target":  # load_digits().target
            made = self.value_of(one.value)
            return Labels("int", made, None, True) if isinstance(made, ast.Call) and LABELS_OF_SKLEARN.match(self.full(made.func)) else None
        if isinstance(one, ast.Subscript):
            eye = self.value_of(one.value)
            if isinstance(eye, ast.Call) and re.match(r"(jax\.)?numpy\.(eye|identity)$", self.full(eye.func)):
                return Labels("onehot", one, self.number(self.given(eye, 0, "N", "n")))
            return self.labels_of(one.value, deepest) if isinstance(one.slice, ast.Slice) else None
        if not isinstance(one, ast.Call):
            return None
        full, name = self.full(one.func), getattr(one.func, "attr", "")
        last = full.rsplit(".", 1)[-1]
        if last == "to_categorical" and "keras" in full:
            of = self.labels_of(one.args[0], deepest) if one.args else None
            said = self.given(one, 1, "num_classes", "nb_classes")
            classes = self.number(said) if said is not None else of.classes if of is not None and of.kind == "int" else None
            return Labels("onehot", one, classes, of is not None and of.flat)
        if full in ("tensorflow.one_hot", "jax.nn.one_hot", "keras.ops.one_hot", "pandas.get_dummies"):
            return Labels("onehot", one, self.number(self.given(one, 1, "depth", "num_classes")) if last == "one_hot" else None)
        if re.match(r"(jax\.)?numpy\.(argmax|random\.randint)$|tensorflow\.(math\.)?argmax$", full):
            size = self.value_of(self.given(one, 2, "size")) if last == "randint" else None
            flat = size is None or not isinstance(size, (ast.Tuple, ast.List)) or len(size.elts) == 1 or len(size.elts) == 2 and self.said(size.elts[1]) == 1
            return Labels("int", one) if flat and (last != "randint" or size is not None) else None
        if name == "fit_transform" and self.made_by(one.func.value, re.compile(r"sklearn\.preprocessing\.(\w+\.)?LabelEncoder$"), surely=True) is not None:
            return Labels("int", one)
        if full == "tensorflow.data.Dataset.from_tensor_slices":
            pair = self.value_of(self.given(one, 0, "tensors"))
            return self.labels_of(pair.elts[1], deepest) if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 else None
        if WRAPS_LABELS.match(full):
            return self.labels_of(one.args[0], deepest) if one.args else None
        if not full and name in SAME_LABELS and isinstance(one.func, ast.Attribute):
            return self.labels_of(one.func.value, deepest)
        if not full and name == "map" and one.args:
            return self.labels_of_map(one, deepest)
        return self.labels_of_folder(one, full, name, deepest)

    def labels_of_folder(self, one, full, name, deepest):
        """Of what reads pictures from folders, or draws batches of arrays."""
        if re.search(r"keras\.(utils|preprocessing)\.(image_|text_|audio_)?dataset_from_directory$|(image|text)_dataset_from_directory$", full):
            kept = self.said(self.word(one, "labels"), "inferred") == "inferred" and not any(k.arg is None for k in one.keywords)
            said = self.said(self.given(one, 2, "label_mode")) if self.given(one, 2, "label_mode") is not None else "int"
            return Labels(OF_FOLDERS[said], one, None, True) if kept and said in OF_FOLDERS and said != "sparse" else None
        if not full and name in ("flow_from_directory", "flow_from_dataframe") and self.augments(one.func.value) is not None:
            mode = self.word(one, "class_mode")
            said = "categorical" if mode is None and not any(k.arg is None for k in one.keywords) else self.said(mode)
            return Labels(OF_FOLDERS[said], one, None, True) if said in OF_FOLDERS and said != "int" else None
        if not full and name == "flow" and self.augments(one.func.value) is not None:
            return self.labels_of(self.given(one, 1, "y"), deepest)
        return None

    def augments(self, node):
        """The call of ImageDataGenerator behind an expression."""
        return self.made_by(node, re.compile(r".*keras\..*ImageDataGenerator$"), surely=True)

    def labels_of_part(self, part, deepest):
        """(x, y), (a, b) = mnist.load_data(), and a, b, y, z = train_test_split(x, y)."""
        of, steps = part.of, part.steps
        full = self.full(of.func) if isinstance(of, ast.Call) else ""
        data = re.search(r"keras\.datasets\.(\w+)\.load_data$", full)
        if data and data.group(1) in DATA_OF_KERAS and len(steps) == 2 and steps[1] == 1:
            coarse = self.said(self.given(of, 0, "label_mode")) == "coarse" if data.group(1) == "cifar100" else False
            return Labels("int", of, 20 if coarse else DATA_OF_KERAS[data.group(1)], True)
        if LABELS_OF_SKLEARN.match(full) and steps == (1, ) and self.said(self.word(of, "return_X_y")) is True:
            return Labels("int", of, None, True)
        if full.endswith(".train_test_split") and len(steps) == 1 and type(steps[0]) is int and steps[0] // 2 < len(of.args):
            return self.labels_of(of.args[steps[0] // 2], deepest)
        return None

    def labels_of_map(self, call, deepest):
        """dataset.map(lambda x, y: (f(x), y)), which leaves labels as they are, or makes them one-hot."""
        functions = self.origins.functions_of(call.args[0])
        of = functions[0] if len(functions) == 1 else None
        taken = [one.arg for one in of.args.args] if isinstance(of, (ast.Lambda, ast.FunctionDef)) else []
        returns = [of.body] if isinstance(of, ast.Lambda) else [one.value for one in ast.walk(of) if isinstance(one, ast.Return)] if taken else []
        out = returns[0] if len(taken) == 2 and len(returns) == 1 else None
        if not isinstance(out, ast.Tuple) or len(out.elts) != 2:
            return None
        label = out.elts[1]
        bound = isinstance(label, ast.Name) and any(isinstance(one, ast.Name) and one.id == label.id and not isinstance(one.ctx, ast.Load)
                                                    for one in ast.walk(of))
        if isinstance(label, ast.Name) and label.id == taken[1] and not bound:
            return self.labels_of(call.func.value, deepest)
        made = self.value_of(label)
        return self.labels_of_value(made, 0) if isinstance(made, ast.Call) and self.full(made.func) in ("tensorflow.one_hot", "keras.utils.to_categorical") \
            else None

    def number(self, node, deepest=6):
        """The whole number that an expression stands for, also a product of numbers."""
        if deepest and isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add, ast.Sub, ast.FloorDiv)):
            left, right = self.number(node.left, deepest - 1), self.number(node.right, deepest - 1)
            if left is None or right is None or isinstance(node.op, ast.FloorDiv) and right == 0:
                return None
            return left * right if isinstance(node.op, ast.Mult) else left + right if isinstance(node.op, ast.Add) else \
                left - right if isinstance(node.op, ast.Sub) else left // right
        said = self.said(node)
        return said if type(said) is int else None
