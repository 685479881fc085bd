"""The shapes that go through the layers of Keras's models, where their sizes are written out; for the reader of scripts.

A shape lacks the batch; a size that is not known is None, and so is a shape of which nothing is known.
"""

# How many dimensions a layer takes, the batch aside. A convolution also takes more, of which the first count as the batch.
OF_PICTURES = re.compile(r"(Conv|SeparableConv|DepthwiseConv|MaxPooling|MaxPool|AveragePooling|AvgPool|GlobalMaxPooling|GlobalMaxPool|GlobalAveragePooling|"
                         r"GlobalAvgPool|UpSampling|ZeroPadding|Cropping|SpatialDropout)([123])D(Transpose)?$")
OF_STEPS = frozenset("LSTM GRU SimpleRNN Bidirectional".split())
KEEPS_SHAPE = frozenset("Dropout Activation BatchNormalization LayerNormalization GroupNormalization ReLU LeakyReLU ELU PReLU Softmax GaussianNoise "
                        "GaussianDropout AlphaDropout SpatialDropout1D SpatialDropout2D SpatialDropout3D Masking Rescaling ActivityRegularization RandomFlip "
                        "RandomRotation RandomZoom RandomContrast RandomTranslation".split())
PICTURES_OF_KERAS = re.compile(r"keras\.datasets\.(mnist|fashion_mnist|cifar10|cifar100)\.load_data$")
JOINS = frozenset("Concatenate concatenate Add add Multiply multiply Subtract subtract Average average Maximum maximum".split())


def product_of(sizes):
    """None where one is not known."""
    total = 1
    for one in sizes:
        if one is None:
            return None
        total *= one
    return total


class KerasShapes(KerasModels):
    def judge_shapes(self):
        """Tells the layers of the file that can't take what they are given."""
        self.shapes = {}
        if self.says(r"channels_first|image_dim_ordering|set_image_data_format"):
            return
        for call in sorted(self.calls, key=self.origins.position):
            if self.is_sequential(call):
                self.shape_of_sequential(call)
            elif call.args and not self.full(call.func) and isinstance(call.func, (ast.Call, ast.Name, ast.Attribute)):
                self.shape_of(call)
        self.judge_data_of_fits()

    def judge_data_of_fits(self):
        """model.add(Dense(64, input_dim=100)); model.fit(x_train, y_train), whose x_train is Keras's own pictures, of another size."""
        for call in self.calls:
            model = self.origins.made(call.func.value) if is_call(call, "fit") and isinstance(call.func.value, ast.Name) else None
            if not isinstance(model, ast.Call) or not self.is_sequential(model):
                continue
            layers = self.layers_of(model)
            first = self.value_of(layers[0]) if layers and layers[0] is not None else None
            takes = self.input_of(first) if isinstance(first, ast.Call) else None
            data = self.given(call, 0, "x")
            has = self.shape_of_data(data, 12) if takes else None
            if has and None not in has and self.cannot_be(takes, has):
                self.wrong(first, "a first layer for other data", takes, self.written(data), "(%s)" % ", ".join(["batch"] + list(map(str, has))))

    @staticmethod
    def cannot_be(takes, has):
        """Whether no model that is made for one shape takes the other; Keras adds or drops a last 1 itself."""
        def differ(ours, theirs):
            return len(ours) != len(theirs) or any(one is not None and one != other for one, other in zip(ours, theirs))

        fits = not differ(takes, has) or has[-1] == 1 and not differ(takes, has[:-1]) or takes[-1] == 1 and not differ(takes[:-1], has)
        return not fits and takes[-1] is not None and (len(takes) == len(has) or takes[-1] != has[-1])

    def shape_of_data(self, node, deepest):
        """The shape of one picture of Keras's own data, also scaled and in another form; None: not known."""
        values = self.origins.of(node) if deepest and node is not None else []
        one = values[0] if len(values) == 1 else None
        if isinstance(one, Part):
            data = PICTURES_OF_KERAS.search(self.full(one.of.func)) if isinstance(one.of, ast.Call) else None
            if data is not None and len(one.steps) == 2 and one.steps[1] == 0:
                return (32, 32, 3) if data.group(1).startswith("cifar") else (28, 28)
            one = None if one.steps else one.of
        if isinstance(one, ast.BinOp):
            return self.shape_of_data(one.left, deepest - 1) if type(self.said(one.right)) in (int, float) else None
        if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute):
            return None
        outside = self.full(one.func) == "numpy.reshape"
        if outside or is_call(one, "reshape") and not self.full(one.func):
            known = self.shape_of_data(one.args[0] if outside else one.func.value, deepest - 1) if one.args else None
            sizes = one.args[1:] if outside else one.args
            sizes = self.value_of(sizes[0]).elts if len(sizes) == 1 and isinstance(self.value_of(sizes[0]), (ast.Tuple, ast.List)) else sizes
            sizes = tuple(self.number(size) for size in sizes[1:])
            # A size that isn't written out, or -1, is what is left for it.
            return sizes if known and sizes and None not in sizes and product_of(sizes) == product_of(known) else None
        return self.shape_of_data(one.func.value, deepest - 1) if is_call(one, "astype") and not self.full(one.func) else None

    def shape_of_sequential(self, made):
        if id(made) not in self.shapes:
            shape = None
            for one in self.layers_of(made):
                layer = self.value_of(one) if one is not None else None
                known = self.input_of(layer) if isinstance(layer, ast.Call) else None
                shape = self.shape_behind(layer, known if known is not None else shape) if isinstance(layer, ast.Call) else None
            self.shapes[id(made)] = shape
        return self.shapes[id(made)]

    def shape_of(self, node, deepest=12):
        """The shape of a tensor of a functional model, or within call()."""
        values = self.origins.of(node) if deepest else []
        call = values[0] if len(values) == 1 else None
        if not isinstance(call, ast.Call):
            return None
        if id(call) not in self.shapes:
            self.shapes[id(call)] = None
            self.shapes[id(call)] = self.shape_of_call(call, deepest - 1)
        return self.shapes[id(call)]

    def shape_of_call(self, call, deepest):
        if self.layer_of(call) == "Input" or self.of_keras(call.func) == "Input":
            return self.input_of(call)
        if self.layer_of(call) in ("concatenate", "add", "multiply", "subtract", "average", "maximum") and call.args:
            return self.joined(call, call, call.args[0], deepest)
        if self.full(call.func) or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
            return None
        layer = self.value_of(call.func)
        if not isinstance(layer, ast.Call) or layer is call:
            return None
        if self.layer_of(layer) in JOINS:
            return self.joined(layer, call, call.args[0], deepest)
        return self.shape_behind(layer, self.shape_of(call.args[0], deepest)) if self.layer_of(layer) else None

    def input_of(self, layer):
        """The shape that a layer says that it is given."""
        kind = self.layer_of(layer) or self.of_keras(layer.func)
        first = kind in ("Input", "InputLayer")
        given = self.given(layer, 0, "shape", "input_shape") if first else self.word(layer, "input_shape")
        full = self.word(layer, "batch_input_shape", "batch_shape")
        size = self.said(self.word(layer, "input_dim")) if not first else None
        shape = self.value_of(given if given is not None else full)
        if isinstance(shape, (ast.Tuple, ast.List)) and not any(isinstance(one, ast.Starred) for one in shape.elts):
            sizes = tuple(self.number(one) for one in shape.elts)
            return sizes if given is not None else sizes[1:]
        return (size, ) if type(size) is int and kind == "Dense" else None

    def pair(self, node, count, default=None):
        """The sizes of an argument, which is one number for all or one for each."""
        if node is None:
            return default
        made = self.value_of(node)
        if isinstance(made, (ast.Tuple, ast.List)) and len(made.elts) == count:
            return [self.number(one) for one in made.elts]
        return [self.number(node)] * count

    def wrong(self, layer, name, shape, *more):
        self.mistake(layer, name, "(%s)" % ", ".join(["batch"] + ["?" if one is None else str(one) for one in shape]), *more)

    def shape_behind(self, layer, shape):
        """What a layer gives of a shape, after telling that it can't take it."""
        kind = self.layer_of(layer) or self.of_keras(layer.func)
        if any(k.arg is None for k in layer.keywords) or kind in ("Input", "InputLayer"):
            return self.input_of(layer)
        pictures = OF_PICTURES.match(kind)
        if pictures:
            return self.behind_pictures(layer, kind, shape, int(pictures.group(2)))
        if kind in OF_STEPS:
            return self.behind_steps(layer, kind, shape)
        if kind in KEEPS_SHAPE:
            return shape
        units = self.number(self.given(layer, 0, "units"))
        if kind == "Dense":
            return None if not shape else shape[:-1] + (units, )
        if kind == "Flatten":
            return (product_of(shape), ) if shape is not None else (None, )
        if kind == "Embedding":
            return shape + (self.number(self.given(layer, 1, "output_dim")), ) if shape is not None and len(shape) == 1 else None
        if kind == "RepeatVector":
            if shape is not None and len(shape) != 1:
                self.wrong(layer, "a layer for another number of dimensions", shape, "1")
            return (self.number(self.given(layer, 0, "n")), shape[0] if shape else None)
        if kind == "Permute":
            return (None, ) * len(shape) if shape is not None else None
        if kind == "Reshape":
            return self.behind_reshape(layer, shape)
        inner = self.value_of(layer.args[0]) if kind == "TimeDistributed" and layer.args else None
        if isinstance(inner, ast.Call) and self.layer_of(inner) and shape is not None and len(shape) >= 2:
            each = self.shape_behind(inner, shape[1:])
            return (shape[0], ) + each if each is not None else None
        return None

    def behind_pictures(self, layer, kind, shape, rank):
        below = shape is not None and len(shape) < rank + 1
        pools = "Pool" in kind or kind.startswith(("UpSampling", "ZeroPadding", "Cropping"))
        if below or shape is not None and pools and len(shape) > rank + 1:
            self.wrong(layer, "a layer for another number of dimensions", shape, str(rank + 1))
            return None
        if shape is not None and len(shape) != rank + 1:
            return None
        sizes, depth = (shape[:-1], shape[-1]) if shape is not None else ((None, ) * rank, None)
        if kind.startswith("Global"):
            return (depth, ) if self.word(layer, "keepdims") is None else None
        if kind.startswith(("ZeroPadding", "Cropping")):
            return (None, ) * rank + (depth, )
        if kind.startswith("UpSampling"):
            by = self.pair(self.given(layer, 0, "size"), rank, [2] * rank)
            return tuple(a * b if a and b else None for a, b in zip(sizes, by)) + (depth, )
        pool = pools
        window = self.pair(self.given(layer, 0 if pool or kind.startswith("Depthwise") else 1, "pool_size", "kernel_size"), rank, [2] * rank if pool else [None] * rank)
        steps = self.pair(self.given(layer, 1 if pool or kind.startswith("Depthwise") else 2, "strides"), rank, window if pool else [1] * rank)
        steps = window if pool and self.said(self.given(layer, 1, "strides"), 0) is None else steps
        padding = self.given(layer, 2 if pool or kind.startswith("Depthwise") else 3, "padding")
        said = "valid" if padding is None else self.said(padding)
        if kind.startswith("Depthwise"):
            depth = None
        elif not pool:
            depth = self.number(self.given(layer, 0, "filters"))
        if said == "same" and kind.endswith("Transpose"):
            return tuple(a * b if a and b else None for a, b in zip(sizes, steps)) + (depth, )
        if said not in ("same", "valid") or kind.endswith("Transpose") or self.word(layer, "dilation_rate") is not None:
            return (None, ) * rank + (depth, )
        left = tuple(None if a is None or b is None or c is None else -(-a // c) if said == "same" else (a - b) // c + 1
                     for a, b, c in zip(sizes, window, steps))
        if any(one is not None and one <= 0 for one in left):
            self.wrong(layer, "a window larger than the picture", shape)
            return None
        return left + (depth, )

    def behind_steps(self, layer, kind, shape):
        """A recurrent layer, which takes a sequence of vectors."""
        if shape is not None and len(shape) != 2:
            self.wrong(layer, "a layer for another number of dimensions", shape, "2")
        inner = self.value_of(layer.args[0]) if kind == "Bidirectional" and layer.args else layer
        if not isinstance(inner, ast.Call) or any(k.arg is None for k in inner.keywords) or self.layer_of(inner) not in OF_STEPS - {"Bidirectional"}:
            return None
        given = self.word(inner, "return_sequences")
        units = self.number(self.given(inner, 0, "units"))
        if kind == "Bidirectional":
            units = units * 2 if units is not None and self.word(layer, "merge_mode") is None else None
        if self.word(inner, "return_state") is not None or given is not None and not isinstance(self.said(given), bool):
            return None
        every = given is not None and self.said(given)
        return (shape[0] if shape else None, units) if every else (units, )

    def behind_reshape(self, layer, shape):
        target = self.value_of(self.given(layer, 0, "target_shape"))
        if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(one, ast.Starred) for one in target.elts):
            return None
        sizes = [self.number(one) for one in target.elts]
        total = product_of(shape) if shape is not None else None
        known = product_of([one for one in sizes if one != -1])
        free = sizes.count(-1)
        if total is not None and known and free < 2 and (total % known if free else total != known):
            self.wrong(layer, "a shape of another number of values", shape, str(total))
        return tuple((total // known if total is not None and known else None) if one == -1 else one for one in sizes)

    def joined(self, layer, call, given, deepest):
        """Concatenate()([a, b]), Add()([a, b]) and the functions that do the same."""
        parts = self.value_of(given)
        shapes = [self.shape_of(one, deepest) for one in parts.elts] if isinstance(parts, (ast.List, ast.Tuple)) else [None]
        if len(shapes) < 2 or any(one is None for one in shapes):
            return None
        first, kind = shapes[0], self.layer_of(layer).lower()
        axis = self.word(layer, "axis")
        at = -1 if axis is None else self.number(axis)
        if kind != "concatenate":
            apart = len({len(one) for one in shapes}) == 1 and any(len({size for size in sizes if size not in (None, 1)}) > 1 for sizes in zip(*shapes))
            if apart:
                self.mistake(call, "shapes that can't be joined", *self.two_of(shapes))
            return first if not apart and all(one == first for one in shapes) else None
        if at is None or at == 0:
            return None
        at = at - 1 if at > 0 else len(first) + at
        apart = len({len(one) for one in shapes}) > 1 or any(len({size for size in sizes if size is not None}) > 1 for number, sizes in enumerate(
            zip(*shapes)) if number != at)
        if apart or not 0 <= at < len(first):
            if apart:
                self.mistake(call, "shapes that can't be joined", *self.two_of(shapes))
            return None
        total = [one[at] for one in shapes]
        return first[:at] + (None if None in total else sum(total), ) + first[at + 1:]

    @staticmethod
    def two_of(shapes):
        other = next((one for one in shapes if one != shapes[0]), shapes[-1])
        return ["(%s)" % ", ".join(["batch"] + ["?" if size is None else str(size) for size in one]) for one in (shapes[0], other)]

    def shape_of_model(self, node):
        """What the model behind an expression gives."""
        objects = self.objects_of(node)
        made = objects[0] if len(objects) == 1 else None
        if made is None or not (self.is_sequential(made) or self.is_functional(made)):
            return None
        return self.shape_of_sequential(made) if self.is_sequential(made) else self.shape_of(self.given(made, 1, "outputs"))
