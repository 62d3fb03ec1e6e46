// Measures the error of the model's outputs on held-out samples. No labels are needed.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/quantize/model_quantizer.h"
#include "tune/error_sources.h"

namespace cboard::tune {

// Returns the mean ratio of noise power to signal power over all heads (model outputs); 0.001 is 30
// dB. The ratio of a head is limited to 100, so that a broken head does not hide the others.
double NoiseOf(const quantize::EndQuality& quality);
double DbOf(double noise);

// Measures the output noise of plans. The result of each set of changes is stored, so no set is
// measured twice. Borrows its arguments.
class EndMeter {
 public:
  // `known` has the results of an earlier session. `on_measured` is called with each new result, to
  // store it.
  EndMeter(const quantize::ModelQuantizer& model, const quantize::Plan& plan,
           std::map<std::string, double> known,
           std::function<Result<void>(const std::string& key, double noise)> on_measured);

  // Measures the output noise with these changes. Fails with kUnavailable if `stop` returns true.
  Result<double> Noise(const PlanChanges& changes);

  quantize::Plan PlanWith(const PlanChanges& changes) const { return Apply(plan_, wide_, changes); }
  const quantize::Plan& plan() const { return plan_; }
  std::size_t measured_count() const { return known_.size(); }
  // Calls `visit` for each set of changes that was measured.
  void ForEach(const std::function<void(const PlanChanges&, double noise)>& visit) const;
  void StopWhen(std::function<bool()> stop) { stop_ = std::move(stop); }

 private:
  const quantize::ModelQuantizer& model_;
  const quantize::Plan& plan_;
  quantize::Plan wide_;
  std::map<std::string, double> known_;
  std::function<Result<void>(const std::string&, double)> on_measured_;
  std::function<bool()> stop_;
};

// Sources of error that are removed together, and the noise reduction.
struct RankedItem {
  std::vector<std::size_t> sources;  // Positions in the list of sources.
  double gain = 0;                   // Noise of the plan minus the noise without these sources.
};

struct RankingOptions {
  std::size_t max_measurements = 48;
  // Up to this number, each source is measured separately. If there are more, halves are measured,
  // and the halves with the largest gain are divided again.
  std::size_t max_single_sources = 24;
};

struct RankedSources {
  std::vector<RankedItem> items;   // Contain every source once, in the order of the graph.
  std::vector<RankedItem> halves;  // Measured, but divided again: the largest first.
};

Result<RankedSources> RankSources(EndMeter& meter, const std::vector<ErrorSource>& sources,
                                  const RankingOptions& options = {});

// Measures storing weights in 4 bits. Returns at most `max_items` items; their gains are negative.
Result<std::vector<RankedItem>> RankNarrowWeights(EndMeter& meter,
                                                  const std::vector<ErrorSource>& sources,
                                                  std::size_t max_items = 24);

}  // namespace cboard::tune
