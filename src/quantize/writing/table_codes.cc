#include "quantize/writing/table_codes.h"

#include <map>

#include "quantize/writing/weight_codes.h"

namespace cboard::quantize {

void QuantizeTables(const Graph& from, const Placement& placement, const Plan& plan, Graph& to,
                    std::vector<Node>& added) {
  struct Stored {
    std::string codes, scales;
  };
  std::map<std::string, Stored> tables;  // By constant: several nodes may share one.
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    if (placement.nodes[i].role != NodeRole::kTable) continue;
    const Node& node = from.nodes[i];
    const auto found = plan.weights.find(node.outputs[0]);
    const auto planned = plan.nodes.find(node.outputs[0]);
    const bool is_float = found == plan.weights.end() || found->second.is_float ||
                          (planned != plan.nodes.end() && !planned->second.is_quantized);
    if (is_float) continue;
    const WeightPlan& weight = found->second;
    const Constant& table = *from.FindConstant(weight.constant);
    Stored& stored = tables[weight.constant];
    if (stored.codes.empty()) {
      stored = {to.UniqueName(weight.constant + "_quantized"),
                to.UniqueName(weight.constant + "_scale")};
      const std::vector<std::int8_t> codes = QuantizeWeight(table, weight);
      to.constants.emplace(stored.codes,
                           Constant::Of(kInt8, table.shape, {codes.begin(), codes.end()}));
      std::vector<std::int64_t> shape(table.shape.size(), 1);
      shape[0] = table.shape[0];
      to.constants.emplace(stored.scales, Constant::Floats(shape, weight.scales));
    }
    const std::string output = to.nodes[i].outputs[0];
    const std::string codes = to.UniqueName(output + "_codes"),
                      floats = to.UniqueName(output + "_cast"),
                      scales = to.UniqueName(output + "_row_scale");
    Node rows = node;
    rows.inputs[0] = stored.scales;
    rows.outputs = {scales};
    rows.name = to.UniqueName(node.name + "_scale");
    to.nodes[i].inputs[0] = stored.codes;
    to.nodes[i].outputs = {codes};
    added.push_back(std::move(rows));
    added.push_back({.name = to.UniqueName(node.name + "_cast"),
                     .op_type = "Cast",
                     .inputs = {codes},
                     .outputs = {floats},
                     .attributes = {Attribute::Int("to", kFloat32)}});
    added.push_back({.name = to.UniqueName(node.name + "_dequantize"),
                     .op_type = "Mul",
                     .inputs = {floats, scales},
                     .outputs = {output}});
  }
}

}  // namespace cboard::quantize
