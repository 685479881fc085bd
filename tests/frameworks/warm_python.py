"""A Python whose frameworks are imported once: each run of `envdoctor agree` is a fork of it and needs no import.

The environment it makes has the real one's packages and a bin/python of its own, which hands its arguments, environment
and descriptors to the process that waits. What is not a run of a model goes to the real interpreter. A limit of memory
does not reach the fork; tests of limits start the real interpreter."""
import array
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

CLIENT = '''#!%s
import array, json, os, socket, sys
if len(sys.argv) != 4 or sys.argv[1] != "-c" or "class Comparison" not in sys.argv[2]:
    os.execv(%r, [%r] + sys.argv[1:])
line = socket.socket(socket.AF_UNIX)
line.connect(%r)
line.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2, 3]))])
line.sendall(json.dumps([sys.argv[2:], dict(os.environ), os.getcwd()]).encode() + b"\\n")
sys.exit(int(line.recv(16) or b"1"))
'''


def run_model(line):
    """In the fork: as the interpreter that was started."""
    _, ancillary, _, _ = line.recvmsg(1, socket.CMSG_SPACE(16))
    descriptors = array.array("i")
    descriptors.frombytes(ancillary[0][2])
    text = b""
    while not text.endswith(b"\n"):
        text += line.recv(1 << 16)
    (program, wishes), environment, folder = json.loads(text)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv, sys.path[0] = ["-c", wishes], ""
    exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})


def serve(place, modules):
    for module in modules:
        __import__(module)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen()
    print("ready", flush=True)
    while True:
        line, _ = listening.accept()
        child = os.fork()
        if child == 0:
            try:
                run_model(line)
            finally:
                os._exit(1)
        status = None
        while status is None:
            gone = select.select([line], [], [], 0.05)[0] and not line.recv(1, socket.MSG_PEEK)
            if gone:
                os.kill(child, signal.SIGKILL)
            ended, how = os.waitpid(child, 0 if gone else os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(how)
        try:
            line.sendall(b"%d" % status)
        except OSError:
            pass
        line.close()


class WarmPython:
    """with WarmPython(python, modules) as folder: an environment for --python."""

    def __init__(self, python, modules):
        self.python, self.modules = os.path.abspath(python), modules

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="envdoctor-warm-")
        real = os.path.dirname(os.path.dirname(self.python))
        place = os.path.join(self.folder, "line")
        os.mkdir(os.path.join(self.folder, "bin"))
        os.symlink(os.path.join(real, "lib"), os.path.join(self.folder, "lib"))
        shutil.copy(os.path.join(real, "pyvenv.cfg"), self.folder)
        client = os.path.join(self.folder, "bin", "python")
        with open(client, "w") as file:
            file.write(CLIENT % (sys.executable, self.python, self.python, place))
        os.chmod(client, 0o755)
        os.symlink("python", os.path.join(self.folder, "bin", "python3"))
        self.server = subprocess.Popen([self.python, os.path.abspath(__file__), place] + self.modules, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"))
        if self.server.stdout.readline() != b"ready\n":
            raise RuntimeError("%s does not import %s" % (self.python, ", ".join(self.modules)))
        return self.folder

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2:])
