// Bytes per second out of counters that devices keep since boot.
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

// Sums the progress of all devices between two calls. A device that is new has no past, and one
// whose counter fell was reset: both count from the next call on.
class ByteRates {
 public:
  struct Rates {
    double in_mb_s = 0;
    double out_mb_s = 0;
  };

  // Nothing at the first call.
  std::optional<Rates> Update(double now_seconds, std::map<std::string, ByteCounters> current);

 private:
  std::optional<double> former_seconds_;
  std::map<std::string, ByteCounters> former_;
};

}  // namespace cboard::profile
