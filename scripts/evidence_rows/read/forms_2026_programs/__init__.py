"""The catalogue of programs: functions of real libraries, one or more of each, and of JAX alone."""
import importlib

# The modules of this package that hold programs. Each has LIBRARIES, {library: makers of a Program}, and imports libraries inside
# the makers only.
MODULES = ("plain", "equations", "networks", "training", "inference", "physics", "structures")


def catalogue(only=MODULES):
    """{name of a program: (library, its maker)}."""
    found = {}
    for each in only:
        for library, makers in importlib.import_module(f".{each}", __name__).LIBRARIES.items():
            found.update({f"{library}_{maker.__name__}": (library, maker) for maker in makers})
    return found
