#include "server/api/verified_json.h"

#include "server/content/json_columns.h"

namespace cboard::server {

using analysis::VerifiedRun;

void WriteVerified(JsonWriter& json, const std::optional<analysis::VerifiedRuns>& verified) {
  if (!verified) {
    json.Null();
    return;
  }
  json.BeginObject().Key("summary").Value(verified->Summary());
  WriteValues(json, "ends", verified->ends);
  json.Key("samples").Value(verified->samples);
  WriteValues(json, "texts", verified->runs, &VerifiedRun::text);
  json.Key("parts").BeginArray();
  for (const VerifiedRun& run : verified->runs) {
    json.BeginObject();
    WriteValues(json, "layers", run.parts, &analysis::VerifiedPart::layer);
    WriteValues(json, "tensors", run.parts, &analysis::VerifiedPart::part);
    json.EndObject();
  }
  json.EndArray();
  WriteNumbers(json, "sqnr_db", verified->runs, &VerifiedRun::sqnr_db);
  WriteNumbers(json, "gains_db", verified->runs,
               [&](const VerifiedRun& run) { return verified->GainOf(run); });
  WriteValues(json, "why_not", verified->runs, &VerifiedRun::why_not);
  json.Key("best");
  if (const VerifiedRun* const best = verified->BestParts()) {
    json.Value(best - verified->runs.data());
  } else {
    json.Null();
  }
  json.EndObject();
}

}  // namespace cboard::server
