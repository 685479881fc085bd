"""What threads of a kernel read while others write it, what launches give kernels, blocks of Pallas, pools that nobody uses and compiled
functions that nobody calls; for the reader of scripts."""

BYTES_OF_ITEMS = {"int8": 1, "uint8": 1, "boolean": 1, "bool_": 1, "float16": 2, "int16": 2, "uint16": 2, "float32": 4, "int32": 4, "uint32": 4,
                  "f4": 4, "i4": 4, "u4": 4, "float64": 8, "int64": 8, "uint64": 8, "f8": 8, "i8": 8, "u8": 8, "complex64": 8, "complex128": 16}
# Methods of a pool that ask for its memory, give it back or limit it.
OF_POOLS = ("free_all_blocks", "free_all_free", "n_free_blocks", "used_bytes", "free_bytes", "total_bytes", "set_limit", "get_limit")
POOLS_OF_CUPY = re.compile(r"cupy\.cuda\.(memory\.)?(MemoryPool|PinnedMemoryPool)$")
# What says that an order of the threads is meant to make no difference.
ORDER_IS_FREE = re.compile(r"(?i)chaotic|gauss|red.?black|asynchron|\brac(e|y)\b|in.?place|checker")
COMPILES_LATE = re.compile(r"numba\.(njit|jit|cuda\.jit|vectorize|guvectorize)$")
MAKES_ON_DEVICE = re.compile(r"jax\.(numpy\.(ones|zeros|full|arange|linspace|eye|array|asarray)|random\.(normal|uniform|randint|bernoulli))$")
MAKES_FOR_NUMBA = re.compile(r"numba\.cuda\.(to_device|device_array(_like)?|as_cuda_array)$")
TIMES_OF_TIMEIT = ("timeit.timeit", "timeit.repeat", "timeit.Timer")


class Launches(Boosters):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"numba", "cupy", "jax"} & roots:
            return
        self.know(nodes)
        calls = self.tracing.index.calls
        if "numba" in roots:
            launches = {id(of): sites for of, sites in self.launches(calls)}
            for of in nodes:
                if isinstance(of, ast.FunctionDef) and self.is_kernel(of):
                    sites = launches.get(id(of), [])
                    self.too_little_shared(of, sites)
                    self.neighbours_of_others(of, sites)
                    self.written_over(of, sites)
                    self.same_in_each_block(of, sites)
            self.launches_under_the_clock(nodes)
            self.views_in_turn(nodes)
            self.compiled_under_the_clock(nodes)
        if "cupy" in roots:
            self.pools_made_anew(calls)
        if "jax" in roots:
            self.never_called(nodes, calls)
            self.blocks_by_elements(calls)
        if {"jax", "cupy"} & roots:
            self.variants_alike(calls)

    # ---- what a launch gives

    def too_little_shared(self, of, sites):
        """tile = cuda.shared.array(0, float32), one item for each thread, and kernel[blocks, threads, stream, threads](…)."""
        arrays = [one for one in ast.walk(of) if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and self.full(
            one.value.func) == "numba.cuda.shared.array" and isinstance(one.targets[0], ast.Name)]
        if len(arrays) != 1:
            return
        name, kind = arrays[0].targets[0].id, self.given(arrays[0].value, 1, "dtype")
        said = self.said(kind) if isinstance(kind, ast.Constant) else self.written(kind).rpartition(".")[2] if kind is not None else ""
        size = BYTES_OF_ITEMS.get(said)
        by_thread = {target.id for one in ast.walk(of) if isinstance(one, ast.Assign) and self.full(one.value) == "numba.cuda.threadIdx.x"
                     for target in one.targets if isinstance(target, ast.Name)}
        stored = any(isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and getattr(one.value, "id", "") == name and (
            getattr(self.index_of(one), "id", "") in by_thread or self.full(self.index_of(one)) == "numba.cuda.threadIdx.x") for one in ast.walk(of))
        items = self.number(self.given(arrays[0].value, 0, "shape"))
        text = self.reader.written_whole(of)
        if stored and "sync" not in text:
            load = next((one for one in ast.walk(of) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and getattr(
                one.value, "id", "") == name and not (getattr(self.index_of(one), "id", "") in by_thread or self.full(
                    self.index_of(one)) == "numba.cuda.threadIdx.x")), None)
            if load is not None:
                self.mistake(load, "a shared element that is read without a barrier", name, other=arrays[0])
        for call in sites if size and stored and items is not None else ():
            grid = self.index_of(call.func).elts
            if any(isinstance(one, ast.Starred) for one in grid):
                continue
            if items > 0:  # its size stands in the kernel
                threads = self.number(self.alone(grid[1]))
                guarded = any(isinstance(one, (ast.If, ast.While)) and (any(getattr(each, "id", "") in by_thread for each in ast.walk(
                    one.test)) or "threadIdx" in self.written(one.test)) for one in ast.walk(of) if self.holds_store(one, name))
                if threads is not None and threads > items and not guarded:
                    self.mistake(call, "shared memory that is too small", "%s has %d items for %d threads" % (name, items, threads), other=arrays[0])
                continue
            if len(grid) < 4:
                self.mistake(call, "shared memory that is too small", "without a fourth number in the brackets, %s has no bytes" % name, other=arrays[0])
                continue
            threads, given = self.number(self.alone(grid[1])), self.number(grid[3])
            if threads is not None and given is not None:
                short = given < threads * size
            else:
                same = self.written(grid[3]) == self.written(grid[1]) or isinstance(grid[1], ast.Name) and self.value(grid[3]) is self.value(grid[1])
                short = size > 1 and same
            if short:
                self.mistake(call, "shared memory that is too small", "the fourth number counts bytes, and %s needs %d for each thread" % (
                    name, size), other=arrays[0])

    @staticmethod
    def holds_store(node, name):
        return any(isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and getattr(one.value, "id", "") == name for one in ast.walk(node))

    def same_in_each_block(self, of, sites):
        """i = cuda.threadIdx.x, and no block's number: with several blocks each of them computes the same elements."""
        text = self.reader.written_whole(of)
        first = next((one for one in ast.walk(of) if isinstance(one, ast.Assign) and self.full(one.value) == "numba.cuda.threadIdx.x" and isinstance(
            one.targets[0], ast.Name)), None)
        if first is None or re.search(r"blockIdx|grid|atomic|shared|random|xoroshiro", text) or not any(isinstance(one, ast.Subscript) and isinstance(
                one.ctx, ast.Store) and getattr(self.index_of(one), "id", "") == first.targets[0].id for one in ast.walk(of)):
            return
        helped = any(isinstance(one, ast.Call) and self.origins.functions_of(one.func) for one in ast.walk(of))
        for call in sites if not helped else ():
            blocks = self.number(self.alone(self.index_of(call.func).elts[0]))
            if blocks is not None and blocks > 1:
                self.mistake(call, "blocks that all compute the same", first.targets[0].id, str(blocks), other=first)

    # ---- what others write

    def parts_of_index(self, node):
        index = self.index_of(node)
        return index.elts if isinstance(index, ast.Tuple) else [index]

    def shifts(self, of, node, places, deepest=5):
        """Whether an index is another thread's: i - 1, (i + 1) % n, min(i + 1, n - 1), i + k of a loop over k, under whatever name."""
        if deepest == 0:
            return False
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self.shifts(of, node.left, places, deepest)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("min", "max"):
            return any(self.shifts(of, one, places, deepest - 1) for one in node.args)
        if isinstance(node, ast.IfExp):
            return any(self.shifts(of, one, places, deepest - 1) for one in (node.body, node.orelse))
        if isinstance(node, ast.Name):
            made = [one.value for one in ast.walk(of) if isinstance(one, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == node.id for target in one.targets)]
            return node.id not in places and len(made) == 1 and self.shifts(of, made[0], places, deepest - 1)
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Sub)):
            return False
        place, by = node.left, node.right
        if isinstance(node.op, ast.Add) and getattr(by, "id", "") in places:
            place, by = by, place
        if getattr(place, "id", "") not in places:
            return False
        if isinstance(by, ast.Constant):
            return type(by.value) is int and by.value != 0
        # A loop's own number, where no test of the threads asks for it as a reduction does.
        loops = [one for one in ast.walk(of) if isinstance(one, ast.For) and getattr(one.target, "id", "") == getattr(by, "id", 0) and (isinstance(
            one.iter, (ast.Tuple, ast.List)) or getattr(getattr(one.iter, "func", None), "id", "") == "range")]
        tests = [{getattr(name, "id", "") for name in ast.walk(one.test)} for one in ast.walk(of) if isinstance(one, (ast.If, ast.While, ast.IfExp))]
        return bool(loops) and not any(by.id in names and names & set(places) for names in tests)

    def is_ordered(self, of, places):
        """Whether threads of a kernel wait for each other, or take turns: every second one, or one alone."""
        text = self.reader.written_whole(of)
        if re.search(r"sync|atomic|gridsize|gridDim", text) or ORDER_IS_FREE.search(text):
            return True
        for one in ast.walk(of):
            if isinstance(one, (ast.If, ast.While, ast.IfExp)) and any(getattr(name, "id", "") in places for name in ast.walk(one.test)):
                for part in ast.walk(one.test):
                    if isinstance(part, ast.Mod) or isinstance(part, ast.Compare) and any(isinstance(sign, ast.NotEq) for sign in part.ops):
                        return True
            # changed[0] = 1: the host launches it until nothing changes
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and isinstance(self.index_of(one), ast.Constant):
                return True
        return False

    def under_equality(self, node, of):
        """Whether a statement stands under a test such as i == 0, which one thread or one edge passes."""
        for one in self.origins.around(node):
            if one is of:
                break
            if isinstance(one, ast.If) and any(isinstance(sign, ast.Eq) for part in ast.walk(one.test) if isinstance(
                    part, ast.Compare) for sign in part.ops):
                return True
        return False

    def launched_alone(self, sites):
        """Whether all launches are of one thread."""
        return bool(sites) and all([self.number(self.alone(one)) for one in self.index_of(call.func).elts[:2]] == [1, 1] for call in sites)

    def plain_stores(self, of, places):
        """{name of a parameter: where a thread writes its own element of it}"""
        parameters, found = {one.arg for one in of.args.args}, {}
        for one in ast.walk(of):
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and getattr(one.value, "id", "") in parameters and all(
                    getattr(part, "id", "") in places for part in self.parts_of_index(one)) and not self.under_equality(one, of):
                found.setdefault(one.value.id, one)
        return found

    def shifted_loads(self, of, places):
        """Where a thread reads an element of a parameter that is not its own."""
        parameters = {one.arg for one in of.args.args}
        return [one for one in ast.walk(of) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and getattr(
            one.value, "id", "") in parameters and any(self.shifts(of, part, places) for part in self.parts_of_index(one)) and not self.under_equality(
                one, of)]

    def neighbours_of_others(self, of, sites):
        """a[i] = (a[i - 1] + a[i + 1]) / 2 in a kernel: whether the neighbour is old or new depends on the order of the threads."""
        places = self.places_of_elements(of)
        loads = self.shifted_loads(of, places) if places else []
        if not loads or self.is_ordered(of, places) or self.launched_alone(sites):
            return
        stores = self.plain_stores(of, places)
        for one in loads:
            if one.value.id in stores:
                self.mistake(one, "a neighbour that another thread writes", one.value.id, other=stores[one.value.id])
        parameters = [one.arg for one in of.args.args]
        for call in sites:
            given = {name: self.written(one) for name, one in zip(parameters, call.args) if isinstance(one, (ast.Name, ast.Attribute))}
            for one in loads:
                same = next((name for name in stores if name != one.value.id and given.get(name, "") == given.get(one.value.id, 0)), None)
                if same is not None:
                    self.mistake(call, "an array that a launch reads and writes", given[same], self.written(one), other=stores[same])
                    break

    def reads_elsewhere(self, of, reads, writes):
        """Whether a kernel reads elements of one parameter at other places than it writes those of another."""
        names = [one.arg for one in of.args.args]
        if max(reads, writes) >= len(names):
            return False
        subscripts = [one for one in ast.walk(of) if isinstance(one, ast.Subscript)]
        stored = {self.written(self.index_of(one)) for one in subscripts if isinstance(one.ctx, ast.Store) and getattr(one.value, "id", "") == names[writes]}
        read = {self.written(self.index_of(one)) for one in subscripts if isinstance(one.ctx, ast.Load) and getattr(one.value, "id", "") == names[reads]}
        other = any(isinstance(one.ctx, ast.Store) and getattr(one.value, "id", "") == names[reads] for one in subscripts)
        return bool(stored) and bool(read - stored) and not other

    def view_of(self, node):
        """The name of the array that x[:n], x.reshape(n) or x.ravel() is a view of; "": none."""
        made = self.value(node)
        if made is node or not isinstance(made, (ast.Subscript, ast.Call)):
            return ""
        if isinstance(made, ast.Subscript):
            whole = any(isinstance(part, ast.Slice) and part.lower is None for part in self.parts_of_index(made)[:1])
            return getattr(made.value, "id", "") if whole else ""
        return getattr(made.func.value, "id", "") if self.method(made, "reshape", "ravel", "view") and not self.full(made.func) else ""

    def written_over(self, of, sites):
        """out = x[:blocks]; kernel[blocks, threads](x, out), which writes an element that another block still has to read."""
        for call in sites:
            if self.number(self.alone(self.index_of(call.func).elts[0])) == 1:
                continue  # one block, which may wait for itself
            for writes, one in enumerate(call.args):
                base = self.view_of(one) if isinstance(one, ast.Name) else ""
                reads = next((at for at, other in enumerate(call.args) if base and getattr(other, "id", "") == base), None)
                if reads is not None and self.reads_elsewhere(of, reads, writes):
                    self.mistake(call, "an array that a launch reads and writes", base, self.written(one), other=self.value(one))

    def views_in_turn(self, nodes):
        """while …: kernel[…](x, part); x = part; part = part[:n]: in the next round both are the same memory."""
        for loop in (one for one in nodes if isinstance(one, (ast.For, ast.While))):
            plain = [one for one in loop.body if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name)]
            for at, first in enumerate(plain):
                for second in plain[at + 1:] if isinstance(first.value, ast.Name) else ():
                    name = second.targets[0].id
                    view = second.value
                    if first.value.id != name or not isinstance(view, ast.Subscript) or getattr(view.value, "id", "") != name or not any(isinstance(
                            part, ast.Slice) and part.lower is None for part in self.parts_of_index(view)[:1]):
                        continue
                    for call in calls_in(loop.body):
                        given = [getattr(one, "id", "") for one in call.args]
                        of = self.origins.functions_of(call.func.value) if isinstance(call.func, ast.Subscript) else []
                        if name in given and first.targets[0].id in given and len(of) == 1 and self.is_kernel(of[0]) and self.reads_elsewhere(
                                of[0], given.index(first.targets[0].id), given.index(name)):
                            self.mistake(second, "a view of what the next launch reads", first.targets[0].id, other=call)

    # ---- clocks, pools, compiled functions

    def on_the_gpu(self, node):
        """Whether all that an array comes from lies on the GPU, so that a launch copies nothing back."""
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Call) and (MAKES_FOR_NUMBA.match(self.full(one.func)) is not None or MAKES_ARRAY.match(
            self.full(one.func)) is not None) for one in values)

    def is_launch(self, call):
        """Whether a call launches a kernel of Numba's with arrays of the GPU alone: with one of the host's it waits for the copy."""
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Subscript):
            return False
        of = self.origins.functions_of(call.func.value)
        arrays = [one for one in call.args if isinstance(one, (ast.Name, ast.Attribute, ast.Call)) and self.number(one) is None and not (isinstance(
            one, ast.Attribute) and one.attr in ("size", "ndim"))]
        return len(of) == 1 and self.is_kernel(of[0]) and bool(arrays) and all(self.on_the_gpu(one) for one in arrays)

    def launches_under_the_clock(self, nodes):
        """start = perf_counter(); kernel[blocks, threads](x, y); seconds = perf_counter() - start: a launch gives back at once."""
        for _, body in self.bodies(nodes):
            for at, one in enumerate(body):
                start = one.targets[0].id if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(
                    one.value, ast.Call) and self.full(one.value.func) in CLOCKS_OF_HOST else None
                for number, later in enumerate(body[at + 1:] if start is not None else ()):
                    end = next((part for part in ast.walk(later) if isinstance(part, ast.Call) and self.full(part.func) in CLOCKS_OF_HOST), None)
                    if end is None:
                        continue
                    between = body[at + 1:at + 1 + number]
                    ends = isinstance(later, ast.Assign) and later.value is end and not isinstance(later, COMPOUND)
                    named = self.written(later.targets[0]) if ends else ""
                    differs = ends and any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub) and self.written(part.left) == named and self.written(
                        part.right) == start for rest in body[at + 1 + number:] for part in ast.walk(rest))
                    above = self.origins.parents.get(id(end))
                    within = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub) and getattr(above.right, "id", "") == start
                    last = self.last_of(between)
                    text = "\n".join(self.near(part) for part in between)
                    said = "\n".join(map(self.written, body[at + 1 + number:at + 4 + number]))
                    before = self.reader.written_whole(later).split(self.written(end))[0]
                    if (differs or within and not isinstance(later, COMPOUND)) and self.is_launch(last) and not re.search(
                            r"sync|copy_to_host|Event|asnumpy|\.get\(", text + before) and not TIME_OF_ANOTHER.search(said) and not self.is_reported(end):
                        self.mistake(end, "a clock around a kernel of Numba's", self.written(last), other=last)
                    break

    def compiled_under_the_clock(self, nodes):
        """start = timer(); add(x); print("with GPU:", timer() - start), where Numba compiles add() in this, its only call."""
        if self.says(r"(?i)warm.?up|\.compile\(|incl|cold|first (call|run|time)"):
            return
        late = {}
        for of in nodes:
            marks = of.decorator_list if isinstance(of, ast.FunctionDef) else []
            if len(marks) == 1 and COMPILES_LATE.match(self.full(getattr(marks[0], "func", marks[0]))):
                given = isinstance(marks[0], ast.Call) and (marks[0].args or any(k.arg in ("cache", "signature", "device", None) for k in marks[0].keywords))
                if not given:
                    late[of.name] = of
        uses = {}
        for one in self.origins.nodes:
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in late:
                uses.setdefault(one.id, []).append(one)
        for _, body in self.bodies(nodes):
            for at, one in enumerate(body):
                start = one.targets[0].id if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(
                    one.value, ast.Call) and self.full(one.value.func) in CLOCKS_OF_HOST else None
                said, held = None, start  # the name that holds the clock, and later the time: end - start
                for number, later in enumerate(body[at + 1:at + 6] if start else ()):
                    if not re.search(r"\b%s\b" % re.escape(held), self.written(later)):
                        continue
                    if isinstance(later, ast.Expr):
                        said = number
                        break
                    if not isinstance(later, ast.Assign) or not isinstance(later.targets[0], ast.Name):
                        break
                    held = later.targets[0].id
                text = self.written(body[at + 1 + said]) if said else ""
                if not re.search(r"(?i)\b(gpu|cuda|numba|jit)\b", text) or TIME_OF_ANOTHER.search(text):
                    continue
                for call in (call for part in body[at + 1:at + 1 + said] if not isinstance(part, COMPOUND) for call in calls_in([part])):
                    name = getattr(call.func.value if isinstance(call.func, ast.Subscript) else call.func, "id", "")
                    within = self.origins.scope(call)
                    again = within is not None and len(self.origins.sites(within)) != 1 or self.in_loop(call)
                    if name in late and len(uses.get(name, ())) == 1 and not again and not self.is_reported(call):
                        self.mistake(call, "a time that holds Numba's compilation", late[name].name, other=one)

    def pools_made_anew(self, calls):
        """cupy.cuda.MemoryPool().free_all_blocks(): a new pool, which has no blocks."""
        for call in calls:
            if not self.method(call, *OF_POOLS):
                continue
            made = self.value_of(call.func.value)
            if not isinstance(made, ast.Call) or not POOLS_OF_CUPY.match(self.full(made.func)):
                continue
            if made is call.func.value or not self.says(r"\.malloc\b|set_(pinned_memory_)?allocator|using_allocator"):
                pinned = "pinned_" if "Pinned" in self.full(made.func) else ""
                self.mistake(call, "a pool that is made anew", "cupy.get_default_%smemory_pool().%s(…)" % (pinned, call.func.attr))

    def gives_compiled(self, call):
        """Whether a call of a function of the file gives back what jax.jit makes, and does nothing else."""
        of = self.origins.functions_of(call.func) if isinstance(call, ast.Call) and isinstance(call.func, (ast.Name, ast.Attribute)) else []
        return len(of) == 1 and self.makes_compiled(of[0])

    def makes_compiled(self, of):
        if not isinstance(of, ast.FunctionDef) or of.decorator_list:
            return False
        body = [one for one in of.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
        last = body[-1].value if body and isinstance(body[-1], ast.Return) else None
        if isinstance(last, ast.Name) and len(body) == 2 and isinstance(body[0], ast.FunctionDef) and body[0].name == last.id:
            return any(self.tracing.decorated(mark) is not None and self.tracing.decorated(mark).by in JITS for mark in body[0].decorator_list)
        if isinstance(last, ast.Name) and len(body) == 2 and isinstance(body[0], ast.Assign) and self.written(body[0].targets[0]) == last.id:
            last, body = body[0].value, body[1:]
        return len(body) == 1 and isinstance(last, ast.Call) and self.full(last.func) in JITS and bool(last.args)

    def never_called(self, nodes, calls):
        """timeit(make_step, number=10), where make_step() only returns jax.jit(step): the compiled function is never called."""
        for call in calls:
            timed = self.given(call, 0, "stmt") if self.full(call.func) in TIMES_OF_TIMEIT else None
            if isinstance(timed, ast.Lambda):
                made = self.gives_compiled(timed.body)
            else:
                of = self.origins.functions_of(timed) if timed is not None else []
                made = len(of) == 1 and self.makes_compiled(of[0])
            if made:
                self.mistake(call, "a compiled function that is not called", self.written(timed.body.func if isinstance(timed, ast.Lambda) else timed),
                             other=timed)
        for one in nodes:
            if isinstance(one, ast.Expr) and self.gives_compiled(one.value):
                self.mistake(one.value, "a compiled function that is not called", self.written(one.value.func))
        for how, at, _, last in timed_by_magics(nodes) if not self.reader.other_form else ():
            if self.gives_compiled(last):
                self.mistake(last if how == "timeit" else at, "a compiled function that is not called", self.written(last.func))

    def variants_alike(self, calls):
        """x = jax.random.normal(key, shape); x = jax.device_put(x) in one of the functions that timeit compares: x was there before."""
        timed = {}
        for call in calls:
            of = self.given(call, 0, "stmt") if self.full(call.func) in TIMES_OF_TIMEIT else None
            for run in self.origins.functions_of(of) if of is not None else ():
                inner = run.body.func if isinstance(run, ast.Lambda) and isinstance(run.body, ast.Call) else None
                for one in self.origins.functions_of(inner) if inner is not None else [run]:
                    timed[id(one)] = one
        for of in timed.values() if len(timed) > 1 else ():
            for call in calls_in(of.body) if isinstance(of, ast.FunctionDef) else ():
                moves = self.full(call.func) in ("jax.device_put", "cupy.asarray") and len(call.args) == 1 and not call.keywords
                made = self.origins.of(call.args[0]) if moves else []
                form = MAKES_ON_DEVICE if self.full(call.func) == "jax.device_put" else MAKES_ARRAY
                if made and all(isinstance(one, ast.Call) and form.match(self.full(one.func)) for one in made):
                    self.mistake(call, "a move of what is there already", self.written(made[0]), other=made[0])

    # ---- Pallas

    def blocks_by_elements(self, calls):
        """BlockSpec((8, n), lambda i: (i * 8, 0)): an index map counts blocks, not elements."""
        if self.says(r"Unblocked|\bElement\(|Squeezed|indexing_mode"):
            return
        for call in calls:
            if self.full(call.func) not in ("jax.experimental.pallas.BlockSpec", ):
                continue
            shape = self.value(self.given(call, 0, "block_shape"))
            index = self.value(self.given(call, 1, "index_map"))
            run = index if isinstance(index, ast.Lambda) else next(iter(self.origins.functions_of(index)), None) if index is not None else None
            if isinstance(run, ast.FunctionDef) and len(run.body) == 1 and isinstance(run.body[0], ast.Return):
                place, names = run.body[0].value, {one.arg for one in run.args.args}
            elif isinstance(run, ast.Lambda):
                place, names = run.body, {one.arg for one in run.args.args}
            else:
                continue
            places = place.elts if isinstance(place, ast.Tuple) else [place]
            if not isinstance(shape, (ast.Tuple, ast.List)) or len(shape.elts) != len(places):
                continue
            for size, one in zip(shape.elts, places):
                if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult):
                    name, by = (one.left, one.right) if getattr(one.left, "id", "") in names else (one.right, one.left)
                    same = self.written(by) == self.written(size) or self.number(by) is not None and self.number(by) == self.number(size)
                    if getattr(name, "id", "") in names and same and self.number(by) != 1 and self.divided_by(call, by):
                        self.mistake(one, "a block's place that counts elements", name.id, other=call)

    def divided_by(self, call, by):
        """Whether the grid beside a block counts blocks of this size: n // 8, pl.cdiv(n, 8)."""
        around = next((one for one in self.origins.around(call) if isinstance(one, ast.Call) and self.full(one.func).endswith(
            (".pallas_call", ".GridSpec", ".PrefetchScalarGridSpec"))), None)
        grid = self.value(self.word(around, "grid")) if around is not None and self.word(around, "grid") is not None else None
        counts = grid.elts if isinstance(grid, (ast.Tuple, ast.List)) else [grid] if grid is not None else []
        size, number = self.written(by), self.number(by)
        for one in counts:
            made = self.value(one)
            step = made.right if isinstance(made, ast.BinOp) and isinstance(made.op, ast.FloorDiv) else made.args[1] if isinstance(
                made, ast.Call) and self.full(made.func).endswith("cdiv") and len(made.args) == 2 else None
            if step is not None and (self.written(step) == size or number is not None and self.number(step) == number):
                return True
        return False
