"""Creates the pairs of the exam and finds their true causes by experiment.

    python3 experiment.py FOLDER [NAME …]     # all cases, or some
    python3 experiment.py FOLDER --store      # their truth into truth.json, beside this file

A case is a network, a quantizer's recipe and, if the result is broken, a fix: other options of the
same quantizer. The fix counts as the truth only if the end metric recovers at least half of what
was lost. Two more runs say which nodes are guilty: with only these in float, the metric recovers;
with only these quantized, it breaks. Nothing here reads what `compare` says.
"""

import fnmatch
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from cases import CASES
from networks import registry, run
from quantizers import quantize

# Different seeds: calibration never uses the samples that are compared.
COMPARED, CALIBRATED = 12, 11


def verdict_of(agreement):
    return "broken" if agreement < 0.85 else "degraded" if agreement < 0.95 else "sound"


def accepted_verdicts(agreement):
    """Accepts both levels close to a limit: 20 samples cannot separate 84 % from 86 %."""
    if agreement < 0.8:
        return ["broken"]
    if agreement < 0.9:
        return ["broken", "degraded"]
    return ["degraded", "sound"] if agreement < 0.97 else ["sound"]


def calibration(network, count, how):
    """Returns samples for calibration; `how` is a mistake that people make."""
    how = dict(how or {})
    samples = network.samples(how.pop("count", count), how.pop("seed", CALIBRATED))
    for name, values in samples.items():
        if values.dtype != np.float32:
            if how.get("values") == "zeros":
                samples[name] = np.zeros_like(values)
            continue
        if "scale" in how:
            values = values * np.float32(how["scale"])
        if "shift" in how:
            values = values + np.float32(how["shift"])
        if how.get("values") == "zeros":
            values = np.zeros_like(values)
        if how.get("values") == "noise":
            values = np.random.default_rng(1).uniform(0, 1, values.shape).astype(np.float32)
        if how.get("values") == "channels_swapped":
            values = np.ascontiguousarray(values[:, ::-1])
        samples[name] = values
    return samples


def matching(nodes, patterns):
    return [node for node in nodes if any(fnmatch.fnmatchcase(node, p) for p in patterns)]


def resolved(recipe, nodes):
    """Expands patterns in `exclude` and `only` to names of nodes."""
    recipe = dict(recipe)
    for key in ("exclude", "only"):
        if key in recipe:
            recipe[key] = matching(nodes, recipe[key])
            assert recipe[key], f"no node is called like {recipe}"
    return recipe


class Pair:
    """A case with its files in `folder`."""

    def __init__(self, case, folder, floats):
        self.case, self.folder = case, Path(folder) / case["name"]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.network = registry()[case["network"]]
        self.count = case.get("count", 20)
        self.float = self.network.prepare(Path(floats) / self.network.name)
        if case.get("source"):
            self.float = self.rewritten(case["source"])
        self.nodes = [node.name for node in onnx.load(str(self.float)).graph.node]
        self.samples = self.network.samples(self.count, COMPARED)

    def rewritten(self, source):
        import variants

        path = self.folder / "float.onnx"
        getattr(variants, source["how"])(self.network, self.float, path,
                                         **{k: v for k, v in source.items() if k != "how"})
        return path

    def quantized(self, recipe, target):
        recipe = resolved(recipe, self.nodes)
        samples = calibration(self.network, self.count, recipe.pop("calibration", None))
        return quantize(recipe, self.float, self.folder / target, samples)

    def agreement(self, recipe, target):
        path = self.quantized(recipe, target)
        after = run(path, self.samples)
        return round(self.network.agreement(self.before, after), 4)

    def establish(self):
        case = self.case
        link = self.folder / "float.onnx"
        if not link.exists():
            link.symlink_to(self.float.resolve())
        np.savez(self.folder / "samples.npz", **self.samples)
        self.before = run(self.float, self.samples)
        lost = self.agreement(case["recipe"], "quantized.onnx")
        truth = {
            "metric": self.network.metric, "samples": self.count, "agreement": lost,
            "verdict": verdict_of(lost), "accepted": accepted_verdicts(lost),
        }
        for key in ("kinds", "cause", "accepted_causes", "guilty", "notes"):
            if key in case:
                truth[key] = case[key]
        if "guilty" in case:
            # "*" stands for the whole file, because inputs of the network are not nodes.
            is_whole = case["guilty"] == ["*"]
            truth["guilty"] = (not is_whole and matching(self.nodes, case["guilty"])) or case["guilty"]
        if "fix" in case:
            fixed = {**case["recipe"], **case["fix"]}
            if fixed.get("calibration", 0) is None:
                del fixed["calibration"]
            truth["fix"] = case["fix"]
            truth["fixed_agreement"] = self.agreement(fixed, "fixed.onnx")
            truth["fix_recovers_half"] = truth["fixed_agreement"] - lost >= (1 - lost) / 2
            (self.folder / "fixed.onnx").unlink()
        if case.get("alone"):
            recipe = {k: v for k, v in case["recipe"].items() if k != "exclude"}
            recipe["only"] = case["alone"] if isinstance(case["alone"], list) else case["guilty"]
            truth["alone_agreement"] = self.agreement(recipe, "alone.onnx")
            (self.folder / "alone.onnx").unlink()
        (self.folder / "truth.json").write_text(
            json.dumps({**case, "truth": truth}, indent=1, ensure_ascii=False) + "\n")
        return truth


def store(folder):
    """Copies the truth of all pairs in `folder` into truth.json, beside this file."""
    path = Path(__file__).with_name("truth.json")
    stored = json.loads(path.read_text()) if path.exists() else {}
    for file in Path(folder).glob("*/truth.json"):
        stored[file.parent.name] = json.loads(file.read_text())["truth"]
    known = {case["name"] for case in CASES}
    stored = {name: truth for name, truth in sorted(stored.items()) if name in known}
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")


def main(folder, names):
    if names == ["--store"]:
        return store(folder)

    folder = Path(folder)
    for case in CASES:
        if names and not any(fnmatch.fnmatchcase(case["name"], name) for name in names):
            continue
        try:
            truth = Pair(case, folder, folder / ".floats").establish()
        except Exception as error:  # noqa: BLE001: one case that fails must not end the others.
            print(f"{case['name']}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            continue
        shown = {k: truth.get(k) for k in ("agreement", "fixed_agreement", "alone_agreement")}
        print(f"{case['name']}: {truth['verdict']} {shown}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
