#include "reader/query/text_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/strings.h"
#include "proto/wire_reader.h"

namespace cboard::reader {
namespace {

using proto::pbf_reader;
using protozero::pbf_wire_type;

constexpr int kMaxDepth = 100;  // The limit of protobuf's parser.

// These types are exceptions that are used only in this file, in the style of the library
// protozero.
struct TooDeep {};
struct TooLong {};

// One occurrence of a field in a message: the number, or the bytes of a length-delimited value.
struct Occurrence {
  const FieldSchema* field = nullptr;
  std::uint64_t bits = 0;
  std::string_view bytes;
};

pbf_wire_type WireTypeOf(FieldType type) {
  switch (type) {
    case FieldType::kDouble:
    case FieldType::kFixed64:
      return pbf_wire_type::fixed64;
    case FieldType::kFloat:
      return pbf_wire_type::fixed32;
    case FieldType::kString:
    case FieldType::kBytes:
    case FieldType::kMessage:
      return pbf_wire_type::length_delimited;
    default:
      return pbf_wire_type::varint;
  }
}

std::uint64_t BitsOf(pbf_reader& fields, pbf_wire_type wire_type) {
  switch (wire_type) {
    case pbf_wire_type::fixed64:
      return fields.get_fixed64();
    case pbf_wire_type::fixed32:
      return fields.get_fixed32();
    default:
      return fields.get_uint64();
  }
}

template <typename Visit>
void ForEachPacked(std::string_view packed, pbf_wire_type wire_type, const Visit& visit) {
  const char* position = packed.data();
  const char* const end = packed.data() + packed.size();
  const std::size_t width = wire_type == pbf_wire_type::fixed64 ? 8 : 4;
  if (wire_type != pbf_wire_type::varint && packed.size() % width != 0) {
    throw protozero::invalid_length_exception();
  }
  while (position < end) {
    if (wire_type == pbf_wire_type::varint) {
      visit(protozero::decode_varint(&position, end));
    } else {
      const ByteSpan raw = AsBytes({position, width});
      visit(width == 8 ? LoadLittleEndian<std::uint64_t>(raw)
                       : std::uint64_t{LoadLittleEndian<std::uint32_t>(raw)});
      position += width;
    }
  }
}

// Returns the known fields of a message, sorted by number. If several members of a oneof are set,
// only the last one is returned, as in a protobuf parser.
std::vector<Occurrence> OccurrencesIn(const MessageSchema& schema, std::string_view bytes) {
  std::vector<Occurrence> found;
  std::vector<Occurrence> choice;  // The current member of the oneof.
  pbf_reader fields(bytes.data(), bytes.size());
  while (fields.next()) {
    const FieldSchema* field = schema.Find(fields.tag());
    const bool packable = field != nullptr && field->label == FieldLabel::kRepeated;
    const pbf_wire_type expected = field == nullptr ? pbf_wire_type::unknown
                                   : field->label == FieldLabel::kMap
                                       ? pbf_wire_type::length_delimited
                                       : WireTypeOf(field->type);
    if (field == nullptr) {
      fields.skip();
    } else if (fields.wire_type() == expected) {
      const bool is_choice = field->label == FieldLabel::kOneof;
      if (is_choice && !choice.empty() && choice.back().field != field) choice.clear();
      std::vector<Occurrence>& to = is_choice ? choice : found;
      if (expected == pbf_wire_type::length_delimited) {
        to.push_back({field, 0, proto::ViewOf(fields)});
      } else {
        to.push_back({field, BitsOf(fields, expected), {}});
      }
    } else if (packable && fields.wire_type() == pbf_wire_type::length_delimited) {
      ForEachPacked(proto::ViewOf(fields), expected, [&](std::uint64_t bits) {
        found.push_back({field, bits, {}});
      });
    } else {
      fields.skip();
    }
  }
  found.insert(found.end(), choice.begin(), choice.end());
  std::ranges::stable_sort(found, {}, [](const Occurrence& one) { return one.field->number; });
  return found;
}

// Formats a number with the smaller of protobuf's two precisions that reads back as the same value.
std::string FloatText(double value, int digits, int more_digits, bool is_float) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  const bool exact = is_float ? std::strtof(text, nullptr) == static_cast<float>(value)
                              : std::strtod(text, nullptr) == value;
  if (!exact) std::snprintf(text, sizeof(text), "%.*g", more_digits, value);
  return text;
}

class Printer {
 public:
  Printer(std::string& out, std::size_t max_bytes) : out_(out), max_bytes_(max_bytes) {}

  void Message(const MessageSchema& schema, std::string_view bytes) {
    if (depth_ > kMaxDepth) throw TooDeep();
    const std::vector<Occurrence> found = OccurrencesIn(schema, bytes);
    for (std::size_t i = 0; i < found.size();) {
      std::size_t end = i + 1;
      while (end < found.size() && found[end].field == found[i].field) ++end;
      Field(*found[i].field, std::span(found).subspan(i, end - i));
      i = end;
    }
  }

 private:
  void Field(const FieldSchema& field, std::span<const Occurrence> values) {
    if (field.label == FieldLabel::kMap) return Map(field, values);
    if (field.label == FieldLabel::kRepeated) {
      for (const Occurrence& value : values) Named(field.name, field, value);
    } else if (field.type == FieldType::kMessage && values.size() > 1) {
      // As in protobuf, several occurrences of a nested message are merged: their bytes are
      // concatenated.
      std::string merged;
      for (const Occurrence& value : values) merged += value.bytes;
      Named(field.name, field, {&field, 0, merged});
    } else {
      const Occurrence& last = values.back();
      const bool is_default = last.bits == 0 && last.bytes.empty();
      const bool plain = field.label == FieldLabel::kPlain && field.type != FieldType::kMessage;
      if (plain && (is_default || IsZero(field.type, last.bits))) return;
      Named(field.name, field, last);
    }
  }

  // True if a number equals the default after the conversion to its type. -0.0 does not equal the
  // default.
  static bool IsZero(FieldType type, std::uint64_t bits) {
    if (type == FieldType::kString || type == FieldType::kBytes) return false;
    const bool narrow = type == FieldType::kInt32 || type == FieldType::kUint32 ||
                        type == FieldType::kDataType || type == FieldType::kFullTypeId;
    return narrow ? static_cast<std::uint32_t>(bits) == 0 : bits == 0;
  }

  void Map(const FieldSchema& field, std::span<const Occurrence> entries) {
    // The entries of a map are sorted by key; if a key occurs several times, the last entry is
    // used. Texts are compared as bytes, and numbers as unsigned integers.
    struct Entry {
      std::uint64_t number = 0;
      std::string_view text;
      Occurrence value;
    };
    std::vector<Entry> sorted;
    std::deque<std::string> merged;  // Stores concatenated values.
    for (const Occurrence& occurrence : entries) {
      Entry entry;
      entry.value.field = &field;
      bool seen = false;
      pbf_reader fields(occurrence.bytes.data(), occurrence.bytes.size());
      while (fields.next()) {
        const bool is_key = fields.tag() == 1;
        const FieldType type = is_key ? field.key_type : field.type;
        if (fields.tag() > 2 || fields.wire_type() != WireTypeOf(type)) {
          fields.skip();
        } else if (is_key && type == FieldType::kString) {
          entry.text = proto::ViewOf(fields);
        } else if (is_key) {
          entry.number = BitsOf(fields, WireTypeOf(type));
          if (type == FieldType::kUint32) entry.number = static_cast<std::uint32_t>(entry.number);
        } else if (WireTypeOf(type) != pbf_wire_type::length_delimited) {
          entry.value.bits = BitsOf(fields, WireTypeOf(type));
        } else if (seen && type == FieldType::kMessage) {
          merged.push_back(std::string(entry.value.bytes) += proto::ViewOf(fields));
          entry.value.bytes = merged.back();
        } else {
          entry.value.bytes = proto::ViewOf(fields);
          seen = true;
        }
      }
      sorted.push_back(entry);
    }
    std::ranges::stable_sort(
        sorted, {}, [](const Entry& entry) { return std::pair(entry.number, entry.text); });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const Entry& entry = sorted[i];
      const bool is_last = i + 1 == sorted.size() || sorted[i + 1].number != entry.number ||
                           sorted[i + 1].text != entry.text;
      if (!is_last) continue;
      Open(field.name);
      const FieldSchema key = {.number = 1, .name = "key", .type = field.key_type};
      Named("key", key, {&key, entry.number, entry.text});
      Named("value", field, entry.value);
      Close();
    }
  }

  void Named(std::string_view name, const FieldSchema& field, const Occurrence& value) {
    if (field.type == FieldType::kMessage) {
      Open(name);
      Message(*field.message, value.bytes);
      Close();
      return;
    }
    Indent();
    out_ += name;
    out_ += ": ";
    Value(field.type, value);
    out_ += '\n';
    if (out_.size() > max_bytes_) throw TooLong();
  }

  void Value(FieldType type, const Occurrence& value) {
    switch (type) {
      case FieldType::kDouble:
        out_ += FloatText(std::bit_cast<double>(value.bits), 15, 17, false);
        break;
      case FieldType::kFloat: {
        const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
        out_ += FloatText(static_cast<double>(narrow), 6, 9, true);
        break;
      }
      case FieldType::kInt32:
        out_ += std::to_string(static_cast<std::int32_t>(value.bits));
        break;
      case FieldType::kInt64:
        out_ += std::to_string(static_cast<std::int64_t>(value.bits));
        break;
      case FieldType::kUint32:
        out_ += std::to_string(static_cast<std::uint32_t>(value.bits));
        break;
      case FieldType::kUint64:
      case FieldType::kFixed64:
        out_ += std::to_string(value.bits);
        break;
      case FieldType::kBool:
        out_ += value.bits != 0 ? "true" : "false";
        break;
      case FieldType::kString:
        Text(IsValidUtf8(value.bytes) ? value.bytes : std::string_view(ToValidUtf8(value.bytes)),
             false);
        break;
      case FieldType::kBytes:
        Text(value.bytes, true);
        break;
      case FieldType::kDataType:
      case FieldType::kFullTypeId: {
        const auto number = static_cast<std::int32_t>(value.bits);
        const std::string name = EnumName(type, number);
        out_ += name.empty() ? std::to_string(number) : name;
        break;
      }
      case FieldType::kMessage:
        break;
    }
  }

  void Text(std::string_view text, bool is_bytes) {
    out_ += '"';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      switch (c) {
        case '\n':
          out_ += "\\n";
          break;
        case '\r':
          out_ += "\\r";
          break;
        case '\t':
          out_ += "\\t";
          break;
        case '"':
          out_ += "\\\"";
          break;
        case '\'':
          out_ += "\\'";
          break;
        case '\\':
          out_ += "\\\\";
          break;
        default:
          if (byte < 0x20 || byte == 0x7F || (is_bytes && byte >= 0x80)) {
            out_ += {'\\', static_cast<char>('0' + (byte >> 6)),
                     static_cast<char>('0' + (byte >> 3 & 7)), static_cast<char>('0' + (byte & 7))};
          } else {
            out_ += c;
          }
      }
    }
    out_ += '"';
  }

  void Indent() { out_.append(static_cast<std::size_t>(depth_) * 2, ' '); }
  void Open(std::string_view name) {
    Indent();
    out_ += name;
    out_ += " {\n";
    ++depth_;
  }
  void Close() {
    --depth_;
    Indent();
    out_ += "}\n";
    if (out_.size() > max_bytes_) throw TooLong();
  }

  std::string& out_;
  std::size_t max_bytes_;
  int depth_ = 0;
};

}  // namespace

Result<std::string> ToTextFormat(const MessageSchema& schema, std::string_view bytes,
                                 std::size_t max_bytes) {
  std::string text;
  try {
    CBOARD_RETURN_IF_ERROR(
        proto::ReadMessageInto(schema.name, bytes, text, [&](const pbf_reader&, std::string& out) {
          Printer(out, max_bytes).Message(schema, bytes);
        }));
  } catch (const TooDeep&) {
    return Fail(ErrorCode::kDataLoss, "the " + std::string(schema.name) +
                                          " has nested messages more than " +
                                          std::to_string(kMaxDepth) + " levels deep");
  } catch (const TooLong&) {
    return Fail(ErrorCode::kResourceExhausted,
                "the " + std::string(schema.name) + " would be more than " +
                    HumanBytes(static_cast<double>(max_bytes)) +
                    " as text; show it with a limit for the size of attributes");
  }
  return text;
}

}  // namespace cboard::reader
