// This file is compiled once per instruction set (Highway). The program selects the best version at
// run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "writer/media/png_filter.cc"
#include "writer/media/png_filter.h"

#include <hwy/foreach_target.h>  // Must come before highway.h.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "cboard/base/check.h"

HWY_BEFORE_NAMESPACE();
namespace cboard::writer::media {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Byte = std::uint8_t;
using D = hn::ScalableTag<Byte>;
using V = hn::Vec<D>;

// A byte of an image, and the three neighbours that predict it.
struct Neighbours {
  V self, left, up, corner;
};

HWY_INLINE V AbsoluteDifference(V a, V b) {
  return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

// Returns the neighbour (left, up or corner) that is nearest to left + up - corner. PNG defines
// this with wider integers. Here, increases and decreases from the corner are computed separately,
// so that bytes are sufficient. A distance above 255 becomes 255; it is the largest of the three
// distances in any case.
HWY_INLINE V Paeth(const Neighbours& n) {
  const V up_rise = hn::SaturatedSub(n.up, n.corner), up_fall = hn::SaturatedSub(n.corner, n.up);
  const V left_rise = hn::SaturatedSub(n.left, n.corner);
  const V left_fall = hn::SaturatedSub(n.corner, n.left);
  const V from_left = hn::Or(up_rise, up_fall);
  const V from_up = hn::Or(left_rise, left_fall);
  const V from_corner = AbsoluteDifference(hn::SaturatedAdd(up_rise, left_rise),
                                           hn::SaturatedAdd(up_fall, left_fall));
  const V nearer = hn::Min(from_up, from_corner);
  const V vertical = hn::IfThenElse(hn::Eq(nearer, from_up), n.up, n.corner);
  return hn::IfThenElse(hn::Eq(hn::Min(from_left, nearer), from_left), n.left, vertical);
}

HWY_INLINE V Difference(PngFilter filter, const Neighbours& n) {
  switch (filter) {
    case PngFilter::kNone:
      return n.self;
    case PngFilter::kSub:
      return hn::Sub(n.self, n.left);
    case PngFilter::kUp:
      return hn::Sub(n.self, n.up);
    case PngFilter::kPaeth:
      return hn::Sub(n.self, Paeth(n));
  }
  return n.self;
}

// A row of an image with zeros around it. PNG requires `step` zeros before the row. After the row
// there are enough zeros to load a whole vector at any position.
class PaddedRow {
 public:
  PaddedRow(std::size_t size, std::size_t step)
      : size_(size), step_(step), bytes_(step + size + hn::Lanes(D())) {}

  void Set(const Byte* row) { std::memcpy(bytes_.data() + step_, row, size_); }
  HWY_INLINE V At(std::size_t i) const { return hn::LoadU(D(), bytes_.data() + step_ + i); }
  HWY_INLINE V Before(std::size_t i) const { return hn::LoadU(D(), bytes_.data() + i); }

 private:
  std::size_t size_, step_;
  std::vector<Byte> bytes_;
};

HWY_INLINE Neighbours NeighboursAt(const PaddedRow& row, const PaddedRow& above, std::size_t i) {
  return {row.At(i), row.Before(i), above.At(i), above.Before(i)};
}

using Sums = hn::Vec<hn::Repartition<std::uint64_t, D>>;

// Treats the bytes as signed numbers, and returns sums of eight absolute values each.
HWY_INLINE Sums Magnitudes(V bytes) {
  return hn::SumsOf8(hn::Min(bytes, hn::Sub(hn::Zero(D()), bytes)));
}

PngFilter BestFilter(const PaddedRow& row, const PaddedRow& above, std::size_t size) {
  constexpr D d;
  const hn::Repartition<std::uint64_t, D> d64;
  const std::size_t lanes = hn::Lanes(d);
  Sums none = hn::Zero(d64), up = none, sub = none, paeth = none;
  const auto add = [&](std::size_t i, auto keep) HWY_ATTR {
    const Neighbours n = NeighboursAt(row, above, i);
    none = hn::Add(none, Magnitudes(keep(n.self)));
    up = hn::Add(up, Magnitudes(keep(Difference(PngFilter::kUp, n))));
    sub = hn::Add(sub, Magnitudes(keep(Difference(PngFilter::kSub, n))));
    paeth = hn::Add(paeth, Magnitudes(keep(Difference(PngFilter::kPaeth, n))));
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) add(i, [](V bytes) HWY_ATTR { return bytes; });
  if (i < size) {
    const auto inside = hn::FirstN(d, size - i);
    add(i, [&](V bytes) HWY_ATTR { return hn::IfThenElseZero(inside, bytes); });
  }
  PngFilter best = PngFilter::kNone;
  std::uint64_t least = hn::GetLane(hn::SumOfLanes(d64, none));
  for (const auto& [filter, sums] :
       {std::pair{PngFilter::kUp, &up}, {PngFilter::kSub, &sub}, {PngFilter::kPaeth, &paeth}}) {
    const std::uint64_t sum = hn::GetLane(hn::SumOfLanes(d64, *sums));
    if (sum < least) {
      least = sum;
      best = filter;
    }
  }
  return best;
}

template <PngFilter kFilter>
void WriteDifferences(const PaddedRow& row, const PaddedRow& above, std::size_t size, Byte* out) {
  constexpr D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(Difference(kFilter, NeighboursAt(row, above, i)), d, out + i);
  }
  if (i < size) {
    std::array<Byte, HWY_MAX_BYTES> last;
    hn::StoreU(Difference(kFilter, NeighboursAt(row, above, i)), d, last.data());
    std::memcpy(out + i, last.data(), size - i);
  }
}

void FilterRows(const Pixels& pixels, Byte* filtered) {
  const std::size_t size = pixels.row_bytes();
  PaddedRow row(size, pixels.channels), above(size, pixels.channels);
  for (std::size_t y = 0; y < pixels.height; ++y) {
    Byte* out = filtered + y * (size + 1);
    row.Set(pixels.row(y));
    const PngFilter filter = BestFilter(row, above, size);
    out[0] = static_cast<Byte>(filter);
    switch (filter) {
      case PngFilter::kNone:
        std::memcpy(out + 1, pixels.row(y), size);
        break;
      case PngFilter::kSub:
        WriteDifferences<PngFilter::kSub>(row, above, size, out + 1);
        break;
      case PngFilter::kUp:
        WriteDifferences<PngFilter::kUp>(row, above, size, out + 1);
        break;
      case PngFilter::kPaeth:
        WriteDifferences<PngFilter::kPaeth>(row, above, size, out + 1);
        break;
    }
    std::swap(row, above);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::writer::media
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::writer::media {

HWY_EXPORT(FilterRows);

void FilterRows(const Pixels& pixels, std::span<std::uint8_t> filtered) {
  CBOARD_CHECK(filtered.size() == pixels.height * (pixels.row_bytes() + 1));
  HWY_DYNAMIC_DISPATCH(FilterRows)(pixels, filtered.data());
}

}  // namespace cboard::writer::media
#endif
