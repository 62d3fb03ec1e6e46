// Any names and any stored bytes give a complete meaning, or none.
#include <cstddef>
#include <string>
#include <string_view>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/layers.h"
#include "cboard/analysis/tuning.h"
#include "cboard/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cboard::analysis;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The first newline separates the run from the tag; a sub-run of add_scalars always gets its tag.
  const std::size_t line = text.find('\n');
  const std::string_view run = text.substr(0, line);
  const std::string_view tag = line == std::string_view::npos ? text : text.substr(line + 1);
  const std::string sub_run = std::string(run) + "/" + std::string(tag) + "/int8";

  std::vector<Fact> facts;
  for (const ScalarName& name :
       {ScalarName{.run = run, .tag = tag}, ScalarName{.run = sub_run, .tag = tag},
        ScalarName{.run = run, .directory = tag, .tag = "accuracy"},
        ScalarName{.run = run, .plugin_name = "compression_board", .plugin_content = tag}}) {
    const auto meaning = ParseTag(name);
    if (!meaning) continue;
    CBOARD_CHECK(!meaning->variant.empty() && !meaning->metric.empty());
    CBOARD_CHECK(!meaning->model.empty());
    facts.push_back({.meaning = *meaning, .value = 1});
  }
  const ComparisonTable table = BuildComparisonTable(std::move(facts));
  for (const TableRow& row : table.rows) CBOARD_CHECK(row.cells.size() == table.metrics.size());

  for (const RunKind kind : {RunKind::kAny, RunKind::kTuning, RunKind::kStage}) {
    const auto tensor = ParseLayerTag(tag, kind);
    CBOARD_CHECK(!tensor || tensor->tag == tag);
  }
  static_cast<void>(ModelOfStored(tag));
  static_cast<void>(LayerOfStored(tag));
  static_cast<void>(NodeOfStored(tag));
  CBOARD_CHECK(tag.starts_with(OriginalName(tag)));
  return 0;
}
