// Which Host headers are answered.
//
// A page from elsewhere can point its own name at 127.0.0.1 once it is loaded ("DNS rebinding")
// and then read what a local server answers. The browser still sends that page's name as the Host,
// so names that nobody has told us about are refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::server {

// "localhost:6006" -> "localhost", "[::1]:6006" -> "::1"; empty when it is neither.
std::string NameOfHost(std::string_view host);

class HostCheck {
 public:
  // Always allowed: localhost, 127.0.0.1 and [::1], with any port, and `names`. When every
  // interface is bound, also addresses (they cannot be rebound).
  explicit HostCheck(std::vector<std::string> names, bool allow_addresses = false);

  // `host` as in the header: "localhost:6006".
  bool Allows(std::string_view host) const;

  // Returns true if it is one of `names`.
  bool IsAllowed(std::string_view host) const;

 private:
  std::vector<std::string> names_;  // Lower case; the given ones come first.
  std::ptrdiff_t given_count_ = 0;
  bool allow_addresses_;
};

}  // namespace cboard::server
