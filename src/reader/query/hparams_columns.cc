// Computes the columns of the hyperparameter table.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/reader/hparams_query.h"

namespace cboard::reader {
namespace {

using proto::HParamInfo;
using proto::HParamType;
using proto::HParamValue;

HParamType TypeOf(const HParamValue& value) {
  if (std::holds_alternative<double>(value)) return HParamType::kFloat64;
  return std::holds_alternative<bool>(value) ? HParamType::kBool : HParamType::kString;
}

// Converts a value to text, for a column that also contains texts.
std::string TextOf(const HParamValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return ShortestDecimal(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return std::get<std::string>(value);
}

HParamColumn InferColumn(const std::string& name, const std::vector<const HParamValue*>& values) {
  HParamColumn column;
  HParamInfo& info = column.info;
  info.name = name;
  for (const HParamValue* value : values) {
    const HParamType type = TypeOf(*value);
    info.type = info.type == HParamType::kUnset || info.type == type ? type : HParamType::kString;
    if (info.type == HParamType::kString) break;
  }
  if (info.type == HParamType::kFloat64) {
    std::set<double> distinct;
    for (const HParamValue* value : values) {
      if (const double number = std::get<double>(*value); !std::isnan(number)) {
        distinct.insert(number);
      }
    }
    if (!distinct.empty()) info.domain_interval = {*distinct.begin(), *distinct.rbegin()};
    column.differs = distinct.size() > 1;
    return column;
  }
  std::set<HParamValue> distinct;
  for (const HParamValue* value : values) {
    const auto* number = std::get_if<double>(value);
    if (number != nullptr && !std::isfinite(*number)) continue;
    distinct.insert(info.type == HParamType::kString ? HParamValue(TextOf(*value)) : *value);
  }
  info.domain_discrete.assign(distinct.begin(), distinct.end());
  column.differs = distinct.size() > 1;
  return column;
}

// Returns the session that contains `run`: the run itself, or its nearest parent that is in
// `sessions`.
std::optional<std::string_view> SessionAbove(const std::unordered_set<std::string_view>& sessions,
                                             std::string_view run) {
  while (!sessions.contains(run)) {
    if (run.empty()) return std::nullopt;
    const std::size_t slash = run.rfind('/');
    run = slash == std::string_view::npos ? std::string_view() : run.substr(0, slash);
  }
  return run;
}

// Adds those columns of `other` to `experiment` that it does not have.
void MergeInto(proto::HParamsExperiment& experiment, const proto::HParamsExperiment& other,
               std::set<std::string>& hparams, std::set<MetricName>& metrics) {
  for (const HParamInfo& info : other.hparams) {
    if (hparams.insert(info.name).second) experiment.hparams.push_back(info);
  }
  for (const proto::MetricInfo& info : other.metrics) {
    if (metrics.insert({info.group, info.tag}).second) experiment.metrics.push_back(info);
  }
}

}  // namespace

std::vector<proto::MetricInfo> HParamsTable::InferMetrics(
    const std::set<MetricName>& declared) const {
  std::unordered_set<std::string_view> sessions;
  for (const SessionRun& session : sessions_) sessions.insert(session.name);
  using Names =
      std::set<std::pair<std::string, std::string>>;  // Sorted by (tag, group), as in TensorBoard.
  std::map<std::string_view, Names> by_session;
  std::set<std::string_view> described;  // The sessions that have a declared metric.
  for (const std::string& run : source_.scalar_runs) {
    const auto session = SessionAbove(sessions, run);
    if (!session) continue;
    std::string group = run.substr(std::min(session->size() + 1, run.size()));
    for (std::string& tag : source_.scalar_tags(run)) {
      if (declared.contains({group, tag})) described.insert(*session);
      by_session[*session].emplace(std::move(tag), group);
    }
  }
  Names names;
  for (auto& [session, found] : by_session) {
    if (!described.contains(session)) names.merge(found);
  }
  std::vector<proto::MetricInfo> metrics;
  for (const auto& [tag, group] : names) metrics.push_back({.group = group, .tag = tag});
  return metrics;
}

std::vector<HParamColumn> HParamsTable::InferHParams(const std::set<std::string>& declared) const {
  std::map<std::string, std::vector<const HParamValue*>> values;
  for (const SessionRun& session : sessions_) {
    for (const auto& [name, value] : session.start.hparams) {
      if (!declared.contains(name)) values[name].push_back(&value);
    }
  }
  std::vector<HParamColumn> columns;
  for (const auto& [name, of_sessions] : values) columns.push_back(InferColumn(name, of_sessions));
  return columns;
}

HParamsColumns HParamsTable::Columns(const HParamsColumnsQuery& query) const {
  HParamsColumns columns;
  std::set<std::string> hparams;
  std::set<MetricName> metrics;
  if (!experiments_.empty()) {
    columns.experiment = experiments_.front();
    if (query.merge_experiments) {
      columns.experiment.hparams.clear();
      columns.experiment.metrics.clear();
      for (const auto& other : experiments_) MergeInto(columns.experiment, other, hparams, metrics);
    }
    for (HParamInfo& info : columns.experiment.hparams) {
      columns.hparams.push_back({std::move(info), false});
    }
    columns.experiment.hparams.clear();
  }
  if (experiments_.empty() || query.merge_experiments) {
    std::ranges::move(InferHParams(hparams), std::back_inserter(columns.hparams));
    if (!columns.hparams.empty() && query.include_metrics) {
      std::ranges::move(InferMetrics(metrics), std::back_inserter(columns.experiment.metrics));
    }
  }
  if (!query.include_metrics) columns.experiment.metrics.clear();
  std::ranges::stable_sort(columns.hparams, {}, [](const HParamColumn& column) {
    return std::pair<bool, std::string_view>(!column.differs, column.info.name);
  });
  if (query.max_hparams > 0 && columns.hparams.size() > query.max_hparams) {
    columns.hparams.resize(query.max_hparams);
  }
  return columns;
}

}  // namespace cboard::reader
