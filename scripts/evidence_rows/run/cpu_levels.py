"""Levels of vector extensions at which speed is measured on one machine: what HALO_MAX_ISA, XLA's --xla_cpu_max_isa and
numpy's NPY_DISABLE_CPU_FEATURES make of it. XLA's flag limits the code that it generates, not the libraries that it
calls, which choose by CPUID: bench/peer/limit_cpuid.cc hides extensions from them, where the kernel and the CPU let it."""
import contextlib
import functools
import os
import subprocess
import sys

from common import BUILD, Skipped

LEVELS = ("avx2", "avx512", "best")
XLA_NAMES = {"avx2": "AVX2", "avx512": "AVX512"}
NUMPY_WITHOUT = {"avx2": "X86_V4 AVX512_ICL AVX512_SPR", "avx512": "AVX512_ICL AVX512_SPR"}  # as numpy 2.4 names its kernels
LIMITER = BUILD / "bench" / "liblimit_cpuid.so"


def cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].split() for line in file if line.startswith("flags")), [])


def need_levels():
    if "avx512vl" not in cpu_flags():
        raise Skipped("this CPU has no AVX-512; two of the three levels would be the same")


def has_bf16(level):
    """Whether a level has instructions for products of bf16."""
    return level == "best" and not {"avx512_bf16", "amx_bf16"}.isdisjoint(cpu_flags())


@functools.cache
def hides_by_cpuid(level):
    """Whether CPUID itself can be limited to the level here, so that libraries are limited too."""
    if level not in XLA_NAMES or not LIMITER.exists():
        return False
    probe = "import ctypes, sys; sys.exit(0 if ctypes.CDLL(sys.argv[1]).HaloCpuidLimited() == 1 else 1)"
    environment = dict(os.environ, LD_PRELOAD=str(LIMITER), HALO_CPUID_LEVEL=level)
    return subprocess.run([sys.executable, "-c", probe, str(LIMITER)], env=environment, capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def limited_to(level):
    """Limits every process that is started inside."""
    names = ("HALO_MAX_ISA", "XLA_FLAGS", "NPY_DISABLE_CPU_FEATURES", "LD_PRELOAD", "HALO_CPUID_LEVEL")
    before = {name: os.environ.get(name) for name in names}
    os.environ["HALO_MAX_ISA"] = level
    if hides_by_cpuid(level):
        os.environ["LD_PRELOAD"] = " ".join(filter(None, (str(LIMITER), before["LD_PRELOAD"])))
        os.environ["HALO_CPUID_LEVEL"] = level
    if level in XLA_NAMES:
        os.environ["XLA_FLAGS"] = f"{before['XLA_FLAGS'] or ''} --xla_cpu_max_isa={XLA_NAMES[level]}".strip()
        os.environ["NPY_DISABLE_CPU_FEATURES"] = NUMPY_WITHOUT[level]
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
