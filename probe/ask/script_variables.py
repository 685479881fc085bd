"""Environment variables: what has read them before they are set, and names that nothing reads or sets."""

# What a launcher sets for each process.
LAUNCHED = ("LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "NODE_RANK",
            "GROUP_RANK", "GROUP_WORLD_SIZE", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_NODEID",
            "SLURM_JOB_ID", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", "TF_CONFIG")
# Names that are as near to a known one as a slip is, and are read by somebody else.
OTHERS = ("CUDA_DEVICE", "JAX_PLATFORM", "LOCAL_SIZE", "CUDA_DEVICES", "NODE_ID", "MASTER", "GLOBAL_RANK", "LOCAL_RANKS")
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
            return
        reader = self.reader
        for form, begins in READ_BY:
            if not form.match(name):
                continue
            for what in begins:
                for at, path, source, how in self.begun.get(what, ()):
                    if reader.path[: len(path)] == path and not any(step[:1] == "p" for step in reader.path):
                        reader.mistake(node, "a variable that was read before", name, how,
                                       "line %s" % getattr(at, "lineno", "?"), other=at if source == reader.source else None)
                        return
            return

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
        near = difflib.get_close_matches(name.upper(), self.near, 1, 0.9)
        if near and set(name.upper().split("_")) ^ set(near[0].split("_")) and \
                not re.search(r"\d", "".join(set(name) ^ set(near[0]))) and name.split("_")[0] == near[0].split("_")[0] and \
                name.split("_")[0] in PREFIXES:
            return near[0]
        return None
