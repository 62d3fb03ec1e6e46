#include "quantize/algorithms/scale_migration.h"

#include <gmock/gmock.h>

#include "quantize/quantizer_state.h"
#include "quantize/testing/test_models.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::quantize {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::OnnxBuilder;
using testing::Succeeds;

constexpr std::size_t kWidth = 16;

// Returns values of [kWidth, kWidth] with column or row 3 multiplied.
std::vector<float> Matrix(unsigned seed, float column_factor, float row_factor) {
  std::vector<float> values = NormalValues(kWidth * kWidth, seed);
  for (std::size_t i = 0; i < kWidth; ++i) {
    values[i * kWidth + 3] *= column_factor;
    values[3 * kWidth + i] *= row_factor;
  }
  return values;
}

// Channel 3 before the second layer is 60 times as large as the others, and the second layer
// multiplies it by 1/60.
OnnxBuilder OutlierNet(bool is_normalization) {
  OnnxBuilder builder;
  builder.Input("x", {-1, kWidth});
  if (is_normalization) {
    std::vector<float> gain(kWidth, 1.0f);
    gain[3] = 60;
    builder.Weight("gain", {kWidth}, gain).Node("Mul", {"x", "gain"}, {"a"}, {}, "norm");
  } else {
    builder.Weight("w1", {kWidth, kWidth}, Matrix(1, 60, 1))
        .Node("MatMul", {"x", "w1"}, {"m1"}, {}, "first")
        .Node("Relu", {"m1"}, {"a"}, {}, "relu");
  }
  builder.Weight("w2", {kWidth, kWidth}, Matrix(2, 1, 1.0f / 60))
      .Weight("w3", {kWidth, 4}, NormalValues(kWidth * 4, 3))
      .Node("MatMul", {"a", "w2"}, {"m2"}, {}, "second")
      .Node("Relu", {"m2"}, {"r2"}, {}, "relu2")
      .Node("MatMul", {"r2", "w3"}, {"y"}, {}, "third")
      .Output("y", {-1, 4});
  return builder;
}

class ScaleMigrationTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (const auto found = runtime::FindRuntime(); !found) GTEST_SKIP() << found.error().message;
    ASSERT_THAT(WriteFileAtomically(folder_ / "m.onnx", OutlierNet(GetParam()).Bytes()),
                Succeeds());
    const std::string samples =
        testing::Npy<float>("<f4", "(32, 16)", NormalValues(32 * kWidth, 9, 1.0f));
    ASSERT_THAT(WriteFileAtomically(folder_ / "x.npy", samples), Succeeds());
    options_.data = folder_ / "x.npy";
    options_.repair = false;
  }

  Result<QuantizeReport> Quantize() {
    return QuantizeFile(folder_ / "m.onnx", folder_ / "q.onnx", options_);
  }

  testing::TempDir folder_;
  QuantizeOptions options_;
};

TEST_P(ScaleMigrationTest, KeepsTheFunctionOfTheModel) {
  const auto model = ModelQuantizer::Open(folder_ / "m.onnx", options_);
  ASSERT_THAT(model, Succeeds());
  ASSERT_THAT((*model)->Calibrate(), Succeeds());
  ModelQuantizer::State& state = (*model)->state();
  Plan in_float = (*model)->MakePlan();
  for (auto& [output, node] : in_float.nodes) node.is_quantized = false;
  ASSERT_THAT((*model)->Measure(in_float), Succeeds());  // The outputs of the float model.
  const auto layers = PlanMigration(
      state.graph, state.placement, (*model)->statistics(),
      {.kind = GetParam() ? Migration::kSmooth : Migration::kEqualize, .excluded = {"r2"}});
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].gain.layer, "second");
  EXPECT_GT(layers[0].gain.after_db, layers[0].gain.before_db + 5);
  Migrate(layers[0], state.placement, state.graph, state.calibration.statistics);
  const auto quality = (*model)->Measure(in_float);
  ASSERT_THAT(quality, Succeeds());
  EXPECT_GT(quality->heads[0].sqnr_db, 110);
}

TEST_P(ScaleMigrationTest, IsKeptWhereItHelpsAndNamesTheLayers) {
  options_.equalize = options_.smooth = false;
  const auto without = Quantize();
  ASSERT_THAT(without, Succeeds());
  options_.equalize = options_.smooth = true;
  const auto with = Quantize();
  ASSERT_THAT(with, Succeeds());
  EXPECT_GT(with->quality.MeanSqnrDb(), without->quality.MeanSqnrDb() + 3);
  const auto tried = std::ranges::find_if(
      with->tried, [](const TriedChoice& choice) { return !choice.layers.empty(); });
  ASSERT_NE(tried, with->tried.end());
  EXPECT_TRUE(tried->is_kept);
  EXPECT_THAT(tried->name, HasSubstr(GetParam() ? "SmoothQuant" : "equalization"));
}

TEST_P(ScaleMigrationTest, HelpsWeightsOf4Bits) {
  if (!GetParam()) GTEST_SKIP() << "AWQ moves scales behind normalizations";
  options_.precision = Precision::kW4A16;
  options_.block_size = 16;
  const auto report = Quantize();
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->tried, Contains(::testing::Field(&TriedChoice::name, HasSubstr("AWQ"))));
}

INSTANTIATE_TEST_SUITE_P(Migrations, ScaleMigrationTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Smooth" : "Equalize"; });

}  // namespace
}  // namespace cboard::quantize
