"""The example project of docs/examples/cpp with the output of `cmake --install`: it builds, its matcher judges, and its gate lets
GPU tests run on a healthy host alone.

Arguments: the source folder, the build folder, the program."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, build, binary = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
sys.path.insert(0, str(source / "tests/python"))
import stand_in

failures = []


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {what}")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **more)
    return done.returncode, done.stdout


def must(*command):
    status, said = run(*command)
    if status:
        sys.exit(f"{command}: exit {status}\n{said[-4000:]}")


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    prefix, made = folder / "prefix", folder / "made"
    must("cmake", "--install", build, "--prefix", prefix)
    shutil.rmtree(prefix / "share/doc")
    must("cmake", "-S", source / "docs/examples/cpp", "-B", made, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    must("cmake", "--build", made)

    def ctest(host):
        """What ctest says where the installed program looks at this host."""
        (prefix / "bin/envdoctor").unlink(missing_ok=True)
        shutil.copy(stand_in.make(folder, binary, source / f"fixtures/hosts/{host}/expected/snapshot.json"), prefix / "bin/envdoctor")
        return run("ctest", "--test-dir", made, "--output-on-failure", env={name: value for name, value in os.environ.items() if name != "ENVDOCTOR"})

    status, said = ctest("made-eight-h100-healthy")
    expect("healthy", status == 0 and "100% tests passed" in said, said[-2000:])
    status, said = ctest("made-a100-healthy")
    expect("one GPU", status != 0 and "8 GPUs were expected, 1 found" in said, said[-2000:])
    expect("one GPU", "all_gpus (Not Run)" in said and said.count("(Not Run)") == 1, said[-2500:])
    status, said = ctest("made-a100-module-and-library-differ")
    expect("broken", status != 0 and "driver.version-mismatch" in said and said.count("(Not Run)") == 3, said[-2500:])
    expect("broken", "Product.AgreesWithItsReference" in said and "Product.AgreesWithItsReference (" not in said.partition("FAILED")[2], "tests on the CPU do not run")
    # The matcher says so where there is no program.
    status, said = run(made / "product_test", env={**os.environ, "ENVDOCTOR": "/no/such/program"})
    expect("no program", status != 0 and "could not be compared by /no/such/program" in said, said[-1500:])

print("\n".join(failures[:20]))
print(f"{len(failures)} failures")
sys.exit(bool(failures))
