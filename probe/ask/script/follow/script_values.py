"""What the reader of scripts knows of a value without running anything. None stands for: not known."""
import ast
import builtins
import copy
import difflib
import re


NUMBERS_ALONE = r"\s*-?\d+\s*"
YES_OR_NO = (r"[01]?", "it takes '1' or '0', and no words")
# Variables that PyTorch, CUDA and NCCL read: what they take, and what becomes of the rest. Read in the sources of
# PyTorch 2.15 (c10/util/env.cpp, ATen/cuda/CublasHandlePool.cpp, torch/distributed/rendezvous.py) and of NCCL
# (param.cc, debug.cc).
VARIABLES_OF_TORCH = {
    "CUBLAS_WORKSPACE_CONFIG":
    (r"(:\d+:\d+)+", "it takes pairs of a size and a count, as ':4096:8' or ':16:8'. "
     "PyTorch can't read it: older releases raise where determinism is asked for, newer ones "
     "take their default"),
    "CUDA_LAUNCH_BLOCKING":
    YES_OR_NO,
    "NVIDIA_TF32_OVERRIDE":
    YES_OR_NO,
    "PYTORCH_NVML_BASED_CUDA_CHECK":
    YES_OR_NO,
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE":
    YES_OR_NO,
    "PYTORCH_ENABLE_MPS_FALLBACK": (r"\d*", "it takes '1' or '0', and no words"),
    "PYTORCH_NO_CUDA_MEMORY_CACHING":
    (r"(?!(?i:0|false|no|off)$).*", "that it is set turns caching off, whatever its value"),
    "CUDA_DEVICE_ORDER":
    (r"PCI_BUS_ID|FASTEST_FIRST|", "CUDA takes 'PCI_BUS_ID' or 'FASTEST_FIRST', and goes by the fastest"),
    "CUDA_MODULE_LOADING": (r"EAGER|LAZY|DEFAULT|", "CUDA takes 'LAZY' or 'EAGER'"),
    "NCCL_DEBUG":
    (r"(?i:version|warn|info|abort|trace|none|)", "NCCL takes 'WARN', 'INFO' or 'TRACE', and prints nothing"),
    **dict.fromkeys(("NCCL_P2P_DISABLE", "NCCL_IB_DISABLE", "NCCL_SHM_DISABLE", "NCCL_NVLS_ENABLE",
                     "NCCL_CUMEM_ENABLE"), (r"-?(0x)?\d*", "NCCL takes '1' or '0', and keeps its default")),
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": (r"\d+|", "it takes a number, and the process group raises"),
    "TORCH_DISTRIBUTED_DEBUG": (r"(?i:off|info|detail|)", "it takes 'OFF', 'INFO' or 'DETAIL', and the import raises"),
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"),
                    (r"\s*[1-9]\d*(\s*,\s*[1-9]\d*)*\s*", "it takes a number from 1 on, and is ignored")),
    **dict.fromkeys(("MASTER_PORT", "WORLD_SIZE", "RANK", "LOCAL_RANK"),
                    (NUMBERS_ALONE, "it takes a number, and reading it raises ValueError")),
    "MASTER_ADDR": (r"(?!\w+://)(?!.*[^:]:\d{4,5}$).*",
                    "it takes a host's name or address alone; the port is MASTER_PORT"),
    "TORCH_CUDA_ARCH_LIST": (r"(?!(.*[; ,])?(sm_|compute_)?\d{2,3}[a-z]?($|[; ,+])).*",
                             "it takes versions with a point, as '8.0;9.0+PTX', and building raises ValueError"),
    "ACCELERATE_MIXED_PRECISION": (r"no|fp16|bf16|fp8", "accelerate takes 'no', 'fp16', 'bf16' or 'fp8', and raises"),
}


class TooLong(ValueError):
    """Of the script, not of the reader: it is given up as a whole."""


class Text:
    """A text, number, truth value or None that is surely this one."""

    def __init__(self, value):
        self.value = value


class Words(dict):
    """The arguments by name of a call; `nodes`: where those are written that stand elsewhere."""

    def __init__(self):
        super().__init__()
        self.nodes = {}


class Name:
    """What an import brought: tensorflow.config."""

    def __init__(self, full):
        self.full = full


class Many:
    """A list or tuple whose members are known."""

    def __init__(self, items):
        self.items = items
        self.open = False  # it grows in a loop or branch: how many there are is not known


class Place:
    """A device as PyTorch names it; "cuda|cpu" where the script takes the one that is there; None: not known which."""

    def __init__(self, text, said=False):
        self.text = text
        self.said = said  # by a text or number, and no object of torch.device


class Function:
    def __init__(self, node, scope, owner=None):
        self.node, self.scope, self.owner = node, scope, owner
        self.decorators = []  # full names
        self.followed = False
        self.wrapped = False  # a decorator may give it other arguments
        self.file = None

    @property
    def name(self):
        return getattr(self.node, "name", "lambda")


def decorated(function, *names):
    return any(getattr(d, "id", getattr(d, "attr", "")) in names for d in getattr(function.node, "decorator_list", ()))


class Class:
    def __init__(self, node, scope):
        self.node, self.name, self.scope = node, node.name, scope
        self.bases = []  # full names of what is not of this script
        self.parents = []  # classes of this script
        self.methods = {}
        self.names = {}  # what its body assigns
        self.fields = None  # of a dataclass, in their order
        self.kinds = {}  # of its fields, as annotated

    def held(self, name, depth=0):
        """What its body, or a parent's, assigns to this name."""
        if name in self.names:
            return self.names[name]
        found = [parent.held(name, depth + 1) for parent in self.parents if depth < 20]
        return next((value for value in found if value is not None), None)

    def method(self, name, depth=0):
        if name in self.methods:
            return self.methods[name]
        for parent in self.parents if depth < 20 else ():
            found = parent.method(name, depth + 1)
            if found:
                return found
        return None

    def has_stranger(self, depth=0):
        """Whether it is the child of a class that is not known here, which may be a module."""
        plain = [base for base in self.node.bases if getattr(base, "id", "") not in ("object", "ABC")]
        return len(plain) > len(self.parents) or any(p.has_stranger(depth + 1) for p in self.parents if depth < 20)

    def all_bases(self, depth=0):
        found = list(self.bases)
        for parent in self.parents if depth < 20 else ():
            found += parent.all_bases(depth + 1)
        return found


class Thing:
    """An object: kind is module, tensor, loader, optimizer, scaler, keras-model, layer, gpus, gpu, array, instance,
    …"""

    count = 0

    def __init__(self, kind, **more):
        Thing.count += 1
        self.number = Thing.count  # in the order in which they are made
        self.kind = kind
        self.attributes = {}
        self.nodes = {}  # of a mapping: where its members are set
        self.state = dict({"device": None}, **more)

    def __getitem__(self, key):
        return self.state.get(key)


class Journal(list):
    """What a branch changes: (object, key, value before). What the branch makes itself is nothing that was before."""

    def __init__(self):
        super().__init__()
        self.begin = Thing.count

    def note(self, thing, key):
        if thing.number <= self.begin:
            self.append((thing, key, thing.state.get(key)))


class Bound:
    """A method of an object."""

    def __init__(self, thing, name, value=None):
        self.thing, self.name, self.value = thing, name, value


class Scope:
    def __init__(self, parent=None):
        self.names = {}
        self.parent = parent

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope.names[name], True
            scope = scope.parent
        return None, False


def text_of(value):
    """As the environment takes it; None: computed."""
    if isinstance(value, Text) and isinstance(value.value, (str, int, float)) and not isinstance(value.value, bool):
        return str(value.value)
    return None


UNKNOWN = "\ufffc"  # what stands in a text for a part that is computed
NUMBER = "\ufffb"  # the same, where it is surely a number


def form_of(value):
    """A text with UNKNOWN for what is not known of it."""
    said = text_of(value)
    if said is None and isinstance(value, Thing) and value.kind == "form":
        return value["text"]
    return said if said is not None else NUMBER if is_number(value) else UNKNOWN


def is_default(value, called):
    """An option whose default is a text that names no device of PyTorch's: that one is often given."""
    if not isinstance(value, Thing) or value.kind not in ("option", "switch") or not isinstance(value["default"], Text):
        return False
    text = value["default"].value
    if isinstance(called, Name) and not called.full.startswith("torch.") and isinstance(text, str):
        return value.kind == "option"
    return text is True if value.kind == "switch" else isinstance(text, str) and not re.match(
        r"/?(device:)?(cpu|gpu|cuda|mps|xpu|tpu|hpu|xla|auto|none)?(:.*)?$|[\d,:\s]*$", text, re.I)


def is_form(value):
    return isinstance(value, Text) and isinstance(value.value, str) or isinstance(value, Thing) and value.kind == "form"


def text_or_form(said):
    return Thing("form", text=said) if UNKNOWN in said or NUMBER in said else Text(said)


def of_rank(form, *parts):
    """A text with a process's rank among all nodes in it, where one of its parts is that."""
    if isinstance(form, Thing) and any(isinstance(one, Thing) and one["rank"] for one in parts):
        form.state["rank"] = True
    return form


def is_number(value):
    """A number, whether or not it is known which."""
    if isinstance(value, Text):
        return isinstance(value.value, (int, float)) and not isinstance(value.value, bool)
    return isinstance(value, Thing) and value.kind == "number"


def is_no_text(value):
    return is_number(value) or isinstance(value, Text) and not isinstance(value.value, str)


def choice_of(values):
    """Which of these functions or dictionaries it is, is not known; None: some are neither."""
    if 0 < len(values) <= 8 and all(isinstance(value, Thing) and value.kind == "mapping" for value in values):
        return Thing("choice", items=[], mappings=values)
    functions = 0 < len(values) <= 8 and all(isinstance(value, Function) for value in values)
    return Thing("choice", items=values) if functions else None


def is_alike(one, other):
    """Two tensors or modules on one device."""
    return isinstance(one, Thing) and isinstance(other, Thing) and one.kind == other.kind and \
        one.kind in ("tensor", "module") and one["device"] == other["device"] and one["class"] is other["class"]


def merge_mapping(into, value, forget=False):
    """{**into, **value}; what is not known of the second is not known of the whole."""
    if isinstance(value, Name) and value.full == "os.environ" or isinstance(value, Thing) and value["environment"]:
        into.state["environment"] = True
    if isinstance(value, Thing) and value.kind == "mapping" and not forget:
        into.attributes.update(value.attributes)
        into.nodes.update(value.nodes)
    elif not isinstance(value, Name):
        into.attributes.clear()


def same(one, other):
    if one is other:
        return True
    if isinstance(one, Thing) and isinstance(other, Thing) and one.kind == other.kind == "number":
        return True
    if isinstance(one, Text) and isinstance(other, Text):
        return type(one.value) is type(other.value) and one.value == other.value
    if isinstance(one, Place) and isinstance(other, Place):
        return one.text == other.text
    return isinstance(one, Name) and isinstance(other, Name) and one.full == other.full


DEVICE_KINDS = ("cpu", "cuda", "mps", "xpu", "meta", "xla", "hpu", "ipu", "npu", "mtia", "hip", "vulkan",
                "privateuseone", "mkldnn", "opengl", "opencl", "ideep", "fpga", "maia", "ort", "lazy", "ve", "mlu", "musa", "sdaa", "neuron", "gcu")


ANY = "…"  # a number of a GPU that is not known


def place_of(value):
    """The device that a value names, for PyTorch; None: not known."""
    if isinstance(value, Place):
        return value.text
    if isinstance(value, Thing) and value.kind == "option" and isinstance(value["default"], Text):
        said = place_of(value["default"])  # who starts the script may take the CPU
        return join_places(said, "cpu") if said and re.match(r"cuda(:\d+)?$", said) else None
    if isinstance(value, Thing) and value.kind == "form" and value["text"] in ("cuda:" + UNKNOWN, "cuda:" + NUMBER):
        return "cuda:" + ANY
    if isinstance(value, Text):
        if isinstance(value.value, bool) or value.value is None:
            return None
        if isinstance(value.value, int):
            return "cuda:%d" % value.value
        if isinstance(value.value, str) and value.value.split(":")[0] in DEVICE_KINDS:
            return value.value
    return None


def join_places(one, other):
    if one is None or other is None:
        return None
    return "|".join(sorted(set(one.split("|")) | set(other.split("|")), reverse=True))


def exclusive(path, other):
    """Whether what stands on these paths are two branches of one condition."""
    for one, two in zip(path, other):
        if one != two:
            return one[:-1] == two[:-1] and one[:-1].isdigit()
    return False


def join(one, other):
    """What a value is after either of two branches; None: not known."""
    if same(one, other):
        return one
    for value in [one, other] + [i for v in (one, other) if isinstance(v, Many) for i in v.items]:
        if isinstance(value, Thing) and value.kind in ("strategy", "scaler"):
            value.state["escaped"] = True  # what becomes of it can't be seen any more
    if isinstance(one, Many) and isinstance(other, Many) and len(one.items) == len(other.items):
        return Many([join(*pair) for pair in zip(one.items, other.items)])
    if isinstance(one, Thing) and isinstance(other, Thing) and one["fields"] and one["class"] is other["class"]:
        made = Thing(one.kind, **{"class": one["class"], "fields": True})
        made.attributes = {name: join(one.attributes[name], other.attributes[name])
                           for name in one.attributes.keys() & other.attributes.keys()}
        return made
    for value, by in ((one, other), (other, one)):
        if isinstance(value, Thing) and value.kind in ("option", "number") and same(value["default"], by):
            return value
    places = place_of(one), place_of(other)
    texts = [v for v in (one, other) if not (isinstance(v, Text) and isinstance(v.value, int))]
    if None not in places and len(texts) == 2:
        said = [not isinstance(v, Place) or v.said for v in (one, other)]
        return Place(join_places(*places), said=any(said))
    if all(isinstance(v, Place) and not v.said for v in (one, other)):
        return Place(None)
    if all(is_form(v) for v in (one, other)):
        return Thing("texts", items=[one, other])  # one of these
    return None


def apart(one, other):
    """Whether two tensors on these devices can surely meet on no host that has the GPU."""
    if one is None or other is None:
        return False
    first, second = set(one.split("|")), set(other.split("|"))
    if first == {"cpu"} or second == {"cpu"}:
        return bool((second if first == {"cpu"} else first) - {"cpu", "meta"})
    if ANY in one + other:
        return False
    if len(first) == 1 and len(second) == 1:
        index = [text if ":" in text else text + ":0" for text in (one, other)]
        return index[0] != index[1]
    return False
