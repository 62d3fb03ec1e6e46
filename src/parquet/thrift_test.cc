#include "parquet/thrift.h"

#include <gtest/gtest.h>

#include <limits>

namespace cboard::parquet {
namespace {

using namespace std::string_literals;  // NOLINT: for ""s with zero bytes.

template <typename Describe>
std::string Encoded(const Describe& describe) {
  std::string out;
  AppendStruct(out, describe);
  return out;
}

TEST(Thrift, StructsWithoutFieldsAreTheStopAlone) {
  EXPECT_EQ(Encoded([](StructFields&) {}), "\0"s);
}

TEST(Thrift, IntegersAreSmallNearZero) {
  EXPECT_EQ(Encoded([](StructFields& fields) {
              fields.Int32(1, 0);
              fields.Int32(2, -1);
              fields.Int64(3, 64);
            }),
            "\x15\x00\x15\x01\x16\x80\x01\x00"s);
  EXPECT_EQ(Encoded([](StructFields& fields) {
              fields.Int32(1, std::numeric_limits<std::int32_t>::min());
            }),
            "\x15\xff\xff\xff\xff\x0f\x00"s);
}

TEST(Thrift, FieldsSayHowFarTheyAreFromTheOneBefore) {
  EXPECT_EQ(Encoded([](StructFields& fields) {
              fields.Int32(4, 1);
              fields.Struct(5, [](StructFields& inner) { inner.Int32(1, 2); });
              fields.Text(12, "é");  // Counts from 5, whatever stood in the struct.
            }),
            "\x45\x02\x1c\x15\x04\x00\x78\x02\xc3\xa9\x00"s);
}

TEST(Thrift, ListsSayTheirTypeAndSize) {
  EXPECT_EQ(Encoded([](StructFields& fields) {
              fields.Int32s(2, {0, 3, 8});
              fields.Texts(3, {"run"});
              fields.Structs(4, 2, "\0\0"s);
            }),
            "\x29\x35\x00\x06\x10\x19\x18\x03run\x19\x2c\x00\x00\x00"s);
}

TEST(Thrift, LongListsHaveTheirSizeInBytesOfItsOwn) {
  for (const auto& [count, header] : {std::pair(14, "\x19\xec"s), std::pair(15, "\x19\xfc\x0f"s),
                                      std::pair(200, "\x19\xfc\xc8\x01"s)}) {
    const std::string structs(static_cast<std::size_t>(count), '\0');
    EXPECT_EQ(Encoded([&](StructFields& fields) { fields.Structs(1, structs.size(), structs); }),
              header + structs + '\0');
  }
}

}  // namespace
}  // namespace cboard::parquet
