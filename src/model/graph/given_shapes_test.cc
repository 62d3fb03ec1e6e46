#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/formats.h"
#include "proto/wire_writer.h"
#include "testing/matchers.h"

namespace cboard::model {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::Succeeds;

struct Dimension {
  std::int64_t size = -1;
  std::string name = {};
};
struct Input {
  std::string name;
  std::vector<Dimension> shape;
};

// A model with these inputs, and a Relu behind each of them: "x" -> "x/relu".
Result<ModelGraph> Open(const std::vector<Input>& inputs, const InputShapes& shapes) {
  const std::string bytes = proto::EncodeMessage([&](auto& model) {
    model.Int(1, 8);
    model.Message(7, [&](auto& graph) {
      for (const Input& input : inputs) {
        graph.Message(1, [&](auto& node) {
          node.Text(1, input.name);
          node.Text(2, input.name + "/relu");
          node.Text(4, "Relu");
        });
        graph.Message(11, [&](auto& value) {
          value.Text(1, input.name);
          value.Message(2, [&](auto& type) {
            type.Message(1, [&](auto& tensor) {
              tensor.Int(1, 1);
              tensor.Message(2, [&](auto& shape) {
                for (const Dimension& dimension : input.shape) {
                  shape.Message(1, [&](auto& each) {
                    if (dimension.size >= 0) each.PresentInt(1, dimension.size);
                    each.Text(2, dimension.name);
                  });
                }
              });
            });
          });
        });
      }
    });
  });
  return ReadOnnx(MappedFile::FromMemory(bytes, "m.onnx"), shapes);
}

const std::vector<Input> kText = {{"ids", {{-1, "batch"}, {-1, "sequence"}}},
                                  {"mask", {{-1, "batch"}, {-1, "sequence"}}},
                                  {"image", {{1}, {3}, {-1, "?"}, {-1, "?"}}}};

std::vector<std::int64_t> ShapeOf(const ModelGraph& model, std::string_view tensor) {
  return model.tensor(model.FindTensor(tensor)).shape;
}

TEST(GiveInputShapes, ReachesWhatIsComputedFromTheInput) {
  const auto model = Open(kText, {{"image", {1, 3, 48, 320}}});
  ASSERT_THAT(model, Succeeds());
  EXPECT_THAT(ShapeOf(*model, "image/relu"), ElementsAre(1, 3, 48, 320));
  EXPECT_EQ(model->node(model->FindNode("image/relu")).output_bytes, 4u * 3 * 48 * 320);
  EXPECT_THAT(ShapeOf(*model, "ids"), ElementsAre(-1, -1));
}

TEST(GiveInputShapes, TheSameNameIsTheSameSizeEverywhere) {
  const auto model = Open(kText, {{"ids", {2, 128}}});
  ASSERT_THAT(model, Succeeds());
  EXPECT_THAT(ShapeOf(*model, "mask"), ElementsAre(2, 128));
  EXPECT_THAT(ShapeOf(*model, "mask/relu"), ElementsAre(2, 128));
  // A question mark is not a dimension name.
  EXPECT_THAT(ShapeOf(*model, "image"), ElementsAre(1, 3, -1, -1));
}

TEST(GiveInputShapes, NothingFollowsFromANameWithTwoSizes) {
  const auto model = Open({{"a", {{-1, "n"}, {-1, "n"}}}, {"b", {{-1, "n"}}}}, {{"a", {3, 4}}});
  ASSERT_THAT(model, Succeeds());
  EXPECT_THAT(ShapeOf(*model, "a"), ElementsAre(3, 4));
  EXPECT_THAT(ShapeOf(*model, "b"), ElementsAre(-1));
}

TEST(GiveInputShapes, TheOnlyInputNeedsNoName) {
  const auto model = Open({{"x", {{-1}, {7}}}}, {{"", {5, 7}}});
  ASSERT_THAT(model, Succeeds());
  EXPECT_THAT(ShapeOf(*model, "x"), ElementsAre(5, 7));
  EXPECT_THAT(Open(kText, {{"", {5, 7}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "without the name of an input's name"));
}

TEST(GiveInputShapes, SaysWhatTheFileDeclaresAndWhatToWrite) {
  const auto refusal = [](const InputShapes& shapes) {
    const auto model = Open(kText, shapes);
    return model ? "" : model.error().message;
  };
  EXPECT_EQ(refusal({{"image", {1, 4, 48, 320}}}),
            "the shape 1,4,48,320 differs from the shape of input 'image' float32 [1, 3, ?, ?]; "
            "write for example image=1,3,32,32");
  EXPECT_THAT(refusal({{"ids", {1, 2, 3}}}), HasSubstr("'ids' float32 [batch, sequence]"));
  EXPECT_THAT(refusal({{"idz", {1, 2}}}),
              HasSubstr("there is no input 'idz'; the model has 'ids' float32 [batch, sequence], "
                        "'mask' float32 [batch, sequence], 'image' float32 [1, 3, ?, ?]; write for "
                        "example ids=1,32"));
  EXPECT_THAT(refusal({{"ids", {1, -1}}}), HasSubstr("negative size"));
  EXPECT_THAT(refusal({{"ids", {1, std::int64_t{1} << 40}}}), HasSubstr("above 2^31"));
  EXPECT_THAT(refusal({{"ids", {1 << 30, 1 << 30}}}), HasSubstr("more than 2^40 elements"));
  EXPECT_THAT(refusal({{"ids", std::vector<std::int64_t>(17, 1)}}), HasSubstr("more than 16"));
}

TEST(GiveInputShapes, FormatsThatStoreTheirShapesSaySo) {
  EXPECT_THAT(ReadModel(ModelFormat::kTflite, MappedFile::FromMemory("", "m"), {{"x", {1}}}),
              FailsSaying(ErrorCode::kInvalidArgument, "has fixed shapes"));
}

TEST(AddInputShape, ReadsWhatUsersType) {
  InputShapes shapes;
  EXPECT_THAT(AddInputShape("x=1,3,48,320", shapes), Succeeds());
  EXPECT_THAT(AddInputShape("a=b=2", shapes), Succeeds());
  EXPECT_THAT(AddInputShape("rate=", shapes), Succeeds());
  EXPECT_THAT(AddInputShape("7,0", shapes), Succeeds());
  EXPECT_THAT(shapes,
              ElementsAre(Pair("", ElementsAre(7, 0)), Pair("a=b", ElementsAre(2)),
                          Pair("rate", ElementsAre()), Pair("x", ElementsAre(1, 3, 48, 320))));
  EXPECT_EQ(ToText(shapes), "7,0 a=b=2 rate= x=1,3,48,320");
}

TEST(AddInputShape, RefusesWhatIsNoShape) {
  InputShapes shapes{{"x", {1}}};
  for (const std::string_view text : {"", "=1,2", "x=1", "y=1,,2", "y=1x2", "y=1,2,", "y=-1,3",
                                      "y=1, 2", "y=?", "y=99999999999999999999"}) {
    EXPECT_THAT(AddInputShape(text, shapes),
                FailsSaying(ErrorCode::kInvalidArgument, "x=1,3,48,320"))
        << text;
  }
  EXPECT_EQ(shapes.size(), 1u);
}

}  // namespace
}  // namespace cboard::model
