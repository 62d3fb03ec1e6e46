#include "writer/summary/embedding.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "cboard/base/strings.h"
#include "cboard/tensor/convert.h"
#include "writer/summary/invalid_argument.h"
#include "writer/summary/python_number.h"
#include "writer/summary/shape_text.h"

namespace cboard::writer::summary {
namespace {

// Maximum width in pixels of a sprite that TensorBoard's page loads.
constexpr std::int64_t kMaxSpritePixels = 8192;

// Formats a step with at least five characters, including the sign, like Python's
// str(step).zfill(5).
std::string PaddedStep(std::int64_t step) {
  std::string text = std::to_string(step);
  const std::size_t sign = step < 0 ? 1 : 0;
  if (text.size() < 5) text.insert(sign, 5 - text.size(), '0');
  return text;
}

// Converts the tag to a valid name of a directory.
Result<std::string> DirectoryName(std::string_view tag) {
  std::string name;
  for (const char c : tag) {
    switch (c) {
      case '%':
        name += "%25";
        break;
      case '/':
        name += "%2f";
        break;
      case '\\':
        name += "%5c";
        break;
      default:
        name += c;
    }
  }
  const auto refuse = [&](std::string_view reason) {
    return InvalidArgument("tag " + Quoted(tag) + " cannot be the name of a directory: it " +
                           std::string(reason));
  };
  if (name.empty()) return refuse("is empty; give a name");
  if (name == "." || name == "..")
    return refuse("is the name of an existing directory; give another name");
  if (name.find('\0') != std::string::npos) return refuse("contains a zero byte; remove it");
  if (name.size() > 255) {
    return refuse("takes " + std::to_string(name.size()) +
                  " bytes as a file name; shorten it to 255");
  }
  return name;
}

// Escapes `text` for a quoted string in protobuf's text format. All characters that could end the
// string or the line are escaped, so that a tag cannot add fields.
std::string PbtxtString(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      escaped += '\\';
      for (const int shift : {6, 3, 0}) escaped += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      escaped += c;
    }
  }
  return escaped + '"';
}

std::string ConfigBlock(std::string_view tag, const std::string& step, const std::string& directory,
                        const EmbeddingDetails& details) {
  std::string block = "embeddings {\n";
  block += "tensor_name: " + PbtxtString(std::string(tag) + ":" + step) + "\n";
  block += "tensor_path: " + PbtxtString(directory + "/tensors.tsv") + "\n";
  if (!details.metadata.empty()) {
    block += "metadata_path: " + PbtxtString(directory + "/metadata.tsv") + "\n";
  }
  if (details.label_images) {
    const std::vector<std::int64_t>& shape = details.label_images->shape;
    block += "sprite {\n";
    block += "image_path: " + PbtxtString(directory + "/sprite.png") + "\n";
    block += "single_image_dim: " + std::to_string(shape[3]) + "\n";
    block += "single_image_dim: " + std::to_string(shape[2]) + "\n";
    block += "}\n";
  }
  return block + "}\n";
}

template <typename T, typename AppendNumber>
std::string JoinRows(std::span<const T> values, std::size_t columns, AppendNumber append) {
  std::string tsv;
  for (std::size_t i = 0; i < values.size(); ++i) {
    append(values[i], tsv);
    tsv += (i + 1) % columns == 0 ? '\n' : '\t';
  }
  return tsv;
}

// Formats a matrix as lines of numbers that are separated by tabs. As in Python, integers have no
// decimal point; 64-bit integers are never converted to double.
Result<std::string> TensorsTsv(const TensorView& given) {
  CBOARD_ASSIGN_OR_RETURN(const tensor::PlainTensor plain_matrix, tensor::PlainTensor::Of(given));
  const TensorView& matrix = plain_matrix.view();
  const auto columns = static_cast<std::size_t>(matrix.shape[1]);
  const auto append_integer = [](auto value, std::string& out) {
    out += std::to_string(static_cast<std::conditional_t<std::is_unsigned_v<decltype(value)>,
                                                         std::uint64_t, std::int64_t>>(value));
  };
  const bool plain = !matrix.quantization.has_value();
  if (plain && matrix.dtype == DType::kInt64) {
    const auto* data = static_cast<const std::int64_t*>(matrix.data);
    return JoinRows(std::span(data, matrix.element_count()), columns, append_integer);
  }
  if (plain && matrix.dtype == DType::kUint64) {
    const auto* data = static_cast<const std::uint64_t*>(matrix.data);
    return JoinRows(std::span(data, matrix.element_count()), columns, append_integer);
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(matrix));
  if (IsFloat(matrix.dtype) || !plain)
    return JoinRows(std::span(values), columns, AppendPythonRepr);
  return JoinRows(std::span(values), columns, [](double value, std::string& out) {
    out += std::to_string(static_cast<std::int64_t>(value));
  });
}

void AppendRow(const std::vector<std::string>& cells, std::string& tsv) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) tsv += '\t';
    std::string cell = ToValidUtf8(cells[i]);
    std::ranges::replace_if(
        cell, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    tsv += cell;
  }
  tsv += '\n';
}

Result<std::string> MetadataTsv(const EmbeddingDetails& details, std::int64_t row_count) {
  const auto& rows = details.metadata;
  const auto& header = details.metadata_header;
  if (rows.size() != static_cast<std::size_t>(row_count)) {
    return InvalidArgument("the metadata has " + HumanCount(rows.size()) +
                           " rows, but the matrix has " +
                           HumanCount(static_cast<std::size_t>(row_count)) +
                           "; give one metadata row per row of the matrix");
  }
  const std::size_t columns = header.empty() ? rows[0].size() : header.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != columns || columns == 0) {
      return InvalidArgument("the metadata row " + std::to_string(i) + " has " +
                             std::to_string(rows[i].size()) + " columns, but " +
                             std::to_string(std::max<std::size_t>(columns, 1)) + " were expected");
    }
  }
  // TensorBoard treats the first line as column names if and only if there are several columns.
  if (columns > 1 && header.empty()) {
    return InvalidArgument("the metadata has " + std::to_string(columns) +
                           " columns but no metadata_header; name the columns in metadata_header");
  }
  if (header.size() == 1) {
    return InvalidArgument("metadata with one column cannot have a metadata_header; omit it");
  }
  std::string tsv;
  if (!header.empty()) AppendRow(header, tsv);
  for (const std::vector<std::string>& row : rows) AppendRow(row, tsv);
  return tsv;
}

// Returns the number of images per row of a sprite, which is a square grid of images.
std::int64_t SpriteColumns(std::int64_t image_count) {
  auto columns = static_cast<std::int64_t>(std::sqrt(static_cast<double>(image_count)));
  while (columns * columns < image_count) ++columns;
  return columns;
}

Result<void> ValidateImages(const TensorView& images, std::int64_t row_count) {
  CBOARD_RETURN_IF_ERROR(images.Validate());
  const std::vector<std::int64_t>& shape = images.shape;
  const auto refuse = [&](std::string_view advice) {
    return InvalidArgument("label_images has shape " + ShapeText(shape) + "; " +
                           std::string(advice));
  };
  if (shape.size() != 4) return refuse("give an array of count x channels x height x width");
  if (shape[0] != row_count) {
    return refuse("give one image per row of the matrix, which has " + std::to_string(row_count));
  }
  if (shape[1] != 1 && shape[1] != 3) return refuse("give 1 or 3 channels");
  if (shape[2] != shape[3] || shape[2] == 0) return refuse("give square images");
  if (shape[2] > kMaxSpritePixels || SpriteColumns(shape[0]) * shape[2] > kMaxSpritePixels) {
    return refuse("all images together exceed the " + std::to_string(kMaxSpritePixels) +
                  " pixels per side that TensorBoard can load, so give smaller or fewer images");
  }
  return {};
}

Result<EmbeddingFiles> Make(const TensorView& matrix, const EmbeddingDetails& details,
                            std::int64_t step) {
  if (matrix.shape.size() != 2) {
    return InvalidArgument("the matrix has shape " + ShapeText(matrix.shape) +
                           ", but must have rows and columns");
  }
  CBOARD_RETURN_IF_ERROR(matrix.Validate());
  if (matrix.element_count() == 0) {
    return InvalidArgument("the matrix has shape " + ShapeText(matrix.shape) +
                           ", so it is empty; give at least one row and one column");
  }
  if (details.metadata.empty() && !details.metadata_header.empty()) {
    return InvalidArgument(
        "metadata_header is given without metadata; give metadata too, or omit metadata_header");
  }
  const std::int64_t row_count = matrix.shape[0];
  EmbeddingFiles files;
  CBOARD_ASSIGN_OR_RETURN(const std::string name, DirectoryName(ToValidUtf8(details.tag)));
  files.directory = PaddedStep(step) + "/" + name;
  if (!details.metadata.empty()) {
    CBOARD_ASSIGN_OR_RETURN(files.metadata_tsv, MetadataTsv(details, row_count));
  }
  if (details.label_images) {
    CBOARD_RETURN_IF_ERROR(ValidateImages(*details.label_images, row_count));
  }
  CBOARD_ASSIGN_OR_RETURN(files.tensors_tsv, TensorsTsv(matrix));
  files.config_block =
      ConfigBlock(ToValidUtf8(details.tag), PaddedStep(step), files.directory, details);
  return files;
}

}  // namespace

Result<EmbeddingFiles> MakeEmbeddingFiles(const TensorView& matrix, const EmbeddingDetails& details,
                                          std::int64_t step) {
  auto files = Make(matrix, details, step);
  if (!files) return Fail(Annotate(std::move(files).error(), "embedding " + Quoted(details.tag)));
  return files;
}

}  // namespace cboard::writer::summary
