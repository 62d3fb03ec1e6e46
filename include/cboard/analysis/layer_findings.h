// Diagnoses of layers that `compression-board compare` logged. They are based on the weights, every
// channel and the next layers, so they are more exact than a diagnosis from histograms.
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
  // The lowest SQNR that counts, as of eight bits; infinite where nothing is lost.
  double severity_db = 0;
  int bits = 8;                  // Bits of the layer's codes.
  std::string part = {};         // "weight", "bias" or "output": what the cause is about.
  Cause cause = Cause::kNone;    // kChanged for names that this version does not know.
  std::string explanation = {};  // One sentence with its numbers; empty without a cause.
};
using LayerFindings = std::map<std::string, LayerFinding, std::less<>>;  // By layer.

// Fails, without a crash, for anything that is no such JSON; entries without a layer or with a
// level that is not known are left out.
Result<LayerFindings> ParseLayerFindings(std::string_view json);

// The verdict of a comparison on the outputs of the model.
struct OutputsVerdict {
  std::string level = {};     // "broken", "degraded", "sound" or "not_measured".
  std::string sentence = {};  // "Broken: output 'scores' …"

  bool is_broken() const { return level == "broken"; }
  bool is_degraded() const { return level == "degraded"; }
};

// Reads the verdict from the same JSON. Returns nothing for logs without one, and for other text.
std::optional<OutputsVerdict> ParseOutputsVerdict(std::string_view json);

// The verdict of this model and variant in a log; nothing if no comparison was logged.
std::optional<OutputsVerdict> ReadOutputsVerdict(const reader::Run& run, const LayerFilter& filter);

// Reads the diagnoses of this model and variant; empty if nothing was compared. Fails, naming run
// and tag, if the logged value cannot be read.
Result<LayerFindings> ReadLayerFindings(const reader::Run& run, const LayerFilter& filter);

}  // namespace cboard::analysis
