#include "cboard/analysis/verified_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/testing/log_builder.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using ::testing::HasSubstr;
using ::testing::Optional;

// Runs as `compare --verify` logs them: one run failed, and one is exact.
constexpr const char* kLogged = R"({"v":1,"samples":20,"verified_layers":["/head"],
 "why_not_verified":"","verified":[
 {"restored":"nothing","text":"as it is","parts":[],"sqnr_db":5.25,"why_not":""},
 {"restored":"parts","text":"'/a' output in float",
  "parts":[{"layer":"/a","part":"output"}],"sqnr_db":9.75,"why_not":""},
 {"restored":"parts","text":"'/a' weights in float",
  "parts":[{"layer":"/a","part":"weight"}],"sqnr_db":5,"why_not":""},
 {"restored":"parts","text":"'/b' weights in float",
  "parts":[{"layer":"/b","part":"weight"}],"sqnr_db":null,"why_not":"cannot load it"},
 {"restored":"parts","text":"'/a' output and weights in float",
  "parts":[{"layer":"/a","part":"output"},{"layer":"/a","part":"weight"}],
  "sqnr_db":17.75,"why_not":""},
 {"restored":"everything","text":"everything in float","parts":[],"sqnr_db":null,"why_not":""}]})";

VerifiedRuns ParsedRuns(std::string_view json) {
  const auto verified = ParseVerifiedRuns(json);
  EXPECT_THAT(verified, testing::Succeeds());
  return verified.value_or(VerifiedRuns{});
}

TEST(VerifiedRuns, TellExactFromFailed) {
  const VerifiedRuns verified = ParsedRuns(kLogged);
  EXPECT_THAT(verified.ends, ElementsAre("/head"));
  EXPECT_EQ(verified.samples, 20u);
  ASSERT_EQ(verified.runs.size(), 6u);
  EXPECT_THAT(verified.GainOf(verified.runs[1]), Optional(4.5));
  EXPECT_EQ(verified.runs[3].sqnr_db, std::nullopt);
  EXPECT_EQ(verified.GainOf(verified.runs[3]), std::nullopt);
  EXPECT_THAT(verified.runs[5].sqnr_db, Optional(HUGE_VAL));
}

TEST(VerifiedRuns, NameThePartsThatBringMost) {
  const VerifiedRuns verified = ParsedRuns(kLogged);
  ASSERT_NE(verified.BestParts(), nullptr);
  EXPECT_THAT(verified.BestParts()->parts,
              ElementsAre(VerifiedPart{"/a", "output"}, VerifiedPart{"/a", "weight"}));
  EXPECT_EQ(verified.Summary(), "these 2 parts in float bring the end from 5.2 to 17.8 dB");
}

TEST(VerifiedRuns, OfEqualOnesTheFewestPartsAreBest) {
  VerifiedRuns verified = ParsedRuns(kLogged);
  verified.runs[1].sqnr_db = HUGE_VAL;
  verified.runs[4].sqnr_db = HUGE_VAL;
  EXPECT_EQ(verified.BestParts(), &verified.runs[1]);
  EXPECT_EQ(verified.Summary(),
            "this part in float brings the end from 5.2 dB to exactly what the baseline gives");
}

TEST(VerifiedRuns, SayWhenTheEndWasLost) {
  VerifiedRuns verified = ParsedRuns(kLogged);
  verified.runs[0].sqnr_db = -verdict::kLoggedExactDb;
  EXPECT_EQ(verified.Summary(), "these 2 parts in float bring the end from lost to 17.8 dB");
  EXPECT_EQ(verdict::GainText(*verified.GainOf(verified.runs[1])), "from lost");
  verified.runs[1].sqnr_db = HUGE_VAL;
  EXPECT_EQ(verified.Summary(),
            "this part in float brings the end from lost to exactly what the baseline gives");
  EXPECT_EQ(verdict::GainText(*verified.GainOf(verified.runs[1])), "exact");
  for (VerifiedRun& run : verified.runs) run.sqnr_db = -verdict::kLoggedExactDb;
  EXPECT_EQ(verified.Summary(), "no part that was tried improves the output, which is lost");
}

TEST(VerifiedRuns, SayWhenNoPartHelps) {
  VerifiedRuns verified = ParsedRuns(kLogged);
  verified.runs[1].sqnr_db = verified.runs[4].sqnr_db = 5.3;
  verified.runs[5] = {.restored = "all_weights", .text = "all weights in float", .sqnr_db = 6};
  EXPECT_EQ(verified.BestParts(), nullptr);
  EXPECT_EQ(verified.Summary(),
            "no part that was tried improves the output, which has an SQNR of 5.2 dB; all weights "
            "in float: 6.0");
  verified.runs[0].sqnr_db = HUGE_VAL;
  EXPECT_EQ(verified.Summary(), "the end is exactly what the baseline gives");
  verified = {.why_not = "no output was compared"};
  EXPECT_EQ(verified.Summary(), "nothing was verified: no output was compared");
}

TEST(VerifiedRuns, GainsStandBesideTheTensorsTheyAreOf) {
  const auto tensor = [](const char* tag) {
    RankedLayer layer{.baseline = *ParseLayerTag(tag)};
    layer.baseline.layer = "/" + layer.baseline.layer;
    return layer;
  };
  const RankedLayer figures{.baseline = {.layer = "/a"}, .variant = {.layer = "/a"}};
  const auto gains =
      GainsAlone(ParsedRuns(kLogged),
                 {tensor("net/layers/a/output/fp32"), tensor("net/layers/a/weight/fp32"),
                  tensor("net/layers/a/bias/fp32"), tensor("net/layers/b/weight/fp32"), figures});
  EXPECT_THAT(gains, ElementsAre(Optional(4.5), Optional(-0.25), std::nullopt, std::nullopt,
                                 Optional(4.5)));
}

// A log of stages contains only outputs.
TEST(VerifiedRuns, GainsOfWeightsStandBesideTheOutputWhereItIsAlone) {
  RankedLayer output{.baseline = *ParseLayerTag("net/layers/b/output/fp32")};
  const VerifiedRuns verified{
      .runs = {{.restored = "nothing", .sqnr_db = 10},
               {.restored = "parts", .parts = {{.layer = "b", .part = "weight"}}, .sqnr_db = 13}}};
  EXPECT_THAT(GainsAlone(verified, {output}), ElementsAre(Optional(3.0)));
  RankedLayer weight{.baseline = *ParseLayerTag("net/layers/b/weight/fp32")};
  EXPECT_THAT(GainsAlone(verified, {output, weight}), ElementsAre(std::nullopt, Optional(3.0)));
}

TEST(VerifiedRuns, AreReadOnlyFromWhatIsOneOfThem) {
  for (const char* other : {"", "[]", "{", "null", R"({"v":2,"verified":[]})", "{}"}) {
    EXPECT_THAT(ParseVerifiedRuns(other), FailsSaying(ErrorCode::kDataLoss, "restored parts: "))
        << other;
  }
  // Members of unknown kinds are ignored.
  const VerifiedRuns odd =
      ParsedRuns(R"({"v":1,"samples":-3,"verified_layers":[1,"x"],"verified":[7,{"parts":[3]}]})");
  EXPECT_EQ(odd.samples, 0u);
  EXPECT_THAT(odd.ends, ElementsAre("x"));
  EXPECT_EQ(odd.runs.size(), 1u);
}

TEST(VerifiedRuns, TheLastThatWasLoggedCounts) {
  LogBuilder log;
  log.Json("r", "my net/verified/runs/int8", kLogged);
  log.Json("r", "my net/verified/runs/int8", R"({"v":1,"why_not_verified":"no ONNX file"})");
  log.Json("r", "other/verified/runs/int8", "damaged");
  const auto snapshot = log.Read();
  const auto& run = *snapshot->FindRun("r");
  // Scalar tags of the model have lost its space, histogram tags have not.
  for (const char* model : {"my net", "my_net"}) {
    const auto verified = ReadVerifiedRuns(run, {.model = model, .variant = "int8"});
    ASSERT_TRUE(verified) << model;
    EXPECT_EQ(verified->why_not, "no ONNX file");
  }
  EXPECT_FALSE(ReadVerifiedRuns(run, {.model = "my net", .variant = "int4"}));
  EXPECT_FALSE(ReadVerifiedRuns(run, {.model = "net", .variant = "int8"}));
  EXPECT_THAT(ReadVerifiedRuns(run, {.model = "other", .variant = "int8"})->why_not,
              HasSubstr("not a JSON object"));
}

}  // namespace
}  // namespace cboard::analysis
