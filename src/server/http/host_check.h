// Checks the Host header, as a protection against DNS rebinding.
//
// A page of another site can change the address of its own host name to 127.0.0.1 after it is
// loaded ("DNS rebinding"), and can then read the responses of a local server. The browser still
// sends that site's name as the Host, so requests with unknown names are refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::server {

// Returns the host without the port: "localhost" for "localhost:6006", "::1" for "[::1]:6006";
// empty if the text is neither.
std::string NameOfHost(std::string_view host);

class HostCheck {
 public:
  // Always allows localhost, 127.0.0.1 and [::1], with any port, and `names`. If the server listens
  // on every interface, IP addresses are allowed too, because they cannot be rebound.
  explicit HostCheck(std::vector<std::string> names, bool allow_addresses = false);

  // Returns true if the host is allowed. `host` is written as in the header: "localhost:6006".
  bool Allows(std::string_view host) const;

  // Returns true if `host` is one of `names`.
  bool IsAllowed(std::string_view host) const;

 private:
  std::vector<std::string> names_;  // In lower case; the given names come first.
  std::ptrdiff_t given_count_ = 0;
  bool allow_addresses_;
};

}  // namespace cboard::server
