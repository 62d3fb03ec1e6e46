// Tables of hyperparameters from any plugin data: two runs that share it, sorted by every column.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cboard/reader/hparams_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string first = bytes.substr(0, size / 2), second = bytes.substr(size / 2);
  reader::HParamsSource source;
  source.runs = {{"a", bytes, first, second}, {"b", first, bytes, bytes}, {"c", {}, second, {}}};
  source.scalar_runs = {"a", "a/eval", "d"};
  source.scalar_tags = [](std::string_view) { return std::vector<std::string>{"loss"}; };
  source.last_point = [](std::string_view run,
                         std::string_view) -> std::optional<reader::ScalarPoint> {
    if (run == "b") return std::nullopt;
    return reader::ScalarPoint{1, 2, 3};
  };
  const reader::HParamsTable table(std::move(source));
  const reader::HParamsColumns columns = table.Columns({.merge_experiments = true});
  reader::SessionGroupsQuery query = {.slice_size = 2, .merge_experiments = true};
  for (const reader::HParamColumn& column : columns.hparams) {
    query.columns.push_back({.column = column.info.name, .order = reader::SortOrder::kDescending});
  }
  for (const proto::MetricInfo& metric : columns.experiment.metrics) {
    query.columns.push_back({.column = reader::MetricName{metric.group, metric.tag},
                             .order = reader::SortOrder::kAscending});
  }
  const auto page = table.SessionGroups(query);
  if (!page || page->groups.size() > 2 || page->total_size > 3) std::abort();
  query.columns = {{.column = std::string("x"), .filter = reader::RegexFilter{first}}};
  (void)table.SessionGroups(query);
  return 0;
}
