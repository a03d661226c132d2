"""How far XLA's own results of a program move when it computes the same in another, equally right way
(unseen_programs/noise.py): python -m forms_2026_programs.noise NAME JOBS SKIPPED."""
import json
import sys

from unseen_programs import noise

from . import catalogue
from .make import DEVICES

if __name__ == "__main__":
    noise.compare(catalogue()[sys.argv[1]][1](), f"forms_{sys.argv[1]}", DEVICES, *map(json.loads, sys.argv[2:]))
