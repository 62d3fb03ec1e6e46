// Searches for the best plan: each choice is measured on held-out samples and kept only if the
// outputs come closer to those of the float model.

#include <algorithm>

#include "cboard/base/strings.h"
#include "cboard/quantize/model_quantizer.h"
#include "quantize/algorithms/bias_correction.h"
#include "quantize/algorithms/scale_migration.h"
#include "quantize/planning/float_activations.h"
#include "quantize/planning/make_plan.h"
#include "quantize/planning/noise.h"
#include "quantize/quantizer_state.h"

namespace cboard::quantize {
namespace {

// Maximum number of tensors for which another range is tried.
constexpr std::size_t kMaxTriedTensors = 12;

// Output SQNR in dB that needs no repair: above it, classes, texts and boxes rarely change.
constexpr double kGoodSqnrDb = 30;

// Limits of the repair: the number of activations that become float, and the share of
// multiplications in float.
constexpr std::size_t kMaxFloatActivations = 32;
constexpr double kMaxFloatShare = 0.2;
constexpr double kMinRepairGainDb = 1.0;

// Output SQNR in dB below which a model is of little use, however fast it is: any number of
// activations may become float.
constexpr double kPoorSqnrDb = 20;

// Both limits are lower for an SQNR without the mean of the samples, which is part of the signal
// otherwise.
constexpr double kMeanDb = 5;

// Percentage of multiplications in float from which on a note says that they cost speed.
constexpr int kSlowPercent = 40;

std::string CountOf(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

class PlanSearch {
 public:
  PlanSearch(ModelQuantizer& model, PlanChoice& choice) : model_(model), choice_(choice) {}

  // Chooses the range method whose outputs are closest on held-out samples.
  Result<void> ChooseMethod() {
    method_ = model_.options().ranges;
    if (method_ != RangeMethod::kAuto) {
      choice_.plan = model_.MakePlan();
      CBOARD_ASSIGN_OR_RETURN(choice_.quality, model_.Measure(choice_.plan));
      is_first_ = false;
      return {};
    }
    for (const RangeMethod method :
         {RangeMethod::kMinMax, RangeMethod::kMse, RangeMethod::kPercentile}) {
      // No method is preferred in advance: the best mean SQNR decides.
      Plan plan = model_.MakePlan(method);
      CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
      const bool is_kept = is_first_ || quality.MeanSqnrDb() > choice_.quality.MeanSqnrDb();
      choice_.tried.push_back(
          {"ranges " + std::string(NameOf(method)), quality.MeanSqnrDb(), is_kept, {}});
      is_first_ = false;
      if (!is_kept) continue;
      for (TriedChoice& before : choice_.tried) before.is_kept = &before == &choice_.tried.back();
      method_ = method;
      choice_.plan = std::move(plan);
      choice_.quality = quality;
    }
    return {};
  }

  // Tries the change on all layers that gain; if that does not help, on the half that gains most.
  Result<void> MigrateScales(std::string name, MigrationRequest request) {
    ModelQuantizer::State& state = model_.state();
    request.is_symmetric = choice_.plan.target == Target::kTensorRt;
    // Compares hidden activations with those of the float model.
    for (const ComparedTensor& compared : state.compared)
      request.excluded.push_back(compared.tensor);
    std::vector<MigratedLayer> layers =
        PlanMigration(state.graph, state.placement, model_.statistics(), request);
    for (int attempt = 0; attempt < 2 && !layers.empty(); ++attempt) {
      Graph graph = state.graph;
      Statistics statistics = model_.statistics();
      std::vector<LayerGain> gains;
      for (const MigratedLayer& layer : layers) {
        Migrate(layer, state.placement, graph, statistics);
        gains.push_back(layer.gain);
      }
      RemoveUnused(graph);
      std::swap(graph, state.graph);
      std::swap(statistics, state.calibration.statistics);
      CBOARD_ASSIGN_OR_RETURN(
          const bool is_kept,
          Try(name + " of " + CountOf(layers.size(), "layer"), model_.MakePlan(method_)));
      choice_.tried.back().layers = std::move(gains);
      if (is_kept) return {};
      std::swap(graph, state.graph);
      std::swap(statistics, state.calibration.statistics);
      if (layers.size() < 2) return {};
      layers.resize(layers.size() / 2);
    }
    return {};
  }

  // Tries slightly wider ranges: a few samples do not contain the largest values.
  Result<void> WidenRanges() {
    constexpr float kFactor = 1.15f;
    if (model_.options().ranges != RangeMethod::kAuto) return {};
    Plan plan = choice_.plan;
    const Plan wide = model_.MakePlan(RangeMethod::kMinMax);
    const Graph& graph = model_.state().graph;
    const GraphIndex index(graph);
    for (auto& [tensor, activation] : plan.activations) {
      if (activation.is_float || !activation.shares.empty()) continue;
      activation = wide.activations.at(tensor);
      // ONNX Runtime removes a Clip only if the range of the following quantizer is not larger.
      const std::size_t producer = index.Producer(tensor);
      if (producer != GraphIndex::kNone && graph.nodes[producer].Is("Clip")) continue;
      activation.low *= kFactor;
      activation.high *= kFactor;
      SetScale(activation);
    }
    ShareScales(plan);
    return Try("ranges 15 % wider", std::move(plan)).map([](bool) {});
  }

  // Tries the other of two ranges for single tensors, those with the largest difference first.
  Result<void> RefineRanges() {
    if (model_.options().ranges != RangeMethod::kAuto) return {};
    const Plan wide = model_.MakePlan(RangeMethod::kMinMax),
               narrow = model_.MakePlan(RangeMethod::kMse);
    std::vector<std::pair<double, std::string>> candidates;
    for (const auto& [tensor, activation] : choice_.plan.activations) {
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
      Plan plan = choice_.plan;
      ActivationPlan& activation = plan.activations.at(tensor);
      const bool is_wide = activation.method == RangeMethod::kMinMax;
      activation = (is_wide ? narrow : wide).activations.at(tensor);
      ShareScales(plan);
      CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
      if (!IsBetter(quality, choice_.quality)) continue;
      choice_.plan = std::move(plan);
      choice_.quality = quality;
      ++changed;
    }
    if (!candidates.empty()) {
      choice_.tried.push_back({"other ranges for " + CountOf(candidates.size(), "tensor") +
                                   ", kept for " + std::to_string(changed),
                               choice_.quality.MeanSqnrDb(),
                               changed > 0,
                               {}});
    }
    return {};
  }

  Result<void> CorrectBias() {
    if (!model_.options().bias_correction) return {};
    Plan plan = choice_.plan;
    const ModelQuantizer::State& state = model_.state();
    if (CorrectBiases(state.graph, state.placement, model_.statistics(), plan) == 0) return {};
    CBOARD_RETURN_IF_ERROR(Try("bias correction", std::move(plan)));
    return {};
  }

  // Keeps activations with large rounding errors in float, the noisiest first, until outputs are
  // good or nothing improves. Tries bias correction again afterwards: before, the errors of the
  // activations may have hidden its gain.
  Result<void> Repair() {
    if (!model_.options().repair || IsGood(choice_.quality)) return {};
    const ModelQuantizer::State& state = model_.state();
    const FloatActivations float_activations(state.graph, state.placement, model_.statistics());
    Plan before = choice_.plan;
    std::vector<std::string> kept;
    CBOARD_RETURN_IF_ERROR(RepairAtLowCost(float_activations, before, kept));
    if (!kept.empty() && choice_.plan.biases.empty()) CBOARD_RETURN_IF_ERROR(CorrectBias());
    if (IsPoor(choice_.quality) && !model_.statistics().is_generated) {
      if (model_.options().bias_correction) {
        CorrectBiases(state.graph, state.placement, model_.statistics(), before);
      }
      CBOARD_RETURN_IF_ERROR(RepairAtAnyCost(float_activations, before, kept));
    }
    if (!kept.empty()) NoteRepair(float_activations.FloatShare(choice_.plan), kept.size());
    return {};
  }

  // Measures the plan and keeps it if it is the best so far.
  Result<bool> Try(std::string name, Plan plan) {
    CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
    const bool is_kept = is_first_ || IsBetter(quality, choice_.quality);
    choice_.tried.push_back({std::move(name), quality.MeanSqnrDb(), is_kept, {}});
    if (is_kept) {
      choice_.plan = std::move(plan);
      choice_.quality = quality;
    }
    is_first_ = false;
    return is_kept;
  }

 private:
  static bool Reaches(const HeadQuality& head, double limit_db) {
    return head.channel_sqnr_db >= (head.is_without_mean ? limit_db - kMeanDb : limit_db);
  }

  static bool IsGood(const EndQuality& quality) {
    return std::ranges::all_of(quality.heads,
                               [](const HeadQuality& head) { return Reaches(head, kGoodSqnrDb); });
  }

  // Tries 1, 2, 4, … of the activations that are affordable in float.
  Result<void> RepairAtLowCost(const FloatActivations& float_activations, const Plan& before,
                               std::vector<std::string>& kept) {
    const std::vector<std::string> noisy = Affordable(float_activations);
    if (noisy.empty()) return {};
    for (std::size_t count = 1; !IsGood(choice_.quality); count *= 2) {
      count = std::min(count, noisy.size());
      const std::vector<std::string> tensors(noisy.begin(),
                                             noisy.begin() + static_cast<std::ptrdiff_t>(count));
      Plan plan = before;
      for (const std::string& tensor : tensors) float_activations.Release(tensor, plan);
      CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
      const bool is_kept = IsBetter(quality, choice_.quality, kMinRepairGainDb);
      choice_.tried.push_back(
          {CountOf(count, "activation") + " in float", quality.MeanSqnrDb(), is_kept, {}});
      if (is_kept) {
        choice_.plan = std::move(plan);
        choice_.quality = quality;
        kept = tensors;
      }
      if (count == noisy.size()) break;
    }
    return ReturnUnneeded(float_activations, before, kept);
  }

  // Finds the smallest number of float activations, the noisiest first, with which the outputs are
  // no longer poor, or as good as with all of them in float.
  Result<void> RepairAtAnyCost(const FloatActivations& float_activations, const Plan& before,
                               std::vector<std::string>& kept) {
    constexpr double kMinGainDb = 3, kMaxLossDb = 2;
    constexpr std::size_t kMaxSteps = 4;
    const ModelQuantizer::State& state = model_.state();
    std::vector<std::string> noisy;
    for (const NoisyTensor& one :
         RankActivations(state.graph, state.placement, model_.statistics(), before)) {
      noisy.push_back(one.tensor);
    }
    if (noisy.empty()) return {};
    // `enough` activations are known to suffice, `few` are known not to.
    std::size_t few = 0, enough = noisy.size();
    double wanted = 0;
    for (std::size_t step = 0; step <= kMaxSteps && (step == 0 || few + 1 < enough); ++step) {
      const std::size_t count = step == 0 ? enough : (few + enough) / 2;
      Plan plan = before;
      for (std::size_t i = 0; i < count; ++i) float_activations.Release(noisy[i], plan);
      CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
      const bool is_kept = step == 0 ? IsBetter(quality, choice_.quality, kMinGainDb)
                                     : !IsPoor(quality) || quality.MeanSqnrDb() >= wanted;
      choice_.tried.push_back(
          {CountOf(count, "activation") + " in float", quality.MeanSqnrDb(), is_kept, {}});
      if (!is_kept && step == 0) return {};
      if (step == 0) wanted = quality.MeanSqnrDb() - kMaxLossDb;
      (is_kept ? enough : few) = count;
      if (!is_kept) continue;
      choice_.plan = std::move(plan);
      choice_.quality = quality;
      kept.assign(noisy.begin(), noisy.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return {};
  }

  void NoteRepair(double float_share, std::size_t count) {
    const int percent = static_cast<int>(100 * float_share + 0.5);
    std::string note = CountOf(count, "activation") + " that 8 bits do not hold stay" +
                       (count == 1 ? "s" : "") + " float (" + std::to_string(percent) +
                       " % of the multiplications); their weights have 8 bits";
    if (percent >= kSlowPercent) {
      note +=
          "; that costs speed: --no-repair keeps 8 bits for all activations, with larger errors";
    }
    choice_.notes.push_back(std::move(note));
  }

  static bool IsPoor(const EndQuality& quality) {
    return std::ranges::any_of(quality.heads,
                               [](const HeadQuality& head) { return !Reaches(head, kPoorSqnrDb); });
  }

  std::vector<std::string> Affordable(const FloatActivations& float_activations) const {
    const ModelQuantizer::State& state = model_.state();
    std::vector<std::string> chosen;
    Plan plan = choice_.plan;
    const double max_share = float_activations.FloatShare(plan) + kMaxFloatShare;
    for (const NoisyTensor& noisy :
         RankActivations(state.graph, state.placement, model_.statistics(), plan)) {
      if (chosen.size() == kMaxFloatActivations) break;
      Plan changed = plan;
      float_activations.Release(noisy.tensor, changed);
      if (float_activations.FloatShare(changed) > max_share) continue;
      plan = std::move(changed);
      chosen.push_back(noisy.tensor);
    }
    return chosen;
  }

  // Rounds activations again that need not stay in float.
  Result<void> ReturnUnneeded(const FloatActivations& float_activations, const Plan& before,
                              std::vector<std::string>& kept) {
    constexpr std::size_t kMaxReturned = 8;
    constexpr double kMaxLossDb = 0.2;
    std::size_t tried = 0;
    for (std::size_t i = kept.size(); i-- > 0 && tried < kMaxReturned && kept.size() > 1; ++tried) {
      std::vector<std::string> fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      Plan plan = before;
      for (const std::string& tensor : fewer) float_activations.Release(tensor, plan);
      CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model_.Measure(plan));
      const bool is_needed = quality.MeanSqnrDb() < choice_.quality.MeanSqnrDb() - kMaxLossDb ||
                             (IsGood(choice_.quality) && !IsGood(quality));
      if (is_needed) continue;
      choice_.plan = std::move(plan);
      choice_.quality = quality;
      kept = std::move(fewer);
    }
    return {};
  }

  ModelQuantizer& model_;
  PlanChoice& choice_;
  RangeMethod method_ = RangeMethod::kAuto;
  bool is_first_ = true;
};

Result<void> TryGptq(ModelQuantizer& model, PlanSearch& search, PlanChoice& choice) {
  if (!model.options().gptq) return {};
  std::size_t full = 0, all = 0;
  for (const auto& [tensor, statistics] : model.statistics().tensors) {
    if (statistics.channel_axis != kLastAxis) continue;  // The input of a convolution.
    ++all;
    full += HasFullGram(statistics) ? 1u : 0u;
  }
  if (full < all) {
    choice.notes.push_back("GPTQ needs more rows than inputs: " + std::to_string(all - full) +
                           " of " + std::to_string(all) +
                           " inputs have fewer and are rounded to nearest; give more samples");
  }
  if (full == 0) return {};
  Plan plan = choice.plan;
  plan.gptq = true;
  CBOARD_RETURN_IF_ERROR(search.Try("GPTQ", std::move(plan)));
  return {};
}

}  // namespace

Result<PlanChoice> ChoosePlan(ModelQuantizer& model) {
  PlanChoice choice;
  PlanSearch search(model, choice);
  const QuantizeOptions options = model.options();
  if (options.precision == Precision::kW8A8) {
    CBOARD_RETURN_IF_ERROR(search.ChooseMethod());
    if (options.equalize) {
      CBOARD_RETURN_IF_ERROR(search.MigrateScales("equalization", {.kind = Migration::kEqualize}));
    }
    if (options.smooth) {
      CBOARD_RETURN_IF_ERROR(search.MigrateScales("SmoothQuant", {.kind = Migration::kSmooth}));
    }
    CBOARD_RETURN_IF_ERROR(search.WidenRanges());
    CBOARD_RETURN_IF_ERROR(search.RefineRanges());
    CBOARD_RETURN_IF_ERROR(search.CorrectBias());
    CBOARD_RETURN_IF_ERROR(search.Repair());
    return choice;
  }
  CBOARD_RETURN_IF_ERROR(search.Try("round to nearest", model.MakePlan()));
  const bool has_blocks =
      options.precision != Precision::kDynamic && options.precision != Precision::kHalf;
  if (options.smooth && has_blocks) {
    const bool is_four = options.precision != Precision::kW8A16;
    CBOARD_RETURN_IF_ERROR(search.MigrateScales("AWQ", {.kind = Migration::kAwq,
                                                        .weight_bits = is_four ? 4 : 8,
                                                        .block_size = options.block_size}));
  }
  if (has_blocks) CBOARD_RETURN_IF_ERROR(search.CorrectBias());
  CBOARD_RETURN_IF_ERROR(TryGptq(model, search, choice));
  return choice;
}

}  // namespace cboard::quantize
