"""Every diagnosis that prints a command is in one of three lists: its command is carried out here, in an environment that
has the defect, and the defect is gone afterwards; or it only asks, and what it asks exists; or it needs root or the
hardware, for the reason that is given, which holds for at most 30 of 100.

    fixes_test.py SOURCE ENVDOCTOR
"""
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SOURCE, BINARY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
FOLDER = pathlib.Path(tempfile.mkdtemp())
HOSTS = SOURCE / "fixtures" / "hosts"
UV = "uv==0.13.8"
failures = []

# ---- which diagnoses print a command

COMMAND = re.compile(
    r'"(?:sudo|export|unset|nvidia-smi|printf|mkdir|lspci|wsl|python -m|lsmod|dmesg|systemctl|modinfo|\. )[ \\"](?!works|--set)|'
    r"pip_install\(|install_nvidia_driver\(|install_kernel_headers\(|opencl::install\(|fitting_\w+\(|exchange_by_pip\(|deciding_commands\(|"
    r"judge_requirements\(|restart_fix\(")
# Files that print commands for diagnoses that are described elsewhere.
OF_HELPERS = {"checks/runtime/library_facts.cpp": ["runtime.cuda-library-missing", "runtime.cudnn-missing"],
              "checks/driver/xid_findings.cpp": ["driver.gpu-lost"],
              "checks/visibility/cut_list.cpp": ["visibility.out-of-range", "visibility.invalid-uuid"],
              "checks/facts/fitting_build.cpp": ["runtime.cpu-only-build"]}


def rows():
    found = set()
    for path in sorted((SOURCE / "checks").glob("*/*.cpp")):
        text = path.read_text()
        # What a symptom is about, as {missing, "nvidia-smi"}, is no command.
        if not COMMAND.search(re.sub(r'\{\w+, "[a-z0-9-]+"', "", text)):
            continue
        found.update(re.findall(r'\.id = "([a-z0-9.-]+)"', text) + OF_HELPERS.get(str(path.relative_to(SOURCE)), []))
    for name in os.listdir(HOSTS):  # and what is printed of the hosts here, whatever the source looks like
        found.update(identifier for identifier, commands in diagnosed(host(name), None).items() if commands)
    return found


# ---- tools

def diagnosed(snapshot, only):
    """{id: [commands]} of a snapshot."""
    done = subprocess.run([BINARY, "diagnose", "-", "--format", "json"], input=json.dumps(snapshot), text=True,
                          stdout=subprocess.PIPE)
    found = {}
    for finding in json.loads(done.stdout)["findings"]:
        if finding["severity"] != "info":
            found.setdefault(finding["id"], []).extend(f["command"] for f in finding["fix"] if f.get("command"))
    return found if only is None else found.get(only)


def host(name):
    return json.loads((HOSTS / name / "expected" / "report.json").read_text())["snapshot"]


def expect(condition, what):
    if not condition:
        failures.append(what)
    return condition


def one_command(found, beginning=""):
    fitting = [c for c in found or [] if c.startswith(beginning)]
    return fitting[0] if fitting else None


# ---- variables: the command is run in a shell with the host's variables, and what they are then is looked at again

def in_a_shell(command, env):
    script = command + "\nenv -0"
    env = {k: v for k, v in env.items() if isinstance(v, str)}
    done = subprocess.run(["sh", "-c", script], env=dict(env, PATH="/usr/bin:/bin"), stdout=subprocess.PIPE)
    after = dict(e.split("=", 1) for e in done.stdout.decode().split("\0") if "=" in e)
    return {k: v for k, v in after.items() if k not in ("PATH", "PWD", "SHLVL", "_", "OLDPWD")}


def by_variable(identifier, snapshot, beginning=""):
    command = one_command(diagnosed(snapshot, identifier), beginning)
    if not expect(command, identifier + ": the host does not have the defect, or prints no command"):
        return
    snapshot = json.loads(json.dumps(snapshot))
    snapshot["env"] = in_a_shell(command, snapshot.get("env", {}))
    expect(not diagnosed(snapshot, identifier), "%s: still there after %s" % (identifier, command))


def two_filters():
    snapshot = host("made-mi300x-no-render-group")
    snapshot["env"] = dict(snapshot.get("env", {}), HIP_VISIBLE_DEVICES="1", ROCR_VISIBLE_DEVICES="1")
    snapshot["device_nodes"] = [dict(n, accessible=True) for n in snapshot["device_nodes"]]
    return snapshot


def jax_without_gpu():
    snapshot = host("made-a100-healthy")
    snapshot["jax"] = {"version": "0.4.30", "backend": "cpu", "plugins": {"jax-cuda12-plugin": "0.4.30"}}
    snapshot["env"] = dict(snapshot.get("env", {}), JAX_PLATFORMS="cpu")
    return snapshot


def mesa():
    snapshot = host("made-arc-a770-healthy")
    snapshot["level_zero"] = {"devices": []}
    snapshot["opencl"] = {"icds": [{"file": "/etc/OpenCL/vendors/rusticl.icd", "library": "libRusticlOpenCL.so.1", "loads": True}],
                          "loader": {"path": "/usr/lib/libOpenCL.so.1"},
                          "platforms": [{"name": "rusticl", "vendor": "Mesa/X.org", "devices": [],
                                         "icd": "/etc/OpenCL/vendors/rusticl.icd"}]}
    snapshot["env"] = {}
    return snapshot


def shared_gpu():
    snapshot = host("made-a100-healthy")
    for device in snapshot["nvidia"]["devices"]:
        device["memory_free_mib"] = 40960
    snapshot["nvidia"]["processes"] = [{"pid": 1, "name": "python", "gpu": 0, "memory_mib": 36000}]
    snapshot["jax"] = {"version": "0.4.30", "backend": "gpu", "plugins": {"jax-cuda12-plugin": "0.4.30"}}
    snapshot["env"] = {}
    for name in ("XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_ALLOCATOR", "XLA_CLIENT_MEM_FRACTION",
                 "XLA_PYTHON_CLIENT_MEM_FRACTION"):
        snapshot["env"].pop(name, None)
    return snapshot


def captured(**env):
    """What `check` sees here, as a snapshot."""
    python = env.pop("python", None)
    done = subprocess.run([BINARY, "check", "--quick", "--no-redact", "--format", "json"] + (["--python", str(python)] if python else []),
                          env=environment_of(**env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["snapshot"]


def with_variables(identifier, snapshot_of, env, beginning=""):
    """snapshot_of(env) looks again at what is really here; the command is run in a shell that has `env`."""
    command = one_command(diagnosed(snapshot_of(env), identifier), beginning)
    if not expect(command, identifier + ": the defect is not seen, or no command is printed"):
        return
    after = in_a_shell(command, dict(env, TMPDIR=str(FOLDER)))
    after.pop("TMPDIR", None)
    expect(not diagnosed(snapshot_of(after), identifier), "%s: still there after %s" % (identifier, command))


def loader():
    """The OpenCL loader of this host, which a variable sends to a folder without drivers."""
    def look(env):
        snapshot, here = host("made-arc-a770-healthy"), captured(**env)
        snapshot["opencl"], snapshot["env"] = here["opencl"], here.get("env", {})
        snapshot.pop("level_zero", None)
        return snapshot
    (FOLDER / "no drivers").mkdir()
    with_variables("opencl.wrong-loader", look, {"OCL_ICD_VENDORS": str(FOLDER / "no drivers")})


def cache():
    """This host's PoCL, which lists no device where it can't write its cache."""
    identifier = "opencl.icd-no-device"

    def pocl(env):
        """Its devices, and the commands of the finding: on a host without a GPU it is a note only."""
        done = subprocess.run([BINARY, "check", "--quick", "--no-redact", "--format", "json"], env=environment_of(**env), stdout=subprocess.PIPE)
        report = json.loads(done.stdout)
        devices = [p["devices"] for p in report["snapshot"]["opencl"]["platforms"] if "Portable" in p["name"]]
        return devices, [f["command"] for one in report["findings"] if one["id"] == identifier for f in one["fix"] if f.get("command")]
    env = {"POCL_CACHE_DIR": "/proc/none"}
    devices, commands = pocl(env)
    command = one_command(commands, "export POCL_CACHE_DIR")
    if not expect(devices == [[]] and command, identifier + ": PoCL lists a device although it can't write: %s" % devices):
        return
    devices, commands = pocl(in_a_shell(command, dict(env, TMPDIR=str(FOLDER))))
    expect(devices and devices[0] and not commands, "%s: still no device after %s" % (identifier, command))


def two_copies():
    """A cuDNN of the environment's own, and another version in a folder that LD_LIBRARY_PATH names."""
    folder = FOLDER / "cuda" / "lib64"
    folder.mkdir(parents=True)
    real = folder / "libcudnn.so.9.1.0"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-Wl,-soname,libcudnn.so.9", "-o", real], check=True)
    (folder / "libcudnn.so.9").symlink_to(real.name)
    wheel("nvidia-cudnn-cu12", "9.8.0", files={"nvidia/cudnn/lib/libcudnn.so.9": real.read_bytes()})
    wheel("torch", "2.7.0")
    environment = made_environment("two_copies")
    install(environment, "torch==2.7.0", "nvidia-cudnn-cu12==9.8.0")

    def look(env):
        snapshot, here = host("made-a100-healthy"), captured(python=environment, **env)
        snapshot["libraries"], snapshot["env"] = here["libraries"], here.get("env", {})
        return snapshot
    with_variables("runtime.library-shadowed", look, {"LD_LIBRARY_PATH": str(folder)})


def two_gpus():
    """Which card PyTorch's cuda:0 is by the variables, as CUDA documents it: the fastest first, or as on the bus."""
    def look(env):
        snapshot = host("made-mixed-gpus-order-mismatch")
        listed = snapshot["nvidia"]["devices"]
        order = listed if env.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" else sorted(
            listed, key=lambda device: [-int(n) for n in device["compute_capability"].split(".")])
        chosen = [order[int(n)] for n in env["CUDA_VISIBLE_DEVICES"].split(",")]
        snapshot["env"] = env
        snapshot["torch"] = {"version": "2.7.0", "cuda_available": True, "device_count": len(chosen),
                             "devices": [{"name": d["name"], "uuid": d["uuid"]} for d in chosen]}
        return snapshot
    with_variables("usage.wrong-gpu", look, {"CUDA_VISIBLE_DEVICES": "0"})


# ---- packages: wheels of our own, without an index; the environment is read, nothing of a framework is run

def wheel(name, version, requires=(), files=(), extras=()):
    stem = "%s-%s" % (name.replace("-", "_"), version)
    files = {**{name.replace("-", "_") + "/__init__.py": "__version__ = %r\n" % version}, **dict(files)}
    info = stem + ".dist-info/"
    files[info + "METADATA"] = "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version) + \
        "".join("Requires-Dist: %s\n" % r for r in requires) + "".join("Provides-Extra: %s\n" % e for e in extras)
    files[info + "WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[info + "RECORD"] = "".join("%s,,%d\n" % (f, len(t)) for f, t in files.items()) + info + "RECORD,,\n"
    (FOLDER / "wheels").mkdir(exist_ok=True)
    with zipfile.ZipFile(FOLDER / "wheels" / (stem + "-py3-none-any.whl"), "w") as out:
        for file, text in files.items():
            out.writestr(file, text)


def environment_of(**more):
    env = {"PATH": str(FOLDER / "bin") + ":/usr/bin:/bin", "HOME": str(FOLDER), "PIP_NO_INDEX": "1",
           "PIP_FIND_LINKS": str(FOLDER / "wheels"), "PIP_DISABLE_PIP_VERSION_CHECK": "1",
           "UV_CONFIG_FILE": str(FOLDER / "uv.toml"), "UV_CACHE_DIR": str(FOLDER / "uv-cache"), "UV_PYTHON_DOWNLOADS": "never"}
    return dict(env, **more)


def checked(python, only, **env):
    """The commands of one diagnosis on this host, with this Python; None: it isn't found."""
    done = subprocess.run([BINARY, "check", "--quick", "--no-redact", "--only", "python,keras,runtime.extension-mismatch", "--format", "json"] +
                          (["--python", str(python)] if python else []),
                          env=environment_of(**env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = None
    for finding in json.loads(done.stdout)["findings"]:
        if finding["id"] == only and finding["severity"] != "info":
            found = (found or []) + [f["command"] for f in finding["fix"] if f.get("command")]
    return found


def made_environment(name, *options):
    subprocess.run(["python3", "-m", "venv", *options, str(FOLDER / name)], check=True)
    return FOLDER / name


def install(environment, *what):
    subprocess.run(["python3", "-m", "pip", "--python", str(environment / "bin" / "python3"), "install", "-q", *what],
                   check=True, env=environment_of(), stdout=subprocess.DEVNULL)


def carried_out(identifier, environment, command, **env):
    if not expect(command, identifier + ": the environment does not have the defect, or prints no command"):
        return False
    done = subprocess.run(["sh", "-c", command], env=environment_of(**env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return expect(done.returncode == 0, "%s: %s ended with %d: %s" % (identifier, command, done.returncode, done.stdout[-400:]))


def by_package(identifier, environment, **env):
    command = one_command(checked(environment, identifier, **env))
    if carried_out(identifier, environment, command, **env):
        expect(checked(environment, identifier, **env) is None, "%s: still there after %s" % (identifier, command))


def frameworks_wheels():
    needs = ["numpy<2.0.0,>=1.23.5", "protobuf<5,>=3.20.3", "keras<2.16,>=2.15.0"]
    wheel("tensorflow", "2.15.1", needs)
    wheel("tensorflow", "2.17.0", ["keras>=3.0.0"])
    for name, versions in {"numpy": ("1.26.4", "2.1.0"), "protobuf": ("4.25.3", "6.30.0"), "keras": ("2.15.0", "3.4.1"),
                           "tf-keras": ("2.17.0",)}.items():
        for version in versions:
            wheel(name, version)


def packages():
    frameworks_wheels()
    environment = made_environment("packages")
    install(environment, "tensorflow==2.15.1", "numpy==1.26.4", "protobuf==4.25.3", "keras==2.15.0")
    for identifier, wrong in (("python.numpy-abi", "numpy==2.1.0"), ("python.protobuf-mismatch", "protobuf==6.30.0"),
                              ("keras.version-mismatch", "keras==3.4.1")):
        install(environment, "--no-deps", wrong)
        by_package(identifier, environment)
    lost = next(environment.glob("lib/python3*/site-packages/tensorflow/__init__.py"))
    lost.unlink()
    by_package("python.broken-install", environment)
    install(environment, "tensorflow==2.17.0", "keras==3.4.1")
    by_package("keras.legacy-missing", environment, TF_USE_LEGACY_KERAS="1")


def real_uv():
    """uv: this host's, or PyPI's, which is kept for the next time; None: neither can be had."""
    found = shutil.which("uv")
    if found:
        return pathlib.Path(found)
    tools = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "envdoctor-tests" / "uv-1"
    tools.parent.mkdir(parents=True, exist_ok=True)
    with open(tools.parent / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (tools / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", tools], check=True)
            done = subprocess.run([tools / "bin" / "pip", "-q", "--disable-pip-version-check", "--retries", "1", "install", UV],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode != 0:
                return None
            (tools / "ready").touch()
    return tools / "bin" / "uv"


def cuda_libraries():
    """The environment's framework asks for libraries that the loader doesn't find; a pip extra of its release brings them."""
    sonames = {"runtime.cuda-library-missing": ("nvidia-cublas-cu12", "12.3.4.1", "nvidia/cublas/lib/libcublas.so.12"),
               "runtime.cudnn-missing": ("nvidia-cudnn-cu12", "8.9.7.29", "nvidia/cudnn/lib/libcudnn.so.8")}
    for name, version, file in sonames.values():
        built = FOLDER / pathlib.Path(file).name
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-Wl,-soname," + built.name, "-o", built], check=True)
        wheel(name, version, files={file: built.read_bytes()})
    extras = ["%s==%s ; extra == 'and-cuda'" % (name, version) for name, version, _ in sonames.values()]
    wheel("tensorflow", "2.16.2", extras, extras=["and-cuda"])
    for identifier, (_, _, file) in sonames.items():
        environment = made_environment(identifier.split(".")[1])
        install(environment, "tensorflow==2.16.2")

        def look():
            snapshot, here = host("made-a100-healthy"), captured(python=environment)
            for section in ("torch", "jax", "keras", "cuda_devices"):
                snapshot.pop(section, None)
            soname = pathlib.Path(file).name
            snapshot["libraries"] = [one for one in here["libraries"] if one["soname"] == soname] or [{"soname": soname, "found": False}]
            snapshot["python"] = here["python"]
            snapshot["tensorflow"] = {"version": "2.16.2", "built_with_cuda": True, "physical_gpus": 0}
            return snapshot
        command = one_command(diagnosed(look(), identifier))
        if carried_out(identifier, environment, command):
            expect(not diagnosed(look(), identifier), "%s: still there after %s" % (identifier, command))


def uv():
    """An environment of uv's has no pip: the printed command must not ask for one."""
    real = real_uv()
    (FOLDER / "bin").mkdir(exist_ok=True)
    (FOLDER / "uv.toml").write_text('no-index = true\nfind-links = ["%s"]\n' % (FOLDER / "wheels"))
    if real:
        (FOLDER / "bin" / "uv").symlink_to(real)
        environment = FOLDER / "of_uv"
        subprocess.run([real, "venv", "-q", "--python", sys.executable, environment], check=True, env=environment_of())
    else:
        environment = made_environment("of_uv", "--without-pip")
        with open(environment / "pyvenv.cfg", "a") as config:
            config.write("uv = 0.5.0\n")
    print("uv: " + (subprocess.check_output([real, "--version"], text=True).strip() if real else "a stand-in, as PyPI can't be reached"))
    install(environment, "tensorflow==2.15.1", "numpy==1.26.4", "protobuf==4.25.3", "keras==2.15.0")
    install(environment, "--no-deps", "numpy==2.1.0")
    if not real:  # what stands in for it takes the same words
        stand_in = FOLDER / "bin" / "uv"
        stand_in.write_text('#!/bin/sh\n[ "$1 $2 $3" = "pip install --python" ] || exit 2\npython=$4; shift 4\n'
                            'exec python3 -m pip --python "$python" install "$@"\n')
        stand_in.chmod(0o755)
    command = one_command(checked(environment, "python.numpy-abi"))
    expect(command and command.startswith("uv pip install --python "), "uv: %s" % command)
    by_package("python.numpy-abi", environment)


def activated_again(diagnosis, environment, other, **env):
    """The command brings the activated environment before the other one on PATH, and the finding is gone."""
    env.update(VIRTUAL_ENV=str(environment), PATH="%s/bin:/usr/bin:/bin" % other)
    command = one_command(checked(None, diagnosis, **env))
    if not expect(command, diagnosis + ": VIRTUAL_ENV beside another python3 is not reported"):
        return
    after = in_a_shell(command + '\nexport NEW_PATH="$PATH"', environment_of(**env))
    env.update(VIRTUAL_ENV=after["VIRTUAL_ENV"], PATH=after["NEW_PATH"])
    expect(checked(None, diagnosis, **env) is None, diagnosis + ": still there")


def activated():
    activated_again("python.wrong-environment", made_environment("activated", "--without-pip"),
                    made_environment("on_path", "--without-pip"))


def backend_elsewhere():
    wheel("keras", "3.5.0")
    wheel("jax", "0.4.30")
    environment, other = made_environment("with_backend"), made_environment("without_backend")
    install(environment, "keras==3.5.0", "jax==0.4.30")
    install(other, "keras==3.5.0")
    activated_again("keras.backend-mismatch", environment, other, KERAS_BACKEND="jax")


def two_packages():
    """Two packages that write one folder, beside a GPU."""
    identifier = "python.duplicate-packages"
    for name in ("onnxruntime", "onnxruntime-gpu"):
        wheel(name, "1.22.0", files={"onnxruntime/__init__.py": "", "onnxruntime/built.py": "built = %r\n" % name})
    environment = made_environment("two_packages")
    install(environment, "onnxruntime-gpu==1.22.0")
    install(environment, "onnxruntime==1.22.0")

    def look():
        snapshot = host("made-a100-healthy")
        snapshot.update(python=captured(python=environment)["python"])
        return snapshot
    command = one_command(diagnosed(look(), identifier))
    if carried_out(identifier, environment, command):
        expect(not diagnosed(look(), identifier), "%s: still there after %s" % (identifier, command))
        left = next(environment.glob("lib/python3*/site-packages/onnxruntime/built.py"), None)
        expect(left and "onnxruntime-gpu" in left.read_text(), identifier + ": the package for GPUs is not the one that is left")


def extension():
    for name, version in (("torch", "2.4.0"), ("torchvision", "0.15.0"), ("torchvision", "0.19.0")):
        wheel(name, version)
    environment = made_environment("extension")
    install(environment, "torch==2.4.0", "torchvision==0.15.0")
    by_package("runtime.extension-mismatch", environment)


def torch_wheel(version, cuda):
    text = "__version__ = '%s+cu%s'\ncuda = '%s'\n" % (version, cuda.replace(".", ""), cuda)
    wheel("torch", version, files={"torch/version.py": text})


def fitting_wheel(command):
    """The build that the command asks for, with our content."""
    asked = re.search(r'"torch==([0-9.]+)\.\*" --index-url \S+/cu([0-9]+)([0-9])$', command)
    if expect(asked, "no build of PyTorch is asked for: %s" % command):
        torch_wheel(asked[1] + ".0", "%s.%s" % (asked[2], asked[3]))
    return bool(asked)


def other_gpu():
    """A PyTorch whose build holds no code for the GPU."""
    identifier = "runtime.arch-unsupported"
    torch_wheel("2.4.0", "12.1")
    environment = made_environment("other_gpu")
    install(environment, "torch==2.4.0")

    def look():
        snapshot, here = host("made-a100-healthy"), captured(python=environment)
        for device in snapshot["nvidia"]["devices"]:
            device.update(name="NVIDIA GeForce RTX 5090", compute_capability="12.0")
        snapshot["nvidia"].update(kernel_driver_version="580.65.06", cuda_driver_version="13.0")
        for section in ("tensorflow", "jax", "keras", "cuda_devices"):
            snapshot.pop(section, None)
        snapshot["nvidia"].pop("cuda_devices", None)
        snapshot.update(python=here["python"], torch=here["torch"])
        return snapshot
    command = one_command(diagnosed(look(), identifier))
    if not expect(command, identifier + ": the defect is not seen, or no command is printed") or not fitting_wheel(command):
        return
    if carried_out(identifier, environment, command):
        expect(not diagnosed(look(), identifier), "%s: still there after %s" % (identifier, command))


def cpu_build():
    """A PyTorch for the CPU beside a driver that works."""
    identifier = "runtime.cpu-only-build"

    def torch(tag, cuda):
        wheel("torch", "2.4.0+" + tag, files={"torch/version.py": "__version__ = '2.4.0+%s'\ncuda = %r\n" % (tag, cuda)})
    torch("cpu", None)
    environment = made_environment("cpu_build")
    install(environment, "torch==2.4.0+cpu")

    def look():
        snapshot, here = host("made-a100-healthy"), captured(python=environment)
        for section in ("tensorflow", "jax", "keras", "cuda_devices"):
            snapshot.pop(section, None)
        snapshot.update(python=here["python"], torch=here["torch"])
        return snapshot
    command = one_command(diagnosed(look(), identifier))
    asked = re.search(r'"torch==2.4.0\+cu([0-9]+)([0-9])" --index-url \S+/cu\1\2$', command or "")
    if not expect(asked, "%s: no build of the same release is asked for: %s" % (identifier, command)):
        return
    torch("cu" + asked[1] + asked[2], asked[1] + "." + asked[2])
    if carried_out(identifier, environment, command):
        expect(not diagnosed(look(), identifier), "%s: still there after %s" % (identifier, command))


def other_python():
    """What pip says where no wheel is for this Python, and what it says to the command."""
    identifier = "python.version-unsupported"
    environment = made_environment("other_python")
    snapshot = FOLDER / "other_python.json"
    snapshot.write_text(json.dumps(captured(python=environment)))
    log = FOLDER / "pip.log"

    def commands(command):
        done = subprocess.run(["sh", "-c", command], env=environment_of(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        log.write_text(done.stdout)
        report = subprocess.run([BINARY, "diagnose", snapshot, "--log", log, "--format", "json"], stdout=subprocess.PIPE)
        found = [one for one in json.loads(report.stdout)["findings"] if one["id"] == identifier]
        return done.returncode, found, [f["command"] for one in found for f in one["fix"] if f.get("command")]
    status, found, printed = commands('"%s/bin/python3" -m pip install torch==1.4.0' % environment)
    command = one_command(printed)
    if not expect(status != 0 and command, "%s: no command after %s" % (identifier, log.read_text())) or not fitting_wheel(command):
        return
    status, found, _ = commands(command)
    expect(status == 0 and not found, "%s: still there after %s: %s" % (identifier, command, log.read_text()))


def old_pip():
    environment = made_environment("old_pip")
    wheel("pip", "99.0")
    done = subprocess.run([BINARY, "diagnose", "--log", "-", "--format", "json"], text=True, stdout=subprocess.PIPE, input=
                          "You are using pip version 18.1, however version 24.0 is available.\n"
                          "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: )\n"
                          "ERROR: No matching distribution found for tensorflow\n")
    commands = [f["command"] for finding in json.loads(done.stdout)["findings"] if finding["id"] == "python.pip-too-old"
                for f in finding["fix"] if f.get("command")]
    path = "%s/bin:/usr/bin:/bin" % environment
    if carried_out("python.pip-too-old", environment, one_command(commands), PATH=path):
        expect(list(environment.glob("lib/python3*/site-packages/pip-99.0.dist-info")), "python.pip-too-old: pip is as old")


# ---- files of the system, in a namespace of its own: as root only

def in_namespace(script):
    return subprocess.run(["unshare", "-m", "sh", "-ec", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def may_unshare():
    return os.geteuid() == 0 and in_namespace("mount -t tmpfs none /mnt").returncode == 0


def group(identifier, name):
    snapshot = host(name)
    command = one_command(diagnosed(snapshot, identifier), "sudo usermod")
    if not expect(command, identifier + ": no command") or not may_unshare():
        return
    done = in_namespace("""
cp -a /etc {0}/etc; mount --bind {0}/etc /etc
echo render:x:4711: >>/etc/group; echo trainer:x:4712:4712::/:/bin/sh >>/etc/passwd; echo 'trainer:x:4712:' >>/etc/group
mkdir -p {0}/sudo; printf '#!/bin/sh\\nexec "$@"\\n' >{0}/sudo/sudo; chmod +x {0}/sudo/sudo
PATH={0}/sudo:$PATH USER=trainer
{1}
id -nG trainer""".format(FOLDER, command))
    shutil.rmtree(FOLDER / "etc", ignore_errors=True)
    words = done.stdout.split()
    if not expect("render" in words, "%s: %s: %s%s" % (identifier, command, done.stdout, done.stderr)):
        return
    for node in snapshot["device_nodes"]:  # what the kernel then says of a member
        node["accessible"] = True
    expect(not diagnosed(snapshot, identifier), identifier + ": still there")


def shared_memory():
    """A user who may not create files in /dev/shm makes no lock; after the command he does."""
    identifier = "memory.shm-permission"
    snapshot = host("made-a100-healthy")
    snapshot["host"]["user"] = {"uid": 65534}
    snapshot["log"] = [{"class": "noted", "subject": "closed-shared-memory", "source": "job.log", "line": 1,
                        "text": "drwxr-xr-x 2 root root 40 /dev/shm"}]
    command = one_command(diagnosed(snapshot, identifier), "sudo chmod")
    if not expect(command, identifier + ": no command") or not may_unshare():
        return
    lock = "setpriv --reuid=65534 --clear-groups %s -c 'import multiprocessing; multiprocessing.Lock()'" % "/usr/bin/python3"
    done = in_namespace("""
mkdir -p {0}/sudo; printf '#!/bin/sh\\nexec "$@"\\n' >{0}/sudo/sudo; chmod +x {0}/sudo/sudo
PATH={0}/sudo:$PATH
mount -t tmpfs -o mode=755 none /dev/shm
{2} 2>/dev/null && echo before
{1}
{2} && echo after""".format(FOLDER, command, lock))
    expect(done.stdout.split() == ["after"], "%s: %s: %s%s" % (identifier, command, done.stdout, done.stderr))


def registration():
    identifier = "opencl.icd-missing-in-container"
    snapshot = host("made-container-without-opencl-registration")
    command = one_command(diagnosed(snapshot, identifier))
    if not expect(command, identifier + ": no command") or not may_unshare():
        return
    done = in_namespace("cp -a /etc {0}/etc; mount --bind {0}/etc /etc; rm -rf /etc/OpenCL\n{1}\n"
                        "cat /etc/OpenCL/vendors/*.icd".format(FOLDER, command))
    shutil.rmtree(FOLDER / "etc", ignore_errors=True)
    library = done.stdout.strip()
    if expect(library, "%s: %s" % (identifier, done.stderr)):
        snapshot["opencl"].setdefault("icds", []).append({"file": "/etc/OpenCL/vendors/nvidia.icd", "library": library, "loads": True})
        expect(not diagnosed(snapshot, identifier), identifier + ": still there")


def library():
    """The copy lies where the loader doesn't look; a program that opens it by its name is the judge."""
    identifier = "driver.libcuda-missing"
    snapshot = host("made-a100-healthy")
    folder = FOLDER / "driver"
    folder.mkdir()
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", folder / "libcuda.so.1"], check=True)
    snapshot["nvidia"] = {"kernel_driver_version": "550.54.14"}
    snapshot["libraries"] = [{"soname": "libcuda.so.1", "found": False, "path": str(folder / "libcuda.so.1")}]
    command = one_command(diagnosed(snapshot, identifier), "export LD_LIBRARY_PATH=")
    if not expect(command, identifier + ": no command"):
        return
    opens = [sys.executable, "-c", "import ctypes; ctypes.CDLL('libcuda.so.1')"]
    after = in_a_shell(command, {})
    expect(subprocess.run(opens, env={}, stderr=subprocess.DEVNULL).returncode != 0, "this host has a libcuda.so.1 of its own")
    expect(subprocess.run(opens, env=after).returncode == 0, "%s: still not found after %s" % (identifier, command))


# ---- the distribution's packages, of the same names and our own content, in a root that is laid over this one

ROOT = """
mount -t tmpfs none /mnt
for d in usr var etc; do mkdir -p /mnt/$d /mnt/$d.work
  mount -t overlay overlay -o lowerdir=/$d,upperdir=/mnt/$d,workdir=/mnt/$d.work /$d; done
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/* /etc/OpenCL
echo "deb [trusted=yes] file:{0}/archive ./" >/etc/apt/sources.list
mkdir -p {0}/sudo; printf '#!/bin/sh\\nexec "$@"\\n' >{0}/sudo/sudo; chmod +x {0}/sudo/sudo
export PATH={0}/sudo:$PATH DEBIAN_FRONTEND=noninteractive
echo 'APT::Sandbox::User "root";' >/etc/apt/apt.conf.d/99root
apt-get update -qq >&2
{1} >&2
"""


def archive(packages):
    """{name: [files]}"""
    (FOLDER / "archive").mkdir(exist_ok=True)
    listed = ""
    for name, files in packages.items():
        tree = FOLDER / "trees" / name
        (tree / "DEBIAN").mkdir(parents=True)
        control = "Package: %s\nVersion: 99:1\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n" % name
        (tree / "DEBIAN" / "control").write_text(control)
        for file in files:
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text("libigdrcl.so\n")
        deb = FOLDER / "archive" / (name + ".deb")
        subprocess.run(["dpkg-deb", "-b", "-Znone", tree, deb], check=True, stdout=subprocess.DEVNULL)
        listed += control + "Filename: ./%s\nSize: %d\nSHA256: %s\n\n" % (
            deb.name, deb.stat().st_size, hashlib.sha256(deb.read_bytes()).hexdigest())
    (FOLDER / "archive" / "Packages").write_text(listed)


def installed(identifier, snapshot, shown, after):
    """`shown` prints what lies there afterwards; `after` puts it into the snapshot."""
    command = one_command(diagnosed(snapshot, identifier), "sudo apt-get install")
    if not expect(command, identifier + ": no command") or not may_unshare() or not shutil.which("apt-get"):
        return
    if in_namespace("mkdir -p /mnt; mount -t tmpfs none /mnt; mkdir /mnt/u /mnt/w; mount -t overlay overlay "
                    "-o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w /usr").returncode != 0:
        return  # no overlay may be made here
    done = in_namespace(ROOT.format(FOLDER, command) + shown)
    if expect(done.returncode == 0 and done.stdout.strip(), "%s: %s: %s" % (identifier, command, done.stderr[-600:])):
        after(snapshot, done.stdout.split())
        expect(not diagnosed(snapshot, identifier), identifier + ": still there")


def distribution():
    lib = "usr/lib/x86_64-linux-gnu/"
    archive({"ocl-icd-libopencl1": [lib + "libOpenCL.so.1.test"],
             "intel-opencl-icd": ["etc/OpenCL/vendors/intel.icd", lib + "libigdrcl.so"],
             "libze1": [lib + "libze_loader.so.1.test"], "libze-intel-gpu1": [lib + "libze_intel_gpu.so.1.test"]})

    def loader(snapshot, files):
        snapshot["opencl"]["loader"] = {"path": files[0], "kind": "ocl-icd"}

    def registered(snapshot, files):
        snapshot["opencl"]["icds"] = [{"file": files[0], "library": "libigdrcl.so", "loads": True}]

    def level_zero(snapshot, files):
        snapshot["level_zero"] = host("made-arc-a770-healthy")["level_zero"]
        expect(len(files) == 2, "level zero: %s" % files)

    installed("opencl.loader-missing", host("made-gtx970-nouveau-bound"), "ls /%slibOpenCL.so.1.test" % lib, loader)
    bare = host("made-arc-a770-healthy")
    bare["opencl"].update(icds=[], platforms=[])
    del bare["level_zero"]
    installed("opencl.no-icd", bare, "ls /etc/OpenCL/vendors/*.icd", registered)
    bare = host("made-arc-a770-healthy")
    bare["level_zero"] = {"library": {"absent": "libze_loader.so.1 is not found"}}
    bare["torch"] = {"version": "2.7.0+xpu"}
    bare["libraries"] = [{"soname": "libze_loader.so.1", "found": False}]
    installed("driver.level-zero-missing", bare, "ls /%slibze*.test" % lib, level_zero)


EXECUTED = {
    "opencl.wrong-loader": loader,
    "opencl.icd-no-device": cache,
    "runtime.library-shadowed": two_copies,
    "usage.wrong-gpu": two_gpus,
    "runtime.arch-unsupported": other_gpu,
    "runtime.cpu-only-build": cpu_build,
    "python.version-unsupported": other_python,
    "opencl.loader-missing": distribution,
    "opencl.no-icd": lambda: None,  # with distribution()
    "driver.level-zero-missing": lambda: None,
    "driver.libcuda-missing": library,
    "visibility.empty": lambda: by_variable("visibility.empty", host("made-visible-devices-empty")),
    "visibility.order-mismatch": lambda: by_variable("visibility.order-mismatch", host("made-mixed-gpus-order-mismatch")),
    "visibility.double-filter": lambda: by_variable("visibility.double-filter", two_filters()),
    "visibility.framework-hidden": lambda: by_variable("visibility.framework-hidden", jax_without_gpu()),
    "opencl.rusticl-not-enabled": lambda: by_variable("opencl.rusticl-not-enabled", mesa()),
    "memory.preallocated": lambda: by_variable("memory.preallocated", shared_gpu()),
    "runtime.cuda-library-missing": cuda_libraries,
    "runtime.cudnn-missing": lambda: None,  # with cuda_libraries()
    "python.numpy-abi": packages,
    "python.protobuf-mismatch": lambda: None,  # with packages()
    "keras.version-mismatch": lambda: None,
    "python.broken-install": lambda: None,
    "python.duplicate-packages": two_packages,
    "keras.legacy-missing": uv,  # the same command by uv
    "python.wrong-environment": activated,
    "keras.backend-mismatch": backend_elsewhere,
    "runtime.extension-mismatch": extension,
    "python.pip-too-old": old_pip,
    "driver.permission": lambda: group("driver.permission", "made-mi300x-no-render-group"),
    "opencl.permission": lambda: group("opencl.permission", "made-mi300x-no-render-group"),
    "opencl.icd-missing-in-container": registration,
    "memory.shm-permission": shared_memory,
}
# Commands that only ask: nothing is different afterwards, and the finding says so.
ASKING = {
    "driver.gpu-init-failed": "dmesg", "driver.gpu-lost": "dmesg", "driver.vgpu-profile": "nvidia-smi -q", "driver.wsl1": "wsl --list",
    "driver.unreachable": "one command for each of its causes", "opencl.no-platform": "one command for each of its causes",
    "memory.occupied": "nvidia-smi", "visibility.out-of-range": "nvidia-smi -L", "visibility.invalid-uuid": "nvidia-smi -L",
}
NEEDS = {
    "driver.compute-mode": "a GPU in another compute mode", "driver.device-nodes-missing": "the driver's own module",
    "driver.fabric-manager": "NVSwitch", "driver.firmware-missing": "the GPU whose firmware it is",
    "driver.init-failed": "the driver's own module", "driver.module-not-loaded": "root, and the module", "driver.not-installed": "root, and a GPU",
    "driver.nouveau-bound": "root, a GPU and a new start", "driver.secure-boot": "firmware that asks at its console",
    "driver.too-old": "root, and a GPU", "driver.version-mismatch": "a new start", "hardware.mig-unconfigured": "a GPU with MIG",
    "hardware.row-remap-pending": "a GPU with a pending row", "visibility.container-spec-stale": "the container toolkit and a GPU",
}


def main():
    try:
        printing = rows()
        lists = [EXECUTED, ASKING, NEEDS]
        for identifier in sorted(printing):
            expect(sum(identifier in one for one in lists) == 1, identifier + ": prints a command and is in no list, or in two")
        for one in lists:
            for identifier in sorted(set(one) - printing):
                failures.append(identifier + ": is listed and prints no command")
        for run in EXECUTED.values():
            run()
        if not may_unshare():
            print("skipped, as root alone may do it: what is carried out in a namespace")
        share = 100 * len(NEEDS) / len(printing)
        print("%d diagnoses print a command: %d carried out, %d only ask, %d need root or hardware (%.0f %%)" %
              (len(printing), len(EXECUTED), len(ASKING), len(NEEDS), share))
        expect(share <= 30, "more than 30 % need root or hardware")
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    for failure in failures:
        print(failure)
    return int(bool(failures))


sys.exit(main())
