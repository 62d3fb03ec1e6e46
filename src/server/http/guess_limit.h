// Slows down clients that try tokens until one fits.
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

// Each address may be wrong kFreeGuesses times, and then once per kPause. Safe to use from many
// threads.
class GuessLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr int kFreeGuesses = 20;
  static constexpr std::chrono::seconds kPause{6};
  static constexpr std::size_t kMaxAddresses = 4096;  // Those that were wrong lately.

  // The time that the address must wait before its next guess is checked; nullopt if it may guess
  // now.
  std::optional<std::chrono::seconds> WaitBefore(std::string_view client, Time now);

  // The address was wrong once more.
  void CountWrong(std::string_view client, Time now);

 private:
  // The time at which all guesses of an address are forgotten: each guess moves it by kPause.
  std::mutex mutex_;
  std::unordered_map<std::string, Time> forgotten_at_;
};

// The part of an address that belongs to one client: all of IPv4, the first 64 bits of IPv6.
std::string ClientNetwork(std::string_view address);

}  // namespace cboard::server
