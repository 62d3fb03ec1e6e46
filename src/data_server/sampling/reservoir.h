// Chooses the same points of a series as TensorBoard's data server: a random sample of limited size
// that always contains the newest point. That server chooses while it reads a file. Our reader has
// every point, so the choice is made when points are requested.
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

// The max number of kept points; nullopt means all.
using Capacity = std::optional<std::size_t>;

// Chooses the points of one series. Not thread-safe.
class Reservoir {
 public:
  explicit Reservoir(Capacity capacity) : capacity_(capacity) {}

  // Offers the next point of the series. The point replaces all points with the same or a larger
  // step: either a training was resumed from that step, or the program logs everything at step 0.
  void Offer(std::int64_t step);

  // The indices of the kept points, ascending.
  const std::vector<std::size_t>& kept() const { return kept_; }
  std::size_t offered_count() const { return offered_count_; }

 private:
  void RemoveFrom(std::int64_t step);

  Capacity capacity_;
  ChaChaRandom random_;
  std::vector<std::size_t> kept_;
  std::vector<std::int64_t> steps_;  // The steps of the points in `kept_`, ascending.
  std::size_t offered_count_ = 0;
  // The estimated number of points in the series, without the points that were replaced.
  std::uint64_t seen_count_ = 0;
};

// Caches the choices for series with ascending steps: for such a series, the choice depends only on
// the number of points, and most series of an experiment have the same number of points. All
// methods may be called from any thread.
class ReservoirCache {
 public:
  // The indices of the kept points of a series of `count` points. If the series has grown, the
  // choice is continued.
  std::shared_ptr<const std::vector<std::size_t>> KeptOf(std::size_t capacity, std::size_t count);

 private:
  static constexpr std::size_t kMaxEntries = 256;
  using Key = std::pair<std::size_t, std::size_t>;  // The key: capacity and count.

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Reservoir>> reservoirs_;
};

// Chooses which of `count` points a response with at most `max_count` points contains: a random
// choice, and always the last point. Returns ascending indices.
std::vector<std::size_t> DownsampledIndices(std::size_t count, std::size_t max_count);

}  // namespace cboard::data_server
