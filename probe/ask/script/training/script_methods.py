"""Methods of tensors, arrays, tables, datasets and models of Keras's, held against what they take; for the reader of scripts."""

# Functions that give a tensor, an array, a table, a dataset or a model, whatever they are given.
GIVES_OF_KIND = [(kind, re.compile(form)) for kind, form in (
    ("torch.Tensor", r"torch\.(zeros|ones|rand|randn|randint|randperm|empty|full|tensor|as_tensor|from_numpy|arange|linspace|eye|cat|stack|concat|hstack|vstack|zeros_like|ones_like|"
     r"rand_like|randn_like|full_like|matmul|mm|bmm|einsum|exp|log|sqrt|abs|tanh|sigmoid|relu|softmax|log_softmax|mean|square|pow|clamp|flatten|squeeze|unsqueeze|transpose|"
     r"reshape|permute|nn\.functional\.(cross_entropy|mse_loss|l1_loss|smooth_l1_loss|nll_loss|binary_cross_entropy(_with_logits)?|kl_div|huber_loss|relu|gelu|softmax|log_softmax|"
     r"one_hot|interpolate|pad|normalize|dropout|linear|conv2d|avg_pool2d|cosine_similarity|softplus|triplet_margin_loss|ctc_loss|scaled_dot_product_attention))$"),
    ("numpy.ndarray", r"numpy\.(zeros|ones|empty|full|arange|linspace|eye|array|concatenate|stack|vstack|hstack|zeros_like|ones_like|random\.(rand|randn|randint|normal|uniform))$"),
    ("pandas.DataFrame", r"pandas\.(DataFrame|get_dummies|read_excel|read_parquet|read_feather|merge)$"),
    ("tensorflow.data.Dataset", r"tensorflow\.data\.Dataset\.(from_tensor_slices|from_tensors|from_generator|range|list_files|zip)$"),
    ("keras.Sequential", r"(tensorflow\.)?keras\.(models\.)?Sequential$"),
    ("keras.Model", r"(tensorflow\.)?keras\.((models\.)?Model|models\.load_model|applications\.(\w+\.)?[A-Z]\w+)$"))]
LOSSES_OF_TORCH = re.compile(r"torch\.nn\.\w+Loss$")
# Methods that give an object of the same kind again.
GIVES_THE_SAME = {
    "torch.Tensor": frozenset("sum mean view reshape float double half long int to cuda cpu detach clone squeeze unsqueeze transpose permute contiguous flatten expand repeat abs exp log sqrt pow "
                              "clamp softmax log_softmax sigmoid tanh relu requires_grad_ add sub mul div matmul argmax bool t norm square std var prod cumsum masked_fill".split()),
    "numpy.ndarray": frozenset("reshape astype copy transpose flatten ravel squeeze swapaxes repeat clip".split()),
    "pandas.DataFrame": frozenset("drop dropna fillna head tail sample reset_index set_index sort_values sort_index copy merge assign rename drop_duplicates".split()),
    "tensorflow.data.Dataset": frozenset("map batch shuffle repeat prefetch cache take skip filter concatenate unbatch shard interleave flat_map enumerate padded_batch".split())}
# What tensors lack that lists, tables and dictionaries have, and what is meant.
NOT_OF_TENSORS = {"items": "item()", "append": "torch.cat()", "keys": "state_dict()", "astype": "to()", "len": "len()", "extend": "torch.cat()", "tonumpy": "numpy()"}
# What is stacked or joined may be dictionaries of tensors, which give one of their own.
OF_TENSORS_BY_NAME = r"(?i)tensordict|torchrl|torch\.(stack|cat|concat|hstack|vstack)\((?!\[)"
LONGEST = 60  # of what is told as it is written
FITS_OF_KERAS = ("fit", "compile")  # which are told by themselves


class Methods(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or self.reader.given.parameters is None or not roots & {"torch", "numpy", "pandas", "tensorflow", "keras", "tf_keras"}:
            return
        self.kinds, self.left = {}, 4000
        for call in self.tracing.index.calls:
            if isinstance(call.func, ast.Attribute) and (call.keywords or call.args) and not self.full(call.func):
                self.method(call)
            if isinstance(call.func, ast.Attribute) and call.func.attr in NOT_OF_TENSORS and not self.full(call.func) and self.kind_of(
                    call.func.value, 8) == "torch.Tensor" and not self.says(OF_TENSORS_BY_NAME) and not self.is_reported(call) and not self.is_tried(call):
                self.mistake(call.func, "a member that its object lacks", "%s is a tensor, which has no %s" % (self.written(call.func.value), call.func.attr),
                             "Write %s." % NOT_OF_TENSORS[call.func.attr])

    def method(self, call):
        if not any(k.arg and not self.is_taken_somewhere(call.func.attr, k.arg) for k in call.keywords) and len(call.args) < 3:
            return
        kind = self.kind_of(call.func.value, 8)
        if not kind or kind.startswith("keras") and call.func.attr in FITS_OF_KERAS or self.is_reported(call) or self.is_tried(call):
            return
        words = Words()
        words.update({k.arg: None for k in call.keywords})
        name = kind + "." + call.func.attr
        shown = self.written(call.func)
        self.reader.given.count(call, name, shown if len(shown) < LONGEST else name, list(call.args), words, of_object=True)

    def is_taken_somewhere(self, method, word):
        """Whether each kind of object that has this method takes this argument, so that its kind needs no look."""
        known = [self.reader.given.parameters.of(kind + "()", method) for kind, _ in GIVES_OF_KIND]
        return all(word in [name.lstrip("*!?") for name in one[0][1:]] for one in known if one)

    def is_tried(self, call):
        """Whether what fails here is caught."""
        below = call
        for one in self.origins.around(call):
            if isinstance(one, ast.Try) and one.handlers and any(below is part for part in one.body):
                return True
            below = one
        return False

    def kind_of(self, node, deepest):
        """What an expression surely is: the kind of all that it can come from; None: not known."""
        if id(node) in self.kinds:
            return self.kinds[id(node)]
        self.kinds[id(node)] = None  # while it is asked for
        self.left -= 1
        if deepest > 0 and self.left > 0:
            values = self.origins.of(node)
            found = {self.kind_of_value(one, deepest - 1) for one in values}
            self.kinds[id(node)] = found.pop() if len(found) == 1 else None
        return self.kinds[id(node)]

    def kind_of_value(self, one, deepest):
        if isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            sides = [self.kind_of(side, deepest) for side in (one.left, one.right)]
            return "torch.Tensor" if "torch.Tensor" in sides else None
        if not isinstance(one, ast.Call):
            return None
        full = self.full(one.func)
        if full:
            return self.kind_of_result(one, full)
        if isinstance(one.func, ast.Attribute) and isinstance(one.func.value, ast.expr):
            of = self.kind_of(one.func.value, deepest)
            if of and one.func.attr in GIVES_THE_SAME.get(of, ()) and not any(k.arg in ("inplace", None) for k in one.keywords):
                return of
        made = self.origins.of(one.func) if isinstance(one.func, (ast.Name, ast.Attribute)) else ()
        return "torch.Tensor" if made and all(isinstance(each, ast.Call) and LOSSES_OF_TORCH.match(self.full(each.func)) and not any(
            k.arg in ("reduction", None) and getattr(k.value, "value", None) is None for k in each.keywords) for each in made) else None

    def kind_of_result(self, call, full):
        if full == "pandas.read_csv":
            plain = not any(k.arg in ("chunksize", "iterator", "squeeze", None) for k in call.keywords)
            return "pandas.DataFrame" if plain else None
        if any(k.arg is None for k in call.keywords):
            return None
        return next((kind for kind, form in GIVES_OF_KIND if form.match(full)), None)
