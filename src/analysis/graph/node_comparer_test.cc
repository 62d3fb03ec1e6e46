#include "cboard/analysis/node_comparer.h"

#include <gmock/gmock.h>

#include "analysis/testing/graph_builder.h"

namespace cboard::analysis {
namespace {

using proto::Attribute;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the differences of the node `name`, which both graphs have, as "what: a / b".
std::vector<std::string> Compare(const std::vector<TestNode>& a, const std::vector<TestNode>& b,
                                 std::string_view name) {
  const auto measured_a = Measured(a), measured_b = Measured(b);
  const auto find = [&](const MeasuredGraph& measured) {
    const auto found = std::ranges::find(measured.graph.nodes, name, &reader::GraphNode::name);
    EXPECT_NE(found, measured.graph.nodes.end());
    return static_cast<std::uint32_t>(found - measured.graph.nodes.begin());
  };
  std::vector<std::string> texts;
  for (const auto& [what, in_a, in_b] :
       NodeComparer(*measured_a, *measured_b).Compare(find(*measured_a), find(*measured_b))) {
    texts.push_back(what + ": " + in_a + " / " + in_b);
  }
  return texts;
}

TEST(NodeComparer, ComparesOperationShapeAndAttributes) {
  const auto strides = [](std::int64_t stride) { return Attribute::IntList({stride, stride}); };
  const auto shape = [](std::int64_t size) { return Attribute::ShapeList({{-1, size}}); };
  EXPECT_THAT(
      Compare({{"x",
                "Conv",
                {},
                {{"_output_shapes", shape(8)}, {"pads", strides(1)}, {"strides", strides(1)}}}},
              {{"x",
                "Conv",
                {},
                {{"_output_shapes", shape(4)},
                 {"scale", Attribute::Float(0.5f)},
                 {"strides", strides(1)}}}},
              "x"),
      ElementsAre("output shape: [?, 8] / [?, 4]", "pads: [1, 1] / ", "scale:  / 0.5"));
  EXPECT_THAT(Compare({{"x", "Conv"}}, {{"x", "QLinearConv"}}, "x"),
              ElementsAre("op: Conv / QLinearConv"));
}

TEST(NodeComparer, LeavesOutWhatWasFoundAboutANode) {
  EXPECT_THAT(Compare({{"x", "Conv"}},
                      {{"x",
                        "Conv",
                        {},
                        {{"bits", Attribute::Int(8)},
                         {"level", Attribute::String("red")},
                         {"output_sqnr_db", Attribute::String("9.5")},
                         {"pads", Attribute::Int(1)}}}},
                      "x"),
              ElementsAre("pads:  / 1"));
  EXPECT_THAT(Compare({{"x", "MatMulNBits", {}, {{"bits", Attribute::Int(8)}}}},
                      {{"x", "MatMulNBits", {}, {{"bits", Attribute::Int(4)}}}}, "x"),
              ElementsAre("bits: 8 / 4"));
}

TEST(NodeComparer, ComparesWidthsThatBothSidesKnow) {
  const auto network = [](const std::string& type) {
    return std::vector<TestNode>{
        {"w",
         "Const",
         {},
         {{"_output_shapes", Attribute::ShapeList({{8, 3}})}, {"dtype", Attribute::String(type)}}},
        {"conv", "Conv", {"w"}}};
  };
  EXPECT_THAT(Compare(network("float32"), network("int8"), "conv"),
              ElementsAre("weight bits: 32 / 8"));
  EXPECT_THAT(Compare(network("float32"), {{"conv", "Conv"}}, "conv"), IsEmpty())
      << "a graph without weights says nothing about their width";
}

TEST(NodeComparer, ComparesWhatIsNotedAboutANode) {
  const auto network = [](std::int64_t bits, float scale) {
    return std::vector<TestNode>{
        {"conv", "Conv"},
        {"conv.weights",
         "",
         {},
         {{"scale", Attribute::Float(scale)}, {"weights_n_bits", Attribute::Int(bits)}}}};
  };
  EXPECT_THAT(
      Compare(network(8, 0.5f), network(4, 0.25f), "conv"),
      ElementsAre("weight bits: 8 / 4", "weights scale: 0.5 / 0.25", "weights_n_bits: 8 / 4"));
  EXPECT_THAT(Compare(network(8, 0.5f), network(8, 0.5f), "conv"), IsEmpty());
  EXPECT_THAT(Compare({{"conv", "Conv"}}, network(8, 0.5f), "conv"),
              ElementsAre("weights scale:  / 0.5", "weights_n_bits:  / 8"));
}

TEST(NodeComparer, ComparesTheConstantsThatANodeQuantizesWith) {
  const auto network = [](const std::string& op, const std::string& scale,
                          const std::string& name) {
    return std::vector<TestNode>{
        {"x", "Placeholder"},
        {name, "Const", {}, {{"value", Attribute::String(scale)}}},
        {"q", op, {"x", name}},
    };
  };
  EXPECT_THAT(Compare(network("QuantizeLinear", "0.5", "net/scale"),
                      network("QuantizeLinear", "0.25", "net/17"), "q"),
              ElementsAre("scale: 0.5 / 0.25"));
  EXPECT_THAT(Compare(network("Conv", "0.5", "w"), network("Conv", "0.25", "w"), "q"), IsEmpty())
      << "other weights make no other operation";
}

}  // namespace
}  // namespace cboard::analysis
