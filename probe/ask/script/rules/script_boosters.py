"""Boosted trees, tables of cuDF and clocks around them, read from the statements of a file as they stand; for the reader of
scripts."""

TAKES_SETTINGS = (
    (re.compile(r"xgboost\.(train|cv)$"), 0), (re.compile(r"xgboost\.(\w+\.)*(XGB\w+|Booster)$"), None), (re.compile(r"lightgbm\.(train|cv)$"), 0),
    (re.compile(r"lightgbm\.(\w+\.)*LGBM\w+$"), None), (re.compile(r"catboost\.(train|cv)$"), 1), (re.compile(r"catboost\.CatBoost$"), 0),
    (re.compile(r"catboost\.CatBoost(Classifier|Regressor|Ranker)$"), None))
DEVICES_OF_TREES = {
    ("xgboost", ("device", )): (r"cpu|(cuda|gpu)(:\d+)?|sycl(:\w+)?(:\d+)?", "'cpu', 'cuda' or 'cuda:0'"),
    ("lightgbm", ("device", "device_type")): (r"cpu|gpu|cuda|cuda_exp", "'cpu', 'gpu' or 'cuda'; the number goes to gpu_device_id"),
    ("catboost", ("task_type", )): (r"CPU|GPU", "'CPU' or 'GPU'"),
}
WHICH_GPU = {"xgboost": (("gpu_id", "n_gpus", "predictor"), ("device", ), "device='cuda'"),
             "lightgbm": (("gpu_device_id", "gpu_platform_id", "gpu_use_dp", "num_gpu"), ("device", "device_type"), "device='gpu' or 'cuda'"),
             "catboost": (("devices", "gpu_ram_part"), ("task_type", ), "task_type='GPU'")}
MAKES_TABLE = re.compile(r"cudf\.(read_\w+|DataFrame|Series|from_pandas|concat|merge|get_dummies|(DataFrame|Series)\.from_\w+)$")
GIVES_TABLE = frozenset("merge join sort_values sort_index reset_index set_index head tail fillna dropna query copy astype drop rename assign "
                        "drop_duplicates agg aggregate nlargest nsmallest sample value_counts groupby isin where clip round abs cumsum "
                        "diff shift".split())
OF_GROUPS = ("mean", "sum", "count", "max", "min", "std", "var", "size")  # a table for groups, and a number for a column
PARTS_OF_TABLES = ("loc", "iloc")
READS_OF_HOST = re.compile(r"(numpy\.(asarray|array|ascontiguousarray)|torch\.from_numpy|sklearn\.metrics\.[a-z]\w*)$")
ASYNC_OF_CUPY = re.compile(r"cupy\.(matmul|dot|einsum|tensordot|sum|mean|exp|log|sqrt|sin|cos|tanh|maximum|minimum|sort|cumsum|add|multiply|"
                           r"subtract|divide|power|abs|clip|std|var|fft\.\w+|outer|convolve|where|square|linalg\.norm)$")
FILLS_OF_CUPY = re.compile(r"cupy\.(ones|zeros|full|arange|linspace|eye|identity|random\.(rand|randn|random|random_sample|normal|uniform|standard_normal))$")
WAITS_OF_CUPY = re.compile(r"sync|asnumpy|\.get\(|float\(|int\(|\.item\(|\.tolist\(|Event|benchmark|allclose|\.done|\bif |elapsed_time|save|np\.|print\((?!f?['\"][^{}]*['\"]\))")
# Functions that look at each number, which take arrays of CuPy's and plain numbers; others hand an array's own methods on.
TAKES_CUPY_ALONE = re.compile(r"cupy\.(add|subtract|multiply|divide|true_divide|power|exp|log|sqrt|square|sin|cos|tan|tanh|abs|absolute|maximum|"
                              r"minimum|matmul|exp2|log2|log10|log1p|expm1|arctan|arcsin|arccos|sinh|cosh|floor|ceil|sign|hypot|greater|less)$")
ARRAYS_OF_NUMPY = re.compile(r"numpy\.(array|zeros|ones|arange|linspace|full|eye|random\.(rand|randn|random|randint|normal|uniform))$")
MOST_THREADS = 1024  # of a block, on all GPUs
# What gives an array of the form of its first argument, and what makes one whose numbers are whatever lay there.
OF_THE_SAME_FORM = re.compile(r"numba\.cuda\.(to_device|as_cuda_array|(device|pinned|mapped|managed)_array_like)$|"
                              r"(numpy|cupy)\.((zeros|ones|empty|full)_like|asarray|ascontiguousarray|copy)$")
MAKES_BY_SHAPE = re.compile(r"numba\.cuda\.(device|pinned|mapped|managed)_array$")
FILLS_WITH_NOTHING = re.compile(r"numba\.cuda\.(device|pinned|mapped|managed)_array(_like)?$|(numpy|cupy|torch)\.empty(_like)?$")
# What may be asked of an array without a change of its numbers.
ASKS_OF_ARRAYS = ("shape", "size", "dtype", "ndim", "nbytes", "strides")
# What asks Numba for GPUs and computes nothing there, and libraries that use none.
ASKS_FOR_DEVICES = re.compile(r"numba\.cuda(\.(select_device|close|detect|is_available|get_current_device|gpus|list_devices|synchronize|"
                              r"current_context|device_count)(\.\w+)*)?$")
WITHOUT_GPU = frozenset("numba numpy scipy matplotlib pandas PIL cv2 skimage sklearn seaborn imageio tqdm".split())


class Boosters(Kernels):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"xgboost", "lightgbm", "catboost", "cudf", "cupy", "numba", "pycuda", "rmm"} & roots:
            return
        self.know(nodes)
        calls = self.tracing.index.calls
        for library in {"xgboost", "lightgbm", "catboost"} & roots:
            self.settings_of_trees(library, calls)
        if "cudf" in roots and not self.says(r"import pandas as (\w+)[\s\S]*import cudf as \1\b|import cudf as (\w+)[\s\S]*import pandas as \2\b"):
            self.tables(nodes, calls)
        if "rmm" in roots:
            self.pool_behind_arrays(nodes)
        if "cupy" in roots:
            self.clocks_of_cupy(nodes)
            self.laps_of_cupy(nodes)
            self.magics_of_cupy(nodes)
            self.beside_numpy(nodes)
            self.for_cupy_alone(calls)
        if {"numba", "cupy", "pycuda"} & roots:
            self.blocks_too_large(calls)
        if "numba" in roots:
            launches = self.launches(calls)
            self.computed_in_part(launches)
            self.added_to_nothing(launches)
            self.chosen_for_no_kernel(nodes, calls)

    # ---- trees

    def settings(self, call, place):
        """The settings by their names that a call is given, with those that are written into its dictionary."""
        found = {k.arg: k.value for k in call.keywords if k.arg}
        given = [k.value for k in call.keywords if k.arg is None or k.arg == "params"]
        given += call.args[place:place + 1] if place is not None else []
        for one in given:
            for of in self.origins.of(one):
                if isinstance(of, ast.Dict):
                    found.update({key.value: value for key, value in zip(of.keys, of.values) if isinstance(key, ast.Constant)})
                    if None in of.keys:
                        found[None] = of
                elif isinstance(of, ast.Call) and getattr(of.func, "id", "") == "dict" and not of.args:
                    found.update({k.arg: k.value for k in of.keywords})
                else:
                    found[None] = one  # others may be in it
                    continue
                found.update(self.written_into(of))
        return found

    def written_into(self, of):
        """params["device"] = "cuda", params.update(device="cuda") for the name that a dictionary was given."""
        found, statement = {}, self.origins.parents.get(id(of))
        name = self.written(statement.targets[0]) if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        for one in self.origins.nodes if name else ():
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Subscript) and self.written(one.targets[0].value) == name:
                found[getattr(getattr(one.targets[0].slice, "value", one.targets[0].slice), "value", getattr(one.targets[0].slice, "value", None))] = one.value
            if self.method(one, "update", "setdefault") and self.written(one.func.value) == name:
                found.update({k.arg: k.value for k in one.keywords})
                for part in one.args[:1]:
                    if isinstance(part, ast.Dict) and None not in part.keys:
                        found.update({getattr(key, "value", None): value for key, value in zip(part.keys, part.values)})
                    elif one.func.attr == "update":
                        found[None] = part
                if one.func.attr == "setdefault" and len(one.args) > 1:
                    found[getattr(one.args[0], "value", None)] = one.args[1]
        return found

    def settings_of_trees(self, library, calls):
        if self.reader.pinned_for(library):
            return
        for call in calls:
            full = self.full(call.func)
            place = next((place for form, place in TAKES_SETTINGS if form.match(full) and full.startswith(library)), -1)
            if place == -1:
                if not self.method(call, "set_params") or self.made_by(call.func.value, re.compile(library + r"\.")) is None:
                    continue
                place = None
            settings = self.settings(call, place)
            for (of, words), (form, takes) in DEVICES_OF_TREES.items():
                for word in words if of == library else ():
                    for one in self.origins.known(settings[word]) if word in settings else ():
                        said = getattr(one, "value", None) if isinstance(one, ast.Constant) else None
                        if isinstance(said, str) and not re.fullmatch(form, said if library == "catboost" else said.lower()) and \
                                not self.reader.asks_for(said):
                            self.mistake(one, "a device that a library of trees doesn't know", said, word, takes, other=call, doubted=False)
            method = settings.get("tree_method")
            old = next((one for one in self.origins.known(method) if getattr(one, "value", None) in ("gpu_hist", "gpu_exact")),
                       None) if library == "xgboost" and method is not None else None
            if old is not None and not self.says(r"xgb\w*\.__version__|version\(['\"]xgboost"):
                self.mistake(old, "a method of trees that is gone", old.value, other=call)
                continue
            which, needs, write = WHICH_GPU[library]
            named = next((settings[one] for one in which if one in settings and (one != "predictor" or getattr(
                settings[one], "value", "") == "gpu_predictor") and self.written(settings[one]) not in ("-1", "None", "''")), None)
            if named is not None and None not in settings and not any(one in settings for one in needs) and not self.method(
                    call, "set_params") and not self.says(r"set_params\(|" + "|".join(r"\b%s\b['\"]?\s*[=:\]]" % one for one in needs)):
                self.mistake(named, "a library of trees that is not set to the GPU", next(
                    one for one in which if settings.get(one) is named), write, other=call)

    # ---- tables

    def is_table(self, node, deepest=8):
        """Whether all that a value comes from is a table or column of cuDF's."""
        values = self.origins.of(node) if deepest > 0 else []
        return bool(values) and all(self.gives_table(one, deepest - 1) for one in values)

    def gives_table(self, one, deepest):
        one = getattr(one, "of", one)
        if isinstance(one, ast.Call):
            name = self.tracing.imported(one.func)
            if name:
                return MAKES_TABLE.match(name) is not None
            return isinstance(one.func, ast.Attribute) and (one.func.attr in GIVES_TABLE or one.func.attr in OF_GROUPS and "groupby(" in self.written(
                self.value(one.func.value))) and self.is_table(one.func.value, deepest)
        if isinstance(one, ast.Subscript):
            of = one.value
            return self.is_table(of.value if isinstance(of, ast.Attribute) and of.attr in PARTS_OF_TABLES and isinstance(
                getattr(one.slice, "value", one.slice), ast.Slice) else of, deepest)
        return False

    def is_column(self, node):
        """df["x"] of a table, under whatever name."""
        for one in self.origins.of(node) or [node]:
            one = getattr(one, "of", one)
            if not isinstance(one, ast.Subscript) or not isinstance(getattr(getattr(one.slice, "value", one.slice), "value", getattr(
                    one.slice, "value", None)), str) or not self.is_table(one.value) or "groupby" in self.written(one):
                return False
        return True

    def tables(self, nodes, calls):
        for call in calls:
            if self.method(call, "iterrows", "itertuples") and self.is_table(call.func.value):
                self.mistake(call, "a table of cuDF's that is walked through", self.written(call))
            elif self.method(call, "tolist", "to_list") and self.is_column(call.func.value):
                self.mistake(call, "a table of cuDF's that is walked through", self.written(call))
            elif getattr(call.func, "id", "") in ("list", "enumerate", "set", "tuple", "zip") and any(map(self.is_column, call.args)):
                self.mistake(call, "a table of cuDF's that is walked through", self.written(call))
            elif READS_OF_HOST.match(self.full(call.func)) and not self.says(r"\bcuml\b|array_api"):
                of = next((one for one in call.args if self.is_column(one) or self.is_table(one) or isinstance(
                    one, ast.Attribute) and one.attr == "values" and self.is_table(one.value)), None)
                if of is not None:
                    self.mistake(call, "a table of cuDF's where the host reads", self.written(of))
        for one in nodes:
            if isinstance(one, (ast.For, ast.comprehension)) and self.is_column(one.iter):
                self.mistake(one.iter, "a table of cuDF's that is walked through", self.written(one.iter))

    def pool_behind_arrays(self, nodes):
        """df = cudf.read_csv(path); rmm.reinitialize(pool_allocator=True), and df is used behind it."""
        for of, body in self.bodies(nodes):
            made = {}
            for at, one in enumerate(body):
                call = one.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else None
                if call is not None and self.full(call.func) == "rmm.reinitialize":
                    later = next((name for rest in body[at + 1:] for name in ast.walk(rest) if isinstance(name, ast.Name) and isinstance(
                        name.ctx, ast.Load) and name.id in made), None)
                    if later is not None:
                        self.mistake(call, "memory that is set up anew under arrays", later.id, other=made[later.id])
                if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                    made.pop(one.targets[0].id, None)
                    if isinstance(one.value, ast.Call) and (self.is_table(one.value) or self.on_card(one.value)):
                        made[one.targets[0].id] = one
                for name in one.targets if isinstance(one, ast.Delete) else ():
                    made.pop(getattr(name, "id", ""), None)

    def beside_numpy(self, nodes):
        """cupy.ones(8) * numpy.ones(8)"""
        for one in nodes:
            sides = [one.left, one.right] if isinstance(one, ast.BinOp) else []
            card = next((side for side in sides if isinstance(side, (ast.Name, ast.Attribute, ast.Call)) and self.on_card(side)), None)
            other = next((side for side in sides if side is not card), None)
            values = self.origins.of(other) if card is not None and isinstance(other, (ast.Name, ast.Attribute, ast.Call)) else []
            if values and all(isinstance(made, ast.Call) and re.match(r"numpy\.(array|zeros|ones|arange|linspace|full|eye|random\.(rand|randn|normal|uniform))$",
                                                                      self.full(made.func)) and self.shape(made) != [] and not self.is_number(made)
                              for made in values):
                self.mistake(one, "an array of CuPy's beside one of NumPy's", self.written(card), self.written(other))

    def is_number(self, made):
        """np.array(0.5), np.random.rand(): a number, which CuPy takes."""
        return not made.args and not made.keywords or self.full(made.func) == "numpy.array" and not isinstance(
            self.value(made.args[0]) if made.args else None, (ast.List, ast.Tuple, ast.ListComp)) or re.search(
                r"random\.(normal|uniform)$", self.full(made.func)) is not None and self.word(made, "size") is None and len(made.args) < 3

    # ---- clocks

    def still_computes(self, node):
        """Whether an expression gives back while the GPU computes it: an array that CuPy makes without a wait."""
        for one in self.origins.of(node) if isinstance(node, ast.Call) else [node]:
            if isinstance(one, ast.Call) and self.full(one.func):
                return FILLS_OF_CUPY.match(self.full(one.func)) is not None or ASYNC_OF_CUPY.match(
                    self.full(one.func)) is not None and any(map(self.on_card, one.args))
            if self.method(one, "dot", "sum", "mean", "cumsum", "std", "sort", "max", "min"):
                return self.on_card(one.func.value)
            if isinstance(one, ast.Call) and len(one.args) == 3 and self.made_by(one.func, "cupy.RawKernel") is not None:
                return True
            if isinstance(one, ast.BinOp):
                return any(isinstance(part, (ast.Name, ast.Attribute)) and self.on_card(part) for part in (one.left, one.right))
        return False

    def calls_of_given(self, call):
        """(a call of the file, the function that it gives, the arguments), where `call` calls a parameter: def bench(f, x): f(x)."""
        of = self.origins.scope(call) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None
        parameters = [one.arg for one in of.args.args] if isinstance(of, ast.FunctionDef) else []
        if call is None or not parameters or call.func.id not in parameters or call.keywords:
            return
        rest = of.args.vararg.arg if of.args.vararg is not None else None
        for site in self.origins.sites(of):
            def given(name):
                at = parameters.index(name) - site.hidden
                return site.args[at] if 0 <= at < len(site.args) else next((k.value for k in site.keywords if k.arg == name), None)
            arguments = []
            for one in call.args:
                if isinstance(one, ast.Starred):
                    arguments += site.args[len(parameters) - site.hidden:] if getattr(one.value, "id", 0) == rest else []
                else:
                    arguments.append(given(one.id) if isinstance(one, ast.Name) and one.id in parameters else one)
            function = given(call.func.id)
            if function is not None and not any(isinstance(one, ast.Starred) for one in site.args):
                yield site.call, function, [one for one in arguments if one is not None]

    def handed_to_a_clock(self, call):
        """bench(cupy.add, x, 1), of a function that reads the clock around f(*args): the call that gives CuPy's function."""
        for site, function, arguments in self.calls_of_given(call):
            name = self.full(function) if isinstance(function, (ast.Name, ast.Attribute)) else ""
            if FILLS_OF_CUPY.match(name) or ASYNC_OF_CUPY.match(name) and any(map(self.on_card, arguments)):
                return site
            for run in [function] if isinstance(function, ast.Lambda) else self.origins.functions_of(function):
                last = run.body if isinstance(run, ast.Lambda) else self.last_of(run.body) if isinstance(run, ast.FunctionDef) else None
                if last is not None and self.still_computes(last) and not WAITS_OF_CUPY.search(self.near(run)):
                    return site
        return None

    def for_cupy_alone(self, calls):
        """cupy.add(x, 1), where x is an array of NumPy's; also of a function of the file that is given both."""
        for call in calls:
            given = [(call, call.func, call.args)] if self.full(call.func) else self.calls_of_given(call)
            for site, function, arguments in given:
                if not isinstance(function, (ast.Name, ast.Attribute)) or not TAKES_CUPY_ALONE.match(self.full(function)):
                    continue
                host = next((one for one in arguments if self.is_array_of_host(one)), None)
                if host is not None:
                    made = self.value_of(host) if isinstance(host, ast.Name) else host
                    self.mistake(site, "an array of NumPy's for a function of CuPy's", self.written(function), self.written(host), other=made)

    def is_array_of_host(self, node, deepest=4):
        """Whether all that an expression comes from is an array that NumPy makes, and no number."""
        values = self.origins.of(node) if deepest and isinstance(node, (ast.Name, ast.Attribute, ast.Call)) else []
        return bool(values) and all(isinstance(one, ast.Call) and (
            ARRAYS_OF_NUMPY.match(self.full(one.func)) is not None and not self.is_number(one) and self.shape(one) != [] or
            re.match(r"numpy\.(asarray|ascontiguousarray|copy)$", self.full(one.func)) is not None and bool(one.args) and (
                isinstance(self.value(one.args[0]), ast.List) or self.is_array_of_host(one.args[0], deepest - 1)) or
            not self.full(one.func) and getattr(one.func, "attr", "") in ("astype", "reshape", "copy") and self.is_array_of_host(
                one.func.value, deepest - 1)) for one in values)

    def last_of(self, body):
        """The expression with which a block ends, also within loops that only count."""
        last = body[-1] if body else None
        while isinstance(last, (ast.For, ast.With)):
            last = last.body[-1]
        return last.value if isinstance(last, (ast.Assign, ast.Expr, ast.Return)) else None

    def clocks_of_cupy(self, nodes):
        """start = perf_counter(); y = x @ x; seconds = perf_counter() - start: CuPy gives back before the GPU has computed."""
        for _, body in self.bodies(nodes):
            starts = {}
            for at, one in enumerate(body):
                end = next((part for part in ast.walk(one) if isinstance(part, ast.Call) and self.full(part.func) in CLOCKS_OF_HOST), None)
                if end is None or isinstance(one, COMPOUND + (ast.FunctionDef, ast.ClassDef)):
                    continue
                difference = self.origins.parents.get(id(end))
                start = getattr(difference.right, "id", None) if isinstance(difference, ast.BinOp) else None
                if isinstance(one, ast.Assign) and one.value is end:  # a clock of its own; who takes the difference, stands below
                    start = next((getattr(part.right, "id", None) for rest in body[at + 1:] for part in ast.walk(rest) if isinstance(
                        part, ast.BinOp) and isinstance(part.op, ast.Sub) and getattr(part.left, "id", 0) == self.written(one.targets[0])), None)
                since = body[starts[start] + 1:at] if start in starts else []
                last = self.last_of(since)
                if last is not None and not any(WAITS_OF_CUPY.search(self.near(part)) for part in since):
                    handed = None if self.still_computes(last) else self.handed_to_a_clock(last)
                    if handed is not None or self.still_computes(last):
                        self.mistake(end, "a clock around CuPy's work", self.written(last), other=handed if handed is not None else last)
                if isinstance(one, ast.Assign) and one.value is end:
                    starts[self.written(one.targets[0])] = at
        for of in nodes:
            stops = ClocksOfTraces.stops_of(self, of) if isinstance(of, (ast.FunctionDef, ast.ClassDef)) else None
            runs = self.timed_by(of, nodes) if stops is not None else None
            if runs is not None:
                self.mistake(stops, "a clock around CuPy's work", self.written(runs), other=runs)
        for call in self.tracing.index.calls:
            timed = self.given(call, 0, "stmt") if self.full(call.func) in ("timeit.timeit", "timeit.repeat", "timeit.Timer") else None
            for run in [timed] if isinstance(timed, ast.Lambda) else self.origins.functions_of(timed) if timed is not None else ():
                last = run.body if isinstance(run, ast.Lambda) else self.last_of(run.body) if isinstance(run, ast.FunctionDef) else None
                if last is not None and self.still_computes(last) and not WAITS_OF_CUPY.search(self.near(run)):
                    self.mistake(call, "a clock around CuPy's work", self.written(last), other=timed)

    def magics_of_cupy(self, nodes):
        """%timeit x @ x, of CuPy's arrays, or of a function of the file that computes with them."""
        for how, at, timed, last in timed_by_magics(nodes) if not self.reader.other_form else ():
            if any(WAITS_OF_CUPY.search(self.near(part)) for part in timed):
                continue
            runs = self.origins.functions_of(last.func) if isinstance(last, ast.Call) else []
            if how == "time" and any(isinstance(one, (ast.For, ast.While)) for part in timed + runs for one in ast.walk(part)):
                continue
            ends = [last] + [end for end in (self.last_of(run.body) for run in runs if isinstance(run, ast.FunctionDef)) if end is not None]
            if any(map(self.still_computes, ends)):
                self.reader.mistake(at, "a magic that doesn't wait", self.written(
                    last), "%" + how, "cupy.cuda.Device().synchronize() behind it, or measure with cupyx.profiler.benchmark", doubted=True)

    def laps_of_cupy(self, nodes):
        """y = x @ x; laps.lap("product"), of a class whose method reads the clock and waits for nothing."""
        for of in nodes:
            for method in of.body if isinstance(of, ast.ClassDef) else ():
                if not isinstance(method, ast.FunctionDef) or method.name.startswith("__"):
                    continue
                stops = ClocksOfTraces.stops_of(self, method)
                if stops is None or not isinstance(stops.right, ast.Attribute) or WAITS_OF_CUPY.search(
                        re.sub(r"\bif |print\(", "", self.near(method))):
                    continue
                end = next(one for one in self.origins.of(stops.left) if isinstance(one, ast.Call) and self.full(one.func) in CLOCKS_OF_TRACES)
                runs = self.before_lap(nodes, of, method.name)
                if runs is not None:
                    self.mistake(end, "a clock around CuPy's work", self.written(runs), other=runs)

    def before_lap(self, nodes, of, name):
        """What CuPy still computes in the statement before a call of this method of a class of the file."""
        for _, body in self.bodies(nodes):
            for before, one in zip(body, body[1:]):
                call = one.value if isinstance(one, (ast.Expr, ast.Assign)) else None
                last = self.last_of([before])
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == name and last is not None and any(
                        isinstance(made, ast.Call) and any(cls is of for cls in self.origins.functions_of(made.func))
                        for made in self.origins.of(call.func.value)):
                    if self.still_computes(last) and not WAITS_OF_CUPY.search(self.near(before)):
                        return last
        return None

    def timed_by(self, of, nodes):
        """What CuPy computes in a block or function that a context or decorator of the file times; None: nothing that is known."""
        enters = any(getattr(one, "name", "") == "__exit__" for one in of.body) or any(
            "contextmanager" in self.written(one) for one in of.decorator_list)
        for one in nodes:
            if enters and isinstance(one, ast.With) and any(getattr(getattr(item.context_expr, "func", None), "id", "") == of.name for item in one.items):
                last = self.last_of(one.body)
            elif not enters and isinstance(one, ast.FunctionDef) and one is not of and any(
                    getattr(d.func if isinstance(d, ast.Call) else d, "id", "") == of.name for d in one.decorator_list):
                last = self.last_of(one.body)
            else:
                continue
            if last is not None and self.still_computes(last) and not any(WAITS_OF_CUPY.search(self.near(part)) for part in one.body):
                return last
        return None

    # ---- launches

    def blocks_too_large(self, calls):
        """kernel[blocks, (64, 32)](…): no GPU runs a block of more than 1024 threads."""
        for call in calls:
            grid = getattr(call.func.slice, "value", call.func.slice) if isinstance(call.func, ast.Subscript) else None
            threads = None
            if isinstance(grid, ast.Tuple) and len(grid.elts) > 1 and any(
                    self.is_kernel(of) for of in self.origins.functions_of(call.func.value)):
                threads = grid.elts[1]
            elif len(call.args) == 3 and not call.keywords and self.made_by(call.func, "cupy.RawKernel") is not None:
                threads = call.args[1]
            elif self.word(call, "block") is not None and self.word(call, "grid") is not None and self.says(r"SourceModule"):
                threads = self.word(call, "block")
            sizes = self.value(threads) if threads is not None else None
            product = 1
            for one in sizes.elts if isinstance(sizes, ast.Tuple) else [sizes] if sizes is not None else []:
                product *= self.number(one) or 0
            if product > MOST_THREADS:
                self.mistake(call, "more threads than a block holds", product, other=sizes)

    def is_kernel(self, of):
        """Whether a function is a kernel of Numba's that is launched from the host."""
        marks = [one for one in getattr(of, "decorator_list", ())]
        return len(marks) == 1 and self.tracing.imported(marks[0].func if isinstance(marks[0], ast.Call) else marks[0]) == "numba.cuda.jit" and not (
            isinstance(marks[0], ast.Call) and any(k.arg in ("device", None) for k in marks[0].keywords))

    @staticmethod
    def index_of(node):
        return node.slice.value if type(node.slice).__name__ == "Index" else node.slice

    def launches(self, calls):
        """(kernel, its launches), of each kernel of the file."""
        found = {}
        for call in calls:
            grid = self.index_of(call.func) if isinstance(call.func, ast.Subscript) else None
            of = self.origins.functions_of(call.func.value) if isinstance(grid, ast.Tuple) and len(grid.elts) > 1 else []
            if len(of) == 1 and self.is_kernel(of[0]):
                found.setdefault(id(of[0]), (of[0], []))[1].append(call)
        return list(found.values())

    def computed_in_part(self, launches):
        """kernel[4, 64](x, out), of a thousand elements of which each thread takes one."""
        for of, calls in launches:
            places = self.places_of_elements(of)
            if not places or re.search(r"gridsize|gridDim", self.reader.written_whole(of)) or any(isinstance(one, (ast.For, ast.While)) and any(
                    getattr(name, "id", "") in places for name in ast.walk(one.iter if isinstance(one, ast.For) else one.test)) for one in ast.walk(of)):
                continue
            short = [self.falls_short(of, call, places) for call in calls]
            # A launch that covers all, or may, stands beside one that only compiles the kernel.
            for call, found in zip(calls, short) if None not in short else ():
                blocks = self.index_of(call.func).elts[0]
                made = self.origins.statements_of(blocks) if isinstance(blocks, ast.Name) else []
                self.mistake(call, "a launch that computes a part", *found, other=made[0] if len(made) == 1 else None)

    def places_of_elements(self, of):
        """The names of a kernel that hold the thread's place in the whole grid, each with its axis."""
        stored = [one.id for one in ast.walk(of) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        found = {}
        for one in ast.walk(of):
            if not isinstance(one, ast.Assign) or len(one.targets) != 1:
                continue
            names = one.targets[0].elts if isinstance(one.targets[0], ast.Tuple) else one.targets
            whole = isinstance(one.value, ast.Call) and self.full(one.value.func) == "numba.cuda.grid" and self.said(
                (one.value.args or [None])[0]) == len(names)
            written = re.sub(r"\b\w+\.(?=blockIdx|blockDim|threadIdx)|numba\.cuda\.|[()]", "", self.written(one.value))
            axis = re.match(r"(?:threadIdx\.([xyz]) \+ )?(?:blockIdx\.([xyz]) \* blockDim\.([xyz])|blockDim\.([xyz]) \* blockIdx\.([xyz]))"
                            r"(?: \+ threadIdx\.([xyz]))?$", written)
            axes = [part for part in axis.groups() if part] if axis else []
            if whole:
                found.update((name.id, at) for at, name in enumerate(names) if isinstance(name, ast.Name))
            elif len(axes) == 3 and len(set(axes)) == 1 and isinstance(names[0], ast.Name):
                found[names[0].id] = "xyz".index(axes[0])
        return {name: axis for name, axis in found.items() if stored.count(name) == 1}

    def falls_short(self, of, call, places):
        """(its threads along an axis, the elements) where there are fewer threads than elements; None: it covers them, or may."""
        blocks, threads = (self.counts_of(one) for one in self.index_of(call.func).elts[:2])
        bounds = self.bounds_of(of, call, places)
        if blocks is None or threads is None or bounds is None:
            return None
        for name, axis in sorted(places.items(), key=lambda pair: pair[1]):
            if axis < max(len(blocks), len(threads)):
                counts = [of_axis[axis] if axis < len(of_axis) else 1 for of_axis in (blocks, threads)]
                total = counts[0] * counts[1] if None not in counts else None
            else:
                total = 1
            used = self.sizes_at(of, call, name)
            needs = bounds.get(name) or ([one for one in used if one is not None] if name not in bounds else [None])
            if total is not None and needs and None not in needs and total < min(needs):
                return "%d thread%s along %s" % (total, "" if total == 1 else "s", "xyz"[axis]), str(min(needs))
            # kernel[64, 256] of a kernel whose place has two axes: the second is 0 in all threads.
            if axis == 1 and total == 1 and used and None in used + needs and not (blocks == [1] and threads == [1]):
                return "1 thread along y", "more"
        return None

    def counts_of(self, node):
        """The blocks of a grid or the threads of a block along each axis, None for one that isn't known; None: not even how many axes."""
        made = self.value(node)
        if isinstance(made, ast.Tuple):
            return [self.number(one) for one in made.elts] if not any(isinstance(one, ast.Starred) for one in made.elts) else None
        if self.number(made) is not None:
            return [self.number(made)]
        plain = isinstance(made, ast.BinOp) and isinstance(made.op, (ast.FloorDiv, ast.Sub, ast.Div)) or isinstance(made, ast.Call) and (getattr(
            made.func, "id", "") in ("int", "min", "max") or self.full(made.func) in ("math.ceil", "numpy.ceil"))
        return [None] if plain else None

    def sizes_at(self, of, call, name):
        """The sizes of the arrays that a kernel writes to at a thread's place, along the axis where that stands."""
        found = []
        for one in ast.walk(of):
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and isinstance(one.value, ast.Name):
                index = self.index_of(one)
                for at, part in enumerate(index.elts if isinstance(index, ast.Tuple) else [index]):
                    if getattr(part, "id", "") == name:
                        found.append(self.size_of_argument(of, call, one.value.id, at))
        return found

    def size_of_argument(self, of, call, name, at):
        """The size along an axis of what a launch gives for a parameter of the kernel; None: not known."""
        names = [one.arg for one in of.args.args]
        given = call.args[names.index(name)] if name in names and names.index(name) < len(call.args) else None
        sizes = self.sizes(given) if given is not None else None
        return sizes[at] if sizes is not None and at < len(sizes) else None

    def sizes(self, node, deepest=6):
        """The dimensions, as numbers, of an array of the host or the GPU; None: not known."""
        made = self.value(node)
        name = self.full(made.func) if isinstance(made, ast.Call) else ""
        if deepest == 0 or not isinstance(made, ast.Call):
            return None
        if OF_THE_SAME_FORM.match(name) and made.args:
            return self.sizes(made.args[0], deepest - 1)
        if self.method(made, "astype", "copy") and not name:
            return self.sizes(made.func.value, deepest - 1)
        if name in ("numpy.arange", "cupy.arange"):
            return [self.number(made.args[0])] if len(made.args) == 1 else None
        shape = self.shape(made)
        if MAKES_BY_SHAPE.match(name):
            given = self.value(self.given(made, 0, "shape"))
            shape = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given] if given is not None else None
        return [self.number(one) for one in shape] if shape else None

    def bounds_of(self, of, call, places):
        """The numbers below which a kernel's tests keep each place, None for one that isn't known; None: tests of another kind."""
        found = {}
        for test in (one.test for one in ast.walk(of) if isinstance(one, (ast.If, ast.IfExp))):
            waiting, plain = [test], []
            while waiting:
                one = waiting.pop()
                if isinstance(one, ast.BoolOp):
                    waiting += one.values
                elif isinstance(one, ast.Compare):
                    sides = [one.left] + one.comparators
                    for left, sign, right in zip(sides, one.ops, sides[1:]):
                        if isinstance(left, ast.Name) and left.id in places and isinstance(sign, (ast.Lt, ast.LtE, ast.GtE, ast.Gt)):
                            below = isinstance(sign, (ast.Lt, ast.GtE))
                            if not (isinstance(right, ast.Constant) and right.value in (0, 1)):  # i > 0 is no end
                                found.setdefault(left.id, []).append(self.bound_of(of, call, right) if below else None)
                            plain.append(left)
                        elif isinstance(right, ast.Name) and right.id in places and isinstance(sign, (ast.Lt, ast.LtE, ast.GtE, ast.Gt)):
                            if not (isinstance(left, ast.Constant) and left.value in (0, 1)):
                                found.setdefault(right.id, []).append(self.bound_of(of, call, left) if isinstance(sign, ast.Gt) else None)
                            plain.append(right)
            within = {id(name) for one in ast.walk(test) if isinstance(one, ast.Subscript) for name in ast.walk(one)}
            if any(isinstance(one, ast.Name) and one.id in places and id(one) not in within and not any(one is each for each in plain)
                   for one in ast.walk(test)):
                return None
        return found

    def bound_of(self, of, call, node, deepest=4):
        """The number that a bound in a kernel stands for in one of its launches; None: not known."""
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Constant) and type(node.right.value) is int:
            left = self.bound_of(of, call, node.left, deepest)
            return left - node.right.value if left is not None else None
        base = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) and base.attr in ("shape", "size"):
            at = self.said(self.index_of(node)) if isinstance(node, ast.Subscript) else 0
            one_axis = base.attr == "shape" or self.size_of_argument(of, call, base.value.id, 1) is None
            return self.size_of_argument(of, call, base.value.id, at) if type(at) is int and at >= 0 and one_axis else None
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            return self.size_of_argument(of, call, node.args[0].id, 0)
        if not isinstance(node, ast.Name) or deepest == 0:
            return None
        names = [one.arg for one in of.args.args]
        if node.id in names:
            return self.number(call.args[names.index(node.id)]) if names.index(node.id) < len(call.args) else None
        made = [(one.value, at) for one in ast.walk(of) if isinstance(one, ast.Assign) for target in one.targets for at, name in (
            enumerate(target.elts) if isinstance(target, ast.Tuple) else [(None, target)]) if getattr(name, "id", "") == node.id]
        if not made:
            return self.number(node) if not any(isinstance(one, ast.Name) and one.id == node.id and isinstance(
                one.ctx, ast.Store) for one in ast.walk(of)) else None
        value, at = made[0]
        if len(made) == 1 and at is not None and isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(value.value, ast.Name):
            return self.size_of_argument(of, call, value.value.id, at)  # rows, columns = out.shape
        return self.bound_of(of, call, value, deepest - 1) if len(made) == 1 and at is None else None

    def added_to_nothing(self, launches):
        """out = cuda.device_array(8), and a kernel that only adds to out: it adds to whatever lay there."""
        for of, calls in launches:
            for call in calls:
                for at, given in enumerate(call.args):
                    statements = self.origins.statements_of(given) if isinstance(given, ast.Name) and self.only_adds(of, at) else []
                    made = self.value(given) if len(statements) == 1 else None
                    inner = made
                    while isinstance(inner, ast.Call) and self.full(inner.func) == "numba.cuda.to_device" and inner.args:
                        inner = self.value(inner.args[0]) if not isinstance(inner.args[0], ast.Name) else None
                    scope = self.origins.scope(call)
                    if not isinstance(inner, ast.Call) or not FILLS_WITH_NOTHING.match(self.full(inner.func)) or self.origins.scope(
                            statements[0]) is not scope:
                        continue
                    loops = [one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While)) and not any(
                        inside is statements[0] for inside in ast.walk(one))]
                    around = [part for loop in loops for part in ast.walk(loop)]
                    uses = [one for one in self.origins.nodes if isinstance(one, ast.Name) and one.id == given.id and one is not given and isinstance(
                        one.ctx, ast.Load) and self.origins.scope(one) is scope and (one.lineno <= call.lineno or any(one is part for part in around))]
                    if not any(self.changes(one, calls, of) for one in uses):
                        self.mistake(made, "a sum that begins with nothing", given.id, of.name, other=call)

    def only_adds(self, of, at):
        """Whether all that a kernel does to the array of a parameter is to add to its elements."""
        name = of.args.args[at].arg if at < len(of.args.args) else None
        adds, plain = [], {}
        for one in ast.walk(of):
            if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Subscript) and getattr(one.target.value, "id", "") == name:
                adds.append(one.target.value)
            elif isinstance(one, ast.Call) and re.match(r"numba\.cuda\.atomic\.(add|sub|inc)$", self.full(
                    one.func)) and one.args and getattr(one.args[0], "id", "") == name:
                adds.append(one.args[0])
            elif isinstance(one, ast.Attribute) and one.attr in ASKS_OF_ARRAYS and isinstance(one.value, ast.Name):
                plain[id(one.value)] = one
            elif isinstance(one, ast.Call) and getattr(one.func, "id", "") == "len":
                plain.update((id(part), one) for part in one.args)
        return name is not None and bool(adds) and all(id(one) in plain or any(one is each for each in adds) for one in ast.walk(of) if isinstance(
            one, ast.Name) and one.id == name)

    def changes(self, name, calls, of):
        """Whether a use of an array may give it its numbers: all but questions, and launches of the kernel that only adds."""
        parent = self.origins.parents.get(id(name))
        if isinstance(parent, ast.Attribute) and parent.attr in ASKS_OF_ARRAYS + ("copy_to_host", ):
            return False
        return not (any(parent is one for one in calls) and any(one is name and self.only_adds(of, at) for at, one in enumerate(parent.args)))

    def chosen_for_no_kernel(self, nodes, calls):
        """cuda.select_device(1) in a file whose functions are all compiled for the CPU, by @jit or @njit."""
        choice = next((one for one in calls if self.full(one.func) == "numba.cuda.select_device"), None)
        if choice is None or self.says(r"['\"](cuda|gpu)['\"]|target") or any(isinstance(one, ast.ImportFrom) and (one.level or any(
                alias.name == "*" for alias in one.names)) for one in nodes):
            return
        names = set(self.tracing.names.values())
        known = WITHOUT_GPU | set(getattr(sys, "stdlib_module_names", ()))
        uses = names | {self.full(one) for one in nodes if isinstance(one, ast.Attribute)}
        compiled = any(re.match(r"numba\.(n?jit|vectorize|guvectorize)$", one) for one in uses)
        if compiled and all(one.split(".")[0] in known for one in names) and not any(
                one.startswith("numba.cuda") and not ASKS_FOR_DEVICES.match(one) for one in uses):
            self.mistake(choice, "a GPU that is chosen for functions of the CPU")
