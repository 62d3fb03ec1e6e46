#include "server/api/entries.h"

#include "cboard/reader/histogram_query.h"
#include "server/content/json_columns.h"

namespace cboard::server {

Result<Entries> QueriedEntries(const ApiCall& call, reader::TagKind kind) {
  constexpr std::size_t kMaxEntries = 10'000;
  CBOARD_ASSIGN_OR_RETURN(const TagOfRun found, QueriedTag(call, kind));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t limit,
                          call.target.NumberQuery("limit", 1, kMaxEntries, 1000));
  return Entries{reader::SelectSteps(found.tag->blobs.size(), limit), found.run, found.tag};
}

void WriteHead(JsonWriter& json, const ApiCall& call, const Entries& entries) {
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "indices", entries.indices);
  WriteValues(json, "steps", entries.indices,
              [&](std::size_t i) { return entries.tag->blobs.at(i).step; });
  WriteValues(json, "wall_times", entries.indices,
              [&](std::size_t i) { return entries.tag->blobs.at(i).wall_time_seconds; });
}

Parameter RunParameter() { return {"run", ParameterType::kText, true, false, "The run."}; }
Parameter TagParameter() { return {"tag", ParameterType::kText, true, false, "The tag."}; }
Parameter LimitParameter() {
  return {"limit", ParameterType::kWhole, false, false, "At most so many steps, evenly chosen."};
}

}  // namespace cboard::server
