"""Writes the tables of docs/compare-exam.md from the reports of score.py, and losers.json.

    python3 table.py REPORT …
"""

import json
import re
import sys
from pathlib import Path

from networks import registry
from score import lost_questions

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "compare-exam.md"


def mark(result, key):
    if key not in result:
        return ""
    if result[key]:
        return "yes"
    return "second" if key == "cause" and result.get("second") else "**no**"


def rows(results):
    lines = ["| case | kinds | agreement | true cause | said | verdict | cause and layer | fix | no red | seconds | program |",
             "|---|---|---:|---|---|---|---|---|---|---:|---|"]
    for result in sorted(results, key=lambda r: (r["truth"]["verdict"] == "sound", r["name"])):
        truth = result["truth"]
        first = (result.get("suspects") or [{}])[0]
        said = result["said"].split(":")[0]
        if first.get("cause"):
            said += f", `{first['cause']}`"
        if first.get("names"):
            said += f" at `{first['names'][0]}`"
        fix = mark(result, "fix")
        if isinstance(result.get("fix_agreement"), float):
            fix += f" ({result['fix_agreement']:.2f})"
        lines.append(
            f"| {result['name']} | {', '.join(map(str, result['kinds']))} | {truth['agreement']:.2f} | "
            f"{truth.get('cause', '')} | {said} | {mark(result, 'verdict')} | {mark(result, 'cause')} | "
            f"{fix} | {mark(result, 'no_red')} | {result['seconds']:.0f} | {result.get('program', '')} |")
    return lines


def share(results, key):
    asked = [result for result in results if key in result]
    right = sum(bool(result[key]) for result in asked)
    return f"{right} of {len(asked)}" + (f" ({100 * right / len(asked):.0f} %)" if asked else "")


def summary(title, results):
    broken = sum("cause" in result["truth"] for result in results)
    sound = sum(result["truth"]["agreement"] >= 0.97 for result in results)
    networks = len({result["network"] for result in results})
    return (f"| {title} | {networks} | {broken} | {sound} | {share(results, 'verdict')} | "
            f"{share([r for r in results if 'cause' in r['truth']], 'cause')} | {share(results, 'fix')} | "
            f"{share(results, 'no_red')} |")


def replace(text, name, lines):
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
    assert pattern.search(text), f"{PAGE} has no section {name}"
    return pattern.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text)


def main(reports):
    known = registry()
    together = [result for path in reports for result in json.loads(Path(path).read_text())]
    results = [[r for r in together if known[r["network"]].is_held_out == held_out]
               for held_out in (False, True)]
    titles = ["developed with", "held out"]
    lines = ["| networks | number | broken | sound | verdict | cause and layer | first fix | no red |",
             "|---|---:|---:|---:|---|---|---|---|"]
    lines += [summary(title, part) for title, part in zip(titles, results)]
    text = replace(PAGE.read_text(), "summary", lines)
    for title, part in zip(("cases", "held-out cases"), results):
        text = replace(text, title, rows(part))
    networks = registry()
    used = {result["network"] for part in results for result in part}
    text = replace(text, "networks", ["| network | end metric | in `make test` | held out |", "|---|---|---|---|"] + [
        f"| `{name}`: {network.title} | {network.metric} | {'yes' if network.is_small else ''} | "
        f"{'yes' if network.is_held_out else ''} |" for name, network in networks.items() if name in used])
    PAGE.write_text(text)
    losers = {result["name"]: lost_questions(result) for part in results for result in part}
    losers = {name: lost for name, lost in sorted(losers.items()) if lost}
    (HERE / "losers.json").write_text(json.dumps(losers, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
