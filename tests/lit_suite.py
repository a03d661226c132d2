# Golden tests: .hlo and .test files whose RUN lines lit executes and whose CHECK lines FileCheck
# compares. Tests of a single layer are in halo/<layer>/test/, all others in tests/. The build's
# lit.site.cfg.py sets the paths and loads this file. docs/testing.md explains how to write a test.
# (If this file were named lit.cfg.py, tests/ would become a separate suite without those paths.)
import os
import shutil

import lit.formats

config.name = "halo"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".hlo", ".test"]
config.excludes = [
    "Inputs", "bench", "build", "cmake", "docs", "examples", "fuzz", "scripts", "third_party",
]
config.test_source_root = config.halo_source_root
config.test_exec_root = os.path.join(config.halo_binary_root, "lit")

# HALO_COMMAND: another command than the build's; scripts/evidence --self-test gives a broken one.
halo = os.environ.get("HALO_COMMAND") or os.path.join(config.halo_binary_root, "halo")
config.substitutions.append(("%halo", halo))
config.substitutions.append(("%{examples}", os.path.join(config.halo_source_root, "examples")))
config.substitutions.append(("%{python}", config.python))

path = [os.path.dirname(halo), config.halo_binary_root, config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["NO_COLOR"] = "1"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Features for REQUIRES: lines.
if config.halo_sanitize:
    config.available_features.add("sanitized")
if shutil.which("mpirun") and os.path.exists(
        os.path.join(config.halo_binary_root, "libhalo_devices_plugin.so")):
    config.available_features.add("mpirun")
if shutil.which("mpiexec.mpich") and os.path.exists(
        os.path.join(config.halo_binary_root, "libhalo_devices_mpich_plugin.so")):
    config.available_features.add("mpich")
for name in ("zlib", "zstd"):
    if getattr(config, "halo_" + name).upper() in ("1", "TRUE", "ON", "YES"):
        config.available_features.add(name)
