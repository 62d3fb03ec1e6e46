#include <bit>
#include <cstring>
#include <limits>

#include "server/api/series_encoder.h"

namespace cboard::server {
namespace {

constexpr std::uint64_t kMaxDistance = std::numeric_limits<std::uint32_t>::max();

template <typename T>
T Load(const std::byte* array, std::size_t index) {
  T value;
  std::memcpy(&value, array + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Store(char* array, std::size_t index, T value) {
  std::memcpy(array + index * sizeof(T), &value, sizeof(T));
}

// Calls visit(step_of), where step_of returns the step of the point at an index.
template <typename Visit>
decltype(auto) WithSteps(const reader::StoredScalars& points, const Visit& visit) {
  const std::byte* const steps = points.steps;
  const std::uint64_t base = points.step_base, stride = points.stride;
  if (points.step_bytes == 0) return visit([=](std::size_t i) { return base + i * stride; });
  if (points.step_bytes == 8) {
    return visit([=](std::size_t i) { return Load<std::uint64_t>(steps, i); });
  }
  return visit([=](std::size_t i) { return base + Load<std::uint32_t>(steps, i); });
}

// Calls visit(bits_of), where bits_of returns the bits of the wall time of the point at an index.
template <typename Visit>
decltype(auto) WithWallTimes(const reader::StoredScalars& points, const Visit& visit) {
  const std::byte* const walls = points.wall_times_seconds;
  if (points.wall_time_bytes == 8) {
    return visit([=](std::size_t i) { return Load<std::uint64_t>(walls, i); });
  }
  const std::uint64_t base = points.wall_time_base;
  return visit([=](std::size_t i) { return base + Load<std::uint32_t>(walls, i); });
}

// Converts 32-bit distances from base `from` into distances from base `to`. Returns false if a
// distance does not fit: adding must not overflow, and subtracting must not go below 0.
bool Rebase(const std::byte* distances, std::size_t count, std::uint64_t from, std::uint64_t to,
            char* out) {
  const std::uint64_t up = from - to, down = to - from;
  if (up > kMaxDistance && down > kMaxDistance) return false;
  const auto change = static_cast<std::uint32_t>(up);
  const bool must_wrap = up > kMaxDistance;
  std::uint32_t wrapped = 0, straight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto distance = Load<std::uint32_t>(distances, i);
    const std::uint32_t sum = distance + change;
    wrapped |= static_cast<std::uint32_t>(sum < distance);
    straight |= static_cast<std::uint32_t>(sum >= distance);
    Store(out, i, sum);
  }
  return (must_wrap ? straight : wrapped) == 0;
}

// Writes the differences between neighbours; the first point has none. Returns true if every
// difference fits 32 signed bits: the borrow of the subtraction is the true sign and must equal the
// sign bit of the result.
bool Differences(const std::byte* distances, std::size_t count, char* out) {
  std::uint32_t wrong = 0;
  for (std::size_t i = 1; i < count; ++i) {
    const auto before = Load<std::uint32_t>(distances, i - 1);
    const auto here = Load<std::uint32_t>(distances, i);
    const std::uint32_t gap = here - before;
    const std::uint32_t borrow = (~here & before) | ((~here | before) & gap);
    wrong |= borrow ^ gap;
    Store(out, i, gap);
  }
  return wrong >> 31 == 0;
}

bool FitsInt32(std::uint64_t difference) {
  return difference + (std::uint64_t{1} << 31) <= kMaxDistance;
}

}  // namespace

std::uint64_t StepOf(const reader::StoredScalars& points, std::size_t index) {
  return WithSteps(points, [&](const auto& step) { return step(index); });
}

bool HasStride(const reader::StoredScalars& points, std::uint64_t first, std::uint64_t stride) {
  if (points.step_bytes == 0) {
    return points.step_base == first && (points.count == 1 || points.stride == stride);
  }
  return WithSteps(points, [&](const auto& step) {
    std::uint64_t different = 0, expected = first;
    for (std::size_t i = 0; i < points.count; ++i, expected += stride) {
      different |= step(i) ^ expected;
    }
    return different == 0;
  });
}

void WriteSteps(const reader::StoredScalars& points, char* out) {
  WithSteps(points, [&](const auto& step) {
    for (std::size_t i = 0; i < points.count; ++i) Store(out, i, step(i));
  });
}

bool WriteDistances(const reader::StoredScalars& points, std::uint64_t first, char* out) {
  if (points.wall_time_bytes == 4 && AreInOneBinade(first, first + kMaxDistance)) {
    return Rebase(points.wall_times_seconds, points.count, points.wall_time_base, first, out);
  }
  return WithWallTimes(points, [&](const auto& wall) {
    std::uint64_t far = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
      const std::uint64_t distance = wall(i) - first;
      far |= distance >> 32 | (wall(i) ^ first) >> 52;  // As AreInOneBinade.
      Store(out, i, static_cast<std::uint32_t>(distance));
    }
    return far == 0;
  });
}

bool WriteGaps(const reader::StoredScalars& points, std::uint64_t first, std::uint64_t& previous,
               char* out) {
  return WithWallTimes(points, [&](const auto& wall) {
    const std::uint64_t gap = wall(0) - previous;
    previous = wall(points.count - 1);
    Store(out, 0, static_cast<std::uint32_t>(gap));
    bool fits = FitsInt32(gap);
    const std::uint64_t base = points.wall_time_base;
    if (points.wall_time_bytes == 4 && AreInOneBinade(first, base) &&
        AreInOneBinade(first, base + kMaxDistance)) {
      return fits && Differences(points.wall_times_seconds, points.count, out);
    }
    fits = fits && AreInOneBinade(first, wall(0));
    for (std::size_t i = 1; i < points.count && fits; ++i) {
      const std::uint64_t distance = wall(i) - wall(i - 1);
      fits = FitsInt32(distance) && AreInOneBinade(first, wall(i));
      Store(out, i, static_cast<std::uint32_t>(distance));
    }
    return fits;
  });
}

void WriteWallTimes(const reader::StoredScalars& points, char* out) {
  WithWallTimes(points, [&](const auto& wall) {
    for (std::size_t i = 0; i < points.count; ++i) Store(out, i, wall(i));
  });
}

bool WriteFloats(const reader::StoredScalars& points, char* out) {
  if (points.value_bytes == 4) {
    std::memcpy(out, points.values, points.count * 4);
    return true;
  }
  // Compares without branches, so that the compiler vectorizes the loop. A value that is too large
  // for a float becomes infinity and therefore differs. NaN differs from itself.
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    const auto value = Load<double>(points.values, i);
    const auto narrow = static_cast<float>(value);
    different |= static_cast<std::uint64_t>(static_cast<double>(narrow) != value) &
                 static_cast<std::uint64_t>(value == value);
    Store(out, i, narrow);
  }
  return different == 0;
}

void WriteDoubles(const reader::StoredScalars& points, char* out) {
  if (points.value_bytes == 8) {
    std::memcpy(out, points.values, points.count * 8);
    return;
  }
  for (std::size_t i = 0; i < points.count; ++i) {
    Store(out, i, static_cast<double>(Load<float>(points.values, i)));
  }
}

}  // namespace cboard::server
