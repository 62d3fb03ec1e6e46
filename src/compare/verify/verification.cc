#include "compare/verify/verification.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "cboard/base/strings.h"
#include "compare/measure/output_heads.h"
#include "compare/verify/costliest_parts.h"
#include "compare/verify/verified_heads.h"

namespace cboard::compare {
namespace {

// Maximum number of parts (weights or outputs of layers) that are restored together, and maximum
// number of further parts that are tried in each step.
constexpr std::size_t kMaxCombinedParts = 3;
constexpr std::size_t kMaxCandidatesPerRound = 3;
// A further part is added to a combination of restored parts only if it gains at least this many
// dB.
constexpr double kMinGainDb = 0.1;
// 3 dB is half the power of an error.
constexpr double kHalfDb = 3;

class Verifier {
 public:
  Verifier(const RestorableParts& parts, HeadRunner& ends, const CompareOptions& options,
           ModelComparison& comparison)
      : parts_(parts), ends_(ends), options_(options), comparison_(comparison) {}

  void Run() {
    const std::vector<LayerPart> suspects = parts_.PartsToVerify(options_.verify);
    const std::vector<Restored> many = GroupRestorations();
    const std::size_t n = suspects.size();
    runs_ = n + many.size();
    for (std::size_t k = 1; k < kMaxCombinedParts && k < n; ++k) {
      runs_ += std::min(kMaxCandidatesPerRound, n - k);
    }
    MeasureSingleParts(suspects);
    MeasureCombinations();
    for (const Restored each : many) {
      if (auto measured = Measure(each, {})) comparison_.verified.push_back(*std::move(measured));
    }
    if (!is_stopped_ && ExplainsLittle()) SearchByHalves();
  }

 private:
  std::vector<Restored> GroupRestorations() const {
    const auto has = [&](Level level) {
      return std::ranges::any_of(comparison_.layers, [&](const LayerComparison& layer) {
        return layer.diagnosis.level == level;
      });
    };
    std::vector<Restored> many;
    if (has(Level::kRed)) many.push_back(Restored::kRedLayers);
    if (has(Level::kAmber)) many.push_back(Restored::kRedAndAmberLayers);
    many.insert(many.end(), {Restored::kAllWeights, Restored::kAllOutputs, Restored::kEverything});
    return many;
  }

  // Runs the compressed model with restored parts; nullopt if the user has stopped the
  // verification.
  std::optional<Verification> Measure(Restored restored, const std::vector<LayerPart>& parts) {
    if (is_stopped_) return std::nullopt;
    Verification verification{.restored = restored};
    for (const auto& [layer, part] : parts) {
      verification.parts.push_back({comparison_.layers[layer].name, part});
    }
    const std::size_t samples = ends_.samples(), before = runs_done_ * samples;
    const auto progress = [&](std::size_t done, std::size_t) {
      return !options_.verify_progress || options_.verify_progress(before + done, runs_ * samples);
    };
    auto measured = [&]() -> Result<std::optional<std::vector<double>>> {
      CBOARD_ASSIGN_OR_RETURN(runtime::GraphEdits edits, parts_.RestoringEdits(restored, parts));
      return ends_.Measure(std::move(edits), progress);
    }();
    ++runs_done_;
    if (!measured) {
      verification.why_not = measured.error().message;
    } else if (!*measured) {
      is_stopped_ = true;
      return std::nullopt;
    } else {
      verification.layer_sqnr_db = **std::move(measured);
      verification.sqnr_db = MeanOverHeads(verification.layer_sqnr_db);
    }
    return verification;
  }

  struct Tried {
    std::vector<LayerPart> parts;
    Verification verification;

    bool IsBetterThan(const Tried& other) const {
      if (verification.why_not.empty() != other.verification.why_not.empty()) {
        return verification.why_not.empty();
      }
      return verification.sqnr_db > other.verification.sqnr_db;
    }
  };

  void MeasureSingleParts(const std::vector<LayerPart>& suspects) {
    for (const LayerPart& suspect : suspects) {
      if (auto measured = Measure(Restored::kParts, {suspect})) {
        tried_.push_back({{suspect}, *std::move(measured)});
      }
    }
    std::ranges::stable_sort(tried_,
                             [](const Tried& a, const Tried& b) { return a.IsBetterThan(b); });
    for (const Tried& each : tried_) comparison_.verified.push_back(each.verification);
  }

  // Measures combinations of parts. Starts with the best single part; each step adds the part with
  // the largest gain. Parts with large single gains are tried first, because errors of different
  // parts add up.
  void MeasureCombinations() {
    if (tried_.empty() || !tried_[0].verification.why_not.empty()) return;
    Tried best = tried_[0];
    if (best.verification.sqnr_db < comparison_.verified[0].sqnr_db) return;
    while (best.parts.size() < kMaxCombinedParts) {
      std::optional<Tried> next;
      std::size_t count = 0;
      for (const Tried& each : tried_) {
        const LayerPart& other = each.parts[0];
        if (!each.verification.why_not.empty() || count == kMaxCandidatesPerRound) break;
        if (std::ranges::find(best.parts, other) != best.parts.end()) continue;
        ++count;
        std::vector<LayerPart> together = best.parts;
        together.push_back(other);
        auto measured = Measure(Restored::kParts, together);
        if (!measured) return;
        Tried candidate{std::move(together), *std::move(measured)};
        if (!next || candidate.IsBetterThan(*next)) next = std::move(candidate);
      }
      if (!next || !next->verification.why_not.empty()) return;
      if (!(next->verification.sqnr_db >= best.verification.sqnr_db + kMinGainDb)) return;
      best = *std::move(next);
      comparison_.verified.push_back(best.verification);
    }
  }

  // Returns true if restoring the diagnosed parts removes less than half of the error, although
  // restoring everything would remove more.
  bool ExplainsLittle() const {
    const double as_it_is = comparison_.verified[0].sqnr_db;
    double best = as_it_is, most = as_it_is;
    for (const Verification& run : comparison_.verified) {
      if (!run.why_not.empty()) continue;
      if (run.restored == Restored::kEverything) most = run.sqnr_db;
      if (run.restored == Restored::kParts || run.restored == Restored::kRedLayers ||
          run.restored == Restored::kRedAndAmberLayers) {
        best = std::max(best, run.sqnr_db);
      }
    }
    return best < as_it_is + kHalfDb && most >= as_it_is + 2 * kHalfDb;
  }

  // Finds the parts that cause the largest error when they alone are compressed, and measures the
  // output SQNR with these parts restored.
  void SearchByHalves() {
    const std::vector<LayerPart> parts = parts_.All();
    const PartSearch search{.max_parts = kMaxCombinedParts};
    runs_ = runs_done_ + search.max_runs + 1;
    std::vector<Verification> alone(parts.size());
    const auto cost_of = [&](std::size_t first, std::size_t end) -> std::optional<double> {
      const std::vector<LayerPart> kept(parts.begin() + static_cast<std::ptrdiff_t>(first),
                                        parts.begin() + static_cast<std::ptrdiff_t>(end));
      auto measured = Measure(Restored::kAllExceptParts, kept);
      if (!measured) return std::nullopt;
      if (!measured->why_not.empty()) return std::numeric_limits<double>::quiet_NaN();
      const double cost = std::pow(10, -measured->sqnr_db / 10);
      if (kept.size() == 1) alone[first] = *std::move(measured);
      return cost;
    };
    std::vector<LayerPart> together;
    for (const PartCost& found : FindCostliestParts(parts.size(), search, cost_of)) {
      comparison_.verified.push_back(std::move(alone[found.part]));
      together.push_back(parts[found.part]);
    }
    if (together.empty()) return;
    if (auto measured = Measure(Restored::kParts, together)) {
      comparison_.verified.push_back(*std::move(measured));
    }
  }

  const RestorableParts& parts_;
  HeadRunner& ends_;
  const CompareOptions& options_;
  ModelComparison& comparison_;
  std::vector<Tried> tried_;  // Runs with a single restored part, the best first.
  std::size_t runs_ = 0, runs_done_ = 0;
  bool is_stopped_ = false;
};

std::string NotVerifiedReason(const model::ModelGraph& variant, const RestorableParts& parts,
                              const std::vector<std::size_t>& ends,
                              const ModelComparison& comparison) {
  if (!comparison.why_not_run.empty()) return comparison.why_not_run;
  if (parts.All().empty()) {
    return "nothing in " + Quoted(variant.path().filename().string()) +
           " is quantized so that floats may take its place, as they may around QuantizeLinear and "
           "DequantizeLinear, and for MatMulNBits, and MatMulInteger and DynamicQuantizeLSTM of "
           "dynamic quantization; models in the QDQ format can be verified";
  }
  return ends.empty() ? NoHeadsReason(comparison) : std::string();
}

// Copies the heads of a declared output from the verdict to its plan.
void SetHeads(const EndVerdict& verdict, OutputPlan& plan) {
  const auto output = std::ranges::find(verdict.outputs, plan.baseline, &OutputVerdict::name);
  if (output == verdict.outputs.end() || output->heads.size() < 2 || !output->axis) return;
  plan.head_axis = *output->axis;
  for (const HeadVerdict& head : output->heads) {
    plan.heads.push_back({head.first_channel, head.channel_count});
  }
}

// Adds a note about layers whose integer weights cannot be restored in any run.
void UnrestorableLayersNote(const model::ModelGraph& variant,
                            const std::vector<RestorableLayer>& layers,
                            ModelComparison& comparison) {
  std::set<std::string> operators;
  std::size_t count = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerComparison& layer = comparison.layers[i];
    if (!layer.weight || layers[i].weights || layer.weight->total.sum_squared_error == 0) continue;
    const model::NodeId node = variant.FindNode(VariantNodeOf(layer));
    if (node != model::kNoNode) operators.insert(variant.node(node).op_type);
    ++count;
  }
  if (count == 0) return;
  std::string names;
  for (const std::string& name : operators) names += (names.empty() ? "" : ", ") + name;
  comparison.remarks.push_back(
      "The weights of " + HumanCount(count) + (count == 1 ? " layer stay" : " layers stay") +
      " as they are in all runs of --verify, also with everything in float: for the codes or "
      "halves "
      "that " +
      names + (operators.size() == 1 ? " takes" : " take") + " here, floats cannot stand in.");
}

}  // namespace

Result<void> VerifyComparison(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                              const std::vector<RestorableLayer>& layers,
                              const CompareOptions& options, ModelComparison& comparison) {
  const RestorableParts parts(baseline, variant, layers, comparison);
  const std::vector<std::size_t> ends = FindVerifiedHeads(baseline, layers, comparison);
  comparison.why_not_verified = NotVerifiedReason(variant, parts, ends, comparison);
  if (!comparison.why_not_verified.empty()) return {};
  Verification as_it_is;
  std::vector<OutputPlan> plans;
  for (const std::size_t i : ends) {
    comparison.verified_layers.push_back(comparison.layers[i].name);
    as_it_is.layer_sqnr_db.push_back(comparison.layers[i].accumulated->total.SqnrDb());
    plans.push_back(*layers[i].output);
    SetHeads(comparison.verdict, plans.back());
  }
  const bool has_heads =
      std::ranges::any_of(plans, [](const OutputPlan& plan) { return !plan.heads.empty(); });
  as_it_is.sqnr_db = MeanOverHeads(as_it_is.layer_sqnr_db);
  CBOARD_ASSIGN_OR_RETURN(HeadRunner opened, HeadRunner::Open(baseline, variant, std::move(plans),
                                                              options, comparison.samples));
  if (has_heads) {  // An output can have a high SQNR although one of its heads is lost.
    CBOARD_ASSIGN_OR_RETURN(auto measured, opened.Measure({}, nullptr));
    if (measured) as_it_is.layer_sqnr_db = *std::move(measured);
    as_it_is.sqnr_db = MeanOverHeads(as_it_is.layer_sqnr_db);
  }
  comparison.verified.push_back(std::move(as_it_is));
  Verifier(parts, opened, options, comparison).Run();
  UnrestorableLayersNote(variant, layers, comparison);
  return {};
}

}  // namespace cboard::compare
