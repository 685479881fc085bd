"""What TensorFlow and Keras do with the statements of a file, read as they stand; for the reader of scripts."""

LAYERS_WITH_WEIGHTS = re.compile(r"(tensorflow\.|tf_)?keras\.(layers\.(Dense|Conv\w+|LSTM|GRU|Embedding|MultiHeadAttention|"
                                 r"SeparableConv\w+)|applications\.\w+(\.\w+)?)$")
OPTIMIZERS_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.optimizers\.(legacy\.|experimental\.)?[A-Z]\w+$")
SCALERS_OF_KERAS = re.compile(r"(tensorflow\.)?keras\.(mixed_precision|optimizers|mixed_precision\.experimental)\.LossScaleOptimizer$")
# Objects whose members Keras 3 has changed, what they are called, and which are gone, with what is there instead.
MADE_OPTIMIZERS = re.compile(r"(tensorflow\.(keras\.)?|keras\.)optimizers\.(?!schedules|deserialize|get$)[A-Z]\w+$|"
                             r"tensorflow\.keras\.mixed_precision\.(experimental\.)?LossScaleOptimizer$")
MADE_LAYERS = re.compile(r"(tensorflow\.)?keras\.layers\.(?!Input$|InputLayer$|Layer$|TFSM|Wrapper$|serialize|RNN$)[A-Z]\w+$")
MADE_MODELS = re.compile(r"(tensorflow\.)?keras\.(Sequential|Model|models\.(Sequential|Model|load_model)|applications\.(\w+\.)?[A-Z]\w+)$")
MADE_METRICS = re.compile(r"(tensorflow\.)?keras\.metrics\.(?!Metric$)[A-Z]\w+$")
OF_KERAS_2 = (
    (MADE_METRICS, "a metric", {"reset_states": "Write reset_state()."}),
    (MADE_OPTIMIZERS, "an optimizer", {
        "minimize": "Take the gradients with tf.GradientTape, and give them to apply_gradients().", "get_weights": "Read optimizer.variables.",
        "lr": "Write learning_rate.", "_decayed_lr": "Write learning_rate.", "add_slot": "Write add_variable_from_reference().",
        "get_slot": "Keep what add_variable_from_reference() gives.", "weights": "Write variables."}),
    (MADE_LAYERS, "a layer", {
        "get_output_at": "Write layer.output.", "get_input_at": "Write layer.input.", "output_shape": "Write layer.output.shape.",
        "input_shape": "Write layer.input.shape.", "get_losses_for": "Write layer.losses.", "get_updates_for": "Leave it out.",
        "inbound_nodes": "Keep the tensors that lead to it.", "outbound_nodes": "Keep the tensors that it gives."}),
    (MADE_MODELS, "a model", {
        "reset_states": "Call reset_state() of its recurrent layers.", "state_updates": "Leave it out.", "get_updates_for": "Leave it out.",
        "get_losses_for": "Write model.losses.", "get_output_at": "Write model.outputs.", "get_input_at": "Write model.inputs."}),
)
LAYERS_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.(\w+\.)*(Layer|Model)$")
# Operations that take long on large tensors, and give back before the GPU has done them.
HEAVY_OPS = re.compile(r"tensorflow\.(matmul|einsum|tensordot|linalg\.(matmul|einsum|inv|svd|cholesky|solve|eigh?|qr)|"
                       r"nn\.(conv\w+|depthwise_conv2d)|signal\.(i?r?fft\w*))$")
# What XLA has no code for: Python, texts and files.
FOREIGN_TO_XLA = re.compile(r"tensorflow\.(numpy_function|py_function|strings\.\w+|io\.(read_file|decode_\w+|parse_\w+|write_file))$")
DISTRIBUTES_DATA = ("experimental_distribute_dataset", "distribute_datasets_from_function", "experimental_distribute_datasets_from_function")
MIRRORS = re.compile(r"tensorflow\.distribute\.(experimental\.)?\w*MirroredStrategy$")
MODELS_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.(Sequential|Model|models\.(Sequential|Model|load_model|clone_model)|applications\.(\w+\.)?[A-Z]\w+)$")
KEPT_MAPS = re.compile(r"map|feat|hidden|activ|latent|mask|embed|recon|image|frame", re.I)
DECODES_OF_TF = re.compile(r"\.(decode_(jpeg|png|image|bmp|gif|and_crop_jpeg|webp)|read_file)\(")
# What TensorFlow computes as well as NumPy.
PLAIN_NUMPY = re.compile(r"(numpy\.(mean|std|sqrt|exp|log|log1p|abs|clip|sum|maximum|minimum|max|min|var|square|power|tanh|where|"
                         r"float(16|32|64)|expand_dims|transpose|stack|concatenate|pad|roll|flip))$")
METHODS_OF_ARRAYS = ("mean", "std", "sum", "min", "max", "var", "astype", "clip", "reshape", "transpose", "copy")
COMPUTES_TF = re.compile(r"tensorflow\.(?!config|keras\.(utils|backend)|data\b|io|version|__version__|test|get_logger|compat|"
                         r"TensorSpec|function|distribute|autograph|debugging|summary|float|int|nest|python)|keras\.(layers|Sequential|Model|"
                         r"applications|models)")
MAKES_KERAS_MODEL = re.compile(r"keras\.(Model|Sequential|models\.(load_model|Sequential|Model|clone_model)|applications\.\w+)$")
# Functions of TensorFlow's that compute a tensor where tf.device says.
GIVES_TENSORS = re.compile(r"tensorflow\.((math|linalg|random|nn|image|signal)\.)?(?!function$|device$|py_function$|numpy_function$|print$)[a-z]\w*$")


class OfValues(Steps):
    """What names stand for."""

    def chain(self, node):
        """The calls of x.map(f).batch(8), the last one first, and what it begins with."""
        calls = []
        while isinstance(node, ast.Call):
            calls.append(node)
            node = node.func.value if isinstance(node.func, ast.Attribute) and not self.full(node.func) else node.func
        return calls, node

    def know(self, nodes):
        stored, assigned, functions = {}, {}, {}
        for one in nodes:
            if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
                stored[one.id] = stored.get(one.id, 0) + 1
            elif isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                assigned.setdefault(one.targets[0].id, []).append(one)
            elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions[one.name] = None if one.name in functions else one
        self.assigned = assigned
        self.single = {name: made[0] for name, made in assigned.items() if stored[name] == 1}
        self.of_name = functions

    def value(self, node):
        """What a name stands for; anything else stands for itself."""
        return self.value_of(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) else node

    def origin(self, node, deepest=5):
        """The nodes of an expression, and of what its names were last assigned above it."""
        waiting, seen = [(node, 0)], set()
        while waiting:
            of, depth = waiting.pop()
            for one in ast.walk(of):
                yield one
                if isinstance(one, ast.Name) and one.id in self.assigned and one.id not in seen and depth < deepest:
                    seen.add(one.id)
                    made = [each for each in self.assigned[one.id] if each.lineno < one.lineno]
                    waiting += [(each.value, depth + 1) for each in made[-1:]]

    def number(self, node):
        """An integer that is written down, or computed from such ones; None: not known."""
        node = self.value(node)
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if not isinstance(node, ast.BinOp):
            return None
        left, right = self.number(node.left), self.number(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.LShift):
            return left << right if 0 <= right < 64 else None
        if isinstance(node.op, ast.Pow):
            return left ** right if 0 <= right < 64 and abs(left) < 1025 else None
        if isinstance(node.op, ast.FloorDiv):
            return left // right if right else None
        return {ast.Mult: left * right, ast.Add: left + right, ast.Sub: left - right}.get(type(node.op))

    def shape(self, node):
        """The dimensions, as nodes, that an array is made with; None: not known."""
        node = self.value(node)
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "copy"):
            node = self.value(node.func.value)
        if not isinstance(node, ast.Call):
            return None
        name = self.full(node.func)
        if re.match(r"numpy\.random\.(rand|randn)$", name):
            return node.args
        given = next((k.value for k in node.keywords if k.arg in ("shape", "size")), None)
        if re.match(r"jax\.random\.(?!split|PRNGKey|key|fold_in)\w+$", name) and len(node.args) > 1:
            given = given or next((one for one in node.args[1:] if isinstance(self.value(one), ast.Tuple)), None)
        elif re.match(r"(numpy|jax\.numpy|tensorflow|cupy)\.(zeros|ones|empty|full|random\.(random|standard_normal|normal|uniform))$",
                      name) and node.args:
            given = given or node.args[0]
        given = self.value(given) if given is not None else None
        if isinstance(given, (ast.Tuple, ast.List)):
            return given.elts
        return [given] if given is not None and self.number(given) is not None else None

    def elements(self, node):
        """How many numbers an array holds; 0: not known."""
        product = 1
        for one in self.shape(node) or [None]:
            product *= (self.number(one) if one is not None else None) or 0
        return product

    def method(self, node, *names):
        """Whether it is a call of one of these methods."""
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names

    def function(self, node):
        """The function or lambda that an expression names; None: not known."""
        node = self.value(node)
        if isinstance(node, ast.Call) and self.full(node.func) == "functools.partial" and node.args:
            node = node.args[0]
        return node if isinstance(node, (ast.Lambda, ast.FunctionDef)) else self.of_name.get(getattr(node, "id", getattr(node, "attr", None)))

    def text_of(self, function, deepest=2):
        """The text of a function, and of those of the file that it calls."""
        text = self.reader.written_whole(function)
        for call in calls_in([function]) if deepest else ():
            inner = self.of_name.get(call.func.id) if isinstance(call.func, ast.Name) else None
            if inner is not None and inner is not function:
                text += "\n" + self.text_of(inner, deepest - 1)
        return text

    @staticmethod
    def scopes(nodes):
        """The file and its functions, each with the nodes that run with it."""
        for of in nodes:
            if isinstance(of, (ast.Module, ast.FunctionDef)):
                inner = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
                yield of, [one for one in ast.walk(of) if id(one) not in inner]

    def forked_late(self, nodes, computes):
        """get_context("fork").Pool(2) behind a computation of this process, whose threads and GPU a fork doesn't take along."""
        if not self.says(r"['\"]fork['\"]|os\.fork\("):
            return
        for of, own in self.scopes(nodes):
            for fork in (one for one in own if isinstance(one, ast.Call) and self.is_fork(one)):
                if isinstance(self.given(fork, 9, "num_workers"), ast.Constant) and self.word(fork, "num_workers").value == 0:
                    continue
                at = self.forks_at(fork, own)
                begun = next((one for one in own if isinstance(one, ast.Call) and one.lineno < at.lineno and self.computes(one, computes)), None)
                if begun is None and not isinstance(of, ast.Module):
                    begun = self.begun_with_the_file(nodes, of, computes)
                handed = [self.function(argument) for one in nodes if self.method(one, "map", "starmap", "apply", "imap", "submit", "Process", "apply_async")
                          for argument in one.args + [k.value for k in one.keywords if k.arg == "target"]]
                threads = self.word(fork, "multiprocessing_context") is not None or any(
                    of is not None and any(self.computes(call, computes) for call in calls_in([of])) for of in handed) or any(
                        self.computes(call, computes) for call in self.of_the_child(fork, own))
                if begun is not None and threads:
                    self.mistake(fork, "a process that is forked too late", self.written(begun), other=begun)

    def is_fork(self, call):
        """get_context("fork"), set_start_method("fork"), os.fork(), or a DataLoader that is told to fork."""
        name = self.full(call.func)
        if re.match(r"(torch\.)?multiprocessing\.(get_context|set_start_method)$", name):
            return self.said(self.given(call, 0, "method")) == "fork"
        return name == "os.fork" or self.said(self.word(call, "multiprocessing_context")) == "fork"

    def forks_at(self, fork, own):
        """The call that makes the processes: Pool(2), of a context or behind set_start_method()."""
        if not self.full(fork.func).endswith((".get_context", ".set_start_method")):
            return fork
        makers = ("Pool", "Process", "ProcessPoolExecutor")
        return next((one for one in own if isinstance(one, ast.Call) and one.lineno >= fork.lineno and getattr(
            one.func, "attr", getattr(one.func, "id", "")) in makers), fork)

    def of_the_child(self, fork, own):
        """The calls of what runs under if pid == 0, behind pid = os.fork()."""
        name = next((self.written(one.targets[0]) for one in own if isinstance(one, ast.Assign) and one.value is fork), None)
        for one in own if self.full(fork.func) == "os.fork" else ():
            if isinstance(one, ast.If) and (any(part is fork for part in ast.walk(one.test)) or name and re.match(
                    r"(not %s$|%s == 0)" % ((re.escape(name), ) * 2), self.written(one.test))):
                yield from calls_in(one.body)

    def begun_with_the_file(self, nodes, of, computes):
        """A call at the top of the file that computes, before the file calls the function that forks: MODEL = build()"""
        for one in (one for whole in nodes if isinstance(whole, ast.Module) for one in whole.body):
            if isinstance(one, (ast.Assign, ast.Expr, ast.For)):
                for call in calls_in([one]):
                    called = self.origins.functions_of(call.func)
                    if any(each is of or re.search(r"\b%s\(" % re.escape(of.name), self.reader.written_whole(each)) for each in called):
                        return None
                    if self.computes(call, computes):
                        return call
        return None

    def computes(self, call, form):
        """Whether a call, or the function of the file that it calls, computes with what a pattern names."""
        of = self.of_name.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if form.match(self.full(call.func)) is not None or of is not None and any(form.match(self.full(one.func)) for one in calls_in([of])):
            return True
        of = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr in (
            "predict", "predict_on_batch", "train_on_batch", "fit", "evaluate", "call", "set_weights", "get_weights") else call.func
        return isinstance(of, (ast.Name, ast.Attribute)) and not self.full(of) and self.made_by(of, form) is not None  # MODEL(x)

    @staticmethod
    def bodies(nodes):
        """The blocks of the file."""
        for one in nodes:
            for name in ("body", "orelse", "finalbody"):
                if isinstance(getattr(one, name, None), list):
                    yield one, getattr(one, name)


class Graphs(OfValues):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"tensorflow", "keras", "tf_keras"} & roots:
            return
        self.know(nodes)
        calls = self.tracing.index.calls
        functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
        self.policy_too_late(nodes, calls)
        self.policy_of_a_callback(nodes)
        self.settings_of_fit(calls)
        self.options_that_get_lost(nodes)
        self.histories(calls)
        self.scaled_and_left(calls)
        self.scaled_as_before(calls)
        self.members_of_keras_2(nodes)
        self.gradients_of_metrics(calls)
        self.double_layers(calls)
        self.eager_training(calls)
        self.eager_functions(calls)
        self.pipelines_in_debug_mode(calls)
        self.half_eps(nodes, calls)
        self.one_at_a_time(nodes)
        self.one_file_at_a_time(nodes)
        self.kept_until_the_end(nodes)
        if "tensorflow" in roots:
            self.forked_late(nodes, COMPUTES_TF)
            self.mapped_on_a_device(nodes)
            self.converted_in_place(nodes)
            self.batches_of_all(calls)
            self.numpy_of_graphs(functions)
            self.decoded_alone(calls)
            self.shuffled_apart(nodes, calls)
            self.baked_arrays(functions)
            self.values_of_replicas(nodes, functions)
            self.shapes_for_xla(calls)
            self.foreign_to_xla(calls, functions)
            self.scopes_of_data(nodes)
            self.strategies_thrown_away(functions)
            self.strategies_for_nobody(nodes, calls)
            self.model_before_its_strategy(calls)
            self.saved_by_one(nodes)
            self.outside_of_its_scope(calls)
            self.foreign_operations(nodes)
            self.behind_the_prefetch(calls)
            self.on_the_cpu_by_name(nodes)
            self.divided_twice(calls)

    def device_of(self, node):
        """"CPU" or "GPU": what the innermost with tf.device around a node names; None: none, or neither."""
        for one in self.origins.around(node):
            for item in one.items if isinstance(one, ast.With) else ():
                call = item.context_expr
                if isinstance(call, ast.Call) and self.full(call.func) == "tensorflow.device" and call.args:
                    named = re.match(r"(?i)/?(job:\w+/)?(replica:\d+/)?(task:\d+/)?(device:)?(cpu|gpu)\b", self.origins.text_of(call.args[0]) or "")
                    return named.group(5).upper() if named else None
        return None

    def on_the_cpu_by_name(self, nodes):
        """with tf.device("/CPU:0"): x_gpu = tf.ones(8), which with tf.device("/GPU:0") reads."""
        for one in nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            if not isinstance(target, ast.Name) or not re.search(r"(?i)(^|_)gpu\d*(_|$)", target.id) or re.search(r"(?i)cpu", target.id) or not isinstance(
                    one.value, ast.Call) or not GIVES_TENSORS.match(self.full(one.value.func)) or self.device_of(one) != "CPU":
                continue
            use = next((name for name in nodes if isinstance(name, ast.Name) and name.id == target.id and isinstance(
                name.ctx, ast.Load) and self.device_of(name) == "GPU" and any(each is one for each in self.origins.statements_of(name))), None)
            if use is not None:
                self.reader.mistake(one, "a tensor of the CPU by the name of the GPU", target.id, self.written(one.value), "tf.device of the CPU",
                                    other=use, doubted=True)

    def divided_twice(self, calls):
        """steps_per_epoch = len(x) // workers // batch, where get_per_replica_batch_size(batch) divides the batch among the workers."""
        whole = {self.written(one.args[0]) for one in calls if self.method(one, "get_per_replica_batch_size") and one.args}
        for call in calls if whole else ():
            steps = self.word(call, "steps_per_epoch")
            made = self.value_of(steps) if steps is not None else None
            if not isinstance(made, ast.BinOp) or not isinstance(made.op, (ast.FloorDiv, ast.Div)):
                continue
            by = made.right
            factors = [by.left, by.right] if isinstance(by, ast.BinOp) and isinstance(by.op, ast.Mult) else [by]
            samples = self.value_of(made.left)
            again = [samples.right] if isinstance(samples, ast.BinOp) and isinstance(samples.op, (ast.FloorDiv, ast.Div)) else []
            batch = next((one for one in factors if self.written(one) in whole), None)
            if batch is not None and any(re.search(r"(?i)workers|num_input_pipelines|replicas", self.written(one)) for one in again + factors):
                self.mistake(made, "steps that are divided by the workers twice", self.written(batch), other=steps)

    # ---- Keras

    def policy_too_late(self, nodes, calls):
        """model = Sequential([Dense(8)]); set_global_policy("mixed_float16"): the layers stay as they are."""
        policies = [one for one in calls if one.args and self.full(one.func).rsplit(".", 1)[-1] in POLICIES[:3]]
        if len(policies) != 1 or not any(str(getattr(
                one, "value", "")).startswith("mixed_") for one in list(self.origin(policies[0].args[0])) + self.origins.of(policies[0].args[0])) or not self.says(r"\.fit\(|GradientTape"):
            return
        for _, body in self.bodies(nodes):
            at = next((n for n, one in enumerate(body) if isinstance(one, (ast.Expr, ast.Assign)) and self.sets_policy(one.value, policies[0])), None)
            if at is not None and not any(e.get("name") == "a policy set after the model" for e in self.reader.events):
                made = [one for one in body[:at] if self.builds(one)]
                if made and not any(self.builds(one) for one in body[at + 1:]):
                    at_call = body[at].value if body[at].value is not policies[0] else made[-1]
                    self.mistake(policies[0], "a policy behind the layers", other=at_call)

    def policy_of_a_callback(self, nodes):
        """def on_train_begin(self, logs=None): set_global_policy("mixed_bfloat16"): the model that trains has its layers."""
        if self.says(r"def build\(self"):  # whose layers may be made when fit() calls them first
            return
        for of in nodes:
            if not isinstance(of, ast.ClassDef) or not any(re.match(r"(tensorflow\.|tf_)?keras\.(\w+\.)*\w*Callback$", self.full(base))
                                                           for base in of.bases):
                continue
            for method in of.body:
                if isinstance(method, ast.FunctionDef) and re.match(r"(on_\w+_begin|set_model)$", method.name):
                    for call in calls_in(method.body):
                        inner = [one for to in self.origins.functions_of(call.func) if isinstance(to, ast.FunctionDef) for one in calls_in(to.body)]
                        sets = next((one for one in [call] + inner if self.full(one.func).rsplit(".", 1)[-1] in POLICIES[:3] and self.full(
                            one.func).startswith(("keras.", "tensorflow.", "tf_keras."))), None)
                        policy = self.given(sets, 0, "policy", "dtype_policy") if sets is not None else None
                        said = self.said(policy)
                        if policy is not None and not (isinstance(said, str) and not said.startswith("mixed_")):
                            return self.mistake(sets, "a policy behind the layers", other=method if sets is call else call)

    def sets_policy(self, node, policy):
        """Whether an expression is the call that sets the policy, or that of a function of the file which does."""
        return node is policy or isinstance(node, ast.Call) and any(
            one is policy for of in self.origins.functions_of(node.func) if isinstance(of, ast.FunctionDef) for one in calls_in(of.body))

    def builds(self, statement):
        """Whether layers are made when it runs."""
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return False
        for call in calls_in([statement]):
            if LAYERS_WITH_WEIGHTS.match(self.full(call.func)) or any(LAYERS_WITH_WEIGHTS.match(self.full(
                    one.func)) for of in self.origins.functions_of(call.func) for one in calls_in([of])):
                return True
        return False

    def settings_of_fit(self, calls):
        """model.fit(data, **asdict(Feed())), whose fields are workers and use_multiprocessing, which Keras 3 doesn't take."""
        if self.says(r"tf_keras|TF_USE_LEGACY_KERAS|keras *[<=]=* *2"):
            return
        for call in calls:
            keyword = next((k for k in call.keywords if k.arg is None), None)
            if keyword is None or not self.method(call, "fit", "evaluate", "predict") or self.made_by(
                    call.func.value, re.compile(r"(tensorflow\.)?keras\.(\w+\.)*(Model|Sequential)$|(tensorflow\.)?keras\.applications\.")) is None:
                continue
            for one in self.origins.of(keyword.value):
                fields = [] if self.asks_for_keras(one) else self.fields_of(one) + self.words_added(call, keyword.value)
                gone = next((name for name in ("workers", "use_multiprocessing", "max_queue_size") if name in fields), None)
                if gone and not self.is_reported(call):
                    self.reader.mistake(call, "an argument that Keras 3 lacks", gone, call.func.attr, doubted=True)

    def asks_for_keras(self, node):
        """Whether a node stands in a branch that asks for the version of Keras."""
        return any(isinstance(one, (ast.If, ast.IfExp)) and re.search(r"(?i)version|keras|signature|hasattr|legacy", self.written(one.test)) or
                   isinstance(one, ast.Try) for one in self.origins.around(node))

    def words_added(self, call, node):
        """The words of feeding["workers"] = 4 and feeding.update(workers=4) in the function of a call."""
        function = next((one for one in self.origins.around(call) if isinstance(one, ast.FunctionDef)), None)
        words = []
        for one in ast.walk(function) if function is not None and isinstance(node, ast.Name) else ():
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and self.written(one.value) == node.id and not self.asks_for_keras(one):
                words.append(self.said(one.slice))
            elif self.method(one, "update") and self.written(one.func.value) == node.id and not self.asks_for_keras(one):
                words += [k.arg for k in one.keywords]
        return words

    def fields_of(self, one):
        """The names that a dictionary has, or asdict(X()) or vars(X()) of a dataclass of the file give."""
        if isinstance(one, ast.Dict):
            return [key.value for key in one.keys if isinstance(key, ast.Constant)]
        if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "dict":
            return [k.arg for k in one.keywords]
        if not isinstance(one, ast.Call) or getattr(one.func, "attr", getattr(one.func, "id", "")) not in ("asdict", "vars") or not one.args:
            return []
        made = self.value_of(one.args[0])
        of = next((to for to in self.origins.functions_of(made.func) if isinstance(to, ast.ClassDef)), None) if isinstance(
            made, ast.Call) else None
        return [field.target.id for field in of.body if isinstance(field, ast.AnnAssign) and isinstance(
            field.target, ast.Name)] if of is not None and of.decorator_list else []

    def options_that_get_lost(self, nodes):
        """def __init__(self, units, **options): super().__init__(), of a layer that is made with dtype="float32"."""
        if not self.says(r"mixed_(b?float16)"):
            return
        for of in nodes:
            if not isinstance(of, ast.ClassDef) or not any(re.match(r"(tensorflow\.|tf_)?keras\.(\w+\.)*Layer$", self.full(base))
                                                           for base in of.bases):
                continue
            first = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
            rest = first.args.kwarg.arg if first is not None and first.args.kwarg is not None else None
            begins = [one for one in calls_in(first.body) if self.method(one, "__init__")] if rest else []
            if len(begins) != 1 or any(k.arg in (None, "dtype") for k in begins[0].keywords) or begins[0].args or re.search(
                    r"%s(\.|\[)|\*\*%s\b|dtype" % (rest, rest), "\n".join(map(self.reader.written_whole, first.body))):
                continue
            kept = {self.written(one.targets[0]) for one in first.body if isinstance(one, ast.Assign) and getattr(one.value, "id", "") == rest}
            if any(re.search(re.escape(name) + r"\b(?! = )", self.reader.written_whole(of)) for name in kept):
                continue
            for call in self.tracing.index.calls:
                if any(to is of for to in self.origins.functions_of(call.func)) and any(k.arg == "dtype" for k in call.keywords):
                    self.mistake(begins[0], "a kind of number that a layer doesn't hand on", self.written(call), other=call)
                    break

    def scaled_and_left(self, calls):
        """scaled = opt.get_scaled_loss(loss) of Keras 2, whose gradients apply_gradients() is given as they are."""
        if not self.says(r"\.get_scaled_loss\(") or not self.says(r"tf_keras|TF_USE_LEGACY_KERAS|mixed_precision\.experimental") or self.says(r"get_unscaled_gradients|\.loss_scale\b|/ *\w*scale|\.scale_loss\("):
            return
        for one in calls:
            if self.method(one, "apply_gradients"):
                self.mistake(one, "gradients that stay scaled", doubted=False)

    def members_of_keras_2(self, nodes):
        """optimizer.variables(), optimizer.lr, model.optimizer.lr = rate, layer.output_shape: what Keras 3 has changed."""
        if self.says(r"tf_keras|LEGACY_KERAS|optimizers\.legacy|compat\.v1|keras\.__version__") or any(map(self.reader.pinned_for, ("keras", "tensorflow"))):
            return
        for one in nodes:
            if not isinstance(one, ast.Attribute) or isinstance(one.ctx, ast.Del) or self.asks_for_keras(one):
                continue
            form, kind, members = next((each for each in OF_KERAS_2 if one.attr in each[2] and self.is_of_keras(one.value, each[0])), (None, "", {}))
            if isinstance(one.ctx, ast.Store):
                if one.attr == "lr" and form is MADE_OPTIMIZERS:
                    self.mistake(one, "a learning rate by its former name")
            elif form is not None:
                self.mistake(one, "a member of Keras 2", kind, members[one.attr])
            outer = self.origins.parents.get(id(one))
            if one.attr == "variables" and isinstance(outer, ast.Call) and outer.func is one and not outer.args and self.is_of_keras(one.value, MADE_OPTIMIZERS):
                self.mistake(outer, "variables of an optimizer that are called")

    def gradients_of_metrics(self, calls):
        """loss = self.mse(target, out) of keras.metrics.MeanSquaredError, and tape.gradient(loss, …): through its state flows no gradient."""
        for call in calls if self.says(r"GradientTape\(") else ():
            loss = self.value(call.args[0]) if self.method(call, "gradient") and len(call.args) > 1 else None
            of = loss.func if isinstance(loss, ast.Call) else None
            if isinstance(of, ast.Attribute) and of.attr == "result" and not loss.args:
                of = of.value
            if of is not None and self.is_of_keras(of, MADE_METRICS):
                self.mistake(loss, "a gradient of a metric", other=call)

    def is_of_keras(self, node, form):
        """Whether an object is surely made by Keras, of this kind; also model.optimizer, and that of a callback's self.model."""
        if form is MADE_OPTIMIZERS and isinstance(node, ast.Attribute) and node.attr == "optimizer":
            owner = self.origins.owner(node.value) if isinstance(node.value, ast.Attribute) and node.value.attr == "model" else None
            called_back = isinstance(owner, ast.ClassDef) and any(re.match(r"(tensorflow\.)?keras\.callbacks\.[A-Z]\w+$", self.full(
                base)) for base in owner.bases) and not any(isinstance(one, ast.Attribute) and one.attr == "model" and isinstance(
                    one.ctx, ast.Store) for one in ast.walk(owner))
            of = self.origins.owner(node)  # self.optimizer, in the train_step of a model
            own = isinstance(of, ast.ClassDef) and any(re.match(r"(tensorflow\.)?keras\.(models\.)?(Model|Sequential)$", self.full(
                base)) for base in of.bases) and not any(isinstance(one, ast.Attribute) and one.attr == "optimizer" and isinstance(
                    one.ctx, ast.Store) for one in ast.walk(of)) and not any(getattr(one, "name", "") == "compile" for one in of.body)
            return called_back or own or self.is_of_keras(node.value, MADE_MODELS)
        if isinstance(node, ast.Call):
            return form.match(self.full(node.func)) is not None
        values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Attribute)) else []
        if isinstance(node, ast.Name) and form is MADE_METRICS and not any(isinstance(one, ast.Call) for one in values):
            values = self.members_of_a_loop(node) or values  # for metric in (loss, accuracy): metric.reset_states()
        return bool(values) and all(isinstance(one, ast.Call) and form.match(self.full(one.func)) for one in values)

    def members_of_a_loop(self, node):
        """What the name of a loop over a list that is written out stands for."""
        loop = self.origins.parents.get(id(node))
        while loop is not None and not (isinstance(loop, ast.For) and getattr(loop.target, "id", "") == node.id):
            loop = self.origins.parents.get(id(loop)) if not isinstance(loop, FUNCTIONS) else None
        made = loop.iter if loop is not None else None
        if isinstance(made, (ast.Name, ast.Attribute)):
            made = next(iter(self.origins.of(made)), None) if len(self.origins.of(made)) == 1 else None
        if not isinstance(made, (ast.List, ast.Tuple)):
            return []
        found = []
        for one in made.elts:
            values = [one] if isinstance(one, ast.Call) else self.origins.of(one) if isinstance(one, (ast.Name, ast.Attribute)) else []
            found += values or [one]
        return found

    def scaled_as_before(self, calls):
        """self.opt.get_scaled_loss(loss) in a traced method, which Keras 3 doesn't have."""
        if self.says(r"tf_keras|TF_USE_LEGACY_KERAS|(?<!config)\.experimental\.(?!list_|set_|get_)|\.scale_loss\("):
            return
        for call in calls:
            if self.method(call, "get_scaled_loss", "get_unscaled_gradients") and self.made_by(call.func.value, SCALERS_OF_KERAS) is not None:
                near = "; Keras 3 has scale_loss" if call.func.attr == "get_scaled_loss" else "; Keras 3 unscales in apply"
                self.reader.mistake(call.func, "a member that an object lacks", self.written(call.func), "LossScaleOptimizer of Keras 3",
                                    near, doubted=True)

    def double_layers(self, calls):
        """set_floatx("float64") before a network of convolutions is trained."""
        if not self.says(r"\.fit\(") or self.says(r"numpy\(\)\.astype|hessian|lbfgs|L-BFGS|fmin"):
            return
        wide = [one for one in calls if re.match(r"(tensorflow\.|tf_)?keras\.(\w+\.)*(set_floatx|set_global_policy|set_dtype_policy)$",
                                                 self.full(one.func)) and one.args and getattr(one.args[0], "value", "") == "float64"]
        if wide and any(re.search(r"layers\.(Conv2D|Conv3D|LSTM|GRU|MultiHeadAttention)$|\.applications\.", self.full(one.func))
                        for one in calls):
            self.mistake(wide[0], "layers in double precision")

    def eager_training(self, calls):
        """compile(…, run_eagerly=True) before many epochs."""
        if self.says(r"py_function|breakpoint|pdb|\bdebug|def (train_step|test_step|call)\(|print\(tf\.|set_trace") or "eager" in re.sub(
                r"run_eagerly *= *True|run_functions_eagerly\(True\)", "", self.reader.text):
            return
        for one in calls if self.fits_for_long(calls) else ():
            flag = self.word(one, "run_eagerly") if self.method(one, "compile") else None
            if getattr(flag, "value", None) is True:
                self.mistake(flag, "a training that runs eagerly", self.written(one.func))

    def fits_for_long(self, calls):
        """Whether a script fits a model for more than a few epochs, or for as many as its settings say."""
        epochs = [self.word(one, "epochs") for one in calls if self.method(one, "fit")]
        return any(self.number(one) is None or self.number(one) >= 3 for one in epochs if one is not None)

    def pipelines_in_debug_mode(self, calls):
        """tf.data.experimental.enable_debug_mode(), in a script that trains on what tf.data gives."""
        if self.says(r"py_function|breakpoint|pdb|\bdebug\b|DEBUG|set_trace|perf_counter|timeit|pytest|unittest") or not self.says(
                r"\.fit\(|GradientTape") or not self.says(r"\.(map|batch|prefetch)\("):
            return
        for one in calls:
            if self.full(one.func) == "tensorflow.data.experimental.enable_debug_mode" and not self.in_branch(one):
                self.mistake(one, "a pipeline in debug mode")

    def eager_functions(self, calls):
        """tf.config.run_functions_eagerly(True), in a script whose tf.functions are to be compiled or train at length."""
        if self.says(r"py_function|breakpoint|pdb|(?i:debug(?!_mode\())|print\(tf\.|set_trace|perf_counter|timeit|time\.time|pytest|unittest") or \
                self.says(r"run_functions_eagerly\((run_eagerly *= *)?(?!True)"):
            return
        compiles = self.says(r"jit_compile *= *True|experimental_compile *= *True")
        long = compiles or self.fits_for_long(calls) or self.says(r"tf\.function|tensorflow\.function|\bfunction\b") and any(isinstance(
                loop, ast.For) and self.tracing.carries_on(loop) or self.trains_by_functions(loop) for loop in self.tracing.index.loops)
        for one in calls if long else ():
            if re.match(r"tensorflow\.config\.(experimental_)?run_functions_eagerly$", self.full(one.func)) and self.said(
                    self.given(one, 0, "run_eagerly")) is True and not self.in_branch(one):
                self.mistake(one, "functions of a graph that run eagerly")

    def trains_by_functions(self, loop):
        """Whether a loop goes through batches, or at least 50 rounds, and calls a tf.function by which a script trains."""
        count = self.number(loop.iter.args[-1]) if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and loop.iter.args else None
        if count is not None and count < 50 or not self.tracing.repeats(loop):
            return False
        for call in calls_in(loop.body):
            for of in self.origins.functions_of(call.func):
                if any(self.tracing.imported(d.func if isinstance(d, ast.Call) else d) == "tensorflow.function" for d in getattr(
                        of, "decorator_list", ())) and "apply_gradients" in self.reader.written_whole(of):
                    return True
        return False

    def half_eps(self, nodes, calls):
        """x / (norm + 1e-8) in a layer that computes in float16, where 1e-8 is 0."""
        policy = any(one.args and getattr(self.value(one.args[0]), "value", None) == "mixed_float16" and self.full(
            one.func).rsplit(".", 1)[-1] in POLICIES for one in calls)
        for of in nodes if policy else ():
            if not isinstance(of, ast.ClassDef) or not any(LAYERS_OF_KERAS.match(self.full(base)) for base in of.bases) or re.search(
                    r"float32|autocast|dtype", self.reader.written_whole(of)):
                continue
            for one in (one for method in of.body if getattr(method, "name", "") == "call" for one in ast.walk(method)):
                added = [one.right, one.left] if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add) else one.args if isinstance(
                    one, ast.Call) and self.full(one.func).endswith(".maximum") else []
                for number in added:
                    if isinstance(getattr(self.value(number), "value", None), float) and 0 < self.value(number).value < 2.9e-8:
                        self.reader.mistake(one, "a number that is 0 in half precision", self.written(number), of.name, doubted=True)

        for call in calls if policy else ():
            for of in self.origins.functions_of(call.func):
                at = next((n for n, one in enumerate(call.args) if self.is_half_output(one)), None)
                if at is not None and isinstance(of, ast.FunctionDef) and at < len(of.args.args):
                    self.small_in_half(of, of.args.args[at].arg)

    def is_half_output(self, node):
        """Whether a value is what a model of Keras's gives under mixed_float16, whose code speaks of no other kind of number."""
        for one in [node] + self.origins.of(node):
            if not isinstance(one, ast.Call):
                continue
            for made in self.origins.known(one.func):
                classes = [of for of in (self.origins.functions_of(made.func) if isinstance(made, ast.Call) else ()) if isinstance(of, ast.ClassDef)]
                models = [of for of in classes if any(re.search(r"keras\.(\w+\.)*Model$", self.full(base)) for base in of.bases)]
                plain = isinstance(made, ast.Call) and MODELS_OF_KERAS.match(self.full(made.func)) is not None
                around = models + [self.origins.scope(made) or made] if plain else models
                if around and not any(re.search(r"float32|dtype", self.reader.written_whole(of)) for of in around):
                    return True
        return False

    def small_in_half(self, of, name):
        """log(p + 1e-8) or x / (p + 1e-8) of a parameter that is of float16, in a function that casts nothing to float32."""
        if re.search(r"float32|float64", self.reader.written_whole(of)):
            return
        half = {name}
        for one in ast.walk(of):
            if isinstance(one, ast.Assign) and any(isinstance(each, ast.Name) and each.id in half for each in ast.walk(one.value)):
                half |= {each.id for target in one.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        for one in ast.walk(of):
            logs = isinstance(one, ast.Call) and re.search(r"\.(log|log2|rsqrt|reciprocal)$", self.full(one.func)) and one.args
            inner = one.args[0] if logs else one.right if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) else None
            for part in ast.walk(inner) if inner is not None else ():
                added = [part.left, part.right] if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add) else part.args[:2] if isinstance(
                    part, ast.Call) and re.search(r"\.(maximum|clip_by_value|clip)$", self.full(part.func)) else []
                small = next((each for each in added if isinstance(self.said(each), float) and 0 < self.said(each) < 2.9e-8), None)
                if small is not None and any(isinstance(each, ast.Name) and each.id in half for each in ast.walk(part)):
                    return self.mistake(small, "a number that is 0 in half precision", of.name)

    def one_at_a_time(self, nodes):
        """for image in images: model.predict(image[None]), where one call takes them all."""
        rounds = [(one, one.target, one.iter, one.body) for one in nodes if isinstance(one, ast.For)] + [
            (one, one.generators[0].target, one.generators[0].iter, [one.elt]) for one in nodes if isinstance(
                one, (ast.ListComp, ast.GeneratorExp)) and len(one.generators) == 1]
        for loop, target, over, body in rounds:
            names = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
            while isinstance(over, ast.Call) and getattr(over.func, "id", "") in ("enumerate", "tqdm", "zip", "range", "len") and over.args:
                over = over.args[0]
            if not isinstance(over, ast.Name) or not self.is_array(over.id, nodes):
                continue
            inner = within_others(loop)
            for call in calls_in(body):
                if not self.method(call, "predict") or id(call) in inner or not call.args:
                    continue
                form = self.written(call.args[0])
                name = next((one for one in names if re.match(r"(\w+\.)*(expand_dims\(|array\(\[|asarray\(\[)?(%s\[(None|(tf|np)\.newaxis)|%s\b.*(, 0\)|"
                                                              r"axis=0\)|\]\)))|\w+\[%s:%s \+ 1" % ((re.escape(one),) * 4), form)), None)
                made = self.value(call.func.value)
                if name and isinstance(made, ast.Call) and re.match(
                        r"(tensorflow\.|tf_)?keras\.", self.full(made.func)):
                    self.mistake(call, "a prediction for each single example", over.id, other=loop)

    def one_file_at_a_time(self, nodes):
        """for path in sorted(folder.glob("*.png")): model.predict(load(path)[None]), in the loop or a function that it calls."""
        if self.says(r"perf_counter|time\.time\(|latency|VideoCapture|batch_size *= *1\b"):
            return
        for call in self.tracing.index.calls:
            if not self.method(call, "predict") or not call.args or self.made_by(call.func.value, MODELS_OF_KERAS) is None or not any(
                    self.of_one(one) for one in [call.args[0]] + self.origins.of(call.args[0])):
                continue
            of = self.origins.scope(call)
            places = [call] + [site.call for site in (self.origins.sites(of) if isinstance(of, ast.FunctionDef) else ())]
            loop = next((loop for place in places for loop in self.loops_around(place) if self.is_long(loop.iter)), None)
            if loop is not None:
                self.mistake(call, "a prediction for each single example", self.written(loop.iter), other=loop)

    def of_one(self, node):
        """Whether an array of one example is given: image[None], np.expand_dims(image, 0), np.array([image]), image.reshape(1, …)."""
        if not isinstance(node, ast.AST):
            return False
        if isinstance(node, ast.Subscript):
            first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            return isinstance(first, ast.Constant) and first.value is None or self.full(first) in ("numpy.newaxis", "tensorflow.newaxis")
        if not isinstance(node, ast.Call):
            return False
        last = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if last == "expand_dims":
            return self.said(self.given(node, 1, "axis")) == 0
        if last in ("array", "asarray", "stack", "convert_to_tensor") and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
            return len(node.args[0].elts) == 1
        if last == "reshape":
            shape = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple) else node.args
            return len(shape) > 1 and self.said(shape[0]) == 1
        kept = [one for one in node.args[:1] if not self.origins.functions_of(node.func)]  # preprocess_input(image[None])
        return any(self.of_one(inner) for one in kept for inner in [one] + self.origins.of(one))

    def loops_around(self, node):
        for one in self.origins.around(node):
            if isinstance(one, (ast.FunctionDef, ast.Lambda)):
                return
            if isinstance(one, ast.For):
                yield one
            if isinstance(one, (ast.ListComp, ast.DictComp)) and len(one.generators) == 1:
                yield one.generators[0]

    def is_long(self, over):
        """Whether a loop goes over the files of a folder, or the rows of a table."""
        while isinstance(over, ast.Call) and (getattr(over.func, "id", "") in ("enumerate", "tqdm", "sorted", "list", "zip") or getattr(
                over.func, "attr", "") == "tqdm") and over.args:
            over = over.args[0]
        return any(isinstance(one, ast.Call) and (getattr(one.func, "attr", "") in (
            "glob", "rglob", "iterdir", "iglob", "listdir", "scandir", "itertuples", "iterrows") or getattr(one.func, "id", "") in (
                "sorted", "list") and one.args and re.search(r"\.(r?glob|iglob|iterdir|listdir)\(", self.written(one.args[0])))
                   or isinstance(one, ast.ListComp) and re.search(r"\.(r?glob|iglob|iterdir|listdir)\(", self.written(one))
                   for one in [over] + self.origins.of(over))

    def kept_until_the_end(self, nodes):
        """for images in data: maps.append(model(images)), and [m.numpy() for m in maps] behind the loop: all lie on the GPU till then."""
        for of in nodes:
            if not isinstance(of, (ast.FunctionDef, ast.Module)):
                continue
            for at, loop in enumerate(of.body):
                for call in calls_in(loop.body) if isinstance(loop, ast.For) else ():
                    kept = call.func.value if self.method(call, "append") and len(call.args) == 1 else None
                    if not isinstance(kept, ast.Name) or not KEPT_MAPS.search(kept.id) or not self.by_model_of_keras(call.args[0]):
                        continue
                    reads = [one for later in of.body[at + 1:] for one in ast.walk(later) if isinstance(one, ast.Name) and one.id == kept.id]
                    fetch = next((inner for later in of.body[at + 1:] for inner in ast.walk(later) if isinstance(
                        inner, (ast.ListComp, ast.GeneratorExp)) and getattr(inner.generators[0].iter, "id", "") == kept.id and self.method(
                            inner.elt, "numpy")), None)
                    if fetch is not None and len(reads) == 1:
                        self.mistake(call, "results that wait on the GPU", kept.id, self.written(fetch), other=fetch)

    def by_model_of_keras(self, node):
        """Whether a value is what a model of Keras's, or a tf.function around one, has just computed."""
        for one in [node] + self.origins.of(node):
            if not isinstance(one, ast.Call):
                continue
            if self.made_by(one.func, MODELS_OF_KERAS) is not None:
                return True
            for of in self.origins.functions_of(one.func) + self.origins.known(one.func, True):
                body = of.body if isinstance(of, ast.FunctionDef) else [of.body] if isinstance(of, ast.Lambda) else []
                graph = isinstance(of, ast.Lambda) or self.made_by(one.func, "tensorflow.function") is not None or any(
                    "function" in self.written(by) for by in getattr(of, "decorator_list", ()))
                if graph and any(self.made_by(inner.func, MODELS_OF_KERAS) is not None for inner in calls_in(body)):
                    return True
        return False

    def is_array(self, name, nodes):
        """Whether the file makes an array of this name."""
        form = r"\b%s\b[^=\n]*\)? = .*(load_data\(|\bnp\.|numpy\.|\.to_numpy\(|\.astype\(|train_test_split)" % re.escape(name)
        return self.says(form) and not self.says(r"def %s\(|yield" % re.escape(name))

    def histories(self, calls):
        """results.append(model.fit(…)) beside clear_session(): History.model holds the model and its optimizer."""
        if not self.says(r"clear_session\(") or self.says(r"\.model *= *None|del \w+\.model\b|\.set_model\("):
            return
        for call in calls:
            if not self.method(call, "append") or len(call.args) != 1 or not self.in_loop(call):
                continue
            kept = self.value(call.args[0])
            parts = kept.elts if isinstance(kept, (ast.Tuple, ast.List)) else kept.values if isinstance(kept, ast.Dict) else [kept]
            for part in parts:
                fit = next((one for one in self.origins.of(part) if self.method(one, "fit") and self.made_by(
                    one.func.value, MODELS_OF_KERAS) is not None), None)
                if fit is not None:
                    self.mistake(call, "a history that holds its model", self.written(part), other=fit)
                    break

    def in_loop(self, node):
        for one in self.origins.around(node):
            if isinstance(one, (ast.FunctionDef, ast.Lambda)):
                return False
            if isinstance(one, (ast.For, ast.While)):
                return True
        return False

    # ---- tf.data

    def converted_in_place(self, nodes):
        """with tf.device("/GPU:0"): table = tf.convert_to_tensor(table), of a tensor that was made under tf.device("/CPU:0")."""
        for call in self.tracing.index.calls:
            place = self.place_around(call) if self.full(call.func) == "tensorflow.convert_to_tensor" and call.args else None
            made = self.origins.of(call.args[0]) if place == "gpu" and isinstance(call.args[0], (ast.Name, ast.Attribute)) else []
            if made and all(isinstance(one, ast.Call) and GIVES_TENSORS.match(self.full(one.func)) and self.place_around(one) == "cpu" for one in made):
                self.mistake(call, "a conversion that moves nothing", self.written(call.args[0]), other=made[-1])

    def entered(self, node):
        """The context that a with statement enters, also by a function of the file that yields within it."""
        functions = [of for of in self.origins.functions_of(node.func) if isinstance(of, ast.FunctionDef) and any(
            "contextmanager" in self.written(one) for one in of.decorator_list)] if isinstance(node, ast.Call) else []
        for block in (one for of in functions for one in ast.walk(of) if isinstance(one, ast.With)):
            if any(isinstance(one, ast.Yield) for one in ast.walk(block)):
                return block.items[0].context_expr
        return node

    def place_around(self, node):
        """"cpu" or "gpu": what the innermost tf.device around a node says, as far as the file writes it down."""
        for one in self.origins.around(node):
            for entered in [self.entered(item.context_expr) for item in one.items] if isinstance(one, ast.With) else ():
                if isinstance(entered, ast.Call) and self.full(entered.func) == "tensorflow.device" and entered.args:
                    said = [each.value for each in self.origins.of(entered.args[0]) if isinstance(each, ast.Constant)]
                    kinds = {kind for each in said for kind in ("cpu", "gpu") if kind in str(each).lower()}
                    return kinds.pop() if len(kinds) == 1 else None
        return None

    def mapped_on_a_device(self, nodes):
        """with tf.device("/GPU:0"): ds = ds.map(augment), which runs on the CPU all the same."""
        for one in nodes:
            where = self.entered(one.items[0].context_expr) if isinstance(one, ast.With) else None
            if not isinstance(where, ast.Call) or self.full(where.func) != "tensorflow.device" or not where.args:
                continue
            said = [self.origins.default(self.origins.function_of(each), each) if isinstance(each, ast.arg) else each for each in self.origins.of(
                where.args[0])]
            if not re.search(r"gpu", self.written(where) + str([getattr(each, "value", None) for each in said]), re.I):
                continue
            chains = [self.chain(statement.value)[0] if isinstance(statement, ast.Assign) else [] for statement in one.body]
            datasets = all(calls and (calls[0].func.attr if isinstance(calls[0].func, ast.Attribute) else "") in OF_DATASET or
                           calls and DATASETS.match(self.full(calls[0].func)) for calls in chains)
            for call in (call for calls in chains for call in calls) if datasets and chains else ():
                if self.method(call, "map") and call.args and not isinstance(call.args[0], ast.Name) or self.method(
                        call, "map") and self.function(call.args[0] if call.args else call) is not None:
                    self.mistake(call, "a map that a device doesn't move", self.written(where), other=one)

    def behind_the_prefetch(self, calls):
        """ds.apply(prefetch_to_device("/GPU:0")).map(f): the prefetch to a device must be the last step."""
        for call in calls:
            if self.method(call, *OF_DATASET) and not self.full(call.func):
                before = self.prefetched(call.func.value, 4)
                if before is not None:
                    self.mistake(before, "a prefetch to a device that is not the last step", self.written(call.func), other=call, doubted=False)

    def prefetched(self, node, deepest):
        """The prefetch to a device that a dataset has gone through."""
        for one in self.origins.of(node) if deepest > 0 else ():
            if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute) or self.full(one.func):
                continue
            given = self.origins.made(one.args[0]) if one.func.attr == "apply" and one.args else None
            if isinstance(given, ast.Call) and self.full(given.func) == "tensorflow.data.experimental.prefetch_to_device":
                return given
        return None

    def batches_of_all(self, calls):
        """distribute_datasets_from_function(make), where make() batches by the global size."""
        for call in calls:
            if not self.method(call, "distribute_datasets_from_function", "experimental_distribute_datasets_from_function") or not call.args:
                continue
            of = self.function(call.args[0]) or next(iter(self.origins.functions_of(call.args[0])), None)  # make_dataset_fn(path, size)
            text = self.text_of(of) if isinstance(of, (ast.FunctionDef, ast.Lambda)) else "get_per_replica_batch_size"
            if re.search(r"get_per_replica_batch_size|num_replicas|//|/ ", text):
                continue
            for batch in (one for one in calls_in([of]) if self.method(one, "batch") and one.args):
                if any(isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Div, ast.FloorDiv)) for one in self.origins.of(batch.args[0])):
                    continue
                if self.is_global(batch.args[0], calls):
                    self.mistake(batch, "a batch of the global size for each replica", self.written(batch.args[0]), other=call)
                    continue
                for one in self.origin(batch.args[0]):
                    if isinstance(one, ast.Name) and (re.search(r"global", one.id, re.I) or one.id in self.single and re.search(
                            r"\* *\w+\.num_replicas_in_sync", self.written(self.single[one.id].value))):
                        size = self.single.get(getattr(batch.args[0], "id", "")) if one is not batch.args[0] else None
                        self.mistake(size or batch, "a batch of the global size for each replica", one.id, other=call)
                        break

    def is_global(self, size, calls):
        """Whether a size is what compute_average_loss is given for that of all replicas."""
        def ways(node):
            return {self.written(node)} | {self.written(one) for one in self.origins.known(node)} if node is not None else set()

        wide = [self.word(one, "global_batch_size") for one in calls if self.full(one.func) == "tensorflow.nn.compute_average_loss"]
        return not isinstance(size, ast.Constant) and any(ways(size) & ways(one) for one in wide)

    def decoded_alone(self, calls):
        """ds.map(load), where load() decodes images one after the other while a model trains."""
        if not self.says(r"\.fit\(|GradientTape"):
            return
        for one in calls:
            if self.method(one, "map") and len(one.args) == 1 and not one.keywords and not self.full(one.func):
                of = self.function(one.args[0])
                if of is not None and DECODES_OF_TF.search(self.text_of(of)):
                    self.mistake(one, "images that are decoded one by one", self.written(one.args[0]))

    def shuffled_apart(self, nodes, calls):
        """records.shuffle(1000).shard(workers, index): each worker shuffles in its own way, and so the parts overlap."""
        if self.says(r"set_random_seed|random\.set_seed|enable_op_determinism"):
            return
        before = {}  # name: the call that shuffled it, as the file goes
        for one in nodes:
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                parts, base = self.chain(one.value)
                shuffle = next((call for call in parts if self.shuffles(call)), None)
                kept = before.get((base.id, one.col_offset)) if isinstance(base, ast.Name) and parts else None
                before[(one.targets[0].id, one.col_offset)] = shuffle or kept
                sharded = next((call for call in parts if self.method(call, "shard") and len(call.args) == 2), None)
                if sharded is not None:
                    inner = next((call for call in self.chain(sharded.func.value)[0] if self.shuffles(call)), None) or kept
                    if inner is not None:
                        self.mistake(sharded, "parts of what each worker shuffles", self.written(inner.func), other=inner)

    def shuffles(self, call):
        """Whether it shuffles with no seed."""
        if self.word(call, "seed") is not None:
            return False
        if self.full(call.func).endswith(".Dataset.list_files"):
            return len(call.args) < 2 and self.word(call, "shuffle") is None
        return self.method(call, "shuffle") and len(call.args) < 2

    # ---- tf.function

    def traced_functions(self, functions):
        return [of for of in functions if any(self.tracing.decorated_by(of, name) for name in GRAPHS)]

    def numpy_of_graphs(self, functions):
        """tf.numpy_function(normalize, …) in a tf.function, where normalize() is plain arithmetic."""
        for of in self.traced_functions(functions):
            for call in calls_in([of]):
                if self.full(call.func) not in ("tensorflow.numpy_function", "tensorflow.py_function") or not call.args:
                    continue
                inner = self.function(call.args[0])
                if inner is None:
                    continue
                body = inner.body if isinstance(inner, ast.FunctionDef) else [ast.Expr(inner.body)]
                made = list(calls_in(body))
                plain = all(isinstance(one, (ast.Assign, ast.Return, ast.Expr)) for one in body) and all(
                    PLAIN_NUMPY.match(self.full(one.func)) or self.method(one, *METHODS_OF_ARRAYS) and not self.full(one.func) for one in made)
                if plain and made:
                    self.mistake(call, "arithmetic that leaves the graph", self.written(call.args[0]), other=inner)

    def baked_arrays(self, functions):
        """@tf.function def search(q): tf.matmul(q, table), where table is a NumPy array of a gigabyte."""
        for of in self.traced_functions(functions):
            own = {one.id for one in ast.walk(of) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)} | {
                one.arg for one in ast.walk(of) if isinstance(one, ast.arg)}
            for one in ast.walk(of):
                if isinstance(one, ast.Name) and one.id not in own and one.id in self.single and self.elements(
                        one) >= 1 << 24 and "numpy." in " ".join(self.full(call.func) for call in calls_in([self.single[one.id]])):
                    self.mistake(one, "an array that is a constant of a graph", of.name, other=self.single[one.id])
                    break

    def shapes_for_xla(self, calls):
        """padded_batch() to each batch's longest, for a tf.function that XLA compiles for each shape."""
        if not self.says(r"tf\.function\([^)]*jit_compile=True|\.compile\([^)]*jit_compile=True") or self.says(
                r"bucket_by_sequence_length|pad_to_bucket"):
            return
        for one in calls:
            if self.method(one, "padded_batch"):
                shapes = self.given(one, 1, "padded_shapes")
                if shapes is None or any(isinstance(inner, ast.Constant) and inner.value is None for inner in self.origin(shapes)):
                    self.mistake(one, "shapes that XLA compiles one by one")

    def foreign_to_xla(self, calls, functions):
        """tf.numpy_function(f, …) in what tf.function(jit_compile=True) compiles, or in a loss of compile(jit_compile=True)."""
        if not self.says(r"jit_compile *= *True|experimental_compile *= *True") or self.says(r"run_functions_eagerly"):
            return

        def by_xla(call):
            return isinstance(call, ast.Call) and self.said(self.word(call, "jit_compile", "experimental_compile")) is True

        compiled = [of for of in functions if any(by_xla(one) and self.full(one.func) in GRAPHS for one in of.decorator_list)]
        for call in calls:
            if by_xla(call) and (self.full(call.func) in GRAPHS and call.args or self.method(call, "compile")):
                given = call.args[:1] if self.full(call.func) in GRAPHS else [self.given(call, 1, "loss")]
                compiled += [of for one in given if one is not None for of in self.origins.functions_of(one)]
                if self.method(call, "compile"):
                    compiled += self.called_by_keras(calls)
        found = {one: by for by in compiled for one in self.reached(by, 5) if FOREIGN_TO_XLA.match(self.full(one.func))}
        for one, by in found.items():
            self.mistake(one, "an operation that XLA can't compile", getattr(by, "name", "the function"), other=by)

    def called_by_keras(self, calls):
        """call() of the file's layers, models and losses that it makes objects of."""
        for call in calls:
            for of in self.origins.functions_of(call.func) if isinstance(call.func, ast.Name) else ():
                if isinstance(of, ast.ClassDef) and any(re.match(r"(tensorflow\.|tf_)?keras\.(\w+\.)*(%s)$" % (
                        "Model|Loss|Metric" if self.says(r"\.map\(") else "Layer|Model|Loss|Metric"), self.full(base)) for base in of.bases):
                    yield from (one for one in of.body if isinstance(one, ast.FunctionDef) and one.name in ("call", "update_state") and not
                                one.decorator_list)

    # ---- tf.distribute

    def scopes_of_data(self, nodes):
        """with strategy.scope(): data = load(n * batch), and the model that fit() trains is made behind it."""
        if not self.says(r"\.num_replicas_in_sync") or self.says(
                r"strategy\w*\.(run|extended|reduce|gather)\(|experimental_set_strategy|__enter__|enter_context|\.scope\b(?!\(\))"):
            return
        blocks = [one for one in nodes if isinstance(one, ast.With) and any(
            self.method(item.context_expr, "scope") and self.made_by(item.context_expr.func.value, MIRRORS) is not None for item in one.items)]
        every = [one for one in nodes if isinstance(one, ast.With) and any(self.method(self.entered(item.context_expr), "scope") for item in one.items)]
        fits = [one for one in self.tracing.index.calls if self.method(one, "fit") and self.made_by(
            one.func.value, MODELS_OF_KERAS) is not None]
        if not blocks or len(every) != len(blocks) or not fits or any(isinstance(one, (ast.FunctionDef, ast.ClassDef, ast.Lambda))
                                                                      for block in blocks for one in ast.walk(block)):
            return
        for block in blocks:
            for call in self.reached(block, 6):
                if not self.is_of_data(call):
                    return
        self.reader.mistake(blocks[0].items[0].context_expr, "a strategy that nothing runs under", self.written(
            blocks[0].items[0].context_expr), other=fits[0], doubted=True)

    def model_before_its_strategy(self, calls):
        """model = Net(); model.compile(…); and then Trainer(model), whose __init__ makes the strategy: fit() trains on one GPU."""
        if self.says(r"\.(experimental_run_v2|extended)\b|experimental_set_strategy|__enter__|enter_context|\.scope\b(?!\(\))|clone_model|from_config") or any(
                self.method(one, "run") and one.args and not isinstance(one.args[0], ast.Constant) for one in calls):
            return
        made = [one for one in calls if MIRRORS.match(self.full(one.func))]
        fits = [one for one in calls if self.method(one, "fit")]
        scopes = [one for one in calls if self.method(one, "scope")]
        if not made or not fits or not scopes or any(isinstance(self.origins.parents.get(id(one)), ast.Expr) for one in scopes) or any(
                e.get("name") == "a strategy that nothing runs under" for e in self.reader.events):
            return  # where nothing enters a scope, another rule tells
        for fit in fits:
            values = self.origins.of(fit.func.value)
            of = values[0] if len(values) == 1 and isinstance(values[0], ast.Call) else None
            bound = self.origins.parents.get(id(of))
            if not isinstance(bound, ast.Assign) or len(bound.targets) != 1 or self.enters_a_scope(bound, 3) or self.enters_a_scope(fit, 3):
                return
            compiles = [one for one in calls if self.method(one, "compile") and any(each is of for each in self.origins.of(one.func.value))]
            of_keras = MODELS_OF_KERAS.match(self.full(of.func)) is not None
            if not compiles and not of_keras or any(self.enters_a_scope(one, 3) for one in compiles) or any(
                    isinstance(each, (ast.FunctionDef, ast.Lambda)) for each in self.origins.functions_of(of.func)):
                return
            self.mistake(bound, "a model beside its strategy", self.written(fit.func.value), self.written(made[0]), other=made[0])
            return

    def enters_a_scope(self, node, deepest):
        """Whether a node stands in a scope of a strategy, or in a function that is called in one, or by what isn't known."""
        if self.under_a_scope(node):
            return True
        of = next((one for one in self.origins.around(node) if isinstance(one, ast.FunctionDef)), None)
        if of is None:
            return False
        sites = self.origins.sites(of)
        return not sites or deepest == 0 or any(self.enters_a_scope(site.call, deepest - 1) for site in sites)

    def strategies_thrown_away(self, functions):
        """def load(rows): strategy = MirroredStrategy(); return strategy.experimental_distribute_dataset(…), and nobody has the strategy."""
        for of in functions:
            for one in of.body:
                call = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) else None
                if not isinstance(call, ast.Call) or not MIRRORS.match(self.full(call.func)) or one.targets[0].id in self.origins.shared(of):
                    continue
                reads = [each for each in ast.walk(of) if isinstance(each, ast.Name) and each.id == one.targets[0].id and isinstance(each.ctx, ast.Load)]
                uses = [self.origins.parents.get(id(each)) for each in reads]
                plain = [getattr(each, "attr", "") for each in uses]
                blocks = [each for each in ast.walk(of) if isinstance(each, ast.With) and any(self.method(
                    item.context_expr, "scope") for item in each.items)]
                inside = [each for block in blocks for each in calls_in(block.body) if getattr(each.func, "attr", "") not in DISTRIBUTES_DATA]
                if any(word in DISTRIBUTES_DATA for word in plain) and all(word in DISTRIBUTES_DATA + (
                        "scope", "num_replicas_in_sync") for word in plain) and all(map(self.is_of_data, inside)) and not any(
                            isinstance(each, (ast.Yield, ast.YieldFrom)) or self.method(each, "fit", "compile") for each in ast.walk(of)):
                    self.mistake(call, "a strategy that nothing runs under", doubted=True)

    def strategies_for_nobody(self, nodes, calls):
        """strategy = MirroredStrategy(), a name that nothing reads, in a program that trains."""
        trains = any(re.match(r"(\w*_)?(train|fit)(?!_test_split|_transform)(_\w+)?$", getattr(one.func, "attr", getattr(
            one.func, "id", ""))) or self.method(one, "predict", "evaluate") and re.search(r"model|net", self.written(one.func.value)) for one in calls)
        if not trains or not self.runs_something(nodes) or self.says(r"get_strategy|experimental_set_strategy|locals\(|globals\(|__all__"):
            return
        read = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        reported = any(e.get("name") == "a strategy that nothing runs under" for e in self.reader.events)
        for one in nodes if not reported else ():
            call = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) else None
            if isinstance(call, ast.Call) and re.search(r"(Mirrored|CentralStorage)Strategy$", self.full(call.func)) and STRATEGIES_OF_TF.match(
                    self.full(call.func)) and one.targets[0].id not in read:
                self.mistake(call, "a strategy that nothing runs under", doubted=True)

    def is_of_data(self, call):
        """Whether a call, for itself, surely makes no variable."""
        name = self.full(call.func)
        if name:
            return re.match(r"(tensorflow\.(data|io|image|cast|constant|reshape|one_hot|float\d+|keras\.(datasets|utils\.\w+_from_directory))\b|"
                            r"keras\.(datasets|utils\.\w+_from_directory)|numpy\.|os\.|pathlib\.|glob\.|json\.|math\.|random\.)", name) is not None
        if self.origins.functions_of(call.func):
            return not any(isinstance(one, ast.ClassDef) for one in self.origins.functions_of(call.func))
        return isinstance(call.func, ast.Name) and call.func.id in BUILTINS or isinstance(call.func, ast.Attribute) and (
            call.func.attr in OF_DATASET or call.func.attr in METHODS_OF_ARRAYS or call.func.attr in (
                "load_data", "format", "join", "glob", "items", "keys", "values", "get", "with_options", "get_next", "append", "split"))

    def values_of_replicas(self, nodes, functions):
        """loss = strategy.run(step, …); loss.numpy(), where there is a value for each replica."""
        if not self.says(r"MirroredStrategy\("):
            return

        def runs(node):
            return self.method(node, "run", "experimental_run_v2") and re.search(r"strategy", self.written(node.func), re.I)

        steps = {of.name for of in functions if any(isinstance(one, ast.Return) and runs(self.value(one.value)) for one in ast.walk(of))}
        for _, own in self.scopes(nodes):
            assigned = {}
            for one in own:
                for target in one.targets if isinstance(one, ast.Assign) else ():
                    assigned.setdefault(self.written(target), []).append(one.value)
            self.numbers_of_replicas(own, assigned, runs, steps)

    def numbers_of_replicas(self, own, assigned, runs, steps):
        for one in own:
            of = one.func.value if self.method(one, "numpy") and not one.args else one.args[0] if isinstance(
                one, ast.Call) and getattr(one.func, "id", "") == "float" and len(one.args) == 1 else None
            if of is None:
                continue
            values = assigned.get(self.written(of), [of])
            call = values[0] if len(values) == 1 else of
            if runs(call) or isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in steps:
                self.mistake(one, "a number of a value for each replica", self.written(of), other=call)

    def outside_of_its_scope(self, calls):
        """optimizer = make_optimizer(); with strategy.scope(): model.compile(optimizer): its variables are of no strategy."""
        for call in calls:
            given = self.given(call, 0, "optimizer") if self.method(call, "compile") else None
            if given is not None and self.under_a_scope(call):
                self.model_outside(call)
            if not isinstance(given, (ast.Name, ast.Attribute)) or not self.under_a_scope(call):
                continue
            model = self.value_of(call.func.value)
            made, bound = self.made_by(given, OPTIMIZERS_OF_KERAS, surely=True), self.origins.statements_of(given)
            if made is not None and bound and not any(map(self.under_a_scope, bound + [made])) and isinstance(
                    model, ast.Call) and any(map(self.under_a_scope, self.origins.statements_of(call.func.value))):
                self.mistake(bound[0], "an optimizer made outside its strategy", self.written(call), other=call)

    def model_outside(self, call):
        """model = build(); with strategy.scope(): model.compile(…)."""
        bound = self.origins.statements_of(call.func.value)
        made = [one for one in self.origins.known(call.func.value) if isinstance(one, ast.Call) and MAKES_KERAS_MODEL.search(self.full(one.func))]
        if bound and made and not any(map(self.under_a_scope, bound + made)):
            # Where another function makes the model, that line has to go into the scope; the other way round compile() may.
            apart = self.origins.scope(bound[0]) is not self.origins.scope(call)
            at, other = (bound[0], call) if apart else (call, bound[0])
            for e in [one for one in self.reader.events if apart and one.get("name") == "a model made outside its strategy" and one["line"] == call.lineno]:
                self.reader.events.remove(e)  # reported at the line of compile()
            self.reader.mistake(at, "a model made outside its strategy", self.written(call), "the strategy's scope", other=other, doubted=True)

    def under_a_scope(self, node):
        """Whether a node stands in a block of strategy.scope()."""
        return any(isinstance(one, ast.With) and any(self.method(item.context_expr, "scope") or any(
            self.method(each, "scope") for each in self.origins.of(item.context_expr)) for item in one.items) for one in self.origins.around(node))

    def saved_by_one(self, nodes):
        """if task_id == 0: model.save(path), under MultiWorkerMirroredStrategy, where saving takes all workers."""
        if not self.says(r"MultiWorkerMirroredStrategy\("):
            return
        form = r"(save|save_weights|export|save_model)$"
        for one in nodes:
            test = self.written(one.test) if isinstance(one, ast.If) and not one.orelse else ""
            if not re.search(r"\b(task_(id|index)|task|index|rank|worker_(id|index)|is_chief\w*)\b", test) or "!=" in test or test.startswith("not"):
                continue
            for call in calls_in(one.body):
                last = getattr(call.func, "attr", "")
                model = self.value(call.func.value) if self.method(call, "save", "save_weights", "export") else None
                saves = isinstance(model, ast.Call) and "keras" in self.full(model.func) or re.search(r"\.saved_model\.save$", self.full(call.func))
                if re.match(form, last) and saves and len(re.findall(r"\.(?:save|save_weights|export)\(", self.reader.text)) == 1:
                    self.mistake(call, "a model that one worker saves", other=one.test)

    def foreign_operations(self, nodes):
        """tf.math.sigmoid(x) in a layer, under KERAS_BACKEND=jax."""
        backend = re.search(r"KERAS_BACKEND['\"]\]\s*=\s*['\"](jax|torch)['\"]|setdefault\(['\"]KERAS_BACKEND['\"],\s*['\"](jax|torch)['\"]", self.reader.text)
        for of in nodes if backend and "keras" in self.tracing.names.values() else ():
            if not isinstance(of, ast.ClassDef) or not any(re.match(r"keras\.(\w+\.)*(Layer|Loss|Model)$", self.full(base)) for base in of.bases):
                continue
            for method in of.body:
                for call in calls_in([method]) if getattr(method, "name", "") == "call" else ():
                    if TENSORS.match(self.full(call.func)) or re.match(r"tensorflow\.nn\.", self.full(call.func)):
                        self.mistake(call, "an operation of another backend", backend.group(1) or backend.group(2), doubted=False)
