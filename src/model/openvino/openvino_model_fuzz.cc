// Reads any bytes as an OpenVINO XML file: the result is a graph or an error.
#include "model/testing/fuzz_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return cboard::model::FuzzFormat(cboard::model::ModelFormat::kOpenVino, data, size);
}
