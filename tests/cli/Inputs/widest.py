"""Prints its input; fails if a line is longer than the given number of columns."""
import sys

text = sys.stdin.read()
sys.stdout.write(text)
longest = max(map(len, text.splitlines()), default=0)
if longest > int(sys.argv[1]) or not text:
    sys.exit(f"the longest line has {longest} columns")
