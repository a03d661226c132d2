"""Measurements of the wide benchmark as tables: by kind, and the slowest programs. usage: table.py FILE.jsonl [LEVEL],
where later lines replace earlier ones of the same program, level and number of threads."""
import json
import math
import sys


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def read(path):
    latest = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            each = json.loads(line)
            latest[each["level"], each["threads"], each["kind"], each["name"]] = each
    return list(latest.values())


def by_kind(records):
    """A Markdown table of each kind: programs, times as fast, the slowest program, first runs."""
    lines = ["| kind | programs | times as fast | slowest | first run of XLA's |", "|---|---|---|---|---|"]
    for kind in [*sorted({each["kind"] for each in records}), None]:
        chosen = [each for each in records if kind in (None, each["kind"])]
        slowest = min(chosen, key=lambda each: each["ratio"])
        lines.append(f"| {kind.replace('_', ' ') if kind else '**all**'} | {len({(each['kind'], each['name']) for each in chosen})} | "
                     f"{mean([each['ratio'] for each in chosen]):.2f} | {slowest['ratio']:.2f} ({slowest['name']}, {slowest['threads']}T) | "
                     f"{mean([each['first_ratio'] for each in chosen]):.2f} |")
    return "\n".join(lines)


def main():
    records = read(sys.argv[1])
    for level in sorted({each["level"] for each in records}):
        if sys.argv[2:] and level not in sys.argv[2:]:
            continue
        chosen = [each for each in records if each["level"] == level]
        print(f"## {level}, {len(chosen)} measurements, {sum(each['ratio'] < 0.8 for each in chosen)} below 0.8, "
              f"{sum(each['first_ratio'] > 1.5 for each in chosen)} first runs above 1.5\n\n{by_kind(chosen)}\n")
        for each in sorted(chosen, key=lambda each: each["ratio"])[:40]:
            print(f"{each['ratio']:6.2f} {1e3 * each['seconds']:9.3f} ms, XLA {1e3 * each['peer_seconds']:9.3f}; first {each['first_ratio']:5.2f}; "
                  f"{each['evaluated']} evaluated; {each['threads']}T {each['kind']}: {each['name']}{'' if each['agrees'] else ' DIFFERS'}")
        print()


if __name__ == "__main__":
    main()
