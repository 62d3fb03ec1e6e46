#include "cboard/quantize/model_quantizer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "quantize/planning/make_plan.h"
#include "quantize/quantizer_state.h"
#include "quantize/testing/test_models.h"
#include "quantize/writing/quantized_graph.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::quantize {
namespace {

using testing::FailsSaying;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Succeeds;

class ModelQuantizerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = runtime::FindRuntime(); !found) GTEST_SKIP() << found.error().message;
    Write("m.onnx", ResidualNet().Bytes());
    Write("x.npy", Images(32));
    options_.data = folder_ / "x.npy";
    options_.target = Target::kOrtCpu;
  }

  void Write(std::string_view name, const std::string& content) {
    ASSERT_THAT(WriteFileAtomically(folder_ / name, content), Succeeds());
  }
  std::string Read(std::string_view name) { return *ReadFile(folder_ / name); }

  Result<QuantizeReport> Quantize() {
    return QuantizeFile(folder_ / "m.onnx", folder_ / "q.onnx", options_);
  }

  testing::TempDir folder_;
  QuantizeOptions options_;
};

TEST_F(ModelQuantizerTest, WritesAModelThatOnnxRuntimeRunsInIntegers) {
  const auto report = Quantize();
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->unfused, IsEmpty());
  EXPECT_EQ(report->samples, 24u);
  EXPECT_TRUE(report->quality.is_held_out);
  ASSERT_EQ(report->quality.heads.size(), 1u);
  EXPECT_GT(report->quality.heads[0].sqnr_db, 25);
}

TEST_F(ModelQuantizerTest, GivesTheSameBytesWithAnyNumberOfThreads) {
  options_.threads = 1;
  ASSERT_THAT(Quantize(), Succeeds());
  const std::string one = Read("q.onnx");
  options_.threads = 5;
  ASSERT_THAT(Quantize(), Succeeds());
  EXPECT_EQ(one, Read("q.onnx"));
}

TEST_F(ModelQuantizerTest, WritesAChangedPlanFromTheSameStatistics) {
  const auto model = ModelQuantizer::Open(folder_ / "m.onnx", options_);
  ASSERT_THAT(model, Succeeds());
  ASSERT_THAT((*model)->Calibrate(), Succeeds());
  Plan plan = (*model)->MakePlan();
  const auto quantized = (*model)->Measure(plan);
  ASSERT_THAT(quantized, Succeeds());
  for (auto& [output, node] : plan.nodes) node.is_quantized = false;
  const auto all_float = (*model)->Measure(plan);
  ASSERT_THAT(all_float, Succeeds());
  EXPECT_LT(quantized->MinSqnrDb(), 80);
  EXPECT_GT(all_float->MinSqnrDb(), 100);
}

TEST_F(ModelQuantizerTest, KeepsPairsOfWeightsBelowTheLimitOfVpmaddubsw) {
  const auto model = ModelQuantizer::Open(folder_ / "m.onnx", options_);
  ASSERT_THAT(model, Succeeds());
  ASSERT_THAT((*model)->Calibrate(), Succeeds());
  const Plan plan = (*model)->MakePlan();
  for (const auto& [output, weight] : plan.weights) {
    const Constant& constant = *(*model)->state().graph.FindConstant(weight.constant);
    const std::vector<std::int8_t> codes = QuantizeWeight(constant, weight);
    const std::size_t row = codes.size() / weight.scales.size();
    if (weight.axis != 0) continue;
    for (std::size_t i = 0; i < weight.scales.size(); ++i) {
      std::vector<int> magnitudes;
      for (std::size_t k = 0; k < row; ++k) magnitudes.push_back(std::abs(codes[i * row + k]));
      std::ranges::sort(magnitudes, std::greater<>());
      EXPECT_LE(255 * (magnitudes[0] + magnitudes[1]), 32767) << output << " channel " << i;
    }
  }
}

TEST_F(ModelQuantizerTest, NamesTheSampleThatIsNotFinite) {
  std::vector<float> values = NormalValues(4 * 192, 1, 1.0f);
  values[300] = std::numeric_limits<float>::quiet_NaN();
  Write("x.npy", testing::Npy<float>("<f4", "(4, 3, 8, 8)", values));
  EXPECT_THAT(Quantize(), FailsSaying(ErrorCode::kInvalidArgument,
                                      "sample 1 contains NaN or infinity in input 'image'"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "q.onnx"));
}

TEST_F(ModelQuantizerTest, RefusesSamplesThatAreAllZero) {
  Write("x.npy", testing::Npy<float>("<f4", "(4, 3, 8, 8)", std::vector<float>(4 * 192)));
  EXPECT_THAT(Quantize(), FailsSaying(ErrorCode::kInvalidArgument, "all samples are zero"));
}

TEST_F(ModelQuantizerTest, WarnsOfRangesFromOneSample) {
  Write("x.npy", Images(1));
  const auto report = Quantize();
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(report->quality.is_held_out);
  EXPECT_THAT(report->notes, ::testing::Contains(HasSubstr("one sample")));
}

TEST_F(ModelQuantizerTest, SaysThatTheShapeOfSamplesIsWrong) {
  Write("x.npy", testing::Npy<float>("<f4", "(4, 3, 9, 9)", NormalValues(4 * 243, 1)));
  EXPECT_THAT(Quantize(), FailsSaying(ErrorCode::kInvalidArgument, "image"));
}

TEST_F(ModelQuantizerTest, LeavesNoFileWhereItCannotWrite) {
  const auto report =
      QuantizeFile(folder_ / "m.onnx", folder_ / "missing" / "folder" / "q.onnx", options_);
  EXPECT_THAT(report, FailsSaying(ErrorCode::kNotFound, "q.onnx"));
}

}  // namespace
}  // namespace cboard::quantize
