#!/usr/bin/env bash
# SRC_DIR holds what ./dev wheel built; the wheel of this processor is installed into PREFIX.
set -euo pipefail
"$PYTHON" -m pip install --no-index --no-deps --no-build-isolation "$SRC_DIR"/gpu_envdoctor-*_"$(uname -m)".whl
