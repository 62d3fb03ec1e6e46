// Variants that can be compared layer by layer: those whose tensors were logged.
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

// Whether the values of a side are from before or after quantization. The position of a stage in
// the pipeline proves neither.
enum class ValueState {
  kUnknown,
  kFloat,      // From before quantization: fp32, a tuning's baseline, statistics of a stage.
  kQuantized,  // From after it: a trial of a tuning, the stage after_quantization.
};

// "unknown", "float", "quantized".
std::string_view NameOf(ValueState state);

struct VariantLayers {
  std::string model = {};    // As in the comparison table; empty when the log names none.
  std::string variant = {};  // fp32, int8, baseline, tune_1, or the name of a stage.
  // Its name in the comparison table, if that differs: "float" is the first stage with
  // values from before quantization, "quantized" the last one with values from after it, or with
  // figures that compare the two.
  std::string table_variant = {};
  std::string run = {};
  LayerFilter in_tags = {};  // Which tags of the run are its own; all, where the run says whose.
  std::size_t tensor_count = 0;
  bool is_stage = false;
  ValueState values = ValueState::kUnknown;  // State of its tensors.
  bool has_figures = false;  // Whether figures per layer, such as sqnr_db, were logged of it.
};

// Why histograms of `a` and `b` do not measure what quantization did, and what to log; empty when
// they do. Two stages are comparable only if one is known to hold values from before quantization
// and the other values from after it.
std::string WhyNotMeasured(const VariantLayers& a, const VariantLayers& b);

// Why nothing about layers of a model can be compared although some were logged, likewise; empty
// when two sides of it can be, or none were logged.
std::string WhyNotMeasured(std::span<const VariantLayers> sides, std::string_view model);

// Where findings, figures and verified runs of a side are: they name the variant also in a run that
// is its own.
LayerFilter FindingsOf(const VariantLayers& side);

// By model, then in the order of the runs, stages in that of the pipeline. A run that logs several
// variants is several sides. A variant of which only figures per layer were logged is a side
// without tensors; so is fp32, which they compare with, when the run has nothing else of the model.
std::vector<VariantLayers> FindVariantLayers(const reader::Snapshot& snapshot);

// Whether people know the side by this name, be it the log's or the comparison table's.
bool IsCalled(const VariantLayers& side, std::string_view variant);

// The side of this model and variant; a model that the log does not name matches any. nullptr if
// there is none.
const VariantLayers* FindSide(std::span<const VariantLayers> sides, std::string_view model,
                              std::string_view variant);

struct SidePair {
  VariantLayers a = {};
  VariantLayers b = {};
};

// Two sides of one model; without a `model`, of the first that has both. A side that names no model
// goes with any.
std::optional<SidePair> FindSides(std::span<const VariantLayers> sides, std::string_view model,
                                  std::string_view a, std::string_view b);

}  // namespace cboard::analysis
