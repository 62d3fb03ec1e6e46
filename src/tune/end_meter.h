// Label-free measurements: the error at the end of the network on held-out samples.
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

// The mean over heads of noise power by signal power; 0.001 is 30 dB. A head counts 100 at most, so
// that a broken one does not hide the others.
double NoiseOf(const quantize::EndQuality& quality);
double DbOf(double noise);

// Measures plans, each of them once: results are kept by the changes. Borrows its arguments.
class EndMeter {
 public:
  // `known` are results of an earlier session; `on_measured` stores new ones.
  EndMeter(const quantize::ModelQuantizer& model, const quantize::Plan& plan,
           std::map<std::string, double> known,
           std::function<Result<void>(const std::string& key, double noise)> on_measured);

  // Fails with kUnavailable when `stop` returns true.
  Result<double> Noise(const PlanChanges& changes);

  quantize::Plan PlanWith(const PlanChanges& changes) const { return Apply(plan_, wide_, changes); }
  const quantize::Plan& plan() const { return plan_; }
  std::size_t measured_count() const { return known_.size(); }
  // Calls `visit` with each measured set of changes.
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

// Sources that are removed together, and the noise that this removes.
struct RankedItem {
  std::vector<std::size_t> sources;  // Positions in the list of sources.
  double gain = 0;                   // Noise of the plan minus noise without these sources.
};

struct RankingOptions {
  std::size_t max_measurements = 48;
  // Up to this many sources are measured one by one; of more, halves are measured, and the halves
  // with the largest gain are divided again.
  std::size_t max_single_sources = 24;
};

// Items that contain every source once, in the order of the graph.
Result<std::vector<RankedItem>> RankSources(EndMeter& meter,
                                            const std::vector<ErrorSource>& sources,
                                            const RankingOptions& options = {});

// Weights that can have 4 bits, at most `max_items` items; gains are below zero.
Result<std::vector<RankedItem>> RankNarrowWeights(EndMeter& meter,
                                                  const std::vector<ErrorSource>& sources,
                                                  std::size_t max_items = 24);

}  // namespace cboard::tune
