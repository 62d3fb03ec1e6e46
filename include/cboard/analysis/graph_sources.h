// Lists the logged graphs with their models and variants, and reads one of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/graph_facts.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// The four formats in which a graph is logged.
enum class GraphKind { kRun, kMeta, kFunctions, kKeras };

// The name of a graph's kind: "run", "meta", "functions", "keras".
std::string_view NameOf(GraphKind kind);

struct GraphSource {
  std::string run = {};
  std::string tag = {};
  GraphKind kind = GraphKind::kRun;
  std::string model = {};    // Empty if neither stages nor the run's name contain it.
  std::string variant = {};  // fp32, int8, tune_1, or the name of a stage.
  double wall_time_seconds = 0;
  std::string version = {};  // Changes when a newer graph is logged under the same tag.
  std::vector<std::string> profiles = {};  // Tags of run metadata in the same run.
};

// Finds all graphs, in the order of the runs. The graph of the run itself is the first of each run.
// Reads no files.
std::vector<GraphSource> FindGraphs(const reader::Snapshot& snapshot);

// Reads the newest value of a graph or of run metadata. Returns the bytes of the event, or the
// first string of the tensor in the summary.
Result<std::string> ReadNewestBytes(const reader::Run& run, const reader::Tag& tag);

// Parses the newest graph of a source and adds its profiles: if several profiles measured a node,
// the largest value is used. A profile that cannot be read is skipped and reported in `problems`.
Result<MeasuredGraph> ReadGraph(const reader::Snapshot& snapshot, const GraphSource& source,
                                std::vector<Error>& problems);

}  // namespace cboard::analysis
