#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/base/file.h"
#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AnnotationRoutesTest : public ::testing::Test {
 protected:
  AnnotationRoutesTest() {
    for (const char* run : {"a", "b"}) {
      SummaryWriter writer((logdir_ / run).string());
      writer.AddScalar("loss", 1, 0);
    }
    Open({});
  }

  void Open(BoardOptions options) {
    options.logdirs = {{.path = logdir_.path()}};
    options.read_only_reason = "";
    auto board = Board::Open(std::move(options));
    ASSERT_TRUE(board);
    board_ = *std::move(board);
    ASSERT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  HttpResponse Ask(HttpRequest request) const {
    HttpResponse response = board_->Handle(request);
    return response.later ? response.later() : response;
  }
  HttpResponse Post(const std::string& route, const std::string& body) const {
    return Ask({.method = "POST",
                .target = "/api/v1" + route,
                .headers = {{"Content-Type", "application/json"}},
                .body = body});
  }
  std::string Get() const { return Ask({.target = "/api/v1/annotations"}).body; }

  cboard::testing::TempDir logdir_;
  std::unique_ptr<Board> board_;
};

TEST_F(AnnotationRoutesTest, KeepsWhatPeopleSaidAboutRuns) {
  EXPECT_THAT(Get(), HasSubstr(R"("writable":true)"));
  const HttpResponse response =
      Post("/annotations", R"({"runs":["a","b"],"set":{"name":"Baseline","note":"**good** <b>",)"
                           R"("tags":["x","y"],"colour":3,"archived":true}})");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(Get(), HasSubstr(R"("runs":["a","b"],"names":["Baseline","Baseline"])"));
  EXPECT_THAT(Get(), HasSubstr(R"(<strong>good</strong> &lt;b&gt;)"));
  EXPECT_THAT(Get(),
              HasSubstr(R"("tags":[["x","y"],["x","y"]],"colours":[3,3],"archived":[true,true])"));

  EXPECT_EQ(Post("/annotations", R"({"runs":["b"],"set":{"name":null,"note":"","tags":[],)"
                                 R"("colour":null,"archived":false}})")
                .status,
            200);
  EXPECT_THAT(Get(), HasSubstr(R"("runs":["a"])"));
  Open({});  // Another process.
  EXPECT_THAT(Get(), HasSubstr(R"("names":["Baseline"])"));
}

TEST_F(AnnotationRoutesTest, KeepsViewsThatStayInsideTheBoard) {
  EXPECT_EQ(Post("/views", R"({"name":"v","address":"scalars?smooth=0.9"})").status, 200);
  EXPECT_THAT(Get(), HasSubstr(R"("views":{"names":["v"],"addresses":["scalars?smooth=0.9"]})"));
  for (const char* address :
       {"//evil.example", "https://evil.example", "javascript:alert(1)", "a/../b"}) {
    EXPECT_EQ(Post("/views", R"({"name":"w","address":")" + std::string(address) + "\"}").status,
              400)
        << address;
  }
  EXPECT_EQ(Post("/views", R"({"name":"v"})").status, 200);
  EXPECT_THAT(Get(), HasSubstr(R"("views":{"names":[],"addresses":[]})"));
}

TEST_F(AnnotationRoutesTest, RefusesWhatDoesNotFit) {
  const auto set = [&](const std::string& json) {
    return Post("/annotations", R"({"runs":["a"],"set":)" + json + "}");
  };
  EXPECT_EQ(set(R"({"color":1})").status, 400);
  EXPECT_THAT(set(R"({"color":1})").body, HasSubstr("unknown field 'color'"));
  EXPECT_EQ(set(R"({"colour":9})").status, 400);
  EXPECT_EQ(set(R"({"tags":"x"})").status, 400);
  EXPECT_EQ(set(R"({"archived":"yes"})").status, 400);
  EXPECT_EQ(set(R"({"name":")" + std::string(501, 'x') + "\"}").status, 400);
  EXPECT_EQ(Post("/annotations", R"({"runs":[],"set":{}})").status, 400);
  EXPECT_EQ(Post("/annotations", R"({"runs":["none"],"set":{"name":"x"}})").status, 404);
  EXPECT_FALSE(std::filesystem::exists(logdir_ / "compression-board.json"));
}

TEST_F(AnnotationRoutesTest, TakesNoFormsOfOtherSites) {
  const HttpResponse response = Ask({.method = "POST",
                                     .target = "/api/v1/views",
                                     .headers = {{"Content-Type", "text/plain"}},
                                     .body = R"({"name":"v","address":"scalars"})"});
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("Content-Type"));
}

TEST_F(AnnotationRoutesTest, DeletesRunsOnlyIfTheServerAllowsIt) {
  EXPECT_EQ(Post("/runs/delete", R"({"runs":["a"]})").status, 403);
  EXPECT_TRUE(std::filesystem::exists(logdir_ / "a"));
  Open({.allow_delete = true});
  EXPECT_EQ(Post("/runs/delete", R"({"runs":["a","none"]})").status, 404);
  EXPECT_TRUE(std::filesystem::exists(logdir_ / "a")) << "all or nothing is known before";
  EXPECT_EQ(Post("/runs/delete", R"({"runs":["a"]})").status, 200);
  EXPECT_FALSE(std::filesystem::exists(logdir_ / "a"));
  EXPECT_TRUE(std::filesystem::exists(logdir_ / "b"));
}

TEST_F(AnnotationRoutesTest, AsksATuningToStopOnlyIfTheServerAllowsIt) {
  {
    SummaryWriter writer((logdir_ / "eval" / "search").string());
    writer.AddText("tuning/progress", R"({"version":1})", 1);
  }
  EXPECT_EQ(Post("/tuning/stop", R"({"run":"eval/search"})").status, 403);
  Open({.allow_control = true});
  EXPECT_EQ(Post("/tuning/stop", R"({"run":"none"})").status, 404);
  EXPECT_EQ(Post("/tuning/stop", R"({"run":"a"})").status, 409) << "no search";
  EXPECT_FALSE(std::filesystem::exists(logdir_ / "eval" / "search" / "stop"));
  for (int i = 0; i < 2; ++i) {  // The second request repeats the first.
    EXPECT_EQ(Post("/tuning/stop", R"({"run":"eval/search"})").status, 200);
    EXPECT_TRUE(std::filesystem::exists(logdir_ / "eval" / "search" / "stop"));
  }
}

}  // namespace
}  // namespace cboard::server
