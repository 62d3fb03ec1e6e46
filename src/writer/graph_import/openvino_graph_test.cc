#include "writer/graph_import/openvino_graph.h"

#include <gtest/gtest.h>

#include "cboard/base/file.h"
#include "proto/testing/protobuf_oracle.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::writer {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::ParsedByProtobuf;
using testing::Succeeds;

using cboard_testing::GraphDef;

constexpr std::string_view kModel = R"(<?xml version="1.0"?>
<net name="small" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="1,3,8,8" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>1</dim><dim>3</dim><dim>8</dim><dim>-1</dim></port></output>
    </layer>
    <layer id="1" name="split" type="Split" version="opset1">
      <data num_splits="2"/>
      <input><port id="0"/></input>
      <output>
        <port id="1" precision="I8"><dim>1</dim></port>
        <port id="2" precision="I8"><dim>2</dim></port>
      </output>
    </layer>
    <layer id="2" name="add" type="Add" version="opset1">
      <input><port id="0"/><port id="1"/></input>
      <output><port id="2" precision="FP16"/></output>
    </layer>
    <layer id="7" name="add" type="Result" version="opset1"/>
    <layer id="8" type="Const"/>
  </layers>
  <edges>
    <edge from-layer="1" from-port="2" to-layer="2" to-port="1"/>
    <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
    <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    <edge from-layer="2" from-port="2" to-layer="7" to-port="0"/>
  </edges>
</net>
)";

TEST(OpenVinoGraph, EachLayerIsOneNode) {
  const Result<std::string> bytes = GraphDefFromOpenVinoXml(kModel);
  ASSERT_THAT(bytes, Succeeds());
  const auto graph = ParsedByProtobuf<GraphDef>(*bytes);
  EXPECT_EQ(graph.versions().producer(), 22);
  ASSERT_EQ(graph.node_size(), 5);

  EXPECT_EQ(graph.node(0).name(), "x");
  EXPECT_EQ(graph.node(0).op(), "Parameter");
  EXPECT_THAT(graph.node(0).input(), IsEmpty());
  EXPECT_EQ(graph.node(0).attr().at("parameters").s(), "shape = 1,3,8,8, element_type = f32");
  EXPECT_EQ(graph.node(0).attr().at("dtype").type(), 1);
  const auto& shape = graph.node(0).attr().at("_output_shapes").list().shape(0);
  ASSERT_EQ(shape.dim_size(), 4);
  EXPECT_EQ(shape.dim(2).size(), 8);
  EXPECT_EQ(shape.dim(3).size(), -1);

  EXPECT_THAT(graph.node(1).input(), ElementsAre("x"));
  EXPECT_EQ(graph.node(1).attr().at("_output_shapes").list().shape_size(), 2);
  EXPECT_EQ(graph.node(1).attr().at("dtype").type(), 6);
}

TEST(OpenVinoGraph, InputsFollowThePorts) {
  const auto graph = ParsedByProtobuf<GraphDef>(*GraphDefFromOpenVinoXml(kModel));
  EXPECT_THAT(graph.node(2).input(), ElementsAre("split", "split:1"));
}

TEST(OpenVinoGraph, NamesAreUniqueAndNeverMissing) {
  const auto graph = ParsedByProtobuf<GraphDef>(*GraphDefFromOpenVinoXml(kModel));
  EXPECT_EQ(graph.node(3).name(), "add_2");
  EXPECT_EQ(graph.node(3).op(), "Result");
  EXPECT_THAT(graph.node(3).input(), ElementsAre("add"));
  EXPECT_EQ(graph.node(4).name(), "Const_8");
}

struct Malformed {
  const char* name;
  const char* xml;
  ErrorCode code;
  const char* message;
};

TEST(OpenVinoGraph, NamesTheDamageAndItsLine) {
  const Malformed kTable[] = {
      {"Empty", "", ErrorCode::kDataLoss, "line 1: this is not valid XML"},
      {"NotXml", "model {}", ErrorCode::kDataLoss, "not valid XML"},
      {"UnclosedElement", "<net>\n<layers>\n</net>", ErrorCode::kDataLoss,
       "line 3: this is not valid XML"},
      {"OtherXml", "\n<html/>", ErrorCode::kInvalidArgument,
       "line 2: this is not an OpenVINO model: its root element is <html>, expected <net>"},
      {"NoLayers", "<net/>", ErrorCode::kInvalidArgument, "<net> has no <layers>"},
      {"LayerWithoutId", "<net><layers>\n<layer/></layers></net>", ErrorCode::kDataLoss,
       "line 2: an element <layer> has no id"},
      {"LayerIdTwice", "<net><layers><layer id='1'/>\n<layer id='1'/></layers></net>",
       ErrorCode::kDataLoss, "line 2: two layers have the id '1'"},
      {"EdgeFromNowhere",
       "<net><layers><layer id='1'/></layers>\n<edges>\n<edge from-layer='9' to-layer='1'/>"
       "</edges></net>",
       ErrorCode::kDataLoss,
       "line 3: an element <edge> has from-layer '9', but no layer has this id"},
      {"EdgeToNowhere",
       "<net><layers><layer id='1'/></layers><edges><edge from-layer='1'/></edges></net>",
       ErrorCode::kDataLoss, "to-layer ''"},
  };
  for (const Malformed& malformed : kTable) {
    EXPECT_THAT(GraphDefFromOpenVinoXml(malformed.xml),
                FailsSaying(malformed.code, malformed.message))
        << malformed.name;
  }
}

TEST(OpenVinoGraph, FilesAreReadAndErrorsNameThem) {
  testing::TempDir dir;
  const auto good = dir / "good.xml";
  ASSERT_THAT(WriteFileAtomically(good, kModel), Succeeds());
  EXPECT_THAT(GraphDefFromOpenVino(good), Succeeds());
  EXPECT_THAT(GraphDefFromOpenVino(dir / "missing.xml"), FailsWith(ErrorCode::kNotFound));
  const auto bad = dir / "bad.xml";
  ASSERT_THAT(WriteFileAtomically(bad, "<net>"), Succeeds());
  EXPECT_THAT(GraphDefFromOpenVino(bad), FailsSaying(ErrorCode::kDataLoss, "bad.xml': line 1"));
}

}  // namespace
}  // namespace cboard::writer
