"""Events of profiles that name an op, counted apart from the command: {program: {op: events}}. Programs are (name, id);
where a profile names no program, one that has no name."""
import bisect
import collections
import csv
import gzip
import json
import re

from wire import fields


def counts():
    return collections.defaultdict(collections.Counter)


def message(data):
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def xplane(path):
    """Of an XSpace of GPUs: kernels carry their op, module and program id."""
    found = counts()
    for number, data in fields(path.read_bytes()):
        plane = message(data) if number == 1 else {}
        if not plane or not plane[2][0].startswith(b"/device:"):
            continue
        names = {}
        for entry in map(message, plane[5]):
            names[entry[1][0] if entry[1] else 0] = message(entry[2][0])[2][0].decode()
        for line in map(message, plane[3]):
            if not line[2][0].startswith(b"Stream"):
                continue
            for event in line[4]:
                stats = {}
                for stat in map(message, message(event)[4]):
                    value = names[stat[7][0]] if stat[7] else (stat[3] or stat[4] or [None])[0]
                    stats[names[stat[1][0]]] = value
                if stats.get("hlo_op"):
                    found[stats["hlo_module"], stats["program_id"]][stats["hlo_op"]] += 1
    return found


def trace(path):
    """Of a trace of TPUs: an op belongs to the program that was running on its core."""
    events = json.loads(gzip.open(path).read())["traceEvents"]
    thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
              if e.get("ph") == "M" and e["name"] == "thread_name"}
    runs = collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and thread.get((event["pid"], event["tid"])) == "XLA Modules":
            runs[event["pid"]].append((event["ts"], event["ts"] + event["dur"], event["name"]))
    found = counts()
    for each in runs.values():
        each.sort()
    for event in events:
        if event.get("ph") != "X" or thread.get((event["pid"], event["tid"])) != "XLA Ops":
            continue
        begin, end, label = runs[event["pid"]][bisect.bisect(runs[event["pid"]], (event["ts"], float("inf"), "")) - 1]
        name, number = re.fullmatch(r"(.*)\((\d+)\)", label).groups() if begin <= event["ts"] < end else ("", "0")
        found[name, int(number)][event["name"]] += 1
    return found


def table(path):
    """Of a table of ops."""
    found = counts()
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            found["", None][row["hlo_op"]] += 1
    return found
