"""Compares metrics with those of scikit-learn, pycocotools, jiwer and numpy on the same data."""

import contextlib
import io

import models
import numpy as np
import pytest


def random(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("classes", [2, 10])
def test_classification_equals_scikit_learn(tmp_path, scores, classes):
    from sklearn import metrics

    logits = random(1).normal(size=(300, classes)).astype("f4")
    labels = np.where(random(2).random(300) < 0.5, logits.argmax(1), random(3).integers(0, classes, 300))
    np.savez(tmp_path / "val.npz", x=logits, y=labels)
    model = models.identity(tmp_path / "m.onnx", [1, classes])
    found = scores(model, "--data", "val.npz", "--labels", "val.npz:y", "--metric", "top1,top5,f1_macro,f1_weighted")
    predicted = logits.argmax(1)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(labels, predicted), abs=1e-12)
    assert found["f1_score"] == pytest.approx(metrics.f1_score(labels, predicted, average="macro"), abs=1e-12)
    assert found["f1_weighted"] == pytest.approx(metrics.f1_score(labels, predicted, average="weighted"), abs=1e-12)
    if classes > 5:
        expected = metrics.top_k_accuracy_score(labels, logits, k=5, labels=range(classes))
        assert found["accuracy_top5"] == pytest.approx(expected, abs=1e-12)


def coco_map(images, detections):
    """Returns AP and AP50 of pycocotools; boxes are left, top, right, bottom."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def size(box):
        left, top, right, bottom = map(float, box)
        return [left, top, right - left, bottom - top]

    annotations, results = [], []
    for image, (boxes, classes, crowds) in enumerate(images):
        for box, kind, crowd in zip(boxes, classes, crowds):
            box = size(box)
            annotations.append({"id": len(annotations) + 1, "image_id": image, "category_id": int(kind), "bbox": box,
                                "area": box[2] * box[3], "iscrowd": int(crowd)})  # fmt: skip
    for image, found in enumerate(detections):
        for row in found:
            results.append({"image_id": image, "category_id": int(row[5]), "bbox": size(row[:4]), "score": float(row[4])})
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {"images": [{"id": i} for i in range(len(images))], "annotations": annotations,
                         "categories": [{"id": i} for i in range(5)]}  # fmt: skip
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(results), "bbox")
        evaluation.params.maxDets = [100, 100, 100]
        evaluation.evaluate()
        evaluation.accumulate()
    precision = evaluation.eval["precision"][:, :, :, 0, 2]  # Dimensions: [overlap, recall, class].
    return precision[precision > -1].mean(), precision[0][precision[0] > -1].mean()


@pytest.mark.parametrize("seed", range(4))
def test_mean_average_precision_equals_pycocotools(tmp_path, scores, seed):
    rng = random(seed)
    images, detections = [], []
    for _ in range(25):
        count = rng.integers(0, 6)
        corners = rng.uniform(0, 200, (count, 2))
        boxes = np.hstack([corners, corners + rng.uniform(8, 90, (count, 2))])
        classes = rng.integers(0, 4, count)
        images.append((boxes, classes, rng.random(count) < 0.15))
        noisy = boxes + rng.normal(0, rng.choice([1, 6, 15]), boxes.shape)
        noise = rng.uniform(0, 200, (8 - count, 2))
        rows = np.vstack([noisy, np.hstack([noise, noise + rng.uniform(5, 80, (8 - count, 2))])])
        rows = np.hstack([np.minimum(rows[:, :2], rows[:, 2:]), np.maximum(rows[:, :2], rows[:, 2:])])
        kinds = np.concatenate([np.where(rng.random(count) < 0.85, classes, 0), rng.integers(0, 4, 8 - count)])
        # Scores with few digits, so that there are ties.
        detections.append(np.hstack([rows, rng.random((8, 1)).round(1), kinds[:, None]]).astype("f4"))
    np.savez(tmp_path / "data.npz", x=np.stack(detections))
    np.savez(tmp_path / "boxes.npz", boxes=np.vstack([boxes for boxes, _, _ in images]),
             classes=np.concatenate([classes for _, classes, _ in images]),
             image=np.repeat(np.arange(25), [len(boxes) for boxes, _, _ in images]),
             crowd=np.concatenate([crowds for _, _, crowds in images]))  # fmt: skip
    model = models.identity(tmp_path / "m.onnx", [1, 8, 6])
    found = scores(model, "--data", "data.npz", "--labels", "boxes.npz", "--metric", "map,map50")
    average, average50 = coco_map(images, detections)
    assert found["map"] == pytest.approx(average, abs=1e-9)
    assert found["map50"] == pytest.approx(average50, abs=1e-9)


def test_word_and_character_errors_equal_jiwer(tmp_path, scores):
    import jiwer

    letters = ["<blank>", "|", *"abcdeöß"]
    rng = random(5)
    texts, rows = [], []
    for _ in range(30):
        spoken = rng.integers(1, len(letters), 24)
        spoken[0], spoken[-1] = 2, 3
        text = " ".join("".join(letters[token] for token in spoken).replace("|", " ").split())
        texts.append(text)
        heard = np.where(rng.random(24) < 0.8, spoken, rng.integers(0, len(letters), 24))
        rows.append(heard)
    logits = np.eye(len(letters), dtype="f4")[np.stack(rows)] * 5
    np.savez(tmp_path / "data.npz", x=logits)
    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    (tmp_path / "letters.txt").write_text("\n".join(letters) + "\n", encoding="utf-8")
    model = models.identity(tmp_path / "m.onnx", [1, 24, len(letters)])
    found = scores(model, "--data", "data.npz", "--labels", "texts.txt", "--metric", "wer,cer",
                   "--vocabulary", "letters.txt")  # fmt: skip
    decoded = []
    for row in rows:
        path = [token for i, token in enumerate(row) if i == 0 or token != row[i - 1]]
        decoded.append("".join(letters[token] for token in path if token != 0).replace("|", " ").strip())
    assert found["wer"] == pytest.approx(jiwer.wer(texts, decoded), abs=1e-12)
    assert found["cer"] == pytest.approx(jiwer.cer(texts, decoded), abs=1e-12)


def test_a_vocabulary_of_another_size_gives_no_score(tmp_path, measure):
    np.savez(tmp_path / "data.npz", x=random(4).normal(size=(3, 24, 9)).astype("f4"))
    (tmp_path / "texts.txt").write_text("a\n" * 3)
    (tmp_path / "letters.txt").write_text("\n".join(["<blank>", *"abcd"]) + "\n")
    model = models.identity(tmp_path / "m.onnx", [1, 24, 9])
    result = measure(model, "--data", "data.npz", "--labels", "texts.txt", "--metric", "cer", "--vocabulary",
                     "letters.txt", "--time", "0.3", "--no-memory", "--no-energy", fails=True)["m"]  # fmt: skip
    assert "cer" not in result
    assert "one line for each of the 9 logits" in result["why_invalid"]


def test_one_number_is_a_class_or_a_probability(tmp_path, measure, scores):
    values = np.array([[0.9], [0.2], [0.6], [1.0]], "f4")
    np.savez(tmp_path / "val.npz", x=values, y=np.array([1, 0, 0, 1]))
    model = models.identity(tmp_path / "m.onnx", [1, 1])
    flags = ["--data", "val.npz", "--labels", "val.npz:y", "--metric", "top1"]
    assert scores(model, *flags)["accuracy"] == 0.75
    np.savez(tmp_path / "val.npz", x=values * 3, y=np.array([1, 0, 0, 1]))
    result = measure(model, *flags, "--time", "0.3", "--no-memory", "--no-energy", fails=True)["m"]
    assert "neither a class nor a probability" in result["why_invalid"]


def test_perplexity_equals_numpy(tmp_path, scores):
    logits = random(6).normal(0, 3, (20, 7, 50)).astype("f4")
    labels = random(7).integers(0, 50, (20, 7))
    labels[:, -2:] = -100
    np.savez(tmp_path / "val.npz", x=logits, y=labels)
    model = models.identity(tmp_path / "m.onnx", [1, 7, 50])
    found = scores(model, "--data", "val.npz", "--labels", "val.npz:y", "--metric", "perplexity")
    exact = logits.astype("f8")
    chosen = np.log(np.exp(exact).sum(-1)) - np.take_along_axis(exact, labels.clip(0)[..., None], -1)[..., 0]
    assert found["perplexity"] == pytest.approx(np.exp(chosen[labels >= 0].mean()), rel=1e-9)


def test_errors_of_values_equal_numpy(tmp_path, scores):
    x, y = random(8).normal(size=(2, 40, 12)).astype("f4")
    np.savez(tmp_path / "val.npz", x=x, y=y)
    model = models.identity(tmp_path / "m.onnx", [1, 12])
    found = scores(model, "--data", "val.npz", "--labels", "val.npz:y", "--metric", "mse,cosine")
    a, b = x.astype("f8"), y.astype("f8")
    cosine = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))
    assert found["mse"] == pytest.approx(((a - b) ** 2).mean(), rel=1e-9)
    assert found["cosine"] == pytest.approx(cosine.mean(), rel=1e-9)


def test_one_label_does_not_fit_a_list_for_each_position(tmp_path, measure):
    logits = random(1).normal(size=(20, 7, 5)).astype("f4")
    np.savez(tmp_path / "val.npz", x=logits, y=random(2).integers(0, 5, 20))
    model = models.identity(tmp_path / "m.onnx", [1, 7, 5])
    found = measure(model, "--data", "val.npz", "--labels", "val.npz:y", "--metric", "top1", "--time", "0.3",
                    "--no-memory", "--no-energy", fails=True)["m"]  # fmt: skip
    assert "accuracy" not in found
    assert "need one list of class scores per sample" in found["why_invalid"]


def test_outputs_with_nan_are_a_failed_evaluation(tmp_path, measure):
    logits = random(8).normal(size=(40, 10)).astype("f4")
    logits[3, 4] = np.nan
    labels = logits.argmax(1)
    np.savez(tmp_path / "val.npz", x=logits, y=labels)
    model = models.identity(tmp_path / "m.onnx", [1, 10])
    found = measure(model, "--data", "val.npz", "--labels", "val.npz:y", "--metric", "top1,top5,f1_macro,agreement",
                    "--time", "0.3", "--no-memory", "--no-energy", "--no-reasons", fails=True)["m"]  # fmt: skip
    for key in ("accuracy", "accuracy_top5", "f1_score", "agreement"):
        assert key not in found
        assert "1 of 40 samples have NaN" in found["not_measured"][key]
        assert "in the data already" in found["not_measured"][key]
    assert "accuracy is not a number" in found["why_invalid"]


def test_a_failed_metric_does_not_remove_the_others(tmp_path, measure):
    logits = random(9).normal(size=(20, 10)).astype("f4")
    labels = logits.argmax(1)
    labels[5] = 10  # There is no class 10: top1 fails, and perplexity ignores it.
    np.savez(tmp_path / "val.npz", x=logits, y=labels)
    model = models.identity(tmp_path / "m.onnx", [1, 10])
    found = measure(model, "--data", "val.npz", "--labels", "val.npz:y", "--metric", "top5,perplexity,agreement",
                    "--time", "0.3", "--no-memory", "--no-energy", "--no-reasons", fails=True)["m"]  # fmt: skip
    assert found["perplexity"] > 1 and found["agreement"] == 1
    assert "has classes 0 to 9" in found["not_measured"]["accuracy_top5"]
    assert "accuracy" not in found["not_measured"] and "accuracy_top5" not in found
