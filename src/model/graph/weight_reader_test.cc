#include <gtest/gtest.h>

#include <numeric>

#include "cboard/base/small_floats.h"
#include "cboard/tensor/convert.h"
#include "model/graph/graph_assembler.h"
#include "testing/matchers.h"

namespace cboard::model {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::Succeeds;
using Granularity = Quantization::Granularity;

// Returns a graph with one constant "w".
ModelGraph GraphOf(DType type, std::vector<std::int64_t> shape, std::string bytes,
                   std::optional<ModelQuantization> quantization = {},
                   bool may_repeat_last = false) {
  GraphAssembler graph(ModelFormat::kOnnx, MappedFile::FromMemory("", "model"));
  const TensorId id = graph.Tensor("w");
  EXPECT_THAT(graph.SetConstant(id, type, std::move(shape), {graph.Keep(bytes), may_repeat_last}),
              Succeeds());
  graph.tensor(id).quantization = std::move(quantization);
  EXPECT_THAT(graph.Sort(), Succeeds());
  return *graph.Finish();
}

std::string Counting(std::size_t count) {
  std::string bytes(count, '\0');
  std::iota(bytes.begin(), bytes.end(), static_cast<char>(0));
  return bytes;
}

constexpr TensorId kWeights{0};

TEST(WeightReader, ReadsScalesByChannel) {
  const ModelGraph graph = GraphOf(DType::kInt8, {2, 2, 2}, Counting(8),
                                   ModelQuantization{.granularity = Granularity::kPerChannel,
                                                     .scales = {1, 10},
                                                     .zero_points = {0, 1},
                                                     .axis = 1});
  EXPECT_THAT(*graph.ReadWeights(kWeights), ElementsAre(0, 1, 10, 20, 4, 5, 50, 60));
}

TEST(WeightReader, LeavesOutWhatPadsRows) {
  GraphAssembler assembler(ModelFormat::kOnnx, MappedFile::FromMemory("", "model"));
  const TensorId id = assembler.Tensor("w");
  ASSERT_THAT(assembler.SetConstant(id, DType::kUint8, {3, 4}, {assembler.Keep(Counting(12))}),
              Succeeds());
  ModelTensor& stored = assembler.tensor(id);
  stored.shape = {3, 3};
  stored.stored_row = 4;
  stored.quantization = ModelQuantization{.granularity = Granularity::kPerGroup,
                                          .scales = {1, 10, 1, 10, 1, 10},
                                          .axis = 1,
                                          .group_size = 2,
                                          .code_max = 255};
  ASSERT_THAT(assembler.Sort(), Succeeds());
  const ModelGraph graph = *assembler.Finish();
  EXPECT_THAT(*graph.ReadWeights(id), ElementsAre(0, 1, 20, 4, 5, 60, 8, 9, 100));
  std::vector<float> middle(4);  // Spans all three rows.
  graph.OpenWeights(id)->Read(2, middle);
  EXPECT_THAT(middle, ElementsAre(20, 4, 5, 60));
  EXPECT_FALSE(graph.ViewOf(id));
}

TEST(WeightReader, ReadsCodesAndTellsTheirScales) {
  const ModelGraph graph = GraphOf(DType::kInt4, {2, 4}, "\x10\x32\xfe\x87",
                                   ModelQuantization{.granularity = Granularity::kPerGroup,
                                                     .scales = {1, 10, 100, 1000},
                                                     .axis = 1,
                                                     .group_size = 2,
                                                     .code_min = -8,
                                                     .code_max = 7});
  const auto reader = graph.OpenWeights(kWeights);
  ASSERT_THAT(reader, Succeeds());
  ASSERT_NE(reader->quantization(), nullptr);
  std::vector<float> codes(6);
  reader->ReadCodes(2, codes);
  EXPECT_THAT(codes, ElementsAre(2, 3, -2, -1, 7, -8));
  std::vector<float> values(6);
  reader->Read(2, values);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(values[i], codes[i] * reader->quantization()->scales[reader->ScaleIndexOf(2 + i)]);
  }
  const ModelGraph floats = GraphOf(DType::kFloat32, {1}, std::string("\0\0\x80\x3f", 4));
  EXPECT_EQ(floats.OpenWeights(kWeights)->quantization(), nullptr);
}

TEST(WeightReader, ReadsScalesByGroupAlongAnyDimension) {
  const ModelQuantization along_rows{.granularity = Granularity::kPerGroup,
                                     .scales = {1, 10, 100, 1000},
                                     .axis = 1,
                                     .group_size = 2};
  const ModelGraph rows = GraphOf(DType::kUint8, {2, 3}, Counting(6), along_rows);
  EXPECT_THAT(*rows.ReadWeights(kWeights), ElementsAre(0, 1, 20, 300, 400, 5000));

  ModelQuantization down = along_rows;
  down.axis = 0;
  const ModelGraph columns = GraphOf(DType::kUint8, {3, 2}, Counting(6), down);
  EXPECT_THAT(*columns.ReadWeights(kWeights), ElementsAre(0, 10, 2, 30, 400, 5000));
  EXPECT_TRUE(rows.ViewOf(kWeights).has_value());
  EXPECT_FALSE(columns.ViewOf(kWeights).has_value());  // The tensor layer has no such groups.
}

TEST(WeightReader, AnyPartIsThatPartOfTheWhole) {
  const std::vector<ModelGraph> graphs = [] {
    std::vector<ModelGraph> all;
    all.push_back(GraphOf(DType::kInt4, {7, 9}, Counting(32),
                          ModelQuantization{.granularity = Granularity::kPerGroup,
                                            .scales = std::vector<float>(21, 0.5f),
                                            .axis = 1,
                                            .group_size = 4}));
    all.push_back(GraphOf(DType::kUint2, {63}, Counting(16)));
    all.push_back(GraphOf(DType::kFloat8E5m2, {63}, Counting(63)));
    all.push_back(GraphOf(DType::kBfloat16, {7, 9}, Counting(126)));
    all.push_back(GraphOf(DType::kQ8_0, {2, 32}, Counting(68)));
    return all;
  }();
  for (const ModelGraph& graph : graphs) {
    const std::vector<float> whole = *graph.ReadWeights(kWeights);
    const Result<WeightReader> reader = graph.OpenWeights(kWeights);
    ASSERT_THAT(reader, Succeeds());
    for (std::size_t first = 0; first <= whole.size(); ++first) {
      for (std::size_t count = 0; first + count <= whole.size(); ++count) {
        std::vector<float> part(count);
        reader->Read(first, part);
        ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(first)))
            << NameOf(graph.tensor(kWeights).type) << " " << first << " " << count;
      }
    }
  }
}

TEST(WeightReader, AgreesWithTheTensorLayer) {
  const ModelGraph graph = GraphOf(DType::kInt16, {2, 4}, Counting(16),
                                   ModelQuantization{.granularity = Granularity::kPerChannel,
                                                     .scales = {0.1f, 0.3f, 0.7f, 1.9f},
                                                     .zero_points = {1, 2, 3, 4},
                                                     .axis = 1});
  const std::optional<TensorView> view = graph.ViewOf(kWeights);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(*tensor::ToFloats(*view), *graph.ReadWeights(kWeights));
}

TEST(WeightReader, RepeatsTheLastStoredElement) {
  const std::vector<float> stored = {1, 2};
  const ModelGraph graph = GraphOf(DType::kFloat32, {2, 2},
                                   std::string(AsText(std::as_bytes(std::span(stored)))), {}, true);
  EXPECT_THAT(*graph.ReadWeights(kWeights), ElementsAre(1, 2, 2, 2));
  EXPECT_FALSE(graph.ViewOf(kWeights).has_value());
}

TEST(WeightReader, MillionsOfRepeatedElementsNeedNoMemoryUntilTheyAreRead) {
  const ModelGraph graph = GraphOf(DType::kInt8, {std::int64_t{1} << 50}, "\x07", {}, true);
  const Result<WeightReader> reader = graph.OpenWeights(kWeights);
  ASSERT_THAT(reader, Succeeds());
  std::vector<float> part(3);
  reader->Read((std::size_t{1} << 50) - 3, part);
  EXPECT_THAT(part, ElementsAre(7, 7, 7));
  EXPECT_THAT(graph.ReadWeights(kWeights), FailsWith(ErrorCode::kResourceExhausted));
}

TEST(WeightReader, RefusesWhatIsNoNumberOrNotInTheFile) {
  const ModelGraph strings = GraphOf(DType::kString, {2}, "");
  EXPECT_THAT(strings.OpenWeights(kWeights),
              FailsSaying(ErrorCode::kInvalidArgument, "does not contain real numbers"));
  GraphAssembler graph(ModelFormat::kOnnx, MappedFile::FromMemory("", "model"));
  graph.Tensor("x");
  EXPECT_THAT(graph.Finish()->OpenWeights(TensorId{0}),
              FailsSaying(ErrorCode::kInvalidArgument, "computed at run time"));
}

TEST(SmallFloats, HaveTheValuesOfTheirStandards) {
  EXPECT_EQ(Float8E4m3fnToFloat(0x7E), 448.f);
  EXPECT_EQ(Float8E4m3fnToFloat(0x01), 0x1p-9f);
  EXPECT_TRUE(std::isnan(Float8E4m3fnToFloat(0xFF)));
  EXPECT_EQ(Float8E5m2ToFloat(0x7B), 57344.f);
  EXPECT_EQ(Float8E5m2ToFloat(0xFC), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(Float8E4m3fnuzToFloat(0x7F), 240.f);
  EXPECT_TRUE(std::isnan(Float8E5m2fnuzToFloat(0x80)));
  EXPECT_EQ(Float8E8m0ToFloat(127), 1.f);
  EXPECT_EQ(Float4E2m1ToFloat(0x7), 6.f);
  EXPECT_EQ(Float4E2m1ToFloat(0x9), -0.5f);
}

TEST(ModelQuantization, CountsTheBitsOfItsCodes) {
  EXPECT_EQ((ModelQuantization{.code_min = -127, .code_max = 127}.bits()), 8);
  EXPECT_EQ((ModelQuantization{.code_min = -128, .code_max = 127}.bits()), 8);
  EXPECT_EQ((ModelQuantization{.code_min = 0, .code_max = 15}.bits()), 4);
  EXPECT_EQ((ModelQuantization{.code_min = 1, .code_max = 255}.bits()), 8);
}

}  // namespace
}  // namespace cboard::model
