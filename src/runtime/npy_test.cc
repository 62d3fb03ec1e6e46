#include "cboard/runtime/npy.h"

#include <gmock/gmock.h>

#include "cboard/base/file.h"
#include "cboard/tensor/convert.h"
#include "runtime/testing/npy_builder.h"
#include "runtime/zip_reader.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::runtime {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::Npy;
using testing::NpyWithHeader;
using testing::Succeeds;
using testing::Zip;

constexpr std::uint64_t kLimit = 1 << 20;

// Reads all elements of the only array.
Result<std::vector<double>> ReadFirst(const std::string& archive, std::uint64_t max_bytes) {
  CBOARD_ASSIGN_OR_RETURN(NpyFile file, NpyFile::FromBytes(AsBytes(archive), "x", max_bytes));
  CBOARD_ASSIGN_OR_RETURN(const TensorView tensor, file.Read(0));
  return tensor::ToDoubles(tensor);
}

TEST(Npy, ReadsDtypeShapeAndElements) {
  const std::string file = Npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6});
  const auto array = ParseNpy(AsBytes(file));
  ASSERT_THAT(array, Succeeds());
  EXPECT_EQ(array->dtype, DType::kFloat32);
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  EXPECT_FALSE(array->fortran_order);
  EXPECT_EQ(array->data.size(), 24u);
}

TEST(Npy, TakesTheSpellingsThatNumpyHasHad) {
  const std::string elements(16, '\0');
  for (const char* header : {"{'shape': (4,), 'descr': '<i4', 'fortran_order': False}",
                             "{\"descr\": \"<i4\", \"fortran_order\": False, \"shape\": (4L,), }",
                             "{'descr':'<i4','fortran_order':False,'shape':(4,)}          "}) {
    const std::string file = NpyWithHeader(header, elements);
    const auto array = ParseNpy(AsBytes(file));
    ASSERT_THAT(array, Succeeds()) << header;
    EXPECT_THAT(array->shape, ElementsAre(4));
  }
  const std::string scalar = Npy<double>("<f8", "()", {3});
  EXPECT_THAT(ParseNpy(AsBytes(scalar))->shape, IsEmpty());
  // The length field of version 2 has more bytes.
  std::string second("\x93NUMPY\x02\x00", 8);
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 7)}\n";
  testing::AppendNumber(second, static_cast<std::uint32_t>(header.size()));
  second += header;
  EXPECT_THAT(ParseNpy(AsBytes(second)), Succeeds());
}

TEST(Npy, NamesWhatIsWrong) {
  struct Case {
    const char* what;
    std::string file;
    ErrorCode code;
    const char* says;
  };
  const std::string good = Npy<float>("<f4", "(2,)", {1, 2});
  const auto header = [](const char* text) { return NpyWithHeader(text, std::string(64, '\0')); };
  const std::vector<Case> cases = {
      {"another file", "PNG", ErrorCode::kInvalidArgument, "not a .npy file"},
      {"cut in the magic", good.substr(0, 7), ErrorCode::kTruncated, "header"},
      {"cut in the length", good.substr(0, 9), ErrorCode::kTruncated, "header"},
      {"cut in the header", good.substr(0, 20), ErrorCode::kTruncated, "header"},
      {"cut in the elements", good.substr(0, good.size() - 1), ErrorCode::kTruncated,
       "7 bytes of elements, but its shape needs 8"},
      {"version 9", "\x93NUMPY\x09" + good.substr(7), ErrorCode::kInvalidArgument, "version 9"},
      {"objects", header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
       ErrorCode::kInvalidArgument, "'|O'"},
      {"big-endian", header("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}"),
       ErrorCode::kInvalidArgument, "'>f4'"},
      {"records", header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
       ErrorCode::kInvalidArgument, "records"},
      {"NegativeDimension", header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
       ErrorCode::kDataLoss, "invalid shape"},
      {"HugeDimension",
       header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
       ErrorCode::kDataLoss, "invalid shape"},
      {"OverflowingProduct",
       header("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
       ErrorCode::kDataLoss, "too large for memory"},
      {"no shape", header("{'descr': '<f4', 'fortran_order': False}"), ErrorCode::kDataLoss,
       "lacks one of"},
      {"no end", header("{'descr': '<f4"), ErrorCode::kDataLoss, "without a closing quote"},
      {"not a dictionary", header("[1, 2]"), ErrorCode::kDataLoss, "not a dictionary"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ParseNpy(AsBytes(c.file)), FailsSaying(c.code, c.says)) << c.what;
  }
}

TEST(NpyFile, FortransOrderIsTurnedIntoRows) {
  // numpy.asfortranarray([[0, 1, 2], [3, 4, 5]]) stores columns.
  const std::string file = Npy<std::int32_t>("<i4", "(2, 3)", {0, 3, 1, 4, 2, 5}, true);
  auto arrays = NpyFile::FromBytes(AsBytes(file), "a", kLimit);
  ASSERT_THAT(arrays, Succeeds());
  EXPECT_THAT(*tensor::ToDoubles(*arrays->Read(0)), ElementsAre(0, 1, 2, 3, 4, 5));
  // [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
  const std::string cube = Npy<std::int8_t>("|i1", "(2, 2, 2)", {0, 4, 2, 6, 1, 5, 3, 7}, true);
  auto cubes = NpyFile::FromBytes(AsBytes(cube), "a", kLimit);
  EXPECT_THAT(*tensor::ToDoubles(*cubes->Read(0)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(NpyFile, ReadsArchivesStoredAndDeflated) {
  for (const bool deflated : {false, true}) {
    const std::string archive = Zip({{"x.npy", Npy<float>("<f4", "(2,)", {1, 2})},
                                     {"notes.txt", "hello"},
                                     {"layer/w.npy", Npy<std::int64_t>("<i8", "(1,)", {7})}},
                                    deflated);
    auto file = NpyFile::FromBytes(AsBytes(archive), "ignored", kLimit);
    ASSERT_THAT(file, Succeeds());
    ASSERT_EQ(file->arrays().size(), 2u);
    EXPECT_EQ(file->arrays()[0].name, "x");
    EXPECT_THAT(*tensor::ToDoubles(*file->Read(0)), ElementsAre(1, 2));
    EXPECT_EQ(file->arrays()[1].name, "layer/w");
    EXPECT_THAT(*tensor::ToDoubles(*file->Read(1)), ElementsAre(7));
  }
}

TEST(NpyFile, OpensFilesAndSaysWhichOneIsWrong) {
  const testing::TempDir folder;
  ASSERT_THAT(WriteFileAtomically(folder / "x.npy", Npy<float>("<f4", "(1,)", {5})), Succeeds());
  const auto file = NpyFile::Open(folder / "x.npy");
  ASSERT_THAT(file, Succeeds());
  EXPECT_EQ(file->arrays()[0].name, "x");
  ASSERT_THAT(WriteFileAtomically(folder / "bad.npy", "nothing"), Succeeds());
  EXPECT_THAT(NpyFile::Open(folder / "bad.npy"),
              FailsSaying(ErrorCode::kInvalidArgument, "bad.npy"));
  EXPECT_THAT(NpyFile::Open(folder / "none.npz"), FailsWith(ErrorCode::kNotFound));
}

TEST(NpyFile, EveryTruncationOfAnArchiveFails) {
  const std::string archive = Zip({{"x.npy", Npy<float>("<f4", "(2,)", {1, 2})}}, true);
  for (std::size_t size = 0; size < archive.size(); ++size) {
    EXPECT_FALSE(ReadFirst(archive.substr(0, size), kLimit)) << size;
  }
}

TEST(NpyFile, EveryBitFlipOfAnArraysBytesIsSeen) {
  const std::string content = Npy<float>("<f4", "(2,)", {1, 2});
  std::string archive = Zip({{"x.npy", content}});
  const std::size_t start = archive.find(content);
  for (std::size_t i = start; i < start + content.size(); ++i) {
    archive[i] = static_cast<char>(archive[i] ^ 4);
    EXPECT_THAT(ReadFirst(archive, kLimit), FailsSaying(ErrorCode::kDataLoss, "checksum"));
    archive[i] = static_cast<char>(archive[i] ^ 4);
  }
}

TEST(NpyFile, BombsAreRefusedBeforeTheyGrow) {
  const std::string zeros =
      NpyWithHeader("{'descr': '|u1', 'fortran_order': False, 'shape': (3000000,)}",
                    std::string(3'000'000, '\0'));
  const std::string archive = Zip({{"x.npy", zeros}}, true);
  ASSERT_LT(archive.size(), 10'000u);
  EXPECT_THAT(ReadFirst(archive, kLimit), FailsWith(ErrorCode::kResourceExhausted));
  // A size that deflated data of this length cannot have.
  std::string claims = archive;
  const std::size_t directory = claims.find("PK\x01\x02");
  const std::uint32_t size = 0x7FFFFFFF;
  claims.replace(directory + 24, 4, reinterpret_cast<const char*>(&size), 4);
  EXPECT_THAT(NpyFile::FromBytes(AsBytes(claims), "x", ~std::uint64_t{0}),
              FailsSaying(ErrorCode::kDataLoss, "would decompress"));
}

// An array of 128 MiB that takes 130 kB in the archive: too large to be checked completely.
TEST(NpyFile, InflatesTheRowsThatAreAskedForOnly) {
  constexpr std::size_t kRows = 1 << 15, kRowBytes = 1 << 12;
  std::string elements(kRows * kRowBytes, '\0');
  for (std::size_t row = 0; row < kRows; ++row) elements[row * kRowBytes] = char(row % 100);
  const std::string archive =
      Zip({{"x.npy", NpyWithHeader("{'descr': '|u1', 'fortran_order': False, 'shape': (32768, "
                                   "4096)}",
                                   elements)}},
          true);
  ASSERT_LT(archive.size(), elements.size() / 100);
  auto file = NpyFile::FromBytes(AsBytes(archive), "x", kLimit);
  ASSERT_THAT(file, Succeeds());
  EXPECT_THAT(file->arrays()[0].shape, ElementsAre(kRows, kRowBytes));
  for (const std::size_t rows : {std::size_t{0}, std::size_t{20}, std::size_t{150}}) {
    const auto tensor = file->Read(0, rows);
    ASSERT_THAT(tensor, Succeeds());
    EXPECT_THAT(tensor->shape, ElementsAre(rows, kRowBytes));
    const auto* const bytes = static_cast<const char*>(tensor->data);
    EXPECT_EQ(std::string_view(bytes, rows * kRowBytes),
              std::string_view(elements).substr(0, rows * kRowBytes));
  }
  // 170 rows are in memory; the limit is 256.
  EXPECT_THAT(file->Read(0, 100), FailsSaying(ErrorCode::kResourceExhausted, "but only"));
  EXPECT_THAT(file->Read(0), FailsWith(ErrorCode::kResourceExhausted));
}

TEST(NpyFile, TheSameNameTwiceIsNoChoice) {
  const std::string x = Npy<float>("<f4", "(1,)", {1});
  const std::string archive = Zip({{"x.npy", x}, {"x.npy", x}});
  EXPECT_THAT(NpyFile::FromBytes(AsBytes(archive), "x", kLimit),
              FailsSaying(ErrorCode::kDataLoss, "'x' twice"));
}

TEST(ZipReader, FilesThatShareTheirBytesAreRefused) {
  std::string archive = Zip({{"a.npy", std::string(5000, 'a')}, {"b.npy", std::string(9, 'b')}});
  // Makes the second entry of the directory a copy of the first.
  const std::size_t first = archive.find("PK\x01\x02"),
                    second = archive.find("PK\x01\x02", first + 1);
  archive.replace(second, 46, archive.substr(first, 46));
  EXPECT_THAT(ListZip(AsBytes(archive)), FailsSaying(ErrorCode::kDataLoss, "overlap"));
}

}  // namespace
}  // namespace cboard::runtime
