"""The releases that a script says that it is written for, and what a notebook installs; for the reader of scripts."""

PINNED_PACKAGES = {"tensorflow": "tensorflow", "tensorflow-gpu": "tensorflow", "tensorflow-cpu": "tensorflow",
                   "tensorflow-macos": "tensorflow", "keras": "keras", "jax": "jax", "torch": "torch",
                   "pytorch": "torch", "lightning": "lightning", "pytorch-lightning": "lightning",
                   "pytorch_lightning": "lightning", "transformers": "transformers", "accelerate": "accelerate",
                   "diffusers": "diffusers", "flax": "flax", "datasets": "datasets"}
PIN = re.compile(r"(?<![\w-])(tensorflow(?:-gpu|-cpu|-macos)?|keras|jax|pytorch[-_]lightning|lightning|transformers|"
                 r"accelerate|diffusers|datasets|flax|torch|pytorch)(?:\[[\w,.-]*\])?\s*"
                 r"(===?|~=|<=?|=)\s*[\"']?v?(\d+(?:\.\d+)+|\d+(?=\s*$))", re.M)
ASSERTED = re.compile(r"assert\s+(tf|tensorflow|keras|jax|torch)\.__version__"
                      r"(?:\.startswith\(|\s*==\s*|\[:\d+\]\s*==\s*)"
                      r"\s*[\"'](\d+(?:\.\d+)*)")
SAID = re.compile(r"(?i:tested (?:with|on|against)|requires?|written for|needs|pinned to|works (?:with|on)|stuck on|"
                  r"runs (?:with|on|under))\s+(TensorFlow|tensorflow|TF|Keras|JAX|jax|PyTorch|torch)"
                  r"\s+v?(\d+(?:\.\d+)+)")
PROJECT_FILES = re.compile(r"requirements[\w.-]*\.(txt|in)$|environment[\w.-]*\.ya?ml$|(setup\.(py|cfg)|"
                           r"pyproject\.toml|Pipfile|constraints\.txt|conda\.ya?ml)$")
INSTALLS = re.compile(r"\s*(?:python3? -m |uv |sys\.executable -m )?(?:pip3?|conda|mamba)\s+install\b(.*)")
MOST_OF_A_PROJECT_FILE = 1 << 16


def release_below(version):
    """The newest release below this one, as far as comparing goes: 2.15.999 for 2.16."""
    parts = [int(part) for part in version.split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    parts[-1] -= 1
    return ".".join(str(max(part, 0)) for part in parts) + ".999"


def pins_in(text):
    """{framework: version} of what this text pins."""
    found = {}
    for package, how, version in PIN.findall(text):
        if how == "~=" and version.count(".") < 2:
            continue  # any newer release of this major one
        found.setdefault(PINNED_PACKAGES[package], release_below(version) if how == "<" else version)
    names = {"tf": "tensorflow", "pytorch": "torch"}
    for name, version in ASSERTED.findall(text) + SAID.findall(text):
        found.setdefault(names.get(name.lower(), name.lower()), version)
    return found


def pins_of(text, folder):
    """What the script pins, or the project around it."""
    import os
    found = pins_in(text)
    try:
        files = sorted(os.listdir(folder))[:1000] if folder else []
    except OSError:
        files = []
    for file in files:
        path = os.path.join(folder, file)
        try:
            if PROJECT_FILES.match(file) and os.path.isfile(path) and os.path.getsize(path) <= MOST_OF_A_PROJECT_FILE:
                with open(path, "rb") as project:
                    for framework, version in pins_in(project.read().decode("utf-8", "replace")).items():
                        found.setdefault(framework, version)
        except OSError:
            continue
    older = [int(part) for part in re.findall(r"\d+", found.get("tensorflow", ""))][:2]
    if older and older < [2, 16]:
        found.setdefault("keras", found["tensorflow"] if older[0] == 2 else "2.3")
    return found


def installs(reader, node, command):
    """!pip install -U jax behind the cell that imports it."""
    found = INSTALLS.match(command)
    if not found or not reader.cell:
        return
    for word in found.group(1).split():
        package = re.match(r"[\w.-]+", word.strip("\"'"))
        root = PINNED_PACKAGES.get(package.group(0).lower()) if package else None
        changes = re.search(r"[=<>]", word) or re.search(r"(?:^|\s)(-U|--upgrade|--force-reinstall)\b", found.group(1))
        if root and root in reader.keras.roots and changes:
            reader.mistake(node, "a package that is changed after its import", command.strip()[:120], root)
            return


def restarts(reader, node):
    """os.kill(os.getpid(), 9), get_ipython().kernel.do_shutdown(True): the kernel begins anew."""
    if not reader.cell or reader.path or not isinstance(node, ast.Call):
        return False
    name = reader.full(node.func)
    if name == "os._exit" or name == "os.kill" and "getpid" in reader.written(node):
        return True
    return isinstance(node.func, ast.Attribute) and node.func.attr == "do_shutdown"


def begin_anew(reader, number):
    """What was started before is not started any more; variables that were set are forgotten."""
    reader.forgotten += [event for event in reader.events if event["subject"] == "script-set-variable" and
                         event["name"] in VARIABLES and event["sure"] == "yes"]
    reader.restarted, reader.begin = False, ("p%d:" % number, )
    reader.keras, reader.jaxs = Keras(reader), Jax(reader)
    reader.tf_keras, reader.policy, reader.hidden = False, None, []
    reader.at_restart = len(reader.events)


def forgotten_variables(reader):
    if not reader.forgotten:
        return
    later = reader.events[reader.at_restart :]
    again = {e["name"] for e in later if e["subject"] == "script-set-variable"}
    if not any(e["subject"] == "script-import" for e in later):
        return
    for event in reader.forgotten:
        if event["name"] not in again:
            at = ast.Pass()
            at.lineno, at.cell = event["line"], int(event["cell"]) if event.get("cell") else None
            reader.path = ()
            reader.mistake(at, "a variable that a restart forgets", event["name"])
