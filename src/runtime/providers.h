// Execution providers: the parts of ONNX Runtime that run nodes on certain hardware.
#pragma once

#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "runtime/ort_library.h"

namespace cboard::runtime {

// Lists the execution providers, by the names that SessionOptions::provider accepts.
Result<std::vector<std::string>> ProvidersOf(const OrtLibrary& library);

// Adds `provider` to `settings`. If it does not exist, fails with kNotFound; the error lists the
// available providers.
Result<void> AddProvider(const OrtLibrary& library, const std::string& provider,
                         ort::SessionOptions* settings);

}  // namespace cboard::runtime
