// The target of a request, taken apart: "/api/v1/scalars?run=a%2Fb&tag=loss".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::server {

struct Target {
  std::string path;  // Decoded: valid UTF-8 that begins with '/' and holds no control characters.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded, in the order of the target.

  // The first parameter of this name. Fails with kInvalidArgument when there is none.
  Result<std::string> Query(std::string_view name) const;

  // A whole number from `least` to `most`; `otherwise` when the parameter is missing.
  Result<std::size_t> NumberQuery(std::string_view name, std::size_t least, std::size_t most,
                                  std::size_t otherwise) const;
};

// Fails with kInvalidArgument on anything that is not a path with a query: escapes that are cut
// short, bytes that are not UTF-8, control characters, more than kMaxQueryParameters.
Result<Target> ParseTarget(std::string_view target);

inline constexpr std::size_t kMaxQueryParameters = 64;

// A name or value of a query, decoded: "a%2Fb+c" -> "a/b c". Fails as ParseTarget does.
Result<std::string> DecodeQueryText(std::string_view text);

}  // namespace cboard::server
