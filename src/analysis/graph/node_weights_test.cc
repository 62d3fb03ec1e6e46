#include "cboard/analysis/node_weights.h"

#include <gmock/gmock.h>

#include "analysis/testing/graph_builder.h"
#include "cboard/analysis/node_comparer.h"

namespace cboard::analysis {
namespace {

using proto::Attribute;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "name = values" of the last node.
std::vector<std::string> Weights(const std::vector<TestNode>& nodes) {
  const auto measured = Measured(nodes);
  const auto last = static_cast<std::uint32_t>(nodes.size() - 1);
  std::vector<std::string> texts;
  for (const NodeValues& weight : WeightsOf(*measured, last)) {
    texts.push_back(weight.name + " = " + weight.values);
  }
  return texts;
}

TEST(NodeWeights, AreThoseThatAComparisonLogged) {
  EXPECT_THAT(Weights({{"conv",
                        "Conv",
                        {},
                        {{"first_values/1", Attribute::String("a = b: float32 [2, 1] = 0.5, -2")},
                         {"first_values/2", Attribute::String("bias: float32 [2] = 1, 0")},
                         {"pads", Attribute::Int(1)}}}}),
              ElementsAre("a = b: float32 [2, 1] = 0.5, -2", "bias: float32 [2] = 1, 0"));
  EXPECT_THAT(Weights({{"conv", "Conv", {}, {{"first_values/1", Attribute::String("?")}}}}),
              IsEmpty());
}

TEST(NodeWeights, AreTheConstantsOfATensorFlowGraph) {
  EXPECT_THAT(Weights({{"x", "Placeholder"},
                       {"w", "Const", {}, {{"value", Attribute::String("float32 [2] 0.5, 1")}}},
                       {"y", "MatMul", {"x", "w"}}}),
              ElementsAre("w = float32 [2] 0.5, 1"));
}

TEST(NodeWeights, AreNoDifferenceOfANode) {
  const auto a = Measured({{"x", "Conv", {}, {{"first_values/1", Attribute::String("w = 1")}}}});
  const auto b = Measured({{"x", "Conv", {}, {{"first_values/1", Attribute::String("w = 2")}}}});
  EXPECT_THAT(NodeComparer(*a, *b).Compare(0, 0), IsEmpty());
}

}  // namespace
}  // namespace cboard::analysis
