"""Kernels of Numba, CuPy, PyCUDA and PyOpenCL, and the libraries that take a GPU by a word, read from the statements
of a file as they stand; for the reader of scripts."""

PLACES_OF_THREADS = re.compile(r"numba\.cuda\.(grid|threadIdx|laneid)\b")
TAKES_NUMPY = re.compile(r"(sklearn\.(metrics|preprocessing|model_selection|decomposition|cluster|manifold)\.[a-z]\w*|matplotlib\.pyplot\.(plot|imshow|"
                         r"scatter|hist|bar|semilogy)|torch\.from_numpy|scipy\.(stats|signal|ndimage|linalg)\.\w+)$")
# What asks arrays for their memory; functions of CuPy's that give an array, and methods of arrays that do.
READS_MEMORY = re.compile(r"(numpy\.(asarray|array|ascontiguousarray|asanyarray|save|savez|savez_compressed|savetxt|frombuffer)|"
                          r"pandas\.(DataFrame|Series)|tensorflow\.(convert_to_tensor|constant))$")
MAKES_ARRAY = re.compile(r"cupy\.(random\.(?!seed|get|set|RandomState|default_rng|Generator)\w+|linalg\.\w+|fft\.\w+|"
                         r"(?!asnumpy|get_|show_|is_|ndim|shape|size|save|load|memoize|fuse|result_type|dtype|may_share|can_cast|prof)[a-z]\w*)$")
GIVES_ARRAY = frozenset("astype reshape copy mean sum min max argmin argmax std var ravel flatten transpose dot clip round cumsum prod "
                        "squeeze take argsort any all repeat swapaxes view".split())
SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "cross_val_score", "cross_validate",
            "cross_val_predict", "BaggingClassifier", "BaggingRegressor")
ON_CARD = re.compile(r"(device|device_type|tree_method|task_type)=['\"](cuda|gpu|gpu_hist|GPU)(:\d+)?['\"]|^cuml\.")
DOUBLES = re.compile(r"(numpy|cupy)\.(random\.(rand|randn|random|normal|uniform|standard_normal|random_sample)|zeros|ones|empty|linspace|full)$")
USES_CARD = re.compile(r"\.cuda\(\)|torch\.device\(['\"]cuda|\.to\(['\"]cuda|device=['\"]cuda")
COPIES_TO_GPU = re.compile(r"(numba\.cuda\.(to_device|device_array_like)|cupy\.(asarray|array)|pycuda\.gpuarray\.to_gpu)$")
MAKES_EMPTY = re.compile(r"(numba\.cuda\.device_array(_like)?|pycuda\.gpuarray\.empty(_like)?)$")
ROUNDS = re.compile(r"(math\.(floor|ceil|trunc)|(numpy|numba)\.u?int(8|16|32|64|p|c)?)$")
NAMED_GPU = re.compile(r"(?i)\b(with|on|using|by)( the)? gpus?\b|\bgpu( time| version)? *[:=]")
OTHER_THAN_NUMBA = re.compile(r"\bcuda\.\w|target\w* *= *['\"]|\b(cupy|torch|tensorflow|jax|pyopencl|pycuda|dpnp|dpctl|numba_dpex|numba_mlir)\b")
VIEWS = ("permute", "transpose", "movedim", "swapaxes", "expand")
KEEP_ORDER = ("float half bfloat16 to cuda type div div_ mul mul_ sub sub_ add add_ clamp clamp_ clone detach true_divide pow sqrt abs").split()
OF_FRAMEWORKS = re.compile(r"(tensorflow|keras|torch|jax|cupy)\.")
# Full names of what takes settings of a library, and the place of the dictionary among the arguments; None: settings by name alone.
# The values that name a device, of XGBoost 3.1, LightGBM 4.6 and CatBoost 1.2: (library, settings) -> (form, what it takes).
# Settings that say which GPU, and do nothing without the one that says that there is one.
# What the value of a table is part of, and what reads the memory of the host.
# What fills a new array on the GPU, from nothing of the host.


class Kernels(OfValues):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"numba", "cupy", "pycuda", "pyopencl", "onnxruntime", "cudf", "cuml", "dask_cudf", "xgboost", "lightgbm", "catboost",
                "tensorrt", "ray"} & roots:
            return
        self.know(nodes)
        calls = self.tracing.index.calls
        functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
        if "numba" in roots:
            for of in functions:
                if any(self.full(one.func if isinstance(one, ast.Call) else one) == "numba.cuda.jit" for one in of.decorator_list):
                    self.inside(of, calls)
                    self.left_by_both(of)
            self.closed_early(nodes, functions)
            self.left_on_the_gpu(nodes)
            self.left_in_an_object(nodes)
            self.left_in_a_launch(nodes)
            self.copied_too_early(nodes)
            self.time_of_the_cpu(nodes)
            for call in calls:
                for word in [one for one in call.keywords if one.arg in ("target", "target_backend")]:
                    # vectorize and guvectorize do take a target.
                    if re.match(r"numba\.(n?jit%s)$" % ("|vectorize|guvectorize" if word.arg == "target_backend" else ""), self.full(call.func)):
                        self.reader.mistake(word.value, "a target that numba.jit no longer takes", word.arg)
        if {"numba", "cupy"} & roots:
            self.rounded_down(calls)
        if "cupy" in roots:
            self.seeds_without_cupy(calls)
            self.to_the_host_unasked(calls)
            self.kept_in_its_pool(nodes)
            self.limit_of_another_pool(nodes)
            self.limits_of_one_device(nodes)
            self.kept_for_nobody(nodes, calls)
        if {"pycuda", "cupy"} & roots and "numba" not in roots:
            self.left_on_the_gpu(nodes)
            self.left_in_an_object(nodes)
            self.left_in_a_launch(nodes)
            self.copied_too_early(nodes)
        if {"onnxruntime", "tensorrt"} & roots and "torch" in roots:
            self.bound_in_other_order(calls)
        if {"cupy", "numba", "pycuda"} & roots:
            self.times_read_early(nodes)
        if {"pycuda", "cupy"} & roots:
            self.doubles_for_floats(calls)
            self.numbers_for_floats(calls)
        if "pycuda" in roots:
            self.pageable(calls)
        if "pyopencl" in roots and self.says(r"\.profile\.(start|end|queued|submit)") and not self.says(r"PROFILING_ENABLE|properties="):
            for one in calls:
                if self.full(one.func) == "pyopencl.CommandQueue" and len(one.args) < 3:
                    self.mistake(one, "times of a queue that doesn't profile", doubted=False)
        if "onnxruntime" in roots:
            self.states_of_sessions(nodes)
            self.bound_on_another_side(calls)
            self.bound_before_the_change(nodes, calls)
            self.bound_for_no_run(calls)
        if {"cudf", "cuml"} & roots:
            self.installed_late(nodes)
        if {"dask_cudf", "cudf", "cuml"} & roots:
            self.workers_of_one_gpu(calls)
        if {"xgboost", "lightgbm", "catboost", "cuml"} & roots:
            self.jobs_on_one_gpu(calls)
            self.predicts_from_the_host(nodes, calls)
        if "tensorrt" in roots:
            self.engines(nodes, calls)
        if "ray" in roots:
            self.tasks_without_gpu(nodes, calls)

    def left_by_both(self, of):
        """x, y = cuda.grid(2); if x >= n and y >= m: return; out[x, y] = …: threads with one of both outside write as well."""
        grid = next((one for one in of.body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Tuple) and isinstance(
            one.value, ast.Call) and self.full(one.value.func) == "numba.cuda.grid"), None)
        names = [getattr(one, "id", "") for one in grid.targets[0].elts] if grid is not None else []
        for at, one in enumerate(of.body):
            test = one.test if isinstance(one, ast.If) and not one.orelse and isinstance(one.body[-1], ast.Return) else None
            if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
                continue
            sides = [each for each in test.values if isinstance(each, ast.Compare) and len(each.ops) == 1 and isinstance(each.ops[0], (
                ast.GtE, ast.Gt)) and getattr(each.left, "id", "") in names]
            tested = {each.left.id for each in sides}
            if len(sides) != len(test.values) or len(tested) != len(sides) or len(sides) < 2:
                continue
            if any(isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in tested for later in of.body[at:] for part in ast.walk(later)):
                continue
            for later in of.body[at + 1:]:  # what stands under no further check
                target = later.targets[0] if isinstance(later, ast.Assign) else later.target if isinstance(later, ast.AugAssign) else None
                index = target.slice if isinstance(target, ast.Subscript) else None
                index = index.value if type(index).__name__ == "Index" else index
                if isinstance(index, ast.Tuple) and tested <= {getattr(part, "id", "") for part in index.elts}:
                    self.mistake(one, "a check that both places must fail", self.written(test), self.written(target), other=later)
                    break

    def seeds_without_cupy(self, calls):
        """numpy.random.seed(0), and numbers that cupy.random draws."""
        seeds = next((one for name in ("numpy.random.seed", "random.seed") for one in calls if self.full(one.func) == name), None)
        draws = next((one for one in calls if re.match(r"cupy\.random\.(rand|randn|random|normal|uniform|standard_normal|randint|choice|"
                                                       r"permutation|shuffle)\w*$", self.full(one.func))), None)
        if seeds is not None and draws is not None and not self.says(r"(cp|cupy)\.random\.(seed|default_rng|RandomState)"):
            self.mistake(seeds, "a seed that CuPy doesn't take", self.written(draws), other=draws)

    # ---- Numba

    def inside(self, of, calls):
        """The mistakes of one kernel."""
        places = {name.id for one in ast.walk(of) if isinstance(one, ast.Assign) and any(
            PLACES_OF_THREADS.match(self.full(part)) for part in ast.walk(one.value) if isinstance(part, ast.Attribute))
            for target in one.targets for name in ast.walk(target) if isinstance(name, ast.Name)}

        def by_thread(node):
            return any(isinstance(one, ast.Name) and one.id in places or isinstance(one, ast.Attribute) and PLACES_OF_THREADS.match(
                self.full(one)) for one in ast.walk(node))

        tests = [one for one in ast.walk(of) if isinstance(one, (ast.If, ast.While, ast.IfExp, ast.Assert)) and by_thread(one.test)]
        tests += [one for one in ast.walk(of) if isinstance(one, ast.For) and by_thread(one.iter)]
        for one in tests:
            for call in calls_in(one.body) if isinstance(one, ast.If) else ():
                if self.full(call.func) == "numba.cuda.syncthreads":
                    self.mistake(call, "a barrier that some threads skip", self.written(one.test), other=one)
        self.sized_by_its_arguments(of)
        self.launched_without_grid(of, calls)
        local = {self.written(one.targets[0]) for one in ast.walk(of) if isinstance(one, ast.Assign) and isinstance(
            one.value, ast.Call) and self.full(one.value.func) == "numba.cuda.local.array"}
        for one in ast.walk(of):
            target = one.target if isinstance(one, ast.AugAssign) and isinstance(one.op, (ast.Add, ast.Sub)) else None
            if isinstance(target, ast.Subscript) and self.written(target.value) not in local and "atomic" not in self.reader.written_whole(of):
                index = target.slice.value if type(target.slice).__name__ == "Index" else target.slice
                inner = index if isinstance(index, ast.Subscript) else next((made.value for made in ast.walk(of) if isinstance(
                    made, ast.Assign) and isinstance(index, ast.Name) and self.written(made.targets[0]) == index.id), None)
                while isinstance(inner, ast.Call) and len(inner.args) == 1:  # int(values[i])
                    inner = inner.args[0]
                if isinstance(inner, ast.Subscript) and by_thread(inner.slice) and not self.says(r"\bargsort|permutation|unique"):
                    self.mistake(one, "a sum that threads overwrite", self.written(target.value), self.written(index))
                elif self.shared_place(of, index, by_thread) and not re.search(
                        r"\b%s\[1, 1\]|argsort|\bperm|\border|unique|colou?r" % of.name, self.reader.text):
                    self.mistake(one, "a sum that threads overwrite", self.written(target.value), self.written(index))
        stores = [one for one in ast.walk(of) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and isinstance(
            getattr(one.slice, "value", one.slice) if type(one.slice).__name__ == "Index" else one.slice, ast.Name) and by_thread(one.slice)]
        for call in calls:
            if not isinstance(call.func, ast.Subscript) or getattr(call.func.value, "id", "") != of.name:
                continue
            grid = call.func.slice.value if type(call.func.slice).__name__ == "Index" else call.func.slice
            if not isinstance(grid, ast.Tuple) or len(grid.elts) < 2:
                continue
            blocks, threads = (self.written(one) for one in grid.elts[:2])
            many = r"(?i)(n_?|num_?)?(blocks?(_?per_?grid)?|bpg|grid(_?(size|dim))?|blockspergrid)$"
            few = r"(?i)(n_?|num_?)?(threads?(_?per_?block)?|tpb|threadsperblock|block_?(size|dim))$"
            if re.match(few, blocks) and re.match(many, threads) or isinstance(grid.elts[0], ast.Constant) and self.rounds_up(grid.elts[1]):
                self.mistake(call, "blocks and threads in the wrong order", blocks, threads)
            elif stores and not tests and not self.says(r"cuda\.gridsize") and "min(" not in self.reader.written_whole(of):
                up = self.rounds_up(grid.elts[0])
                if up and not self.divides(grid.elts[0], grid.elts[1]):
                    statement = next((one for one in ast.walk(of) if isinstance(one, (ast.Assign, ast.AugAssign)) and any(
                        inner is stores[0] for inner in ast.walk(one))), stores[0])
                    self.mistake(statement, "threads behind the end of an array", self.written(call.func), other=call)

    def sized_by_its_arguments(self, of):
        """tile = cuda.shared.array(width, float32), where width is an argument: the size must be known when it is compiled."""
        if not Boosters.is_kernel(self, of):
            return
        arguments = {one.arg for one in of.args.args}
        for call in calls_in(of.body):
            shape = self.given(call, 0, "shape") if self.full(call.func) in ("numba.cuda.shared.array", "numba.cuda.local.array") else None
            for one in ast.walk(shape) if shape is not None else ():
                if isinstance(one, ast.Name) and one.id in arguments or isinstance(one, ast.Attribute) and self.full(one).startswith(
                        ("numba.cuda.blockDim", "numba.cuda.gridDim")):
                    self.mistake(call, "an array of a kernel whose size is not constant", self.written(shape))
                    break

    def launched_without_grid(self, of, calls):
        """add(a, b, out), of a kernel: without its blocks and threads it raises."""
        if not Boosters.is_kernel(self, of) or of.name in self.assigned or self.of_name.get(of.name) is not of:
            return
        for call in calls:
            inside = [one for one in self.origins.around(call) if isinstance(one, ast.FunctionDef)]
            if getattr(call.func, "id", "") == of.name and not any(one.decorator_list or any(
                    arg.arg == of.name for arg in one.args.args) for one in inside):
                self.mistake(call, "a kernel of Numba's without blocks and threads", of.name, other=of)

    def rounds_up(self, node):
        """ceil(n / 256), (n + 255) // 256, -(-n // 256)"""
        node = self.value(node)
        if isinstance(node, ast.Tuple):
            return len(node.elts) == 1 and self.rounds_up(node.elts[0])
        form = self.written(node)
        return re.match(r"(int\()?(\w+\.)?ceil\(.+/.+\)$|\(.+ \+ .+\) // \w+$|-\(-.+//.+\)$|(\w+\.)?cdiv\(", form) is not None

    def divides(self, blocks, threads):
        """Whether the count of elements is known, and a multiple of the threads."""
        made, threads = self.value(blocks), self.number(threads)
        counts = [self.number(one) for one in ast.walk(made) if isinstance(one, ast.Name)] if made is not None else []
        return bool(threads) and any(count is not None and count > threads and count % threads == 0 for count in counts)

    def rounded_down(self, calls):
        """kernel[n // threads, threads](…), where n need not be a multiple of threads: the last elements get no thread."""
        if self.says(r"divmod|gridsize|pad"):
            return
        rests = {self.written(one.right) for one in self.origins.nodes if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod)}
        for call in calls:
            blocks, threads, guarded = self.launched(call)
            if not guarded:
                continue
            blocks = self.alone(self.value(blocks)) if blocks is not None else None
            if isinstance(blocks, ast.Call) and getattr(blocks.func, "id", "") == "int" and len(blocks.args) == 1:
                blocks = blocks.args[0]
            if isinstance(blocks, ast.Call) and getattr(blocks.func, "id", "") == "max" and len(blocks.args) == 2:  # at least one block
                blocks = next((one for one, other in (blocks.args, blocks.args[::-1]) if self.number(other) == 1), blocks)
            if threads is None or not isinstance(blocks, ast.BinOp) or not isinstance(blocks.op, (ast.FloorDiv, ast.Div)):
                continue
            count, by = blocks.left, self.number(blocks.right)
            same = self.written(blocks.right) == self.written(threads) or by is not None and by == self.number(threads) or self.value(
                blocks.right) is self.value(threads)
            if same and self.written(blocks.right) not in rests and self.is_any_count(count, by):
                self.mistake(blocks, "a grid that is rounded down", self.written(blocks.right), other=call)

    def launched(self, call):
        """The blocks and threads of a launch, and whether its kernel is one thread for each element, which tests the index."""
        grid = getattr(call.func.slice, "value", call.func.slice) if isinstance(call.func, ast.Subscript) else None
        if isinstance(grid, ast.Tuple) and len(grid.elts) > 1:
            kernels = [one for one in self.origins.functions_of(call.func.value) if any(self.full(
                mark.func if isinstance(mark, ast.Call) else mark) == "numba.cuda.jit" for mark in getattr(one, "decorator_list", ()))]
            tested = any(isinstance(one, ast.If) and re.search(r" (<|>=) ", self.written(one.test)) for of in kernels for one in ast.walk(of))
            strides = any(isinstance(one, (ast.For, ast.While)) and re.search(r"grid(Dim|size)|stride", self.written(
                one.iter if isinstance(one, ast.For) else one.test)) for of in kernels for one in ast.walk(of))
            return self.alone(grid.elts[0]), self.alone(grid.elts[1]), tested and not strides
        if len(call.args) > 2 and not call.keywords and isinstance(call.func, (ast.Name, ast.Attribute, ast.Subscript)):
            code = self.code_of_cupy(call.func)
            if code:
                return self.alone(call.args[0]), self.alone(call.args[1]), re.search(r"\bif *\([^;{]*(<|>=)", code) is not None and "gridDim" not in code
        return None, None, False

    def code_of_cupy(self, node):
        """The text of cupy.RawKernel(code, name), or of RawModule(code=code).get_function(name); "": another."""
        made = self.made_by(node, "cupy.RawKernel")
        of = self.value(node)
        if made is None and is_call(of, "get_function"):
            made = self.made_by(of.func.value, "cupy.RawModule")
        code = self.said(self.given(made, 0, "code")) if made is not None else None
        return code if isinstance(code, str) else ""

    def alone(self, node):
        """The one dimension of a grid: n, (n,)"""
        node = self.value(node) if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(self.value(node), ast.Tuple) else node
        if isinstance(node, ast.Tuple):
            return node.elts[0] if len(node.elts) == 1 else None
        return node

    def is_any_count(self, count, by):
        """Whether a count need not be a multiple of the threads: it is the size of an array, or a number that isn't one."""
        known = [one for one in self.origins.of(count) if isinstance(one, ast.Constant)]
        made, number = self.value(count), self.number(count)
        if isinstance(made, ast.BinOp):
            return False  # it rounds up, or was made a multiple
        if number is not None:
            return bool(by) and number % by != 0
        if isinstance(made, ast.Call) and getattr(made.func, "id", "") != "len":
            return False
        if known and by and all(type(one.value) is int for one in known):
            return any(one.value % by for one in known)
        values = self.origins.of(count)
        sized = isinstance(made, ast.Call) or any(re.search(r"\.(size|shape)\b|\blen\(", self.written(getattr(one, "of", one)))
                                                  for one in values if isinstance(getattr(one, "of", one), ast.AST)) or re.search(
            r"\.size$|\.shape\[", self.written(count)) is not None
        return sized and not self.sized_evenly(by)

    def sized_evenly(self, by):
        """Whether the file writes a size down that is a multiple of the threads: it may well be the only one."""
        numbers = [one.value for one in self.origins.nodes if isinstance(one, ast.Constant) and type(one.value) is int]
        shifts = self.says(r"<<|\*\*")
        return shifts or by is None or any(one > by and one % by == 0 for one in numbers)

    def times_read_early(self, nodes):
        """stop.record(); get_elapsed_time(start, stop): the GPU has not reached the second event yet."""
        waits = r"synchron|\.get\(|asnumpy|\.item\(|\.done|copy_to_host|\.query\(|wait"
        for _, body in self.bodies(nodes):
            for record, reads in zip(body, body[1:]):
                event = record.value.func.value if isinstance(record, ast.Expr) and self.method(record.value, "record") else None
                for call in calls_in([reads]) if event is not None and not isinstance(reads, COMPOUND) else ():
                    of_module = self.full(call.func) in ("cupy.cuda.get_elapsed_time", "numba.cuda.event_elapsed_time")
                    of_event = self.method(call, "time_till", "time_since") and self.made_by(call.func.value, "pycuda.driver.Event") is not None
                    given = call.args if of_module else [call.func.value] + call.args if of_event else []
                    last = given[0 if self.method(call, "time_since") else -1] if given else None
                    around = self.origins.scope(record)
                    text = self.reader.written_whole(around) if around is not None else self.reader.text
                    if given and self.written(last) == self.written(event) and not re.search(waits, text):
                        self.mistake(call, "a time that is read before its event", self.written(event), other=record)

    def bound_before_the_change(self, nodes, calls):
        """binding.bind_cpu_input("x", buffer) once, and buffer[:] = batch before each run: the copy was made when it was bound."""
        if not self.says(ON_GPU.pattern) or self.says(r"update_inplace"):
            return
        binds = [one for one in calls if self.method(one, "bind_cpu_input") or self.method(one, "bind_ortvalue_input")]
        runs = [one for one in calls if self.method(one, "run_with_iobinding")]
        if len(binds) != 1 or not runs or not self.is_bound_to_a_gpu(binds[0]):
            return
        of = self.given(binds[0], 1, "arr_on_cpu", "ortvalue")
        made = self.made_by(of, re.compile(r"onnxruntime\.OrtValue\.ortvalue_from_numpy$")) if of is not None else None
        if self.method(binds[0], "bind_ortvalue_input"):
            if made is None or self.said(self.given(made, 1, "device_type")) != "cuda":
                return
            of = self.given(made, 0, "numpy_obj")
        if not isinstance(of, (ast.Name, ast.Attribute)):
            return
        maker = self.origins.scope(binds[0])
        once = maker is None or getattr(maker, "name", "") in ("__init__", "__post_init__")
        for run in runs:
            loops = [one for one in self.origins.around(run) if isinstance(one, (ast.For, ast.While))]
            here = self.origins.scope(run)
            around = loops[-1] if here is maker and loops else here if once and here is not maker else None
            if around is None or any(one is binds[0] or one is made for one in ast.walk(around)):
                continue
            changed = next((one for one in ast.walk(around) if isinstance(one, ast.Subscript) and isinstance(
                one.ctx, ast.Store) and self.written(one.value) == self.written(of) or isinstance(one, ast.Call) and self.full(
                    one.func) == "numpy.copyto" and one.args and self.written(one.args[0]) == self.written(of)), None)
            if changed is not None:
                return self.mistake(binds[0], "an input that was copied before it changed", self.written(of), other=changed)

    def bound_for_no_run(self, calls):
        """binding = session.io_binding(), and session.run(): it takes nothing of what was bound."""
        if self.says(r"run_with_|RunWith|getattr\("):
            return
        for bind in calls:
            made = self.value_of(bind.func.value) if self.method(bind, "bind_output", "bind_ortvalue_output") else None
            if not self.method(made, "io_binding"):
                continue
            form = self.written(bind.func.value)
            handed = any(isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load) and self.written(one) == form and not isinstance(
                self.origins.parents.get(id(one)), ast.Attribute) for one in self.origins.nodes)
            session = self.value_of(made.func.value)
            runs = [call for call in calls if self.method(call, "run") and (self.value_of(call.func.value) is session or self.written(
                call.func.value) == self.written(made.func.value))]
            if runs and not handed:
                return self.mistake(runs[0], "a run without its binding", form, other=bind)

    def is_bound_to_a_gpu(self, bind):
        """Whether the session of a binding computes on a GPU: on the CPU an input may be read where it lies."""
        made = self.value_of(bind.func.value)
        session = self.value_of(made.func.value) if self.method(made, "io_binding") else None
        providers = self.given(session, 2, "providers") if isinstance(session, ast.Call) else None
        return providers is not None and any(ON_GPU.search(self.written(one)) for one in [providers] + self.origins.known(providers))

    def closed_early(self, nodes, functions):
        """cuda.close(), also in a function of the file, and a framework goes on in the same process."""
        closing = {id(of): call for of in functions for call in [next(filter(None, map(self.closes, of.body)), None)] if call is not None}
        for outer, body in self.bodies(nodes):
            for at, one in enumerate(body):
                close = self.closes(one)
                if close is None and isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and closing:
                    close = next((closing[id(of)] for of in self.origins.functions_of(one.value.func) if id(of) in closing), None)
                if close is None:
                    continue
                again = isinstance(outer, (ast.For, ast.While)) and body is outer.body and not any(
                    isinstance(last, (ast.Break, ast.Return)) for last in body[at + 1:])  # the next round
                uses = next((later for rest in body[at + 1:] + (body[:at] if again else []) for later in calls_in([rest]) if not re.match(
                    r"\w+\.backend\.clear_session|torch\.(load|save)$", self.full(later.func)) and self.computes(later, OF_FRAMEWORKS)), None)
                if uses is None and self.goes_on(body[at + 1:]) and not self.says(r"cuda\.(jit|vectorize|to_device)|@(cuda\.)?(jit|vectorize)"):
                    uses = next((call for call in self.tracing.index.calls if re.match(r"torch\.cuda\.(?!empty_cache)", self.full(call.func))), None)
                if uses is not None:
                    self.mistake(close, "a context that is destroyed under a framework", self.written(uses.func), other=uses)

    def goes_on(self, rest):
        """cuda.close(); cuda.select_device(0): the GPU is chosen again behind its end, as it is to be used."""
        return any(isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and self.full(one.value.func) == "numba.cuda.select_device"
                   for one in rest)

    def closes(self, statement):
        """The call of cuda.close() or cuda.get_current_device().reset() that a statement is."""
        call = statement.value if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
        return call if call is not None and (self.full(call.func) == "numba.cuda.close" or self.method(call, "reset") and self.written(
            call.func).endswith("get_current_device().reset")) else None

    def left_on_the_gpu(self, nodes):
        """device = cuda.to_device(host), a kernel that fills it, and host is read: nothing was copied back."""
        for of, own in self.scopes(nodes):
            for made in own:
                copy = made.value if isinstance(made, ast.Assign) and len(made.targets) == 1 and isinstance(made.targets[0], ast.Name) else None
                if not isinstance(copy, ast.Call) or not COPIES_TO_GPU.match(self.full(copy.func)) or not copy.args or any(
                        word.arg != "stream" for word in copy.keywords) or not isinstance(copy.args[0], ast.Name):
                    continue
                host, device = copy.args[0], made.targets[0].id
                filled = [one for one in own if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(
                    one.targets[0], ast.Name) and one.targets[0].id == host.id]
                if len(filled) != 1 or not isinstance(filled[0].value, ast.Call) or not re.match(
                        r"numpy\.(zeros|empty)(_like)?$", self.full(filled[0].value.func)):
                    continue
                names = [one for one in ast.walk(of) if isinstance(one, ast.Name)]
                loads = [one for one in names if one.id == device and isinstance(one.ctx, ast.Load)]
                launches = [self.launch_of(one) for one in loads]
                if not loads or None in launches or sum(one.id == device for one in names) != len(loads) + 1:
                    continue
                reads = [one for one in names if one.id == host.id and isinstance(one.ctx, ast.Load) and one.lineno > max(
                    call.lineno for call in launches) and not isinstance(self.origins.parents.get(id(one)), ast.Subscript)]
                shape = all(isinstance(self.origins.parents.get(id(one)), ast.Attribute) for one in reads)
                if reads and not shape and not any(isinstance(one, ast.Name) and one.id == host.id for call in calls_in([of]) if self.copies_back(
                        call) for one in ast.walk(call)):
                    self.mistake(reads[0], "a result that stays on the GPU", device, other=launches[-1])

    def left_in_a_launch(self, nodes):
        """kernel[blocks, threads](x, cuda.to_device(counts)), and counts is read: nothing holds the copy that was filled."""
        for of, own in self.scopes(nodes):
            for copy in own:
                if not isinstance(copy, ast.Call) or not COPIES_TO_GPU.match(self.full(copy.func)) or len(copy.args) != 1 or copy.keywords or \
                        not isinstance(copy.args[0], ast.Name) or self.launch_of(copy) is None:
                    continue
                host = copy.args[0]
                filled = [one for one in own if isinstance(one, ast.Assign) and any(self.written(target) == host.id for target in one.targets)]
                if len(filled) != 1 or not isinstance(filled[0].value, ast.Call) or not re.match(
                        r"numpy\.(zeros|empty)(_like)?$", self.full(filled[0].value.func)):
                    continue
                names = [one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id == host.id]
                reads = [one for one in names if isinstance(one.ctx, ast.Load) and one.lineno > (getattr(copy, "end_lineno", None) or copy.lineno)]
                other = any(isinstance(self.origins.parents.get(id(one)), (ast.Subscript, ast.Attribute, ast.keyword)) for one in names)
                if reads and not other and not any(self.launch_of(one) is not None for one in reads) and not any(
                        self.copies_back(call) and any(one in names for one in ast.walk(call)) for call in calls_in([of])):
                    self.reader.mistake(copy, "a result that stays on the GPU", host.id, self.written(copy), other=reads[0], doubted=True)

    def left_in_an_object(self, nodes):
        """self.d_out = cuda.to_device(self.out), a kernel that is given self.d_out, and self.out is read."""
        attributes = [one for one in nodes if isinstance(one, ast.Attribute)]
        for made in nodes:
            copy = made.value if isinstance(made, ast.Assign) and len(made.targets) == 1 and isinstance(made.targets[0], ast.Attribute) else None
            if not isinstance(copy, ast.Call) or not COPIES_TO_GPU.match(self.full(copy.func)) or len(copy.args) != 1 or copy.keywords or \
                    not isinstance(copy.args[0], ast.Attribute):
                continue
            host, device = copy.args[0], made.targets[0]
            filled = self.origins.statements_of(host)
            values = self.origins.of(host)
            if len(filled) != 1 or len(self.origins.statements_of(device)) != 1 or len(values) != 1 or not isinstance(
                    values[0], ast.Call) or not re.match(r"numpy\.(zeros|empty)(_like)?$", self.full(values[0].func)):
                continue
            launches = [self.launch_of(one) for one in attributes if one.attr == device.attr and isinstance(one.ctx, ast.Load)]
            reads = [one for one in attributes if one.attr == host.attr and isinstance(one.ctx, ast.Load) and one is not host]
            reads = [one for one in reads if not isinstance(self.origins.parents.get(id(one)), ast.Subscript) and not (isinstance(
                self.origins.parents.get(id(one)), ast.Attribute) and self.origins.parents[id(one)].attr in ("shape", "size", "dtype", "nbytes", "ndim"))]
            back = any(self.copies_back(call) and any(getattr(one, "attr", "") in (host.attr, device.attr) for one in ast.walk(call))
                       for call in self.tracing.index.calls)
            written = any(isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and getattr(one.value, "attr", "") == host.attr for one in nodes)
            if reads and launches and None not in launches and not back and not written:
                self.mistake(reads[0], "a result that stays on the GPU", self.written(device), other=launches[-1])

    def copied_too_early(self, nodes):
        """out = cuda.device_array(n), out.copy_to_host(), and below them what fills it: the copy is of memory that nothing has written."""
        for of, own in self.scopes(nodes):
            for made in own:
                if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name) or not isinstance(
                        made.value, ast.Call) or not MAKES_EMPTY.match(self.full(made.value.func)):
                    continue
                name = made.targets[0].id
                names = [one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id == name]
                here = self.origins.position
                copies = sorted((one for one in own if self.method(one, "copy_to_host", "get") and getattr(one.func.value, "id", "") == name),
                                key=here)
                if not copies or len(names) < 3 or sum(not isinstance(one.ctx, ast.Load) for one in names) != 1 or any(isinstance(
                        one, (ast.For, ast.While, ast.Try)) and made not in ast.walk(one) for one in self.origins.around(copies[0])):
                    continue
                # Functions that use the array, or that call one that does.
                mentions = {one.name: {each.id for each in ast.walk(one) if isinstance(each, ast.Name)} for one in ast.walk(of)
                            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one is not of}
                users = {name}
                while True:
                    more = {one for one, said in mentions.items() if said & users} - users
                    if not more:
                        break
                    users |= more
                if not any(isinstance(one, ast.Name) and one.id in users and isinstance(one.ctx, ast.Load) and here(made) < here(one) < here(
                        copies[0]) and one is not copies[0].func.value for one in own) and here(made) < here(copies[0]):
                    self.mistake(copies[0], "a copy of what nothing has written", name, other=made)

    def time_of_the_cpu(self, nodes):
        """@jit def add(a), and add(a); print("with GPU:", timer() - start): jit compiles for the CPU, and the time is the CPU's."""
        if OTHER_THAN_NUMBA.search(self.reader.text):
            return
        for block in (block for one in nodes for block in (getattr(one, field, None) for field in ("body", "orelse")) if isinstance(block, list)):
            for at, part in enumerate(block):
                show = part.value if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and getattr(
                    part.value.func, "id", "") == "print" else None
                said = " ".join(one.value for one in ast.walk(show) if isinstance(one, ast.Constant) and isinstance(
                    one.value, str)) if show is not None else ""
                if not NAMED_GPU.search(said) or re.search(r"(?i)without|\bno\b|\bnot\b|cpu", said) or not any(
                        isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) for one in ast.walk(show)):
                    continue
                work = next((one.value for one in reversed(block[max(0, at - 3):at]) if isinstance(one, (ast.Expr, ast.Assign)) and isinstance(
                    one.value, ast.Call) and self.origins.functions_of(one.value.func)), None)
                for of in self.origins.functions_of(work.func) if work is not None else ():
                    by = next((one for one in getattr(of, "decorator_list", ()) if re.match(r"numba\.n?jit$", self.full(
                        one.func if isinstance(one, ast.Call) else one))), None)
                    if by is not None:
                        self.mistake(by, "a time of the GPU that the CPU took", self.written(show), other=show)

    def launch_of(self, node):
        """The launch of a kernel that is given an array; None: something else uses it."""
        call = self.origins.parents.get(id(node))
        if isinstance(call, ast.Tuple):  # kernel(blocks, threads, (a, b)) of CuPy
            call = self.origins.parents.get(id(call))
            made = self.made_by(call.func, "cupy.RawKernel") if isinstance(call, ast.Call) else None
            return call if made is not None and len(call.args) == 3 else None
        if not isinstance(call, ast.Call) or node not in call.args:
            return None
        numba = isinstance(call.func, ast.Subscript) and any(isinstance(of, ast.FunctionDef) and self.writes(of, call.args.index(node))
                                                            for of in self.origins.functions_of(call.func.value))
        return call if numba or self.word(call, "block") is not None and self.word(call, "grid") is not None else None

    @staticmethod
    def writes(of, at):
        """Whether a kernel writes to, or adds atomically to, the parameter at a place."""
        name = of.args.args[at].arg if at < len(of.args.args) else None
        return any(isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and getattr(one.value, "id", "") == name or
                   isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and ".atomic." in ast.dump(one.func).replace(
                       "attr='atomic'", ".atomic.") and one.args and getattr(one.args[0], "id", "") == name for one in ast.walk(of))

    def shared_place(self, of, index, by_thread):
        """Whether an index is rounded from an element that the thread reads, so that several threads meet at it: int(x[i] * scale)."""
        loops = {one.target.id for one in ast.walk(of) if isinstance(one, ast.For) and isinstance(one.target, ast.Name) and by_thread(one.iter)}
        made_of = {}
        for one in ast.walk(of):
            for target in one.targets if isinstance(one, ast.Assign) else ():
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        made_of.setdefault(name.id, []).append(one.value)
        parts, waiting, seen = [], [index], set()
        while waiting:
            part = waiting.pop()
            parts.append(part)
            if isinstance(part, ast.Subscript):
                continue  # what it reads; its place says nothing of the values
            if isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                waiting.extend(made_of.get(part.id, ()))
            waiting.extend(ast.iter_child_nodes(part))
        reads = [one for one in parts if isinstance(one, ast.Subscript)]
        rounds = any(isinstance(one, ast.Call) and one.args and (getattr(one.func, "id", "") == "int" or ROUNDS.match(
            self.full(one.func))) and not isinstance(one.args[0], ast.Subscript) or isinstance(one, ast.BinOp) and isinstance(one.op, (ast.FloorDiv, ast.Mod)) for one in parts)
        own = any(isinstance(one, (ast.Name, ast.Attribute)) and (by_thread(one) or getattr(one, "id", "") in loops) for one in parts)
        return rounds and not own and any(by_thread(one.slice) or any(
            getattr(name, "id", "") in loops for name in ast.walk(one.slice)) for one in reads)

    def copies_back(self, call):
        return getattr(call.func, "attr", "") in ("copy_to_host", "get", "memcpy_dtoh", "memcpy_dtoh_async", "asnumpy", "copyto")

    # ---- CuPy

    def of_cupy(self, node, deepest=3):
        """Whether a name holds an array of CuPy's."""
        for _ in range(4):
            made = [one for one in self.assigned.get(node.id, ()) if one.lineno < node.lineno] if isinstance(node, ast.Name) else []
            if made and not any(one in made for one in self.origins.statements_of(node)):  # another function's, of the same name
                return self.on_card(node)
            if isinstance(node, ast.Name) and (not made or len({one.col_offset for one in made}) > 1):
                return False
            of = made[-1].value if made else node
            if isinstance(of, ast.Call) and not self.full(of.func) and self.origins.functions_of(of.func):
                found = self.origins.of(of)
                return bool(found) and deepest > 0 and all(one is not of and isinstance(one, ast.AST) and self.of_cupy(
                    one, deepest - 1) for one in found)
            text = self.written(of)
            if re.search(r"asnumpy\(|\.get\(|\bfloat\(|\bint\(|\.item\(|\.tolist\(|\blen\(|\.(shape|size|ndim|dtype)\b|\[0\]$|to_numpy", text):
                return False
            if isinstance(of, ast.Call) and re.match(r"cupy\.(?!cuda|asnumpy|get_|RawKernel|ElementwiseKernel|RawModule|fuse|random\.(seed|default_rng|RandomState)|"
                                                     r"memoize|show_config|is_available|ndim|shape)\w+", self.full(of.func)):
                return True
            if isinstance(of, ast.BinOp):
                return self.of_cupy(of.left, deepest) or self.of_cupy(of.right, deepest)
            if isinstance(of, ast.Compare):
                return self.of_cupy(of.left, deepest)
            if self.method(of, "astype", "reshape", "copy", "mean", "ravel", "standard_normal", "random", "uniform", "transpose", "dot", "clip"):
                base = self.value(of.func.value)
                if isinstance(base, ast.Call) and self.full(base.func) in ("cupy.random.default_rng", "cupy.random.RandomState"):
                    return True
                node = of.func.value
            elif isinstance(of, ast.Subscript):
                node = of.value
            else:
                return False
        return False

    def on_card(self, node, deepest=8):
        """Whether all that a value comes from is an array of CuPy's, through functions of the file and what computes with it."""
        values = self.origins.of(node) if deepest > 0 else []
        # self.centres = None, until fit() makes it
        values = [one for one in values if not isinstance(node, ast.Attribute) or not isinstance(one, ast.Constant) or one.value is not None]
        return bool(values) and all(self.computed_on_card(one, deepest - 1) for one in values)

    def computed_on_card(self, one, deepest):
        if isinstance(one, ast.Call):
            name = self.full(one.func)
            if name:
                return MAKES_ARRAY.match(name) is not None
            if not isinstance(one.func, ast.Attribute):
                return False
            made = self.value(one.func.value)
            if isinstance(made, ast.Call) and re.match(r"cupy\.random\.(RandomState|default_rng|Generator)$", self.full(made.func)):
                return True
            return one.func.attr in GIVES_ARRAY and self.on_card(one.func.value, deepest)
        if isinstance(one, ast.BinOp):
            return self.on_card(one.left, deepest) or self.on_card(one.right, deepest)
        if isinstance(one, ast.Compare):
            return self.on_card(one.left, deepest)
        if isinstance(one, ast.Subscript) or isinstance(one, ast.Attribute) and one.attr in ("T", "real", "imag"):
            return self.on_card(one.value, deepest)
        return isinstance(one, ast.UnaryOp) and self.on_card(one.operand, deepest)

    def to_the_host_unasked(self, calls):
        """roc_auc_score(labels, scores) of CuPy's arrays: they refuse to be copied where nobody says so."""
        if self.says(r"array_api_dispatch|import cuml|from cuml"):
            return
        for call in calls:
            if READS_MEMORY.match(self.full(call.func)) and not self.is_reported(call):
                given = [one for part in call.args + [k.value for k in call.keywords] for one in (
                    part.values if isinstance(part, ast.Dict) else part.elts if isinstance(part, (ast.List, ast.Tuple)) else [part])]
                if any(self.on_card(one) for one in given):
                    self.reader.mistake(call, "an array of CuPy's where the host reads", self.written(call))
            if TAKES_NUMPY.match(self.full(call.func)):
                given = next((one for one in call.args if self.of_cupy(one) or self.on_card(one)), None)
                if given is not None:
                    self.mistake(call, "an array of CuPy's where NumPy's is taken", self.written(given))

    def limit_of_another_pool(self, nodes):
        """set_allocator(MemoryPool(malloc_managed).malloc); get_default_memory_pool().set_limit(size=n)."""
        for _, body in self.bodies(nodes):
            own = None
            for call in (call for one in body for call in calls_in([one])):
                name = self.written(call.func)
                if self.full(call.func) in ("cupy.cuda.set_allocator", "cupy.cuda.memory.set_allocator"):
                    given = self.written(call.args[0]) if call.args else ""
                    own = call if given.endswith(".malloc") and "default" not in given and not self.is_default_pool(call.args[0].value) else None
                elif own is not None and name.endswith(".set_limit") and "default_memory_pool" in name:
                    self.mistake(call, "a limit of a pool that is not in use", self.written(own), other=own)

    def limits_of_one_device(self, nodes):
        """for i in range(getDeviceCount()): pool.set_limit(size=n), without Device(i): each sets that of the current device."""
        for loop in (one for one in nodes if isinstance(one, ast.For)):
            over = loop.iter.args[-1] if isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "range" and loop.iter.args else None
            if over is None or self.made_by(over, "cupy.cuda.runtime.getDeviceCount") is None or any(
                    isinstance(one, (ast.With, ast.AsyncWith)) for one in ast.walk(loop)):
                continue
            if re.search(r"Device\(|\.use\(|[sS]et_?[dD]evice\(|enter_context|__enter__", self.near(loop)):
                continue
            for call in calls_in(loop.body):
                of = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr in ("set_limit", "free_all_blocks") else None
                if of is not None and self.made_by(of, "cupy.get_default_memory_pool") is not None:
                    self.mistake(call, "a pool that is changed for one device alone", self.written(loop.target), other=loop.iter)

    def is_default_pool(self, of):
        return any("default_memory_pool" in self.written(one) for one in self.origins.known(of) if isinstance(one, ast.AST))

    def kept_in_its_pool(self, nodes):
        """del raw, of CuPy's, before PyTorch uses the GPU: the memory stays in CuPy's pool."""
        if self.says(r"set_allocator|rmm|set_limit|malloc_async|from_dlpack"):
            return
        self.freed_while_held(nodes)
        if self.says(r"free_all_blocks"):
            return
        for _, body in self.bodies(nodes):
            for at, one in enumerate(body):
                gone = [target for target in one.targets if isinstance(target, ast.Name)] if isinstance(one, ast.Delete) else []
                gone = [name.id for name in gone if any(made.lineno < one.lineno and isinstance(made.value, ast.Call) and self.of_cupy(
                    made.value) or re.match(r"(cp|cupy)\.", self.written(made.value)) for made in self.assigned.get(name.id, ()))]
                uses = next((call for rest in body[at + 1:] for call in calls_in([rest]) if re.search(
                    r"\.cuda$|\.to$", self.written(call.func))), None) if gone else None
                if uses is not None and "torch" in self.tracing.names.values():
                    self.mistake(one, "memory that stays in CuPy's pool", ", ".join(gone), other=uses)

    def freed_while_held(self, nodes):
        """pool.free_all_blocks(); del features: the pool has what the arrays held, and nothing gives it back."""
        frees = [call for call in self.tracing.index.calls if self.method(call, "free_all_blocks") and "inned" not in self.written(call)]
        if not frees or "torch" not in self.tracing.names.values() or not self.says(r"\.cuda\(|\.to\("):
            return
        late, freed = set(), None
        for _, body in self.bodies(nodes):
            at = {number: call for number, one in enumerate(body) for call in frees if isinstance(one, ast.Expr) and one.value is call}
            last = max(at, default=None)
            for one in body[last + 1:] if at else ():
                gone = one.targets if isinstance(one, ast.Delete) or isinstance(one, ast.Assign) and getattr(
                    one.value, "value", one) is None else []
                if any(isinstance(name, ast.Name) and self.on_card_before(name, at[last]) for name in gone):
                    late.update(map(id, at.values()))
                    freed = freed or (at[last], one)
        if freed is not None and len(late) == len(frees):
            self.mistake(freed[0], "blocks that are freed before their arrays", self.written(freed[1]), other=freed[1])

    def on_card_before(self, name, call):
        """Whether a name held an array of CuPy's before a call."""
        return any(made.lineno < call.lineno and self.origins.scope(made) is self.origins.scope(call) and made.value is not None and (
            self.of_cupy(made.value) or self.on_card(made.value)) for made in self.assigned.get(name.id, ()))

    def kept_for_nobody(self, nodes, calls):
        """self.blocks.append(features) in a method that a loop calls, of a list that nothing reads."""
        for of in self.tracing.index.classes:
            lists = {target.attr for one in ast.walk(of) if isinstance(one, ast.Assign) and isinstance(one.value, ast.List) and not one.value.elts
                     for target in one.targets if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self"}
            for name in lists:
                uses = [one for one in nodes if isinstance(one, ast.Attribute) and one.attr == name and isinstance(one.ctx, ast.Load)]
                adds = [call for call in calls if self.method(call, "append") and any(call.func.value is one for one in uses)]
                if not adds or len(adds) != len(uses) or self.says(r"getattr\(|__dict__|vars\("):
                    continue
                kept = next((call for call in adds if len(call.args) == 1 and self.of_cupy(call.args[0])), None)
                method = self.origins.scope(kept) if kept is not None else None
                if method is not None and any(self.in_loop(site.call) for site in self.origins.sites(method)):
                    self.mistake(kept, "arrays of the GPU that nobody reads", "self." + name)

    def in_loop(self, node):
        return any(isinstance(one, (ast.For, ast.While, ast.comprehension, ast.ListComp)) for one in self.origins.around(node))

    # ---- PyCUDA, and CuPy's raw kernels

    def doubles_for_floats(self, calls):
        """kernel(drv.InOut(a), …) of float *, where a = np.random.randn(n) is of double precision."""
        for call in calls:
            made = self.value(call.func) if isinstance(call.func, ast.Name) else None
            if not isinstance(made, ast.Call):
                continue
            if self.method(made, "get_function") and made.args:
                source, name, given = self.value(made.func.value), made.args[0], call.args
                source = source.args[0] if isinstance(source, ast.Call) and source.args else None
            elif self.full(made.func) == "cupy.RawKernel" and len(made.args) > 1 and len(call.args) == 3 and isinstance(call.args[2], ast.Tuple):
                source, name, given = made.args[0], made.args[1], call.args[2].elts
            else:
                continue
            text = getattr(self.value(source), "value", None) if source is not None else None
            name = getattr(name, "value", None)
            kernel = re.search(r"\b%s\s*\(([^)]*)\)" % re.escape(name), text) if isinstance(text, str) and isinstance(name, str) else None
            for kind, one in zip(kernel.group(1).split(",") if kernel else (), given):
                if isinstance(one, ast.Call) and one.args and re.match(r"pycuda\.(driver\.(In|Out|InOut)|gpuarray\.to_gpu)$", self.full(one.func)):
                    one = one.args[0]
                array = self.single.get(one.id) if isinstance(one, ast.Name) else None
                if array is not None and re.search(r"\bfloat\s*(__restrict__\s*)?\*", kind) and isinstance(array.value, ast.Call) and DOUBLES.match(
                        self.full(array.value.func)) and self.word(array.value, "dtype") is None and not (
                            len(array.value.args) > 1 and re.search(r"float|int|dtype", self.written(array.value.args[-1]))):
                    self.mistake(array, "doubles for a kernel of floats", name, self.written(one), other=call)

    def numbers_for_floats(self, calls):
        """kernel(blocks, threads, (x, 0.5)) of CuPy's, with `float scale`: a float of Python is handed on in 8 bytes."""
        for call in calls:
            if len(call.args) != 3 or self.full(call.func):
                continue
            made = self.origins.made_by(call.func, "cupy.RawKernel")
            source, name = made.args[:2] if made is not None and len(made.args) > 1 else (None, None)
            of = self.value_of(call.func) if made is None else None
            if isinstance(of, ast.Call) and self.method(of, "get_function") and of.args:
                module = self.origins.made_by(of.func.value, "cupy.RawModule")
                source, name = self.given(module, 0, "code") if module is not None else None, of.args[0]
            text, name = self.origins.text_of(source), self.origins.text_of(name)
            kernel = re.search(r"__global__\s+(?:void\s+)?[^;{]*?\b%s\s*\(([^)]*)\)" % re.escape(name), text) if text and name else None
            given = self.value_of(call.args[2])
            if kernel is None or not isinstance(given, ast.Tuple):
                continue
            for kind, one in zip(kernel.group(1).split(","), self.spread(given.elts)):
                if re.match(r"\s*(const\s+)?float\s+(const\s+)?\w+\s*$", kind) and self.is_plain_number(one, True, 6):
                    of = self.value_of(one)  # where it is computed
                    at = of if isinstance(of, (ast.BinOp, ast.Call)) else one
                    self.mistake(at, "a double for a float of a kernel", self.written(one), kind.strip(), other=call)
                    break

    def spread(self, elements):
        """What a tuple holds, also of *fields that the file writes out, up to the first that it doesn't."""
        found = []
        for one in elements:
            of = self.value_of(one.value) if isinstance(one, ast.Starred) else None
            if isinstance(one, ast.Starred) and (not isinstance(of, (ast.Tuple, ast.List)) or any(isinstance(part, ast.Starred) for part in of.elts)):
                break
            found += of.elts if isinstance(one, ast.Starred) else [one]
        return found

    def is_plain_number(self, node, fraction, deepest):
        """Whether an expression is surely a float of Python's; without `fraction`, one of its whole numbers will do."""
        if deepest <= 0:
            return False
        if isinstance(node, ast.Constant):
            return type(node.value) is float or not fraction and type(node.value) is int
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, (ast.USub, ast.UAdd)) and self.is_plain_number(node.operand, fraction, deepest - 1)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            if not all(self.is_plain_number(one, False, deepest - 1) for one in sides):
                return False
            return not fraction or isinstance(node.op, ast.Div) or any(self.is_plain_number(one, True, deepest - 1) for one in sides)
        if isinstance(node, ast.Call) and re.match(r"math\.(sqrt|exp|log\w*|sin|cos|tan|radians|degrees|hypot|atan2?)$", self.full(node.func)):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in (("float", ) if fraction else ("float", "int", "len")):
            return not self.origins.functions_of(node.func)
        if isinstance(node, ast.Attribute) and self.full(node) in ("math.pi", "math.e", "math.tau"):
            return True
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        values = [one for one in self.origins.of(node) if one is not node]
        known = [one for one in values if isinstance(one, ast.AST)]
        # What else it may be is what argparse gives for an option with such a default.
        others = [getattr(one, "of", None) for one in values if not isinstance(one, ast.AST)]
        return bool(known) and all(self.is_plain_number(one, fraction, deepest - 1) for one in known) and all(isinstance(one, ast.Call) and getattr(
            one.func, "attr", "") == "parse_args" for one in others) and not (others and self.says(r"type *= *(np|numpy|cp|cupy)\."))

    def pageable(self, calls):
        """memcpy_htod_async from an array of NumPy's, which isn't page-locked."""
        for call in calls:
            name = self.full(call.func)
            if not re.match(r"pycuda\.driver\.memcpy_(htod|dtoh)_async$", name) or self.says(r"register_host_memory|pagelocked_\w+\(|HostAlloc"):
                continue
            host = call.args[1 if "htod" in name else 0] if len(call.args) > 1 else None
            while isinstance(host, ast.Subscript):
                host = host.value
            made = self.single.get(getattr(host, "id", ""))
            if made is not None and isinstance(made.value, ast.Call) and re.match(r"numpy\.", self.full(made.value.func)):
                self.mistake(call, "an asynchronous copy of pageable memory", self.written(host), other=made, doubted=False)

    # ---- libraries

    def bound_in_other_order(self, calls):
        """bind_input(…, x.data_ptr()) of x = frames.permute(0, 3, 1, 2): its memory keeps the order from before."""
        if self.says(r"is_contiguous\("):
            return
        for call in calls:
            if not self.method(call, "bind_input", "bind_output", "set_tensor_address", "execute_v2", "execute_async_v2", "set_input_address"):
                continue
            for one in calls_in(call.args + [k.value for k in call.keywords]):
                view = self.view_behind(one.func.value, 6) if self.method(one, "data_ptr") else None
                if view is not None and not self.full(view.func):
                    self.mistake(one, "a view that is bound by its address", self.written(view), other=view)

    def bound_on_another_side(self, calls):
        """bind_input(name, "cuda", 0, np.float32, x.shape, x.ctypes.data): the address is one of the host's memory."""
        for call in calls:
            if not self.method(call, "bind_input", "bind_output"):
                continue
            kind, at = self.given(call, 1, "device_type"), self.given(call, 5, "buffer_ptr")
            said = self.said(kind) if kind is not None else None
            if said not in ("cuda", "cpu") or at is None:
                continue
            sides = {self.side_of(one) for one in [at] + self.origins.known(at)} - {None}
            if sides and said not in sides:
                self.mistake(call, "an address of the other memory", self.written(at), said, other=at)

    def side_of(self, address):
        """"cpu" or "cuda": where the memory of an address lies, as far as it is sure."""
        text = self.written(address)
        if re.search(r"\.ctypes\.data$|\.__array_interface__\[", text):
            return "cpu"
        if re.search(r"\.data\.ptr$|\.__cuda_array_interface__\[", text):
            return "cuda"
        if not self.method(address, "data_ptr"):
            return None
        moves = [one.func.attr for one in self.origins.wrappers_of(address.func.value) if one.func and getattr(one.func, "attr", "") in (
            "to", "cuda", "cpu", "numpy", "pin_memory")]
        if "cuda" in moves and "cpu" not in moves:
            return "cuda"
        made = self.origins.of(address.func.value, True)
        plain = all(isinstance(one, ast.Call) and re.match(r"torch\.(from_numpy|zeros|ones|empty|rand|randn)$", self.full(
            one.func)) and self.word(one, "device") is None for one in made)
        return "cpu" if made and plain and not moves and not self.says(r"set_default_(device|tensor_type)") else None

    def view_behind(self, node, deepest):
        """The view that an expression is, or that it computes with element by element: the result keeps the view's order in memory."""
        for made in self.origins.of(node) if deepest > 0 else ():
            if isinstance(made, ast.BinOp):
                sides = [self.view_behind(side, deepest - 1) for side in (made.left, made.right) if not isinstance(side, ast.Constant)]
                view = next((side for side in sides if side is not None), None)
            elif self.method(made, *VIEWS) and (made.func.attr != "expand" or deepest == 6) or isinstance(made, ast.Call) and self.written(self.word(made, "memory_format") or made).endswith(
                    "channels_last"):
                view = made
            else:
                view = self.view_behind(made.func.value, deepest - 1) if self.method(made, *KEEP_ORDER) and self.word(
                    made, "memory_format") is None and not self.full(made.func) else None
            if view is not None:
                return view
        return None

    def states_of_sessions(self, nodes):
        """state = session.run(["new"], {"state": state})[0] in a loop, of a state of millions of numbers."""
        if not self.says(r"CUDAExecutionProvider|TensorrtExecutionProvider") or self.says(r"io_binding"):
            return
        for loop in (one for one in nodes if isinstance(one, (ast.For, ast.While))):
            for one in loop.body:
                call = next((call for call in calls_in([one]) if self.method(call, "run") and len(call.args) > 1 and isinstance(
                    call.args[1], ast.Dict)), None) if isinstance(one, ast.Assign) else None
                names = {name.id for target in one.targets for name in ast.walk(target) if isinstance(name, ast.Name)} if call else set()
                fed = [value for value in call.args[1].values if isinstance(value, ast.Name) and value.id in names] if call else []
                if any(self.elements(made.value) >= 1 << 20 for value in fed for made in self.assigned.get(value.id, ())):
                    self.mistake(call, "a state that goes over the host", fed[0].id, other=loop)

    def installed_late(self, nodes):
        """import pandas, and cudf.pandas.install() behind it."""
        of = {"cudf.pandas.install": "pandas", "cuml.accel.install": "sklearn"}
        before = {}
        for tree in (one for one in nodes if isinstance(one, ast.Module)):  # of a notebook each cell
            for one in tree.body:
                for alias in one.names if isinstance(one, ast.Import) else ():
                    before.setdefault(alias.name.split(".")[0], one)
                if isinstance(one, ast.ImportFrom) and one.module:
                    before.setdefault(one.module.split(".")[0], one)
                call = one.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else None
                library = of.get(self.full(call.func)) if call is not None else None
                if library in before and not self.says(r"reload\("):
                    self.mistake(call, "an accelerator that comes behind its library", library, other=before[library], doubted=False)

    def workers_of_one_gpu(self, calls):
        """LocalCluster(n_workers=4) with dask_cudf: all workers take the first GPU."""
        if self.says(r"LocalCUDACluster|VISIBLE_DEVICES|CUDAWorker|dask.cuda"):
            return
        for one in calls:
            many = self.word(one, "n_workers")
            if many is not None and (self.number(many) or 0) > 1 and re.match(r"(dask\.)?distributed\.(LocalCluster|Client)$", self.full(one.func)):
                self.mistake(one, "workers that all take one GPU")

    def on_gpu(self, node):
        """Whether it makes an estimator that trains on the GPU."""
        made = self.value(node)
        return isinstance(made, ast.Call) and re.match(r"(xgboost|lightgbm|catboost|cuml)\.", self.full(made.func)) is not None and (
            self.full(made.func).startswith("cuml.") or ON_CARD.search(self.written(made)) is not None)

    def jobs_on_one_gpu(self, calls):
        """GridSearchCV(LGBMClassifier(device="cuda"), …, n_jobs=8): eight processes train on one GPU."""
        for one in calls:
            jobs = self.word(one, "n_jobs") if self.full(one.func).rsplit(".", 1)[-1] in SEARCHES else None
            count = self.number(jobs) if jobs is not None else 1
            if jobs is not None and (self.written(jobs) in ("-1", "-2") or (count or 1) > 1) and (one.args or self.word(one, "estimator")) and self.on_gpu(
                    self.given(one, 0, "estimator")):
                self.mistake(jobs, "processes that all train on one GPU", self.written(one.func))

    def predicts_from_the_host(self, nodes, calls):
        """model.predict(x[i:i + n]) in a loop, of NumPy's array, where the model was fitted on CuPy's."""
        fitted = {self.written(one.func.value): one for one in calls if self.method(one, "fit") and one.args and self.on_gpu(one.func.value) and any(
            isinstance(name, ast.Name) and name.id in self.single and re.match(r"cupy\.", self.full(getattr(
                self.single[name.id].value, "func", name))) for name in ast.walk(one.args[0]))}
        for loop in nodes if fitted else ():
            parts = loop.body if isinstance(loop, (ast.For, ast.While)) else [loop.elt] if isinstance(loop, (ast.ListComp, ast.GeneratorExp)) else ()
            for call in calls_in(parts):
                of = call.args[0] if self.method(call, "predict", "predict_proba") and call.args and self.written(call.func.value) in fitted else None
                while isinstance(of, ast.Subscript):
                    of = of.value
                made = self.single.get(getattr(of, "id", ""))
                if made is not None and isinstance(made.value, ast.Call) and re.match(r"numpy\.", self.full(made.value.func)):
                    self.mistake(call, "a prediction from the host", self.written(of), other=made)

    def engines(self, nodes, calls):
        """What TensorRT 10 has no more, and a network whose input has an open size and no profile."""
        old = self.says(r"__version__|hasattr\(|build_serialized_network|set_memory_pool_limit|deserialize_cuda_engine\(.*# *8") or \
            self.reader.pinned_for("tensorrt")
        builders = {name for name, made in self.assigned.items() for one in made if isinstance(
            one.value, ast.Call) and self.full(one.value.func) == "tensorrt.Builder"} | {item.optional_vars.id for one in nodes if isinstance(
                one, ast.With) for item in one.items if isinstance(item.optional_vars, ast.Name) and isinstance(
                    item.context_expr, ast.Call) and self.full(item.context_expr.func) == "tensorrt.Builder"}
        for one in calls if not old else ():
            if self.method(one, "build_engine", "build_cuda_engine") and self.written(one.func.value) in builders:
                self.mistake(one, "an engine that TensorRT builds no more")
        if not self.says(r"optimization_profile"):
            for one in calls if self.says(r"\.build_(serialized_network|engine)\(") else ():
                shape = self.given(one, 2, "shape") if self.method(one, "add_input") else None
                shape = self.value(shape) if shape is not None else None
                if any(self.written(size) == "-1" for size in getattr(shape, "elts", ())):
                    self.mistake(one, "an open size without a profile")

    def tasks_without_gpu(self, nodes, calls):
        """@ray.remote def embed(batch): … torch.device("cuda"), which asks Ray for no GPU."""
        if not self.says(r"num_gpus|RAY_\w*VISIBLE|VISIBLE_DEVICES"):
            for of in nodes:
                if isinstance(of, (ast.FunctionDef, ast.ClassDef)):
                    asks = next((one for one in of.decorator_list if self.full(one.func if isinstance(one, ast.Call) else one) == "ray.remote"), None)
                    text = self.reader.written_whole(of) if asks is not None else ""
                    if USES_CARD.search(text) and not re.search(r"is_available|accelerator|device_count", text) and not (
                            isinstance(asks, ast.Call) and any(k.arg is None or k.arg == "resources" for k in asks.keywords)):
                        self.reader.mistake(asks, "a task that asks for no GPU", of.name, doubted=True)
        for one in calls:
            if self.full(one.func) in ("ray.train.ScalingConfig", "ray.air.ScalingConfig", "ray.air.config.ScalingConfig") and self.word(
                    one, "use_gpu", "resources_per_worker", "trainer_resources", None) is None and not one.args[1:] and self.says(
                        r"get_device\(\)|\bcuda\b|nccl|autocast"):
                self.mistake(one, "workers that get no GPU")
