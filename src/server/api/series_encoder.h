// Encodes long series as binary columns, as described in docs/formats/series.md.
//
//   const EncodedSeries encoded = EncodedSeries::Append(PointsOf(tag.scalars), buffer);
//   encoded.Describe(json);
//
// The encoding is lossless, and each column is as narrow as its values allow. Steps at a constant
// distance take no bytes. Wall times take 4 bytes if they are within 17 minutes of the first or
// within 8 minutes of the previous one. Values that are exact floats take 4 bytes.
#pragma once

#include <cstdint>
#include <functional>

#include "cboard/base/json_writer.h"
#include "cboard/reader/series.h"
#include "server/content/body_pool.h"

namespace cboard::server {

// A sequence of points that can be visited more than once.
struct SeriesPoints {
  std::size_t count = 0;
  double first_wall_time_seconds = 0;  // Valid if count > 0.
  double last_wall_time_seconds = 0;
  // Calls its argument with all points, in order and in blocks that are never empty.
  std::function<void(const std::function<void(const reader::StoredScalars&)>&)> for_each_stored;
};

SeriesPoints PointsOf(const reader::ScalarSeries& series);  // The result borrows the series.
// Returns the points of a block. The result borrows the data of the spans.
SeriesPoints PointsOf(const reader::ScalarBlock& points);

class EncodedSeries {
 public:
  // Appends the columns to `out`, each padded to 8 bytes. The first and last point select the
  // column widths; if a point between them does not fit, the columns are written again with wider
  // types. Wall times are written only on request.
  static EncodedSeries Append(const SeriesPoints& points, BodyBuffer& out,
                              bool with_wall_times = true);

  // Writes members of an open JSON object that say how each column is stored: "points", "steps",
  // "values" and, if wall times are written, "wall_times".
  void Describe(JsonWriter& json) const;

  // Maximum length of the text that Describe() writes.
  static constexpr std::size_t kMaxDescriptionBytes = 256;

 private:
  EncodedSeries() = default;

  enum class WallTimes { kNone, kDistances, kGaps, kDoubles };

  std::size_t WallBytes() const {
    if (wall_times_ == WallTimes::kNone) return 0;
    return wall_times_ == WallTimes::kDoubles ? 8 : 4;
  }
  std::size_t ValueBytes() const { return has_floats_ ? 4 : 8; }

  // Writes all columns. Returns false if a point does not fit; one column type is then made wider,
  // and the caller tries again.
  bool TryAppend(const SeriesPoints& points, BodyBuffer& out);
  bool WriteStepColumn(std::size_t index, const reader::StoredScalars& points, char* out);
  bool WriteWallColumn(const reader::StoredScalars& points, char* out);
  bool WriteValueColumn(const reader::StoredScalars& points, char* out);
  void DescribeWallTimes(JsonWriter& json) const;

  std::size_t count_ = 0;
  bool has_stride_ = true;  // Steps are first + i * stride.
  bool has_floats_ = true;
  WallTimes wall_times_ = WallTimes::kDoubles;
  std::int64_t first_step_ = 0;
  std::int64_t stride_ = 0;
  double first_wall_time_ = 0;
  std::uint64_t previous_wall_bits_ = 0;  // State while differences of wall times are written.
};

// Functions that write the columns of docs/formats/series.md from points as the reader stores them.
// Steps that are stored as evenly spaced are not visited one by one, and floats are copied.

std::uint64_t StepOf(const reader::StoredScalars& points, std::size_t index);

// Returns true if the steps are `first`, `first` + `stride`, …, in wrapping arithmetic.
bool HasStride(const reader::StoredScalars& points, std::uint64_t first, std::uint64_t stride);

// Each of the following functions writes one column of `points` to `out`, which must have enough
// room. If a function returns false, a point does not fit, and its output is invalid.

void WriteSteps(const reader::StoredScalars& points, char* out);

// Writes 32-bit distances from `first`. The bits of all wall times must be in the binade of `first`
// and at most 2^32 - 1 above it.
bool WriteDistances(const reader::StoredScalars& points, std::uint64_t first, char* out);

// Writes signed 32-bit distances between successive wall times. `previous` is the wall time before
// the first point, and is set to the last one. All times must be in the binade of `first`.
bool WriteGaps(const reader::StoredScalars& points, std::uint64_t first, std::uint64_t& previous,
               char* out);

void WriteWallTimes(const reader::StoredScalars& points, char* out);

bool WriteFloats(const reader::StoredScalars& points, char* out);
void WriteDoubles(const reader::StoredScalars& points, char* out);

// Writes wall times as `first` + k units in the last place. This is exact within one binade,
// because doubles of one sign are ordered like their bits.
constexpr bool AreInOneBinade(std::uint64_t a, std::uint64_t b) { return (a ^ b) >> 52 == 0; }

}  // namespace cboard::server
