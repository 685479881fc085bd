"""What Keras trains on and judges by: fit(), its data and callbacks, evaluate() and predict(); for the reader of scripts."""

FITS = ("fit", "fit_generator")
NAMED_IN_TRAINING = re.compile(r"(?i)(?<![a-z])(train|training|tr)(?![a-z])")
NAMED_IN_TEST = re.compile(r"(?i)(?<![a-z])(test|testing|valid|val|validation)(?![a-z])")
OF_LABELS_AND_PREDICTIONS = re.compile(r"sklearn\.metrics\.(accuracy_score|confusion_matrix|classification_report|f1_score|precision_score|recall_score|"
                                       r"balanced_accuracy_score|cohen_kappa_score|matthews_corrcoef)$")
WATCHES = ("EarlyStopping", "ModelCheckpoint", "ReduceLROnPlateau")
# What ImageDataGenerator changes at random.
DRAWN_CHANGES = ("rotation_range", "width_shift_range", "height_shift_range", "shear_range", "zoom_range", "horizontal_flip", "vertical_flip",
                 "brightness_range", "channel_shift_range")
OF_LIBRARIES = re.compile(r"(tensorflow|keras|numpy|sklearn|torch|jax|xgboost|lightgbm|catboost|pandas)\.")
FROM_FOLDERS = ("flow_from_directory", "flow_from_dataframe", "flow")
SCALES_ALIKE = frozenset("reshape astype copy numpy".split())
SEQUENCES_OF_KERAS = re.compile(r"(tensorflow\.)?keras\.(models\.|engine\.sequential\.)?Sequential$")


class KerasFits(KerasModels):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not roots & self.ROOTS or not self.says(r"\.((fit|evaluate|predict)(_generator)?|flow\w*)\("):
            return
        self.prepare(nodes)
        self.named_validation()
        self.fits = [one for one in self.calls if isinstance(one.func, ast.Attribute) and one.func.attr in FITS and not OF_LIBRARIES.match(self.full(one.func))]
        self.compiles = [one for one in self.calls if is_call(one, "compile") and not self.full(one.func)]
        for call in self.fits:
            if self.objects_of(call.func.value):
                self.never_compiled(call)
            if self.is_of_keras(call):
                self.fitted_on_test(call)
                if not self.is_reported(call):
                    self.validated_by_training(call)
                self.scaled_in_training(call)
        if self.fits:
            self.watched_names()
            self.changed_validation()
        for call in self.calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr.startswith("evaluate"):
                self.unpacked_scores(call)
        self.predictions()

    def is_of_keras(self, call):
        """Whether fit() is of a model of Keras's, and not of a library's that fits as well."""
        return bool(self.objects_of(call.func.value)) or any(k.arg in ("epochs", "validation_data", "callbacks", "steps_per_epoch", "validation_split")
                                                             for k in call.keywords)

    # ---- compile and data

    def never_compiled(self, call):
        """model = Sequential(…); model.fit(…), and nothing compiles it."""
        objects = self.objects_of(call.func.value)
        if any(self.own_model(one) for one in objects) or self.says(r"load_model|clone_model|\.compiled\b|get_compile|compile_from"):
            return
        own = {id(one) for one in objects}
        names = {self.written(call.func.value)} | {self.written(target) for made in objects for target in getattr(self.parents.get(id(made)), "targets", ())}
        for one in self.compiles:
            made = self.objects_of(one.func.value)
            if not made or own & {id(each) for each in made} or self.written(one.func.value) in names:
                return
        for one in self.calls:  # what is given to functions from elsewhere may be compiled there
            full = self.full(one.func)
            if not OF_KERAS.match(full) and not full.startswith(("tensorflow.", "numpy.")) and getattr(one.func, "id", "") not in BUILTINS:
                if any(self.written(each) in names for each in one.args + [k.value for k in one.keywords]):
                    return
        self.mistake(call, "a fit of a model that nothing compiles", self.written(call.func.value))

    def validated_by_training(self, call):
        """model.fit(x_train, y_train, validation_data=(x_train, y_train))"""
        given = self.word(call, "validation_data")
        x, y = self.given(call, 0, "x", "generator"), self.given(call, 1, "y") if call.func.attr == "fit" else None
        if given is None or x is None or not isinstance(x, (ast.Name, ast.Attribute)):
            return
        pair = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
        same = len(pair) >= 2 and y is not None and self.written(pair[0]) == self.written(x) and self.written(pair[1]) == self.written(
            y) or len(pair) == 1 and y is None and self.written(pair[0]) == self.written(x)
        others = any(isinstance(one, ast.Name) and NAMED_IN_TEST.search(one.id.replace("_", " ")) and not isinstance(one.ctx, ast.Load) for one in self.nodes)
        named = NAMED_IN_TRAINING.search(self.written(x).replace("_", " ").replace(".", " ")) is not None
        made = self.value_of(x)
        by_hand = isinstance(made, ast.Call) and made.args and isinstance(made.args[0], ast.List)
        if same and (named or others) and not by_hand:
            self.mistake(given, "a validation by the training data", self.written(x))

    def fitted_on_test(self, call):
        """model.fit(x_test, y_test), where there is x_train, which no fit takes."""
        x, y = self.given(call, 0, "x", "generator"), self.given(call, 1, "y")
        if not isinstance(x, ast.Name) or not re.search(r"(?i)(?<![a-z])test(?![a-z])", x.id.replace("_", " ")):
            return
        other = re.sub(r"(?i)test", lambda m: {"test": "train", "Test": "Train", "TEST": "TRAIN"}.get(m.group(), "train"), x.id)
        bound = [one for one in self.nodes if isinstance(one, ast.Name) and one.id == other and not isinstance(one.ctx, ast.Load)]
        fitted = any(isinstance(one, ast.Name) and NAMED_IN_TRAINING.search(one.id.replace("_", " ")) for each in self.fits for given in each.args[:1] + [
            k.value for k in each.keywords if k.arg in ("x", "generator")] for one in ast.walk(given))
        if bound and not fitted and not self.says(r"train_on_batch|GradientTape|load_model|load_weights") and (y is None or not NAMED_IN_TRAINING.search(
                self.written(y).replace("_", " "))):
            self.mistake(call, "a fit on what is to test", x.id, other)

    # ---- the same scale for both

    def scale_of(self, node, deepest=10):
        """(the call that an array comes from, which part of it, whether it was scaled since); None: not known."""
        values = self.origins.of(node) if deepest else []
        one = values[0] if len(values) == 1 else None
        if isinstance(one, Part) and isinstance(one.of, ast.Call) and one.steps:
            return (one.of, one.steps, False)
        if isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Div, ast.Mult, ast.Sub)):
            of = self.scale_of(one.left, deepest - 1)
            constant = isinstance(self.said(one.right), (int, float))
            return (of[0], of[1], True) if of is not None and (constant or isinstance(one.op, ast.Div)) else None
        if isinstance(one, ast.Subscript) and re.search(r"None|newaxis|\.\.\.", self.written(one.slice)):
            return self.scale_of(one.value, deepest - 1)
        if not isinstance(one, ast.Call):
            return None
        full, name = self.full(one.func), getattr(one.func, "attr", "")
        if re.match(r"numpy\.(reshape|expand_dims|array|asarray|float32)$", full) and one.args:
            return self.scale_of(one.args[0], deepest - 1)
        if not full and name in SCALES_ALIKE and isinstance(one.func, ast.Attribute):
            return self.scale_of(one.func.value, deepest - 1)
        if name in ("fit_transform", "transform") and not full and one.args and re.search(r"(?i)scal|norm", self.written(one.func.value)):
            of = self.scale_of(one.args[0], deepest - 1)
            return (of[0], of[1], True) if of is not None else None
        return None

    def scaled_in_training(self, call):
        """x_train = x_train / 255, and x_test as it was loaded, for one model."""
        x = self.given(call, 0, "x")
        trained = self.scale_of(x) if isinstance(x, ast.Name) else None
        if trained is None or not trained[2] or self.says(r"Rescaling|\bNormalization\("):
            return
        given = self.word(call, "validation_data")
        tests = [given.elts[0]] if isinstance(given, (ast.Tuple, ast.List)) and given.elts else []
        tests += [one.args[0] for one in self.calls if isinstance(one.func, ast.Attribute) and one.func.attr in ("evaluate", "predict") and one.args and
                  self.written(one.func.value) == self.written(call.func.value) and self.origins.position(one) > self.origins.position(call)]
        for one in tests:
            known = self.scale_of(one) if isinstance(one, ast.Name) and one.id != x.id else None
            if known is None or known[2] or known[0] is not trained[0] or known[1] == trained[1]:
                continue
            if any(isinstance(each, (ast.For, ast.comprehension)) and re.search(r"\b%s\b" % re.escape(one.id), self.written(each.iter)) for each in self.nodes):
                return
            bound = [each for each in self.origins.statements_of(one) if not isinstance(getattr(each, "targets", [None])[0], ast.Tuple)]
            scaled = self.origins.statements_of(x)
            at = bound[-1] if bound else scaled[-1] if scaled else one
            self.mistake(at, "training data alone that are scaled", x.id, one.id, other=one)
            return

    # ---- what callbacks watch

    def names_of_metrics(self, call):
        """The names under which a compiled model logs; None: not all are known."""
        if any(k.arg is None for k in call.keywords) or len(call.args) > 2 or self.word(call, "weighted_metrics") is not None:
            return None
        loss = self.value_of(self.given(call, 1, "loss"))
        if isinstance(loss, (ast.Dict, ast.List, ast.Tuple)) and len(getattr(loss, "elts", ())) != 1:
            return None
        given = self.word(call, "metrics")
        if given is None or isinstance(given, ast.Constant) and given.value is None:
            return {"loss"}
        listed = self.value_of(given)
        names = {"loss"}
        for one in listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else [listed]:
            name = self.name_of_metric(one)
            if name is None:
                return None
            names.add(name)
        return names

    def name_of_metric(self, node):
        made = self.value_of(node)
        if isinstance(made, ast.Constant) and isinstance(made.value, str):
            return made.value
        if isinstance(made, ast.FunctionDef):
            return made.name
        if isinstance(made, ast.Call):
            name = self.of_keras(made.func)
            last = name.rpartition(".")[2]
            given = self.word(made, "name")
            if not name.startswith("metrics.") or any(k.arg is None for k in made.keywords) or given is None and made.args:
                return None
            return self.said(given) if given is not None else re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", last).lower()
        name = self.of_keras(made)
        return name.rpartition(".")[2] if name.startswith(("metrics.", "losses.")) else None

    def watched_names(self):
        """EarlyStopping(monitor="val_acc") beside metrics=["accuracy"], and val_loss without a validation."""
        known = [self.names_of_metrics(one) for one in self.compiles]
        outputs = [out for one in self.calls if self.is_functional(one) for out in [self.value_of(self.given(one, 1, "outputs"))]]
        if not known or any(one is None for one in known) or any(isinstance(one, (ast.List, ast.Tuple)) and len(one.elts) > 1 for one in outputs) or self.says(
                r"add_metric|def train_step|def test_step|def metrics|logs\[['\"]|logs\.update") or any(self.of_keras(one.func).endswith("load_model") for one in self.calls):
            return
        names = {name for one in known for name in one}
        validates = any(k.arg is None or k.arg in ("validation_data", "validation_split", "validation_steps") for one in self.fits for k in one.keywords) or any(
            len(one.args) > 5 for one in self.fits) or self.says(r"validation_data|validation_split")
        for call in self.calls:
            kind = self.of_keras(call.func)
            if not kind.startswith("callbacks.") or kind.rpartition(".")[2] not in WATCHES or any(k.arg is None for k in call.keywords):
                continue
            watch = kind.rpartition(".")[2]
            given = self.given(call, 1 if watch == "ModelCheckpoint" else 0, "monitor")
            said = self.said(given) if given is not None else None
            if isinstance(said, str):
                self.judge_name(call, said, names, validates, call.lineno)
            elif given is None and not validates and not (watch == "ModelCheckpoint" and self.said(self.word(call, "save_best_only")) is not True):
                self.mistake(call, "a callback that watches a validation there is none of", "val_loss")
            path = self.given(call, 0, "filepath") if watch == "ModelCheckpoint" else None
            text = self.path_of(path)
            for key in re.findall(r"(?<!\{)\{(\w+)(?::[^{}]*)?\}", text):
                if key not in ("epoch", "batch") and not self.is_logged(key, names, validates):
                    self.mistake(path if line_of(path) > line_of(call) else call, "a file's name of what is not logged", key,
                                 ", ".join(sorted(names | ({"val_" + one for one in names} if validates else set()))))
                    break

    def path_of(self, node):
        """The text of a path, also of its last part, behind os.path.join() or a sum."""
        made = self.value_of(node) if node is not None else None
        if isinstance(made, ast.Call) and re.match(r"os\.path\.join$", self.full(made.func)) and made.args:
            return self.path_of(made.args[-1])
        if isinstance(made, ast.BinOp) and isinstance(made.op, (ast.Add, ast.Div)):
            return self.path_of(made.left) + self.path_of(made.right)
        return made.value if isinstance(made, ast.Constant) and isinstance(made.value, str) else ""

    @staticmethod
    def is_logged(name, names, validates):
        plain = name[4:] if name.startswith("val_") else name
        alike = re.sub(r"_\d+$", "", plain).replace("_", "")
        return (plain in ("lr", "learning_rate") or any(alike == one.replace("_", "") for one in names)) and (validates or plain == name)

    def judge_name(self, call, said, names, validates, line):
        if said.startswith("val_") and not validates:
            self.mistake(call, "a callback that watches a validation there is none of", said)
        elif not self.is_logged(said, names, validates) and said != "auto":
            self.mistake(call, "a callback that watches what is not logged", said, ", ".join(sorted(names | ({"val_" + one for one in names}))))

    # ---- generators

    def generator_of(self, node):
        """(the call of flow…(), the call of ImageDataGenerator) behind an expression; None: another."""
        made = self.value_of(node) if node is not None else None
        of = self.augments(made.func.value) if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in FROM_FOLDERS and \
            not self.full(made.func) else None
        return (made, of) if of is not None else None

    def drawn(self, made):
        """The first change of an ImageDataGenerator that is drawn for each picture."""
        return next((k for k in made.keywords if k.arg in DRAWN_CHANGES and not (isinstance(k.value, ast.Constant) and not k.value.value)), None)

    def changed_validation(self):
        """validation_data of a generator that turns and shifts pictures, as the training's does, or that doesn't scale them as it does."""
        for call in self.fits:
            train, valid = self.generator_of(self.given(call, 0, "x", "generator")), self.generator_of(self.word(call, "validation_data"))
            if train is None or valid is None:
                continue
            drawn = self.drawn(valid[1])
            if drawn is not None and self.is_reported(valid[0]):
                continue
            if drawn is not None:
                self.mistake(valid[0], "a validation with pictures changed at random", drawn.arg, other=valid[1])
                continue
            scales = [{k.arg for k in of.keywords if k.arg in ("rescale", "preprocessing_function", "featurewise_center", "samplewise_center")} for of in (
                train[1], valid[1])]
            if scales[0] and not scales[1] and not any(k.arg is None for k in valid[1].keywords) and not valid[1].args and not self.says(
                    r"Rescaling|preprocess_input\("):
                self.mistake(valid[1], "a validation that is not scaled as the training", ", ".join(sorted(scales[0])), other=train[1])

    def named_validation(self):
        """validation = train_datagen.flow_from_directory(…), beside a test_datagen that changes nothing"""
        made = [one for one in self.calls if self.full(one.func).endswith("ImageDataGenerator") and self.drawn(one) is None]
        for call in self.calls if made else ():
            bound = self.parents.get(id(call))
            name = self.written(bound.targets[0]) if isinstance(bound, ast.Assign) and len(bound.targets) == 1 else ""
            found = self.generator_of(call) if NAMED_IN_TEST.search(name.replace("_", " ")) and not NAMED_IN_TRAINING.search(name.replace("_", " ")) else None
            drawn = self.drawn(found[1]) if found is not None else None
            if drawn is not None:
                self.mistake(call, "a validation with pictures changed at random", drawn.arg, other=found[1])

    # ---- evaluate() and predict()

    def unpacked_scores(self, call):
        """acc, loss = model.evaluate(x, y)"""
        bound = self.parents.get(id(call))
        target = bound.targets[0] if isinstance(bound, ast.Assign) and bound.value is call else None
        names = [self.written(one) for one in target.elts] if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == 2 else ()
        if names and re.search(r"(?i)acc", names[0]) and re.search(r"(?i)loss", names[1]) and not re.search(r"(?i)loss", names[0]) and (
                any(k.arg == "verbose" for k in call.keywords) or self.objects_of(call.func.value) or any(
                    self.written(one.func.value) == self.written(call.func.value) for one in self.compiles)) and not self.says(r"def evaluate"):
            self.mistake(call, "a loss and a metric in the wrong order", names[0], names[1])
        elif names and isinstance(call.func.value, ast.Name) and not any(k.arg in (None, "return_dict") for k in call.keywords):
            self.unpacked_loss(call)

    def unpacked_loss(self, call):
        """loss, acc = model.evaluate(x, y), of a model that was compiled without metrics: evaluate() gives the loss alone, a number."""
        model = call.func.value
        compiled = [one for one in self.compiles if self.written(one.func.value) == model.id]
        if not compiled or self.made_by(model, SEQUENCES_OF_KERAS, surely=True) is None or self.says(r"add_metric|load_model|def (evaluate|compile)\b"):
            return
        for one in compiled:
            if len(one.args) > 2 or any(k.arg in (None, "metrics", "weighted_metrics") for k in one.keywords):
                return
        self.mistake(call, "a loss that is unpacked", self.written(call), self.written(compiled[0]), other=compiled[0])

    def is_prediction(self, node):
        """The call of predict() of a model of Keras's that an expression comes from as it is."""
        made = self.value_of(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) else None
        if not is_call(made, "predict") or self.full(made.func):
            return None
        model = made.func.value
        return made if self.objects_of(model) or any(self.written(one.func.value) == self.written(model) for one in self.compiles) else None

    def predictions(self):
        """(model.predict(x) == y).mean(), and accuracy_score(y, model.predict(x))"""
        for one in self.nodes:
            if isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(one.ops[0], ast.Eq):
                for side, other in ((one.left, one.comparators[0]), (one.comparators[0], one.left)):
                    made = self.is_prediction(side)
                    labels = self.labels_of(other) if made is not None else None
                    endings = self.endings_of_model(made.func.value) if labels is not None and labels.kind == "int" else []
                    if endings and all(type(each.units) is int and each.units > 1 for each in endings):
                        self.mistake(one, "probabilities that are compared with classes", self.written(made), "np.argmax(%s, axis=-1)" % self.written(side),
                                     other=made)
            elif isinstance(one, ast.Call) and OF_LABELS_AND_PREDICTIONS.match(self.full(one.func)):
                given = self.given(one, 1, "y_pred")
                made = self.is_prediction(given) if given is not None else None
                endings = self.endings_of_model(made.func.value) if made is not None else []
                if endings and all(each.kind in ("softmax", "sigmoid") for each in endings):
                    several = any(each.kind == "softmax" for each in endings)
                    self.mistake(one, "probabilities that are compared with classes", self.written(made), (
                        "np.argmax(%s, axis=-1)" if several else "%s > 0.5") % self.written(given), other=made)
        self.drawn_order()

    def drawn_order(self):
        """gen = data.flow_from_directory(…); model.predict(gen), beside gen.classes: the pictures come in another order."""
        for call in self.calls:
            name = getattr(call.func, "attr", "")
            given = self.given(call, 0, "x", "generator") if name in ("predict", "predict_generator") and not OF_LIBRARIES.match(
                self.full(call.func)) else None
            found = self.generator_of(given) if isinstance(given, (ast.Name, ast.Attribute)) else None
            if found is None or found[0].func.attr == "flow":
                continue
            shuffled = self.word(found[0], "shuffle")
            said = True if shuffled is None and not any(k.arg is None for k in found[0].keywords) else self.said(shuffled)
            classes = next((one for one in self.nodes if isinstance(one, ast.Attribute) and one.attr in ("classes", "labels", "filenames") and self.written(
                one.value) == self.written(given)), None)
            statement = self.parents.get(id(classes))
            if said is True and classes is not None and not isinstance(statement, ast.Expr) and not self.is_count(classes) and not self.says(
                    re.escape(self.written(given)) + r"\.(shuffle|index_array)\b"):
                self.mistake(found[0], "predictions in a drawn order", self.written(call), self.written(classes), other=call)

    def is_count(self, node):
        """Whether an expression is only counted: len(x), np.unique(x), or a part of Counter(x)."""
        outer = self.parents.get(id(node))
        return isinstance(outer, ast.Call) and self.written(outer.func).rpartition(".")[2] in ("len", "unique", "Counter", "set", "compute_class_weight", "bincount",
                                                                                              "print") or isinstance(outer, ast.keyword)
