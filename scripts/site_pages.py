"""Renders docs/ into build/site and generates the gallery's reports with the built command.

Links between documents become links between pages. A link to a file that is not part of the site is an error, so that
the site has no dead links. Reports are made from the examples and, if the shared folder exists, from its seeds."""
import argparse
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import markdown

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("HALO_SHARED", ROOT.parent / "shared"))
STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8) }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
nav { padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .92rem; min-height: 100vh }
nav a { display: block; padding: .15rem 0; text-decoration: none } nav b { display: block; margin-top: 1rem }
main { max-width: 60rem; padding: 1rem 2.5rem 5rem } a { color: var(--link) }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow: auto;
  font: 13px/1.4 ui-monospace, monospace } code { font-family: ui-monospace, monospace; font-size: .92em }
table { border-collapse: collapse; display: block; overflow: auto } th, td { border: 1px solid var(--line);
  padding: .3rem .6rem; text-align: left; vertical-align: top } img { max-width: 100%; border: 1px solid var(--line) }
@media (max-width: 50rem) { body { display: block } nav { border: 0; min-height: 0 } }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'">
<title>{title}</title><link rel="stylesheet" href="{root}style.css"></head>
<body><nav>{nav}</nav><main>{body}</main></body></html>
"""
SECTIONS = (("Start", ("index.md",)), ("Guides", ("guides/",)), ("Gallery", ("gallery/",)),
            ("Reference", ("run.md", "devices.md", "shrink.md", "scan.md", "scale.md", "ask.md", "mcp.md", "lsp.md", "editors.md", "verifier.md", "json.md", "ops.md",
                           "glossary.md", "library.md", "python.md", "versioning.md")),
            ("Inside", ("ARCHITECTURE.md", "testing.md", "performance.md", "math.md", "evidence.md", "dependencies.md")))
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")


def title_of(text, name):
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return heading[1] if heading else name


def sources():
    """Returns {page path: markdown}, unordered."""
    pages = {"index.md": (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")}
    for path in (ROOT / "docs").rglob("*.md"):
        pages[path.relative_to(ROOT / "docs").as_posix()] = path.read_text(encoding="utf-8")
    return pages


def with_tables(text, halo):
    """Puts the table of a document's fields where the page names it."""
    def table(match):
        return subprocess.run([halo, "describe", match[1], "--markdown"], capture_output=True, text=True, check=True).stdout
    return re.sub(r"^<!-- fields: (\S+) -->$", table, text, flags=re.MULTILINE)


def gallery(out, halo):
    """Generates the reports and returns the gallery page's text about them."""
    folder = out / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    # Folders of dumps; example programs have a CMakeLists.txt.
    inputs = [(path.name, path, "an example of the repository") for path in sorted((ROOT / "examples").iterdir())
              if path.is_dir() and not (path / "CMakeLists.txt").exists()]
    if (SHARED / "seeds").is_dir():
        inputs += [("seed_" + path.stem.split("_")[0], path, "a real program") for path in
                   sorted((SHARED / "seeds").glob("*.txt"))]
    lines = ["", "## Reports", "", "Made by `halo report` while this site was built; each opens by itself.", ""]
    for name, path, what in inputs:
        report = folder / f"{name}.html"
        done = subprocess.run([halo, "report", str(path), "-o", str(report)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"gallery: {name}: {done.stderr.strip()}", file=sys.stderr)
            continue
        lines.append(f"- [{name}]({name}.html): {what}, {report.stat().st_size / 1e6:.1f} MB")
    for picture in sorted((ROOT / "docs" / "gallery").glob("*.png")):
        shutil.copy(picture, folder / picture.name)
    return "\n".join(lines) + "\n"


def pages_of(folder, pages):
    """Returns the pages of a folder: its README, those that the README leads to in that order, then the others."""
    names = [name for name in sorted(pages) if name.startswith(folder)]
    order = [folder + "README.md"] + [folder + target for _, target, _ in LINK.findall(pages.get(folder + "README.md", ""))]
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def navigation(pages, here):
    up = "../" * here.count("/")
    parts = []
    for section, wanted in SECTIONS:
        names = [name for each in wanted for name in
                 (pages_of(each, pages) if each.endswith("/") else [each] if each in pages else [])]
        if names:
            parts.append(f"<b>{section}</b>")
        for name in names:
            title = html.escape(title_of(pages[name], name))
            parts.append(f'<a href="{up}{page_name(name)}">{title}</a>')
    return "\n".join(parts)


def page_name(name):
    return re.sub(r"(^|/)README\.md$", r"\1index.html", name).removesuffix(".md") + (
        "" if name.endswith("README.md") else ".html")


def convert_links(name, text, pages, problems):
    """Links to documents become links to pages; those to other files of the repository become plain text."""
    here = pathlib.PurePosixPath(name).parent

    def link(match):
        words, target, place = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(here / target)
        if path in pages:
            return f"[{words}]({os.path.relpath(page_name(path), here)}{place})"
        if (ROOT / "build/site" / here / target).exists():
            return match[0]
        if not ((ROOT if name == "index.md" else ROOT / "docs") / here / target).exists():
            problems.append(f"{name}: {target} leads nowhere")
        return words
    return LINK.sub(link, text)


def index_for_agents(pages):
    """llms.txt: what the site has, as links to the Markdown of its pages (llmstxt.org)."""
    lines = ["# Haloscope", "", "> A toolkit for XLA programs: reads HLO text, HloProto and dump folders of every generation and says whether a "
             "program fits, is right, is fast, and what changed. The command is `halo`; agents use `halo mcp` or the skill.", "",
             "- [Answers for AI agents: halo mcp](mcp.md)", "- [The skill for agents without MCP](agents/SKILL.md)"]
    for section, wanted in SECTIONS:
        lines += ["", f"## {section}", ""]
        for each in wanted:
            for name in pages_of(each, pages) if each.endswith("/") else [each] if each in pages else []:
                lines.append(f"- [{title_of(pages[name], name)}]({name})")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--halo", default=str(ROOT / "build/release/halo"))
    parser.add_argument("--no-gallery", action="store_true", help="pages only")
    options = parser.parse_args()
    out = ROOT / "build" / "site"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    pages = sources()
    pages["json.md"] = with_tables(pages["json.md"], options.halo)
    if not options.no_gallery:
        reports = gallery(out, options.halo)
        pages["gallery/README.md"] = pages["gallery/README.md"].replace("\n## ", f"{reports}\n## ", 1)
    problems = []
    for name, text in sorted(pages.items()):
        body = markdown.markdown(convert_links(name, text, pages, problems),
                                 extensions=["tables", "fenced_code", "toc", "sane_lists"])
        path = out / page_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(title=html.escape(title_of(text, name)), root="../" * name.count("/"),
                                    nav=navigation(pages, name), body=body), encoding="utf-8")
        source = out / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
    (out / "llms.txt").write_text(index_for_agents(pages), encoding="utf-8")
    (out / "style.css").write_text(STYLE, encoding="utf-8")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"site: {len(pages)} pages in build/site, {len(problems)} dead links")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
