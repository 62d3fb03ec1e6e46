#include "cboard/server/server_metrics.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "server/http/prometheus_text.h"

namespace cboard::server {
namespace {

std::string Label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + "\"";
}

std::size_t ResidentBytes() {
  const Result<std::string> text = ReadFile("/proc/self/statm", 4096);
  if (!text) return 0;
  const auto fields = Split(*text, ' ');
  const std::size_t pages = fields.size() > 1 ? std::strtoull(fields[1].data(), nullptr, 10) : 0;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void ServerMetrics::AddSource(std::function<void(std::string& text)> source) {
  const std::scoped_lock lock(sources_mutex_);
  sources_.push_back(std::move(source));
}

void ServerMetrics::CountResponse(std::string_view route, int status, std::uint64_t sent_bytes,
                                  std::chrono::nanoseconds took) {
  static thread_local const std::size_t kShard =
      std::hash<std::thread::id>()(std::this_thread::get_id()) % kShards;
  const double seconds = std::chrono::duration<double>(took).count();
  Shard& shard = shards_[kShard];
  const std::scoped_lock lock(shard.mutex);
  auto found = std::ranges::find_if(shard.answers, [&](const Answers& answers) {
    return answers.status == status && answers.route == route;
  });
  if (found == shard.answers.end()) {
    found = shard.answers.insert(found, Answers{.route = route, .status = status});
  }
  ++found->count;
  found->sent_bytes += sent_bytes;
  found->seconds += seconds;
  const auto bucket = std::ranges::lower_bound(kBucketSeconds, seconds);
  if (bucket != kBucketSeconds.end()) {
    ++found->buckets[static_cast<std::size_t>(bucket - kBucketSeconds.begin())];
  }
}

std::vector<ServerMetrics::Answers> ServerMetrics::Sum() const {
  std::map<std::pair<std::string_view, int>, Answers> sums;
  for (Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    for (const Answers& answers : shard.answers) {
      Answers& sum = sums[{answers.route, answers.status}];
      sum.route = answers.route;
      sum.status = answers.status;
      sum.count += answers.count;
      sum.sent_bytes += answers.sent_bytes;
      sum.seconds += answers.seconds;
      std::ranges::transform(sum.buckets, answers.buckets, sum.buckets.begin(), std::plus<>());
    }
  }
  std::vector<Answers> all;
  for (auto& [key, sum] : sums) all.push_back(sum);
  return all;
}

std::string ServerMetrics::Text() const {
  const std::vector<Answers> all = Sum();
  std::string text;
  DescribeMetric(text, "cboard_http_requests_total", "counter",
                 "Answers by kind of route and status.");
  for (const Answers& answers : all) {
    AppendSample(
        text, "cboard_http_requests_total",
        Label("route", answers.route) + "," + Label("status", std::to_string(answers.status)),
        std::to_string(answers.count));
  }
  std::uint64_t sent_bytes = 0;
  for (const Answers& answers : all) sent_bytes += answers.sent_bytes;
  AppendMetric(text, "cboard_http_sent_bytes_total", "counter",
               "Bytes of answers, headers included.", sent_bytes);

  // Writes histograms only by route. Histograms by status would add many lines of little use.
  std::map<std::string_view, Answers> routes;
  for (const Answers& answers : all) {
    Answers& sum = routes[answers.route];
    sum.count += answers.count;
    sum.seconds += answers.seconds;
    std::ranges::transform(sum.buckets, answers.buckets, sum.buckets.begin(), std::plus<>());
  }
  constexpr std::string_view kDuration = "cboard_http_request_duration_seconds";
  DescribeMetric(text, kDuration, "histogram",
                 "From the whole request to the last byte of the answer.");
  for (const auto& [route, answers] : routes) {
    const std::string label = Label("route", route);
    const std::string name(kDuration);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBucketSeconds.size(); ++i) {
      below += answers.buckets[i];
      AppendSample(text, name + "_bucket",
                   label + "," + Label("le", ShortestDecimal(kBucketSeconds[i])),
                   std::to_string(below));
    }
    AppendSample(text, name + "_bucket", label + "," + Label("le", "+Inf"),
                 std::to_string(answers.count));
    AppendSample(text, name + "_sum", label, ShortestDecimal(answers.seconds));
    AppendSample(text, name + "_count", label, std::to_string(answers.count));
  }

  AppendMetric(text, "cboard_http_connections", "gauge", "Open connections.", connections.load());
  AppendMetric(text, "cboard_http_event_viewers", "gauge", "Open event streams.", viewers.load());
  AppendMetric(text, "process_resident_memory_bytes", "gauge", "Resident memory.", ResidentBytes());
  AppendMetric(text, "cboard_http_refused_connections_total", "counter",
               "Connections beyond the limit.", refused_connections.load());

  const std::scoped_lock lock(sources_mutex_);
  for (const auto& source : sources_) source(text);
  return text;
}

HttpHandler WithMetrics(std::shared_ptr<ServerMetrics> metrics, std::string path,
                        HttpHandler handler) {
  return [metrics = std::move(metrics), path = std::move(path),
          handler = std::move(handler)](const HttpRequest& request) {
    if (std::string_view(request.target).substr(0, request.target.find('?')) != path ||
        (request.method != "GET" && request.method != "HEAD")) {
      return handler(request);
    }
    HttpResponse response{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = metrics->Text(),
                          .headers = {{"Cache-Control", "no-store"}}};
    response.route = "metrics";
    return response;
  };
}

}  // namespace cboard::server
