#include "server/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/server/board.h"
#include "server/page_files.h"
#include "server/run_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

using ::testing::Contains;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::RunBuilder;
using ::testing::StartsWith;
using testing::Succeeds;

class RoutesTest : public ::testing::Test {
 protected:
  RoutesTest() {
    snapshot_.generation = 3;
    std::vector<double> many(10'000, 1);
    many[5'000] = 99;
    snapshot_.runs = {RunBuilder("empty").Build(), RunBuilder("train/a b")
                                                       .Scalar("loss", {1, 0.5, std::nan("")})
                                                       .Scalar("many", many)
                                                       .Build()};
  }

  Result<HttpResponse> Get(std::string_view target) {
    CBOARD_ASSIGN_OR_RETURN(const Target parsed, ParseTarget(target));
    return Route(parsed, snapshot_, {.window_title = "Board", .logdir = "runs"});
  }

  LogSnapshot snapshot_;
};

TEST_F(RoutesTest, SaysThatItIsAlive) { EXPECT_EQ(Get("/healthz")->body, "ok\n"); }

TEST_F(RoutesTest, ListsRunsAsColumns) {
  EXPECT_EQ(Get("/api/v1/runs")->body,
            R"({"logdir":"runs","window_title":"Board","generation":3,"loaded":true,)"
            R"("problems":[],"runs":["empty","train/a b"],"tag_counts":[0,2],)"
            R"("event_counts":[0,10003],"newest_wall_times":[null,null],"damaged_bytes":[0,0]})");
}

TEST_F(RoutesTest, SaysWhatIsWrongWithTheDirectory) {
  snapshot_.error = Error{ErrorCode::kNotFound, "there is no 'runs'"};
  EXPECT_THAT(Get("/api/v1/runs")->body, HasSubstr(R"("problems":["there is no 'runs'"])"));
}

TEST_F(RoutesTest, ListsTagsOfARun) {
  EXPECT_EQ(Get("/api/v1/tags?run=train%2Fa+b")->body,
            R"({"run":"train/a b","tags":["loss","many"],"kinds":["scalar","scalar"],)"
            R"("display_names":["",""],"counts":[3,10000],"min_steps":[0,0],"max_steps":[2,9999],)"
            R"("last_values":["NaN",1]})");
  EXPECT_EQ(Get("/api/v1/tags?run=empty")->status, 200);
}

TEST_F(RoutesTest, GivesScalarsAsColumns) {
  EXPECT_EQ(Get("/api/v1/scalars?run=train/a%20b&tag=loss")->body,
            R"({"run":"train/a b","tag":"loss","total_points":3,"steps":[0,1,2],)"
            R"("wall_times":[1,1,1],"values":[1,0.5,"NaN"]})");
}

TEST_F(RoutesTest, ThinsOutPointsButNotSpikes) {
  const std::string body = Get("/api/v1/scalars?run=train/a+b&tag=many&max_points=8")->body;
  EXPECT_THAT(body, HasSubstr(R"("total_points":10000)"));
  EXPECT_THAT(body, HasSubstr("99"));
  EXPECT_LT(body.size(), 300u);
}

TEST_F(RoutesTest, SaysWhatIsMissingOrWrong) {
  EXPECT_THAT(Get("/api/v1/tags"), FailsSaying(ErrorCode::kInvalidArgument, "'run'"));
  EXPECT_THAT(Get("/api/v1/tags?run=nope"), FailsSaying(ErrorCode::kNotFound, "no run 'nope'"));
  EXPECT_THAT(Get("/api/v1/scalars?run=empty"), FailsSaying(ErrorCode::kInvalidArgument, "'tag'"));
  EXPECT_THAT(Get("/api/v1/scalars?run=empty&tag=loss"),
              FailsSaying(ErrorCode::kNotFound, "run 'empty' has no scalar 'loss'"));
  EXPECT_THAT(Get("/api/v1/scalars?run=train/a+b&tag=loss&max_points=7"),
              FailsSaying(ErrorCode::kInvalidArgument, "max_points is '7'"));
}

TEST_F(RoutesTest, ServesThePageAndItsFilesWithTheirTypes) {
  EXPECT_THAT(Get("/")->body, StartsWith("<!doctype html>"));
  EXPECT_EQ(Get("/")->content_type, "text/html; charset=utf-8");
  EXPECT_EQ(Get("/app.js")->content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(Get("/style.css")->content_type, "text/css; charset=utf-8");
  for (const PageFile& file : PageFiles()) {
    EXPECT_EQ(Get("/" + std::string(file.name))->body.size(), file.content.size()) << file.name;
  }
}

TEST_F(RoutesTest, FindsNothingOutsideThePage) {
  for (const char* target : {"/nope", "/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd",
                             "/api", "/api/v1/", "/api/v2/runs", "/index.html/", "/./index.html"}) {
    EXPECT_THAT(Get(target), FailsWith(ErrorCode::kNotFound)) << target;
  }
}

TEST_F(RoutesTest, AnswersBeforeAnythingHasBeenRead) {
  snapshot_ = LogSnapshot();
  for (const char* target : {"/", "/healthz", "/api/v1/runs", "/api/v1/comparison"}) {
    EXPECT_THAT(Get(target), Succeeds()) << target;
  }
  EXPECT_THAT(Get("/api/v1/runs")->body, HasSubstr(R"("loaded":false)"));
}

class BoardTest : public ::testing::Test {
 protected:
  HttpResponse Ask(const Board& board, std::string target, std::string host = "localhost:6006",
                   std::string method = "GET") {
    return board.Handle({.method = method, .target = target, .host = host});
  }

  testing::TempDir directory_;
};

TEST_F(BoardTest, RefusesForeignNamesAndOtherMethods) {
  const Board board({.logdir = directory_.path()});
  EXPECT_EQ(Ask(board, "/healthz").status, 200);
  EXPECT_EQ(Ask(board, "/healthz", "evil.example").status, 421);
  EXPECT_EQ(Ask(board, "/healthz", "").status, 421);
  EXPECT_EQ(Ask(board, "/healthz", "localhost", "HEAD").status, 200);
  const HttpResponse post = Ask(board, "/healthz", "localhost", "POST");
  EXPECT_EQ(post.status, 405);
  EXPECT_THAT(post.headers, Contains(Pair("Allow", "GET, HEAD")));
}

TEST_F(BoardTest, TurnsErrorsIntoStatusAndJson) {
  const Board board({.logdir = directory_.path()});
  const HttpResponse missing = Ask(board, "/nope");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.content_type, "application/json");
  EXPECT_EQ(missing.body,
            R"({"error":{"code":"not_found","message":"there is nothing at '/nope'"}})");
  EXPECT_EQ(Ask(board, "/%").status, 400);
}

TEST_F(BoardTest, LivesBelowAPathPrefix) {
  const Board board({.logdir = directory_.path(), .path_prefix = "deep/board/"});
  EXPECT_EQ(Ask(board, "/deep/board/healthz").status, 200);
  EXPECT_EQ(Ask(board, "/healthz").status, 404);
  EXPECT_EQ(Ask(board, "/deep/boardhealthz").status, 404);
  const HttpResponse moved = Ask(board, "/deep/board");
  EXPECT_EQ(moved.status, 308);
  EXPECT_THAT(moved.headers, Contains(Pair("Location", "/deep/board/")));
}

TEST_F(BoardTest, ServesADirectoryThatIsNotThereYet) {
  const Board board({.logdir = directory_ / "later"});
  const Board::Status status = board.WaitForFirstLoad(std::chrono::seconds(60));
  EXPECT_TRUE(status.loaded);
  EXPECT_TRUE(status.error);
  EXPECT_EQ(Ask(board, "/").status, 200);
  EXPECT_THAT(Ask(board, "/api/v1/runs").body, HasSubstr("later"));
}

}  // namespace
}  // namespace cboard
