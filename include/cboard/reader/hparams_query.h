// Hyperparameters of many runs as one table: everything that TensorBoard's HParams page asks for.
//
//   const HParamsTable table = HParamsTable::Of(snapshot);
//   const HParamsColumns columns = table.Columns({});
//   CBOARD_ASSIGN_OR_RETURN(const SessionGroupPage page, table.SessionGroups({.slice_size = 100}));
//
// A session is a run that says so (the tag _hparams_/session_start_info). Its metrics are the last
// points of scalars in the run itself or in runs below it: (group "eval", tag "loss") is the tag
// "loss" of the run "<session>/eval". Sessions with the same group name are one group: repetitions
// of one trial.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/plugins.h"
#include "cboard/reader/series.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

struct MetricName {
  std::string group;
  std::string tag;

  friend auto operator<=>(const MetricName&, const MetricName&) = default;
};

struct MetricValue {
  MetricName name;
  double value = 0;
  std::int64_t training_step = 0;
  double wall_time_seconds = 0;
};

struct HParamColumn {
  proto::HParamInfo info;
  bool differs = false;  // Not all sessions have the same value; only known for inferred columns.
};

struct HParamsColumns {
  proto::HParamsExperiment experiment;  // `hparams` is empty: see below.
  std::vector<HParamColumn> hparams;    // Those that differ first, then by name.
};

struct HParamsColumnsQuery {
  bool include_metrics = true;
  std::size_t max_hparams = 0;  // 0: all.

  // TensorBoard takes the columns of the first run, by name, that describes an experiment. Writers
  // that describe one per trial (tensorboardX) may then lack columns: true takes them all.
  bool merge_experiments = false;
};

struct HParamsSession {
  std::string name;  // Name of the run.
  double start_time_seconds = 0;
  double end_time_seconds = 0;
  proto::HParamsStatus status = proto::HParamsStatus::kUnknown;
  std::string model_uri;
  std::string monitor_url;
  std::vector<MetricValue> metrics;  // In the order of the columns, without those that are missing.
};

struct SessionGroup {
  std::string name;
  std::map<std::string, proto::HParamValue> hparams;  // From its first session, without NaN and Inf.
  std::vector<MetricValue> metrics;                   // Aggregated.
  std::vector<HParamsSession> sessions;               // By name.
  std::string monitor_url;
};

// A closed interval, values to choose from, or a regular expression to be found in a text.
struct IntervalFilter {
  double min = 0;
  double max = 0;
};
struct DiscreteFilter {
  std::vector<proto::HParamValue> values;
};
struct RegexFilter {
  std::string pattern;
};

enum class SortOrder { kUnspecified, kAscending, kDescending };

struct ColumnParameters {
  std::variant<std::string, MetricName> column;  // A hyperparameter by name, or a metric.
  SortOrder order = SortOrder::kUnspecified;     // The first column with an order sorts first.
  bool missing_values_first = false;
  std::variant<std::monostate, IntervalFilter, DiscreteFilter, RegexFilter> filter;
  bool exclude_missing_values = false;
  std::optional<bool> include_in_result;  // If any column says so, others than true are left out.
};

enum class Aggregation { kAverage, kMedian, kMin, kMax };

struct SessionGroupsQuery {
  std::vector<proto::HParamsStatus> allowed_statuses = {
      proto::HParamsStatus::kUnknown, proto::HParamsStatus::kSuccess,
      proto::HParamsStatus::kFailure, proto::HParamsStatus::kRunning};
  std::vector<ColumnParameters> columns;
  Aggregation aggregation = Aggregation::kAverage;
  MetricName aggregation_metric;  // For all but kAverage: whose session gives the group's metrics.
  std::size_t start_index = 0;
  std::size_t slice_size = 0;  // As in TensorBoard, 0 groups unless asked for.
  bool include_metrics = true;
  bool merge_experiments = false;
};

struct SessionGroupPage {
  std::vector<SessionGroup> groups;
  std::size_t total_size = 0;  // Number of groups that pass the filters.
};

// Data source of the table. The functions are called while a query runs.
struct HParamsSource {
  struct RunContents {
    std::string name;
    std::optional<std::string> experiment;  // Plugin data of _hparams_/experiment, …
    std::optional<std::string> session_start;
    std::optional<std::string> session_end;
  };
  std::vector<RunContents> runs;  // Those that have any, by name.

  // The names of all runs with scalars, and the scalar tags of one.
  std::vector<std::string> scalar_runs;
  std::function<std::vector<std::string>(std::string_view run)> scalar_tags;

  // The last point of a scalar.
  std::function<std::optional<ScalarPoint>(std::string_view run, std::string_view tag)> last_point;
};

class HParamsTable {
 public:
  // Plugin data that cannot be read is left out, and reported by errors().
  explicit HParamsTable(HParamsSource source);

  // Shares the snapshot.
  static HParamsTable Of(std::shared_ptr<const Snapshot> snapshot);

  bool empty() const { return sessions_.empty() && experiments_.empty(); }
  const std::vector<Error>& errors() const { return errors_; }

  // The columns: as described by an experiment, otherwise inferred from the sessions (numbers have
  // an interval, texts and booleans a list of values; mixed types are texts) and from the scalars
  // in and below their runs. Where experiments are merged, sessions that none of them describes add
  // what is inferred of them.
  HParamsColumns Columns(const HParamsColumnsQuery& query) const;

  // The rows. Fails with kInvalidArgument when a filter does not fit the values of its column, or
  // is not a regular expression.
  Result<SessionGroupPage> SessionGroups(const SessionGroupsQuery& query) const;

  // The run and tag that hold a metric of a session: for its whole curve.
  static std::pair<std::string, std::string> RunAndTagOf(std::string_view session,
                                                         const MetricName& metric);

 private:
  struct SessionRun {
    std::string name;
    proto::HParamsSessionStart start;
    std::optional<proto::HParamsSessionEnd> end;
  };

  // Columns that the sessions have and that were not declared. The scalars of a session that has a
  // declared metric are its curves, not columns.
  std::vector<HParamColumn> InferHParams(const std::set<std::string>& declared) const;
  std::vector<proto::MetricInfo> InferMetrics(const std::set<MetricName>& declared) const;
  HParamsSession BuildSession(const SessionRun& run,
                              const std::vector<proto::MetricInfo>& metrics) const;

  HParamsSource source_;
  std::vector<proto::HParamsExperiment> experiments_;
  std::vector<SessionRun> sessions_;
  std::vector<Error> errors_;
};

}  // namespace cboard::reader
