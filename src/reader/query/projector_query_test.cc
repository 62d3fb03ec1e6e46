#include "cboard/reader/projector_query.h"

#include <gmock/gmock.h>

#include <cmath>

#include "cboard/base/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::Succeeds;
using ::cboard::testing::TempDir;
using ::testing::ElementsAre;

void Write(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  ASSERT_THAT(WriteFileAtomically(path, content), Succeeds());
}

TEST(ParseProjectorConfig, ReadsWhatTensorboardXWrites) {
  const auto config = ParseProjectorConfig(
      "embeddings {\n"
      "tensor_name: \"default:00000\"\n"
      "tensor_path: \"00000/default/tensors.tsv\"\n"
      "metadata_path: \"00000/default/metadata.tsv\"\n"
      "sprite {\nimage_path: \"00000/default/sprite.png\"\n"
      "single_image_dim: 32\nsingle_image_dim: 16\n}\n"
      "}\n");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->embeddings.size(), 1u);
  EXPECT_EQ(config->embeddings[0].tensor_name, "default:00000");
  EXPECT_THAT(config->embeddings[0].sprite->single_image_dim, ElementsAre(32, 16));
}

TEST(ParseProjectorConfig, SkipsWhatItDoesNotKnow) {
  const auto config = ParseProjectorConfig(
      "new_thing { a: 1.5e3 b: [x, y, {c: 'd'}] e < f: true > } # a remark\n"
      "embeddings: { tensor_shape: [2, 3], tensor_name: 'a' \"\\x62\\143\" other: -inf; }");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->embeddings[0].tensor_name, "abc");
  EXPECT_THAT(config->embeddings[0].tensor_shape, ElementsAre(2, 3));
}

TEST(ParseProjectorConfig, NamesTheLineThatIsWrong) {
  EXPECT_THAT(ParseProjectorConfig("embeddings {\ntensor_name: 5\n}"),
              FailsSaying(ErrorCode::kDataLoss, "line 2: a string in quotes is missing"));
  EXPECT_THAT(ParseProjectorConfig("embeddings {\n"),
              FailsSaying(ErrorCode::kDataLoss, "line 2: expected '}'"));
  EXPECT_THAT(ParseProjectorConfig("embeddings { tensor_shape: -1 }"),
              FailsSaying(ErrorCode::kDataLoss, "a whole number is missing; found '-1'"));
  EXPECT_THAT(ParseProjectorConfig("a: \"b"),
              FailsSaying(ErrorCode::kDataLoss, "no closing quote"));
  EXPECT_THAT(ParseProjectorConfig("}"), FailsWith(ErrorCode::kDataLoss));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "a {";
  EXPECT_THAT(ParseProjectorConfig(deep), FailsSaying(ErrorCode::kDataLoss, "too deep"));
}

TEST(ParseTensorTsv, ReadsRowsOfNumbers) {
  const auto tensor = ParseTensorTsv("1\t-2.5\n\n 3e2 \tnan\r\n");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->rows, 2u);
  EXPECT_EQ(tensor->columns, 2u);
  EXPECT_EQ(tensor->values[1], -2.5f);
  EXPECT_EQ(tensor->values[2], 300.0f);
  EXPECT_TRUE(std::isnan(tensor->values[3]));
  EXPECT_EQ(ParseTensorTsv("1\n2\n3\n", 2)->rows, 2u);
  EXPECT_THAT(ParseTensorTsv("1\t2\n3\n"),
              FailsSaying(ErrorCode::kDataLoss, "line 2 has 1 numbers"));
  EXPECT_THAT(ParseTensorTsv("1\tx\n"),
              FailsSaying(ErrorCode::kDataLoss, "line 1, column 2: 'x' is not a number"));
}

TEST(Projector, ReadsTheAssetsOfARun) {
  const TempDir dir;
  Write(dir / "projector_config.pbtxt",
        "embeddings { tensor_name: 'emb:0' tensor_path: 'a/t.tsv' metadata_path: 'a/m.tsv' "
        "bookmarks_path: 'b.json' sprite { image_path: 's.png' } }"
        "embeddings { tensor_path: 'raw.bin' tensor_shape: 1 tensor_shape: 2 }");
  Write(dir / "a/t.tsv", "1\t2\n3\t4\n");
  Write(dir / "a/m.tsv", "name\tclass\nx\t1\ny\t2\n");
  Write(dir / "b.json", "[]");
  Write(dir / "s.png", "\x89PNG");
  const float raw[] = {1.5f, -1.0f};
  Write(dir / "raw.bin", {reinterpret_cast<const char*>(raw), sizeof(raw)});
  const auto found = FindProjector(dir.path());
  ASSERT_TRUE(found && *found);
  const Projector& projector = **found;
  EXPECT_THAT(projector.ReadTensor("emb")->values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(projector.ReadTensor("emb:0", 1)->values, ElementsAre(1, 2));
  EXPECT_THAT(projector.ReadTensor("raw.bin")->values, ElementsAre(1.5f, -1));
  EXPECT_EQ(*projector.ReadMetadata("emb", 1), "name\tclass\nx\t1\n");
  EXPECT_EQ(projector.ReadMetadata("emb")->size(), 19u);
  EXPECT_EQ(*projector.ReadBookmarks("emb"), "[]");
  EXPECT_EQ(*projector.ReadSprite("emb"), "\x89PNG");
  EXPECT_THAT(projector.ReadTensor("other"), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(projector.ReadSprite("raw.bin"),
              FailsSaying(ErrorCode::kNotFound, "no images of its points"));
}

TEST(Projector, ReadsNothingOutsideItsDirectory) {
  const TempDir dir;
  Write(dir / "secret", "1\n");
  Write(dir / "run/inside", "2\n");
  Write(dir / "runner", "3\n");
  std::filesystem::create_symlink(dir / "secret", dir / "run/link");
  std::filesystem::create_directory_symlink(dir.path(), dir / "run/up");
  std::filesystem::create_symlink("inside", dir / "run/good");
  const Projector projector({}, dir / "run");
  for (const std::string& path :
       {std::string("../secret"), std::string("link"), std::string("up/secret"),
        std::string("up/run/../secret"), (dir / "secret").string(), std::string("/etc/passwd"),
        std::string("../runner"), std::string("../missing")}) {
    EXPECT_THAT(projector.Resolve(path), FailsWith(ErrorCode::kPermissionDenied)) << path;
  }
  EXPECT_THAT(projector.Resolve("inside"), Succeeds());
  EXPECT_THAT(projector.Resolve("x/../inside"), Succeeds());
  EXPECT_THAT(projector.Resolve("good"), Succeeds());
  EXPECT_THAT(projector.Resolve("missing"), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(projector.Resolve("."), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(projector.Resolve(std::string_view("inside\0x", 8)), FailsWith(ErrorCode::kNotFound));
}

TEST(Projector, KeepsToItsLimits) {
  const TempDir dir;
  Write(dir / "t.tsv", "1\n2\n3\n4\n");
  const Projector projector({.embeddings = {{.tensor_name = "t", .tensor_path = "t.tsv"}}},
                            dir.path(), {.max_tensor_bytes = 4});
  EXPECT_THAT(projector.ReadTensor("t"), FailsWith(ErrorCode::kResourceExhausted));
}

TEST(FindProjector, FindsNothingWithoutATensorFile) {
  const TempDir dir;
  EXPECT_FALSE(FindProjector(dir.path())->has_value());
  Write(dir / "projector_config.pbtxt", "model_checkpoint_path: 'ckpt'");
  EXPECT_FALSE(FindProjector(dir.path())->has_value());
  Write(dir / "plugins/org_tensorflow_tensorboard_projector/projector_config.pbtxt",
        "embeddings { tensor_path: 't.tsv' }");
  const auto found = FindProjector(dir.path());
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->config().embeddings[0].tensor_name, "t.tsv");
  Write(dir / "plugins/org_tensorflow_tensorboard_projector/projector_config.pbtxt", "{");
  EXPECT_THAT(FindProjector(dir.path()), FailsSaying(ErrorCode::kDataLoss, "pbtxt, line 1"));
}

}  // namespace
}  // namespace cboard::reader
