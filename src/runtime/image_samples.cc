#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <system_error>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "runtime/png_decoder.h"
#include "runtime/sample_sources.h"

namespace cboard::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 28;

// The layout of the model's input, if it is a single image.
struct Layout {
  bool channels_last = false;
  std::int64_t channels = 3;
  std::int64_t height = -1;  // -1: the image's own height.
  std::int64_t width = -1;
};

Result<Layout> LayoutOf(std::span<const ModelValue> inputs) {
  const auto is_channels = [](std::int64_t size) { return size == 1 || size == 3; };
  if (inputs.size() == 1 && inputs[0].shape.size() == 4 &&
      (inputs[0].dtype == DType::kFloat32 || inputs[0].dtype == DType::kFloat16 ||
       inputs[0].dtype == DType::kUint8)) {
    const auto& shape = inputs[0].shape;
    if (shape[0] < 0 || shape[0] == 1) {
      if (is_channels(shape[1])) return Layout{false, shape[1], shape[2], shape[3]};
      if (is_channels(shape[3])) return Layout{true, shape[3], shape[1], shape[2]};
    }
  }
  std::string wants;
  for (const ModelValue& input : inputs) {
    wants += (wants.empty() ? "" : ", ") + Quoted(input.name) + " " + Describe(input);
  }
  return Fail(ErrorCode::kInvalidArgument,
              "a folder of images can only be used for a model with one image input of 1 or 3 "
              "channels, but this model has " +
                  wants + "; give an .npz file");
}

// Interpolates channel `c` between pixels. Coordinates outside the image get the value of the
// nearest pixel at the edge.
float Interpolate(const RgbImage& image, double x, double y, std::size_t c) {
  const auto clamp = [](double at, std::size_t size) {
    return std::clamp(at, 0.0, static_cast<double>(size - 1));
  };
  const double left = std::floor(clamp(x, image.width)), top = std::floor(clamp(y, image.height));
  const auto at = [&](double column, double row) {
    const auto i = static_cast<std::size_t>(clamp(column, image.width));
    const auto j = static_cast<std::size_t>(clamp(row, image.height));
    return static_cast<double>(image.pixels[(j * image.width + i) * 3 + c]);
  };
  const double dx = clamp(x, image.width) - left, dy = clamp(y, image.height) - top;
  const double upper = at(left, top) * (1 - dx) + at(left + 1, top) * dx;
  const double lower = at(left, top + 1) * (1 - dx) + at(left + 1, top + 1) * dx;
  return static_cast<float>(upper * (1 - dy) + lower * dy);
}

class ImageSamples final : public SampleSource {
 public:
  ImageSamples(std::vector<fs::path> files, std::string name, ModelValue input, Layout layout,
               const SampleOptions& options)
      : files_(std::move(files)),
        name_(std::move(name)),
        input_(std::move(input)),
        layout_(layout),
        options_(options) {}

  std::size_t size() const override { return files_.size(); }
  std::string Description() const override { return name_; }

  Result<std::vector<NamedTensor>> Read(std::size_t index) override {
    const fs::path& file = files_[index];
    CBOARD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file, kMaxFileBytes));
    auto image = DecodePng(AsBytes(bytes));
    if (!image) return Fail(Annotate(std::move(image).error(), Quoted(file.string(), 1000)));
    CBOARD_ASSIGN_OR_RETURN(tensor_, ToTensor(*image));
    return std::vector<NamedTensor>{{input_.name, tensor_.view()}};
  }

 private:
  Result<OwnedTensor> ToTensor(const RgbImage& image) const {
    const auto height =
        layout_.height < 0 ? image.height : static_cast<std::size_t>(layout_.height);
    const auto width = layout_.width < 0 ? image.width : static_cast<std::size_t>(layout_.width);
    const auto channels = static_cast<std::size_t>(layout_.channels);
    const double scale_x = static_cast<double>(image.width) / static_cast<double>(width);
    const double scale_y = static_cast<double>(image.height) / static_cast<double>(height);
    const bool as_bytes = input_.dtype == DType::kUint8;
    std::vector<float> values(height * width * channels);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        // Computes the position in the source image for a target pixel. Pixels are squares, so the
        // centers of the pixels are mapped, not their corners.
        const double from_x = (static_cast<double>(x) + 0.5) * scale_x - 0.5;
        const double from_y = (static_cast<double>(y) + 0.5) * scale_y - 0.5;
        float pixel[3];
        for (std::size_t c = 0; c < 3; ++c) pixel[c] = Interpolate(image, from_x, from_y, c);
        if (channels == 1) {
          pixel[0] = 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
        }
        for (std::size_t c = 0; c < channels; ++c) {
          const std::size_t at =
              layout_.channels_last ? (y * width + x) * channels + c : (c * height + y) * width + x;
          values[at] = as_bytes ? pixel[c]
                                : (pixel[c] * options_.image_scale - options_.image_mean[c]) /
                                      options_.image_deviation[c];
        }
      }
    }
    const auto h = static_cast<std::int64_t>(height), w = static_cast<std::int64_t>(width);
    const std::vector<std::int64_t> shape =
        layout_.channels_last ? std::vector{std::int64_t{1}, h, w, layout_.channels}
                              : std::vector{std::int64_t{1}, layout_.channels, h, w};
    if (!as_bytes) return ConvertTo(*input_.dtype, TensorView(values, shape));
    std::vector<std::uint8_t> bytes(values.size());
    std::ranges::transform(values, bytes.begin(), [](float value) {
      return static_cast<std::uint8_t>(std::lrint(std::clamp(value, 0.0f, 255.0f)));
    });
    return ConvertTo(DType::kUint8, TensorView(bytes, shape));
  }

  std::vector<fs::path> files_;
  std::string name_;
  ModelValue input_;
  Layout layout_;
  SampleOptions options_;
  OwnedTensor tensor_;
};

}  // namespace

Result<std::unique_ptr<SampleSource>> OpenImageSamples(const fs::path& folder,
                                                       std::span<const ModelValue> inputs,
                                                       const SampleOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const Layout layout, LayoutOf(inputs));
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    std::string extension = i->path().extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return std::tolower(c); });
    if (extension == ".png") files.push_back(i->path());
  }
  const std::string shown = Quoted(folder.string(), 1000);
  if (error) return Fail(ErrnoError(error.value(), "list " + shown));
  if (files.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        shown + " contains no .png file; convert other images to PNG, or give an .npz file");
  }
  std::ranges::sort(files);
  const std::size_t count = files.size();
  files.resize(std::min(count, options.max_samples));
  std::string name = DescribeUsed("images of " + folder.string(), files.size(), count);
  return std::make_unique<ImageSamples>(std::move(files), std::move(name), inputs[0], layout,
                                        options);
}

}  // namespace cboard::runtime
