#include "data_server/values/tag_class.h"

#include <gtest/gtest.h>

#include "cboard/proto/summary.h"

namespace cboard::data_server {
namespace {

using proto::DataClass;

void ExpectClass(const reader::TagInfo& info, DataClass data_class, std::string_view plugin_name) {
  const TagClass found = ClassOf(info);
  EXPECT_EQ(found.data_class, data_class) << info.name;
  EXPECT_EQ(found.plugin_name, plugin_name) << info.name;
}

TEST(TagClass, TheKindOfValueDecidesWhoShowsIt) {
  ExpectClass({.name = "a", .kind = reader::TagKind::kScalar}, DataClass::kScalar, "scalars");
  ExpectClass({.name = "b", .kind = reader::TagKind::kScalar, .plugin_name = "compression_board"},
              DataClass::kScalar, "scalars");
  ExpectClass({.name = "c", .kind = reader::TagKind::kHistogram}, DataClass::kTensor, "histograms");
  ExpectClass({.name = "d", .kind = reader::TagKind::kImage}, DataClass::kBlobSequence, "images");
  ExpectClass({.name = "e", .kind = reader::TagKind::kHParams, .plugin_name = "hparams"},
              DataClass::kTensor, "hparams");
}

TEST(TagClass, GraphsAreEventsOrTensorsOfThreePlugins) {
  ExpectClass({.name = std::string(reader::kRunGraphTag), .kind = reader::TagKind::kGraph},
              DataClass::kBlobSequence, "graphs");
  ExpectClass({.name = std::string(reader::kMetaGraphTag), .kind = reader::TagKind::kGraph},
              DataClass::kUnknown, "graphs");
  ExpectClass({.name = "step1", .kind = reader::TagKind::kRunMetadata}, DataClass::kBlobSequence,
              "graph_tagged_run_metadata");
  ExpectClass(
      {.name = "keras", .kind = reader::TagKind::kGraph, .plugin_name = "graph_keras_model"},
      DataClass::kBlobSequence, "graph_keras_model");
  ExpectClass({.name = "odd", .kind = reader::TagKind::kGraph, .plugin_name = "graphs"},
              DataClass::kUnknown, "graphs");
}

TEST(TagClass, ALoggedDataClassHolds) {
  ExpectClass({.name = "a",
               .kind = reader::TagKind::kScalar,
               .plugin_name = "mine",
               .data_class = DataClass::kScalar},
              DataClass::kScalar, "mine");
  ExpectClass({.name = "b",
               .kind = reader::TagKind::kTensor,
               .plugin_name = "mine",
               .data_class = DataClass::kBlobSequence},
              DataClass::kBlobSequence, "mine");
  ExpectClass({.name = "c", .kind = reader::TagKind::kTensor, .plugin_name = "mine"},
              DataClass::kUnknown, "mine");
  // A tag of columns cannot be read as tensors, and the other way round.
  ExpectClass({.name = "d",
               .kind = reader::TagKind::kScalar,
               .plugin_name = "mine",
               .data_class = DataClass::kTensor},
              DataClass::kUnknown, "mine");
  ExpectClass({.name = "e",
               .kind = reader::TagKind::kTensor,
               .plugin_name = "mine",
               .data_class = static_cast<DataClass>(77)},
              DataClass::kUnknown, "mine");
}

TEST(SummaryMetadata, KeepsDisplayNameAndDescription) {
  const reader::TagInfo info{.name = "a",
                             .kind = reader::TagKind::kScalar,
                             .plugin_name = "compression_board",
                             .plugin_content = "{}",
                             .display_name = "Loss",
                             .description = "falls"};
  const std::string bytes = SummaryMetadataOf(info);
  const auto metadata = proto::ParseSummaryMetadata(bytes);
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->plugin_name, "scalars");
  EXPECT_EQ(metadata->plugin_content, "");  // It is another plugin's.
  EXPECT_EQ(metadata->display_name, "Loss");
  EXPECT_EQ(metadata->description, "falls");
  EXPECT_EQ(metadata->data_class, DataClass::kScalar);
}

TEST(SummaryMetadata, OldSoundsAreWav) {
  const std::string bytes = SummaryMetadataOf({.name = "a", .kind = reader::TagKind::kAudio});
  EXPECT_EQ(proto::ParseSummaryMetadata(bytes)->plugin_content, "\x10\x0b\x18\x01");
}

}  // namespace
}  // namespace cboard::data_server
