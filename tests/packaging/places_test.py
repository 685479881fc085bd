"""The source and build folders appear neither in the program nor in the names of the joined sources, whose
order is that of the program's objects: the same sources give the same bytes in any folder.

usage: places_test.py SOURCE BUILD PROGRAM
"""
import pathlib
import re
import sys

source, build, program = (pathlib.Path(word).resolve() for word in sys.argv[1:])
joined = [file.relative_to(build) for file in build.glob("CMakeFiles/*.dir/Unity/*.cxx")]
data = program.read_bytes()
failures = [f"{program} isn't this program"] if b"envdoctor" not in data else []
for place in {source, build}:
    name = re.sub(r"\W", "_", str(place))  # as CMake makes an identifier of it
    failures += [f"{file} is named after the folder {place}" for file in joined if file.name.startswith(f"unity_{name}")]
    for text in (f"{place}/", f"unity_{name}"):
        at = data.find(text.encode())
        if at >= 0:
            failures.append(f"{program} holds {data[at:at + 120].split(bytes(1))[0].decode(errors='replace')!r}")
print("\n".join(failures) or f"{len(joined)} joined sources and the program name no folder")
sys.exit(bool(failures))
