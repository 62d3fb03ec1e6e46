// What `compare --verify` measured: what the end of a network keeps when parts of its compressed
// model are put back to float. The proof for a ranking of layers.
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

  // What comes of it, in a sentence without its full stop: "these 3 parts in float bring the end
  // from 5.2 to 17.8 dB".
  std::string Summary() const;
};

// What is logged as JSON. Fails with kDataLoss when it is something else.
Result<VerifiedRuns> ParseVerifiedRuns(std::string_view json);

// The last that was logged in `run` for this model and variant; nothing when nobody verified. What
// cannot be read says so in `why_not`.
std::optional<VerifiedRuns> ReadVerifiedRuns(const reader::Run& run, const LayerFilter& filter);

// For each of `layers`, what the end gains when the tensor that it is about is put back to float
// alone; where only one of a layer's weights and output is among them, or only figures were logged,
// the better of both.
std::vector<std::optional<double>> GainsAlone(const VerifiedRuns& verified,
                                              const std::vector<RankedLayer>& layers);

}  // namespace cboard::analysis
