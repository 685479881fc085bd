"""Names that a file uses and that none of its statements binds, in any scope; for the reader of scripts.

A cut-out leaves names to its reader, as `loader` in three lines of a README, and stops at them all the same: there they are doubted, and
those of one line share a finding. In a whole file each name is reported for itself.
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
IMPORTS_OF_CALLED_NAMES = {name: module for module, names in (
    ("sklearn.preprocessing", "LabelEncoder StandardScaler MinMaxScaler OneHotEncoder LabelBinarizer RobustScaler"),
    ("sklearn.model_selection", "train_test_split StratifiedKFold KFold GridSearchCV cross_val_score StratifiedShuffleSplit"),
    ("sklearn.metrics", "accuracy_score confusion_matrix classification_report f1_score roc_auc_score roc_curve precision_score recall_score "
     "mean_squared_error mean_absolute_error r2_score average_precision_score"),
    ("keras.utils", "to_categorical"), ("keras.models", "load_model model_from_json Sequential"),
    ("keras.optimizers", "Adam SGD RMSprop Adagrad Adadelta Adamax Nadam"),
    ("keras.layers", "Dense Conv1D Conv2D Conv3D Conv2DTranspose Flatten Dropout LSTM GRU Bidirectional MaxPooling1D MaxPooling2D AveragePooling2D "
     "GlobalAveragePooling2D GlobalMaxPooling2D BatchNormalization TimeDistributed UpSampling2D ZeroPadding2D LeakyReLU"),
    ("keras.callbacks", "ModelCheckpoint EarlyStopping ReduceLROnPlateau"), ("tensorflow.keras.preprocessing.image", "ImageDataGenerator"),
    ("torch.utils.data", "DataLoader TensorDataset random_split SubsetRandomSampler WeightedRandomSampler RandomSampler SequentialSampler "
     "BatchSampler ConcatDataset"), ("torch.utils.data.distributed", "DistributedSampler"),
    ("torch.nn.parallel", "DistributedDataParallel"), ("torch.utils.tensorboard", "SummaryWriter"), ("torch.autograd", "Variable"),
    ("transformers", "AutoTokenizer AutoModelForCausalLM"), ("tqdm", "tqdm trange"), ("collections", "defaultdict OrderedDict namedtuple"),
    ("copy", "deepcopy"), ("functools", "partial"), ("pathlib", "Path")) for name in names.split()}
LIBRARIES_OF_KERAS = ("tensorflow", "keras", "tf_keras")
# What Python of any release, IPython, profilers and services that run a file bind beforehand.
BOUND_BEFOREHAND = frozenset(dir(builtins)) | frozenset((
    "unicode xrange raw_input basestring long unichr reduce file cmp execfile reload apply buffer intern coerce exit quit copyright credits "
    "license WindowsError aiter anext encodings ExceptionGroup BaseExceptionGroup EncodingWarning PythonFinalizationError display "
    "get_ipython In Out profile spark sc sqlContext sqlc dbutils displayHTML table snakemake get_config reveal_type reveal_locals ic "
    "bpy mlflow_run_id input_line_number builtins __builtin__").split())
BINDS_UNREAD = re.compile(r"(?<![.\w])((globals|exec|locals|execfile) *\(|vars\(\)|(builtins|__builtins__|__builtin__|setattr\(sys)\b)|"
                          r"from (?!(?:os\.path|math|random|itertools|typing) )[\w.]+ +import +\*|sys\.modules|FIXME|fill in|Fill in")
# Of Python 2, and what Python 3 has in their places.
GONE_WITH_PYTHON_2 = {"raw_input": "input", "xrange": "range", "unicode": "str", "basestring": "str", "unichr": "chr", "long": "int",
                      "reduce": "functools.reduce", "execfile": "exec", "reload": "importlib.reload"}
KNOWS_PYTHON_2 = r"version_info|\bPY_?[23]\b|\bsix\b|NameError|\bpast\b|python_version|hexversion|sys\.version|python2"
MAGIC_THAT_BINDS = re.compile(r"(?m)(?:^|\"|\\n)\s*%{1,2}(run|load|loadpy|pylab|store|macro|cython\w*|sql|R|rpull|bigquery|capture +\w|recall|rerun|edit|"
                              r"fortran|spark|script\b.*--out|px|ai|julia|octave)\b")
LEFT_TO_FILL = re.compile(r"_+\d*$|_i+\d*$|__\w+__$|(FIX_?ME|TODO|XX+|(?-i:X)|YOUR\w*|FILL\w*|REPLACE\w*|PLACEHOLDER|INSERT\w*)$", re.I)
ENDS_BLOCK = (ast.Return, ast.Raise, ast.Continue, ast.Break)
LINES_OF_A_WHOLE = 40
MOST_UNBOUND = 3  # of a file that was cut out of a larger one there are more
MOST_LINES_OF_A_CUT_OUT = 10
ANNOTATIONS = ("annotation", "returns")
PART_OF_THE_DATA = re.compile(r"[xy]_?(train|test|val|valid|dev)$", re.I)  # which are bound, or forgotten, together


class NeverBound(WholeFile):
    def look(self, nodes):
        reader = self.reader
        trees = [one for one in nodes if isinstance(one, ast.Module)]
        imports = any(isinstance(one, (ast.Import, ast.ImportFrom)) for tree in trees for one in tree.body)
        if reader.other_form or reader.source or not imports and (not self.tracing.names or any(isinstance(
                one, (ast.Import, ast.ImportFrom)) for one in nodes)) or BINDS_UNREAD.search(reader.text) or MAGIC_THAT_BINDS.search(reader.text):
            return
        bound, uses = self.names_of(trees)
        if any(one.id == "NameError" for one in uses):
            return
        self.names_of_python_2(bound, uses)
        free = {}
        for one in uses:
            if one.id not in bound and one.id not in BOUND_BEFOREHAND and not LEFT_TO_FILL.match(one.id) and self.is_run(one):
                free.setdefault(one.id, []).append(one)
        # Imports that are forgotten don't tell that a file was cut out of a larger one.
        forgotten = {name: self.import_of(name, loads) or self.import_of_called(name, loads) for name, loads in free.items()}
        own = [name for name in free if not forgotten[name]]
        # Without any import, the head of the file is missing: nothing of it is a slip.
        whole = imports and self.is_whole(trees) and len({"data" if PART_OF_THE_DATA.match(name) else name for name in own}) <= MOST_UNBOUND
        together = {}
        for name, loads in free.items():
            first = min(loads, key=lambda one: (getattr(one, "cell", None) or 0, one.lineno, one.col_offset))
            near = self.meant_by(name, trees)
            if forgotten[name] and imports:
                reader.reported_unbound.add(name)
                reader.mistake(first, "a name that nothing binds", name, forgotten[name])
            elif whole or near and self.is_called(first):
                reader.mistake(first, "a name of the file's own that nothing binds", name, "Write %s, if that is meant." % near if near else
                               "Bind it first, or write the name that is meant.")
            else:
                together.setdefault((getattr(first, "cell", None) or 0, first.lineno), []).append(first)
        if reader.lost:
            return  # what binds them may have stood in lines that are no Python
        for _, loads in sorted(together.items())[:MOST_LINES_OF_A_CUT_OUT]:
            names = [one.id for one in sorted(loads, key=lambda one: one.col_offset)]
            reader.mistake(loads[0], "names that a cut-out never binds", " and ".join(filter(None, [", ".join(
                names[:-1]), names[-1]])), "Bind %s first: lines are missing here." % ("them" if names[1:] else "it"), doubted=True)

    def names_of_python_2(self, bound, uses):
        """raw_input(), in a file that Python 3 can read and that doesn't ask which Python it is."""
        told, found = set(), [one for one in uses if one.id in GONE_WITH_PYTHON_2]
        if not found or self.says(KNOWS_PYTHON_2):
            return
        for one in sorted(found, key=lambda one: (getattr(one, "cell", None) or 0, one.lineno, one.col_offset)):
            if one.id not in bound | told and self.is_called(one) and self.is_run(one):
                told.add(one.id)
                self.reader.mistake(one, "a name of Python 2", one.id, GONE_WITH_PYTHON_2[one.id], doubted=True)

    def names_of(self, trees):
        """What any statement binds, in whatever scope, and where names are read but for annotations."""
        bound, uses, waiting = {OWN_OS} | self.reader.lost, [], list(trees)
        for said in re.findall(r"(?m)^([\w, ]+?) *= *[!%]", self.reader.text):  # files = !ls, which is no Python
            bound.update(re.findall(r"\w+", said))
        while waiting:
            one = waiting.pop()
            bound.update(names_bound_by(one))
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                uses.append(one)
            elif isinstance(one, (ast.Global, ast.Nonlocal)):
                bound.update(one.names)
            elif isinstance(one, ast.ImportFrom) and one.names[0].name == "*":  # of Python's own, whose names are known
                bound.update(dir(__import__(one.module, fromlist=["*"])))
            elif isinstance(getattr(one, "rest", None), str):  # of a pattern
                bound.add(one.rest)
            for field, value in ast.iter_fields(one):
                if field not in ANNOTATIONS:
                    waiting += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST)]
        return bound, uses

    def is_whole(self, trees):
        """Whether a file is more than a few lines to show something; a notebook that trains is one."""
        if len(trees) > 1 and self.says(r"\.(fit|backward|compile|train|step)\("):
            return True
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
        fits = library in ("collections", "copy", "functools", "pathlib", "sklearn", "tqdm") or library in roots or library in LIBRARIES_OF_KERAS and roots & set(
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


class BoundInAnotherScope(NeverBound):
    """def train(data): words = …; and def test(data): run(words): what one function binds, another doesn't see."""

    def look(self, nodes):
        trees = [one for one in nodes if isinstance(one, ast.Module)]
        text = next((one.text for one in trees if getattr(one, "text", None)), None) or self.reader.text
        if self.reader.other_form or self.reader.source or len(trees) != 1 or BINDS_UNREAD.search(
                text) or MAGIC_THAT_BINDS.search(text) or re.search(r"\bimport \*|(?<![.\w])(exec|globals|locals)\(|builtins|NameError", text):
            return
        try:
            import symtable
            top = symtable.symtable(text, "script", "exec")
        except (ImportError, SyntaxError, ValueError, RecursionError):
            return
        tables = self.tables_of(top)
        bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported() or one.is_namespace()} | set(BOUND_BEFOREHAND)
        bound |= {one.get_name() for of in tables for one in of.get_symbols() if one.is_declared_global() and one.is_assigned()} | self.reader.lost
        inner = {one.get_name(): of.get_name() for of in tables for one in of.get_symbols() if one.is_local() or one.is_parameter()}
        for of in ([top] if self.is_whole(trees) else []) + tables:  # a few lines to show something leave their data out
            for one in of.get_symbols():
                name = one.get_name()
                if name in inner and name not in bound and one.is_referenced() and (of is top or one.is_global()):
                    self.tell(name, inner[name], of, nodes)

    @staticmethod
    def tables_of(top):
        waiting = list(top.get_children())
        for of in waiting:
            waiting += of.get_children()
        return waiting

    def tell(self, name, holder, of, nodes):
        reads = [one for one in nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) and one.lineno >= of.get_lineno()]
        own = [one for one in reads if getattr(self.origins.scope(one), "name", "top") == of.get_name()] or reads
        first = min(own, key=lambda one: (one.lineno, one.col_offset), default=None)
        if first is not None and self.is_run(first) and not self.is_reported(first):
            self.reader.mistake(first, "a name that another scope binds", name, holder)


class GlobalsOfNobody(NeverBound):
    """def test(): global best; if acc > best: best = acc, where main() binds a best of its own and the file binds none."""

    def look(self, nodes):
        functions = [one for one in nodes if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
        said = {id(of): {name for one in own_nodes(of) if isinstance(one, ast.Global) for name in one.names} for of in functions}
        names = set().union(*said.values()) if said else set()
        if not names or self.reader.other_form or self.reader.source or re.search(
                r"(?<![.\w])(exec|globals|vars|locals)\(|builtins|NameError|__dict__", self.reader.text) or sum(isinstance(one, ast.Module) for one in nodes) > 1:
            return
        for of in nodes:
            if isinstance(of, ast.Module):
                names -= {name for one in own_nodes(of) for name in names_bound_by(one)} | {name for one in ast.walk(of) if isinstance(
                    one, ast.Global) and self.origins.scope(one) is None for name in one.names}
        for name in names - set(BOUND_BEFOREHAND) - self.reader.lost:
            binders = [of for of in functions if name in said[id(of)] and any(name in names_bound_by(one) for one in own_nodes(of))]
            holder = next((of for of in functions if name not in said[id(of)] and any(name in names_bound_by(one) for one in own_nodes(of) if not isinstance(
                one, ast.arg))), None)
            reads = [self.read_first(of, name) for of in functions if name in said[id(of)]]
            if holder is not None and binders and all(self.read_first(of, name) for of in binders) and any(reads):
                first = min((one for one in reads if one), key=lambda one: (one.lineno, one.col_offset))
                if self.is_run(first) and not self.is_reported(first):
                    self.reader.mistake(first, "a name that another scope binds", name, holder.name)

    def read_first(self, of, name):
        """Where a function reads a name in any case, before it binds it itself; None: it may bind it first, or not read it."""
        for statement in of.body:
            read = next((one for one in BoundInOneBranch(self.reader, self.tracing).read_in(statement) if one.id == name), None)
            read = read or (next((one for one in ast.walk(statement.target) if getattr(one, "id", "") == name), None) if isinstance(statement, ast.AugAssign) else None)
            if read is not None:
                return read
            if any(name in names_bound_by(one) or isinstance(one, ENDS_BLOCK) for one in ast.walk(statement)):
                return None
        return None


TELLS_OF_THE_MACHINE = re.compile(r"cuda\.is_available\(\)|mps\.is_available\(\)|is_gpu_available\(|device_count\(\) *(>|!=) *\d|"
                              r"list_(physical|logical)_devices\(['\"]GPU|\bis_(local_)?main_process\b|\bis_global_zero\b")


class BoundInOneBranch(WholeFile):
    """if torch.cuda.is_available(): batch = batch.cuda(), other = batch; and other read behind it on any machine."""

    def look(self, nodes):
        if self.reader.other_form or self.reader.source or BINDS_UNREAD.search(self.reader.text) or re.search(
                r"(raise|exit\(|assert)[^\n]*(?i:gpu|cuda)|NameError|UnboundLocalError", self.reader.text):
            return
        for of in [one for one in nodes if isinstance(one, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef))]:
            self.look_in(of, nodes)

    def look_in(self, of, nodes):
        own, reported = own_nodes(of), set()
        shared = {name for one in own if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        if isinstance(of, ast.Module):  # a function may bind its names, and another cell of a notebook
            inside = {id(one) for one in own}
            shared |= {name for one in nodes if id(one) not in inside for name in names_bound_by(one)} | set(BOUND_BEFOREHAND)
        else:
            shared |= {one.arg for one in ast.walk(of.args) if isinstance(one, ast.arg)}
        for one in own:
            if not isinstance(one, ast.If) or self.is_elif(one):
                continue
            if self.asks_for_devices(one.test) and self.may_bind_nothing(one):
                self.look_behind(one, of, own, shared, reported, "a name that one branch alone binds")
            elif self.only_reports(one.orelse) and not self.ends(one.body):
                self.look_behind(one, of, own, shared, reported, "a name that one branch forgets")
            if self.asks_for_files(one.test):
                self.bound_by_a_file(one, of, own, shared | reported)

    def asks_for_files(self, test):
        """os.path.exists(path): whether a file is there by now, which differs from run to run."""
        of = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
        return isinstance(of, ast.Call) and re.search(r"path\.(exists|isfile|isdir)\(|\.(exists|is_file|is_dir)\(\)$", self.written(of)) is not None

    def bound_by_a_file(self, branch, of, own, shared):
        """if os.path.exists(weights): load it, else: first = "new.pt"; …; if rank == 0: os.remove(first)"""
        sides = [{name for part in block for one in ast.walk(part) for name in names_bound_by(one)} for block in (branch.body, branch.orelse)]
        within = {id(one) for one in ast.walk(branch)}
        before = {name for one in own if id(one) not in within and self.starts(one) < (branch.lineno, branch.col_offset) for name in names_bound_by(one)}
        if not branch.orelse or self.ends(branch.body) or self.ends(branch.orelse) or isinstance(branch.orelse[0], ast.If) or any(
                isinstance(one, (ast.For, ast.While, ast.Try)) for one in self.origins.around(branch) if self.origins.scope(one) is self.origins.scope(branch)):
            return
        names, related = (sides[0] ^ sides[1]) - before - shared, sides[0] | sides[1] | {one.id for one in ast.walk(branch.test) if isinstance(one, ast.Name)}
        block = self.origins.block_of(branch)
        for part in block[block.index(branch) + 1:] if names else ():
            for read in self.read_behind(part, related - names):
                if read.id in names and not any(isinstance(one, ast.Try) for one in self.origins.around(read)):
                    there = "" if read.id in sides[0] else "not "
                    return self.reader.mistake(read, "a name that one branch alone binds", read.id, there + self.written(branch.test),
                                               "NameError" if isinstance(of, ast.Module) else "UnboundLocalError", other=branch, doubted=True)
            names -= {name for one in ast.walk(part) for name in names_bound_by(one)}
            if isinstance(part, ast.If) and self.ends(part.body):
                return None
        return None

    def read_behind(self, part, related):
        """The names that a statement reads in any case, or under conditions that have nothing to do with what was asked before."""
        found = self.read_in(part)
        if isinstance(part, ast.If) and not {one.id for one in ast.walk(part.test) if isinstance(one, ast.Name)} & related and not self.asks_for_files(part.test):
            bound = set()
            for statement in part.body:
                found += [one for one in self.read_behind(statement, related) if one.id not in bound]
                bound |= {name for one in ast.walk(statement) for name in names_bound_by(one)}
        return found

    def only_reports(self, block):
        """Whether an else branch surely goes on: it prints, logs, calls methods and assigns."""
        return bool(block) and not self.ends(block) and all(
            isinstance(one, (ast.Assign, ast.AugAssign)) or isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and (
                re.match(r"print\(|(\w+\.)*(log(ger|ging)?|warnings?)\.(?!critical|fatal|exception)\w+\(", self.written(one.value)) or isinstance(
                    one.value.func, ast.Attribute) and not re.search(r"(?i)usage|help|fail|error|exit|critical|fatal|abort|exception", one.value.func.attr))
            for one in block)

    def asks_for_devices(self, test):
        """Whether a condition says whether there is a GPU, or which of several processes this is."""
        if any(isinstance(one, ast.Or) or isinstance(one, ast.Constant) and isinstance(one.value, str) and not re.match(
                r"GPU", one.value) for one in ast.walk(test)):
            return False
        said = self.written(test)
        if re.match(r"(not )?[\w.]*rank\w*(\(\))?( *[!=]= *0)?$", said):
            asked = next((one for one in ast.walk(test) if isinstance(one, (ast.Name, ast.Attribute, ast.Call))), None)
            known = [asked] if isinstance(asked, ast.Call) else self.origins.known(asked)
            return bool(known) and all(re.search(r"get_(global_)?rank\(\)$|environ\b[^\n]*RANK['\"]\]", self.written(one)) for one in known)
        known = [test] + [value for name in ast.walk(test) if isinstance(name, (ast.Name, ast.Attribute)) for value in self.origins.known(name)]
        return any(TELLS_OF_THE_MACHINE.search(self.written(one)) for one in known)

    def is_elif(self, one):
        outer = self.origins.parents.get(id(one))
        return isinstance(outer, ast.If) and outer.orelse == [one]

    def may_bind_nothing(self, one):
        """Whether a chain of if and elif has no else, or one that goes on to what stands behind it; an elif may ask for the opposite."""
        while True:
            if not one.body or self.ends(one.body):
                return False
            if len(one.orelse) == 1 and isinstance(one.orelse[0], ast.If):
                one = one.orelse[0]
                if not re.search(r"mps|xpu|device_count", self.written(one.test)):
                    return False
            else:
                return not one.orelse or not self.ends(one.orelse)

    def ends(self, block):
        return any(isinstance(one, ENDS_BLOCK) or re.match(r"((sys|os)\.)?_?(exit|quit|abort)\(|pytest\.skip\(|\w+\.error\(", self.written(one)) or isinstance(
            one, ast.If) and self.ends(one.body) for one in block)

    def bound_in_else(self, one):
        while len(one.orelse) == 1 and isinstance(one.orelse[0], ast.If):
            one = one.orelse[0]
        return {name for part in one.orelse for inner in ast.walk(part) for name in names_bound_by(inner)}

    def look_behind(self, branch, of, own, shared, reported, mistake):
        within = {id(one) for one in ast.walk(branch)}
        names = {name for one in own if id(one) in within for name in names_bound_by(one)} - shared - reported - self.bound_in_else(branch)
        if not names:
            return
        before = {name for one in own if id(one) not in within and self.starts(one) < (branch.lineno, branch.col_offset) for name in names_bound_by(one)}
        block = self.origins.block_of(branch)
        names -= before
        for part in block[block.index(branch) + 1:] if block else ():
            if not names or isinstance(part, ast.If) and self.ends(part.body):
                return
            for read in self.read_in(part):
                if read.id in names and not any(isinstance(one, ast.Try) for one in self.origins.around(read)):
                    names.discard(read.id)
                    reported.add(read.id)
                    if any(e["subject"] == "script-mistake" and e["line"] == read.lineno and e.get("value") == read.id for e in self.reader.events):
                        continue  # of a branch that asks for CUDA
                    self.reader.mistake(read, mistake, read.id, self.written(branch.test),
                                        "NameError" if isinstance(of, ast.Module) else "UnboundLocalError", other=branch, doubted=True)
            names -= {name for one in ast.walk(part) for name in names_bound_by(one)}

    @staticmethod
    def starts(node):
        return (getattr(node, "lineno", 10 ** 9), getattr(node, "col_offset", 0))

    def read_in(self, part):
        """The names that a statement reads in any case: not under a condition, and not in a function that it makes."""
        waiting, found = [part], []
        while waiting:
            one = waiting.pop()
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                found.append(one)
            elif isinstance(one, (ast.If, ast.IfExp, ast.While)):
                waiting.append(one.test)
            elif isinstance(one, ast.BoolOp):
                waiting.append(one.values[0])
            elif isinstance(one, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)):
                if isinstance(one, (ast.For, ast.AsyncFor)) and re.search(r"(?i)gpu|device|cuda", self.written(one.iter)):
                    continue  # of which there are none without a GPU
                waiting += [one.iter] if isinstance(one, (ast.For, ast.AsyncFor)) else [item.context_expr for item in one.items]
                bound = {name for inner in ast.walk(one) for name in names_bound_by(inner)}
                for statement in one.body:
                    if any(isinstance(inner, ENDS_BLOCK) for inner in ast.walk(statement)):
                        break
                    found += [read for read in self.read_in(statement) if read.id not in bound]
            elif not isinstance(one, (ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp,
                                      ast.DictComp, ast.GeneratorExp, ast.Delete)) and type(one).__name__ != "Match":
                waiting += ast.iter_child_nodes(one)
        return sorted(found, key=lambda one: (one.lineno, one.col_offset))


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
