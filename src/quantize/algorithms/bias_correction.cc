#include "quantize/algorithms/bias_correction.h"

#include "quantize/writing/weight_codes.h"

namespace cboard::quantize {
namespace {

std::vector<double> ChannelMeans(const Statistics& statistics, const std::string& tensor) {
  const auto found = statistics.tensors.find(tensor);
  if (found == statistics.tensors.end()) return {};
  const TensorStatistics& values = found->second;
  std::vector<double> means = values.channel_sum;
  const double count = static_cast<double>(values.count) / static_cast<double>(means.size());
  for (double& mean : means) mean /= count;
  return means;
}

// Returns the mean error of each output channel.
std::vector<double> MeanErrors(const Node& node, const Constant& weight, const WeightPlan& plan,
                               const std::vector<double>& means) {
  const std::vector<float> values = plan.values.empty() ? weight.ToFloats() : plan.values;
  const std::vector<std::int8_t> codes = QuantizeWeight(weight, plan);
  const auto error = [&](std::size_t element, std::size_t row) {
    const float scale = plan.scales[plan.axis < 0 ? 0 : row];
    return static_cast<double>(static_cast<float>(codes[element]) * scale) - values[element];
  };
  if (node.Is("Conv")) {
    const auto outputs = static_cast<std::size_t>(weight.shape[0]),
               inputs = static_cast<std::size_t>(weight.shape[1]);
    const auto groups = static_cast<std::size_t>(node.Int("group", 1));
    if (groups == 0 || outputs % groups != 0 || inputs * groups != means.size()) return {};
    const std::size_t kernel = values.size() / (outputs * inputs);
    std::vector<double> errors(outputs);
    std::size_t element = 0;
    for (std::size_t o = 0; o < outputs; ++o) {
      const std::size_t first = o / (outputs / groups) * inputs;
      for (std::size_t i = 0; i < inputs; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < kernel; ++k) sum += error(element++, o);
        errors[o] += sum * means[first + i];
      }
    }
    return errors;
  }
  if (weight.shape.size() != 2) return {};
  const bool is_transposed = node.Is("Gemm") && node.Int("transB", 0) != 0;
  const auto rows = static_cast<std::size_t>(weight.shape[0]),
             columns = static_cast<std::size_t>(weight.shape[1]);
  const std::size_t outputs = is_transposed ? rows : columns;
  if ((is_transposed ? columns : rows) != means.size()) return {};
  std::vector<double> errors(outputs);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t output = is_transposed ? row : column;
      errors[output] += error(row * columns + column, output) * means[is_transposed ? column : row];
    }
  }
  return errors;
}

}  // namespace

std::size_t CorrectBiases(const Graph& graph, const Placement& placement,
                          const Statistics& statistics, Plan& plan) {
  const GraphIndex index(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (placement.nodes[i].role != NodeRole::kCompute) continue;
    const auto weight = plan.weights.find(node.outputs[0]);
    if (weight == plan.weights.end() || weight->second.is_float) continue;
    if (weight->second.block_size > 0) continue;  // Blocks have other codes than these.
    const std::vector<double> means = ChannelMeans(statistics, node.inputs[0]);
    if (means.empty()) continue;
    const std::vector<double> errors =
        MeanErrors(node, *graph.FindConstant(weight->second.constant), weight->second, means);
    if (errors.empty()) continue;
    std::vector<float> bias(errors.size());
    const Constant* old = graph.FindConstant(node.Input(2));
    if (node.Is("MatMul")) {
      // A MatMul has its bias in the Add that follows it.
      const std::size_t next = index.OnlyConsumer(node.outputs[0]);
      if (next == GraphIndex::kNone || !graph.nodes[next].Is("Add")) continue;
      const Node& add = graph.nodes[next];
      old = graph.FindConstant(add.inputs[add.inputs[0] == node.outputs[0] ? 1 : 0]);
      if (old == nullptr) continue;
    }
    if (old != nullptr) {
      bias = old->ToFloats();
      if (bias.size() != errors.size()) continue;
    }
    for (std::size_t c = 0; c < bias.size(); ++c) {
      bias[c] = static_cast<float>(bias[c] - errors[c]);
    }
    plan.biases[node.outputs[0]] = std::move(bias);
  }
  return plan.biases.size();
}

}  // namespace cboard::quantize
