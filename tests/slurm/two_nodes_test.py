"""A real Slurm of two nodes on this machine: the faulty one is drained with the root finding as the reason, the healthy one
works, jobs land there, and their reports are gathered. Needs slurm-wlm and munge, and root.

Arguments: the source folder, the program."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

source, binary = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
SICK, SOUND = "made-eight-h100-no-fabric-manager", "made-eight-h100-healthy"
missing = [tool for tool in ("munged", "slurmctld", "slurmd", "srun", "scontrol") if not shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin")]
if missing or os.getuid() != 0:
    sys.exit(f"needs root, slurm-wlm and munge; missing: {', '.join(missing) or 'root'}")

folder = pathlib.Path(tempfile.mkdtemp(prefix="envdoctor-slurm-"))
folder.chmod(0o755)
host = socket.gethostname().split(".")[0]
children = []


def free_port():
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def start(*command, **more):
    log = open(folder / f"{pathlib.Path(command[0]).name}-{len(children)}.log", "wb")
    children.append(subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment, **more))


def run(*command, check=True):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=60, text=True)
    if check and done.returncode != 0:
        raise SystemExit(f"{command}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def wait_until(what, test, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if test():
            return
        time.sleep(0.3)
    logs()
    raise SystemExit(f"did not happen in {seconds} s: {what}")


# Each node sees another captured host: where the recipes say envdoctor, that host's evidence is diagnosed.
tools = folder / "tools"
tools.mkdir()
for recipe in ("slurm-health-check", "slurm-prolog"):
    shutil.copy(source / "docs/ci" / recipe, tools / recipe)
hosts = ("sick", "sound")


def let_see(node, fixture):
    """From now on this node is that captured host."""
    shutil.copy(source / "fixtures/hosts" / fixture / "expected/snapshot.json", folder / "next.json")
    (folder / "next.json").rename(folder / f"{node}.json")


for name in hosts:
    let_see(name, SOUND)
(tools / "envdoctor").write_text(f'#!/bin/sh\nexec {binary} diagnose "{folder}/$SLURMD_NODENAME.json" "$@"\n')
(tools / "envdoctor").chmod(0o755)
(folder / "host.toml").write_text('gpus = 8\ngpu = "H100"\n')
# slurmd passes its programs only a small environment.
(tools / "check").write_text(f'#!/bin/sh\nexport PATH={tools}:/usr/bin:/bin HOST_TOML={folder}/host.toml SLURM_CONF={folder}/slurm.conf\n'
                             'export SLURMD_NODENAME="${SLURMD_NODENAME:-$(tr "\\0" "\\n" </proc/$PPID/cmdline | sed -n "/^-N$/{n;p}")}"\n'
                             f'[ -e {folder}/go ] || exit 0\n{tools}/slurm-health-check; status=$?; echo >>{folder}/checked-$SLURMD_NODENAME; exit $status\n')
(tools / "check").chmod(0o755)

(folder / "munge.key").write_bytes(os.urandom(128))
(folder / "munge.key").chmod(0o400)
(folder / "slurm.conf").write_text(f"""ClusterName=envdoctor
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
HealthCheckProgram={tools}/check
HealthCheckInterval=1
HealthCheckNodeState=ANY
NodeName=sick NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1
NodeName=sound NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1
PartitionName=all Nodes=sick,sound Default=YES State=UP MaxTime=10
""")
(folder / "state").mkdir()
environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SLURM_CONF": str(folder / "slurm.conf"), "LANG": "C"}


def logs():
    for log in sorted(folder.glob("*.log")):
        print(run("sinfo", "-N", "-o", "%N %T %E", check=False))
        print(f"--- {log.name}\n{log.read_text(errors='replace')[-2500:]}")


def state(node):
    return run("scontrol", "-o", "show", "node", node, check=False)


def wait_for_checks(node, count):
    """Until so many further health checks of the node have ended."""
    done = folder / f"checked-{node}"
    wanted = (done.stat().st_size if done.exists() else 0) + count
    wait_until(f"{count} health checks of {node}", lambda: done.exists() and done.stat().st_size >= wanted)


try:
    start("munged", "--foreground", "--force", "--num-threads=1", f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key",
          f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
    wait_until("munged listens", lambda: (folder / "munge.socket").exists())
    start("slurmctld", "-D")
    start("slurmd", "-D", "-N", "sick")
    start("slurmd", "-D", "-N", "sound")
    wait_until("both nodes are up", lambda: all("State=IDLE " in state(node) for node in hosts))
    (folder / "go").touch()
    for node in hosts:
        wait_for_checks(node, 2)
    assert all("DRAIN" not in state(node) for node in hosts), "a sound node is drained"

    reports = folder / "reports"
    reports.mkdir()
    run("srun", "--time=1", "--nodes=2", "--ntasks-per-node=1", f"--output={reports}/%t.json", "sh", "-c",
        f'export PATH={tools}:$PATH; envdoctor --format json; :')
    wait_until("both reports are written", lambda: len(list(reports.glob("*.json"))) == 2)
    fleet = json.loads(run(str(binary), "fleet", str(reports), "--format", "json", check=False))
    assert fleet["reports"] == 2 and not fleet["damaged"] and not fleet["groups"], fleet

    let_see("sick", SICK)
    wait_until("the sick node is drained", lambda: "DRAIN" in state("sick"))
    reason = state("sick").split("Reason=", 1)[1]
    assert reason.startswith("envdoctor: driver.fabric-manager on host: The NVSwitch fabric is not initialised"), reason
    wait_for_checks("sound", 2)
    assert "DRAIN" not in state("sound"), state("sound")
    node = run("srun", "--time=1", "--nodes=1", "sh", "-c", "echo $SLURMD_NODENAME").strip()
    assert node == "sound", f"a job landed on {node}"
    print("two reports gathered, the sick node drained with the right reason, the next job on the sound one")
except Exception:
    print(run("squeue", check=False), run("sinfo", "-N", "-o", "%N %T %E", check=False))
    logs()
    raise
finally:
    for child in reversed(children):
        child.terminate()
    for child in children:
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
    shutil.rmtree(folder, ignore_errors=True)
