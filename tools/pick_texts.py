#!/usr/bin/env python3
"""Picks texts of the sources at random, to check that a reader understands each of them alone.

    tools/pick_texts.py [--root ROOT] [--seed 1] [--comments 60] [--help-texts 30] [--errors 30]
                        [--page-texts 30]

Prints a numbered list with file and line. The same seed picks the same texts from the same sources.
"…" stands for a part of a text that is known only when the program runs. If the program chooses
between words, the first one is printed. Exit code 1 if there are fewer texts of a kind than asked
for.
"""

import argparse
import ast
import random
import re
import subprocess
import sys
from pathlib import Path

INSERTED = "…"
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|' + r"'(?:[^'\\\n]|\\.[0-9a-f]*)'")
LITERALS = re.compile(r'\s*(?:"(?:[^"\\\n]|\\.)*"\s*)+')
CALL = re.compile(r"\s*(?:[\w:]+(?:<[\w:]+>)?)?\((.*)\)\s*", re.S)
ESCAPES = {"\\n": " ", '\\"': '"', "\\\\": "\\", "\\x0a": ""}
WORDS = re.compile(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}\W+[A-Za-z]{2,}")  # At least three words.
# A function or lambda that makes an error of the texts that its callers give.
HELPER = re.compile(
    r"(?:<Error>|<FormFields>|<void>|Error|auto) (\w+)(?: = \[[^\]]*\])?\(([^()]*)\)[^;{]*\{"
)
EXPRESSION = re.compile(r"\w\(|&&|\|\||[!=]==|^[\w./]+$")  # Code, not a text.
MARKUP = re.compile(r"=>|[{}]|\bclass(?:Name)?=|^\s*(?:import |from \S+ import )|^[;):,?]|;$")
# TypeScript after a generic type: parameters with types, a return type, or a conditional.
TYPESCRIPT = re.compile(
    r"\b\w+\??: (?:string|number|boolean|null|readonly|[A-Z]\w*)\b.*[,)|]|[)\]]: \w|\? [\[(\"`]|\? \($|[!=]= |\bconst "
)
TAG = re.compile(r"(?<![\w)\]])</?(?:[A-Za-z][\w.]*|(?=>))")
INLINE = re.compile(r"</?(?:a|b|code|em|i|kbd|span|strong|sub|sup|var)\b")  # Elements inside a sentence.
SHOWN = re.compile(
    r"\b(?:about|caption|does|label|aria-label|placeholder|summary|text|title)[=:]\s?[{]?(?:\"([^\"]+)\"|`((?:[^`\\]|\\.)+)`)"
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


def skip(source: str, i: int) -> int:
    """Returns the position after the string, the pair of brackets or the character at `i`."""
    if source[i] in "\"'`" and (string := STRING.match(source, i)):
        return string.end()
    if source[i] not in "([{":
        return i + 1
    i += 1
    while i < len(source) and source[i] not in ")]}":
        i = skip(source, i)
    return i + 1


def split(expression: str, separator: str) -> list[str]:
    """Splits at the separators that are outside of strings and brackets."""
    parts, begin, i = [], 0, 0
    while i < len(expression):
        if match := re.compile(separator).match(expression, i):
            parts.append(expression[begin:i])
            begin = i = match.end()
        else:
            i = skip(expression, i)
    return [*parts, expression[begin:]]


def shortened(text: str) -> str:
    return re.sub(rf"{INSERTED}(?:\s*{INSERTED})+", INSERTED, text)


def text_of(expression: str, parameters: list[str]) -> str:
    """Returns the text of a C++ expression, with `<name>` in place of each of the parameters."""
    condition = split(expression, r"\?")
    if len(condition) > 1:
        return text_of(split("?".join(condition[1:]), r"(?<!:):(?!:)")[0], parameters)
    text = ""
    for piece in split(expression, r"\+"):
        inner = CALL.fullmatch(piece)
        if LITERALS.fullmatch(piece):
            part = "".join(literal for literal, _ in STRING.findall(piece))
            for escape, shown in ESCAPES.items():
                part = part.replace(escape, shown)
        elif inner and re.search(r'"[^"]*\w\W+\w[^"]*"', piece):
            given = split(inner[1], ",")
            with_text = next(argument for argument in reversed(given) if '"' in argument)
            part = text_of(with_text, parameters) + (INSERTED if with_text is not given[-1] else "")
            if piece.strip().startswith("ErrnoError("):
                part = f"cannot {part}: {INSERTED}"
            elif piece.strip().startswith("Named("):
                part = part.replace(INSERTED, f" {INSERTED}")
        else:
            named = [name for name in parameters if re.search(rf"\b{name}\b", piece)]
            part = f"<{named[0]}>" if named else INSERTED
        text += part
    return shortened(text)


def calls(source: str, names: str) -> list[tuple[int, int, list[str]]]:
    """Returns begin, end and arguments of each call of one of `names`."""
    found = []
    for match in re.finditer(rf"\b(?:{names})[({{]", source):
        end = skip(source, match.end() - 1)
        found.append((match.start(), end, split(source[match.end() : end - 1], ",")))
    return found


def without_comments(source: str) -> str:
    return re.sub(r"(?<![:\"])//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), source, flags=re.S)


def help_texts(_: str, source: str) -> list[Text]:
    source = without_comments(source)
    found = [
        (line_of(source, begin), max((text_of(argument, []) for argument in arguments), key=len))
        for begin, _, arguments in calls(source, "add_option|add_flag|set_config|AddShapeFlag|CLI::App app")
        if '"' in "".join(arguments)
    ]
    for match in re.finditer(r"\bchar k(?:Description|Footer)\[\] =", source):
        found.append((line_of(source, match.start()), text_of(split(source[match.end() :], ";")[0], [])))
    return [(line, text) for line, text in found if not re.fullmatch(r"compression-board \w+", text)]


def python_errors(source: str) -> list[Text]:
    def text(node: ast.expr) -> str:
        if isinstance(node, ast.JoinedStr):
            return "".join(text(part) for part in node.values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return text(node.left) + text(node.right)
        if isinstance(node, ast.IfExp):
            return text(node.body)
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return str(node.value) if is_text else INSERTED

    raised = [node.exc for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise)]
    return [(call.lineno, text(call.args[0])) for call in raised if isinstance(call, ast.Call) and call.args]


def errors(name: str, source: str) -> list[Text]:
    """Texts of errors; a text that a helper of the same file completes is printed as the user reads it."""
    if name.endswith(".py"):
        return python_errors(source)
    source = without_comments(source)
    helpers = [(match.start(), skip(source, match.end() - 1), match[1], match[2]) for match in HELPER.finditer(source)]
    found = []
    for begin, end, arguments in calls(source, "Fail|PrintError|InvalidArgument|Error"):
        around = [helper for helper in helpers if helper[0] < begin and end <= helper[1]]
        first, last, helper, declared = around[-1] if around else (0, 0, "", "")
        names = [one.split()[-1].strip("&*") if "string" in one else "" for one in declared.split(",")]
        text = text_of(arguments[-1], list(filter(None, names)))
        composed = []
        for call, _, given in calls(source, helper) if any(f"<{name}>" in text for name in names) else []:
            places = [known[0] for known in helpers if known[2] == helper]
            newest = max((place for place in places if place <= call), default=min(places))
            if newest == first and not first <= call < last and len(given) == len(names):
                whole = text
                for parameter, argument in zip(names, given):
                    whole = whole.replace(f"<{parameter}>", text_of(argument, [])) if parameter else whole
                composed.append((line_of(source, call), shortened(whole)))
        for parameter in filter(None, names):
            text = text.replace(f"<{parameter}>", INSERTED)
        found += composed or [(line_of(source, begin), shortened(text))]
    return sorted(found)


def end_of_tag(source: str, i: int) -> int:
    while i < len(source) and source[i] != ">":
        i = skip(source, i) if source[i] in '"{`' else i + 1
    return i + 1


def inserted(expression: str) -> str:
    """Returns the text of an expression in braces: its first alternative if that is a text, else the mark."""
    chosen = re.match(r'[^?"`]*\?\s*"([^"]+)"\s*:', expression) or re.fullmatch(r'\s*"([^"]*)"\s*', expression)
    return chosen[1] if chosen else INSERTED


def sentence(source: str, i: int, seen: set[int]) -> str:
    """Returns the page's text at `i`; adds to `seen` where the texts of the elements inside of it begin."""
    text, opened, has_closed = "", 0, False
    while i < len(source):
        if source[i] == "{":
            end = skip(source, i)
            inside = source[i + 1 : end - 1]
            if any(not INLINE.match(inside, tag.start()) for tag in TAG.finditer(inside)):
                break
            text += inserted(inside)
            i = end
        elif source[i] == "<" and INLINE.match(source, i):
            is_end = source[i + 1] == "/"
            opened += -1 if is_end else 1
            if opened < 0 or (not is_end and has_closed and text.endswith((" ", "\n"))):
                break  # Elements on lines of their own are separate texts.
            has_closed = is_end
            i = end_of_tag(source, i)
            seen.add(i)
        elif source[i] == "<" and source[i + 1].isupper() and source[end_of_tag(source, i) - 2] == "/":
            text += INSERTED
            i = end_of_tag(source, i)
        elif source[i] in "<}":
            break
        else:
            has_closed = has_closed and source[i].isspace()
            text += source[i]
            i += 1
    return text


def page_texts(_: str, source: str) -> list[Text]:
    """Texts between tags, and strings that are titles, labels or placeholders."""
    source = without_comments(source)
    found: list[Text] = []
    seen: set[int] = set()
    for tag in TAG.finditer(source):
        begin = end_of_tag(source, tag.start())
        inside: set[int] = set()
        text = sentence(source, begin, inside)
        if begin in seen or text.lstrip().startswith((")", "]", ";", ",", ":", "?")):
            continue  # Part of a sentence, or code after an element.
        seen |= inside
        found.append((line_of(source, begin + len(text) - len(text.lstrip())), text))
    for match in SHOWN.finditer(source):
        template = re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", INSERTED, match[2] or "")
        found.append((line_of(source, match.start()), match[1] or template))
    return [
        (line, text)
        for line, text in sorted(found)
        if not EXPRESSION.search(text) and not TYPESCRIPT.search(text) and not MARKUP.search(text.strip())
    ]


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
                if WORDS.search(text):
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
    print(f'"{INSERTED}" stands for a part of a text that is known only when the program runs.\n')
    for kind in KINDS:
        print(f"# {kind.replace('_', ' ')}\n")
        for i, text in enumerate(pick(options.root, files, kind, getattr(options, kind), options.seed), 1):
            print(f"{i}. {text}")
        print()


if __name__ == "__main__":
    main()
