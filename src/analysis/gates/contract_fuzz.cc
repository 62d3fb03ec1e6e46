// Any bytes, as YAML or JSON, give a contract that can be checked, or an error that names the
// problem.
#include <cstddef>
#include <string_view>

#include "cboard/analysis/gates.h"
#include "cboard/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cboard::analysis;
  static const ComparisonTable table = BuildComparisonTable(
      {{.meaning = {.experiment = "r", .model = "m", .variant = "fp32", .metric = "accuracy"},
        .value = 0.75},
       {.meaning = {.experiment = "r", .model = "m", .variant = "int8", .metric = "accuracy"},
        .value = 0.5}});
  const auto contract = ParseContract({reinterpret_cast<const char*>(data), size});
  if (!contract) {
    CBOARD_CHECK(!contract.error().message.empty());
    return 0;
  }
  for (const Gate& gate : contract->gates) {
    CBOARD_CHECK(!gate.metric.empty());
    if (gate.is_about_layers()) CBOARD_CHECK(gate.min || gate.max || gate.worst_level);
  }
  static const std::vector<LayerSubject> layers = {
      {.name = "m", .model = "m", .variant = "int8", .baseline = "fp32", .rank = [] {
         return LayerRanking{.layers = {{.baseline = {.layer = "/a/b"}, .logged = {{"x", 1}}}}};
       }}};
  const auto result = CheckContract(*contract, table, {}, layers);
  // There is one variant to check, so each gate has one result.
  if (result) CBOARD_CHECK(result->results.size() == contract->gates.size());
  return 0;
}
