"""Runs `compare` on the pairs of a folder and scores its results against the truth of
experiment.py.

    python3 score.py FOLDER [NAME …] [--report FILE]

Four questions, each scored alone:

- verdict: the level that the end metric gives; close to a limit, its neighbour is accepted.
- cause: the first suspect names a guilty layer and the true cause, in the words that a case
accepts.
- fix: the settings of the first fix are given to the quantizer, as a user would paste them. Right
if the
  end metric recovers at least half of what was lost.
- no red: a sound model has no red layer.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime.quantization as tools
from experiment import Pair
from networks import run
from quantizers import TYPES

# Accepted names of each true cause in `compare`, if the cause has several names or contains
# another.
ACCEPTED = {
    "shared_scale": {"shared_scale", "channel_spread"},
    "calibration": {"calibration"},
    "mask": {"mask"},
    "channel_spread": {"channel_spread"},
    "split_operator": {"split_operator", "small_values"},
    "small_values": {"small_values", "split_operator"},
    "outlier_channels": {"outlier_channels", "channel_spread"},
    "one_sided": {"one_sided"},
    "too_narrow": {"over_clipped", "calibration"},
    "bias_overflow": {"bias_overflow"},
    "large_blocks": {"large_blocks", "too_few_bits"},
    "outliers": {"outliers"},
    "too_few_bits": {"too_few_bits", "outliers", "many_small_errors"},
    "many_small_errors": {"many_small_errors", "too_few_bits"},
}


def program_commit():
    """Returns the commit of the program that is scored: EXAM_COMMIT, or else that of this tree."""
    given = os.environ.get("EXAM_COMMIT")
    if given:
        return given
    found = subprocess.run(["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=8", "HEAD"],
                           capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def compared(pair_folder, samples):
    """Returns the report of `compare` on a pair, its seconds (CPU, elapsed), and its error if there
    is no report.
    """
    program = os.environ["COMPRESSION_BOARD"]
    arguments = [program, "compare", str(pair_folder / "float.onnx"),
                 str(pair_folder / "quantized.onnx"), "--data", str(pair_folder / "samples.npz"),
                 "--samples", str(samples), "--json"]
    before = os.times()
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=1200)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    seconds = (cpu, after.elapsed - before.elapsed)
    if done.returncode != 0:
        return None, seconds, done.stderr.strip()
    return json.loads(done.stdout), seconds, ""


def suspects_of(report):
    suspects = report["verdict"].get("suspects") or []
    rows = {row["name"]: row for row in report["layers"]}
    found = []
    for suspect in suspects:
        row = rows.get(suspect["layer"], {})
        names = [suspect["layer"], row.get("node", ""), *suspect.get("layers", [])]
        found.append({
            "names": [name for name in names if name],
            "cause": suspect.get("cause") or row.get("cause", ""),
            "sentence": suspect.get("sentence", ""),
            "fixes": suspect.get("fixes") or [],
            "fix": suspect.get("fix", ""),
            "row": row,
        })
    return found


def is_layer_right(suspect, truth):
    guilty = truth["guilty"]
    if truth["cause"] == "calibration" or not guilty or guilty == ["*"]:
        return True  # The ranges of the whole file: the cause states this, not a layer.
    return any(name in guilty or name.rsplit("/", 1)[0] in guilty for name in suspect["names"])


def is_cause_right(suspect, truth):
    accepted = set(truth.get("accepted_causes", ())) | ACCEPTED[truth["cause"]]
    # A sentence that names the mask is right, whatever the name of its cause is.
    is_said = truth["cause"] == "mask" and "mask values" in suspect["sentence"]
    return suspect["cause"] in accepted or is_said


class Caught(Exception):
    pass


def pasted(setting):
    """Returns the options in a fix's settings: runs the snippet with functions that only record
    their arguments.
    """
    caught = {}

    def note(*arguments, **options):
        caught.update(options)
        raise Caught

    names = {name: getattr(tools, name) for name in ("QuantType", "CalibrationMethod", "QuantFormat")}
    names |= {"np": np, "quantize_static": note, "quantize_dynamic": note, "MatMulNBitsQuantizer": note}
    for unknown in ("model_input", "model_output", "calibration_data_reader", "reader_of_such_data",
                    "bits", "block_size", "is_symmetric"):
        names[unknown] = None
    try:
        exec(setting, names)  # noqa: S102: written by our own program.
    except Caught:
        pass
    return {key: value for key, value in caught.items() if value is not None}


def plain_type(kind):
    return next(name for name, value in TYPES.items() if value == kind)


def plain(value):
    if isinstance(value, dict):
        return {k: plain_type(v) if k == "quant_type" else plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def recipe_with(recipe, fix):
    """Returns the recipe with the options of a fix; None if the fix has no settings that a tool
    accepts.
    """
    setting = fix.get("setting", "")
    if not setting:
        return None
    options = pasted(setting)
    changed = dict(recipe)
    if "reader_of_such_data" in setting:
        changed.pop("calibration", None)
    if "nodes_to_exclude" in options:
        changed["exclude"] = list(recipe.get("exclude", [])) + options["nodes_to_exclude"]
    extra = dict(options.get("extra_options", {}))
    overrides = plain(extra.pop("TensorQuantOverrides", {}))
    if overrides:
        changed["overrides"] = {**recipe.get("overrides", {}), **overrides}
    if extra:
        changed["extra"] = {**recipe.get("extra", {}), **extra}
    for theirs, ours in (("per_channel", "per_channel"), ("reduce_range", "reduce_range"),
                         ("block_size", "block_size"), ("bits", "bits")):
        if theirs in options:
            changed[ours] = options[theirs]
    if "op_types_to_quantize" in options:
        changed["op_types"] = options["op_types_to_quantize"]
    if "is_symmetric" in options:
        changed["symmetric"] = options["is_symmetric"]
    if "calibrate_method" in options:
        changed["method"] = options["calibrate_method"].name
    if "activation_type" in options:
        changed["activations"] = plain_type(options["activation_type"])
    if "weight_type" in options:
        changed["weights"] = plain_type(options["weight_type"])
    return changed if changed != recipe else None


def settings_from_words(report, suspect):
    """Returns the settings of a version without measured fixes: those for the red layers, or the
    text.
    """
    fix, row = suspect["fix"], suspect["row"]
    if "per output channel" in fix:
        return {"setting": "quantize_static(per_channel=True)"}
    if "float32" in fix:
        names = row.get("float_nodes") or [suspect["names"][0]]
        return {"setting": f"quantize_static(nodes_to_exclude={names!r})"}
    return {"setting": (report.get("output_overrides") or {}).get("onnxruntime", "")}


def fix_agreement(case, folder, fix):
    """Returns the end metric with the fix, or a sentence about why it could not be tried."""
    recipe = recipe_with(case["recipe"], fix)
    if recipe is None:
        return "the fix has no settings"
    pair = Pair(case, folder.parent, folder.parent / ".floats")
    pair.before = run(pair.float, pair.samples)
    try:
        return pair.agreement(recipe, "tried.onnx")
    except Exception as error:  # noqa: BLE001: whatever a quantizer says to these settings counts.
        return f"the quantizer refused: {type(error).__name__}: {str(error)[:120]}"
    finally:
        (pair.folder / "tried.onnx").unlink(missing_ok=True)


def scored(folder):
    stored = json.loads((folder / "truth.json").read_text())
    truth = stored.pop("truth")
    report, seconds, error = compared(folder, truth["samples"])
    result = {"name": stored["name"], "network": stored["network"], "truth": truth,
              "seconds": round(seconds[0], 1), "elapsed_seconds": round(seconds[1], 1),
              "program": program_commit(), "kinds": stored.get("kinds", [])}
    if report is None:
        return {**result, "said": f"error: {error[:200]}", "verdict": False, "cause": False,
                "fix": False, "sentence": ""}
    level = report["verdict"]["level"]
    reds = [row["name"] for row in report["layers"] if row["level"] == "red"]
    found = suspects_of(report)
    result |= {"said": level, "sentence": report["verdict"]["sentence"], "reds": len(reds),
               "verdict": level in truth["accepted"],
               "suspects": [{k: s[k] for k in ("names", "cause", "sentence", "fix")} for s in found[:2]]}
    if truth["agreement"] >= 0.97:
        result["no_red"] = not reds
    if truth["agreement"] >= 0.97 or stored.get("lint"):
        if stored.get("lint"):
            rules = [entry.get("rule", "") for entry in report.get("lint", [])]
            if any((row.get("saturation") or {}).get("saturated", 0) for row in report["layers"]):
                rules.append("saturation")
            result["cause"] = stored["lint"] in rules
            result["lint"] = sorted(set(rules))
        return result
    if "cause" not in truth:
        return result
    first = found[0] if found else None
    result["layer_right"] = bool(first) and is_layer_right(first, truth)
    result["cause"] = result["layer_right"] and is_cause_right(first, truth)
    result["second"] = any(is_layer_right(s, truth) and is_cause_right(s, truth) for s in found[1:2])
    if first:
        fix = first["fixes"][0] if first["fixes"] else settings_from_words(report, first)
        result["fix_said"] = fix.get("action") or first["fix"]
        after = fix_agreement(stored, folder, fix)
        result["fix_agreement"] = after
        lost = 1 - truth["agreement"]
        result["fix"] = isinstance(after, float) and after - truth["agreement"] >= lost / 2
    else:
        result["fix"] = False
    return result


QUESTIONS = ("verdict", "cause", "fix", "no_red")


def lost_questions(result):
    return [key for key in QUESTIONS if result.get(key) is False]


def check(results):
    """Returns 1 if a wrong result is not listed in losers.json."""
    losers = json.loads(Path(__file__).with_name("losers.json").read_text())
    fresh = {r["name"]: sorted(set(lost_questions(r)) - set(losers.get(r["name"], []))) for r in results}
    fresh = {name: lost for name, lost in fresh.items() if lost}
    print(f"newly wrong: {fresh}" if fresh else f"{len(results)} cases, none newly wrong")
    return 1 if fresh else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--check", type=Path, help="only compare this report with losers.json")
    options = parser.parse_args()
    if options.check:
        return check(json.loads(options.check.read_text()))
    results = []
    for truth in sorted(options.folder.glob("*/truth.json")):
        name = truth.parent.name
        if options.names and not any(fnmatch.fnmatchcase(name, each) for each in options.names):
            continue
        result = scored(truth.parent)
        results.append(result)
        marks = {key: result.get(key) for key in QUESTIONS if key in result}
        print(f"{name}: said {result['said']}, true {result['truth']['agreement']:.2f} "
              f"{result['truth']['verdict']}; {marks}; {result['seconds']} s CPU, "
              f"{result['elapsed_seconds']} s", flush=True)
        print(f"    {result['sentence'][:220]}")
        for suspect in result.get("suspects", []):
            print(f"    {suspect['cause']}: {suspect['names'][:3]}: {suspect['sentence'][:200]}")
        if "fix_said" in result:
            print(f"    fix: {result['fix_said'][:120]} -> {result['fix_agreement']} "
                  f"(true: {result['truth'].get('cause')} {result['truth'].get('guilty', [])[:3]})", flush=True)
        if options.report:
            old = json.loads(options.report.read_text()) if options.report.exists() else []
            merged = {entry["name"]: entry for entry in old} | {name: result}
            options.report.write_text(json.dumps(list(merged.values()), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
