// Finds the constant part of any bytes as a model: the result is a model that computes all declared
// outputs, or an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/proto/onnx.h"
#include "runtime/constant_part.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string_view model(reinterpret_cast<const char*>(data), size);
  const auto part = runtime::FindConstantPart(model, {}, std::size_t{1} << 20);
  if (!part) return 0;
  if (part->outputs.size() > part->removed.size()) __builtin_trap();
  if (part->outputs.empty()) return 0;
  const auto graph = proto::ParseOnnxModel(part->model);
  if (!graph || !graph->inputs.empty()) __builtin_trap();
  for (const std::string& output : part->outputs) {
    const bool is_computed = std::ranges::any_of(graph->nodes, [&](const proto::OnnxNode& node) {
      return node.outputs.size() == 1 && node.outputs[0] == output;
    });
    if (!is_computed) __builtin_trap();
  }
  return 0;
}
