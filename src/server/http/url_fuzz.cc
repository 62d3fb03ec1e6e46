// Any bytes give a target or an error; decoded values satisfy the promises of the parser.
#include "cboard/base/check.h"
#include "cboard/base/strings.h"
#include "server/http/url.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const cboard::Result<cboard::server::Target> target = cboard::server::ParseTarget(text);
  if (!target) return 0;
  CBOARD_CHECK(target->path.starts_with('/'));
  CBOARD_CHECK(target->path.find('\0') == std::string::npos);
  CBOARD_CHECK(cboard::IsValidUtf8(target->path));
  CBOARD_CHECK(target->query.size() <= cboard::server::kMaxQueryParameters);
  for (const auto& [name, value] : target->query) {
    CBOARD_CHECK(cboard::IsValidUtf8(name) && cboard::IsValidUtf8(value));
    CBOARD_CHECK(target->Query(name).has_value());
    const auto number = target->NumberQuery(name, 2, 1000, 5);
    CBOARD_CHECK(!number || (*number >= 2 && *number <= 1000));
  }
  return 0;
}
