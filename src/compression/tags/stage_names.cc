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

// The known stages in the order of the pipeline. A renamed stage is listed once per name.
constexpr auto kStages = std::to_array<KnownStage>({
    {"initial_graph", {1, "initial_graph", "Float graph", false}},
    {"after_graph_preparation", {2, "after_graph_preparation", "Graph prepared", false}},
    {"after_folding", {3, "after_folding", "Constants and normalizations folded", false}},
    {"pre_statistics_collection_substitutions",
     {4, "pre_statistics_collection_substitutions", "Substitutions before statistics", false}},
    {"after_graph_marking", {5, "after_graph_marking", "Nodes marked", false}},
    {"after_candidates_filtering", {6, "after_candidates_filtering", "Candidates filtered", false}},
    {"after_equalization", {7, "after_equalization", "Channels equalized", false}},
    {"after_statistic_collection",
     {8, "after_statistic_collection", "Statistics collected", false}},
    {"after_analyzer_graph", {8, "after_statistic_collection", "Statistics collected", false}},
    {"after_calibration", {9, "after_calibration", "Calibrated", false}},
    {"thresholds_selection", {10, "thresholds_selection", "Thresholds selected", true}},
    {"after_shift_negative_correction",
     {11, "after_shift_negative_correction", "Negative shift corrected", true}},
    {"post_statistics_collection_substitutions",
     {12, "post_statistics_collection_substitutions", "Substitutions after statistics", true}},
    {"statistics_computation", {13, "statistics_computation", "Corrections computed", true}},
    {"bias_correction_computation", {13, "statistics_computation", "Corrections computed", true}},
    {"after_statistics_correction",
     {14, "after_statistics_correction", "Statistics corrected", true}},
    {"after_activation_bias_correction",
     {15, "after_activation_bias_correction", "Activation bias corrected", true}},
    {"after_bias_correction", {16, "after_bias_correction", "Bias corrected", true}},
    {"after_gptq", {17, "after_gptq", "Rounding trained (GPTQ)", true}},
    {"after_kd", {17, "after_gptq", "Rounding trained (GPTQ)", true}},
    {"after_quantization", {18, "after_quantization", "Quantized", true}},
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
