"""Questions about the seeds and the corpus, answered through `halo mcp` by a scripted client with few calls and bytes. The right
answers are computed from the texts by mcp_questions.py."""
import pathlib
import tempfile

from common import SHARED, enough, need_shared
from mcp_client import Client, NoAnswer
from mcp_questions import Text, about_change, about_collectives, about_mistake, about_peak, about_text, about_total

ORDER = 232
WHAT = "questions about the seeds and the corpus, answered through `halo mcp`"
BAR = "60 questions, each answered rightly in at most 3 calls and 12 KB"
QUICK_BAR = "20 of the questions, about the first seed and one dump"
LEAST = {"questions": 60, "programs": 8, "about the peak": 2, "about exposed collectives": 2}
QUICK_LEAST = {"questions": 20, "programs": 2, "about the peak": 0, "about exposed collectives": 0}
QUICK_SECONDS = 3
CALLS, BYTES = 3, 12 * 1024
DUMPS = ("cpu/mlp_adam", "gpu/h100x4", "cpu/transformer_train_adam", "cpu/lstm_scan_train", "gpu/h100x8", "cpu/resnet_block_train")


def dump_texts(corpus):
    """One module of each dump with its assignment: (name, module, assignment, live ranges)."""
    for name in DUMPS:
        for first in sorted((corpus / "jax" / name).rglob("*after_optimizations-buffer-assignment.txt")):
            module = first.with_name(first.name.replace("-buffer-assignment", ""))
            if module.exists():
                yield name, module, first, first.with_name(first.name.replace("-buffer-assignment", "-live-range"))
                break


def questions(work, quick):
    seeds = sorted((SHARED / "seeds").glob("*.txt"))
    corpus = need_shared("corpus")
    for number, seed in ((0, seeds[0]),) if quick else ((0, seeds[0]), (2, seeds[2]), (4, seeds[4])):
        text = Text(seed)
        yield from about_text(str(seed), text, number)
        yield from about_mistake(str(seed), text, work, number)
        yield from about_change(str(seed), text, work, number)
        yield from about_collectives(str(seed), text)
    for name, module, assignment, ranges in list(dump_texts(corpus))[:1 if quick else None]:
        text = Text(module)
        yield from about_total(str(module), assignment)
        yield from about_peak(str(module), text, assignment, ranges)
        yield from list(about_text(str(module), text, name))[:6]
        yield from about_collectives(str(module), text)


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    right, asked, most_calls, most_bytes, whats = 0, 0, 0, 0, []
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary).resolve()
        with Client(SHARED.resolve(), work) as client:
            for what, answer, ask in questions(work, quick):
                calls, size = client.calls, client.bytes
                asked += 1
                whats.append(what)
                try:
                    got = ask(client)
                except (NoAnswer, LookupError, StopIteration) as error:
                    got = f"no answer: {error!r}"[:300]
                calls, size = client.calls - calls, client.bytes - size
                most_calls, most_bytes = max(most_calls, calls), max(most_bytes, size)
                held = got == answer and calls <= CALLS and size <= BYTES
                right += held
                if not held:
                    print(f"  {what}: {str(got)[:160]!r}, not {str(answer)[:160]!r}; {calls} calls, {size} bytes")
            programs = len(client.programs)
    counts = {"questions": asked, "programs": programs, "about the peak": sum("at the peak" in each for each in whats),
              "about exposed collectives": sum("exposed" in each for each in whats)}
    return right == asked and enough(least, counts), (f"{right} of {asked} questions about {programs} programs answered; at most {most_calls} "
                                                      f"calls and {most_bytes} bytes")
