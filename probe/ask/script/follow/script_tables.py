"""Names, forms and tables by which the reader of scripts knows what it reads."""

FRAMEWORKS = ("tensorflow", "keras", "tf_keras", "torch", "jax")
# Packages that import JAX.
ON_JAX = ("optax", "flax", "haiku", "equinox", "chex", "numpyro", "diffrax", "brax", "blackjax", "orbax")
# What TensorFlow 2.21 still has of its own Keras 2, and tf.keras lacks (each name was tried); its models keep the methods of Keras 2.
OWN_KERAS = re.compile(r"tensorflow\.python\.keras\.(models|Model|Sequential|backend|constraints|optimizers|callbacks\.BaseLogger|losses\.[a-z]\w+|"
                       r"initializers\.(normal|uniform)|metrics\.(MeanRelativeError|MeanTensor|[a-z]\w+)|"
                       r"layers\.(AbstractRNNCell|advanced_activations|convolutional|core|embeddings|merge|pooling|recurrent))(\.|$)")
OWN_OS = "_os_of_the_reader"
MOST_EVENTS = 5000
MOST_STEPS = 60000  # after so many a function is not followed a second time
MOST_STEPS_OF_ALL = 4000000
DEEPEST_CALL = 25
MODEL_MAKERS = ("Sequential", "Model", "load_model", "model_from_json", "clone_model", "from_pretrained")
# The arguments of fit_generator and its like (Keras 2.2, TensorFlow 2.0 to 2.15), those of Keras 1 among them.
OF_GENERATORS = set("generator steps_per_epoch epochs verbose callbacks validation_data validation_steps validation_freq class_weight "
                    "max_queue_size workers use_multiprocessing shuffle initial_epoch steps samples_per_epoch nb_epoch nb_val_samples nb_worker "
                    "max_q_size pickle_safe val_samples x batch_size".split()) | {None}
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
# Modules whose wrong names are told with how a device is chosen, since that is what most of them are for.
OF_DEVICES = re.compile(
    r"(tensorflow(\.(config(\.\w+)?|distribute|test|keras(\.(backend|mixed_precision))?))?|keras(\.(backend|config|mixed_precision|distribution))?|"
    r"torch(\.(cuda(\.amp)?|amp|backends(\.\w+)?|accelerator|xpu|mps|cpu))?|jax(\.(?!tree$|scipy|ad_check|debug|prof|dtypes|flatten|typing|export|"
    r"stages|ops|experimental\.)[\w.]+)?)$")
# Of these modules only such names are listed; what Lightning is called besides.
ANY_NAME, ONLY_THESE = re.compile(""), {"transformers": re.compile("Auto|DataCollator|get_|Train|Seq2SeqTrain|EarlyStop|BitsAnd")}
OTHER_ROOTS = re.compile(r"^lightning\.(pytorch\.)?(?!fabric)")
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
# Classes that are called by their bare names: their package, and what brings them.
CLASSES_OF_NAMES = {"Mesh": ("jax", "from jax.sharding import Mesh"), "NamedSharding": ("jax", "from jax.sharding import NamedSharding"),
                    "PartitionSpec": ("jax", "from jax.sharding import PartitionSpec"),
                    "GradScaler": ("torch", "from torch.amp import GradScaler"),
                    "DistributedSampler": ("torch", "from torch.utils.data.distributed import DistributedSampler"),
                    "DistributedDataParallel": ("torch", "from torch.nn.parallel import DistributedDataParallel"),
                    "MirroredStrategy": ("tensorflow", "from tensorflow.distribute import MirroredStrategy")}
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
# What a script says that trains itself, so that all of its options are for that.
TRAINS_BY = re.compile(r"^\s*(import|from) (torch|tensorflow|keras|jax|flax|pytorch_lightning|lightning)\b", re.M)
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
