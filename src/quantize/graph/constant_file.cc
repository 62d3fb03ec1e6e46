#include "quantize/graph/constant_file.h"

#include <functional>

#include "cboard/base/file.h"

namespace cboard::quantize {
namespace {

constexpr std::size_t kMinConstantBytes = 4 << 10, kMinFileBytes = 8 << 20;
constexpr std::uint64_t kAlignment = 4096;

bool IsLarge(const Constant& constant) {
  return constant.encoded.empty() && constant.elements.size() >= kMinConstantBytes;
}

}  // namespace

void ConstantFile::MoveConstants(Graph& graph) {
  std::size_t size = 0;
  for (const auto& [name, constant] : graph.constants) {
    if (IsLarge(constant)) size += constant.elements.size();
  }
  if (size < kMinFileBytes) return;
  auto moved = std::make_shared<ConstantFile>();
  const std::filesystem::path path = moved->folder() / kName;
  std::map<std::string, std::uint64_t> offsets;
  {
    auto file = File::CreateNew(path);
    if (moved->folder().empty() || !file) return;
    static const std::string zeros(kAlignment, '\0');
    std::uint64_t end = 0;
    for (const auto& [name, constant] : graph.constants) {
      if (!IsLarge(constant)) continue;
      const std::uint64_t offset = (end + kAlignment - 1) / kAlignment * kAlignment;
      if (!file->Write(AsBytes(std::string_view(zeros).substr(0, offset - end)))) return;
      if (!file->Write(AsBytes(constant.elements))) return;
      offsets[name] = offset;
      end = offset + constant.elements.size();
    }
  }
  auto mapped = model::MappedFile::Open(path);
  if (!mapped) return;
  moved->file_ = *std::move(mapped);
  for (const auto& [name, offset] : offsets) {
    Constant& constant = graph.constants.at(name);
    constant.elements = moved->file_->text().substr(offset, constant.elements.size());
    constant.owner = moved;
  }
  graph.constant_file = std::move(moved);
}

std::optional<std::uint64_t> ConstantFile::OffsetOf(std::string_view elements) const {
  const std::string_view all = file_->text();
  const std::less_equal<> is_before;
  const bool is_inside = is_before(all.data(), elements.data()) &&
                         is_before(elements.data() + elements.size(), all.data() + all.size());
  if (!is_inside) return std::nullopt;
  return static_cast<std::uint64_t>(elements.data() - all.data());
}

}  // namespace cboard::quantize
