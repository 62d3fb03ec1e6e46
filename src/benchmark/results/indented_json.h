// JSON for people: a line per member of the outer objects.
#pragma once

#include <string>
#include <string_view>

namespace cboard::benchmark {

// `json` is valid and compact. Objects down to `max_depth` have a line for each member; deeper ones
// and all arrays stay in one line.
std::string Indented(std::string_view json, int max_depth);

}  // namespace cboard::benchmark
