#include "compare/measure/end_outputs.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "cboard/tensor/convert.h"
#include "compare/layers/layer_operators.h"

namespace cboard::compare {
namespace {

// Maximum number of heads of one output; a Concat of more branches joins parts of one head.
constexpr std::size_t kMaxHeads = 16;
// Figures by channel take a few hundred bytes each.
constexpr std::size_t kMaxChannels = 65536;
// Neighbouring channels belong to one head if their sizes differ by less than this factor: with 8
// bits for the larger one, the smaller one has fewer than five bits.
constexpr double kSameHeadFactor = 8;
constexpr std::size_t kMaxHeadsBySize = 4;
constexpr std::size_t kMinValuesForSize = 8;

// The usual channel axis, if the graph does not tell.
std::optional<std::size_t> UsualAxis(std::size_t rank) {
  if (rank < 2) return std::nullopt;
  return rank == 3 ? 2 : 1;
}

ChannelSizes SizesOf(const std::vector<std::int64_t>& shape, std::optional<std::size_t> axis) {
  ChannelSizes sizes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto size = static_cast<std::size_t>(shape[i]);
    if (!axis || i < *axis) {
      sizes.outer *= size;
    } else if (i == *axis) {
      sizes.channels = size;
    } else {
      sizes.inner *= size;
    }
  }
  return sizes;
}

HeadCounts HeadOf(std::size_t first, std::size_t count, std::string made_by = {}) {
  HeadCounts head;
  head.first_channel = first;
  head.channel_count = count;
  head.made_by = std::move(made_by);
  return head;
}

// Groups of neighbouring channels of similar size, if there are few groups.
std::vector<HeadCounts> HeadsBySize(std::span<const float> values, const ChannelSizes& sizes) {
  std::vector<HeadCounts> heads = {HeadOf(0, sizes.channels)};
  if (sizes.outer * sizes.inner < kMinValuesForSize) return heads;
  std::vector<HeadCounts> found;
  double head_size = 0;
  for (std::size_t c = 0; c < sizes.channels; ++c) {
    double squares = 0;
    for (std::size_t outer = 0; outer < sizes.outer; ++outer) {
      const std::size_t row = (outer * sizes.channels + c) * sizes.inner;
      for (std::size_t i = row; i < row + sizes.inner; ++i) {
        if (std::isfinite(values[i])) squares += double{values[i]} * double{values[i]};
      }
    }
    const double size = std::sqrt(squares / static_cast<double>(sizes.outer * sizes.inner));
    const bool is_same = !found.empty() && size <= head_size * kSameHeadFactor &&
                         size * kSameHeadFactor >= head_size;
    if (is_same) {
      ++found.back().channel_count;
      head_size = std::max(head_size, size);
    } else {
      found.push_back(HeadOf(c, 1));
      head_size = size;
    }
    if (found.size() > kMaxHeadsBySize) return heads;
  }
  return found;
}

// Positions where all heads of scores reach the threshold in the baseline, as objectness and class
// do for a detection; empty if an output has no scores, or only scores.
std::vector<bool> DetectedPositions(const std::vector<HeadCounts>& heads,
                                    std::span<const float> values, const ChannelSizes& sizes) {
  constexpr float kThreshold = 0.25f;
  const auto scores = std::ranges::count_if(heads, &HeadCounts::IsBetweenZeroAndOne);
  if (scores == 0 || scores == std::ssize(heads)) return {};
  std::vector<bool> detected(sizes.outer * sizes.inner, true);
  for (const HeadCounts& head : heads) {
    if (!head.IsBetweenZeroAndOne()) continue;
    for (std::size_t outer = 0; outer < sizes.outer; ++outer) {
      for (std::size_t i = 0; i < sizes.inner; ++i) {
        bool is_reached = false;
        for (std::size_t c = 0; c < head.channel_count && !is_reached; ++c) {
          const std::size_t channel = outer * sizes.channels + head.first_channel + c;
          is_reached = values[channel * sizes.inner + i] >= kThreshold;
        }
        if (!is_reached) detected[outer * sizes.inner + i] = false;
      }
    }
  }
  return detected;
}

// Returns true if an output is the last state of a recurrent node, possibly behind nodes that only
// move values.
bool IsState(const model::ModelGraph& model, model::TensorId tensor, std::size_t depth = 0) {
  constexpr std::size_t kMaxSteps = 8;
  const model::NodeId producer =
      tensor == model::kNoTensor ? model::kNoNode : model.tensor(tensor).producer;
  if (producer == model::kNoNode || depth > kMaxSteps) return false;
  const model::ModelNode& node = model.node(producer);
  const bool is_recurrent = node.op_type == "LSTM" || node.op_type == "GRU" ||
                            node.op_type == "RNN" || node.op_type == "DynamicQuantizeLSTM";
  if (is_recurrent) return !node.outputs.empty() && node.outputs[0] != tensor;
  if (node.op_type == "Concat") {
    return std::ranges::all_of(
        node.inputs, [&](model::TensorId input) { return IsState(model, input, depth + 1); });
  }
  if (!PassesValues(node.op_type) || node.inputs.empty()) return false;
  return IsState(model, node.inputs[0], depth + 1);
}

}  // namespace

std::vector<EndPair> PairEnds(const model::ModelGraph& baseline, const model::ModelGraph& variant) {
  std::unordered_map<std::string_view, model::TensorId> theirs;
  for (const model::TensorId id : variant.outputs()) theirs.emplace(variant.tensor(id).name, id);
  std::vector<EndPair> pairs;
  for (const model::TensorId id : baseline.outputs()) {
    const auto found = theirs.find(baseline.tensor(id).name);
    if (found != theirs.end()) pairs.push_back({id, found->second});
  }
  const std::size_t count = baseline.outputs().size();
  if (pairs.empty() && count == variant.outputs().size()) {
    for (std::size_t i = 0; i < count; ++i) {
      pairs.push_back({baseline.outputs()[i], variant.outputs()[i]});
    }
  }
  // A tensor that no node computes is a passed-through input or a constant.
  std::erase_if(pairs, [&](const EndPair& pair) {
    return baseline.tensor(pair.baseline).producer == model::kNoNode ||
           variant.tensor(pair.variant).producer == model::kNoNode;
  });
  return pairs;
}

EndGatherer::EndGatherer(const model::ModelGraph& baseline, const model::ModelGraph& variant)
    : baseline_(baseline), variant_(variant) {
  for (const EndPair& pair : PairEnds(baseline, variant)) {
    End end{.pair = pair,
            .on_the_way = ChannelTracer::TensorsOnTheWay(baseline, pair.baseline),
            .findings = {},
            .builder = nullptr};
    end.findings.name = baseline.tensor(pair.baseline).name;
    end.findings.is_state = IsState(baseline, pair.baseline);
    ends_.push_back(std::move(end));
  }
}

std::vector<std::string> EndGatherer::BaselineTensors() const {
  std::vector<std::string> names;
  for (const End& end : ends_) {
    for (const model::TensorId tensor : end.on_the_way)
      names.push_back(baseline_.tensor(tensor).name);
  }
  return names;
}

std::vector<std::string> EndGatherer::VariantTensors() const {
  std::vector<std::string> names;
  for (const End& end : ends_) names.push_back(variant_.tensor(end.pair.variant).name);
  return names;
}

Result<void> EndGatherer::Add(const Find& find) {
  for (End& end : ends_) {
    if (const auto added = AddTo(end, find); !added) {
      return Fail(Annotate(added.error(), "output '" + end.findings.name + "'"));
    }
  }
  return {};
}

Result<void> EndGatherer::AddTo(End& end, const Find& find) {
  EndFindings& findings = end.findings;
  const TensorView* reference = find(0, findings.name);
  const TensorView* found = find(1, variant_.tensor(end.pair.variant).name);
  if (reference == nullptr || found == nullptr) {
    findings.why_not = "it was not computed";
    return {};
  }
  TensorView compressed = *found;
  ++findings.samples;
  if (findings.shape.empty()) findings.shape = reference->shape;
  if (reference->shape != compressed.shape) {
    ++findings.other_shapes;
    return {};
  }
  if (reference->element_count() == 0) return {};
  if (!IsFloat(reference->dtype)) {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> ours, tensor::ToDoubles(*reference));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> theirs, tensor::ToDoubles(compressed));
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ++findings.labels;
      if (ours[i] == theirs[i]) ++findings.same_labels;
    }
    return {};
  }
  if (!IsFloat(compressed.dtype)) {
    const auto& codes = variant_.tensor(end.pair.variant).quantization;
    if (!codes || codes->scales.size() != 1) {
      findings.why_not = "the compressed model gives codes, and their scale is not known";
      return {};
    }
    compressed.quantization = Quantization::PerTensor(codes->scales, codes->zero_points);
  }
  return AddFloats(end, *reference, compressed, find);
}

Result<void> EndGatherer::AddFloats(End& end, const TensorView& reference,
                                    const TensorView& compressed, const Find& find) {
  EndFindings& findings = end.findings;
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> ours, tensor::ToFloats(reference));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> theirs, tensor::ToFloats(compressed));
  if (end.builder == nullptr) SetLayout(end, reference, ours, find);
  const auto axis = findings.layout ? std::optional(findings.layout->axis) : std::nullopt;
  const bool is_same_layout = reference.shape.size() == findings.shape.size() &&
                              (!axis || reference.shape[*axis] == findings.shape[*axis]);
  if (!is_same_layout) {  // As many channels as words, for one: they are not channels.
    ++findings.other_shapes;
    return {};
  }
  CBOARD_RETURN_IF_ERROR(
      end.builder->Add(TensorView(ours, reference.shape), TensorView(theirs, reference.shape)));
  const ChannelSizes sizes = SizesOf(reference.shape, axis);
  for (HeadCounts& head : findings.heads) head.Add(ours, theirs, sizes);
  if (const std::vector<bool> detected = DetectedPositions(findings.heads, ours, sizes);
      !detected.empty()) {
    for (HeadCounts& head : findings.heads) head.AddDetected(ours, theirs, sizes, detected);
  }
  return {};
}

void EndGatherer::SetLayout(End& end, const TensorView& reference, std::span<const float> values,
                            const Find& find) const {
  EndFindings& findings = end.findings;
  std::unordered_map<model::TensorId, std::vector<std::int64_t>> shapes;
  for (const model::TensorId tensor : end.on_the_way) {
    if (const TensorView* found = find(0, baseline_.tensor(tensor).name)) {
      shapes.emplace(tensor, found->shape);
    }
  }
  const ChannelTracer tracer(baseline_,
                             [&](model::TensorId id) -> const std::vector<std::int64_t>* {
                               const auto found = shapes.find(id);
                               return found == shapes.end() ? nullptr : &found->second;
                             });
  findings.shape = reference.shape;
  findings.layout = tracer.Trace(end.pair.baseline);
  if (!findings.layout) {
    if (const auto axis = UsualAxis(reference.shape.size())) {
      findings.layout = ChannelLayout{.axis = *axis};
    }
  }
  const auto axis = findings.layout ? std::optional(findings.layout->axis) : std::nullopt;
  const ChannelSizes sizes = SizesOf(reference.shape, axis);
  const bool has_figures = axis && sizes.channels <= kMaxChannels;
  end.builder = std::make_unique<tensor::ComparisonBuilder>(
      tensor::ComparisonOptions{.channel_axis = has_figures ? axis : std::nullopt});
  if (!axis) {
    findings.heads = {HeadOf(0, 1)};
    return;
  }
  const auto& branches = findings.layout->branches;
  if (branches.size() < 2 || branches.size() > kMaxHeads) {
    findings.heads = HeadsBySize(values, sizes);
    return;
  }
  std::size_t first = 0;
  for (const ChannelLayout::Branch& branch : branches) {
    if (branch.channels > 0) {
      findings.heads.push_back(HeadOf(first, branch.channels, branch.node));
    }
    first += branch.channels;
  }
}

std::vector<EndFindings> EndGatherer::Build() const {
  std::vector<EndFindings> all;
  for (const End& end : ends_) {
    all.push_back(end.findings);
    if (end.builder != nullptr) all.back().comparison = end.builder->Build();
  }
  return all;
}

}  // namespace cboard::compare
