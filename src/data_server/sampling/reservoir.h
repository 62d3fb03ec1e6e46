// The points of a series that TensorBoard's data server keeps: at most so many, chosen at random,
// the newest always among them. It chooses while it reads; our reader has every point, so the same
// choice is made when somebody asks.
//
//   Reservoir reservoir(1000);
//   for (const std::int64_t step : steps) reservoir.Offer(step);
//   for (const std::size_t index : reservoir.kept()) Send(points[index]);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "data_server/sampling/chacha_random.h"

namespace cboard::data_server {

// The largest number of points that are kept; nothing means all.
using Capacity = std::optional<std::size_t>;

// Not thread-safe.
class Reservoir {
 public:
  explicit Reservoir(Capacity capacity) : capacity_(capacity) {}

  // Offers the next point of the series. It replaces all points whose step is not below its own:
  // training was resumed from there, or logs everything at step 0.
  void Offer(std::int64_t step);

  // Indices of the points that are kept, ascending.
  const std::vector<std::size_t>& kept() const { return kept_; }
  std::size_t offered_count() const { return offered_count_; }

 private:
  void RemoveFrom(std::int64_t step);

  Capacity capacity_;
  ChaChaRandom random_;
  std::vector<std::size_t> kept_;
  std::vector<std::int64_t> steps_;  // Steps of `kept_`, ascending.
  std::size_t offered_count_ = 0;
  std::uint64_t seen_count_ = 0;  // Points of the series, without an estimate of those replaced.
};

// The choices for series whose steps ascend: these depend on the number of points only, and most
// series of an experiment have the same. All methods may be called from any thread.
class ReservoirCache {
 public:
  // Indices of the points that are kept of `count` points. A series that has grown is continued.
  std::shared_ptr<const std::vector<std::size_t>> KeptOf(std::size_t capacity, std::size_t count);

 private:
  static constexpr std::size_t kMaxEntries = 256;
  using Key = std::pair<std::size_t, std::size_t>;  // Capacity and count.

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Reservoir>> reservoirs_;
};

// The indices that are left when `count` points are reduced to at most `max_count` for a response:
// a random choice of all but the last, and the last. Ascending.
std::vector<std::size_t> DownsampledIndices(std::size_t count, std::size_t max_count);

}  // namespace cboard::data_server
