// Loads elements of any real type as a vector of doubles. Kernel files include it once per
// processor generation.
#if defined(CBOARD_TENSOR_LOAD_DOUBLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CBOARD_TENSOR_LOAD_DOUBLES_INL_H_
#undef CBOARD_TENSOR_LOAD_DOUBLES_INL_H_
#else
#define CBOARD_TENSOR_LOAD_DOUBLES_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> LoadDoubles(D d, const double* HWY_RESTRICT values) {
  return hwy::HWY_NAMESPACE::LoadU(d, values);
}

template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> LoadDoubles(D d, const float* HWY_RESTRICT values) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), values));
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();
#endif
