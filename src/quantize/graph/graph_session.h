// Opens a graph for inference.
#pragma once

#include <string>
#include <vector>

#include "cboard/runtime/session.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

// Opens the graph with the given tensors as additional outputs. A graph above 2 GiB is loaded
// through temporary files. Fails like Session.
Result<runtime::Session> OpenSession(const Graph& graph, const std::vector<std::string>& outputs,
                                     const runtime::SessionOptions& options);

}  // namespace cboard::quantize
