// Results of `compare --verify`: the output SQNR of the variant after parts of the variant were
// restored to float. The results confirm or refute a ranking of layers.
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
  std::string part = {};  // "weight", which includes the bias, or "output".

  friend bool operator==(const VerifiedPart&, const VerifiedPart&) = default;
};

// One run of the compressed model over all samples.
struct VerifiedRun {
  std::string restored = {};  // "nothing", "parts", "red_layers", …; docs/compare.md lists them.
  std::string text = {};      // The restored parts in words: "'conv2' output and weights in float".
  std::vector<VerifiedPart> parts = {};
  std::optional<double> sqnr_db = {};  // Output SQNR; infinite if exact, nullopt if the run failed.
  std::string why_not = {};            // Why the run failed.
};

struct VerifiedRuns {
  std::vector<std::string> ends = {};  // Names of the last layers, where SQNR was measured.
  std::size_t samples = 0;
  // All runs: first the unchanged variant, then the runs with one restored part, the best first,
  // then the other runs.
  std::vector<VerifiedRun> runs = {};
  std::string why_not = {};  // Why nothing was measured; empty if runs were measured.

  // Returns the gain of a run compared with the unchanged variant; nullopt if the run failed.
  std::optional<double> GainOf(const VerifiedRun& run) const;

  // The run of restored parts with the best output SQNR; among equal runs, the run with the fewest
  // parts. nullptr if no run gains at least 0.1 dB.
  const VerifiedRun* BestParts() const;

  // Summary as a sentence without full stop: "these 3 parts in float bring the end from 5.2 to 17.8
  // dB".
  std::string Summary() const;
};

// Parses the logged JSON of `compare --verify`. Fails with kDataLoss for other text.
Result<VerifiedRuns> ParseVerifiedRuns(std::string_view json);

// Reads the last results that were logged in `run` for this model and variant; nullopt if there are
// none. If they cannot be read, `why_not` contains the reason.
std::optional<VerifiedRuns> ReadVerifiedRuns(const reader::Run& run, const LayerFilter& filter);

// Returns the gain for each entry of `layers` if only the tensor of this entry is restored to
// float. If `layers` has no entry for the other tensor of the layer (its weights or its output), or
// if the entry has metrics only, returns the larger gain of both tensors.
std::vector<std::optional<double>> GainsAlone(const VerifiedRuns& verified,
                                              const std::vector<RankedLayer>& layers);

}  // namespace cboard::analysis
