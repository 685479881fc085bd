"""What a dataset, a schedule or a frozen layer makes of the fit() of a Keras model; for the reader of scripts."""

SOURCES_OF_DATA = re.compile(r"tensorflow\.(compat\.v\d\.)?data\.|tensorflow_datasets\.|(tensorflow\.|tf_)?keras\.(utils|preprocessing)\.(\w+\.)?\w*dataset_from_\w+$")
RATES_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.optimizers\.schedules\.[A-Z]\w+$")
SETS_THE_RATE = re.compile(r"callbacks\.(LearningRateScheduler|ReduceLROnPlateau)$")
# Models that scale pictures of 0 to 255 in a layer of their own, the latter unless they are told not to.
SCALES_ALWAYS = re.compile(r"applications\.(efficientnet\.)?EfficientNetB\d$")
SCALES_UNLESS_TOLD = re.compile(r"applications\.(\w+\.)?(EfficientNetV2\w+|MobileNetV3\w+|ConvNeXt\w+)$")
MIXES = r"(?i)shuffle\(|permut|random\.(sample|choice)|train_test_split|\.sample\(|argsort"
OF_CLASSES = re.compile(r"(?i)class|categor|label|folder|species|emotion|(?<![a-z])dirs?(?![a-z])|kinds")
OF_FILES = re.compile(r"(?i)glob|listdir|iterdir|scandir|files|images|os\.walk|imgs|paths")
DRAWS_IN_TRAINING = re.compile(r"(Spatial|Alpha|Gaussian)?Dropout([123]D)?$|BatchNormalization$")
KNOWN_SHAPES_OF_NUMPY = re.compile(r"numpy\.(shape|ndim|size|float\d+|int\d+|dtype|finfo|prod|random\.\w+)$")


class KerasData(KerasFits):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not roots & self.ROOTS or not self.says(r"\.fit\(|GradientTape|\.(take|predict)\(|\.compile\("):
            return
        self.prepare(nodes)
        self.fits = [one for one in self.calls if is_call(one, "fit") and not self.full(one.func)]
        self.compiles = [one for one in self.calls if is_call(one, "compile") and not self.full(one.func)]
        if "tensorflow" in roots and "datasets" not in roots and self.says(r"\.skip\(") and self.says(r"\.shuffle\("):
            self.split_of_what_is_shuffled_again()
        for call in self.fits:
            if self.is_of_keras(call):
                self.endless(call)
                self.split_that_arrays_alone_have(call)
                self.split_of_sorted_rows(call)
                self.two_that_set_the_rate(call)
                self.scaled_twice(call)
        if self.says(r"\.trainable\b"):
            self.frozen_after_compile()
        if self.says(r"argmax"):
            self.largest_of_one()
        if "numpy" in roots:
            self.losses_of_numpy()
        if self.says(r"GradientTape"):
            self.tapes_of_models()
            self.inputs_nobody_watches()
        if self.says(r"(?i)cpu"):
            self.fit_on_the_cpu()

    # ---- datasets

    def chain(self, node):
        """(the methods that a dataset of TensorFlow's went through, from the last to the first, and the call it began with); None: not known."""
        steps = []
        while node is not None and len(steps) < 30:
            made = self.value_of(node)
            if not isinstance(made, ast.Call):
                return None
            if SOURCES_OF_DATA.match(self.full(made.func)):
                return steps, made
            if self.full(made.func) or not isinstance(made.func, ast.Attribute):
                return None
            steps.append(made)
            node = made.func.value
        return None

    def split_of_what_is_shuffled_again(self):
        """data = data.shuffle(n); held, rest = data.take(k), data.skip(k): each pass shuffles anew, and what was held out comes into the rest."""
        parts = {"take": [], "skip": []}
        for call in self.calls:
            name = getattr(call.func, "attr", "")
            if name in parts and len(call.args) == 1 and not call.keywords and self.said(call.args[0]) != 1:
                parts[name].append(call)
        for skip in parts["skip"]:
            for take in parts["take"]:
                if self.origins.scope(take) is not self.origins.scope(skip) or take.func.value is skip:
                    continue
                one, other = self.steps_before(take.func.value), self.steps_before(skip.func.value)
                shuffle = self.shuffled_anew(one)
                if shuffle is not None and any(each is shuffle for each in other) and self.shuffled_anew(other) is shuffle:
                    self.mistake(shuffle, "a split of what is shuffled again", self.written(take), self.written(skip), other=skip)
                    return

    def steps_before(self, node):
        """The methods that a value went through, from the last to the first, whatever it began with."""
        steps = []
        while len(steps) < 30:
            made = self.value_of(node)
            if not isinstance(made, ast.Call) or self.full(made.func) or not isinstance(made.func, ast.Attribute):
                return steps
            steps.append(made)
            node = made.func.value
        return steps

    def shuffled_anew(self, steps):
        """The last shuffle() among these whose order changes from pass to pass, and that no cache holds."""
        for one in steps:
            if one.func.attr in ("cache", "snapshot", "save"):
                return None
            if one.func.attr == "shuffle":
                again = self.given(one, 2, "reshuffle_each_iteration")
                return one if (again is None or self.said(again) is True) and one.args and not any(k.arg is None for k in one.keywords) else None
        return None

    def endless(self, call):
        """model.fit(data.repeat(), epochs=5), which nothing ends."""
        for given, steps in ((self.given(call, 0, "x"), "steps_per_epoch"), (self.word(call, "validation_data"), "validation_steps")):
            known = self.chain(given) if given is not None and len(call.args) < 6 and not any(k.arg is None for k in call.keywords) else None
            said = self.word(call, steps)
            if known is None or said is not None and not (isinstance(said, ast.Constant) and said.value is None):
                continue
            repeat = next((one for one in known[0] if one.func.attr in ("repeat", "take", "apply", "take_while", "from_generator")), None)
            if repeat is None or repeat.func.attr != "repeat" or repeat.keywords or repeat.args and self.said(repeat.args[0]) != -1 and not (isinstance(
                    repeat.args[0], ast.Constant) and repeat.args[0].value is None):
                continue
            self.mistake(call, "a fit of a dataset without an end", self.written(repeat), steps, other=repeat)
            return

    def split_that_arrays_alone_have(self, call):
        """model.fit(dataset, validation_split=0.2)"""
        split = self.word(call, "validation_split")
        if split is None or self.said(split, 0) == 0 or self.word(call, "validation_data") is not None:
            return
        given = self.given(call, 0, "x")
        if self.chain(given) is not None or self.generator_of(given) is not None:
            self.mistake(call, "a validation_split of a dataset", self.written(given))

    def split_of_sorted_rows(self, call):
        """for k, name in enumerate(classes): for path in …: y.append(k), and model.fit(x, y, validation_split=0.2): the last rows are of the last class."""
        split, labels = self.word(call, "validation_split"), self.given(call, 1, "y")
        if split is None or labels is None or self.says(MIXES) or self.word(call, "validation_data") is not None:
            return
        made = self.value_of(labels)
        while isinstance(made, ast.Call) and made.args and re.search(r"numpy\.\w*(array|stack|concatenate|int32|int64)$|to_categorical$", self.full(made.func)):
            rows, made = made.args[0], self.value_of(made.args[0])
            if isinstance(rows, ast.Name) and (isinstance(made, ast.List) or made is rows):
                made = rows
                break
        if not isinstance(made, ast.Name):
            return
        filled = [one for one in self.calls if isinstance(one.func, ast.Attribute) and one.func.attr == "append" and getattr(
            one.func.value, "id", "") == made.id and len(one.args) == 1]
        if len(filled) != 1:
            return
        loops = [one for one in self.until_scope(filled[0]) if isinstance(one, ast.For)]
        if len(loops) != 2 or not OF_FILES.search(self.written(loops[0].iter)) or not OF_CLASSES.search(self.written(loops[1].iter)):
            return
        read = {one.id for one in ast.walk(filled[0].args[0]) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        outer = {one.id for one in ast.walk(loops[1].target) if isinstance(one, ast.Name)}
        outer |= {one.targets[0].id for one in loops[1].body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and outer & {
            each.id for each in ast.walk(one.value) if isinstance(each, ast.Name)}}
        inner = {one.id for part in [loops[0].target] + loops[0].body for one in ast.walk(part) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        if read & outer and not read & inner:
            self.mistake(call, "a validation_split of sorted rows", self.written(loops[1].iter), self.written(labels), other=filled[0])

    # ---- the rate, the scale and what is frozen

    def two_that_set_the_rate(self, call):
        """compile(Adam(CosineDecay(…))), and fit(callbacks=[LearningRateScheduler(f)])"""
        listed = self.value_of(self.word(call, "callbacks"))
        callbacks = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else [listed] if isinstance(listed, ast.Call) else []
        setter = next((made for made in map(self.value_of, callbacks) if isinstance(made, ast.Call) and SETS_THE_RATE.match(self.of_keras(made.func))), None)
        of = [one for one in self.compiles if self.written(one.func.value) == self.written(call.func.value)] if setter is not None else []
        if len(of) != 1 or self.in_branch(of[0]) and not self.in_branch(call):
            return
        optimizer = self.value_of(self.given(of[0], 0, "optimizer"))
        if isinstance(optimizer, ast.Call) and OPTIMIZER_OF_KERAS.match(self.full(optimizer.func)):
            rate = self.value_of(self.given(optimizer, 0, "learning_rate", "lr"))
            if isinstance(rate, ast.Call) and RATES_OF_KERAS.match(self.full(rate.func)):
                self.mistake(setter, "a callback for the rate of a schedule", self.written(rate), other=rate)

    def divides_by_255(self, node):
        """x / 255 or x * (1 / 255), of an expression or what it comes from."""
        one = self.value_of(node)
        if isinstance(one, ast.Call) and (self.full(one.func) == "tensorflow.cast" or not self.full(one.func) and getattr(one.func, "attr", "") == "astype"):
            return self.divides_by_255(one.args[0] if self.full(one.func) else one.func.value)
        return isinstance(one, ast.BinOp) and (isinstance(one.op, ast.Div) and self.said(one.right) == 255 or isinstance(one.op, ast.Mult) and re.match(
            r"\(?1\.?0? ?/ ?255(\.0?)?\)?$", self.written(one.right)) is not None)

    def scaled_by_map(self, step):
        """data.map(f), where f gives its first value divided by 255."""
        functions = self.origins.functions_of(step.args[0]) if is_call(step, "map") and step.args else ()
        of = functions[0] if len(functions) == 1 else None
        returns = [of.body] if isinstance(of, ast.Lambda) else [one.value for one in ast.walk(of) if isinstance(one, ast.Return)] if isinstance(
            of, ast.FunctionDef) else []
        out = returns[0] if len(returns) == 1 else None
        out = out.elts[0] if isinstance(out, ast.Tuple) and out.elts else out
        return out is not None and self.divides_by_255(out)

    def scaled_twice(self, call):
        """train.map(lambda x, y: (x / 255, y)) for an EfficientNet, which scales by itself."""
        if self.says(r"\* ?255|Rescaling\((scale ?= ?)?255") or not self.says(r"EfficientNet|MobileNetV3|ConvNeXt"):
            return
        bases = [one for one in self.calls if re.match(r"applications\.(\w+\.)?[A-Z]\w+$", self.of_keras(one.func))]
        base = bases[0] if len(bases) == 1 else None
        name = self.of_keras(base.func) if base is not None else ""
        if not SCALES_ALWAYS.match(name) and not (SCALES_UNLESS_TOLD.match(name) and self.word(base, "include_preprocessing") is None):
            return
        weights = self.word(base, "weights")
        if any(k.arg is None for k in base.keywords) or weights is not None and self.said(weights) != "imagenet":
            return
        given = self.given(call, 0, "x")
        known = self.chain(given)
        step = next((one for one in known[0] if self.scaled_by_map(one)), None) if known is not None else None
        drawn = self.generator_of(given)
        if drawn is not None:
            rescale = self.word(drawn[1], "rescale")
            step = drawn[1] if rescale is not None and re.match(r"\(?1\.?0? ?/ ?255(\.0?)?\)?$", self.written(self.value_of(rescale))) else None
        for one in self.calls if step is None else ():  # base(Rescaling(1 / 255)(inputs))
            scaled = self.value_of(one.args[0]) if one.args and self.value_of(one.func) is base else None
            layer = self.value_of(scaled.func) if isinstance(scaled, ast.Call) and isinstance(scaled.func, (ast.Name, ast.Attribute, ast.Call)) else None
            if isinstance(layer, ast.Call) and self.layer_of(layer) == "Rescaling" and self.given(layer, 1, "offset") is None and re.match(
                    r"\(?1\.?0? ?/ ?255(\.0?)?\)?$", self.written(self.given(layer, 0, "scale"))):
                step = layer
        if step is not None:
            self.mistake(base, "pictures that are scaled twice", self.written(step), other=step)

    def frozen_after_compile(self):
        """model.compile(…); model.fit(…); base.trainable = True; model.fit(…), which goes on with what compile() saw."""
        if len({self.written(one.func.value) for one in self.compiles}) != 1:
            return
        model = self.written(self.compiles[0].func.value)
        fits = [one for one in self.fits if self.written(one.func.value) == model and not self.in_branch(one)]
        for first, second in zip(fits, fits[1:]):
            scope = self.origins.scope(first)
            if self.origins.scope(second) is not scope or any(isinstance(one, (ast.For, ast.While)) for one in self.until_scope(first)):
                continue
            start, end = self.origins.position(first), self.origins.position(second)
            between = [one for one in self.nodes if isinstance(one, (ast.Assign, ast.Call)) and start < self.origins.position(one) < end and self.origins.scope(
                one) is scope]
            calls = [one for one in between if isinstance(one, ast.Call)]
            other = any(re.search(r"compile|train_function", self.near(one)) or not self.full(one.func) and getattr(one.func, "id", "") not in BUILTINS and any(
                self.written(each) == model for each in one.args + [k.value for k in one.keywords]) for one in calls)
            bound = [one for one in between if isinstance(one, ast.Assign) and any(self.written(target) == model or isinstance(
                target, ast.Attribute) and target.attr == "train_function" for target in one.targets)]
            thawed = [one for one in between if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) and one.targets[0].attr == "trainable" and
                      isinstance(one.value, ast.Constant) and isinstance(one.value.value, bool)]
            if thawed and not other and not bound and not any(map(self.is_reported, thawed)):
                self.mistake(thawed[0], "a layer that is thawed after compile", self.written(thawed[0].targets[0]), model, other=second)
                return

    def fit_on_the_cpu(self):
        """with tf.device("/CPU:0"): model = Sequential(…); model.fit(…), in a script that asks for GPUs; the work follows the weights."""
        if not self.says(r"list_(physical|logical)_devices\(\s*['\"]GPU|is_gpu_available|set_memory_growth") or self.says(
                r"(?i)['\"]/?(device:)?gpu:\d|bench|perf_counter|time\.time|timeit|set_visible_devices|CUDA_VISIBLE_DEVICES"):
            return
        for call in self.fits:
            device = next((one for one in self.origins.around(call) if isinstance(one, ast.With) and any(isinstance(
                item.context_expr, ast.Call) and self.full(item.context_expr.func) == "tensorflow.device" and item.context_expr.args and re.match(
                    r"(?i)/?(device:)?cpu(:\d+)?$", self.origins.text_of(item.context_expr.args[0]) or "") for item in one.items)), None)
            made = self.objects_of(call.func.value)
            if device is not None and made and not self.in_branch(call) and all(any(one is device for one in self.origins.around(each)) for each in made):
                self.mistake(device.items[0].context_expr, "a training under a device of the CPU", self.written(call), other=call)
                return

    # ---- what comes out

    def largest_of_one(self):
        """np.argmax(model.predict(x), axis=1), where the model ends in one unit."""
        for call in self.calls:
            full, name = self.full(call.func), getattr(call.func, "attr", "")
            if re.match(r"(numpy|jax\.numpy|tensorflow(\.math)?|keras\.ops)\.argmax$", full) and call.args:
                given, axis = call.args[0], self.given(call, 1, "axis")
            elif name == "argmax" and not full and isinstance(call.func, ast.Attribute):
                given, axis = call.func.value, self.given(call, 0, "axis")
            else:
                continue
            if axis is None or self.said(axis) not in (1, -1):
                continue
            endings = self.endings(given)
            if endings and all(one.units == 1 and re.search(r"Dense$", self.layer_of(one.at) or "Dense") for one in endings):
                self.mistake(call, "the largest of one number", self.written(endings[0].at), other=endings[0].at)

    def losses_of_numpy(self):
        """def loss(y_true, y_pred): return np.mean(…), for compile(loss=loss)"""
        if self.says(r"run_eagerly|run_functions_eagerly|numpy_function|py_function|disable_eager|experimental\.numpy"):
            return
        seen = set()
        for call in self.compiles:
            of = self.value_of(self.given(call, 1, "loss"))
            taken = [one.arg for one in of.args.args] if isinstance(of, ast.FunctionDef) and not of.decorator_list else []
            if len(taken) != 2 or id(of) in seen:
                continue
            seen.add(id(of))
            traced = set(taken)
            for statement in of.body:
                for one in ast.walk(statement):
                    if isinstance(one, ast.Call) and re.match(r"numpy\.\w+$", self.full(one.func)) and not KNOWN_SHAPES_OF_NUMPY.match(
                            self.full(one.func)) and any(self.reads(each, traced) for each in one.args):
                        self.mistake(one, "NumPy in a loss of Keras's", of.name, other=call)
                        return
                if isinstance(statement, ast.Assign) and self.reads(statement.value, traced):
                    traced |= {one.id for target in statement.targets for one in ast.walk(target) if isinstance(one, ast.Name)}

    def reads(self, node, names):
        """Whether an expression computes with what these names stand for, and not with their shapes alone."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "dtype", "size"):
            return False
        if isinstance(node, ast.Call) and (getattr(node.func, "id", "") == "len" or re.search(r"(^|\.)(shape|int_shape|ndim)$", self.written(node.func))):
            return False
        if isinstance(node, ast.Name):
            return node.id in names
        return any(self.reads(one, names) for one in ast.iter_child_nodes(node))

    # ---- tapes

    def draws(self, made):
        """The layer of a model that the file makes whose training differs from its use; None: none is known."""
        if self.is_sequential(made):
            return next((one for one in map(self.value_of, (one for one in self.layers_of(made) if one is not None)) if DRAWS_IN_TRAINING.match(
                self.layer_of(one))), None)
        if self.is_functional(made):
            scope = self.origins.scope(made)
            alone = [one for one in self.calls if (self.is_functional(one) or self.is_sequential(one)) and self.origins.scope(one) is scope]
            return next((one for one in self.calls if DRAWS_IN_TRAINING.match(self.layer_of(one)) and self.origins.scope(one) is scope and len(alone) == 1), None)
        return None

    def tapes_of_models(self):
        """with tf.GradientTape() as tape: out = model(x), of a model with dropout: without training=True it is used, and not trained."""
        if self.says(r"learning_phase|training ?= ?(True|1)|\btraining\b ?= ?training|trainable ?= ?False"):
            return
        for block in (one for one in self.nodes if isinstance(one, ast.With) and any(isinstance(item.context_expr, ast.Call) and self.full(
                item.context_expr.func) == "tensorflow.GradientTape" for item in one.items)):
            of = self.origins.scope(block)
            text = self.reader.written_whole(of) if of is not None else self.reader.text
            for call in calls_in(block.body):
                if not isinstance(call.func, (ast.Name, ast.Attribute)) or self.full(call.func) or len(call.args) != 1 or call.keywords:
                    continue
                name = self.written(call.func)
                if not re.search(r"\b%s\.trainable_(variables|weights)" % re.escape(name), text) or "apply_gradients" not in text:
                    continue
                objects = self.objects_of(call.func)
                layer = self.draws(objects[0]) if len(objects) == 1 else None
                if layer is not None:
                    self.mistake(call, "a model in a tape that isn't told to train", self.written(layer), name, other=layer)
                    return

    def inputs_nobody_watches(self):
        """with tf.GradientTape() as tape: loss = f(x); tape.gradient(loss, x), of a plain tensor that no tape watches."""
        if self.says(r"\.watch\(|\bVariable\("):
            return
        for call in self.calls:
            source = self.given(call, 1, "sources") if is_call(call, "gradient") and isinstance(call.func.value, ast.Name) else None
            if not isinstance(source, ast.Name):
                continue
            blocks = [one for one in self.nodes if isinstance(one, ast.With) and any(isinstance(item.context_expr, ast.Call) and self.full(
                item.context_expr.func) == "tensorflow.GradientTape" and getattr(item.optional_vars, "id", "") == call.func.value.id for item in one.items)]
            inside = any(isinstance(one, ast.Name) and one.id == source.id and not isinstance(one.ctx, ast.Load) for block in blocks for one in ast.walk(block))
            values = self.origins.of(source)
            if blocks and not inside and not self.is_reported(call) and values and all(self.is_plain_tensor(one) for one in values):
                self.mistake(call, "a gradient of what a tape doesn't watch", source.id, other=blocks[0])

    def is_plain_tensor(self, one, deepest=4):
        """Whether a value is surely a tensor or an array, and no variable."""
        if isinstance(one, ast.Subscript):
            return deepest > 0 and all(self.is_plain_tensor(each, deepest - 1) for each in self.origins.of(one.value))
        if isinstance(one, ast.BinOp):
            return deepest > 0 and all(isinstance(each, ast.Constant) or self.is_plain_tensor(each, deepest - 1) for side in (one.left, one.right)
                                       for each in self.origins.of(side))
        full = self.full(one.func) if isinstance(one, ast.Call) else ""
        return re.match(r"tensorflow\.(?!Variable|function|keras\.(Input|layers|Model|Sequential|models|Variable)|GradientTape)(\w+\.)*[a-z]\w*$|numpy\.\w+$", full) is not None
