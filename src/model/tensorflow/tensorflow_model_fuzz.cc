// Any bytes as a GraphDef: a graph, or an error.
#include "model/testing/fuzz_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A shape for the only input, too: sizes are computed with then.
  cboard::model::FuzzFormat(cboard::model::ModelFormat::kTensorFlowGraph, data, size,
                            {{"", {1, 3, 8, 8}}});
  return cboard::model::FuzzFormat(cboard::model::ModelFormat::kTensorFlowGraph, data, size);
}
