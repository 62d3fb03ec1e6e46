// One run as it was last read. Immutable once it is in a snapshot, and shared by all that follow
// until its files change.
#pragma once

#include <map>
#include <string>

#include "cboard/reader/logdir_scan.h"
#include "server/compression_labels.h"

namespace cboard {

struct RunLog {
  RunScan scan = {};
  std::map<std::string, CompressionLabel> labels = {};  // Of the tags about compression.
};

}  // namespace cboard
