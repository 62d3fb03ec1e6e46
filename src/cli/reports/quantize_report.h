// The result of `quantize` as text.
#pragma once

#include <string>

#include "cboard/quantize/model_quantizer.h"

namespace cboard::cli {

std::string QuantizeText(const quantize::QuantizeReport& report);

}  // namespace cboard::cli
