"""Options, variables and settings that choose something else than they seem to; for the reader of scripts."""

NAMES_A_SWITCH = re.compile(r"(?i)(^|_)(use|with|enable|enabled|no|is|on|cuda|gpu|amp|fp16|bf16|half|mixed(_precision)?|tf32|deterministic|benchmark|compile|"
                            r"distributed|ddp|pin(_memory)?|xla|jit)(_|$)")
# Variables of the environment that decide about devices, which a script may take for variables of Python.
OF_ENVIRONMENT = re.compile(r"((JAX_|HIP_|ROCR_|NVIDIA_)?(CUDA_|ROCM_)?VISIBLE_DEVICES|CUDA_(DEVICE_|LAUNCH_|MODULE_|CACHE_)\w+|"
                            r"(TF|XLA|JAX|PYTORCH|KERAS|CUBLAS|NCCL|TORCH|HSA)_\w+)$")
# Those that the table of variables leaves out, and that TensorFlow reads (gpu_bfc_allocator.cc, gpu_process_state.cc).
MORE_OF_ENVIRONMENT = ("TF_ENABLE_GPU_GARBAGE_COLLECTION", "TF_FORCE_UNIFIED_MEMORY", "TF_GPU_HOST_MEM_LIMIT_IN_MB")
FRAMEWORKS_OF_SCRIPTS = {"torch", "tensorflow", "keras", "jax", "cupy", "numba", "mxnet", "paddle", "transformers", "lightning", "pytorch_lightning"}
READS_ITS_NAMES = re.compile(r"(?<![.\w])((globals|locals|exec|eval)\(|vars\(\))|__dict__")
DEVICE_TEXTS = ("cuda", "gpu", "cpu", "mps", "tpu", "xpu", "cuda:0", "fp16", "bf16", "float16", "bfloat16", "half", "amp", "gpus")
ASKS_FOR_A_GPU = re.compile(r"(torch\.)?cuda\.is_available\(\)$|torch\.backends\.mps\.is_available\(\)$|[\w.]+\.is_cuda$")


def leaves(of):
    """Whether a statement may end the function, the loop or the program."""
    return any(isinstance(one, (ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Assert)) or isinstance(one, ast.Call) and getattr(
        one.func, "attr", getattr(one.func, "id", "")) in ("exit", "_exit", "quit", "skip", "abort") for one in ast.walk(of))


class Choices(OfValues):
    """Switches and options of a script that say something other than what they are asked, so that it takes another device."""

    def look(self, nodes):
        self.know(nodes)
        calls = self.tracing.index.calls
        parsed = {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and is_call(one.value, "parse_args")}
        tables = {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and getattr(
            one.value.func, "id", "") == "vars" and one.value.args}
        for one in nodes:
            if isinstance(one, (ast.If, ast.IfExp)):
                self.always_true(one.test)
            elif isinstance(one, ast.Compare) and len(one.ops) == 1:
                self.compared(one)
            elif isinstance(one, ast.BoolOp) and isinstance(one.op, ast.Or):
                self.compared_with_one_of_two(one)
            elif isinstance(one, ast.Assign) and any(self.full(target) == "os.environ" for target in one.targets if isinstance(target, ast.Attribute)):
                self.mistake(one, "an environment that is replaced", doubted=False)
            elif isinstance(one, ast.Subscript) and self.written(one.value) in tables and isinstance(one.ctx, ast.Load):
                self.by_its_flag(one, one.slice)
        for call in calls:
            name = self.full(call.func)
            if getattr(call.func, "id", "") == "getattr" and len(call.args) == 3 and self.written(call.args[0]) in parsed:
                self.by_its_flag(call, call.args[1])
            elif is_call(call, "get") and call.args:
                made = call.func.value
                if self.written(made) in tables or isinstance(made, ast.Call) and getattr(made.func, "id", "") == "vars" and made.args:
                    self.by_its_flag(call, call.args[0])
                else:
                    self.by_another_key(call)
            elif is_call(call, "add_argument"):
                self.made_true_by_any_text(call)
            elif getattr(call.func, "id", "") == "bool" and len(call.args) == 1 and re.match(r"sys\.argv\[-?\d+\]$", self.written(call.args[0])):
                self.mistake(call, "a text that is always true", "'0' or 'False'")
            elif re.match(r"subprocess\.(run|Popen|call|check_call|check_output)$", name):
                self.list_for_a_shell(call)
        self.options_of_click(nodes)
        self.variables_of_python(nodes)
        self.bound_with_a_gpu_alone(nodes)

    def bound_with_a_gpu_alone(self, nodes):
        """if torch.cuda.is_available(): device = "cuda", with no other branch: without a GPU the name is missing where it is read."""
        if READS_ITS_NAMES.search(self.reader.text) or self.reader.other_form or self.says(
                r"import \*|assert [^\n]*(is_available|cuda|gpu)|if not [^\n]*(is_available|is_cuda)|device_count\(\) *(==|<|<=) *\d|NameError|%run|@\w*(skip|pytest)"):
            return
        shared = {name for one in nodes if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        for one in nodes:
            if not isinstance(one, ast.If) or not ASKS_FOR_A_GPU.match(self.written(one.test)) or any(
                    leaves(part) for part in one.body + one.orelse) or self.in_branch(one):
                continue
            scope = self.origins.scope(one)
            if isinstance(scope, (ast.ClassDef, ast.Lambda)):
                continue
            inside, told = {id(part) for block in one.body for part in ast.walk(block)}, set()
            for statement in one.body:
                for target in statement.targets if isinstance(statement, ast.Assign) else ():
                    name = getattr(target, "id", None)
                    if name is None or name in shared | told or self.is_bound_elsewhere(name, scope, inside, nodes):
                        continue
                    told.add(name)
                    reads = [use for use in nodes if isinstance(use, ast.Name) and use.id == name and isinstance(
                        use.ctx, ast.Load) and id(use) not in inside and self.is_read_without(use, one, scope)]
                    read = min(reads, key=lambda use: (use.lineno, use.col_offset), default=None)
                    if read is not None:
                        self.mistake(read, "a name that only a GPU binds", name, self.written(one.test), other=statement)

    def is_bound_elsewhere(self, name, scope, inside, nodes):
        """Whether anything of a function or the file, but what stands in one branch, binds a name."""
        if isinstance(scope, ast.FunctionDef) and any(one.arg == name for one in ast.walk(scope.args) if isinstance(one, ast.arg)):
            return True
        for one in nodes:
            names = [one.id] if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load) else [one.name] if isinstance(
                one, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) else [(each.asname or each.name).split(".")[0] for each in one.names] if isinstance(
                    one, (ast.Import, ast.ImportFrom)) else [one.name or ""] if isinstance(one, (ast.MatchAs, ast.MatchStar)) else []
            if name in names and id(one) not in inside and self.origins.scope(one) is scope:
                return True
        return False

    def is_read_without(self, use, branch, scope):
        """Whether a name is surely read where the branch that binds it was not taken."""
        part, here = use, self.origins.scope(use)
        if here is not scope and (scope is not None or any(isinstance(one, ast.Name) and one.id == use.id and not isinstance(
                one.ctx, ast.Load) or isinstance(one, ast.arg) and one.arg == use.id for of in self.origins.around(use) if isinstance(
                    of, (ast.FunctionDef, ast.Lambda)) for one in ast.walk(of))):
            return False
        for of in self.origins.around(use):
            if of is branch:
                return any(part is one for one in branch.orelse)
            main = isinstance(of, ast.If) and "__name__" in self.written(of.test)
            if isinstance(of, (ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.Try, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
                               ast.GeneratorExp, ast.match_case)) and not main:
                return False
            if isinstance(of, ast.For) and re.search(r"(?i)cuda|gpu|device", self.written(of.iter)):  # of no GPU, it has no round
                return False
            block = next((block for block in (getattr(of, field, None) for field in ("body", "orelse")) if isinstance(block, list) and any(
                part is one for one in block)), [])
            at = next((place for place, one in enumerate(block) if one is part), 0)
            if any(isinstance(one, ast.If) and one is not branch and leaves(one) for one in block[:at]):
                return False
            if any(branch is one for one in block[:at]):
                return True
            if isinstance(of, (ast.FunctionDef, ast.AsyncFunctionDef)):
                sites = self.origins.sites(of)
                if of.decorator_list or any(self.in_branch(site.call) for site in sites):
                    return False
                if scope is None and self.origins.scope(of) is None:
                    return bool(sites) or self.says(r"Fire\(|\b%s\b *\)" % of.name)
            part = of
        return False

    def variables_of_python(self, nodes):
        """CUDA_VISIBLE_DEVICES = "0", a name of Python's that nothing reads: the environment has no such variable."""
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.source is not None or self.reader.other_form or not roots & FRAMEWORKS_OF_SCRIPTS or READS_ITS_NAMES.search(
                self.reader.text) or not self.runs_something(nodes):
            return
        # Where other settings stand that nothing reads here, another file imports them all.
        settings = {one.targets[0].id for of in nodes if isinstance(of, ast.Module) for one in of.body if isinstance(one, ast.Assign) and isinstance(
            one.targets[0], ast.Name) and one.targets[0].id.isupper() and not OF_ENVIRONMENT.match(one.targets[0].id)}
        if any(not self.is_read(name, nodes) for name in settings):
            return
        for one in nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else getattr(one, "target", None) if isinstance(
                one, ast.AnnAssign) else None
            name = getattr(target, "id", "") if isinstance(target, ast.Name) else ""
            known = OF_ENVIRONMENT.match(name) and (name in self.reader.variables.known or name in MORE_OF_ENVIRONMENT)
            said = getattr(one.value, "value", None) if known and isinstance(one.value, (ast.Constant, ast.UnaryOp)) else None
            said = self.said(one.value) if known and isinstance(one.value, ast.UnaryOp) else said
            if not isinstance(said, (str, int, float)) or "VISIBLE" in name and not re.match(r"-?[\d, ]*$|GPU-|MIG-", str(said)):
                continue
            # A function with a decorator may be read by who made that: an experiment of Sacred takes its names as settings.
            scope = self.origins.scope(one)
            if not isinstance(scope, ast.ClassDef) and not getattr(scope, "decorator_list", ()) and not self.is_read(name, nodes):
                self.mistake(one, "a variable of Python alone", name)

    def is_read(self, name, nodes):
        """Whether a name stands anywhere in the file but where it is assigned, in its comments, or in a text that is a statement."""
        for one in nodes:
            if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Store) or name in (
                    getattr(one, "attr", ""), getattr(one, "arg", "")):
                return True
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and name in one.value and not isinstance(
                    self.origins.parents.get(id(one)), ast.Expr):
                return True
            if isinstance(one, (ast.Global, ast.Nonlocal)) and name in one.names or isinstance(one, ast.alias) and name in (one.name, one.asname):
                return True
        return False

    def always_true(self, test):
        """use = config.get("train", "use_cuda"); if use: any text but the empty one is true."""
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        for one in self.origins.of(test) if isinstance(test, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else ():
            one = getattr(one, "of", one)
            if is_call(one, "get") and len(one.args) == 2 and self.reads_file(one.func.value):
                key = self.said(one.args[1])
            elif isinstance(one, ast.Subscript) and (self.reads_file(one.value) or isinstance(one.value, ast.Subscript) and self.reads_file(
                    one.value.value)):
                key = self.said(getattr(one.slice, "value", one.slice) if type(one.slice).__name__ == "Index" else one.slice)
            else:
                continue
            if isinstance(key, str) and NAMES_A_SWITCH.search(key):
                self.mistake(test, "a text that is always true", "'false' or '0'", other=one)

    def reads_file(self, node):
        return self.made_by(node, "configparser.ConfigParser", "configparser.RawConfigParser", "configparser.SafeConfigParser") is not None

    def compared(self, node):
        """args.device is "cuda"; and args.device is None, whose default is the text "None"."""
        left, right = node.left, node.comparators[0]
        if not isinstance(node.ops[0], (ast.Is, ast.IsNot)) or not isinstance(right, ast.Constant):
            return
        if isinstance(right.value, str) and right.value in DEVICE_TEXTS:
            self.mistake(node, "an identity with a text", repr(right.value), doubted=False)
        elif right.value is None and isinstance(left, ast.Attribute):
            option = self.origins.calls_of_option(left.attr)
            if len(option) == 1 and self.said(self.word(option[0], "default")) == "None" and self.word(option[0], "type") is None and \
                    not re.search(r"\.%s = None" % left.attr, self.reader.text):
                self.mistake(node, "a comparison that is never true", "never" if isinstance(node.ops[0], ast.Is) else "always",
                             "the default is the text 'None'", other=option[0])

    def compared_with_one_of_two(self, node):
        """device == "cuda" or "gpu" """
        last = node.values[-1]
        texts = [one.comparators[0].value for one in node.values[:-1] if isinstance(one, ast.Compare) and isinstance(
            one.ops[0], ast.Eq) and isinstance(one.comparators[0], ast.Constant)]
        if isinstance(last, ast.Constant) and last.value in DEVICE_TEXTS and texts and all(one in DEVICE_TEXTS for one in texts):
            self.mistake(node, "a comparison with one of two texts", repr(last.value), doubted=False)

    def by_its_flag(self, node, key):
        """vars(args).get("use-gpu"), of the option --use-gpu, which argparse keeps as use_gpu."""
        said = self.said(getattr(key, "value", key) if type(key).__name__ == "Index" else key)
        if isinstance(said, str) and "-" in said and self.origins.calls_of_option(said.lstrip("-").replace("-", "_")):
            self.mistake(node, "an option that is asked for by its flag", said, said.lstrip("-").replace("-", "_"), doubted=False)

    def by_another_key(self, call):
        """CONFIG.get("mixed-precision", False), of a dictionary that says "mixed_precision"."""
        asked, of = self.said(call.args[0]), self.value_of(call.func.value)
        if not isinstance(asked, str) or not isinstance(of, ast.Dict) or not isinstance(call.func.value, (ast.Name, ast.Attribute)):
            return
        keys = [getattr(key, "value", None) for key in of.keys]
        plain = lambda one: re.sub(r"[-_ ]", "", one).lower()
        near = [one for one in keys if isinstance(one, str) and plain(one) == plain(asked)]
        if asked not in keys and None not in keys and near and not self.says(r"['\"]%s['\"]\]\s*=[^=]|\.(update|setdefault)\(" % re.escape(asked)):
            self.mistake(call, "a key that the settings have in another form", asked, near[0], other=of)

    def made_true_by_any_text(self, call):
        """add_argument("--amp", type=lambda v: bool(v))"""
        kind = self.word(call, "type")
        for one in self.origins.functions_of(kind) if kind is not None else ():
            body = one.body if isinstance(one, ast.Lambda) else one.body[0].value if isinstance(one, ast.FunctionDef) and len(
                one.body) == 1 and isinstance(one.body[0], ast.Return) else None
            if isinstance(body, ast.Call) and getattr(body.func, "id", "") == "bool" and len(body.args) == 1 and isinstance(
                    body.args[0], ast.Name) and one.args.args and body.args[0].id == one.args.args[0].arg:
                self.reader.mistake(call, "an option of type bool", self.written(call.args[0]) if call.args else "it", other=one)

    def list_for_a_shell(self, call):
        """subprocess.run(["CUDA_VISIBLE_DEVICES=1", "python", "train.py"], shell=True): the shell runs the first item alone."""
        if self.said(self.word(call, "shell")) is not True or not call.args:
            return
        lists = self.origins.of(call.args[0])
        if lists and all(isinstance(one, ast.List) and len(one.elts) > 1 for one in lists) and re.search(
                r"['\"](CUDA_VISIBLE_DEVICES=\S*|python\d?|torchrun|accelerate|nvidia-smi|deepspeed|horovodrun|mpirun)['\"]|sys\.executable", self.written(lists[0])):
            self.mistake(call, "a list for a shell", doubted=False)

    def options_of_click(self, nodes):
        """@click.option("--gpu", default="False"), and if gpu: it is a text, and true."""
        for of in (one for one in nodes if isinstance(one, ast.FunctionDef)):
            for made in (one for one in of.decorator_list if isinstance(one, ast.Call) and self.full(one.func) == "click.option" and one.args):
                default, flag = self.said(self.word(made, "default")), self.said(made.args[0])
                if not isinstance(default, str) or default.lower() not in NOES or any(k.arg in ("type", "is_flag", "callback", None) for k in made.keywords):
                    continue
                name = flag.lstrip("-").replace("-", "_").lower() if isinstance(flag, str) and "/" not in flag else ""
                test = next((one.test for one in ast.walk(of) if isinstance(one, (ast.If, ast.IfExp)) and re.match(
                    r"(not )?%s$" % re.escape(name), self.written(one.test))), None) if NAMES_A_SWITCH.search(name) else None
                if test is not None:
                    self.mistake(test, "a text that is always true", repr(default), other=made)
