#include "compare/blame/switch_board.h"

#include <gmock/gmock.h>

#include "cboard/tensor/convert.h"
#include "compare/testing/test_towers.h"

namespace cboard::compare {
namespace {

using ::testing::ElementsAreArray;
using ::testing::Pointwise;
using ::testing::SizeIs;
using testing::Succeeds;

class SwitchBoardTest : public TowerTest {
 protected:
  void SetUp() override {
    TowerTest::SetUp();
    if (IsSkipped()) return;
    std::vector<float> scales = FineScales();
    scales[2] = 0.5f;
    Write("variant.onnx", Tower(scales).Bytes());
    auto baseline = model::OpenModel(folder_ / "float.onnx");
    auto variant = model::OpenModel(folder_ / "variant.onnx");
    ASSERT_THAT(baseline, Succeeds());
    ASSERT_THAT(variant, Succeeds());
    baseline_ = *std::move(baseline);
    variant_ = *std::move(variant);
    parts_ = FindSwitchedParts(*baseline_, *variant_, {}, {});
    ASSERT_THAT(parts_, SizeIs(kStages));
    auto board = SwitchBoard::Open(*baseline_, *variant_, parts_, {"y"}, 1 << 20);
    ASSERT_THAT(board, Succeeds());
    board_.emplace(*std::move(board));
  }

  std::vector<float> Run(const Settings& settings) const {
    const runtime::NamedTensor input{"x", TensorView(x_, shape_)};
    const auto result = board_->Run({&input, 1}, settings);
    EXPECT_THAT(result, Succeeds());
    return *tensor::ToFloats(*result->Find("y"));
  }

  std::vector<float> OutputOf(const std::string& file) const {
    const auto model = runtime::ModelCapture::Open(folder_ / file);
    EXPECT_THAT(model, Succeeds());
    const runtime::NamedTensor input{"x", TensorView(x_, shape_)};
    const auto result = model->Run({&input, 1});
    EXPECT_THAT(result, Succeeds());
    return *tensor::ToFloats(*result->Find("y"));
  }

  const std::vector<std::int64_t> shape_ = {1, kWidth};
  const std::vector<float> x_ = Gaussian(kWidth, 5, 1);
  std::optional<model::ModelGraph> baseline_, variant_;
  std::vector<SwitchedPart> parts_;
  std::optional<SwitchBoard> board_;
};

TEST_F(SwitchBoardTest, GivesTheCompressedModelAsItIs) {
  EXPECT_THAT(Run(board_->AllOf(PartState::kAsIs)), ElementsAreArray(OutputOf("variant.onnx")));
}

TEST_F(SwitchBoardTest, GivesTheBaselineWithAllPartsInFloat) {
  EXPECT_THAT(Run(board_->AllOf(PartState::kFloat)),
              Pointwise(::testing::FloatEq(), OutputOf("float.onnx")));
}

// The same session, other flags: only the coarse quantizer is left.
TEST_F(SwitchBoardTest, SwitchesOnePartAlone) {
  const std::vector<float> exact = Run(board_->AllOf(PartState::kFloat));
  Settings settings = board_->AllOf(PartState::kFloat);
  settings[2].state = PartState::kAsIs;
  const std::vector<float> rounded = Run(settings);
  float largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, std::abs(exact[i] - rounded[i]));
  }
  EXPECT_GT(largest, 0.02f);
  EXPECT_LT(largest, 0.5f);
}

TEST_F(SwitchBoardTest, GivesTheSameWithoutTrials) {
  const auto faster = board_->OpenWithoutTrials(*baseline_, {"y"});
  ASSERT_THAT(faster, Succeeds());
  Settings settings = board_->AllOf(PartState::kFloat);
  settings[2].state = PartState::kAsIs;
  const std::vector<float> expected = Run(settings);
  const runtime::NamedTensor input{"x", TensorView(x_, shape_)};
  const auto result = faster->Run({&input, 1}, settings);
  ASSERT_THAT(result, Succeeds());
  EXPECT_THAT(*tensor::ToFloats(*result->Find("y")), ElementsAreArray(expected));
}

TEST_F(SwitchBoardTest, TriesOtherCodes) {
  Settings settings = board_->AllOf(PartState::kFloat);
  settings[2].state = PartState::kTrial;
  settings[2].grid = std::make_shared<const TrialGrid>(
      TrialGrid{.scales = {1e-5f}, .shape = {}, .low = -1e6f, .high = 1e6f});
  EXPECT_THAT(Run(settings), Pointwise(::testing::FloatNear(1e-4f), OutputOf("float.onnx")));
  settings[2].grid =
      std::make_shared<const TrialGrid>(TrialGrid{.scales = {1}, .shape = {}, .low = 0, .high = 0});
  EXPECT_THAT(Run(settings), ElementsAreArray(std::vector<float>(kWidth, 0)));
}

}  // namespace
}  // namespace cboard::compare
