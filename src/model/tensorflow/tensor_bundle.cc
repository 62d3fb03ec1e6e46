#include "model/tensorflow/tensor_bundle.h"

#include <array>
#include <cstdio>
#include <limits>

#include "cboard/base/strings.h"
#include "proto/shape.h"
#include "proto/wire_reader.h"

namespace cboard::model {
namespace {

using proto::Length;
using proto::pbf_reader;
using proto::Varint;
using proto::ViewOf;

constexpr std::size_t kFooterBytes = 48;
constexpr std::uint64_t kTableMagic = 0xdb4775248b80fb57;

tl::unexpected<Error> DamagedBundle(const std::string& what) {
  return Fail(ErrorCode::kDataLoss, "the index of the checkpoint is damaged: " + what);
}

// Reads numbers and bytes from the start of a span. Each step fails if there are not enough bytes.
class Cursor {
 public:
  explicit Cursor(ByteSpan bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }

  Result<std::uint64_t> TakeVarint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(bytes_[0]);
      bytes_ = bytes_.subspan(1);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return DamagedBundle("a number in it is incomplete");
  }

  Result<ByteSpan> Take(std::uint64_t count) {
    if (count > bytes_.size()) return DamagedBundle("an entry ends after the end of its block");
    const ByteSpan taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

 private:
  ByteSpan bytes_;
};

// Reads the handle of a block, which is an offset and a length. Returns the block without the five
// bytes of the trailer behind it.
Result<ByteSpan> TakeBlock(Cursor& handle, ByteSpan table) {
  CBOARD_ASSIGN_OR_RETURN(const std::uint64_t offset, handle.TakeVarint());
  CBOARD_ASSIGN_OR_RETURN(const std::uint64_t length, handle.TakeVarint());
  if (offset > table.size() || length >= table.size() - offset || length < 4) {
    return DamagedBundle("a block of " + std::to_string(length) + " bytes at offset " +
                         std::to_string(offset) + " is outside the file");
  }
  const ByteSpan block =
      table.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
  const auto compression = table[static_cast<std::size_t>(offset + length)];
  if (compression != std::byte{0}) {
    return DamagedBundle("a block is compressed, but TensorFlow writes uncompressed blocks");
  }
  return block;
}

// Calls `visit(key, value)` for each entry of a block. A block stores only the part of a key that
// differs from the previous key.
template <typename Visitor>
Result<void> ForEachEntry(ByteSpan block, GraphAssembler& graph, const Visitor& visit) {
  const auto restarts = LoadLittleEndian<std::uint32_t>(block.last(4));
  if (restarts > (block.size() - 4) / 4)
    return DamagedBundle("a block has too many restart points");
  Cursor cursor(block.first(block.size() - 4 - std::size_t{4} * restarts));
  std::string key;
  while (!cursor.empty()) {
    CBOARD_ASSIGN_OR_RETURN(const std::uint64_t shared, cursor.TakeVarint());
    CBOARD_ASSIGN_OR_RETURN(const std::uint64_t added, cursor.TakeVarint());
    CBOARD_ASSIGN_OR_RETURN(const std::uint64_t value_length, cursor.TakeVarint());
    if (shared > key.size())
      return DamagedBundle("a key repeats more characters than the key before it has");
    key.resize(static_cast<std::size_t>(shared));
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan rest, cursor.Take(added));
    key += AsText(rest);
    CBOARD_RETURN_IF_ERROR(graph.Charge(2 * key.size() + 192));  // Including its entry in the map.
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan value, cursor.Take(value_length));
    CBOARD_RETURN_IF_ERROR(visit(key, value));
  }
  return {};
}

// The fields of a BundleEntryProto.
struct EntryFields {
  proto::DataType type = proto::DataType::kInvalid;
  proto::ShapeFields shape;
  std::uint64_t shard = 0, offset = 0, size = 0;
  bool is_sliced = false;
};

void ReadEntryFields(pbf_reader fields, EntryFields& entry) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Varint(1):
        entry.type = static_cast<proto::DataType>(fields.get_enum());
        break;
      case Length(2):
        entry.shape = proto::ReadShape(fields.get_message());
        break;
      case Varint(3):
        entry.shard = fields.get_uint64();
        break;
      case Varint(4):
        entry.offset = fields.get_uint64();
        break;
      case Varint(5):
        entry.size = fields.get_uint64();
        break;
      case Length(7):
        entry.is_sliced = true;
        fields.skip();
        break;
      default:
        fields.skip();
    }
  }
}

// Reads the checkpoint key of each variable from the object graph of TensorFlow 2.
void ReadObjectGraph(pbf_reader fields, std::map<std::string, std::string, std::less<>>& keys) {
  while (fields.next()) {
    if (fields.tag_and_type() != Length(1)) {
      fields.skip();
      continue;
    }
    pbf_reader object = fields.get_message();
    while (object.next()) {
      if (object.tag_and_type() != Length(2)) {
        object.skip();
        continue;
      }
      std::string_view full_name, key;
      pbf_reader attribute = object.get_message();
      while (attribute.next()) {
        if (attribute.tag_and_type() == Length(2)) {
          full_name = ViewOf(attribute);
        } else if (attribute.tag_and_type() == Length(3)) {
          key = ViewOf(attribute);
        } else {
          attribute.skip();
        }
      }
      if (!full_name.empty() && !key.empty()) keys.emplace(full_name, key);
    }
  }
}

class BundleReader {
 public:
  BundleReader(const std::string& prefix, ExternalData& files, GraphAssembler& graph)
      : prefix_(prefix), files_(files), graph_(graph) {}

  Result<TensorBundle> Run() {
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan table, files_.Map(prefix_ + ".index"));
    if (table.size() < kFooterBytes ||
        LoadLittleEndian<std::uint64_t>(table.last(8)) != kTableMagic) {
      return DamagedBundle("the end of the file is missing or damaged");
    }
    Cursor footer(table.last(kFooterBytes));
    CBOARD_RETURN_IF_ERROR(footer.TakeVarint());  // Skips the block of table properties.
    CBOARD_RETURN_IF_ERROR(footer.TakeVarint());
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan index, TakeBlock(footer, table));
    const auto read_block = [&](const std::string&, ByteSpan value) -> Result<void> {
      Cursor handle(value);
      CBOARD_ASSIGN_OR_RETURN(const ByteSpan block, TakeBlock(handle, table));
      // Counts the bytes of each block. A valid table lists each block once; a table with many
      // repeated blocks reaches the memory limit.
      CBOARD_RETURN_IF_ERROR(graph_.Charge(block.size()));
      return ForEachEntry(block, graph_,
                          [&](const std::string& key, ByteSpan entry) { return Add(key, entry); });
    };
    CBOARD_RETURN_IF_ERROR(ForEachEntry(index, graph_, read_block));
    CBOARD_RETURN_IF_ERROR(ReadVariableNames());
    return std::move(bundle_);
  }

 private:
  Result<void> Add(const std::string& key, ByteSpan value) {
    if (key.empty()) return ReadHeader(value);
    CBOARD_ASSIGN_OR_RETURN(EntryFields fields,
                            proto::ReadMessage<EntryFields>("checkpoint entry " + Quoted(key),
                                                            AsText(value), ReadEntryFields));
    // Skips the entry of a partitioned variable: each part has its own entry.
    if (fields.is_sliced) return {};
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan shard, Shard(fields.shard));
    if (fields.offset > shard.size() || fields.size > shard.size() - fields.offset) {
      return DamagedBundle("entry " + Quoted(key) + " is at offset " +
                           std::to_string(fields.offset) + " with " + std::to_string(fields.size) +
                           " bytes, but its data file is smaller: " + std::to_string(shard.size()));
    }
    bundle_.entries[key] = {fields.type, std::move(fields.shape.dimensions),
                            shard.subspan(static_cast<std::size_t>(fields.offset),
                                          static_cast<std::size_t>(fields.size))};
    return {};
  }

  Result<void> ReadHeader(ByteSpan value) {
    CBOARD_ASSIGN_OR_RETURN(shard_count_, proto::ReadMessage<std::uint64_t>(
                                              "checkpoint header", AsText(value),
                                              [](pbf_reader fields, std::uint64_t& count) {
                                                while (fields.next()) {
                                                  if (fields.tag_and_type() == Varint(1)) {
                                                    count = fields.get_uint64();
                                                  } else {
                                                    fields.skip();
                                                  }
                                                }
                                              }));
    return {};
  }

  Result<ByteSpan> Shard(std::uint64_t number) {
    if (shard_count_ > 99999 || number >= shard_count_) {
      return DamagedBundle("an entry refers to data file " + std::to_string(number) +
                           ", but the number of data files is " + std::to_string(shard_count_));
    }
    std::array<char, 64> suffix;
    std::snprintf(suffix.data(), suffix.size(), ".data-%05u-of-%05u", static_cast<unsigned>(number),
                  static_cast<unsigned>(shard_count_));
    return files_.Map(prefix_ + suffix.data());
  }

  // Reads the keys of variables. They are in a string tensor with one element, which is stored as
  // its length, a checksum of the length, and its bytes.
  Result<void> ReadVariableNames() {
    const auto found = bundle_.entries.find("_CHECKPOINTABLE_OBJECT_GRAPH");
    if (found == bundle_.entries.end()) return {};
    Cursor cursor(found->second.data);
    CBOARD_ASSIGN_OR_RETURN(const std::uint64_t length, cursor.TakeVarint());
    CBOARD_RETURN_IF_ERROR(cursor.Take(4));
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan graph, cursor.Take(length));
    return proto::ReadMessageInto("checkpoint's object graph", AsText(graph),
                                  bundle_.keys_by_variable, ReadObjectGraph);
  }

  std::string prefix_;
  ExternalData& files_;
  GraphAssembler& graph_;
  std::uint64_t shard_count_ = 1;
  TensorBundle bundle_;
};

}  // namespace

const BundleEntry* TensorBundle::Find(std::string_view variable) const {
  const auto key = keys_by_variable.find(variable);
  const auto entry = entries.find(key == keys_by_variable.end() ? variable : key->second);
  return entry == entries.end() ? nullptr : &entry->second;
}

Result<TensorBundle> ReadTensorBundle(const std::string& prefix, ExternalData& files,
                                      GraphAssembler& graph) {
  return BundleReader(prefix, files, graph).Run();
}

}  // namespace cboard::model
