#include "profile/byte_rates.h"

#include "profile/kernel_text.h"

namespace cboard::profile {

std::optional<ByteRates::Rates> ByteRates::Update(double now_seconds,
                                                  std::map<std::string, ByteCounters> current) {
  std::optional<Rates> rates;
  if (former_seconds_ && now_seconds > *former_seconds_) {
    double in = 0, out = 0;
    for (const auto& [device, counters] : current) {
      const auto former = former_.find(device);
      if (former == former_.end()) continue;
      if (counters.in >= former->second.in) in += double(counters.in - former->second.in);
      if (counters.out >= former->second.out) out += double(counters.out - former->second.out);
    }
    const double scale = 1 / kBytesPerMb / (now_seconds - *former_seconds_);
    rates = Rates{in * scale, out * scale};
  }
  former_seconds_ = now_seconds;
  former_ = std::move(current);
  return rates;
}

}  // namespace cboard::profile
