// Reads any bytes as an ONNX model: the result is a graph or an error.
#include "model/testing/fuzz_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Also sets a shape for the only input, so that shapes are inferred.
  cboard::model::FuzzFormat(cboard::model::ModelFormat::kOnnx, data, size, {{"", {1, 3, 8, 8}}});
  return cboard::model::FuzzFormat(cboard::model::ModelFormat::kOnnx, data, size);
}
