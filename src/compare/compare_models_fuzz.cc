// Any two ONNX models: a comparison of their weights and a lint, or an error.
#include "cboard/compare/comparison_json.h"
#include "compare/compare_graphs.h"
#include "model/testing/fuzz_model.h"

namespace cboard::compare {
namespace {

Result<model::ModelGraph> ModelOf(const std::uint8_t* data, std::size_t size) {
  return model::ReadModel(
      model::ModelFormat::kOnnx,
      model::MappedFile::FromMemory(std::string(reinterpret_cast<const char*>(data), size),
                                    "/nonexistent/model"));
}

}  // namespace
}  // namespace cboard::compare

// The first two bytes say where the second model begins.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t first = std::min<std::size_t>(size - 2, data[0] * 256u + data[1]);
  const auto baseline = cboard::compare::ModelOf(data + 2, first);
  const auto variant = cboard::compare::ModelOf(data + 2 + first, size - 2 - first);
  if (!baseline || !variant) return 0;
  const auto comparison = cboard::compare::CompareGraphs(*baseline, *variant, {.samples = 0});
  if (comparison) {
    cboard::model::Require(!cboard::compare::ToJson(*comparison).empty());
  } else {
    cboard::model::Require(!comparison.error().message.empty());
  }
  return 0;
}
