// Schema for the text form of a protobuf message: the names and types of its
// fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::reader {

enum class FieldType : std::uint8_t {
  kDouble,
  kFloat,
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kFixed64,
  kBool,
  kString,
  kBytes,
  kDataType,    // enum tensorflow.DataType
  kFullTypeId,  // enum tensorflow.FullTypeId
  kMessage,
};

enum class FieldLabel : std::uint8_t {
  kPlain,     // Left out when it has its default value.
  kOptional,  // Printed whenever it is there.
  kOneof,     // Likewise; of a message's one oneof.
  kRepeated,
  kMap,
};

struct MessageSchema;

struct FieldSchema {
  std::uint32_t number = 0;
  std::string_view name;
  FieldLabel label = FieldLabel::kPlain;
  FieldType type = FieldType::kString;      // For maps: the type of values.
  const MessageSchema* message = nullptr;   // For kMessage.
  FieldType key_type = FieldType::kString;  // For maps.
};

struct MessageSchema {
  std::string_view name;
  std::vector<FieldSchema> fields;  // By number.

  const FieldSchema* Find(std::uint32_t number) const;  // nullptr: unknown.
};

const MessageSchema& GraphDefSchema();
const MessageSchema& RunMetadataSchema();

// "DT_FLOAT", "TFT_TENSOR"; empty for numbers without a name.
std::string EnumName(FieldType type, std::int32_t number);

}  // namespace cboard::reader
