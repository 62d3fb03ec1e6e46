#include "compression/model_comparison/verification.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "cboard/base/strings.h"
#include "compression/model_comparison/costliest_parts.h"
#include "compression/model_comparison/network_ends.h"

namespace cboard::compare {
namespace {

// Parts that are restored together at most, and how many of the others each step tries to add.
constexpr std::size_t kMostTogether = 3;
constexpr std::size_t kTriedAtATime = 3;
// What another part has to give to be worth naming.
constexpr double kWorthwhileDb = 0.1;
// Ends that are measured at most: the last of them.
constexpr std::size_t kMostEnds = 16;
// Half the power of an error.
constexpr double kHalfDb = 3;
// What an end that is as good as exact counts in a mean.
constexpr double kExactDb = 80;

// One number for all ends.
double MeanOf(const std::vector<double>& dbs) {
  if (dbs.size() == 1) return dbs[0];
  if (std::ranges::all_of(dbs, [](double db) { return db == HUGE_VAL; })) return HUGE_VAL;
  double sum = 0;
  for (const double db : dbs) sum += std::clamp(db, -kExactDb, kExactDb);
  return sum / static_cast<double>(dbs.size());
}

class Verifier {
 public:
  Verifier(const ModelGraph& baseline, const ModelGraph& variant,
           const std::vector<RestorableLayer>& layers, const CompareOptions& options,
           ModelComparison& comparison)
      : baseline_(baseline),
        variant_(variant),
        layers_(layers),
        options_(options),
        comparison_(comparison) {}

  Result<void> Run() {
    const std::vector<std::size_t> ends = ListEnds();
    comparison_.why_not_verified = WhyNot(ends);
    if (!comparison_.why_not_verified.empty()) return {};
    Verification as_it_is;
    std::vector<OutputPlan> plans;
    for (const std::size_t i : ends) {
      comparison_.verified_layers.push_back(comparison_.layers[i].name);
      as_it_is.layer_sqnr_db.push_back(comparison_.layers[i].accumulated->total.SqnrDb());
      plans.push_back(*layers_[i].output);
    }
    as_it_is.sqnr_db = MeanOf(as_it_is.layer_sqnr_db);
    comparison_.verified.push_back(std::move(as_it_is));
    CBOARD_ASSIGN_OR_RETURN(
        NetworkEnds opened,
        NetworkEnds::Open(baseline_, variant_, std::move(plans), options_, comparison_.samples));
    ends_ = &opened;
    ListSuspects();
    const std::vector<Restored> many = ManyAtOnce();
    const std::size_t n = suspects_.size();
    runs_ = n + many.size();
    for (std::size_t k = 1; k < kMostTogether && k < n; ++k)
      runs_ += std::min(kTriedAtATime, n - k);
    MeasureSuspects();
    MeasureTogether();
    for (const Restored each : many) {
      if (auto measured = Measure(each, {})) comparison_.verified.push_back(*std::move(measured));
    }
    if (!is_stopped_ && ExplainsLittle()) SearchByHalves();
    return {};
  }

 private:
  // Positions in `layers_`, which are those of the comparison's layers.
  struct Suspect {
    std::size_t layer = 0;
    Part part = Part::kWeight;
    friend bool operator==(const Suspect&, const Suspect&) = default;
  };

  std::size_t PositionOf(const LayerComparison& layer) const {
    return static_cast<std::size_t>(&layer - comparison_.layers.data());
  }

  bool CanRestore(const Suspect& suspect) const {
    const RestorableLayer& layer = layers_[suspect.layer];
    if (suspect.part == Part::kWeight) return layer.weights.has_value();
    return layer.output && CanRestoreOutput(*layer.output);
  }

  // Positions of the layers behind which no other one was compared, the last one last; without
  // those that cannot change.
  std::vector<std::size_t> ListEnds() const {
    std::vector<std::size_t> compared;
    std::vector<TensorId> tensors;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (!layers_[i].output || !comparison_.layers[i].accumulated) continue;
      const TensorId tensor = baseline_.FindTensor(layers_[i].output->baseline);
      if (tensor == kNoTensor || baseline_.tensor(tensor).producer == kNoNode) continue;
      compared.push_back(i);
      tensors.push_back(tensor);
    }
    std::vector<std::size_t> ends;
    for (const std::size_t k : FindEnds(baseline_, tensors)) {
      const double db = comparison_.layers[compared[k]].accumulated->total.SqnrDb();
      if (std::isfinite(db)) ends.push_back(compared[k]);
    }
    std::ranges::stable_sort(ends, {}, [&](std::size_t i) { return comparison_.layers[i].depth; });
    if (ends.size() > kMostEnds) {
      ends.erase(ends.begin(), ends.end() - static_cast<std::ptrdiff_t>(kMostEnds));
    }
    return ends;
  }

  std::string WhyNot(const std::vector<std::size_t>& ends) const {
    if (!comparison_.why_not_run.empty()) return comparison_.why_not_run;
    bool can_restore = false;
    for (std::size_t i = 0; i < layers_.size() && !can_restore; ++i) {
      can_restore = CanRestore({i, Part::kWeight}) || CanRestore({i, Part::kOutput});
    }
    if (!can_restore) {
      return "nothing in " + Quoted(variant_.path().filename().string()) +
             " is quantized so that floats may take its place, as they may around QuantizeLinear, "
             "DequantizeLinear and MatMulNBits; models in the QDQ format can be verified";
    }
    if (!ends.empty()) return {};
    const LayerComparison* last = LastLayer(comparison_);
    if (last == nullptr) return "no output was compared";
    return "the last layer, " + Quoted(last->name) + ", gives " +
           (last->accumulated->total.SqnrDb() > 0 ? "exactly what the baseline gives"
                                                  : "nothing that can be compared");
  }

  std::vector<Restored> ManyAtOnce() const {
    const auto has = [&](Level level) {
      return std::ranges::any_of(comparison_.layers, [&](const LayerComparison& layer) {
        return layer.diagnosis.level == level;
      });
    };
    std::vector<Restored> many;
    if (has(Level::kRed)) many.push_back(Restored::kRedLayers);
    if (has(Level::kAmber)) many.push_back(Restored::kHurtLayers);
    many.insert(many.end(), {Restored::kAllWeights, Restored::kAllOutputs, Restored::kEverything});
    return many;
  }

  void ListSuspects() {
    const auto add = [&](std::size_t layer, Part part) {
      if (CanRestore({layer, part})) suspects_.push_back({layer, part});
    };
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Diagnosis& diagnosis = comparison_.layers[i].diagnosis;
      if (diagnosis.level == Level::kGreen || suspects_.size() >= options_.verify) break;
      const bool is_output_first = diagnosis.part == Part::kOutput;
      if (is_output_first) add(i, Part::kOutput);
      if (layers_[i].has_hurt_weights) add(i, Part::kWeight);
      if (layers_[i].has_hurt_output && !is_output_first) add(i, Part::kOutput);
    }
    suspects_.resize(std::min(suspects_.size(), options_.verify));
    for (const LayerComparison* layer : MostLost(comparison_)) {
      for (const Part part : {Part::kWeight, Part::kOutput}) {
        const Suspect suspect{PositionOf(*layer), part};
        if (std::ranges::find(suspects_, suspect) == suspects_.end()) add(suspect.layer, part);
      }
    }
  }

  Result<GraphEdits> EditsFor(Restored restored, const std::vector<Suspect>& suspects) const {
    Restoration restoration(baseline_, variant_);
    for (const Suspect& suspect : suspects) {
      if (restored == Restored::kAllButParts) {
        Keep(suspect, restoration);
      } else {
        CBOARD_RETURN_IF_ERROR(Add(suspect, restoration));
      }
    }
    const bool is_everything =
        restored == Restored::kEverything || restored == Restored::kAllButParts;
    const bool has_weights = is_everything || restored == Restored::kAllWeights;
    const bool has_outputs = is_everything || restored == Restored::kAllOutputs;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Level level = comparison_.layers[i].diagnosis.level;
      const bool is_chosen = (restored == Restored::kRedLayers && level == Level::kRed) ||
                             (restored == Restored::kHurtLayers && level != Level::kGreen);
      if (is_chosen || has_weights) CBOARD_RETURN_IF_ERROR(Add({i, Part::kWeight}, restoration));
      if (is_chosen || has_outputs) CBOARD_RETURN_IF_ERROR(Add({i, Part::kOutput}, restoration));
    }
    if (has_weights) CBOARD_RETURN_IF_ERROR(restoration.AddOtherConstants());
    if (has_outputs) restoration.AddOtherOutputs();
    return restoration.Take();
  }

  Result<void> Add(const Suspect& suspect, Restoration& restoration) const {
    if (!CanRestore(suspect)) return {};
    const RestorableLayer& layer = layers_[suspect.layer];
    if (suspect.part == Part::kWeight) return restoration.AddWeights(*layer.weights);
    restoration.AddOutput(*layer.output);
    return {};
  }

  void Keep(const Suspect& suspect, Restoration& restoration) const {
    const RestorableLayer& layer = layers_[suspect.layer];
    if (suspect.part == Part::kWeight) {
      restoration.KeepWeights(*layer.weights);
    } else {
      restoration.KeepOutput(*layer.output);
    }
  }

  // Nothing once somebody has stopped it.
  std::optional<Verification> Measure(Restored restored, const std::vector<Suspect>& suspects) {
    if (is_stopped_) return std::nullopt;
    Verification verification{.restored = restored};
    for (const auto& [layer, part] : suspects) {
      verification.parts.push_back({comparison_.layers[layer].name, part});
    }
    const std::size_t samples = ends_->samples(), before = runs_done_ * samples;
    const auto progress = [&](std::size_t done, std::size_t) {
      return !options_.verify_progress || options_.verify_progress(before + done, runs_ * samples);
    };
    auto measured = [&]() -> Result<std::optional<std::vector<double>>> {
      CBOARD_ASSIGN_OR_RETURN(GraphEdits edits, EditsFor(restored, suspects));
      return ends_->Measure(std::move(edits), progress);
    }();
    ++runs_done_;
    if (!measured) {
      verification.why_not = measured.error().message;
    } else if (!*measured) {
      is_stopped_ = true;
      return std::nullopt;
    } else {
      verification.layer_sqnr_db = **std::move(measured);
      verification.sqnr_db = MeanOf(verification.layer_sqnr_db);
    }
    return verification;
  }

  struct Tried {
    std::vector<Suspect> suspects;
    Verification verification;

    bool IsBetterThan(const Tried& other) const {
      if (verification.why_not.empty() != other.verification.why_not.empty()) {
        return verification.why_not.empty();
      }
      return verification.sqnr_db > other.verification.sqnr_db;
    }
  };

  void MeasureSuspects() {
    for (const Suspect& suspect : suspects_) {
      if (auto measured = Measure(Restored::kParts, {suspect})) {
        tried_.push_back({{suspect}, *std::move(measured)});
      }
    }
    std::ranges::stable_sort(tried_,
                             [](const Tried& a, const Tried& b) { return a.IsBetterThan(b); });
    for (const Tried& each : tried_) comparison_.verified.push_back(each.verification);
  }

  // The best part first, and with each step the one that then gives most. Those that give most on
  // their own are tried first: errors of different parts add up, whatever the others are.
  void MeasureTogether() {
    if (tried_.empty() || !tried_[0].verification.why_not.empty()) return;
    Tried best = tried_[0];
    if (best.verification.sqnr_db < comparison_.verified[0].sqnr_db) return;
    while (best.suspects.size() < kMostTogether) {
      std::optional<Tried> next;
      std::size_t count = 0;
      for (const Tried& each : tried_) {
        const Suspect& other = each.suspects[0];
        if (!each.verification.why_not.empty() || count == kTriedAtATime) break;
        if (std::ranges::find(best.suspects, other) != best.suspects.end()) continue;
        ++count;
        std::vector<Suspect> together = best.suspects;
        together.push_back(other);
        auto measured = Measure(Restored::kParts, together);
        if (!measured) return;
        Tried candidate{std::move(together), *std::move(measured)};
        if (!next || candidate.IsBetterThan(*next)) next = std::move(candidate);
      }
      if (!next || !next->verification.why_not.empty()) return;
      if (!(next->verification.sqnr_db >= best.verification.sqnr_db + kWorthwhileDb)) return;
      best = *std::move(next);
      comparison_.verified.push_back(best.verification);
    }
  }

  // Whether less than half of the error goes away with the parts that the diagnosis blames, and
  // more would with all.
  bool ExplainsLittle() const {
    const double as_it_is = comparison_.verified[0].sqnr_db;
    double best = as_it_is, most = as_it_is;
    for (const Verification& run : comparison_.verified) {
      if (!run.why_not.empty()) continue;
      if (run.restored == Restored::kEverything) most = run.sqnr_db;
      if (run.restored == Restored::kParts || run.restored == Restored::kRedLayers ||
          run.restored == Restored::kHurtLayers) {
        best = std::max(best, run.sqnr_db);
      }
    }
    return best < as_it_is + kHalfDb && most >= as_it_is + 2 * kHalfDb;
  }

  // The parts that cost most, each alone in a network of floats, and what the end would keep
  // without their errors.
  void SearchByHalves() {
    std::vector<Suspect> parts;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      for (const Part part : {Part::kWeight, Part::kOutput}) {
        if (CanRestore({i, part})) parts.push_back({i, part});
      }
    }
    std::ranges::stable_sort(
        parts, {}, [&](const Suspect& each) { return comparison_.layers[each.layer].depth; });
    const PartSearch search{.most = kMostTogether};
    runs_ = runs_done_ + search.max_runs + 1;
    std::vector<Verification> alone(parts.size());
    const auto cost_of = [&](std::size_t first, std::size_t end) -> std::optional<double> {
      const std::vector<Suspect> kept(parts.begin() + static_cast<std::ptrdiff_t>(first),
                                      parts.begin() + static_cast<std::ptrdiff_t>(end));
      auto measured = Measure(Restored::kAllButParts, kept);
      if (!measured) return std::nullopt;
      if (!measured->why_not.empty()) return std::numeric_limits<double>::quiet_NaN();
      const double cost = std::pow(10, -measured->sqnr_db / 10);
      if (kept.size() == 1) alone[first] = *std::move(measured);
      return cost;
    };
    std::vector<Suspect> together;
    for (const CostlyPart& found : FindCostliestParts(parts.size(), search, cost_of)) {
      comparison_.verified.push_back(std::move(alone[found.part]));
      together.push_back(parts[found.part]);
    }
    if (together.empty()) return;
    if (auto measured = Measure(Restored::kParts, together)) {
      comparison_.verified.push_back(*std::move(measured));
    }
  }

  const ModelGraph& baseline_;
  const ModelGraph& variant_;
  const std::vector<RestorableLayer>& layers_;
  const CompareOptions& options_;
  ModelComparison& comparison_;
  NetworkEnds* ends_ = nullptr;
  std::vector<Suspect> suspects_;
  std::vector<Tried> tried_;  // One part each, the best first.
  std::size_t runs_ = 0, runs_done_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

std::string_view NameOf(Restored restored) {
  switch (restored) {
    case Restored::kNothing:
      return "nothing";
    case Restored::kParts:
      return "parts";
    case Restored::kRedLayers:
      return "red_layers";
    case Restored::kHurtLayers:
      return "red_and_amber_layers";
    case Restored::kAllWeights:
      return "all_weights";
    case Restored::kAllOutputs:
      return "all_outputs";
    case Restored::kEverything:
      return "everything";
    case Restored::kAllButParts:
      return "all_but_parts";
  }
  return "";
}

Result<void> VerifyComparison(const ModelGraph& baseline, const ModelGraph& variant,
                              const std::vector<RestorableLayer>& layers,
                              const CompareOptions& options, ModelComparison& comparison) {
  return Verifier(baseline, variant, layers, options, comparison).Run();
}

}  // namespace cboard::compare
