#include "cboard/quantize/model_quantizer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "quantize/planning/make_plan.h"
#include "quantize/quantizer_state.h"
#include "quantize/testing/test_models.h"
#include "quantize/writing/weight_codes.h"
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
  options_.repair = false;  // The outputs of noise are close together: some would stay float.
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

TEST_F(ModelQuantizerTest, StoresWeightsIn8BitsWhereActivationsStayFloat) {
  const auto model = ModelQuantizer::Open(folder_ / "m.onnx", options_);
  ASSERT_THAT(model, Succeeds());
  ASSERT_THAT((*model)->Calibrate(), Succeeds());
  Plan plan = (*model)->MakePlan();
  for (auto& [tensor, activation] : plan.activations) activation.is_float = true;
  const auto weights_only = (*model)->Measure(plan);
  ASSERT_THAT(weights_only, Succeeds());
  EXPECT_GT(weights_only->MinSqnrDb(), 30);
  const auto bytes = (*model)->Write(plan);
  ASSERT_THAT(bytes, Succeeds());
  const auto graph = ParseGraph(*bytes, "q.onnx");
  ASSERT_THAT(graph, Succeeds());
  std::size_t weight_count = 0;
  for (const auto& [name, constant] : graph->constants) {
    if (constant.shape.size() < 2) continue;
    EXPECT_EQ(constant.element_type, kInt8) << name;
    ++weight_count;
  }
  EXPECT_EQ(weight_count, 3u);
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

// The model: features [n, 64] -> MatMul, Add, Relu -> Gemm -> scores [n, 6].
testing::OnnxBuilder Perceptron() {
  testing::OnnxBuilder builder;
  builder.Input("x", {-1, 64})
      .Weight("w1", {64, 48}, NormalValues(64 * 48, 1))
      .Weight("b1", {48}, NormalValues(48, 2))
      .Weight("w2", {6, 48}, NormalValues(6 * 48, 3))
      .Weight("b2", {6}, NormalValues(6, 4))
      .Node("MatMul", {"x", "w1"}, {"m"}, {}, "first")
      .Node("Add", {"m", "b1"}, {"a"}, {}, "bias")
      .Node("Relu", {"a"}, {"r"}, {}, "relu")
      .Node("Gemm", {"r", "w2", "b2"}, {"y"}, testing::OnnxBuilder::IntAttribute("transB", 1),
            "second")
      .Output("y", {-1, 6});
  return builder;
}

struct PrecisionCase {
  Precision precision;
  double min_sqnr_db;
  double max_size_ratio;
};

TEST_F(ModelQuantizerTest, WritesEveryPrecision) {
  Write("m.onnx", Perceptron().Bytes());
  Write("x.npy", testing::Npy<float>("<f4", "(64, 64)", NormalValues(64 * 64, 9, 1.0f)));
  options_.batch_size = 4;
  options_.gptq = true;
  for (const PrecisionCase& expected :
       {PrecisionCase{Precision::kW8A8, 30, 0.6}, PrecisionCase{Precision::kW8A16, 40, 0.5},
        PrecisionCase{Precision::kW4A16, 15, 0.4}, PrecisionCase{Precision::kW4A8, 15, 0.4},
        PrecisionCase{Precision::kDynamic, 30, 0.5}, PrecisionCase{Precision::kHalf, 60, 0.6}}) {
    options_.precision = expected.precision;
    const auto report = Quantize();
    ASSERT_THAT(report, Succeeds()) << NameOf(expected.precision);
    EXPECT_GT(report->quality.MinSqnrDb(), expected.min_sqnr_db) << NameOf(expected.precision);
    const double ratio =
        static_cast<double>(report->file.bytes) / static_cast<double>(report->file.baseline_bytes);
    EXPECT_LT(ratio, expected.max_size_ratio) << NameOf(expected.precision);
  }
}

TEST_F(ModelQuantizerTest, GivesEachGroupOfAConvTransposeItsOwnScale) {
  std::vector<float> weight = NormalValues(4 * 9, 1);
  for (std::size_t i = 0; i < 9; ++i) weight[i] *= 1000;
  testing::OnnxBuilder builder;
  builder.Input("x", {1, 4, 6, 6})
      .Weight("w", {4, 1, 3, 3}, weight)
      .Node("ConvTranspose", {"x", "w"}, {"y"}, testing::OnnxBuilder::IntAttribute("group", 4),
            "up")
      .Output("y", {1, 4, 8, 8});
  Write("m.onnx", builder.Bytes());
  Write("x.npy", testing::Npy<float>("<f4", "(16, 4, 6, 6)", NormalValues(16 * 144, 9, 1.0f)));
  const auto report = Quantize();
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->plan.weights.at("y").axis, 0);
  EXPECT_EQ(report->plan.weights.at("y").scales.size(), 4u);
  EXPECT_GT(report->quality.heads[0].channel_sqnr_db, 35);
}

TEST_F(ModelQuantizerTest, KeepsActivationsInFloatAtAnyCostIfTheOutputsAreOfNoUseOtherwise) {
  // The first feature is 2000 times as large as the others and does not matter. The model has a
  // single layer, so that its input is all of the multiplications.
  std::vector<float> values = NormalValues(32 * 64, 9, 1.0f), weight = NormalValues(6 * 64, 3);
  for (std::size_t i = 0; i < 32; ++i) values[i * 64] *= 2000;
  for (std::size_t i = 0; i < 6; ++i) weight[i * 64] = 0;
  testing::OnnxBuilder builder;
  builder.Input("x", {1, 64})
      .Weight("w", {6, 64}, weight)
      .Node("Gemm", {"x", "w"}, {"y"}, testing::OnnxBuilder::IntAttribute("transB", 1), "layer")
      .Output("y", {1, 6});
  Write("m.onnx", builder.Bytes());
  Write("x.npy", testing::Npy<float>("<f4", "(32, 64)", values));
  const auto report = Quantize();
  ASSERT_THAT(report, Succeeds());
  EXPECT_GT(report->quality.heads[0].channel_sqnr_db, 30);
  EXPECT_THAT(report->notes, ::testing::Contains(AllOf(HasSubstr("100 % of the multiplications"),
                                                       HasSubstr("--no-repair"))));
  options_.repair = false;
  const auto without = Quantize();
  ASSERT_THAT(without, Succeeds());
  EXPECT_LT(without->quality.heads[0].channel_sqnr_db, 10);
}

TEST_F(ModelQuantizerTest, CorrectsTheBiasOfConvolutionsBesideWeightsInBlocks) {
  options_.precision = Precision::kW8A16;
  const auto report = Quantize();
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->tried,
              ::testing::Contains(::testing::Field(&TriedChoice::name, "bias correction")));
  EXPECT_TRUE(report->plan.biases.empty() || report->plan.biases.contains("c2"));
  EXPECT_FALSE(report->plan.biases.contains("logits")) << "its weight is in blocks";
}

TEST_F(ModelQuantizerTest, CountsTheExternalDataOfTheFloatModel) {
  const auto model = ModelQuantizer::Open(folder_ / "m.onnx", options_);
  ASSERT_THAT(model, Succeeds());
  EXPECT_EQ((*model)->state().baseline_bytes, Read("m.onnx").size());
}

TEST_F(ModelQuantizerTest, NeverKeepsAChoiceThatMakesTheOutputsWorse) {
  const auto report = Quantize();
  ASSERT_THAT(report, Succeeds());
  ASSERT_THAT(report->tried, ::testing::Not(IsEmpty()));
  double best = report->tried[0].mean_sqnr_db;
  for (const TriedChoice& choice : report->tried) {
    if (choice.is_kept) best = std::max(best, choice.mean_sqnr_db);
  }
  EXPECT_EQ(report->quality.MeanSqnrDb(), best);
}

TEST_F(ModelQuantizerTest, HoldsOutSamplesOfAllKindsThatTakeTurns) {
  std::vector<float> values = NormalValues(32 * 192, 1, 1.0f);
  for (std::size_t i = 0; i < 32; ++i) values[i * 192] = static_cast<float>(i % 4);
  Write("x.npy", testing::Npy<float>("<f4", "(32, 3, 8, 8)", values));
  const auto model = ModelQuantizer::Open(folder_ / "m.onnx", options_);
  ASSERT_THAT(model, Succeeds());
  ASSERT_THAT((*model)->Calibrate(), Succeeds());
  std::map<float, std::size_t> kinds;
  const auto& held = (*model)->state().calibration.held_samples;
  ASSERT_EQ(held.size(), 8u);
  for (const HeldSample& sample : held) {
    ++kinds[static_cast<const float*>(sample.views()[0].tensor.data)[0]];
  }
  EXPECT_EQ(kinds.size(), 4u);
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
  EXPECT_THAT(Quantize(), FailsSaying(ErrorCode::kInvalidArgument, "values of all samples are 0"));
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
