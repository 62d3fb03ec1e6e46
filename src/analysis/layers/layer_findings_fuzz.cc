// Reads any bytes as stored diagnoses: gives an error or a result, never a crash.
#include <cstddef>
#include <cstdint>

#include "cboard/analysis/layer_findings.h"
#include "cboard/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (const auto verdict = cboard::analysis::ParseOutputsVerdict(json)) {
    CBOARD_CHECK(!verdict->level.empty());
  }
  const auto findings = cboard::analysis::ParseLayerFindings(json);
  if (!findings) return 0;
  for (const auto& [layer, finding] : *findings) CBOARD_CHECK(!layer.empty());
  return 0;
}
