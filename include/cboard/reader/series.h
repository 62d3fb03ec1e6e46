// The points of one tag of one run in a snapshot. A series never changes, is cheap to copy, and may
// be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace cboard::reader {

class ScalarColumnView;  // src/reader/index/scalar_column.h
class BlobColumnView;    // src/reader/index/blob_column.h

struct ScalarPoint {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  double value = 0;

  friend bool operator==(const ScalarPoint&, const ScalarPoint&) = default;
};

// A block of consecutive points, as columns of equal length.
struct ScalarBlock {
  std::span<const std::int64_t> steps;
  std::span<const double> wall_times_seconds;
  std::span<const double> values;
};

// Consecutive points in the form in which they are stored. Each column has its narrowest type, so
// that columns can be copied without conversion.
struct StoredScalars {
  std::size_t count = 0;
  // Bytes per point. A step takes 0 bytes (equal distances), 4 (offset from a base) or 8. A wall
  // time takes 4 bytes (offset of its bit pattern from a base) or 8. A value takes 4 bytes (float)
  // or 8.
  std::uint8_t step_bytes = 8;
  std::uint8_t wall_time_bytes = 8;
  std::uint8_t value_bytes = 8;
  // Base values. Additions to them wrap around. The step of point i is step_base + i * stride if
  // steps have equal distances, otherwise step_base + offset. The bit pattern of a wall time is
  // wall_time_base + offset.
  std::uint64_t step_base = 0;
  std::uint64_t stride = 0;
  std::uint64_t wall_time_base = 0;
  const std::byte* steps = nullptr;  // The three pointers need no alignment.
  const std::byte* wall_times_seconds = nullptr;
  const std::byte* values = nullptr;
};

// All points of a scalar tag, in the order of files and events. Points that a restart discarded are
// not included. Steps usually ascend, but not always.
class ScalarSeries {
 public:
  ScalarSeries();
  ~ScalarSeries();
  ScalarSeries(const ScalarSeries&);
  ScalarSeries(ScalarSeries&&) noexcept;
  ScalarSeries& operator=(const ScalarSeries&);
  ScalarSeries& operator=(ScalarSeries&&) noexcept;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Returns the point at `index`, which must be below size(). Takes time proportional to the number
  // of segments.
  ScalarPoint at(std::size_t index) const;
  ScalarPoint front() const { return at(0); }
  ScalarPoint back() const { return at(size_ - 1); }

  // Calls `visit` with all points in order. A call gets at most 1,024 points, and its spans are
  // valid only during the call.
  void ForEachBlock(const std::function<void(const ScalarBlock&)>& visit) const;

  // Calls `visit` with at most `count` points, from index `first` on.
  void ForEachBlock(std::size_t first, std::size_t count,
                    const std::function<void(const ScalarBlock&)>& visit) const;

  // Calls `visit` with all points in the form in which they are stored. There is one call per
  // contiguous piece of memory.
  void ForEachStored(const std::function<void(const StoredScalars&)>& visit) const;

  std::vector<ScalarPoint> ToPoints() const;

  // Constructors for the log reader. It creates a series when it publishes a snapshot, with one
  // segment per event file.
  explicit ScalarSeries(std::vector<ScalarColumnView> segments);
  ScalarSeries(const std::shared_ptr<const void>& owner,
               std::span<const ScalarColumnView> segments);

 private:
  std::span<const ScalarColumnView> segments() const;

  std::shared_ptr<const ScalarColumnView> first_;  // First segment.
  std::size_t segment_count_ = 0;
  std::size_t size_ = 0;
};

// The position of a value in an event file. Values of all kinds except scalars have such an entry;
// reader/read_blob.h reads their bytes.
struct BlobEntry {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  std::uint32_t file = 0;           // Index in Run::files.
  std::uint32_t record_bytes = 0;   // Size of the record's payload.
  std::uint64_t record_offset = 0;  // Position of the record's length field.
  std::uint32_t value_offset = 0;   // Offset of the Summary.Value, GraphDef, … in the payload.
  std::uint32_t value_bytes = 0;

  friend bool operator==(const BlobEntry&, const BlobEntry&) = default;
};

// The positions of all values of a tag that is not a scalar, in the same order as in ScalarSeries.
class BlobSeries {
 public:
  BlobSeries();
  ~BlobSeries();
  BlobSeries(const BlobSeries&);
  BlobSeries(BlobSeries&&) noexcept;
  BlobSeries& operator=(const BlobSeries&);
  BlobSeries& operator=(BlobSeries&&) noexcept;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  BlobEntry at(std::size_t index) const;  // `index` must be below size().
  BlobEntry back() const { return at(size_ - 1); }
  void ForEach(const std::function<void(const BlobEntry&)>& visit) const;

  explicit BlobSeries(std::vector<BlobColumnView> segments);
  BlobSeries(const std::shared_ptr<const void>& owner, std::span<const BlobColumnView> segments);

 private:
  std::span<const BlobColumnView> segments() const;

  std::shared_ptr<const BlobColumnView> first_;  // First segment.
  std::size_t segment_count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace cboard::reader
