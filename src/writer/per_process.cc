#include "writer/per_process.h"

#include <pthread.h>

namespace cboard::writer {

constinit std::atomic<std::uint64_t> internal::fork_generation = 0;
constinit std::mutex internal::fork_mutex;

namespace {

[[maybe_unused]] const int g_registered =
    pthread_atfork([] { internal::fork_mutex.lock(); }, [] { internal::fork_mutex.unlock(); },
                   [] {
                     ++internal::fork_generation;
                     internal::fork_mutex.unlock();
                   });

}  // namespace
}  // namespace cboard::writer
