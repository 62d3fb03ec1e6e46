"""Compares our tables of hyperparameters with stock TensorBoard: the same columns, rows and order.

    python tensorboard_oracle_hparams.py build/dev/bin/tensorboard_oracle
"""

import json
import math
import random
import unittest
from types import SimpleNamespace

from tensorboard.data import provider
from tensorboard.plugins.hparams import (
    api_pb2, backend_context, get_experiment, list_session_groups, metadata, plugin_data_pb2)

from tensorboard_oracle import ask


class Log:
    """Random runs with hyperparameters and scalars. The object is a data provider for TensorBoard,
    and also gives the same runs as a request to our program.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.hparams, self.scalars = {}, {}
        pick = self.random
        describe = pick.random() < 0.4
        types = {name: pick.choice(["number", "text", "truth", "mixed"]) for name in "abc"}
        for i in range(pick.randrange(9)):
            run = f"{pick.choice(['x', 'y'])}/trial{i}"
            start = plugin_data_pb2.SessionStartInfo(
                group_name=pick.choice(["", "", "g1", "g2"]), start_time_secs=pick.random(),
                model_uri=pick.choice(["", "m"]), monitor_url=pick.choice(["", "u"]))
            for name, kind in types.items():
                if pick.random() < 0.8:
                    self.set_value(start.hparams[name], kind)
            tags = {metadata.SESSION_START_INFO_TAG: plugin_data_pb2.HParamsPluginData(
                session_start_info=start)}
            if pick.random() < 0.7:
                tags[metadata.SESSION_END_INFO_TAG] = plugin_data_pb2.HParamsPluginData(
                    session_end_info=plugin_data_pb2.SessionEndInfo(
                        status=pick.randrange(4), end_time_secs=pick.random()))
            if describe and pick.random() < 0.5:
                tags[metadata.EXPERIMENT_TAG] = plugin_data_pb2.HParamsPluginData(
                    experiment=api_pb2.Experiment(
                        description="d",
                        hparam_infos=[api_pb2.HParamInfo(name=name, type=3) for name in "cab"],
                        metric_infos=[
                            api_pb2.MetricInfo(name=api_pb2.MetricName(group=group, tag=tag))
                            for group, tag in [("", "loss"), ("eval", "loss"), ("", "none")]]))
            self.hparams[run] = tags
            for below in ["", "/eval", "/deep/er"]:
                if pick.random() < 0.6:
                    self.scalars[run + below] = {
                        tag: SimpleNamespace(
                            step=pick.randrange(100), wall_time=pick.random(),
                            value=float(pick.randrange(5)))
                        for tag in pick.sample(["loss", "acc", "f1"], pick.randrange(1, 4))}
        self.scalars["elsewhere"] = {"loss": SimpleNamespace(step=1, wall_time=1.0, value=1.0)}
        self.hparams = dict(sorted(self.hparams.items()))

    def set_value(self, value, kind):
        kind = self.random.choice(["number", "text", "truth"]) if kind == "mixed" else kind
        if kind == "number":
            value.number_value = self.random.choice([0.5, 1.25, -3.5, 1e30, math.inf])
        elif kind == "text":
            value.string_value = self.random.choice(["adam", "sgd", "rmsprop", ""])
        else:
            value.bool_value = self.random.random() < 0.5

    # Implements TensorBoard's data provider.
    def list_tensors(self, ctx, *, experiment_id, plugin_name, run_tag_filter=None):
        return {run: {tag: SimpleNamespace(plugin_content=data.SerializeToString())
                      for tag, data in tags.items()} for run, tags in self.hparams.items()}

    def list_scalars(self, ctx, *, experiment_id, plugin_name):
        return {run: {tag: SimpleNamespace(plugin_content=b"") for tag in tags}
                for run, tags in self.scalars.items()}

    def read_last_scalars(self, ctx, *, experiment_id, plugin_name, run_tag_filter):
        return self.scalars

    def list_hyperparameters(self, ctx, *, experiment_ids, limit):
        return provider.ListHyperparametersResult(hyperparameters=[], session_groups=[])

    def read_hyperparameters(self, ctx, **_):
        return []

    def request(self, query):
        contents = {metadata.EXPERIMENT_TAG: "experiment",
                    metadata.SESSION_START_INFO_TAG: "start", metadata.SESSION_END_INFO_TAG: "end"}
        return json.dumps({
            "runs": [{"name": run, **{contents[tag]: data.SerializeToString().hex()
                                      for tag, data in tags.items()}}
                     for run, tags in self.hparams.items()],
            "scalars": {run: {tag: [p.step, p.wall_time, p.value] for tag, p in tags.items()}
                        for run, tags in self.scalars.items()},
            "query": query}).encode()


def random_column(pick):
    column = {}
    if pick.random() < 0.5:
        column["hparam"] = pick.choice("abcz")
    else:
        column["metric"] = {"group": pick.choice(["", "eval"]), "tag": pick.choice(["loss", "acc"])}
    if pick.random() < 0.5:
        column["order"] = pick.choice(["ORDER_ASC", "ORDER_DESC"])
    for flag in ["missingValuesFirst", "excludeMissingValues"]:
        if pick.random() < 0.3:
            column[flag] = True
    if pick.random() < 0.15:
        column["includeInResult"] = pick.random() < 0.7
    choice = pick.random()
    if choice < 0.15:
        column["filterInterval"] = {"minValue": -1.0, "maxValue": pick.choice([1.0, 3.0])}
    elif choice < 0.3:
        column["filterDiscrete"] = pick.sample([1.0, 0.5, True, "adam", "sgd", 2.0], 4)
    elif choice < 0.45 and "hparam" in column:
        column["filterRegexp"] = pick.choice(["^s", "a.a", "m|x"])
    return column


def random_query(pick):
    return {"allowedStatuses": pick.sample(range(4), pick.randrange(2, 5)),
            "colParams": [random_column(pick) for _ in range(pick.randrange(4))],
            "aggregation": pick.choice([0, 0, 1, 2, 3]),
            "aggregationMetric": {"group": "", "tag": "loss"},
            "startIndex": pick.choice([0, 0, 1]), "sliceSize": pick.choice([2, 100]),
            "includeMetrics": pick.random() < 0.9}


def as_proto(query):
    request = api_pb2.ListSessionGroupsRequest(
        allowed_statuses=query["allowedStatuses"], aggregation_type=query["aggregation"] + 1,
        aggregation_metric=api_pb2.MetricName(**query["aggregationMetric"]),
        start_index=query["startIndex"], slice_size=query["sliceSize"],
        include_metrics=query["includeMetrics"])
    for column in query["colParams"]:
        parameters = request.col_params.add()
        if "hparam" in column:
            parameters.hparam = column["hparam"]
        else:
            parameters.metric.CopyFrom(api_pb2.MetricName(**column["metric"]))
        parameters.order = api_pb2.SortOrder.Value(column.get("order", "ORDER_UNSPECIFIED"))
        parameters.missing_values_first = column.get("missingValuesFirst", False)
        parameters.exclude_missing_values = column.get("excludeMissingValues", False)
        if "includeInResult" in column:
            parameters.include_in_result = column["includeInResult"]
        if "filterRegexp" in column:
            parameters.filter_regexp = column["filterRegexp"]
        if "filterInterval" in column:
            parameters.filter_interval.min_value = column["filterInterval"]["minValue"]
            parameters.filter_interval.max_value = column["filterInterval"]["maxValue"]
        if "filterDiscrete" in column:
            parameters.filter_discrete.extend(column["filterDiscrete"])
    return request


def plain(value):
    return getattr(value, value.WhichOneof("kind"))


def metrics_of(values):
    return [[v.name.group, v.name.tag, v.value, v.training_step, v.wall_time_secs] for v in values]


def groups_of(response):
    return [{"name": group.name, "monitor": group.monitor_url,
             "hparams": {name: plain(value) for name, value in group.hparams.items()},
             "metrics": metrics_of(group.metric_values),
             "sessions": [[s.name, s.status, s.start_time_secs, s.end_time_secs, s.model_uri,
                           s.monitor_url, metrics_of(s.metric_values)] for s in group.sessions]}
            for group in response.session_groups]


def columns_of(experiment):
    hparams = []
    for info in experiment.hparam_infos:
        domain = [info.domain_interval.min_value, info.domain_interval.max_value]
        if not info.HasField("domain_interval"):  # A set has no order.
            domain = sorted(plain(value) for value in info.domain_discrete.values)
        hparams.append([info.name, info.type, info.differs, domain])
    return {"hparams": hparams,
            "metrics": [[m.name.group, m.name.tag] for m in experiment.metric_infos]}


def read_infinity(text):
    return {"Infinity": math.inf, "-Infinity": -math.inf}.get(text, text)


class HParams(unittest.TestCase):
    def test_columns_and_rows_are_tensorboards(self):
        compared = refused = 0
        logs = [Log(seed) for seed in range(1500)]
        queries = [random_query(log.random) for log in logs]
        answers = ask("hparams", [log.request(query) for log, query in zip(logs, queries)])
        for log, query, answer in zip(logs, queries, answers):
            context = backend_context.Context(SimpleNamespace(data_provider=log))
            request = as_proto(query)
            try:
                response = list_session_groups.Handler(None, context, "", request).run()
            except Exception:
                # Requests for which TensorBoard raises an error but our program may return a
                # response: filters of another type than their column, columns with several types,
                # and groups without the metric that selects their session.
                refused += 1
                continue
            self.assertFalse(answer.startswith("error: "), answer)
            ours = json.loads(answer)
            self.assertEqual(ours["groups"], groups_of(response))
            self.assertEqual(ours["total"], response.total_size)
            experiment = get_experiment.Handler(
                None, context, "", api_pb2.GetExperimentRequest(
                    include_metrics=query["includeMetrics"])).run()
            theirs = columns_of(experiment)
            self.assertEqual(ours["columns"]["metrics"], theirs["metrics"])
            for column, expected in zip(ours["columns"]["hparams"], theirs["hparams"], strict=True):
                column[3] = [read_infinity(value) for value in column[3]]
                self.assertEqual(column, expected)
            compared += bool(response.session_groups)
        self.assertGreater(compared, 300)
        self.assertLess(refused, 700)


if __name__ == "__main__":
    unittest.main()
