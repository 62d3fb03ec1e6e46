// The parts of the test program tensorboard_oracle.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::testing {

Result<std::string> RunHParamsOracle(std::string_view request);

}  // namespace cboard::testing
