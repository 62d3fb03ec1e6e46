#include "server/http/unsent_bytes.h"

#include <algorithm>

namespace cboard::server::net {

std::optional<UnsentBytes::Share> UnsentBytes::Reserve(const void* body, std::size_t size_bytes) {
  if (size_bytes <= kAlwaysSentBytes) return Share(nullptr, body);
  const std::scoped_lock lock(mutex_);
  const auto found = bodies_.find(body);
  if (found != bodies_.end()) {
    ++found->second.uses;
    return Share(this, body);
  }
  if (total_bytes_ > 0 && size_bytes > max_bytes_ - std::min(total_bytes_, max_bytes_)) {
    return std::nullopt;
  }
  bodies_.emplace(body, Body{.size_bytes = size_bytes, .uses = 1});
  total_bytes_ += size_bytes;
  peak_bytes_ = std::max(peak_bytes_, total_bytes_);
  return Share(this, body);
}

void UnsentBytes::Release(const void* body) {
  const std::scoped_lock lock(mutex_);
  const auto found = bodies_.find(body);
  if (--found->second.uses > 0) return;
  total_bytes_ -= found->second.size_bytes;
  bodies_.erase(found);
}

std::size_t UnsentBytes::total_bytes() const {
  const std::scoped_lock lock(mutex_);
  return total_bytes_;
}

bool UnsentBytes::TakeCrowdIsGone() {
  const std::scoped_lock lock(mutex_);
  constexpr std::size_t kCrowdBytes = std::size_t{32} << 20;
  if (peak_bytes_ < kCrowdBytes || total_bytes_ > peak_bytes_ / 8) return false;
  peak_bytes_ = total_bytes_;
  return true;
}

}  // namespace cboard::server::net
