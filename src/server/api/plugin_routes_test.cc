// Requests PR curves, meshes, layouts, embeddings and hardware metrics that our own writer wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PluginRoutesTest : public ::testing::Test {
 protected:
  PluginRoutesTest() {
    {
      SummaryWriter writer((logdir_ / "train").string());
      const std::vector<float> labels = {0, 0, 1, 1};
      const std::vector<float> predictions = {0.1F, 0.6F, 0.4F, 0.9F};
      EXPECT_TRUE(writer.AddPrCurve("pr", TensorView(labels, {4}), TensorView(predictions, {4}), 5,
                                    /*num_thresholds=*/3));
      const std::vector<float> corners = {0, 0, 0, 1, 0, 0, 0, 1, 0};
      EXPECT_TRUE(writer.AddMesh("shape", TensorView(corners, {1, 3, 3}), {}, 2));
      EXPECT_TRUE(writer.AddCustomScalarsMultilineChart({"loss/.*"}, "all", "losses"));
      EXPECT_TRUE(writer.AddEmbedding(TensorView(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}),
                                      {.metadata = {{"a"}, {"b"}, {"c"}}}));
      EXPECT_TRUE(writer.AddText("note", "**bold** <script>", 1));
      for (int step = 0; step < 100; ++step) {
        writer.AddScalar("hardware/cpu/percent", step + 1, {step, 1000.0 + step});
      }
      writer.AddScalar("hardware/summary/cpu/percent_mean", 1, 0);
      writer.AddScalar("hardware/memory/process_rss_mb", 7.5, 0);
      EXPECT_TRUE(writer.AddText("hardware/devices", "cpu: 2 cores", 0));
    }
    auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
    EXPECT_TRUE(board);
    board_ = *std::move(board);
    EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  HttpResponse Ask(const std::string& target) const {
    HttpResponse response = board_->Handle({.target = "/api/v1" + target});
    return response.later ? response.later() : response;
  }
  std::string Get(const std::string& target) const { return Ask(target).body; }

  cboard::testing::TempDir logdir_;
  std::unique_ptr<Board> board_;
};

TEST_F(PluginRoutesTest, PrCurvesAreColumnsPerStep) {
  const std::string answer = Get("/pr_curves?run=train&tag=pr");
  EXPECT_THAT(answer, HasSubstr(R"("steps":[5])"));
  // At the thresholds 0, 0.5 and 1, there are four, two and no predictions, of which two, one and
  // none are true positives.
  EXPECT_THAT(answer, HasSubstr(R"("thresholds":[[0,0.5]])"));
  EXPECT_THAT(answer, HasSubstr(R"("true_positives":[[2,1]])"));
  EXPECT_THAT(answer, HasSubstr(R"("precision":[[0.5,0.5]])"));
  EXPECT_EQ(Ask("/pr_curves?run=train&tag=note/text_summary").status, 404);
}

TEST_F(PluginRoutesTest, MeshesAreFoundByNameAndReadInParts) {
  EXPECT_THAT(Get("/meshes?run=train"), HasSubstr(R"("names":["shape"],"samples":[1])"));
  EXPECT_THAT(Get("/meshes"), HasSubstr(R"("runs":["train"],"names":["shape"],"samples":[1],)"
                                        R"("tags":[["shape_1"]])"));
  const std::string steps = Get("/meshes/steps?run=train&mesh=shape");
  EXPECT_THAT(steps, HasSubstr(R"("steps":[2])"));
  EXPECT_THAT(steps, HasSubstr(R"("parts":["vertices"],"shapes":[[1,3,3]])"));
  const HttpResponse data = Ask("/meshes/data?run=train&mesh=shape&part=vertices&step=2");
  EXPECT_TRUE(data.untrusted);
  ASSERT_EQ(data.body.size(), 9 * sizeof(float));
  EXPECT_EQ(data.body.substr(12, 4), std::string("\0\0\x80\x3f", 4));  // The fourth number is 1.
  EXPECT_EQ(Ask("/meshes/data?run=train&mesh=shape&part=vertices&step=3").status, 404);
  EXPECT_EQ(Ask("/meshes/data?run=train&mesh=shape&part=faces&step=2").status, 404);
  EXPECT_THAT(Get("/meshes/data?run=train&mesh=shape&part=edges"), HasSubstr("vertices, faces or"));
  EXPECT_THAT(Get("/meshes/steps?run=train&mesh=cube"), HasSubstr("has no mesh 'cube'"));
}

TEST_F(PluginRoutesTest, LayoutsNameTheirCharts) {
  EXPECT_THAT(Get("/layouts"),
              HasSubstr(R"("categories":[{"title":"all","closed":false,)"
                        R"("charts":[{"title":"losses","tags":["loss/.*"]}]}],"problems":[])"));
}

TEST_F(PluginRoutesTest, EmbeddingsAreListedAndRead) {
  const std::string list = Get("/embeddings");
  EXPECT_THAT(list, HasSubstr(R"("runs":["train"])"));
  EXPECT_THAT(list, HasSubstr(R"("shapes":[[3,2]],"have_metadata":[true])"));
  const std::string name = "default:00000";
  const HttpResponse tensor = Ask("/embeddings/tensor?run=train&name=" + name);
  ASSERT_EQ(tensor.body.size(), 6 * sizeof(float));
  EXPECT_EQ(tensor.body.substr(0, 4), std::string("\0\0\x80\x3f", 4));
  EXPECT_EQ(Get("/embeddings/tensor?run=train&rows=1&name=" + name).size(), 2 * sizeof(float));
  EXPECT_THAT(Get("/embeddings/metadata?run=train&name=" + name), HasSubstr("b"));
  EXPECT_EQ(Ask("/embeddings/sprite?run=train&name=" + name).status, 404);
  EXPECT_EQ(Ask("/embeddings/tensor?run=train&name=other").status, 404);
}

TEST_F(PluginRoutesTest, EmbeddingsNeverComeFromOutsideTheirDirectory) {
  std::ofstream(logdir_ / "secret.tsv") << "1\t2\n";
  std::ofstream(logdir_ / "train" / "projector_config.pbtxt")
      << "embeddings { tensor_name: \"t\" tensor_path: \"../secret.tsv\" }";
  EXPECT_EQ(Ask("/embeddings/tensor?run=train&name=t").status, 403);
}

TEST_F(PluginRoutesTest, TextsComeAsSafeHtmlOnRequest) {
  EXPECT_THAT(Get("/text?run=train&tag=note/text_summary"), Not(HasSubstr("html")));
  const std::string answer = Get("/text?run=train&tag=note/text_summary&html=true");
  EXPECT_THAT(answer, HasSubstr("<strong>bold</strong> &lt;script&gt;"));
  EXPECT_THAT(Get("/text?run=train&tag=note/text_summary&html=1"), HasSubstr("true or false"));
}

TEST_F(PluginRoutesTest, HardwareHasFiguresOfEveryCurve) {
  const std::string answer = Get("/hardware");
  EXPECT_THAT(answer, HasSubstr(R"("names":["cpu/percent","memory/process_rss_mb"])"));
  EXPECT_THAT(answer, HasSubstr(R"("units":["%","MB"],"counts":[100,1],"seconds":[99,0])"));
  EXPECT_THAT(answer, HasSubstr(R"("means":[50.5,7.5],"p95s":[95,7.5],"maxima":[100,7.5])"));
  EXPECT_THAT(answer, HasSubstr("cpu: 2 cores"));
  EXPECT_EQ(Ask("/hardware?run=nope").status, 404);
}

}  // namespace
}  // namespace cboard::server
