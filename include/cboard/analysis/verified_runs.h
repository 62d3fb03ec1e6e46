// Results of `compare --verify`: the output SQNR of the variant after parts of it were restored
// to float. They confirm or refute a ranking of layers.
//
//   const auto verified = ReadVerifiedRuns(*run, {.model = "resnet18", .variant = "int8"});
//   if (verified) verified->BestParts();  // Which parts to keep in float.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/layer_ranking.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct VerifiedPart {
  std::string layer = {};
  std::string part = {};  // "weight", which has the bias with it, or "output".

  friend bool operator==(const VerifiedPart&, const VerifiedPart&) = default;
};

// A run of the compressed model over all samples.
struct VerifiedRun {
  std::string restored = {};  // "nothing", "parts", "red_layers", …; docs/compare.md lists them.
  std::string text = {};      // The same in words: "'conv2' output and weights in float".
  std::vector<VerifiedPart> parts = {};
  std::optional<double> sqnr_db = {};  // At the end; infinite when exact, nothing when it failed.
  std::string why_not = {};            // Why it did.
};

struct VerifiedRuns {
  std::vector<std::string> ends = {};  // The last layers: where it was measured.
  std::size_t samples = 0;
  std::vector<VerifiedRun> runs = {};  // As it is, one part each with the best first, and so on.
  std::string why_not = {};            // Nothing was measured, for this reason.

  // By how much the end is better than as it is; nothing for a run that failed.
  std::optional<double> GainOf(const VerifiedRun& run) const;

  // The run of parts with the best end, the one with the fewest parts of equal ones; nullptr when
  // no parts bring 0.1 dB.
  const VerifiedRun* BestParts() const;

  // Summary as a sentence without full stop: "these 3 parts in float bring the end from 5.2 to 17.8
  // dB".
  std::string Summary() const;
};

// Parses the logged JSON. Fails with kDataLoss if it is something else.
Result<VerifiedRuns> ParseVerifiedRuns(std::string_view json);

// The last that was logged in `run` for this model and variant; nothing when nobody verified. What
// cannot be read says so in `why_not`.
std::optional<VerifiedRuns> ReadVerifiedRuns(const reader::Run& run, const LayerFilter& filter);

// The gain of each of `layers` when only its tensor is restored to float. If a layer
// has only one of weights and output, or only metrics were logged, the better of
// both.
std::vector<std::optional<double>> GainsAlone(const VerifiedRuns& verified,
                                              const std::vector<RankedLayer>& layers);

}  // namespace cboard::analysis
