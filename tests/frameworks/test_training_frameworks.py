"""Our callbacks in trainings with the real frameworks; the program reads the logs back."""

import os

import numpy as np
import pytest


def test_lightning_logs_metrics_and_hyperparameters(tmp_path, read_log):
    lightning = pytest.importorskip("lightning")
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    from compression_board.integrations.lightning import CompressionBoardLogger

    class Model(lightning.LightningModule):
        def __init__(self, rate=0.1):
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(4, 1)
            self.example_input_array = torch.zeros(1, 4)

        def forward(self, x):
            return self.layer(x)

        def training_step(self, batch, index):
            loss = ((self(batch[0]) - batch[1]) ** 2).mean()
            self.log("loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), self.hparams.rate)

    data = DataLoader(TensorDataset(torch.randn(32, 4), torch.randn(32, 1)), batch_size=8)
    for version in (0, 1):
        logger = CompressionBoardLogger(tmp_path, name="net", log_graph=True)
        trainer = lightning.Trainer(max_epochs=2, logger=logger, log_every_n_steps=1, accelerator="cpu",
                                    enable_progress_bar=False, enable_model_summary=False)  # fmt: skip
        trainer.fit(Model(), data)
        assert logger.log_dir == os.path.join(str(tmp_path), "net", f"version_{version}")
    log = read_log(tmp_path)
    points = log.points("net/version_0", "loss")
    assert [step for step, _ in points] == list(range(8))
    assert any(tag["kind"] == "graph" for tag in log.tags("net/version_0").values())
    assert "net/version_0/hparams" in log.runs


def trainer_of(tmp_path, report_to, callbacks=()):
    import torch
    from transformers import Trainer, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)

        def forward(self, x, labels):
            logits = self.layer(x)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    data = [{"x": torch.randn(4), "labels": torch.tensor(i % 2)} for i in range(16)]
    args = TrainingArguments(output_dir=str(tmp_path / "out"), max_steps=4, logging_steps=1, use_cpu=True,
                             report_to=report_to, per_device_train_batch_size=4, disable_tqdm=True,
                             save_strategy="no")  # fmt: skip
    return Trainer(Model(), args, train_dataset=data, eval_dataset=data, callbacks=list(callbacks))


def test_hugging_face_trainer_by_callback(tmp_path, read_log):
    pytest.importorskip("transformers")
    from compression_board.integrations.huggingface import CompressionBoardCallback

    trainer = trainer_of(tmp_path, [], [CompressionBoardCallback(str(tmp_path / "log"))])
    trainer.train()
    logged = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    points = read_log(tmp_path / "log").points(".", "train/loss")
    assert [step for step, _ in points] == [1, 2, 3, 4]
    assert np.allclose([value for _, value in points], logged)


def test_hugging_face_trainer_by_report_to(tmp_path, read_log):
    pytest.importorskip("transformers")
    from compression_board.integrations import huggingface

    huggingface.register()
    trainer = trainer_of(tmp_path, ["compression_board"])
    trainer.train()
    trainer.evaluate()
    found = read_log(tmp_path / "out")
    tags = {tag for run in found.runs for tag in found.tags(run)}
    assert {"train/loss", "eval/loss"} <= tags


def test_accelerate_tracker(tmp_path, read_log):
    accelerate = pytest.importorskip("accelerate")
    from compression_board.integrations.accelerate import CompressionBoardTracker

    tracker = CompressionBoardTracker("run", logging_dir=tmp_path)
    accelerator = accelerate.Accelerator(log_with=tracker, cpu=True)
    accelerator.init_trackers("run", config={"optimizer": {"rate": 0.1}, "layers": [1, 2]})
    for step in range(3):
        accelerator.log({"loss": 1.0 / (step + 1), "note": "text"}, step=step)
    accelerator.end_training()
    log = read_log(tmp_path)
    assert log.points("run", "loss") == [(0, 1.0), (1, 0.5), (2, pytest.approx(1 / 3))]


def test_keras_callback(tmp_path, read_log):
    os.environ.setdefault("KERAS_BACKEND", "torch")
    keras = pytest.importorskip("keras")
    from compression_board.integrations.keras import CompressionBoardCallback

    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile(loss="mse", optimizer="sgd")
    x, y = np.random.default_rng(0).normal(size=(32, 4)), np.zeros((32, 1))
    history = model.fit(x, y, epochs=3, validation_split=0.25, verbose=0,
                        callbacks=[CompressionBoardCallback(tmp_path, histogram_freq=1)])  # fmt: skip
    log = read_log(tmp_path)
    assert np.allclose([v for _, v in log.points("train", "epoch_loss")], history.history["loss"])
    assert np.allclose([v for _, v in log.points("validation", "epoch_loss")], history.history["val_loss"])
    assert any(tag["kind"] == "histogram" for tag in log.tags("train").values())


def test_ray_tune_trials_are_variants(tmp_path, read_log):
    pytest.importorskip("ray.tune")
    import ray
    from ray import tune

    from compression_board.integrations.ray_tune import CompressionBoardLoggerCallback

    def train(config):
        for step in range(3):
            tune.report({"accuracy": config["rate"] + step})

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        callback = CompressionBoardLoggerCallback("net", logdir=str(tmp_path / "log"))
        tuner = tune.Tuner(
            train, param_space={"rate": tune.grid_search([0.25, 0.5])},
            run_config=tune.RunConfig(callbacks=[callback], storage_path=str(tmp_path / "ray"), verbose=0),
        )  # fmt: skip
        results = tuner.fit()
    finally:
        ray.shutdown()
    assert len(results) == 2 and not results.errors
    log = read_log(tmp_path / "log")
    # Each trial also has a run for the HParams page, with its last values.
    trials = [run for run in log.runs if not run.endswith("hparams")]
    curves = [log.points(run, "accuracy") for run in trials if "accuracy" in log.tags(run)]
    assert sorted(curves) == [[(1, 0.25), (2, 1.25), (3, 2.25)], [(1, 0.5), (2, 1.5), (3, 2.5)]]
    flat = [tag for run in log.runs for tag in log.tags(run) if tag.startswith("net/metrics/accuracy/")]
    assert len(flat) == 2


@pytest.fixture
def shapes_data(tmp_path):
    """A folder of images with one bright box each, in the layout of Ultralytics."""
    cv2 = pytest.importorskip("cv2")
    random = np.random.default_rng(0)
    for split in ("train", "val"):
        for kind in ("images", "labels"):
            (tmp_path / "data" / kind / split).mkdir(parents=True)
        for index in range(8):
            image = random.integers(0, 60, (64, 64, 3), dtype=np.uint8)
            x, y = random.integers(4, 30, 2)
            image[y : y + 24, x : x + 24] = 220
            cv2.imwrite(str(tmp_path / "data/images" / split / f"{index}.png"), image)
            box = f"0 {(x + 12) / 64} {(y + 12) / 64} {24 / 64} {24 / 64}\n"
            (tmp_path / "data/labels" / split / f"{index}.txt").write_text(box)
    description = tmp_path / "data.yaml"
    description.write_text(f"path: {tmp_path}/data\ntrain: images/train\nval: images/val\nnames: [box]\n")
    return description


def test_ultralytics_logs_every_epoch_once(tmp_path, shapes_data, read_log):
    ultralytics = pytest.importorskip("ultralytics")
    from compression_board.integrations.ultralytics import add_callbacks

    model = ultralytics.YOLO("yolov8n.yaml")
    add_callbacks(model, str(tmp_path / "log"))
    rows = []
    model.add_callback(
        "on_train_epoch_end",
        lambda trainer: rows.append({k: float(v) for k, v in trainer.tloss.items()}),
    )
    model.train(data=str(shapes_data), epochs=2, imgsz=64, batch=4, workers=0, device="cpu",
                pretrained=False, plots=False, verbose=False, project=str(tmp_path / "out"))  # fmt: skip
    log = read_log(tmp_path / "log")
    tags = log.tags(".")
    losses = [tag for tag in tags if tag.startswith("train/")]
    assert len(losses) == 3
    for tag in losses:
        points = log.points(".", tag)
        name = tag.partition("/")[2]
        assert [step for step, _ in points] == [1, 2]
        assert np.allclose([value for _, value in points], [row[name] for row in rows], rtol=1e-4)
    for tag in ("lr/pg0", "metrics/mAP50_B_", "val/box_loss"):
        assert [step for step, _ in log.points(".", tag)] == [1, 2], tag
    # Ultralytics validates the best weights after the last epoch and calls it the next one.
    assert [step for step, _ in log.points(".", "best/metrics/mAP50_B_")] == [2]


RESULTS = {
    "net": {
        "fp32": {"accuracy": 0.75, "latency_mean_ms": 12.5},
        "int8": {"accuracy": 0.74, "latency_mean_ms": 6.5},
        "model_info": {"library": "torchvision"},
    }
}
METRICS = {"net": {variant: RESULTS["net"][variant] for variant in ("fp32", "int8")}}


def test_mlflow_gets_variants_and_gives_them_back(tmp_path):
    mlflow = pytest.importorskip("mlflow")
    from compression_board.integrations.mlflow import export_benchmark, import_runs

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    assert len(export_benchmark(RESULTS, experiment="compression")) == 2
    assert import_runs("compression") == METRICS
    with pytest.raises(ValueError, match="no experiment 'other'"):
        import_runs("other")


def test_wandb_runs_offline(tmp_path, monkeypatch):
    pytest.importorskip("wandb")
    from compression_board.integrations.wandb import export_benchmark

    monkeypatch.chdir(tmp_path)
    assert len(export_benchmark(RESULTS, project="compression", mode="offline")) == 2
    assert len(list((tmp_path / "wandb").glob("offline-run-*"))) == 2
