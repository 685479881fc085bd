"""What scripts ask of well-known data and libraries of data that these don't have, and names that are bound twice; for the reader of scripts."""

# The keys of a sample of TensorFlow Datasets.
KEYS_OF_TFDS = {"mnist": "image label", "binarized_mnist": "image", "fashion_mnist": "image label", "kmnist": "image label", "emnist": "image label",
                "cifar10": "id image label", "cifar100": "id image label coarse_label", "imdb_reviews": "text label", "ag_news_subset": "title description label",
                "cats_vs_dogs": "image image/filename label", "rock_paper_scissors": "image label", "horses_or_humans": "image label", "tf_flowers": "image label",
                "beans": "image label", "svhn_cropped": "image label", "celeb_a": "attributes image landmarks", "oxford_flowers102": "file_name image label"}
NAMES_OF_EXAMPLES = re.compile(r"(?i)^(batch|sample|example|element|data|x|row|item)$")
# They changed a dataset of Hugging Face's in place until datasets 2.0.
IN_PLACE_OF_DATASETS = ("rename_column_", "remove_columns_", "dictionary_encode_column_")
PIXELS_OF_TORCHVISION = re.compile(r"torchvision\.datasets\.(\w+\.)?(MNIST|FashionMNIST|KMNIST|EMNIST|QMNIST|CIFAR10|CIFAR100|SVHN|STL10)$")
MAKES_SIGNED_BYTES = ("torch.tensor", "torch.as_tensor", "numpy.array", "numpy.asarray", "tensorflow.cast", "tensorflow.constant", "jax.numpy.array", "jax.numpy.asarray")
SIGNED_BYTES = re.compile(r"(?:(?:torch|numpy|tensorflow|jax\.numpy)\.)?int8$")
BOUND_TO_BE_READ = re.compile(r"(?i)^[xy]_|_[xy]$|train|test|val|label|target|image")


class NamedData(TablesOfData):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        self.bound_twice()
        if "tensorflow_datasets" in roots:
            self.keys_of_samples()
        if "datasets" in roots:
            self.changed_in_place()
        if self.says(r"int8|\.char\(\)"):
            self.pixels_in_signed_bytes()

    def bound_twice(self):
        """(x_train, y_train), (x_test, y_train) = mnist.load_data()"""
        for one in self.nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else getattr(one, "target", None) if isinstance(one, ast.For) else None
            names = [part.id for part in ast.walk(target) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)] if isinstance(
                target, (ast.Tuple, ast.List)) else []
            twice = next((name for name in names if names.count(name) > 1 and BOUND_TO_BE_READ.search(name) and not name.startswith("_")), None)
            if twice is not None:
                self.mistake(one if isinstance(one, ast.Assign) else target, "a name that is bound twice at once", twice, doubted=False)

    def keys_of_samples(self):
        """data = tfds.load("binarized_mnist"); …; batch["label"]"""
        loads = [call for call in self.calls if self.full(call.func) in ("tensorflow_datasets.load", "tensorflow_datasets.builder")]
        names = {self.said(self.given(call, 0, "name")) for call in loads}
        names = {name.split(":")[0].split("/")[0] if isinstance(name, str) else None for name in names}
        if len(names) != 1 or not names <= set(KEYS_OF_TFDS) or self.says(r"\.map\(|\.zip\(|enumerate\(|as_supervised *=") or any(
                call for call in self.calls if is_call(call, "update") and call.keywords):
            return
        keys = KEYS_OF_TFDS[min(names)].split()
        stored = {self.said(one.slice) for one in self.nodes if isinstance(one, ast.Subscript) and not isinstance(one.ctx, ast.Load)}
        stored |= {self.said(key) for one in self.nodes if isinstance(one, ast.Dict) for key in one.keys if key is not None}
        for one in self.nodes:
            said = self.said(one.slice) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and isinstance(one.value, ast.Name) else None
            if isinstance(said, str) and NAMES_OF_EXAMPLES.match(one.value.id) and said not in keys and said not in stored:
                self.mistake(one, "a key that samples lack", min(names), " and ".join(keys), said, other=loads[0])
                return

    def changed_in_place(self):
        """data.rename_column_("label", "labels")"""
        for call in self.calls:
            name = getattr(call.func, "attr", "")
            if name in IN_PLACE_OF_DATASETS and not any(isinstance(one, ast.Try) for one in self.origins.around(call)):
                self.mistake(call, "a dataset that is changed in place", name, "%s = %s.%s(…)" % (
                    self.written(call.func.value), self.written(call.func.value), name.rstrip("_")), doubted=False)

    def pixels_in_signed_bytes(self):
        """torch.tensor(MNIST(root).data, dtype=torch.int8), and cv2.imread(path).astype(np.int8)"""
        for call in self.calls:
            name = getattr(call.func, "attr", "")
            if self.full(call.func) in MAKES_SIGNED_BYTES and call.args:
                of, kind = call.args[0], self.given(call, 1, "dtype")
            elif name in ("astype", "to", "char", "view") and not self.full(call.func) and name != "view":
                of, kind = call.func.value, call.args[0] if call.args else self.word(call, "dtype")
            else:
                continue
            small = name == "char" or kind is not None and (self.said(kind) == "int8" or SIGNED_BYTES.match(self.full(kind) or self.written(kind)) is not None)
            if small and (self.is_image(of) or self.is_pixels(of)):
                self.mistake(call, "pixels in signed bytes", self.written(of))

    def is_pixels(self, node):
        """MNIST(root).data, train_set.data[:100]"""
        while isinstance(node, ast.Subscript):
            node = node.value
        made = self.value_of(node.value) if isinstance(node, ast.Attribute) and node.attr == "data" else None
        return isinstance(made, ast.Call) and PIXELS_OF_TORCHVISION.match(self.full(made.func)) is not None
