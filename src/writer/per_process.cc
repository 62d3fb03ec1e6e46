#include "writer/per_process.h"

#include <pthread.h>

namespace cboard {

constinit std::atomic<std::uint64_t> internal::fork_generation = 0;

namespace {

[[maybe_unused]] const int g_registered =
    pthread_atfork(nullptr, nullptr, [] { ++internal::fork_generation; });

}  // namespace
}  // namespace cboard
