// Writes the verdict on the model's outputs as a value of a JSON document.
#pragma once

#include "cboard/base/json_writer.h"
#include "cboard/compare/end_verdict.h"

namespace cboard::compare {

void WriteVerdict(const EndVerdict& verdict, JsonWriter& json);

}  // namespace cboard::compare
