#include "data_server/sampling/reservoir.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace cboard::data_server {
namespace {

// The three algorithms by which rand::seq::index::sample in Rust chooses `amount` of `length`
// indices. Rust uses the algorithm that it expects to be fastest. The algorithms use random numbers
// in different ways.

std::vector<std::size_t> SampleFloyd(ChaChaRandom& random, std::uint32_t length,
                                     std::uint32_t amount) {
  std::vector<std::size_t> indices;
  indices.reserve(amount);
  for (std::uint32_t last = length - amount; last < length; ++last) {
    const std::uint32_t drawn = random.Between32(0, last + 1);
    // The order of the indices does not matter, because they are sorted later.
    const bool is_new = std::ranges::find(indices, drawn) == indices.end();
    indices.push_back(is_new ? drawn : last);
  }
  return indices;
}

std::vector<std::size_t> SampleInPlace(ChaChaRandom& random, std::uint32_t length,
                                       std::uint32_t amount) {
  std::vector<std::size_t> indices(length);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  for (std::uint32_t i = 0; i < amount; ++i) {
    std::swap(indices[i], indices[random.Between32(i, length)]);
  }
  indices.resize(amount);
  return indices;
}

template <typename Draw>
std::vector<std::size_t> SampleWithRejection(std::size_t amount, const Draw& draw) {
  std::unordered_set<std::size_t> drawn;
  while (drawn.size() < amount) drawn.insert(draw());
  return {drawn.begin(), drawn.end()};
}

std::vector<std::size_t> SampleIndices(std::size_t length, std::size_t amount) {
  ChaChaRandom random;
  if (length > std::numeric_limits<std::uint32_t>::max()) {
    return SampleWithRejection(amount, [&] { return random.Below64(length); });
  }
  const auto length32 = static_cast<std::uint32_t>(length);
  const auto amount32 = static_cast<std::uint32_t>(amount);
  const auto length_f = static_cast<float>(length32);
  const auto amount_f = static_cast<float>(amount32);
  const bool is_long = length >= 500'000;
  if (amount < 163) {
    const float slope = is_long ? 8.0f / 45.0f : 1.6f;
    const float offset = is_long ? 70.0f / 9.0f : 10.0f;
    const bool in_place = amount > 11 && length_f < (offset + slope * amount_f) * amount_f;
    return in_place ? SampleInPlace(random, length32, amount32)
                    : SampleFloyd(random, length32, amount32);
  }
  const float factor = is_long ? 330.0f / 9.0f : 270.0f;
  if (length_f < factor * amount_f) return SampleInPlace(random, length32, amount32);
  return SampleWithRejection(amount, [&] { return std::size_t{random.Below32(length32)}; });
}

}  // namespace

void Reservoir::RemoveFrom(std::int64_t step) {
  const std::size_t old_count = steps_.size();
  while (!steps_.empty() && steps_.back() >= step) {
    steps_.pop_back();
    kept_.pop_back();
  }
  if (steps_.size() == old_count) return;
  // Estimates the number of points that remain in the series: assumes that the replaced points are
  // spread evenly over kept and discarded points.
  seen_count_ = seen_count_ * steps_.size() / old_count;
}

void Reservoir::Offer(std::int64_t step) {
  const std::size_t index = offered_count_++;
  if (capacity_ == std::size_t{0}) return;
  RemoveFrom(step);
  ++seen_count_;
  if (capacity_ && seen_count_ > *capacity_) {
    const std::uint64_t place = random_.Below64(seen_count_);
    if (place >= *capacity_) {
      if (!kept_.empty()) {
        kept_.pop_back();
        steps_.pop_back();
      }
    } else if (kept_.size() >= *capacity_) {
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(place));
      steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
  kept_.push_back(index);
  steps_.push_back(step);
}

std::shared_ptr<const std::vector<std::size_t>> ReservoirCache::KeptOf(std::size_t capacity,
                                                                       std::size_t count) {
  const auto kept_of = [](const std::shared_ptr<const Reservoir>& reservoir) {
    return std::shared_ptr<const std::vector<std::size_t>>(reservoir, &reservoir->kept());
  };
  const Key key(capacity, count);
  std::shared_ptr<const Reservoir> shorter;
  {
    const std::lock_guard lock(mutex_);
    const auto next = reservoirs_.lower_bound(key);
    if (next != reservoirs_.end() && next->first == key) return kept_of(next->second);
    if (next != reservoirs_.begin() && std::prev(next)->first.first == capacity) {
      shorter = std::prev(next)->second;
    }
  }
  auto made = shorter ? std::make_shared<Reservoir>(*shorter)
                      : std::make_shared<Reservoir>(Capacity(capacity));
  while (made->offered_count() < count) {
    made->Offer(static_cast<std::int64_t>(made->offered_count()));
  }
  const std::lock_guard lock(mutex_);
  // Limits the number of cached entries by removing arbitrary ones. The choice affects only the
  // speed.
  if (reservoirs_.size() >= kMaxEntries) reservoirs_.erase(reservoirs_.begin());
  return kept_of(reservoirs_.emplace(key, std::move(made)).first->second);
}

std::vector<std::size_t> DownsampledIndices(std::size_t count, std::size_t max_count) {
  if (max_count >= count) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  if (max_count == 0) return {};
  std::vector<std::size_t> indices = SampleIndices(count - 1, max_count - 1);
  std::ranges::sort(indices);
  indices.push_back(count - 1);
  return indices;
}

}  // namespace cboard::data_server
