"""What Keras's calls are given that they don't take, or take for something else: losses, callbacks, weights of classes, sets of files; for the reader of
scripts."""

OF_PREDICTIONS = re.compile(r"(?i)^(y_?)?(pred|preds|predicted|predictions?|hat|logits|outputs?)$|^y_?hat$")
OF_TRUE_LABELS = re.compile(r"(?i)^(y_?)?(true|labels?|targets?|truth|actual)$|^y$")
SETS_OF_FILES = re.compile(r"(tensorflow\.)?keras\.(utils|preprocessing)\.(image_|text_|audio_)?dataset_from_directory$")
OF_TENSORS_OF_TENSORFLOW = re.compile(r"tensorflow\.(abs|square|sqrt|exp|maximum|minimum|add|subtract|multiply|concat|stack|reshape|expand_dims|squeeze|transpose|matmul|cast|"
                                      r"reduce_\w+|math\.\w+|nn\.\w+|norm|linalg\.\w+|image\.resize|split|tile|gather)$")
KERAS_LAYER = re.compile(r"(tensorflow\.)?keras\.layers\.[A-Z]\w*$")


class KerasArguments(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not roots & {"tensorflow", "keras", "tf_keras"}:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        files = [call for call in self.calls if SETS_OF_FILES.match(self.full(call.func))]
        self.parts_of_two_orders(files)
        self.states_of_unknown_batches()
        for call in self.calls:
            name = getattr(call.func, "attr", "")
            if name == "compile":
                self.loss_the_other_way_round(call)
                self.metrics_without_a_list(call)
            elif name == "fit":
                self.weights_in_an_array(call)
                self.samples_without_batch(call)
            elif self.full(call.func).endswith("keras.callbacks.ModelCheckpoint"):
                self.best_of_all(call)
            elif self.full(call.func) == "tensorflow.image.convert_image_dtype":
                self.converted_behind_resize(call)
            elif OF_TENSORS_OF_TENSORFLOW.match(self.full(call.func)):
                self.functions_of_symbols(call)

    def parts_of_two_orders(self, calls):
        """image_dataset_from_directory(path, validation_split=0.2, subset="training", seed=1), and seed=2 for the validation"""
        parts = {}
        for call in calls:
            subset, seed = self.said(self.word(call, "subset")), self.said(self.word(call, "seed"))
            place = self.written(self.given(call, 0, "directory")) if self.given(call, 0, "directory") is not None else ""
            if subset in ("training", "validation") and type(seed) is int and self.said(self.word(call, "shuffle")) is not False:
                parts.setdefault(place, {})[subset] = (seed, call)
        for both in parts.values():
            if len(both) == 2 and both["training"][0] != both["validation"][0]:
                self.mistake(both["validation"][1], "parts of two orders", str(both["training"][0]), str(both["validation"][0]), other=both["training"][1], doubted=False)

    def states_of_unknown_batches(self):
        """Sequential([Input((10, 3)), LSTM(32, stateful=True)])"""
        if self.says(r"batch_(input_)?shape|Input\([^\n]*batch_size") or any(KERAS_LAYER.match(self.full(call.func)) and any(
                k.arg in ("batch_size", None) for k in call.keywords) for call in self.calls):
            return
        for call in self.calls:
            if KERAS_LAYER.match(self.full(call.func)) and self.said(self.word(call, "stateful")) is True and any(
                    self.full(one.func).endswith("keras.Input") or self.full(one.func).endswith("keras.layers.Input") or any(
                        k.arg == "input_shape" for k in one.keywords) for one in self.calls):
                self.mistake(call, "a state of unknown batches", doubted=False)
                return

    def loss_the_other_way_round(self, call):
        """def loss(y_pred, y_true): …, which compile() calls with the labels first"""
        given = self.given(call, 1, "loss")
        found = self.origins.functions_of(given.func if isinstance(given, ast.Call) else given) if isinstance(given, (ast.Name, ast.Call)) else []
        of = found[0] if len(found) == 1 and isinstance(found[0], ast.FunctionDef) else None
        if of is not None and isinstance(given, ast.Call):  # the function that it makes
            back = [self.written(one.value) for one in of.body if isinstance(one, ast.Return) and one.value is not None]
            of = next((one for one in of.body if isinstance(one, ast.FunctionDef) and [one.name] == back), None)
        names = [one.arg for one in of.args.args] if of is not None else []
        if len(names) == 2 and OF_PREDICTIONS.match(names[0]) and OF_TRUE_LABELS.match(names[1]):
            self.mistake(of, "a loss with its labels second", of.name, names[0], names[1], other=call)

    def metrics_without_a_list(self, call):
        """model.compile(…, metrics="accuracy"), which Keras 2 took as a list of one"""
        given = self.word(call, "metrics")
        made = self.value_of(given) if given is not None else None
        alone = isinstance(made, (ast.FunctionDef, ast.Lambda)) or isinstance(made, ast.Constant) and isinstance(made.value, str) and made.value or isinstance(made, ast.Call) and re.match(
            r"(tensorflow\.)?keras\.metrics\.[A-Z]\w+$", self.full(made.func))
        if alone and any(k.arg in ("loss", "optimizer") for k in call.keywords) and not self.says(r"tf_keras|TF_USE_LEGACY_KERAS") and not self.reader.pinned_for(
                "keras") and not self.reader.pinned_for("tensorflow"):
            self.mistake(given, "metrics without a list", self.written(given))

    def weights_in_an_array(self, call):
        """model.fit(…, class_weight=compute_class_weight("balanced", …))"""
        given = self.word(call, "class_weight")
        made = self.value_of(given) if given is not None else None
        if isinstance(made, ast.Call) and self.full(made.func) in ("sklearn.utils.class_weight.compute_class_weight", "sklearn.utils.compute_class_weight"):
            self.mistake(given, "weights of classes in an array", self.written(made.func).rsplit(".", 1)[-1], other=made, doubted=False)

    def samples_without_batch(self, call):
        """data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(100); model.fit(data)"""
        of = self.value_of(call.args[0]) if call.args else None
        while isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute) and not self.full(of.func):
            if "batch" in of.func.attr or of.func.attr in ("apply", "window", "interleave", "flat_map", "rejection_resample"):
                return
            of = self.value_of(of.func.value)
        dropped = self.says(r"(?m)^\s*%s\.\w*batch\(" % re.escape(self.written(call.args[0]))) if call.args else False  # which is told by itself
        if not dropped and isinstance(of, ast.Call) and re.match(r"tensorflow\.data\.Dataset\.(from_tensor_slices|from_generator|list_files)$", self.full(of.func)):
            self.mistake(call.args[0], "samples that nothing batches", self.written(call.args[0]), other=of)

    def best_of_all(self, call):
        """ModelCheckpoint("best.keras"), which is written after each epoch"""
        path = self.said(self.given(call, 0, "filepath"))
        if isinstance(path, str) and re.search(r"(?i)(^|[/_.-])best([/_.-]|$)", path) and "{" not in path and not any(
                k.arg in ("save_best_only", None) for k in call.keywords) and len(call.args) < 4:
            self.mistake(call, "a best that is the last", path, doubted=False)

    def converted_behind_resize(self, call):
        """tf.image.convert_image_dtype(tf.image.resize(image, size), tf.float32)"""
        made = self.value_of(call.args[0]) if call.args else None
        if isinstance(made, ast.Call) and self.full(made.func) == "tensorflow.image.resize" and "float" in self.written(call) and not self.says(
                r"convert_image_dtype\([^\n]*float[^\n]*\n[^\n]*resize"):
            self.mistake(call, "a conversion that scales nothing", self.written(made), other=made)

    def functions_of_symbols(self, call):
        """tf.abs(left - right), of what layers of a functional model give: since Keras 3, such tensors are Keras's alone."""
        if any(isinstance(one, (ast.FunctionDef, ast.Lambda, ast.ClassDef)) and getattr(one, "name", "") in ("call", "train_step", "test_step", "loss") or isinstance(
                one, (ast.Lambda, ast.ClassDef)) for one in self.origins.around(call)) or self.reader.pinned_for("tensorflow") or self.reader.pinned_for("keras"):
            return
        for given in call.args[:2]:
            for part in ast.walk(given) if isinstance(given, (ast.BinOp, ast.Name, ast.List)) else ():
                made = self.value_of(part) if isinstance(part, ast.Name) else None
                symbol = isinstance(made, ast.Call) and not re.search(r"Input$", self.full(made.func)) and self.is_symbol(made, 12)
                if symbol and not self.is_reported(call):
                    self.mistake(call, "a function of TensorFlow's on a tensor of Keras's", self.full(call.func).replace("tensorflow.", "keras.ops.").replace("reduce_", "").replace(
                        "math.", "").replace("nn.", ""), self.written(part), other=made)
                    return

    def is_symbol(self, node, deepest):
        """Whether a value comes from keras.Input through layers alone."""
        made = self.value_of(node) if deepest > 0 else None
        if not isinstance(made, ast.Call):
            return False
        if re.search(r"keras\.(layers\.)?Input$", self.full(made.func)):
            return True
        of = self.value_of(made.func) if isinstance(made.func, (ast.Name, ast.Call)) else None
        makes = re.match(r"(tensorflow\.)?keras\.(layers\.[A-Z]\w*|Sequential|Model|models\.(Sequential|Model))$", self.full(of.func)) if isinstance(of, ast.Call) else None
        return makes is not None and len(made.args) == 1 and self.is_symbol(made.args[0], deepest - 1)
