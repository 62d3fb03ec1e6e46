// Adds outputs to any bytes as a model: the result is the same bytes with appended outputs, or an
// error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/proto/onnx.h"
#include "runtime/graph_outputs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view model(reinterpret_cast<const char*>(data), size);
  const auto result = cboard::runtime::AddGraphOutputs(model, std::nullopt);
  if (!result) return 0;
  if (!result->bytes.starts_with(model)) __builtin_trap();
  // Added outputs can be requested by name.
  if (!cboard::runtime::AddGraphOutputs(model, result->tensors)) __builtin_trap();
  return 0;
}
