#!/usr/bin/env python3
"""Picks texts of the sources at random, to check that a reader understands each of them alone.

    tools/pick_texts.py [--root ROOT] [--seed 1] [--comments 60] [--help-texts 30] [--errors 30]
                        [--page-texts 30]

Prints a numbered list with file and line. The same seed picks the same texts from the same sources.
Exit code 1 if there are fewer texts of a kind than asked for.
"""

import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
WORDS = re.compile(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}\W+[A-Za-z]{2,}")  # At least three words.
EXPRESSION = re.compile(r"\w\(|&&|\|\||[!=]==|^[\w./]+$")  # Code, not a text.
MARKUP = re.compile(r"=>|[{};]|\bclass(?:Name)?=|^\s*import ")
# TypeScript after a generic type: parameters with types, a return type, or a conditional.
TYPESCRIPT = re.compile(
    r"\b\w+\??: (?:string|number|boolean|null|readonly|[A-Z]\w*)\b.*[,)|]|[)\]]: \w|\? [\[(\"`]|\? \($|[!=]= |\bconst "
)

Text = tuple[int, str]  # The number of the first line, and the text.


def line_of(source: str, offset: int) -> int:
    return source.count("\n", 0, offset) + 1


def comments(name: str, source: str) -> list[Text]:
    """Returns comments; adjacent comment lines are joined."""
    if name.endswith((".py", ".pyi")):
        line_comment = re.compile(r"^[ \t]*#(?!!)[ ]?(.*)$", re.M)
        block = re.compile(r'"""(.*?)"""', re.S)
    else:
        line_comment = re.compile(r"^[ \t]*//[ ]?(.*)$", re.M)
        block = re.compile(r"/\*\*(.*?)\*/", re.S)
    found: list[Text] = []
    end = -1
    for match in line_comment.finditer(source):
        number = line_of(source, match.start())
        if found and number == end + 1:
            found[-1] = (found[-1][0], found[-1][1] + " " + match[1])
        else:
            found.append((number, match[1]))
        end = number
    for match in block.finditer(source):
        before = source[source.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not before.strip():  # Else the text is a value, not a comment.
            found.append((line_of(source, match.start()), re.sub(r"\n\s*\*?", " ", match[1])))
    return found


def calls(source: str, names: str) -> list[tuple[int, list[str]]]:
    """The string literals of each call of one of `names`, those side by side joined."""
    found = []
    for match in re.finditer(rf"\b(?:{names})\(", source):
        depth, i, in_string = 1, match.end(), False
        while i < len(source) and depth > 0:
            if in_string:
                i += source[i] == "\\"
                in_string = source[i] != '"' if i < len(source) else False
            elif source[i] == '"':
                in_string = True
            else:
                depth += {"(": 1, ")": -1}.get(source[i], 0)
            i += 1
        body = re.sub(r'"\s*\n?\s*"', "", source[match.end() : i])
        found.append((line_of(source, match.start()), STRING.findall(body)))
    return found


def help_texts(_: str, source: str) -> list[Text]:
    return [(line, max(strings, key=len).replace("\\n", " "))
            for line, strings in calls(source, "add_option|add_flag|CLI::App app") if strings]  # fmt: skip


def errors(name: str, source: str) -> list[Text]:
    made = r"raise \w+" if name.endswith(".py") else "Fail|PrintError|InvalidArgument|PrintError"
    return [(line, " … ".join(strings)) for line, strings in calls(source, made)]


def page_texts(_: str, source: str) -> list[Text]:
    """Texts between tags, and strings that are titles, labels or placeholders."""
    source = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), source, flags=re.S)
    shown = re.compile(r">([^<>{}]+)[<{]|(?:title|label|aria-label|placeholder|text)[=:]\s?[{]?[\"`]([^\"`]+)[\"`]")
    found = [(line_of(source, m.start()), m[1] or m[2]) for m in shown.finditer(source)]
    return [(line, text) for line, text in found if not EXPRESSION.search(text) and not TYPESCRIPT.search(text)]


KINDS = {
    "comments": (comments, r"^(src|include|ui/src|python)/.*\.(cc|h|ts|tsx|py|pyi)$"),
    "help_texts": (help_texts, r"^src/cli/.*\.cc$"),
    "errors": (errors, r"^(src|python)/.*\.(cc|py)$"),
    "page_texts": (page_texts, r"^ui/src/.*\.tsx$"),
}
TESTS = re.compile(r"_(test|fuzz|bench|judge|oracle)\.|\.test\.|^tests/|/testing/")


def pick(root: Path, files: list[str], kind: str, count: int, seed: int) -> list[str]:
    find, pattern = KINDS[kind]
    texts = []
    for name in files:
        if re.match(pattern, name) and not TESTS.search(name):
            for line, text in find(name, (root / name).read_text()):
                text = " ".join(text.split())
                if WORDS.search(text) and (kind == "comments" or not MARKUP.search(text)):
                    texts.append(f"{name}:{line}: {text}")
    if len(texts) < count:
        sys.exit(f"only {len(texts)} {kind.replace('_', ' ')} found, {count} asked for")
    return random.Random(seed).sample(sorted(texts), count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--seed", type=int, default=1)
    for kind, count in zip(KINDS, (60, 30, 30, 30)):
        parser.add_argument("--" + kind.replace("_", "-"), type=int, default=count, metavar="N")
    options = parser.parse_args()
    listed = subprocess.run(["git", "-C", options.root, "ls-files"], capture_output=True, text=True, check=True)
    files = listed.stdout.split("\n")
    for kind in KINDS:
        print(f"# {kind.replace('_', ' ')}\n")
        for i, text in enumerate(pick(options.root, files, kind, getattr(options, kind), options.seed), 1):
            print(f"{i}. {text}")
        print()


if __name__ == "__main__":
    main()
