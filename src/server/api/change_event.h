// The event that the server sends to browsers when the log directory has changed.
#pragma once

#include <memory>
#include <string>

#include "cboard/base/json_writer.h"
#include "cboard/reader/snapshot.h"

namespace cboard::server {

// "progress":{"done_bytes":…}
void WriteProgress(JsonWriter& json, const reader::LoadProgress& progress);

// Returns {"snapshot":13,"changed":[…],"added":[…],"removed":[…],"progress":{…}}: the differences
// between two snapshots. A list of more than 1,000 names becomes null: clients then request all
// runs.
std::string DescribeChange(const reader::Snapshot& before, const reader::Snapshot& after);

}  // namespace cboard::server
