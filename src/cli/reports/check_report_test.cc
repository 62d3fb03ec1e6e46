#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

using analysis::Contract;
using analysis::ContractResult;
using analysis::GateOutcome;
using analysis::GateResult;
using analysis::Level;
using ::testing::HasSubstr;
using ::testing::Not;

const Contract kTwoGates{.gates = {{.id = "quality", .metric = "accuracy", .min = 0.7},
                                   {.id = "clean", .metric = "cosine", .layers = {"*"}}}};

GateResult Passing(const std::string& model) {
  return {.gate = 0,
          .model = model,
          .variant = "int8",
          .value = 0.75,
          .explanation = "accuracy is 0.75"};
}

GateResult Broken(std::size_t layers) {
  GateResult result{.gate = 1,
                    .model = "net",
                    .variant = "int8",
                    .outcome = GateOutcome::kFail,
                    .explanation = "the worst 'conv0'",
                    .layers_checked = 20};
  for (std::size_t i = 0; i < layers; ++i) {
    result.broken.push_back({.layer = "conv" + std::to_string(i),
                             .value = 0.5,
                             .level = Level::kRed,
                             .explanation = "cosine is 0.5"});
  }
  return result;
}

TEST(CheckText, PutsWhatDoesNotPassFirst) {
  const GateResult missing{.gate = 0,
                           .model = "net\x1b[31m",
                           .variant = "int4",
                           .outcome = GateOutcome::kMissing,
                           .explanation = "not logged"};
  EXPECT_EQ(CheckText(kTwoGates, {.results = {Passing("net"), missing, Broken(1)}}, false),
            "outcome  gate     model        variant  why\n"
            "fail     clean    net          int8     the worst 'conv0'\n"
            "missing  quality  net\\x1b[31m  int4     not logged\n"
            "pass     quality  net          int8     accuracy is 0.75\n"
            "\n"
            "2 of 3 checks fail: the contract is not kept.\n");
}

TEST(CheckText, PutsWhatIsFurthestBeyondItsLimitFirst) {
  ContractResult result;
  for (const double beyond : {0.1, 3.0, 0.5}) {
    GateResult each = Broken(1);
    each.explanation = std::to_string(beyond);
    each.beyond = beyond;
    result.results.push_back(each);
  }
  EXPECT_THAT(CheckText(kTwoGates, result, false),
              ::testing::ContainsRegex(" 3\\.0+\n.* 0\\.50+\n.* 0\\.10+\n"));
}

TEST(CheckText, SaysThatAllPass) {
  EXPECT_THAT(CheckText(kTwoGates, {.results = {Passing("a"), Passing("b")}}, false),
              HasSubstr("\nAll 2 checks pass: the contract is kept.\n"));
  EXPECT_THAT(CheckText(kTwoGates, {.results = {Passing("a")}}, false),
              HasSubstr("\nThe check passes: the contract is kept.\n"));
}

TEST(CheckText, ColoursOutcomesAndNothingElse) {
  const ContractResult result{.results = {Broken(1), Passing("a")}};
  const std::string text = CheckText(kTwoGates, result, true);
  EXPECT_THAT(text, HasSubstr("\n\x1b[31mfail\x1b[0m     clean"));
  EXPECT_THAT(text, HasSubstr("\n\x1b[32mpass\x1b[0m     quality"));
  EXPECT_EQ(std::ranges::count(text, '\x1b'), 4);
}

TEST(CheckText, ListsTheLayersOfAGateThatSeveralBreak) {
  const std::string text = CheckText(kTwoGates, {.results = {Broken(12)}}, false);
  EXPECT_THAT(text, HasSubstr("\nLayers that break 'clean' (net, int8):\n"
                              "  layer  why\n"
                              "  conv0  cosine is 0.5\n"));
  EXPECT_THAT(text, HasSubstr("  conv9  cosine is 0.5\n  … and 2 layers; --json has all\n"));
}

TEST(CheckText, ShowsAllThatFailAndSomeThatPass) {
  ContractResult result;
  for (int i = 0; i < 30; ++i) {
    result.results.push_back(Passing("m" + std::to_string(i)));
    result.results.push_back(Broken(1));
  }
  const std::string text = CheckText(kTwoGates, result, false);
  EXPECT_THAT(text, HasSubstr("m19 "));
  EXPECT_THAT(text, Not(HasSubstr("m20 ")));
  EXPECT_THAT(text, HasSubstr("… and 10 more pass\n"));
  EXPECT_THAT(text, HasSubstr("30 of 60 checks fail"));
}

TEST(CheckJson, HasEverything) {
  GateResult nan = Passing("net");
  nan.value = std::nan("");
  const std::string json = CheckJson("c.yaml", kTwoGates, {.results = {nan, Broken(2)}});
  EXPECT_THAT(json, HasSubstr(R"({"contract":"c.yaml","passed":false,"checks":2,"failures":1,)"));
  EXPECT_THAT(json, HasSubstr(R"("results":[{"gate":"clean","role":"custom","metric":"cosine",)"
                              R"("model":"net","variant":"int8","outcome":"fail",)"));
  EXPECT_THAT(json, HasSubstr(R"("layers_checked":20,"broken":[{"layer":"conv0","level":"red",)"
                              R"("value":0.5,"explanation":"cosine is 0.5"},)"));
  EXPECT_THAT(json, HasSubstr(R"("value":"NaN","baseline_value":null})"));
}

}  // namespace
}  // namespace cboard::cli
