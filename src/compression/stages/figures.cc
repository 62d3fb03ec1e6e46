#include "compression/stages/figures.h"

#include <agg_conv_stroke.h>
#include <agg_conv_transform.h>
#include <agg_ellipse.h>
#include <agg_gsv_text.h>
#include <agg_path_storage.h>
#include <agg_pixfmt_rgb.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_rendering_buffer.h>
#include <agg_scanline_u.h>
#include <agg_trans_affine.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace cboard::compression::stages {
namespace {

struct Colour {
  int red, green, blue;
};
constexpr Colour kWhite = {255, 255, 255};
constexpr Colour kInk = {33, 33, 33};
constexpr Colour kGrid = {217, 217, 217};
constexpr Colour kLine = {31, 119, 180};
// Colours of the Model Compression Toolkit: tomato, royalblue, limegreen.
constexpr Colour kTwoBits = {255, 99, 71};
constexpr Colour kFourBits = {65, 105, 225};
constexpr Colour kEightBits = {50, 205, 50};
constexpr Colour kOtherBits = {112, 128, 144};

constexpr int kHeight = 480;
constexpr int kDefaultWidth = 640;
constexpr int kMaxWidth = 2000;
constexpr double kLeft = 64, kRight = 16, kTop = 16, kBottom = 52;
constexpr double kLabelRoom = 90;    // Height in pixels for labels that run upwards below the bars.
constexpr double kFontHeight = 8.5;  // Height of capital letters.
constexpr double kFontStroke = 1.1;
constexpr double kMinLabelPitch = 11;  // Closer labels would overlap.
constexpr double kBarPitch = 26;
constexpr std::size_t kMaxLabelBytes = 14;

struct Range {
  double low, high;
};

// Replaces non-ASCII characters by question marks: the vector font has ASCII only.
std::string InAscii(const std::string& text) {
  std::string ascii;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    const bool continues = (value & 0xC0) == 0x80;  // Continuation byte of a UTF-8 sequence.
    if (value >= 0x20 && value < 0x7F) {
      ascii += byte;
    } else if (!continues) {
      ascii += '?';
    }
  }
  return ascii;
}

// Draws on a white picture with two axes.
class Canvas {
 public:
  static Result<Canvas> Create(int width, int height, double bottom) {
    CBOARD_ASSIGN_OR_RETURN(writer::media::Pixels figure,
                            writer::media::BlankPixels(static_cast<std::size_t>(height),
                                                       static_cast<std::size_t>(width), 3));
    for (std::size_t row = 0; row < figure.height; ++row) {
      std::fill_n(figure.row(row), figure.width * 3, std::uint8_t{255});
    }
    return Canvas(std::move(figure), width, height, bottom);
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
    if (x_step > 0) {
      for (double at = std::ceil(x.low / x_step) * x_step; at <= x.high; at += x_step) {
        Line(X(at), kTop, X(at), height_ - bottom_, kGrid);
        Text(Number(at), X(at), height_ - bottom_ + 16, 0.5);
      }
    }
    for (double at = std::ceil(y.low / y_step) * y_step; at <= y.high + y_step / 1e6;
         at += y_step) {
      Line(kLeft, Y(at), width_ - kRight, Y(at), kGrid);
      Text(Number(at), kLeft - 6, Y(at) + 4, 1);
    }
    Line(kLeft, kTop, width_ - kRight, kTop, kInk);
    Line(kLeft, height_ - bottom_, width_ - kRight, height_ - bottom_, kInk);
    Line(kLeft, kTop, kLeft, height_ - bottom_, kInk);
    Line(width_ - kRight, kTop, width_ - kRight, height_ - bottom_, kInk);
    Text(x_label, (kLeft + width_ - kRight) / 2, height_ - 10, 0.5);
    Upward(y_label, 16, (kTop + height_ - bottom_) / 2, 0.5);
  }

  // Draws a line that is one pixel wide.
  void Line(double x0, double y0, double x1, double y1, Colour colour) {
    agg::path_storage path;
    // Moves the line to the middle of a pixel, so that it does not cover two pixels.
    path.move_to(std::floor(x0) + 0.5, std::floor(y0) + 0.5);
    path.line_to(std::floor(x1) + 0.5, std::floor(y1) + 0.5);
    Stroke(path, 1, colour);
  }

  void Rectangle(double x, double y, double width, double height, Colour colour) {
    agg::path_storage path;
    path.move_to(x, y);
    path.line_to(x + width, y);
    path.line_to(x + width, y + height);
    path.line_to(x, y + height);
    path.close_polygon();
    Fill(path, colour);
  }

  void Dot(double x, double y, double radius, Colour colour) {
    agg::ellipse circle(x, y, radius, radius, 16);
    Fill(circle, colour);
  }

  void Stroke(agg::path_storage& path, double width, Colour colour) {
    agg::conv_stroke<agg::path_storage> outline(path);
    outline.width(width);
    outline.line_join(agg::round_join);
    Fill(outline, colour);
  }

  // Draws a text; `anchor` is the share of the text that is to the left of x.
  void Text(const std::string& text, double x, double y, double anchor) {
    DrawText(text, x, y, anchor, 0);
  }
  void Upward(const std::string& text, double x, double y, double anchor) {
    DrawText(text, x, y, anchor, -M_PI / 2);
  }

  writer::media::Pixels Take() && { return std::move(figure_); }

  static std::string Number(double value) {
    std::array<char, 32> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%.4g", std::abs(value) < 1e-12 ? 0 : value);
    return buffer.data();
  }

 private:
  Canvas(writer::media::Pixels figure, int width, int height, double bottom)
      : width_(width), height_(height), bottom_(bottom), figure_(std::move(figure)) {}

  void DrawText(const std::string& text, double x, double y, double anchor, double angle) {
    agg::gsv_text font;
    font.flip(true);
    font.size(kFontHeight);
    const std::string ascii = InAscii(text);
    font.text(ascii.c_str());
    font.start_point(-font.text_width() * anchor, 0);
    agg::trans_affine place = agg::trans_affine_rotation(angle);
    place *= agg::trans_affine_translation(x, y);
    agg::conv_stroke<agg::gsv_text> strokes(font);
    strokes.width(kFontStroke);
    strokes.line_join(agg::round_join);
    strokes.line_cap(agg::round_cap);
    agg::conv_transform<agg::conv_stroke<agg::gsv_text>> placed(strokes, place);
    Fill(placed, kInk);
  }

  template <typename Path>
  void Fill(Path& path, Colour colour) {
    agg::rendering_buffer rows(figure_.row(0), static_cast<unsigned>(width_),
                               static_cast<unsigned>(height_), width_ * 3);
    agg::pixfmt_rgb24 pixels(rows);
    agg::renderer_base<agg::pixfmt_rgb24> renderer(pixels);
    agg::rasterizer_scanline_aa<> rasterizer;
    agg::scanline_u8 scanline;
    rasterizer.add_path(path);
    agg::render_scanlines_aa_solid(
        rasterizer, scanline, renderer,
        agg::rgba8(static_cast<unsigned>(colour.red), static_cast<unsigned>(colour.green),
                   static_cast<unsigned>(colour.blue)));
  }

  int width_, height_;
  double bottom_;
  writer::media::Pixels figure_;
  Range x_ = {0, 1}, y_ = {0, 1};
};

// Returns 1, 2 or 5 times a power of ten, so that about `count` ticks fit.
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
  // Moves the cut to the start of a UTF-8 sequence.
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0) == 0x80) --end;
  return label.substr(0, end) + "...";
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
    return Fail(ErrorCode::kInvalidArgument,
                "cannot draw a line chart: all its values are NaN or infinite");
  }
  range = {range.low - 0.5, range.high + 0.5};
  CBOARD_ASSIGN_OR_RETURN(Canvas canvas, Canvas::Create(kDefaultWidth, kHeight, kBottom));
  const double last = std::max<double>(1, static_cast<double>(values.size()) - 1);
  const double margin = last / 20;
  canvas.Axes({-margin, last + margin}, range, std::max(1.0, TickStep(last, 10)),
              TickStep(range.high - range.low, 8), x_label, y_label);
  agg::path_storage line;
  bool drawing = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      drawing = false;
      continue;
    }
    const double x = canvas.X(static_cast<double>(i)), y = canvas.Y(values[i]);
    if (drawing) {
      line.line_to(x, y);
    } else {
      line.move_to(x, y);
    }
    drawing = true;
  }
  canvas.Stroke(line, 1.5, kLine);
  if (values.size() <= 60) {  // More dots would hide the line.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      canvas.Dot(canvas.X(static_cast<double>(i)), canvas.Y(values[i]), 2.5, kLine);
    }
  }
  return std::move(canvas).Take();
}

Result<writer::media::Pixels> DrawBars(const std::vector<Bar>& bars, const std::string& x_label,
                                       const std::string& y_label, BarColours colours) {
  if (bars.empty())
    return Fail(ErrorCode::kInvalidArgument, "cannot draw a bar chart: it has no bars");
  int highest = 1;
  for (const Bar& bar : bars) highest = std::max(highest, bar.bits);
  const auto count = static_cast<double>(bars.size());
  const int width = std::clamp(static_cast<int>(std::min(count * kBarPitch, 1e6) + kLeft + kRight),
                               kDefaultWidth, kMaxWidth);
  const double pitch = (width - kLeft - kRight) / count;
  const bool labelled = colours == BarColours::kByBits && pitch >= kMinLabelPitch;
  CBOARD_ASSIGN_OR_RETURN(Canvas canvas,
                          Canvas::Create(width, kHeight, kBottom + (labelled ? kLabelRoom : 0)));
  canvas.Axes({0.5, count + 0.5}, {0, highest * 1.05},
              labelled ? 0 : std::max(1.0, TickStep(count, 12)),
              std::max(1.0, TickStep(highest, 8)), x_label, y_label);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto at = static_cast<double>(i + 1);
    const double left = canvas.X(at - 0.35), right = canvas.X(at + 0.35);
    canvas.Rectangle(left, canvas.Y(bars[i].bits), std::max(right - left, 1.0),
                     canvas.Y(0) - canvas.Y(bars[i].bits),
                     colours == BarColours::kByBits ? ColourOf(bars[i].bits) : kLine);
    if (labelled) canvas.Upward(Shortened(bars[i].label), canvas.X(at) + 4, canvas.Y(0) + 8, 1);
  }
  return std::move(canvas).Take();
}

}  // namespace cboard::compression::stages
