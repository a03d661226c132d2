"""XLA's own verifier as a judge of HLO texts: runs beside jaxlib, a few processes at a time.

jaxlib offers no call that verifies a module. But after a registered transform has replaced the module inside the
CPU compiler, XLA verifies what it got (without regard to layouts, mixed precision allowed). So a one-constant
program is compiled, its module is replaced by the one to judge just before scheduling, and the next stage
stops the compilation. What the swap drops is asked for separately: input_output_alias and buffer_donor are
verified by compiling the module itself as StableHLO up to the same stage (`alias` below).

  python xla_judge.py verify|normal LIST RESULTS
LIST names one file per line ("PATH" or "PATH\\talias"); RESULTS gets one JSON line per file:
{"path", "verdict": accept|reject|crash|skip, "stage": what gave the verdict, "message"}; `normal` writes the text as
XLA prints it back to PATH if it accepts it. XLA aborts on some modules: each process is a child that its
parent replaces, and the file at hand is then a crash, unless the abort came from what runs after the verifier."""
import json
import os
import re
import signal
import sys
import tempfile

from wire import parts

DEVICES = 16
SECONDS = 20  # a module that takes longer counts as a crash
STUB = "HloModule stub\nENTRY e {\n  ROOT c = f32[] constant(0)\n}\n"
PROGRAM_SHAPE = 4  # the field of HloModuleProto that is compared with the module being replaced


class Judge:
    def __init__(self):
        import numpy
        from jax._src.lib import xla_client
        from jaxlib import _hlo, _jax, _xla
        self.numpy, self.client_lib, self.hlo, self.mlir = numpy, xla_client, _hlo, _jax.mlir
        self.client = xla_client.make_cpu_client()
        self.options, self.proto, self.reached = {}, b"", set()
        stub = _hlo.hlo_module_from_text(STUB).as_serialized_hlo_module_proto()
        self.signature = b"".join(part for number, _, part in parts(stub) if number == PROGRAM_SHAPE)
        self.stub = self.mlir.hlo_to_stablehlo(stub)
        self.swapping = True
        _xla.register_xla_transform("swap", 0, self.swap)
        _xla.register_xla_transform("stop", 1, self.stop)

    def swap(self, _):
        self.reached.add("swap")
        if not self.swapping:
            raise RuntimeError("stop here")
        return self.proto

    def stop(self, _):
        self.reached.add("stop")
        raise RuntimeError("stop here")

    def compile(self, program, replicas, partitions):
        if (replicas, partitions) not in self.options:
            options = self.client_lib.CompileOptions()
            build = options.executable_build_options
            for target in (options, build):
                target.num_replicas, target.num_partitions = replicas, partitions
            build.use_spmd_partitioning = partitions > 1
            ids = self.numpy.arange(replicas * partitions).reshape(replicas, partitions)
            options.device_assignment = self.client_lib.DeviceAssignment.create(ids)
            devices = self.client_lib.DeviceList(tuple(self.client.devices()[:replicas * partitions]))
            self.options[replicas, partitions] = devices, options
        self.client.compile_and_load(program, *self.options[replicas, partitions])

    def verdict(self, text, alias):
        """(verdict, stage, message, the module as read)."""
        try:
            module = self.hlo.hlo_module_from_text(text)
        except Exception as error:
            return "reject", "read", str(error), None
        head = text[:text.find("\n")]
        counts = [int((re.search(key + r"=(\d+)", head) or [0, 1])[1]) for key in ("replica_count", "num_partitions")]
        if not 1 <= counts[0] * counts[1] <= DEVICES:
            return "skip", "devices", "", None
        serialized = module.as_serialized_hlo_module_proto()
        self.proto = b"".join(part for number, _, part in parts(serialized) if number != PROGRAM_SHAPE) + self.signature
        if alias:
            self.swapping = False
            try:
                self.reached.clear()
                self.compile(self.mlir.hlo_to_stablehlo(serialized), *counts)
            except Exception as error:
                if "swap" not in self.reached:
                    return "reject", "alias", str(error), module
            finally:
                self.swapping = True
        self.reached.clear()
        try:
            self.compile(self.stub, *counts)
        except Exception as error:
            if "stop" in self.reached:
                return "accept", "", "", module
            stage = "verify" if "during context" in str(error) else "load"
            return "reject", stage, str(error), module
        return "accept", "compiled", "", module

    def normal_text(self, module):
        options = self.hlo.HloPrintOptions()
        options.print_metadata = False
        options.print_large_constants = True
        options.print_operand_shape = False
        options.print_program_shape = False
        return module.to_string(options)


def work(mode, paths, first, write):
    """Judges the files from `first` on; says which one is at hand, so that the parent knows where it ended."""
    judge = Judge()
    for index in range(first, len(paths)):
        path, _, kind = paths[index].partition("\t")
        write({"at": index})
        signal.alarm(SECONDS)
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        verdict, stage, message, module = judge.verdict(text, kind == "alias")
        if mode == "normal" and verdict == "accept":
            with open(path, "w", encoding="utf-8") as file:
                file.write(judge.normal_text(module))
        signal.alarm(0)
        write({"path": path, "verdict": verdict, "stage": stage, "message": message[:600]})
    write({"at": len(paths)})


# A stack that names one of these ends after the module was verified: what follows needs a CPU's module.
AFTER_VERIFIER = ("CreateHloSchedule", "HloDCE", "CompileCpuExecutable")


def crashed(log):
    fatal = re.search(r"^F\d+ .*?\] (.*(?:\n[A-Z]+: .*)?)", log, re.MULTILINE)
    message = fatal[1] if fatal else "killed"
    if any(name in log for name in AFTER_VERIFIER):
        return {"verdict": "accept", "stage": "after", "message": message}
    return {"verdict": "crash", "stage": "abort", "message": message[:600]}


def main(mode, list_path, result_path):
    os.environ.update(JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="2",
                      XLA_FLAGS=f"--xla_force_host_platform_device_count={DEVICES}")
    import jax  # noqa: F401  loaded once, before the children: a fork is cheaper than an import
    from jax._src.lib import xla_client  # noqa: F401
    import jaxlib._hlo  # noqa: F401
    import jaxlib._xla  # noqa: F401
    with open(list_path, encoding="utf-8") as file:
        paths = file.read().splitlines()
    first = 0
    with open(result_path, "w", encoding="utf-8") as results, tempfile.TemporaryFile() as log:
        while first < len(paths):
            log.seek(0)
            log.truncate()
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reader)
                os.dup2(log.fileno(), 2)
                try:
                    work(mode, paths, first, lambda row: os.write(writer, json.dumps(row).encode() + b"\n"))
                finally:
                    os._exit(0)
            os.close(writer)
            at = first
            with os.fdopen(reader, encoding="utf-8") as rows:
                for line in rows:
                    row = json.loads(line)
                    if "at" in row:
                        at = row["at"]
                    else:
                        results.write(line)
            os.waitpid(child, 0)
            if at < len(paths):
                log.seek(0)
                row = crashed(log.read().decode(errors="replace"))
                row["path"] = paths[at].partition("\t")[0]
                results.write(json.dumps(row) + "\n")
            first = at + 1


if __name__ == "__main__":
    main(*sys.argv[1:])
