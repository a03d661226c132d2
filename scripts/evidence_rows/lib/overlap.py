"""Measures the share of a collective's time in which a rank computes, from the Perfetto trace of a run. Used by
devices_collectives."""
import pathlib
import tempfile

from common import halo_run
from wire import fields

DEVICES, ROWS, SIDE = 4, 2048, 640

# Matrix products that do not depend on the all-reduce run between its start and its done.
MODULE = f"""HloModule overlap, replica_count={DEVICES}, is_scheduled=true

add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}}

ENTRY main {{
  x = f32[{ROWS},1024]{{1,0}} parameter(0)
  m = f32[{SIDE},{SIDE}]{{1,0}} parameter(1)
  start = f32[{ROWS},1024]{{1,0}} all-reduce-start(x), replica_groups={{}}, to_apply=add
  p = f32[{SIDE},{SIDE}]{{1,0}} dot(m, m), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  q = f32[{SIDE},{SIDE}]{{1,0}} dot(p, m), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  done = f32[{ROWS},1024]{{1,0}} all-reduce-done(start)
  ROOT r = (f32[{ROWS},1024]{{1,0}}, f32[{SIDE},{SIDE}]{{1,0}}) tuple(done, q)
}}
"""


def slices(trace):
    """Returns the slices of each track in order: begin, end, category, name, flow that begins, flow that ends there."""
    tracks = {}
    for number, packet in fields(trace):
        packet = dict(fields(packet)) if number == 1 else {}
        if 11 not in packet:
            continue
        event = dict(fields(packet[11]))
        track = tracks.setdefault(event[11], [])
        if event[9] == 1:
            track.append([packet.get(8, 0), None, event[22].decode(), event[23].decode(), event.get(47), event.get(48)])
        else:
            track[-1][1] = packet.get(8, 0)
    return tracks


def overlap(track):
    """Returns the nanoseconds that collectives were in flight, that the rank computed in this time, and that it waited
    for them to finish."""
    under_way = computed = waited = 0
    for begin, _, _, _, starts, _ in track:
        if starts is None:
            continue
        wait, end = next((first, stop) for first, stop, _, _, _, awaits in track if awaits == starts)
        under_way += end - begin
        waited += end - wait
        computed += sum(min(end, stop) - max(begin, first) for first, stop, category, _, _, _ in track
                        if category == "compute" and first >= begin and stop <= end)
    return under_way, computed, waited


def measure_overlap():
    """Runs the program as processes. Returns for each rank the share of the collective's time in which it computes."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "overlap.hlo").write_text(MODULE)
        trace = folder / "run.pftrace"
        run = halo_run("run", folder / "overlap.hlo", "--devices", DEVICES, "--random", 1, "--repeat", 2, "--trace", trace,
                       "-o", folder / "out.npz")
        if run.returncode != 0:
            raise RuntimeError(run.stderr.decode(errors="replace")[-500:])
        tracks = slices(trace.read_bytes())
    shares = []
    for number, track in sorted(tracks.items()):
        under_way, computed, waited = overlap(track)
        shares.append(computed / under_way if under_way else 0.0)
        print(f"rank {number - 1}: an all-reduce of {ROWS >> 8} MB under way for {under_way / 1e6:.2f} ms, computing for "
              f"{computed / 1e6:.2f} ms of these, waiting for {waited / 1e6:.2f} ms")
    if len(shares) != DEVICES:
        raise RuntimeError(f"the trace has {len(shares)} tracks, not {DEVICES}")
    return shares
