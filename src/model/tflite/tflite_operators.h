// TFLite's built-in operators.
#pragma once

#include <cstdint>
#include <string_view>

namespace cboard::model {

// "CONV_2D" for 3; empty for numbers that are not known.
std::string_view TfliteOperatorName(std::int32_t number);

}  // namespace cboard::model
