"""Protos against their text twins and against jaxlib.

    proto_vs_jaxlib.py --halo=PATH [--no-jaxlib] FOLDER...

For each .hlo.pb[.gz] below the folders whose text twin stands beside it: `halo convert` to text must
give the twin's bytes, and writing the proto again must change no text. For each HLO text that jaxlib
can parse: jaxlib must load the proto we make of it and print what it prints for the text itself.

What is undone before comparing, because a proto does not hold it or XLA's own reader changes it:
  - header attributes without a field: allow_spmd_sharding_propagation_to_*, alias_passthrough_params,
    and, where jaxlib loads a proto, replica_count and num_partitions
  - the order of keys in a backend_config's JSON, which some printers sort (libtpu)
  - constants of more than ten elements, where the twin left them out ({...})
  - stack frames, which text did not show before December 2025
  - tuple elements, for which newer text has no line of their own but names them where they are used (%x#0)
  - jaxlib reads -0 as 0, and a complex number with one NaN part as NaN in both
  - jaxlib 0.12 takes a top-k as stable where a text does not say so, and as not stable where a proto does not
  - jaxlib 0.10.2 prints a scalar f32 or f64 constant as 0 if it is subnormal
"""
import argparse
import concurrent.futures
import gzip
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

UNHELD = r", (?:allow_spmd_sharding_propagation_to_(?:parameters|output)=\{[^}]*\}|alias_passthrough_params=true"
DEVICES = r"|replica_count=\d+|num_partitions=\d+"
CONFIG = "backend_config={"


def read(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def run(halo, *arguments):
    done = subprocess.run([halo, *map(str, arguments)], capture_output=True, check=False)
    return done.stdout.decode(errors="surrogateescape") if done.returncode == 0 else None


def drop_unheld(text, devices):
    header, newline, rest = text.partition("\n")
    return re.sub(UNHELD + (DEVICES if devices else "") + ")", "", header) + newline + rest


def sorted_configs(text):
    """Every backend_config's JSON with sorted keys."""
    out, at = [], 0
    while (found := text.find(CONFIG, at)) >= 0:
        begin = found + len(CONFIG) - 1
        try:
            value, end = json.JSONDecoder().raw_decode(text, begin)
        except ValueError:
            out.append(text[at:begin])
            at = begin
            continue
        out.append(text[at:begin] + json.dumps(value, sort_keys=True))
        at = end
    return "".join(out) + text[at:]


def without_frames(text):
    text = re.sub(r"\n\nFileNames\n.*?\n\n(?=\S+ .*\{$|ENTRY)", "\n\n", text, count=1, flags=re.S | re.M)
    text = re.sub(r" ?stack_frame_id=\d+", "", text)
    return text.replace(", metadata={}", "")


def elided(text):
    return re.sub(r"constant\(\{[^.].*?\}\)(?=[,\n])", "constant({...})", text)


def flushed(text):
    def zero(found):
        least = sys.float_info.min if found["type"] == "f64" else 2.0**-126
        return f"{found['before']}{found['sign']}0)" if float(found["number"]) < least else found[0]
    return re.sub(r"(?P<before>= (?P<type>f32|f64)\[\] constant\()(?P<sign>-?)(?P<number>[\d.]+e-\d+)\)", zero, text)


NAMELESS = re.compile(r"[( ]%[\w.\-]+#\d")
ELEMENT = re.compile(r"^  (%[^ ]+) = [^\n]*? get-tuple-element\((%[^ )]+)\), index=(\d+)[^\n]*\n", re.MULTILINE)


def folded(text):
    """Tuple elements named where they are used, but for the root of a computation."""
    names = {}
    for name, of, index in ELEMENT.findall(text):
        names[name] = f"{names.get(of, of)}#{index}"
    return re.sub(r"%[\w.\-]+(?=[,)\n])", lambda found: names.get(found[0], found[0]), ELEMENT.sub("", text))


def same_text(halo, ours, twin_path, twin):
    twin = drop_unheld(twin, devices=False)
    if NAMELESS.search(twin):
        ours = folded(ours)
    if twin in (ours, flushed(ours)):
        return True
    if sorted_configs(ours) == sorted_configs(twin):
        return True
    if "{...}" in twin and elided(sorted_configs(ours)) == elided(sorted_configs(twin)):
        return True
    if "stack_frame_id" in twin:
        return False
    # An older printer: both in one style, without what it did not show.
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "ours.txt"
        stripped.write_text(without_frames(ours), errors="surrogateescape")
        left = run(halo, "fmt", "--style=long", stripped)
        right = run(halo, "fmt", "--style=long", twin_path)
    return bool(left) and bool(right) and left == drop_unheld(right, devices=False)


def twins(folders):
    for folder in folders:
        for proto in sorted(folder.rglob("*.hlo.pb*")):
            stem = proto.name[: proto.name.index(".hlo.pb")]
            for suffix in (".txt", ".txt.gz"):
                twin = proto.with_name(stem + suffix)
                if twin.exists():
                    yield proto, twin


def compare_protos(halo, folders):
    total = same = again = 0

    def compare(pair):
        """(prints as its twin, survives being written again)"""
        proto, twin = pair
        ours = run(halo, "convert", proto, "--to=text")
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(folder) / "written.hlo.pb"
            run(halo, "convert", proto, "-o", written)
            return (bool(ours) and same_text(halo, ours, twin, read(twin).decode(errors="surrogateescape")),
                    bool(ours) and run(halo, "convert", written, "--to=text") == ours)

    pairs = list(twins(folders))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (proto, _), (alike, kept) in zip(pairs, pool.map(compare, pairs)):
            total += 1
            same += alike
            again += kept
            if not alike:
                print(f"  differs from its twin: {proto}")
            if not kept:
                print(f"  changes when written again: {proto}")
    print(f"protos that print as their twin: {same} of {total}")
    print(f"protos that survive being written again: {again} of {total}")
    return same == total and again == total


def xla_reading(text):
    """What jaxlib's own text reader loses, lost on purpose."""
    text = re.sub(r"(?<![\w.])-0(?=[,)} ])", "0", text)
    text = re.sub(r"( topk\([^\n]*), is_stable=\w+", r"\1", text)
    return re.sub(r"\((?:nan, [^()]*|[^()]*, nan)\)", "(nan, nan)", text)


def in_jaxlib(connection, paths):
    """Runs beside the test, since jaxlib ends the process on some inputs."""
    from jaxlib import _hlo
    for kind, path in paths:
        try:
            if kind == "text":
                module = _hlo.hlo_module_from_text(read(pathlib.Path(path)).decode(errors="surrogateescape"))
            else:
                module = _hlo.HloModule.from_serialized_hlo_module_proto(pathlib.Path(path).read_bytes())
            connection.send(module.to_string())
        except Exception:  # pylint: disable=broad-except
            connection.send(None)
    connection.close()


def ask_jaxlib(paths):
    """to_string() of each; None where jaxlib refuses or dies."""
    answers = []
    while len(answers) < len(paths):
        here, there = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=in_jaxlib, args=(there, paths[len(answers):]))
        process.start()
        there.close()
        try:
            while True:
                answers.append(here.recv())
        except EOFError:
            process.join()
        if len(answers) < len(paths):
            answers.append(None)
    return answers


def hlo_texts(folders):
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".txt", ".hlo") or not path.is_file():
                continue
            if path.suffix == ".hlo" or path.open("rb").read(10) == b"HloModule ":
                yield path


def compare_with_jaxlib(halo, folders):
    texts = list(hlo_texts(folders))
    direct = ask_jaxlib([("text", str(path)) for path in texts])
    texts, direct = zip(*[pair for pair in zip(texts, direct) if pair[1] is not None]) if any(direct) else ((), ())
    same = 0
    with tempfile.TemporaryDirectory() as folder:
        protos = []
        for index, path in enumerate(texts):
            proto = pathlib.Path(folder) / f"{index}.pb"
            run(halo, "convert", path, "--to=module-proto", "-o", proto)
            protos.append(("proto", str(proto)))
        for path, expected, got in zip(texts, direct, ask_jaxlib(protos)):
            expected = drop_unheld(expected, devices=True)
            if got is not None and NAMELESS.search(read(path).decode(errors="surrogateescape")):
                got, expected = folded(got), folded(expected)  # jaxlib makes names for them
            if got is not None and (got == expected or xla_reading(got) == xla_reading(expected)):
                same += 1
            else:
                print(f"  jaxlib prints another text from our proto: {path}")
    print(f"texts that jaxlib prints alike from our proto: {same} of {len(texts)}")
    return same == len(texts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--halo", required=True)
    parser.add_argument("--no-jaxlib", action="store_true")
    parser.add_argument("--no-twins", action="store_true")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    good = options.no_twins or compare_protos(options.halo, options.folders)
    if not options.no_jaxlib:
        try:
            import jaxlib  # pylint: disable=import-outside-toplevel
        except ImportError:
            print("no jaxlib here: what it would print was not compared")
        else:
            print(f"reference: jaxlib {jaxlib.__version__}")
            good = compare_with_jaxlib(options.halo, options.folders) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
