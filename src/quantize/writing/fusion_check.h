// Finds what ONNX Runtime did not fuse, in the graph that it runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/quantize/plan.h"
#include "cboard/runtime/session.h"

namespace cboard::quantize {

Result<std::vector<UnfusedNode>> FindUnfusedNodes(std::string_view model, const Plan& plan,
                                                  const runtime::SessionOptions& session);

}  // namespace cboard::quantize
