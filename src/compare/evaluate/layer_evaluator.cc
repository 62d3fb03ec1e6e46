#include "compare/evaluate/layer_evaluator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cboard/base/strings.h"
#include "compare/diagnosis/channel_sizes.h"
#include "compare/diagnosis/diagnosis.h"
#include "compare/fixes/float_nodes.h"
#include "compare/fixes/ranked_fixes.h"

namespace cboard::compare {
namespace {

// An output this near to the baseline's shows that factors of channels are undone later.
constexpr double kGoodOutputDb = 20;

// What a bias is judged by, for each channel of `weights`: what the output showed of them, or what
// inputs of unit variance would give.
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
  layer.sample_cosines = std::move(findings.sample_cosines);
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
    if (run->plan) judged.output = models_.baseline.FindTensor(run->plan->baseline);
  }
  const bool has_sound_output =
      !layer.accumulated || layer.accumulated->total.SqnrDb() >= kGoodOutputDb;
  // Gates are not linear: nobody behind them could undo a factor.
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
  }
  if (weights->pruned.count > 0) {
    layer.pruned_share = static_cast<double>(weights->pruned.count) /
                         static_cast<double>(weights->comparison.total.finite_count());
  }
  layer.weight = std::move(weights->comparison);
  if (weights->rescaling.empty() || folding.HasFactors()) {
    CBOARD_RETURN_IF_ERROR(JudgeBias(before, after, folding, layer));
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
  if (!pair.plan.grid) {  // It rounds nothing itself, and loses nothing of its own.
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

// Of those that are other than the baseline's.
std::optional<PairedWeights> LayerEvaluator::WeightsToRestore(
    std::size_t position, const WeightFindings& findings) const {
  const ModelLayer after = models_.After(position);
  const bool is_stored = models_.variant.tensor(after.weight).source == after.weight;
  const bool is_same = is_stored && findings.comparison.total.sum_squared_error == 0;
  if (is_same || !CanRestoreWeights(models_.variant, after)) return std::nullopt;
  return PairedWeights{models_.Before(position), after, models_.folded[position],
                       &models_.equalized[position], findings.rescaling};
}

Result<void> LayerEvaluator::JudgeBias(const ModelLayer& before, const ModelLayer& after,
                                       const Folding& folding, LayerComparison& layer) const {
  // Gates come between a bias and what the node gives out.
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
  // Both may be hurt, and mending one would not be enough.
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
      .step = step,
      .clipping_residual = findings.grid ? std::optional(findings.local_residual) : std::nullopt,
      .baseline_energy = layer.accumulated->total.reference.sum_squares,
      .channel_importance = std::move(importance)};
  OutputDiagnosis found{.diagnosis = Diagnose(evidence, options_.thresholds), .fixes = {}};
  // A quantizer that suits the baseline is not to blame for what errors before make it cut off.
  if (found.diagnosis.level != Level::kGreen && findings.undisturbed) {
    evidence.comparison = &*findings.undisturbed;
    evidence.clipping_residual = findings.baseline_input_residual;
    Diagnosis undisturbed = Diagnose(evidence, options_.thresholds);
    if (undisturbed.level < found.diagnosis.level) found.diagnosis = std::move(undisturbed);
  }
  if (found.diagnosis.level != Level::kGreen && findings.values) {
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
  return {};
}

}  // namespace cboard::compare
