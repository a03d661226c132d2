"""Checks examples/kubernetes/mpijob.yaml against the schema of the MPI operator, and runs its launcher's command on a host of
its own with what the operator gives it: a host file with two workers. There is no Kubernetes here: network namespaces are
the pods, and an agent takes the place of ssh."""
import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile

from common import ROOT, VENV, Skipped, enough, need_halo, need_shared
from compare_runs import compare_run, on_one_machine, smallest_first
from devices_cpu_corpus import need_ranks
from net_hosts import Hosts, need_root
from python_common import VENVS

ORDER = 83
QUICK_SECONDS = 4
WHAT = "examples/kubernetes/mpijob.yaml: the operator's schema, and its launcher's command run as the operator would"
BAR = ("valid, with no unknown field, while 6 broken copies are not; the command runs a corpus program on the example's workers, equal "
       "to one machine bit for bit; ports, folders and numbers of image and job agree")
QUICK_BAR = "the same without the schema"
LEAST = {"programs": 2, "broken copies": 6, "agreements": 5}
QUICK_LEAST = {"programs": 1, "broken copies": 0, "agreements": 5}
EXAMPLE = ROOT / "examples" / "kubernetes"
CRD = "HALO_MPIJOB_CRD"
READ = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
# Prints what is wrong with each document of standard input, as a JSON list.
VALIDATE = """
import json, sys, jsonschema
schema, documents = json.load(sys.stdin)
print(json.dumps([[e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(d)] for d in documents]))
"""


def yaml_python():
    for folder in (VENVS / "kubernetes", VENV):
        python = folder / "bin" / "python"
        if python.exists() and subprocess.run([str(python), "-c", "import yaml, jsonschema"], capture_output=True,
                                              check=False).returncode == 0:
            return str(python)
    raise Skipped(f"no environment has yaml and jsonschema: python -m venv {VENVS / 'kubernetes'}, and there pip install pyyaml jsonschema")


def read_yaml(python, path):
    return json.loads(subprocess.run([python, "-c", READ, str(path)], capture_output=True, text=True, check=True).stdout)


def refuse_unknown(schema):
    """Makes the schema refuse fields that it does not name, as the server does with --validate=strict."""
    if isinstance(schema, list):
        for each in schema:
            refuse_unknown(each)
    if not isinstance(schema, dict):
        return
    if schema.get("x-kubernetes-int-or-string"):
        schema.pop("anyOf", None)
        schema["type"] = ["integer", "string"]
    if isinstance(schema.get("properties"), dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    for each in schema.values():
        refuse_unknown(each)


def broken_copies(job):
    def altered(change):
        other = copy.deepcopy(job)
        change(other["spec"], other["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"])
        return other
    return [altered(lambda spec, pod: spec.update(slots=4)), altered(lambda spec, pod: spec.update(slotsPerWorker="four")),
            altered(lambda spec, pod: spec.update(mpiImplementation="Open MPI")), altered(lambda spec, pod: spec.pop("mpiReplicaSpecs")),
            altered(lambda spec, pod: pod["containers"][0].update(volumeMount=[])),
            altered(lambda spec, pod: pod["volumes"][0]["persistentVolumeClaim"].pop("claimName"))]


def check_schema(python, job):
    """Returns what is wrong, or None, and how many broken copies were refused."""
    path = os.environ.get(CRD)
    if not path:
        raise Skipped(f"{CRD} names no file with the operator's schema: kubectl get crd mpijobs.kubeflow.org -o yaml")
    versions = read_yaml(python, path)["spec"]["versions"]
    schema = next(each for each in versions if each["name"] == job["apiVersion"].split("/")[1])["schema"]["openAPIV3Schema"]
    refuse_unknown(schema)
    schema["properties"]["metadata"] = {"type": "object"}
    documents = [job, *broken_copies(job)]
    said = json.loads(subprocess.run([python, "-c", VALIDATE], input=json.dumps([schema, documents]), capture_output=True, text=True,
                                     check=True).stdout)
    refused = sum(bool(each) for each in said[1:])
    return (f"not valid: {said[0][:3]}" if said[0] else None), refused


def agreements(job):
    """What image and job must agree on: (what, whether it does)."""
    spec = job["spec"]
    launcher, worker = (spec["mpiReplicaSpecs"][kind]["template"]["spec"]["containers"][0] for kind in ("Launcher", "Worker"))
    image = (EXAMPLE / "Dockerfile").read_text()
    ranks = int(launcher["command"][launcher["command"].index("-n") + 1])
    home = str(pathlib.PurePosixPath(spec["sshAuthMountPath"]).parent)
    user = re.search(r"useradd -m -d (\S+) -u (\d+) ", image)
    ports = set(re.findall(r"Port (\d+)", image)) | {str(worker["readinessProbe"]["tcpSocket"]["port"])}
    return [("ranks", ranks == spec["mpiReplicaSpecs"]["Worker"]["replicas"] * spec["slotsPerWorker"]),
            ("one port", len(ports) == 1),
            ("home of the user", home == user[1] and f"{home}/.sshd_config" in image
             and f"{home}/.sshd_config" in worker["command"]),
            ("host key", f"HostKey {spec['sshAuthMountPath']}/id_rsa" in image),
            ("user", all(each["securityContext"]["runAsUser"] == int(user[2]) for each in (launcher, worker)))]


def launch(job, hosts, module, archive, output):
    """The words of the launcher's command, on the last host."""
    spec = job["spec"]
    launcher = spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    workers = spec["mpiReplicaSpecs"]["Worker"]["replicas"]
    (hosts.folder / "hostfile").write_text("".join(f"host{k} slots={spec['slotsPerWorker']}\n" for k in range(1, workers + 1)))
    files = {"halo": need_halo(), "/data/module.txt": module, "/data/inputs.npz": archive, "/data/outputs.npz": output}
    given = {"OMPI_MCA_orte_keep_fqdn_hostnames": "true", "OMPI_MCA_orte_default_hostfile": hosts.folder / "hostfile",
             "OMPI_MCA_plm_rsh_agent": hosts.agent, "OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}
    return ["env", *(f"{name}={value}" for name, value in given.items()),
            *hosts.on(workers + 1, *launcher["command"], *(files.get(word, word) for word in launcher["args"]), "--json")]


def measure(quick):
    need_ranks()
    need_root()
    need_shared("corpus/jax/cpu")
    python = yaml_python()
    job = read_yaml(python, EXAMPLE / "mpijob.yaml")
    problem, refused = (None, 0) if quick else check_schema(python, job)
    if problem:
        print(problem)
    pairs = agreements(job)
    for what, holds in pairs:
        if not holds:
            print(f"image and job do not agree: {what}")
    good = 0
    programs = smallest_first()[:QUICK_LEAST["programs"] if quick else LEAST["programs"]]
    workers = job["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"]
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as scratch:
        folder = pathlib.Path(scratch)
        for name, module, archive, devices in programs:
            expected = on_one_machine(module, archive, devices, folder / "one.npz")
            with Hosts(workers + 1, folder) as hosts:
                output = hosts.folder / "out.npz"
                wrong, messages = compare_run(launch(job, hosts, module, archive, output), output, devices, expected)
            good += wrong is None and messages > 0
            print(f"{name:36} {devices:2} devices on {workers} workers: {wrong or f'equal, {messages} collectives by messages'}", flush=True)
    counts = {"programs": len(programs), "broken copies": refused, "agreements": len(pairs)}
    held = problem is None and good == len(programs) and all(holds for _, holds in pairs) and enough(
        QUICK_LEAST if quick else LEAST, counts)
    return held, (f"{good} of {len(programs)} programs bit-identical to one machine; {sum(holds for _, holds in pairs)} of {len(pairs)} "
                  "agreements" + ("" if quick else f"; valid, {refused} broken copies refused"))
