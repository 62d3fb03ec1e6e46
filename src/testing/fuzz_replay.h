// Runs a fuzzer in the unit tests: over small files of every format that is read, what is left of
// them when they are cut short, and what random changes make of them. The same inputs each time. It
// finds little that libFuzzer would not find (`make test-deep`), but a fuzzer that no longer
// compiles, or whose promise was broken, shows at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cboard::testing {

using FuzzTarget = int (*)(const std::uint8_t* data, std::size_t size);

void ReplayFuzzer(FuzzTarget target);

}  // namespace cboard::testing
