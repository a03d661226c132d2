"""The CPU that a speed was measured on: a figure without it says little."""
import os


def cpu_text():
    """Model, cores, and the instruction sets on which the speed of kernels depends."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    flags = fields.get("flags", fields.get("Features", "")).split()
    vectors = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("asimd", "NEON")) if flag in flags), "no AVX")
    tiles = "AMX" if "amx_bf16" in flags else "no AMX"
    return f"{fields.get('model name', 'an unnamed CPU')}, {os.cpu_count()} cores, {vectors}, {tiles}"
