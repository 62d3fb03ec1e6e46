#include "compare/folding/equalization.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "cboard/verdict/bit_limits.h"
#include "compare/folding/channel_factors.h"
#include "compare/measure/input_gains.h"
#include "compare/measure/weight_comparison.h"
#include "compare/pairing/channel_budget.h"
#include "compare/pairing/paired_rows.h"

namespace cboard::compare {
namespace {

// Limits of SQNR in dB, for 8 bits. Weights that reach kSameDb without factors were not equalized.
// Weights were equalized if they reach kExplainedDb after the factors are undone, and if this
// improves the SQNR by at least kGainDb.
constexpr double kSameDb = 30, kExplainedDb = 20, kGainDb = 6;
// Maximum difference in dB between the SQNR of a sample of the weights and the SQNR of all weights.
constexpr double kAmbiguityDb = 3;
// Maximum number of nodes between a layer and the layer that undoes its factors.
constexpr std::size_t kMaxNodes = 64;
// Minimum number of weights in a row. With fewer weights, a factor per row would explain any
// difference.
constexpr std::size_t kMinRowElements = 4;

// Known equalization factors of a pair of layers.
struct Known {
  std::optional<InputLayout> layout;  // Set if the pair may be equalized.
  bool is_same = true;                // A sample of its weights equals the baseline's.
  std::vector<std::size_t> sources;   // Previous pairs, whose outputs are its input.
  // The factors of outputs and inputs that turn the variant's weights into the baseline's weights;
  // empty if there are none.
  std::vector<double> outputs, inputs;
  // Only for depthwise convolutions, in which a factor may belong to the input or to the output of
  // a channel. These are the output factors if all factors belong to outputs.
  std::vector<double> other_outputs;
  std::optional<std::size_t> undone_from;  // The previous pair whose output factors `inputs` undo.
  bool is_undone = false;                  // A later layer undoes the output factors.
};

class Finder {
 public:
  explicit Finder(const PairedModels& models) : models_(models), known_(models.size()) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (IsInBody(models.baseline, Ours(i))) continue;
      known_[i].layout = InputsOf(models.baseline, models.Before(i));
      if (known_[i].layout) pairs_.emplace(Ours(i).node, i);
    }
  }

  Result<std::vector<Equalized>> Find() {
    CBOARD_RETURN_IF_ERROR(ForEachInParallel(
        models_.size(),
        [&](std::size_t, std::size_t i) -> Result<void> {
          if (!known_[i].layout) return {};
          CBOARD_ASSIGN_OR_RETURN(known_[i].is_same, LooksSame(i));
          return {};
        },
        nullptr, ParallelOptions::ForLargeItems()));
    std::vector<Equalized> equalized(models_.size());
    if (std::ranges::all_of(known_, &Known::is_same)) return equalized;
    std::vector<std::size_t> order(models_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return Ours(i).depth; });
    for (const std::size_t i : order) {
      if (known_[i].layout) known_[i].sources = SourcesOf(i);
    }
    for (const std::size_t i : order) {
      if (!known_[i].is_same) CBOARD_RETURN_IF_ERROR(Explain(i));
    }
    DropUncompensatedFactors();
    ChannelBudget budget(models_.baseline, models_.variant);
    for (std::size_t i = 0; i < known_.size(); ++i) {
      Known& known = known_[i];
      if (!budget.Take(known.inputs.size() + known.outputs.size())) continue;
      equalized[i].inputs = std::move(known.inputs);
      equalized[i].outputs = std::move(known.outputs);
      equalized[i].undoes_gains = !equalized[i].inputs.empty() && !known.undone_from;
      if (known.layout) equalized[i].layout = *known.layout;
    }
    return equalized;
  }

 private:
  // A guess for the input factors of a pair. They may undo the output factors of the pair `source`,
  // or, without a source, the gains of a normalization. The factors are computed only when the
  // guess is tried, because the factors of all guesses may need more memory than the weights.
  struct Guess {
    std::optional<std::size_t> source;
    bool is_other = false;  // Use `other_outputs` of the source.
  };
  struct Guesses {
    std::optional<std::vector<double>> gains;
    std::vector<Guess> all;
  };

  const ModelLayer& Ours(std::size_t pair) const {
    return models_.ours[models_.pairing.pairs[pair].baseline];
  }

  double LimitOf(std::size_t pair, double limit_db) const {
    const model::TensorId weight = models_.theirs[models_.pairing.pairs[pair].variant].weight;
    return verdict::LimitDb(limit_db, BitsOfWeight(models_.variant, weight));
  }

  // Returns true if a sample of the weights shows that the pair is not equalized, as most pairs are
  // not.
  Result<bool> LooksSame(std::size_t pair) const {
    CBOARD_ASSIGN_OR_RETURN(const SampledRows some, ReadSample(models_, pair));
    const double plain_db = SqnrOf(some.rows.x, some.rows.y);
    return !std::isfinite(plain_db) || plain_db >= LimitOf(pair, kSameDb);
  }

  // Returns true if factors explain a sample of the weights: factors of the outputs, alone or
  // together with one of the guesses for the inputs.
  Result<bool> MayBeExplained(std::size_t pair, const Guesses& guesses) const {
    CBOARD_ASSIGN_OR_RETURN(const SampledRows some, ReadSample(models_, pair));
    const auto& [x, y] = some.rows;
    const double needed_db =
        std::max(LimitOf(pair, kExplainedDb), SqnrOf(x, y) + kGainDb) - kAmbiguityDb;
    if (FitRows(x, y).sqnr_db >= needed_db) return true;
    return std::ranges::any_of(guesses.all, [&](const Guess& guess) {
      const std::vector<double> inputs = InputsBy(guess, guesses, pair);
      const WeightRows scaled = some.ScaledByInputs({inputs, *known_[pair].layout});
      return FitRows(scaled, y).sqnr_db >= needed_db;
    });
  }

  // The pairs of layers whose outputs are the input of this pair.
  std::vector<std::size_t> SourcesOf(std::size_t pair) const {
    const model::ModelGraph& model = models_.baseline;
    std::vector<std::size_t> sources;
    std::vector<model::TensorId> left = {DataOf(model, Ours(pair))};
    std::unordered_set<model::TensorId> seen(left.begin(), left.end());
    for (std::size_t nodes = 0; !left.empty() && nodes < kMaxNodes; ++nodes) {
      const model::TensorId tensor = left.back();
      left.pop_back();
      const model::NodeId producer =
          tensor == model::kNoTensor ? model::kNoNode : model.tensor(tensor).producer;
      if (producer == model::kNoNode) continue;
      if (const auto found = pairs_.find(producer); found != pairs_.end()) {
        sources.push_back(found->second);
        continue;
      }
      for (const model::TensorId input : model.node(producer).inputs) {
        if (input == model::kNoTensor || model.IsWeight(input) || !seen.insert(input).second)
          continue;
        left.push_back(input);
      }
    }
    return sources;
  }

  // Number of inputs of the pair per output channel of `source`; 0 if the numbers do not fit.
  std::size_t InputsPerChannel(std::size_t pair, std::size_t source) const {
    const std::size_t inputs = known_[pair].layout->inputs;
    const std::size_t channels = SizeOf(models_.baseline, models_.Before(source)).channels;
    return channels > 0 && inputs % channels == 0 ? inputs / channels : 0;
  }

  const std::vector<double>& OutputsBy(const Guess& guess) const {
    const Known& before = known_[*guess.source];
    return guess.is_other ? before.other_outputs : before.outputs;
  }

  std::vector<double> InputsBy(const Guess& guess, const Guesses& guesses, std::size_t pair) const {
    if (!guess.source) return Inverse(*guesses.gains, 1);
    return Inverse(OutputsBy(guess), InputsPerChannel(pair, *guess.source));
  }

  Result<Guesses> CandidatesFor(std::size_t pair) const {
    Guesses guesses;
    CBOARD_ASSIGN_OR_RETURN(
        guesses.gains,
        GainsBetween(models_, DataOf(models_.baseline, Ours(pair)),
                     DataOf(models_.variant, models_.theirs[models_.pairing.pairs[pair].variant]),
                     known_[pair].layout->inputs));
    if (guesses.gains && Vary(*guesses.gains)) guesses.all.push_back({});
    for (const std::size_t source : known_[pair].sources) {
      if (InputsPerChannel(pair, source) == 0) continue;
      for (const bool is_other : {false, true}) {
        const Guess guess{source, is_other};
        if (Vary(OutputsBy(guess))) guesses.all.push_back(guess);
      }
    }
    return guesses;
  }

  Result<void> Explain(std::size_t pair) {
    Known& known = known_[pair];
    if (known.layout->row() < kMinRowElements) return {};
    CBOARD_ASSIGN_OR_RETURN(const Guesses guesses, CandidatesFor(pair));
    CBOARD_ASSIGN_OR_RETURN(const bool may_be_explained, MayBeExplained(pair, guesses));
    if (!may_be_explained) return {};
    CBOARD_ASSIGN_OR_RETURN(const PairedRows rows, ReadBoth(models_, pair));
    const auto& [x, y] = rows;
    FittedRows best = FitRows(x, y);
    const double least = LimitOf(pair, kExplainedDb);
    if (known.layout->IsDepthwise()) {
      if (best.sqnr_db >= least) ExplainDepthwise(pair, std::move(best.factors), guesses);
      return {};
    }
    const Guess* right = nullptr;
    double needed_db = std::max(least, best.sqnr_db + kGainDb);
    for (const Guess& guess : guesses.all) {
      const std::vector<double> inputs = InputsBy(guess, guesses, pair);
      WeightRows scaled = x;
      ScaleInputs({inputs, *known.layout}, 0, x.channels, scaled.values);
      FittedRows fitted = FitRows(scaled, y);
      if (!(fitted.sqnr_db >= needed_db)) continue;
      needed_db = fitted.sqnr_db;
      best = std::move(fitted);
      right = &guess;
    }
    if (right != nullptr) {
      known.inputs = InputsBy(*right, guesses, pair);
      const std::vector<double> ones(x.channels, 1);
      RefineInputs(x, y, AreNearlyEqual(best.factors) ? ones : best.factors, *known.layout,
                   known.inputs);
      known.undone_from = right->source;
      if (right->source) Accept(*right->source, right->is_other);
    }
    if (best.sqnr_db >= std::max(least, SqnrOf(x, y) + kGainDb)) {
      known.outputs = std::move(best.factors);
    }
    return {};
  }

  // Sets the factors of a depthwise convolution. Each factor may belong to the input or to the
  // output of a channel, so the outputs could undo any factor of the inputs. Later layers show
  // which outputs have factors.
  void ExplainDepthwise(std::size_t pair, std::vector<double> factors, const Guesses& guesses) {
    Known& known = known_[pair];
    known.outputs = std::move(factors);
    if (guesses.all.empty()) return;
    const Guess& guess = guesses.all.front();
    known.other_outputs = known.outputs;
    known.inputs = InputsBy(guess, guesses, pair);
    known.undone_from = guess.source;
    const std::size_t times = known.outputs.size() / known.inputs.size();
    for (std::size_t i = 0; i < known.outputs.size(); ++i)
      known.outputs[i] /= known.inputs[i / times];
    if (!AreNearlyEqual(known.outputs)) return;
    known.outputs.clear();
    known.other_outputs.clear();
    if (guess.source) Accept(*guess.source, guess.is_other);
  }

  // Called when a later layer undoes the output factors of this pair. This confirms the guess for
  // its inputs.
  void Accept(std::size_t pair, bool is_other) {
    Known& known = known_[pair];
    if (known.is_undone) return;
    known.is_undone = true;
    if (!known.layout->IsDepthwise()) return;
    if (is_other) {
      known.outputs = std::move(known.other_outputs);
      known.inputs.clear();
      known.undone_from.reset();
    }
    known.other_outputs.clear();
    if (known.undone_from) Accept(*known.undone_from, false);
  }

  // Removes factors that at least one reader of the output does not undo: such factors are damage,
  // not equalization.
  void DropUncompensatedFactors() {
    for (std::size_t pair = 0; pair < known_.size(); ++pair) {
      const Known& known = known_[pair];
      for (const std::size_t source : known.sources) {
        const bool is_taken = InputsPerChannel(pair, source) > 0 && Vary(known_[source].outputs);
        if (is_taken && known.undone_from != source) known_[source].is_undone = false;
      }
    }
    for (Known& known : known_) {
      if (!known.is_undone) known.outputs.clear();
      const bool is_kept = !known.undone_from || known_[*known.undone_from].is_undone;
      // The factors of a depthwise convolution are only a guess until a later layer undoes its
      // output factors.
      const bool is_guess = !known.other_outputs.empty();
      if (!is_kept || is_guess) known.inputs.clear();
    }
  }

  const PairedModels& models_;
  std::vector<Known> known_;  // One entry per pair.
  std::unordered_map<model::NodeId, std::size_t> pairs_;
};

}  // namespace

Result<PairedModels> PairEqualizedModels(const model::ModelGraph& baseline,
                                         const model::ModelGraph& variant) {
  CBOARD_ASSIGN_OR_RETURN(PairedModels models, PairModels(baseline, variant));
  CBOARD_ASSIGN_OR_RETURN(models.equalized, Finder(models).Find());
  return models;
}

}  // namespace cboard::compare
