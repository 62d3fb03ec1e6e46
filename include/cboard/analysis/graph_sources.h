// Which graphs were logged, and of what; and reading one of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/graph_facts.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// The four wrappings that a graph comes in.
enum class GraphKind { kRun, kMeta, kFunctions, kKeras };

// "run", "meta", "functions", "keras".
std::string_view NameOf(GraphKind kind);

struct GraphSource {
  std::string run = {};
  std::string tag = {};
  GraphKind kind = GraphKind::kRun;
  std::string model = {};    // Empty when neither stages nor the run's name say so.
  std::string variant = {};  // fp32, int8, tune_1, or the name of a stage.
  double wall_time_seconds = 0;
  std::string version = {};  // Changes when a newer graph is logged under the same tag.
  std::vector<std::string> profiles = {};  // Tags of run metadata in the same run.
};

// In the order of runs; of a run its own graph first. Reads no files.
std::vector<GraphSource> FindGraphs(const reader::Snapshot& snapshot);

// Reads the newest value of a graph or of run metadata: the bytes in the event, or the first string
// of a summary's tensor.
Result<std::string> ReadNewestBytes(const reader::Run& run, const reader::Tag& tag);

// Parses the newest graph of a source and joins what was measured, of several profiles the most. A
// profile that cannot be read is left out, and said in `problems`.
Result<MeasuredGraph> ReadGraph(const reader::Snapshot& snapshot, const GraphSource& source,
                                std::vector<Error>& problems);

}  // namespace cboard::analysis
