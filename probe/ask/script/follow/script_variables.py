"""Environment variables: what has read them before they are set, and names that nothing reads or sets."""

# What a launcher sets for each process.
LAUNCHED = ("LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "NODE_RANK",
            "GROUP_RANK", "GROUP_WORLD_SIZE", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_NODEID",
            "SLURM_JOB_ID", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", "TF_CONFIG")
# Names that are as near to a known one as a slip is, and are read by somebody else.
OTHERS = ("CUDA_DEVICE", "JAX_PLATFORM", "LOCAL_SIZE", "CUDA_DEVICES", "NODE_ID", "MASTER", "GLOBAL_RANK", "LOCAL_RANKS")
# What the _DEBUG of a family takes.
LEVELS = {"TORCH_DISTRIBUTED": "OFF|INFO|DETAIL", "NCCL": "VERSION|WARN|INFO|ABORT|TRACE"}
PREFIXES = ("PYTORCH", "CUDA", "XLA", "JAX", "TF", "KERAS", "CUBLAS", "HIP", "HSA", "NCCL")
# What reads which variables, once: (form of the name, what has read it by then).
READ_BY = (
    (re.compile(r"(MASTER_ADDR|MASTER_PORT|WORLD_SIZE|RANK)$"), ("group",)),
    (re.compile(r"(TORCH_NCCL_\w+|NCCL_ASYNC_ERROR_HANDLING|NCCL_BLOCKING_WAIT|GLOO_\w+|TORCH_DISTRIBUTED_\w+|TP_\w+)$"),
     ("group",)),
    (re.compile(r"NCCL_\w+$"), ("collective",)),
    (re.compile(r"(CUBLAS_WORKSPACE_CONFIG|NVIDIA_TF32_OVERRIDE|CUBLASLT_\w+)$"), ("cublas",)),
    (re.compile(r"(CUDNN_\w+|TORCH_CUDNN_\w+)$"), ("cublas",)),
    (re.compile(r"(ACCELERATE_\w+)$"), ("accelerator",)),
    # Numba reads most of its variables again when it compiles, but chooses between the simulator and the GPU when it is imported.
    (re.compile(r"NUMBA_ENABLE_CUDASIM$"), ("numba",)),
)
# Calls by which something begins that reads variables.
BEGINS = {
    "torch.distributed.init_process_group": ("group",),
    "torch.distributed.barrier": ("group", "collective"),
    "torch.nn.parallel.DistributedDataParallel": ("group", "collective"),
    "torch.distributed.fsdp.FullyShardedDataParallel": ("group", "collective"),
    "torch.distributed.broadcast_object_list": ("collective",),
    "torch.distributed.all_gather_object": ("collective",),
    "deepspeed.init_distributed": ("group",),
    "deepspeed.initialize": ("group", "collective"),
    "accelerate.Accelerator": ("accelerator", "group"),
    "torch.cuda.current_blas_handle": ("cublas",),
}

# What the allocator's variable takes (AllocatorConfig.cpp, CUDAAllocatorConfig.h of PyTorch 2.15, tried there), and
# which values: option:value with commas between; another option raises.
BOOLEAN = r"True|False"
ALLOCATOR = {
    "max_split_size_mb":
    r"(2\d|[3-9]\d|\d{3,}).*",
    "max_non_split_rounding_mb":
    r"(2\d|[3-9]\d|\d{3,}).*",
    "garbage_collection_threshold":
    r"0?\.\d*[1-9]\d*",
    "roundup_power2_divisions":
    r"\d+|\[.*\]",
    "backend":
    r"native|cudaMallocAsync|hipMallocAsync",
    **dict.fromkeys(("expandable_segments", "release_lock_on_cudamalloc", "release_lock_on_hipmalloc",
                     "pinned_use_cuda_host_register", "pinned_use_hip_host_register", "pinned_use_background_threads",
                     "graph_capture_record_stream_reuse", "throw_on_cudamalloc_oom", "pinned_free_catch_all"), BOOLEAN),
    **dict.fromkeys(("pinned_num_register_threads", "pinned_reserve_segment_size_mb", "large_segment_size_mb",
                     "pinned_max_round_threshold_mb", "pinned_max_cached_size_mb", "roundup_bypass_threshold_mb"), r"\d+.*"),
    **dict.fromkeys(("per_process_memory_fraction", "expandable_segments_reserve",
                     "expandable_segments_reserve_by_class"), r".*"),
}
ALLOCATOR_NAMES = re.compile(r"PYTORCH_((CUDA|HIP)_)?ALLOC_CONF$")


class Variables:
    def __init__(self, reader, known):
        self.reader = reader
        self.known = set(VARIABLES) | set(LAUNCHED) | set(known.split())
        self.near = sorted(set(VARIABLES) | {n for n in known.split() if len(n) > 9} | set(LAUNCHED))
        self.begun = {}  # what has begun: [(node, path, source, how it is written)]

    def call(self, node, name):
        for what in BEGINS.get(name, ()):
            self.begin(node, what, name)
        if name.startswith("torch.distributed.") and name.rsplit(".", 1)[-1] in COLLECTIVES:
            self.begin(node, "collective", name)

    def begin(self, node, what, name):
        reader = self.reader
        if len(self.begun.setdefault(what, [])) < 20:
            self.begun[what].append((node, reader.path, reader.source, name))

    def set(self, node, name):
        """Whether what reads it once has read it on the way to here."""
        if not name:
            return None
        reader = self.reader
        # A program that starts others, or itself anew, hands the variable on; hashes of texts have a rule of their own.
        if name == "PYTHONHASHSEED" and not re.search(r"\b(hash\(|exec[lv]\w*|spawn\w*|Popen|subprocess|fork\w*|torchrun|launch\w*\b)", reader.text):
            return reader.mistake(node, "a variable that Python reads when it starts", name)
        for form, begins in READ_BY:
            if not form.match(name):
                continue
            for what in begins:
                for at, path, source, how in self.begun.get(what, ()):
                    if reader.path[: len(path)] == path and not any(step[:1] == "p" for step in reader.path):
                        reader.mistake(node, "a variable that was read before", name, how,
                                       "line %s" % getattr(at, "lineno", "?"), other=at if source == reader.source else None)
                        return None
            return None
        return None

    def workspace(self, node, name, value):
        """CUBLAS_WORKSPACE_CONFIG, of which deterministic algorithms take two values (aten/src/ATen/Context.cpp)."""
        said = text_of(value)
        if name == "CUBLAS_WORKSPACE_CONFIG" and said and said not in (":4096:8", ":16:8") and re.search(
                r"use_deterministic_algorithms|deterministic=True|seed_everything", self.reader.text):
            self.reader.mistake(node, "a value that a variable doesn't take", said, name,
                                "deterministic algorithms of PyTorch take ':4096:8' or ':16:8', and raise")

    def allocator(self, node, name, value):
        """PYTORCH_CUDA_ALLOC_CONF, whose options are read one by one."""
        if not name or not ALLOCATOR_NAMES.match(name) or not is_form(value):
            return
        said = re.sub(r"\s", "", form_of(value).replace(NUMBER, "128"))
        for part in re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+", said):
            option, colon, given = part.partition(":")
            why = None
            if UNKNOWN in option:
                continue
            if option not in ALLOCATOR:
                near = difflib.get_close_matches(re.split(r"[=;]", option)[0], sorted(ALLOCATOR), 1, 0.7)
                why = "'%s' is no option%s" % (option, "; '%s' is, with ':' before its value" % near[0] if near else "")
            elif not colon or not given:
                why = "'%s' lacks ':' and its value" % option
            elif UNKNOWN not in given and not re.fullmatch(ALLOCATOR[option], given):
                why = "%s doesn't take '%s'%s" % (option, given, {
                    BOOLEAN: ", but True or False", ALLOCATOR["backend"]: ", but native or cudaMallocAsync",
                    ALLOCATOR["garbage_collection_threshold"]: ", but a fraction between 0 and 1",
                    ALLOCATOR["max_split_size_mb"]: ", but a number from 20 on"}.get(ALLOCATOR[option], ""))
            if why:
                return self.reader.mistake(node, "settings that the allocator doesn't take", "%s = '%s'" % (name, said),
                                           why)
        return None

    def read(self, node, name, shown=None):
        """os.environ["LOCALRANK"]: a name that is a slip of one that a launcher sets."""
        if not name or name in self.known or name in OTHERS or len(name) < 6 or name != name.upper():
            return
        plain = name.replace("_", "")
        near = [one for one in LAUNCHED + VARIABLES if one.replace("_", "") == plain or sorted(one) == sorted(name)]
        if near and not re.search(r"environ\[['\"]%s['\"]\]\s*=[^=]|export %s=|\b%s=\S" % ((re.escape(name),) * 3),
                                  self.reader.text):
            self.reader.mistake(node, "a variable that nothing sets", name, near[0])

    def other_words(self, words):
        """The one known name with the same words in another order, or with one word more or less."""
        if len(words) < 3 or words[0] not in PREFIXES:
            return None
        swapped = [one for one in self.near if sorted(one.split("_")) == sorted(words)]
        if swapped:
            return swapped[0]
        found = []
        for one in VARIABLES if len(words) > 3 else ():
            known = one.split("_")
            less, more = (known, words) if len(known) < len(words) else (words, known)
            if len(more) - len(less) == 1 and len(less) > 2 and known[0] == words[0] and known[-1] == words[-1] and \
                    any(more[:at] + more[at + 1 :] == less for at in range(1, len(more))):
                found.append(one)
        return found[0] if len(found) == 1 else None

    def is_slip(self, name):
        """The known name that this one is a slip of: parts that are left out, added, or in another form."""
        if name in self.known or name in OTHERS or name.startswith("TF_CPP"):
            return None
        plain = name.upper().replace("_", "")
        for one in self.near:
            if one.replace("_", "") == plain and len(plain) > 7:
                return one
        near = self.other_words(name.upper().split("_"))
        if near:
            return near
        family, _, said = name.rpartition("_")
        if family in LEVELS and re.fullmatch(LEVELS[family], said):
            return family + "_DEBUG"  # a level in the place of what it is a level of
        near = difflib.get_close_matches(name.upper(), self.near, 1, 0.9)
        if near and set(name.upper().split("_")) ^ set(near[0].split("_")) and \
                not re.search(r"\d", "".join(set(name) ^ set(near[0]))) and name.split("_")[0] == near[0].split("_")[0] and \
                name.split("_")[0] in PREFIXES:
            return near[0]
        return None
