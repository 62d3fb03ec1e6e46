#include "quantize/writing/weight_only_graph.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "quantize/rounding/block_weights.h"
#include "quantize/writing/table_codes.h"
#include "quantize/writing/weight_codes.h"

namespace cboard::quantize {
namespace {

constexpr std::string_view kContribDomain = "com.microsoft";

// The weight of a matrix product, as [K, N].
struct Matrix {
  std::size_t inputs = 0, outputs = 0;
  std::vector<float> values;
};

Matrix MatrixOf(const Node& node, const Constant& weight) {
  Matrix matrix;
  const bool is_transposed = node.Is("Gemm") && node.Int("transB", 0) != 0;
  const auto rows = static_cast<std::size_t>(weight.shape[0]),
             columns = static_cast<std::size_t>(weight.shape[1]);
  matrix.values = weight.ToFloats();
  matrix.inputs = is_transposed ? columns : rows;
  matrix.outputs = is_transposed ? rows : columns;
  if (!is_transposed) return matrix;
  std::vector<float> turned(matrix.values.size());
  for (std::size_t n = 0; n < rows; ++n) {
    for (std::size_t k = 0; k < columns; ++k) turned[k * rows + n] = matrix.values[n * columns + k];
  }
  matrix.values = std::move(turned);
  return matrix;
}

bool IsProduct(const Node& node, const Constant& weight) {
  return (node.Is("MatMul") || node.Is("Gemm")) && weight.shape.size() == 2;
}

// Adds the bias of a Gemm after the node that replaces it. Returns the name of the output.
std::string AddBias(Graph& graph, const Node& node, std::vector<Node>& added) {
  const std::string bias = node.Input(2);
  if (!node.Is("Gemm") || bias.empty()) return node.outputs[0];
  const std::string product = graph.UniqueName(node.outputs[0] + "_product");
  added.push_back({.name = graph.UniqueName(node.name + "_bias"),
                   .op_type = "Add",
                   .inputs = {product, bias},
                   .outputs = {node.outputs[0]}});
  return product;
}

std::string HalvesOf(std::span<const float> values) {
  std::string bytes(values.size() * 2, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    const float magnitude = std::min(std::abs(values[i]), 65504.0f);
    // Scales the value so that float32 rounds to the 11 bits of float16, also below its normal
    // range.
    std::uint32_t half;
    if (magnitude < 0x1p-14f) {
      half = static_cast<std::uint32_t>(std::nearbyint(magnitude * 0x1p24f));
    } else {
      std::uint32_t wide = std::bit_cast<std::uint32_t>(magnitude);
      wide += 0xFFFu + (wide >> 13 & 1u);
      half = (wide - ((127u - 15u) << 23)) >> 13;
      half = std::min(half, 0x7BFFu);
    }
    if (std::isnan(values[i])) half = 0x7E00u;
    const auto stored = static_cast<std::uint16_t>(sign | half);
    std::memcpy(bytes.data() + 2 * i, &stored, 2);
  }
  return bytes;
}

// Names of the tensors that store a weight in blocks.
struct StoredBlocks {
  std::string codes, scales, zero_points;
  std::int64_t inputs = 0, outputs = 0;
};

StoredBlocks StoreBlocks(Graph& to, const WeightPlan& plan, const Matrix& matrix,
                         const std::vector<double>* gram) {
  BlockWeights blocks =
      QuantizeInBlocks(matrix.values, matrix.inputs, matrix.outputs, plan.bits, plan.block_size);
  if (gram != nullptr) RoundByGptq(matrix.values, *gram, blocks);
  const auto count = static_cast<std::int64_t>(blocks.scales.size());
  StoredBlocks stored{.codes = to.UniqueName(plan.constant + "_quantized"),
                      .scales = to.UniqueName(plan.constant + "_scale"),
                      .zero_points = to.UniqueName(plan.constant + "_zero_point"),
                      .inputs = static_cast<std::int64_t>(blocks.inputs),
                      .outputs = static_cast<std::int64_t>(blocks.outputs)};
  const auto block_count = static_cast<std::int64_t>(blocks.blocks()),
             block_bytes = static_cast<std::int64_t>(blocks.block_size) * blocks.bits / 8;
  to.constants.emplace(
      stored.codes,
      Constant::Of(kUint8, {stored.outputs, block_count, block_bytes}, blocks.PackedCodes()));
  to.constants.emplace(stored.scales, Constant::Floats({count}, blocks.scales));
  std::string packed = blocks.PackedZeroPoints();
  const auto packed_size = static_cast<std::int64_t>(packed.size());
  to.constants.emplace(stored.zero_points, Constant::Of(kUint8, {packed_size}, std::move(packed)));
  return stored;
}

// Returns a node that multiplies the first input of `node` with a stored weight and adds its bias.
Node ProductOf(Graph& to, const Node& node, const WeightPlan& plan, const StoredBlocks& stored,
               bool has_integer_inputs, std::vector<Node>& added) {
  Node product{.name = node.name,
               .op_type = "MatMulNBits",
               .domain = std::string(kContribDomain),
               .inputs = {node.inputs[0], stored.codes, stored.scales, stored.zero_points},
               .outputs = {AddBias(to, node, added)}};
  product.Set(Attribute::Int("K", stored.inputs));
  product.Set(Attribute::Int("N", stored.outputs));
  product.Set(Attribute::Int("bits", plan.bits));
  product.Set(Attribute::Int("block_size", static_cast<std::int64_t>(plan.block_size)));
  if (has_integer_inputs) product.Set(Attribute::Int("accuracy_level", 4));
  to.opsets.try_emplace(std::string(kContribDomain), 1);
  return product;
}

}  // namespace

Node MakeBlockProduct(Graph& to, const Node& node, const Constant& weight,
                      const WeightPlan& weight_plan, const std::vector<double>* gram,
                      bool has_integer_inputs, std::vector<Node>& added) {
  const StoredBlocks stored = StoreBlocks(to, weight_plan, MatrixOf(node, weight), gram);
  return ProductOf(to, node, weight_plan, stored, has_integer_inputs, added);
}

Graph QuantizeWeights(const Graph& graph, const Placement& placement, const Plan& plan,
                      const GramMatrices& grams) {
  Graph to = graph;
  std::vector<Node> added;
  std::map<std::string, StoredBlocks> shared;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const NodeRole role = placement.nodes[i].role;
    if (role != NodeRole::kCompute && role != NodeRole::kWeightOnly) continue;
    const auto found = plan.weights.find(node.outputs[0]);
    if (found == plan.weights.end() || found->second.is_float) continue;
    const WeightPlan& weight_plan = found->second;
    const Constant& weight = *graph.FindConstant(weight_plan.constant);
    if (!IsProduct(node, weight) || weight_plan.block_size == 0) {
      to.nodes[i].inputs[1] = AddWeightCodes(to, weight, weight_plan, added);
      const auto corrected = plan.biases.find(node.outputs[0]);
      if (corrected != plan.biases.end() && !node.Is("MatMul")) {
        SetBias(to, to.nodes[i], 2, node.outputs[0], corrected->second);
      }
      continue;
    }
    const auto gram = grams.find(node.inputs[0]);
    // Stores a weight once if several nodes share it; GPTQ rounds it for each input separately.
    const bool is_transposed = node.Is("Gemm") && node.Int("transB", 0) != 0;
    StoredBlocks& stored = shared[weight_plan.constant + (is_transposed ? "^T" : "") + "\n" +
                                  (gram == grams.end() ? "" : node.inputs[0])];
    if (stored.codes.empty()) {
      stored = StoreBlocks(to, weight_plan, MatrixOf(node, weight),
                           gram == grams.end() ? nullptr : gram->second);
    }
    to.nodes[i] =
        ProductOf(to, node, weight_plan, stored, plan.precision == Precision::kW4A8, added);
  }
  QuantizeTables(graph, placement, plan, to, added);
  to.nodes.insert(to.nodes.end(), added.begin(), added.end());
  RemoveUnused(to);
  SortNodes(to);
  return to;
}

Graph QuantizeDynamically(const Graph& graph, const Placement& placement, const Plan& plan) {
  Graph to = graph;
  std::vector<Node> added;
  // Quantizes an input once if several products use it: codes, scale and zero point.
  std::map<std::string, std::vector<std::string>> quantized;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const NodeRole role = placement.nodes[i].role;
    if (role != NodeRole::kCompute && role != NodeRole::kWeightOnly) continue;
    const auto found = plan.weights.find(node.outputs[0]);
    if (found == plan.weights.end() || found->second.is_float) continue;
    const WeightPlan& weight_plan = found->second;
    const Constant& weight = *graph.FindConstant(weight_plan.constant);
    // Convolutions stay float, because they would become slower.
    if (!IsProduct(node, weight)) continue;
    auto& input = quantized[node.inputs[0]];
    if (input.empty()) {
      const std::string& stem = node.inputs[0];
      input = {to.UniqueName(stem + "_quantized"), to.UniqueName(stem + "_scale"),
               to.UniqueName(stem + "_zero_point")};
      added.push_back({.name = to.UniqueName(stem + "_DynamicQuantizeLinear"),
                       .op_type = "DynamicQuantizeLinear",
                       .inputs = {stem},
                       .outputs = input});
    }
    // Stores weights as [K, N] with a scale per column.
    const Matrix matrix = MatrixOf(node, weight);
    std::string codes(matrix.values.size(), '\0');
    const bool is_transposed = node.Is("Gemm") && node.Int("transB", 0) != 0;
    const std::vector<std::int8_t> given = QuantizeWeight(weight, weight_plan);
    for (std::size_t k = 0; k < matrix.inputs; ++k) {
      for (std::size_t n = 0; n < matrix.outputs; ++n) {
        codes[k * matrix.outputs + n] = static_cast<char>(
            given[is_transposed ? n * matrix.inputs + k : k * matrix.outputs + n]);
      }
    }
    const auto inputs = static_cast<std::int64_t>(matrix.inputs),
               outputs = static_cast<std::int64_t>(matrix.outputs);
    const std::string stem = weight_plan.constant;
    const std::string code_name = to.UniqueName(stem + "_quantized"),
                      scale_name = to.UniqueName(stem + "_scale"),
                      zero_name = to.UniqueName(stem + "_zero_point"),
                      sums = to.UniqueName(node.outputs[0] + "_sums"),
                      floats = to.UniqueName(node.outputs[0] + "_cast"),
                      scale = to.UniqueName(node.outputs[0] + "_scale");
    to.constants.emplace(code_name, Constant::Of(kInt8, {inputs, outputs}, std::move(codes)));
    std::vector<std::int64_t> scale_shape;
    if (weight_plan.axis >= 0) scale_shape = {outputs};
    to.constants.emplace(scale_name, Constant::Floats(scale_shape, weight_plan.scales));
    to.constants.emplace(
        zero_name, Constant::Of(kInt8, scale_shape, std::string(weight_plan.scales.size(), '\0')));
    added.push_back({.name = to.UniqueName(node.name + "_integer"),
                     .op_type = "MatMulInteger",
                     .inputs = {input[0], code_name, input[2], zero_name},
                     .outputs = {sums}});
    added.push_back({.name = to.UniqueName(node.name + "_cast"),
                     .op_type = "Cast",
                     .inputs = {sums},
                     .outputs = {floats},
                     .attributes = {Attribute::Int("to", kFloat32)}});
    added.push_back({.name = to.UniqueName(node.name + "_scales"),
                     .op_type = "Mul",
                     .inputs = {input[1], scale_name},
                     .outputs = {scale}});
    const std::string product = AddBias(to, node, added);
    to.nodes[i] = {
        .name = node.name, .op_type = "Mul", .inputs = {floats, scale}, .outputs = {product}};
  }
  QuantizeTables(graph, placement, plan, to, added);
  to.nodes.insert(to.nodes.end(), added.begin(), added.end());
  RemoveUnused(to);
  SortNodes(to);
  return to;
}

Graph StoreAsHalf(const Graph& graph) {
  constexpr std::size_t kMinBytes = 1024;
  Graph to = graph;
  for (const auto& [name, constant] : graph.constants) {
    if (constant.element_type != kFloat32 || constant.elements.size() < kMinBytes) continue;
    const std::string half = to.UniqueName(name + "_half");
    to.constants.emplace(half,
                         Constant::Of(kFloat16, constant.shape, HalvesOf(constant.ToFloats())));
    to.constants.erase(name);
    to.nodes.push_back({.name = to.UniqueName(name + "_cast"),
                        .op_type = "Cast",
                        .inputs = {half},
                        .outputs = {name},
                        .attributes = {Attribute::Int("to", kFloat32)}});
  }
  SortNodes(to);
  return to;
}

}  // namespace cboard::quantize
