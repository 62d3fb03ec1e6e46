#include <gtest/gtest.h>

#include "model/graph/formats.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::model {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using testing::Succeeds;
using testing::TempDir;

TEST(OpenModel, SaysWhatToDoWithFilesOfOtherKinds) {
  const TempDir directory;
  const auto open = [&](std::string_view content) {
    EXPECT_THAT(WriteFileAtomically(directory / "m", content), Succeeds());
    return OpenModel(directory / "m");
  };
  EXPECT_THAT(open("PK\x03\x04…"), FailsSaying(ErrorCode::kInvalidArgument, "zip archive"));
  EXPECT_THAT(open("\x80\x02}q"), FailsSaying(ErrorCode::kInvalidArgument, "Python pickle"));
  EXPECT_THAT(open("\x89HDF\r\n"), FailsSaying(ErrorCode::kInvalidArgument, "HDF5"));
  EXPECT_THAT(open("version https://git-lfs.github.com/spec/v1"),
              FailsSaying(ErrorCode::kInvalidArgument, "Git LFS pointer"));
  EXPECT_THAT(open(""), FailsSaying(ErrorCode::kDataLoss, "the model file is empty; export the model again"));
  EXPECT_THAT(open("hello world"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(open("{}"), FailsSaying(ErrorCode::kInvalidArgument, "no weight_map"));
  EXPECT_THAT(OpenModel(directory / "missing"), FailsWith(ErrorCode::kNotFound));
  EXPECT_THAT(OpenModel(directory.path()), FailsSaying(ErrorCode::kInvalidArgument, "directory"));
}

TEST(OpenModel, FindsTheModelInADirectory) {
  const TempDir directory;
  std::string file = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
  file = std::string(1, static_cast<char>(file.size())) + std::string(7, '\0') + file + "x";
  ASSERT_THAT(WriteFileAtomically(directory / "model.safetensors", file), Succeeds());
  const Result<ModelGraph> whole = OpenModel(directory.path());
  ASSERT_THAT(whole, Succeeds());
  EXPECT_EQ(whole->path().filename(), "model.safetensors");

  // The index file is preferred to one of the files that it lists.
  ASSERT_THAT(WriteFileAtomically(directory / "model.safetensors.index.json",
                                  R"({"weight_map": {"a": "model.safetensors"}})"),
              Succeeds());
  const Result<ModelGraph> indexed = OpenModel(directory.path());
  ASSERT_THAT(indexed, Succeeds());
  EXPECT_EQ(indexed->path().filename(), "model.safetensors.index.json");
}

TEST(OpenModel, NamesTheFileInErrors) {
  const TempDir directory;
  ASSERT_THAT(WriteFileAtomically(directory / "broken.gguf", "GGUF\x03"), Succeeds());
  EXPECT_THAT(
      OpenModel(directory / "broken.gguf"),
      FailsSaying(ErrorCode::kDataLoss, (directory / "broken.gguf").string() +
                                            "': at offset 4 of 5 it ends inside a number"));
}

TEST(OpenModel, RefusesGgufCountsBeyondTheFile) {
  std::string file("GGUF\x03\0\0\0", 8);
  file += std::string(8, '\xff') + std::string(8, '\0');
  const auto read = ReadGguf(MappedFile::FromMemory(file, "m"));
  EXPECT_THAT(read, FailsSaying(ErrorCode::kDataLoss, "ends inside"));
}

TEST(OpenModel, AFileThatShrinksIsNoticedBeforeItsWeightsAreRead) {
  const TempDir directory;
  const std::string header = R"({"w":{"dtype":"F32","shape":[4096],"data_offsets":[0,16384]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  ASSERT_THAT(WriteFileAtomically(directory / "m", file + header + std::string(16384, '\x01')),
              Succeeds());
  const Result<ModelGraph> model = OpenModel(directory / "m");
  ASSERT_THAT(model, Succeeds());
  EXPECT_THAT(model->ReadWeights(TensorId{0}), Succeeds());
  std::filesystem::resize_file(directory / "m", 100);
  EXPECT_THAT(model->ReadWeights(TensorId{0}), FailsWith(ErrorCode::kUnavailable));
}

}  // namespace
}  // namespace cboard::model
