"""Names that stand for another kind of thing than the script takes them for: a function for what it gives, a range for a list, a module or
an array for an object of another library; for the reader of scripts."""

# What goes through its first argument, which a function is not.
GOES_THROUGH = ("next", "iter", "len", "list", "tuple", "set", "sorted", "sum", "enumerate", "reversed", "zip", "tqdm", "any", "all")
METHODS_OF_GENERATORS = ("__next__", "next", "send", "throw")
# Calls of Python's own that gave lists in Python 2, and what they give now; a range at least has items and a length.
NO_LISTS = {"range": "a range", "zip": "an iterator", "map": "an iterator", "filter": "an iterator"}
CHANGES_A_LIST = ("append", "extend", "insert", "remove", "pop", "sort", "reverse", "clear", "copy")
SHUFFLES = ("random.shuffle", "numpy.random.shuffle")
# All that an array of NumPy's has, of any release from 1.16 to 2.4.
MEMBERS_OF_ARRAYS = frozenset(
    "T all any argmax argmin argpartition argsort astype base byteswap choose clip compress conj conjugate copy ctypes cumprod cumsum data device "
    "diagonal dot dtype dump dumps fill flags flat flatten getfield imag item itemset itemsize mT max mean min nbytes ndim newbyteorder nonzero "
    "partition prod ptp put ravel real repeat reshape resize round searchsorted setfield setflags shape size sort squeeze std strides sum swapaxes "
    "take to_device tobytes tofile tolist tostring trace transpose var view".split())
NEW_ARRAYS_OF_NUMPY = re.compile(
    r"numpy\.(zeros|ones|empty|full|arange|linspace|logspace|array|eye|identity|stack|vstack|hstack|column_stack|concatenate|expand_dims|meshgrid|"
    r"random\.(rand|randn|random|random_sample|standard_normal|permutation))$")
# What tensors and tables have, and arrays do not. What .numpy() gives may be a number or, of TensorFlow's, bytes.
ASKED_OF_TENSORS = frozenset(
    "expand_dims unsqueeze permute cuda cpu detach numpy concat concatenate append cat stack numel long double half contiguous requires_grad backward "
    "softmax relu sigmoid tanh exp log sqrt norm pow median iloc loc to_numpy isnan unique pad is_cuda grad".split())
INSTEAD_OF_MEMBERS = {
    "expand_dims": "np.expand_dims({0}, axis)", "unsqueeze": "np.expand_dims({0}, axis)", "permute": "{0}.transpose(…)", "cat": "np.concatenate(…)",
    "concat": "np.concatenate(…)", "concatenate": "np.concatenate(…)", "append": "np.append({0}, …)", "stack": "np.stack(…)", "numel": "{0}.size",
    "cuda": "torch.from_numpy({0}).cuda()", "to": "torch.from_numpy({0}).to(…)", "float": "{0}.astype(np.float32)", "long": "{0}.astype(np.int64)",
    "numpy": "{0} itself, which is an array", "detach": "{0} itself, which has no graph", "cpu": "{0} itself, which lies on the host"}
# What models of Keras, Transformers or Lightning have, or tensors and optimizers, and no module of PyTorch's by itself.
NOT_OF_MODULES = {
    "save": "torch.save({0}.state_dict(), path)", "save_weights": "torch.save({0}.state_dict(), path)", "save_model": "torch.save({0}.state_dict(), path)",
    "load_weights": "{0}.load_state_dict(torch.load(path))", "load": "{0}.load_state_dict(torch.load(path))", "device": "next({0}.parameters()).device",
    "dtype": "next({0}.parameters()).dtype", "is_cuda": "next({0}.parameters()).is_cuda", "summary": "print({0})", "fit": "the loop of the training",
    "fit_generator": "the loop of the training", "train_on_batch": "the loop of the training", "evaluate": "a loop under torch.no_grad()",
    "predict": "{0}(x)", "predict_proba": "{0}(x).softmax(1)", "predict_classes": "{0}(x).argmax(1)", "get_weights": "{0}.state_dict()",
    "set_weights": "{0}.load_state_dict(…)", "trainable_variables": "{0}.parameters()", "trainable_weights": "{0}.parameters()",
    "count_params": "sum(p.numel() for p in {0}.parameters())", "backward": "backward() of the loss", "step": "step() of the optimizer",
    "to_json": "{0}.state_dict()", "save_pretrained": "torch.save({0}.state_dict(), path)", "push_to_hub": "torch.save({0}.state_dict(), path)",
    "detach": "detach() of what it gives", "numpy": "numpy() of what it gives", "item": "item() of what it gives",
    "load_from_checkpoint": "{0}.load_state_dict(torch.load(path))"}
PLAIN_MODULE = re.compile(r"torch\.nn\.(modules\.\w+\.)?(?!Parameter$|Buffer$|Uninitialized|DataParallel$)[A-Z]\w+$")
ASKS_FOR_THE_KIND = re.compile(r"isinstance|hasattr|callable|getattr|is_tensor|type\(")


class Kinds(WholeFile):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.parents, self.calls = self.tracing.index.parents, self.tracing.index.calls
        self.changed = {one.attr for one in nodes if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)} | {
            name for of in self.tracing.index.classes for one in of.body for part in ast.walk(one) if isinstance(
                part, (ast.FunctionDef, ast.Name)) for name in names_bound_by(part)}
        self.functions_by_name = {of.name for of in self.tracing.index.functions}
        self.imports = {}
        for one in nodes:
            if isinstance(one, (ast.Import, ast.ImportFrom)):
                for name in one.names:
                    self.imports.setdefault((name.asname or name.name).split(".")[0], set()).add(name.name)
        for one in nodes:
            if isinstance(one, ast.Call):
                self.shuffled(one)
                if getattr(one.func, "id", "") in GOES_THROUGH and one.args:
                    for given in one.args if one.func.id == "zip" else one.args[:1]:
                        self.gone_through(one, given)
            elif isinstance(one, (ast.For, ast.comprehension)):
                self.gone_through(one.iter, one.iter)
            elif isinstance(one, ast.Assign) and isinstance(one.targets[0], (ast.Tuple, ast.List)):
                self.gone_through(one, one.value)
            elif isinstance(one, ast.Subscript):
                if isinstance(one.ctx, ast.Load):
                    self.gone_through(one, one.value)
                self.item_of_no_list(one)
            elif isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load):
                if one.attr in METHODS_OF_GENERATORS and isinstance(self.parents.get(id(one)), ast.Call):
                    self.gone_through(one, one.value, "AttributeError")
                self.member(one)

    # ---- functions

    def gone_through(self, node, of, raises="TypeError"):
        """for batch in loader, where loader is a function that was not called."""
        if not isinstance(of, (ast.Name, ast.Attribute)) or not self.may_be_function(of) or self.is_asked(node, of):
            return
        values = self.origins.of(of)
        if values and all(isinstance(one, (ast.FunctionDef, ast.Lambda)) and not getattr(one, "decorator_list", ()) for one in values) and not any(
                self.is_parameter(of, one) for one in self.origins.around(of)) and not self.is_reported(node):
            self.mistake(node, "a function that is taken for what it gives", self.written(of), raises, other=values[0], doubted=False)

    def may_be_function(self, of):
        """Whether a name can stand for a function of the file at all: most do not, and are not followed."""
        if isinstance(of, ast.Attribute):
            return getattr(of.value, "id", "") == "self" and of.attr in self.functions_by_name
        if of.id in self.functions_by_name:
            return True
        bound = self.origins.statements_of(of) if of.id not in self.tracing.names else ()
        return bool(bound) and all(isinstance(one, ast.Assign) and isinstance(one.value, (ast.Name, ast.Attribute, ast.Lambda)) for one in bound)

    @staticmethod
    def is_parameter(of, one):
        return isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and isinstance(of, ast.Name) and any(
            each.arg == of.id for each in ast.walk(one.args) if isinstance(each, ast.arg))

    def is_asked(self, node, of):
        """Whether a try stands around a node, or the function where it stands asks what kind of thing this is."""
        name, holder = self.written(of), None
        for one in self.origins.around(node):
            if isinstance(one, ast.Try) and one.handlers:
                return True
            holder = holder or (one if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) else None)
        return any(isinstance(one, ast.Call) and ASKS_FOR_THE_KIND.match(self.written(one.func) + "(") and any(self.written(given) == name for given in one.args)
                   for one in (ast.walk(holder) if holder is not None else self.calls))

    # ---- ranges and iterators

    def no_list(self, node):
        """What range(), zip(), map() or filter() gave, where nothing else made a value; "": another."""
        values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Call)) and self.may_be_made(node, lambda one: getattr(
            one.func, "id", "") in NO_LISTS) else []
        kinds = {getattr(one.func, "id", "") if isinstance(one, ast.Call) else "" for one in values}
        return kinds.pop() if len(kinds) == 1 and kinds <= set(NO_LISTS) and not kinds & (set(self.imports) | self.functions_by_name) and not any(
            self.is_parameter(node, one) for one in self.origins.around(node)) else ""

    def shuffled(self, call):
        """np.random.shuffle(range(8)); indices = range(8); indices.remove(3); len(zip(a, b))"""
        shuffles = self.full(call.func) in SHUFFLES and len(call.args) == 1
        changes = isinstance(call.func, ast.Attribute) and call.func.attr in CHANGES_A_LIST and isinstance(call.func.value, (ast.Name, ast.Call))
        counts = getattr(call.func, "id", "") == "len" and len(call.args) == 1
        of = call.args[0] if shuffles or counts else call.func.value if changes else None
        kind = self.no_list(of) if of is not None else ""
        if kind and not (counts and kind == "range") and not self.is_asked(call, of) and not self.is_reported(call):
            self.mistake(call, "a range that is taken for a list", "%s is %s" % (self.written(of), NO_LISTS[kind]), "AttributeError" if changes else "TypeError",
                         doubted=False)

    def item_of_no_list(self, node):
        """pairs = zip(a, b); pairs[0]; indices = range(8); indices[0] = 3"""
        if not isinstance(node.value, (ast.Name, ast.Call)) or isinstance(node.value, ast.Call) and not isinstance(node.value.func, ast.Name):
            return
        kind = self.no_list(node.value)
        if kind and (kind != "range" or isinstance(node.ctx, ast.Store)) and not self.is_asked(node, node.value) and not self.is_reported(node):
            self.mistake(node, "a range that is taken for a list", "%s is %s" % (self.written(node.value), NO_LISTS[kind]), "TypeError", doubted=False)

    # ---- members

    def member(self, node):
        """model = train(net), which returns the net that it is given; model.save(path)"""
        if not isinstance(node.value, (ast.Name, ast.Call)):
            return
        if node.attr in NOT_OF_MODULES and node.attr not in self.changed and not self.full(node) and self.is_plain_module(node.value) and not self.is_asked(
                node, node.value) and not self.says(r"__getattr|setattr\(|['\"]%s['\"]" % node.attr) and not self.is_reported(node):
            self.mistake(node, "a member that its object lacks", "%s is a module of PyTorch's, which has no %s" % (self.written(node.value), node.attr),
                         self.instead(node, NOT_OF_MODULES), doubted=False)
        elif node.attr not in MEMBERS_OF_ARRAYS and not node.attr.startswith("_") and self.is_array(node.value, node.attr) and not self.full(node) and not self.is_asked(
                node, node.value) and not self.is_reported(node):
            self.mistake(node, "a member that its object lacks", "%s is an array of NumPy's, which has no %s" % (self.written(node.value), node.attr),
                         self.instead(node, INSTEAD_OF_MEMBERS), doubted=False)

    def instead(self, node, known):
        said = known.get(node.attr)
        return "Write %s." % said.format(self.written(node.value)) if said else "Leave it out, or take the function of NumPy that does it."

    def is_plain_module(self, node):
        values = self.origins.of(node, True)
        if any(self.full(one.func) or one.func.attr in PREPARERS for one in self.origins.wrappers_of(node)):
            return False  # what torch.jit.script or peft wraps it into has more
        return bool(values) and all(isinstance(one, ast.Call) and (PLAIN_MODULE.match(self.full(one.func)) or self.is_of_plain_class(one)) for one in values)

    def is_of_plain_class(self, call):
        own = self.origins.functions_of(call.func) if not self.full(call.func) else ()
        return bool(own) and all(isinstance(one, ast.ClassDef) and self.is_only_module(one, 3) for one in own)

    def is_only_module(self, of, deepest):
        """Whether a class of the file inherits nothing but torch.nn.Module, also through others of the file."""
        if deepest == 0 or not of.bases or of.keywords or of.decorator_list:
            return False
        return all(PLAIN_MODULE.match(self.full(base)) or [True] == [isinstance(one, ast.ClassDef) and one is not of and self.is_only_module(
            one, deepest - 1) for one in self.origins.of(base)] for base in of.bases)

    def may_be_made(self, node, is_one):
        """Whether all that a name is bound to are calls of a kind, or of functions of the file: most are not, and are not followed."""
        bound = self.origins.statements_of(node) if isinstance(node, ast.Name) and node.id not in self.tracing.names else ()
        made = [node] if isinstance(node, ast.Call) else [one.value if isinstance(one, ast.Assign) else None for one in bound]
        return bool(made) and all(isinstance(one, ast.Name) or isinstance(one, ast.Call) and (is_one(one) or getattr(
            one.func, "id", "") in self.functions_by_name) for one in made)

    def is_array(self, node, attribute):
        values = self.origins.of(node) if self.may_be_made(node, lambda one: self.makes_array(one, attribute)) else []
        return bool(values) and all(self.makes_array(one, attribute) for one in values) and not any(
            self.is_parameter(node, one) for one in self.origins.around(node))

    def makes_array(self, one, attribute):
        """np.zeros(3), and x.detach().cpu().numpy(), of which only what tensors have is told."""
        if not isinstance(one, ast.Call) or any(isinstance(given, ast.Starred) for given in one.args):
            return False
        full = self.full(one.func)
        if full:
            root = one.func
            while isinstance(root, ast.Attribute):
                root = root.value
            return NEW_ARRAYS_OF_NUMPY.match(full) is not None and self.imports.get(getattr(root, "id", ""), set()) <= {"numpy"} and bool(
                one.args or one.keywords) and not any(k.arg in ("subok", "like", None) for k in one.keywords)
        return is_call(one, "numpy") and not one.args and not one.keywords and attribute in ASKED_OF_TENSORS


class ReadTooEarly(WholeFile):
    """evaluate(model), at the top of a file that defines evaluate further down."""

    def look(self, nodes):
        reader = self.reader
        trees = [one for one in nodes if isinstance(one, ast.Module)]
        if reader.other_form or reader.source or BINDS_UNREAD.search(reader.text) or MAGIC_THAT_BINDS.search(
                reader.text) or self.says(r"NameError|import +\*|\n\s*global "):
            return
        own = [one for tree in trees for one in own_nodes(tree)]
        first = {}
        for one in own:
            at = one
            if isinstance(one, ast.alias):
                at = self.origins.parents.get(id(one), one)
            for name in names_bound_by(one):
                if name not in first or self.origins.position(at) < self.origins.position(first[name]):
                    first[name] = at
        late = {name: one for name, one in first.items() if self.origins.scope(one) is None and name not in BOUND_BEFOREHAND and name not in reader.lost and (
            isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or len(trees) == 1 and isinstance(self.origins.parents.get(id(one)), ast.Assign))}
        if not late:
            return
        starred = {name for one in own if isinstance(one, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)) for part in ast.walk(one) for name in
                   names_bound_by(part)}
        seen = set()
        for tree in trees:
            for read in self.read_by(tree.body):
                self.tell(read, read, late, starred, seen)
            for call in calls_in([one for one in tree.body if not isinstance(one, ast.ClassDef)]):
                of = late.get(getattr(call.func, "id", "")) if self.origins.scope(call) is None else None
                if isinstance(of, ast.FunctionDef) and self.origins.position(of) < self.origins.position(call) and not of.decorator_list and not any(
                        isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(of)):
                    for read in self.run_by(of):
                        self.tell(read, call, late, starred, seen)

    def tell(self, read, run, late, starred, seen):
        """`run` is what is reached when the name is read: the name itself, or the call of a function that reads it."""
        bound, place = late.get(read.id), self.origins.position
        if bound is None or read.id in seen or read.id in starred or place(bound) < place(run) or getattr(bound, "cell", None) != getattr(run, "cell", None):
            return
        loops = [one for one in self.origins.around(bound) if isinstance(one, (ast.For, ast.While))]
        if any(one is each for one in self.origins.around(run) for each in loops) or not all(self.is_run(one) for one in {id(read): read, id(
                run): run}.values()):
            return
        seen.add(read.id)
        if not self.is_reported(read):
            self.reader.mistake(read, "a name that is read before it is bound", read.id, other=bound)

    def is_run(self, node):
        return NeverBound(self.reader, self.tracing).is_run(node)

    @staticmethod
    def read_by(body):
        """The names that statements of the file itself read, in whatever branch: none of them is bound earlier."""
        waiting, found = list(body), []
        while waiting:
            one = waiting.pop()
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                found.append(one)
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                waiting += one.decorator_list + one.args.defaults + [each for each in one.args.kw_defaults if each is not None]
            elif isinstance(one, ast.ClassDef):
                waiting += one.decorator_list + one.bases
            elif isinstance(one, ast.AnnAssign):
                waiting += [] if one.value is None else [one.value]
            elif not isinstance(one, (ast.Lambda, ast.GeneratorExp)):
                waiting += ast.iter_child_nodes(one)
        return sorted(found, key=lambda one: (getattr(one, "cell", None) or 0, one.lineno, one.col_offset))

    def run_by(self, of):
        """The names of the file that a function reads whatever happens in it."""
        own = {name for one in ast.walk(of) for name in names_bound_by(one)}
        for statement in of.body:
            for read in BoundInOneBranch(self.reader, self.tracing).read_in(statement):
                if read.id not in own:
                    yield read
            if any(isinstance(one, ENDS_BLOCK) for one in ast.walk(statement)):
                return
