// Formats JSON for people: the outer objects have one line per member.
#pragma once

#include <string>
#include <string_view>

namespace cboard::benchmark {

// Formats `json`, which must be valid and compact. Objects down to depth `max_depth` have one line
// per member; deeper objects and all arrays are on a single line.
std::string Indented(std::string_view json, int max_depth);

}  // namespace cboard::benchmark
