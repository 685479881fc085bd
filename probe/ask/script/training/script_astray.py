"""What a script computes with beside what it means: a function that gives nothing back, a class under a name that is another thing by then, labels and pictures
of another form, a number of a GPU for that of a process; for the reader of scripts."""

GENERATORS_OF_KERAS = re.compile(r"(tensorflow\.)?keras\.(\w+\.)*ImageDataGenerator$")
OF_ALL_PICTURES = ("featurewise_center", "featurewise_std_normalization", "zca_whitening")
NAMES_NEAR_PARAMS = ("param", "parameters", "Params", "weights")
FITS_ANY_SHAPE = re.compile(r"torch\.nn\.(MSELoss|L1Loss|SmoothL1Loss|HuberLoss|BCELoss|BCEWithLogitsLoss)$")
FUNCTIONS_OF_ANY_SHAPE = re.compile(r"torch\.nn\.functional\.(mse_loss|l1_loss|smooth_l1_loss|huber_loss|binary_cross_entropy(_with_logits)?)$")
SETS_OF_PICTURES = re.compile(r"(torchvision\.)?(datasets\.)?(MNIST|FashionMNIST|KMNIST|EMNIST|QMNIST|CIFAR10|CIFAR100|SVHN|STL10|CelebA|ImageFolder)$")
FLATTENS_ALL = re.compile(r"(torch\.)?(\w+)?\.?(view\(\w+\.(size\(0\)|shape\[0\]), -1\)|view\(-1, [\w* ]+\)|reshape\(\w+\.(size\(0\)|shape\[0\]), -1\)|reshape\(-1, [\w* ]+\)|"
                          r"flatten\((start_dim=)?1\)|flatten\(\w+, (start_dim=)?1\))$")
SHAPES_ANEW = re.compile(r"\.(view|reshape|unflatten|flatten|squeeze|unsqueeze|permute|view_as|reshape_as)\(|Unflatten\(|Flatten\(|Lambda\(|rearrange\(")
MODULE_OF_TORCH = re.compile(r"torch\.nn\.(modules\.(module\.)?)?Module$")
# Models of the Hub that are often named otherwise than they are called there.
NO_MODELS_OF_THE_HUB = {"gpt2-small": "gpt2", "gpt2-base": "gpt2", "gpt-2": "gpt2", "gpt-2-medium": "gpt2-medium", "bert-base": "bert-base-uncased",
                        "bert-large": "bert-large-uncased", "bert-uncased": "bert-base-uncased", "distilbert-base": "distilbert-base-uncased",
                        "distilbert-uncased": "distilbert-base-uncased", "xlm-roberta": "xlm-roberta-base", "gpt-neo-125M": "EleutherAI/gpt-neo-125m"}
FROM_THE_HUB = re.compile(r"transformers\.[\w.]+\.from_pretrained$|transformers\.pipeline$")
STARTS_WORKERS = re.compile(r"torch\.multiprocessing\.(spawn(\.spawn)?|start_processes|Process)$")
GROUPS = re.compile(r"torch\.(distributed\.fsdp\.(fully_sharded_data_parallel\.)?FullyShardedDataParallel|nn\.parallel\.(distributed\.)?DistributedDataParallel)$")
BEGINS_A_GROUP = re.compile(r"init_process_group|init_device_mesh|init_distributed|deepspeed|[Aa]ccelerat|[Ll]ightning|Fabric|horovod|setup|initiali[sz]e|ray\b|xmp|_init\(|init_dist")
OF_KNOWN_PACKAGES = frozenset("torch torchvision torchaudio numpy os sys time math random json argparse logging pathlib functools typing tqdm pandas matplotlib transformers datasets "
                              "collections itertools copy".split())
TRACES_ALONE = re.compile(r"(tensorflow\.function|jax\.jit|torch\.(no_grad|inference_mode|compile)|flax\.nnx\.jit)$")
ARITHMETIC = (ast.Div, ast.Sub, ast.Pow, ast.FloorDiv)
MEMBERS_OF_PLAIN_ARRAYS = ("reshape", "astype", "shape", "flatten", "mean", "dtype", "view", "max", "min", "float", "transpose")
DRAWS_AN_ORDER = re.compile(r"(jax\.random\.permutation|torch\.randperm|numpy\.random\.permutation)$")


class Astray(Learning):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not roots & {"torch", "torchvision", "tensorflow", "keras", "tf_keras", "jax", "flax", "transformers", "datasets"}:
            return
        self.loads = {}
        for one in nodes:
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                self.loads.setdefault(one.id, []).append(one)
        self.functions_that_give_nothing()
        self.classes_under_another_value()
        if "input" in self.loads:
            self.input_of_python()
        if self.says(r"featurewise_|zca_whitening"):
            self.statistics_of_nothing()
        if "flax" in roots:
            self.collections_of_another_name()
        if "torch" in roots:
            self.never_learned()
            self.modules_without_forward()
            self.flat_beside_pictures()
            self.wrapped_without_a_group(roots)
            self.metal_or_nothing()
            if self.says(r"spawn|Process\("):
                self.local_rank_of_nobody()
                self.numbers_of_gpus()
        if "transformers" in roots:
            self.models_that_are_not_there()
        if "datasets" in roots:
            self.columns_for_arrays()
        if "jax" in roots:
            self.targets_of_the_same_weights()
            if "equinox" in roots:
                self.keys_of_models()
        if {"tensorflow", "keras"} & roots:
            self.bags_for_tokens()
            self.words_of_old_loaders()
            self.classes_of_optimizers()
            self.metrics_that_stay_empty()
            self.picture_that_is_not_scaled()
        if self.says(r"permutation|randperm"):
            self.orders_that_are_never_cut()

    # ---- Python

    def functions_that_give_nothing(self):
        """def scale(image): image = image / 255, of which loader.map(scale) or x = scale(x) awaits the new one."""
        named = {}
        for of in self.tracing.index.functions:
            named.setdefault(of.name, []).append(of)
        for of in self.tracing.index.functions:
            last = of.body[-1]
            name = last.targets[0] if isinstance(last, ast.Assign) and len(last.targets) == 1 else last.target if isinstance(last, ast.AugAssign) else None
            if not isinstance(name, ast.Name) or isinstance(of, ast.AsyncFunctionDef) or len(named[of.name]) > 1 or not all(TRACES_ALONE.match(self.full(getattr(
                    one, "func", one))) for one in of.decorator_list) or any(isinstance(one, (ast.Return, ast.Yield, ast.YieldFrom, ast.Raise, ast.Global, ast.Nonlocal)) for one in ast.walk(of)):
                continue
            uses = [self.parents.get(id(one)) for one in self.loads.get(of.name, ())]
            taken = name.id in {one.arg for one in of.args.args}
            use = next((one for one in uses if isinstance(one, ast.Call) and (getattr(one.func, "id", "") == of.name and self.is_used(one, taken) and self.origins.functions_of(
                one.func) == [of] or is_call(one, "map") and self.is_of_datasets(one.func.value))), None)
            if use is not None:
                self.reader.mistake(last, "a function that gives nothing back", of.name, name.id, self.written(use), other=use)

    def is_of_datasets(self, node):
        """Whether a value comes from tf.data, whose map() needs what the function gives."""
        for _ in range(12):
            values = self.origins.of(node)
            node = values[0] if len(values) == 1 else None
            if not isinstance(node, ast.Call) or self.full(node.func).startswith("tensorflow.data."):
                break
            node = node.func.value if isinstance(node.func, ast.Attribute) else None
        return isinstance(node, ast.Call)

    def is_used(self, call, anywhere):
        """Whether something reads what a call gives; other than anywhere, only as the value of a name."""
        above = self.parents.get(id(call))
        if not anywhere:
            return isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name) and bool(self.loads.get(above.targets[0].id))
        if isinstance(above, ast.Return):  # as return print(x) is written
            holder = self.origins.scope(call)
            return isinstance(holder, ast.FunctionDef) and any(isinstance(one, ast.Name) and one.id == holder.name and not (isinstance(
                self.parents.get(id(self.parents.get(id(one)))), ast.Expr)) for one in self.loads.get(holder.name, ()))
        return isinstance(above, (ast.Assign, ast.BinOp, ast.Subscript, ast.Attribute, ast.Call, ast.keyword)) and not (
            isinstance(above, ast.Call) and getattr(above.func, "id", "") == "print")

    def classes_under_another_value(self):
        """class net(nn.Module): …; net = DataParallel(net()); other = net(), which calls the model of the line above."""
        for of in self.tracing.index.classes:
            if not isinstance(self.parents.get(id(of)), ast.Module) or not any(MODULE_OF_TORCH.match(self.full(base)) or re.match(
                    r"(tensorflow\.)?keras\.(models\.)?Model$|flax\.linen\.Module$", self.full(base)) for base in of.bases):
                continue
            bound = next((one for one in self.parents[id(of)].body if isinstance(one, ast.Assign) and self.written(one.targets[0]) == of.name and any(
                isinstance(call.func, ast.Name) and call.func.id == of.name for call in calls_in([one.value]))), None)
            again = next((call for call in self.calls if bound is not None and isinstance(call.func, ast.Name) and call.func.id == of.name and line_of(call) > line_of(
                bound) and not call.args and not call.keywords and self.origins.scope(call) is None and not any(
                    isinstance(one, ast.Assign) and line_of(bound) < line_of(one) <= line_of(call) and self.written(one.targets[0]) == of.name for one in self.parents[
                        id(of)].body)), None)
            if again is not None and self.takes_something(of) and not self.is_reported(again):
                self.mistake(again, "a class whose name is a model by then", of.name, self.written(bound), other=bound)

    def takes_something(self, of):
        """Whether forward() needs an argument; where there is none, it raises anyway."""
        forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name in ("forward", "call", "__call__")), None)
        return forward is None or len(forward.args.args) - len(forward.args.defaults) > 1

    def input_of_python(self):
        """model(input), where nothing binds input: it is the function that asks at the terminal."""
        if any(isinstance(one, ast.Name) and one.id == "input" and not isinstance(one.ctx, ast.Load) or isinstance(one, ast.arg) and one.arg == "input" or isinstance(
                one, (ast.Import, ast.ImportFrom)) and any((each.asname or each.name) in ("input", "*") for each in one.names) for one in self.nodes) or self.says(r"globals\(|exec\("):
            return
        for one in self.loads["input"]:
            call = self.parents.get(id(one))
            if isinstance(call, ast.Call) and one in call.args and re.search(r"(?i)(model|net|network|criterion|loss_fn|loss_func|encoder|decoder|generator|discriminator)$", self.written(
                    call.func)) and not self.is_reported(call):
                self.mistake(call, "a model that is given Python's input()")
                return

    # ---- Keras

    def statistics_of_nothing(self):
        """gen = ImageDataGenerator(featurewise_center=True); gen.flow_from_directory(path), and no gen.fit(x)"""
        for made in self.calls:
            asked = [k for k in made.keywords if k.arg in OF_ALL_PICTURES and self.said(k.value) is True]
            if not asked or not GENERATORS_OF_KERAS.match(self.full(made.func)):
                continue
            bound = self.parents.get(id(made))
            if isinstance(bound, ast.Attribute) and re.match(r"flow(_from_\w+)?$", bound.attr):
                self.mistake(asked[0].value, "pictures without statistics", asked[0].arg, "…", other=bound)
                continue
            name = self.written(bound.targets[0]) if isinstance(bound, ast.Assign) and isinstance(bound.targets[0], (ast.Name, ast.Attribute)) else None
            uses = [self.parents.get(id(one)) for one in self.nodes if name and isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load) and self.written(one) == name]
            if uses and all(isinstance(one, ast.Attribute) and re.match(r"flow(_from_\w+)?$|class_indices$", one.attr) for one in uses):
                self.mistake(asked[0].value, "pictures without statistics", asked[0].arg, name, other=uses[0])

    def bags_for_tokens(self):
        """x = tokenizer.texts_to_matrix(texts), for a model that begins with Embedding"""
        if self.says(r"texts_to_sequences|TextVectorization|one_hot\(") or not self.says(r"\bEmbedding\("):
            return
        embeddings = [call for call in self.calls if re.match(r"(tensorflow\.)?keras\.layers\.(\w+\.)?Embedding$", self.full(call.func))]
        for call in self.calls:
            bound = self.parents.get(id(call))
            if not is_call(call, "texts_to_matrix") or not isinstance(bound, ast.Assign) or len(embeddings) != 1 or self.says(r"concatenate\(|Concatenate\(|\[ *\w+, *\w+ *\], *y"):
                continue
            name = self.written(bound.targets[0])
            if any(is_call(one, "fit") and one.args and self.written(one.args[0]) == name for one in self.calls):
                self.mistake(call, "a bag of words for an embedding", self.written(embeddings[0].func), other=embeddings[0])
                return

    def words_of_old_loaders(self):
        """imdb.load_data(nb_words=5000), and load_img(path, grayscale=True)"""
        for call in self.calls:
            full = self.full(call.func)
            for form, old, new in ((r"(tensorflow\.)?keras\.datasets\.(imdb|reuters)\.load_data$", "nb_words", "num_words"),
                                   (r"(tensorflow\.)?keras\.(preprocessing\.image|utils)\.load_img$", "grayscale", "color_mode='grayscale'")):
                given = self.word(call, old) if re.match(form, full) else None
                if given is not None and not self.is_reported(call):
                    self.mistake(given, "a word that Keras's loaders took once", old, self.written(call.func), new)

    def classes_of_optimizers(self):
        """model.compile(optimizer=keras.optimizers.Adam)"""
        for call in self.calls:
            given = self.given(call, 0, "optimizer") if is_call(call, "compile") and not self.full(call.func) else None
            if isinstance(given, (ast.Name, ast.Attribute)) and re.match(r"(tensorflow\.|tf_)?keras\.optimizers\.(legacy\.|experimental\.)?[A-Z]\w+$", self.full(
                    given)) and not self.tracing.index.assigned.get(self.written(given)):
                self.mistake(call, "a class in the place of its optimizer", self.written(given), doubted=False)

    def metrics_that_stay_empty(self):
        """tracker = keras.metrics.Mean(), which metrics() names and nothing updates"""
        if self.says(r"for \w+ in self\.(metrics|_metrics)[^\n]*:\s*\n[^\n]*\n?[^\n]*update_state|setattr\(|getattr\("):
            return
        for of in self.tracing.index.functions:
            last = of.body[-1]
            if of.name != "metrics" or not of.decorator_list or not isinstance(last, ast.Return) or not isinstance(last.value, ast.List):
                continue
            for one in last.value.elts:
                name, made = self.written(one), self.tracing.index.assigned.get(self.written(one), [])
                plain = len(made) == 1 and isinstance(made[0], ast.Call) and re.match(r"(tensorflow\.)?keras\.metrics\.[A-Z]\w+$", self.full(made[0].func))
                if plain and not self.says(r"\b%s(\.update_state)?\(" % re.escape(name)) and not any(isinstance(each, (ast.Name, ast.Attribute)) and self.written(
                        each) == name and each is not one and isinstance(each.ctx, ast.Load) and isinstance(self.parents.get(id(each)), (
                            ast.Assign, ast.Call, ast.List, ast.Tuple, ast.keyword, ast.Dict)) for each in self.nodes):
                    self.reader.mistake(last, "a metric that nothing updates", name, self.written(made[0]), other=made[0], doubted=True)
                    return

    def picture_that_is_not_scaled(self):
        """x_train /= 255; model.fit(x_train, y); model.predict(img_to_array(load_img(path)))"""
        if self.says(r"(?i)rescaling\(|normali[sz]ation\(|preprocess(?!ing\b)|preprocessing_function"):
            return
        changed = {self.written(one.target) for one in self.nodes if isinstance(one, ast.AugAssign)}
        generators = [one for one in self.calls if GENERATORS_OF_KERAS.match(self.full(one.func))]
        for call in self.calls:
            if not is_call(call, "predict") or not call.args or self.full(call.func) or self.is_reported(call):
                continue
            x, said = call.args[0], self.written(call.args[0])
            for _ in range(3):  # x = expand_dims(x, 0), of x = img_to_array(img)
                values = [one for name in set(re.findall(r"\b[A-Za-z_]\w*\b", said)) for one in self.tracing.index.assigned.get(name, [])]
                more = " ".join(sorted({self.written(one) for one in values} | {said}))
                if more == said or len(more) > 2000:
                    break
                said = more
            if "img_to_array(" not in said or re.search(r"(?i)[/*]|255|(?<!gray)scal|norm|predict", re.sub(r"(['\"]).*?\1", "", said)) or changed & set(re.findall(r"[\w.]+", said)):
                continue
            fits = [one for one in self.calls if re.match(r"fit(_generator)?$", getattr(one.func, "attr", "")) and one.args and self.written(one.func.value) == self.written(call.func.value)]
            scaled = next((one for one in map(self.scaled_by_255, fits) if one is not None), None) if not generators else None
            if generators and fits and all(isinstance(self.word(one, "rescale"), ast.expr) for one in generators):
                scaled = generators[0]
            if scaled is not None:
                self.mistake(call, "a picture that is not scaled as the training", self.written(scaled), self.written(x), other=scaled)
                return

    def scaled_by_255(self, fit):
        """The statement that divides what a model is fitted to by 255."""
        name = self.written(fit.args[0]) if isinstance(fit.args[0], ast.Name) else None
        return next((one for one in self.nodes if name and (isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Div) and self.written(one.target) == name and self.said(
            one.value) in (255, 255.0) or isinstance(one, ast.Assign) and self.written(one.targets[0]) == name and re.search(
                r"\b%s\b.* / 255(\.0*)?$" % re.escape(name), self.written(one.value)))), None)

    # ---- JAX

    def targets_of_the_same_weights(self):
        """params = net.init(key, x); y = net.apply(params, x); params = net.init(key, x), which is to learn y and gives it already"""
        alike = {}
        for one in self.nodes:
            if isinstance(one, ast.Assign) and is_call(one.value, "init") and one.value.args and isinstance(one.targets[0], ast.Name) and isinstance(one.value.args[0], ast.Name):
                alike.setdefault((one.targets[0].id, self.written(one.value), id(self.origins.scope(one))), []).append(one)
        for first, again in (pair[:2] for pair in alike.values() if len(pair) > 1):
            key = first.value.args[0]
            bound = self.origins.statements_of(key)
            if line_of(first) > line_of(again) or len(bound) != 1 or bound != self.origins.statements_of(again.value.args[0]):
                continue
            answers = next((one for one in self.nodes if isinstance(one, ast.Assign) and line_of(first) < line_of(one) < line_of(again) and is_call(
                one.value, "apply") and one.value.args and self.written(one.value.args[0]) == self.written(first.targets[0]) and isinstance(one.targets[0], ast.Name)), None)
            if answers is not None and any(line_of(one) > line_of(again) or self.origins.scope(one) is not self.origins.scope(answers) for one in self.loads.get(
                    answers.targets[0].id, ())) and not self.says(r"allclose|array_equal|assert"):
                self.mistake(again.value, "targets of the same weights", answers.targets[0].id, key.id, other=answers)
                return

    def keys_of_models(self):
        """model = MLP(key=key); key, part = jax.random.split(key), which gives the parts that the model has drawn with"""
        models = {}
        for made in self.calls:
            given = self.word(made, "key")
            if isinstance(given, ast.Name) and re.search(r"(^|\.)[A-Z]\w*$", self.written(made.func)):
                models.setdefault(given.id, []).append((made, given))
        for split in self.calls:
            key = split.args[0] if self.full(split.func) == "jax.random.split" and split.args else None
            for made, given in models.get(key.id, [])[:20] if isinstance(key, ast.Name) and not self.is_reported(split) else ():
                if line_of(made) >= line_of(split):
                    continue
                bound = self.origins.statements_of(given)
                behind = [one for one in self.origins.statements_of(key) if one not in bound]
                inside = [one for one in behind if not any(one is each or one in self.origins.around(each) for each in [split, *self.origins.around(split)])]
                if self.origins.scope(made) is self.origins.scope(split) and len(bound) == 1 and bound[0] in self.origins.statements_of(key) and not inside:
                    self.mistake(split, "a key that a model has drawn with", key.id, self.written(made), other=made)
                    return

    def collections_of_another_name(self):
        """model.init({"param": key}, x)["param"]"""
        if self.says(r"['\"]params['\"]"):
            return
        for call in self.calls:
            given = self.given(call, 0, "rngs", "variables") if is_call(call, "init") or is_call(call, "apply") else None
            keys = [getattr(one, "value", None) for one in given.keys] if isinstance(given, ast.Dict) else []
            near = next((one for one in keys if one in NAMES_NEAR_PARAMS), None)
            if near and (len(call.args) > 1 or call.keywords) and all(isinstance(one, str) for one in keys):
                self.mistake(call, "a collection that Flax calls otherwise", near)
                return

    # ---- PyTorch

    def never_learned(self):
        """optimizer = SGD(net.parameters()), which nothing reads, beside a loop that computes a loss and prints it."""
        if self.says(r"backward\(|autograd\.grad|\.grad\b|closure|\.fit\(|Trainer|functional_call|optimizers?=") or self.has_other_engine():
            return
        for made in self.calls:
            bound = self.parents.get(id(made))
            name = bound.targets[0] if isinstance(bound, ast.Assign) and OPTIMIZERS_AT_ALL.match(self.full(made.func)) else None
            if not isinstance(name, ast.Name) or self.loads.get(name.id):
                continue
            for loop in self.tracing.index.loops:
                loss = next((one for one in calls_in(loop.body) if isinstance(one.func, ast.Name) and self.made_by(one.func, re.compile(
                    r"torch\.nn\.\w+Loss$"), surely=True) is not None or re.match(r"torch\.nn\.functional\.\w+(_loss|_entropy\w*)$", self.full(one.func))), None)
                if loss is not None and re.search(r"(?i)epoch|step|iter", self.written(loop.target) + self.written(loop.iter) if isinstance(loop, ast.For) else "") and not VALIDATES.search(
                        self.written(loop.iter)):
                    self.mistake(loss, "a loss that nothing learns from", name.id, other=made)
                    return

    def modules_without_forward(self):
        """class Net(nn.Module) with its layers and no forward(), which the file calls"""
        if self.says(r"setattr\(|\.forward *=|__getattr|types\.MethodType"):
            return
        bases = {self.written(base) for one in self.tracing.index.classes for base in one.bases}
        called = None
        for of in self.tracing.index.classes:
            own = {one.name for one in of.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
            if len(of.bases) != 1 or not MODULE_OF_TORCH.match(self.full(of.bases[0])) or own & {"forward", "__call__", "_call_impl"} or "__init__" not in own or any(
                    isinstance(one, ast.Assign) and re.search(r"\b(forward|__call__)\b", self.written(one.targets[0])) for one in of.body):
                continue
            if of.name in bases or sum(one.name == of.name for one in self.tracing.index.classes) > 1:
                continue
            called = self.classes_that_are_called() if called is None else called
            if id(of) in called:
                self.reader.mistake(of, "a module that computes nothing", of.name, self.written(called[id(of)]), other=called[id(of)])

    def classes_that_are_called(self):
        """By the class, the first call of an object of it, with an input."""
        found = {}
        for call in self.calls:
            if (call.args or call.keywords) and isinstance(call.func, (ast.Name, ast.Attribute)) and not self.full(call.func):
                made = self.origins.known(call.func, True)
                if len(made) == 1 and isinstance(made[0], ast.Call) and made[0] is not call:
                    for of in self.origins.functions_of(made[0].func):
                        found.setdefault(id(of), call)
        return found

    def flat_beside_pictures(self):
        """out = autoencoder(images), whose forward() flattens them; loss = criterion(out, images)"""
        pictures = any(SETS_OF_PICTURES.match(self.full(one.func)) for one in self.calls) or any(SETS_OF_PICTURES.match(name) for name in self.tracing.names.values())
        if not pictures:
            return
        self.normalized = [one for one in self.calls if re.match(r"torchvision\.transforms\.(v2\.)?(transforms\.)?Normalize$", self.full(one.func))]
        self.composed = [one for one in self.calls if re.match(r"torchvision\.transforms\.(v2\.)?(transforms\.)?Compose$", self.full(one.func))]
        for call in self.calls:
            whole = FUNCTIONS_OF_ANY_SHAPE.match(self.full(call.func)) or isinstance(call.func, (ast.Name, ast.Attribute)) and not self.full(call.func) and self.made_by(
                call.func, FITS_ANY_SHAPE, surely=True) is not None
            if not whole or len(call.args) < 2:
                continue
            asked = self.value_of(call.args[0])
            if not isinstance(asked, ast.Call) or len(asked.args) != 1 or not isinstance(asked.args[0], ast.Name):
                continue
            made = self.origins.made(asked.func)
            own = [of for of in self.origins.functions_of(made.func) if isinstance(of, ast.ClassDef)] if isinstance(made, ast.Call) else []
            forward = next((one for one in own[0].body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None) if len(own) == 1 else None
            if forward is None or len(forward.args.args) != 2:
                continue
            truth = call.args[1]
            if isinstance(truth, ast.Name) and truth.id == asked.args[0].id:
                self.flat_output(call, truth.id, own[0], forward)
            if self.normalized and isinstance(truth, (ast.Name, ast.Call)) and re.search(r"\b%s\b" % re.escape(asked.args[0].id), self.written(truth)):
                self.sigmoid_beside_normalized(call, truth, own[0], forward)

    def flat_output(self, call, name, of, forward):
        first, x = forward.body[0], forward.args.args[1].arg
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            first = forward.body[1] if forward.body[1:] else first
        flat = isinstance(first, ast.Assign) and self.written(first.targets[0]) == x and FLATTENS_ALL.match(self.written(first.value))
        rest = self.reader.written_whole(of).replace(self.written(first), "", 1)
        around = next((one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))), None)
        if not flat or SHAPES_ANEW.search(rest) or "Linear(" not in rest or re.search(r"Conv|LSTM|GRU|Embedding", rest) or not isinstance(around, ast.For) or not re.search(
                r"\b%s\b" % re.escape(name), self.written(around.target)):
            return
        if not re.search(r"\b%s\b[^\n]*\.(view|reshape|flatten|squeeze)\(|flatten\(" % re.escape(name), self.reader.written_whole(around)) and not self.says(r"Lambda\("):
            self.mistake(call, "flat pictures beside whole ones", name, self.written(first), other=first)

    def sigmoid_beside_normalized(self, call, truth, of, forward):
        """nn.Sigmoid() at the end, which gives 0 to 1, for pictures of Normalize((0.5,), (0.5,)), half of which are below 0."""
        returned = [one.value for one in ast.walk(forward) if isinstance(one, ast.Return) and one.value is not None]
        last = self.last_of(returned[0], of, forward) if len(returned) == 1 else None
        normalized = self.normalized[:20]
        means = [self.origins.known(one.args[0]) if one.args else [] for one in normalized]
        below = [[self.said(each) for each in one[0].elts] for one in means if len(one) == 1 and isinstance(one[0], (ast.Tuple, ast.List))]
        if last is None or len(below) != len(normalized) or not all(type(each) is float and each > 0.05 for one in below for each in one) or self.says(
                r"(?i)denorm|unnorm|inverse_norm|\* *0\.5 *\+ *0\.5|\+ *1\)? */ *2"):
            return
        if self.composed and all("Normalize(" in self.written(one) for one in self.composed) and not self.is_reported(last):
            self.mistake(last, "an activation that can't reach its pictures", self.written(call), self.written(normalized[0]), other=normalized[0])

    def last_of(self, node, of, forward):
        """The sigmoid that a value of forward() comes out of; None: another thing."""
        for _ in range(6):
            values = [one for one in self.origins.of(node)]
            node = values[0] if len(values) == 1 else None
            if not isinstance(node, ast.Call):
                return None
            if self.full(node.func) in ("torch.sigmoid", "torch.nn.functional.sigmoid") or is_call(node, "sigmoid"):
                return node
            if is_call(node, "view") or is_call(node, "reshape"):
                node = node.func.value
                continue
            layer = self.written(node.func)
            made = [one.value for one in ast.walk(of) if isinstance(one, ast.Assign) and self.written(one.targets[0]) == layer]
            full = self.full(made[0].func) if len(made) == 1 and isinstance(made[0], ast.Call) else ""
            if full == "torch.nn.Sigmoid":
                return node
            if full == "torch.nn.Sequential" and made[0].args and isinstance(made[0].args[-1], ast.Call) and self.full(made[0].args[-1].func) == "torch.nn.Sigmoid":
                return made[0].args[-1]
            return None
        return None

    def metal_or_nothing(self):
        """device = torch.device("mps" if torch.backends.mps.is_available() else "cpu"), and no word of CUDA"""
        if self.says(r"(?i)cuda|accelerator|\bxpu\b|apple|mac ?(os|book)|metal|silicon|darwin|\bm[1-5]\b") or not self.says(r"\.backward\(|Trainer\("):
            return
        for one in self.nodes:
            if isinstance(one, ast.IfExp) and self.said(one.body) == "mps" and self.said(one.orelse) == "cpu" and "mps.is_available()" in self.written(one.test):
                self.mistake(one, "a device that leaves CUDA out")
                return

    # ---- processes

    def wrapped_without_a_group(self, roots):
        """net = DistributedDataParallel(Net()), of a file that trains, starts no process group and hands on to no other file."""
        if not self.says(r"\.backward\(") or BEGINS_A_GROUP.search(self.reader.text) or not roots <= OF_KNOWN_PACKAGES or any(isinstance(one, ast.ImportFrom) and one.level for one in self.nodes):
            return
        for call in self.calls:
            holder = self.origins.scope(call)
            runs = holder is None or isinstance(holder, ast.FunctionDef) and self.says(r"(?m)^if __name__|^%s\(" % holder.name) and self.origins.sites(holder)
            if GROUPS.match(self.full(call.func)) and runs and not self.in_branch(call) and self.word(call, "process_group", "device_mesh") is None:
                self.mistake(call, "replicas without a process group", self.written(call.func))
                return

    def local_rank_of_nobody(self):
        """mp.spawn(worker), which sets RANK, and int(os.environ.get("LOCAL_RANK", 0)) for the GPU: 0 in each process"""
        if self.says(r"(environ(\.setdefault\(|\[)['\"]|putenv\(['\"])LOCAL_RANK['\"]\]? *(=[^=]|,)|environ\.update|torchrun|torch\.distributed\.(run|launch)\b|elastic") or not self.says(
                r"environ\[['\"]RANK['\"]\] *=|init_process_group\([^()]*\brank *="):
            return
        for spawn in self.calls:
            worker = self.given(spawn, 0, "fn", "target") if STARTS_WORKERS.match(self.full(spawn.func)) else None
            for of in self.origins.functions_of(worker) if worker is not None else ():
                for call in self.reached(of, 4):
                    reads = self.full(call.func) in ("os.environ.get", "os.getenv") and len(call.args) == 2 and self.said(call.args[0]) == "LOCAL_RANK"
                    if reads and self.said(call.args[1]) in (0, "0") and self.says(r"set_device\(|cuda:"):
                        self.mistake(call, "a local rank that nobody sets", self.written(spawn.func), other=spawn)
                        return

    def numbers_of_gpus(self):
        """rank = gpus[rank], and behind it rank == 0, {"cuda:0": "cuda:%d" % rank} or rank % world_size"""
        for of in self.tracing.index.functions:
            rank = of.args.args[0].arg if of.args.args and re.search(r"rank", of.args.args[0].arg) else None
            bound = next((one for one in of.body if rank and isinstance(one, ast.Assign) and self.written(one.targets[0]) == rank and isinstance(
                one.value, ast.Subscript) and self.written(one.value.slice) == rank and isinstance(one.value.value, ast.Name)), None)
            if bound is None:
                continue
            pools = [self.value_of(one) for one in self.lists_behind(of, bound.value.value.id)]
            if not pools or any(not isinstance(one, (ast.List, ast.Tuple)) or not one.elts or self.said(one.elts[0]) in (0, None) for one in pools):
                continue
            for one in ast.walk(of):
                if not isinstance(one, ast.expr) or line_of(one) <= line_of(bound):
                    continue
                first = isinstance(one, ast.Compare) and self.written(one.left) == rank and isinstance(one.ops[0], ast.Eq) and self.said(one.comparators[0]) == 0
                places = isinstance(one, ast.Dict) and len(one.keys) == 1 and one.keys[0] is not None and re.match(r"'cuda:(0'|%d' % 0$)", self.written(one.keys[0])) and re.search(
                    r"\b%s\b" % rank, self.written(one.values[0]))
                counted = isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) and not isinstance(one.left, ast.Constant) and re.search(r"\b%s\b" % rank, self.written(
                    one.left)) and re.search(r"world|size|count", self.written(one.right))
                if (first or places or counted) and not self.is_reported(one):
                    self.mistake(one, "the number of a GPU for that of a process", rank, self.written(bound), other=bound)

    def lists_behind(self, of, name):
        """What a parameter is given by spawn(worker, args=(…)), by its place or name."""
        names = [one.arg for one in of.args.args]
        if name not in names:
            return self.tracing.index.assigned.get(name, [])
        found = []
        for spawn in self.calls:
            given = self.word(spawn, "args") if STARTS_WORKERS.match(self.full(spawn.func)) else None
            at = names.index(name) - 1
            if isinstance(given, ast.Tuple) and 0 <= at < len(given.elts):
                found.append(given.elts[at])
        return found

    # ---- the Hub

    def models_that_are_not_there(self):
        """from_pretrained("gpt2-small"), of which no folder of the script has the name"""
        for call in self.calls:
            given = self.given(call, 1, "model") if self.full(call.func) == "transformers.pipeline" else self.given(call, 0, "pretrained_model_name_or_path")
            said = self.said(given) if given is not None and FROM_THE_HUB.match(self.full(call.func)) else None
            right = NO_MODELS_OF_THE_HUB.get(said) if isinstance(said, str) else None
            if right and not self.says(r"save_pretrained|save_model|local_files_only|output_dir *= *['\"](\./)?%s['\"]" % re.escape(said)):
                self.mistake(call, "a model that the Hub doesn't have", said, right)

    def columns_for_arrays(self):
        """data = load_dataset("mnist"); data["train"]["image"] / 255, which is a list or a Column, whatever the format"""
        if self.reader.pinned_for("datasets"):
            return
        for one in self.nodes:
            column = one.left if isinstance(one, ast.BinOp) and isinstance(one.op, ARITHMETIC) else one.value if isinstance(one, ast.Attribute) and one.attr in MEMBERS_OF_PLAIN_ARRAYS else None
            if not isinstance(column, ast.Subscript) or not isinstance(self.said(column.slice), str) or not isinstance(column.value, ast.Subscript) or not isinstance(
                    self.said(column.value.slice), str):
                continue
            made = self.value_of(column.value.value)
            while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in ("with_format", "shuffle", "rename_column", "map") and not self.full(made.func):
                made = self.value_of(made.func.value)
            if isinstance(made, ast.Call) and self.full(made.func) == "datasets.load_dataset" and self.word(made, "split", "streaming") is None and not self.is_reported(one):
                self.mistake(one, "a column that is no array", self.written(column))

    # ---- batches

    def orders_that_are_never_cut(self):
        """for step in range(epochs * n // batch_size): order = permutation(key, n); x = data[order], which is all of the data"""
        for loop in self.tracing.index.loops:
            size = re.search(r"// *(\w*batch\w*|bs)\b", self.written(loop.iter)) if isinstance(loop, ast.For) else None
            if not size or any(re.search(r"\b%s\b" % size.group(1), self.reader.written_whole(one)) for one in loop.body) or len(self.loads.get(size.group(1), ())) != 1:
                continue
            for one in loop.body:
                name = one.targets[0] if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and DRAWS_AN_ORDER.match(self.full(one.value.func)) else None
                if not isinstance(name, ast.Name) or self.says(r"dynamic_slice|batch\(|\bsplit\([^\n]*\b%s\b" % name.id):
                    continue
                uses = [self.parents.get(id(each)) for each in self.loads.get(name.id, ())]
                if uses and all(isinstance(each, ast.Subscript) and getattr(each.slice, "id", "") == name.id for each in uses):
                    self.mistake(uses[0], "an order that is never cut", size.group(1), self.written(one.value), other=one)
                    return
