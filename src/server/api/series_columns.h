// The columns of docs/formats/series.md, made of points as the reader stores them. Steps that are
// stored as evenly spaced are not looked at one by one, and floats are copied.
#pragma once

#include <cstdint>

#include "cboard/reader/series.h"

namespace cboard::server {

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
