// The event that browsers receive when the log directory has changed.
#pragma once

#include <memory>
#include <string>

#include "cboard/base/json_writer.h"
#include "cboard/reader/snapshot.h"

namespace cboard::server {

// "progress":{"done_bytes":…}
void WriteProgress(JsonWriter& json, const reader::LoadProgress& progress);

// {"snapshot":13,"changed":[…],"added":[…],"removed":[…],"progress":{…}}: the differences in
// `after`. A list of more than 1,000 names is null: clients then request all runs.
std::string DescribeChange(const reader::Snapshot& before, const reader::Snapshot& after);

}  // namespace cboard::server
