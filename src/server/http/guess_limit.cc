#include "server/http/guess_limit.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace cboard::server {

std::string ClientNetwork(std::string_view address) {
  const std::string text(address.substr(0, address.find('%')));  // "fe80::1%eth0"
  in6_addr bytes = {};
  if (::inet_pton(AF_INET6, text.c_str(), &bytes) != 1) return text;
  constexpr std::size_t kNetworkBytes = 8;
  std::memset(bytes.s6_addr + kNetworkBytes, 0, sizeof(bytes.s6_addr) - kNetworkBytes);
  char shown[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET6, &bytes, shown, sizeof(shown));
  return std::string(shown) + "/64";
}

std::optional<std::chrono::seconds> GuessLimit::WaitBefore(std::string_view client, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = forgotten_at_.find(ClientNetwork(client));
  if (found == forgotten_at_.end()) return std::nullopt;
  // Minimum number of entries that are removed when the table is full.
  const auto wait = found->second - now - (kFreeGuesses - 1) * kPause;
  if (wait <= wait.zero()) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(wait);
}

void GuessLimit::CountWrong(std::string_view client, Time now) {
  const std::lock_guard lock(mutex_);
  std::string network = ClientNetwork(client);
  if (forgotten_at_.size() >= kMaxAddresses && !forgotten_at_.contains(network)) {
    std::erase_if(forgotten_at_, [&](const auto& entry) { return entry.second <= now; });
    if (forgotten_at_.size() >= kMaxAddresses) {
      // Removes the address with the fewest wrong guesses.
      forgotten_at_.erase(std::ranges::min_element(forgotten_at_, {},
                                                   [](const auto& entry) { return entry.second; }));
    }
  }
  Time& forgotten_at = forgotten_at_[std::move(network)];
  forgotten_at = std::max(forgotten_at, now) + kPause;
}

}  // namespace cboard::server
