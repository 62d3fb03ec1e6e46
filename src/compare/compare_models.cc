#include "cboard/compare/compare_models.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/temporary_folder.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/runtime/capture.h"
#include "cboard/runtime/session.h"
#include "compare/blame/measured_blame.h"
#include "compare/blame/qdq_form.h"
#include "compare/compare_graphs.h"
#include "compare/diagnosis/comparison_notes.h"
#include "compare/diagnosis/diagnosis.h"
#include "compare/evaluate/evaluated_layers.h"
#include "compare/evaluate/layer_evaluator.h"
#include "compare/folding/equalization.h"
#include "compare/layers/unread_weights.h"
#include "compare/measure/byte_shares.h"
#include "compare/measure/end_outputs.h"
#include "compare/measure/model_runs.h"
#include "compare/pairing/paired_models.h"
#include "compare/pairing/resized_layers.h"
#include "compare/verdict/end_blame.h"
#include "compare/verdict/evaluate_ends.h"
#include "compare/verify/verification.h"

namespace cboard::compare {
namespace {

// Returns the scheme by which activations are quantized. Returns the static scheme if the file does
// not show it, because most models are quantized statically.
QuantizationScheme SchemeOf(const model::ModelGraph& model, const std::vector<ModelLayer>& layers) {
  const bool is_dynamic = std::ranges::any_of(model.nodes(), [](const model::ModelNode& node) {
    return node.op_type.starts_with("DynamicQuantize");
  });
  if (is_dynamic) return QuantizationScheme::kDynamic;
  const bool has_codes = std::ranges::any_of(layers, [&](const ModelLayer& layer) {
    return model.tensor(model.tensor(layer.weight).source).quantization.has_value();
  });
  const bool rounds_activations =
      std::ranges::any_of(model.tensors(), [](const model::ModelTensor& tensor) {
        return tensor.quantization && tensor.source == model::kNoTensor;
      });
  return has_codes && !rounds_activations ? QuantizationScheme::kWeightOnly
                                          : QuantizationScheme::kStatic;
}

std::string NotRunReason(const PairedModels& models, const CompareOptions& options,
                         const ComputedOutputs* computed) {
  if (computed != nullptr) return {};
  if (options.samples == 0) return "no samples were asked for";
  for (const model::ModelGraph* model : {&models.baseline, &models.variant}) {
    if (model->format() == model::ModelFormat::kOnnx) continue;
    return Quoted(model->path().filename().string()) + " is no ONNX file";
  }
  if (AreRunsAskedFor(options)) return {};
  const Result<runtime::RuntimeInfo> runtime = runtime::FindRuntime();
  return runtime ? "" : runtime.error().message + ", to have outputs compared, too";
}

// Describes the two files and the samples; layers are added later.
ModelComparison Describe(const PairedModels& models, const OutputSummary& samples) {
  ModelComparison result{
      .baseline = models.baseline.path(),
      .variant = models.variant.path(),
      .baseline_bytes = models.baseline.file_bytes(),
      .variant_bytes = models.variant.file_bytes(),
      .baseline_version = models.baseline.version(),
      .variant_version = models.variant.version(),
      .scheme = SchemeOf(models.variant, models.theirs),
      .bytes = CompareBytes(models.baseline, models.ours, models.variant, models.theirs),
      .lint = LintModel(models.variant)};
  for (const std::size_t i : models.pairing.baseline_only) {
    result.baseline_only.emplace_back(NameOf(models.baseline, models.ours[i]));
  }
  for (const std::size_t i : models.pairing.variant_only) {
    result.variant_only.emplace_back(NameOf(models.variant, models.theirs[i]));
  }
  result.samples = samples.samples;
  result.sample_source = samples.source;
  result.is_generated = samples.is_generated;
  result.input_shapes = samples.input_shapes;
  return result;
}

EndVerdict VerdictOf(const OutputSummary* runs, const std::string& why_not_run) {
  if (runs != nullptr && why_not_run.empty()) {
    return EvaluateEnds(runs->ends, runs->samples, runs->is_generated, runs->source);
  }
  EndVerdict verdict;
  verdict.sentence = "Not measured at the end: only weights were compared, since " +
                     (why_not_run.empty() ? "nothing was run" : why_not_run) + ".";
  return verdict;
}

// Evaluates all pairs of layers. If `runs` is given, also evaluates the other tensors that were
// captured.
Result<std::vector<EvaluatedLayer>> EvaluateLayers(const PairedModels& models, ModelRuns* runs,
                                                   const CompareOptions& options) {
  const LayerEvaluator judge(models, options);
  std::vector<EvaluatedLayer> layers(models.size());
  CBOARD_RETURN_IF_ERROR(ForEachInParallel(
      models.size(),
      [&](std::size_t, std::size_t i) -> Result<void> {
        CBOARD_ASSIGN_OR_RETURN(layers[i],
                                judge.EvaluatePair(i, runs == nullptr ? nullptr : &runs->pairs[i]));
        return {};
      },
      nullptr, ParallelOptions::ForLargeItems()));
  if (runs == nullptr) {
    CBOARD_RETURN_IF_ERROR(judge.EvaluateConstants(layers));
    return layers;
  }
  for (TensorRun& run : runs->tensors) {
    CBOARD_ASSIGN_OR_RETURN(std::optional<EvaluatedLayer> layer, judge.EvaluateTensor(run));
    if (layer) layers.push_back(*std::move(layer));
  }
  CBOARD_RETURN_IF_ERROR(judge.EvaluateConstants(layers));
  return layers;
}

// Finds the causes in the QDQ form of the model: quantizers inside of operators on integer codes
// (QLinearConv, …) cannot be bypassed, but in the QDQ form all quantizers can be bypassed. Layers
// have the same names in both forms.
Result<void> MeasureInQdqForm(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                              const CompareOptions& options, ModelComparison& comparison) {
  const auto edits = QdqFormOf(variant);
  if (!edits) {
    return Fail(ErrorCode::kFailedPrecondition,
                "the model has integer operators that cannot be written as float operators with "
                "QuantizeLinear and DequantizeLinear");
  }
  constexpr std::uint64_t kMaxBytes =
      (std::uint64_t{1} << 31) - 1;  // The size limit of protobuf messages.
  CBOARD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(variant.path(), kMaxBytes));
  CBOARD_ASSIGN_OR_RETURN(const std::string edited, runtime::EditGraph(bytes, *edits));
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "variant.onnx";
  CBOARD_RETURN_IF_ERROR(WriteFileAtomically(path, edited));
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph same, model::OpenModel(path, options.shapes));
  CompareOptions once = options;
  once.verify = 0;
  CBOARD_ASSIGN_OR_RETURN(ModelComparison found, CompareGraphs(baseline, same, once));
  if (found.verdict.level < VerdictLevel::kDegraded) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        "the outputs are not damaged when float operators with QuantizeLinear and DequantizeLinear "
        "replace the integer kernels, so the integer kernels are the cause");
  }
  for (LayerComparison& layer : comparison.layers) {
    const auto other = std::ranges::find(found.layers, layer.name, &LayerComparison::name);
    if (other == found.layers.end()) continue;
    layer.diagnosis = other->diagnosis;
    layer.fixes = std::move(other->fixes);
    layer.float_nodes = std::move(other->float_nodes);
  }
  comparison.verdict.suspects = std::move(found.verdict.suspects);
  comparison.verdict.blame_note =
      found.verdict.blame_note +
      " The operators on codes were run as operators on floats with quantizers between them.";
  std::ranges::stable_sort(comparison.layers, IsWorse, &LayerComparison::diagnosis);
  return {};
}

}  // namespace

Result<ModelComparison> CompareModels(const std::filesystem::path& baseline,
                                      const std::filesystem::path& variant,
                                      const CompareOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph before,
                          model::OpenModel(baseline, options.shapes));
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph after, model::OpenModel(variant, options.shapes));
  Result<ModelComparison> comparison = CompareGraphs(before, after, options);
  // If a file changed during the comparison, this is the reason for any other error.
  CBOARD_RETURN_IF_ERROR(before.CheckUnchanged());
  CBOARD_RETURN_IF_ERROR(after.CheckUnchanged());
  return comparison;
}

Result<ModelComparison> CompareComputed(const std::filesystem::path& baseline,
                                        const std::filesystem::path& variant,
                                        const ComputedOutputs& outputs,
                                        const CompareOptions& options) {
  if (outputs.samples.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "no outputs were given; give the outputs of at least one sample");
  }
  if (options.verify > 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "verify works with ONNX files only, not with outputs that were computed before; "
                "compare ONNX files instead");
  }
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph before, model::OpenModel(baseline));
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph after, model::OpenModel(variant));
  return CompareGraphs(before, after, options, &outputs);
}

Result<ModelComparison> CompareGraphs(const model::ModelGraph& baseline,
                                      const model::ModelGraph& variant,
                                      const CompareOptions& options,
                                      const ComputedOutputs* computed) {
  CBOARD_ASSIGN_OR_RETURN(const PairedModels models, PairEqualizedModels(baseline, variant));
  std::string why_not_run = NotRunReason(models, options, computed);
  std::optional<ModelRuns> runs;
  if (why_not_run.empty()) {
    CBOARD_ASSIGN_OR_RETURN(runs, RunModels(models, options, computed));
    why_not_run = runs->why_not;
  }
  CBOARD_ASSIGN_OR_RETURN(std::vector<EvaluatedLayer> layers,
                          EvaluateLayers(models, runs ? &*runs : nullptr, options));
  AddInputErrors(baseline, layers);
  AttributeNonFiniteToFirstLayer(layers);
  SortWorstFirst(layers);
  EndVerdict verdict = VerdictOf(runs ? &runs->samples : nullptr, why_not_run);
  BlameSharedScales(baseline, verdict, layers);
  ForgiveWhereSound(verdict, layers);
  ModelComparison result = Describe(models, runs ? runs->samples : OutputSummary{});
  result.why_not_run = why_not_run;
  result.verdict = std::move(verdict);
  std::vector<RestorableLayer> restorable;
  restorable.reserve(layers.size());
  for (EvaluatedLayer& layer : layers) restorable.push_back(std::move(layer.restorable));
  result.layers.reserve(layers.size());
  for (EvaluatedLayer& layer : layers) result.layers.push_back(std::move(layer.comparison));
  result.remarks = NotesOn(result);
  if (auto resized = ResizedLayersNote(models)) result.remarks.push_back(*std::move(resized));
  for (const model::ModelGraph* model : {&baseline, &variant}) {
    for (const std::string& sentence : UnreadWeights(*model)) result.remarks.push_back(sentence);
  }
  if (options.verify > 0) {
    CBOARD_RETURN_IF_ERROR(VerifyComparison(baseline, variant, restorable, options, result));
  }
  if (result.verdict.level >= VerdictLevel::kDegraded) {
    if (computed != nullptr) {
      result.verdict.blame_note =
          "Blame is not measured, because the models were not run here: layers are ranked by their "
          "own figures.";
    } else if (options.blame_seconds > 0 && HasCodeOperators(variant)) {
      const auto done = MeasureInQdqForm(baseline, variant, options, result);
      if (!done) {
        result.verdict.blame_note = "Blame is not measured: " + done.error().message + ".";
      }
    } else if (options.blame_seconds > 0) {
      MeasureBlame(baseline, variant, restorable, options, result);
    } else {
      result.verdict.blame_note =
          "Blame is not measured (--quick): layers are ranked by their own figures.";
    }
  }
  NameSuspects(result);
  return result;
}

namespace {

Result<runtime::ModelCapture> OpenCapture(const std::filesystem::path& model,
                                          std::vector<std::string> tensors,
                                          const runtime::SessionOptions& session) {
  runtime::CaptureOptions options;
  options.session = session;
  options.tensors = std::move(tensors);
  return runtime::ModelCapture::Open(model, options);
}

}  // namespace

Result<EndVerdict> MeasureEnds(const std::filesystem::path& baseline,
                               const std::filesystem::path& variant, runtime::SampleSource& samples,
                               const runtime::SessionOptions& session) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph baseline_graph, model::OpenModel(baseline));
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph variant_graph, model::OpenModel(variant));
  EndGatherer gatherer(baseline_graph, variant_graph);
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture before,
                          OpenCapture(baseline, gatherer.BaselineTensors(), session));
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture after,
                          OpenCapture(variant, gatherer.VariantTensors(), session));
  const runtime::ModelCapture* const models[] = {&before, &after};
  CBOARD_ASSIGN_OR_RETURN(
      const runtime::CaptureSummary summary,
      runtime::CaptureSamples(samples, models, [&](const runtime::CapturedSample& sample) {
        return gatherer.Add(FindIn(sample));
      }));
  return EvaluateEnds(gatherer.Build(), summary.samples, summary.is_generated, summary.source);
}

Result<EndTensors> FindEndTensors(const std::filesystem::path& baseline) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph graph, model::OpenModel(baseline));
  EndTensors tensors;
  for (const model::TensorId output : graph.outputs()) {
    tensors.outputs.push_back(graph.tensor(output).name);
  }
  for (std::string& name : EndGatherer(graph, graph).BaselineTensors()) {
    if (std::ranges::find(tensors.outputs, name) != tensors.outputs.end()) continue;
    tensors.shapes.push_back(std::move(name));
  }
  return tensors;
}

Result<EndVerdict> MeasureEnds(const std::filesystem::path& baseline,
                               const std::filesystem::path& variant, runtime::SampleSource& samples,
                               std::span<const std::vector<runtime::NamedTensor>> computed,
                               const runtime::SessionOptions& session) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph baseline_graph, model::OpenModel(baseline));
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph variant_graph, model::OpenModel(variant));
  EndGatherer gatherer(baseline_graph, variant_graph);
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture after,
                          OpenCapture(variant, gatherer.VariantTensors(), session));
  const runtime::ModelCapture* const models[] = {&after};
  const auto add = [&](const runtime::CapturedSample& sample) -> Result<void> {
    if (sample.index >= computed.size()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the outputs of the baseline are missing for some samples");
    }
    const auto find_in = [](std::span<const runtime::NamedTensor> tensors,
                            const std::string& name) -> const TensorView* {
      const auto found = std::ranges::find(tensors, name, &runtime::NamedTensor::name);
      return found == tensors.end() ? nullptr : &found->tensor;
    };
    return gatherer.Add([&](std::size_t side, const std::string& name) -> const TensorView* {
      const TensorView* const found =
          side == 0 ? find_in(computed[sample.index], name) : sample.results[0].Find(name);
      return found != nullptr ? found : find_in(sample.inputs, name);
    });
  };
  CBOARD_ASSIGN_OR_RETURN(const runtime::CaptureSummary summary,
                          runtime::CaptureSamples(samples, models, add));
  return EvaluateEnds(gatherer.Build(), summary.samples, summary.is_generated, summary.source);
}

}  // namespace cboard::compare
