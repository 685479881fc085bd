"""Reads a training script's syntax tree and prints, as a snapshot with a log, what in it has to do with devices.

    python -I -S -c LOADER READER FILE COUNT (SIZE SHOWN FOLDER) ... NAME... MODULE=NAMES...

READER is this text. FILE holds COUNT scripts one behind the other, each of SIZE bytes, called SHOWN, in FOLDER (empty:
none), from which modules that they import are read as well; NAMEs are the calls that matter, in full;
"tensorflow.random.*" stands for all below. MODULE=NAMES says all names that a module's releases have. A file is a
script or a Jupyter notebook, whose cells are read in their order. Nothing of the scripts is run.

Events come in the order in which the script would run: functions are followed at each call, with its arguments. What is
not sure to run has a path, "3a/7b": one step for each condition, loop or function that nobody calls. What stands on a
path comes after all that came before on this path or on the beginning of it, and is apart from all others.
"""
import ast
import copy
import difflib
import re

FRAMEWORKS = ("tensorflow", "keras", "tf_keras", "torch", "jax")
# Packages that import JAX.
ON_JAX = ("optax", "flax", "haiku", "equinox", "chex", "numpyro", "diffrax", "brax", "blackjax", "orbax")
OWN_OS = "_os_of_the_reader"
MOST_EVENTS = 5000
MOST_STEPS = 60000  # after so many a function is not followed a second time
MOST_STEPS_OF_ALL = 4000000
DEEPEST_CALL = 25
MODEL_MAKERS = ("Sequential", "Model", "load_model", "model_from_json", "clone_model", "from_pretrained")
MODEL_USES = ("fit", "predict", "evaluate", "train_on_batch", "predict_on_batch", "test_on_batch", "fit_generator",
              "predict_generator", "evaluate_generator", "predict_classes", "predict_proba")
OUT_OF_MEMORY = ("ResourceExhaustedError", "OutOfMemoryError", "XlaRuntimeError")
RANKS_OF_ALL = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
RUNNERS = ("absl.app.run", "tensorflow.app.run", "tensorflow.compat.v1.app.run", "fire.Fire")
SPAWNERS = ("spawn", "Process", "start_processes", "Pool", "remote", "launch", "notebook_launcher", "Thread", "submit",
            "map", "apply_async", "starmap", "start_new_thread")
# Functions that leave what they are given as it is.
BUILTINS = ("super", "print", "len", "isinstance", "type", "str", "int", "float", "repr", "id", "hasattr", "getattr",
            "list", "iter", "next", "enumerate", "zip", "range", "sum", "min", "max", "sorted", "tuple", "dict", "set",
            "vars", "callable", "any", "all", "filter", "reversed", "format", "bool", "tqdm", "dir", "issubclass",
            "abs", "round")
TENSOR_LOADER = re.compile(r"(^|_)(data)?_?loaders?$|loader$|_dl$", re.I)
TF_DEVICE = re.compile(
    r"^/?((job|replica|task|device):[^/]*/)*((device:)?(cpu|gpu|tpu|[a-z_]*custom[a-z_]*)(:(\d+|\*))?)?$", re.I)
# Variables that scripts set; names that are nearly one of these are misspelt.
VARIABLES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",
             "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_MODULE_LOADING",
             "CUDA_CACHE_PATH", "CUDA_HOME", "CUDA_PATH", "NVIDIA_TF32_OVERRIDE", "TF_FORCE_GPU_ALLOW_GROWTH",
             "TF_GPU_ALLOCATOR", "TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MIN_VLOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL",
             "TF_XLA_FLAGS", "TF_ENABLE_ONEDNN_OPTS", "TF_DETERMINISTIC_OPS", "TF_CUDNN_DETERMINISTIC",
             "TF_USE_LEGACY_KERAS", "TF_GPU_THREAD_MODE", "TF_GPU_THREAD_COUNT", "KERAS_BACKEND", "KERAS_HOME",
             "JAX_PLATFORMS", "JAX_PLATFORM_NAME", "JAX_ENABLE_X64", "JAX_TRACEBACK_FILTERING", "JAX_DEBUG_NANS",
             "JAX_CUDA_VISIBLE_DEVICES", "JAX_ROCM_VISIBLE_DEVICES", "XLA_PYTHON_CLIENT_PREALLOCATE",
             "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_ALLOCATOR", "XLA_FLAGS", "PYTORCH_CUDA_ALLOC_CONF",
             "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING",
             "PYTORCH_ENABLE_MPS_FALLBACK", "PYTORCH_NVML_BASED_CUDA_CHECK", "PYTORCH_MPS_HIGH_WATERMARK_RATIO",
             "CUBLAS_WORKSPACE_CONFIG", "HSA_OVERRIDE_GFX_VERSION", "ONEAPI_DEVICE_SELECTOR")
# What a variable takes, and what becomes of the rest: tried on jax 0.10.2, and read in gpu_bfc_allocator.cc.
PLATFORMS = (r"(?!.*[A-Z:])[\w,]+|(?!(?i:.*\b(cpu|gpu|cuda|rocm|tpu)\b)).*",
             "JAX takes 'cpu', 'gpu', 'cuda', 'rocm' or 'tpu', in small letters and without a number, and raises")
TAKEN = {
    "TF_FORCE_GPU_ALLOW_GROWTH": ("(true|false)", "TensorFlow takes 'true' or 'false', in small letters, and ignores "
                                  "the rest with a line in the log"),
    "XLA_PYTHON_CLIENT_PREALLOCATE": ("(?!(FALSE|(?i:no|off|n|f|none|disabled?))$).*",
                                      "JAX takes 'false' or '0' for no, and all the rest for yes"),
    "XLA_PYTHON_CLIENT_ALLOCATOR": ("(?i:default|platform|bfc|cuda_async|vmm)",
                                    "JAX takes 'default', 'platform', 'bfc', 'cuda_async' or 'vmm', and raises"),
    "XLA_PYTHON_CLIENT_MEM_FRACTION": (r"0*\.\d+|1(\.0*)?|0", "it is a part of the memory: 0.6 for 60 %, and more than 1 "
                                       "takes all"),
    "JAX_PLATFORMS": PLATFORMS,
    "JAX_PLATFORM_NAME": PLATFORMS,
    **VARIABLES_OF_TORCH,
}
# Modules whose members are known well enough to call a name that is nearly one of them misspelt.
MEMBERS = {
    "torch.cuda":
    "is_available device_count current_device set_device get_device_name get_device_properties "
    "get_device_capability empty_cache memory_allocated max_memory_allocated memory_reserved "
    "max_memory_reserved memory_cached max_memory_cached reset_peak_memory_stats reset_max_memory_allocated "
    "reset_max_memory_cached memory_summary memory_stats memory_snapshot mem_get_info synchronize "
    "manual_seed manual_seed_all seed seed_all initial_seed init is_initialized device stream Stream Event "
    "current_stream default_stream set_per_process_memory_fraction ipc_collect get_arch_list "
    "get_rng_state set_rng_state get_rng_state_all set_rng_state_all amp nvtx is_bf16_supported utilization "
    "temperature power_draw clock_rate FloatTensor HalfTensor LongTensor IntTensor ByteTensor DoubleTensor "
    "BoolTensor BFloat16Tensor CharTensor ShortTensor CUDAGraph graph graphs graph_pool_handle "
    "make_graphed_callables can_device_access_peer set_stream device_of OutOfMemoryError profiler memory "
    "random comm nccl jiterator list_gpu_processes set_sync_debug_mode check_error cudart get_gencode_flags "
    "caching_allocator_alloc is_current_stream_capturing tunable gds".split(),
    "tensorflow.config":
    "list_physical_devices list_logical_devices get_visible_devices set_visible_devices experimental "
    "optimizer threading LogicalDevice LogicalDeviceConfiguration PhysicalDevice "
    "get_logical_device_configuration set_logical_device_configuration "
    "get_soft_device_placement set_soft_device_placement run_functions_eagerly "
    "functions_run_eagerly experimental_run_functions_eagerly experimental_functions_run_eagerly "
    "experimental_connect_to_cluster experimental_connect_to_host".split(),
    "tensorflow.config.experimental":
    "set_memory_growth get_memory_growth get_memory_usage get_memory_info reset_memory_stats get_device_details "
    "get_device_policy set_device_policy list_physical_devices list_logical_devices get_visible_devices "
    "set_visible_devices set_virtual_device_configuration get_virtual_device_configuration "
    "VirtualDeviceConfiguration ClusterDeviceFilters set_synchronous_execution get_synchronous_execution "
    "enable_tensor_float_32_execution tensor_float_32_execution_enabled enable_op_determinism "
    "enable_mlir_bridge disable_mlir_bridge enable_mlir_graph_optimization disable_mlir_graph_optimization".split(),
}
# Of these every name is known that a release from 2.0 on has had.
CLOSED = ("tensorflow.config", "tensorflow.config.experimental")
# None of their attributes is a setting: all that they hold are functions and classes.
SETTINGS_OF_TF = CLOSED + ("tensorflow.config.threading", "tensorflow.config.optimizer")
# What a name means in a cut-out of a script, or behind `from common import *`, where nothing in the file binds it.
CONVENTIONS = {"tensorflow": "tensorflow", "tf": "tensorflow", "keras": "keras", "torch": "torch", "nn": "torch.nn",
               "optim": "torch.optim", "jax": "jax", "jnp": "jax.numpy", "np": "numpy", "TrainingArguments": "transformers.TrainingArguments"}
# Names by which packages are used: what a script imports of the package that binds another name, and the import.
IMPORTS_OF_NAMES = {"cuda": ("numba", "from numba import cuda"), "torch": ("torch", "import torch"), "jax": ("jax", "import jax"),
                    "jnp": ("jax", "import jax.numpy as jnp"), "tf": ("tensorflow", "import tensorflow as tf"), "cp": ("cupy", "import cupy as cp")}
USES_OF_NAMES = {"cuda": ("jit", "grid", "to_device", "threadIdx", "blockIdx", "synchronize", "shared", "device_array"),
                 "torch": ("cuda", "nn", "tensor", "device", "optim", "no_grad", "load", "save", "float32"),
                 "jax": ("jit", "grad", "vmap", "pmap", "random", "device_put", "devices"), "jnp": ("array", "sum", "dot", "zeros", "ones"),
                 "tf": ("config", "function", "constant", "Variable", "device", "data", "keras"),
                 "cp": ("asarray", "array", "asnumpy", "cuda", "zeros", "ones")}
# Questions that are always true where their brackets are missing.
ASKED = ("torch.cuda.is_available", "torch.cuda.is_initialized", "torch.backends.mps.is_available",
         "torch.xpu.is_available", "torch.distributed.is_available", "torch.distributed.is_initialized",
         "tensorflow.test.is_gpu_available", "tensorflow.test.is_built_with_cuda", "tensorflow.executing_eagerly",
         "torch.cuda.is_bf16_supported")
# Arguments that Keras 3 no longer takes, tried on 3.15: of optimizers, layers, models and fit.
OLD_ARGUMENTS = {
    "optimizers": ("lr", ),
    "layers":
    ("batch_input_shape", "init", "border_mode", "subsample", "dim_ordering", "W_regularizer", "b_regularizer",
     "W_constraint", "b_constraint", "inner_activation", "inner_init", "dropout_W", "dropout_U", "nb_filter"),
    "Model": ("input", "output"),
    "fit": ("nb_epoch", "workers", "use_multiprocessing", "max_queue_size", "max_q_size", "nb_worker",
            "samples_per_epoch", "show_accuracy"),
}
# What fit and compile of Keras 1 to 3 have taken.
KEYWORDS = {
    "fit":
    "x y batch_size epochs verbose callbacks validation_split validation_data shuffle class_weight sample_weight "
    "initial_epoch steps_per_epoch validation_steps validation_batch_size validation_freq".split(),
    "compile":
    "optimizer loss metrics loss_weights weighted_metrics run_eagerly steps_per_execution jit_compile "
    "auto_scale_loss sample_weight_mode target_tensors distribute pss_evaluation_shards "
    "experimental_run_tf_function from_serialized".split(),
}
BACKENDS = ("tensorflow", "jax", "torch", "numpy", "openvino", "mlx", "theano", "cntk", "mxnet",
            "plaidml.keras.backend", "amd", "")
POLICY = re.compile(
    r"(mixed_b?float16|b?float16|float32|float64|u?int\d+|bool|complex\d+|string|_infer|float8.*|int[48]_.*|"
    r"infer(_with_float32_vars)?|gptq.*|awq.*)$")
POLICIES = ("set_global_policy", "set_dtype_policy", "set_policy", "Policy", "DTypePolicy")
MIRRORED = ("MirroredStrategy", "MultiWorkerMirroredStrategy")
# Options of jax.config; a name that is nearly one of these is misspelt.
JAX_OPTIONS = ("jax_platforms", "jax_platform_name", "jax_enable_x64", "jax_debug_nans", "jax_debug_infs",
               "jax_disable_jit", "jax_default_device", "jax_default_matmul_precision", "jax_numpy_rank_promotion",
               "jax_log_compiles", "jax_check_tracer_leaks", "jax_compilation_cache_dir", "jax_transfer_guard",
               "jax_traceback_filtering", "jax_numpy_dtype_promotion", "jax_threefry_partitionable",
               "jax_default_prng_impl", "jax_num_cpu_devices", "jax_xla_backend", "jax_backend_target",
               "jax_cuda_visible_devices", "jax_rocm_visible_devices", "jax_enable_checks", "jax_platform",
               "jax_debug_key_reuse", "jax_disable_most_optimizations", "jax_enable_custom_prng", "jax_array",
               "jax_spmd_mode", "jax_explain_cache_misses", "jax_transfer_guard_device_to_host",
               "jax_transfer_guard_host_to_device", "jax_transfer_guard_device_to_device",
               "jax_enable_compilation_cache")
# A shell that ends with its line takes what it sets along.
LOST_EXPORT = re.compile(r"^\s*(?:export\s+|set\s+)?(\w+)=(?:'[^']*'|\"[^\"]*\"|[^\s;&|\"']*)\s*$")
# Calls that start another program.
CHILDREN = ("os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.Popen",
            "subprocess.check_output", "subprocess.getoutput", "subprocess.getstatusoutput")
NUMBERS = ("os.getpid", "os.cpu_count", "torch.cuda.device_count", "torch.cuda.current_device",
           "torch.distributed.get_rank", "torch.distributed.get_world_size", "time.time", "random.randint",
           "random.randrange", "numpy.random.randint", "numpy.argmax", "numpy.argmin", "jax.device_count",
           "jax.local_device_count", "jax.process_index", "multiprocessing.cpu_count", "portpicker.pick_unused_port",
           "torch.distributed.elastic.utils.distributed.get_free_port", "torch.testing._internal.common_utils.find_free_port")
LISTS_DEVICES = ("list_physical_devices", "list_logical_devices", "get_visible_devices")
FLOATX = ("float16", "float32", "float64", "bfloat16")
# Options that choose a device, or how it computes.
ABOUT_DEVICES = re.compile(r"(^|_)(use|no|with)?_?(cuda|gpus?|cpu|tpu|mps|amp|fp16|bf16|half|tf32|xla|pin)(_|$)", re.I)
ABOUT_SPREADING = re.compile(r"(^|_)(data_?parallel|dataparallel|distributed|ddp|fsdp|multi_?gpu|mixed_precision|deterministic)(_|$)", re.I)
# Options that leave the GPU out.
AGAINST_GPU = re.compile(r"(no|not|without|disable)_?(use_)?(cuda|gpus?|mps|tpu)$|((use|force|on|only)_)?cpu(_only)?$", re.I)
# Who brings a loader's batches to the GPU by itself.
BRINGS_BATCHES = re.compile(r"accelerat|fabric|prefetch|devicedataloader|devicedl|dali|ffcv|wrap_dataloader|to_device",
                            re.I)
# What makes arrays of NumPy's of what it is given.
TO_NUMPY = re.compile(r"numpy\.(array|asarray|mean|std|median|sum|concatenate|stack|percentile|savetxt|convolve)$|"
                      r"matplotlib\.pyplot\.(plot|scatter|hist|semilogy|bar)$|sklearn\.metrics\.\w+$")
JAX_PRECISIONS = ("default", "high", "highest", "bfloat16", "tensorfloat32", "float32")
# Functions that scripts assign to where they mean to call them.
OVERWRITTEN = ("jax.default_device", "jax.default_matmul_precision", "jax.default_backend", "jax.enable_x64",
               "tensorflow.random.set_seed", "tensorflow.config.set_soft_device_placement", "keras.utils.set_random_seed",
               "tensorflow.keras.utils.set_random_seed", "keras.config.set_floatx", "keras.backend.set_floatx",
               "tensorflow.keras.backend.set_floatx", "keras.config.set_dtype_policy",
               "tensorflow.keras.mixed_precision.set_global_policy", "keras.mixed_precision.set_global_policy",
               "cupy.cuda.set_allocator", "cupy.cuda.set_pinned_memory_allocator")
# Annotations of what surely lies on the host.
OF_NUMBERS = re.compile(r"(typing\.)?((Optional\[)?(list|List|Sequence|tuple|Tuple|Iterable)\[(float|int)\b|(np|numpy)\.ndarray)|ndarray$")
SETTERS = re.compile(r"(tensorflow|keras|cupy|numba|onnxruntime)\.(\w+\.)*(set|enable|disable|select)_\w+$")
# Switches under torch.backends that a script assigns; another name is taken without a word and read by nothing.
TORCH_SWITCHES = {
    "torch.backends.cudnn": "enabled benchmark deterministic allow_tf32 benchmark_limit fp32_precision version "
                            "conv rnn".split(),
    "torch.backends.cuda": "matmul fp32_precision cufft_plan_cache".split(),
    "torch.backends.cuda.matmul": "allow_tf32 allow_fp16_reduced_precision_reduction fp32_precision "
                                  "allow_bf16_reduced_precision_reduction allow_fp16_accumulation".split(),
}


class Reader:
    def __init__(self, names, modules=None, main=True):
        said = [n.partition("=") for n in names if re.match(r"[\w.]+=", n)]
        self.members = {module: set(text.split()) | set(MEMBERS.get(module, ())) for module, _, text in said}
        names = [n for n in names if not re.match(r"[\w.]+=", n)]
        self.removed = Removed(self, [n for n in names if n.startswith("-")])
        names = [n for n in names if not n.startswith("-")]
        self.given = Given(self, [n for n in names if ")=" in n])
        names = [n for n in names if ")=" not in n]
        self.variables = Variables(self, " ".join(self.members.pop("environment", ())))
        self.conditions = Statements(self)
        self.offload = Offload(self)
        self.own_names = set()  # torch.something = …
        self.policy = None  # keras.mixed_precision.set_global_policy: (what was said, where)
        self.exact = {n for n in names if not n.endswith("*")}
        self.begins = tuple(n[:-1] for n in names if n.endswith("*"))
        self.above = {n[: m.start()] for n in names for m in re.finditer(r"\.", n)}  # modules that hold one of them
        self.mattering = {}
        self.modules = modules  # finds the file of a module that lies beside the script; None: no file
        self.globals = Scope()
        self.globals.names[OWN_OS] = Name("os")
        self.scope = self.globals
        self.lambdas, self.never_bound = [], {}
        self.text = ""  # of the script as it is written
        self.starred = []  # modules of `from module import *`, the last first
        self.unbound = {}  # what names of the script mean that nothing in it binds
        self.events = []
        self.path = ()
        self.with_listed = set()  # steps that each run takes in which TensorFlow lists a GPU
        self.left = []  # where things lie at the returns of a function that stand in its branches
        self.with_gpu = set()  # steps of a path that each run takes which has a GPU, and calls of its driver to make
        self.one_left = False  # one of the two branches that were read last doesn't come to its end
        self.steps = self.branches = 0
        self.sequences = {}  # what *these stand for, of which one member is known
        self.inside = []  # functions that are being followed, the innermost last
        self.results = []
        self.calls = []  # (call, its module) of each function that is being followed
        self.journal = []  # changes of objects, one list for each branch that is being read
        self.functions = []  # all of the script, in their order
        self.device = None  # the tf.device or scope that statements stand under
        self.strategy = None  # of these the last that was a strategy's over several devices
        self.tf_keras = False  # tensorflow.keras was met in an expression
        self.cell = None  # of a notebook, from 1
        self.last_of_cell = None
        self.source = None  # of a module that was imported; None: the script itself
        self.main = main
        self.loaded = {}
        self.torch = Torch(self)
        self.float64 = []
        self.guarded = 0  # statements that expect a name to be missing
        self.deciding = 0  # expressions that decide what is run
        self.hidden = []  # paths on which all GPUs were hidden
        self.asked_visible = False  # whether it looks at what hiding changes
        self.hidden_in_part = []  # calls that leave some GPUs visible: (path, node)
        self.listed_after_hiding = []  # calls that list what the machine has, hidden or not
        self.unused_configurations = []
        self.grown = []  # calls that let the memory of one GPU grow; None: of several
        self.limited = []  # the path on which a GPU's memory was limited, and the GPU
        self.varying = []  # events that configure another GPU each time their loop comes round
        self.settled = {}  # calls that configure devices, and the arguments of their function at the last time
        self.strategies = []  # over several devices, and where they are made
        self.called = None  # the expression that is being called
        self.maybe_missing = set()  # names whose import may fail without harm
        self.moves_state = False  # the script moves an optimizer's state itself
        self.loads_models = False  # what it loads may be a model rather than data
        self.libraries = Libraries(self)
        self.children = Children(self)
        self.training = Training(self)
        self.brings_batches = False  # something of the script may bring a loader's batches to the GPU
        self.answers, self.jaxs, self.keras = Results(self), Jax(self), Keras(self)
        self.tracing = Tracing(self)
        self.at_the_edge = 0  # in how many __enter__ and __exit__ the reader is that a with calls
        self.other_form = self.by_options = False  # the rules read the script in its flat form, with options as they are by default
        self.trying = self.asserting = 0  # statements whose exceptions are caught; what is asserted
        self.starts_programs = False
        self.pins = {}  # releases that the script says that it is written for
        self.restarted, self.begin, self.forgotten, self.at_restart = False, (), [], 0  # of a notebook's kernel

    # ---- events

    def note(self, node, kind, name, value=None, inside=None, other_line=None, doubted=False):
        if len(self.events) >= MOST_EVENTS:
            return None
        if self.other_form and (kind != "mistake" or name in OF_OWN_FORM_ALONE):
            return None
        event = {"class": "noted", "subject": "script-" + kind, "line": line_of(node), "name": name}
        event["sure"] = "no" if self.path or doubted or self.by_options and kind == "mistake" else "yes"
        path = [step for step in self.path if step not in self.with_gpu] if kind == "call" else self.path
        if path:
            event["path"] = "/".join(path)
        if value is not None:
            event["value"] = value
        if inside or self.inside:
            event["inside"] = inside or self.inside[-1].name
        if other_line is not None:
            event["other_line"] = str(other_line)
        if getattr(node, "cell", self.cell):
            event["cell"] = str(getattr(node, "cell", self.cell))
        if self.source:
            event["source"] = self.source
        if self.guarded:
            event["guarded"] = "yes"
        if self.deciding:
            event["decides"] = "yes"
        self.events.append(event)
        return event

    def asks_for(self, word):
        """Whether the script compares something with this word itself, so that a library may never see it."""
        return re.search(r"(==|!=|\bin\b|\bcase\b|\.startswith\()[^\n]*['\"]%s['\"]" % re.escape(word), self.text) is not None

    def mistake(self, node, name, value=None, *more, other=None, doubted=False, since=None, against=None):
        """One of the mistakes of script_calls.json, with what it saw, and the release it is one since, or was tried with; once
        for each line."""
        line = line_of(node)
        if any(e["subject"] == "script-mistake" and e["name"] == name and (e["line"] == line or self.other_form) and
               e.get("source") == self.source for e in self.events):
            return
        event = self.note(node, "mistake", name, value, other_line=line_of(other, None), doubted=doubted)
        if event and other is not None:
            event["other"] = self.written(other)
            if getattr(other, "cell", None):
                event["other_cell"] = str(other.cell)
        if event:
            event.update(zip(("first", "second"), more))
            event.update({word: release for word, release in (("since", since), ("against", against)) if release})

    def pinned_for(self, name):
        """The release of its package that the script names, which is judged by what the newest takes otherwise."""
        root = name.split(".")[0]
        return self.pins.get({"pytorch_lightning": "lightning", "lightning_fabric": "lightning"}.get(root, root))

    @staticmethod
    def unparsed(node):
        """The text of a node, which is kept with it: no tree is changed once it is read. None: Python 3.8, or a tree too deep."""
        if "text" not in node.__dict__:
            try:
                node.text = ast.unparse(node)
            except Exception:
                node.text = None
        return node.text

    @staticmethod
    def written(node):
        text = Reader.unparsed(node)
        return "?" if text is None else text[:200]

    @staticmethod
    def words_of(node):
        """The names in an expression, whatever Python reads it."""
        try:
            return ast.dump(node)
        except RecursionError:
            return ""

    @staticmethod
    def written_whole(node):
        text = Reader.unparsed(node)
        return ".to(" if text is None else text  # whatever it does: nothing is claimed

    def find_value(self, node):
        """The value of a name or attribute, without reading it again."""
        if isinstance(node, ast.Name):
            return self.find(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.find_value(node.value)
            return owner.attributes.get(node.attr) if isinstance(owner, Thing) else None
        if isinstance(node, ast.Subscript):
            index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
            owner, at = self.find_value(node.value), getattr(index, "value", None)
            if isinstance(owner, Thing) and owner.kind == "mapping" and isinstance(at, str):
                return owner.attributes.get(at)
            if isinstance(owner, Many) and type(at) is int and 0 <= at < len(owner.items):
                return owner.items[at]
            return self.item_of(owner) if isinstance(owner, Thing) and owner.kind == "sequence" else None
        return None

    def by_line(self, call, words, names):
        """Some of a call's arguments, which may stand on several lines: [(where they stand, their names)], one for each line."""
        lines = {}
        for name in names:
            at = words.nodes.get(name, self.keyword_of(call, name))
            lines.setdefault(line_of(at), (at, []))[1].append(name)
        return list(lines.values())

    @staticmethod
    def keyword_of(node, word):
        """Where an argument of this name is written; the call itself if it is not written there."""
        return next((k.value for k in node.keywords if k.arg == word), node)

    def arguments(self, node, values=None):
        """What a call is given as it is written; `values`: a text in the place of its name, where it is known."""
        said = [self.written(a) for a in node.args]
        for at, (one, value) in enumerate(zip(node.args, values) if values and len(values) == len(said) and not self.by_options else ()):
            if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript, ast.JoinedStr)) and isinstance(value, Text) and isinstance(value.value, str):
                said[at] = repr(value.value)
        return ", ".join(said + [self.written(a) for a in node.keywords])

    # ---- names

    @staticmethod
    def normal(name):
        if not name.startswith("tensorflow"):
            return name
        if name == "tensorflow.compat.v2":
            return "tensorflow"
        for old, new in (("tensorflow.compat.v2.", "tensorflow."), ("tensorflow.python.keras.", "tensorflow.keras."),
                         ("tensorflow._api.v2.", "tensorflow.")):
            if name.startswith(old):
                return new + name[len(old):]
        return name

    def matters(self, name):
        """One of the calls of the tables, or below one: what was removed took all below it along."""
        known = self.mattering.get(name)
        if known is None:
            known = self.mattering[name] = name.startswith(self.begins) or any(
                name[:at] in self.exact for at in [len(name)] + [m.start() for m in re.finditer(r"\.", name)])
        return known

    def find(self, name):
        value, known = self.scope.find(name)
        if known:
            return value
        for module in self.starred:
            full = module + "." + name
            if self.matters(full) or full == "os.environ" or full in self.above:
                return Name(full)
        return self.unbound.get(name) if self.source is None else None

    def look_for_unbound(self, trees):
        bound = set()
        self.tracing.files.append((None, trees))
        for tree in trees:
            self.torch.look_for_own_gpu(tree)
        for node in (node for tree in trees for node in ast.walk(tree)):
            if isinstance(node, ast.alias):
                bound.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
            else:
                bound.add(getattr(node, "name", None))  # functions, classes, exceptions, patterns
            if isinstance(node, ast.Attribute) and node.attr == "state" and "state_dict" not in self.written(node):
                self.moves_state = True
            if isinstance(node, ast.Attribute) and node.attr in ("load_state_dict", "eval"):
                self.loads_models = True
            kinds = ("name",) if isinstance(node, ast.alias) else ("attr", "id", "module", "name")
            said = next((getattr(node, kind) for kind in kinds if getattr(node, kind, None)), None)
            collates = getattr(node, "attr", "") == "collate_fn" and isinstance(node.ctx, ast.Store)
            if collates or isinstance(said, str) and BRINGS_BATCHES.search(said) or self.is_dataset_of_gpu(node):
                self.brings_batches = True
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
                self.look_for_unused_configurations(node)
                self.children.look_for_lost_environments(node)
        if len(trees) > 1:  # a notebook's cells share their names
            self.look_for_unused_configurations(ast.Module(body=[s for tree in trees for s in tree.body], type_ignores=[]))
        self.never_bound = {name: instead for name, (of, instead) in IMPORTS_OF_NAMES.items() if name not in bound and self.imports_from(trees, of)}
        self.unbound = {name: Name(full) for name, full in CONVENTIONS.items() if name not in bound}

    def imports_from(self, trees, of):
        """Whether what stands at the beginning of lines imports something of a package, and nothing imports all names."""
        found = [one for tree in trees for one in ast.walk(tree) if isinstance(one, (ast.Import, ast.ImportFrom))]
        if any(alias.name == "*" for one in found for alias in one.names) or re.search(r"\b(globals|exec|eval|locals|builtins)\b", self.text):
            return False
        return any(one in tree.body and of in [name.split(".")[0] for name in (
            [one.module or ""] if isinstance(one, ast.ImportFrom) else [alias.name for alias in one.names])] and not getattr(
                one, "level", 0) for tree in trees for one in found)

    def names_never_bound(self):
        """from numba import jit, and @cuda.jit: a name of a package that the script imports in another way."""
        for name, instead in self.never_bound.items():
            trees = [tree for source, trees in self.tracing.files if source is None for tree in trees]
            used = [one for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Attribute) and isinstance(
                one.value, ast.Name) and one.value.id == name and one.attr in USES_OF_NAMES[name]]
            if used:
                self.mistake(min(used, key=lambda one: (getattr(one, "cell", None) or 0, one.lineno)), "a name that nothing binds", name, instead)

    def look_for_unused_configurations(self, function):
        """config = tf.ConfigProto(…), whose fields are set and which nothing is given."""
        made = {}
        for statement in function.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and isinstance(
                    statement.targets[0], ast.Name) and self.written(statement.value.func).endswith("ConfigProto"):
                made[statement.targets[0].id] = statement
        shown = {id(n) for call in ast.walk(function) if isinstance(call, ast.Call) and getattr(call.func, "id", "") ==
                 "print" for n in ast.walk(call)} if made else ()
        for name, statement in made.items():
            loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name and
                     isinstance(n.ctx, ast.Load) and id(n) not in shown]
            stores = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and
                      isinstance(n.ctx, ast.Store) and re.match(re.escape(name) + r"\.", self.written(n))]
            shared = any(isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in ast.walk(function))
            starts = any("ession" in self.written(n) for n in ast.walk(function) if isinstance(n, ast.Call))
            of_function = isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and stores
            if len(loads) == len(stores) and not shared and (starts or of_function):
                sessions = [n for n in ast.walk(function) if isinstance(n, ast.Call) and
                            re.search(r"\bSession$|\bInteractiveSession$", self.written(n.func))]
                self.unused_configurations.append((stores[-1] if stores else statement, sessions))

    def is_dataset_of_gpu(self, node):
        return isinstance(node, ast.ClassDef) and any("Dataset" in self.written(base) for base in node.bases) and \
            bool(MOVES_ITSELF.search(self.written_whole(node)))

    def full(self, node):
        """'tensorflow.config' for tf.config; None where it can't be known."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        value = self.find(node.id) if isinstance(node, ast.Name) else None
        return self.normal(".".join([value.full] + parts[::-1])) if isinstance(value, Name) else None

    # ---- expressions: each gives what is known of its value

    def value(self, node):
        if node is None:
            return None
        self.step()
        return getattr(self, "of_" + type(node).__name__, self.of_other)(node)

    def step(self):
        self.steps += 1
        if self.steps > MOST_STEPS_OF_ALL:
            raise ValueError("it is too long to be followed")

    def of_other(self, node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.comprehension):
                self.comprehension(child, self.value(child.iter))
        return None

    def comprehension(self, part, over):
        item = self.item_of(over, part.iter)
        if item is None and isinstance(part.iter, ast.Call) and getattr(part.iter.func, "id", "") == "enumerate":
            item = Many([Thing("number", varies=True), None])
        self.assign(part.target, item)
        for test in part.ifs:
            self.value(test)

    def each_known(self, node, over):
        """Of a comprehension over a few values that are known: what each gives, in their order; None: not known."""
        if len(node.generators) != 1 or node.generators[0].ifs:
            return None
        option = isinstance(over, Thing) and over.kind == "option"
        over = over["default"] if option else over
        if not isinstance(over, Many) or over.open or not 0 < len(over.items) <= 8 or not all(
                isinstance(one, Text) for one in over.items):
            return None
        found = []
        for one in over.items:
            self.assign(node.generators[0].target, one)
            found.append(self.value(node.elt))
            if not isinstance(found[-1], (Text, Thing, Place)):
                return None
        known = Many(found)
        return Thing("option", default=known) if option else known

    def of_ListComp(self, node):
        first = node.generators[0]
        over = self.value(first.iter)
        known = None if isinstance(node, ast.SetComp) else self.each_known(node, over)
        if known is not None:
            return known
        self.comprehension(first, over)
        for part in node.generators[1:]:
            self.comprehension(part, self.value(part.iter))
        of = self.find_value(node.generators[0].iter)
        if isinstance(of, Thing) and of.kind == "sequence":  # it runs, and what it does to the members stays
            item = self.value(node.elt)
        else:
            begin = len(self.events)
            with Branch(self, "loop"):
                path = self.path
                item = self.value(node.elt)
                state = dict(item.state) if isinstance(item, Thing) else {}
            self.comes_round(begin, path)
            for key, value in state.items():  # what it did to the members stays
                if item.state.get(key) is not value:
                    self.change(item, key, value)
        if isinstance(item, Thing) and item.kind == "gpu":
            return Thing("gpus", logical=item["logical"], of=item["of"])
        if isinstance(item, Thing) and item.kind == "form" and not isinstance(node, ast.SetComp):
            made = Many([item])
            made.open = True
            return made
        if isinstance(item, Thing) and item.kind in ("number", "host-data") or isinstance(node.elt, ast.Call) and getattr(
                node.elt.func, "id", "") in ("float", "int", "len"):
            return Thing("host-data")
        return Thing("sequence", item=item) if isinstance(item, Thing) and item.kind in ("tensor", "module",
                                                                                                  "ndarray") else None

    of_SetComp = of_GeneratorExp = of_ListComp

    def of_DictComp(self, node):
        over = None
        for part in node.generators:
            over = self.value(part.iter)
            self.comprehension(part, over)
        if len(node.generators) == 1 and not part.ifs and isinstance(over, Many) and over.items and not over.open:
            self.value(node.key)  # it surely comes at least once
            held = self.value(node.value)
        else:
            with Branch(self, "loop"):
                self.value(node.key)
                held = self.value(node.value)
        return Thing("mapping", path=self.path, each=held) if isinstance(held, Thing) and held.kind == "module" else None

    def of_Constant(self, node):
        return Text(node.value) if isinstance(node.value, (str, int, float, bool, type(None))) else None

    def of_Str(self, node):  # of Python 3.7 and older, as the next two
        return Text(node.s)

    def of_Num(self, node):
        return Text(node.n) if isinstance(node.n, (int, float)) else None

    def of_NameConstant(self, node):
        return Text(node.value)

    def of_Name(self, node):
        return self.find(node.id)

    def of_Attribute(self, node):
        name = self.full(node)
        if name is not None:
            self.named(node, name)
            if node is not self.called and isinstance(node.ctx, ast.Load):
                self.removed.name(node, name)
                if self.matters(name):
                    self.note(node, "use", name)
            return Name(name)
        owner = self.value(node.value)
        if isinstance(owner, Thing):
            if owner.kind == "strategy" and node.attr not in ("num_replicas_in_sync", "extended"):
                owner.state["used"] = True
            if node.attr in owner.attributes:
                self.torch.read_in_worker(node, owner.attributes[node.attr])
                return owner.attributes[node.attr]
            given = self.answers.attribute(owner, node.attr)
            if given is not None:
                return given
            if isinstance(node.ctx, ast.Load):
                self.keras.lacks(node, owner, node.attr)
            if owner.kind == "jax-tree" and node is not self.called:
                return Thing("jax-tree", place=owner["place"])
            if node.attr in ("device", "is_cuda") and isinstance(node.ctx, ast.Load):
                self.torch.has_no_device(node, owner)
            if node.attr == "device" and owner["hf"]:
                return Place(owner["device"]) if owner["device"] else None
            if owner.kind in ("outputs", "encoding") and node.attr not in ("to", "items", "values", "keys"):
                return Thing("tensor", device=owner["device"], line=owner["line"], grad=owner["grad"],
                             number=owner["number"] if node.attr in ("logits", "loss", "last_hidden_state") else None)
            if owner["parallel"] and node.attr == "module":
                return self.training.inner(owner)
            self.training.wrapped_member(node, owner)
            if owner.kind in ("tensor", "parameter") and node.attr == "device":
                return Place(owner["device"]) if owner["device"] else None
            if owner.kind == "tensor" and node.attr in ("data", "grad") and owner["grad"]:
                return Thing("tensor", **dict(owner.state, grad=None))
            if owner.kind == "tensor" and node.attr in ("data", "T", "mT", "grad", "H", "real", "imag"):
                return owner
            of = owner["class"]
            method = of.method(node.attr) if of else None
            if method and decorated(method, "property", "cached_property"):
                return self.follow(method, [owner], {}, node)
            if of and not method and owner.kind == "instance" and not owner["escaped"] and not of.has_stranger():
                held = of.held(node.attr)
                if held is not None:
                    return held
            return Bound(owner, node.attr, method)
        if isinstance(owner, Place) and node.attr == "type" and re.match(r"(cuda|cpu)(:\d+)?$", owner.text or ""):
            return Text(owner.text.split(":")[0])
        if isinstance(owner, Class):
            method = owner.method(node.attr)
            if method and decorated(method, "classmethod"):
                return Bound(owner, node.attr, method)
            return method or owner.names.get(node.attr) or Bound(owner, node.attr)
        if isinstance(owner, Many) and node.attr in ("values", "indices") and len(owner.items) == 2:  # x.max(1)
            return owner.items[node.attr == "indices"]
        return Bound(owner, node.attr) if owner is not None else Bound(None, node.attr)

    def named(self, node, name):
        """tf.keras.Sequential is the same as an import, since TensorFlow loads its Keras when it is first used."""
        if not self.tf_keras and (name + ".").startswith("tensorflow.keras."):
            self.tf_keras = True
            event = self.note(node, "import", name)
            if event:
                event["used"] = "yes"  # no statement of import: what follows is reached all the same
        for module in CLOSED:
            member = name[len(module) + 1 :].split(".")[0] if name.startswith(module + ".") else ""
            if member and member not in MEMBERS[module] and not self.matters(name) and not member.startswith("_") and \
                    not difflib.get_close_matches(member, MEMBERS[module], 1, 0.86):
                self.mistake(node, "a name that tf.config lacks", module + "." + member)
        self.never_was(node, name)

    def never_was_in_lambdas(self):
        """Names in the bodies of functions without a name, which only a library calls."""
        for node in self.lambdas:
            taken = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
            for one in ast.walk(node.body):
                root = one
                while isinstance(root, ast.Attribute):
                    root = root.value
                full = self.tracing.full(one) if isinstance(one, ast.Attribute) and isinstance(root, ast.Name) and root.id not in taken else None
                if full and full.split(".")[0] in FRAMEWORKS:
                    self.never_was(one, full)

    def never_was(self, node, name):
        """A name that no release of its framework has had; a newer one may have it."""
        if self.guarded or name in self.own_names or self.matters(name) or self.pinned_for(name):
            return
        for dot in [m.start() for m in re.finditer(r"\.", name)]:
            module, member = name[:dot], name[dot + 1 :].split(".")[0]
            known, whole = self.members.get(module, MEMBERS.get(module)), module + "." + member
            if known is None or member in known or member.startswith("_") or member == "*":
                continue
            if whole in self.own_names or whole in self.above:
                return
            near = difflib.get_close_matches(member, MEMBERS.get(module, ()), 1, 0.86)
            if near:
                self.mistake(node, "a name that %s lacks" % module.split(".")[0], whole, module + "." + near[0])
            if near or module in CLOSED:
                return
            near = difflib.get_close_matches(member, sorted(known), 1, 0.8)
            self.mistake(node, "a name that %s never had" % module.split(".")[0], whole,
                         "; %s.%s exists" % (module, near[0]) if near else "", doubted=True)
            return

    def of_Subscript(self, node):
        owner = self.value(node.value)
        index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
        at = self.value(index)
        if isinstance(owner, Name) and owner.full == "os.environ":
            if isinstance(node.ctx, ast.Load):
                self.variables.read(node, text_of(at))
            return Thing("variable", name=text_of(at))
        if isinstance(owner, Thing):
            if owner.kind in ("gpus", "jax-devices"):
                self.keras.by_rank(node, owner, at)
            if owner.kind == "jax-devices":
                if not isinstance(index, ast.Slice):
                    return self.jaxs.device(owner, at)
                return owner if index.lower is None else Thing("jax-devices", platform=owner["platform"], offset=True)
            if owner.kind in ("jax-tree", "jax-array"):
                return Thing(owner.kind, place=owner["place"])
            if owner.kind == "mapping" and isinstance(at, Text) and isinstance(at.value, str):
                return owner.attributes.get(at.value)
            if owner.kind == "mapping":
                return choice_of(list(owner.attributes.values()))
            if owner.kind == "gpus":
                return owner if isinstance(index, ast.Slice) else Thing(
                    "gpu", logical=owner["logical"], varies=isinstance(at, Thing) and at["varies"],
                    one=isinstance(at, Text), of=owner["of"], index=at)
            if owner.kind in ("ndarray", "moved"):
                return owner
            if owner.kind == "sequence":
                return owner if isinstance(index, ast.Slice) else owner["item"]
            if owner.kind in ("outputs", "encoding"):
                return Thing("tensor", device=owner["device"], line=owner["line"])
            if owner.kind == "batch" and isinstance(at, Text) and isinstance(at.value, str):
                return owner.attributes[at.value] if at.value in owner.attributes else self.item_of(owner, node)
            if owner.kind == "tensor":
                if owner["scalar"] and isinstance(at, Text) and type(at.value) is int:
                    self.mistake(node, "a number taken from a loss by its index", self.written(node))
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                self.torch.indexed(node, owner, at.items if isinstance(at, Many) else [at])
                rows = isinstance(at, Thing) and at.kind == "tensor" and bool(at["device"]) and not any(
                    at[key] for key in ("zero", "scalar", "element"))
                return Thing("tensor",
                             device=owner["device"],
                             line=owner["line"],
                             loader=owner["loader"],
                             cause=owner["cause"],
                             number=owner["number"],
                             grad=owner["grad"],
                             zero=not any(isinstance(part, ast.Slice) for part in parts) and not rows)
        if isinstance(owner, Many) and owner.open:
            return owner if isinstance(index, ast.Slice) else self.item_of(owner)
        if isinstance(owner, Many) and isinstance(at, Text) and isinstance(at.value, int):
            if -len(owner.items) <= at.value < len(owner.items):
                return owner.items[at.value]
        return None

    def of_Dict(self, node):
        known = Thing("mapping", path=self.path)
        for key, value in zip(node.keys, node.values):
            name, held = self.value(key), self.value(value)
            if key is None:
                merge_mapping(known, held)
            elif isinstance(name, Text) and isinstance(name.value, str):
                known.attributes[name.value] = held
                known.nodes[name.value] = key
        if any(name in VARIABLES for name in known.attributes):  # for an environment
            for name in known.attributes:
                self.misspelt(known.nodes[name], name)
        return known

    def of_List(self, node):
        return Many(self.spread_out(node.elts))

    def spread_out(self, nodes):
        """The values of these; of *these all where they are known."""
        found = []
        for node in nodes:
            value = self.value(node)
            starred = isinstance(node, ast.Starred)
            if starred and isinstance(value, Thing) and value.kind == "sequence":
                self.sequences[id(node)] = value
            found += value.items if starred and isinstance(value, Many) else [None if starred else value]
        return found

    of_Tuple = of_List

    def of_Starred(self, node):
        return self.value(node.value)

    def of_JoinedStr(self, node):
        parts, values = [], []
        for part in node.values:
            value = self.value(part.value if isinstance(part, ast.FormattedValue) else part)
            values.append(value)
            plain = not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and part.format_spec is None)
            parts.append(form_of(value) if plain else UNKNOWN)
        return of_rank(text_or_form("".join(parts)), *values)

    def of_UnaryOp(self, node):
        value = self.value(node.operand)
        if isinstance(value, Text):
            if isinstance(node.op, ast.USub) and isinstance(value.value, (int, float)):
                return Text(-value.value)
            if isinstance(node.op, ast.Not):
                return Text(not value.value)
        return value if isinstance(value, Thing) and value.kind == "tensor" else None

    def of_BinOp(self, node):
        spine = [node]  # a + b + c + … leans to the left
        while isinstance(spine[-1].left, ast.BinOp):
            spine.append(spine[-1].left)
        left = self.value(spine[-1].left)
        for one in reversed(spine):
            left = self.both(one, left, self.value(one.right))
        return left

    def both(self, node, left, right):
        said = form_of(left), form_of(right)
        if isinstance(node.op, ast.Add) and is_form(left) + is_form(right) and len(said[0]) < 1000:
            return of_rank(text_or_form(said[0] + said[1]), left, right)
        if isinstance(left, Text) and isinstance(left.value, str) and isinstance(node.op, ast.Mod):
            given = right.items if isinstance(right, Many) else [right]
            try:
                return Text(left.value % tuple(one.value for one in given))
            except (TypeError, ValueError, AttributeError):
                said = re.sub(r"%[di]", NUMBER, left.value)
                return of_rank(text_or_form(re.sub(r"%[-#0 +]*\d*(?:\.\d+)?[a-z]", UNKNOWN, said)),
                               *given) if right is not left else None
        if isinstance(node.op, ast.BitOr) and isinstance(right, Thing) and right.kind == "mapping":
            known = Thing("mapping")
            merge_mapping(known, left)
            merge_mapping(known, right)
            return known
        numbers = [is_number(left), is_number(right)]
        if all(numbers) and isinstance(node.op, ast.Sub):
            self.training.elapsed(node, left, right)
        if all(numbers) and not (isinstance(left, Text) and isinstance(right, Text)):
            return Thing("number", varies=any(isinstance(v, Thing) and v["varies"] for v in (left, right)))
        arrays = [v for v in (left, right) if isinstance(v, Thing) and v.kind in ("jax-array", "jax-tree")]
        if arrays:
            self.jaxs.meet(node, arrays)
            return next((v for v in arrays if v["place"]), arrays[0])
        tensors = [v for v in (left, right) if isinstance(v, Thing) and v.kind == "tensor"]
        if len(tensors) == 2:
            self.torch.meet(node, tensors)
        arrays = [v for v in (left, right) if isinstance(v, Thing) and v.kind == "ndarray"]
        if arrays and not tensors:
            return arrays[0]
        whole = [t for t in tensors if not t["zero"] and not t["scalar"]] or tensors
        if whole and whole[0]["scalar"]:
            return Thing("tensor", device=whole[0]["device"], line=whole[0]["line"])
        return whole[0] if whole else None

    def of_BoolOp(self, node):
        self.conditions.either(node)
        self.conditions.flag_and_there(node)
        guards = bool(re.search(r"hasattr|version|VERSION", self.words_of(node)))
        self.guarded += guards
        values = [self.value(v) for v in node.values]
        self.guarded -= guards
        for one in node.values:
            self.truth_of(one)
        ends = isinstance(node.op, ast.Or)  # the first of this truth is the value
        for number, one in enumerate(values):
            if isinstance(one, Text) and bool(one.value) == ends:
                return one if all(
                    isinstance(v, Text) for v in values[:number]) else Text(ends) if self.deciding else None
        if all(isinstance(v, Thing) and v.kind == "gpus" for v in values):  # of GPUs, or else of CPUs
            return Thing("gpus", logical=values[0]["logical"] and values[-1]["logical"])
        left = [one for one in values if not isinstance(one, Text)]  # device or torch.device("cuda"), of a parameter that is None
        if len(left) == 1 and left[0] is values[-1] and not self.deciding:
            return left[0]
        return values[-1] if all(isinstance(v, Text) for v in values) else None

    def of_Compare(self, node):
        left = self.value(node.left)
        rights = [self.value(c) for c in node.comparators]
        tensors = [v for v in [left] + rights if isinstance(v, Thing) and v.kind == "tensor"]
        if len(tensors) == 2 == 1 + len(rights) and not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            self.torch.meet(node, tensors)
            return Thing("tensor", device=tensors[0]["device"], line=tensors[0]["line"], cause=tensors[0]["cause"])
        if len(rights) == 1 and isinstance(left, Thing) and left.kind == "tensor" and is_number(rights[0]):
            return Thing("tensor", device=left["device"], line=left["line"])
        self.compared(node, left, rights)
        if len(rights) != 1 or not isinstance(left, Text):
            return None
        op, right = type(node.ops[0]).__name__, rights[0]
        if isinstance(right, Text):
            if op in ("Eq", "Is"):
                return Text(left.value == right.value)
            if op in ("NotEq", "IsNot"):
                return Text(left.value != right.value)
            if op in ("In", "NotIn") and isinstance(left.value, str) and isinstance(right.value, str):
                return Text((left.value in right.value) == (op == "In"))
        if isinstance(right, Many) and op in ("In", "NotIn") and all(isinstance(i, Text) for i in right.items):
            return Text(any(left.value == i.value for i in right.items) == (op == "In"))
        return None

    def compared(self, node, left, rights):
        """device == "cuda" of a torch.device: it equals no text."""
        if len(rights) == 1:
            self.answers.compared(node, left, rights[0])
        if len(rights) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            return self.conditions.compared(node, left, rights)
        one, other = left, rights[0]
        if isinstance(other, Place) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            one, other = other, one
        texts = other.items if isinstance(other, Many) else [other]
        if isinstance(one, Place) and not one.said and texts and all(
                isinstance(t, Text) and isinstance(t.value, str) for t in texts):
            self.mistake(node, "a device that is compared with a text", self.written(node))
        self.conditions.compared(node, left, rights)

    def of_IfExp(self, node):
        test = self.decide(node.test)
        if isinstance(test, Text):
            return self.value(node.body if test.value else node.orelse)
        if isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], (ast.Is, ast.IsNot)) and getattr(
                node.test.comparators[0], "value", "") is None:
            of = self.find_value(node.test.left)
            if isinstance(of, Thing) and of.kind in ("host-data", "tensor"):  # it is something
                return self.value(node.body if isinstance(node.test.ops[0], ast.IsNot) else node.orelse)
        guards = bool(re.search(r"hasattr|version|VERSION", self.words_of(node.test)))
        self.guarded += guards
        with Branch(self, "a"):
            one = self.value(node.body)
        with Branch(self, "b"):
            other = self.value(node.orelse)
        self.guarded -= guards
        self.conditions.chosen(node, node.test, one, other)
        return join(one, other)

    def truth_of(self, node, decides=False):
        """What decides as true or false by itself."""
        while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node = node.operand
        if self.deciding or decides:
            self.answers.true_of(node)
        self.asked_without_brackets(node)

    def asked_without_brackets(self, node):
        """if torch.cuda.is_available: a function is always true."""
        if isinstance(node, (ast.Attribute, ast.Name)) and self.full(node) in ASKED:
            self.mistake(node, "a question without its brackets", self.full(node))

    def of_NamedExpr(self, node):
        value = self.value(node.value)
        self.assign(node.target, value)
        return value

    def of_Lambda(self, node):
        if not self.guarded and not self.source:
            self.lambdas.append(node)
        return Function(node, self.scope)

    def of_Await(self, node):
        return self.value(node.value)

    def of_Call(self, node):
        self.called = node.func
        called = self.value(node.func)
        values = self.spread_out(node.args)
        words = Words()
        for keyword in node.keywords:
            given = self.value(keyword.value)
            if keyword.arg is None and isinstance(given, Thing) and given.kind == "mapping":
                words.update(given.attributes)
                words.nodes.update(given.nodes)
            else:
                words[keyword.arg] = given
        if isinstance(called, (Name, Bound)) and any(is_default(one, called) for one in values + list(words.values())):
            return self.call_by_default(node, called, values, words)
        if isinstance(called, (Name, Function, Class, Bound, Thing)):
            return self.call_value(node, called, values, words)
        if isinstance(node.func, ast.Name) and node.func.id == "setattr" and len(values) == 3:
            self.set_member(*values)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "tolist" and not node.args:
            return Thing("host-data")
        if not isinstance(node.func, ast.Name) or node.func.id not in BUILTINS:
            self.hand_over(values + list(words.values()), node)
            for one in values:
                if isinstance(one, Thing) and one.kind == "tensor":
                    self.training.works(one["device"])
        if isinstance(node.func, ast.Name) and node.func.id == "dict":
            known = Thing("mapping", path=self.path)
            merge_mapping(known, values[0] if values else None)
            known.attributes.update({name: value for name, value in words.items() if name})
            known.nodes.update({keyword.arg: keyword.value for keyword in node.keywords})
            return known
        if isinstance(node.func, ast.Name) and node.func.id in ("str", "int") and len(values) == 1 and text_of(
                values[0]):
            try:
                return Text(str(values[0].value) if node.func.id == "str" else int(values[0].value))
            except ValueError:
                return None
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(values) == 2 and isinstance(
                values[0], Name) and values[0].full == "torch":  # getattr(torch, args.dtype), as it is where nothing is said
            of = values[1]["default"] if isinstance(values[1], Thing) and values[1].kind == "option" else values[1]
            return Name("torch." + text_of(of)) if text_of(of) in NUMBER_NAMES else None
        if isinstance(node.func, ast.Name) and node.func.id == "bool" and len(node.args) == 1:
            self.answers.true_of(node.args[0])
        if isinstance(node.func, ast.Name) and node.func.id == "str" and len(values) == 1:
            said = self.answers.as_text(values[0])
            if said is not None:
                return said
        if isinstance(node.func, ast.Name) and node.func.id == "zip" and values and all(
                isinstance(v, Many) and len(v.items) == len(values[0].items) for v in values):
            return Many([Many(list(row)) for row in zip(*(v.items for v in values))])
        if isinstance(node.func, ast.Name) and node.func.id == "zip" and values:
            return Thing("zipped", items=values)
        if isinstance(node.func, ast.Name) and node.func.id == "str" and len(values) == 1 and is_number(values[0]):
            return Thing("form", text=NUMBER, rank=isinstance(values[0], Thing) and values[0]["rank"], horovod=isinstance(values[0], Thing) and values[0]["horovod"])
        if isinstance(node.func, ast.Name) and node.func.id == "len" and len(values) == 1:
            self.counted(node, values[0])
        if isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "range"):
            of = values[0] if values and isinstance(values[0], Thing) and node.func.id == "int" else None
            return Thing("range" if node.func.id == "range" else "number",
                         rank=of is not None and (of.kind.startswith("variable") and of["name"] in RANKS_OF_ALL or
                                                  of.kind == "number" and of["rank"]),
                         varies=of is not None and of["varies"])
        if isinstance(node.func, ast.Name) and node.func.id == "tuple" and values and isinstance(values[0], Thing) and \
                values[0].kind == "sequence":
            return values[0]
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple") and values and isinstance(
                values[0], Many):
            made = Many(list(values[0].items))
            made.open = values[0].open
            return made
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "iter", "enumerate", "tqdm", "sorted", "next"):
            return self.through(node.func.id, values)
        return None

    def counted(self, node, of):
        """len(tf.config.list_physical_devices('GPU')), which counts hidden GPUs as well."""
        listed = isinstance(node.args[0], ast.Call) and (self.full(node.args[0].func) or "").endswith("list_physical_devices")
        # What stands under `if gpus:` runs wherever there is a GPU to hide.
        hiding = [(tuple(step for step in path if step not in self.with_listed), at) for path, at in self.hidden_in_part]
        before = [at for path, at in hiding if self.path[: len(path)] == path]
        if listed and before and isinstance(of, Thing) and of.kind == "gpus" and not self.deciding:
            self.mistake(node, "a count of GPUs that are hidden", self.written(node), other=before[0])

    @staticmethod
    def set_member(owner, name, value):
        """setattr(owner, name, value): where the name is not known, it may be any of the members."""
        if isinstance(owner, Thing):
            said = text_of(name)
            for one in list(owner.attributes) if said is None else [said]:
                owner.attributes[one] = value if said is not None else None

    def through(self, function, values):
        first = values[0] if values else None
        if function == "next":
            return self.item_of(first)
        if function == "enumerate" and isinstance(first, Many):
            return Many([Many([Text(number), item]) for number, item in enumerate(first.items)])
        return Thing("enumerate", of=first) if function == "enumerate" and first is not None else first

    def ipython(self, node, name, texts):
        """get_ipython().run_line_magic('time', 'x = 1'), as exports of notebooks have it."""
        if name in ("run_line_magic", "magic"):
            source = without_magic("%" + " ".join(texts))
        elif name in ("system", "getoutput"):
            source = without_magic("!" + " ".join(texts))
        elif name == "run_cell_magic" and len(texts) == 3 and texts[0] in PYTHON_CELLS:
            source = texts[2]
        else:
            return
        try:
            body = parsed(source).body
        except SyntaxError:
            return
        for inner in (inner for statement in body for inner in ast.walk(statement) if hasattr(inner, "lineno")):
            inner.lineno = node.lineno
            inner.cell = getattr(node, "cell", self.cell)
        self.statements(body)

    def call_name(self, node, name, values, words):
        first = text_of(values[0]) if values else None
        if name in CHILDREN and is_form(values[0] if values else None) and INSTALLS.match(form_of(values[0])):
            return installs(self, node, form_of(values[0]))
        self.given.call(node, name, values, words)
        self.variables.call(node, name)
        self.training.call(node, name, values, words)
        if name in CHILDREN:
            self.starts_programs = True
            self.children.start(node, name, values, words)
        if name in ("os.environ.setdefault", "os.putenv", "os.environ.__setitem__") and len(values) > 1:
            doubted = name.endswith("default")
            self.set_variable(node, first, values[1], doubted)
        elif name == "os.environ.update":
            for keyword in node.keywords:
                self.set_variable(node, keyword.arg, words.get(keyword.arg), at=keyword.value)
            if node.args and isinstance(node.args[0], ast.Dict):
                self.update(node, node.args[0])
            elif values and isinstance(values[0], Thing) and values[0].kind == "mapping":
                self.update_all(node, values[0])
            elif values and isinstance(values[0], Thing) and values[0]["mappings"]:
                self.for_each_choice(values[0], lambda one: self.update_all(node, one))
        elif self.matters(name) or name.startswith("jax."):
            self.jax(node, name, values, words)
            if self.matters(name) and not self.is_same_setting(node, name):
                event = self.note(node, "call", name, self.arguments(node, values))
                given = values[0].items if values and isinstance(values[0], Many) else values[:1]
                if event and name.startswith("tensorflow.config.") and any(
                        isinstance(v, Thing) and v.kind == "gpu" and v["varies"] for v in given):
                    self.varying.append(event)
        if name in ("os.environ.copy", "copy.copy", "copy.deepcopy") and (values or name[0] == "o"):
            if name[0] == "o" or isinstance(values[0], Name) and values[0].full == "os.environ":
                return Thing("mapping", environment=True, path=self.path)
        if name == "shlex.split" and values and is_form(values[0]):
            return self.of_text(values[0], "split", [], {})
        if name in CLOCKS:
            return self.training.reads_clock(node, name)
        if name in NUMBERS:
            return Thing("number", rank=name == "torch.distributed.get_rank", process=name == "jax.process_index",
                         current=name == "torch.cuda.current_device")
        if name in ("os.environ.get", "os.getenv") and first:
            self.variables.read(node, first)
            plain = len(values) == 1 and not words
            return Thing("variable" if plain else "variable or default", name=first,
                         default=values[1] if len(values) > 1 else words.get("default"),
                         texts=len(values) > 1 and isinstance(values[1], Text) and isinstance(values[1].value, str))
        if name in RUNNERS and values and isinstance(values[0], Function):
            return self.follow(values[0], [], {}, node)
        if name.rsplit(".", 1)[-1] in ("tqdm", "trange") and values:
            return values[0]
        if values and TO_NUMPY.match(name):
            whole = name in ("numpy.array", "numpy.asarray") or not name.startswith("numpy.")
            for one in values[:1 if name.startswith("numpy.") else 2]:
                if whole or isinstance(one, Many):
                    self.torch.to_numpy(node, one)
        if name == "functools.partial" and values and (len(values) > 1 or words):
            if isinstance(values[0], Name):
                self.jax(node, values[0].full, values[1:], words)
                if values[0].full.startswith("jax."):
                    self.jaxs.call(node, values[0].full, [None] + values[1:], words)
            return Thing("partial", of=values[0], given=values[1:], words=words)
        if name == "dataclasses.field":
            made = words.get("default_factory")
            if isinstance(made, Class):
                return self.make(made, [], {}, node)
            return self.follow(made, [], {}, node) if isinstance(made, Function) else words.get("default")
        if name == "dataclasses.asdict" and values and isinstance(values[0], Thing) and values[0]["fields"]:
            made = Thing("mapping", path=self.path)
            made.attributes = dict(values[0].attributes)
            return made
        if name in ("functools.partial", "itertools.cycle", "copy.deepcopy", "copy.copy") and values:
            return values[0] if name != "copy.deepcopy" else self.torch.copied(node, values[0])
        self.removed.name(node.func, name)
        self.removed.call(node, name, words)
        own = self.keras.call(node, name, values, words)
        made = self.tensorflow(node, name, values, words)
        for known in (own, self.jaxs.call(node, name, values, words), self.answers.call(name)):
            made = known if made is None else made
        if made is None:
            made = self.torch.call(node, name, values, words)
        if made is None:
            made = self.libraries.call(node, name, values, words)
        if made is None:
            self.hand_over(values + list(words.values()), node, name.rsplit(".", 1)[-1] in SPAWNERS, self.given_to_target(node, words))
        return made

    def given_to_target(self, node, words):
        """What Process(target=f, args=(…)) gives to f."""
        return self.items_of(words.get("args"), self.keyword_of(node, "args")) if isinstance(words.get("target"), Function) else []

    @staticmethod
    def items_of(given, written):
        """What args=(…) holds for a function of another process; nothing where a * hides how many there are."""
        plain = not any(isinstance(one, ast.Starred) for one in getattr(written, "elts", ()))
        return list(given.items) if isinstance(given, Many) and plain else []

    def hand_over(self, values, node, spawned=False, given=()):
        """What a foreign function gets it may change; a function that another process is given starts anew there."""
        for value in values:
            if isinstance(value, Many):
                self.hand_over(value.items, node, spawned)
            if isinstance(value, Thing) and value.kind == "partial":
                value = value["of"]
            if isinstance(value, Function) and spawned and not value.followed:
                value.followed = True
                before, self.path = self.path, ("p%d:" % node.lineno,)
                self.follow(value, list(given), {}, node, forced=True)
                self.path = before
            if isinstance(value, Thing):
                if value.kind == "mapping":
                    value.attributes.clear()
                if value.kind == "sequence":
                    self.change(value["item"], "device", None)
                    self.hand_over([value["item"]], node, spawned)
                self.change(value, "escaped", True)
                self.change(value, "late", None)
                if value.kind in ("instance", "module") and (value["class"] or value["hf"]):
                    self.change(value, "device", None)

    # ---- TensorFlow, Keras and JAX

    def tensorflow(self, node, name, values, words):
        parts = name.split(".")
        if parts[0] not in ("tensorflow", "keras", "tf_keras"):
            return None
        last = parts[-1]
        if name in ("tensorflow.device", "tensorflow.compat.v1.device") and values:
            for said in self.texts_of(node.args[0], values[0]):
                if not TF_DEVICE.match(said):
                    self.mistake(node, "tf.device of a name that is none", said)
        if "layers" in parts and text_of(words.get("dtype")) and not POLICY.match(text_of(words["dtype"])):
            self.mistake(node, "a policy that Keras doesn't know", text_of(words["dtype"]))
        if "layers" in parts and last == "Dense" and text_of(words.get("activation")) == "softmax" and \
                "dtype" not in words and self.policy and self.policy[0] == "mixed_float16":
            self.mistake(node, "a softmax in float16", self.written(node))
        if last in LISTS_DEVICES or last == "set_visible_devices":
            self.kind_of_device(node, values[last == "set_visible_devices" :][:1] or [words.get("device_type")])
        if last == "set_floatx" and values and isinstance(values[0], Text) and values[0].value not in FLOATX:
            self.mistake(node, "a floatx that Keras doesn't know", text_of(values[0]) or "None")
        if last in MIRRORED[:1] + ("OneDeviceStrategy",) and parts[0] == "tensorflow":
            self.strategy_devices(node, values[0] if values else words.get("devices", words.get("device")))
        if last == "set_visible_devices" and values and isinstance(values[0], Many) and not values[0].items and \
                not values[0].open and \
                (len(values) < 2 or text_of(values[1]) != "CPU"):
            self.hidden.append(self.path)
        if last == "set_visible_devices" and node.args and isinstance(node.args[0], ast.Subscript) and (
                len(values) < 2 or text_of(values[1]) == "GPU"):
            self.hidden_in_part.append((self.path, node))
        if last == "list_physical_devices" and (not values or text_of(values[0]) == "GPU") and \
                any(self.path[: len(path)] == path for path in self.hidden):
            self.listed_after_hiding.append((node, self.path, self.source))
        if last in ("get_visible_devices", "list_logical_devices"):
            self.asked_visible = True
        if last in POLICIES and ("mixed_precision" in name or "config" in parts or last == "DTypePolicy") and values:
            option = isinstance(values[0], Thing) and values[0].kind == "option"
            policy = text_of(values[0]["default"] if option else values[0])
            if policy and not POLICY.match(policy):
                self.mistake(node, "a policy that Keras doesn't know", policy, doubted=option)
            elif policy and last in POLICIES[:3]:
                self.policy = (policy, node, self.source, list(self.calls))
        if last in ("list_physical_devices", "get_visible_devices", "list_logical_devices"):
            return Thing("gpus", logical=last == "list_logical_devices",
                         of=text_of(values[0] if values else words.get("device_type")))
        if last == "set_memory_growth" and values:
            one = values[0]
            if isinstance(one, Thing) and (one.kind == "gpus" or one["logical"]) or isinstance(one, (Many, Text)):
                self.mistake(node, "set_memory_growth of what is no physical device", self.written(node.args[0]))
        named = values[0].items if values and isinstance(values[0], Many) else values[:1]
        if last in ("set_visible_devices", "set_memory_growth", "set_logical_device_configuration",
                    "set_virtual_device_configuration") and any(
                        form_of(one).startswith(("/physical_device:", "/device:")) and isinstance(one, Thing)
                        for one in named):
            self.mistake(node, "set_visible_devices of a text", self.written(node.args[0]))
        limit = words.get("memory_limit", values[0] if values else None)
        if last in ("LogicalDeviceConfiguration", "VirtualDeviceConfiguration") and isinstance(limit, Text) and \
                isinstance(limit.value, (int, float)) and 0 < limit.value < 16:
            self.mistake(self.keyword_of(node, "memory_limit"), "a limit of memory that is a fraction",
                         "memory_limit=%s" % limit.value)
        counts = words.get("device_count")
        for kind in counts.attributes if last == "ConfigProto" and isinstance(counts, Thing) and \
                counts.kind == "mapping" else ():
            if kind.upper() in ("GPU", "CPU", "TPU") and kind != kind.upper():
                self.mistake(counts.nodes.get(kind, node), "a count of devices that there are none of", kind)
        if last == "LossScaleOptimizer" and parts[0] in ("keras", "tensorflow") and "experimental" not in parts:
            if "loss_scale" in words:
                self.mistake(self.keyword_of(node, "loss_scale"), "an argument that Keras 3 lacks", "loss_scale", "LossScaleOptimizer")
            return Thing("loss-scale", keras=parts[0])
        if last in ("set_memory_growth", "set_logical_device_configuration", "set_virtual_device_configuration"):
            self.growth_and_limit(node, last == "set_memory_growth", values)
        if last == "set_visible_devices" and values and is_form(values[0]) and "GPU" in form_of(values[0]):
            self.mistake(node, "set_visible_devices of a text", self.written(node.args[0]))
        if len(parts) > 2 and parts[-2] in OLD_ARGUMENTS and last[:1].isupper(
        ) and "legacy" not in parts and "v1" not in parts:
            self.old_arguments(node, parts[-2], words)
        if last == "Model" and not values:
            self.old_arguments(node, last, words)
        if last in MODEL_MAKERS or "applications" in parts:
            functional = last == "Model" or "applications" in parts or last in ("load_model", "clone_model")
            built = functional or self.has_input(node)
            if built:
                self.note(node, "call", "tensorflow.keras.built")
                self.keras.built.append((node, self.path, self.source))
            fresh = last in ("Sequential", "Model") and built or "applications" in parts
            return Thing("keras-model", line=node.lineno, under=self.device, keras=parts[0],
                         calls=self.calls + [(node, self.source)],
                         policy=self.policy[0] if self.policy else "float32" if fresh else None)
        if "layers" in parts and last[:1].isupper() and last not in ("Input", "InputLayer"):
            return Thing("layer", keras=parts[0])
        if last == "Input" and parts[-2] in ("keras", "layers", "tf_keras"):
            return Thing("symbol")
        if last.endswith("Strategy"):
            made = Thing("strategy", name=last)
            if last in MIRRORED:
                given = values[0] if values else words.get("devices")
                made.state["several"] = not values and "devices" not in words or isinstance(
                    given, Many) and len({text_of(one) for one in given.items}) > 1
                self.strategies.append((node, made, self.source))
            return made
        return None

    def is_same_setting(self, node, name):
        """A function that configures devices as it did before: TensorFlow takes that at any time."""
        if not self.inside or not name.startswith("tensorflow.config.") or isinstance(self.inside[-1].node, ast.Lambda):
            return False
        parameters = self.inside[-1].node.args
        given = [self.scope.names.get(one.arg) for one in parameters.args + parameters.kwonlyargs]
        before = self.settled.get(node)
        self.settled[node] = given
        if any(isinstance(one, Thing) and one["varies"] for one in given):
            return False
        return before is not None and len(before) == len(given) and all(
            one is not None and same(one, other) for one, other in zip(before, given))

    def growth_and_limit(self, node, grows, values):
        """A GPU whose memory was limited may not grow; the other way round TensorFlow takes it."""
        if not node.args:
            return
        of = node.args[0]
        if not grows and "memory_limit" in self.words_of(node):
            self.limited.append((self.path, of))
        if not grows or len(values) > 1 and isinstance(values[1], Text) and not values[1].value:
            return
        gpu = values[0] if values else None
        one = isinstance(gpu, Thing) and gpu.kind == "gpu" and gpu["one"]
        self.grown.append((node if one else None, self.source))
        for path, first in self.limited:
            apart = isinstance(of, ast.Subscript) and isinstance(first, ast.Subscript) and \
                self.written(of) != self.written(first)
            if self.path[: len(path)] == path and not apart:
                self.mistake(node, "growth of limited memory", self.written(node.func))

    def texts_of(self, node, value):
        """What an expression may be: its text, or all of a dictionary or list where one is taken by a name."""
        found = value["items"] if isinstance(value, Thing) and value.kind == "texts" else [value]
        if value is None and isinstance(node, ast.Subscript):
            of = self.find_value(node.value)
            found = of.items if isinstance(of, Many) else list(of.attributes.values()) if isinstance(
                of, Thing) and of.kind == "mapping" else []
        return [form_of(one).replace(NUMBER, "0") for one in found if is_form(one) and UNKNOWN not in form_of(one)]

    def kind_of_device(self, node, values):
        """list_physical_devices('gpu') gives an empty list: kinds are upper case."""
        kind = text_of(values[0])
        if kind and re.match(r"/?(device:)?(cpu|gpu|tpu|cuda)(:\d+)?$", kind,
                             re.I) and kind not in ("CPU", "GPU", "TPU"):
            self.mistake(node, "a kind of device that TensorFlow doesn't know", kind)

    def strategy_devices(self, node, devices):
        for one in devices.items if isinstance(devices, Many) else [devices]:
            if isinstance(one, Text) and isinstance(one.value, str) and not TF_DEVICE.match(one.value):
                self.mistake(node, "a strategy over what is no device", repr(one.value))
            elif isinstance(one, Text) and type(one.value) is int:
                self.mistake(node, "a strategy over what is no device", str(one.value))

    def old_arguments(self, node, of, words):
        for word in OLD_ARGUMENTS[of]:
            if word in words:
                self.mistake(self.keyword_of(node, word), "an argument that Keras 3 lacks", word, {
                    "optimizers": "optimizers",
                    "layers": "layers",
                    "Model": "Model"
                }.get(of, "fit"))
                return

    def has_input(self, node):
        """Whether a Sequential has what it needs to make its variables at once."""
        text = self.written(node)
        return "input_shape=" in text or "Input(" in text or "input_dim=" in text or "batch_input_shape" in text

    def jax(self, node, name, values, words):
        if name.startswith("jax.numpy.") or name in ("jax.device_put",):
            kinds = list(words.values()) + values[1:]
            if any(isinstance(k, Name) and k.full.endswith("float64") for k in kinds) or \
                    any(isinstance(k, Text) and k.value == "float64" for k in kinds):
                self.float64.append((node, self.source))
        if name == "jax.device_put" and (len(values) > 1 or "device" in words):
            where = values[1] if len(values) > 1 else words["device"]
            several = where["items"] if isinstance(where, Thing) and where.kind == "texts" else []
            if isinstance(where, Text) and isinstance(where.value, str):
                self.mistake(node, "jax.device_put to a text", where.value)
            elif several and all(is_form(one) for one in several) or isinstance(where, Place) and where.said and where.text:
                said = where.text.split("|")[0] if isinstance(where, Place) else form_of(several[0])
                self.mistake(node, "jax.device_put to a text", said.replace(UNKNOWN, "…").replace(NUMBER, "0"))
        if name in ("jax.devices", "jax.local_devices", "jax.device_count", "jax.local_device_count"):
            said = words.get("backend", values[0] if values and name == "jax.devices" else None)
            option = isinstance(said, Thing) and said.kind == "option"
            platform = text_of(said["default"] if option else said)
            if platform and (":" in platform or
                             platform != platform.lower() and platform.lower() in ("cpu", "gpu", "tpu")):
                self.mistake(node, "a platform that JAX doesn't know", self.written(node), doubted=option)
        option = text_of(values[0]) if name == "jax.config.update" and values else None
        known = self.members.get("JAX_OPTIONS", set())
        if option and option not in JAX_OPTIONS and option not in known:
            near = difflib.get_close_matches(option, sorted(known.union(JAX_OPTIONS)), 1, 0.93)
            if near and not option.startswith(near[0]) or known and not option.startswith("jax_experimental"):
                near = near or difflib.get_close_matches(option, sorted(known), 1, 0.6) or ["one that it lists"]
                self.mistake(node, "an option that JAX lacks", option, near[0], doubted=near[0] in known)
        if option in ("jax_platforms", "jax_platform_name") and len(values) > 1:
            self.not_taken(node, option.upper(), values[1])
            self.jaxs.platforms(node, option, text_of(values[1]) or "")
        if option == "jax_enable_x64" and len(values) > 1 and isinstance(values[1], Text) and values[1].value is True:
            self.jaxs.wide_too_late(node)
        if re.match(r"jax\.numpy\.(array|asarray|linspace|zeros|ones|full|eye)$", name) and not self.path:
            self.jaxs.made_narrow.append((node, self.source))
        if option == "jax_num_cpu_devices":
            self.note(node, "call", "jax.config.update of jax_num_cpu_devices")
        if option == "jax_default_device" and len(values) > 1:
            self.jaxs.default_device(node, values[1:])
        if option == "jax_platform":
            self.mistake(node, "an option that JAX lacks", option, "jax_platforms")
        if name == "jax.config.update" and len(values) > 1 and text_of(values[0]) == "jax_default_matmul_precision":
            said = values[1]["items"] if isinstance(values[1], Thing) and values[1].kind == "texts" else [values[1]]
            wrong = [one for one in map(text_of, said) if one and one not in JAX_PRECISIONS and
                     not re.match(r"(ANY_)?B?T?F[0-9]+_", one)]
            if isinstance(values[1], Name) and values[1].full.startswith("jax.lax.Precision.") or wrong:
                self.mistake(node, "a precision that JAX doesn't know", repr(wrong[0]) if wrong else
                             self.written(node.args[1]), doubted=len(said) > 1)
        if name == "jax.default_device" and values and ":" in (text_of(values[0]) or ""):
            self.mistake(node, "a platform that JAX doesn't know", self.written(node))
        if name in ("jax.jit", "jax.pmap") and ("device" in words or "backend" in words) and name == "jax.jit":
            self.mistake(node, "jax.jit with device= or backend=", self.arguments(node))

    def uses_float64(self):
        """Without x64 JAX makes float32 of it, with a warning that is easy to miss."""
        on = any(("x64" in e.get("value", "") and not e.get("value", "").rstrip(")").endswith("False")) or
                 "ENABLE_X64" in e["name"] or not hasattr(ast, "unparse") for e in self.events
                 if e["subject"] in ("script-call", "script-set-variable"))
        if not on:
            for node, source in self.float64:
                self.source = source
                named = self.tracing.constants.get(self.written(node.value if isinstance(node, ast.keyword) else node))
                kind = self.kind_by_name(node)
                if kind is not None:  # DTYPE = jnp.float64, which several calls are given
                    self.mistake(kind, "float64 in JAX without x64", self.written(kind), other=node)
                else:
                    self.mistake(node, "float64 in JAX without x64", self.written(node), other=named)

    def kind_by_name(self, node):
        """What the name of a kind stands for, which a call is given: jnp.float64, of DTYPE."""
        given = node.args + [k.value for k in node.keywords] if isinstance(node, ast.Call) else []
        for one in given:
            of = self.tracing.constants.get(one.id) if isinstance(one, ast.Name) else None
            if isinstance(of, (ast.Attribute, ast.Constant)) and self.written(of).rstrip("'").endswith("float64"):
                return of
        return None

    # ---- calls

    def call_method(self, node, bound, values, words):
        thing, attribute = bound.thing, bound.name
        if isinstance(bound.value, Function):
            if decorated(bound.value, "classmethod") and isinstance(thing, Thing):
                thing = thing["class"]
            first = [] if decorated(bound.value, "staticmethod") else [thing]
            return self.follow(bound.value, first + values, words, node)
        if self.is_super(node) and self.inside and self.inside[-1].owner:
            for parent in self.inside[-1].owner.parents:
                method = parent.method(attribute)
                if method:
                    return self.follow(method, [self.scope.names.get("self")] + values, words, node)
        if attribute in ("to", "cuda") and values and text_of(values[0]) is not None:
            self.note(node, "call", "." + attribute, text_of(values[0]))
        if attribute == "pop" and values:
            self.take_out(thing, values[0])
        if isinstance(thing, Many) and attribute in ("append", "extend", "insert", "pop", "remove", "clear"):
            return self.grow(thing, attribute, values)
        if is_form(thing) and attribute in ("format", "split", "strip", "lower", "upper"):
            return self.of_text(thing, attribute, values, words)
        if isinstance(thing, Thing) and thing.kind == "option" and is_form(thing["default"]) and attribute in ("split", "strip"):
            return Thing("option", default=self.of_text(thing["default"], attribute, values, words))
        if isinstance(thing, Text) and isinstance(thing.value, str) and attribute == "join" and values:
            return self.answers.join(node, thing.value, values[0])
        of = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(of, ast.Call) and getattr(of.func, "id", "") == "get_ipython":
            texts = [v.value for v in values if isinstance(v, Text) and isinstance(v.value, str)]
            return self.ipython(node, attribute, texts) if len(texts) == len(values) else None
        for part in (self.keras, self.jaxs) if isinstance(thing, Thing) else ():
            known, answer = part.method(node, thing, attribute, values, words)
            if known:
                return answer
        if isinstance(thing, Thing):
            if thing.kind in ("keras-model", "layer") or (attribute == "compile" and thing.kind == "instance"):
                return self.keras_method(node, thing, attribute, words)
            if thing.kind == "strategy" and attribute in ("run", "experimental_run_v2") and values:
                return self.follow(values[0], [], {}, node) if isinstance(values[0], Function) else None
            if thing.kind == "gpus":
                return None
            if thing.kind == "parser":
                return self.of_parser(node, thing, attribute, values, words)
            if thing.kind == "mapping" and attribute == "update":
                merge_mapping(thing, values[0] if values else None, not values or bool(self.journal))
                thing.attributes.update({} if self.journal else {n: v for n, v in words.items() if n})
                return None
            if thing.kind == "mapping" and attribute == "get" and values and not isinstance(values[0], Text):
                return choice_of(list(thing.attributes.values()))
            if thing.kind == "mapping" and attribute == "get" and values and isinstance(values[0].value, str) and \
                    values[0].value in thing.attributes:
                return thing.attributes[values[0].value]
            if thing.kind == "mapping" and attribute in ("values", "items") and thing.attributes:
                return self.members_of(thing, attribute)
            if thing["mappings"] and attribute == "items":
                return Thing("choice", items=[], mappings=thing["mappings"], way=attribute)
            if thing.kind == "encoding" and attribute in ("pop", "get"):
                return Thing("tensor", device=thing["device"], line=node.lineno)
            if thing.kind in ("batch", "encoding") and attribute in ("values", "items"):
                item = self.item_of(thing, node)
                return Thing("sequence", item=item if attribute == "values" else Many([None, item]))
            if thing.kind == "mapping" and attribute not in ("get", "items", "keys", "values"):
                thing.attributes.clear()
            if thing.kind in ("jax-array", "jax-tree") and attribute in ("device", "device_buffer") and not values and \
                    not words:
                return self.mistake(node, "a JAX array's device()", self.written(node))
        elif attribute == "compile" and isinstance(node.func.value, ast.Name) and "optimizer" in words:
            made = Thing("keras-model", line=node.lineno, under=self.device)  # whoever made it
            self.scope.names[node.func.value.id] = made
            return self.keras_method(node, made, attribute, words)
        if attribute in ("fit_generator", "predict_generator", "evaluate_generator", "predict_classes"):
            self.note(node, "call", "tensorflow.keras.Model." + attribute,
                      self.arguments(node))  # Keras alone has these
        if attribute in ("get_gradients", "get_updates") and self.keras.roots & {"tensorflow", "keras"} and \
                "optim" in self.written(node.func.value).lower():
            self.note(node, "call", "tensorflow.keras.optimizers.Optimizer." + attribute, self.arguments(node))
        if attribute == "device" and not values and not words and not isinstance(thing, Thing) and \
                "jax" in self.keras.roots and not self.keras.roots & {"torch", "tensorflow", "cupy", "numba"}:
            self.mistake(node, "a JAX array's device()", self.written(node), doubted=True)
        if attribute in ("getint", "getfloat") and values:  # of a configparser
            return Thing("number")
        if attribute == "getsockname" and not values:  # of a socket: (address, port)
            return Many([None, Thing("number")])
        if attribute == "astype":
            kinds = values[:1]
            if any(isinstance(k, Name) and k.full == "jax.numpy.float64" for k in kinds):
                self.float64.append((node, self.source))
            made = self.libraries.cast(thing, node, kinds[0] if kinds else words.get("dtype"))
            if made is not None:
                return made
        self.given.method(node, thing, attribute, values, words)
        if isinstance(thing, Thing):
            self.removed.method(node, thing, attribute, words)
        self.training.method(node, thing, attribute, values, words)
        answer = self.offload.method(node, thing, attribute, values, words)
        if answer is None:
            answer = self.libraries.method(node, thing, attribute, values, words)
        if answer is None:
            answer = self.torch.method(node, thing, attribute, values, words)
        if answer is None:
            self.hand_over(values + list(words.values()), node, attribute in SPAWNERS, self.given_to_target(node, words))
            if attribute in SPAWNERS and isinstance(thing, Name):
                return None
        return answer

    def grow(self, many, attribute, values):
        """list.append: in a loop or branch it is not known how often."""
        new = values[-1:] if attribute in ("append", "insert") else values[0].items if attribute == "extend" and \
            values and isinstance(values[0], Many) else [None]
        many.open = many.open or bool(self.journal) or attribute != "append"
        if len(many.items) < 100:
            many.items.extend(new)

    @staticmethod
    def of_text(thing, attribute, values, words):
        """A text's own methods, where some of it may not be known."""
        said = form_of(thing)
        if attribute == "format":
            filled = iter(values)
            return of_rank(text_or_form(re.sub(r"\{(\w*)[^{}]*\}", lambda m: form_of(
                words.get(m.group(1)) if m.group(1) and not m.group(1).isdigit() else
                next(filled, None) if not m.group(1) else None), said)), *values, *words.values())
        if attribute == "split":
            between = text_of(values[0]) if values else None
            return Many([text_or_form(part) for part in (said.split(between) if between or not values else [])])
        return text_or_form(getattr(said, attribute)()) if not values else None

    def of_parser(self, node, parser, attribute, values, words):
        """argparse: which options are numbers, and the texts that stand for others."""
        if attribute in ("add_argument_group", "add_mutually_exclusive_group"):
            return parser
        if attribute == "set_defaults":
            for word in words:
                parser.attributes.pop(word, None)
        if attribute in ("parse_args", "parse_known_args"):
            options = Thing("instance")
            options.attributes.update(parser.attributes)
            self.switches_that_are_set(parser)
            return options if attribute == "parse_args" else Many([options, None])
        if attribute != "add_argument":
            return None
        flags = [text_of(v) or "" for v in values]
        longs = [f for f in flags if f.startswith("--")] or flags
        name = text_of(words.get("dest")) or (longs[0].lstrip("-").replace("-", "_") if longs else "")
        kind = next((getattr(k.value, "id", None) for k in node.keywords if k.arg == "type"), None)
        if kind == "bool" and (ABOUT_DEVICES.search(name) or ABOUT_SPREADING.search(name)):
            self.mistake(node, "an option of type bool", longs[0])
        if name in ("local_rank", "local-rank") and longs[0].startswith("--"):
            self.torch.launched.append((node, self.source))
        action, default = text_of(words.get("action")), words.get("default")
        if action in ("store_true", "store_false"):
            fixed = isinstance(default, Text) and default.value is (action == "store_true")
            self.change(parser, "switches", (parser["switches"] or []) + [(node, name, longs[0], fixed)])
        if action in ("store_true", "store_false") and name or name and any(k.arg == "action" and getattr(
                k.value, "attr", getattr(k.value, "id", "")) == "BooleanOptionalAction" for k in node.keywords):
            parser.attributes[name] = Thing("switch", default=default)
        nargs = words.get("nargs")
        counted = isinstance(nargs, Text) and type(nargs.value) is int
        several = text_of(nargs) in ("+", "*") or counted or action == "append"
        if name and several:
            parser.attributes[name] = Thing("option" if isinstance(default, Many) else "words", several=True,
                                            numbers=kind in ("int", "float"), default=default)
        elif name and isinstance(words.get("default"), Many) and "nargs" in words:
            parser.attributes[name] = Thing("option", default=words["default"])
        if name and not {"nargs", "action"} & set(words):
            if kind in ("int", "float"):
                parser.attributes[name] = Thing("number", default=words.get("default"), launched=name == "local_rank", rank=isinstance(
                    words.get("default"), Thing) and words["default"]["rank"])
            elif kind == "str" or "type" not in words:
                parser.attributes[name] = Thing("option", default=words.get("default"), choices=self.choices_of(words))
        return None

    @staticmethod
    def choices_of(words):
        """All texts that an option takes, its default among them; None: not known."""
        choices, default = words.get("choices"), words.get("default")
        items = [text_of(i) for i in choices.items] if isinstance(choices, Many) and not choices.open else [None]
        return None if None in items else items + ([text_of(default)] if text_of(default) is not None else [])

    def switches_that_are_set(self, parser):
        """--no-cuda of store_true whose default is True: given or not, there is no GPU."""
        switches = parser["switches"] or []
        for node, name, flag, fixed in switches:
            others = [one for one in switches if one[1] == name and one[0] is not node]
            changed = re.search(r"\b%s\s*=[^=]" % re.escape(name), self.text)
            if fixed and not others and not changed and AGAINST_GPU.match(name):
                self.mistake(node, "a switch whose default is its value", flag)
            elif not others and not changed and AGAINST_GPU.match(name) and self.is_true_if_not_given(node, name):
                self.mistake(node, "an option that chooses the other way round", self.written(node))

    def is_true_if_not_given(self, node, name):
        """--no-cuda of store_false, which is true where nobody gives it, and is always read as what leaves the GPU out."""
        action = next((k.value for k in node.keywords if k.arg == "action"), None)
        if getattr(action, "value", None) != "store_false" or any(k.arg in (None, "default", "dest") for k in node.keywords):
            return False
        reads = len(re.findall(r"\.%s\b" % re.escape(name), self.text))
        meant = r"\bnot (\w+\.)+%s\b|['\"]cpu['\"]\)? if (\w+\.)+%s\b" % (re.escape(name), re.escape(name))
        return 0 < reads == len(re.findall(meant, self.text)) and not re.search(r"\bvars\(|set_defaults|__dict__", self.text)

    @staticmethod
    def is_super(node):
        of = node.func.value if isinstance(node.func, ast.Attribute) else None
        return isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super"

    def keras_method(self, node, model, attribute, words):
        name = self.written(node.func)
        if self.strategy and self.strategy in (self.device, model["under"]):
            for _, made, _ in self.strategies:
                made.state["runs_keras"] = True
        usual = model["under"] is None and re.search(r"device\('/?(device:)?gpu:0'\)$", self.device or "", re.I)
        if attribute in MODEL_USES and self.device is not None and self.device != model["under"] and not usual:
            self.note(node, "placed-call", name, None, self.device, model["line"])
        elif attribute in MODEL_USES:
            self.note(node, "call", "." + attribute)
        if model.kind == "keras-model" and not model["class"]:
            self.of_keras_model(node, model, attribute, words)
        if attribute in MODEL_USES or attribute in ("compile", "build", "load_weights", "set_weights") or \
                attribute == "adapt" and model.kind == "layer":
            self.note(node, "call", "tensorflow.keras.Model." + attribute, self.arguments(node))
        if attribute == "add":
            return None
        return model if attribute in ("compile",) else None

    def of_keras_model(self, node, model, attribute, words):
        if attribute in MODEL_USES:
            self.old_arguments(node, "fit", words)
        if attribute == "save" and text_of(words.get("save_format")) and model["keras"] in ("tensorflow", "keras") and not (
                node.args and re.search(r"\.(keras|h5|hdf5)\b", self.written(node.args[0]))):
            self.mistake(self.keyword_of(node, "save_format"), "an argument that Keras 3 lacks", "save_format", "save", doubted=bool(
                node.args and not isinstance(node.args[0], ast.Constant)))
        for word in words if attribute in KEYWORDS and model["keras"] else ():
            if word and word not in KEYWORDS[attribute] and word not in OLD_ARGUMENTS["fit"]:
                self.mistake(node, "an argument that Keras never had", word, "%s()" % attribute)
        if attribute in ("to", "cuda",
                         "cpu") and model["keras"] and not (model["keras"] == "keras" and self.keras_on_torch()):
            self.mistake(node, "a move of a Keras model", self.written(node), doubted=model["keras"] == "keras")
        both = [words.get(word) for word in ("run_eagerly", "jit_compile")]
        if attribute == "compile" and all(isinstance(one, Text) and one.value is True for one in both):
            self.mistake(self.keyword_of(node, "jit_compile"), "XLA that eager execution switches off")
        if attribute == "compile" and self.strategy and self.strategy == self.device and model["keras"] and \
                model["under"] is None:
            at = [one for one, other in zip(model["calls"] or [], self.calls + [None])
                  if other is None or one[0] is not other[0]][:1]
            self.mistake(node, "a model made outside its strategy", self.written(node), self.device,
                         other=at[0][0] if at and at[0][1] == self.source else None)
        if attribute in ("compile", "fit") and self.policy and self.policy[0].startswith("mixed_") and \
                model["policy"] not in (None, self.policy[0]):
            before, self.source = self.source, self.policy[2]
            of = [at for at, source in self.policy[3] if source == self.source and not any(at is one for one, _ in model["calls"] or ())]
            self.mistake(self.policy[1], "a policy set after the model", self.policy[0], str(model["line"]), other=of[0] if of else None)
            self.source = before

    def keras_on_torch(self):
        """Whether Keras may run on PyTorch, whose modules its models then are."""
        return any(e["subject"] == "script-set-variable" and e["name"] == "KERAS_BACKEND" or
                   e["subject"] == "script-import" and e["name"].split(".")[0] == "torch" for e in self.events)

    def call_thing(self, node, thing, values, words):
        if thing.kind == "jitted":
            return self.jaxs.apply(node, thing, values, words)
        if thing.kind == "layer":
            self.note(node, "call", "tensorflow.keras.built")
            self.keras.built.append((node, self.path, self.source))
            return Thing("symbol")
        if thing.kind == "keras-model":
            if not any(isinstance(v, Thing) and v.kind == "symbol" for v in values):
                self.note(node, "call", "tensorflow.keras.Model.__call__")
                return self.keras.model_called(node, thing)
            return None
        if thing.kind == "tokenizer":
            return self.libraries.tokens(node, words)
        if thing.kind == "choice" and thing["items"]:
            return self.call_choice(node, thing["items"], values, words)
        if thing.kind == "partial":
            return self.call_value(node, thing["of"], thing["given"] + values, {**thing["words"], **words})
        if thing.kind in ("instance", "flax-module") and thing["class"]:
            method = thing["class"].method("__call__")
            if method:
                return self.follow(method, [thing] + values, words, node)
        return self.torch.apply(node, thing, values, words)

    def call_choice(self, node, functions, values, words):
        """One of several functions, each on a way of its own."""
        number, answers = self.number(), []
        for letter, function in zip("abcdefgh", functions):
            with Branch(self, number + letter):
                answers.append(self.call_value(node, function, values, words))
        answer = answers[0]
        for other in answers[1:]:
            answer = join(answer, other)
        return answer

    def call_by_default(self, node, called, values, words):
        """A foreign call with options as they are where nothing else is said."""
        for name, one in words.items():
            words[name] = one["default"] if is_default(one, called) else one
        before, self.by_options = self.by_options, True
        made = self.call_value(node, called, [one["default"] if is_default(one, called) else one for one in values], words)
        self.by_options = before
        return made

    def call_value(self, node, called, values, words):
        if isinstance(called, Name):
            return self.call_name(node, called.full, values, words)
        if isinstance(called, Function):
            return self.follow(called, values, words, node)
        if isinstance(called, Class):
            return self.make(called, values, words, node)
        if isinstance(called, Bound):
            return self.call_method(node, called, values, words)
        return self.call_thing(node, called, values, words) if isinstance(called, Thing) else None

    def follow(self, function, values, words, node, forced=False):
        """The body of a function, with what is known of its arguments."""
        if len(self.inside) >= DEEPEST_CALL or any(f.node is function.node for f in self.inside):
            return None
        if self.steps > MOST_STEPS and function.followed:
            return None
        function.followed = True
        if function.wrapped:
            values, words = self.torch.unwrapped(values), dict(zip(words, self.torch.unwrapped(words.values())))
        jitted = self.jaxs.is_jitted(function)
        all_given = values + list(words.values())
        if jitted:
            self.jaxs.meet(node, all_given)
        if any(d in ("tensorflow.function", "jax.jit") for d in function.decorators):
            self.note(node, "call", "%s called" % ("tensorflow.function" if "tensorflow.function" in function.decorators
                                                   else "jax.jit"))
        scope = Scope(function.scope)
        parameters = function.node.args
        named = getattr(parameters, "posonlyargs", []) + parameters.args
        defaults = [None] * (len(named) - len(parameters.defaults)) + list(parameters.defaults)
        before = self.scope, self.results, self.device if forced else None, self.source, self.path
        left, self.left = self.left, []
        for number, (parameter, default) in enumerate(zip(named, defaults)):
            given = parameter.arg in words or number < len(values)
            value = values[number] if number < len(values) else words.get(parameter.arg)
            if not given and default is not None and not forced:
                value = self.value(default)
            if given and value is None and parameter.annotation is not None and OF_NUMBERS.search(self.written(parameter.annotation)):
                value = Thing("host-data")
            scope.names[parameter.arg] = value
        for parameter, default in zip(parameters.kwonlyargs, parameters.kw_defaults):
            value = words.get(parameter.arg)
            scope.names[parameter.arg] = self.value(default) if value is None and default is not None else value
        for rest in (parameters.vararg, parameters.kwarg):
            if rest:
                scope.names[rest.arg] = None
        if "tensorflow.function" in function.decorators:
            scope.names = {name: value if isinstance(value, Thing) and
                           (name == "self" or value.kind == "tf-batch") else None for name, value in scope.names.items()}
        self.scope, self.results = scope, []
        self.source = function.file
        self.inside.append(function)
        self.calls.append((node, before[3]))
        self.jaxs.tracing += jitted
        free = bool(function.wrapped) or any(str(d).rsplit(".", 1)[-1] in ("no_grad", "inference_mode")
                                             for d in function.decorators)
        self.training.without += free
        cast = bool(function.wrapped) or any("autocast" in str(d) or "custom_fwd" in str(d)
                                             for d in function.decorators)
        self.training.casts += cast
        try:
            if isinstance(function.node, ast.Lambda):
                return self.value(function.node.body)
            self.statements(function.node.body)
            results = self.results
        finally:
            self.inside.pop()
            self.calls.pop()
            self.jaxs.tracing -= jitted
            self.training.without -= free
            self.training.casts -= cast
            self.scope, self.results, _, self.source, self.path = before
            left, self.left = self.left, left
        for thing, key, value in left:
            if thing.state.get(key) != value:
                self.change(thing, key, None)  # it depends on where the function ended
        answer = results[0] if results else None
        for other in results[1:]:
            answer = join(answer, other)
        if function.wrapped:
            answer = self.torch.unwrapped([answer])[0]
        return self.jaxs.tree(all_given, None) if jitted and answer is None else answer

    def make(self, of, values, words, node):
        bases = of.all_bases()
        flax = any(re.match(r"(flax|equinox|haiku)\.(\w+\.)*Module$", b) for b in bases)
        module = not flax and any(b.endswith((".Module", "LightningModule")) or b.startswith((
            "torch.nn.", "torchvision.")) for b in bases)
        keras = any(b.split(".")[0] in FRAMEWORKS and b.endswith(("keras.Model", "models.Model", ".Layer"))
                    for b in bases)
        kind = "module" if module else "keras-model" if keras else "flax-module" if flax else "instance"
        thing = Thing(kind, **{"class": of, "line": node.lineno, "under": self.device, "made": (node, self.source)})
        if module:
            thing.state["device"] = self.torch.default
            thing.state["number"] = None if self.training.says(OTHER_DEFAULT) else "float32"
            self.torch.made_before = True
            self.torch.makings.setdefault(of, []).append(thing)
            self.training.draws(node)
        init = of.method("__init__")
        if init and module and any(b.endswith("LightningModule") for b in bases):
            self.device_in_init(init)
        if init:
            self.follow(init, [thing] + values, words, node)
        elif of.fields is not None:
            for number, field in enumerate(of.fields):
                known = values[number] if number < len(values) else words.get(field, of.names.get(field))
                if None in words and number >= len(values) and field not in words:
                    known = self.default_of(known, of.kinds.get(field))
                thing.attributes[field] = known
            thing.state["fields"] = True
            after = of.method("__post_init__")
            if after:
                self.follow(after, [thing], {}, node)
        if any("parameters" in b for b in bases) or module and self.torch.is_without_weights(of, thing):
            thing.state["device"] = None
        return thing

    @staticmethod
    def default_of(value, kind):
        """What a field may be whose value a file or a command line can set."""
        if kind in ("int", "float") and is_number(value):
            return Thing("number", default=value)
        if isinstance(value, Thing) and value.kind == "mapping" and re.match(r"(\w+\.)?[dD]ict\b", kind or ""):
            return value  # what it is where nothing is said
        return Thing("option", default=value) if kind == "str" and is_form(value) else None

    def device_in_init(self, init):
        """self.device of a LightningModule, before the trainer has moved it."""
        for node in ast.walk(init.node):
            if isinstance(node, ast.Attribute) and node.attr == "device" and isinstance(node.ctx, ast.Load) and \
                    getattr(node.value, "id", "") == "self" and not init.file:
                self.mistake(node, "self.device in a LightningModule's __init__", "self.device")
                return

    # ---- what changes

    def change(self, thing, key, value):
        if self.journal:
            self.journal[-1].note(thing, key)
        thing.state[key] = value

    def set_variable(self, node, name, value, doubted=False, at=None):
        """`at`: where its name and value are written, if that is elsewhere."""
        if name is None:
            return
        if is_no_text(value):
            said = repr(value.value) if isinstance(value, Text) else "a number"
            self.mistake(at or node, "os.environ of what is no text", "%s = %s" % (name, said))
        self.misspelt(at or node, name)
        self.variables.set(at or node, name)
        self.torch.hidden_by(at or node, name, value, doubted)
        if name == "KERAS_BACKEND" and text_of(value) is not None and text_of(value).lower() not in BACKENDS:
            self.mistake(node, "a backend that Keras doesn't know", text_of(value))
        self.not_taken(at or node, name, value)
        self.answers.visible(at or node, name, value)
        self.keras.by_rank(at or node, name, value)
        self.jaxs.variable(at or node, name, value)
        self.keras.variable(at or node, name, value)
        self.note(node, "set-variable", name, text_of(value), doubted=doubted)

    def not_taken(self, node, name, value):
        self.variables.allocator(node, name, value)
        self.variables.workspace(node, name, value)
        taken, said = TAKEN.get(name), text_of(value)
        if taken and said and is_form(value) and not re.fullmatch(taken[0], said):
            self.mistake(node, "a value that a variable doesn't take", said, name, taken[1])

    def misspelt(self, node, name):
        if name in VARIABLES:
            return
        near = difflib.get_close_matches(name.upper(), VARIABLES, 1, 0.9)
        if not near and self.variables.is_slip(name):
            near = [self.variables.is_slip(name)]
        words = set(name.upper().split("_"))
        if not near and {"CUDA", "VISIBLE"} <= words and words & {"DEVICE", "DEVICES", "GPU", "GPUS"}:
            near = ["CUDA_VISIBLE_DEVICES"]
        if near and not (name.startswith("TF_CPP") or name in ("CUDA_DEVICE", "JAX_PLATFORM")):
            self.mistake(node, "a variable that nothing reads", name, near[0])

    def update(self, node, pairs):
        for key, value in zip(pairs.keys, pairs.values):
            self.set_variable(node, text_of(self.value(key)) if key else None, self.value(value), at=key)

    def update_all(self, node, mapping):
        """os.environ.update(…) of a dictionary that was made before: a mistake stands where its member does."""
        for name, value in list(mapping.attributes.items()):
            self.set_variable(node, name, value, at=mapping.nodes.get(name))

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value.items if isinstance(value, Many) else None
            if isinstance(value, Thing) and value["parameter"] and len(target.elts) == 2:
                items = [None, value]  # for name, parameter in model.named_parameters()
            for number, one in enumerate(target.elts):
                one = one.value if isinstance(one, ast.Starred) else one
                known = items and len(items) == len(target.elts)
                each = value if isinstance(value, Thing) and value.kind in (
                    "batch", "gpus", "sequence", "jax-tree", "jax-devices", "tf-batch", "tensor") else None
                if each is not None and each.kind == "jax-devices":
                    each = self.jaxs.device(each, None if each["offset"] else Text(number))
                elif each is not None:
                    each = self.item_of(each)
                if isinstance(each, Thing) and value.kind == "batch" and len(value["loader"]["numbers"] or ()) == len(target.elts):
                    kind = value["loader"]["numbers"][number]
                    each.state.update(number=kind, double=kind == "float64")
                self.assign(one, items[number] if known else each)
        elif isinstance(target, ast.Attribute):
            self.assign_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value)
            index = target.slice.value if type(target.slice).__name__ == "Index" else target.slice
            if isinstance(owner, Name) and owner.full == "os.environ":
                self.set_variable(target, text_of(self.value(index)), value)
            elif isinstance(owner, Thing) and owner.kind == "layout-map":
                self.keras.layout(target, value, owner["mesh"])
            elif isinstance(owner, Thing) and owner.kind == "encoding":
                self.change(owner, "device", None)
            elif isinstance(owner, Thing) and owner.kind == "batch":
                key = self.value(index)
                if isinstance(key, Text):
                    owner.attributes[key.value] = value
                else:  # in a loop over all that it holds
                    self.change(owner, "moved", True)
                    self.change(owner, "device", value["device"] if isinstance(value, Thing) else None)
            elif isinstance(owner, Thing) and owner.kind == "tensor":
                at = self.value(index)
                self.torch.indexed(target, owner, at.items if isinstance(at, Many) else [at])
            elif isinstance(owner, (Bound, Thing)) and self.torch.holder(owner):
                self.torch.late_part(target, owner, value)
            elif isinstance(owner, Thing) and owner.kind == "mapping":
                key = self.value(index)
                if isinstance(key, Text):
                    owner.nodes[key.value] = target
                if not isinstance(key, Text):
                    owner.attributes.clear()
                elif self.journal and owner["path"] != self.path and not same(owner.attributes.get(key.value), value):
                    owner.attributes[key.value] = join(owner.attributes.get(key.value), value)
                else:
                    owner.attributes[key.value] = value

    def assign_attribute(self, target, value):
        name = self.full(target)
        if name:
            self.own_names.add(name)
            module, _, last = name.rpartition(".")
            if name in OVERWRITTEN or SETTERS.match(name) and isinstance(value, (Text, Many)):
                self.mistake(target, "a function that is overwritten", name)
            if module == "jax.config" and last in JAX_OPTIONS:
                self.mistake(target, "an option of JAX that is assigned", name)
            if module in TORCH_SWITCHES and last not in TORCH_SWITCHES[module]:
                self.mistake(target, "a switch that torch.backends lacks", name)
            if module in SETTINGS_OF_TF and last not in MEMBERS.get(module, ()) and not SETTERS.match(name) and not re.search(
                    r"config\.(\w+\.)?%s\b(?!\s*=[^=])|getattr\(|hasattr\(" % re.escape(last), self.text):
                self.mistake(target, "a setting that tf.config lacks", name)
            self.torch.switch(target, name, value)
            return
        owner = self.value(target.value)
        self.torch.late_part(target, owner, value)
        if isinstance(owner, Class):
            owner.names[target.attr] = join(owner.names.get(target.attr), value) if self.journal else value
        if isinstance(owner, Thing):
            whole = owner.kind == "module" or owner["class"] and owner["class"].has_stranger()
            if whole and isinstance(value, Thing) and (value.kind == "module" or value["parameter"]):
                if value["device"] != owner["device"] and value["device"] and owner.kind == "module":
                    self.change(owner, "device", None)  # its parts lie on several devices
                    self.change(value, "placed", value["device"])
                self.change(value, "device", None)  # it moves with the whole
                self.change(value, "whole", owner)
                self.change(value, "weight", None)
            if owner.kind == "module" and isinstance(value, Thing) and value["lost"]:
                self.mistake(target, "a parameter that is moved", self.written(value["lost"]),
                             doubted="|" in (value["device"] or ""))
                self.change(owner, "device", None)  # a part of it lies elsewhere
            self.torch.plain_list(target, owner, value)
            self.torch.plain_tensor(target, owner, value)
            self.conditions.plain(target, owner, value)
            if owner.kind == "tensor" and target.attr == "data":
                self.change(owner, "device", value["device"] if isinstance(value, Thing) else None)
            if self.journal and owner.attributes.get(target.attr) is not value and target.attr in owner.attributes:
                value = join(owner.attributes[target.attr], value)
            owner.attributes[target.attr] = value

    def item_of(self, value, node=None):
        """What a loop over it gives."""
        if isinstance(value, Many) and value.open:
            found = value.items[0] if value.items else None
            for other in value.items[1:]:
                found = found if is_alike(found, other) else join(found, other)
            return found
        if isinstance(value, Many):
            if value.items and all(is_number(item) for item in value.items):
                return value.items[0] if len(value.items) == 1 else Thing("number")
            rows = [item.items if isinstance(item, Many) else [] for item in value.items]
            if len(rows) > 1 and rows[0] and all(len(row) == len(rows[0]) for row in rows):
                return Many([self.item_of(Many(list(column))) for column in zip(*rows)])
            if value.items and all(is_alike(one, value.items[0]) and one.kind == "tensor" for one in value.items):
                return value.items[0]
            return value.items[0] if len(value.items) == 1 else None
        if isinstance(value, Thing):
            if value.kind == "gpus":
                return Thing("gpu", logical=value["logical"], varies=True, of=value["of"])
            if value.kind == "jax-devices":
                return self.jaxs.device(value, None)
            if value.kind == "tf-dataset":
                return Thing("tf-batch", made=node)
            if value.kind in ("tf-batch", "jax-tree", "jax-array"):
                return value
            if value.kind == "enumerate":
                return Many([Thing("number", varies=True), self.item_of(value["of"], node)])
            if value.kind == "range":
                return Thing("number", varies=True)
            if value.kind == "sequence":
                return value["item"]
            if value.kind == "module" and value["each"]:
                return value["each"]
            if value.kind == "zipped":
                return Many([self.item_of(one) for one in value["items"]])
            if value.kind == "loader":
                self.training.begins_workers(node, value)
                return Thing("batch", loader=value) if not self.brings_batches and not value["unknown"] else None
            if value.kind == "batch":
                place = value["device"] if value["moved"] else "cpu"
                return Thing("tensor", device=place, loader=value["loader"], line=getattr(node, "lineno", None))
            if value.kind == "tensor":
                return Thing("tensor", **dict(value.state, element=True))
        if isinstance(value, Bound) and value.name == "params" and isinstance(value.thing, Thing):
            return Thing("tensor", device=value.thing["device"], parameter=True, cause=value.thing["copied"],
                         made=value.thing["made"])
        return None

    # ---- statements: each answers whether what stands below it is not reached

    def statements(self, body):
        begin, guarded = self.path, self.guarded
        for statement in body:
            self.step()
            if self.statement(statement):
                self.guarded = guarded
                return True
        self.path, self.guarded = begin, guarded
        return False

    def statement(self, node):
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler:
            return bool(handler(node))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list):
                with Branch(self, field):
                    self.statements(getattr(node, field))
        return False

    def on_Import(self, node):
        for alias in node.names:
            root = alias.name.split(".")[0]
            local = self.load(alias.name, 0)
            if local is not None:
                self.scope.names[alias.asname or root] = local
                continue
            self.scope.names[alias.asname or root] = Name(self.normal(alias.name if alias.asname else root))
            self.keras.imports(node, alias.name)
            self.removed.name(node, alias.name)
            if root in FRAMEWORKS or root in ON_JAX:
                self.note(node, "import", "jax" if root in ON_JAX else alias.name)
            if root == "torch":
                self.torch.imported = True

    def on_ImportFrom(self, node):
        module = node.module or ""
        local = self.load(module, node.level)
        for alias in node.names:
            name = alias.asname or alias.name
            if local is not None and alias.name == "*":
                self.scope.names.update({n: v for n, v in local.attributes.items() if not n.startswith("_")})
            elif local is not None:
                below = self.load((module + "." if module else "") + alias.name, node.level)
                self.scope.names[name] = local.attributes.get(alias.name, below)
            elif alias.name == "*":
                self.starred.insert(0, module)
            elif module:
                self.scope.names[name] = Name(self.normal(module + "." + alias.name))
            else:
                self.scope.names[name] = None
        if not node.level and local is None:
            self.keras.imports(node, module)
        if not node.level and module.split(".")[0] in FRAMEWORKS and local is None:
            for alias in node.names:
                self.note(node, "import", self.normal(module + "." + alias.name))
                self.never_was(node, self.normal(module + "." + alias.name))
        elif not node.level and local is None:
            if module.split(".")[0] in ON_JAX:
                self.note(node, "import", "jax")
            for alias in node.names:
                self.removed.name(node, module + "." + alias.name)

    def load(self, name, level):
        """A module that lies beside the script; None: there is none."""
        found = self.modules(name, level, self.source) if self.modules and (name or level) else None
        if found is None:
            return None
        shown, tree = found
        if shown in self.loaded:
            return self.loaded[shown]
        module = self.loaded[shown] = Thing("local-module")
        self.brings_batches = self.brings_batches or any(self.is_dataset_of_gpu(node) for node in ast.walk(tree))
        self.torch.reads_local_rank = self.torch.reads_local_rank or any(
            getattr(one, "value", None) == "LOCAL_RANK" for one in ast.walk(tree))
        self.torch.look_for_own_gpu(tree)
        self.tracing.files.append((shown, [tree]))
        before = self.scope, self.globals, self.source, self.main, self.cell, self.inside
        self.globals = self.scope = Scope()
        self.source, self.main, self.cell, self.inside = shown, False, None, []
        try:
            self.statements(tree.body)
            module.attributes = self.scope.names
        finally:
            self.scope, self.globals, self.source, self.main, self.cell, self.inside = before
        return module

    def annotated(self, *nodes):
        """Names in annotations, which Python looks up where they stand unless they are to be kept as text."""
        for node in nodes if "import annotations" not in self.text else ():
            for one in ast.walk(node) if node is not None else ():
                if isinstance(one, ast.Attribute) and self.full(one) is not None:
                    self.of_Attribute(one)

    def on_FunctionDef(self, node):
        self.annotated(node.returns, *(one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)))
        function = Function(node, self.scope)
        function.file = self.source
        function.decorators = [self.full(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
        function.wrapped = self.torch.wraps(node.decorator_list)
        for decorator in node.decorator_list:
            self.keras.decorates(decorator)
            if isinstance(decorator, ast.Call):
                self.value(decorator)
        for default in node.args.defaults + node.args.kw_defaults:  # they are made where the function is defined
            if not isinstance(default, (ast.Constant, type(None))):
                self.value(default)
        self.functions.append((function, None))
        self.scope.names[node.name] = function

    on_AsyncFunctionDef = on_FunctionDef

    def on_ClassDef(self, node):
        made = Class(node, self.scope)
        for base in node.bases:
            value = self.value(base)
            if isinstance(value, Class):
                made.parents.append(value)
            elif isinstance(value, Name):
                made.bases.append(value.full)
        before, self.scope = self.scope, Scope(self.scope)
        for one in node.body:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                function = made.methods[one.name] = Function(one, before, made)
                function.file = self.source
                function.decorators = [self.full(d.func if isinstance(d, ast.Call) else d) for d in one.decorator_list]
                function.wrapped = self.torch.wraps(one.decorator_list)
                self.functions.append((function, made))
                for decorator in one.decorator_list:
                    self.keras.decorates(decorator)
            else:
                self.statement(one)
        made.names = self.scope.names
        self.scope = before
        if any(
                self.full(d.func if isinstance(d, ast.Call) else d) == "dataclasses.dataclass"
                for d in node.decorator_list):
            made.fields = [one.target.id for one in node.body
                           if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
            made.kinds = {one.target.id: self.kind_of_field(one.annotation) for one in node.body
                          if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
        self.scope.names[node.name] = made

    @staticmethod
    def kind_of_field(said):
        """dict, of x: dict, x: dict[str, str] and x: typing.Dict[str, str]"""
        of = said.value if isinstance(said, ast.Subscript) else said
        return getattr(of, "id", getattr(of, "attr", "") if of is not said else "")

    def on_Global(self, node):
        for name in node.names:
            self.scope.names.pop(name, None)

    on_Nonlocal = on_Global

    def on_Return(self, node):
        self.results.append(self.value(node.value))
        return True

    def on_Raise(self, node):
        self.value(node.exc)
        return True

    def on_Break(self, node):
        return True

    on_Continue = on_Break

    def on_Expr(self, node):
        of = node.value
        value = self.value(of)
        shown = self.cell and node is self.last_of_cell  # a notebook shows the value: that is its use
        if isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute):
            thing = self.find_value(of.func.value)
            shown = shown and not (isinstance(thing, Thing) and thing["prepares"] == of.func.attr)
        self.restarted = self.restarted or restarts(self, of)
        if not shown:
            self.training.compared_alone(node)
            self.torch.dropped(node, of)
            self.jaxs.dropped(node, of)
            self.keras.dropped(node, of)
        if isinstance(of, ast.Call):
            name = self.full(of.func) or ""
            return name in ("sys.exit", "os._exit") or (isinstance(of.func, ast.Name) and
                                                        of.func.id in ("exit", "quit"))
        return False

    def on_Assign(self, node):
        value = self.value(node.value)
        self.conditions.not_called(node, value)
        for target in node.targets:
            self.assign(target, value)
            call, place = self.torch.last_load
            if node.value is call and isinstance(target, ast.Name):
                self.torch.loaded[self.source, target.id] = place, call

    def on_AnnAssign(self, node):
        self.annotated(node.annotation)
        if node.value is not None:
            self.on_Assign(ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node))

    def on_AugAssign(self, node):
        value = self.value(node.value)
        if self.full(node.target) == "os.environ" and isinstance(node.value, ast.Dict):
            return self.update(node, node.value)
        if self.full(node.target) == "os.environ" and isinstance(value, Thing) and value.kind == "mapping":
            return self.update_all(node, value)
        before = self.value(node.target) if not isinstance(node.target, ast.Subscript) else None
        of = self.value(node.target.value) if isinstance(node.target, ast.Subscript) else None
        if isinstance(of, Thing) and of.kind == "tensor":
            index = node.target.slice.value if type(node.target.slice).__name__ == "Index" else node.target.slice
            at = self.value(index)
            self.torch.indexed(node.target, of, at.items if isinstance(at, Many) else [at])
        if isinstance(before, Many) and isinstance(node.op, ast.Add):
            return self.grow(before, "extend", [value])
        tensors = [v for v in (before, value) if isinstance(v, Thing) and v.kind == "tensor"]
        if len(tensors) == 2:
            self.torch.meet(node, tensors)
        elif tensors:
            self.training.works(tensors[0]["device"])
        if not tensors and isinstance(node.target, ast.Name):
            self.scope.names[node.target.id] = None
        return None

    def on_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scope.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                self.take_out(self.value(target.value), self.value(target.slice.value if type(target.slice).__name__ == "Index" else target.slice))

    @staticmethod
    def take_out(mapping, key):
        """del settings["mode"] and settings.pop("mode"): nothing is known of the member from here on."""
        if isinstance(mapping, Thing) and mapping.kind == "mapping" and not mapping["environment"] and isinstance(key, Text):
            mapping.attributes.pop(key.value, None)

    def is_main(self, test):
        """Whether it asks for __name__ == "__main__"; then the answer is known."""
        return isinstance(test, ast.Compare) and getattr(test.left, "id", "") == "__name__"

    def decide(self, node):
        self.deciding += 1
        value = self.value(node)
        self.deciding -= 1
        self.truth_of(node, True)
        return value

    def on_Assert(self, node):
        self.torch.asked = self.torch.asked or "is_available" in self.written(node.test)
        self.asserting += 1
        self.decide(node.test)
        self.asserting -= 1
        self.value(node.msg)

    def on_If(self, node):
        test = Text(self.main) if self.is_main(node.test) else self.decide(node.test)
        if isinstance(test, Text):
            return self.statements(node.body if test.value else node.orelse)
        written = self.words_of(node.test)
        guards = bool(re.search(r"hasattr|version|VERSION|TF2|tf2|is_tf", written)) or \
            not self.maybe_missing.isdisjoint(re.findall(r"\w+", written))
        begin, guarded = self.path, self.guarded
        self.guarded += guards
        self.conditions.on_if(node)
        ended = self.branches_of(node)
        if not self.one_left:  # else what follows is the other branch
            self.guarded = guarded
        return ended

    def branches_of(self, node):
        number = self.number()
        begin = self.path
        self.asks_for_gpu(node, number)
        name, where = self.unlike(node.test)
        first = Branch(self, number + "a")
        with first:
            self.narrow(node.test)
            ended = self.statements_without(name if where == "body" else None, node.body)
        second = Branch(self, number + "b")
        with second:
            other_ended = self.statements_without(name if where == "orelse" else None, node.orelse)
        merge(self, first if not ended else None, second if not other_ended else None)
        for branch, body, left in ((first, node.body, ended), (second, node.orelse, other_ended)):
            if left and isinstance(body[-1], ast.Return):
                self.left.extend(change for change in branch.changes if change[1] == "device")
        self.path = begin
        self.one_left = ended != other_ended
        if ended and other_ended:
            return True
        if self.ends_program(node.body if ended else node.orelse):
            return False  # what follows runs in each run that goes on
        if ended:
            self.path = begin + (number + "b",)  # what follows is the other branch
        elif other_ended:
            self.path = begin + (number + "a",)
        return False

    def asks_for_gpu(self, node, number):
        """if torch.cuda.is_available(): model.cuda(), behind which a variable is too late wherever there is a GPU.

        A branch that leaves its function is left alone: what follows runs where there is none. So is a script that starts
        others, for which the variable may be meant.
        """
        without = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        test = node.test.operand if without else node.test
        leaves = any(isinstance(one, (ast.Return, ast.Raise, ast.Continue, ast.Break)) or isinstance(one, ast.Call) and getattr(
            one.func, "attr", getattr(one.func, "id", "")) in ("exit", "_exit", "quit") for part in (
                node.orelse if without else node.body) for one in ast.walk(part))
        if isinstance(test, ast.Call) and self.full(test.func) == "torch.cuda.is_available" and not leaves and not re.search(
                r"subprocess|Popen|os\.(system|exec|spawn|posix)|multiprocessing", self.text):
            self.with_gpu.add(number + "ab"[without])
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Gt) and getattr(test.comparators[0], "value", None) == 0:
            test = test.left
        listed = test.args[0] if is_call_of(test, "len", 1) else test
        value = self.find_value(listed) if isinstance(listed, (ast.Name, ast.Attribute)) else None
        if isinstance(value, Thing) and value.kind == "gpus" and not leaves:
            self.with_listed.add(number + "ab"[without])

    def narrow(self, test):
        """if torch.is_tensor(value): below it, it is one."""
        if not isinstance(test, ast.Call) or not test.args or not isinstance(test.args[0], ast.Name):
            return
        name = self.full(test.func) or self.written(test.func)
        asked = self.full(test.args[1]) if name == "isinstance" and len(test.args) == 2 else None
        if (name == "torch.is_tensor" or asked == "torch.Tensor") and self.find(test.args[0].id) is None:
            self.scope.names[test.args[0].id] = Thing("tensor", device=None, line=test.lineno)

    def unlike(self, test):
        """if asked != "auto": a name and the branch in which it is another text than its default."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Name) or \
                not isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
            return None, None
        value, said = self.scope.names.get(test.left.id), getattr(test.comparators[0], "value", None)
        known = value["default"] if isinstance(value, Thing) and value.kind == "option" else value
        if not isinstance(said, str) or text_of(known) != said:
            return None, None
        return test.left.id, "body" if isinstance(test.ops[0], ast.NotEq) else "orelse"

    def statements_without(self, name, body):
        """The statements, in which nothing is known of a name."""
        if name is None:
            return self.statements(body)
        scope, known = self.scope, self.scope.names.get(name)
        scope.names[name] = None
        ended = self.statements(body)
        if scope.names.get(name) is None:
            scope.names[name] = known
        return ended

    def ends_program(self, body):
        """Whether these statements end in an error or in the program's end."""
        last = body[-1] if body else None
        if isinstance(last, ast.Raise):
            return not self.trying
        call = last.value if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
        return call is not None and (self.full(call.func) in ("sys.exit", "os._exit") or getattr(
            call.func, "id", "") in ("exit", "quit"))

    def number(self):
        self.branches += 1
        return str(self.branches)

    @staticmethod
    def members_of(mapping, way):
        return Many([v if way == "values" else Many([Text(k), v]) for k, v in mapping.attributes.items()])

    def for_each_choice(self, choice, does):
        """One of several dictionaries, each on a way of its own."""
        number = self.number()
        for letter, one in zip("abcdefgh", choice["mappings"]):
            with Branch(self, number + letter):
                does(one)

    def on_For(self, node):
        over = self.value(node.iter)
        if isinstance(over, Thing) and over["mappings"] and over["way"]:
            return self.for_each_choice(over, lambda one: self.for_items(node, self.members_of(one, over["way"])))
        return self.for_items(node, over)

    def for_items(self, node, over):
        self.conditions.rebound(node, self.item_of(over, node))
        if isinstance(over, Many) and not over.open and 0 < len(over.items) <= 8 and all(i is not None for i in over.items):
            for item in over.items:
                self.assign(node.target, item)
                self.statements(node.body)
            return self.statements(node.orelse) if node.orelse else None
        item = self.item_of(over, node)
        if item is None and not isinstance(over, Thing) and not self.brings_batches and self.is_loader(node.iter):
            item = self.loader_item(node.iter)
        if item is None and isinstance(node.iter, ast.Call) and getattr(node.iter.func, "id", "") == "enumerate":
            item = Many([Thing("number", varies=True), None])
        self.assign(node.target, item)
        self.libraries.loops(node, over)
        return self.loop(node, self.runs_once(node.iter))

    on_AsyncFor = on_For

    def is_loader(self, node):
        while isinstance(node, ast.Call) and node.args and isinstance(node.func, (ast.Name, ast.Attribute)):
            node = node.args[0]  # enumerate(tqdm(loader))
        node = node.value if isinstance(node, ast.Subscript) else node  # dataloaders[phase]
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        return bool(TENSOR_LOADER.search(name))

    def loader_item(self, node):
        batch = Thing("batch", loader=Thing("loader", named=True))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "enumerate":
            return Many([Thing("number"), batch])
        return batch

    def runs_once(self, node):
        """range(10) and range(EPOCHS): a training loop runs at least once."""
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range" and node.args:
            end = self.value(node.args[-1 if len(node.args) == 1 else 1])
            return isinstance(end, Text) and isinstance(end.value, int) and end.value > 0
        return False

    def loop(self, node, once):
        self.training.loops += 1
        if once:
            self.statements(node.body)
        else:
            begin = len(self.events)
            branch = Branch(self, self.number() + "l")
            with branch:
                path = self.path
                ended = self.statements(node.body)
            merge(self, branch, None, True)
            if not ended:
                self.comes_round(begin, path)
        self.training.loops -= 1
        self.statements(node.orelse)

    def comes_round(self, begin, path):
        """What a loop configured is configured once more, after all that its body did."""
        for event in [e for e in self.events[begin:] if any(e is one for one in self.varying)]:
            steps = event.get("path", "").split("/")
            if re.match(r"p\d+:", steps[0]) and path[:1] != (steps[0],):
                continue  # a process of its own begins anew each time
            if all(step[-1:] in "lp" and step[:1] != "p" for step in steps[len(path) - 1:]):
                self.events.append(dict(event))

    def on_While(self, node):
        test = self.decide(node.test)
        return self.loop(node, isinstance(test, Text) and bool(test.value))

    def on_With(self, node):
        before, usual, placed, contexts = self.device, (self.torch.default, self.torch.default_set), False, []
        for item in node.items:
            call = item.context_expr
            value = self.value(call)
            contexts.append((call, value))
            value = self.entered(call, value)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
            # with torch.device("cuda"): what is made here lies there; an object that only hands out a device changes nothing.
            value = contexts[-1][1] if isinstance(contexts[-1][1], Place) or isinstance(value, Place) else value
            if isinstance(value, Place):
                self.torch.default = value.text if value.text and not value.text.startswith("meta") else None
                self.torch.default_set, placed = None, True
            if isinstance(call, ast.Call):
                self.torch.own_gpu = self.torch.own_gpu or self.full(call.func) == "torch.cuda.device"
                if self.full(call.func) == "tensorflow.device" or getattr(call.func, "attr", "") == "scope":
                    self.device = self.written(call)
                    of = self.find_value(getattr(call.func, "value", None))
                    many = isinstance(of, Thing) and of.kind == "strategy" and of["name"] in MIRRORED
                    self.strategy = self.device if many else self.strategy
                if self.full(call.func) in ("tensorflow.device", "tensorflow.compat.v1.device"):
                    self.runs_alone(node)
            elif isinstance(value, Bound) and isinstance(value.thing, Thing) and value.thing.kind == "strategy":
                self.mistake(node, "a context without its brackets", self.written(call))
            elif self.full(call) in ("torch.autocast", "torch.cuda.amp.autocast", "torch.no_grad", "torch.device",
                                     "torch.inference_mode", "torch.amp.autocast", "torch.enable_grad"):
                self.mistake(node, "a context without its brackets", self.full(call))
        without = self.training.without_gradient(node)
        casts = self.training.converts_numbers(node)
        on_gpu = self.training.autocast_of_gpu(node)
        self.training.gpu_casts += [] if on_gpu is None else [on_gpu]
        self.training.without += without
        self.training.casts += casts
        ended = self.statements(node.body)
        if placed:
            self.torch.default, self.torch.default_set = usual
        self.training.without -= without
        self.training.casts -= casts
        self.training.gpu_casts = self.training.gpu_casts[:-1] if on_gpu is not None else self.training.gpu_casts
        self.device = before
        for call, value in reversed(contexts):
            self.run_edge(call, value, "__exit__", [None, None, None])
        return ended

    on_AsyncWith = on_With

    @staticmethod
    def method_of(value, name):
        """A method of an object whose class the script writes."""
        of = value["class"] if isinstance(value, Thing) else None
        return of.method(name) if isinstance(of, Class) else None

    def entered(self, node, value):
        """What `as` gets: what __enter__ returns, which runs before the statements that the with holds."""
        made = self.run_edge(node, value, "__enter__", [])
        return value if made is None else made

    def run_edge(self, node, value, name, given):
        method = self.method_of(value, name)
        if method is None:
            return None
        self.at_the_edge += 1
        made = self.follow(method, [value] + given, {}, node)
        self.at_the_edge -= 1
        return made

    def runs_alone(self, node):
        """with tf.device: around nothing but a session's runs, whose operations were placed when they were made."""
        calls = [one.func for statement in node.body for one in ast.walk(statement) if isinstance(one, ast.Call)]
        runs = [f for f in calls if isinstance(f, ast.Attribute) and f.attr == "run" and
                re.search(r"sess", self.written(f.value), re.I)]
        others = [f for f in calls if f not in runs and not (isinstance(f, ast.Name) and f.id in BUILTINS) and
                  not (self.full(f) or "").startswith(("time.", "timeit.")) and
                  not (isinstance(f, ast.Attribute) and f.attr in ("append", "format"))]
        if runs and not others:
            self.mistake(node, "tf.device around a session's runs", self.written(node.items[0].context_expr))


    def on_Try(self, node):
        caught = [getattr(k, "attr", getattr(k, "id", "")) for h in node.handlers
                  for k in (h.type.elts if isinstance(h.type, ast.Tuple) else [h.type])]
        guards = any(c in ("", "ImportError", "ModuleNotFoundError", "AttributeError", "Exception") for c in caught)
        self.guarded += guards
        self.trying += bool(node.handlers)
        ended = self.statements(node.body)
        self.trying -= bool(node.handlers)
        self.guarded -= guards
        older = bool({"ImportError", "ModuleNotFoundError", "AttributeError"} & set(caught))
        if older:  # what its handler does is for another release
            self.maybe_missing |= {alias.asname or alias.name for one in node.body
                                   if isinstance(one, (ast.Import, ast.ImportFrom)) for alias in one.names}
        for handler in node.handlers:
            self.handler(handler)
            branch = Branch(self, self.number() + "e")
            self.guarded += older
            with branch:
                self.statements(handler.body)
            self.guarded -= older
            last = handler.body[-1]
            while isinstance(last, ast.With):
                last = last.body[-1]
            if older and isinstance(last, ast.Return):  # what follows is for releases that have it
                for alias in (a for one in node.body if isinstance(one, ast.ImportFrom) for a in one.names):
                    self.scope.names[alias.asname or alias.name] = None
            for name in self.maybe_missing & set(branch.after) if older else ():
                one, other = self.scope.names.get(name), branch.after[name]
                if isinstance(one, Name) and isinstance(other, Name) and one.full != other.full and \
                        self.matters(one.full):
                    self.scope.names[name] = other  # what newer releases have in its place
        begin = self.path
        if not ended:
            ended = self.statements(node.orelse)
        self.path = begin
        return self.statements(node.finalbody) or (ended and not node.handlers)

    on_TryStar = on_Try

    def on_Match(self, node):
        value = self.value(node.subject)
        for case in node.cases:
            pattern = getattr(case.pattern, "value", None)
            known = self.value(pattern) if isinstance(pattern, ast.expr) else None
            if isinstance(value, Text) and isinstance(known, Text):
                if value.value == known.value:
                    return self.statements(case.body)
                continue
            with Branch(self, self.number() + "c"):
                self.statements(case.body)

    def handler(self, node):
        """An out-of-memory error that is met by going on on the CPU."""
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type] if node.type else []
        names = [getattr(kind, "attr", getattr(kind, "id", "")) for kind in kinds]
        body = "\n".join(self.written(one) for one in node.body)
        memory = any(name in OUT_OF_MEMORY for name in names) or ("RuntimeError" in names and "memory" in body)
        to_cpu = any(word in body for word in (".cpu()", "'cpu'", "/CPU:", "'/cpu", "CUDA_VISIBLE_DEVICES"))
        if memory and to_cpu and not any(isinstance(one, ast.Raise) for one in ast.walk(node)):
            self.note(node, "handler", ", ".join(names), body.splitlines()[0].rstrip(":")[:200], doubted=True)

    # ---- the whole

    def everything(self, tree):
        self.statements(tree.body)
        self.rest()

    def rest(self):
        """Functions that nobody called, each by itself, and what only the end shows."""
        made = {}
        self.path = ()
        for function, of in list(self.functions):
            if function.followed or function.file:  # of a module: who asks about it reads it by itself
                continue
            self.path = ("u%d" % len(made),) if of is None else ("c%d" % id(of),)
            values = []
            if of is not None:
                if of not in made:
                    place = self.torch.place_of_class(of)
                    made[of] = self.make(of, [], {}, of.node)
                    if made[of].kind == "module" and made[of]["device"] is not None:
                        trained = any(base.endswith("LightningModule") for base in of.all_bases())  # its trainer moves it
                        made[of].state["device"] = None if trained else place
                values = [made[of]]
                self.path += ("u%d" % function.node.lineno,)
            else:
                made[function] = None
            if not function.followed:
                self.follow(function, values, {}, function.node, forced=True)
        self.path, self.source = (), None
        self.torch.end()
        self.training.end()
        self.jaxs.end()
        self.keras.end()
        forgotten_variables(self)
        self.tracing.end()
        self.never_was_in_lambdas()
        self.names_never_bound()
        self.conditions.told_at_the_end()
        self.uses_float64()
        self.children.end()
        for node, sessions in self.unused_configurations:
            self.mistake(node, "a configuration that no session gets", self.written(node),
                         other=sessions[0] if sessions else None)
        self.grows_apart()
        for node, path, source in self.listed_after_hiding if not self.asked_visible else ():
            self.path, self.source = path, source
            self.mistake(node, "list_physical_devices as proof of hiding", self.written(node))
        self.path, self.source = (), None
        self.strategy_of_another_backend()
        self.tape_of_another_backend()
        fits = any(e["name"] in (".fit", "tensorflow.keras.Model.fit") for e in self.events)
        for node, strategy, source in self.strategies:
            if fits and not source and not strategy["used"] and not strategy["escaped"]:
                self.mistake(node, "a strategy that nothing runs under", self.written(node))


    def other_backends(self):
        """The backends that the script chooses for Keras 3, where none of them is TensorFlow."""
        said = {e.get("value") for e in self.events if e["subject"] == "script-set-variable" and
                e["name"] == "KERAS_BACKEND"}
        return said if said <= {"jax", "torch"} and not self.tf_keras else set()

    def strategy_of_another_backend(self):
        """tf.distribute is TensorFlow's: Keras on JAX or PyTorch takes no notice of it."""
        said = self.other_backends()
        if not said:
            return
        for node, made, source in self.strategies:
            if made["runs_keras"]:
                self.source = source
                at = self.keras.backend_at or (None, None)
                self.mistake(node, "a strategy of TensorFlow's around Keras on another backend", said.pop(),
                             other=at[0] if at[1] == source else None)
                self.source = None
                return

    def tape_of_another_backend(self):
        """tf.GradientTape sees nothing of what Keras computes on JAX or PyTorch."""
        said = self.other_backends()
        if said and self.keras.tapes and \
                "keras" in self.keras.roots and (self.keras.built or "Sequential(" in self.text):
            self.torch.at(self.keras.tapes[0], "a tape of TensorFlow's around Keras on another backend", said.pop())

    def grows_apart(self):
        """Memory growth of one GPU alone, where the script uses several: TensorFlow takes one setting for all."""
        chosen = any(e["name"].endswith("set_visible_devices") or e["name"] in VARIABLES and "DEVICES" in e["name"] or
                     e["name"] == "TF_FORCE_GPU_ALLOW_GROWTH" for e in self.events)
        several = any(made["several"] for _, made, _ in self.strategies) or any(
            e["name"] == "tensorflow.device" and re.search(r"gpu:[1-9]", e.get("value", ""), re.I) for e in self.events)
        divided = any(e["name"].endswith(("logical_device_configuration", "virtual_device_configuration"))
                      for e in self.events)
        if chosen or divided or not several or len({id(node) for node, _ in self.grown}) != 1 or not self.grown[0][0]:
            return
        self.torch.at(self.grown[0], "growth of one GPU of several", self.written(self.grown[0][0]))


class Branch:
    """Statements that may not run: names and objects are afterwards as they were before, and what changed is kept."""

    def __init__(self, reader, step):
        self.reader, self.step = reader, step if step[:1].isdigit() else reader.number() + step

    def __enter__(self):
        reader = self.reader
        self.path = reader.path
        self.scope, self.names = reader.scope, dict(reader.scope.names)
        reader.path += (self.step,)
        reader.journal.append(Journal())
        return self

    def __exit__(self, kind, error, trace):
        reader = self.reader
        reader.path = self.path
        self.after = self.scope.names
        self.scope.names = self.names
        self.changes = []
        for thing, key, before in reversed(reader.journal.pop()):
            self.changes.append((thing, key, thing.state.get(key)))
            thing.state[key] = before
        return False


def merge(reader, first, second, maybe=False):
    """What is known after either of two branches; None: that one isn't left, or there is none."""
    names = reader.scope.names
    branches = [b for b in (first, second) if b is not None]
    if not branches:
        return
    for name in {n for b in branches for n in b.after}:
        values = [b.after[name] if name in b.after else None for b in branches]
        present = [b.after[name] for b in branches if name in b.after]
        if maybe and name in names:
            present.append(names[name])
        value = present[0]
        for other in present[1:]:
            value = join(value, other)
        names[name] = value
    ends = []
    for branch in branches:
        state = {}
        for thing, key, value in branch.changes:  # the last change first
            state.setdefault((id(thing), key), (thing, key, value))
        ends.append(state)
    for key in {k for state in ends for k in state}:
        thing, name, _ = next(state[key] for state in ends if key in state)
        values = [state[key][2] if key in state else thing.state.get(name) for state in ends]
        if maybe:
            values.append(thing.state.get(name))
        value = values[0]
        for other in values[1:]:
            if name == "device":
                value = join_places(value, other) if value != other else value
            elif isinstance(other, bool) or isinstance(value, bool):
                value = bool(value) or bool(other)
            elif value is not other:
                value = None
        reader.change(thing, name, value)
