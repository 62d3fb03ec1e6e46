#include "data_server/sampling/kept_points.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

namespace cboard::data_server {
namespace {

void ForEachStep(const reader::Tag& tag, const std::function<void(std::int64_t)>& visit) {
  if (tag.kind() != reader::TagKind::kScalar) {
    tag.blobs.ForEach([&](const reader::BlobEntry& entry) { visit(entry.step); });
    return;
  }
  tag.scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
    for (const std::int64_t step : block.steps) visit(step);
  });
}

// Returns true if every step is larger than the previous step. Evenly spaced steps need no check.
bool StepsRise(const reader::Tag& tag) {
  if (!tag.steps_ascend) return false;
  if (tag.size() < 2) return true;
  std::optional<std::int64_t> last;
  bool rise = true;
  const auto check = [&](std::int64_t step) {
    rise = rise && (!last || step > *last);
    last = step;
  };
  if (tag.kind() != reader::TagKind::kScalar) {
    ForEachStep(tag, check);
    return rise;
  }
  tag.scalars.ForEachStored([&](const reader::StoredScalars& stored) {
    if (!rise || stored.count == 0) return;
    const auto step_at = [&](std::size_t i) {
      std::uint64_t distance = i * stored.stride;
      if (stored.step_bytes == 4) {
        std::uint32_t narrow = 0;
        std::memcpy(&narrow, stored.steps + i * sizeof narrow, sizeof narrow);
        distance = narrow;
      } else if (stored.step_bytes == 8) {
        std::memcpy(&distance, stored.steps + i * sizeof distance, sizeof distance);
      }
      return static_cast<std::int64_t>(stored.step_base + distance);
    };
    check(step_at(0));
    if (stored.step_bytes == 0) {
      if (stored.count > 1 && stored.stride == 0) rise = false;
      last = step_at(stored.count - 1);
      return;
    }
    for (std::size_t i = 1; i < stored.count; ++i) check(step_at(i));
  });
  return rise;
}

std::vector<std::size_t> Chosen(const std::vector<std::size_t>& kept, std::size_t max_points) {
  std::vector<std::size_t> chosen = DownsampledIndices(kept.size(), max_points);
  for (std::size_t& index : chosen) index = kept[index];
  return chosen;
}

}  // namespace

bool PointSampler::KeepsAny(const reader::Tag& tag) const {
  return tag.size() > 0 && limits_.CapacityOf(ClassOf(*tag.info)) != std::size_t{0};
}

std::vector<std::size_t> PointSampler::KeptIndices(const reader::Tag& tag, std::size_t max_points) {
  const Capacity capacity = limits_.CapacityOf(ClassOf(*tag.info));
  const std::size_t count = tag.size();
  if (count == 0 || max_points == 0 || capacity == std::size_t{0}) return {};
  if (max_points == 1) return {count - 1};
  if (!StepsRise(tag)) {
    Reservoir reservoir(capacity);
    ForEachStep(tag, [&](std::int64_t step) { reservoir.Offer(step); });
    return Chosen(reservoir.kept(), max_points);
  }
  if (!capacity || count <= *capacity) return DownsampledIndices(count, max_points);
  return Chosen(*reservoirs_.KeptOf(*capacity, count), max_points);
}

std::vector<reader::ScalarPoint> ReadPoints(const reader::ScalarSeries& series,
                                            const std::vector<std::size_t>& indices) {
  std::vector<reader::ScalarPoint> points;
  points.reserve(indices.size());
  // Maximum ratio of all points to kept points at which reading all points is not slower than
  // reading the kept points one by one.
  constexpr std::size_t kFew = 16;
  if (series.size() > kFew * indices.size()) {
    for (const std::size_t index : indices) points.push_back(series.at(index));
    return points;
  }
  std::size_t first = 0;
  auto next = indices.begin();
  series.ForEachBlock([&](const reader::ScalarBlock& block) {
    const std::size_t end = first + block.steps.size();
    for (; next != indices.end() && *next < end; ++next) {
      const std::size_t i = *next - first;
      points.push_back({block.steps[i], block.wall_times_seconds[i], block.values[i]});
    }
    first = end;
  });
  return points;
}

}  // namespace cboard::data_server
