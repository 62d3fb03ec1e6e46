// What `compression-board compare` found out about layers. It had the weights, every channel and
// what the layers that follow make of it, and so knows more than the histograms that it logs.
#pragma once

#include <map>
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
  int bits = 8;                  // Of the layer's codes.
  std::string part = {};         // "weight", "bias" or "output": what the cause is about.
  std::string cause = {};        // "channel_spread", "wrong_scale", …; "none"
  std::string explanation = {};  // One sentence with its numbers; empty without a cause.
};
using LayerFindings = std::map<std::string, LayerFinding, std::less<>>;  // By layer.

// Fails, without a crash, for anything that is no such JSON; entries without a layer or with a
// level that is not known are left out.
Result<LayerFindings> ParseLayerFindings(std::string_view json);

// Of this model and variant, from a log; none when nothing was compared. Fails, naming run and tag,
// when what was logged cannot be read.
Result<LayerFindings> ReadLayerFindings(const Run& run, const LayerFilter& filter);

}  // namespace cboard::analysis
