#include "cboard/proto/plugins.h"

#include <gtest/gtest.h>

#include "proto/testing/golden_bytes.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::Golden;
using testing::Succeeds;

TEST(PrCurvePluginData, HasTensorboardXsBytes) {
  EXPECT_EQ(EncodePrCurvePluginData(1), "\020\001");
  EXPECT_EQ(EncodePrCurvePluginData(4294967295u), Golden("10 ff ff ff ff 0f"));
}

TEST(MeshPluginData, HasTensorboardXsBytes) {
  const std::vector<std::int64_t> shape = {1, 4, 3};
  EXPECT_EQ(EncodeMeshPluginData({.name = "my_mesh",
                                  .content_type = MeshContent::kVertex,
                                  .json_config = "null",
                                  .shape = shape}),
            "\022\007my_mesh\030\001*\004null2\003\001\004\003");
}

TEST(MeshPluginData, RoundTrips) {
  const std::vector<std::int64_t> shape = {1, -1, 300};
  const auto parsed = ParseMeshPluginData(EncodeMeshPluginData({.name = "m",
                                                                .content_type = MeshContent::kColor,
                                                                .json_config = "{}",
                                                                .shape = shape,
                                                                .components = 14}));
  ASSERT_THAT(parsed, Succeeds());
  EXPECT_EQ(parsed->name, "m");
  EXPECT_EQ(parsed->content_type, MeshContent::kColor);
  EXPECT_EQ(parsed->json_config, "{}");
  EXPECT_EQ(parsed->shape, shape);
  EXPECT_EQ(parsed->components, 14u);
}

TEST(MeshPluginData, ReadsAShapeThatIsNotPacked) {
  EXPECT_THAT(ParseMeshPluginData(Golden("30 01 30 04"))->shape, ElementsAre(1, 4));
}

TEST(MeshPluginData, MalformedBytesAreDataLoss) {
  for (const char* bytes : {"12 05 41", "32 01 80", "32 05 01"}) {
    EXPECT_THAT(ParseMeshPluginData(Golden(bytes)), FailsWith(ErrorCode::kDataLoss)) << bytes;
  }
}

TEST(AudioPluginData, DefaultsTakeNoBytes) {
  EXPECT_EQ(EncodeAudioPluginData(AudioEncoding::kUnknown, false), "");
  EXPECT_EQ(EncodeAudioPluginData(AudioEncoding::kWav, true), Golden("10 0b 18 01"));
}

}  // namespace
}  // namespace cboard::proto
