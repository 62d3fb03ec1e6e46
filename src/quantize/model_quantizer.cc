#include "cboard/quantize/model_quantizer.h"

#include <algorithm>
#include <system_error>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/compare/compare_models.h"
#include "quantize/calibration/index_limits.h"
#include "quantize/calibration/statistics_file.h"
#include "quantize/graph/constant_file.h"
#include "quantize/graph/encode_graph.h"
#include "quantize/graph/graph_session.h"
#include "quantize/planning/make_plan.h"
#include "quantize/quantizer_state.h"
#include "quantize/writing/fusion_check.h"
#include "quantize/writing/quantized_graph.h"
#include "quantize/writing/weight_only_graph.h"

namespace cboard::quantize {

ModelQuantizer::ModelQuantizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModelQuantizer::~ModelQuantizer() = default;

const Statistics& ModelQuantizer::statistics() const { return state_->calibration.statistics; }
void ModelQuantizer::SetStatistics(Statistics statistics) {
  state_->calibration.statistics = std::move(statistics);
}
const std::vector<std::string>& ModelQuantizer::notes() const { return state_->notes; }
const QuantizeOptions& ModelQuantizer::options() const { return state_->options; }

namespace {

// Maximum width of a Gram matrix; a wider one takes more than 128 MB.
constexpr std::int64_t kMaxGramWidth = 4096;

std::string Counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

void NotePreparation(const PreparationCounts& counts, std::vector<std::string>& notes) {
  if (counts.upgraded_from_opset != 0) {
    notes.push_back("rewrote opset " + std::to_string(counts.upgraded_from_opset) +
                    " as opset 13, the first with a scale for each channel");
  }
  if (counts.widened_constants > 0) {
    notes.push_back("widened " + Counted(counts.widened_constants, "constant") +
                    " of float16 to float32; inputs and outputs keep their type");
  }
  if (counts.folded_normalizations + counts.folded_factors > 0) {
    notes.push_back("folded " + Counted(counts.folded_normalizations, "BatchNormalization") +
                    " and " + Counted(counts.folded_factors, "constant factor") +
                    " into weights and bias");
  }
}

// Returns the inputs of the last layers before a tensor, at most two.
std::vector<std::string> InputsOfLastLayers(const Graph& graph, const GraphIndex& index,
                                            const std::string& tensor) {
  std::vector<std::string> found, waiting = {tensor};
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < waiting.size() && i < 1000 && found.size() < 2; ++i) {
    const std::size_t producer = index.Producer(waiting[i]);
    if (producer == GraphIndex::kNone || !seen.insert(waiting[i]).second) continue;
    const Node& node = graph.nodes[producer];
    if (node.HasBody()) continue;
    if (!WeightInput(graph, node)) {
      waiting.insert(waiting.end(), node.inputs.begin(), node.inputs.end());
      continue;
    }
    const std::string& input = node.inputs[0];
    if (index.Producer(input) != GraphIndex::kNone && !index.IsOutput(input)) {
      found.push_back(input);
    }
  }
  return found;
}

// Returns the input of the Softmax or Sigmoid before an output, because scores near 0 and 1 hide
// errors; the output itself if there is no such node.
std::string BeforeSquashing(const Graph& graph, const GraphIndex& index,
                            const std::string& output) {
  std::string tensor = output;
  for (int depth = 0; depth < 8; ++depth) {
    const std::size_t producer = index.Producer(tensor);
    if (producer == GraphIndex::kNone) break;
    const Node& node = graph.nodes[producer];
    if (node.Is("Softmax") || node.Is("Sigmoid")) return node.inputs[0];
    const bool only_moves = node.Is("Reshape") || node.Is("Flatten") || node.Is("Squeeze") ||
                            node.Is("Unsqueeze") || node.Is("Transpose") || node.Is("Identity");
    if (!only_moves) break;
    tensor = node.inputs[0];
  }
  return output;
}

// Returns the tensors at which models are compared: heads, and the inputs of the last layers.
std::vector<ComparedTensor> ComparedTensors(const Graph& graph) {
  const GraphIndex index(graph);
  std::vector<ComparedTensor> tensors;
  std::unordered_set<std::string> hidden;
  for (const Value& output : graph.outputs) {
    constexpr int kString = 8;
    const bool has_numbers = output.element_type != 0 && output.element_type != kString;
    if (!has_numbers) continue;  // The output is a string, a sequence or a map.
    tensors.push_back({output.name, BeforeSquashing(graph, index, output.name), false});
  }
  for (const Value& output : graph.outputs) {
    for (const std::string& input : InputsOfLastLayers(graph, index, output.name)) {
      if (hidden.insert(input).second) tensors.push_back({input, input, true});
    }
  }
  return tensors;
}

// Frees memory between writes: weights are read only when a model is written.
void ReleasePages(const ModelQuantizer::State& state) {
  if (state.graph.constant_file != nullptr) state.graph.constant_file->ReleasePages();
  for (const auto& file : state.graph.files) file->ReleasePages();
}

// Checks the target: TensorRT supports the operators of ONNX, but none of ONNX Runtime.
Result<void> CheckTarget(const QuantizeOptions& options) {
  const bool is_known =
      options.precision == Precision::kW8A8 || options.precision == Precision::kHalf;
  if (options.target != Target::kTensorRt || is_known) return {};
  const bool is_dynamic = options.precision == Precision::kDynamic;
  return Fail(ErrorCode::kInvalidArgument,
              "the scheme " + std::string(NameOf(options.precision)) + " needs " +
                  (is_dynamic ? "the operator DynamicQuantizeLinear"
                              : "ONNX Runtime's operator MatMulNBits") +
                  ", which TensorRT does not have; use w8a8 or fp16, or another target");
}

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> ModelQuantizer::Open(const std::filesystem::path& model,
                                                             const QuantizeOptions& options) {
  auto state = std::make_unique<State>();
  state->path = model;
  state->options = options;
  CBOARD_RETURN_IF_ERROR(CheckTarget(options));
  CBOARD_RETURN_IF_ERROR(runtime::FindRuntime());
  CBOARD_ASSIGN_OR_RETURN(state->graph, ReadGraph(model));
  for (const auto& file : state->graph.files) state->baseline_bytes += file->text().size();
  auto counts = PrepareGraph(state->graph, state->session);
  if (!counts) return Fail(Annotate(std::move(counts).error(), Quoted(model.string(), 1000)));
  NotePreparation(*counts, state->notes);
  const bool has_body =
      std::ranges::any_of(state->graph.nodes, [](const Node& node) { return node.HasBody(); });
  if (has_body) state->notes.push_back("the bodies of If, Loop and Scan stay float");
  ConstantFile::MoveConstants(state->graph);
  ReleasePages(*state);
  state->prepared = state->graph;
  state->placement = PlaceQuantizers(state->graph, options);
  state->compared = ComparedTensors(state->graph);
  return std::unique_ptr<ModelQuantizer>(new ModelQuantizer(std::move(state)));
}

namespace {

bool HasBlocks(Precision precision) {
  return precision == Precision::kW8A16 || precision == Precision::kW4A16 ||
         precision == Precision::kW4A8;
}

// Returns the tensors whose statistics the settings need.
CalibrationRequest RequestFor(const ModelQuantizer::State& state) {
  const QuantizeOptions& options = state.options;
  CalibrationRequest request{.threads = options.threads};
  if (options.precision == Precision::kW8A8) {
    for (const auto& [tensor, placed] : state.placement.tensors) {
      request.tensors[tensor] = placed.channel_axis;
    }
  }
  const bool has_blocks = HasBlocks(options.precision);
  for (const Node& node : state.graph.nodes) {
    if (!has_blocks || !WeightInput(state.graph, node)) continue;
    if (node.Is("Conv") && options.bias_correction) request.tensors.try_emplace(node.inputs[0], 1);
    if (!node.Is("MatMul") && !node.Is("Gemm")) continue;
    if (!options.gptq && !options.smooth) continue;
    request.tensors[node.inputs[0]] = kLastAxis;
    const bool is_wide = state.graph.FindConstant(node.inputs[1])->shape[0] > kMaxGramWidth;
    if (options.gptq && !is_wide) request.gram_tensors.push_back(node.inputs[0]);
  }
  if (options.progress) {
    request.progress = [&options](std::size_t done, std::size_t total) {
      return options.progress("calibrating", done, total);
    };
  }
  return request;
}

// Returns the inputs as ONNX Runtime describes them, from a graph without weights.
Result<std::vector<runtime::ModelValue>> InputsOf(const Graph& graph,
                                                  runtime::SessionOptions options) {
  Graph inputs{.path = graph.path,
               .ir_version = graph.ir_version,
               .opsets = graph.opsets,
               .inputs = graph.inputs,
               .used_names = graph.used_names};
  if (graph.inputs.empty()) return std::vector<runtime::ModelValue>{};
  std::vector<std::string> outputs;
  for (const Value& input : graph.inputs) {
    outputs.push_back(inputs.UniqueName(input.name + "_same"));
    inputs.nodes.push_back(
        {.op_type = "Identity", .inputs = {input.name}, .outputs = {outputs.back()}});
  }
  options.pool = false;
  CBOARD_ASSIGN_OR_RETURN(const runtime::Session session, OpenSession(inputs, outputs, options));
  return session.inputs();
}

void NoteCalibration(ModelQuantizer::State& state) {
  const Statistics& statistics = state.calibration.statistics;
  for (const std::string& warning : statistics.warnings) state.notes.push_back(warning);
  if (statistics.is_generated) {
    state.notes.push_back(
        "calibrated with random samples: ranges do not describe real use; give --data");
  }
}

}  // namespace

Result<void> ModelQuantizer::Calibrate() {
  const std::filesystem::path& saved = state_->options.statistics;
  std::error_code error;
  if (!saved.empty() && std::filesystem::exists(saved, error)) {
    CBOARD_ASSIGN_OR_RETURN(state_->calibration, ReadCalibration(saved, RequestFor(*state_),
                                                                 FingerprintOf(state_->graph)));
    state_->baseline_outputs.reset();
    state_->notes.push_back("took the statistics of " + Quoted(saved.string(), 300) +
                            "; no sample was calibrated");
    NoteCalibration(*state_);
    return {};
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<runtime::ModelValue> inputs,
                          InputsOf(state_->graph, state_->session));
  runtime::SampleOptions samples;
  samples.max_samples = state_->options.max_samples;
  samples.batch_size = state_->options.batch_size;
  samples.shapes = state_->options.shapes;
  samples.seed = state_->options.seed;
  if (state_->options.data.empty()) {
    samples.integer_limits = IndexLimits(state_->graph);
    samples.max_samples = std::min<std::size_t>(samples.max_samples, 32);
  }
  CBOARD_ASSIGN_OR_RETURN(const auto source,
                          runtime::OpenSamples(state_->options.data, inputs, samples));
  return Calibrate(*source);
}

Result<void> ModelQuantizer::Calibrate(runtime::SampleSource& samples) {
  const CalibrationRequest request = RequestFor(*state_);
  CBOARD_ASSIGN_OR_RETURN(state_->calibration,
                          quantize::Calibrate(state_->graph, samples, request, state_->session));
  state_->baseline_outputs.reset();
  if (const std::filesystem::path& path = state_->options.statistics; !path.empty()) {
    CBOARD_RETURN_IF_ERROR(
        WriteCalibration(state_->calibration, request, FingerprintOf(state_->graph), path));
  }
  NoteCalibration(*state_);
  return {};
}

Plan ModelQuantizer::MakePlan() const { return MakePlan(state_->options.ranges); }

Plan ModelQuantizer::MakePlan(RangeMethod method) const {
  QuantizeOptions options = state_->options;
  options.ranges = method;
  return quantize::MakePlan(state_->graph, state_->placement, statistics(), options);
}

namespace {

Result<Graph> GraphOf(const ModelQuantizer::State& state, const Plan& plan) {
  switch (plan.precision) {
    case Precision::kW8A8:
      return QuantizeGraph(state.graph, state.placement, plan);
    case Precision::kW8A16:
    case Precision::kW4A16:
    case Precision::kW4A8: {
      GramMatrices grams;
      for (const auto& [tensor, statistics] : state.calibration.statistics.tensors) {
        if (plan.gptq && HasFullGram(statistics)) grams[tensor] = &statistics.gram;
      }
      return QuantizeWeights(state.graph, state.placement, plan, grams);
    }
    case Precision::kDynamic:
      return QuantizeDynamically(state.graph, state.placement, plan);
    case Precision::kHalf:
      return StoreAsHalf(state.graph);
  }
  return Fail(ErrorCode::kInternal, "unknown precision");
}

}  // namespace

bool HasFullGram(const TensorStatistics& statistics) {
  if (statistics.gram.empty() || statistics.shape.empty()) return false;
  const auto width = static_cast<std::uint64_t>(statistics.shape.back());
  return width > 0 && statistics.count / width >= width;
}

Result<std::string> ModelQuantizer::Write(const Plan& plan) const {
  CBOARD_ASSIGN_OR_RETURN(const Graph graph, GraphOf(*state_, plan));
  return EncodeGraph(graph);
}

namespace {

std::map<std::string, std::size_t> FloatBytes(const Graph& graph) {
  constexpr std::size_t kMinBytes = 1024;
  std::map<std::string, std::size_t> bytes;
  std::unordered_set<std::string> counted;
  for (const Node& node : graph.nodes) {
    for (const Attribute& attribute : node.attributes) {
      for (const std::string& body : attribute.graphs) {
        if (body.size() >= kMinBytes) bytes[node.op_type] += body.size();
      }
    }
    // Skips nodes whose float constants are scales, not weights.
    if (node.op_type == "DequantizeLinear" || node.op_type == "MatMulNBits") continue;
    for (const std::string& input : node.inputs) {
      const Constant* const constant = graph.FindConstant(input);
      const bool is_weight = constant != nullptr && constant->element_type == kFloat32 &&
                             constant->elements.size() >= kMinBytes;
      if (is_weight && counted.insert(input).second) {
        bytes[node.op_type] += constant->elements.size();
      }
    }
  }
  return bytes;
}

}  // namespace

Result<QuantizedFile> ModelQuantizer::Save(const Plan& plan,
                                           const std::filesystem::path& path) const {
  CBOARD_ASSIGN_OR_RETURN(const Graph graph, GraphOf(*state_, plan));
  CBOARD_ASSIGN_OR_RETURN(const WrittenModel written, WriteModel(graph, path));
  return QuantizedFile{state_->baseline_bytes, written.model_bytes, written.data_bytes,
                       FloatBytes(graph)};
}

namespace {

// Runs `graph`, which is `baseline` or derived from it. Removes tensors from `kept` that the graph
// does not have.
Result<ModelOutputs> RunGraph(Graph graph, const std::vector<ComparedTensor>& compared,
                              std::span<const HeldSample> samples,
                              const runtime::SessionOptions& options, KeptTensors* kept = nullptr) {
  std::vector<std::string> tensors, added;
  for (const ComparedTensor& one : compared) {
    std::string tensor = one.tensor;
    if (one.is_hidden) {
      // Adds a separate quantizer to read the codes: an additional output of the float tensor, or
      // of the existing quantizer, would prevent fusion.
      const auto quantizer = std::ranges::find_if(graph.nodes, [&](const Node& node) {
        return node.op_type == "QuantizeLinear" && node.Input(0) == tensor;
      });
      if (quantizer != graph.nodes.end()) {
        Node copy{.name = graph.UniqueName(tensor + "_measured"),
                  .op_type = "DequantizeLinear",
                  .domain = quantizer->domain,
                  .inputs = {quantizer->outputs[0], quantizer->Input(1), quantizer->Input(2)}};
        tensor = graph.UniqueName(tensor + "_measured_output");
        copy.outputs = {tensor};
        graph.nodes.push_back(std::move(copy));
      }
    }
    tensors.push_back(tensor);
    const bool is_new =
        std::ranges::find(added, tensor) == added.end() &&
        std::ranges::find(graph.outputs, tensor, &Value::name) == graph.outputs.end();
    if (is_new) added.push_back(tensor);
  }
  if (kept != nullptr) {
    const GraphIndex index(graph);
    for (std::vector<std::string>* const names : {&kept->always, &kept->at_first}) {
      std::erase_if(*names, [&](const std::string& name) {
        return index.Producer(name) == GraphIndex::kNone;
      });
      for (const std::string& name : *names) {
        const bool is_new = !index.IsOutput(name) && std::ranges::find(added, name) == added.end();
        if (is_new) added.push_back(name);
      }
    }
  }
  CBOARD_ASSIGN_OR_RETURN(const runtime::Session session, OpenSession(graph, added, options));
  CBOARD_ASSIGN_OR_RETURN(ModelOutputs outputs, RunModel(session, tensors, samples, kept));
  // Heads have the name of the graph's output in both models.
  for (auto& sample : outputs.samples) {
    for (std::size_t i = 0; i < std::min(sample.size(), compared.size()); ++i) {
      sample[i].name = compared[i].output;
      sample[i].is_hidden = compared[i].is_hidden;
    }
  }
  return outputs;
}

}  // namespace

Result<EndQuality> ModelQuantizer::Measure(const Plan& plan) const {
  runtime::SessionOptions options = state_->session;
  options.optimize = true;
  options.threads = 1;
  const std::vector<HeldSample>& held = state_->calibration.held_samples;
  const std::vector<ComparedTensor>& compared = state_->compared;
  if (!state_->baseline_outputs) {
    state_->baseline_ends = {};
    if (auto ends = compare::FindEndTensors(state_->path)) {
      state_->baseline_ends.always = std::move(ends->outputs);
      state_->baseline_ends.at_first = std::move(ends->shapes);
    }
    CBOARD_ASSIGN_OR_RETURN(state_->baseline_outputs, RunGraph(state_->graph, compared, held,
                                                               options, &state_->baseline_ends));
  }
  CBOARD_ASSIGN_OR_RETURN(Graph variant, GraphOf(*state_, plan));
  ReleasePages(*state_);
  CBOARD_ASSIGN_OR_RETURN(const ModelOutputs outputs,
                          RunGraph(std::move(variant), compared, held, options));
  // Outputs of random samples differ little: that says nothing about the signal of real ones.
  EndQuality quality = CompareOutputs(*state_->baseline_outputs, outputs,
                                      !state_->calibration.statistics.is_generated);
  quality.is_held_out = state_->calibration.is_held_out;
  return quality;
}

namespace {

class HeldSamples : public runtime::SampleSource {
 public:
  explicit HeldSamples(const Calibration& calibration) : calibration_(calibration) {}

  std::size_t size() const override { return calibration_.held_samples.size(); }
  std::string Description() const override { return calibration_.statistics.source; }
  bool is_generated() const override { return calibration_.statistics.is_generated; }
  Result<std::vector<runtime::NamedTensor>> Read(std::size_t index) override {
    return calibration_.held_samples[index].views();
  }

 private:
  const Calibration& calibration_;
};

}  // namespace

Result<compare::EndVerdict> ModelQuantizer::MeasureFile(
    const std::filesystem::path& quantized) const {
  if (state_->calibration.held_samples.empty()) {
    return Fail(ErrorCode::kFailedPrecondition, "there are no samples to run; add --data");
  }
  runtime::SessionOptions options = state_->session;
  options.optimize = true;
  options.threads = 1;
  HeldSamples samples(state_->calibration);
  ReleasePages(*state_);
  if (!state_->baseline_outputs || state_->baseline_ends.always.empty()) {
    return compare::MeasureEnds(state_->path, quantized, samples, options);
  }
  std::vector<std::vector<runtime::NamedTensor>> computed;
  for (const HeldSample& sample : state_->baseline_ends.samples) computed.push_back(sample.views());
  return compare::MeasureEnds(state_->path, quantized, samples, computed, options);
}

Result<std::vector<UnfusedNode>> ModelQuantizer::FindUnfused(const Plan& plan) const {
  CBOARD_ASSIGN_OR_RETURN(const Graph graph, GraphOf(*state_, plan));
  return FindUnfusedNodes(graph, plan, state_->session);
}

}  // namespace cboard::quantize
