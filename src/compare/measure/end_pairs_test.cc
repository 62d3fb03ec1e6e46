#include "compare/measure/end_pairs.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using testing::OnnxBuilder;
using ::testing::Pair;

// Outputs of a Relu each, with these names and widths.
model::ModelGraph WithOutputs(const std::vector<std::pair<std::string, std::int64_t>>& outputs) {
  OnnxBuilder builder;
  for (const auto& [name, width] : outputs) {
    builder.Input("x_" + name, {1, width})
        .Node("Relu", {"x_" + name}, {name})
        .Output(name, {1, width});
  }
  return Opened(builder);
}

std::vector<std::pair<std::string, std::string>> Names(const model::ModelGraph& baseline,
                                                       const model::ModelGraph& variant) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const EndPair& pair : PairEnds(baseline, variant)) {
    names.emplace_back(baseline.tensor(pair.baseline).name, variant.tensor(pair.variant).name);
  }
  return names;
}

TEST(PairEnds, GoesByNameInAnyOrder) {
  EXPECT_THAT(
      Names(WithOutputs({{"boxes", 4}, {"scores", 4}}), WithOutputs({{"scores", 4}, {"boxes", 4}})),
      ElementsAre(Pair("boxes", "boxes"), Pair("scores", "scores")));
}

TEST(PairEnds, GoesByShapeWhereAnotherExportHasOtherNamesAndAnotherOrder) {
  EXPECT_THAT(Names(WithOutputs({{"boxes", 4}, {"points", 10}, {"scores", 2}}),
                    WithOutputs({{"501", 2}, {"502", 10}, {"503", 4}})),
              ElementsAre(Pair("boxes", "503"), Pair("points", "502"), Pair("scores", "501")));
}

TEST(PairEnds, GoesByPositionWhereShapesAreEqual) {
  EXPECT_THAT(Names(WithOutputs({{"a", 4}, {"b", 4}}), WithOutputs({{"c", 4}, {"d", 4}})),
              ElementsAre(Pair("a", "c"), Pair("b", "d")));
}

}  // namespace
}  // namespace cboard::compare
