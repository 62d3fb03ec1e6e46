// Any bytes give a document within its limits, or an error with a position.
#include <cmath>
#include <cstddef>
#include <string_view>

#include "analysis/gates/contract_document.h"
#include "cboard/base/check.h"

namespace {

using cboard::analysis::DocumentNode;

std::size_t CountOf(const DocumentNode& node, int depth) {
  CBOARD_CHECK(depth <= 32);
  CBOARD_CHECK(node.line >= 1 && node.column >= 1);
  CBOARD_CHECK(node.is_map() || node.members.empty());
  CBOARD_CHECK(node.is_list() || node.items.empty());
  CBOARD_CHECK(!node.Describe().empty());
  if (const auto number = node.Number()) CBOARD_CHECK(std::isfinite(*number));
  std::size_t count = 1;
  for (const DocumentNode& item : node.items) count += CountOf(item, depth + 1);
  for (const auto& [key, value] : node.members) {
    const DocumentNode* const found = node.Find(key);
    CBOARD_CHECK(found == nullptr || found == &value);  // Each key appears once.
    count += CountOf(value, depth + 1);
  }
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto root = cboard::analysis::ParseDocument({reinterpret_cast<const char*>(data), size});
  if (root) {
    CBOARD_CHECK(CountOf(*root, 0) <= 50'000);
  } else {
    CBOARD_CHECK(!root.error().message.empty());
  }
  return 0;
}
