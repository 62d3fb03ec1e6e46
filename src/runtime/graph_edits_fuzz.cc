// Edits any bytes as a model: replaces the output of the first node or initializer, or fails.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/proto/onnx.h"
#include "cboard/runtime/graph_edits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string_view model(reinterpret_cast<const char*>(data), size);
  static_cast<void>(runtime::EditGraph(model, {}));
  const auto graph = proto::ParseOnnxModel(model);
  if (!graph) return 0;
  runtime::GraphEdits edits;
  if (!graph->nodes.empty() && !graph->nodes[0].outputs.empty()) {
    edits.passed.push_back(
        {.name = std::string(graph->nodes[0].outputs[0]), .from = "x", .low = 0});
  }
  if (!graph->initializers.empty()) {
    edits.constants.push_back({std::string(graph->initializers[0].name), {2}, {1, 2}});
  }
  for (const proto::OnnxNode& node : graph->nodes) {
    for (const proto::OnnxAttribute& attribute : node.attributes) {
      if (node.outputs.empty() || attribute.graphs.empty()) continue;
      const auto body = proto::ParseOnnxGraph(attribute.graphs[0]);
      if (!body || body->initializers.empty()) continue;
      static_cast<void>(runtime::EditGraph(
          model, {.constants = {{std::string(body->initializers[0].name),
                                 {1},
                                 {1},
                                 {{std::string(node.outputs[0]), std::string(attribute.name)}}}}}));
    }
  }
  const auto edited = runtime::EditGraph(model, edits);
  if (!edited) return 0;
  // The result is a model of the same size, with Max in place of the first node.
  const auto after = proto::ParseOnnxModel(*edited);
  if (!after || after->nodes.size() != graph->nodes.size()) __builtin_trap();
  if (!edits.passed.empty() && after->nodes[0].op_type != "Max") __builtin_trap();
  if (after->initializers.size() != graph->initializers.size() + edits.passed.size()) {
    __builtin_trap();
  }
  return 0;
}
