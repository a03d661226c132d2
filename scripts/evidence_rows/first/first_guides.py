"""Checks that every user problem has a guide whose commands print what the page shows, and that the check would
notice a missing page, a missing report and an altered output."""
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

from common import ROOT, enough, need_halo

sys.path.insert(0, str(ROOT / "scripts"))
import console_blocks  # noqa: E402
from console_elision import MARK  # noqa: E402

ORDER = 92
QUICK_SECONDS = 5
WHAT = "a guide for each of fifteen problems that users reported, with commands that a test runs"
BAR = ("15 pages, each with the address of the report, a way to get the dump, and at least one command; all of at least 40 "
       "commands print what is shown; a missing page, a missing report, an altered output and a page without commands are found")
QUICK_BAR = BAR
LEAST = {"problems": 15, "outputs": 40}
GUIDES = ROOT / "docs" / "guides"
# The problems, each with the page that answers it and where it was reported.
PROBLEMS = (
    ("out_of_memory", "https://github.com/jax-ml/jax/issues/9530"),
    ("which_layer_owns_the_memory", "https://github.com/marin-community/levanter/issues/267"),
    ("remat_stops_short", "https://github.com/EnzymeAD/Enzyme-JAX/pull/1307"),
    ("new_version_needs_more_memory", "https://github.com/openxla/xla/issues/17124"),
    ("checkpoint_saves_no_memory", "https://github.com/jax-ml/jax/issues/27748"),
    ("largest_batch_size", "https://github.com/jax-ml/jax/issues/31292"),
    ("cpu_loop_out_of_memory", "https://github.com/openxla/xla/issues/35719"),
    ("what_is_this_all_gather", "https://github.com/jax-ml/jax/issues/20381"),
    ("collectives_not_overlapped", "https://github.com/openxla/xla/issues/1539"),
    ("run_hlo_and_bisect", "https://github.com/openxla/xla/issues/8471"),
    ("compiled_nan", "https://github.com/openxla/xla/issues/44705"),
    ("two_ranks_two_programs", "https://github.com/openxla/xla/issues/49047"),
    ("fusion_changed_slower", "https://github.com/jax-ml/jax/issues/33338"),
    ("what_are_these_files", "https://github.com/openxla/xla/issues/23924"),
    ("open_hlo_pb", "https://github.com/google-ai-edge/model-explorer/issues/108"),
)


def shows_something(shown):
    """True if an output is more than a mark that matches anything."""
    return any(line.strip() not in ("", MARK) for line in shown.splitlines())


def page_problems(folder):
    """Returns what is missing in the pages of a folder, without running anything."""
    found = []
    index = (folder / "README.md").read_text(encoding="utf-8") if (folder / "README.md").is_file() else ""
    for name, report in PROBLEMS:
        path = folder / f"{name}.md"
        if not path.is_file():
            found.append(f"{name}.md is missing")
            continue
        text = path.read_text(encoding="utf-8")
        if report not in text:
            found.append(f"{name}.md does not name {report}")
        if f"]({name}.md)" not in index:
            found.append(f"README.md does not lead to {name}.md")
        if "xla_dump" not in text and "(getting_a_dump.md)" not in text:
            found.append(f"{name}.md does not say how to get the dump")
        if not any(line.startswith("$ halo ") and console_blocks.is_run(line) and shows_something(shown)
                   for line, shown in console_blocks.commands(text)):
            found.append(f"{name}.md has no command whose output is checked")
    return found


def output_problems(paths):
    """Runs the commands of the pages. Returns what is wrong and how many outputs were compared."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: console_blocks.check(path, str(need_halo())), paths))
    found, compared = [], 0
    for path, (text, now, problems) in zip(paths, results, strict=True):
        found += [f"{path.name}: `{command}`: {what}" for command, what in problems]
        if now != text:
            found.append(f"{path.name}: a command prints something else")
        compared += sum(console_blocks.is_run(line) and shows_something(shown)
                        for line, shown in console_blocks.commands(text))
    return found, compared


def planted(folder):
    """Damages copies of the pages in four ways. Returns those that are not found."""
    name, report = PROBLEMS[13]
    page, text = folder / f"{name}.md", (GUIDES / f"{name}.md").read_text(encoding="utf-8")
    missed = []

    def copies():
        for path in GUIDES.glob("*.md"):
            (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")

    copies()
    if page_problems(folder):
        missed.append("unchanged pages are taken for damaged")
    page.unlink()
    if not page_problems(folder):
        missed.append("a missing page")
    copies()
    page.write_text(text.replace(report, "https://example.org"), encoding="utf-8")
    if not page_problems(folder):
        missed.append("a missing report")
    page.write_text(re.sub(r"(?s)```console\n.*?```\n", "", text), encoding="utf-8")
    if not page_problems(folder):
        missed.append("a page without commands")
    line, shown = next((line, shown) for line, shown in console_blocks.commands(text) if shows_something(shown))
    number = re.search(r"\d+", shown)[0]
    page.write_text(text.replace(f"{line}\n{shown}", f"{line}\n{shown.replace(number, f'{int(number) + 1}', 1)}"),
                    encoding="utf-8")
    if not output_problems([page])[0]:
        missed.append("an altered output")
    return missed


def measure(_quick):
    need_halo()
    found = page_problems(GUIDES)
    paths = sorted(GUIDES.glob("*.md"))
    wrong, compared = output_problems(paths)
    with tempfile.TemporaryDirectory() as folder:
        missed = planted(pathlib.Path(folder)) if not found else ["nothing, since pages are missing"]
    for each in found + wrong + [f"not found: {each}" for each in missed]:
        print(f"  FAILED: {each}")
    complete = len(PROBLEMS) - len({each.split(".md")[0] for each in found if each.split(".md")[0] in dict(PROBLEMS)})
    held = not found and not wrong and not missed and enough(LEAST, {"problems": len(PROBLEMS), "outputs": compared})
    return held, (f"{complete} of {len(PROBLEMS)} problems have a page; {compared} outputs in {len(paths)} pages compared, "
                  f"{len(wrong)} differ; {4 - len(missed)} of 4 planted faults found")
