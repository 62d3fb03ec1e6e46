#include "reader/query/attribute_text.h"

#include <charconv>
#include <string>

#include "cboard/base/strings.h"
#include "proto/packed.h"
#include "proto/wire_reader.h"

namespace cboard::reader {
namespace {

using proto::Fixed32;
using proto::Length;
using proto::pbf_reader;
using proto::Varint;
using proto::ViewOf;

constexpr std::size_t kMaxNumbersOfTensor = 16;

struct ShapeView {
  proto::Shape shape;
  bool unknown_rank = false;
};

ShapeView ReadShapeView(std::string_view bytes) {
  ShapeView result;
  pbf_reader fields(bytes.data(), bytes.size());
  while (fields.next()) {
    if (fields.tag_and_type() == Length(2)) {
      std::int64_t size = 0;
      pbf_reader dimension = fields.get_message();
      while (dimension.next()) {
        if (dimension.tag_and_type() == Varint(1)) {
          size = dimension.get_int64();
        } else {
          dimension.skip();
        }
      }
      result.shape.push_back(size);
    } else if (fields.tag_and_type() == Varint(3)) {
      result.unknown_rank = proto::BoolOf(fields);
    } else {
      fields.skip();
    }
  }
  return result;
}

// Builds the text of an attribute. Stops when the text has the maximum size.
class AttributeWriter {
 public:
  explicit AttributeWriter(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void Value(std::string_view bytes) {
    pbf_reader fields(bytes.data(), bytes.size());
    while (fields.next()) {
      // The value is a oneof. If a message contains several of its members, the last one is used.
      switch (fields.tag_and_type()) {
        case Length(1):
          text_ = "[";
          List(ViewOf(fields));
          text_ += "]";
          break;
        case Length(2):
          text_.clear();
          Bytes(ViewOf(fields));
          break;
        case Varint(3):
          text_ = std::to_string(fields.get_int64());
          break;
        case Fixed32(4):
          text_.clear();
          Float(fields.get_float());
          break;
        case Varint(5):
          text_ = proto::BoolOf(fields) ? "true" : "false";
          break;
        case Varint(6):
          text_.clear();
          Type(fields.get_uint64());
          break;
        case Length(7):
          text_.clear();
          Shape(ViewOf(fields));
          break;
        case Length(8):
          text_.clear();
          Tensor(ViewOf(fields));
          break;
        case Length(9):
          text_ = "placeholder ";
          Bytes(ViewOf(fields));
          break;
        case Length(10):
          text_.clear();
          Function(ViewOf(fields));
          break;
        default:
          fields.skip();
      }
    }
  }

  std::string Take() { return std::move(text_); }
  bool elided() const { return elided_; }
  void MarkElided() { elided_ = true; }

 private:
  // Returns true if there is space for one more element, and adds a comma if one is needed.
  bool NextElement() {
    if (text_.size() >= max_bytes_) {
      if (!text_.ends_with("…")) text_ += ", …";
      elided_ = true;
      return false;
    }
    if (text_.size() > 1) text_ += ", ";
    return true;
  }

  void List(std::string_view bytes) {
    pbf_reader fields(bytes.data(), bytes.size());
    while (fields.next()) {
      switch (fields.tag()) {
        case 3:
          Numbers(fields, [&](std::uint64_t value) {
            text_ += std::to_string(static_cast<std::int64_t>(value));
          });
          break;
        case 5:
          Numbers(fields, [&](std::uint64_t value) { text_ += value != 0 ? "true" : "false"; });
          break;
        case 6:
          Numbers(fields, [&](std::uint64_t value) { Type(value); });
          break;
        case 4: {
          std::vector<float> floats;
          if (fields.wire_type() != protozero::pbf_wire_type::length_delimited &&
              fields.wire_type() != protozero::pbf_wire_type::fixed32) {
            fields.skip();
            break;
          }
          proto::AppendFixed(fields, floats);
          for (const float value : floats) {
            if (!NextElement()) break;
            Float(value);
          }
          break;
        }
        default:
          if (fields.wire_type() != protozero::pbf_wire_type::length_delimited) {
            fields.skip();
            break;
          }
          const std::uint32_t field = fields.tag();
          const std::string_view element = ViewOf(fields);
          if (field < 2 || field > 9 || !NextElement()) break;
          if (field == 2) Bytes(element);
          if (field == 7) Shape(element);
          if (field == 8) Tensor(element);
          if (field == 9) Function(element);
      }
    }
  }

  template <typename Write>
  void Numbers(pbf_reader& fields, const Write& write) {
    if (fields.wire_type() != protozero::pbf_wire_type::length_delimited &&
        fields.wire_type() != protozero::pbf_wire_type::varint) {
      fields.skip();
      return;
    }
    proto::ForEachVarint(fields, [&](std::uint64_t value) {
      if (NextElement()) write(value);
    });
  }

  void Bytes(std::string_view bytes) {
    const std::size_t room = max_bytes_ > text_.size() ? max_bytes_ - text_.size() : 0;
    if (!IsValidUtf8(bytes)) {
      text_ += std::to_string(bytes.size()) + " bytes";
      elided_ = true;
    } else if (bytes.size() > room) {
      text_ += ToValidUtf8(CutAtCharacter(bytes, room)) + "…";
      elided_ = true;
    } else {
      text_ += bytes;
    }
  }

  static std::string_view CutAtCharacter(std::string_view text, std::size_t size) {
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    return text.substr(0, size);
  }

  void Float(float value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
    text_.append(text, end);
  }

  void Type(std::uint64_t number) {
    const auto dtype = static_cast<proto::DataType>(static_cast<std::int32_t>(number));
    const std::string_view name = proto::NameOf(dtype);
    text_ += name == "?" ? std::to_string(static_cast<std::int32_t>(number)) : std::string(name);
  }

  void Shape(std::string_view bytes) {
    const ShapeView view = ReadShapeView(bytes);
    if (view.unknown_rank) {
      text_ += "[…]";
      return;
    }
    Dimensions(view.shape);
  }

  void Dimensions(const proto::Shape& shape) {
    text_ += "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i > 0) text_ += ", ";
      if (text_.size() >= max_bytes_) {
        text_ += "…";
        elided_ = true;
        break;
      }
      text_ += shape[i] < 0 ? "?" : std::to_string(shape[i]);
    }
    text_ += "]";
  }

  void Tensor(std::string_view bytes) {
    const Result<proto::Tensor> tensor = proto::ParseTensor(bytes);
    if (!tensor) {
      text_ += tensor.error().message;
      elided_ = true;
      return;
    }
    Type(static_cast<std::uint64_t>(tensor->dtype));
    text_ += " ";
    Dimensions(tensor->shape);
    const auto numbers = proto::ReadNumbers(*tensor, kMaxNumbersOfTensor);
    if (!numbers) {
      text_ += ", " + std::to_string(bytes.size()) + " bytes";
      elided_ = true;
      return;
    }
    text_ += ":";
    for (const double number : *numbers) text_ += " " + ShortestDecimal(number);
  }

  void Function(std::string_view bytes) {
    pbf_reader fields(bytes.data(), bytes.size());
    while (fields.next()) {
      if (fields.tag_and_type() == Length(1)) {
        Bytes(ViewOf(fields));
      } else {
        if (fields.tag_and_type() == Length(2)) elided_ = true;
        fields.skip();
      }
    }
  }

  std::size_t max_bytes_;
  std::string text_;
  bool elided_ = false;
};

}  // namespace

GraphAttribute AttributeText(std::string_view key, std::string_view value, std::size_t max_bytes) {
  AttributeWriter writer(max_bytes);
  const Result<void> read = proto::ReadMessageInto(
      "AttrValue", value, writer, [&](const pbf_reader&, AttributeWriter& to) { to.Value(value); });
  if (!read) return {ToValidUtf8(key), read.error().message, true};
  return {ToValidUtf8(key), writer.Take(), writer.elided()};
}

std::vector<std::optional<proto::Shape>> ShapesOf(std::string_view value) {
  std::vector<std::optional<proto::Shape>> shapes;
  const Result<void> read =
      proto::ReadMessageInto("AttrValue", value, shapes, [](pbf_reader fields, auto& out) {
        while (fields.next()) {
          if (fields.tag_and_type() != Length(1)) {
            fields.skip();
            continue;
          }
          pbf_reader list = fields.get_message();
          while (list.next()) {
            if (list.tag_and_type() != Length(7)) {
              list.skip();
              continue;
            }
            ShapeView view = ReadShapeView(ViewOf(list));
            if (view.unknown_rank) {
              out.push_back(std::nullopt);
            } else {
              out.push_back(std::move(view.shape));
            }
          }
        }
      });
  if (!read) shapes.clear();
  return shapes;
}

}  // namespace cboard::reader
