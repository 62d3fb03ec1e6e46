#!/usr/bin/env python3
"""Writes docs/python/api.md from the docstrings and signatures of the installed package.

    build/wheel/venv/bin/python tools/make_api_reference.py           writes the page
    build/wheel/venv/bin/python tools/make_api_reference.py --check   exit code 1 if it is stale
"""

import inspect
import sys
import types
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "python" / "api.md"

INTRODUCTION = """\
# Python API

Generated from the docstrings by `tools/make_api_reference.py`; edit the docstrings. Everything here is in
`compression_board`; `tensorboardX` has the same classes under the names of the original, and
`tensorboardX.compression` those of the guide.

Steps are integers, wall times seconds since 1970. `Number` is an int, a float, a number of numpy's
or an array or tensor that squeezes to one. `ArrayLike` is a numpy array, a tensor (with gradients,
on any device, bfloat16, quantized), anything with DLPack or a buffer, or nested lists. `PathLike`
is a `str` or an `os.PathLike`. `Metrics` map the keys of
[benchmark JSON](../formats/compression-tags.md) to numbers. `Omissions` are pairs (what, reason) of
what could not be logged.
"""

ORDER = ["SummaryWriter", "CompressionWriter", "TrainingLogger", "create_training_logger",
         "BenchmarkParser", "log_benchmark_results", "aurora", "Aurora", "benchmark",
         "ModelBenchmark", "compare", "ModelComparison", "quantize", "tune", "HardwareMonitor", "StageLogger", "set_log_folder", "TuningLogger",
         "GlobalSummaryWriter", "FileWriter"]  # fmt: skip


def parts_of(function, drop_self):
    """The parameters of `function` as they are written, and what it returns."""
    found = inspect.signature(function)
    parts, keyword_only = [], False
    for parameter in found.parameters.values():
        if (drop_self and parameter.name == "self") or parameter.name.startswith("_"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any(part.startswith("*") for part in parts):
                parts.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text = stars.get(parameter.kind, "") + parameter.name
        typed = parameter.annotation is not parameter.empty
        if typed:
            text += f": {parameter.annotation}"
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}" if typed else f"={parameter.default!r}"
        parts.append(text)
    returns = found.return_annotation
    silent = returns in (found.empty, "None", None)
    return parts, "" if silent else f" -> {returns}".replace('"', "")


def signature(name, function, drop_self):
    parts, returns = parts_of(function, drop_self)
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= 96:
        return line
    rows = "".join(f"    {part},\n" for part in parts)  # One parameter a line.
    return f"{name}(\n{rows}){returns}"


def code(text):
    return f"```text\n{text}\n```\n"


KINDS = (property, staticmethod, classmethod, types.GetSetDescriptorType)


def members(cls):
    """Returns public methods and properties in the order of their definition, base classes first.
    """
    names = {}
    for base in reversed(cls.__mro__):
        if base.__module__ == "builtins":
            continue  # Does not list the methods of built-in types.
        for name, value in vars(base).items():
            if not name.startswith("_") and (callable(value) or isinstance(value, KINDS)):
                names[name] = None
    return list(names)


def documented_class(name, cls, already):
    # aurora() creates the scores, so their constructor is not shown.
    call = name if name == "Aurora" else signature(name, cls.__init__, True)
    lines = [f"## {name}\n", code(call), inspect.getdoc(cls) + "\n"]
    for member in members(cls):
        value = inspect.getattr_static(cls, member)
        attribute = getattr(cls, member)
        if attribute in already:
            continue
        documentation = inspect.getdoc(attribute) or ""
        if callable(attribute):
            already.add(attribute)
            if type(attribute).__name__ == "nb_method":
                continue  # Only the writer of this package uses these methods.
            text = signature(member, attribute, not isinstance(value, staticmethod))
        elif documentation:
            text = member
        else:
            continue
        lines += [f"### {name}.{member}\n", code(text), documentation + "\n"]
    return lines


def page():
    import compression_board

    missing = set(compression_board.__all__) ^ set(ORDER)
    assert not missing, f"ORDER and __all__ differ: {missing}"
    lines, already = [INTRODUCTION], set()
    for name in ORDER:
        thing = getattr(compression_board, name)
        if inspect.isclass(thing):
            if issubclass(thing, compression_board.SummaryWriter) and name != "SummaryWriter":
                lines_of = documented_class(name, thing, already)
                lines_of.insert(2, "A [SummaryWriter](#summarywriter), with all of its methods.\n")
            else:
                lines_of = documented_class(name, thing, already)
            lines += lines_of
        else:
            lines += [f"## {name}\n", code(signature(name, thing, False))]
            lines.append(inspect.getdoc(thing) + "\n")
    return "\n".join(lines).rstrip() + "\n"


def main():
    text = page()
    if "--check" not in sys.argv:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(text)
        return 0
    if not PAGE.exists() or PAGE.read_text() != text:
        print("docs/python/api.md is stale: run tools/make_api_reference.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
