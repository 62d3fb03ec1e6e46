// Long series as bytes: docs/formats/series.md.
//
//   const EncodedSeries encoded = EncodedSeries::Append(PointsOf(tag.scalars), buffer);
//   encoded.Describe(json);
//
// Each column is as narrow as its values allow, and nothing is lost: steps at a constant distance
// take no bytes, wall times within 17 minutes of the first or within 8 of the one before take 4,
// values that are floats take 4.
#pragma once

#include <cstdint>
#include <functional>

#include "cboard/base/json_writer.h"
#include "cboard/reader/series.h"
#include "server/content/body_pool.h"

namespace cboard::server {

// Points that can be visited more than once.
struct SeriesPoints {
  std::size_t count = 0;
  double first_wall_time_seconds = 0;  // If there is a point.
  double last_wall_time_seconds = 0;
  // Calls its argument with all points, in order; never with none.
  std::function<void(const std::function<void(const reader::StoredScalars&)>&)> for_each_stored;
};

SeriesPoints PointsOf(const reader::ScalarSeries& series);  // Borrows the series.
SeriesPoints PointsOf(const reader::ScalarBlock& points);   // Borrows what the spans view.

class EncodedSeries {
 public:
  // Appends the columns to `out`, each padded to 8 bytes. They are written as narrow as the ends of
  // the series suggest, and once more, wider, when a point in between does not fit. Wall times are
  // left out unless they are wanted.
  static EncodedSeries Append(const SeriesPoints& points, BodyBuffer& out,
                              bool with_wall_times = true);

  // Members of an open object: "points", and "steps", "wall_times" unless they are left out, and
  // "values", which say how each is stored.
  void Describe(JsonWriter& json) const;

  // No description is longer.
  static constexpr std::size_t kMaxDescriptionBytes = 256;

 private:
  EncodedSeries() = default;

  enum class WallTimes { kNone, kDistances, kGaps, kDoubles };

  std::size_t WallBytes() const {
    if (wall_times_ == WallTimes::kNone) return 0;
    return wall_times_ == WallTimes::kDoubles ? 8 : 4;
  }
  std::size_t ValueBytes() const { return has_floats_ ? 4 : 8; }

  // Whether all points fit the kinds; else one kind has become wider.
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
  std::uint64_t previous_wall_bits_ = 0;  // While gaps are written.
};

// The columns of docs/formats/series.md, made of points as the reader stores them. Steps that are
// stored as evenly spaced are not looked at one by one, and floats are copied.

std::uint64_t StepOf(const reader::StoredScalars& points, std::size_t index);

// Whether the steps are `first`, `first` + `stride`, …; with wrapping arithmetic.
bool HasStride(const reader::StoredScalars& points, std::uint64_t first, std::uint64_t stride);

// Each of the following writes one column of `points` to `out`, which has room for it. Those that
// return bool say whether every point fits; what they have written means nothing if not.

void WriteSteps(const reader::StoredScalars& points, char* out);

// 32-bit distances from `first`. The bits of all wall times must be in its binade and not more
// than 2^32 - 1 above it.
bool WriteDistances(const reader::StoredScalars& points, std::uint64_t first, char* out);

// Signed 32-bit distances from the wall time before each, which is `previous` for the first of
// them and then becomes the last. All must be in the binade of `first`.
bool WriteGaps(const reader::StoredScalars& points, std::uint64_t first, std::uint64_t& previous,
               char* out);

void WriteWallTimes(const reader::StoredScalars& points, char* out);

bool WriteFloats(const reader::StoredScalars& points, char* out);
void WriteDoubles(const reader::StoredScalars& points, char* out);

// Doubles of one sign are ordered as their bits, and within a binade one unit of the last place is
// one bit: `first` + k units is exact there.
constexpr bool AreInOneBinade(std::uint64_t a, std::uint64_t b) { return (a ^ b) >> 52 == 0; }

}  // namespace cboard::server
