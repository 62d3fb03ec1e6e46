#include "model/openvino/openvino_quantization.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "model/graph/node_attributes.h"
#include "model/graph/quantization_rules.h"
#include "model/graph/stored_values.h"

namespace cboard::model {
namespace {

constexpr std::size_t kMaxChannels = std::size_t{1} << 24;

// The axis and the granularity of scales. They are derived from the shape of the tensor with the
// scales.
struct Layout {
  std::int64_t axis = 0;
  std::int64_t group_size = 0;  // 0 for scales per tensor or per channel.
};

// Derives the layout of scales from two shapes. Scales [64, 1, 1, 1] for codes [64, 3, 7, 7] are
// one per channel. Scales [64, 4, 1] for codes [64, 4, 128] are one per group of 128.
std::optional<Layout> LayoutOfScales(const std::vector<std::int64_t>& scales,
                                     const std::vector<std::int64_t>& codes) {
  if (ElementCount(scales) == 1u) return Layout{};
  if (scales.size() != codes.size()) return std::nullopt;
  std::optional<std::size_t> equal, one;
  std::size_t equals = 0, ones = 0;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (scales[i] == codes[i]) {
      // Skips dimensions of size 1: they do not show whether scales are per channel or per group.
      if (codes[i] != 1) {
        equal = i;
        ++equals;
      }
    } else if (scales[i] == 1) {
      one = i;
      ++ones;
    } else {
      return std::nullopt;
    }
  }
  if (equals == 1) return Layout{static_cast<std::int64_t>(*equal), 0};
  if (ones == 1) return Layout{static_cast<std::int64_t>(*one), codes[*one]};
  return std::nullopt;
}

class OpenVinoQuantization {
 public:
  explicit OpenVinoQuantization(GraphAssembler& graph) : graph_(graph) {}

  Result<void> Run() {
    for (const ModelNode& node : graph_.nodes()) {
      if (node.inputs.empty() || node.outputs.empty()) continue;
      const std::string_view op = node.op_type;
      if (op == "Convert" || op == "Reshape" || op == "Squeeze" || op == "Unsqueeze") {
        PassOn(node);
      } else if (op == "Subtract" && node.inputs.size() == 2) {
        ReadSubtract(node);
      } else if (op == "Multiply" && node.inputs.size() == 2) {
        CBOARD_RETURN_IF_ERROR(ReadMultiply(node));
      } else if (op == "FakeQuantize" && node.inputs.size() == 5) {
        CBOARD_RETURN_IF_ERROR(ReadFakeQuantize(node));
      }
    }
    return {};
  }

 private:
  ModelTensor& OutputOf(const ModelNode& node) { return graph_.tensor(node.outputs[0]); }

  void PassOn(const ModelNode& node) {
    const ModelTensor& input = graph_.tensor(node.inputs[0]);
    OutputOf(node).source = input.source;
    OutputOf(node).rounded_by = input.rounded_by;
  }

  // Returns the constant whose values a tensor has without quantization, also through Convert.
  // Returns null if there is none.
  const ModelTensor* PlainConstant(TensorId id) const {
    const ModelTensor& tensor = graph_.tensor(id);
    if (tensor.source == kNoTensor || tensor.rounded_by != kNoTensor) return nullptr;
    const ModelTensor& constant = graph_.tensor(tensor.source);
    return constant.quantization ? nullptr : &constant;
  }

  bool HoldsPlainCodes(TensorId id) const {
    const ModelTensor* constant = PlainConstant(id);
    return constant != nullptr && HoldsCodes(constant->type) &&
           constant->shape == graph_.tensor(id).shape;
  }

  void ReadSubtract(const ModelNode& node) {
    if (!HoldsPlainCodes(node.inputs[0]) || PlainConstant(node.inputs[1]) == nullptr) return;
    shifted_[IndexOf(node.outputs[0])] = {node.inputs[0], node.inputs[1]};
  }

  Result<void> ReadMultiply(const ModelNode& node) {
    TensorId codes = node.inputs[0], zero_point = kNoTensor;
    if (const auto shifted = shifted_.find(IndexOf(codes)); shifted != shifted_.end()) {
      codes = shifted->second.codes;
      zero_point = shifted->second.zero_point;
    }
    const ModelTensor* scales = PlainConstant(node.inputs[1]);
    if (!HoldsPlainCodes(codes) || scales == nullptr || HoldsCodes(scales->type)) return {};
    ModelTensor& stored = graph_.tensor(graph_.tensor(codes).source);
    const std::optional<Layout> layout = LayoutOfScales(scales->shape, stored.shape);
    if (!layout) return {};
    CBOARD_ASSIGN_OR_RETURN(
        std::optional<ModelQuantization> made,
        MakeQuantization(
            graph_, {.origin = QuantizationOrigin::kDecompression,
                     .type = stored.type,
                     .scales = scales,
                     .zero_points = zero_point == kNoTensor ? nullptr : PlainConstant(zero_point),
                     .has_shape = true,
                     .shape = stored.shape,
                     .axis = layout->axis,
                     .group_size = layout->group_size}));
    if (!made) return {};
    const TensorId source = graph_.tensor(codes).source;
    stored.quantization = std::move(made);
    // The input of this node has plain codes as values. Its `source` is removed, so that the codes
    // are not listed as a second weight.
    if (codes != source) graph_.tensor(codes).source = kNoTensor;
    OutputOf(node).source = source;
    return {};
  }

  Result<void> ReadFakeQuantize(const ModelNode& node) {
    const std::string_view text = TextOf(node, "levels");
    const std::int64_t levels = std::strtoll(std::string(text).c_str(), nullptr, 10);
    if (levels < 2 || levels > 65536) return {};
    std::vector<float> ends[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const ModelTensor* constant = PlainConstant(node.inputs[i + 1]);
      const auto count = constant == nullptr ? std::nullopt : ElementCount(constant->shape);
      if (!count || *count > kMaxChannels) return {};
      // Counts the memory for each node, because many nodes may use the same constant.
      CBOARD_RETURN_IF_ERROR(graph_.Charge(2 * sizeof(float) * *count));
      const auto values = FloatsOf(*constant, kMaxChannels);
      if (!values || values->empty()) return {};
      ends[i] = *values;
    }
    // If the output ranges differ from the input ranges, the node changes the values. A scale
    // cannot represent this.
    if (ends[0] != ends[2] || ends[1] != ends[3] || ends[0].size() != ends[1].size()) return {};
    const ModelTensor& input = graph_.tensor(node.inputs[0]);
    ModelQuantization made;
    made.origin = QuantizationOrigin::kFakeQuantize;
    made.code_max = levels - 1;
    if (ends[0].size() > 1) {
      const std::optional<Layout> layout =
          LayoutOfScales(PlainConstant(node.inputs[1])->shape, input.shape);
      if (!input.has_shape || !layout || layout->group_size != 0) return {};
      made.granularity = Quantization::Granularity::kPerChannel;
      made.axis = static_cast<std::size_t>(layout->axis);
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i) {
      const float scale = (ends[1][i] - ends[0][i]) / static_cast<float>(levels - 1);
      const float zero = -ends[0][i] / scale;
      // There must be a code for the real value 0, as there is after calibration.
      if (!(std::abs(zero) < 65536.f) || std::abs(zero - std::round(zero)) > 1e-2f) return {};
      made.scales.push_back(scale);
      made.zero_points.push_back(static_cast<std::int32_t>(std::round(zero)));
    }
    OutputOf(node).quantization = std::move(made);
    if (input.source != kNoTensor && input.rounded_by == kNoTensor &&
        graph_.tensor(input.source).shape == input.shape &&
        !graph_.tensor(input.source).quantization) {
      OutputOf(node).source = input.source;
      OutputOf(node).rounded_by = node.outputs[0];
    }
    return {};
  }

  struct Shifted {
    TensorId codes = kNoTensor;
    TensorId zero_point = kNoTensor;
  };

  GraphAssembler& graph_;
  std::unordered_map<std::size_t, Shifted> shifted_;  // By the output tensor of Subtract.
};

}  // namespace

Result<void> ResolveOpenVinoQuantization(GraphAssembler& graph) {
  return OpenVinoQuantization(graph).Run();
}

}  // namespace cboard::model
