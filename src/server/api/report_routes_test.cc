#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReportRoutesTest : public ::testing::Test {
 protected:
  ReportRoutesTest() {
    {
      SummaryWriter writer((logdir_ / "models").string());
      for (const auto& [tag, value] : {std::pair("net/metrics/accuracy/fp32", 0.70),
                                       {"net/metrics/accuracy/int8", 0.68},
                                       {"net/performance/model_size_mb/fp32", 40.0},
                                       {"net/performance/model_size_mb/int8", 10.0}}) {
        EXPECT_TRUE(writer.AddScalar(tag, value, 0));
      }
    }
    auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
    EXPECT_TRUE(board);
    board_ = *std::move(board);
    EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  HttpResponse Ask(const std::string& method, const std::string& target,
                   const std::string& body = {}) const {
    HttpResponse response =
        board_->Handle({.method = method, .target = "/api/v1/compression" + target, .body = body});
    return response.later ? response.later() : response;
  }

  cboard::testing::TempDir logdir_;
  std::unique_ptr<Board> board_;
};

TEST_F(ReportRoutesTest, EveryGateOfAPolicyIsChecked) {
  const std::string gates = Ask("GET", "/gates?b=int8").body;
  EXPECT_THAT(gates, HasSubstr(R"("policies":["balanced","accuracy first","smallest"])"));
  EXPECT_THAT(gates, HasSubstr(R"("outcomes":["fail","pass","missing","missing"])"));
  EXPECT_THAT(gates, HasSubstr(R"("texts":["2.00 pp","4.00×","",""])"));
  EXPECT_THAT(Ask("GET", "/gates?b=int8&policy=accuracy%20first").body,
              HasSubstr(R"("rules":["drop ≤ 0.5 pp"])"));
  EXPECT_EQ(Ask("GET", "/gates?b=int8&policy=lax").status, 400);
  EXPECT_EQ(Ask("GET", "/gates").status, 400);
  EXPECT_THAT(Ask("GET", "/gates?b=int8&policy=drop%3C%3D3%20ratio%3E%3D5").body,
              HasSubstr(R"("outcomes":["pass","fail"])"));
  EXPECT_EQ(Ask("GET", "/gates?b=int8&policy=drop%3C%3Dmuch").status, 400);
}

// The log has accuracy and model size; quality alone is 40 % of the default weights.
TEST_F(ReportRoutesTest, TheSummaryHasAuroraForAnyPairAndWeights) {
  EXPECT_THAT(Ask("GET", "/summary?b=int8").body,
              HasSubstr(R"("reasons":["no AURORA score: the metrics of both variants cover 40 %)"));
  const std::string own = Ask("GET", "/summary?a=fp32&b=int8&weights=100,0,0,0,0,0").body;
  EXPECT_THAT(own, HasSubstr(R"("scores":[0.97142)")) << own;  // 0.68 / 0.70
  EXPECT_THAT(own, HasSubstr(R"("kinds":["computed"])"));
  const std::string reverse = Ask("GET", "/summary?a=int8&b=fp32&weights=100,0,0,0,0,0").body;
  EXPECT_THAT(reverse, HasSubstr(R"("scores":[1.0294)")) << reverse;  // 0.70 / 0.68
  for (const char* weights : {"40", "40,20,15,15,10", "40,20,15,15,10,10,1", "a,b,c,d,e,f",
                              "40,20,15,15,10,-1", "40,20,15,15,10,inf"}) {
    const HttpResponse refused = Ask("GET", std::string("/summary?b=int8&weights=") + weights);
    EXPECT_EQ(refused.status, 400) << weights;
    EXPECT_THAT(refused.body, HasSubstr("expected six numbers")) << weights;
  }
}

TEST_F(ReportRoutesTest, TheSummaryOfSomeModelsHasThemAlone) {
  EXPECT_THAT(Ask("POST", "/summary", R"({"b":"int8","models":["nobody"]})").body,
              HasSubstr(R"("models":[])"));
  EXPECT_EQ(Ask("POST", "/summary", R"({"models":"alexnet"})").status, 400);
  EXPECT_EQ(Ask("POST", "/summary", R"({"models":[],"policy":"lax"})").status, 400);
  EXPECT_EQ(Ask("POST", "/summary", R"({"models":[]})").status, 200);
}

TEST_F(ReportRoutesTest, AContractIsKeptOrNot) {
  const std::string contract =
      R"({"gates":[{"id":"small","metric":{"name":"model_size_mb"},"absolute":{"max":12}}]})";
  EXPECT_THAT(Ask("POST", "/gates", contract).body, HasSubstr(R"("passed":true)"));
  EXPECT_EQ(Ask("POST", "/gates", "[]").status, 400);
}

TEST_F(ReportRoutesTest, TheReportIsAPageOfItsOwn) {
  const HttpResponse report = Ask("GET", "/report?title=For%20us&section=gates");
  EXPECT_EQ(report.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(report.body, StartsWith("<!doctype html>"));
  EXPECT_THAT(report.body, HasSubstr("<h1>For us</h1>"));
  EXPECT_EQ(Ask("GET", "/report?section=weather").status, 400);
  EXPECT_EQ(Ask("GET", "/report?model=vgg").status, 404);
}

}  // namespace
}  // namespace cboard::server
