// Counters of the server, in the text format of Prometheus.
//
//   auto metrics = std::make_shared<ServerMetrics>();
//   metrics->AddSource([&](std::string& text) { text += "cboard_reader_bytes_read_total 17\n"; });
//   HttpServer::Listen({.metrics = metrics}, WithMetrics(metrics, "/metrics", handler));
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/server/http_message.h"

namespace cboard::server {

// Thread-safe.
class ServerMetrics {
 public:
  // Adds a function that appends lines in Prometheus format. Each call of Text() calls all added
  // functions, one after the other.
  void AddSource(std::function<void(std::string& text)> source);

  // Counts a response. `route` must be one of a small set of texts, and must be valid as long as
  // the metrics; use a string literal.
  void CountResponse(std::string_view route, int status, std::uint64_t sent_bytes,
                     std::chrono::nanoseconds took);

  // The number of open connections and requests, and the number of connections and requests that
  // were refused because of a limit.
  std::atomic<std::int64_t> connections = 0;
  std::atomic<std::int64_t> viewers = 0;  // Connections that are event streams.
  std::atomic<std::uint64_t> refused_connections = 0;
  std::atomic<std::size_t> unsent_bytes = 0;  // Bytes of responses that clients have not read yet.

  std::string Text() const;

 private:
  static constexpr std::size_t kShards = 8;
  static constexpr std::array kBucketSeconds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                0.025,  0.05,    0.1,    0.25,  0.5,    1.0,   5.0};
  struct Answers {
    std::string_view route;
    int status = 0;
    std::uint64_t count = 0;
    std::uint64_t sent_bytes = 0;
    double seconds = 0;
    std::array<std::uint64_t, kBucketSeconds.size()> buckets = {};  // Not cumulative.
  };
  // The counters of one thread. There is one set of counters per thread, so that threads do not
  // wait for each other.
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<Answers> answers;
  };

  std::vector<Answers> Sum() const;

  mutable std::array<Shard, kShards> shards_;
  mutable std::mutex sources_mutex_;
  std::vector<std::function<void(std::string&)>> sources_;
};

// Returns a handler that serves the metrics at `path` and passes other requests to `handler`.
HttpHandler WithMetrics(std::shared_ptr<ServerMetrics> metrics, std::string path,
                        HttpHandler handler);

}  // namespace cboard::server
