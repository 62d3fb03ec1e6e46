#include "compare/measure/byte_shares.h"

#include <algorithm>
#include <unordered_map>

#include "compare/layers/quantizers.h"

namespace cboard::compare {
namespace {

constexpr std::string_view kBiases = "biases";
constexpr std::string_view kScales = "scales and zero points";
constexpr std::string_view kOther = "other constants";
constexpr std::string_view kRest = "graph, names and metadata";

using Shares = std::map<std::string, std::uint64_t>;

// Returns true if input `i` of this operator is a scale or a zero point.
bool IsScaleInput(const model::ModelNode& node, std::size_t i) {
  if (IsQuantizer(node) || IsDequantizer(node)) return i > 0;
  if (node.op_type == "QLinearConv") return i != 0 && i != 3 && i != 8;
  if (node.op_type == "QGemm") return i != 0 && i != 3 && i != 6;
  if (node.op_type == "DynamicQuantizeLSTM") return i >= 8;
  if (node.op_type == "MatMulNBits" || node.op_type == "MatMulInteger") return i > 1;
  return node.op_type.starts_with("QLinear") && i % 3 != 0;
}

Shares SharesOf(const model::ModelGraph& model, const std::vector<ModelLayer>& layers) {
  std::unordered_map<model::TensorId, std::string> kinds;
  for (const ModelLayer& layer : layers) {
    const model::TensorId weight = model.tensor(layer.weight).source;
    kinds.try_emplace(weight, "weights, " + std::string(NameOf(model.tensor(weight).type)) +
                                  (model.tensor(weight).is_sparse() ? ", sparse" : ""));
    if (model.IsWeight(layer.bias)) kinds.try_emplace(model.tensor(layer.bias).source, kBiases);
  }
  for (const model::ModelNode& node : model.nodes()) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const model::TensorId input = node.inputs[i];
      if (input != model::kNoTensor && IsScaleInput(node, i) && model.tensor(input).is_constant) {
        kinds.try_emplace(input, kScales);
      }
    }
  }
  Shares shares;
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < model.tensors().size(); ++i) {
    const model::ModelTensor& tensor = model.tensors()[i];
    if (!tensor.is_constant || tensor.data.empty()) continue;
    const auto kind = kinds.find(static_cast<model::TensorId>(i));
    shares[kind == kinds.end() ? std::string(kOther) : kind->second] += tensor.stored_bytes();
    counted += tensor.stored_bytes();
  }
  shares[std::string(kRest)] = model.file_bytes() - std::min(counted, model.file_bytes());
  return shares;
}

}  // namespace

std::vector<ByteShare> CompareBytes(const model::ModelGraph& baseline,
                                    const std::vector<ModelLayer>& baseline_layers,
                                    const model::ModelGraph& variant,
                                    const std::vector<ModelLayer>& variant_layers) {
  std::map<std::string, ByteShare> shares;
  for (const auto& [what, bytes] : SharesOf(baseline, baseline_layers)) {
    shares[what].baseline_bytes = bytes;
  }
  for (const auto& [what, bytes] : SharesOf(variant, variant_layers)) {
    shares[what].variant_bytes = bytes;
  }
  std::vector<ByteShare> result;
  for (auto& [what, share] : shares) {
    share.what = what;
    if (share.baseline_bytes > 0 || share.variant_bytes > 0) result.push_back(share);
  }
  std::ranges::stable_sort(result, std::greater<>(), [](const ByteShare& share) {
    return std::max(share.baseline_bytes, share.variant_bytes);
  });
  return result;
}

}  // namespace cboard::compare
