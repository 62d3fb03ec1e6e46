#include "cboard/compression/stage_names.h"

#include <algorithm>
#include <array>
#include <vector>

namespace cboard::compression {
namespace {

struct KnownStage {
  std::string_view logged;
  StageDescription description;
};

// In the order of the pipeline. A stage that was renamed stands once per name.
constexpr auto kStages = std::to_array<KnownStage>({
    {"initial_graph", {1, "initial_graph", "Float graph", false}},
    {"after_graph_preparation", {2, "after_graph_preparation", "Graph prepared", false}},
    {"pre_statistics_collection_substitutions",
     {3, "pre_statistics_collection_substitutions", "Substitutions before statistics", false}},
    {"after_graph_marking", {4, "after_graph_marking", "Nodes marked", false}},
    {"after_candidates_filtering", {5, "after_candidates_filtering", "Candidates filtered", false}},
    {"after_statistic_collection",
     {6, "after_statistic_collection", "Statistics collected", false}},
    {"after_analyzer_graph", {6, "after_statistic_collection", "Statistics collected", false}},
    {"thresholds_selection", {7, "thresholds_selection", "Thresholds selected", true}},
    {"after_shift_negative_correction",
     {8, "after_shift_negative_correction", "Negative shift corrected", true}},
    {"post_statistics_collection_substitutions",
     {9, "post_statistics_collection_substitutions", "Substitutions after statistics", true}},
    {"statistics_computation", {10, "statistics_computation", "Corrections computed", true}},
    {"bias_correction_computation", {10, "statistics_computation", "Corrections computed", true}},
    {"after_statistics_correction",
     {11, "after_statistics_correction", "Statistics corrected", true}},
    {"after_activation_bias_correction",
     {12, "after_activation_bias_correction", "Activation bias corrected", true}},
    {"after_bias_correction", {13, "after_bias_correction", "Bias corrected", true}},
    {"after_gptq", {14, "after_gptq", "Rounding trained (GPTQ)", true}},
    {"after_kd", {14, "after_gptq", "Rounding trained (GPTQ)", true}},
    {"after_quantization", {15, "after_quantization", "Quantized", true}},
});

}  // namespace

std::optional<StageDescription> DescribeStage(std::string_view directory) {
  const auto found = std::ranges::find(kStages, directory, &KnownStage::logged);
  return found == kStages.end() ? std::nullopt : std::optional(found->description);
}

std::span<const std::string_view> StageNames() {
  static const auto* const names = [] {
    auto* const list = new std::vector<std::string_view>;
    for (const KnownStage& stage : kStages) {
      if (stage.logged == stage.description.name) list->push_back(stage.logged);
    }
    return list;
  }();
  return *names;
}

}  // namespace cboard::compression
