#include <cstring>

#include "cboard/tensor/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/half_kernels.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

// Uses a plain loop that the compiler vectorizes. On processors without a conversion instruction,
// Highway's own conversion treats infinity as a number.
void Widen(const void* HWY_RESTRICT halves, float* HWY_RESTRICT out, std::size_t count) {
  const auto* HWY_RESTRICT from = static_cast<const std::byte*>(halves);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, from + 2 * i, sizeof(bits));
    out[i] = HalfToFloat(bits);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {

HWY_EXPORT(Widen);

void HalvesToFloats(const void* halves, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(Widen)(halves, out.data(), out.size());
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
