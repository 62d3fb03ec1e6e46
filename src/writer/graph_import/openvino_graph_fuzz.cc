// Converts any text as an OpenVINO model: the result is a readable graph or an error.
#include <cstddef>
#include <cstdint>

#include "cboard/proto/graph.h"
#include "writer/graph_import/openvino_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto graph =
      cboard::writer::GraphDefFromOpenVinoXml({reinterpret_cast<const char*>(data), size});
  if (!graph) return 0;
  if (!cboard::proto::ForEachNode(*graph, [](const cboard::proto::NodeView&) {})) __builtin_trap();
  return 0;
}
