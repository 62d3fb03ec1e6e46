// Views arrays from Python as TensorViews, without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "cboard/tensor/tensor_view.h"

namespace cboard::python {

// Owns a Python buffer while its view is used. The GIL must be held when this object is created and
// destroyed, but not in between.
//
// Accepts any C-contiguous object with the buffer protocol, or a tuple (buffer, dtype name or
// None[, scales, zero points, axis or None]). The name gives the element type if the buffer cannot
// (bfloat16), and scales make it a quantized tensor.
class TensorArg {
 public:
  explicit TensorArg(nanobind::handle object);
  ~TensorArg();
  TensorArg(const TensorArg&) = delete;
  TensorArg& operator=(const TensorArg&) = delete;

  const TensorView& view() const { return view_; }

 private:
  Py_buffer buffer_{};
  std::vector<float> scales_;
  std::vector<std::int32_t> zero_points_;
  TensorView view_;
};

}  // namespace cboard::python
