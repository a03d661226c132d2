"""The catalogue of generated programs: which families there are and how often each is drawn."""
from . import decoding, narrow, networks, numeric, sharded, signals, tables, vision
from .draw import Draw

# (weight, families)
CATALOGUE = (
    (28, (networks.train, networks.train, networks.forward, networks.derivative)),
    (8, (vision.images, vision.images, vision.volumes)),
    (8, decoding.FAMILIES),
    (12, numeric.FAMILIES),
    (7, signals.FAMILIES),
    (12, tables.FAMILIES),
    (9, narrow.FAMILIES),
    (16, sharded.FAMILIES),
)


def program(seed, number):
    """Returns program `number` of a seed, and a description: the names of what was chosen."""
    draw = Draw(seed, number)
    weights = [weight for weight, _ in CATALOGUE]
    group = int(draw.generator.choice(len(CATALOGUE), p=[weight / sum(weights) for weight in weights]))
    made = draw.name(*CATALOGUE[group][1])(draw)
    return made, " ".join(draw.taken)
