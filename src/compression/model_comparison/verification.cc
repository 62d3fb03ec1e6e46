#include "compression/model_comparison/verification.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/runtime/capture.h"
#include "cboard/tensor/convert.h"

namespace cboard::compare {
namespace {

// Parts that are restored together at most, and how many of the others each step tries to add.
constexpr std::size_t kMostTogether = 3;
constexpr std::size_t kTriedAtATime = 3;
// What another part has to give to be worth naming.
constexpr double kWorthwhileDb = 0.1;
// The baseline's answers are kept up to this much, and computed again beyond.
constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20;

// The baseline's output at the end of the network, for one sample.
struct Answer {
  std::vector<float> values;
  std::vector<std::int64_t> shape;
};

// Runs the compressed model, edited in many ways, against one baseline.
class EndOfNetwork {
 public:
  static Result<EndOfNetwork> Open(const ModelGraph& baseline, const ModelGraph& variant,
                                   const OutputPlan& end, const CompareOptions& options,
                                   std::size_t samples) {
    CBOARD_ASSIGN_OR_RETURN(ModelCapture capture,
                            ModelCapture::Open(baseline.path(), {.tensors = {{end.baseline}}}));
    CBOARD_ASSIGN_OR_RETURN(
        std::unique_ptr<SampleSource> source,
        OpenSamples(options.data, capture.session().inputs(), {.max_samples = samples}));
    return EndOfNetwork(std::move(capture), variant, end, std::move(source));
  }

  std::size_t samples() const { return samples_->size(); }

  // The SQNR in dB of the output with these edits. Nothing when `progress` has said false.
  Result<std::optional<double>> Measure(
      GraphEdits edits, const std::function<bool(std::size_t done, std::size_t)>& progress) {
    CBOARD_ASSIGN_OR_RETURN(const ModelCapture edited,
                            ModelCapture::Open(variant_.path(), {.tensors = {{end_.variant}},
                                                                 .edits = std::move(edits)}));
    const bool has_answers = answers_.size() == samples_->size();
    std::vector<const ModelCapture*> models = {&edited};
    if (!has_answers) models.push_back(&baseline_);
    ComparisonBuilder builder;
    CBOARD_ASSIGN_OR_RETURN(const CaptureSummary summary,
                            CaptureSamples(
                                *samples_, models,
                                [&](const CapturedSample& sample) -> Result<void> {
                                  if (!has_answers) CBOARD_RETURN_IF_ERROR(KeepAnswer(sample));
                                  return Compare(sample, builder);
                                },
                                progress));
    if (summary.is_stopped) return std::optional<double>();
    const double db = builder.Build().total.SqnrDb();
    if (std::isnan(db)) return Fail(ErrorCode::kInvalidArgument, "it gives no finite numbers");
    return std::optional(db);
  }

 private:
  EndOfNetwork(ModelCapture baseline, const ModelGraph& variant, const OutputPlan& end,
               std::unique_ptr<SampleSource> samples)
      : baseline_(std::move(baseline)),
        variant_(variant),
        end_(end),
        samples_(std::move(samples)) {}

  Result<void> KeepAnswer(const CapturedSample& sample) {
    if (sample.index != answers_.size()) return {};  // Kept before, or there was no room.
    const TensorView* answer = sample.results[1].Find(end_.baseline);
    if (answer == nullptr) return {};
    const std::size_t bytes = answer->element_count() * sizeof(float);
    if (bytes > kMaxKeptBytes - kept_bytes_) return {};
    kept_bytes_ += bytes;
    CBOARD_ASSIGN_OR_RETURN(std::vector<float> values, ToFloats(*answer));
    answers_.push_back({std::move(values), answer->shape});
    return {};
  }

  Result<void> Compare(const CapturedSample& sample, ComparisonBuilder& builder) const {
    const TensorView* found = sample.results[0].Find(end_.variant);
    if (found == nullptr) return Fail(ErrorCode::kInvalidArgument, "it gives no numbers");
    TensorView compressed = *found;
    if (end_.codes) {
      compressed.quantization =
          Quantization::PerTensor(end_.codes->scales, end_.codes->zero_points);
    }
    if (sample.index < answers_.size()) {
      const Answer& answer = answers_[sample.index];
      return builder.Add(TensorView(answer.values, answer.shape), compressed);
    }
    return builder.Add(*sample.results[1].Find(end_.baseline), compressed);
  }

  ModelCapture baseline_;
  const ModelGraph& variant_;
  const OutputPlan& end_;
  std::unique_ptr<SampleSource> samples_;
  std::vector<Answer> answers_;  // Of the first samples.
  std::size_t kept_bytes_ = 0;
};

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
    const LayerComparison* last = LastLayer(comparison_);
    comparison_.why_not_verified = WhyNot(last);
    if (!comparison_.why_not_verified.empty()) return {};
    comparison_.verified_layer = last->name;
    const double as_it_is = last->accumulated->total.SqnrDb();
    comparison_.verified.push_back({.restored = Restored::kNothing, .sqnr_db = as_it_is});
    CBOARD_ASSIGN_OR_RETURN(EndOfNetwork end, EndOfNetwork::Open(baseline_, variant_,
                                                                 *layers_[PositionOf(*last)].output,
                                                                 options_, comparison_.samples));
    end_ = &end;
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

  std::string WhyNot(const LayerComparison* last) const {
    if (!comparison_.why_not_run.empty()) return comparison_.why_not_run;
    bool can_restore = false;
    for (std::size_t i = 0; i < layers_.size() && !can_restore; ++i) {
      can_restore = CanRestore({i, Part::kWeight}) || CanRestore({i, Part::kOutput});
    }
    if (!can_restore) {
      return "nothing in " + Quoted(variant_.path().filename().string()) +
             " is quantized by QuantizeLinear and DequantizeLinear around operators on floats, "
             "which could be passed by; quantize it in the QDQ format";
    }
    if (last == nullptr || !layers_[PositionOf(*last)].output) return "no output was compared";
    const double db = last->accumulated->total.SqnrDb();
    if (std::isinf(db) && db > 0) {
      return "the last layer, " + Quoted(last->name) + ", gives exactly what the baseline gives";
    }
    return {};
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
      CBOARD_RETURN_IF_ERROR(Add(suspect, restoration));
    }
    const bool is_everything = restored == Restored::kEverything;
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

  // Nothing once somebody has stopped it.
  std::optional<Verification> Measure(Restored restored, const std::vector<Suspect>& suspects) {
    if (is_stopped_) return std::nullopt;
    Verification verification{.restored = restored};
    for (const auto& [layer, part] : suspects) {
      verification.parts.push_back({comparison_.layers[layer].name, part});
    }
    const std::size_t samples = end_->samples(), before = runs_done_ * samples;
    const auto progress = [&](std::size_t done, std::size_t) {
      return !options_.verify_progress || options_.verify_progress(before + done, runs_ * samples);
    };
    const auto measured = [&]() -> Result<std::optional<double>> {
      CBOARD_ASSIGN_OR_RETURN(GraphEdits edits, EditsFor(restored, suspects));
      return end_->Measure(std::move(edits), progress);
    }();
    ++runs_done_;
    if (!measured) {
      verification.why_not = measured.error().message;
    } else if (!*measured) {
      is_stopped_ = true;
      return std::nullopt;
    } else {
      verification.sqnr_db = **measured;
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

  const ModelGraph& baseline_;
  const ModelGraph& variant_;
  const std::vector<RestorableLayer>& layers_;
  const CompareOptions& options_;
  ModelComparison& comparison_;
  EndOfNetwork* end_ = nullptr;
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
  }
  return "";
}

Result<void> VerifyComparison(const ModelGraph& baseline, const ModelGraph& variant,
                              const std::vector<RestorableLayer>& layers,
                              const CompareOptions& options, ModelComparison& comparison) {
  return Verifier(baseline, variant, layers, options, comparison).Run();
}

}  // namespace cboard::compare
