#include "cboard/reader/series.h"

#include <algorithm>
#include <utility>

#include "cboard/base/check.h"
#include "reader/index/blob_column.h"
#include "reader/index/scalar_column.h"

namespace cboard::reader {
namespace {

template <typename View>
std::size_t PointsIn(std::span<const View> segments) {
  std::size_t size = 0;
  for (const View& segment : segments) size += segment.size();
  return size;
}

// Returns the segment that contains point `index`. Changes `index` to the index in this segment.
template <typename View>
const View& SegmentOf(std::span<const View> segments, std::size_t& index) {
  auto segment = segments.begin();
  while (index >= segment->size()) {
    index -= segment->size();
    ++segment;
  }
  return *segment;
}

// Returns the first segment of a list. The pointer keeps the whole list alive.
template <typename View>
std::shared_ptr<const View> FirstOf(std::vector<View> segments) {
  const auto owner = std::make_shared<const std::vector<View>>(std::move(segments));
  return {owner, owner->data()};
}

}  // namespace

ScalarSeries::ScalarSeries() = default;
ScalarSeries::~ScalarSeries() = default;
ScalarSeries::ScalarSeries(const ScalarSeries&) = default;
ScalarSeries::ScalarSeries(ScalarSeries&&) noexcept = default;
ScalarSeries& ScalarSeries::operator=(const ScalarSeries&) = default;
ScalarSeries& ScalarSeries::operator=(ScalarSeries&&) noexcept = default;

ScalarSeries::ScalarSeries(const std::shared_ptr<const void>& owner,
                           std::span<const ScalarColumnView> segments)
    : first_(owner, segments.data()), segment_count_(segments.size()), size_(PointsIn(segments)) {}

ScalarSeries::ScalarSeries(std::vector<ScalarColumnView> segments)
    : segment_count_(segments.size()),
      size_(PointsIn(std::span<const ScalarColumnView>(segments))) {
  first_ = FirstOf(std::move(segments));
}

std::span<const ScalarColumnView> ScalarSeries::segments() const {
  return {first_.get(), segment_count_};
}

ScalarPoint ScalarSeries::at(std::size_t index) const {
  CBOARD_CHECK(index < size_);
  const ScalarColumnView& segment = SegmentOf(segments(), index);
  return segment.at(index);
}

void ScalarSeries::ForEachBlock(const std::function<void(const ScalarBlock&)>& visit) const {
  ForEachBlock(0, size_, visit);
}

void ScalarSeries::ForEachBlock(std::size_t first, std::size_t count,
                                const std::function<void(const ScalarBlock&)>& visit) const {
  if (first >= size_) return;
  count = std::min(count, size_ - first);
  // Number of points that stay in the L1 cache while they are processed.
  constexpr std::size_t kMaxPoints = 1024;
  const std::size_t room = std::min(count, kMaxPoints);
  std::vector<std::int64_t> steps(room);
  std::vector<double> walls(room), values(room);
  for (const ScalarColumnView& segment : segments()) {
    if (first >= segment.size()) {
      first -= segment.size();
      continue;
    }
    while (count > 0 && first < segment.size()) {
      const std::size_t part = std::min({count, kMaxPoints, segment.size() - first});
      segment.Read(first, part, steps.data(), walls.data(), values.data());
      visit({{steps.data(), part}, {walls.data(), part}, {values.data(), part}});
      first += part;
      count -= part;
    }
    if (count == 0) return;
    first = 0;
  }
}

void ScalarSeries::ForEachStored(const std::function<void(const StoredScalars&)>& visit) const {
  for (const ScalarColumnView& segment : segments()) segment.ForEachStored(visit);
}

std::vector<ScalarPoint> ScalarSeries::ToPoints() const {
  std::vector<ScalarPoint> points;
  points.reserve(size_);
  ForEachBlock([&](const ScalarBlock& block) {
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      points.push_back({block.steps[i], block.wall_times_seconds[i], block.values[i]});
    }
  });
  return points;
}

BlobSeries::BlobSeries() = default;
BlobSeries::~BlobSeries() = default;
BlobSeries::BlobSeries(const BlobSeries&) = default;
BlobSeries::BlobSeries(BlobSeries&&) noexcept = default;
BlobSeries& BlobSeries::operator=(const BlobSeries&) = default;
BlobSeries& BlobSeries::operator=(BlobSeries&&) noexcept = default;

BlobSeries::BlobSeries(const std::shared_ptr<const void>& owner,
                       std::span<const BlobColumnView> segments)
    : first_(owner, segments.data()), segment_count_(segments.size()), size_(PointsIn(segments)) {}

BlobSeries::BlobSeries(std::vector<BlobColumnView> segments)
    : segment_count_(segments.size()), size_(PointsIn(std::span<const BlobColumnView>(segments))) {
  first_ = FirstOf(std::move(segments));
}

std::span<const BlobColumnView> BlobSeries::segments() const {
  return {first_.get(), segment_count_};
}

BlobEntry BlobSeries::at(std::size_t index) const {
  CBOARD_CHECK(index < size_);
  const BlobColumnView& segment = SegmentOf(segments(), index);
  return segment.at(index);
}

void BlobSeries::ForEach(const std::function<void(const BlobEntry&)>& visit) const {
  for (const BlobColumnView& segment : segments()) {
    for (std::size_t i = 0; i < segment.size(); ++i) visit(segment.at(i));
  }
}

}  // namespace cboard::reader
