// This file is compiled once per instruction set (Highway). The program selects the best version at
// run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "writer/media/interleave.cc"
#include "writer/media/interleave.h"

#include <hwy/foreach_target.h>  // Must come before highway.h.
#include <hwy/highway.h>

#include <cstring>

#include "cboard/base/check.h"

HWY_BEFORE_NAMESPACE();
namespace cboard::writer::media {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies the pixels of a row from index `begin` on. Used for rows whose pixels are not contiguous,
// and for the rest of a contiguous row after the last whole vector.
template <std::size_t kChannels>
void InterleaveStrided(const std::uint8_t* source, const ImageDimensions& image, std::size_t begin,
                       std::uint8_t* target) {
  for (std::size_t x = begin; x < image.width.size; ++x) {
    const std::uint8_t* pixel = source + x * image.width.stride;
    for (std::size_t c = 0; c < kChannels; ++c) {
      target[x * kChannels + c] = pixel[c * image.channels.stride];
    }
  }
}

// Copies a row of a planar tensor, one vector of pixels at a time. Returns the number of copied
// pixels.
template <std::size_t kChannels>
std::size_t InterleavePlanes(const std::uint8_t* source, const ImageDimensions& image,
                             std::uint8_t* target) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d), plane = image.channels.stride;
  std::size_t x = 0;
  for (; x + lanes <= image.width.size; x += lanes) {
    const std::uint8_t* from = source + x;
    std::uint8_t* to = target + x * kChannels;
    const auto first = hn::LoadU(d, from);
    if constexpr (kChannels == 1) {
      hn::StoreU(first, d, to);
    } else if constexpr (kChannels == 2) {
      hn::StoreInterleaved2(first, hn::LoadU(d, from + plane), d, to);
    } else if constexpr (kChannels == 3) {
      hn::StoreInterleaved3(first, hn::LoadU(d, from + plane), hn::LoadU(d, from + 2 * plane), d,
                            to);
    } else {
      hn::StoreInterleaved4(first, hn::LoadU(d, from + plane), hn::LoadU(d, from + 2 * plane),
                            hn::LoadU(d, from + 3 * plane), d, to);
    }
  }
  return x;
}

template <std::size_t kChannels>
void InterleaveRows(const std::uint8_t* source, const ImageDimensions& image, std::uint8_t* target,
                    std::size_t target_stride) {
  const bool interleaved = image.width.stride == kChannels && image.channels.stride == 1;
  for (std::size_t y = 0; y < image.height.size; ++y) {
    const std::uint8_t* from = source + y * image.height.stride;
    std::uint8_t* to = target + y * target_stride;
    if (interleaved) {
      std::memcpy(to, from, image.width.size * kChannels);
    } else {
      const bool planar = image.width.stride == 1;
      InterleaveStrided<kChannels>(from, image,
                                   planar ? InterleavePlanes<kChannels>(from, image, to) : 0, to);
    }
  }
}

void Interleave(const std::uint8_t* source, const ImageDimensions& image, std::uint8_t* target,
                std::size_t target_stride) {
  switch (image.channels.size) {
    case 1:
      return InterleaveRows<1>(source, image, target, target_stride);
    case 2:
      return InterleaveRows<2>(source, image, target, target_stride);
    case 3:
      return InterleaveRows<3>(source, image, target, target_stride);
    case 4:
      return InterleaveRows<4>(source, image, target, target_stride);
    default:
      CBOARD_CHECK(image.channels.size >= 1 && image.channels.size <= 4);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::writer::media
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::writer::media {

HWY_EXPORT(Interleave);

void Interleave(const std::uint8_t* source, const ImageDimensions& image, std::uint8_t* target,
                std::size_t target_stride) {
  HWY_DYNAMIC_DISPATCH(Interleave)(source, image, target, target_stride);
}

}  // namespace cboard::writer::media
#endif
