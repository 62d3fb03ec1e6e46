// Slows down clients that guess access tokens.
//
//   GuessLimit limit;
//   if (const auto wait = limit.WaitBefore(client, now)) return TooManyGuesses(*wait);
//   if (!token.Matches(text)) limit.CountWrong(client, now);
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cboard::server {

// Limits wrong guesses per address: kFreeGuesses are free, then one per kPause.
// Thread-safe.
class GuessLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr int kFreeGuesses = 20;
  static constexpr std::chrono::seconds kPause{6};
  static constexpr std::size_t kMaxAddresses = 4096;  // Addresses with recent wrong guesses.

  // Returns how long the address must wait before its next guess is checked; nullopt if it may
  // guess now.
  std::optional<std::chrono::seconds> WaitBefore(std::string_view client, Time now);

  // Counts one more wrong guess of the address.
  void CountWrong(std::string_view client, Time now);

 private:
  // For each address, the time at which its wrong guesses are forgotten. Each wrong guess moves the
  // time by kPause.
  std::mutex mutex_;
  std::unordered_map<std::string, Time> forgotten_at_;
};

// Returns the part of an address that identifies a client: all of IPv4, the first 64 bits of IPv6.
std::string ClientNetwork(std::string_view address);

}  // namespace cboard::server
