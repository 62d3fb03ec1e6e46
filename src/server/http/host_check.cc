#include "server/http/host_check.h"

#include <arpa/inet.h>

#include <algorithm>

#include "server/http/content_coding.h"

namespace cboard::server {

std::string NameOfHost(std::string_view host) {
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
  // Removes the final dot of a fully qualified name.
  if (host.ends_with('.')) host.remove_suffix(1);
  return LowerCase(host);
}

namespace {

bool IsAddress(const std::string& name) {
  in6_addr ignored;
  return ::inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
}

}  // namespace

HostCheck::HostCheck(std::vector<std::string> names, bool allow_addresses)
    : names_(std::move(names)), allow_addresses_(allow_addresses) {
  for (std::string& name : names_) name = LowerCase(name);
  given_count_ = std::ssize(names_);
  names_.insert(names_.end(), {"localhost", "127.0.0.1", "::1"});
}

bool HostCheck::IsAllowed(std::string_view host) const {
  const std::string name = NameOfHost(host);
  const auto end = names_.begin() + given_count_;
  return !name.empty() && std::find(names_.begin(), end, name) != end;
}

bool HostCheck::Allows(std::string_view host) const {
  const std::string name = NameOfHost(host);
  if (name.empty()) return false;
  return std::ranges::find(names_, name) != names_.end() || (allow_addresses_ && IsAddress(name));
}

}  // namespace cboard::server
