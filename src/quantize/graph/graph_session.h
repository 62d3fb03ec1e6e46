// A graph that is ready to run.
#pragma once

#include <string>
#include <vector>

#include "cboard/runtime/session.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

// Opens the graph with these tensors as additional outputs. A graph above 2 GiB takes its way
// through temporary files. Fails as Session does.
Result<runtime::Session> OpenSession(const Graph& graph, const std::vector<std::string>& outputs,
                                     const runtime::SessionOptions& options);

}  // namespace cboard::quantize
