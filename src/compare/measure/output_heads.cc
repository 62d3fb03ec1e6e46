#include "compare/measure/output_heads.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "cboard/tensor/convert.h"
#include "compare/measure/compared_samples.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20;

// Returns the SQNR of the worst head, or of the whole output if it has only one head.
double WorstHeadDb(const tensor::Comparison& comparison, const OutputPlan& end) {
  double worst = comparison.total.SqnrDb();
  if (end.heads.empty() || comparison.channels.empty()) return worst;
  worst = HUGE_VAL;
  for (const OutputPlan::Channels& head : end.heads) {
    double signal = 0, error = 0;
    for (std::size_t c = head.first; c < head.first + head.count; ++c) {
      if (c >= comparison.channels.size()) break;
      signal += comparison.channels[c].reference.sum_squares;
      error += comparison.channels[c].sum_squared_error;
    }
    if (signal == 0 || error == 0) continue;
    worst = std::min(worst, 10 * std::log10(signal / error));
  }
  return worst;
}

std::vector<std::string> NamesOf(const std::vector<OutputPlan>& ends,
                                 std::string OutputPlan::*side) {
  std::vector<std::string> names;
  for (const OutputPlan& end : ends) names.push_back(end.*side);
  return names;
}

}  // namespace

std::vector<std::size_t> FindHeads(const model::ModelGraph& model,
                                   std::span<const model::TensorId> tensors) {
  // If a node is in the body of an If, Loop or Scan, its results are the outputs of that If, Loop
  // or Scan.
  std::unordered_map<model::NodeId, std::vector<model::NodeId>> bodies;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const model::NodeId parent = model.nodes()[i].parent;
    if (parent != model::kNoNode) bodies[parent].push_back(static_cast<model::NodeId>(i));
  }
  // Searches backwards from the nodes that compute `tensors`.
  std::vector<bool> leads_on(model.tensors().size()), is_seen(model.nodes().size());
  std::vector<model::NodeId> rest;
  const auto visit = [&](model::NodeId node) {
    if (node == model::kNoNode || is_seen[model::IndexOf(node)]) return;
    is_seen[model::IndexOf(node)] = true;
    rest.push_back(node);
  };
  for (const model::TensorId tensor : tensors) visit(model.tensor(tensor).producer);
  while (!rest.empty()) {
    const model::NodeId next = rest.back();
    rest.pop_back();
    for (const model::TensorId input : model.node(next).inputs) {
      if (input == model::kNoTensor) continue;
      leads_on[model::IndexOf(input)] = true;
      visit(model.tensor(input).producer);
    }
    if (const auto inside = bodies.find(next); inside != bodies.end()) {
      for (const model::NodeId node : inside->second) visit(node);
    }
  }
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!leads_on[model::IndexOf(tensors[i])]) ends.push_back(i);
  }
  return ends;
}

HeadRunner::HeadRunner(runtime::ModelCapture baseline, const model::ModelGraph& variant,
                       std::vector<OutputPlan> ends, std::unique_ptr<runtime::SampleSource> samples)
    : baseline_(std::move(baseline)),
      variant_(variant),
      ends_(std::move(ends)),
      samples_(std::move(samples)) {}

Result<HeadRunner> HeadRunner::Open(const model::ModelGraph& baseline,
                                    const model::ModelGraph& variant, std::vector<OutputPlan> ends,
                                    const CompareOptions& options, std::size_t samples) {
  CBOARD_ASSIGN_OR_RETURN(runtime::ModelCapture capture,
                          runtime::ModelCapture::Open(
                              baseline.path(), {.tensors = NamesOf(ends, &OutputPlan::baseline)}));
  CBOARD_ASSIGN_OR_RETURN(
      std::unique_ptr<runtime::SampleSource> source,
      OpenComparedSamples(baseline, variant, capture.session().inputs(), options, samples));
  return HeadRunner(std::move(capture), variant, std::move(ends), std::move(source));
}

Result<std::optional<std::vector<double>>> HeadRunner::Measure(
    runtime::GraphEdits edits,
    const std::function<bool(std::size_t done, std::size_t total)>& progress) {
  CBOARD_ASSIGN_OR_RETURN(
      const runtime::ModelCapture edited,
      runtime::ModelCapture::Open(variant_.path(), {.tensors = NamesOf(ends_, &OutputPlan::variant),
                                                    .edits = std::move(edits)}));
  const bool has_baseline_outputs = captured_.size() == samples_->size();
  std::vector<const runtime::ModelCapture*> models = {&edited};
  if (!has_baseline_outputs) models.push_back(&baseline_);
  std::vector<tensor::ComparisonBuilder> builders;
  for (const OutputPlan& end : ends_) {
    builders.emplace_back(tensor::ComparisonOptions{
        .channel_axis = end.heads.empty() ? std::nullopt : std::optional(end.head_axis)});
  }
  CBOARD_ASSIGN_OR_RETURN(const runtime::CaptureSummary summary,
                          runtime::CaptureSamples(
                              *samples_, models,
                              [&](const runtime::CapturedSample& sample) -> Result<void> {
                                if (!has_baseline_outputs)
                                  CBOARD_RETURN_IF_ERROR(CacheBaselineOutputs(sample));
                                return Compare(sample, builders);
                              },
                              progress));
  if (summary.is_stopped) return std::optional<std::vector<double>>();
  std::vector<double> measured;
  for (std::size_t i = 0; i < builders.size(); ++i) {
    measured.push_back(WorstHeadDb(builders[i].Build(), ends_[i]));
    if (std::isnan(measured.back())) {
      return Fail(ErrorCode::kInvalidArgument,
                  "all outputs of the compressed model are NaN or infinite");
    }
  }
  return std::optional(std::move(measured));
}

Result<void> HeadRunner::CacheBaselineOutputs(const runtime::CapturedSample& sample) {
  if (sample.index != captured_.size()) return {};  // Stored already, or out of memory.
  std::size_t bytes = 0;
  for (const OutputPlan& end : ends_) {
    const TensorView* output = sample.results[1].Find(end.baseline);
    if (output == nullptr) return {};
    bytes += output->element_count() * sizeof(float);
  }
  if (bytes > kMaxKeptBytes - kept_bytes_) return {};
  kept_bytes_ += bytes;
  std::vector<CapturedOutput> captured;
  for (const OutputPlan& end : ends_) {
    const TensorView& output = *sample.results[1].Find(end.baseline);
    CBOARD_ASSIGN_OR_RETURN(std::vector<float> values, tensor::ToFloats(output));
    captured.push_back({std::move(values), output.shape});
  }
  captured_.push_back(std::move(captured));
  return {};
}

Result<void> HeadRunner::Compare(const runtime::CapturedSample& sample,
                                 std::vector<tensor::ComparisonBuilder>& builders) const {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const TensorView* found = sample.results[0].Find(ends_[i].variant);
    if (found == nullptr)
      return Fail(
          ErrorCode::kInvalidArgument,
          "an output of the compressed model contains no numbers, so it cannot be compared");
    TensorView compressed = *found;
    if (const auto& codes = ends_[i].codes) {
      compressed.quantization = Quantization::PerTensor(codes->scales, codes->zero_points);
    }
    if (sample.index < captured_.size()) {
      const CapturedOutput& output = captured_[sample.index][i];
      CBOARD_RETURN_IF_ERROR(builders[i].Add(TensorView(output.values, output.shape), compressed));
      continue;
    }
    const TensorView* output = sample.results[1].Find(ends_[i].baseline);
    if (output == nullptr)
      return Fail(ErrorCode::kInvalidArgument,
                  "an output of the baseline contains no numbers, so it cannot be compared");
    CBOARD_RETURN_IF_ERROR(builders[i].Add(*output, compressed));
  }
  return {};
}

}  // namespace cboard::compare
