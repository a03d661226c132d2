"""Goes from a bare Debian 12 to passing tests with only the commands in CONTRIBUTING.md.

The full form creates a fresh root with debootstrap, clones this checkout's last commit into it, and runs the commands
of the shell block under CONTRIBUTING.md's setup heading inside. The root gets this machine's Debian archives, apt
transport settings, certificates and proxies, because a new machine would have those too. It gets no other packages.

The quick form builds and installs nothing. It checks the package list: apt must resolve every package of the
documented setup command from a system with no packages. Every file outside the checkout that a fresh configuration
finds, or that the compiler read for an existing release build, must belong to the resolved packages. The quick form
does not check that the packages install, that the build succeeds, or that tests pass."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from common import BUILD, ROOT, Skipped, enough
from subject import subject

ORDER = 11
QUICK_SECONDS = 12
WHAT = "the setup commands of CONTRIBUTING.md in a fresh Debian 12 root (debootstrap, minbase)"
BAR = "every command succeeds; at least 500 tests pass, none fails"
LEAST = {"tests": 500}
QUICK_LEAST = {"packages": 25, "files that configuring finds": 100}
QUICK_BAR = ("the packages resolve from an empty system, and own every system file that configuring finds (at least 100) "
             "and that the release build read, if there is one (at least 500); nothing is installed or built")

SUITE = "bookworm"
HEADING = "## Set up, build and test"
LEAST_HEADERS = 500
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def documented_commands(text):
    """Returns the commands of the first shell block below the setup heading, without comments."""
    section = text.partition(HEADING + "\n")[2].partition("\n## ")[0]
    block = re.search(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    lines = [shlex.split(line, comments=True) for line in block[1].splitlines()] if block else []
    return [shlex.join(words) for words in lines if words]


def check_commands(commands):
    """Returns the problems of the documented commands themselves."""
    if len(commands) < 2:
        return [f"CONTRIBUTING.md has {len(commands)} commands below '{HEADING}'; expected at least 2"]
    problems = []
    if commands[0].split()[0] != "scripts/setup":
        problems.append(f"the first documented command is not scripts/setup: {commands[0]}")
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    workflows = {each["name"] for each in presets["workflowPresets"]}
    named = [re.match(r"cmake --workflow --preset (\S+)$", command) for command in commands]
    if not any(named):
        problems.append("no documented command runs a CMake workflow")
    problems += [f"there is no workflow preset {match[1]}" for match in named if match and match[1] not in workflows]
    return problems


def test_summary(output):
    """Returns (passed, failed), summed over all ctest summaries in an output."""
    passed = failed = 0
    for bad, total in re.findall(r"% tests passed, (\d+) tests? failed out of (\d+)", output):
        failed += int(bad)
        passed += int(total) - int(bad)
    skipped = len(re.findall(r"^\s+\d+ - .* \((?:Skipped|Disabled|Not Run)\)$", output, re.MULTILINE))
    return passed - skipped, failed


def need_debian():
    release = pathlib.Path("/etc/os-release")
    if f"VERSION_CODENAME={SUITE}" not in (release.read_text(encoding="utf-8") if release.exists() else ""):
        raise Skipped(f"needs Debian 12 ({SUITE})")


def archives():
    """Returns the Debian archives that this machine uses, as (address, suite, component)."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)",
                             "Created-By: Packages"], capture_output=True, text=True, check=True).stdout
    found = sorted({tuple(line.split()[1:]) for line in listed.splitlines()
                    if line.startswith("Debian ") and len(line.split()) == 4})
    if not any(suite == SUITE for _, suite, _ in found):
        raise Skipped(f"apt knows no archive of {SUITE}; run apt-get update")
    return found


# The full form


def in_root(root, command, **how):
    """Runs a shell command inside the root, in separate namespaces, so that its mounts end with it."""
    script = ('mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" && '
              'exec chroot "$1" /bin/bash -c "$2"')
    environment = {key: value for key, value in os.environ.items() if key.lower().endswith("_proxy")}
    environment |= {"PATH": SYSTEM_PATH, "HOME": "/tmp", "LANG": "C.UTF-8", "CI": "true"}
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", str(root),
                           command], env=environment, stdin=subprocess.DEVNULL, check=False, **how)


def make_root(root):
    base = next(uri for uri, suite, _ in archives() if suite == SUITE)
    done = subprocess.run(["unshare", "--mount", "debootstrap", "--variant=minbase", SUITE, str(root), base],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"debootstrap: exit {done.returncode}\n{done.stdout[-2000:]}")
    apt = root / "etc/apt"
    (apt / "sources.list").write_text("".join(f"deb {' '.join(each)}\n" for each in archives()), encoding="utf-8")
    settings = subprocess.run(["apt-config", "dump", "--no-empty", "Acquire"], capture_output=True, text=True,
                              check=True).stdout
    (apt / "apt.conf.d/90machine").write_text("".join(
        line + "\n" for line in settings.splitlines()
        if not line.startswith(("Acquire::IndexTargets", "Acquire::Changelogs"))), encoding="utf-8")
    for name in ("etc/resolv.conf", "etc/hosts", "etc/ssl/certs", "usr/local/share/ca-certificates"):
        source, target = pathlib.Path("/") / name, root / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        elif source.exists():
            shutil.copy(source, target)


def run_commands(commands):
    if os.geteuid() != 0:
        raise Skipped("needs root, to make a root folder")
    for tool in ("debootstrap", "unshare", "chroot"):
        if not shutil.which(tool):
            raise Skipped(f"{tool} is not installed")
    if subprocess.run(["git", "-C", str(ROOT), "status", "--porcelain"], capture_output=True, check=True).stdout:
        print("  uncommitted changes are not part of what is tested")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        make_root(root)
        installed = in_root(root, "dpkg-query -W | wc -l", capture_output=True, text=True).stdout.strip()
        print(f"  a root with {installed} packages", flush=True)
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(root / "haloscope")], check=True)
        everything = ""
        for number, command in enumerate(commands, 1):
            done = in_root(root, f"cd /haloscope && {command}", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace")
            everything += done.stdout
            print(f"  {command}: exit {done.returncode}", flush=True)
            if done.returncode != 0:
                print("\n".join("    " + line for line in done.stdout.splitlines()[-40:]))
                return number - 1, *test_summary(everything)
        return len(commands), *test_summary(everything)


# The quick form


def resolve(names):
    """Returns the packages that apt would install for these on a system that has none. Raises if it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        status = pathlib.Path(folder) / "status"
        status.touch()
        done = subprocess.run(
            ["apt-get", "-o", f"Dir::State::status={status}", "-o", f"Dir::State::extended_states={folder}/states",
             "-o", "Debug::NoLocking=true", "install", "--simulate", "--no-install-recommends", *names],
            capture_output=True, text=True, check=False, env=dict(os.environ, LC_ALL="C"))
    if done.returncode != 0:
        raise RuntimeError(f"apt cannot resolve the packages:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    lines = re.findall(r"^Inst (\S+) \((.*)$", done.stdout, re.MULTILINE)
    foreign = [name for name, origin in lines if " Debian" not in origin]
    if foreign:
        raise Skipped(f"apt would take packages from other archives than Debian's: {' '.join(foreign[:5])}")
    return {name.partition(":")[0] for name, _ in lines}


def plain(path):
    """Returns the path on a system with a merged /usr."""
    return re.sub(r"^/(bin|sbin|lib|lib32|lib64)/", r"/usr/\1/", path)


def is_owned(path, files):
    """Whether a package owns this file. Links to it do not count, except those that update-alternatives creates."""
    for _ in range(8):
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if {plain(path), plain(real)} & files:
            return True
        target = os.path.join(os.path.dirname(real), os.readlink(real)) if os.path.islink(real) else ""
        if "/etc/alternatives/" not in (real[:18], target[:18]):
            return False
        path = os.path.normpath(target)
    return False


def owned_by(packages):
    """Returns every file of those packages that are installed here. minbase also has all packages of priority
    `required`."""
    listed = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${binary:Package} ${Priority}\n"], capture_output=True,
                            text=True, check=True).stdout
    files = set()
    for package, binary, priority in (line.split() for line in listed.splitlines() if len(line.split()) == 3):
        if package in packages or priority == "required":
            lists = (pathlib.Path("/var/lib/dpkg/info") / f"{name}.list" for name in (binary, package))
            for path in lists:
                if path.exists():
                    files.update(plain(line) for line in path.read_text(encoding="utf-8").splitlines())
    return files


def system_files(text):
    """Returns the absolute paths in a text that are existing files outside the checkout."""
    found = {os.path.normpath(path) for path in re.findall(r"(?<![\w./-])/(?:usr|lib|lib64|bin|etc|opt)/[^\s\"';:|$<>,()]+",
                                                           text)}
    return {path for path in found if os.path.isfile(path)}


def configured_files(problems):
    """Returns the files that a fresh configuration uses: those that CMake reads, and the tools and libraries in its
    cache and in the build."""
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder) / "build"
        # Manually installed files must not hide a missing package.
        done = subprocess.run(["cmake", "--preset", "release", "-B", str(build),
                               "-DCMAKE_SYSTEM_IGNORE_PREFIX_PATH=/usr/local"], cwd=ROOT, capture_output=True, text=True,
                              check=False, env={"PATH": SYSTEM_PATH, "HOME": folder, "LC_ALL": "C"})
        if done.returncode != 0:
            problems.append(f"cmake --preset release: exit {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
            return set()
        problems += [f"configuring: {line.strip()}" for line in (done.stdout + done.stderr).splitlines()
                     if " not found: " in line or "CMake Warning" in line]
        return system_files((build / "CMakeCache.txt").read_text(encoding="utf-8")) | \
            system_files((build / "build.ninja").read_text(encoding="utf-8"))


def headers_read():
    """Returns the system headers that the compiler read for the release build; none if it was not built."""
    if not (BUILD / ".ninja_deps").exists():
        return set()
    done = subprocess.run(["ninja", "-C", str(BUILD), "-t", "deps"], capture_output=True, text=True, check=True)
    found = {line.strip() for line in done.stdout.splitlines() if line.startswith("    /")}
    return {path for path in map(os.path.normpath, found) if path.startswith("/usr/") and os.path.isfile(path)}


def check_list(commands):
    for tool in ("apt-get", "cmake", "ninja"):
        if not shutil.which(tool, path=SYSTEM_PATH):
            raise Skipped(f"{tool} is not installed")
    archives()
    problems = []
    script, *kinds = shlex.split(commands[0])
    names = subprocess.run([str(subject(ROOT / script)), *kinds, "--list"], cwd=ROOT, capture_output=True, text=True,
                           check=False).stdout.split()
    if len(names) < QUICK_LEAST["packages"]:
        return [f"{commands[0]} --list names only {len(names)} packages"], "no list"
    try:
        packages = resolve([*names, "apt"])
    except RuntimeError as error:
        return [str(error)], f"{len(names)} packages do not resolve"
    files = owned_by(packages)
    configured, headers = configured_files(problems), headers_read()
    for kind, used, least in (("configuring finds", configured, QUICK_LEAST["files that configuring finds"]),
                              ("the release build reads", headers, LEAST_HEADERS if headers else 0)):
        if len(used) < least:
            problems.append(f"{kind} {len(used)} system files; expected at least {least}")
        problems += [f"{kind} {path}, which no listed package brings"
                     for path in sorted(used) if not is_owned(path, files)]
    return problems, (f"{len(names)} packages resolve to {len(packages)} from an empty system; they own the "
                      f"{len(configured)} system files that configuring finds and "
                      + (f"the {len(headers)} headers of the release build" if headers else "no release build was there"))


def measure(quick):
    need_debian()
    commands = documented_commands((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    problems = check_commands(commands)
    if problems:
        figure = "the documented commands are wrong"
    elif quick:
        problems, figure = check_list(commands)
    else:
        ran, passed, failed = run_commands(commands)
        figure = f"{ran} of {len(commands)} commands succeed; {passed} tests pass, {failed} fail"
        if ran < len(commands) or not enough(LEAST, {"tests": passed}) or failed:
            problems.append(figure)
    for problem in problems[:30]:
        print("  " + problem)
    if problems:
        figure = f"{len(problems)} problems; {figure}"
    return not problems, figure
