// Whatever a log holds as findings: refused or read, never a crash.
#include <cstddef>
#include <cstdint>

#include "cboard/analysis/layer_findings.h"
#include "cboard/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto findings = cboard::analysis::ParseLayerFindings(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!findings) return 0;
  for (const auto& [layer, finding] : *findings) CBOARD_CHECK(!layer.empty());
  return 0;
}
