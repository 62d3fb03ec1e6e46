// Schemas for the text format of protobuf messages, with the names and types of the fields.
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
  kDataType,    // The enum tensorflow.DataType.
  kFullTypeId,  // The enum tensorflow.FullTypeId.
  kMessage,
};

enum class FieldLabel : std::uint8_t {
  kPlain,     // Not printed if it has its default value.
  kOptional,  // Printed if it is present.
  kOneof,     // A member of the message's only oneof; printed if it is present.
  kRepeated,
  kMap,
};

struct MessageSchema;

struct FieldSchema {
  std::uint32_t number = 0;
  std::string_view name;
  FieldLabel label = FieldLabel::kPlain;
  FieldType type = FieldType::kString;      // Only for maps: the type of the values.
  const MessageSchema* message = nullptr;   // For kMessage.
  FieldType key_type = FieldType::kString;  // For maps.
};

struct MessageSchema {
  std::string_view name;
  std::vector<FieldSchema> fields;  // Sorted by number.

  const FieldSchema* Find(std::uint32_t number) const;  // nullptr: the message is unknown.
};

const MessageSchema& GraphDefSchema();
const MessageSchema& RunMetadataSchema();

// Returns the name of an enum value, such as "DT_FLOAT" or "TFT_TENSOR", or an empty text for
// unknown numbers.
std::string EnumName(FieldType type, std::int32_t number);

}  // namespace cboard::reader
