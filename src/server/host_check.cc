#include "server/host_check.h"

#include <arpa/inet.h>

#include <algorithm>

namespace cboard {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// "localhost:6006" -> "localhost", "[::1]:6006" -> "::1"; empty when it is neither.
std::string NameOf(std::string_view host) {
  const auto is_port = [](std::string_view text) {
    return text.empty() ||
           (text.front() == ':' && text.find_first_not_of("0123456789", 1) == std::string::npos);
  };
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos || !is_port(host.substr(end + 1))) return {};
    return LowerCase(host.substr(1, end - 1));
  }
  const std::size_t colon = std::min(host.find(':'), host.size());
  if (!is_port(host.substr(colon))) return {};
  host = host.substr(0, colon);
  if (host.ends_with('.')) host.remove_suffix(1);  // The root of all names.
  return LowerCase(host);
}

bool IsAddress(const std::string& name) {
  in6_addr ignored;
  return ::inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
}

}  // namespace

HostCheck::HostCheck(std::vector<std::string> names, bool allow_addresses)
    : names_(std::move(names)), allow_addresses_(allow_addresses) {
  for (std::string& name : names_) name = LowerCase(name);
  names_.insert(names_.end(), {"localhost", "127.0.0.1", "::1"});
}

bool HostCheck::Allows(std::string_view host) const {
  const std::string name = NameOf(host);
  if (name.empty()) return false;
  return std::ranges::find(names_, name) != names_.end() || (allow_addresses_ && IsAddress(name));
}

}  // namespace cboard
