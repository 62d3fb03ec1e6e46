// Deprecated: include "cboard/base/dtype.h" and use cboard::DType.
#pragma once

#include "cboard/base/dtype.h"

namespace cboard::model {

using ElementType [[deprecated("use cboard::DType")]] = DType;
using cboard::BitsPerElement;
using cboard::ElementLayout;
using cboard::HoldsCodes;
using cboard::HoldsRealNumbers;
using cboard::IsBlockType;
using cboard::IsInteger;
using cboard::LayoutOf;

}  // namespace cboard::model
