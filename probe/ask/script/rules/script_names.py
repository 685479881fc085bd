"""Names that a file uses and that none of its statements binds, in any scope; for the reader of scripts.

A cut-out leaves names to its reader, as `loader` in three lines of a README: there only names of packages are reported, and names
that nearly are those of an own function that nothing else calls. In a whole file each name is reported.
"""

# Names of packages that the attribute behind them gives away, and what binds them.
IMPORTS_OF_USUAL_NAMES = {
    "np": "import numpy as np", "pd": "import pandas as pd", "plt": "import matplotlib.pyplot as plt", "os": "import os", "sys": "import sys",
    "time": "import time", "math": "import math", "random": "import random", "json": "import json", "argparse": "import argparse",
    "torch": "import torch", "nn": "import torch.nn as nn", "F": "import torch.nn.functional as F", "optim": "import torch.optim as optim",
    "dist": "import torch.distributed as dist", "mp": "import torch.multiprocessing as mp", "torchvision": "import torchvision",
    "tf": "import tensorflow as tf", "tfds": "import tensorflow_datasets as tfds", "jax": "import jax", "jnp": "import jax.numpy as jnp",
    "cp": "import cupy as cp", "cv2": "import cv2", "logging": "import logging", "copy": "import copy", "glob": "import glob", "re": "import re",
    "shutil": "import shutil", "subprocess": "import subprocess", "threading": "import threading", "functools": "import functools",
    "itertools": "import itertools", "pickle": "import pickle", "csv": "import csv", "gc": "import gc", "warnings": "import warnings",
    "sns": "import seaborn as sns", "numpy": "import numpy", "timeit": "import timeit", "collections": "import collections",
    "multiprocessing": "import multiprocessing", "socket": "import socket", "traceback": "import traceback", "contextlib": "import contextlib"}
# What these names are asked for: an object of the same name is another thing.
ASKED_OF_USUAL_NAMES = {
    "time": "time sleep perf_counter monotonic strftime process_time time_ns perf_counter_ns ctime localtime",
    "random": "random seed randint choice shuffle sample uniform randrange gauss", "copy": "deepcopy copy", "glob": "glob iglob",
    "optim": "SGD Adam AdamW RMSprop lr_scheduler Adagrad LBFGS", "json": "load loads dump dumps", "F": "relu softmax cross_entropy mse_loss "
    "interpolate pad log_softmax nll_loss one_hot normalize dropout max_pool2d binary_cross_entropy_with_logits sigmoid binary_cross_entropy",
    "dist": "init_process_group get_rank get_world_size all_reduce barrier destroy_process_group is_initialized broadcast all_gather ReduceOp",
    "mp": "spawn Process Queue Pool set_start_method", "nn": "Module Linear Sequential CrossEntropyLoss Conv2d ReLU MSELoss functional "
    "Parameter ModuleList DataParallel BCEWithLogitsLoss BCELoss Embedding Dropout utils init parallel", "cp": "array asarray zeros ones cuda asnumpy",
    "logging": "info basicConfig getLogger warning INFO error debug", "gc": "collect", "re": "match search sub findall compile split fullmatch",
    "warnings": "warn filterwarnings simplefilter", "socket": "socket gethostname", "csv": "reader writer DictReader DictWriter",
    "pickle": "load dump loads dumps", "sys": "argv path exit stdout stderr version platform executable maxsize stdin",
    "math": "sqrt ceil floor log exp pi cos sin pow prod inf isnan log2 log10"}
CUDA_OF = {"pycuda": ("import pycuda.driver as cuda", "Event In Out InOut mem_alloc memcpy_htod memcpy_dtoh Context Device Stream init "
                      "memcpy_htod_async memcpy_dtoh_async pagelocked_empty to_device from_device"),
           "numba": ("from numba import cuda", "jit grid to_device threadIdx blockIdx blockDim synchronize shared device_array event "
                     "select_device gpus stream atomic syncthreads is_available get_current_device")}
# Names that are called and that one library alone is usually asked for, and what binds them.
IMPORTS_OF_CALLED_NAMES = {
    "LabelEncoder": "sklearn.preprocessing", "StandardScaler": "sklearn.preprocessing", "MinMaxScaler": "sklearn.preprocessing",
    "OneHotEncoder": "sklearn.preprocessing", "LabelBinarizer": "sklearn.preprocessing", "train_test_split": "sklearn.model_selection",
    "StratifiedKFold": "sklearn.model_selection", "classification_report": "sklearn.metrics", "confusion_matrix": "sklearn.metrics",
    "accuracy_score": "sklearn.metrics", "f1_score": "sklearn.metrics", "roc_auc_score": "sklearn.metrics",
    "to_categorical": "keras.utils", "load_model": "keras.models", "ImageDataGenerator": "tensorflow.keras.preprocessing.image",
    "EarlyStopping": "keras.callbacks", "ModelCheckpoint": "keras.callbacks", "ReduceLROnPlateau": "keras.callbacks",
    "DataLoader": "torch.utils.data", "TensorDataset": "torch.utils.data", "DistributedSampler": "torch.utils.data.distributed",
    "DistributedDataParallel": "torch.nn.parallel", "AutoTokenizer": "transformers", "AutoModelForCausalLM": "transformers",
    "defaultdict": "collections", "OrderedDict": "collections", "deepcopy": "copy", "partial": "functools", "tqdm": "tqdm"}
LIBRARIES_OF_KERAS = ("tensorflow", "keras", "tf_keras")
# What Python of any release, IPython, profilers and services that run a file bind beforehand.
BOUND_BEFOREHAND = frozenset(dir(builtins)) | frozenset((
    "unicode xrange raw_input basestring long unichr reduce file cmp execfile reload apply buffer intern coerce exit quit copyright credits "
    "license WindowsError aiter anext encodings ExceptionGroup BaseExceptionGroup EncodingWarning PythonFinalizationError display "
    "get_ipython In Out profile spark sc sqlContext sqlc dbutils displayHTML table snakemake get_config reveal_type reveal_locals ic "
    "bpy mlflow_run_id input_line_number builtins __builtin__").split())
BINDS_UNREAD = re.compile(r"(?<![.\w])(globals|exec|eval|locals|vars|builtins|__builtins__|__builtin__|execfile|setattr\(sys)\b|"
                          r"__dict__|import \*|sys\.modules|FIXME|fill in|Fill in")
MAGIC_THAT_BINDS = re.compile(r"(?m)(?:^|\"|\\n)\s*%{1,2}(run|load|loadpy|pylab|store|macro|cython\w*|sql|R|rpull|bigquery|capture +\w|recall|rerun|edit|"
                              r"fortran|spark|script\b.*--out|px|ai|julia|octave)\b")
LEFT_TO_FILL = re.compile(r"_+\d*$|_i+\d*$|__\w+__$|(FIX_?ME|TODO|X+|YOUR\w*|FILL\w*|REPLACE\w*|PLACEHOLDER|INSERT\w*)$", re.I)
ENDS_BLOCK = (ast.Return, ast.Raise, ast.Continue, ast.Break)
LINES_OF_A_WHOLE = 40
MOST_UNBOUND = 3  # of a file that was cut out of a larger one there are more
ANNOTATIONS = ("annotation", "returns")


class NeverBound(WholeFile):
    def look(self, nodes):
        reader = self.reader
        trees = [one for one in nodes if isinstance(one, ast.Module)]
        if reader.other_form or reader.source or not reader.is_read_whole or not any(
                isinstance(one, (ast.Import, ast.ImportFrom)) for tree in trees for one in tree.body) or BINDS_UNREAD.search(
                    reader.text) or MAGIC_THAT_BINDS.search(reader.text):
            return
        bound, uses = self.names_of(trees)
        if any(one.id == "NameError" for one in uses):
            return
        free = {}
        for one in uses:
            if one.id not in bound and one.id not in BOUND_BEFOREHAND and not LEFT_TO_FILL.match(one.id):
                free.setdefault(one.id, []).append(one)
        if not free:
            return
        whole = self.is_whole(trees)
        # Imports that are forgotten don't tell that a file was cut out of a larger one.
        forgotten = {name: self.import_of_called(name, loads) for name, loads in free.items() if whole}
        own = [name for name, loads in free.items() if not forgotten.get(name) and not self.import_of(name, loads)]
        whole = whole and len(own) <= MOST_UNBOUND
        for name, loads in free.items():
            loads = [one for one in loads if self.is_run(one)]
            if not loads:
                continue
            first = min(loads, key=lambda one: (getattr(one, "cell", None) or 0, one.lineno, one.col_offset))
            brings = self.import_of(name, loads) or whole and forgotten.get(name)
            near = self.meant_by(name, trees)
            if brings:
                reader.reported_unbound.add(name)
                reader.mistake(first, "a name that nothing binds", name, brings)
            elif whole or near and self.is_called(first):
                reader.mistake(first, "a name of the file's own that nothing binds", name, "Write %s, if that is meant." % near if near else
                               "Bind it first, or write the name that is meant.")

    def names_of(self, trees):
        """What any statement binds, in whatever scope, and where names are read but for annotations."""
        bound, uses, waiting = {OWN_OS}, [], list(trees)
        for said in re.findall(r"(?m)^([\w, ]+?) *= *[!%]", self.reader.text):  # files = !ls, which is no Python
            bound.update(re.findall(r"\w+", said))
        while waiting:
            one = waiting.pop()
            bound.update(names_bound_by(one))
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                uses.append(one)
            elif isinstance(one, (ast.Global, ast.Nonlocal)):
                bound.update(one.names)
            elif isinstance(getattr(one, "rest", None), str):  # of a pattern
                bound.add(one.rest)
            for field, value in ast.iter_fields(one):
                if field not in ANNOTATIONS:
                    waiting += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST)]
        return bound, uses

    def is_whole(self, trees):
        """Whether a file is more than a few lines to show something."""
        lines = {(number, one.lineno) for number, tree in enumerate(trees) for one in ast.walk(tree) if isinstance(one, (ast.stmt, ast.expr))}
        return len(lines) >= LINES_OF_A_WHOLE or re.search(r"(?m)^if __name__ ?==|\bparse_args\(", self.reader.text) is not None

    def is_run(self, node):
        """Whether Python comes to a node as far as one can see, and nothing there awaits that it fails."""
        inner = node
        for one in self.origins.around(node):
            if isinstance(one, ast.Try) and inner in one.body and one.handlers:
                return False
            if isinstance(one, (ast.If, ast.IfExp)):
                held = self.origins.constant(one.test)
                body, other = (one.body, one.orelse) if isinstance(one, ast.If) else ([one.body], [one.orelse])
                if isinstance(held, (bool, int, str)) and inner in (other if held else body) or "TYPE_CHECKING" in self.written(one.test):
                    return False
            if isinstance(one, ast.While) and inner in one.body and self.origins.constant(one.test) in (False, 0):
                return False
            for field in ("body", "orelse", "finalbody"):
                block = getattr(one, field, None)
                if isinstance(block, list) and inner in block and any(isinstance(before, ENDS_BLOCK) or re.match(
                        r"(sys\.exit|exit|quit|os\._exit)\(", self.written(before)) for before in block[:block.index(inner)]):
                    return False
            inner = one
        return True

    def import_of(self, name, loads):
        """The import that a name of a package lacks, by what it is asked for."""
        asked = {parent.attr for parent in (self.origins.parents.get(id(one)) for one in loads) if isinstance(parent, ast.Attribute)}
        if name == "cuda":
            roots = {full.split(".")[0] for full in self.tracing.names.values()}
            fits = [brings for package, (brings, known) in CUDA_OF.items() if package in roots and asked & set(known.split())]
            return fits[0] if len(fits) == 1 else None
        known = ASKED_OF_USUAL_NAMES.get(name)
        return IMPORTS_OF_USUAL_NAMES.get(name) if asked and (known is None or asked & set(known.split())) else None

    def import_of_called(self, name, loads):
        """The import that a well-known class or function lacks, in a file that uses its library."""
        of = IMPORTS_OF_CALLED_NAMES.get(name, "")
        roots = {full.split(".")[0] for full in self.tracing.names.values()}
        if of.startswith("keras.") and "keras" not in roots and "tensorflow" in roots:
            of = "tensorflow." + of
        library = of.split(".")[0]
        fits = library in ("collections", "copy", "functools", "sklearn", "tqdm") or library in roots or library in LIBRARIES_OF_KERAS and roots & set(
            LIBRARIES_OF_KERAS)
        return "from %s import %s" % (of, name) if of and fits and all(map(self.is_called, loads)) else None

    def meant_by(self, name, trees):
        """A function or class of the file that nothing names, and of which this is nearly the name."""
        read = {one.id for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        own = [one.name for tree in trees for one in tree.body if isinstance(one, (ast.FunctionDef, ast.ClassDef)) and one.name not in read]
        words = set(name.lower().split("_"))
        near = [one for one in own if len(name) > 4 and (difflib.SequenceMatcher(None, one.lower(), name.lower()).ratio() >= 0.86 or words < set(
            one.lower().split("_")) and one.lower().endswith(name.lower()))]
        return near[0] if len(near) == 1 else None

    def is_called(self, node):
        """name(…), and name[blocks, threads](…), as kernels are launched."""
        parent = self.origins.parents.get(id(node))
        if isinstance(parent, ast.Subscript) and parent.value is node:
            node, parent = parent, self.origins.parents.get(id(parent))
        return isinstance(parent, ast.Call) and parent.func is node


class HandlersOfImports(WholeFile):
    """try: import pynvml … except (ImportError, pynvml.NVMLError): without the package the handler itself raises NameError."""

    def look(self, nodes):
        if self.reader.other_form:
            return
        for one in nodes:
            if isinstance(one, ast.Try):
                for handler, name in self.raising(one):
                    if not self.is_bound_elsewhere(name, one, nodes):
                        self.mistake_of(handler, name)

    def mistake_of(self, handler, name):
        self.reader.mistake(handler, "a handler that needs what failed", self.written(handler.type), name)

    def raising(self, one):
        made = {(alias.asname or alias.name).split(".")[0] for statement in one.body if isinstance(
            statement, (ast.Import, ast.ImportFrom)) for alias in statement.names}
        said = [self.written(handler.type) if handler.type else "Exception" for handler in one.handlers]
        if not any(re.search(r"\b(ImportError|ModuleNotFoundError)\b", text) for text in said):
            return
        for handler, text in zip(one.handlers, said):
            named = {inner.id for inner in ast.walk(handler.type) if isinstance(inner, ast.Name)} & made if handler.type else ()
            if named:
                yield handler, min(named)
                return
            if re.search(r"\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b", text):
                return

    def is_bound_elsewhere(self, name, tried, nodes):
        inside = {id(inner) for part in tried.body + tried.handlers for inner in ast.walk(part)}
        return self.says(r"import \*") or any(id(one) not in inside and name in names_bound_by(one) for one in nodes)
