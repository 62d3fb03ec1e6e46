#include "model/graph/external_data.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::model {
namespace {

namespace fs = std::filesystem;

using testing::FailsSaying;
using testing::FailsWith;
using testing::Succeeds;

// A folder with a model and weights, and a file outside of it.
fs::path MakeFolder(const testing::TempDir& directory) {
  fs::create_directories(directory / "model/part");
  EXPECT_THAT(WriteFileAtomically(directory / "model/m.onnx", "m"), Succeeds());
  EXPECT_THAT(WriteFileAtomically(directory / "model/w.bin", "inside"), Succeeds());
  EXPECT_THAT(WriteFileAtomically(directory / "model/part/w.bin", "below"), Succeeds());
  EXPECT_THAT(WriteFileAtomically(directory / "secret", "outside"), Succeeds());
  return directory / "model";
}

class ExternalDataTest : public ::testing::Test {
 protected:
  testing::TempDir directory_;
  fs::path folder_ = MakeFolder(directory_);
  GraphAssembler graph_{ModelFormat::kOnnx, *MappedFile::Open(folder_ / "m.onnx")};
  ExternalData data_{graph_};
};

TEST_F(ExternalDataTest, MapsFilesInTheFolderAndBelow) {
  EXPECT_EQ(AsText(*data_.Map("w.bin")), "inside");
  EXPECT_EQ(AsText(*data_.Map("./w.bin")), "inside");
  EXPECT_EQ(AsText(*data_.Map("part/w.bin")), "below");
  fs::create_symlink("w.bin", folder_ / "link");
  EXPECT_EQ(AsText(*data_.Map("link")), "inside");
}

TEST_F(ExternalDataTest, CountsAFileOnceWhateverItIsCalled) {
  fs::create_symlink("w.bin", folder_ / "link");
  for (const char* name : {"w.bin", "./w.bin", ".//w.bin", "link"}) {
    EXPECT_THAT(data_.Map(name), testing::Succeeds());
  }
  EXPECT_EQ(graph_.Finish()->file_bytes(), std::string_view("minside").size());
}

TEST_F(ExternalDataTest, RefusesEveryWayOut) {
  const std::string absolute = (directory_ / "secret").string();
  EXPECT_THAT(data_.Map(absolute), FailsSaying(ErrorCode::kPermissionDenied, "absolute"));
  EXPECT_THAT(data_.Map("../secret"),
              FailsSaying(ErrorCode::kPermissionDenied, "outside of its folder"));
  EXPECT_THAT(data_.Map("part/../../secret"), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(data_.Map(""), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(data_.Map(std::string_view("w.bin\0x", 7)), FailsWith(ErrorCode::kPermissionDenied));

  fs::create_symlink("../secret", folder_ / "to_file");
  fs::create_directory_symlink("..", folder_ / "to_folder");
  EXPECT_THAT(data_.Map("to_file"), FailsSaying(ErrorCode::kPermissionDenied, "link"));
  EXPECT_THAT(data_.Map("to_folder/secret"), FailsSaying(ErrorCode::kPermissionDenied, "link"));
}

TEST_F(ExternalDataTest, AFolderWhoseNameBeginsTheSameIsOutside) {
  fs::create_directory(directory_ / "model2");
  ASSERT_THAT(WriteFileAtomically(directory_ / "model2/w.bin", "outside"), Succeeds());
  fs::create_symlink("../model2/w.bin", folder_ / "link");
  EXPECT_THAT(data_.Map("link"), FailsWith(ErrorCode::kPermissionDenied));
}

TEST_F(ExternalDataTest, SaysWhatIsMissing) {
  EXPECT_THAT(
      data_.Map("gone.bin"),
      FailsSaying(ErrorCode::kNotFound, "'gone.bin', which does not exist; put the file next to"));
}

}  // namespace
}  // namespace cboard::model
