#include "compare/measure/model_runs.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "cboard/runtime/session.h"
#include "compare/layers/channel_layout.h"
#include "compare/measure/channel_importance.h"
#include "compare/measure/input_gains.h"

namespace cboard::compare {
namespace {

// Computes the factors by which equalization has multiplied tensors of the baseline: outputs of
// layers, the tensors behind them, and outputs of normalizations.
class TensorFactors {
 public:
  explicit TensorFactors(const PairedModels& models) : models_(models) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      const ModelLayer& layer = models.ours[models.pairing.pairs[i].baseline];
      const Equalized& equalized = models.equalized[i];
      if (!equalized.outputs.empty()) outputs_.emplace(layer.output, &equalized.outputs);
      if (!equalized.undoes_gains) continue;
      const model::TensorId data = DataOf(models.baseline, layer);
      for (const model::TensorId tensor : TensorsWithGains(models, data)) {
        gained_.emplace(tensor, equalized.inputs.size());
      }
    }
  }

  Result<void> AddTo(OutputPlan& plan) const {
    const model::ModelGraph& model = models_.baseline;
    model::TensorId tensor = model.FindTensor(plan.baseline);
    if (const auto gained = gained_.find(tensor); gained != gained_.end()) {
      const model::TensorId theirs =
          models_.variant.FindTensor(plan.before.empty() ? plan.variant : plan.before);
      CBOARD_ASSIGN_OR_RETURN(auto gains, GainsBetween(models_, tensor, theirs, gained->second));
      if (gains) plan.factors = *std::move(gains);
      return {};
    }
    while (!outputs_.empty() && tensor != model::kNoTensor) {
      if (const auto found = outputs_.find(tensor); found != outputs_.end()) {
        plan.factors = *found->second;
        return {};
      }
      const model::NodeId producer = model.tensor(tensor).producer;
      if (producer == model::kNoNode || !IsChannelwise(model.node(producer).op_type)) break;
      const auto& inputs = model.node(producer).inputs;
      tensor = inputs.empty() ? model::kNoTensor : inputs[0];
    }
    return {};
  }

 private:
  const PairedModels& models_;
  std::unordered_map<model::TensorId, const std::vector<double>*> outputs_;
  std::unordered_map<model::TensorId, std::size_t> gained_;  // By tensor: its number of channels.
};

// Finds the channel axis of an output from the graph: it is known for a convolution or matrix
// product, and followed through Transpose, Reshape and Concat.
class OutputAxes {
 public:
  explicit OutputAxes(const model::ModelGraph& model)
      : model_(model), tracer_(model, [this](model::TensorId id) { return ShapeOf(id); }) {}

  // Sets the channel axis in `plan`, except for convolutions and recurrent nodes, whose channel
  // axis is known.
  void AddTo(OutputPlan& plan) const {
    if (plan.channels != ChannelPlace::kByRank || !plan.factors.empty()) return;
    const model::TensorId tensor = model_.FindTensor(plan.baseline);
    if (tensor == model::kNoTensor) return;
    if (const auto layout = tracer_.Trace(tensor)) plan.channel_axis = layout->axis;
  }

 private:
  // Returns the shape of a tensor, with a batch size of 1 if the batch size is dynamic; null if
  // other sizes are dynamic.
  const std::vector<std::int64_t>* ShapeOf(model::TensorId id) const {
    const model::ModelTensor& tensor = model_.tensor(id);
    if (!tensor.has_shape || tensor.shape.empty()) return nullptr;
    for (std::size_t i = 1; i < tensor.shape.size(); ++i) {
      if (tensor.shape[i] < 0) return nullptr;
    }
    if (tensor.shape[0] >= 0) return &tensor.shape;
    std::vector<std::int64_t> shape = tensor.shape;
    shape[0] = 1;
    return &shapes_.insert_or_assign(id, std::move(shape)).first->second;
  }

  const model::ModelGraph& model_;
  mutable std::unordered_map<model::TensorId, std::vector<std::int64_t>> shapes_;
  ChannelTracer tracer_;
};

}  // namespace

bool AreRunsAskedFor(const CompareOptions& options) {
  return options.samples || !options.data.empty() || !options.shapes.empty() ||
         options.verify > 0 || runtime::IsRuntimeNamed();
}

Result<ModelRuns> RunModels(const PairedModels& models, const CompareOptions& options,
                            const ComputedOutputs* computed) {
  ModelRuns runs;
  const TensorFactors factors(models);
  const OutputAxes axes(models.baseline);
  runs.pairs.resize(models.size());
  std::vector<OutputPlan> plans;
  std::vector<OutputFindings*> places;  // The destination of the result of each plan.
  std::vector<SaturationCheck> checks;
  std::vector<std::size_t> checked;  // Pairs of layers that have a saturation check.
  for (std::size_t i = 0; i < models.size(); ++i) {
    const LayerPair& pair = models.pairing.pairs[i];
    const ModelLayer& after = models.theirs[pair.variant];
    runs.pairs[i].plan =
        PlanOutput(models.baseline, models.ours[pair.baseline], models.variant, after);
    if (runs.pairs[i].plan) {
      CBOARD_RETURN_IF_ERROR(factors.AddTo(*runs.pairs[i].plan));
      axes.AddTo(*runs.pairs[i].plan);
      plans.push_back(*runs.pairs[i].plan);
      places.push_back(&runs.pairs[i].findings);
    }
    if (auto check = SaturationCheck::For(models.variant, after)) {
      checks.push_back(*std::move(check));
      checked.push_back(i);
    }
  }
  for (TensorPair& pair : PairQuantizedTensors(models.baseline, models.variant, models.theirs)) {
    runs.tensors.push_back({.pair = std::move(pair), .findings = {}});
  }
  const bool has_others = !plans.empty() || !checks.empty() || !runs.tensors.empty();
  for (TensorPair& pair : PairBodyOutputs(models.baseline, models.variant, models.ours)) {
    runs.tensors.push_back({.pair = std::move(pair), .findings = {}});
  }
  for (TensorRun& tensor : runs.tensors) {
    CBOARD_RETURN_IF_ERROR(factors.AddTo(tensor.pair.plan));
    axes.AddTo(tensor.pair.plan);
    plans.push_back(tensor.pair.plan);
    places.push_back(&tensor.findings);
  }
  const bool has_ends = !PairEnds(models.baseline, models.variant).empty();
  if (plans.empty() && checks.empty() && !has_ends) {
    runs.why_not = "no layer has an output that can be captured";
    return runs;
  }
  auto compared = CompareOutputs(models.baseline, models.variant, plans, checks, options, computed);
  if (!compared) {
    Error error = std::move(compared).error();
    const bool is_little = !has_others && options.data.empty();
    if (computed != nullptr || (AreRunsAskedFor(options) && !is_little)) {
      error.message += "; --samples 0 (in Python, samples=0) compares weights alone";
      return Fail(std::move(error));
    }
    if (!has_others) runs.why_not = "no layer has an output that can be captured, and ";
    runs.why_not += error.message;
    return runs;
  }
  runs.samples = *std::move(compared);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    *places[i] = std::move(runs.samples.outputs[i]);
  }
  runs.samples.outputs.clear();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    runs.pairs[checked[i]].saturation = checks[i].Build();
  }
  return runs;
}

}  // namespace cboard::compare
