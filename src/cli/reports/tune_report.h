// The result of `tune` as text.
#pragma once

#include <string>

#include "cboard/tune/tune.h"

namespace cboard::cli {

std::string TuneText(const tune::TuneReport& report);

}  // namespace cboard::cli
