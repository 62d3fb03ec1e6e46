#include "cboard/compression/benchmark_json.h"

#include <gmock/gmock.h>

#include <cmath>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::Succeeds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::vector<std::string> NamesOf(const ModelComparison& model) {
  std::vector<std::string> names;
  for (const Variant& variant : model.variants) names.push_back(variant.name);
  return names;
}

std::vector<std::string> NamesOf(const BenchmarkFile& file) {
  std::vector<std::string> names;
  for (const ModelComparison& model : file.models) names.push_back(model.model);
  return names;
}

// Parses the text, and fails the test if that fails.
BenchmarkFile Parsed(std::string text) {
  auto file = ParseBenchmarkJson(std::move(text), "dir/results.json");
  EXPECT_THAT(file, Succeeds());
  return file ? *std::move(file) : BenchmarkFile{};
}

constexpr const char* kAlexnetFile = R"({
  "_source": {"title": "left out"},
  "alexnet": {
    "fp32": {"accuracy": 0.9945, "latency_mean_ms": 261.02, "model_size_mb": 217.61,
             "evaluated_on": "gpu", "my_metric": 3, "latencies_ms": [260, 262]},
    "int8": {"accuracy": 0.9945, "latency_mean_ms": 217.14, "model_size_mb": 9.42},
    "model_info": {"library": "torchvision", "input_shape": [3, 224, 224], "nothing": null},
    "benchmark_time_seconds": 854.32
  }
})";

TEST(BenchmarkJson, ReadsAModelWithAllThatIsKnownOfIt) {
  const BenchmarkFile file = Parsed(kAlexnetFile);
  EXPECT_EQ(file.name, "results");
  ASSERT_EQ(file.models.size(), 1u);
  EXPECT_THAT(file.skipped, IsEmpty());
  EXPECT_THAT(file.warnings, IsEmpty());
  const ModelComparison& alexnet = file.models[0];
  EXPECT_EQ(alexnet.model, "alexnet");
  EXPECT_EQ(alexnet.baseline, "fp32");
  EXPECT_THAT(NamesOf(alexnet), ElementsAre("fp32", "int8"));
  EXPECT_THAT(alexnet.variants[0].metrics,
              UnorderedElementsAre(Pair("accuracy", 0.9945), Pair("latency_mean_ms", 261.02),
                                   Pair("model_size_mb", 217.61), Pair("my_metric", 3)));
  EXPECT_THAT(alexnet.variants[0].latencies_ms, ElementsAre(260, 262));
  EXPECT_THAT(
      alexnet.info,
      ElementsAre(Pair("device_gpu", InfoValue(1.0)), Pair("fp32.evaluated_on", InfoValue("gpu")),
                  Pair("library", InfoValue("torchvision")),
                  Pair("input_shape", InfoValue(std::vector<double>{3, 224, 224})),
                  Pair("benchmark_time_seconds", InfoValue(854.32))));
}

TEST(BenchmarkJson, TakesAnyNumberOfVariants) {
  const BenchmarkFile file = Parsed(
      R"({"m": {"fp32": {"accuracy": 1}, "FP16": {"accuracy": 1}, "w4a8": {"loss": 1},
                "pruned50": {"model_size_mb": 3}, "published": {"accuracy": 9},
                "notes": {"author": "x"}}})");
  EXPECT_THAT(NamesOf(file.models.at(0)), ElementsAre("fp32", "fp16", "w4a8", "pruned50"));
  EXPECT_THAT(file.warnings,
              ElementsAre("'notes' of model 'm' holds no known metric and is left out"));
}

TEST(BenchmarkJson, TakesAnyNumberOfAVariantThatIsCalledLikeOne) {
  const BenchmarkFile file = Parsed(R"({"m": {"fp32": {"bleu": 30}, "int4": {"bleu": 29}}})");
  EXPECT_EQ(file.models.at(0).variants[1].metrics.at("bleu"), 29);
}

TEST(BenchmarkJson, ChoosesAnotherBaselineWhenThereIsNoFp32) {
  const BenchmarkFile half = Parsed(R"({"m": {"int8": {"loss": 1}, "fp16": {"loss": 1}}})");
  EXPECT_EQ(half.models.at(0).baseline, "fp16");
  const BenchmarkFile neither = Parsed(R"({"m": {"w8": {"loss": 1}, "w4": {"loss": 1}}})");
  EXPECT_EQ(neither.models.at(0).baseline, "w8");
  EXPECT_THAT(neither.warnings, ElementsAre(HasSubstr("'w8' is taken as its baseline")));
}

TEST(BenchmarkJson, SkipsAModelThatLacksAVariantAndReadsTheOthers) {
  const BenchmarkFile file = Parsed(
      R"({"half": {"fp32": {"accuracy": 1}},
          "whole": {"fp32": {"accuracy": 1}, "int8": {"accuracy": 1}},
          "none": {"model_info": {"library": "x"}}, "empty": {"fp32": {}, "int8": {"loss": 2}}})");
  EXPECT_THAT(NamesOf(file), ElementsAre("whole"));
  ASSERT_EQ(file.skipped.size(), 3u);
  EXPECT_EQ(file.skipped[0].what, "half");
  EXPECT_THAT(file.skipped[0].reason, HasSubstr("only the variant 'fp32'"));
  EXPECT_THAT(file.skipped[1].reason, HasSubstr("holds no variant"));
  EXPECT_THAT(file.skipped[2].reason, HasSubstr("only the variant 'int8'"));
}

TEST(BenchmarkJson, RenamesALaterModelOfTheSameName) {
  const std::string model = R"({"fp32": {"loss": 1}, "int8": {"loss": 1}})";
  const BenchmarkFile file = Parsed("{\"a\": " + model + ", \"a\": " + model +
                                    ", \"a-2\": " + model + ", \"a\": " + model + "}");
  EXPECT_THAT(NamesOf(file), ElementsAre("a", "a-2", "a-2-2", "a-3"));
  EXPECT_EQ(file.warnings.size(), 3u);
}

TEST(BenchmarkJson, KeepsVariantsApartThatWouldShareATag) {
  const BenchmarkFile file =
      Parsed(R"({"m": {"w 4": {"loss": 1}, "w_4": {"loss": 2}, "w_4": {"loss": 3}}})");
  EXPECT_THAT(NamesOf(file.models.at(0)), ElementsAre("w 4", "w_4-2", "w_4-3"));
  EXPECT_EQ(file.warnings.size(), 3u);  // One of them about the baseline.
}

TEST(BenchmarkJson, SaysWhenAFigureIsThereTwice) {
  const BenchmarkFile file =
      Parsed(R"({"m": {"fp32": {"loss": 1, "loss": 2}, "int8": {"loss": 1}}})");
  EXPECT_EQ(file.models.at(0).variants[0].metrics.at("loss"), 2);
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("more than once; the last value counts")));
}

TEST(BenchmarkJson, AcceptsTheNaNAndInfinityThatPythonWrites) {
  const BenchmarkFile file = Parsed(
      R"({"m": {"fp32": {"accuracy": NaN, "loss": Infinity}, "int8": {"loss": -Infinity}}})");
  const ModelComparison& model = file.models.at(0);
  EXPECT_TRUE(std::isnan(model.variants[0].metrics.at("accuracy")));
  EXPECT_EQ(model.variants[0].metrics.at("loss"), INFINITY);
  EXPECT_EQ(model.variants[1].metrics.at("loss"), -INFINITY);
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("3 numbers are NaN or infinite")));
}

TEST(BenchmarkJson, ReadsNamesThatAreNotUtf8) {
  const BenchmarkFile file =
      Parsed("{\"caf\xe9\": {\"fp32\": {\"loss\": 1}, \"int8\": {\"loss\": 1}}}");
  EXPECT_THAT(NamesOf(file), ElementsAre("caf?"));
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("not UTF-8")));
}

TEST(BenchmarkJson, KeepsHostileNamesAsTheyAre) {
  const std::string model = R"({"fp32": {"loss": 1}, "int8": {"loss": 1}})";
  const std::string name(100'000, 'x');
  const BenchmarkFile file =
      Parsed("{\"../../etc\": " + model + ", \"/abs\": " + model + ", \"..\": " + model +
             ", \"\": " + model + ", \"" + name + "\": " + model + "}");
  EXPECT_THAT(NamesOf(file), ElementsAre("../../etc", "/abs", "..", "", name));
}

TEST(BenchmarkJson, ReadsATableWhoseRowsNameTheirVariant) {
  const BenchmarkFile file = Parsed(
      R"({"llm": [
            {"model": "gpt-j", "config": "GPTQ W4", "average_accuracy": 0.63, "ppl": null},
            {"model": "gpt-j", "config": "FP32", "average_accuracy": 0.64, "hellaswag": 0.5},
            {"model": "opt", "config": "FP32", "average_accuracy": 0.6},
            {"config": "FP32", "x": 1}, {"model": "none", "config": "x"}, 7]})");
  EXPECT_THAT(NamesOf(file), ElementsAre("gpt-j", "opt"));
  const ModelComparison& gpt = file.models[0];
  EXPECT_THAT(NamesOf(gpt), ElementsAre("GPTQ W4", "fp32"));
  EXPECT_EQ(gpt.baseline, "fp32");
  EXPECT_THAT(gpt.variants[1].metrics,
              UnorderedElementsAre(Pair("average_accuracy", 0.64), Pair("accuracy", 0.64),
                                   Pair("hellaswag", 0.5)));
  ASSERT_EQ(file.skipped.size(), 3u);
  EXPECT_EQ(file.skipped[0], (Omission{"row 4 of table 'llm'", "it has no text 'model'"}));
  EXPECT_EQ(file.skipped[1], (Omission{"row 5 of table 'llm'", "it holds no number"}));
}

TEST(BenchmarkJson, ReadsATableWithoutVariantsUnderTheTablesName) {
  const BenchmarkFile file =
      Parsed(R"({"by_hardware": [{"model": "ResNet50", "intel": 0.7476, "amd": 0.6895}]})");
  const ModelComparison& model = file.models.at(0);
  EXPECT_THAT(NamesOf(model), ElementsAre("by_hardware"));
  EXPECT_EQ(model.baseline, "by_hardware");
  EXPECT_EQ(model.variants[0].metrics.at("amd"), 0.6895);
  EXPECT_THAT(file.warnings, IsEmpty());
}

TEST(BenchmarkJson, ReadsABareTableAndABareModelUnderTheFilesName) {
  EXPECT_THAT(NamesOf(Parsed(R"([{"model": "a", "config": "int8", "loss": 1}])")),
              ElementsAre("a"));
  const BenchmarkFile bare = Parsed(R"({"fp32": {"loss": 1}, "int8": {"loss": 1}})");
  EXPECT_THAT(NamesOf(bare), ElementsAre("results"));
  EXPECT_THAT(bare.warnings, ElementsAre(HasSubstr("without its name")));
}

TEST(BenchmarkJson, GivesFactsOfTheFileToEveryModel) {
  const BenchmarkFile file =
      Parsed(R"({"framework": "onnxruntime", "m": {"fp32": {"loss": 1}, "int8": {"loss": 1}}})");
  EXPECT_THAT(file.models.at(0).info, ElementsAre(Pair("framework", InfoValue("onnxruntime"))));
}

TEST(BenchmarkJson, RefusesWhatHoldsNoModel) {
  for (const char* text : {"{}", "[]", "3", "\"x\"", "null", "{\"_source\": {}}", "{\"a\": 1}"}) {
    EXPECT_THAT(ParseBenchmarkJson(text, "r.json"),
                FailsSaying(ErrorCode::kInvalidArgument, "r.json: the file contains no model"))
        << text;
  }
}

TEST(BenchmarkJson, SaysWhereTheFileIsBroken) {
  EXPECT_THAT(ParseBenchmarkJson("{\n  \"alexnet\": {\n    \"fp32\" {}}}", "r.json"),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "r.json:3:12: expected ':' after the key, found '{}}}'"));
  EXPECT_THAT(ParseBenchmarkJson("{\"a\":", "r.json"),
              FailsSaying(ErrorCode::kInvalidArgument, "r.json:1:6: expected a value"));
  EXPECT_THAT(ParseBenchmarkJson(std::string("\xff\xfe{\0", 4), "r.json"),
              FailsSaying(ErrorCode::kInvalidArgument, "UTF-16"));
}

TEST(BenchmarkJson, ForgivesTheMarkThatWindowsPutsFirst) {
  EXPECT_THAT(ParseBenchmarkJson(std::string("\xef\xbb\xbf") + kAlexnetFile, "r.json"), Succeeds());
}

TEST(BenchmarkJson, KnowsWhichFiguresAreDerived) {
  const auto file = ParseBenchmarkJson(
      R"({"m": {"FP32": {"accuracy": 1, "latency_mean_ms": 2}, "int8": {"accuracy": 1},
                "derived": ["FP32.latency_mean_ms", "int8.latency_mean_ms", "wer"]}})",
      "results.json");
  ASSERT_THAT(file, Succeeds());
  EXPECT_THAT(file->models[0].variants[0].derived, ElementsAre("latency_mean_ms"));
  EXPECT_THAT(file->models[0].variants[1].derived, IsEmpty());
  EXPECT_THAT(file->warnings, ElementsAre(HasSubstr("'int8.latency_mean_ms'"), HasSubstr("'wer'")));
}

TEST(BenchmarkJson, LimitsVariantsAndFacts) {
  std::string text = "{\"m\": {";
  for (int i = 0; i < 1000; ++i) {
    text += "\"v" + std::to_string(i) + "\": {\"loss\": 1}, \"f" + std::to_string(i) + "\": 1, ";
  }
  const BenchmarkFile file = Parsed(text + "\"fp32\": {\"loss\": 1}}}");
  EXPECT_EQ(file.models.at(0).variants.size(), 256u);
  EXPECT_EQ(file.models.at(0).info.size(), 256u);
  EXPECT_THAT(file.warnings.front(), HasSubstr("more than 256 variants"));
}

TEST(BenchmarkJson, NamesAFileThatIsNotThere) {
  const testing::TempDir dir;
  EXPECT_THAT(ReadBenchmarkJson(dir / "missing.json"),
              FailsSaying(ErrorCode::kNotFound, "missing.json"));
  EXPECT_FALSE(ReadBenchmarkJson(dir.path()).has_value());
}

TEST(BenchmarkJson, SaysWhenNumbersStandInQuotes) {
  const BenchmarkFile file = *ParseBenchmarkJson(R"({"a": {
      "fp32": {"accuracy": "0.75", "model_size_mb": 4},
      "int8": {"accuracy": 0.5, "model_size_mb": 1},
      "int4": {"accuracy": "0.25"}}})",
                                                 "results.json");
  EXPECT_THAT(file.warnings,
              ElementsAre("'accuracy' of model 'a', variant 'fp32' is the text '0.75' and no "
                          "figure; write numbers without quotes",
                          "'int4' of model 'a' is left out: its 'accuracy' is the text '0.25'; "
                          "write numbers without quotes"));
}

TEST(BenchmarkJson, DoesNotCopyALongTextIntoEveryModel) {
  const std::string model = R"({"fp32": {"accuracy": 1}, "int8": {"accuracy": 1}})";
  const BenchmarkFile file =
      *ParseBenchmarkJson("{\"log\": \"" + std::string(1 << 20, 'x') +
                              "\", \"machine\": \"edge\", \"a\": " + model + "}",
                          "results.json");
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("'log' is left out")));
  EXPECT_EQ(FindInfo(file.models[0].info, "log"), nullptr);
  EXPECT_NE(FindInfo(file.models[0].info, "machine"), nullptr);
}

TEST(BenchmarkJson, CallsAnEmptyFileEmpty) {
  for (const char* text : {"", " \r\n\t", "\xEF\xBB\xBF"}) {
    EXPECT_THAT(ParseBenchmarkJson(text, "results.json"),
                FailsSaying(ErrorCode::kInvalidArgument,
                            "results.json:1:1: expected benchmark "
                            "results, found an empty file"));
  }
}

}  // namespace
}  // namespace cboard::compression
