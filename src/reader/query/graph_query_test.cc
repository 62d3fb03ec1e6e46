#include "cboard/reader/graph_query.h"

#include <gmock/gmock.h>

#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "testing/matchers.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using proto::Attribute;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

std::string SmallGraph() {
  proto::GraphBuilder graph;
  graph.AddNode({.name = "x", .op = "Placeholder", .inputs = {}, .device = {}, .attributes = {}});
  graph.AddNode({.name = "net/conv/w",
                 .op = "Const",
                 .inputs = {},
                 .device = {},
                 .attributes = {{"dtype", Attribute::Type(proto::DataType::kFloat)}}});
  graph.AddNode({.name = "net/conv/out",
                 .op = "Conv2D",
                 .inputs = {"x", "net/conv/w:2", "^x", "nowhere"},
                 .device = "GPU",
                 .attributes = {{"strides", Attribute::IntList({1, 2, 2, 1})},
                                {"_output_shapes", Attribute::ShapeList({{-1, 8}, {}})},
                                {"alpha", Attribute::Float(0.1f)}}});
  return graph.Encode();
}

std::string TextOfAttribute(Attribute attribute, std::size_t max_bytes = 100) {
  proto::GraphBuilder graph;
  graph.AddNode({.name = "n",
                 .op = "O",
                 .inputs = {},
                 .device = {},
                 .attributes = {{"k", std::move(attribute)}}});
  const auto parsed = ParseGraph(graph.Encode(), {.max_attribute_bytes = max_bytes});
  const GraphAttribute& text = parsed->nodes.at(0).attributes.at(0);
  return text.text + (text.elided ? " (elided)" : "");
}

TEST(ParseGraph, GivesNodesEdgesAndScopes) {
  const auto graph = ParseGraph(SmallGraph());
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->nodes.size(), 3u);
  const GraphNode& out = graph->nodes[2];
  EXPECT_EQ(out.op, "Conv2D");
  EXPECT_EQ(out.device, "GPU");
  EXPECT_THAT(out.attributes, ElementsAre(Field(&GraphAttribute::key, "_output_shapes"),
                                          AllOf(Field(&GraphAttribute::key, "alpha"),
                                                Field(&GraphAttribute::text, "0.1")),
                                          Field(&GraphAttribute::text, "[1, 2, 2, 1]")));
  EXPECT_THAT(out.output_shapes, ElementsAre(Optional(ElementsAre(-1, 8)), Optional(IsEmpty())));

  ASSERT_EQ(graph->edges.size(), 3u);
  EXPECT_EQ(graph->edges[0].from, 0u);
  EXPECT_EQ(graph->edges[1].from, 1u);
  EXPECT_EQ(graph->edges[1].from_output, 2u);
  EXPECT_FALSE(graph->edges[1].control);
  EXPECT_TRUE(graph->edges[2].control);
  EXPECT_EQ(graph->edges[2].to_input, 2u);
  EXPECT_THAT(graph->missing_inputs, ElementsAre("nowhere"));

  ASSERT_EQ(graph->scopes.size(), 3u);
  EXPECT_THAT(graph->scopes[0].nodes, ElementsAre(0));
  EXPECT_EQ(graph->scopes[0].total_nodes, 3u);
  EXPECT_EQ(graph->scopes[2].name, "net/conv");
  EXPECT_EQ(graph->scopes[2].parent, 1u);
  EXPECT_THAT(graph->scopes[2].nodes, ElementsAre(1, 2));
  EXPECT_EQ(graph->scopes[1].total_nodes, 2u);
}

TEST(ParseGraph, PrefersANodeWhoseWholeNameIsTheInput) {
  proto::GraphBuilder builder;
  builder.AddNode({.name = "a", .op = "", .inputs = {}, .device = {}, .attributes = {}});
  builder.AddNode({.name = "a:1", .op = "", .inputs = {}, .device = {}, .attributes = {}});
  builder.AddNode(
      {.name = "b", .op = "", .inputs = {"a:1", "a:x"}, .device = {}, .attributes = {}});
  const auto graph = ParseGraph(builder.Encode());
  ASSERT_EQ(graph->edges.size(), 1u);
  EXPECT_EQ(graph->edges[0].from, 1u);
  EXPECT_EQ(graph->edges[0].from_output, 0u);
  EXPECT_THAT(graph->missing_inputs, ElementsAre("a:x"));
}

TEST(ParseGraph, SaysAttributesInWords) {
  EXPECT_EQ(TextOfAttribute(Attribute::String("same")), "same");
  EXPECT_EQ(TextOfAttribute(Attribute::String("\xff\xfe")), "2 bytes (elided)");
  EXPECT_EQ(TextOfAttribute(Attribute::String("abcdé"), 5), "abcd… (elided)");
  EXPECT_EQ(TextOfAttribute(Attribute::Int(-7)), "-7");
  EXPECT_EQ(TextOfAttribute(Attribute::Bool(true)), "true");
  EXPECT_EQ(TextOfAttribute(Attribute::Type(proto::DataType::kQint8)), "QINT8");
  EXPECT_EQ(TextOfAttribute(Attribute::TypeNumber(777)), "777");
  EXPECT_EQ(TextOfAttribute(Attribute::EncodedShape({-1, 3})), "[?, 3]");
  EXPECT_EQ(TextOfAttribute(Attribute::StringList({"a", "b"})), "[a, b]");
  EXPECT_EQ(TextOfAttribute(Attribute::BoolList({true, false})), "[true, false]");
  EXPECT_EQ(TextOfAttribute(Attribute::FloatList({0.5f, 2})), "[0.5, 2]");
  EXPECT_EQ(TextOfAttribute(Attribute::ShapeList({{1}, {}})), "[[1], []]");
  EXPECT_EQ(TextOfAttribute(Attribute::IntList(std::vector<std::int64_t>(50, 1)), 10),
            "[1, 1, 1, 1, …] (elided)");
  EXPECT_EQ(TextOfAttribute(Attribute::EncodedTensor(proto::EncodeFloatTensor({{2}}, {{1, 2.5f}}))),
            "FLOAT [2]: 1 2.5");
  EXPECT_THAT(TextOfAttribute(Attribute::EncodedTensor(
                  proto::EncodeFloatTensor({{100}}, std::vector<float>(100, 1)))),
              HasSubstr("FLOAT [100], 4"));
}

TEST(ParseGraph, KeepsToItsLimits) {
  EXPECT_THAT(ParseGraph(SmallGraph(), {.max_nodes = 2}),
              FailsSaying(ErrorCode::kResourceExhausted, "more than 2 nodes"));
  EXPECT_THAT(ParseGraph(SmallGraph(), {.max_edges = 3}),
              FailsSaying(ErrorCode::kResourceExhausted, "more than 3 edges"));
  EXPECT_THAT(ParseGraph(SmallGraph(), {.max_scopes = 2}),
              FailsSaying(ErrorCode::kResourceExhausted, "more than 2 scopes"));
  EXPECT_THAT(ParseGraph("\x0a\x05"), FailsWith(ErrorCode::kDataLoss));
  proto::GraphBuilder deep;
  deep.AddNode(
      {.name = std::string(5000, '/'), .op = {}, .inputs = {}, .device = {}, .attributes = {}});
  EXPECT_LT(ParseGraph(deep.Encode())->scopes.size(), 100u);
}

TEST(JoinRunMetadata, JoinsByFullNameThenByLastPart) {
  const auto graph = ParseGraph(SmallGraph());
  const std::string metadata =
      proto::EncodeRunMetadata({{.node_name = "x", .all_end_rel_micros = 5, .total_bytes = 100},
                                {.node_name = "x", .all_end_rel_micros = 2, .total_bytes = 1},
                                {.node_name = "out", .total_bytes = 7, .output_shapes = {{2, 3}}},
                                {.node_name = "ghost", .total_bytes = 9}});
  const auto profile = JoinRunMetadata(*graph, metadata);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->costs[0]->memory_bytes, 101);
  EXPECT_EQ(profile->costs[0]->compute_micros, 7);
  EXPECT_FALSE(profile->costs[1]);
  EXPECT_EQ(profile->costs[2]->memory_bytes, 7) << "only net/conv/out ends in out";
  EXPECT_THAT(profile->costs[2]->output_shapes, ElementsAre(ElementsAre(2, 3)));
  EXPECT_EQ(profile->costs[2]->device, "/device:CPU:0");
  EXPECT_THAT(profile->unmatched, ElementsAre("ghost"));
}

TEST(JoinRunMetadata, DoesNotGuessWhereSeveralNodesEndAlike) {
  proto::GraphBuilder builder;
  for (const char* name : {"a/conv", "b/conv"}) {
    builder.AddNode({.name = name, .op = {}, .inputs = {}, .device = {}, .attributes = {}});
  }
  const auto profile =
      JoinRunMetadata(*ParseGraph(builder.Encode()),
                      proto::EncodeRunMetadata({{.node_name = "conv", .total_bytes = 1}}));
  EXPECT_FALSE(profile->costs[0] || profile->costs[1]);
  EXPECT_EQ(profile->unmatched_count, 1u);
}

TEST(GraphDefText, IsProtobufsTextForm) {
  proto::GraphBuilder graph;
  graph.AddNode(
      {.name = "a",
       .op = "Op",
       .inputs = {"b"},
       .device = {},
       .attributes = {{"z", Attribute::Bool(false)}, {"k", Attribute::String("\"\n\x01é")}}});
  EXPECT_EQ(*GraphDefText(graph.Encode(22)),
            "node {\n"
            "  name: \"a\"\n"
            "  op: \"Op\"\n"
            "  input: \"b\"\n"
            "  attr {\n"
            "    key: \"k\"\n"
            "    value {\n"
            "      s: \"\\\"\\n\\001\\303\\251\"\n"
            "    }\n"
            "  }\n"
            "  attr {\n"
            "    key: \"z\"\n"
            "    value {\n"
            "      b: false\n"
            "    }\n"
            "  }\n"
            "}\n"
            "versions {\n"
            "  producer: 22\n"
            "}\n");
}

TEST(GraphDefText, NamesAttributesThatAreTooLarge) {
  proto::GraphBuilder graph;
  graph.AddNode({.name = "a",
                 .op = {},
                 .inputs = {},
                 .device = {},
                 .attributes = {{"big", Attribute::String(std::string(100, 'x'))},
                                {"small", Attribute::Int(1)}}});
  const auto text = GraphDefText(graph.Encode(), {.max_attribute_bytes = 50});
  EXPECT_THAT(
      *text, HasSubstr("key: \"_too_large_attrs\"\n    value {\n      list {\n        s: \"big\""));
  EXPECT_THAT(*text, HasSubstr("key: \"small\""));
  EXPECT_THAT(*text, Not(HasSubstr("xxx")));
  EXPECT_THAT(GraphDefText(graph.Encode(), {.max_attribute_bytes = 0}),
              FailsWith(ErrorCode::kInvalidArgument));
}

TEST(GraphDefText, RefusesMessagesNestedWithoutEnd) {
  std::string type;  // FullTypeDef.args holds FullTypeDef.
  for (int i = 0; i < 120; ++i) {
    std::string outer = "\x12";
    for (std::size_t n = type.size(); outer.size() < 6; n >>= 7) {
      outer += static_cast<char>((n & 0x7F) | (n > 0x7F ? 0x80 : 0));
      if (n <= 0x7F) break;
    }
    type = outer + type;
  }
  std::string node = "\x3a";
  node += static_cast<char>((type.size() & 0x7F) | 0x80);
  node += static_cast<char>(type.size() >> 7);
  node += type;
  std::string graph = "\x0a";
  graph += static_cast<char>((node.size() & 0x7F) | 0x80);
  graph += static_cast<char>(node.size() >> 7);
  EXPECT_THAT(GraphDefText(graph + node), FailsSaying(ErrorCode::kDataLoss, "100 deep"));
}

TEST(GraphDefOfFunctionGraphs, RefusesGraphsOfDifferentVersions) {
  const std::string a = proto::GraphBuilder().Encode(1), b = proto::GraphBuilder().Encode(2);
  const std::vector<std::string_view> graphs = {a, b};
  EXPECT_THAT(GraphDefOfFunctionGraphs(proto::EncodeFunctionGraphs(graphs)),
              FailsSaying(ErrorCode::kInvalidArgument, "versions 1 and 2"));
}

TEST(GraphDefOfKerasModel, SaysWhatIsWrong) {
  EXPECT_THAT(GraphDefOfKerasModel("[]"), FailsSaying(ErrorCode::kDataLoss, "not a JSON object"));
  EXPECT_THAT(GraphDefOfKerasModel("{}"), FailsSaying(ErrorCode::kDataLoss, "has no \"config\""));
  EXPECT_THAT(GraphDefOfKerasModel(R"({"config": {"name": "m", "layers": []}})"),
              FailsSaying(ErrorCode::kDataLoss, "'m' has no layers"));
}

TEST(GraphDefOfMetaGraph, TakesTheGraphOut) {
  const std::string graph = SmallGraph();
  std::string meta = "\x12";
  meta += static_cast<char>((graph.size() & 0x7F) | 0x80);
  meta += static_cast<char>(graph.size() >> 7);
  EXPECT_EQ(*GraphDefOfMetaGraph(meta + graph), graph);
  EXPECT_EQ(*GraphDefOfMetaGraph(""), "");
}

}  // namespace
}  // namespace cboard::reader
