// Sinks and sources for tests: one discards data, one stores it, one fails, one
// grows.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/record/record_reader.h"

namespace cboard::testing {

class NullSink final : public ByteSink {
 public:
  Result<void> Write(ByteSpan) override { return {}; }
};

class StringSink final : public ByteSink {
 public:
  Result<void> Write(ByteSpan bytes) override {
    writes_.emplace_back(AsText(bytes));
    text_ += AsText(bytes);
    return {};
  }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& writes() const { return writes_; }

 private:
  std::string text_;
  std::vector<std::string> writes_;
};

class FailingSink final : public ByteSink {
 public:
  explicit FailingSink(Error error) : error_(std::move(error)) {}
  Result<void> Write(ByteSpan) override { return Fail(error_); }

 private:
  Error error_;
};

// A file that grows between two reads.
class GrowingSource final : public record::ByteSource {
 public:
  void Grow(ByteSpan bytes) { bytes_ += AsText(bytes); }
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) override {
    if (offset >= bytes_.size()) return std::size_t{0};
    const std::size_t count =
        std::min(buffer.size(), bytes_.size() - static_cast<std::size_t>(offset));
    std::memcpy(buffer.data(), bytes_.data() + offset, count);
    return count;
  }

 private:
  std::string bytes_;
};

}  // namespace cboard::testing
