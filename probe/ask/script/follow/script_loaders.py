"""Datasets, loaders and other processes of PyTorch's, for the reader of scripts."""


# Calls that begin CUDA in a process, beside each move to a GPU.
BEGIN_CUDA = ("torch.Tensor.cuda", "torch.cuda.mem_get_info", "torch.cuda.init", "torch.cuda.current_device",
              "torch.cuda.get_device_properties", "torch.cuda.get_device_name", "torch.cuda.get_device_capability",
              "torch.cuda.synchronize")

# A step of a transform that moves what it is given: an object's __call__, or a lambda.
STEP_THAT_MOVES = re.compile(r"def __call__\(self, \w+\)[^\n]*:(?:[^\n]*\n[ \t]+(?![ \t]|def )){0,12}?[^\n]*\.(to|cuda)\(|lambda \w+: [^\n]*\.(to|cuda)\(")


class Loaders:
    """The part of Torch that knows who brings batches, and in which process it does."""

    def do_utils_data_DataLoader(self, node, values, words):
        pin = words.get("pin_memory")
        pinned = pin.value if isinstance(pin, Text) else None if "pin_memory" in words or self.spread(node) else False
        shuffle = words.get("shuffle")
        if (self.default or "").split(":")[0] == "cuda" and isinstance(shuffle, Text) and shuffle.value is True and \
                "generator" not in words and "sampler" not in words:
            self.reader.mistake(node, "a DataLoader that shuffles under a default device", self.default)
        collate = words.get("collate_fn")
        moving = "collate_fn" in words and not (isinstance(collate, Function) and not
                                                MOVES_ITSELF.search(self.reader.written_whole(collate.node)))
        # A data set of torchvision's makes its items with what it is given: a class of the file's, or a lambda, that moves them.
        moving = moving or "transform" in self.reader.text and STEP_THAT_MOVES.search(self.reader.text) is not None
        dataset = values[0] if values else words.get("dataset")
        place = dataset["place"] if isinstance(dataset, Thing) else None
        if pinned and place and set(place.split("|")) - {"cpu"}:
            self.reader.mistake(words.nodes.get("pin_memory", self.reader.keyword_of(node, "pin_memory")), "a DataLoader that pins tensors of the GPU", place,
                                doubted="|" in place)
        elif pinned:
            gives = self.gives_gpu(node, dataset, collate)
            if gives:
                self.reader.mistake(words.nodes.get("pin_memory", self.reader.keyword_of(node, "pin_memory")),
                                    "a DataLoader that pins tensors of the GPU", "the GPU", doubted="|" in gives)
        self.excluded(node, values, words)
        if isinstance(shuffle, Text) and shuffle.value is True:
            self.draws(node, self.default, words)
        self.in_workers(node, dataset, collate, place, words)
        at = self.reader.keyword_of(node, "collate_fn")
        foreign = at is not node and isinstance(at, ast.Call) and \
            (self.reader.full(at.func) or "").startswith("transformers.")
        own = isinstance(dataset, Thing) and dataset["class"] and (self.default or "cpu") != "cpu"  # may make them there
        strange = moving and not foreign or isinstance(dataset, Thing) and dataset["unknown"]
        count = words.get("num_workers")
        count = count["default"] if isinstance(count, Thing) and count.kind == "number" else count
        forks = isinstance(count, Text) and type(count.value) is int and count.value > 0 and \
            "multiprocessing_context" not in words and not self.spread(node)
        numbers = self.numbers_of(node, dataset) if not {"collate_fn", None} & set(words) else None
        return Thing("loader", strange=strange, workers=forks, numbers=numbers, pinned=pinned, line=node.lineno, collate="collate_fn" in words,
                     unknown=moving or own or isinstance(dataset, Thing) and dataset["unknown"])

    def numbers_of(self, node, dataset):
        """The kind of number of each part of a sample; None: it is not known, or there is one part alone."""
        if not isinstance(dataset, Thing) or not re.search(r"from_numpy|float64|double|\bnp\.|numpy", self.reader.text):
            return None
        get, reader = dataset["class"].method("__getitem__") if dataset["class"] else None, self.reader
        if get is None:
            return dataset["numbers"]
        before, reader.path = reader.path, ("p%d:" % node.lineno,)
        sample = reader.follow(get, [dataset, Thing("number")], {}, node)
        reader.path = before
        return [self.number_in_batch(one) for one in sample.items] if isinstance(sample, Many) and not sample.open else None

    @staticmethod
    def number_in_batch(one):
        """A batch of NumPy's arrays has their kind of number."""
        if not isinstance(one, Thing):
            return None
        return "float64" if one.kind == "ndarray" and one["double"] else one["number"] if one.kind == "tensor" else None

    def gives_gpu(self, node, dataset, collate):
        """The GPU on which what the dataset or collate_fn gives lies; None: it lies elsewhere, or is not known."""
        get = dataset["class"].method("__getitem__") if isinstance(dataset, Thing) and dataset["class"] else None
        reader, found = self.reader, []
        before, reader.path = reader.path, ("p%d:" % node.lineno,)
        method = collate["class"].method("__call__") if isinstance(collate, Thing) and collate["class"] else None
        if isinstance(collate, Function):
            found = [reader.follow(collate, [None], {}, node)]
        elif isinstance(collate, Bound) and isinstance(collate.value, Function):
            found = [reader.follow(collate.value, [collate.thing, None], {}, node)]
        elif isinstance(collate, Thing) and collate.kind == "partial" and isinstance(collate["of"], Function):
            found = [reader.follow(collate["of"], list(collate["given"]) + [None], dict(collate["words"]), node)]
        elif method is not None:
            found = [reader.follow(method, [collate, None], {}, node)]
        elif get and collate is None:
            found = [reader.follow(get, [dataset, Thing("number")], {}, node)]
        reader.path = before
        found += [inner for one in found if isinstance(one, Many) for inner in one.items]
        found += [
            inner for one in found if isinstance(one, Thing) and one.kind == "mapping"
            for inner in one.attributes.values()
        ]
        return next((one["device"] for one in found if isinstance(one, Thing) and one.kind in ("tensor", "moved") and
                     re.match(r"cuda", one["device"] or "")), None)

    def excluded(self, node, values, words):
        """Arguments of a DataLoader that exclude each other."""
        places = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers")
        given = dict(zip(places, values), **{word: value for word, value in words.items() if word})
        if self.spread(node) and None in words or any(isinstance(one, ast.Starred) for one in node.args):
            return

        def is_true(word):
            return isinstance(given.get(word), Text) and bool(given[word].value)

        def is_there(word):
            value = given.get(word)
            return isinstance(value, Thing) and value.kind == "sampler" or is_true(word)

        if isinstance(given.get("sampler"), Thing) and given["sampler"]["shuffles"]:
            self.samplers.append(given["sampler"]["shuffles"])
        workers = given.get("num_workers", Text(0))
        asked = isinstance(workers, Thing) and workers.kind == "number" and isinstance(workers["default"], Text)
        alone = isinstance(workers, Text) and workers.value == 0 or asked and workers["default"].value == 0
        dataset = given.get("dataset")
        streamed = isinstance(dataset, Thing) and dataset["class"] and any(
            base.endswith("IterableDataset") for base in dataset["class"].all_bases())
        size = given.get("batch_size", Text(1))
        known = isinstance(size, Text) or is_number(size)
        number = size.value if isinstance(size, Text) else 0
        why = instead = None
        needless = next((word for word in ("persistent_workers", "prefetch_factor", "multiprocessing_context")
                         if alone and is_true(word)), None)
        if is_true("shuffle") and is_there("sampler"):
            why = "shuffle=True and a sampler exclude each other"
            instead = "Leave shuffle out; the sampler gives the order."
        elif is_there("batch_sampler") and (known and number != 1 or is_true("shuffle") or is_true("drop_last") or
                                            is_there("sampler")):
            why = "a batch_sampler excludes batch_size, shuffle, sampler and drop_last"
            instead = "Leave those out."
        elif streamed and (is_true("shuffle") or is_there("sampler")):
            why = "an IterableDataset gives its own order, and takes no shuffle or sampler"
            instead = "Shuffle in the dataset."
        elif needless:
            why, instead = needless + " needs num_workers of 1 or more", "Give num_workers, or leave it out."
        elif isinstance(workers, Text) and type(workers.value) is int and workers.value < 0:
            why, instead = "num_workers is below 0", "Write num_workers=os.cpu_count()."
        elif isinstance(size, Text) and size.value is None and is_true("drop_last"):
            why = "batch_size=None makes no batches, so that drop_last has nothing to drop"
            instead = "Leave drop_last out."
        if why:
            at = self.reader.keyword_of(node, needless) if why.startswith(needless or " ") else node
            self.reader.mistake(at, "arguments that exclude each other", self.reader.written(node.func) + "(…)", why, instead,
                                other=node, doubted=asked and why.startswith(needless or " "))

    def do_utils_data_distributed_DistributedSampler(self, node, values, words):
        shuffle = words.get("shuffle", values[3] if len(values) > 3 else Text(True))
        sampler = Thing("sampler", line=node.lineno)
        if isinstance(shuffle, Text) and shuffle.value is True and not self.spread(node):
            sampler.state["shuffles"] = (node, self.reader.source)
        return sampler

    do_utils_data_DistributedSampler = do_utils_data_distributed_DistributedSampler

    def in_workers(self, node, dataset, collate, place, words):
        """Forked workers can't use CUDA, which their parent has begun."""
        count, context = words.get("num_workers"), text_of(words.get("multiprocessing_context"))
        default = count["default"] if isinstance(count, Thing) and count.kind == "number" else count
        said = words.nodes.get("multiprocessing_context", self.reader.keyword_of(node, "multiprocessing_context"))
        if isinstance(said, ast.IfExp) and getattr(said.body, "value", "") == "fork" and getattr(said.orelse, "value", "") is None:
            context = "fork"  # where there are workers, which only then take a context
        if not isinstance(default, Text) or type(default.value) is not int or default.value < 1:
            return
        if "multiprocessing_context" in words and context != "fork" or SPAWNS.search(self.reader.text):
            return
        if place and set(place.split("|")) - {"cpu"}:
            return self.reader.mistake(node, "a DataLoader whose workers use CUDA", self.reader.written(node),
                                       doubted="|" in place or context != "fork")
        get = dataset["class"].method("__getitem__") if isinstance(dataset, Thing) and dataset["class"] else None
        self.moves_seen, seen = [], None
        reader = self.reader
        before, reader.path = reader.path, ("p%d:" % node.lineno,)
        method = collate["class"].method("__call__") if isinstance(collate, Thing) and collate["class"] else None
        partial = collate if isinstance(collate, Thing) and collate.kind == "partial" and isinstance(collate["of"], Function) else None
        bound = collate if isinstance(collate, Bound) and isinstance(collate.value, Function) else None
        for function, given, named in ((get, [dataset], {}), (collate if isinstance(collate, Function) else None, [], {}), (
                method, [collate, None], {}), (bound and bound.value, [bound and bound.thing, None], {}), (
                    partial and partial["of"], list(partial["given"]) + [None] if partial else [], dict(partial["words"]) if partial else {})):
            if function:
                reader.follow(function, given, named, node)
        seen, self.moves_seen = self.moves_seen, None
        reader.path = before
        for at, source, where in seen[:1]:
            self.at((at, source), "a DataLoader whose workers use CUDA", reader.written(at),
                    doubted="|" in where or context != "fork" or default is not count)

    def do_utils_data_TensorDataset(self, node, values, words):
        """Its tensors lie where they lie: batches of a dataset on the GPU need no move."""
        places = {v["device"] if isinstance(v, Thing) and v.kind in ("tensor", "moved") else None for v in values}
        if any(place and place != "cpu" for place in places):
            self.reader.brings_batches = True  # in whatever parts it is split
        return Thing("dataset", unknown=places != {"cpu"}, place=places.pop() if len(places) == 1 else None,
                     numbers=[self.number_in_batch(one) for one in values])

    def do_utils_data_random_split(self, node, values, words):
        self.draws(node, self.default, words)
        of = values[0] if values else words.get("dataset")
        return Thing("sequence", item=of) if isinstance(of, Thing) and of.kind == "dataset" else None

    def do_utils_data_Subset(self, node, values, words):
        of = values[0] if values else words.get("dataset")
        return of if isinstance(of, Thing) and of.kind == "dataset" else None

    @staticmethod
    def surely(path):
        """The steps of an event's path without loops, which are meant to run."""
        return tuple(step for step in path.split("/") if step[-1:] != "l")

    def forked(self, node, words):
        """A forked process can't use CUDA, which its parent has begun."""
        function, reader = words.get("target"), self.reader
        path = reader.path
        begun = any(e["name"] in BEGIN_CUDA and e["subject"] == "script-call" and
                    (not e.get("path") or self.surely(e["path"]) == path[: len(self.surely(e["path"]))])
                    for e in reader.events)
        if not begun or not isinstance(function, Function) or SPAWNS.search(reader.text) or function.file:
            return
        before, seen = self.moves_seen, []
        self.moves_seen, reader.path = seen, ("p%d:" % node.lineno,)
        reader.follow(function, [Thing("number") for _ in function.node.args.args], {}, node, forced=True)
        self.moves_seen, reader.path = before, path
        if seen:
            says_fork = next((one for _, trees in reader.tracing.files for tree in trees for one in ast.walk(tree) if isinstance(
                one, ast.Call) and re.search(r"(set_start_method|get_context)\(.*['\"]fork['\"]", reader.written(one))), None)
            reader.mistake(node, "a forked process that uses CUDA", reader.written(node), other=says_fork or seen[0][0],
                           doubted="|" in seen[0][2])

    def do_multiprocessing_spawn(self, node, values, words):
        """Each process is given its number first, and args behind it."""
        function, reader = values[0] if values else words.get("fn"), self.reader
        if isinstance(function, Function) and not function.followed:
            before, reader.path = reader.path, ("p%d:" % node.lineno,)
            given = words.get("args", values[1] if len(values) > 1 else None)
            written = reader.keyword_of(node, "args") if "args" in words else node.args[1] if len(node.args) > 1 else None
            reader.follow(function, [Thing("number")] + reader.items_of(given, written), {}, node, forced=True)
            reader.path = before

    do_multiprocessing_start_processes = do_multiprocessing_spawn

    def no_such_method(self, node, thing, attribute):
        """Lists, loaders and optimizers can't be moved."""
        kind = "a list or tuple of Python's" if isinstance(thing, Many) else {
            "optimizer": "an optimizer", "loader": "a DataLoader", "mapping": "a dictionary", "scaler": "a GradScaler",
            "dataset": "a dataset", "ndarray": "an array of NumPy's"}.get(thing.kind)
        value = getattr(node.func, "value", None)
        if isinstance(thing, Many) and isinstance(value, ast.Name) and "isinstance(%s, " % value.id in self.reader.text:
            return  # the script asks what it is before it moves it
        if attribute in ("to", "cuda", "cpu") and kind:
            self.reader.mistake(node, "a move of what has no such method", self.reader.written(node), kind,
                                "Move each tensor in it, and take the result." if kind != "an optimizer" else
                                "Move the model, whose parameters it holds.")
        if attribute == "is_cuda" and isinstance(thing, Thing) and thing.kind == "tensor":
            self.reader.mistake(node, "an attribute that is called", self.reader.written(node))
