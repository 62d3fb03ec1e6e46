#include "writer/summary/mesh.h"

#include <limits>

#include "testing/matchers.h"
#include "writer/testing/golden.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;

const std::vector<float> kTriangle = {0, 0, 0, 1, 0, 0, 0, 1, 0};
const TensorView kVertices(kTriangle, {1, 3, 3});

TEST(MeshSummary, HasTheBytesOfTensorboardX) {
  const std::vector<std::int32_t> faces = {0, 1, 2};
  MeshDetails details;
  details.faces = TensorView(faces, {1, 1, 3});
  EXPECT_EQ(
      MakeMeshSummary("m", kVertices, details).value(),
      FromHex("0a59 0a036d5f31 4236 0801 120c 12020801 12020803 12020803"
              "2a24 000000000000000000000000 0000803f0000000000000000 000000000000803f00000000"
              "4a1a 0a18 0a046d657368 1210 12016d 1801 2a046e756c6c 3203010303"
              "0a41 0a036d5f32 421e 0801 120c 12020801 12020801 12020803"
              "2a0c 000000000000803f00000040 4a1a 0a18 0a046d657368 1210 12016d 1802"
              "2a046e756c6c 3203010103"));
}

TEST(MeshSummary, StoresColorsLast) {
  const std::vector<std::uint8_t> colors = {255, 0, 0, 0, 255, 0, 0, 0, 255};
  const std::vector<std::int64_t> faces = {0, 1, 2};
  MeshDetails details;
  details.colors = TensorView(colors, {1, 3, 3});
  details.faces = TensorView(faces, {1, 1, 3});
  const std::string summary = MakeMeshSummary("m", kVertices, details).value();
  const auto values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0].tag, "m_1");
  EXPECT_EQ(values[1].tag, "m_2");
  EXPECT_EQ(values[2].tag, "m_3");
}

TEST(MeshSummary, RefusesShapesThatAreNotTriples) {
  EXPECT_THAT(MakeMeshSummary("m", TensorView(kTriangle, {3, 3})),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "mesh 'm': vertices have shape 3x3; give an array of batch"));
  EXPECT_THAT(MakeMeshSummary("m", TensorView(kTriangle, {1, 9, 1})),
              FailsSaying(ErrorCode::kInvalidArgument, "vertices have shape 1x9x1"));
  EXPECT_THAT(MakeMeshSummary("m", TensorView(kTriangle, {1, 0, 3})),
              FailsSaying(ErrorCode::kInvalidArgument, "the array is empty"));
}

TEST(MeshSummary, RefusesFacesOfMissingVertices) {
  for (const double index : {3.0, -1.0, 0.5, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> faces = {0, 1, index};
    MeshDetails details;
    details.faces = TensorView(faces, {1, 1, 3});
    EXPECT_THAT(MakeMeshSummary("m", kVertices, details),
                FailsSaying(ErrorCode::kInvalidArgument, "but the vertices are 0 to 2"));
  }
  MeshDetails details;
  const std::vector<double> faces = {0, 1, 2, 0, 1, 2};
  details.faces = TensorView(faces, {2, 1, 3});
  EXPECT_THAT(MakeMeshSummary("m", kVertices, details),
              FailsSaying(ErrorCode::kInvalidArgument, "the same batch size"));
}

TEST(MeshSummary, RefusesColorsThatMatchNoVertexOrNoByte) {
  std::vector<float> colors = {0, 0, 0, 0, 0, 256};
  MeshDetails details;
  details.colors = TensorView(colors, {1, 2, 3});
  EXPECT_THAT(MakeMeshSummary("m", kVertices, details),
              FailsSaying(ErrorCode::kInvalidArgument, "give one color per vertex"));
  colors.resize(9);
  details.colors = TensorView(colors, {1, 3, 3});
  EXPECT_THAT(MakeMeshSummary("m", kVertices, details),
              FailsSaying(ErrorCode::kInvalidArgument, "color 1 has the value 256"));
}

TEST(MeshSummary, RefusesAConfigurationThatIsNotJson) {
  MeshDetails details;
  details.config_json = "{'camera': 1}";
  EXPECT_THAT(MakeMeshSummary("m", kVertices, details),
              FailsSaying(ErrorCode::kInvalidArgument, "is not JSON"));
  details.config_json = R"({"camera": {"cls": "PerspectiveCamera", "fov": 75}})";
  EXPECT_THAT(MakeMeshSummary("m", kVertices, details), testing::Succeeds());
}

}  // namespace
}  // namespace cboard::writer::summary
