"""A scan of many programs takes as long for each of 100,000 as for each of 1,000, in the same memory."""
import pathlib
import shutil
import tempfile

from common import enough, need_halo
from fleet_common import count_from_environment, make_dumps, scan, small_modules

ORDER = 150
SPEED = True
QUICK_SECONDS = 4
WHAT = "`halo scan` of 1,000, 10,000 and 100,000 modules made from the corpus, a tenth of them copies, 100 in each dump directory"
BAR = ("CPU time for each module at most 1.25 times those of the smallest scan, peak memory at most 1.25 times that of the second; "
       "every file has a row, every different program is stored once")
QUICK_BAR = ("200 and 1,000 modules: CPU time for each at most 1.8 times, peak memory at most 2.5 times those of the smaller scan, "
             "because neither fills a part; otherwise the same")
LEAST = {"modules": 100_000}
QUICK_LEAST = {"modules": 1_000}


def measure(quick):
    need_halo()
    texts = small_modules()
    most = count_from_environment(1_000 if quick else 100_000)
    sizes = [most // 5, most] if quick else [most // 100, most // 10, most]
    figures, counted = [], True
    folder = pathlib.Path(tempfile.mkdtemp(prefix="halo-fleet-"))
    try:
        programs = make_dumps(folder / "dumps", sizes[-1], texts)
        jobs = sorted((folder / "dumps").iterdir())
        for size in sizes:
            listed = "".join(f"{job}\n" for job in jobs[:size // 100])
            document, elapsed, seconds, memory = scan(folder / f"data_{size}", "-", text_input=listed)
            figures.append((seconds / size, memory, document["bytes"] / size))
            expected = programs * size // sizes[-1]
            counted &= (document["files"] == document["rows"]["files"] == size and document["refused"] == 0
                        and document["programs"] == document["rows"]["modules"] == expected)
            print(f"  {size:,} modules: {elapsed:.1f} s elapsed, {seconds / size * 1e3:.2f} ms of CPU time and {document['bytes'] / size:.0f} bytes for "
                  f"each, peak memory {memory / 2**20:.0f} MiB, {document['rows']['instructions']:,} instructions, "
                  f"{document['programs']:,} programs of {expected:,}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    slower = figures[-1][0] / figures[0][0]
    larger = figures[-1][1] / figures[-2][1]
    held = counted and slower <= (1.8 if quick else 1.25) and larger <= (2.5 if quick else 1.25)
    return (held and enough(QUICK_LEAST if quick else LEAST, {"modules": sizes[-1]}),
            f"{sizes[-1]:,} modules: {figures[-1][0] * 1e3:.2f} ms of CPU time for each, {slower:.2f} times that of {sizes[0]:,}; peak memory "
            f"{figures[-1][1] / 2**20:.0f} MiB, {larger:.2f} times that of {sizes[-2]:,}; {figures[-1][2]:.0f} bytes stored for each")
