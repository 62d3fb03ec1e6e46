// Computes the rows of the hyperparameter table.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/reader/hparams_query.h"
#include "reader/query/hparams_filters.h"

namespace cboard::reader {
namespace {

// Returns the mean of each metric over the sessions that have it. The metrics are in the order in
// which they appear.
std::vector<MetricValue> AverageMetrics(const std::vector<HParamsSession>& sessions) {
  struct Sums {
    double value = 0;
    double wall_time_seconds = 0;
    __extension__ __int128 step = 0;
    std::int64_t count = 0;
  };
  std::vector<const MetricName*> names;
  std::vector<Sums> sums;
  std::map<MetricName, std::size_t> by_name;
  for (const HParamsSession& session : sessions) {
    for (const MetricValue& metric : session.metrics) {
      const auto [found, is_new] = by_name.emplace(metric.name, sums.size());
      if (is_new) {
        names.push_back(&metric.name);
        sums.emplace_back();
      }
      Sums& sum = sums[found->second];
      sum.value += metric.value;
      sum.step += metric.training_step;
      sum.wall_time_seconds += metric.wall_time_seconds;
      ++sum.count;
    }
  }
  std::vector<MetricValue> averages;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto count = static_cast<double>(sums[i].count);
    auto step = sums[i].step / sums[i].count;
    if (sums[i].step % sums[i].count < 0) --step;  // Rounded down, as in Python.
    averages.push_back({.name = *names[i],
                        .value = sums[i].value / count,
                        .training_step = static_cast<std::int64_t>(step),
                        .wall_time_seconds = sums[i].wall_time_seconds / count});
  }
  return averages;
}

// Returns all metrics of one session: the session with the median, min or max of one metric.
std::vector<MetricValue> MetricsOfOneSession(const std::vector<HParamsSession>& sessions,
                                             Aggregation aggregation, const MetricName& name) {
  std::vector<std::pair<double, const HParamsSession*>> measured;
  for (const HParamsSession& session : sessions) {
    const auto found = std::ranges::find(session.metrics, name, &MetricValue::name);
    if (found != session.metrics.end()) measured.emplace_back(found->value, &session);
  }
  if (measured.empty()) return {};
  std::ranges::stable_sort(measured, [](const auto& a, const auto& b) {
    return std::isnan(b.first) ? !std::isnan(a.first) : a.first < b.first;
  });
  switch (aggregation) {
    case Aggregation::kMin:
      return measured.front().second->metrics;
    case Aggregation::kMax: {
      // Selects the first session with the max. NaN is never the max.
      const auto is_nan = [](const auto& one) { return std::isnan(one.first); };
      const auto end = std::ranges::find_if(measured, is_nan);
      if (end == measured.begin()) return measured.front().second->metrics;
      const double greatest = std::prev(end)->first;
      return std::ranges::find(measured, greatest, &std::pair<double, const HParamsSession*>::first)
          ->second->metrics;
    }
    default:
      return measured[(measured.size() - 1) / 2].second->metrics;
  }
}

std::map<std::string, proto::HParamValue> FiniteValues(
    const std::map<std::string, proto::HParamValue>& hparams) {
  std::map<std::string, proto::HParamValue> finite;
  for (const auto& [name, value] : hparams) {
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || std::isfinite(*number)) finite.emplace(name, value);
  }
  return finite;
}

}  // namespace

HParamsTable::HParamsTable(HParamsSource source) : source_(std::move(source)) {
  const auto parse = [&](const HParamsSource::RunContents& run,
                         const std::optional<std::string>& content, std::string_view what,
                         auto use) {
    if (!content) return;
    auto parsed = proto::ParseHParamsPluginData(*content);
    if (!parsed) {
      errors_.push_back(Annotate(parsed.error(), "run " + Quoted(run.name)));
    } else if (!use(*parsed)) {
      errors_.push_back({ErrorCode::kDataLoss, "run " + Quoted(run.name) + ": the " +
                                                   std::string(what) +
                                                   " of its hyperparameters holds something else"});
    }
  };
  for (const auto& run : source_.runs) {
    parse(run, run.experiment, "experiment", [&](auto& data) {
      auto* experiment = std::get_if<proto::HParamsExperiment>(&data);
      if (experiment != nullptr) experiments_.push_back(std::move(*experiment));
      return experiment != nullptr;
    });
    std::optional<SessionRun> session;
    parse(run, run.session_start, "session start", [&](auto& data) {
      auto* start = std::get_if<proto::HParamsSessionStart>(&data);
      if (start != nullptr) session = SessionRun{run.name, std::move(*start), std::nullopt};
      return start != nullptr;
    });
    if (!session) continue;
    parse(run, run.session_end, "session end", [&](auto& data) {
      auto* end = std::get_if<proto::HParamsSessionEnd>(&data);
      if (end != nullptr) session->end = std::move(*end);
      return end != nullptr;
    });
    sessions_.push_back(*std::move(session));
  }
}

std::pair<std::string, std::string> HParamsTable::RunAndTagOf(std::string_view session,
                                                              const MetricName& metric) {
  // Joins the names like Python's os.path.join, but without a slash at the end.
  std::string run(session);
  if (metric.group.starts_with('/')) {
    run = metric.group;
  } else if (!metric.group.empty()) {
    if (!run.empty() && !run.ends_with('/')) run += '/';
    run += metric.group;
  }
  if (run.ends_with('/')) run.pop_back();
  return {run, metric.tag};
}

HParamsSession HParamsTable::BuildSession(const SessionRun& run,
                                          const std::vector<proto::MetricInfo>& metrics) const {
  HParamsSession session = {.name = run.name,
                            .start_time_seconds = run.start.start_time_seconds,
                            .model_uri = run.start.model_uri,
                            .monitor_url = run.start.monitor_url};
  if (run.end) {
    session.status = run.end->status;
    session.end_time_seconds = run.end->end_time_seconds;
  }
  for (const proto::MetricInfo& info : metrics) {
    MetricName name = {info.group, info.tag};
    const auto [metric_run, tag] = RunAndTagOf(run.name, name);
    const std::optional<ScalarPoint> last = source_.last_point(metric_run, tag);
    if (!last) continue;
    session.metrics.push_back({.name = std::move(name),
                               .value = last->value,
                               .training_step = last->step,
                               .wall_time_seconds = last->wall_time_seconds});
  }
  return session;
}

Result<SessionGroupPage> HParamsTable::SessionGroups(const SessionGroupsQuery& query) const {
  std::vector<proto::MetricInfo> metrics;
  if (query.include_metrics) {
    metrics = Columns({.merge_experiments = query.merge_experiments}).experiment.metrics;
  }
  std::vector<SessionGroup> groups;
  std::unordered_map<std::string, std::size_t> by_name;
  for (const SessionRun& run : sessions_) {
    const proto::HParamsStatus status = run.end ? run.end->status : proto::HParamsStatus::kUnknown;
    if (std::ranges::find(query.allowed_statuses, status) == query.allowed_statuses.end()) continue;
    // A session without a group name forms its own group.
    const std::string& name = run.start.group_name.empty() ? run.name : run.start.group_name;
    const auto [found, is_new] = by_name.emplace(name, groups.size());
    if (is_new) {
      groups.push_back({.name = name,
                        .hparams = FiniteValues(run.start.hparams),
                        .monitor_url = run.start.monitor_url});
    }
    groups[found->second].sessions.push_back(BuildSession(run, metrics));
  }
  for (SessionGroup& group : groups) {
    std::ranges::stable_sort(group.sessions, {}, &HParamsSession::name);
    group.metrics =
        query.aggregation == Aggregation::kAverage
            ? AverageMetrics(group.sessions)
            : MetricsOfOneSession(group.sessions, query.aggregation, query.aggregation_metric);
  }
  CBOARD_RETURN_IF_ERROR(FilterAndSort(query.columns, groups));
  SessionGroupPage page;
  page.total_size = groups.size();
  const std::size_t begin = std::min(query.start_index, groups.size());
  const std::size_t end = begin + std::min(query.slice_size, groups.size() - begin);
  page.groups.assign(std::make_move_iterator(groups.begin() + static_cast<std::ptrdiff_t>(begin)),
                     std::make_move_iterator(groups.begin() + static_cast<std::ptrdiff_t>(end)));
  return page;
}

}  // namespace cboard::reader
