// Finds the variants that can be compared layer by layer, because their tensors were logged.
//
//   const auto sides = FindVariantLayers(*snapshot);
//   const std::optional<SidePair> pair = FindSides(sides, "resnet18", "fp32", "int8");
//   if (pair) RankVariants(snapshot, &pair->a, pair->b);  // layer_ranking.h
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/layers.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// Whether the values of a variant are from before or after quantization. The position of a stage in
// the pipeline does not decide this.
enum class ValueState {
  kUnknown,
  // Values from before quantization: fp32, the baseline of a tuning, or statistics of a stage.
  kFloat,
  kQuantized,  // From after quantization: a trial of a tuning, or the stage after_quantization.
};

// The name of a state: "unknown", "float", "quantized".
std::string_view NameOf(ValueState state);

struct VariantLayers {
  std::string model = {};    // As in the comparison table; empty if the log does not name it.
  std::string variant = {};  // fp32, int8, baseline, tune_1, or the name of a stage.
  // The variant's name in the comparison table, if it differs. "float" is the first stage with
  // values from before quantization. "quantized" is the last stage with values from after
  // quantization, or with metrics that compare both.
  std::string table_variant = {};
  std::string run = {};
  // Selects the variant's tags in its run; selects all tags if the run has only this variant.
  LayerFilter in_tags = {};
  std::size_t tensor_count = 0;
  bool is_stage = false;
  ValueState values = ValueState::kUnknown;  // State of its tensors.
  bool has_figures = false;  // True if layer metrics, such as sqnr_db, were logged for it.
};

// Explains why histograms of `a` and `b` do not measure the effect of quantization, and what to
// log; empty if they do measure it. Two stages are comparable only if one of them is known to
// contain values from before quantization, and the other one values from after quantization.
std::string WhyNotMeasured(const VariantLayers& a, const VariantLayers& b);

// Explains why no layers of a model can be compared although some were logged, and what to log.
// Empty if two variants can be compared, or if no layers were logged.
std::string WhyNotMeasured(std::span<const VariantLayers> sides, std::string_view model);

// Selects the tags of findings, metrics and verified runs of a variant. These tags always name the
// variant, even in a run that holds only this variant.
LayerFilter FindingsOf(const VariantLayers& side);

// Returns the variants by model, then in the order of the runs; stages are in pipeline order. A run
// with several variants gives several entries. A variant with layer metrics only is an entry
// without tensors. Layer metrics compare with fp32, so the fp32 variant also gets an entry without
// tensors if the run holds no other data of the model.
std::vector<VariantLayers> FindVariantLayers(const reader::Snapshot& snapshot);

// True if `variant` is a name of `side`: its name in the log, or its name in the comparison table.
bool IsCalled(const VariantLayers& side, std::string_view variant);

// Finds the side of this model and variant; nullptr if there is none. A side without a model name
// matches any model.
const VariantLayers* FindSide(std::span<const VariantLayers> sides, std::string_view model,
                              std::string_view variant);

struct SidePair {
  VariantLayers a = {};
  VariantLayers b = {};
};

// Finds two sides of one model. If `model` is empty, uses the first model that has both sides. A
// side without a model name matches any model.
std::optional<SidePair> FindSides(std::span<const VariantLayers> sides, std::string_view model,
                                  std::string_view a, std::string_view b);

}  // namespace cboard::analysis
