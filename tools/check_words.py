#!/usr/bin/env python3
"""Finds words and phrases that the glossary of CONTRIBUTING.md replaces.

    tools/check_words.py [ROOT] [FILE...]

Checks every tracked text file, except the folders listed in tools/check_words_allow.txt, which are
not cleaned yet; remove a folder's line there to check it. In Markdown, code blocks and `code` are
skipped, because they quote names and output of the program; so is the glossary itself. Prints one
line per hit, with the word to use instead. Exit code 1 if there is a hit.
"""

import re
import subprocess
import sys
from pathlib import Path

SENTENCE = r"(?:^\s*(?:(?://|#+|\*|-|\|)\s*)*|[.!?;] |\| |\*\*)"  # The beginning of a sentence.

# (pattern, what to write instead, where: "text" is prose and comments, "code" is identifiers)
RULES = [
    (r"\bshel(?:f|ves|ved)\b", "cache", "text"),
    (r"\bcarpets?\b", "rasterizer", "text"),
    (r"\bleftovers?\b", "residual", "text"),
    (r"\bdetectives?\b", "diagnosis", "text"),
    (r"\btruths\b", "booleans", "text"),
    (r"\bjudge(?:s|d|ment|ments)?\b|\bjudging\b", "oracle (tests); check, evaluate or level (program)", "text"),
    (r"\bmade[- ]up\b|\bmakes? up samples\b|\bmade up when missing\b", "random data", "text"),
    (r"\bkeeps? an SQNR\b|\bkeeps? [\d.]+ dB\b", "output SQNR is …", "text"),
    (r"\bcounts? more\b", "overrides", "text"),
    (r"\bthose who\b|\bthat which\b|\bone of ours\b|\bit all\b", "the noun", "text"),
    (r"\bwhoever\b|\bwhomever\b|\bwhosoever\b", "the noun", "text"),
    (r"\bis told (?:\d|that)", "gets, receives", "text"),
    (r"\bhas no end\b", "is truncated", "text"),
    (r"\bmemory's addresses\b", "the address space", "text"),
    (r"\bput(?:s|ting)? back to float\b", "restore to float", "text"),
    (r"\b(?:is|are|was|were) hurt\b|\bhurt (?:layers?|parts?|outputs?|weights?|most)\b", "damaged", "text"),
    (r"\bfor want of\b|\bfor lack of\b", "because … is missing", "text"),
    (r"\bleast and (?:the )?greatest\b|\bfrom (?:its|the) least to\b", "min and max", "text"),
    (r"\b(?:asks?|asked) (?:the server|a question)\b|\banswered from memory\b", "request, response", "text"),
    (r"\bnothing is left of\b", "is lost", "text"),
    (r"\banew\b", "again", "text"),
    (r"\bdialects?\b", "tag format", "text"),
    (SENTENCE + r"(?:Whose|Who|Of) (?![^.?]*\?)", "a noun as the subject", "text"),
    (SENTENCE + r"What (?![^.?|]*\?)", "a noun as the subject", "text"),
    (r'ErrnoError\([^"]*"cannot', "the verb only: ErrnoError() writes \"cannot\"", "code"),
    (r"\bkMost\w*", "kMax…", "code"),
    (r"\bMOST_\w+", "MAX_…", "code"),
    (r"\bmost_[a-z]\w*", "max_…", "code"),
    (r"\b(?:GraphShelf|ShelvedScene|Carpet|Detective|PlaneSigns|LeftBy\w+)\b",
     "GraphCache, CachedScene, Rasterizer, ErrorExplainer, SimHash, …Residual", "code"),
    (r"\b(?:Eye|useEye|readEye|eyeText|FIRST_EYE)\b", "Camera", "code"),
    (r"\b(?:Question|Answer|\w+Answer|CurvesQuestion)\b", "Request, Response", "code"),
    (r"\b\w*Judge(?:d|ment)?\w*\b|\b\w+_judge\b", "Oracle (tests), Evaluate, Diagnose", "code"),
]  # fmt: skip
COMPILED = [(re.compile(pattern), instead, where) for pattern, instead, where in RULES]

TEXT_FILES = (".md", ".cc", ".h", ".ts", ".tsx", ".py", ".pyi", ".mjs", ".toml", ".service", ".ipynb")
CODE_FILES = (".cc", ".h", ".ts", ".tsx", ".py", ".pyi", ".mjs")
SELF = ("tools/check_words.py", "tools/check_words_allow.txt")
COMMENT = re.compile(r"(?:^|\s)(?://|#|\*)\s(.*)|/\*\*?(.*)")
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def prose_of_markdown(text: str) -> list[str]:
    """Returns the lines of a document without code and without the glossary."""
    lines, in_code, in_glossary = [], False, False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            in_code = not in_code
            lines.append("")
            continue
        in_glossary = in_glossary or line == "## Glossary"
        skipped = in_code or in_glossary
        lines.append("" if skipped else re.sub(r"`[^`]*`", "`x`", line))
    return lines


def prose_of_code(line: str) -> str:
    """Returns the comment and the string literals of a line of code."""
    comment = COMMENT.search(line)
    parts = [g for g in (comment.groups() if comment else ()) if g]
    return " ".join(parts + [s for s in QUOTED.findall(line) if " " in s])


def hits(name: str, text: str) -> list[str]:
    found = []
    is_code = name.endswith(CODE_FILES)
    raw = text.split("\n")
    prose = prose_of_markdown(text) if name.endswith(".md") else raw
    for number, line in enumerate(prose, 1):
        for pattern, instead, where in COMPILED:
            if where == "code" and not is_code:
                continue
            searched = prose_of_code(line) if where == "text" and is_code else line
            match = pattern.search(searched)
            if match:
                word = match.group(0).strip(" .|#*-/")
                found.append(f"{name}:{number}: '{word}': use {instead}")
    return found


def is_under(name: str, folder: str) -> bool:
    return name == folder or name.startswith(folder.rstrip("/") + "/")


def main(arguments: list[str]) -> int:
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent)
    allowed = [line.strip() for line in (root / "tools/check_words_allow.txt").read_text().split("\n")
               if line.strip() and not line.startswith("#")]  # fmt: skip
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True)
    names = arguments[1:] or [name for name in listed.stdout.split("\n")
                              if not any(is_under(name, folder) for folder in allowed)]  # fmt: skip
    checked = [name for name in names if name.endswith(TEXT_FILES) and name not in SELF]
    found = [hit for name in checked for hit in hits(name, (root / name).read_text(errors="replace"))]
    print("\n".join(found) or f"{len(checked)} files use the words of the glossary")
    if not checked:
        print(f"no file to check in {root}: is it a Git work tree?")
    return 1 if found or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
