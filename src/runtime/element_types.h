// ONNX's element types, by their numbers in files and in ONNX Runtime, as ours.
#pragma once

#include <optional>
#include <string>

#include "cboard/tensor/tensor_view.h"

namespace cboard::runtime {

// Nothing for strings, complex numbers, and floats or integers below eight bits.
std::optional<DType> DTypeOfElement(int element_type);

int ElementOf(DType dtype);

// Of any number: "float32", "string", "element type 99".
std::string NameOfElement(int element_type);

}  // namespace cboard::runtime
