#include "cboard/benchmark/suite.h"

#include <gmock/gmock.h>

#include <fstream>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::benchmark {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::Succeeds;

Result<std::vector<BenchmarkOptions>> Parse(std::string_view text) {
  BenchmarkOptions defaults;
  defaults.max_seconds = 7;
  return ParseSuite(text, "/lists/models.yaml", defaults);
}

TEST(Suite, ReadsModelsWithTheirSettings) {
  const auto suite = Parse(R"(
models:
  - name: resnet18
    variants: {fp32: r18.onnx, int8: /abs/r18_int8.onnx}
    data: val.npz
    labels: val.npz:y
    metric: [top1, top5]
    threads: 2
  - variants: [bert_fp32.onnx, bert_int8.onnx]
    shape: {ids: [1, 128]}
    eval: python eval.py {model}
    time: 2m
)");
  ASSERT_THAT(suite, Succeeds());
  ASSERT_EQ(suite->size(), 2u);
  const BenchmarkOptions& first = (*suite)[0];
  EXPECT_EQ(first.model, "resnet18");
  EXPECT_EQ(first.variants[0].path, "/lists/r18.onnx");
  EXPECT_EQ(first.variants[1].path, "/abs/r18_int8.onnx");
  EXPECT_EQ(first.run.data, "/lists/val.npz");
  EXPECT_EQ(first.evaluation.labels, "/lists/val.npz");
  EXPECT_EQ(first.evaluation.labels_array, "y");
  EXPECT_THAT(first.evaluation.metrics, ElementsAre("top1", "top5"));
  EXPECT_EQ(first.run.threads, 2);
  EXPECT_EQ(first.max_seconds, 7);
  const BenchmarkOptions& second = (*suite)[1];
  EXPECT_EQ(second.model, "bert");
  EXPECT_EQ(second.variants[1].name, "int8");
  EXPECT_THAT(second.run.shapes.at("ids"), ElementsAre(1, 128));
  EXPECT_EQ(second.max_seconds, 120);
}

TEST(Suite, SaysWhichLineIsWrong) {
  EXPECT_THAT(Parse("models:\n  - variant: [a.onnx]\n"),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "models.yaml:2: there is no key 'variant'; there are name, variants"));
  EXPECT_THAT(Parse("models:\n  - name: a\n"),
              FailsSaying(ErrorCode::kInvalidArgument, "has no variants"));
  EXPECT_THAT(Parse("models:\n  - {name: a, variants: [a.onnx], threads: 0}\n"),
              FailsSaying(ErrorCode::kInvalidArgument, "'threads' is a number from 1 to 1024"));
  EXPECT_THAT(Parse("models:\n  - {name: a, variants: [a.onnx], time: soon}\n"),
              FailsSaying(ErrorCode::kInvalidArgument, "models.yaml:2: the time is a number of"));
  EXPECT_THAT(Parse("models:\n  - {name: a, variants: [a.onnx], labels: y.npy}\n"),
              FailsSaying(ErrorCode::kInvalidArgument, "labels and no metric"));
  EXPECT_THAT(Parse("models: [{name: a, variants: [a]}, {name: a, variants: [b]}]"),
              FailsSaying(ErrorCode::kInvalidArgument, "two models are called 'a'"));
  EXPECT_THAT(Parse("models: {"), FailsSaying(ErrorCode::kInvalidArgument, "line "));
  EXPECT_THAT(Parse("- a"), FailsSaying(ErrorCode::kInvalidArgument, "expected 'models:'"));
  EXPECT_THAT(Parse(""), FailsSaying(ErrorCode::kInvalidArgument, "expected 'models:'"));
}

TEST(Suite, ReadsTimesWithAndWithoutAUnit) {
  EXPECT_EQ(ParseSeconds("60"), 60);
  EXPECT_EQ(ParseSeconds("1.5s"), 1.5);
  EXPECT_EQ(ParseSeconds("2m"), 120);
  EXPECT_EQ(ParseSeconds("1h"), 3600);
  for (const char* wrong : {"", "0", "-1", "nan", "inf", "soon", "5 s", "5d"}) {
    EXPECT_EQ(ParseSeconds(wrong), std::nullopt) << wrong;
  }
}

TEST(Suite, NamesVariantsByTheirFiles) {
  const auto names = [](std::vector<std::filesystem::path> files) {
    const NamedFiles named = NameFiles(files);
    std::string text = named.model + ":";
    for (const VariantFile& file : named.variants) text += " " + file.name;
    return text;
  };
  EXPECT_EQ(names({"m/resnet18_fp32.onnx", "m/resnet18_int8.onnx"}), "resnet18: fp32 int8");
  EXPECT_EQ(names({"m/resnet18.onnx", "m/resnet18_int8.onnx"}), "resnet18: fp32 int8");
  EXPECT_EQ(names({"/x/net/fp32.onnx", "/x/net/int8.onnx", "/x/net/w4a8.onnx"}),
            "net: fp32 int8 w4a8");
  EXPECT_EQ(names({"/x/net/a.onnx", "/x/net/a.onnx"}), "a: a_1 a_2");
  EXPECT_EQ(names({"only.onnx"}), "only: only");
}

TEST(Suite, TakesTheNamesThatTheUserGives) {
  const testing::TempDir folder;
  const std::string odd = (folder / "a=b.onnx").string();
  std::ofstream(odd) << "model";
  const auto named = ParseVariantArguments({"fp32=/x/people/float.onnx", "int8=/x/p/q.onnx", odd});
  ASSERT_THAT(named, Succeeds());
  EXPECT_EQ(named->model, "people");
  EXPECT_EQ(named->variants[0].name, "fp32");
  EXPECT_EQ(named->variants[1].name, "int8");
  EXPECT_EQ(named->variants[1].path, "/x/p/q.onnx");
  EXPECT_EQ(named->variants[2].path, odd);  // A file whose name has "=" is no name of a variant.
  EXPECT_THAT(ParseVariantArguments({"=a.onnx"}),
              FailsSaying(ErrorCode::kInvalidArgument, "VARIANT=FILE"));
  EXPECT_THAT(ParseVariantArguments({"a=x.onnx", "a=y.onnx"}),
              FailsSaying(ErrorCode::kInvalidArgument, "two variants are called 'a'"));
}

TEST(Suite, ReadsScoresThatTheCallerMeasured) {
  const testing::TempDir folder;
  const auto file = folder / "scores.json";
  std::ofstream(file) << R"({"int8": {"accuracy": 0.5}, "w4a8": {"error": "boom"}})";
  const auto scores = ReadScores(file);
  ASSERT_THAT(scores, Succeeds());
  EXPECT_EQ(scores->at("int8").scores.at("accuracy"), 0.5);
  EXPECT_EQ(scores->at("w4a8").error, "boom");
  std::ofstream(file) << R"({"int8": 0.5})";
  EXPECT_THAT(ReadScores(file), FailsSaying(ErrorCode::kInvalidArgument, "scores by variant"));
}

}  // namespace
}  // namespace cboard::benchmark
