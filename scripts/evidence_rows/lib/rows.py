"""Finds the rows: every file below scripts/evidence_rows that measures something, by its name with hyphens."""
import importlib.util
import os
import pathlib
import sys

ROWS = pathlib.Path(__file__).resolve().parents[1]
# Another folder of rows, whose helpers are still ours: tests plant rows that cannot fail.
FOLDER = pathlib.Path(os.environ.get("HALO_EVIDENCE_ROWS", ROWS))


def load_rows(only=()):
    """{name: module} in the order of the rows, all or those named."""
    for folder in sorted(path for path in ROWS.iterdir() if path.is_dir()):  # rows import helpers by module name
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    rows = {}
    for path in sorted(FOLDER.rglob("*.py")):
        name = path.stem.replace("_", "-")
        if only and name not in only:
            continue
        if "\ndef measure(" not in path.read_text(encoding="utf-8"):  # helpers; their imports may be missing here
            continue
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        rows[name] = module
    return dict(sorted(rows.items(), key=lambda item: item[1].ORDER))
