#include "compression/stages/figures.h"

#include <cairo/cairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

namespace cboard::compression::stages {
namespace {

struct Colour {
  int red, green, blue;
};
constexpr Colour kWhite = {255, 255, 255};
constexpr Colour kInk = {33, 33, 33};
constexpr Colour kGrid = {217, 217, 217};
constexpr Colour kLine = {31, 119, 180};
// As the Model Compression Toolkit colours them: tomato, royalblue, limegreen.
constexpr Colour kTwoBits = {255, 99, 71};
constexpr Colour kFourBits = {65, 105, 225};
constexpr Colour kEightBits = {50, 205, 50};
constexpr Colour kOtherBits = {112, 128, 144};

constexpr int kHeight = 480;
constexpr int kDefaultWidth = 640;
constexpr int kMaxWidth = 2000;
constexpr double kLeft = 64, kRight = 16, kTop = 16, kBottom = 52;
constexpr double kLabelRoom = 90;  // For labels that run upwards below the bars.
constexpr double kFontSize = 12;
constexpr double kMinLabelPitch = 11;  // Closer labels would lie on each other.
constexpr double kBarPitch = 26;
constexpr std::size_t kMaxLabelBytes = 14;

struct Range {
  double low, high;
};

struct ContextDeleter {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};

// A white picture with two axes.
class Canvas {
 public:
  Canvas(int width, int height, double bottom)
      : width_(width),
        height_(height),
        bottom_(bottom),
        surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)),
        context_(cairo_create(surface_.get())) {
    Use(kWhite);
    cairo_paint(get());
    cairo_select_font_face(get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(get(), kFontSize);
  }

  cairo_t* get() { return context_.get(); }
  void Use(Colour colour) {
    cairo_set_source_rgb(get(), colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
  }

  double X(double value) const {
    return kLeft + (value - x_.low) / (x_.high - x_.low) * (width_ - kLeft - kRight);
  }
  double Y(double value) const {
    return height_ - bottom_ - (value - y_.low) / (y_.high - y_.low) * (height_ - bottom_ - kTop);
  }

  void Axes(Range x, Range y, double x_step, double y_step, const std::string& x_label,
            const std::string& y_label) {
    x_ = x;
    y_ = y;
    cairo_set_line_width(get(), 1);
    if (x_step > 0) {
      for (double at = std::ceil(x.low / x_step) * x_step; at <= x.high; at += x_step) {
        Stroke(X(at), kTop, X(at), height_ - bottom_, kGrid);
        Text(Number(at), X(at), height_ - bottom_ + 16, 0.5);
      }
    }
    for (double at = std::ceil(y.low / y_step) * y_step; at <= y.high + y_step / 1e6;
         at += y_step) {
      Stroke(kLeft, Y(at), width_ - kRight, Y(at), kGrid);
      Text(Number(at), kLeft - 6, Y(at) + 4, 1);
    }
    Use(kInk);
    cairo_rectangle(get(), kLeft + 0.5, kTop + 0.5, width_ - kLeft - kRight,
                    height_ - bottom_ - kTop);
    cairo_stroke(get());
    Text(x_label, (kLeft + width_ - kRight) / 2, height_ - 10, 0.5);
    Upward(y_label, 16, (kTop + height_ - bottom_) / 2, 0.5);
  }

  void Stroke(double x0, double y0, double x1, double y1, Colour colour) {
    Use(colour);
    // On the middle of a pixel, so that a line of one pixel does not smear over two.
    cairo_move_to(get(), std::floor(x0) + 0.5, std::floor(y0) + 0.5);
    cairo_line_to(get(), std::floor(x1) + 0.5, std::floor(y1) + 0.5);
    cairo_stroke(get());
  }

  // `anchor`: the part of the text that lies left of x.
  void Text(const std::string& text, double x, double y, double anchor) {
    cairo_text_extents_t extents;
    cairo_text_extents(get(), text.c_str(), &extents);
    Use(kInk);
    cairo_move_to(get(), x - extents.width * anchor, y);
    cairo_show_text(get(), text.c_str());
  }

  void Upward(const std::string& text, double x, double y, double anchor) {
    cairo_save(get());
    cairo_translate(get(), x, y);
    cairo_rotate(get(), -M_PI / 2);
    Text(text, 0, 0, anchor);
    cairo_restore(get());
  }

  Result<writer::media::Pixels> Take() {
    cairo_surface_flush(surface_.get());
    if (cairo_status(get()) != CAIRO_STATUS_SUCCESS ||
        cairo_surface_status(surface_.get()) != CAIRO_STATUS_SUCCESS) {
      return Fail(ErrorCode::kResourceExhausted, std::string("cannot draw a figure: ") +
                                                     cairo_status_to_string(cairo_status(get())));
    }
    CBOARD_ASSIGN_OR_RETURN(writer::media::Pixels figure,
                            writer::media::BlankPixels(static_cast<std::size_t>(height_),
                                                       static_cast<std::size_t>(width_), 3));
    const unsigned char* const data = cairo_image_surface_get_data(surface_.get());
    const int stride = cairo_image_surface_get_stride(surface_.get());
    for (int row = 0; row < height_; ++row) {
      const unsigned char* from = data + static_cast<std::ptrdiff_t>(row) * stride;
      std::uint8_t* to = figure.row(static_cast<std::size_t>(row));
      for (int column = 0; column < width_; ++column, from += 4) {
        // CAIRO_FORMAT_RGB24 is a native 32-bit number, 0xXXRRGGBB.
        for (const int channel : {2, 1, 0}) *to++ = from[channel];
      }
    }
    return figure;
  }

  static std::string Number(double value) {
    std::array<char, 32> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%.4g", std::abs(value) < 1e-12 ? 0 : value);
    return buffer.data();
  }

 private:
  int width_, height_;
  double bottom_;
  std::unique_ptr<cairo_surface_t, SurfaceDeleter> surface_;
  std::unique_ptr<cairo_t, ContextDeleter> context_;
  Range x_ = {0, 1}, y_ = {0, 1};
};

// 1, 2 or 5 times a power of ten, such that about `count` ticks fit.
double TickStep(double span, int count) {
  const double rough = span / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

Colour ColourOf(int bits) {
  switch (bits) {
    case 2:
      return kTwoBits;
    case 4:
      return kFourBits;
    case 8:
      return kEightBits;
    default:
      return kOtherBits;
  }
}

std::string Shortened(const std::string& label) {
  if (label.size() <= kMaxLabelBytes) return label;
  std::size_t end = kMaxLabelBytes;
  // Not inside a UTF-8 sequence: Cairo refuses to draw half a character.
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0) == 0x80) --end;
  return label.substr(0, end) + "…";
}

}  // namespace

Result<writer::media::Pixels> DrawLine(const std::vector<double>& values,
                                       const std::string& x_label, const std::string& y_label) {
  Range range = {HUGE_VAL, -HUGE_VAL};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range = {std::min(range.low, value), std::max(range.high, value)};
  }
  if (range.low > range.high) {
    return Fail(ErrorCode::kInvalidArgument, "no value of the line is a number");
  }
  range = {range.low - 0.5, range.high + 0.5};
  Canvas canvas(kDefaultWidth, kHeight, kBottom);
  const double last = std::max<double>(1, static_cast<double>(values.size()) - 1);
  const double margin = last / 20;
  canvas.Axes({-margin, last + margin}, range, std::max(1.0, TickStep(last, 10)),
              TickStep(range.high - range.low, 8), x_label, y_label);
  canvas.Use(kLine);
  cairo_set_line_width(canvas.get(), 1.5);
  bool drawing = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      drawing = false;
      continue;
    }
    const double x = canvas.X(static_cast<double>(i)), y = canvas.Y(values[i]);
    if (drawing) {
      cairo_line_to(canvas.get(), x, y);
    } else {
      cairo_move_to(canvas.get(), x, y);
    }
    drawing = true;
  }
  cairo_stroke(canvas.get());
  if (values.size() <= 60) {  // More of them would hide the line.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      cairo_arc(canvas.get(), canvas.X(static_cast<double>(i)), canvas.Y(values[i]), 2.5, 0,
                2 * M_PI);
      cairo_fill(canvas.get());
    }
  }
  return canvas.Take();
}

Result<writer::media::Pixels> DrawBars(const std::vector<Bar>& bars, const std::string& x_label,
                                       const std::string& y_label, BarColours colours) {
  if (bars.empty()) return Fail(ErrorCode::kInvalidArgument, "there is no bar to draw");
  int highest = 1;
  for (const Bar& bar : bars) highest = std::max(highest, bar.bits);
  const auto count = static_cast<double>(bars.size());
  const int width = std::clamp(static_cast<int>(std::min(count * kBarPitch, 1e6) + kLeft + kRight),
                               kDefaultWidth, kMaxWidth);
  const double pitch = (width - kLeft - kRight) / count;
  const bool labelled = colours == BarColours::kByBits && pitch >= kMinLabelPitch;
  Canvas canvas(width, kHeight, kBottom + (labelled ? kLabelRoom : 0));
  canvas.Axes({0.5, count + 0.5}, {0, highest * 1.05},
              labelled ? 0 : std::max(1.0, TickStep(count, 12)),
              std::max(1.0, TickStep(highest, 8)), x_label, y_label);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto at = static_cast<double>(i + 1);
    canvas.Use(colours == BarColours::kByBits ? ColourOf(bars[i].bits) : kLine);
    const double left = canvas.X(at - 0.35), right = canvas.X(at + 0.35);
    cairo_rectangle(canvas.get(), left, canvas.Y(bars[i].bits), std::max(right - left, 1.0),
                    canvas.Y(0) - canvas.Y(bars[i].bits));
    cairo_fill(canvas.get());
    if (labelled) canvas.Upward(Shortened(bars[i].label), canvas.X(at) + 4, canvas.Y(0) + 8, 1);
  }
  return canvas.Take();
}

}  // namespace cboard::compression::stages
