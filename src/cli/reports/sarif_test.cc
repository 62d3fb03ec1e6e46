// simdjson, an independent library, is the oracle for JSON. tests/cli/check_test.py checks the
// parts that every reader of SARIF needs.
#include "cli/reports/sarif.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <set>

namespace cboard::cli {
namespace {

using analysis::Contract;
using analysis::ContractResult;
using analysis::GateOutcome;
using analysis::Level;

class Sarif {
 public:
  explicit Sarif(const std::string& text) : root_(parser_.parse(text)) {}

  simdjson::dom::element At(const std::string& pointer) const {
    auto found = root_.at_pointer("/runs/0" + pointer);
    EXPECT_FALSE(found.error()) << pointer;
    return found.value();
  }
  std::string Text(const std::string& pointer) const {
    return std::string(std::string_view(At(pointer)));
  }
  std::int64_t Number(const std::string& pointer) const { return At(pointer); }
  std::size_t Size(const std::string& pointer) const {
    return simdjson::dom::array(At(pointer)).size();
  }
  bool Has(const std::string& pointer) const {
    return !root_.at_pointer("/runs/0" + pointer).error();
  }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

Sarif Checked(const Contract& contract, const ContractResult& result,
              const std::string& path = "ci/contract.yaml") {
  return Sarif(CheckSarif({path, "1.2.3"}, contract, result));
}

TEST(CheckSarif, HasARulePerGateThatSaysWhatItAsksFor) {
  const Contract contract{
      .gates = {{.id = "quality",
                 .role = "quality",
                 .metric = "accuracy",
                 .min = 0.7,
                 .max_degradation_pct = 1},
                {.id = "clean", .metric = "level", .layers = {"*"}, .worst_level = Level::kAmber}}};
  const Sarif sarif = Checked(contract, {});
  const std::string rules = "/tool/driver/rules";
  EXPECT_EQ(sarif.Text("/tool/driver/semanticVersion"), "1.2.3");
  EXPECT_EQ(sarif.Size(rules), 3u);  // The rule of the contract itself is also listed.
  EXPECT_EQ(sarif.Text(rules + "/0/id"), "quality");
  EXPECT_EQ(sarif.Text(rules + "/0/fullDescription/text"),
            "accuracy: at least 0.7, at most 1 % worse than the baseline");
  EXPECT_EQ(sarif.Text(rules + "/0/properties/role"), "quality");
  EXPECT_EQ(sarif.Text(rules + "/1/fullDescription/text"), "level of layers: at most amber");
  EXPECT_EQ(sarif.Size("/results"), 0u);
  EXPECT_TRUE(bool(sarif.At("/invocations/0/executionSuccessful")));
}

TEST(CheckSarif, PlacesWhatDoesNotPassAtItsGate) {
  const Contract contract{.gates = {{.id = "quality", .line = 3}, {.id = "fast", .line = 9}}};
  const ContractResult result{
      .results = {{.gate = 0, .model = "a", .variant = "int8"},
                  {.gate = 1,
                   .model = "a",
                   .variant = "int8",
                   .outcome = GateOutcome::kFail,
                   .explanation = "latency_ms is 12, above the most, 10"},
                  {.gate = 0, .outcome = GateOutcome::kMissing, .explanation = "nothing"}}};
  const Sarif sarif = Checked(contract, result);
  ASSERT_EQ(sarif.Size("/results"), 2u);  // Passing gates are omitted.
  EXPECT_EQ(sarif.Text("/results/0/ruleId"), "fast");
  EXPECT_EQ(sarif.Number("/results/0/ruleIndex"), 1);
  EXPECT_EQ(sarif.Text("/results/0/level"), "error");
  EXPECT_EQ(sarif.Text("/results/0/message/text"), "a int8: latency_ms is 12, above the most, 10");
  const std::string place = "/results/0/locations/0";
  EXPECT_EQ(sarif.Text(place + "/physicalLocation/artifactLocation/uri"), "ci/contract.yaml");
  EXPECT_EQ(sarif.Number(place + "/physicalLocation/region/startLine"), 9);
  EXPECT_EQ(sarif.Text(place + "/logicalLocations/0/fullyQualifiedName"), "a/int8");
  EXPECT_EQ(sarif.Text("/results/1/level"), "error");
  EXPECT_EQ(sarif.Text("/results/1/message/text"), "nothing");
  EXPECT_FALSE(sarif.Has("/results/1/locations/0/logicalLocations"));
  EXPECT_EQ(sarif.Number("/invocations/0/exitCode"), 1);
}

TEST(CheckSarif, HasAResultPerLayerAndTheWorstOfVeryMany) {
  const Contract contract{.gates = {{.id = "clean", .layers = {"*"}, .line = 4}}};
  ContractResult result{.results = {{.model = "net",
                                     .variant = "int8",
                                     .outcome = GateOutcome::kFail,
                                     .explanation = "many layers",
                                     .broken = {{.layer = "conv1", .explanation = "is red"},
                                                {.layer = "conv2", .explanation = "is red"}}}}};
  const Sarif two = Checked(contract, result);
  ASSERT_EQ(two.Size("/results"), 2u);
  EXPECT_EQ(two.Text("/results/1/message/text"), "net int8: 'conv2': is red");
  const std::string place = "/results/1/locations/0/logicalLocations/0";
  EXPECT_EQ(two.Text(place + "/name"), "conv2");
  EXPECT_EQ(two.Text(place + "/kind"), "layer");
  EXPECT_EQ(two.Text(place + "/fullyQualifiedName"), "net/int8/conv2");
  EXPECT_NE(two.Text("/results/0/partialFingerprints/primaryLocationLineHash"),
            two.Text("/results/1/partialFingerprints/primaryLocationLineHash"));
  result.results[0].broken.resize(1000, {.layer = "x"});
  EXPECT_EQ(Checked(contract, result).Size("/results"), kMaxSarifLayers);
}

TEST(CheckSarif, WarnsOfWhatWasIgnored) {
  const Contract contract{.gates = {{.id = "quality"}},
                          .remarks = {{7, "line 7, column 3: 'mim' is not known and ignored"}}};
  const Sarif sarif = Checked(contract, {});
  ASSERT_EQ(sarif.Size("/results"), 1u);
  EXPECT_EQ(sarif.Text("/results/0/level"), "warning");
  EXPECT_EQ(sarif.Text("/results/0/ruleId"), "contract");
  EXPECT_EQ(sarif.Number("/results/0/locations/0/physicalLocation/region/startLine"), 7);
  EXPECT_EQ(sarif.Number("/invocations/0/exitCode"), 0);
}

TEST(CheckSarif, TellsGatesOfOneNameApart) {
  const Contract contract{
      .gates = {{.id = "gate"}, {.id = "gate"}, {.id = "gate (2)"}, {.id = "contract"}}};
  const Sarif sarif = Checked(contract, {});
  std::set<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    ids.insert(sarif.Text("/tool/driver/rules/" + std::to_string(i) + "/id"));
  }
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_TRUE(ids.contains("gate (2)"));
}

TEST(CheckSarif, MakesAUriOfAnyPath) {
  const Contract contract{.gates = {{}}};
  const ContractResult result{.results = {{.outcome = GateOutcome::kMissing}}};
  const std::string place = "/results/0/locations/0/physicalLocation/artifactLocation";
  for (const auto& [path, uri] : {std::pair("./ci//a b.yaml", "ci/a%20b.yaml"),
                                  std::pair("größe:50%.yaml", "gr%C3%B6%C3%9Fe%3A50%25.yaml"),
                                  std::pair("../c.yaml", "../c.yaml")}) {
    const Sarif sarif = Checked(contract, result, path);
    EXPECT_EQ(sarif.Text(place + "/uri"), uri);
    EXPECT_EQ(sarif.Text(place + "/uriBaseId"), "%SRCROOT%");
  }
  const Sarif absolute = Checked(contract, result, "/srv/c.yaml");
  EXPECT_EQ(absolute.Text(place + "/uri"), "file:///srv/c.yaml");
  EXPECT_FALSE(absolute.Has(place + "/uriBaseId"));
}

TEST(CheckSarif, HoldsAnyName) {
  const std::string hostile = "<a>\"\\\x01\x1b\xff\n[click](https://example.invalid)";
  const Contract contract{.gates = {{.id = hostile}}};
  const ContractResult result{.results = {{.model = hostile,
                                           .variant = hostile,
                                           .outcome = GateOutcome::kFail,
                                           .explanation = hostile}}};
  const Sarif sarif = Checked(contract, result, hostile);
  EXPECT_EQ(sarif.Text("/results/0/ruleId"), sarif.Text("/tool/driver/rules/0/id"));
  EXPECT_EQ(sarif.Text("/results/0/message/text").find("]("), std::string::npos);
}

TEST(ErrorSarif, IsOneErrorAtTheContract) {
  const Sarif sarif(ErrorSarif({"c.yaml", "1"}, "c.yaml: line 1: wrong"));
  ASSERT_EQ(sarif.Size("/results"), 1u);
  EXPECT_EQ(sarif.Text("/results/0/level"), "error");
  EXPECT_EQ(sarif.Text("/results/0/message/text"), "c.yaml: line 1: wrong");
  EXPECT_EQ(sarif.Number("/results/0/locations/0/physicalLocation/region/startLine"), 1);
  EXPECT_FALSE(bool(sarif.At("/invocations/0/executionSuccessful")));
  EXPECT_EQ(sarif.Number("/invocations/0/exitCode"), 2);
}

}  // namespace
}  // namespace cboard::cli
