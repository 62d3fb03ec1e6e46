#include "benchmark/evaluation/labels.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/runtime/npy.h"
#include "cboard/tensor/convert.h"

namespace cboard::benchmark {
namespace {

std::optional<std::size_t> FindArray(const runtime::NpyFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.arrays(), name, &runtime::NpyFile::Array::name);
  if (found == file.arrays().end()) return std::nullopt;
  return static_cast<std::size_t>(found - file.arrays().begin());
}

std::string NamesOf(const runtime::NpyFile& file) {
  std::string names;
  for (const runtime::NpyFile::Array& array : file.arrays()) {
    if (names.size() > 500) return names + ", …";
    names += (names.empty() ? "" : ", ") + Quoted(array.name);
  }
  return names.empty() ? "none" : names;
}

Result<NumberLabels> ReadArray(runtime::NpyFile& file, std::size_t index, std::string name) {
  CBOARD_ASSIGN_OR_RETURN(const TensorView view, file.Read(index));
  NumberLabels labels{.name = std::move(name)};
  labels.sample_count = view.shape.empty() ? 1 : static_cast<std::size_t>(view.shape[0]);
  CBOARD_ASSIGN_OR_RETURN(labels.values, tensor::ToDoubles(view));
  labels.row_size = labels.sample_count == 0 ? 1 : labels.values.size() / labels.sample_count;
  return labels;
}

}  // namespace

Result<NumberLabels> ReadNumberLabels(const std::filesystem::path& path, const std::string& array) {
  CBOARD_ASSIGN_OR_RETURN(runtime::NpyFile file, runtime::NpyFile::Open(path));
  std::optional<std::size_t> index;
  if (!array.empty()) {
    index = FindArray(file, array);
  } else if (file.arrays().size() == 1) {
    index = 0;
  }
  if (!index) {
    return Fail(ErrorCode::kInvalidArgument,
                "the file " + Quoted(path.string(), 1000) + " has " +
                    (array.empty() ? std::string("several arrays") : "no array " + Quoted(array)) +
                    "; it has " + NamesOf(file) + "; choose one with --labels " +
                    path.filename().string() + ":NAME");
  }
  return ReadArray(file, *index, path.filename().string() + (array.empty() ? "" : ":" + array));
}

Result<std::vector<std::vector<LabeledBox>>> ReadBoxLabels(const std::filesystem::path& path,
                                                           std::size_t sample_count) {
  CBOARD_ASSIGN_OR_RETURN(runtime::NpyFile file, runtime::NpyFile::Open(path));
  const auto read = [&](const char* name) -> Result<NumberLabels> {
    const auto index = FindArray(file, name);
    if (!index) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the file " + Quoted(path.string(), 1000) + " has no array " + Quoted(name) +
                      "; it has " + NamesOf(file) +
                      "; labels of boxes need the arrays boxes [n, 4], classes [n] and image [n]");
    }
    return ReadArray(file, *index, name);
  };
  CBOARD_ASSIGN_OR_RETURN(const NumberLabels boxes, read("boxes"));
  CBOARD_ASSIGN_OR_RETURN(const NumberLabels classes, read("classes"));
  CBOARD_ASSIGN_OR_RETURN(const NumberLabels images, read("image"));
  NumberLabels crowds;
  if (FindArray(file, "crowd")) {
    CBOARD_ASSIGN_OR_RETURN(crowds, read("crowd"));
  }
  const std::size_t count = boxes.sample_count;
  if ((count > 0 && boxes.row_size != 4) || classes.values.size() != count ||
      images.values.size() != count || (!crowds.values.empty() && crowds.values.size() != count)) {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(path.string(), 1000) + ": there are " + HumanCount(count) + " boxes of " +
                    HumanCount(boxes.row_size) + " numbers, " + HumanCount(classes.values.size()) +
                    " classes and " + HumanCount(images.values.size()) +
                    " images; give four numbers, one class and one image for each box");
  }
  std::vector<std::vector<LabeledBox>> by_image(sample_count);
  for (std::size_t i = 0; i < count; ++i) {
    const double image = images.values[i];
    if (!(image >= 0) || image >= static_cast<double>(sample_count)) {
      return Fail(ErrorCode::kInvalidArgument,
                  Quoted(path.string(), 1000) + ": box " + HumanCount(i) + " belongs to image " +
                      ShortestDecimal(image) + ", but there are " + HumanCount(sample_count) +
                      " samples; images are counted from 0");
    }
    const double* const box = &boxes.values[4 * i];
    by_image[static_cast<std::size_t>(image)].push_back(
        {.box = {box[0], box[1], box[2], box[3]},
         .class_id = std::llround(classes.values[i]),
         .is_crowd = !crowds.values.empty() && crowds.values[i] != 0});
  }
  return by_image;
}

Result<std::vector<std::string>> ReadTextLabels(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, std::uint64_t{1} << 30));
  std::vector<std::string> lines;
  for (std::string_view line : Split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  // Empty if the file ends with a line break.
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace cboard::benchmark
