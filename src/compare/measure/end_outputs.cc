#include "compare/measure/end_outputs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cboard/tensor/convert.h"
#include "compare/layers/layer_operators.h"

namespace cboard::compare {
namespace {

// Maximum number of heads of one output. If a Concat joins more branches, they are parts of one
// head.
constexpr std::size_t kMaxHeads = 16;
// Maximum number of channels with statistics. The statistics take a few hundred bytes per channel.
constexpr std::size_t kMaxChannels = 65536;
// Neighbouring channels belong to one head if their magnitudes differ by less than this factor.
// With a larger difference and a common scale of 8 bits, the smaller channel would have fewer than
// five bits.
constexpr double kSameHeadFactor = 8;
constexpr std::size_t kMaxHeadsBySize = 4;
constexpr std::size_t kMinValuesForSize = 8;

// Returns the usual channel axis. Used for outputs whose channel axis cannot be found in the graph.
std::optional<std::size_t> UsualAxis(std::size_t rank) {
  if (rank < 2) return std::nullopt;
  return rank == 3 ? 2 : 1;
}

// Corrects a guessed channel axis: if only one dimension is larger than 1, it has the channels.
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

// Splits an output into heads of neighbouring channels with similar magnitudes. Returns a single
// head if there would be many, or if no head can be scores.
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
  // Different magnitudes are not enough to find scores, because logits also have different
  // magnitudes. Scores are between 0 and 1.
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

// Returns the positions at which all heads with scores reach the threshold in the baseline, for
// example objectness and class scores of a detection. Empty if the output has no scores, or nothing
// but scores.
std::vector<bool> DetectedPositions(const std::vector<HeadCounts>& heads,
                                    std::span<const float> values, const ChannelSizes& sizes) {
  constexpr float kThreshold = 0.25f;
  const auto scores = std::ranges::count_if(heads, &HeadCounts::MayBeScores);
  if (scores == 0 || scores == std::ssize(heads)) return {};
  std::vector<bool> detected(sizes.outer * sizes.inner, true);
  for (const HeadCounts& head : heads) {
    if (!head.MayBeScores()) continue;
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

// Returns true if the first four channels form one or several complete heads.
bool MayBeginWithBox(const std::vector<HeadCounts>& heads) {
  constexpr std::size_t kBoxChannels = 4;
  std::size_t channels = 0;
  for (const HeadCounts& head : heads) {
    if (head.MayBeScores() && channels + head.channel_count > kBoxChannels) return false;
    channels += head.channel_count;
    if (channels >= kBoxChannels) break;
  }
  return channels == kBoxChannels;
}

// Returns true if the channels sum to one at nearly all positions.
bool HasShares(const HeadCounts& head, const ChannelSizes& sizes) {
  return sizes.channels > 1 && head.sums_of_one * 100 >= head.positions * 99;
}

// Returns the positions at which a score reaches the threshold. If the channels sum to one, the
// first channel is the background and is skipped.
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

// Returns true if an output is a picture made from an input: of four channels or less, it has as
// many as the input, and it is several times as large as the input, or as large and similar to it.
// Classes of a segmentation are not similar to the picture.
bool IsPictureLike(const std::vector<std::int64_t>& shape, std::span<const float> values,
                   const TensorView& input) {
  constexpr std::int64_t kMaxColors = 4, kMinSide = 8;
  constexpr double kMinCorrelation = 0.5;
  if (shape.size() != 4 || input.shape.size() != 4 || !IsFloat(input.dtype)) return false;
  if (shape[0] != input.shape[0] || shape[1] != input.shape[1] || shape[1] > kMaxColors) {
    return false;
  }
  if (input.shape[2] < kMinSide || input.shape[3] < kMinSide) return false;
  if (shape[2] % input.shape[2] != 0 || shape[2] * input.shape[3] != shape[3] * input.shape[2]) {
    return false;
  }
  if (shape[2] != input.shape[2]) return true;
  const auto before = tensor::ToFloats(input);
  if (!before || before->size() != values.size()) return false;
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double a = (*before)[i], b = values[i];
    if (!std::isfinite(a) || !std::isfinite(b)) return false;
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  const auto count = static_cast<double>(values.size());
  const double spread = (xx - x * x / count) * (yy - y * y / count);
  return spread > 0 && (xy - x * y / count) / std::sqrt(spread) >= kMinCorrelation;
}

// Returns true if two outputs are sequences of scores for the same classes, and one sequence is
// longer: a decoder that stops when it gives an end token gives another number of tokens.
bool AreOfOtherLength(const TensorView& reference, const TensorView& compressed) {
  constexpr std::int64_t kMinClasses = 16;
  return IsFloat(reference.dtype) && IsFloat(compressed.dtype) && reference.shape.size() == 3 &&
         compressed.shape.size() == 3 && reference.shape[0] == 1 && compressed.shape[0] == 1 &&
         reference.shape[2] == compressed.shape[2] && reference.shape[2] >= kMinClasses;
}

// Compares integer outputs by position. Sequences are also compared as texts, because the length of
// a text may change.
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

EndGatherer::Find FindIn(const runtime::CapturedSample& sample) {
  return [&sample](std::size_t side, const std::string& name) -> const TensorView* {
    if (const TensorView* const computed = sample.results[side].Find(name)) return computed;
    const auto input = std::ranges::find(sample.inputs, name, &runtime::NamedTensor::name);
    return input == sample.inputs.end() ? nullptr : &input->tensor;
  };
}

namespace {

// Collects the names of tensors that nodes compute, each once. Inputs of the model cannot be
// captured.
class CapturedNames {
 public:
  void Add(const model::ModelTensor& tensor) {
    if (tensor.producer == model::kNoNode || !seen_.insert(tensor.name).second) return;
    names_.push_back(tensor.name);
  }
  std::vector<std::string> Take() { return std::move(names_); }

 private:
  std::unordered_set<std::string> seen_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> EndGatherer::BaselineTensors() const {
  CapturedNames names;
  for (const End& end : ends_) {
    for (const model::TensorId tensor : end.on_the_way) names.Add(baseline_.tensor(tensor));
  }
  return names.Take();
}

std::vector<std::string> EndGatherer::VariantTensors() const {
  CapturedNames names;
  for (const End& end : ends_) names.Add(variant_.tensor(end.pair.variant));
  return names.Take();
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
  // Prefers outputs whose channels sum to one as scores: other values between 0 and 1 may be
  // coordinates in an image.
  const auto has_shares = [](const End& end) {
    return HasShares(end.findings.heads[0], end.sizes);
  };
  std::vector<const End*> scores;
  for (const End& end : ends_) {
    const auto& heads = end.findings.heads;
    if (end.baseline_values.empty() || heads.size() != 1) continue;
    if (heads[0].MayBeScores()) scores.push_back(&end);
  }
  if (std::ranges::any_of(scores, [&](const End* end) { return has_shares(*end); })) {
    std::erase_if(scores, [&](const End* end) { return !has_shares(*end); });
  }
  for (End& end : ends_) {
    auto& heads = end.findings.heads;
    if (end.baseline_values.empty() || heads.size() != 1 || heads[0].MayBeScores()) {
      continue;
    }
    for (const End* other : scores) {
      if (end.findings.shape == other->findings.shape) {  // Each value has its own score.
        std::vector<bool> is_sure;
        for (const float score : other->baseline_values) is_sure.push_back(score >= 0.5f);
        heads[0].AddDetectedValues(end.baseline_values, end.variant_values, is_sure);
        break;
      }
      const std::vector<bool> detected =
          PositionsWithScore(other->findings.heads[0], other->baseline_values, other->sizes);
      if (end.sizes.outer * end.sizes.inner != detected.size()) continue;
      heads[0].AddDetected(end.baseline_values, end.variant_values, end.sizes, detected);
      if (MayBeginWithBox(heads)) {
        end.findings.boxes.Add(end.baseline_values, end.variant_values, end.sizes, detected);
      }
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
  if (reference->shape != compressed.shape && !AreOfOtherLength(*reference, compressed)) {
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
  theirs.resize(ours.size());  // Positions that a shorter sequence does not have are zeros.
  if (end.builder == nullptr) SetLayout(end, reference, ours, find);
  const auto axis = findings.layout ? std::optional(findings.layout->axis) : std::nullopt;
  const bool is_same_layout = reference.shape.size() == findings.shape.size() &&
                              (!axis || reference.shape[*axis] == findings.shape[*axis]);
  // A dimension that depends on the sample, such as the number of words, is not a channel
  // dimension.
  if (!is_same_layout) {
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
    if (MayBeginWithBox(findings.heads)) findings.boxes.Add(ours, theirs, sizes, detected);
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
  for (const model::TensorId id : baseline_.inputs()) {
    const TensorView* input = find(0, baseline_.tensor(id).name);
    if (input != nullptr && IsPictureLike(reference.shape, values, *input)) {
      findings.is_picture = true;
    }
  }
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
    // Outputs with features are one head: their channels may differ in magnitude.
    const bool has_features =
        findings.hint == OutputHint::kFeatures || LooksLikeWidth(sizes.channels);
    const bool is_linear = IsLinear(baseline_, end.pair.baseline);
    findings.heads = has_features || is_linear ? std::vector{HeadOf(0, sizes.channels)}
                                               : HeadsBySize(values, sizes);
    // Features between 0 and 1, for example behind a ReLU, are not scores.
    findings.heads[0].is_no_score = is_linear || findings.hint == OutputHint::kFeatures;
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
