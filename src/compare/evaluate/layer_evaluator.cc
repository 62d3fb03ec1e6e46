#include "compare/evaluate/layer_evaluator.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "cboard/base/strings.h"
#include "compare/diagnosis/channel_sizes.h"
#include "compare/diagnosis/diagnosis.h"
#include "compare/fixes/float_nodes.h"
#include "compare/fixes/ranked_fixes.h"
#include "compare/layers/float_operators.h"
#include "compare/layers/quantizers.h"
#include "compare/measure/channel_histograms.h"

namespace cboard::compare {
namespace {

// If a layer's output has at least this SQNR in dB, factors between the channels of its weights are
// no damage, because later layers undo the factors.
constexpr double kGoodOutputDb = 20;

// Standard deviation of each output channel. Errors of the bias are given in units of this standard
// deviation. If the output was not captured, inputs with a variance of 1 are assumed.
OutputSpread SpreadOf(const std::optional<tensor::Comparison>& output,
                      const tensor::Comparison& weights) {
  OutputSpread spread;
  if (!output || output->channels.size() != weights.channels.size()) {
    for (const tensor::PairStatistics& channel : weights.channels) {
      spread.deviations.push_back(std::sqrt(channel.reference.sum_squares));
    }
    return spread;
  }
  const bool shows_channels = ShowsChannels(*output);
  for (const tensor::PairStatistics& channel : output->channels) {
    const tensor::PairStatistics& varying = shows_channels ? channel : output->total;
    const bool is_empty = channel.finite_count() == 0;
    spread.deviations.push_back(is_empty ? 0 : std::sqrt(VarianceOf(varying.reference)));
    spread.errors.push_back(is_empty ? 0 : channel.Rmse());
  }
  return spread;
}

void TakeOutputs(OutputFindings& findings, LayerComparison& layer) {
  layer.local = std::move(findings.local);
  layer.accumulated = std::move(findings.accumulated);
  layer.output_histograms = std::move(findings.histograms);
  layer.output_channels = std::move(findings.channel_histograms);
  layer.sample_cosines = std::move(findings.sample_cosines);
  layer.output_axis = findings.channel_axis;
}

}  // namespace

EvaluatedLayer LayerEvaluator::Describe(std::size_t position, const ModelLayer& before,
                                        const ModelLayer& after) const {
  EvaluatedLayer judged{.comparison = {.name = NameOf(models_.baseline, before),
                                       .variant_name = NameOf(models_.variant, after),
                                       .weights_name = std::string(before.part),
                                       .op_type = std::string(OperatorOf(models_.baseline, before)),
                                       .is_in_body = IsInBody(models_.baseline, before),
                                       .paired_by = models_.pairing.pairs[position].how,
                                       .depth = before.depth,
                                       .baseline_bytes = before.bytes,
                                       .variant_bytes = after.bytes},
                        .restorable = {},
                        .node = before.node};
  const FoldedSteps& folded = models_.folded[position];
  for (std::size_t i = 0; i < folded.baseline; ++i) {
    judged.comparison.folded.push_back(models_.baseline.node(before.steps[i].node).name);
  }
  for (std::size_t i = 0; i < folded.variant; ++i) {
    judged.comparison.folded.push_back(models_.variant.node(after.steps[i].node).name);
  }
  return judged;
}

Result<EvaluatedLayer> LayerEvaluator::EvaluatePair(std::size_t position, PairRun* run) const {
  const ModelLayer before = models_.Before(position), after = models_.After(position);
  CBOARD_ASSIGN_OR_RETURN(const Folding folding, models_.FoldingOf(position));
  EvaluatedLayer judged = Describe(position, before, after);
  LayerComparison& layer = judged.comparison;
  if (run != nullptr) {
    TakeOutputs(run->findings, layer);
    layer.saturation = run->saturation;
    judged.restorable.output = run->plan;
    judged.restorable.values = run->findings.values;
    if (run->plan) judged.output = models_.baseline.FindTensor(run->plan->baseline);
  }
  const bool has_sound_output =
      !layer.accumulated || layer.accumulated->total.SqnrDb() >= kGoodOutputDb;
  // The gates of recurrent layers are not linear, so later layers cannot undo a factor of a
  // channel.
  const bool allow_rescaling = has_sound_output && before.part.empty();
  auto weights = CompareWeights(models_.baseline, before, models_.variant, after, folding,
                                {.allow_rescaling = allow_rescaling,
                                 .by_channel = have_channels_[position],
                                 .thresholds = options_.thresholds});
  if (!weights) return Fail(Annotate(weights.error(), "layer " + Quoted(layer.name)));
  layer.bits = weights->bits;
  layer.precision = weights->precision;
  layer.is_rescaled = weights->is_rescaled;
  layer.diagnosis = Diagnose(weights->ToEvidence(), options_.thresholds);
  if (run != nullptr) {
    judged.restorable.weights = WeightsToRestore(position, *weights);
    judged.restorable.has_one_scale =
        weights->step.has_value() && weights->comparison.channels.size() > 1 && weights->bits < 32;
  }
  if (weights->pruned.count > 0) {
    layer.pruned_share = static_cast<double>(weights->pruned.count) /
                         static_cast<double>(weights->comparison.total.finite_count());
  }
  layer.weight = std::move(weights->comparison);
  if (weights->rescaling.empty() || folding.HasFactors()) {
    CBOARD_RETURN_IF_ERROR(CompareBias(before, after, folding, layer));
  }
  const bool has_damaged_weights = layer.diagnosis.level != Level::kGreen;
  std::vector<Fix> for_output;
  if (run != nullptr) {
    CBOARD_ASSIGN_OR_RETURN(for_output, EvaluateOutput(after, judged.output, run->findings, layer));
  }
  const bool has_damaged_output = !for_output.empty() || (layer.diagnosis.level != Level::kGreen &&
                                                          layer.diagnosis.part == Part::kOutput);
  if (run != nullptr) {
    judged.restorable.has_damaged_weights = has_damaged_weights;
    judged.restorable.has_damaged_output = has_damaged_output;
  }
  AddFloatNodes(models_.baseline, judged.output, has_damaged_output, layer);
  layer.fixes = RankFixes(layer, std::move(weights->fixes), for_output, options_.thresholds);
  if (options_.histograms) CBOARD_RETURN_IF_ERROR(AddHistograms(before, after, folding, layer));
  return judged;
}

Result<std::optional<EvaluatedLayer>> LayerEvaluator::EvaluateTensor(TensorRun& run) const {
  const TensorPair& pair = run.pair;
  const model::TensorId output = models_.baseline.FindTensor(pair.plan.baseline);
  EvaluatedLayer judged{
      .comparison = {.name = pair.name,
                     .variant_name = pair.variant_name,
                     .op_type = pair.op_type,
                     .paired_by = PairedBy::kTensor,
                     .depth = pair.depth,
                     .bits = pair.bits,
                     .precision = pair.plan.grid ? "int" + std::to_string(pair.bits) : "fp32"},
      .restorable = {},
      .output = output,
      .node =
          output == model::kNoTensor ? model::kNoNode : models_.baseline.tensor(output).producer};
  LayerComparison& layer = judged.comparison;
  TakeOutputs(run.findings, layer);
  judged.restorable.output = pair.plan;
  judged.restorable.values = run.findings.values;
  if (!pair.plan.grid) {  // The layer rounds nothing itself, so it has no local error.
    layer.diagnosis = {.part = Part::kOutput, .severity_db = HUGE_VAL};
    return layer.accumulated ? std::optional(std::move(judged)) : std::nullopt;
  }
  if (!layer.local) return std::nullopt;
  CBOARD_ASSIGN_OR_RETURN(
      OutputDiagnosis found,
      DiagnoseOutput(output, layer.bits, pair.plan.grid->scale, run.findings, layer));
  layer.diagnosis = std::move(found.diagnosis);
  AddFloatNodes(models_.baseline, output, true, layer);
  layer.fixes = RankFixes(layer, {}, found.fixes, options_.thresholds);
  judged.restorable.has_damaged_output = layer.diagnosis.level != Level::kGreen;
  return judged;
}

namespace {

// Counts values that are nonzero in `before` and zero in `after`.
std::size_t CountLost(const std::vector<float>& before, const std::vector<float>& after) {
  std::size_t lost = 0;
  for (std::size_t i = 0; i < before.size(); ++i) lost += before[i] != 0 && after[i] == 0;
  return lost;
}

}  // namespace

Result<void> LayerEvaluator::EvaluateConstants(std::vector<EvaluatedLayer>& layers) const {
  // The layer is red or amber if more than this share of the values of a gain or slope became zero.
  constexpr double kManyLost = 0.5, kSomeLost = 0.1;
  // Constants with fewer values are not compared as gains: they are settings of the operator, such
  // as an epsilon.
  constexpr std::size_t kMinValues = 4;
  const model::ModelGraph& variant = models_.variant;
  std::unordered_set<model::TensorId> done;
  for (const ModelLayer& layer : models_.theirs) done.insert({layer.weight, layer.bias});
  for (const model::ModelNode& node : variant.nodes()) {
    if (!IsDequantizer(node) || node.parent != model::kNoNode || node.outputs.empty()) continue;
    const model::TensorId after = node.outputs[0];
    if (!variant.IsWeight(after) || !done.insert(after).second) continue;
    if (variant.consumers(after).empty() || !IsFloat(variant.tensor(after))) continue;
    const model::TensorId before =
        models_.baseline.FindTensor(WithoutQuantizationSuffix(variant.tensor(after).name));
    if (!models_.baseline.IsWeight(before)) continue;
    if (models_.baseline.tensor(before).shape != variant.tensor(after).shape) continue;
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> x, models_.baseline.ReadWeights(before));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> y, variant.ReadWeights(after));
    if (x.size() != y.size() || x.size() < kMinValues) continue;
    CBOARD_ASSIGN_OR_RETURN(tensor::Comparison compared, Compare(TensorView(x), TensorView(y)));
    const model::NodeId user = models_.baseline.consumers(before).empty()
                                   ? model::kNoNode
                                   : models_.baseline.consumers(before)[0];
    if (user == model::kNoNode) continue;
    const std::string& name = models_.baseline.node(user).name;
    auto place = std::ranges::find_if(layers, [&](const EvaluatedLayer& layer) {
      return layer.comparison.name == name && !layer.comparison.weight;
    });
    if (place == layers.end()) {
      if (std::ranges::any_of(
              layers, [&](const EvaluatedLayer& layer) { return layer.comparison.name == name; })) {
        continue;  // The diagnosis of its weights has priority.
      }
      EvaluatedLayer added{
          .comparison = {.name = name,
                         .variant_name = variant.node(variant.consumers(after)[0]).name,
                         .op_type = models_.baseline.node(user).op_type,
                         .depth = model::IndexOf(user),
                         .bits = 8,
                         .precision = "int8"},
          .restorable = {},
          .node = user};
      added.comparison.diagnosis.level = Level::kGreen;
      added.comparison.diagnosis.severity_db = HUGE_VAL;
      place = layers.insert(layers.end(), std::move(added));
    }
    LayerComparison& layer = place->comparison;
    const model::ModelQuantization* how = QuantizationOf(variant, after);
    Evidence evidence{.part = Part::kWeight, .comparison = &compared};
    if (how != nullptr && how->scales.size() == 1) evidence.step = double{how->scales[0]};
    Diagnosis found = Diagnose(evidence, options_.thresholds);
    const std::size_t lost = CountLost(x, y);
    const double share = static_cast<double>(lost) / static_cast<double>(x.size());
    if (share > kSomeLost) {
      found.level = share > kManyLost ? Level::kRed : Level::kAmber;
      found.cause = Cause::kDeadChannel;
      found.severity_db =
          std::min(found.severity_db, share > kManyLost ? 0 : options_.thresholds.sqnr_red_db);
      found.explanation = HumanCount(lost) + " of " + HumanCount(x.size()) +
                          " values of its constant became 0: one scale for all of them, and a few "
                          "are much larger";
    }
    // Constants with a lower SQNR were changed, not only rounded: equalization multiplies such
    // constants by factors.
    constexpr double kSameConstantDb = 10;
    if (compared.total.SqnrDb() < kSameConstantDb && share <= kSomeLost) continue;
    layer.weight = std::move(compared);
    if (IsWorse(found, layer.diagnosis)) {
      layer.diagnosis = std::move(found);
      AddFloatNodes(models_.baseline, place->output, false, layer);
      layer.fixes = {{.action = "keep the layer in float32", .sqnr_db = HUGE_VAL}};
    }
  }
  return {};
}

// Returns the weights of a pair if they can be restored and differ from the baseline's weights.
std::optional<PairedWeights> LayerEvaluator::WeightsToRestore(
    std::size_t position, const WeightFindings& findings) const {
  const ModelLayer after = models_.After(position);
  const bool is_stored = models_.variant.tensor(after.weight).source == after.weight;
  const bool is_same = is_stored && findings.comparison.total.sum_squared_error == 0;
  if (is_same || !CanRestoreWeights(models_.variant, after)) return std::nullopt;
  return PairedWeights{models_.Before(position), after, models_.folded[position],
                       &models_.equalized[position], findings.rescaling};
}

Result<void> LayerEvaluator::CompareBias(const ModelLayer& before, const ModelLayer& after,
                                         const Folding& folding, LayerComparison& layer) const {
  // In a recurrent node, the gates are computed between the bias and the output.
  const OutputSpread spread =
      SpreadOf(before.part.empty() ? layer.accumulated : std::nullopt, *layer.weight);
  CBOARD_ASSIGN_OR_RETURN(const auto shifts, BiasShifts(models_.baseline, before, models_.variant,
                                                        after, folding, spread));
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

Result<std::vector<Fix>> LayerEvaluator::EvaluateOutput(const ModelLayer& after,
                                                        model::TensorId output,
                                                        const OutputFindings& findings,
                                                        LayerComparison& layer) const {
  if (!layer.local) return std::vector<Fix>();
  const model::ModelTensor& codes = models_.variant.tensor(after.quantized->codes);
  if (codes.quantization->scales.empty()) return std::vector<Fix>();
  CBOARD_ASSIGN_OR_RETURN(OutputDiagnosis found,
                          DiagnoseOutput(output, codes.quantization->bits(),
                                         double{codes.quantization->scales[0]}, findings, layer));
  if (IsWorse(found.diagnosis, layer.diagnosis)) std::swap(found.diagnosis, layer.diagnosis);
  // Mentions the other damaged part (weights or output) of the layer, too, because fixing only one
  // part would not be enough.
  if (const Diagnosis& other = found.diagnosis; !other.explanation.empty()) {
    layer.diagnosis.explanation +=
        "; besides, in its " + std::string(NameOf(other.part)) + ": " + other.explanation;
  }
  return std::move(found.fixes);
}

Result<LayerEvaluator::OutputDiagnosis> LayerEvaluator::DiagnoseOutput(
    model::TensorId tensor, int bits, double step, const OutputFindings& findings,
    LayerComparison& layer) const {
  std::vector<double> importance;
  if (const std::size_t channels = layer.local->channels.size(); channels > 0) {
    CBOARD_ASSIGN_OR_RETURN(importance, importance_.Of(tensor, channels));
  }
  layer.useful_output_db = WeightedSqnrDb(*layer.local, importance);
  Evidence evidence{
      .part = Part::kOutput,
      .comparison = &*layer.local,
      .bits = bits,
      .step = std::isfinite(step) ? std::optional(step) : std::nullopt,
      .clipping_residual = findings.grid ? std::optional(findings.local_residual) : std::nullopt,
      .baseline_energy = layer.accumulated->total.reference.sum_squares,
      .channel_importance = std::move(importance)};
  OutputDiagnosis found{.diagnosis = Diagnose(evidence, options_.thresholds), .fixes = {}};
  // Evaluates the quantizer also on the baseline's values. If the quantizer clips only values that
  // earlier errors have changed, it is not the cause.
  if (found.diagnosis.level != Level::kGreen && findings.undisturbed) {
    evidence.comparison = &*findings.undisturbed;
    evidence.clipping_residual = findings.baseline_input_residual;
    Diagnosis undisturbed = Diagnose(evidence, options_.thresholds);
    if (undisturbed.level < found.diagnosis.level) found.diagnosis = std::move(undisturbed);
  }
  if (found.diagnosis.level != Level::kGreen && findings.values && findings.grid) {
    found.fixes = FixOutput(layer, evidence.channel_importance, *findings.values, *findings.grid);
  }
  return found;
}

Result<void> LayerEvaluator::AddHistograms(const ModelLayer& before, const ModelLayer& after,
                                           const Folding& folding, LayerComparison& layer) const {
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> x,
                          ReadScaled(models_.baseline, before, folding.baseline.factors));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> y,
                          ReadScaled(models_.variant, after, folding.variant.factors));
  CBOARD_ASSIGN_OR_RETURN(tensor::HistogramData ours, tensor::ComputeHistogram(TensorView(x)));
  CBOARD_ASSIGN_OR_RETURN(tensor::HistogramData theirs, tensor::ComputeHistogram(TensorView(y)));
  layer.weight_histograms = Histograms{std::move(ours), std::move(theirs)};
  CBOARD_ASSIGN_OR_RETURN(
      layer.weight_channels,
      WeightChannels(models_.baseline, before, models_.variant, after, folding, *layer.weight));
  return {};
}

}  // namespace cboard::compare
