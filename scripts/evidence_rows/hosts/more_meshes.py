"""Makes a program for several meshes out of one for one mesh: each device group once per mesh, all-reduces over the whole mesh
over all of them. Device d of a mesh computes with the tables of device d % size."""
import re

GROUPS = re.compile(r"replica_groups=(\{\{[0-9,{}]*\}\}|\[[0-9,]+\]<=\[[0-9,]+\](?:T\([0-9,]+\))?)")
PAIRS = re.compile(r"source_target_pairs=(\{\{[0-9,{}]*\}\})")
OWN_ID = re.compile(r"^(\s*)(%?[\w.-]+) = u32\[\] partition-id\(\)", re.MULTILINE)
IOTA = re.compile(r"\[([0-9,]+)\]<=\[([0-9,]+)\](?:T\(([0-9,]+)\))?$")


def numbers(text):
    return [int(word) for word in text.split(",")]


def listed(text):
    """The groups of either form."""
    if text.startswith("{{"):
        return [numbers(part) for part in text[2:-2].split("},{")]
    shape, dims, order = IOTA.match(text).groups()
    dims = numbers(dims)
    order = numbers(order) if order else list(range(len(dims)))
    strides = [1] * len(dims)
    for i in range(len(dims) - 2, -1, -1):
        strides[i] = strides[i + 1] * dims[i + 1]
    devices = [0]
    for axis in order:
        devices = [device + k * strides[axis] for device in devices for k in range(dims[axis])]
    size = numbers(shape)[-1]
    return [devices[i:i + size] for i in range(0, len(devices), size)]


def text_of(groups):
    return "{" + ",".join("{" + ",".join(map(str, group)) + "}" for group in groups) + "}"


def more_meshes(text, size, meshes):
    """The module's text with `meshes` times as many devices."""
    def grow(line):
        found = GROUPS.search(line)
        if found:
            groups = listed(found[1])
            if len(groups) == 1 and re.search(r" all-reduce(-start)?\(", line):
                grown = [list(range(size * meshes))]
            else:
                grown = [[device + size * k for device in group] for k in range(meshes) for group in groups]
            line = line[:found.start(1)] + text_of(grown) + line[found.end(1):]
        found = PAIRS.search(line)
        if found:
            grown = [[device + size * k for device in pair] for k in range(meshes) for pair in listed(found[1])]
            line = line[:found.start(1)] + text_of(grown) + line[found.end(1):]
        return line

    if f"num_partitions={size}" not in text:
        raise RuntimeError(f"the module is not for {size} partitions")
    text = "\n".join(map(grow, text.split("\n")))
    text = re.sub(r", sharding=\{(?:[^{}]|\{[^{}]*\})*\}", "", text.replace(f"num_partitions={size}", f"num_partitions={size * meshes}"))
    return OWN_ID.sub(rf"\1\2.all = u32[] partition-id()\n\1\2.size = u32[] constant({size})\n\1\2 = u32[] remainder(\2.all, \2.size)", text)
