#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using ::testing::HasSubstr;

class HParamsRoutesTest : public ::testing::Test {
 protected:
  HParamsRoutesTest() {
    {
      SummaryWriter writer(logdir_.path().string());
      EXPECT_TRUE(writer.AddHParams({{"bits", 8.0}, {"scheme", "symmetric"}, {"qat", true}},
                                    {{"accuracy", 0.75}}, "a"));
      EXPECT_TRUE(
          writer.AddHParams({{"bits", 4.0}, {"scheme", "asymmetric"}}, {{"accuracy", 0.5}}, "b"));
      EXPECT_TRUE(writer.AddHParams({{"bits", 2.0}, {"scheme", "symmetric"}}, {}, "c"));
    }
    auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
    EXPECT_TRUE(board);
    board_ = *std::move(board);
    EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  std::string Post(const std::string& body) const {
    HttpResponse response =
        board_->Handle({.method = "POST", .target = "/api/v1/hparams", .body = body});
    return response.later ? response.later().body : response.body;
  }

  cboard::testing::TempDir logdir_;
  std::unique_ptr<Board> board_;
};

TEST_F(HParamsRoutesTest, EveryTrialIsARowAndWhatItLacksIsNull) {
  HttpResponse response = board_->Handle({.method = "GET", .target = "/api/v1/hparams"});
  const std::string table = response.later().body;
  EXPECT_THAT(table, HasSubstr(R"("total":3)"));
  EXPECT_THAT(table, HasSubstr(R"("names":["bits","qat","scheme"])"));
  EXPECT_THAT(table, HasSubstr(R"("types":["number","truth","text"])"));
  EXPECT_THAT(table, HasSubstr(R"("values":[[8,4,2],[true,null,null],)"
                               R"(["symmetric","asymmetric","symmetric"]])"));
  EXPECT_THAT(table, HasSubstr(R"("values":[[0.75,0.5,null]])"));
  EXPECT_THAT(table, HasSubstr(R"("runs":[["a"],["b"],["c"]])"));
}

TEST_F(HParamsRoutesTest, FiltersAndSortsByAnyColumn) {
  EXPECT_THAT(Post(R"({"columns":[{"hparam":"bits","order":"ascending"}]})"),
              HasSubstr(R"("runs":[["c"],["b"],["a"]])"));
  EXPECT_THAT(Post(R"({"columns":[{"hparam":"bits","min":3,"max":8}]})"),
              HasSubstr(R"("runs":[["a"],["b"]])"));
  EXPECT_THAT(Post(R"({"columns":[{"hparam":"scheme","values":["symmetric"]}]})"),
              HasSubstr(R"("runs":[["a"],["c"]])"));
  EXPECT_THAT(Post(R"({"columns":[{"hparam":"scheme","regex":"^asym"}]})"),
              HasSubstr(R"("runs":[["b"]])"));
  EXPECT_THAT(Post(R"({"columns":[{"metric":["","accuracy"],"max":0.6}]})"),
              HasSubstr(R"("runs":[["b"]])"));
  EXPECT_THAT(Post(R"({"start":1,"limit":1})"), HasSubstr(R"("runs":[["b"]])"));
}

TEST_F(HParamsRoutesTest, SaysWhatIsWrongWithAQuestion) {
  EXPECT_THAT(Post(R"({"columns":[{}]})"), HasSubstr(R"(needs \"hparam\")"));
  EXPECT_THAT(Post(R"({"columns":[{"metric":"accuracy"}]})"), HasSubstr(R"(or \"metric\")"));
  EXPECT_THAT(Post(R"({"columns":[{"hparam":"bits","order":"up"}]})"), HasSubstr("the parameter order is 'up'"));
  EXPECT_THAT(Post(R"({"columns":[{"hparam":"bits","min":1,"regex":"a"}]})"), HasSubstr("one of"));
  EXPECT_THAT(Post(R"({"columns":[{"hparam":"scheme","min":1}]})"),
              HasSubstr("values that are texts"));
  EXPECT_THAT(Post(R"({"aggregation":"best"})"), HasSubstr("it must be mean"));
  EXPECT_THAT(Post(R"({"aggregation":"max"})"), HasSubstr("'by'"));
}

}  // namespace
}  // namespace cboard::server
