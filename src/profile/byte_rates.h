// Computes bytes per second from counters that devices keep since boot.
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

// Sums the increase of all devices between two calls. A new device has no previous value, and a
// counter that fell was reset: both count from the next call on.
class ByteRates {
 public:
  struct Rates {
    double in_mb_s = 0;
    double out_mb_s = 0;
  };

  // Returns nullopt at the first call.
  std::optional<Rates> Update(double now_seconds, std::map<std::string, ByteCounters> current);

 private:
  std::optional<double> former_seconds_;
  std::map<std::string, ByteCounters> former_;
};

}  // namespace cboard::profile
