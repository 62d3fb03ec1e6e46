// Runs a fuzzer in the unit tests with a fixed set of inputs: small files of every format,
// truncated versions of them, and random changes of them. It finds little that libFuzzer would not
// find (`make test-deep`), but it quickly reports a fuzzer that does not compile or whose property
// is violated.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cboard::testing {

using FuzzTarget = int (*)(const std::uint8_t* data, std::size_t size);

void ReplayFuzzer(FuzzTarget target);

}  // namespace cboard::testing
