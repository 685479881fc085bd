"""One run of envdoctor in a trial, and the conditions for every run."""
import os
import pathlib
import resource
import signal
import subprocess
import time

STATUSES = (0, 1, 2, 3)


class Wrong(Exception):
    pass


def expect(truth, what):
    if not truth:
        raise Wrong(what)


class Done:
    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")


class Program:
    def __init__(self, path, folder=None):
        self.path, self.folder = path, folder

    def in_folder(self, folder):
        return Program(self.path, pathlib.Path(folder))

    def file(self, name, content=b""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def start(self, *arguments, env=None, stdin=None, limits=(), wrap=(), **streams):
        """`limits`: pairs (RLIMIT_…, value). `wrap`: a command that starts envdoctor."""
        def prepare():
            for limit, value in limits:
                resource.setrlimit(limit, (value, value))
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"} if env is None else env
        return subprocess.Popen([*wrap, self.path, *map(str, arguments)], env=environment, cwd=self.folder,
                                stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                                stdout=streams.get("stdout", subprocess.PIPE), stderr=streams.get("stderr", subprocess.PIPE),
                                preexec_fn=prepare if limits else None, start_new_session=True)

    def run(self, *arguments, seconds=20, statuses=STATUSES, stdin=None, raw=False, **options):
        """Ends by itself within `seconds`, by no signal, with a status that it documents. `raw`: it prints foreign bytes."""
        started = time.monotonic()
        process = self.start(*arguments, stdin=stdin, **options)
        try:
            out, err = process.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Wrong(f"hung for {seconds} s: {' '.join(map(str, arguments))}") from None
        done = Done(process.returncode, out or b"", err or b"", time.monotonic() - started)
        expect(done.status in statuses, f"exit status {done.status}: {done.err[-300:].decode('utf-8', 'replace').strip()}")
        expect(b"runtime error:" not in done.err and b"AddressSanitizer" not in done.err, done.err[-500:].decode("utf-8", "replace"))
        for stream in () if raw else (done.out, done.err):
            expect(b"\x1b" not in stream, f"an escape sequence is printed: {stream[:200]!r}")
        return done

    def refuses(self, *arguments, names=None, **options):
        """A usage error: exit status 2 and a message that names the file."""
        done = self.run(*arguments, **options)
        expect(done.status == 2, f"exit status {done.status} where 2 was due")
        message = done.err.decode("utf-8", "replace")
        expect(message.startswith("envdoctor: "), f"no message: {message[:200]!r}")
        if names:
            expect(names in message, f"the message does not name {names}: {message[:200]!r}")
        return done
