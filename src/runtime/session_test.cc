#include "cboard/runtime/session.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "cboard/base/file.h"
#include "cboard/tensor/convert.h"
#include "runtime/ort_library.h"
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

// scripts/fetch-onnxruntime gets the library; `make test` calls it.
class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = FindRuntime(); !found) GTEST_SKIP() << found.error().message;
  }

  static Session TwoLayers() {
    const std::string model = OnnxBuilder::TwoLayers().Bytes();
    return *Session::FromBytes(AsBytes(model), "two layers");
  }

  const std::vector<float> values_ = {1, -1, 0.5f, 2};
  const NamedTensor x_{"x", TensorView(values_, {2, 2})};
};

TEST_F(SessionTest, ListsWhatTheModelDeclares) {
  const Session session = TwoLayers();
  ASSERT_EQ(session.inputs().size(), 1u);
  EXPECT_EQ(session.inputs()[0].name, "x");
  EXPECT_EQ(session.inputs()[0].dtype, DType::kFloat32);
  EXPECT_EQ(Describe(session.inputs()[0]), "float32 [n, 2]");
  ASSERT_EQ(session.outputs().size(), 1u);
  EXPECT_EQ(session.outputs()[0].name, "y");
  EXPECT_FALSE(session.runtime().version.empty());
}

TEST_F(SessionTest, Computes) {
  const auto result = TwoLayers().Run({&x_, 1});
  ASSERT_THAT(result, Succeeds());
  ASSERT_NE(result->Find("y"), nullptr);
  // [1, -1] * w = [-2, -2]; [0.5, 2] * w = [6.5, 9].
  EXPECT_THAT(*tensor::ToDoubles(*result->Find("y")), ElementsAre(0, 0, 6.5, 9));
  EXPECT_EQ(result->Find("hidden"), nullptr);
}

TEST_F(SessionTest, HeldTensorsNeedNotBeGivenAndComeAsTheyAre) {
  OnnxBuilder builder;
  builder.Input("x", {-1, 2})
      .Input("w", {2, 2})
      .Node("MatMul", {"x", "w"}, {"y"})
      .Output("y", {-1, 2});
  auto session = Session::FromBytes(AsBytes(builder.Bytes()), "product");
  ASSERT_THAT(session, Succeeds());
  const std::string weight = OnnxBuilder()
                                 .Weight("v", {2, 2}, {1, 2, 3, 4})
                                 .Node("Relu", {"v"}, {"w"})
                                 .Output("w", {2, 2})
                                 .Bytes();
  const void* data = nullptr;
  {
    const auto held = Session::FromBytes(AsBytes(weight), "weight", {.pool = false})->Run({});
    ASSERT_THAT(held, Succeeds());
    data = held->Find("w")->data;
    session->Hold(*held);
  }
  ASSERT_EQ(session->inputs().size(), 1u);
  const std::string names[] = {"y", "w"};
  const auto result = session->Run({&x_, 1}, names);
  ASSERT_THAT(result, Succeeds());
  EXPECT_EQ(result->tensors()[1].name, "w");
  EXPECT_EQ(result->Find("w")->data, data);
  EXPECT_THAT(*tensor::ToDoubles(*result->Find("y")), ElementsAre(-2, -2, 6.5, 9));
  EXPECT_THAT(session->Run({}),
              FailsSaying(ErrorCode::kInvalidArgument, "wants 'x' float32 [n, 2]"));
}

TEST_F(SessionTest, ResultsOutliveTheSession) {
  auto result = [&] { return *TwoLayers().Run({&x_, 1}); }();
  EXPECT_THAT(*tensor::ToDoubles(*result.Find("y")), ElementsAre(0, 0, 6.5, 9));
}

TEST_F(SessionTest, InputsNeedNotBeAligned) {
  std::string bytes(1, '\0');
  bytes.append(reinterpret_cast<const char*>(values_.data()), 16);
  const NamedTensor x{"x", TensorView(DType::kFloat32, bytes.data() + 1, {2, 2})};
  EXPECT_THAT(*tensor::ToDoubles(*TwoLayers().Run({&x, 1})->Find("y")), ElementsAre(0, 0, 6.5, 9));
}

TEST_F(SessionTest, ABatchOfNothingIsComputed) {
  const NamedTensor x{"x", TensorView(DType::kFloat32, nullptr, {0, 2})};
  const auto result = TwoLayers().Run({&x, 1});
  ASSERT_THAT(result, Succeeds());
  EXPECT_THAT(result->Find("y")->shape, ElementsAre(0, 2));
}

TEST_F(SessionTest, SaysWhatTheModelWants) {
  const Session session = TwoLayers();
  EXPECT_THAT(session.Run({}),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "input 'x' of 'two layers' has no value; the model needs "
                          "'x' float32 [n, 2]"));
  const NamedTensor shape{"x", TensorView(values_, {1, 4})};
  EXPECT_THAT(session.Run({&shape, 1}),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "float32 [1, 4], but the model needs float32 [n, 2]"));
  const NamedTensor rank{"x", TensorView(values_)};
  EXPECT_THAT(session.Run({&rank, 1}), FailsSaying(ErrorCode::kInvalidArgument, "float32 [4]"));
  const std::vector<double> doubles(4);
  const NamedTensor dtype{"x", TensorView(doubles, {2, 2})};
  EXPECT_THAT(session.Run({&dtype, 1}),
              FailsSaying(ErrorCode::kInvalidArgument, "is float64 [2, 2] but"));
  const NamedTensor both[] = {x_, {"z", x_.tensor}};
  EXPECT_THAT(session.Run(both), FailsSaying(ErrorCode::kInvalidArgument, "has no input 'z'"));
  const std::string unknown[] = {"w2"};
  EXPECT_THAT(session.Run({&x_, 1}, unknown), FailsSaying(ErrorCode::kInvalidArgument, "w2"));
}

TEST_F(SessionTest, OpensFilesAndNamesThoseItCannot) {
  const testing::TempDir folder;
  ASSERT_THAT(WriteFileAtomically(folder / "m.onnx", OnnxBuilder::TwoLayers().Bytes()), Succeeds());
  EXPECT_THAT(Session::Open(folder / "m.onnx", {.optimize = true, .threads = 1}), Succeeds());
  EXPECT_THAT(Session::Open(folder / "none.onnx"), FailsSaying(ErrorCode::kNotFound, "none.onnx"));
  ASSERT_THAT(WriteFileAtomically(folder / "bad.onnx", "not a model"), Succeeds());
  EXPECT_THAT(Session::Open(folder / "bad.onnx"), FailsSaying(ErrorCode::kDataLoss, "bad.onnx"));
}

TEST_F(SessionTest, LeavesOutWhatNoTensorViewCanShow) {
  OnnxBuilder builder;
  builder.Input("x", {1})
      .Node("SequenceConstruct", {"x"}, {"s"})
      .Node("SequenceLength", {"s"}, {"y"})
      .Output("y", {}, OnnxBuilder::kInt64);
  const std::string model = builder.Bytes() + proto::EncodeMessage([](auto& fields) {
                              fields.Message(7, [](auto& graph) {
                                graph.Message(12, [](auto& output) { output.Text(1, "s"); });
                              });
                            });
  const auto session = Session::FromBytes(AsBytes(model), "sequence");
  ASSERT_THAT(session, Succeeds());
  const std::vector<float> one = {1};
  const NamedTensor x{"x", TensorView(one)};
  const auto result = session->Run({&x, 1});
  ASSERT_THAT(result, Succeeds());
  EXPECT_THAT(result->left_out(), ElementsAre("s"));
  EXPECT_THAT(*tensor::ToDoubles(*result->Find("y")), ElementsAre(1));
}

// Sets an environment variable for one test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    ::setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(OrtLibrary, ALibraryThatIsNotThereSaysWhatToInstall) {
  const ScopedVariable variable("CB_ONNXRUNTIME_LIB", "/nowhere/libonnxruntime.so");
  EXPECT_THAT(FindRuntime(), FailsSaying(ErrorCode::kNotFound, "/nowhere/libonnxruntime.so"));
  EXPECT_THAT(FindRuntime(), FailsSaying(ErrorCode::kNotFound, "pip install onnxruntime"));
}

TEST(OrtLibrary, AnotherLibraryIsNotTakenForIt) {
  const ScopedVariable variable("CB_ONNXRUNTIME_LIB", "libm.so.6");
  EXPECT_THAT(FindRuntime(), FailsSaying(ErrorCode::kNotFound, "not the library of ONNX Runtime"));
}

TEST(OrtLibrary, ActivePythonEnvironmentsAreLookedAtFirst) {
  const testing::TempDir folder;
  const auto capi = folder / "lib/python3.11/site-packages/onnxruntime/capi";
  std::filesystem::create_directories(capi);
  ASSERT_THAT(WriteFileAtomically(capi / "libonnxruntime.so.1.99.0", ""), Succeeds());
  const ScopedVariable variable("VIRTUAL_ENV", folder.path().c_str());
  const auto candidates = LibraryCandidates();
  EXPECT_EQ(candidates.front(), capi / "libonnxruntime.so.1.99.0");
  EXPECT_EQ(candidates.back(), "libonnxruntime.so");
}

TEST_F(SessionTest, APreparedRunKeepsItsInputsAndRunsAgain) {
  const Session session = TwoLayers();
  auto run = [&] {
    const std::vector<float> gone = {1, -1, 0.5f, 2};
    const NamedTensor x{"x", TensorView(gone, {2, 2})};
    return session.Prepare({&x, 1});
  }();
  ASSERT_THAT(run, Succeeds());
  for (int i = 0; i < 3; ++i) EXPECT_THAT(run->Run(), Succeeds());
  run->Clear();
  EXPECT_THAT(run->Run(), Succeeds());
}

TEST_F(SessionTest, APreparedRunRefusesInputsThatDoNotFit) {
  const Session session = TwoLayers();
  EXPECT_THAT(session.Prepare({}),
              FailsSaying(ErrorCode::kInvalidArgument, "input 'x' of 'two layers' has no value"));
  const NamedTensor wide{"x", TensorView(values_, {1, 4})};
  EXPECT_THAT(session.Prepare({&wide, 1}), FailsWith(ErrorCode::kInvalidArgument));
}

TEST_F(SessionTest, WritesAProfileOfItsNodes) {
  const testing::TempDir folder;
  const std::string model = OnnxBuilder::TwoLayers().Bytes();
  auto session = Session::FromBytes(AsBytes(model), "two layers",
                                    {.profile_prefix = folder.path() / "profile"});
  ASSERT_THAT(session, Succeeds());
  ASSERT_THAT(session->Run({&x_, 1}), Succeeds());
  const auto file = session->EndProfiling();
  ASSERT_THAT(file, Succeeds());
  EXPECT_THAT(*ReadFile(*file), ::testing::HasSubstr("MatMul"));
  EXPECT_THAT(session->EndProfiling(), FailsWith(ErrorCode::kFailedPrecondition));
}

TEST_F(SessionTest, WritesTheOptimizedModel) {
  const testing::TempDir folder;
  const std::string model = OnnxBuilder::TwoLayers().Bytes();
  const auto file = folder.path() / "optimized.onnx";
  ASSERT_THAT(
      Session::FromBytes(AsBytes(model), "two layers", {.optimize = true, .optimized_model = file}),
      Succeeds());
  EXPECT_THAT(Session::Open(file), Succeeds());
}

TEST_F(SessionTest, CountsTheMemoryOfItsAllocator) {
  const Session session = TwoLayers();
  ASSERT_THAT(session.Run({&x_, 1}), Succeeds());
  const auto statistics = session.AllocatorStatistics();
  ASSERT_THAT(statistics, Succeeds());
  if (statistics->empty()) GTEST_SKIP() << "ONNX Runtime is older than 1.23";
  const auto peak = std::ranges::find(*statistics, "MaxInUse", &AllocatorStatistic::name);
  ASSERT_NE(peak, statistics->end());
  EXPECT_GT(peak->value, 0);
}

TEST_F(SessionTest, ListsTheProvidersWhenOneIsNotThere) {
  EXPECT_THAT(*FindProviders(), ::testing::Contains("cpu"));
  const std::string model = OnnxBuilder::TwoLayers().Bytes();
  EXPECT_THAT(Session::FromBytes(AsBytes(model), "two layers", {.provider = "abacus"}),
              FailsSaying(ErrorCode::kNotFound, "has no execution provider 'abacus'; it has "));
}

}  // namespace
}  // namespace cboard::runtime
