#include "tensor/kernels/grid_kernels.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/grid_kernels.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

#include "tensor/kernels/load_doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Real>
void Places(const Real* HWY_RESTRICT values, std::size_t count, const tensor::GridPlaces& grid,
            std::uint32_t* HWY_RESTRICT places) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const std::size_t lanes = hn::Lanes(d);
  const auto width = hn::Set(d, grid.width), inverse = hn::Set(d, grid.inverse_width);
  const auto below = hn::Set(d, grid.below), end = hn::Set(d, grid.end);
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const auto offset = hn::Set(d, grid.below - 1);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = LoadDoubles(d, values + i);
    auto place = hn::Mul(value, inverse);
    // hn::Min and hn::Max are not used, because their result for NaN depends on the processor.
    place = hn::IfThenElse(hn::Lt(place, end), place, end);
    place = hn::IfThenElse(hn::Gt(place, below), place, below);
    place = hn::Floor(place);
    const auto too_high = hn::Lt(value, hn::Mul(place, width));
    place = hn::Sub(place, hn::IfThenElse(too_high, one, zero));
    const auto index = hn::DemoteTo(d32, hn::Sub(place, offset));
    hn::StoreU(index, d32, reinterpret_cast<std::int32_t*>(places + i));
  }
  for (; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    double place = value * grid.inverse_width;
    place = place < grid.end ? place : grid.end;
    place = std::floor(place > grid.below ? place : grid.below);
    if (value < place * grid.width) place -= 1;
    places[i] = static_cast<std::uint32_t>(place - (grid.below - 1));
  }
}

void PlacesOfFloats(const float* values, std::size_t count, const tensor::GridPlaces& grid,
                    std::uint32_t* places) {
  Places(values, count, grid, places);
}

void PlacesOfDoubles(const double* values, std::size_t count, const tensor::GridPlaces& grid,
                     std::uint32_t* places) {
  Places(values, count, grid, places);
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {

HWY_EXPORT(PlacesOfFloats);
HWY_EXPORT(PlacesOfDoubles);

void FindPlaces(std::span<const float> values, const GridPlaces& grid, std::uint32_t* places) {
  HWY_DYNAMIC_DISPATCH(PlacesOfFloats)(values.data(), values.size(), grid, places);
}

void FindPlaces(std::span<const double> values, const GridPlaces& grid, std::uint32_t* places) {
  HWY_DYNAMIC_DISPATCH(PlacesOfDoubles)(values.data(), values.size(), grid, places);
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
