// Reads protobuf messages without a copy, and turns protozero's exceptions into errors.
//
//   return ReadMessage<SessionLog>("SessionLog", bytes, [](pbf_reader fields, SessionLog& log) {
//     while (fields.next()) {
//       switch (fields.tag_and_type()) {
//         case Varint(1): log.status = …; break;
//         default: fields.skip();
//       }
//     }
//   });
//
// A field is identified by number and wire type together: a known number with another wire type is
// an unknown field and is skipped, as in protobuf. If a field that is not repeated occurs twice,
// the last one is used.
#pragma once

#include <cstdint>
#include <exception>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::proto {

using protozero::pbf_reader;

constexpr std::uint32_t Varint(std::uint32_t field) { return field << 3 | 0; }
constexpr std::uint32_t Fixed64(std::uint32_t field) { return field << 3 | 1; }
constexpr std::uint32_t Length(std::uint32_t field) { return field << 3 | 2; }
constexpr std::uint32_t Fixed32(std::uint32_t field) { return field << 3 | 5; }

// Returns the bytes of the current protobuf field.
inline std::string_view ViewOf(pbf_reader& fields) {
  const protozero::data_view view = fields.get_view();
  return {view.data(), view.size()};
}

// Reads the current field as a bool. pbf_reader::get_bool is not used, because it reads a byte
// without checking that it exists, and so reads past the end of a truncated message.
inline bool BoolOf(pbf_reader& fields) { return fields.get_uint64() != 0; }

// Reads an entry of a map with string keys: calls `visit(key, bytes of the value)`.
template <typename Visitor>
void ReadMapEntry(pbf_reader entry, const Visitor& visit) {
  std::string_view key, value;
  while (entry.next()) {
    switch (entry.tag_and_type()) {
      case Length(1):
        key = ViewOf(entry);
        break;
      case Length(2):
        value = ViewOf(entry);
        break;
      default:
        entry.skip();
    }
  }
  visit(key, value);
}

// The exception that PartBudget throws if a message has too many parts.
struct too_many_parts_exception : protozero::exception {
  const char* what() const noexcept override {
    return "more parts than a file of this size has reason to";
  }
};

// Describes the damage of a message in words, from the protozero exception that is being handled.
inline std::string DamageOf(const std::exception& exception) {
  if (dynamic_cast<const protozero::end_of_buffer_exception*>(&exception) != nullptr) {
    return "a field reaches past the end";
  }
  if (dynamic_cast<const protozero::varint_too_long_exception*>(&exception) != nullptr) {
    return "an integer is longer than ten bytes";
  }
  if (dynamic_cast<const protozero::invalid_tag_exception*>(&exception) != nullptr) {
    return "a field has an impossible number";
  }
  if (dynamic_cast<const protozero::invalid_length_exception*>(&exception) != nullptr) {
    return "the length of packed numbers is not a multiple of their size";
  }
  if (dynamic_cast<const protozero::unknown_pbf_wire_type_exception*>(&exception) != nullptr) {
    return "a field has an unknown wire type";
  }
  return exception.what();
}

// Calls `read` to fill `value` from `bytes`. Only this function catches protozero's exceptions. A
// damaged message is a kDataLoss error, and `value` keeps the fields before the damage. A message
// with too many parts is a kResourceExhausted error.
template <typename T, typename Read>
Result<void> ReadMessageInto(std::string_view name, std::string_view bytes, T& value,
                             const Read& read) {
  try {
    read(pbf_reader(bytes.data(), bytes.size()), value);
  } catch (const too_many_parts_exception& exception) {
    return Fail(ErrorCode::kResourceExhausted, std::string(name) + " of " +
                                                   std::to_string(bytes.size()) + " bytes has " +
                                                   exception.what());
  } catch (const protozero::exception& exception) {
    return Fail(ErrorCode::kDataLoss, std::string(name) + " of " + std::to_string(bytes.size()) +
                                          " bytes is damaged: " + DamageOf(exception));
  }
  return {};
}

template <typename T, typename Read>
Result<T> ReadMessage(std::string_view name, std::string_view bytes, const Read& read) {
  T value{};
  CBOARD_RETURN_IF_ERROR(ReadMessageInto(name, bytes, value, read));
  return value;
}

}  // namespace cboard::proto
