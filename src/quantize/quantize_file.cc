#include <algorithm>

#include "cboard/quantize/model_quantizer.h"
#include "quantize/algorithms/bias_correction.h"
#include "quantize/planning/make_plan.h"
#include "quantize/quantizer_state.h"

namespace cboard::quantize {
namespace {

// Tensors whose other range is tried, at most.
constexpr std::size_t kMaxTriedTensors = 12;

class PlanSearch {
 public:
  PlanSearch(const ModelQuantizer& model, QuantizeReport& report)
      : model_(model), report_(report) {}

  // The range method whose outputs are closest on held-out samples.
  Result<void> ChooseMethod() {
    if (model_.options().ranges != RangeMethod::kAuto) {
      report_.plan = model_.MakePlan();
      CBOARD_ASSIGN_OR_RETURN(report_.quality, model_.Measure(report_.plan));
      return {};
    }
    for (const RangeMethod method :
         {RangeMethod::kMinMax, RangeMethod::kMse, RangeMethod::kPercentile}) {
      CBOARD_RETURN_IF_ERROR(Try("ranges " + std::string(NameOf(method)), model_.MakePlan(method)));
    }
    return {};
  }

  // The other of two ranges for single tensors: those first whose ranges differ most.
  Result<void> RefineRanges() {
    if (model_.options().ranges != RangeMethod::kAuto) return {};
    const Plan wide = model_.MakePlan(RangeMethod::kMinMax),
               narrow = model_.MakePlan(RangeMethod::kMse);
    std::vector<std::pair<double, std::string>> candidates;
    for (const auto& [tensor, activation] : report_.plan.activations) {
      if (activation.is_float || !activation.shares.empty()) continue;
      const ActivationPlan &one = wide.activations.at(tensor),
                           &other = narrow.activations.at(tensor);
      const double ratio = (one.high - one.low) / std::max(other.high - other.low, 1e-30f);
      if (ratio > 1.05) candidates.emplace_back(ratio, tensor);
    }
    std::ranges::sort(candidates, std::greater<>());
    candidates.resize(std::min(candidates.size(), kMaxTriedTensors));
    std::size_t changed = 0;
    for (const auto& [ratio, tensor] : candidates) {
      Plan plan = report_.plan;
      ActivationPlan& activation = plan.activations.at(tensor);
      const bool is_wide = activation.method == RangeMethod::kMinMax;
      activation = (is_wide ? narrow : wide).activations.at(tensor);
      ShareScales(plan);
      CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
      if (!IsBetter(quality, report_.quality)) continue;
      report_.plan = std::move(plan);
      report_.quality = quality;
      ++changed;
    }
    if (!candidates.empty()) {
      report_.tried.push_back({"other ranges for " + std::to_string(candidates.size()) +
                                   " tensors, kept for " + std::to_string(changed),
                               report_.quality.MeanSqnrDb(), changed > 0});
    }
    return {};
  }

  Result<void> CorrectBias() {
    if (!model_.options().bias_correction) return {};
    Plan plan = report_.plan;
    const ModelQuantizer::State& state = model_.state();
    if (CorrectBiases(state.graph, state.placement, model_.statistics(), plan) == 0) return {};
    return Try("bias correction", std::move(plan));
  }

  // Measures the plan and keeps it if it is the best.
  Result<void> Try(std::string name, Plan plan) {
    CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
    const bool is_kept = is_first_ || IsBetter(quality, report_.quality);
    report_.tried.push_back({std::move(name), quality.MeanSqnrDb(), is_kept});
    if (is_kept) {
      report_.plan = std::move(plan);
      report_.quality = quality;
    }
    is_first_ = false;
    return {};
  }

 private:
  const ModelQuantizer& model_;
  QuantizeReport& report_;
  bool is_first_ = true;
};

Result<void> SearchPlan(ModelQuantizer& model, QuantizeReport& report) {
  PlanSearch search(model, report);
  const Precision precision = model.options().precision;
  if (precision == Precision::kW8A8) {
    CBOARD_RETURN_IF_ERROR(search.ChooseMethod());
    CBOARD_RETURN_IF_ERROR(search.RefineRanges());
    return search.CorrectBias();
  }
  Plan plan = model.MakePlan();
  CBOARD_RETURN_IF_ERROR(search.Try("round to nearest", plan));
  if (!model.options().gptq) return {};
  std::size_t full = 0, all = 0;
  for (const auto& [tensor, statistics] : model.statistics().tensors) {
    ++all;
    full += HasFullGram(statistics) ? 1u : 0u;
  }
  if (full < all) {
    report.notes.push_back("GPTQ needs more rows than inputs: " + std::to_string(all - full) +
                           " of " + std::to_string(all) +
                           " inputs have fewer and are rounded to nearest; give more samples");
  }
  plan.gptq = full > 0;
  if (!plan.gptq) return {};
  return search.Try("GPTQ", plan);
}

}  // namespace

Result<QuantizeReport> QuantizeFile(const std::filesystem::path& model,
                                    const std::filesystem::path& output,
                                    const QuantizeOptions& options) {
  QuantizeReport report{.model = model, .output = output};
  CBOARD_ASSIGN_OR_RETURN(const auto quantizer, ModelQuantizer::Open(model, options));
  CBOARD_RETURN_IF_ERROR(quantizer->Calibrate());
  CBOARD_RETURN_IF_ERROR(SearchPlan(*quantizer, report));
  if (options.precision == Precision::kW8A8) {
    CBOARD_ASSIGN_OR_RETURN(report.unfused, quantizer->FindUnfused(report.plan));
  }
  CBOARD_ASSIGN_OR_RETURN(report.file, quantizer->Save(report.plan, output));
  report.samples = quantizer->statistics().samples;
  report.source = quantizer->statistics().source;
  report.is_generated = quantizer->statistics().is_generated;
  report.notes.insert(report.notes.begin(), quantizer->notes().begin(), quantizer->notes().end());
  return report;
}

}  // namespace cboard::quantize
