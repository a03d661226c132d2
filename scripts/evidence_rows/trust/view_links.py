"""Files of a dump that another user replaces while `halo view` serves it: by links out of the folder, of several forms, by links
to themselves and by pipes. links(draw, count, folder) tries generated variants and returns how many there were and which of them
let the server read a file outside the folder, delayed it, or kept it from reading what is inside. No row by itself."""
import http.client
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import time

from safe_serve import PAGE, Server

SECRET = "jit_of_another_user"
TEXT = "HloModule {}\n\nENTRY e {{\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] sine(p)\n}}\n"
NAME = "module_000{}.{}.before_optimizations.txt"
MOST_SECONDS = 5


def archive(path, name, text):
    with tarfile.open(path, "w") as packed:
        member = tarfile.TarInfo(NAME.format(2, name))
        member.size = len(text)
        packed.addfile(member, io.BytesIO(text.encode()))


def prepare(folder):
    """A dump of a file, one in a folder and one in an archive; the same outside with another text."""
    (folder / "page.html").write_text(PAGE)
    for top, text in (("dump", "jit_mine"), ("outside", SECRET)):
        (folder / top / "rank1").mkdir(parents=True)
        (folder / top / NAME.format(0, "jit_plain")).write_text(TEXT.format(text))
        (folder / top / "rank1" / NAME.format(1, "jit_below")).write_text(TEXT.format(text))
        archive(folder / top / "more.tar", "jit_packed", TEXT.format(text))


def forms(place, real, outside, draw):
    """{form: function that puts something at `place`}; `real` holds what was there, `outside` is the other user's."""
    relative = os.path.relpath(outside, place.parent)
    around = "/".join(draw.choice([".", place.parent.name + "/.."]) for _ in range(draw.randint(0, 3)))

    def chain():
        between = place.with_name("between")
        between.unlink(missing_ok=True)
        between.symlink_to(relative)
        place.symlink_to("between")

    found = {
        "absolute link": lambda: place.symlink_to(outside),
        "relative link": lambda: place.symlink_to(relative),
        "roundabout link": lambda: place.symlink_to(os.path.join("..", around.replace("//", "/"), os.path.relpath(outside, place.parent.parent))
                                                    if around and place.parent.name == "dump" else relative),
        "link by /proc": lambda: place.symlink_to(f"/proc/self/root{outside}"),
        "chain of links": chain,
        "link to itself": lambda: place.symlink_to(place.name),
        "link inside": lambda: place.symlink_to(os.path.relpath(real, place.parent)),
    }
    if not outside.is_dir():
        found["pipe"] = lambda: os.mkfifo(place)
    return found


def one_link(server, base, folder, target, form, put, wanted):
    """What is wrong; None if nothing is. `wanted` is (number of the file, number of the program)."""
    place, real = folder / "dump" / target, folder / "dump" / "kept"
    place.rename(real)
    begin = time.monotonic()
    try:
        put()
        status, data, _ = server.ask("GET", f"{base}file/{wanted[0]}", {}, None)
        asked, answer, _ = server.ask("POST", f"{base}ask?program={wanted[1]}", {}, '{"ask": "overview"}')
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        if place.is_symlink() or place.exists():
            place.unlink()
        real.rename(place)
    if SECRET.encode() in data + answer:
        return "the other user's file was read"
    if form == "link inside" and (status != 200 or b"jit_mine" not in data):
        return f"status {status} for what is inside"
    if form != "link inside" and (status != 404 or asked not in (200, 404)):
        return f"status {status}, {asked}"
    took = time.monotonic() - begin
    return f"{took:.1f} s" if took > MOST_SECONDS else None


class Linked(Server):
    """Knows the numbers of its files and of their programs, by module."""

    def __init__(self, folder):
        super().__init__(folder, "view", "dump", "--page", "page.html")

    def requests(self):
        manifest = json.loads(self.ask("GET", self.address.path + "manifest.json", {}, None)[1])
        self.numbers = {each["module"]: (each["file"], i) for i, each in enumerate(manifest["programs"])}
        return [], []


def links(draw, count, folder):
    folder, tried, succeeded = pathlib.Path(folder), 0, []
    while tried < count:
        prepare(folder)
        try:
            server = Linked(folder)
        except RuntimeError as error:
            return tried, [*succeeded, str(error)]
        base = server.address.path
        try:
            for _ in range(20):
                # A program is kept once it was read, so each is asked about only after its file was replaced.
                tried += 1
                target, module = draw.choice([(NAME.format(0, "jit_plain"), "jit_plain"), ("rank1", "jit_below"),
                                              ("more.tar", "jit_packed"), ("rank1/" + NAME.format(1, "jit_below"), "jit_below")])
                place = folder / "dump" / target
                ways = forms(place, folder / "dump" / "kept", folder / "outside" / target, draw)
                form = draw.choice(list(ways))
                problem = one_link(server, base, folder, target, form, ways[form], server.numbers[module])
                if problem:
                    succeeded.append(f"{target} as {form}: {problem}")
                    if server.process.poll() is not None or "timed out" in problem:
                        break
        finally:
            server.process.send_signal(signal.SIGINT)
            try:
                server.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                server.process.kill()
            server.process.communicate()
        for top in ("dump", "outside"):
            shutil.rmtree(folder / top)
    return tried, succeeded
