#include "writer/summary/embedding.h"

#include <limits>

#include "testing/matchers.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;
using testing::Succeeds;

const std::vector<float> kNumbers = {0.1f, 1, 1e-5f, 1e16f, -2.5f, 0};
const TensorView kMatrix(kNumbers, {3, 2});

EmbeddingDetails Tagged(std::string tag) {
  EmbeddingDetails details;
  details.tag = std::move(tag);
  return details;
}

TEST(EmbeddingFiles, HoldNumbersAsPythonPrintsThem) {
  EXPECT_EQ(MakeEmbeddingFiles(kMatrix, {}, 0).value().tensors_tsv,
            "0.10000000149011612\t1.0\n9.999999747378752e-06\t1.0000000272564224e+16\n-2.5\t0.0\n");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> wide = {0.1, 1e-5, 1e16, nan};
  EXPECT_EQ(MakeEmbeddingFiles(TensorView(wide, {2, 2}), {}, 0).value().tensors_tsv,
            "0.1\t1e-05\n1e+16\tnan\n");
}

TEST(EmbeddingFiles, HoldIntegersExactly) {
  const std::vector<std::int64_t> large = {9007199254740993, -1};
  EXPECT_EQ(MakeEmbeddingFiles(TensorView(large, {1, 2}), {}, 0).value().tensors_tsv,
            "9007199254740993\t-1\n");
  const std::vector<std::uint8_t> bytes = {255, 0};
  EXPECT_EQ(MakeEmbeddingFiles(TensorView(bytes, {2, 1}), {}, 0).value().tensors_tsv, "255\n0\n");
}

TEST(EmbeddingFiles, AreNamedByStepAndTag) {
  const auto directory = [](std::string tag, std::int64_t step) {
    return MakeEmbeddingFiles(kMatrix, Tagged(std::move(tag)), step).value().directory;
  };
  EXPECT_EQ(directory("default", 0), "00000/default");
  EXPECT_EQ(directory("a/b%c\\d", 7), "00007/a%2fb%25c%5cd");
  EXPECT_EQ(directory("x", 1234567), "1234567/x");
  EXPECT_EQ(directory("x", -1), "-0001/x");
}

TEST(EmbeddingFiles, AreListedAsTensorboardXListsThem) {
  const std::vector<float> pixels(3 * 3 * 2 * 2);
  EmbeddingDetails details = Tagged("net/out");
  details.metadata = {{"a"}, {"b"}, {"c"}};
  details.label_images = TensorView(pixels, {3, 3, 2, 2});
  EXPECT_EQ(MakeEmbeddingFiles(kMatrix, details, 12).value().config_block,
            "embeddings {\n"
            "tensor_name: \"net/out:00012\"\n"
            "tensor_path: \"00012/net%2fout/tensors.tsv\"\n"
            "metadata_path: \"00012/net%2fout/metadata.tsv\"\n"
            "sprite {\n"
            "image_path: \"00012/net%2fout/sprite.png\"\n"
            "single_image_dim: 2\n"
            "single_image_dim: 2\n"
            "}\n"
            "}\n");
}

TEST(EmbeddingFiles, LetNoTagAddFieldsToTheList) {
  const auto files =
      MakeEmbeddingFiles(kMatrix, Tagged("x\"\n}\nembeddings {\ntensor_path: \"/etc/passwd"), 0)
          .value();
  EXPECT_EQ(files.config_block,
            "embeddings {\n"
            "tensor_name: \"x\\\"\\012}\\012embeddings {\\012tensor_path: \\\"/etc/passwd:00000\"\n"
            "tensor_path: \"00000/x\\\"\\012}\\012embeddings {\\012tensor_path: "
            "\\\"%2fetc%2fpasswd/tensors.tsv\"\n"
            "}\n");
}

TEST(EmbeddingFiles, HoldMetadataOneLinePerRow) {
  EmbeddingDetails details;
  details.metadata = {{"cat"}, {"two\tparts\nand lines\r"}, {"\xFF"}};
  EXPECT_EQ(MakeEmbeddingFiles(kMatrix, details, 0).value().metadata_tsv,
            "cat\ntwo parts and lines \n\xEF\xBF\xBD\n");
  details.metadata = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
  details.metadata_header = {"name", "class"};
  EXPECT_EQ(MakeEmbeddingFiles(kMatrix, details, 0).value().metadata_tsv,
            "name\tclass\na\t1\nb\t2\nc\t3\n");
  EXPECT_FALSE(MakeEmbeddingFiles(kMatrix, {}, 0).value().metadata_tsv.has_value());
}

TEST(EmbeddingFiles, RefuseMetadataThatDoesNotFitTheMatrix) {
  const auto made = [](std::vector<std::vector<std::string>> rows,
                       std::vector<std::string> header = {}) {
    EmbeddingDetails details;
    details.metadata = std::move(rows);
    details.metadata_header = std::move(header);
    return MakeEmbeddingFiles(kMatrix, details, 0);
  };
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  EXPECT_THAT(made({{"a"}}), FailsSaying(kInvalid, "metadata has 1 rows, but the matrix has 3"));
  EXPECT_THAT(made({{"a"}, {"b"}, {}}), FailsSaying(kInvalid, "metadata row 2 has 0 columns"));
  EXPECT_THAT(made({{}, {}, {}}), FailsSaying(kInvalid, "metadata row 0 has 0 columns"));
  EXPECT_THAT(made({{"a", "b"}, {"a", "b"}, {"a", "b"}}),
              FailsSaying(kInvalid, "name the columns"));
  EXPECT_THAT(made({{"a"}, {"b"}, {"c"}}, {"name"}), FailsSaying(kInvalid, "omit it"));
  EXPECT_THAT(made({}, {"name", "x"}), FailsSaying(kInvalid, "given without metadata"));
}

TEST(EmbeddingFiles, RefuseImagesThatMakeNoSprite) {
  const std::vector<std::uint8_t> pixels(3 * 4 * 4 * 4);
  const auto made = [&](std::vector<std::int64_t> shape) {
    EmbeddingDetails details;
    details.label_images = TensorView(pixels, std::move(shape));
    return MakeEmbeddingFiles(kMatrix, details, 0);
  };
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  EXPECT_THAT(made({3, 1, 2, 2}), Succeeds());
  EXPECT_THAT(made({3, 3, 2}),
              FailsSaying(kInvalid, "give an array of count x channels x height x width"));
  EXPECT_THAT(made({2, 3, 2, 2}),
              FailsSaying(kInvalid, "give one image per row of the matrix, which has 3"));
  EXPECT_THAT(made({3, 4, 2, 2}), FailsSaying(kInvalid, "give 1 or 3 channels"));
  EXPECT_THAT(made({3, 3, 2, 4}), FailsSaying(kInvalid, "give square images"));
  EXPECT_THAT(made({3, 3, 5000, 5000}), FailsSaying(kInvalid, "give smaller or fewer images"));
}

TEST(EmbeddingFiles, RefuseWhatIsNoMatrixAndWhatIsNoDirectory) {
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  EXPECT_THAT(
      MakeEmbeddingFiles(TensorView(kNumbers), {}, 0),
      FailsSaying(kInvalid,
                  "embedding 'default': the matrix has shape 6, but must have rows and columns"));
  EXPECT_THAT(MakeEmbeddingFiles(TensorView(kNumbers, {0, 2}), {}, 0),
              FailsSaying(kInvalid, "so it is empty"));
  for (const auto& tag : {std::string(), std::string("."), std::string(".."), std::string(256, 'x'),
                          std::string("a\0b", 3)}) {
    EXPECT_THAT(MakeEmbeddingFiles(kMatrix, Tagged(tag), 0),
                FailsSaying(kInvalid, "cannot be the name of a directory"));
  }
}

}  // namespace
}  // namespace cboard::writer::summary
