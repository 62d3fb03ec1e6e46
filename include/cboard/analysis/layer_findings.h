// Diagnoses of layers that `compression-board compare` logged. They use the weights, all channels
// and the next layers, and are therefore more exact than a diagnosis from histograms.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/analysis/histogram_comparison.h"
#include "cboard/analysis/layers.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct LayerFinding {
  Level level = Level::kGreen;
  // The SQNR that decides the level, converted to 8 bits; the lowest if there are several. Infinite
  // if there is no error.
  double severity_db = 0;
  int bits = 8;                  // Bit width of the layer's codes.
  std::string part = {};         // "weight", "bias" or "output": the part that the cause affects.
  Cause cause = Cause::kNone;    // kChanged for causes that this version does not know.
  std::string explanation = {};  // One sentence with the values; empty if there is no cause.
  // True if runs of the model showed that this layer causes the error. `end_sqnr_db` is then the
  // output SQNR of the model with the damage of this layer alone, if it was measured, and
  // `severity_db` is a rank.
  bool is_measured_at_end = false;
  std::optional<double> end_sqnr_db = {};
  std::string fix = {};  // The cheapest sufficient fix, with its predicted SQNR.
};
using LayerFindings = std::map<std::string, LayerFinding, std::less<>>;  // By layer.

// Parses the JSON of the logged diagnoses of layers. Fails for any other text. Entries without a
// layer or with an unknown level are skipped.
Result<LayerFindings> ParseLayerFindings(std::string_view json);

// The verdict of a comparison on the outputs of the model.
struct OutputsVerdict {
  std::string level = {};     // "broken", "degraded", "sound" or "not_measured".
  std::string sentence = {};  // "Broken: output 'scores' …"

  bool is_broken() const { return level == "broken"; }
  bool is_degraded() const { return level == "degraded"; }
};

// Reads the verdict from the JSON of the diagnoses. Returns nullopt if the JSON has no verdict, and
// for other text.
std::optional<OutputsVerdict> ParseOutputsVerdict(std::string_view json);

// Reads the verdict of this model and variant from a run; nullopt if no comparison was logged.
std::optional<OutputsVerdict> ReadOutputsVerdict(const reader::Run& run, const LayerFilter& filter);

// Reads the diagnoses of this model and variant from a run; empty if no comparison was logged.
// Fails, naming run and tag, if the logged value cannot be read.
Result<LayerFindings> ReadLayerFindings(const reader::Run& run, const LayerFilter& filter);

}  // namespace cboard::analysis
