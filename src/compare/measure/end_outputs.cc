#include "compare/measure/end_outputs.h"

#include <algorithm>
#include <array>
#include <cctype>
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

// Where the axis is only a guess: a vector with dimensions of one around it has its channels where
// its values are.
std::size_t AxisOfVector(const std::vector<std::int64_t>& shape, std::size_t guess) {
  const auto is_long = [](std::int64_t size) { return size > 1; };
  if (shape[guess] > 1 || std::ranges::count_if(shape, is_long) != 1) return guess;
  return static_cast<std::size_t>(std::ranges::find_if(shape, is_long) - shape.begin());
}

ChannelSizes SizesOf(const std::vector<std::int64_t>& shape, std::optional<std::size_t> axis) {
  ChannelSizes sizes;
  std::size_t long_dimensions = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != axis && shape[i] > 1) ++long_dimensions;
  }
  sizes.is_sequence = axis && shape.size() >= 3 && long_dimensions == 1;
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
  // Logits differ in size, too. Scores beside boxes are between 0 and 1.
  const auto has_scores = [&](const HeadCounts& head) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t c = i / sizes.inner % sizes.channels;
      if (c < head.first_channel || c >= head.first_channel + head.channel_count) continue;
      if (values[i] < 0 || values[i] > 1) return false;
    }
    return true;
  };
  return std::ranges::any_of(found, has_scores) ? found : heads;
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

// Whether the channels sum to one.
bool HasShares(const HeadCounts& head, const ChannelSizes& sizes) {
  return sizes.channels > 1 && head.sums_of_one * 100 >= head.positions * 99;
}

// Positions at which the scores of an output call a detection. The first of
// several shares is that of the background.
std::vector<bool> PositionsWithScore(const HeadCounts& head, std::span<const float> values,
                                     const ChannelSizes& sizes) {
  const bool has_shares = HasShares(head, sizes);
  const float threshold = has_shares ? 0.5f : 0.25f;
  std::vector<bool> detected(sizes.outer * sizes.inner);
  for (std::size_t outer = 0; outer < sizes.outer; ++outer) {
    for (std::size_t c = has_shares ? 1 : 0; c < sizes.channels; ++c) {
      const std::size_t row = (outer * sizes.channels + c) * sizes.inner;
      for (std::size_t i = 0; i < sizes.inner; ++i) {
        if (values[row + i] >= threshold) detected[outer * sizes.inner + i] = true;
      }
    }
  }
  return detected;
}

// Whether an output is the last state of a recurrent node, over nodes that only move values.
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

bool HasAnyOf(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

OutputHint HintOf(const model::ModelGraph& model, model::TensorId tensor) {
  constexpr std::array<std::string_view, 7> kFeatures = {
      "embed", "feature", "hidden", "pooler", "pooled", "descriptor", "representation"};
  constexpr std::array<std::string_view, 6> kAnswers = {"logit", "prob",  "class",
                                                        "score", "label", "softmax"};
  std::string name = model.tensor(tensor).name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (HasAnyOf(name, kAnswers)) return OutputHint::kAnswers;
  if (HasAnyOf(name, kFeatures)) return OutputHint::kFeatures;
  constexpr std::size_t kMaxSteps = 8;
  for (std::size_t step = 0; step < kMaxSteps; ++step) {
    const model::NodeId producer = model.tensor(tensor).producer;
    if (producer == model::kNoNode) break;
    const model::ModelNode& node = model.node(producer);
    if (node.op_type.find("LayerNormalization") != std::string::npos ||
        node.op_type == "LpNormalization") {
      return OutputHint::kFeatures;
    }
    if (!PassesValues(node.op_type) || node.inputs.empty()) break;
    if (node.inputs[0] == model::kNoTensor) break;
    tensor = node.inputs[0];
  }
  return OutputHint::kNone;
}

// Labels are compared by position; those of a sequence also as a text, whose length may change.
Result<void> AddLabels(const TensorView& reference, const TensorView& compressed,
                       EndFindings& findings) {
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> ours, tensor::ToDoubles(reference));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> theirs, tensor::ToDoubles(compressed));
  constexpr double kMaxLabel = 1 << 24;
  const auto is_label = [](double value) { return value >= 0 && value < kMaxLabel; };
  const auto long_dimensions =
      std::ranges::count_if(reference.shape, [](std::int64_t size) { return size > 1; });
  if (long_dimensions == 1 && std::ranges::all_of(ours, is_label) &&
      std::ranges::all_of(theirs, is_label)) {
    for (const double label : ours) {
      findings.label_count = std::max(findings.label_count, static_cast<std::size_t>(label) + 1);
    }
    findings.sequences.Add({ours.begin(), ours.end()}, {theirs.begin(), theirs.end()});
  }
  if (reference.shape != compressed.shape) {
    ++findings.other_shapes;
    return {};
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ++findings.labels;
    if (ours[i] == theirs[i]) ++findings.same_labels;
  }
  return {};
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
    end.findings.hint = HintOf(baseline, pair.baseline);
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
    end.baseline_values.clear();
    if (const auto added = AddTo(end, find); !added) {
      return Fail(Annotate(added.error(), "output '" + end.findings.name + "'"));
    }
  }
  if (ends_.size() > 1) AddDetectedByOthers();
  return {};
}

void EndGatherer::AddDetectedByOthers() {
  // Probabilities tell detections; values between 0 and 1 may also be points of a picture.
  const auto has_shares = [](const End& end) {
    return HasShares(end.findings.heads[0], end.sizes);
  };
  std::vector<const End*> scores;
  for (const End& end : ends_) {
    const auto& heads = end.findings.heads;
    if (end.baseline_values.empty() || heads.size() != 1) continue;
    if (heads[0].IsBetweenZeroAndOne()) scores.push_back(&end);
  }
  if (std::ranges::any_of(scores, [&](const End* end) { return has_shares(*end); })) {
    std::erase_if(scores, [&](const End* end) { return !has_shares(*end); });
  }
  for (End& end : ends_) {
    auto& heads = end.findings.heads;
    if (end.baseline_values.empty() || heads.size() != 1 || heads[0].IsBetweenZeroAndOne()) {
      continue;
    }
    for (const End* other : scores) {
      if (end.findings.shape == other->findings.shape) {  // A score for each value.
        std::vector<bool> is_sure;
        for (const float score : other->baseline_values) is_sure.push_back(score >= 0.5f);
        heads[0].AddDetectedValues(end.baseline_values, end.variant_values, is_sure);
        break;
      }
      const std::vector<bool> detected =
          PositionsWithScore(other->findings.heads[0], other->baseline_values, other->sizes);
      if (end.sizes.outer * end.sizes.inner != detected.size()) continue;
      heads[0].AddDetected(end.baseline_values, end.variant_values, end.sizes, detected);
      break;
    }
  }
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
  if (!IsFloat(reference->dtype) && !IsFloat(compressed.dtype)) {
    return AddLabels(*reference, compressed, findings);
  }
  if (reference->shape != compressed.shape) {
    ++findings.other_shapes;
    return {};
  }
  if (reference->element_count() == 0) return {};
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
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> ours, tensor::ToFloats(reference));
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> theirs, tensor::ToFloats(compressed));
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
  end.baseline_values = std::move(ours);
  end.variant_values = std::move(theirs);
  end.sizes = sizes;
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
      findings.layout = ChannelLayout{.axis = AxisOfVector(reference.shape, *axis)};
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
    // Features have outlier channels, which are no heads.
    const bool has_features =
        findings.hint == OutputHint::kFeatures || LooksLikeWidth(sizes.channels);
    findings.heads =
        has_features ? std::vector{HeadOf(0, sizes.channels)} : HeadsBySize(values, sizes);
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
