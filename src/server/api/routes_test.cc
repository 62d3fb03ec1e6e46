// Requests every route for real event files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "server/api/api_route.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RoutesTest : public ::testing::Test {
 protected:
  RoutesTest() {
    {
      SummaryWriter train((logdir_ / "train").string());
      for (int step = 0; step < 100; ++step) train.AddScalar("loss", 1.0 / (step + 1), step);
      train.AddScalar("nan", std::numeric_limits<double>::quiet_NaN(), 3);
      train.AddHistogram("weights", std::vector<float>{-1, 0, 0.5F, 2}, 7);
      train.AddText("note", "<b>hello</b>", 1);
      train.AddImage("picture", TensorView(std::vector<float>(3 * 4 * 5, 0.5F), {3, 4, 5}), 2);
    }
    {
      SummaryWriter seed((logdir_ / "seed").string());
      for (int step = 0; step < 100; ++step) seed.AddScalar("loss", 3.0 / (step + 1), step);
    }
    {
      SummaryWriter models((logdir_ / "models").string());
      models.AddScalar("alexnet/metrics/accuracy/fp32", 0.9, 0);
      models.AddScalar("alexnet/metrics/accuracy/int8", 0.89, 0);
      models.AddScalar("alexnet/performance/model_size_mb/fp32", 217.5, 0);
      models.AddScalar("alexnet/performance/model_size_mb/int8", 9.5, 0);
      models.AddGraph("");
    }
    for (const auto& [run, spread] :
         {std::pair("eval/baseline_acc_0.776", 1.0F), std::pair("eval/tune_1_acc_0.095", 0.2F)}) {
      SummaryWriter trial((logdir_ / run).string());
      std::vector<float> values;
      for (int i = 0; i < 2000; ++i)
        values.push_back(spread * std::sin(0.1F * static_cast<float>(i)));
      const bool baseline = std::string_view(run).find("baseline") != std::string_view::npos;
      trial.AddHistogram(baseline ? "conv1/Output/fp32" : "conv1/Output/int8", values, 0);
    }
    auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}, .read_only_reason = ""});
    EXPECT_TRUE(board);
    board_ = *std::move(board);
    EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  HttpResponse Ask(HttpRequest request) const {
    HttpResponse response = board_->Handle(request);
    return response.later ? response.later() : response;
  }
  std::string Get(const std::string& target) const {
    return Ask({.method = "GET", .target = "/api/v1" + target}).body;
  }
  std::string Post(const std::string& target, const std::string& body) const {
    return Ask({.method = "POST", .target = "/api/v1" + target, .body = body}).body;
  }

  cboard::testing::TempDir logdir_;
  std::unique_ptr<Board> board_;
};

TEST_F(RoutesTest, StatusSaysWhatIsServed) {
  const std::string status = Get("/status");
  EXPECT_THAT(status, HasSubstr(R"("complete":true)"));
  EXPECT_THAT(status, HasSubstr(R"("runs":5)"));
  EXPECT_THAT(status, HasSubstr(logdir_.path().string()));
}

TEST_F(RoutesTest, TagsAreListedOnceWithTheirRuns) {
  const std::string tags = Get("/tags?kind=scalar");
  EXPECT_THAT(
      tags,
      HasSubstr(
          R"("runs":["eval/baseline_acc_0.776","eval/tune_1_acc_0.095","models","seed","train"])"));
  EXPECT_THAT(tags, HasSubstr(R"("loss","nan"])"));
  EXPECT_THAT(tags, HasSubstr(R"([3,4],[4]])"));  // loss is in seed and train, nan in train.
  const std::string ranged = Get("/tags?kind=scalar&ranges=1");
  EXPECT_THAT(ranged, HasSubstr(R"([3,4],[4,4]])"));  // The same, as first and last.
  EXPECT_THAT(ranged, Not(HasSubstr("run_lists")));
}

TEST_F(RoutesTest, ScalarsAreColumns) {
  const std::string answer = Get("/scalars?run=train&tag=loss&points=1000");
  EXPECT_THAT(answer, HasSubstr(R"("total":100,"steps":[0,1,2,3,)"));
  EXPECT_THAT(answer, HasSubstr(R"("values":[1,0.5,0.33333334,0.25,)"));
  EXPECT_THAT(Get("/scalars?run=train&tag=nan"), HasSubstr(R"("values":["NaN"])"));
}

TEST_F(RoutesTest, ManySeriesAnswerEachForItself) {
  const std::string answer = Post(
      "/scalars", R"({"series":[["train","loss"],["train","los"],["gone","loss"]],"points":10})");
  EXPECT_THAT(answer, HasSubstr(R"("total":100)"));
  EXPECT_THAT(answer, HasSubstr("run 'train' has no scalar 'los'"));
  EXPECT_THAT(answer, HasSubstr("the logs have no run 'gone'"));
}

TEST_F(RoutesTest, TheLastValueOfAMetricComesFromEveryRunThatHasIt) {
  const std::string last = Get("/scalars/last?contains=LOSS");
  EXPECT_THAT(last, HasSubstr(R"("runs":["seed","train"],"tags":["loss","loss"],"steps":[99,99])"));
  EXPECT_THAT(last, HasSubstr(R"("values":[0.03,0.01])"));
  EXPECT_THAT(Get("/scalars/last?contains=nowhere"), HasSubstr(R"("runs":[])"));
  EXPECT_THAT(Get("/scalars/last?contains=loss&whole=1"), HasSubstr(R"("tags":["loss")"));
  EXPECT_THAT(Get("/scalars/last?contains=los&whole=1"), HasSubstr(R"("runs":[])"));
}

TEST_F(RoutesTest, BinarySeriesBeginWithTheirHeader) {
  const HttpResponse response =
      Ask({.method = "GET",
           .target = "/api/v1/scalars?run=train&tag=loss",
           .headers = {{"Accept", "application/vnd.compression-board.series"}}});
  EXPECT_EQ(response.content_type, "application/vnd.compression-board.series");
  ASSERT_TRUE(response.shared_body);
  EXPECT_THAT(*response.shared_body, StartsWith("CBSR"));
  EXPECT_EQ(response.shared_body->size() % 8, 0u);
  EXPECT_THAT(*response.shared_body, HasSubstr(R"("kind":"stride","first":0,"stride":1)"));
}

TEST_F(RoutesTest, BinarySeriesHaveAHeaderThatEndsWhereColumnsBegin) {
  const HttpResponse response =
      Ask({.method = "POST",
           .target = "/api/v1/scalars",
           .headers = {{"Accept", "application/vnd.compression-board.series"}},
           .body = R"({"series":[["train","loss"],["train","\"gone\""],["seed","loss"]]})"});
  ASSERT_TRUE(response.shared_body);
  const std::string& body = *response.shared_body;
  std::uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, body.data() + 8, sizeof(header_bytes));
  ASSERT_EQ((12 + header_bytes) % 8, 0u);
  simdjson::dom::parser parser;
  const simdjson::dom::element header = parser.parse(body.data() + 12, header_bytes);
  EXPECT_EQ(std::uint64_t(header["series"].at(0)["points"]), 100u);
  EXPECT_EQ(std::string_view(header["series"].at(1)["error"]["code"]), "not_found");
  EXPECT_EQ(std::string_view(header["series"].at(2)["run"]), "seed");
  // Logs two series with even steps: wall times need 4 bytes, and values are floats or doubles.
  std::size_t expected = 12 + header_bytes;
  for (const std::size_t i : {0u, 2u}) {
    const std::string_view values = header["series"].at(i)["values"]["kind"];
    expected += values == "f32" ? 800u : 1200u;
  }
  EXPECT_EQ(body.size(), expected);
}

TEST_F(RoutesTest, GroupsHaveAMean) {
  const std::string answer =
      Post("/scalars/groups", R"({"tag":"loss","groups":{"both":["train","seed"]},"points":1000})");
  EXPECT_THAT(answer, HasSubstr(R"("name":"both","x":[0,1,2)"));
  EXPECT_THAT(answer, HasSubstr(R"("mean":[2,1,)"));
}

TEST_F(RoutesTest, HistogramsHaveTheirBins) {
  EXPECT_THAT(Get("/histograms?run=train&tag=weights"), HasSubstr(R"("num":[4])"));
  EXPECT_THAT(Get("/distributions?run=train&tag=weights"), HasSubstr(R"("steps":[7])"));
  const std::string overlay = Post("/histograms/overlay", R"({"series":[["train","weights",null],)"
                                                          R"(["train","weights",7]],"bins":8})");
  EXPECT_THAT(overlay, HasSubstr(R"("step":7)"));
  EXPECT_THAT(Post("/histograms/overlay", R"({"series":[["train","weights",8]]})"),
              HasSubstr("has no value at step 8"));
  EXPECT_THAT(Post("/histograms/overlay", R"({"series":[["train","weights",8]],"nearest":1})"),
              HasSubstr(R"("step":7)"));
}

TEST_F(RoutesTest, APartOfAHistogramIsCountedInBinsOfItsOwn) {
  const std::string part = Post("/histograms/overlay",
                                R"({"series":[["train","weights",7]],"bins":2,"from":-4,"to":4})");
  EXPECT_THAT(part, HasSubstr(R"("edges":[-4,0,4])"));
  EXPECT_THAT(part, HasSubstr(R"("num":4)"));
  for (const char* wrong : {R"("from":1,"to":1)", R"("from":2,"to":1)",
                            R"("from":1e308,"to":-1e308)", R"("from":1,"to":1.0000000000000002)"}) {
    EXPECT_THAT(Post("/histograms/overlay",
                     R"({"series":[["train","weights",7]],"bins":8,)" + std::string(wrong) + "}"),
                HasSubstr("must be less than"))
        << wrong;
  }
}

TEST_F(RoutesTest, TextsAndImagesComeAsTheyWereLogged) {
  EXPECT_THAT(Get("/text?run=train&tag=note/text_summary"), HasSubstr("<b>hello</b>"));
  EXPECT_THAT(Get("/images?run=train&tag=picture"), HasSubstr(R"("widths":[5],"heights":[4])"));
  const HttpResponse image = Ask({.method = "GET", .target = "/api/v1/blob?run=train&tag=picture"});
  EXPECT_EQ(image.content_type, "image/png");
  EXPECT_TRUE(image.untrusted);
  EXPECT_THAT(image.body, StartsWith("\x89PNG"));
}

TEST_F(RoutesTest, TheTableKnowsModelsAndWhereCellsComeFrom) {
  const std::string table = Get("/compression/table");
  EXPECT_THAT(table, HasSubstr(R"("alexnet")"));
  EXPECT_THAT(table, HasSubstr(R"("alexnet/metrics/accuracy/int8")"));
  EXPECT_THAT(Get("/compression/pareto?metric=accuracy&metric=model_size_mb"), HasSubstr("front"));
  EXPECT_THAT(Get("/compression/pareto?metric=nothing"),
              HasSubstr("no model has the metric 'nothing'"));
}

TEST_F(RoutesTest, TheParetoFrontIsThatOfTheModelsAskedFor) {
  const std::string metrics = R"("metrics":["accuracy","model_size_mb"],"variant":"int8")";
  EXPECT_THAT(Post("/compression/pareto", "{" + metrics + R"(,"models":["alexnet"]})"),
              AllOf(HasSubstr(R"("models":["alexnet"])"), HasSubstr(R"("front":[0])")));
  EXPECT_THAT(Post("/compression/pareto", "{" + metrics + R"(,"models":[]})"),
              AllOf(HasSubstr(R"("models":[])"), HasSubstr(R"("front":[])")));
  EXPECT_THAT(Post("/compression/pareto", R"({"metrics":["nothing"],"models":["alexnet"]})"),
              HasSubstr("no model has the metric 'nothing'"));
}

TEST_F(RoutesTest, PagesThatHaveNothingToShowAreLeftOutOfTheContents) {
  EXPECT_THAT(Get("/contents"),
              HasSubstr(R"("pages":["overview","compare","layers","graph","tuning","report",)"
                        R"("scalars","histograms","images","text","files"])"));
}

TEST_F(RoutesTest, TuningRunsAndTheirLayersAreFound) {
  EXPECT_THAT(Get("/compression/tuning"), HasSubstr(R"("accuracies":[0.776,0.095])"));
  EXPECT_THAT(Get("/compression/sides"), HasSubstr(R"("variants":["baseline","tune_1"])"));
  const std::string layers = Get("/compression/layers?a=baseline&b=tune_1");
  EXPECT_THAT(layers, HasSubstr(R"("names":["conv1"])"));
  EXPECT_THAT(layers, HasSubstr(R"("levels":["red"])"));
  EXPECT_THAT(layers, HasSubstr(R"("causes":["wrong_scale"])"));
  EXPECT_THAT(Get("/compression/layers?a=baseline&b=tune_9"),
              HasSubstr("the logs have baseline, tune_1"));
}

TEST_F(RoutesTest, LayersAreKeptInFloatInTheWordsOfEveryQuantizer) {
  const std::string answer = Post("/compression/keep_float", R"({"layers":["conv1","it's"]})");
  EXPECT_THAT(answer, HasSubstr(R"("toolchains":["onnxruntime","onnxruntime_dynamic",)"));
  EXPECT_THAT(answer, HasSubstr(R"("titles":["ONNX Runtime","ONNX Runtime, dynamic",)"));
  EXPECT_THAT(answer, HasSubstr(R"("ONNX Runtime, weights only","neural-compressor 1.x",)"));
  EXPECT_THAT(answer, HasSubstr("quantizer = MatMulNBitsQuantizer("));
  EXPECT_THAT(answer, HasSubstr(R"(nodes_to_exclude=['conv1', 'it\\'s'])"));
  EXPECT_THAT(Post("/compression/keep_float", R"({"layers":[]})"),
              HasSubstr(R"("snippets":["","")"));
  EXPECT_THAT(Post("/compression/keep_float", R"({"layers":[1]})"), HasSubstr("array of strings"));
  EXPECT_THAT(Post("/compression/keep_float", "{}"),
              HasSubstr("'layers' must be given as an array"));
}

TEST_F(RoutesTest, MistakesAreNamed) {
  EXPECT_THAT(Get("/scalars?run=train"), HasSubstr("tag"));
  EXPECT_THAT(Get("/scalars?run=train&tag=loss&poinst=5"), HasSubstr("unknown parameter 'poinst'"));
  EXPECT_THAT(Get("/scalars?run=train&tag=weights"), HasSubstr("is of kind histogram, not scalar"));
  EXPECT_THAT(Get("/nothing"), HasSubstr("openapi.json"));
  EXPECT_THAT(Post("/scalars", "{"), HasSubstr("the body of the request is not valid JSON"));
  EXPECT_THAT(Post("/scalars", "[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(Post("/scalars", R"({"series":[["a"]]})"), HasSubstr("must be"));
  EXPECT_EQ(Ask({.method = "DELETE", .target = "/api/v1/runs"}).status, 405);
}

TEST_F(RoutesTest, AskingAgainCostsNothing) {
  const HttpResponse first = Ask({.method = "GET", .target = "/api/v1/runs"});
  ASSERT_FALSE(first.etag.empty());
  const std::string quoted = "\"" + first.etag + "\"";
  EXPECT_EQ(Ask({.method = "GET", .target = "/api/v1/runs", .headers = {{"If-None-Match", quoted}}})
                .status,
            304);
  EXPECT_EQ(Ask({.method = "GET", .target = "/api/v1/tags", .headers = {{"If-None-Match", quoted}}})
                .status,
            200);
}

// The description is generated from the routes; this test checks that it holds for each of them.
TEST_F(RoutesTest, TheDescriptionHasEveryRouteAndEachAnswers) {
  simdjson::dom::parser parser;
  const std::string text = Get("/openapi.json");
  const simdjson::dom::element description = parser.parse(text);
  const simdjson::dom::object paths = description["paths"];
  std::size_t described = 0;
  for (const auto [path, methods] : paths) {
    if (path == "/events") continue;
    for (const auto [method, operation] : simdjson::dom::object(methods)) {
      ++described;
      const bool post = method == "post";
      const HttpResponse response = Ask(
          {.method = post ? "POST" : "GET",
           .target = "/api/v1" + std::string(path),
           .headers = {{"Content-Type", "application/json"}},
           .body = post ? std::string(simdjson::minify(
                              operation["requestBody"]["content"]["application/json"]["example"]))
                        : ""});
      bool needs_more = false;
      for (const simdjson::dom::element parameter : simdjson::dom::array(operation["parameters"])) {
        needs_more = needs_more || bool(parameter["required"]);
      }
      const int expected = path == "/runs/delete" || path == "/tuning/stop" ? 403
                           : needs_more                                     ? 400
                                                                            : 200;
      EXPECT_EQ(response.status, expected) << method << " " << path << response.body;
    }
  }
  EXPECT_EQ(described, ApiRoutes().size());
}

}  // namespace
}  // namespace cboard::server
