// The built-in operators of TFLite.
#pragma once

#include <cstdint>
#include <string_view>

namespace cboard::model {

// Returns the name of an operator: "CONV_2D" for 3. Returns an empty text for unknown numbers.
std::string_view TfliteOperatorName(std::int32_t number);

}  // namespace cboard::model
