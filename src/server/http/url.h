// Parses the target of a request: "/api/v1/scalars?run=a%2Fb&tag=loss".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::server {

struct Target {
  std::string path;  // Decoded: valid UTF-8 that begins with '/', without control characters.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded, in the order of the target.

  // Returns the first query parameter of this name. Fails with kInvalidArgument if there is none.
  Result<std::string> Query(std::string_view name) const;

  // Returns an integer from `least` to `most`, or `otherwise` if the parameter is missing.
  Result<std::size_t> NumberQuery(std::string_view name, std::size_t least, std::size_t most,
                                  std::size_t otherwise) const;
};

// Parses a path with a query. Fails with kInvalidArgument on incomplete escapes, bytes that are not
// UTF-8, control characters, and more than kMaxQueryParameters parameters.
Result<Target> ParseTarget(std::string_view target);

inline constexpr std::size_t kMaxQueryParameters = 64;

// Decodes a name or value of a query: "a%2Fb+c" becomes "a/b c". Fails under the same conditions as
// ParseTarget.
Result<std::string> DecodeQueryText(std::string_view text);

}  // namespace cboard::server
