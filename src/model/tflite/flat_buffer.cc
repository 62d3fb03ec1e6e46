#include "model/tflite/flat_buffer.h"

namespace cboard::model {

FlatTable FlatBuffer::Root() { return FlatTable(*this, Load<std::uint32_t>(0)); }

FlatTable::FlatTable(FlatBuffer& buffer, std::size_t position) : buffer_(&buffer) {
  position_ = position;
  const auto back = buffer.Load<std::int32_t>(position);
  // The offset is signed: the list of fields may be before or behind the table.
  const auto fields = static_cast<std::int64_t>(position) - back;
  if (fields < 0 || static_cast<std::uint64_t>(fields) >= buffer.bytes_.size()) {
    buffer.Damage(position);
    return;
  }
  fields_ = static_cast<std::size_t>(fields);
  fields_end_ = fields_ + buffer.Load<std::uint16_t>(fields_);
}

std::size_t FlatTable::FieldAt(std::size_t field) const {
  if (buffer_ == nullptr) return 0;
  const std::size_t entry = fields_ + 4 + 2 * field;
  if (entry + 2 > fields_end_) return 0;
  const auto offset = buffer_->Load<std::uint16_t>(entry);
  return offset == 0 ? 0 : position_ + offset;
}

std::size_t FlatTable::Follow(std::size_t at) const {
  const auto offset = buffer_->Load<std::uint32_t>(at);
  if (offset == 0 || offset >= buffer_->bytes_.size() - at) {
    buffer_->Damage(at);
    return 0;
  }
  return at + offset;
}

FlatTable FlatTable::Table(std::size_t field) const {
  const std::size_t at = FieldAt(field);
  if (at == 0 || at >= buffer_->bytes_.size()) return {};
  const std::size_t target = Follow(at);
  return target == 0 ? FlatTable() : FlatTable(*buffer_, target);
}

ByteSpan FlatTable::Vector(std::size_t field, std::size_t element_bytes) const {
  const std::size_t at = FieldAt(field);
  if (at == 0 || at >= buffer_->bytes_.size()) return {};
  const std::size_t target = Follow(at);
  if (target == 0) return {};
  const std::uint64_t bytes = std::uint64_t{buffer_->Load<std::uint32_t>(target)} * element_bytes;
  if (buffer_->bytes_.size() - target < 4 || bytes > buffer_->bytes_.size() - target - 4) {
    buffer_->Damage(target);
    return {};
  }
  return buffer_->bytes_.subspan(target + 4, static_cast<std::size_t>(bytes));
}

std::vector<FlatTable> FlatTable::Tables(std::size_t field) const {
  std::vector<FlatTable> tables;
  const ByteSpan offsets = Vector(field, 4);
  if (offsets.empty()) return tables;
  const auto begin = static_cast<std::size_t>(offsets.data() - buffer_->bytes_.data());
  tables.reserve(offsets.size() / 4);
  for (std::size_t i = 0; i < offsets.size(); i += 4) {
    const std::size_t target = Follow(begin + i);
    tables.push_back(target == 0 ? FlatTable() : FlatTable(*buffer_, target));
  }
  return tables;
}

std::string_view FlatTable::Text(std::size_t field) const { return AsText(Vector(field, 1)); }

}  // namespace cboard::model
