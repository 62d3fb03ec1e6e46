#include "cboard/server/server_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <thread>

namespace cboard::server {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(ServerMetrics, CountAnswersByRouteAndStatus) {
  ServerMetrics metrics;
  metrics.CountResponse("api", 200, 100, milliseconds(2));
  metrics.CountResponse("api", 200, 100, milliseconds(30));
  metrics.CountResponse("api", 404, 50, milliseconds(10'000));
  metrics.CountResponse("page", 200, 1000, milliseconds(0));
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("\ncboard_http_requests_total{route=\"api\",status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\ncboard_http_requests_total{route=\"api\",status=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\ncboard_http_requests_total{route=\"page\",status=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\ncboard_http_sent_bytes_total 1250\n"));
  const std::string api = "\ncboard_http_request_duration_seconds_bucket{route=\"api\",le=";
  EXPECT_THAT(text, HasSubstr(api + "\"0.001\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(api + "\"0.0025\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(api + "\"0.05\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(api + "\"5\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(api + "\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("_count{route=\"api\"} 3\n"));
}

TEST(ServerMetrics, ReadAsPrometheusReads) {
  ServerMetrics metrics;
  metrics.CountResponse("api", 200, 100, milliseconds(2));
  metrics.AddSource([](std::string& text) { text += "cboard_reader_bytes_read_total 17\n"; });
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("\ncboard_reader_bytes_read_total 17\n"));
  const std::regex comment(R"(# (HELP|TYPE) [a-z_]+ .+)");
  const std::regex sample(R"re([a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.e+-]+)re");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(std::regex_match(line, comment) || std::regex_match(line, sample)) << line;
  }
}

TEST(ServerMetrics, LoseNothingWhenManyThreadsCount) {
  ServerMetrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 12; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 1000; ++j) metrics.CountResponse("api", 200, 1, milliseconds(1));
      });
    }
  }
  EXPECT_THAT(metrics.Text(), HasSubstr("{route=\"api\",status=\"200\"} 12000\n"));
}

TEST(WithMetrics, AnswersAtItsPathOnly) {
  const HttpHandler handler =
      WithMetrics(std::make_shared<ServerMetrics>(), "/board/metrics",
                  [](const HttpRequest&) { return HttpResponse{.body = "other"}; });
  EXPECT_THAT(handler({.target = "/board/metrics"}).body, HasSubstr("cboard_http_connections 0\n"));
  EXPECT_THAT(handler({.target = "/board/metrics?x=y"}).body, HasSubstr("cboard_http"));
  EXPECT_EQ(handler({.target = "/metrics"}).body, "other");
  EXPECT_EQ(handler({.target = "/board/metricsx"}).body, "other");
  EXPECT_EQ(handler({.method = "POST", .target = "/board/metrics"}).body, "other");
}

}  // namespace
}  // namespace cboard::server
