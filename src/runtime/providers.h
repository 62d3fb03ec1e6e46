// Execution providers: the parts of ONNX Runtime that run nodes on a kind of hardware.
#pragma once

#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "runtime/ort_library.h"

namespace cboard::runtime {

// By the names of SessionOptions::provider.
Result<std::vector<std::string>> ProvidersOf(const OrtLibrary& library);

// Lets `settings` use `provider`. Fails with kNotFound and the providers that there are.
Result<void> AddProvider(const OrtLibrary& library, const std::string& provider,
                         ort::SessionOptions* settings);

}  // namespace cboard::runtime
