// Hyperparameters of many runs as one table, with all data of TensorBoard's HParams page.
//
//   const HParamsTable table = HParamsTable::Of(snapshot);
//   const HParamsColumns columns = table.Columns({});
//   CBOARD_ASSIGN_OR_RETURN(const SessionGroupPage page, table.SessionGroups({.slice_size = 100}));
//
// A session is a run with the tag _hparams_/session_start_info. Its metrics are the last points of
// scalars in the run itself or in runs below it: (group "eval", tag "loss") is the tag "loss" of
// the run "<session>/eval". Sessions with the same group name are one group: repetitions of one
// trial.
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
  bool differs = false;  // True if sessions have different values; only known for inferred columns.
};

struct HParamsColumns {
  proto::HParamsExperiment experiment;  // `hparams` is empty; the columns below replace it.
  std::vector<HParamColumn> hparams;    // Columns with different values first, then by name.
};

struct HParamsColumnsQuery {
  bool include_metrics = true;
  std::size_t max_hparams = 0;  // 0 means all.

  // If true, merges the columns of all runs that describe an experiment. If false, uses only the
  // first of these runs by name, as TensorBoard does. Columns are then missing if the writer
  // describes an experiment per trial, as tensorboardX does.
  bool merge_experiments = false;
};

struct HParamsSession {
  std::string name;  // Name of the run.
  double start_time_seconds = 0;
  double end_time_seconds = 0;
  proto::HParamsStatus status = proto::HParamsStatus::kUnknown;
  std::string model_uri;
  std::string monitor_url;
  std::vector<MetricValue> metrics;  // In the order of the columns; missing metrics are omitted.
};

struct SessionGroup {
  std::string name;
  // Hyperparameters of the group's first session. Non-finite values are omitted.
  std::map<std::string, proto::HParamValue> hparams;
  std::vector<MetricValue> metrics;      // Aggregated.
  std::vector<HParamsSession> sessions;  // By name.
  std::string monitor_url;
};

// The filters of a column: a closed interval, a list of values, or a regular expression. A text
// passes the last one if the expression matches a part of it.
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
  std::variant<std::string, MetricName> column;  // The name of a hyperparameter, or a metric.
  SortOrder order = SortOrder::kUnspecified;     // The first column with an order sorts first.
  bool missing_values_first = false;
  std::variant<std::monostate, IntervalFilter, DiscreteFilter, RegexFilter> filter;
  bool exclude_missing_values = false;
  // Selects the columns to return. If it is set for any column, only the columns with `true` are
  // returned.
  std::optional<bool> include_in_result;
};

enum class Aggregation { kAverage, kMedian, kMin, kMax };

struct SessionGroupsQuery {
  std::vector<proto::HParamsStatus> allowed_statuses = {
      proto::HParamsStatus::kUnknown, proto::HParamsStatus::kSuccess,
      proto::HParamsStatus::kFailure, proto::HParamsStatus::kRunning};
  std::vector<ColumnParameters> columns;
  Aggregation aggregation = Aggregation::kAverage;
  // The metric that selects the session whose metrics represent the group. Not used for kAverage.
  MetricName aggregation_metric;
  std::size_t start_index = 0;
  std::size_t slice_size = 0;  // 0 returns no groups, as in TensorBoard.
  bool include_metrics = true;
  bool merge_experiments = false;
};

struct SessionGroupPage {
  std::vector<SessionGroup> groups;
  std::size_t total_size = 0;  // Number of groups that pass the filters.
};

// Data source of the table. A query calls the functions while it runs.
struct HParamsSource {
  struct RunContents {
    std::string name;
    std::optional<std::string> experiment;  // Plugin data of _hparams_/experiment, …
    std::optional<std::string> session_start;
    std::optional<std::string> session_end;
  };
  std::vector<RunContents> runs;  // Runs with hyperparameter plugin data, by name.

  // `scalar_runs` are the names of all runs with scalars. `scalar_tags` returns the scalar tags of
  // one run.
  std::vector<std::string> scalar_runs;
  std::function<std::vector<std::string>(std::string_view run)> scalar_tags;

  // Returns the last point of a scalar.
  std::function<std::optional<ScalarPoint>(std::string_view run, std::string_view tag)> last_point;
};

class HParamsTable {
 public:
  // Creates the table. Plugin data that cannot be read is skipped; errors() lists the reasons.
  explicit HParamsTable(HParamsSource source);

  // Creates a table that shares ownership of the snapshot.
  static HParamsTable Of(std::shared_ptr<const Snapshot> snapshot);

  bool empty() const { return sessions_.empty() && experiments_.empty(); }
  const std::vector<Error>& errors() const { return errors_; }

  // Returns the columns of the table. They come from the description of an experiment, or are
  // inferred. Hyperparameters are inferred from the sessions: numbers have an interval, texts and
  // booleans have a list of values, and mixed types are texts. Metrics are inferred from the
  // scalars of the sessions' runs and of the runs below them. If experiments are merged, sessions
  // without a description add inferred columns.
  HParamsColumns Columns(const HParamsColumnsQuery& query) const;

  // Returns the rows of the table. Fails with kInvalidArgument if a filter does not suit the values
  // of its column, or if a regular expression is not valid.
  Result<SessionGroupPage> SessionGroups(const SessionGroupsQuery& query) const;

  // Returns the run and the tag that contain the whole series of a session's metric.
  static std::pair<std::string, std::string> RunAndTagOf(std::string_view session,
                                                         const MetricName& metric);

 private:
  struct SessionRun {
    std::string name;
    proto::HParamsSessionStart start;
    std::optional<proto::HParamsSessionEnd> end;
  };

  // These functions infer the columns that sessions have but no experiment declares. If a session
  // has a declared metric, its other scalars are not columns.
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
