// Computes bytes per second from counters that devices increase since the machine was started.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace cboard::profile {

struct ByteCounters {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

// Adds up the increase of all devices between two calls. A device is not included in the first call
// after it appeared or its counter was reset, because then there is no previous value.
class ByteRates {
 public:
  struct Rates {
    double in_mb_s = 0;
    double out_mb_s = 0;
  };

  // Updates the counters and returns the rates. Returns nullopt at the first call.
  std::optional<Rates> Update(double now_seconds, std::map<std::string, ByteCounters> current);

 private:
  std::optional<double> former_seconds_;
  std::map<std::string, ByteCounters> former_;
};

}  // namespace cboard::profile
