#include "cboard/runtime/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "cboard/base/strings.h"
#include "model/storage/mapped_file.h"
#include "runtime/zip_reader.h"

namespace cboard::runtime {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = std::size_t{1} << 16;
constexpr std::size_t kMaxRank = 64;  // NumPy's own limit.

struct Descr {
  std::string_view text;
  DType dtype;
};
constexpr std::array kDescrs = {
    Descr{"<f4", DType::kFloat32}, Descr{"<f8", DType::kFloat64}, Descr{"<f2", DType::kFloat16},
    Descr{"|i1", DType::kInt8},    Descr{"|u1", DType::kUint8},   Descr{"<i2", DType::kInt16},
    Descr{"<u2", DType::kUint16},  Descr{"<i4", DType::kInt32},   Descr{"<u4", DType::kUint32},
    Descr{"<i8", DType::kInt64},   Descr{"<u8", DType::kUint64},  Descr{"|b1", DType::kBool},
};

tl::unexpected<Error> BadHeader(std::string_view what, std::string_view header) {
  return Fail(ErrorCode::kDataLoss,
              "the .npy header " + std::string(what) + ": " + Quoted(header, 120));
}

// Parses the header of a .npy file, which is a Python dictionary with three keys in any order.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view header) : header_(header), rest_(header) {}

  Result<NpyArray> Read() {
    NpyArray array;
    std::optional<DType> dtype;
    bool has_order = false, has_shape = false;
    if (!Take('{')) return BadHeader("is not a dictionary", header_);
    while (!Take('}')) {
      CBOARD_ASSIGN_OR_RETURN(const std::string_view key, ReadText());
      if (!Take(':')) return BadHeader("lacks a ':'", header_);
      if (key == "descr") {
        CBOARD_ASSIGN_OR_RETURN(dtype, ReadDescr());
      } else if (key == "fortran_order") {
        CBOARD_ASSIGN_OR_RETURN(array.fortran_order, ReadBool());
        has_order = true;
      } else if (key == "shape") {
        CBOARD_ASSIGN_OR_RETURN(array.shape, ReadShape());
        has_shape = true;
      } else {
        return BadHeader("has an unknown key", header_);
      }
      if (!Take(',') && !NextIs('}')) return BadHeader("lacks a ','", header_);
    }
    if (!dtype || !has_order || !has_shape) {
      return BadHeader("lacks one of descr, fortran_order and shape", header_);
    }
    array.dtype = *dtype;
    return array;
  }

 private:
  bool NextIs(char wanted) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t"), rest_.size()));
    return rest_.starts_with(wanted);
  }
  bool Take(char wanted) {
    if (!NextIs(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Result<std::string_view> ReadText() {
    const char quote = NextIs('"') ? '"' : '\'';
    if (!Take(quote)) return BadHeader("has a key or value without quotes", header_);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos)
      return BadHeader("has a text without a closing quote", header_);
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  Result<DType> ReadDescr() {
    if (NextIs('[')) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the .npy file contains a structured array; save each field as a separate array");
    }
    CBOARD_ASSIGN_OR_RETURN(const std::string_view text, ReadText());
    for (const Descr& descr : kDescrs) {
      if (descr.text == text) return descr.dtype;
    }
    return Fail(ErrorCode::kInvalidArgument, "the .npy file has NumPy's dtype " + Quoted(text) +
                                                 ", but only little-endian numbers and bool can be "
                                                 "read; save the array with .astype('<f4')");
  }

  Result<bool> ReadBool() {
    NextIs('T');  // Skips spaces.
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    return BadHeader("has a fortran_order that is neither True nor False", header_);
  }

  Result<std::vector<std::int64_t>> ReadShape() {
    std::vector<std::int64_t> shape;
    if (!Take('(')) return BadHeader("has a shape that is not a tuple", header_);
    while (!Take(')')) {
      NextIs(' ');
      std::int64_t size = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0 || shape.size() == kMaxRank) {
        return BadHeader("has an invalid shape", header_);
      }
      shape.push_back(size);
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      // Python 2 writes long integers with an L at the end.
      if (rest_.starts_with('L')) rest_.remove_prefix(1);
      if (!Take(',') && !NextIs(')')) return BadHeader("has an invalid shape", header_);
    }
    return shape;
  }

  std::string_view header_;
  std::string_view rest_;
};

// Returns the size of an array in bytes, or nullopt if it does not fit into 64 bits.
std::optional<std::uint64_t> SizeInBytes(const NpyArray& array) {
  std::uint64_t size = SizeOf(array.dtype);
  for (const std::int64_t length : array.shape) {
    const auto factor = static_cast<std::uint64_t>(length);
    if (factor != 0 && size > std::numeric_limits<std::int64_t>::max() / factor) {
      return std::nullopt;
    }
    size *= factor;
  }
  return size;
}

// Converts the elements of a Fortran-order array to row-major order, in which the last dimension
// varies fastest.
std::string ToRowMajor(const NpyArray& array) {
  const std::size_t element = SizeOf(array.dtype), rank = array.shape.size();
  std::string out(array.data.size(), '\0');
  std::vector<std::size_t> strides(rank), index(rank);
  std::size_t stride = element;
  for (std::size_t i = 0; i < rank; ++i) {
    strides[i] = stride;
    stride *= static_cast<std::size_t>(array.shape[i]);
  }
  std::size_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += element) {
    std::memcpy(out.data() + to, array.data.data() + from, element);
    for (std::size_t i = rank; i-- > 0;) {
      from += strides[i];
      if (++index[i] < static_cast<std::size_t>(array.shape[i])) break;
      from -= strides[i] * index[i];
      index[i] = 0;
    }
  }
  return out;
}

// The parsed header of a .npy file.
struct NpyHeader {
  NpyArray array;  // Without data.
  std::size_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;  // Size of the elements.
};

Result<NpyHeader> ParseHeader(ByteSpan file) {
  const std::string_view text = AsText(file);
  if (!text.starts_with(kMagic)) {
    return Fail(ErrorCode::kInvalidArgument,
                "this is not a .npy file, because its first bytes are " +
                    Quoted(text.substr(0, kMagic.size())));
  }
  if (file.size() < 8)
    return Fail(ErrorCode::kTruncated,
                "the .npy file is truncated inside its header; save it again with numpy.save");
  const auto major = static_cast<unsigned>(file[6]);
  if (major < 1 || major > 3) {
    return Fail(ErrorCode::kInvalidArgument, "the .npy file has format version " +
                                                 std::to_string(major) +
                                                 ", but only 1 to 3 can be read");
  }
  const std::size_t length_size = major == 1 ? 2 : 4;
  if (file.size() < 8 + length_size) {
    return Fail(ErrorCode::kTruncated,
                "the .npy file is truncated inside its header; save it again with numpy.save");
  }
  const std::size_t length = major == 1 ? LoadLittleEndian<std::uint16_t>(file.subspan(8))
                                        : LoadLittleEndian<std::uint32_t>(file.subspan(8));
  if (length > kMaxHeader) {
    return Fail(ErrorCode::kDataLoss, "the .npy header has a length of " + std::to_string(length) +
                                          " bytes, but at most 65536 can be read");
  }
  if (file.size() < 8 + length_size + length) {
    return Fail(ErrorCode::kTruncated,
                "the .npy file is truncated inside its header; save it again with numpy.save");
  }
  NpyHeader header{.offset_bytes = 8 + length_size + length};
  CBOARD_ASSIGN_OR_RETURN(header.array, HeaderReader(text.substr(8 + length_size, length)).Read());
  const std::optional<std::uint64_t> size = SizeInBytes(header.array);
  if (!size) {
    return BadHeader("has a shape that is too large for memory",
                     text.substr(8 + length_size, length));
  }
  header.size_bytes = *size;
  return header;
}

Result<void> CheckLength(const NpyHeader& header, std::uint64_t file_bytes) {
  const std::uint64_t have = file_bytes - header.offset_bytes;
  if (header.size_bytes <= have) return {};
  return Fail(ErrorCode::kTruncated, "the .npy file has " + std::to_string(have) +
                                         " bytes of elements, but its shape needs " +
                                         std::to_string(header.size_bytes));
}

}  // namespace

Result<NpyArray> ParseNpy(ByteSpan file) {
  CBOARD_ASSIGN_OR_RETURN(NpyHeader header, ParseHeader(file));
  CBOARD_RETURN_IF_ERROR(CheckLength(header, file.size()));
  header.array.data =
      file.subspan(header.offset_bytes, static_cast<std::size_t>(header.size_bytes));
  return std::move(header.array);
}

// The position of an array's elements in the file.
struct NpyFile::Source {
  std::optional<ZipEntry> entry;  // In an archive.
  std::size_t offset_bytes = 0;   // In the .npy file.
  std::uint64_t size_bytes = 0;
  bool fortran_order = false;
};

NpyFile::NpyFile(ByteSpan file, std::uint64_t max_bytes) : file_(file), budget_bytes_(max_bytes) {}
NpyFile::NpyFile(NpyFile&&) noexcept = default;
NpyFile& NpyFile::operator=(NpyFile&&) noexcept = default;
NpyFile::~NpyFile() = default;

Result<void> NpyFile::AddHeader(std::string name, ByteSpan beginning, Source source) {
  auto header = ParseHeader(beginning);
  if (header) {
    const Result<void> is_whole =
        CheckLength(*header, source.entry ? source.entry->size_bytes : file_.size());
    if (!is_whole) header = Fail(is_whole.error());
  }
  if (!header) return Fail(Annotate(std::move(header).error(), Quoted(name)));
  source.offset_bytes = header->offset_bytes;
  source.size_bytes = header->size_bytes;
  source.fortran_order = header->array.fortran_order && header->array.shape.size() > 1;
  arrays_.push_back({std::move(name), header->array.dtype, std::move(header->array.shape)});
  sources_.push_back(std::move(source));
  return {};
}

Result<NpyFile> NpyFile::FromBytes(ByteSpan file, std::string name, std::uint64_t max_bytes) {
  NpyFile result(file, max_bytes);
  if (!LooksLikeZip(file)) {
    CBOARD_RETURN_IF_ERROR(result.AddHeader(std::move(name), file, {}));
    return result;
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<ZipEntry> entries, ListZip(file));
  std::unordered_set<std::string> seen;
  for (const ZipEntry& entry : entries) {
    std::string key(entry.name);
    if (!key.ends_with(".npy")) continue;  // A folder, or another file beside the arrays.
    key.resize(key.size() - 4);
    if (!seen.insert(key).second) {
      return Fail(ErrorCode::kDataLoss,
                  "the .npz file contains the array " + Quoted(key) + " twice");
    }
    constexpr std::uint64_t kBeginning = 12 + kMaxHeader;
    CBOARD_ASSIGN_OR_RETURN(const ZipContent beginning,
                            ReadZipEntry(file, entry, kBeginning, kBeginning));
    CBOARD_RETURN_IF_ERROR(result.AddHeader(std::move(key), beginning.bytes(), {.entry = entry}));
  }
  return result;
}

Result<TensorView> NpyFile::Read(std::size_t index, std::size_t max_rows) {
  const Array& array = arrays_[index];
  const Source& source = sources_[index];
  std::vector<std::int64_t> shape = array.shape;
  // If the array is in Fortran order, the elements of a row are spread over the whole array, so all
  // rows are read.
  if (!shape.empty() && !source.fortran_order) {
    shape[0] = static_cast<std::int64_t>(
        std::min(static_cast<std::uint64_t>(shape[0]), std::uint64_t{max_rows}));
  }
  const std::uint64_t size_bytes = *SizeInBytes({.dtype = array.dtype, .shape = shape});
  ByteSpan bytes = file_;
  if (source.entry) {
    const std::uint64_t wanted = source.entry->size_bytes <= kAlwaysCheckedBytes
                                     ? source.entry->size_bytes
                                     : source.offset_bytes + size_bytes;
    CBOARD_ASSIGN_OR_RETURN(
        ZipContent content,
        ReadZipEntry(file_, *source.entry, wanted, budget_bytes_, [this] { ReleasePages(); }));
    bytes = content.in_place;
    if (content.is_inflated) {
      budget_bytes_ -= content.memory.size();
      memory_.push_back(std::make_unique<std::string>(std::move(content.memory)));
      bytes = AsBytes(*memory_.back());
    }
  }
  bytes = bytes.subspan(source.offset_bytes, static_cast<std::size_t>(size_bytes));
  if (source.fortran_order) {
    if (bytes.size() > budget_bytes_) {
      return Fail(ErrorCode::kResourceExhausted,
                  "the array " + Quoted(array.name) + " is stored in Fortran order and needs " +
                      HumanBytes(static_cast<double>(bytes.size())) +
                      " of memory to be rearranged, which is more than is free; save it with "
                      "numpy.ascontiguousarray");
    }
    budget_bytes_ -= bytes.size();
    memory_.push_back(std::make_unique<std::string>(
        ToRowMajor({.dtype = array.dtype, .shape = shape, .data = bytes})));
    bytes = AsBytes(*memory_.back());
    if (!shape.empty() && static_cast<std::uint64_t>(shape[0]) > max_rows) {
      shape[0] = static_cast<std::int64_t>(max_rows);
    }
  }
  return TensorView(array.dtype, bytes.data(), std::move(shape));
}

Result<void> NpyFile::CheckUnchanged() const {
  return mapping_ == nullptr ? Result<void>() : mapping_->CheckUnchanged();
}

void NpyFile::ReleasePages() const {
  if (mapping_ != nullptr) mapping_->ReleasePages();
}

Result<NpyFile> NpyFile::Open(const std::filesystem::path& path, std::uint64_t max_bytes) {
  CBOARD_ASSIGN_OR_RETURN(const auto mapped, model::MappedFile::Open(path));
  auto file = FromBytes(mapped->bytes(), path.stem().string(), max_bytes);
  CBOARD_RETURN_IF_ERROR(mapped->CheckUnchanged());
  if (!file) return Fail(Annotate(std::move(file).error(), Quoted(path.string(), 1000)));
  file->mapping_ = mapped;
  return file;
}

}  // namespace cboard::runtime
