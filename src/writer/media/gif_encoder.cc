#include "writer/media/gif_encoder.h"

#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cboard/base/strings.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {
namespace {

constexpr std::size_t kMaxSide = 65535;
constexpr std::size_t kMaxColors = 256;

// A frame whose pixels are indices into a palette.
struct IndexedFrame {
  std::vector<GifByteType> indices;
  std::vector<GifColorType> palette;
};

// The red, green and blue plane of a frame, as giflib's quantizer needs them.
struct Planes {
  std::vector<GifByteType> red, green, blue;

  Planes(const std::uint8_t* frame, std::size_t count, std::size_t channels)
      : red(count), green(count), blue(count) {
    const std::size_t to_green = channels == 1 ? 0 : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t* pixel = frame + i * channels;
      red[i] = pixel[0];
      green[i] = pixel[to_green];
      blue[i] = pixel[2 * to_green];
    }
  }
};

// Creates a palette of the exact colors, in the order in which they appear. Returns nullopt if
// there are too many colors for a palette.
std::optional<IndexedFrame> IndexExactly(const Planes& planes) {
  IndexedFrame frame;
  std::unordered_map<std::uint32_t, GifByteType> index_of;
  std::uint32_t last_color = 0;
  GifByteType last_index = 0;
  const std::size_t count = planes.red.size();
  frame.indices.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t color = static_cast<std::uint32_t>(planes.red[i]) << 16 |
                                static_cast<std::uint32_t>(planes.green[i]) << 8 | planes.blue[i];
    // Looks up a color only if it differs from that of the previous pixel: neighbouring pixels are
    // often equal.
    if (i == 0 || color != last_color) {
      const auto [found, is_new] =
          index_of.try_emplace(color, static_cast<GifByteType>(frame.palette.size()));
      if (is_new) {
        if (frame.palette.size() == kMaxColors) return std::nullopt;
        frame.palette.push_back({planes.red[i], planes.green[i], planes.blue[i]});
      }
      last_color = color;
      last_index = found->second;
    }
    frame.indices[i] = last_index;
  }
  return frame;
}

std::optional<IndexedFrame> Quantize(const Planes& planes, std::size_t width, std::size_t height) {
  IndexedFrame frame;
  frame.indices.resize(width * height);
  frame.palette.resize(kMaxColors);
  int size = kMaxColors;
  if (GifQuantizeBuffer(static_cast<unsigned>(width), static_cast<unsigned>(height), &size,
                        const_cast<GifByteType*>(planes.red.data()),
                        const_cast<GifByteType*>(planes.green.data()),
                        const_cast<GifByteType*>(planes.blue.data()), frame.indices.data(),
                        frame.palette.data()) != GIF_OK) {
    return std::nullopt;
  }
  return frame;
}

int AppendToString(GifFileType* gif, const GifByteType* bytes, int size) {
  static_cast<std::string*>(gif->UserData)
      ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  return size;
}

struct FreeMap {
  void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};

// Writes the parts of a GIF in order. Each method returns false if giflib fails.
class GifWriter {
 public:
  explicit GifWriter(std::string& file) : gif_(EGifOpen(&file, AppendToString, &error_)) {}
  ~GifWriter() { Close(); }
  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  bool PutScreen(std::size_t width, std::size_t height) {
    if (gif_ == nullptr) return false;
    EGifSetGifVersion(gif_, true);
    // The GIF extension that makes browsers repeat the animation. The value zero means endless.
    const std::array<GifByteType, 3> forever = {1, 0, 0};
    return EGifPutScreenDesc(gif_, static_cast<int>(width), static_cast<int>(height), 8, 0,
                             nullptr) == GIF_OK &&
           EGifPutExtensionLeader(gif_, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif_, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif_, 3, forever.data()) == GIF_OK &&
           EGifPutExtensionTrailer(gif_) == GIF_OK;
  }

  bool PutFrame(IndexedFrame frame, std::size_t width, std::size_t height, int delay) {
    const GraphicsControlBlock control = {DISPOSE_DO_NOT, false, delay, NO_TRANSPARENT_COLOR};
    std::array<GifByteType, 4> control_bytes;
    const auto control_size = EGifGCBToExtension(&control, control_bytes.data());
    // The size of a GIF palette is a power of two. Unused entries are black.
    frame.palette.resize(std::max<std::size_t>(2, std::bit_ceil(frame.palette.size())));
    const std::unique_ptr<ColorMapObject, FreeMap> map(
        GifMakeMapObject(static_cast<int>(frame.palette.size()), frame.palette.data()));
    if (map == nullptr ||
        EGifPutExtension(gif_, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(control_size),
                         control_bytes.data()) != GIF_OK ||
        EGifPutImageDesc(gif_, 0, 0, static_cast<int>(width), static_cast<int>(height), false,
                         map.get()) != GIF_OK) {
      return false;
    }
    for (std::size_t y = 0; y < height; ++y) {
      GifByteType* row = frame.indices.data() + y * width;
      if (EGifPutLine(gif_, row, static_cast<int>(width)) != GIF_OK) return false;
    }
    return true;
  }

  bool Close() {
    if (gif_ == nullptr) return false;
    return EGifCloseFile(std::exchange(gif_, nullptr), &error_) == GIF_OK;
  }

 private:
  int error_ = 0;
  GifFileType* gif_;
};

// Returns the start of frame `i` in hundredths of a second.
double StartOf(std::size_t i, double fps) { return std::round(static_cast<double>(i) * 100 / fps); }

int DelayOf(std::size_t i, double fps) {
  return static_cast<int>(std::clamp(StartOf(i + 1, fps) - StartOf(i, fps), 2.0, 65535.0));
}

Result<void> ValidateVideo(const Video& video) {
  CBOARD_ASSIGN_OR_RETURN(
      const std::size_t size,
      CheckedPixelBytes("video", {video.frames, video.height, video.width, video.channels}));
  if (video.channels != 1 && video.channels != 3 && video.channels != 4) {
    return Fail(ErrorCode::kInvalidArgument, "the video has " + std::to_string(video.channels) +
                                                 " channels, expected 1, 3 or 4");
  }
  if (video.bytes.size() != size) {
    return Fail(ErrorCode::kInvalidArgument, "the video has " + std::to_string(video.bytes.size()) +
                                                 " bytes, but its shape needs " +
                                                 std::to_string(size));
  }
  if (video.width > kMaxSide || video.height > kMaxSide) {
    return Fail(ErrorCode::kInvalidArgument,
                "the video frames have " + std::to_string(video.height) + " x " +
                    std::to_string(video.width) +
                    " pixels, but a GIF can have at most 65535 x 65535");
  }
  return {};
}

}  // namespace

Result<std::string> EncodeGif(const Video& video, double fps) {
  CBOARD_RETURN_IF_ERROR(ValidateVideo(video));
  if (!(fps > 0) || !std::isfinite(fps)) {
    return Fail(ErrorCode::kInvalidArgument,
                "fps is " + ShortestDecimal(fps) + ", expected a positive number");
  }
  std::string file;
  GifWriter writer(file);
  bool good = writer.PutScreen(video.width, video.height);
  for (std::size_t i = 0; good && i < video.frames; ++i) {
    const Planes planes(video.frame(i), video.width * video.height, video.channels);
    std::optional<IndexedFrame> frame = IndexExactly(planes);
    if (!frame) frame = Quantize(planes, video.width, video.height);
    good = frame && writer.PutFrame(*std::move(frame), video.width, video.height, DelayOf(i, fps));
  }
  // Writing to a string fails only if giflib cannot allocate memory.
  if (!good || !writer.Close()) {
    return Fail(ErrorCode::kResourceExhausted, "there is not enough memory to encode a video of " +
                                                   std::to_string(video.frames) + " frames");
  }
  return file;
}

}  // namespace cboard::writer::media
