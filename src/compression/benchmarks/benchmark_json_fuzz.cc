// Any bytes give models or an Error, in memory proportional to the input.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cboard/base/check.h"
#include "cboard/compression/aurora.h"
#include "cboard/compression/benchmark_json.h"
#include "cboard/compression/names.h"
#include "cboard/compression/tags.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const auto file = compression::ParseBenchmarkJson(
      std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
  if (!file) {
    CBOARD_CHECK(!file.error().message.empty());
    return 0;
  }
  for (const compression::ModelComparison& model : file->models) {
    const std::string directory = compression::DirectoryNameOf(model.model);
    CBOARD_CHECK(!directory.empty() && directory != "." && directory != "..");
    CBOARD_CHECK(directory.find('/') == std::string::npos &&
                 directory.size() <= compression::kMaxNameBytes);
    const compression::Variant* const baseline = model.Find(model.baseline);
    CBOARD_CHECK(baseline != nullptr);
    for (const compression::Variant& variant : model.variants) {
      static_cast<void>(compression::ComputeAurora(baseline->metrics, variant.metrics));
      for (const auto& [metric, value] : compression::InLogOrder(variant.metrics)) {
        static_cast<void>(compression::LabelsOf(metric, model.model, variant.name));
        static_cast<void>(
            compression::DefaultTag({compression::CompressionTagKind::kMetric, model.model,
                                     metric.key, variant.name, model.baseline}));
      }
    }
  }
  return 0;
}
