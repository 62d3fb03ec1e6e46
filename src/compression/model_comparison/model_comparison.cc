#include "cboard/compression/model_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "cboard/base/strings.h"
#include "compression/model_comparison/affine_steps.h"
#include "compression/model_comparison/byte_shares.h"
#include "compression/model_comparison/channel_importance.h"
#include "compression/model_comparison/compare_graphs.h"
#include "compression/model_comparison/diagnosis.h"
#include "compression/model_comparison/error_path.h"
#include "compression/model_comparison/float_nodes.h"
#include "compression/model_comparison/layer_pairing.h"
#include "compression/model_comparison/output_comparison.h"
#include "compression/model_comparison/ranked_fixes.h"
#include "compression/model_comparison/remarks.h"
#include "compression/model_comparison/verification.h"
#include "compression/model_comparison/weight_comparison.h"
#include "compression/parallel.h"

namespace cboard::compare {
namespace {

// An output this near to the baseline's shows that factors of channels are undone later.
constexpr double kSoundOutputDb = 20;

// Deviations of the output by channel: those seen, or those that inputs of unit variance give.
std::vector<double> DeviationsOf(const std::optional<Comparison>& output,
                                 const Comparison& weights) {
  std::vector<double> deviations;
  const bool is_seen = output && output->channels.size() == weights.channels.size();
  for (const PairStatistics& channel : is_seen ? output->channels : weights.channels) {
    const TensorStatistics& values = channel.reference;
    const double n = std::max(1.0, static_cast<double>(values.finite_count()));
    const double mean = values.sum / n;
    deviations.push_back(is_seen ? std::sqrt(std::max(0.0, values.sum_squares / n - mean * mean))
                                 : std::sqrt(values.sum_squares));
  }
  return deviations;
}

bool IsWorse(const Diagnosis& a, const Diagnosis& b) {
  if (a.level != b.level) return a.level > b.level;
  return a.severity_db < b.severity_db;
}

bool IsDynamic(const ModelGraph& model) {
  return std::ranges::any_of(model.nodes(), [](const ModelNode& node) {
    return node.op_type.starts_with("DynamicQuantize");
  });
}

class Comparer {
 public:
  Comparer(const ModelGraph& baseline, const ModelGraph& variant, const CompareOptions& options)
      : baseline_(baseline), variant_(variant), options_(options) {}

  Result<ModelComparison> Run() {
    ours_ = FindWeightLayers(baseline_);
    theirs_ = FindWeightLayers(variant_);
    importance_.emplace(baseline_, ours_);
    CBOARD_ASSIGN_OR_RETURN(pairing_, PairLayers(baseline_, ours_, variant_, theirs_));
    CBOARD_RETURN_IF_ERROR(FoldLayers());
    if (pairing_.pairs.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "no layer of " + Quoted(baseline_.path().string()) + " (" +
                      std::to_string(ours_.size()) + " with weights) has a partner in " +
                      Quoted(variant_.path().string()) + " (" + std::to_string(theirs_.size()) +
                      "); compare two files of one model");
    }
    ModelComparison result{.baseline = baseline_.path(),
                           .variant = variant_.path(),
                           .baseline_bytes = baseline_.file_bytes(),
                           .variant_bytes = variant_.file_bytes(),
                           .is_dynamic = IsDynamic(variant_),
                           .bytes = CompareBytes(baseline_, ours_, variant_, theirs_),
                           .lint = LintModel(variant_)};
    baseline_outputs_.resize(pairing_.pairs.size(), kNoTensor);
    result.why_not_run = WhyNotRun();
    if (result.why_not_run.empty()) CBOARD_RETURN_IF_ERROR(RunModels(result));
    result.layers.resize(pairing_.pairs.size());
    CBOARD_RETURN_IF_ERROR(ForEachInParallel(
        pairing_.pairs.size(),
        [&](std::size_t, std::size_t i) -> Result<void> {
          CBOARD_ASSIGN_OR_RETURN(result.layers[i], CompareLayer(pairing_.pairs[i], i));
          return {};
        },
        nullptr, ParallelOptions::ForLargeItems()));
    CBOARD_RETURN_IF_ERROR(AddTensors(result));
    AddInputErrors(result);
    SortLayers(result);
    for (const std::size_t i : pairing_.baseline_only) {
      result.baseline_only.emplace_back(NameOf(baseline_, ours_[i]));
    }
    for (const std::size_t i : pairing_.variant_only) {
      result.variant_only.emplace_back(NameOf(variant_, theirs_[i]));
    }
    result.remarks = RemarksOn(result);
    if (options_.verify > 0) {
      CBOARD_RETURN_IF_ERROR(VerifyComparison(baseline_, variant_, restorable_, options_, result));
    }
    return result;
  }

 private:
  // Finds out what became part of weights, and lets layers end where both have had the same done to
  // them.
  Result<void> FoldLayers() {
    foldings_.resize(pairing_.pairs.size());
    CBOARD_RETURN_IF_ERROR(ForEachInParallel(
        pairing_.pairs.size(),
        [&](std::size_t, std::size_t i) -> Result<void> {
          const LayerPair& pair = pairing_.pairs[i];
          CBOARD_ASSIGN_OR_RETURN(
              foldings_[i],
              FindFolding(baseline_, Read(ours_[pair.baseline], pair.baseline_reading), variant_,
                          Read(theirs_[pair.variant], pair.variant_reading)));
          return {};
        },
        nullptr, ParallelOptions::ForLargeItems()));
    for (std::size_t i = 0; i < pairing_.pairs.size(); ++i) {
      ModelLayer& before = ours_[pairing_.pairs[i].baseline];
      ModelLayer& after = theirs_[pairing_.pairs[i].variant];
      std::size_t a = foldings_[i].baseline_steps, b = foldings_[i].variant_steps;
      for (; a < before.steps.size() && b < after.steps.size(); ++a, ++b) {
        if (baseline_.node(before.steps[a].node).op_type !=
            variant_.node(after.steps[b].node).op_type) {
          break;
        }
      }
      CutSteps(baseline_, a, before);
      CutSteps(variant_, b, after);
    }
    return {};
  }

  std::string WhyNotRun() const {
    if (options_.samples == 0) return "no samples were asked for";
    for (const ModelGraph* model : {&baseline_, &variant_}) {
      if (model->format() == ModelFormat::kOnnx) continue;
      return Quoted(model->path().filename().string()) + " is no ONNX file";
    }
    return {};
  }

  Result<void> RunModels(ModelComparison& result) {
    std::vector<OutputPlan> plans;
    std::vector<std::size_t> places;  // Of the pairs that have a plan.
    restorable_.resize(pairing_.pairs.size());
    for (std::size_t i = 0; i < pairing_.pairs.size(); ++i) {
      const LayerPair& pair = pairing_.pairs[i];
      auto plan = PlanOutput(baseline_, ours_[pair.baseline], variant_, theirs_[pair.variant]);
      if (!plan) continue;
      baseline_outputs_[i] = baseline_.FindTensor(plan->baseline);
      restorable_[i].output = *plan;
      plans.push_back(*std::move(plan));
      places.push_back(i);
    }
    tensors_ = PairQuantizedTensors(baseline_, variant_, theirs_);
    for (const TensorPair& tensor : tensors_) plans.push_back(tensor.plan);
    std::vector<SaturationCheck> checks;
    std::vector<std::size_t> checked;  // Likewise.
    for (std::size_t i = 0; i < pairing_.pairs.size(); ++i) {
      auto check = SaturationCheck::For(variant_, theirs_[pairing_.pairs[i].variant]);
      if (!check) continue;
      checks.push_back(*std::move(check));
      checked.push_back(i);
    }
    if (plans.empty() && checks.empty()) {
      result.why_not_run = "no layer has an output that can be captured";
      return {};
    }
    CBOARD_ASSIGN_OR_RETURN(OutputSummary summary,
                            CompareOutputs(baseline_, variant_, plans, checks, options_));
    outputs_.resize(pairing_.pairs.size());
    saturations_.resize(pairing_.pairs.size());
    for (std::size_t i = 0; i < checks.size(); ++i) saturations_[checked[i]] = checks[i].Build();
    for (std::size_t i = 0; i < places.size(); ++i) {
      outputs_[places[i]] = std::move(summary.outputs[i]);
    }
    for (std::size_t i = places.size(); i < plans.size(); ++i) {
      tensor_outputs_.push_back(std::move(summary.outputs[i]));
    }
    result.samples = summary.samples;
    result.sample_source = summary.source;
    result.is_generated = summary.is_generated;
    result.input_shapes = summary.input_shapes;
    return {};
  }

  // Safe from many threads, for different positions.
  Result<LayerComparison> CompareLayer(const LayerPair& pair, std::size_t position) {
    const ModelLayer before = Read(ours_[pair.baseline], pair.baseline_reading);
    const ModelLayer after = Read(theirs_[pair.variant], pair.variant_reading);
    LayerComparison layer{.name = NameOf(baseline_, before),
                          .variant_name = NameOf(variant_, after),
                          .weights_name = std::string(before.part),
                          .op_type = std::string(OperatorOf(baseline_, before)),
                          .is_in_body = IsInBody(baseline_, before),
                          .paired_by = pair.how,
                          .depth = before.depth,
                          .baseline_bytes = before.bytes,
                          .variant_bytes = after.bytes};
    if (!outputs_.empty()) {
      TakeOutputs(outputs_[position], layer);
      layer.saturation = saturations_[position];
    }
    const Folding& folding = foldings_[position];
    const bool has_sound_output =
        !layer.accumulated || layer.accumulated->total.SqnrDb() >= kSoundOutputDb;
    // Gates are not linear: nobody behind them could undo a factor.
    const bool allow_rescaling = has_sound_output && before.part.empty();
    auto weights = CompareWeights(baseline_, before, variant_, after, folding, allow_rescaling,
                                  options_.thresholds);
    if (!weights) return Fail(Annotate(weights.error(), "layer " + Quoted(layer.name)));
    layer.bits = weights->bits;
    layer.precision = weights->precision;
    layer.is_rescaled = weights->is_rescaled;
    for (std::size_t i = 0; i < folding.baseline_steps; ++i) {
      layer.folded.push_back(baseline_.node(before.steps[i].node).name);
    }
    for (std::size_t i = 0; i < folding.variant_steps; ++i) {
      layer.folded.push_back(variant_.node(after.steps[i].node).name);
    }
    layer.weight = weights->comparison;
    if (!restorable_.empty()) KeepWeights(before, after, folding, *weights, restorable_[position]);
    layer.diagnosis = Diagnose(weights->ToEvidence(), options_.thresholds);
    if (!layer.is_rescaled || !layer.folded.empty()) {
      CBOARD_RETURN_IF_ERROR(CompareBias(before, after, folding, layer));
    }
    const bool has_hurt_weights = layer.diagnosis.level != Level::kGreen;
    CBOARD_ASSIGN_OR_RETURN(const std::vector<Fix> for_output, JudgeOutput(position, layer));
    const bool has_hurt_output = !for_output.empty() || (layer.diagnosis.level != Level::kGreen &&
                                                         layer.diagnosis.part == Part::kOutput);
    if (!restorable_.empty()) {
      restorable_[position].has_hurt_weights = has_hurt_weights;
      restorable_[position].has_hurt_output = has_hurt_output;
    }
    AddFloatNodes(baseline_, baseline_outputs_[position], has_hurt_output, layer);
    layer.fixes = RankFixes(layer, std::move(weights->fixes), for_output, options_.thresholds);
    if (options_.histograms) CBOARD_RETURN_IF_ERROR(AddHistograms(before, after, folding, layer));
    return layer;
  }

  // For those that are other than the baseline's.
  void KeepWeights(const ModelLayer& before, const ModelLayer& after, const Folding& folding,
                   const WeightFindings& findings, RestorableLayer& layer) const {
    const bool is_stored = variant_.tensor(after.weight).source == after.weight;
    const bool is_same = is_stored && findings.comparison.total.sum_squared_error == 0;
    if (is_same || !CanRestoreWeights(variant_, after)) return;
    layer.weights = PairedWeights{before, after, folding, findings.rescaling};
  }

  static void TakeOutputs(OutputFindings& findings, LayerComparison& layer) {
    layer.local = std::move(findings.local);
    layer.accumulated = std::move(findings.accumulated);
    layer.output_histograms = std::move(findings.histograms);
    layer.sample_cosines = std::move(findings.sample_cosines);
  }

  Result<void> CompareBias(const ModelLayer& before, const ModelLayer& after,
                           const Folding& folding, LayerComparison& layer) {
    // Gates come between a bias and what the node gives out.
    const auto deviations =
        DeviationsOf(before.part.empty() ? layer.accumulated : std::nullopt, *layer.weight);
    CBOARD_ASSIGN_OR_RETURN(const auto shifts,
                            BiasShifts(baseline_, before, variant_, after, folding, deviations));
    if (!shifts || shifts->empty()) return {};
    double squares = 0;
    for (const double shift : *shifts) squares += shift * shift;
    layer.bias_shift = std::sqrt(squares / static_cast<double>(shifts->size()));
    const auto worst = std::ranges::max_element(*shifts);
    Diagnosis bias =
        DiagnoseBias(*layer.bias_shift, *worst, static_cast<std::size_t>(worst - shifts->begin()),
                     options_.thresholds);
    if (IsWorse(bias, layer.diagnosis)) layer.diagnosis = std::move(bias);
    return {};
  }

  // Returns what would help the output, if that is hurt.
  Result<std::vector<Fix>> JudgeOutput(std::size_t position, LayerComparison& layer) {
    if (!layer.local) return std::vector<Fix>();
    const LayerPair& pair = pairing_.pairs[position];
    const ModelTensor& codes = variant_.tensor(theirs_[pair.variant].quantized->codes);
    if (codes.quantization->scales.empty()) return std::vector<Fix>();
    CBOARD_ASSIGN_OR_RETURN(
        OutputDiagnosis output,
        DiagnoseOutput(baseline_outputs_[position], codes.quantization->bits(),
                       double{codes.quantization->scales[0]}, outputs_[position], layer));
    if (IsWorse(output.diagnosis, layer.diagnosis)) std::swap(output.diagnosis, layer.diagnosis);
    // Both may be hurt, and mending one would not be enough.
    if (const Diagnosis& other = output.diagnosis; !other.explanation.empty()) {
      layer.diagnosis.explanation +=
          "; besides, in its " + std::string(NameOf(other.part)) + ": " + other.explanation;
    }
    return std::move(output.fixes);
  }

  struct OutputDiagnosis {
    Diagnosis diagnosis;
    std::vector<Fix> fixes;  // Unless it is green.
  };

  // Sets what is useful of the output, too.
  Result<OutputDiagnosis> DiagnoseOutput(TensorId tensor, int bits, double step,
                                         const OutputFindings& findings,
                                         LayerComparison& layer) const {
    CBOARD_ASSIGN_OR_RETURN(std::vector<double> importance,
                            importance_->Of(tensor, layer.local->channels.size()));
    layer.useful_output_db = UsefulSqnrDb(*layer.local, importance);
    Evidence evidence{.part = Part::kOutput,
                      .comparison = &*layer.local,
                      .bits = bits,
                      .step = step,
                      .baseline_energy = layer.accumulated->total.reference.sum_squares,
                      .channel_importance = std::move(importance)};
    OutputDiagnosis found{.diagnosis = Diagnose(evidence, options_.thresholds), .fixes = {}};
    // A quantizer that suits the baseline is not to blame for what errors before make it cut off.
    if (found.diagnosis.level != Level::kGreen && findings.undisturbed) {
      evidence.comparison = &*findings.undisturbed;
      Diagnosis undisturbed = Diagnose(evidence, options_.thresholds);
      if (undisturbed.level < found.diagnosis.level) found.diagnosis = std::move(undisturbed);
    }
    if (found.diagnosis.level != Level::kGreen && findings.values) {
      found.fixes = FixOutput(layer, evidence.channel_importance, *findings.values, *findings.grid);
    }
    return found;
  }

  Result<void> AddHistograms(const ModelLayer& before, const ModelLayer& after,
                             const Folding& folding, LayerComparison& layer) {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> x,
                            ReadScaled(baseline_, before, folding.baseline.factors));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> y,
                            ReadScaled(variant_, after, folding.variant.factors));
    CBOARD_ASSIGN_OR_RETURN(HistogramData ours, ComputeHistogram(TensorView(x)));
    CBOARD_ASSIGN_OR_RETURN(HistogramData theirs, ComputeHistogram(TensorView(y)));
    layer.weight_histograms = Histograms{std::move(ours), std::move(theirs)};
    return {};
  }

  // Layers without weights, whose outputs are quantized.
  Result<void> AddTensors(ModelComparison& result) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      LayerComparison layer{.name = tensors_[i].name,
                            .variant_name = tensors_[i].variant_name,
                            .op_type = tensors_[i].op_type,
                            .paired_by = PairedBy::kTensor,
                            .depth = tensors_[i].depth,
                            .bits = tensors_[i].bits,
                            .precision = "int" + std::to_string(tensors_[i].bits)};
      TakeOutputs(tensor_outputs_[i], layer);
      if (!layer.local) continue;
      CBOARD_ASSIGN_OR_RETURN(
          const OutputDiagnosis output,
          DiagnoseOutput(baseline_.FindTensor(tensors_[i].plan.baseline), layer.bits,
                         tensors_[i].plan.grid->scale, tensor_outputs_[i], layer));
      layer.diagnosis = output.diagnosis;
      AddFloatNodes(baseline_, baseline_.FindTensor(tensors_[i].plan.baseline), true, layer);
      layer.fixes = RankFixes(layer, {}, output.fixes, options_.thresholds);
      result.layers.push_back(std::move(layer));
      restorable_.push_back(
          {.output = tensors_[i].plan, .has_hurt_output = output.diagnosis.level != Level::kGreen});
      baseline_outputs_.push_back(baseline_.FindTensor(tensors_[i].plan.baseline));
    }
    return {};
  }

  // The worst first, and what can be restored of them likewise.
  void SortLayers(ModelComparison& result) {
    std::vector<std::size_t> order(result.layers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, IsWorse, [&](std::size_t i) -> const Diagnosis& {
      return result.layers[i].diagnosis;
    });
    restorable_.resize(order.size());
    std::vector<LayerComparison> layers;
    std::vector<RestorableLayer> restorable;
    for (const std::size_t i : order) {
      layers.push_back(std::move(result.layers[i]));
      restorable.push_back(std::move(restorable_[i]));
    }
    result.layers = std::move(layers);
    restorable_ = std::move(restorable);
  }

  // Of all layers, in the order of `baseline_outputs_`.
  void AddInputErrors(ModelComparison& result) const {
    std::unordered_map<TensorId, double> measured;
    for (std::size_t i = 0; i < baseline_outputs_.size(); ++i) {
      if (baseline_outputs_[i] == kNoTensor || !result.layers[i].accumulated) continue;
      measured[baseline_outputs_[i]] = result.layers[i].accumulated->total.SqnrDb();
    }
    const ErrorPath path(baseline_, measured);
    for (std::size_t i = 0; i < baseline_outputs_.size(); ++i) {
      if (baseline_outputs_[i] == kNoTensor || !result.layers[i].accumulated) continue;
      const bool is_pair = i < pairing_.pairs.size();
      const NodeId node = is_pair ? ours_[pairing_.pairs[i].baseline].node
                                  : baseline_.tensor(baseline_outputs_[i]).producer;
      const double db = node == kNoNode ? HUGE_VAL : path.WorstInputDb(node);
      if (std::isfinite(db)) result.layers[i].input_sqnr_db = db;
    }
  }

  const ModelGraph& baseline_;
  const ModelGraph& variant_;
  const CompareOptions& options_;
  std::vector<ModelLayer> ours_, theirs_;
  LayerPairing pairing_;
  std::optional<ChannelImportance> importance_;
  std::vector<Folding> foldings_;  // Of the pairs.
  std::vector<TensorId>
      baseline_outputs_;  // Outputs in the baseline: of the pairs, then of `tensors_`.
  std::vector<TensorPair> tensors_;
  std::vector<OutputFindings> outputs_, tensor_outputs_;
  std::vector<std::optional<SaturationCount>> saturations_;
  std::vector<RestorableLayer> restorable_;  // With samples; in the order of the layers.
};

}  // namespace

Result<ModelComparison> CompareModels(const std::filesystem::path& baseline,
                                      const std::filesystem::path& variant,
                                      const CompareOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const ModelGraph before, OpenModel(baseline, options.shapes));
  CBOARD_ASSIGN_OR_RETURN(const ModelGraph after, OpenModel(variant, options.shapes));
  return CompareGraphs(before, after, options);
}

Result<ModelComparison> CompareGraphs(const ModelGraph& baseline, const ModelGraph& variant,
                                      const CompareOptions& options) {
  return Comparer(baseline, variant, options).Run();
}

std::string VariantName(const ModelComparison& comparison) {
  std::map<std::string_view, std::size_t> layers;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.weight) ++layers[layer.precision];
  }
  const auto most = std::ranges::max_element(layers, {}, [](const auto& e) { return e.second; });
  return most == layers.end() || most->first == "fp32" ? "variant" : std::string(most->first);
}

}  // namespace cboard::compare
