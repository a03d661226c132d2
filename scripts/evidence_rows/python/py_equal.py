"""The Python package against the command: the same documents, to the byte, for every question and file."""
import json
import subprocess

from common import BUILD, ROOT, SHARED, enough, hlo_texts, need_shared
from python_common import run_python

ORDER = 140
QUICK_SECONDS = 4
WHAT = "`hs.info`, `check`, `memory`, `time`, `diff` and `run` of the five seeds, 50 corpus files and the examples"
BAR = "at least 300 documents, each the text that the command prints with --json, or refused with its message"
QUICK_BAR = "at least 24 documents of the examples and two corpus files, otherwise the same"
LEAST = {"documents": 300, "refused": 4}
QUICK_LEAST = {"documents": 24, "refused": 1}

# Prints one line for each document: [question, files, text or null, message].
CHILD = r"""
import json, sys
import haloscope as hs
for line in sys.stdin:
    question, files = json.loads(line)
    try:
        if question == "run":
            result = hs.run(files[0], random=1, max_steps=200000)
            text = json.dumps(result["outputs"])
        else:
            text = getattr(hs, question)(*files).to_json()
        print(json.dumps([question, files, text, ""]), flush=True)
    except hs.HaloError as error:
        print(json.dumps([question, files, None, str(error)]), flush=True)
"""


def command(question, files):
    """(document, message of the refusal) of the command itself, which is the reference here."""
    extra = ["--random", "1", "--engine", "reference", "--max-steps", "200000"] if question == "run" else []
    done = subprocess.run([str(BUILD / "halo"), question, *files, "--json", *extra], capture_output=True, check=False)
    text = done.stdout.decode()
    document = json.loads(text)
    if document["schema"] == "halo.error.v1":
        return None, [each["message"] for each in document["diagnostics"] if each["severity"] == "error"]
    if question == "diff" and document.get("refused"):
        return None, [document["refused"]]
    if question == "run":
        if not document.get("outputs"):
            return None, [each["message"] for each in document["diagnostics"]]
        return json.dumps(document["outputs"]), []  # the time and the sandbox differ
    return text, []


def questions(quick):
    examples = sorted(map(str, (ROOT / "examples").glob("*/*optimizations.txt")))
    small = [str(ROOT / "examples" / "broken.hlo")]
    folders = [str(path) for path in sorted((ROOT / "examples").glob("*_train"))]
    texts = list(map(str, hlo_texts(need_shared("corpus") / "jax")))
    every = max(1, len(texts) // (2 if quick else 50))
    corpus = texts[::every][:2 if quick else 50]
    seeds = [] if quick else sorted(str(path) for path in (SHARED / "seeds").iterdir() if path.is_file())
    for file in examples[:3 if quick else None] + small + corpus + seeds:
        for question in ("info", "check", "memory", "time"):
            yield question, [file]
    for file in folders:
        yield "memory", [file]
    pairs = examples + corpus
    for before, after in list(zip(pairs, pairs[1:]))[:2 if quick else None]:
        yield "diff", [before, after]
    # The reference engine takes minutes for programs of full size.
    light = [] if quick else [file for file in corpus if any(part in file for part in ("/hand/", "/h100_small/"))]
    for file in examples[:1] + light[:10]:
        yield "run", [file]


def measure(quick):
    asked = list(questions(quick))
    done = run_python(["-c", CHILD], input="".join(json.dumps(each) + "\n" for each in asked))
    answers = []
    for line in done.stdout.splitlines():
        try:
            answers.append(json.loads(line))
        except ValueError:
            print(f"  not a document: {line[:100]}")
    equal = refused = wrong = 0
    for (question, files), answer in zip(asked, answers):
        expected, why = command(question, files)
        said, files_said, text, message = answer
        if [said, files_said] != [question, files]:
            same = False
        elif expected is None:
            same = text is None and any(message and message in each or each in message for each in why)
            refused += same
        else:
            same = text == expected
        equal += same
        if not same:
            wrong += 1
            if wrong <= 8:
                print(f"  {question} {files}: {'refused: ' + message if text is None else 'another document'}; command: "
                      f"{'refused: ' + str(why) if expected is None else 'a document'}")
    if len(answers) != len(asked):
        print(f"  {len(answers)} answers to {len(asked)} questions\n{done.stderr[-500:]}")
    least = QUICK_LEAST if quick else LEAST
    counts = {"documents": equal, "refused": refused}
    return (wrong == 0 and len(answers) == len(asked) and enough(least, counts),
            f"{equal} of {len(asked)} documents equal, {refused} of them refusals with the same message")
