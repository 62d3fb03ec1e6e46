"""One accuracy-driven quantization by one peer, in a process of its own.

    tune_peer.py nncf|inc MODEL CALIB VAL MAX_DROP OUTPUT

MAX_DROP is absolute: 0.002 is 0.2 percentage points. The last line is JSON: CPU seconds of the peer's
call without imports, full evaluations, inferences of evaluations, and whether the peer gave a model.
"""

import json
import sys
import time

import numpy as np
import onnx
import tune_metric


class Evaluation:
    """The metric with counters of inferences."""

    def __init__(self, model, val):
        feeds, labels = tune_metric.samples_of(val, tune_metric.open_session(model))
        self.labels = labels.reshape(len(feeds), -1)
        self.items = list(zip(feeds, self.labels))
        self.inferences = 0

    def __call__(self, model, items):
        model = getattr(model, "model", model)  # neural-compressor wraps the model.
        session = tune_metric.open_session(model.SerializeToString())
        items = list(items)
        self.inferences += len(items)
        return tune_metric.shares(session, [feed for feed, _ in items], [label for _, label in items])


def run_nncf(model, calibration, evaluation, max_drop, output):
    import nncf

    def validate(quantized, items):
        values = evaluation(quantized, items)
        return float(np.mean(values)), values

    begin = time.process_time()
    quantized = nncf.quantize_with_accuracy_control(
        onnx.load(model), nncf.Dataset(calibration), nncf.Dataset(evaluation.items), validate,
        max_drop=max_drop, drop_type=nncf.DropType.ABSOLUTE, subset_size=len(calibration),
    )  # fmt: skip
    onnx.save(quantized, output)
    return begin, True


def run_inc(model, calibration, evaluation, max_drop, output):
    """Intel Neural Compressor 3.7, the last version with ONNX: needs onnx 1.17 and onnxruntime 1.20."""
    from neural_compressor import PostTrainingQuantConfig, quantization
    from neural_compressor.config import AccuracyCriterion, TuningCriterion

    class Loader:
        batch_size = 1

        def __iter__(self):
            for sample in calibration:
                values = list(sample.values())
                yield (values[0] if len(values) == 1 else values), 0

    begin = time.process_time()
    quantized = quantization.fit(
        model,
        PostTrainingQuantConfig(
            quant_format="QDQ",
            calibration_sampling_size=len(calibration),
            tuning_criterion=TuningCriterion(timeout=36000),  # Up to 100 trials, the default.
            accuracy_criterion=AccuracyCriterion(criterion="absolute", tolerable_loss=max_drop),
        ),
        calib_dataloader=Loader(),
        eval_func=lambda quantized: float(np.mean(evaluation(quantized, evaluation.items))),
    )
    if quantized is not None:
        quantized.save(output)
    return begin, quantized is not None


def main():
    tool, model, calib, val, max_drop, output = sys.argv[1:]
    calibration, _ = tune_metric.samples_of(calib, tune_metric.open_session(model))
    evaluation = Evaluation(model, val)
    run = {"nncf": run_nncf, "inc": run_inc}[tool]
    begin, has_model = run(model, calibration, evaluation, float(max_drop), output)
    print(json.dumps({"cpu_seconds": time.process_time() - begin, "has_model": has_model,
                      "evaluations": evaluation.inferences / len(evaluation.items),
                      "inferences": evaluation.inferences}))  # fmt: skip


main()
