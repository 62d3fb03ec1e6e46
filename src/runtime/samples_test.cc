#include "cboard/runtime/samples.h"

#include <gmock/gmock.h>
#include <spng.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cboard/base/file.h"
#include "cboard/tensor/convert.h"
#include "runtime/sample_sources.h"
#include "runtime/testing/npy_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::runtime {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::Npy;
using ::testing::Pointwise;
using testing::Succeeds;
using testing::Zip;

ModelValue Input(std::string name, DType dtype, std::vector<std::int64_t> shape) {
  return {.name = std::move(name),
          .dtype = dtype,
          .type = std::string(NameOf(dtype)),
          .shape = std::move(shape)};
}

class SamplesTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<SampleSource>> Open(std::string_view name, const std::string& content,
                                             std::vector<ModelValue> inputs,
                                             const SampleOptions& options = {}) {
    EXPECT_THAT(WriteFileAtomically(folder_ / name, content), Succeeds());
    return OpenSamples(folder_ / name, inputs, options);
  }

  static std::vector<double> ValuesOf(SampleSource& samples, std::size_t index,
                                      std::size_t input = 0) {
    const auto tensors = samples.Read(index);
    EXPECT_THAT(tensors, Succeeds());
    return *tensor::ToDoubles((*tensors)[input].tensor);
  }

  testing::TempDir folder_;
};

TEST_F(SamplesTest, TheFirstDimensionCountsSamples) {
  const std::string file = Npy<float>("<f4", "(3, 2)", {1, 2, 3, 4, 5, 6});
  const auto samples = Open("x.npy", file, {Input("image", DType::kFloat32, {-1, 2})});
  ASSERT_THAT(samples, Succeeds());
  EXPECT_EQ((*samples)->size(), 3u);
  EXPECT_EQ((*samples)->Description(), "x.npy");
  EXPECT_FALSE((*samples)->is_generated());
  const auto second = (*samples)->Read(1);
  EXPECT_EQ((*second)[0].name, "image");
  EXPECT_THAT((*second)[0].tensor.shape, ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf(**samples, 1), ElementsAre(3, 4));
}

TEST_F(SamplesTest, BatchesAreAsLargeAsTheModelOrTheCallerWants) {
  const std::string file = Npy<float>("<f4", "(5, 1)", {1, 2, 3, 4, 5});
  const auto fixed = Open("x.npy", file, {Input("x", DType::kFloat32, {2, 1})});
  ASSERT_THAT(fixed, Succeeds());
  EXPECT_EQ((*fixed)->size(), 2u);
  EXPECT_THAT(ValuesOf(**fixed, 1), ElementsAre(3, 4));
  const auto open = Open("x.npy", file, {Input("x", DType::kFloat32, {-1, 1})},
                         {.max_samples = 1, .batch_size = 3});
  EXPECT_EQ((*open)->size(), 1u);
  EXPECT_EQ((*fixed)->Description(), "x.npy");
  EXPECT_THAT(ValuesOf(**open, 0), ElementsAre(1, 2, 3));
}

TEST_F(SamplesTest, TheDescriptionTellsHowManySamplesOfAFileAreUsed) {
  const std::string file = Npy<float>("<f4", "(5, 1)", {1, 2, 3, 4, 5});
  const auto input = Input("x", DType::kFloat32, {1, 1});
  EXPECT_EQ((*Open("x.npy", file, {input}, {.max_samples = 2}))->Description(),
            "x.npy, the first 2 of 5");
  EXPECT_EQ((*Open("x.npy", file, {input}, {.max_samples = 9}))->Description(), "x.npy");
}

TEST_F(SamplesTest, WholeInputsAndSingleSamplesAreUnderstood) {
  const std::string whole = Npy<float>("<f4", "(2, 1, 2)", {1, 2, 3, 4});
  const auto inputs = Open("x.npy", whole, {Input("x", DType::kFloat32, {1, 2})});
  EXPECT_EQ((*inputs)->size(), 2u);
  const std::string single = Npy<float>("<f4", "(2,)", {7, 8});
  const auto one = Open("x.npy", single, {Input("x", DType::kFloat32, {-1, 2})});
  EXPECT_EQ((*one)->size(), 1u);
  EXPECT_THAT((*(*one)->Read(0))[0].tensor.shape, ElementsAre(1, 2));
}

TEST_F(SamplesTest, ArraysAreFoundByNameOrByOrder) {
  const std::vector<ModelValue> inputs = {Input("ids", DType::kInt64, {-1, 1}),
                                          Input("mask", DType::kFloat32, {-1, 1})};
  const std::string ids = Npy<std::int64_t>("<i8", "(1, 1)", {5});
  const std::string mask = Npy<float>("<f4", "(1, 1)", {0.5f});
  for (const auto& archive : {Zip({{"mask.npy", mask}, {"ids.npy", ids}}),
                              Zip({{"arr_0.npy", ids}, {"arr_1.npy", mask}}, true)}) {
    const auto samples = Open("x.npz", archive, inputs);
    ASSERT_THAT(samples, Succeeds());
    EXPECT_THAT(ValuesOf(**samples, 0, 0), ElementsAre(5));
    EXPECT_THAT(ValuesOf(**samples, 0, 1), ElementsAre(0.5));
  }
  EXPECT_THAT(Open("x.npz", Zip({{"ids.npy", ids}}), inputs),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "no array for input 'mask', float32 [?, 1]; the file has 'ids'"));
  const std::string two = Npy<float>("<f4", "(2, 1)", {1, 2});
  EXPECT_THAT(Open("x.npz", Zip({{"ids.npy", ids}, {"mask.npy", two}}), inputs),
              FailsSaying(ErrorCode::kInvalidArgument, "1 samples of 'ids' and 2 of 'mask'"));
}

TEST_F(SamplesTest, ASingleNumberIsForAllSamples) {
  const std::vector<ModelValue> inputs = {Input("rate", DType::kInt64, {}),
                                          Input("sound", DType::kFloat32, {-1, 2})};
  const std::string sound = Npy<float>("<f4", "(2, 2)", {1, 2, 3, 4});
  for (const char* shape : {"()", "(1,)"}) {
    const std::string rate = Npy<std::int64_t>("<i8", shape, {16000});
    const auto samples = Open("x.npz", Zip({{"rate.npy", rate}, {"sound.npy", sound}}), inputs);
    ASSERT_THAT(samples, Succeeds());
    ASSERT_EQ((*samples)->size(), 2u);
    EXPECT_THAT(ValuesOf(**samples, 1, 0), ElementsAre(16000));
    EXPECT_THAT(ValuesOf(**samples, 1, 1), ElementsAre(3, 4));
  }
}

TEST_F(SamplesTest, FloatsBecomeTheModelsFloats) {
  const std::string file = Npy<double>("<f8", "(1, 2)", {0.1, -2});
  const auto floats = Open("x.npy", file, {Input("x", DType::kFloat32, {-1, 2})});
  EXPECT_THAT(ValuesOf(**floats, 0), ElementsAre(static_cast<double>(0.1f), -2));
  const auto halves = Open("x.npy", file, {Input("x", DType::kFloat16, {-1, 2})});
  EXPECT_THAT(ValuesOf(**halves, 0), ElementsAre(0.0999755859375, -2));
  const auto integers =
      Open("x.npy", Npy<std::int32_t>("<i4", "(1, 1)", {-3}), {Input("x", DType::kInt64, {-1, 1})});
  EXPECT_THAT(ValuesOf(**integers, 0), ElementsAre(-3));
}

TEST_F(SamplesTest, DataThatDoesNotFitIsRefused) {
  const std::string bytes = Npy<std::uint8_t>("|u1", "(1, 2)", {1, 200});
  const auto as_float = Open("x.npy", bytes, {Input("x", DType::kFloat32, {-1, 2})});
  ASSERT_THAT(as_float, Succeeds());
  EXPECT_THAT((*as_float)->Read(0),
              FailsSaying(ErrorCode::kInvalidArgument, "uint8, but the model needs float32"));
  const auto as_int8 = Open("x.npy", bytes, {Input("x", DType::kInt8, {-1, 2})});
  EXPECT_THAT((*as_int8)->Read(0),
              FailsSaying(ErrorCode::kInvalidArgument, "outside of the range"));
  EXPECT_THAT(Open("x.npy", bytes, {Input("x", DType::kUint8, {-1, 3, 8, 8})}),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "is uint8 [1, 2], but the model needs uint8 [?, 3, 8, 8]"));
  EXPECT_THAT(
      Open("x.npy", Npy<float>("<f4", "(1, 2)", {1, 2}), {Input("x", DType::kFloat32, {2, 2})}),
      FailsSaying(ErrorCode::kInvalidArgument, "must be one sample"));
}

TEST(ConvertTo, HalvesAreTheNearest) {
  // Tests every half, and the middle between it and the next, which is rounded to the even one.
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float value = HalfToFloat(static_cast<std::uint16_t>(bits));
    const float next = HalfToFloat(static_cast<std::uint16_t>(bits + 1));
    const std::vector<float> three = {value, (value + next) / 2, -value};
    const auto halves = ConvertTo(DType::kFloat16, TensorView(three));
    ASSERT_THAT(halves, Succeeds());
    const auto* out = reinterpret_cast<const std::uint16_t*>(halves->elements.data());
    ASSERT_EQ(out[0], bits);
    ASSERT_EQ(out[1], (bits & 1) == 0 ? bits : bits + 1);
    ASSERT_EQ(out[2], bits | 0x8000);
  }
  const std::vector<float> large = {65519, 65520, std::nanf(""), 1e-30f};
  EXPECT_THAT(*tensor::ToDoubles(ConvertTo(DType::kFloat16, TensorView(large))->view()),
              ElementsAre(65504, HUGE_VAL, ::testing::IsNan(), 0));
}

TEST(GeneratedSamples, ASizeThatIsCalledLikeABatchIsOne) {
  std::vector<ModelValue> inputs = {Input("state", DType::kFloat32, {2, -1, -1}),
                                    Input("x", DType::kFloat32, {-1, -1})};
  inputs[0].dimension_names = {"", "n", "?"};
  inputs[1].dimension_names = {"n", "t"};
  const auto samples = OpenSamples("", inputs, {.batch_size = 3, .open_dimension = 5});
  ASSERT_THAT(samples, Succeeds());
  const auto sample = (*samples)->Read(0);
  ASSERT_THAT(sample, Succeeds());
  EXPECT_THAT((*sample)[0].tensor.shape, ::testing::ElementsAre(2, 3, 5));
  EXPECT_THAT((*sample)[1].tensor.shape, ::testing::ElementsAre(3, 5));
}

TEST(GeneratedSamples, AreTheSameForTheSameSeed) {
  const std::vector<ModelValue> inputs = {Input("x", DType::kFloat32, {-1, 3, -1}),
                                          Input("input_ids", DType::kInt64, {1, 8}),
                                          Input("attention_mask", DType::kInt64, {1, 8})};
  const auto first = OpenSamples("", inputs, {.open_dimension = 4, .seed = 7});
  const auto again = OpenSamples("", inputs, {.open_dimension = 4, .seed = 7});
  const auto other = OpenSamples("", inputs, {.open_dimension = 4, .seed = 8});
  ASSERT_THAT(first, Succeeds());
  EXPECT_TRUE((*first)->is_generated());
  EXPECT_EQ((*first)->Description(), "generated, seed 7");
  const auto values = [](const auto& samples, std::size_t index, std::size_t input) {
    return *tensor::ToDoubles((*(*samples)->Read(index))[input].tensor);
  };
  const std::vector<double> x = values(first, 3, 0);
  EXPECT_EQ(x.size(), 12u);
  EXPECT_EQ(values(again, 3, 0), x);
  EXPECT_NE(values(other, 3, 0), x);
  EXPECT_NE(values(first, 4, 0), x);
  for (const double id : values(first, 0, 1)) EXPECT_TRUE(id >= 0 && id < 100);
  EXPECT_THAT(values(first, 0, 2), ::testing::Each(1));
}

TEST(GeneratedSamples, FillTheRangesThatAreGiven) {
  const std::vector<ModelValue> inputs = {Input("x", DType::kFloat32, {1, 10000}),
                                          Input("y", DType::kFloat32, {1, 10000})};
  const auto samples = OpenSamples("", inputs, {.ranges = {{"x", {2, 5}}}});
  ASSERT_THAT(samples, Succeeds());
  const auto read = (*samples)->Read(0);
  ASSERT_THAT(read, Succeeds());
  const std::vector<double> x = *tensor::ToDoubles((*read)[0].tensor),
                            y = *tensor::ToDoubles((*read)[1].tensor);
  const auto [low, high] = std::ranges::minmax(x);
  EXPECT_GE(low, 2);
  EXPECT_LT(low, 2.2);
  EXPECT_LE(high, 5);
  EXPECT_GT(high, 4.8);
  EXPECT_NEAR(std::accumulate(x.begin(), x.end(), 0.0) / 10000, 3.5, 0.03);
  EXPECT_LT(std::ranges::min(y), -3) << "of another input nothing is known";
}

TEST(GeneratedSamples, RefuseWhatCannotBeMadeUp) {
  const std::vector<ModelValue> huge = {
      Input("x", DType::kFloat32, {1, 1 << 20, 1 << 20, 1 << 20})};
  EXPECT_THAT(OpenSamples("", huge, {}), FailsSaying(ErrorCode::kInvalidArgument, "too large"));
  ModelValue text{.name = "t", .type = "string"};
  EXPECT_THAT(OpenSamples("", {&text, 1}, {}), FailsSaying(ErrorCode::kInvalidArgument, "string"));
  const std::vector<ModelValue> x = {Input("x", DType::kFloat32, {1})};
  EXPECT_THAT(OpenSamples("", x, {.max_samples = 0}),
              FailsSaying(ErrorCode::kInvalidArgument, "must be 1 or more"));
}

// A PNG of `width` x 1 pixels.
std::string Png(std::uint32_t width, const std::vector<std::uint8_t>& rgb) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{width, 1, 8, SPNG_COLOR_TYPE_TRUECOLOR, 0, 0, 0};
  spng_set_ihdr(context, &header);
  EXPECT_EQ(spng_encode_image(context, rgb.data(), rgb.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE),
            0);
  std::size_t size = 0;
  int error = 0;
  void* bytes = spng_get_png_buffer(context, &size, &error);
  std::string file(static_cast<const char*>(bytes), size);
  std::free(bytes);
  spng_ctx_free(context);
  return file;
}

TEST_F(SamplesTest, ImagesOfAFolderComeInTheOrderOfTheirNames) {
  ASSERT_THAT(WriteFileAtomically(folder_ / "b.png", Png(2, {255, 0, 0, 0, 51, 102})), Succeeds());
  ASSERT_THAT(WriteFileAtomically(folder_ / "a.PNG", Png(1, {0, 0, 255})), Succeeds());
  ASSERT_THAT(WriteFileAtomically(folder_ / "readme.txt", "x"), Succeeds());
  const std::vector<ModelValue> planes = {Input("x", DType::kFloat32, {-1, 3, -1, -1})};
  const auto samples = OpenSamples(folder_.path(), planes, {});
  ASSERT_THAT(samples, Succeeds());
  ASSERT_EQ((*samples)->size(), 2u);
  EXPECT_THAT((*(*samples)->Read(0))[0].tensor.shape, ElementsAre(1, 3, 1, 1));
  EXPECT_THAT(ValuesOf(**samples, 1),
              Pointwise(::testing::FloatEq(), std::vector<float>{1, 0, 0, 0.2f, 0, 0.4f}));

  const std::vector<ModelValue> pixels = {Input("x", DType::kUint8, {1, -1, -1, 3})};
  EXPECT_THAT(ValuesOf(**OpenSamples(folder_.path(), pixels, {}), 1),
              ElementsAre(255, 0, 0, 0, 51, 102));
  const auto normalized =
      OpenSamples(folder_.path(), planes,
                  {.image_mean = {0.5f, 0.5f, 0.5f}, .image_deviation = {0.5f, 0.5f, 0.5f}});
  EXPECT_THAT(ValuesOf(**normalized, 0), ElementsAre(-1, -1, 1));
  // Resizes to the model's size: the centers of four pixels lie between those of two.
  const std::vector<ModelValue> wide = {Input("x", DType::kUint8, {1, 2, 4, 3})};
  EXPECT_THAT(ValuesOf(**OpenSamples(folder_.path(), wide, {}), 1),
              ElementsAre(255, 0, 0, 191, 13, 26, 64, 38, 76, 0, 51, 102,  // Two rows alike.
                          255, 0, 0, 191, 13, 26, 64, 38, 76, 0, 51, 102));
}

TEST_F(SamplesTest, FoldersThatCannotFeedTheModelAreRefused) {
  const std::vector<ModelValue> image = {Input("x", DType::kFloat32, {-1, 3, 8, 8})};
  EXPECT_THAT(OpenSamples(folder_.path(), image, {}),
              FailsSaying(ErrorCode::kInvalidArgument, "no .png file"));
  const std::vector<ModelValue> vector = {Input("x", DType::kFloat32, {-1, 64})};
  EXPECT_THAT(OpenSamples(folder_.path(), vector, {}),
              FailsSaying(ErrorCode::kInvalidArgument, "has 'x' float32 [?, 64]"));
  ASSERT_THAT(WriteFileAtomically(folder_ / "a.png", "no image"), Succeeds());
  EXPECT_THAT((*OpenSamples(folder_.path(), image, {}))->Read(0),
              FailsSaying(ErrorCode::kDataLoss, "a.png"));
}

}  // namespace
}  // namespace cboard::runtime
