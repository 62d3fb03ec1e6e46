// Splits ONNX messages into fields, so that most of their bytes can be copied unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "proto/wire_reader.h"

namespace cboard::runtime {

// Maximum depth of nested subgraphs. No known exporter writes so many levels.
inline constexpr std::size_t kMaxBodyDepth = 32;

// A message as a list of pieces. A piece is either unchanged bytes of the old message or new bytes.
class ModelParts {
 public:
  void Keep(std::string_view bytes) {
    size_ += bytes.size();
    if (ends_kept_ && pieces_.back().data() + pieces_.back().size() == bytes.data()) {
      pieces_.back() = {pieces_.back().data(), pieces_.back().size() + bytes.size()};
    } else {
      pieces_.push_back(bytes);
    }
    ends_kept_ = true;
  }
  void Put(std::string bytes) {
    size_ += bytes.size();
    pieces_.push_back(made_.emplace_back(std::move(bytes)));
    ends_kept_ = false;
  }

  std::size_t size() const { return size_; }
  void AppendTo(std::string& out) const {
    for (const std::string_view piece : pieces_) out += piece;
  }

 private:
  std::vector<std::string_view> pieces_;
  std::deque<std::string> made_;
  bool ends_kept_ = false;  // True if the last piece is unchanged bytes.
  std::size_t size_ = 0;
};

// Calls `visit(tag_and_type, content, whole)` for each field of a message. `content` is empty for
// fields that have no length.
template <typename Visit>
void ForEachField(proto::pbf_reader fields, const Visit& visit) {
  while (true) {
    const char* const begin = fields.data().data();
    if (!fields.next()) return;
    const std::uint32_t tag = fields.tag_and_type();
    std::string_view content;
    if (fields.wire_type() == protozero::pbf_wire_type::length_delimited) {
      content = proto::ViewOf(fields);
    } else {
      fields.skip();
    }
    visit(tag, content, std::string_view(begin, fields.data().data()));
  }
}

// The graph of a model, and the parts of the model before and after it.
struct ModelPieces {
  ModelParts before, after;
  std::string_view graph;
};

// Splits a model. The pieces are views of `model`. Fails with kDataLoss if the model is damaged,
// and with kInvalidArgument if it does not have exactly one graph.
Result<ModelPieces> CutModel(std::string_view model);

}  // namespace cboard::runtime
