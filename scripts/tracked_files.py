"""Lists the files of a checkout, for the checks that look at all of them."""

import os
import subprocess


def tracked_files(root):
    """Returns every file that git tracks or would add, relative to the root, sorted."""
    listed = subprocess.run(["git", "-C", str(root), "-c", f"safe.directory={root}", "ls-files", "-z", "--cached",
                             "--others", "--exclude-standard"], capture_output=True, check=True).stdout
    return sorted(name for name in set(os.fsdecode(listed).split("\0")) if name and (root / name).is_file())
