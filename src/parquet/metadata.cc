#include "parquet/metadata.h"

#include "parquet/thrift.h"

namespace cboard::parquet {
namespace {

// The numbers that Parquet uses for encodings.
constexpr std::int32_t kPlain = 0;
// The encoding of dictionary indices. Parquet also uses it for levels of nested columns, which
// these tables do not have.
constexpr std::int32_t kRle = 3;
constexpr std::int32_t kRleDictionary = 8;

std::int32_t PhysicalType(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return 6;  // BYTE_ARRAY
    case ColumnType::kInt64:
      return 2;
    case ColumnType::kDouble:
      break;
  }
  return 5;
}

std::int64_t Signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }
std::int32_t Small(std::uint64_t number) { return static_cast<std::int32_t>(number); }

void DescribeColumn(const Column& column, StructFields& element) {
  element.Int32(1, PhysicalType(column.type));
  element.Int32(3, 0);  // REQUIRED: every row has a value.
  element.Text(4, column.name);
  if (column.type != ColumnType::kText) return;
  element.Int32(6, 0);                            // UTF8, for readers older than 2017.
  element.Struct(10, [](StructFields& logical) {  // STRING, for newer readers.
    logical.Struct(1, [](StructFields&) {});
  });
}

void DescribeChunk(const Column& column, const ChunkInfo& chunk, StructFields& metadata) {
  metadata.Int32(1, PhysicalType(column.type));
  if (chunk.dictionary_offset) {
    metadata.Int32s(2, {kPlain, kRle, kRleDictionary});
  } else {
    metadata.Int32s(2, {kPlain, kRle});
  }
  metadata.Texts(3, {column.name});
  metadata.Int32(4, static_cast<std::int32_t>(chunk.codec));
  metadata.Int64(5, Signed(chunk.value_count));
  metadata.Int64(6, Signed(chunk.plain_bytes));
  metadata.Int64(7, Signed(chunk.stored_bytes));
  metadata.Int64(9, Signed(chunk.data_offset));
  if (chunk.dictionary_offset) metadata.Int64(11, Signed(*chunk.dictionary_offset));
  metadata.Struct(12, [&](StructFields& statistics) {
    statistics.Int64(3, 0);  // Number of nulls.
    if (!chunk.bounds) return;
    statistics.Text(5, chunk.bounds->greatest);
    statistics.Text(6, chunk.bounds->least);
  });
}

}  // namespace

std::string EncodePageHeader(const PageInfo& page) {
  std::string out;
  AppendStruct(out, [&](StructFields& header) {
    header.Int32(1, static_cast<std::int32_t>(page.type));
    header.Int32(2, Small(page.plain_bytes));
    header.Int32(3, Small(page.stored_bytes));
    header.Int32(4, Small(page.crc32));
    if (page.type == PageType::kData) {
      header.Struct(5, [&](StructFields& data) {
        data.Int32(1, Small(page.value_count));
        data.Int32(2, page.column == ColumnType::kText ? kRleDictionary : kPlain);
        data.Int32(3, kRle);
        data.Int32(4, kRle);
      });
    } else {
      header.Struct(7, [&](StructFields& dictionary) {
        dictionary.Int32(1, Small(page.value_count));
        dictionary.Int32(2, kPlain);
      });
    }
  });
  return out;
}

void AppendRowGroup(std::span<const Column> columns, std::span<const ChunkInfo> chunks,
                    std::uint64_t offset, std::size_t row_count, std::string& out) {
  std::string encoded;
  std::uint64_t plain_bytes = 0;
  std::uint64_t stored_bytes = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    plain_bytes += chunks[i].plain_bytes;
    stored_bytes += chunks[i].stored_bytes;
    AppendStruct(encoded, [&](StructFields& chunk) {
      chunk.Int64(2, 0);  // Offset of a copy of the metadata: there is none.
      chunk.Struct(3,
                   [&](StructFields& metadata) { DescribeChunk(columns[i], chunks[i], metadata); });
    });
  }
  AppendStruct(out, [&](StructFields& group) {
    group.Structs(1, columns.size(), encoded);
    group.Int64(2, Signed(plain_bytes));
    group.Int64(3, Signed(row_count));
    group.Int64(5, Signed(offset));
    group.Int64(6, Signed(stored_bytes));
  });
}

std::string EncodeFooter(std::span<const Column> columns, std::uint64_t row_count,
                         std::size_t group_count, std::string_view groups) {
  std::string schema;
  AppendStruct(schema, [&](StructFields& root) {
    root.Text(4, "schema");
    root.Int32(5, Small(columns.size()));
  });
  std::string orders;
  for (const Column& column : columns) {
    AppendStruct(schema, [&](StructFields& element) { DescribeColumn(column, element); });
    // Writes TypeDefinedOrder. Without it, readers ignore the min and max.
    AppendStruct(orders, [](StructFields& order) { order.Struct(1, [](StructFields&) {}); });
  }
  std::string out;
  AppendStruct(out, [&](StructFields& file) {
    file.Int32(1, 2);  // Format version.
    file.Structs(2, columns.size() + 1, schema);
    file.Int64(3, Signed(row_count));
    file.Structs(4, group_count, groups);
    // The name of the writer, in the format that parquet-java parses. parquet-java ignores the min
    // and max if it cannot identify the writer.
    file.Text(6, "compression-board version " CBOARD_VERSION);
    file.Structs(7, columns.size(), orders);
  });
  return out;
}

}  // namespace cboard::parquet
