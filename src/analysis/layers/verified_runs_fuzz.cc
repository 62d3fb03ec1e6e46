// Any bytes give runs with restored parts, or an Error.
#include <cstddef>
#include <string_view>

#include "cboard/analysis/verified_runs.h"
#include "cboard/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cboard::analysis;
  const auto verified =
      ParseVerifiedRuns(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!verified) return 0;
  CBOARD_CHECK(!verified->Summary().empty());
  const VerifiedRun* const best = verified->BestParts();
  CBOARD_CHECK(best == nullptr || *verified->GainOf(*best) > 0);
  CBOARD_CHECK(GainsAlone(*verified, {RankedLayer{}}).size() == 1);
  return 0;
}
