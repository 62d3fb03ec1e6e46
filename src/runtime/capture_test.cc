#include "cboard/runtime/capture.h"

#include <gmock/gmock.h>

#include "cboard/base/file.h"
#include "cboard/tensor/convert.h"
#include "runtime/testing/npy_builder.h"
#include "runtime/testing/onnx_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::runtime {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::OnnxBuilder;
using testing::Succeeds;

class CaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = FindRuntime(); !found) GTEST_SKIP() << found.error().message;
    Write("m.onnx", OnnxBuilder::TwoLayers().Bytes());
    Write("x.npy", testing::Npy<float>("<f4", "(3, 2)", {1, -1, 0.5f, 2, 0, 0}));
  }

  void Write(std::string_view name, const std::string& content) {
    ASSERT_THAT(WriteFileAtomically(folder_ / name, content), Succeeds());
  }

  testing::TempDir folder_;
};

TEST_F(CaptureTest, EveryNodesOutputComesWithEverySample) {
  const auto model = ModelCapture::Open(folder_ / "m.onnx");
  ASSERT_THAT(model, Succeeds());
  EXPECT_THAT(model->tensors(), ElementsAre("hidden", "y"));
  const auto samples = OpenSamples(folder_ / "x.npy", model->session().inputs(), {});
  ASSERT_THAT(samples, Succeeds());
  const ModelCapture* models[] = {&*model, &*model};
  std::vector<std::vector<double>> hidden;
  std::vector<std::pair<std::size_t, std::size_t>> heard;
  const auto summary = CaptureSamples(
      **samples, models,
      [&](const CapturedSample& sample) -> Result<void> {
        EXPECT_EQ(sample.index, hidden.size());
        EXPECT_EQ(sample.results.size(), 2u);
        hidden.push_back(*tensor::ToDoubles(*sample.results[1].Find("hidden")));
        return {};
      },
      [&](std::size_t done, std::size_t total) {
        heard.emplace_back(done, total);
        return true;
      });
  ASSERT_THAT(summary, Succeeds());
  EXPECT_EQ(summary->samples, 3u);
  EXPECT_EQ(summary->source, "x.npy");
  EXPECT_FALSE(summary->is_generated);
  EXPECT_THAT(hidden, ElementsAre(ElementsAre(-2, -2), ElementsAre(6.5, 9), ElementsAre(0, 0)));
  EXPECT_THAT(heard, ElementsAre(std::pair(1, 3), std::pair(2, 3), std::pair(3, 3)));
}

TEST_F(CaptureTest, ChosenTensorsComeAlone) {
  const auto model = ModelCapture::Open(folder_ / "m.onnx", {.tensors = {{"hidden"}}});
  ASSERT_THAT(model, Succeeds());
  const auto samples = OpenSamples("", model->session().inputs(), {.max_samples = 1});
  const auto inputs = (*samples)->Read(0);
  const auto result = model->Run(*inputs);
  ASSERT_THAT(result, Succeeds());
  EXPECT_EQ(result->tensors().size(), 1u);
  EXPECT_THAT(ModelCapture::Open(folder_ / "m.onnx", {.tensors = {{"conv9"}}}),
              FailsSaying(ErrorCode::kNotFound, "conv9"));
}

TEST_F(CaptureTest, OptimizationsDoNotChangeWhatIsCaptured) {
  const auto model = ModelCapture::Open(folder_ / "m.onnx", {.session = {.optimize = true}});
  ASSERT_THAT(model, Succeeds());
  const auto samples = OpenSamples(folder_ / "x.npy", model->session().inputs(), {});
  const auto inputs = (*samples)->Read(1);
  EXPECT_THAT(*tensor::ToDoubles(*model->Run(*inputs)->Find("hidden")), ElementsAre(6.5, 9));
}

// x [n, 2] -> MatMul -> "hidden" -> Relu -> "y". The weight consists of codes with a scale per
// column.
OnnxBuilder DequantizingColumns() {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .Constant<std::int8_t>("codes", {2, 2}, OnnxBuilder::kInt8, {10, 4, 30, 8})
      .Constant<std::int8_t>("zeros", {2}, OnnxBuilder::kInt8, {0, 0})
      .Weight("scales", {2}, {0.1f, 0.5f})
      .Node("DequantizeLinear", {"codes", "scales", "zeros"}, {"w"},
            OnnxBuilder::IntAttribute("axis", 1))
      .Node("MatMul", {"x", "w"}, {"hidden"})
      .Node("Relu", {"hidden"}, {"y"})
      .Output("y", {-1, 2});
  return builder;
}

TEST_F(CaptureTest, WeightsAreDequantizedOnceAndGivenOutAsTheyAre) {
  Write("codes.onnx", DequantizingColumns().Bytes());
  const auto once = ModelCapture::Open(folder_ / "codes.onnx");
  const auto again = ModelCapture::Open(folder_ / "codes.onnx", {.max_constant_bytes = 0});
  ASSERT_THAT(once, Succeeds());
  ASSERT_THAT(again, Succeeds());
  EXPECT_THAT(once->tensors(), ElementsAre("w", "hidden", "y"));
  EXPECT_EQ(once->tensors(), again->tensors());
  ASSERT_EQ(once->session().inputs().size(), 1u);  // As the file says.
  EXPECT_EQ(once->session().inputs()[0].name, "x");
  const auto samples = OpenSamples(folder_ / "x.npy", once->session().inputs(), {});
  const auto inputs = (*samples)->Read(1);
  const auto first = once->Run(*inputs), second = once->Run(*inputs), other = again->Run(*inputs);
  ASSERT_THAT(first, Succeeds());
  ASSERT_THAT(other, Succeeds());
  EXPECT_EQ(first->Find("w")->data, second->Find("w")->data);
  EXPECT_NE(first->Find("y")->data, second->Find("y")->data);
  EXPECT_NE(other->Find("w")->data, again->Run(*inputs)->Find("w")->data);
  for (const std::string& name : once->tensors()) {
    EXPECT_EQ(*tensor::ToDoubles(*first->Find(name)), *tensor::ToDoubles(*other->Find(name)))
        << name;
  }
}

TEST_F(CaptureTest, ADequantizedWeightMayBeAllThatIsCaptured) {
  Write("codes.onnx", DequantizingColumns().Bytes());
  const auto model = ModelCapture::Open(folder_ / "codes.onnx", {.tensors = {{"w"}}});
  ASSERT_THAT(model, Succeeds());
  const auto samples = OpenSamples(folder_ / "x.npy", model->session().inputs(), {});
  EXPECT_THAT(*tensor::ToDoubles(*model->Run(*(*samples)->Read(0))->Find("w")),
              ElementsAre(10 * 0.1f, 2, 30 * 0.1f, 4));
}

TEST_F(CaptureTest, EditsComeBeforeWeightsAreDequantized) {
  Write("codes.onnx", DequantizingColumns().Bytes());
  const auto model = ModelCapture::Open(folder_ / "codes.onnx",
                                        {.edits = {.constants = {{"w", {2, 2}, {1, 2, 3, 4}}}}});
  ASSERT_THAT(model, Succeeds());
  const auto samples = OpenSamples(folder_ / "x.npy", model->session().inputs(), {});
  EXPECT_THAT(*tensor::ToDoubles(*model->Run(*(*samples)->Read(1))->Find("hidden")),
              ElementsAre(6.5, 9));
}

TEST_F(CaptureTest, StopsWhenToldToAndWhenTheVisitorFails) {
  const auto model = ModelCapture::Open(folder_ / "m.onnx");
  ASSERT_THAT(model, Succeeds());
  const auto samples = OpenSamples("", model->session().inputs(), {.max_samples = 9});
  const ModelCapture* models[] = {&*model};
  const auto ignore = [](const CapturedSample&) -> Result<void> { return {}; };
  const auto stopped = CaptureSamples(**samples, models, ignore,
                                      [](std::size_t done, std::size_t) { return done < 2; });
  ASSERT_THAT(stopped, Succeeds());
  EXPECT_EQ(stopped->samples, 2u);
  EXPECT_TRUE(stopped->is_stopped);
  EXPECT_TRUE(stopped->is_generated);
  EXPECT_THAT(CaptureSamples(**samples, models,
                             [](const CapturedSample&) -> Result<void> {
                               return Fail(ErrorCode::kUnavailable, "enough");
                             }),
              FailsSaying(ErrorCode::kUnavailable, "enough"));
}

TEST_F(CaptureTest, WeightsInFilesOfTheirOwnAreReadWhereTheyLie) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .ExternalWeight("w", {2, 2}, "weights.bin")
      .Node("MatMul", {"x", "w"}, {"hidden"})
      .Node("Relu", {"hidden"}, {"y"})
      .Output("y", {-1, 2});
  Write("external.onnx", builder.Bytes());
  EXPECT_THAT(ModelCapture::Open(folder_ / "external.onnx"),
              FailsSaying(ErrorCode::kNotFound, "weights.bin"));
  const std::vector<float> w = {1, 2, 3, 4};
  Write("weights.bin", std::string(reinterpret_cast<const char*>(w.data()), 16));
  const auto model = ModelCapture::Open(folder_ / "external.onnx");
  ASSERT_THAT(model, Succeeds());
  const auto samples = OpenSamples(folder_ / "x.npy", model->session().inputs(), {});
  const auto inputs = (*samples)->Read(1);
  EXPECT_THAT(*tensor::ToDoubles(*model->Run(*inputs)->Find("hidden")), ElementsAre(6.5, 9));
  // Nothing was left behind.
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    files += entry.is_regular_file() ? 1u : 0u;
  }
  EXPECT_EQ(files, 4u);
}

TEST_F(CaptureTest, ALinkOutOfTheFolderIsRefused) {
  const testing::TempDir elsewhere;
  ASSERT_THAT(WriteFileAtomically(elsewhere / "secret", std::string(16, 'x')), Succeeds());
  OnnxBuilder builder;
  builder.ExternalWeight("w", {2, 2}, "link").Node("Relu", {"w"}, {"y"}).Output("y", {2, 2});
  Write("m2.onnx", builder.Bytes());
  std::filesystem::create_symlink(elsewhere / "secret", folder_ / "link");
  EXPECT_THAT(ModelCapture::Open(folder_ / "m2.onnx"),
              FailsSaying(ErrorCode::kPermissionDenied, "is outside of"));
}

TEST_F(CaptureTest, FilesThatAreNoModelsAreNamed) {
  EXPECT_THAT(ModelCapture::Open(folder_ / "x.npy"),
              ::testing::AnyOf(FailsSaying(ErrorCode::kDataLoss, "x.npy"),
                               FailsSaying(ErrorCode::kInvalidArgument, "x.npy")));
  EXPECT_THAT(ModelCapture::Open(folder_ / "none.onnx"), FailsWith(ErrorCode::kNotFound));
  // An error about an input of the second model names the sample.
  const auto model = ModelCapture::Open(folder_ / "m.onnx");
  const std::vector<ModelValue> other = {
      {.name = "z", .dtype = DType::kFloat32, .type = "float32", .shape = {1, 2}}};
  const auto samples = OpenSamples("", other, {});
  const ModelCapture* models[] = {&*model};
  EXPECT_THAT(
      CaptureSamples(**samples, models, [](const CapturedSample&) -> Result<void> { return {}; }),
      FailsSaying(ErrorCode::kInvalidArgument, "sample 0: input 'x'"));
}

}  // namespace
}  // namespace cboard::runtime
