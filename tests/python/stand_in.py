"""Replaces envdoctor by a program that reads a captured host: `check` diagnoses its snapshot; everything else is the real
program's. Records each `check` in a file."""
import pathlib


def make(folder, binary, snapshot):
    """The path of the stand-in; what it was asked is noted in folder/asked."""
    place = pathlib.Path(folder) / "envdoctor"
    place.write_text(f"""#!/bin/bash
if [ "$1" != check ]; then exec '{binary}' "$@"; fi
echo "$@" >>'{folder}/asked'
shift
kept=()
while [ $# -gt 0 ]; do
  case $1 in --quick) ;; --python | --timeout) shift ;; *) kept+=("$1") ;; esac
  shift
done
exec '{binary}' diagnose '{snapshot}' "${{kept[@]}}"
""")
    place.chmod(0o755)
    return str(place)
