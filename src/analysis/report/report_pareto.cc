// Draws quality against size, or against the resource that most models logged: an arrow from
// variant A to B for each model, and the Pareto front of each experiment.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>

#include "analysis/report/report_sections.h"
#include "cboard/analysis/pareto.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

constexpr double kLeft = 44, kRight = 984, kTop = 20, kBottom = 344;

struct Spot {
  const ReportModel* model;
  double ax, ay, bx, by;  // In values.
};

// Converts values to pixels; logarithmically if the values are positive and span more than a factor
// of 10.
class PlotAxis {
 public:
  PlotAxis(std::vector<double> values, double from, double to, bool may_be_log)
      : from_(from), to_(to) {
    const auto [low, high] = std::ranges::minmax(values);
    log_ = may_be_log && low > 0 && high / low > 8;
    low_ = log_ ? std::log10(low) : low;
    high_ = log_ ? std::log10(high) : high;
    const double room = high_ > low_ ? (high_ - low_) * 0.07 : std::max(std::abs(low_) * 0.1, 1.0);
    low_ -= room;
    high_ += room;
  }

  double operator()(double value) const {
    const double place = ((log_ ? std::log10(value) : value) - low_) / (high_ - low_);
    return from_ + place * (to_ - from_);
  }
  bool is_log() const { return log_; }

  // Returns round values for an axis: 1, 2 and 5 times powers of ten, or multiples of such values.
  std::vector<double> Ticks() const {
    std::vector<double> ticks;
    if (log_) {
      for (double power = std::floor(low_); power <= high_; ++power) {
        for (const double step : {1.0, 2.0, 5.0}) {
          const double tick = step * std::pow(10, power);
          if (std::log10(tick) >= low_ && std::log10(tick) <= high_) ticks.push_back(tick);
        }
      }
      return ticks;
    }
    const double raw = (high_ - low_) / 6;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (const double multiple : {5.0, 2.0, 1.0}) {
      if (multiple * power >= raw) step = multiple * power;
    }
    for (double i = std::ceil(low_ / step); i * step <= high_; ++i) ticks.push_back(i * step);
    return ticks;
  }

 private:
  double from_, to_, low_ = 0, high_ = 1;
  bool log_ = false;
};

double ShownValue(const compression::MetricDescription& metric, double value) {
  return IsShare(metric) ? AsFraction(value) * 100 : value;
}

std::vector<Spot> ParetoPointsOf(const ReportData& data, const compression::MetricDescription& x,
                                 const compression::MetricDescription& y) {
  std::vector<Spot> spots;
  for (const ReportModel& model : data.models) {
    if (model.derived.contains(x.key) || model.derived.contains(y.key)) continue;
    const auto ax = model.a.find(x.key), ay = model.a.find(y.key);
    const auto bx = model.b.find(x.key), by = model.b.find(y.key);
    if (bx == model.b.end() || by == model.b.end()) continue;
    const bool has_a = ax != model.a.end() && ay != model.a.end();
    Spot spot{&model, 0, 0, ShownValue(x, bx->second), ShownValue(y, by->second)};
    spot.ax = has_a ? ShownValue(x, ax->second) : spot.bx;
    spot.ay = has_a ? ShownValue(y, ay->second) : spot.by;
    const bool is_finite = std::isfinite(spot.ax) && std::isfinite(spot.ay) &&
                           std::isfinite(spot.bx) && std::isfinite(spot.by);
    if (is_finite) spots.push_back(spot);
  }
  return spots;
}

// Leaves out labels that would overlap another label; the table below has every name.
class Labels {
 public:
  bool Place(double x, double y, std::size_t length) {
    const Box box{x, y - 10, x + 6.2 * static_cast<double>(length), y + 4};
    if (box.x1 > kRight + 12 || taken_.size() == kMaxLabels) return false;
    for (const Box& other : taken_) {
      if (box.x0 < other.x1 && other.x0 < box.x1 && box.y0 < other.y1 && other.y0 < box.y1) {
        return false;
      }
    }
    taken_.push_back(box);
    return true;
  }

 private:
  static constexpr std::size_t kMaxLabels = 60;
  struct Box {
    double x0, y0, x1, y1;
  };
  std::vector<Box> taken_;
};

// Formats a pixel coordinate with one decimal; SVG needs an ASCII minus.
std::string P(double pixel) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, pixel, std::chars_format::general, 5);
  return std::string(text, end.ptr);
}

void WriteAxes(HtmlWriter& html, const PlotAxis& x, const PlotAxis& y,
               const compression::MetricDescription& x_metric,
               const compression::MetricDescription& y_metric) {
  const auto title = [](const compression::MetricDescription& metric, bool log) {
    return NameWithUnit(metric) + (log ? " (log)" : "");
  };
  for (const double tick : y.Ticks()) {
    html.Raw("<path class=\"gridline\" d=\"M" + P(kLeft) + " " + P(y(tick)) + "H" + P(kRight));
    html.Raw("\"/><text text-anchor=\"end\" x=\"" + P(kLeft - 6) + "\" y=\"" + P(y(tick) + 4));
    html.Raw("\">").Text(verdict::ShortNumber(tick)).Raw("</text>");
  }
  for (const double tick : x.Ticks()) {
    html.Raw("<path class=\"gridline\" d=\"M" + P(x(tick)) + " " + P(kTop) + "V" + P(kBottom));
    html.Raw("\"/><text text-anchor=\"middle\" x=\"" + P(x(tick)) + "\" y=\"" + P(kBottom + 16));
    html.Raw("\">").Text(verdict::ShortNumber(tick)).Raw("</text>");
  }
  html.Raw("<path class=\"axis\" d=\"M" + P(kLeft) + " " + P(kBottom) + "H" + P(kRight) + "\"/>");
  html.Raw("<text x=\"" + P(kLeft) + "\" y=\"12\">").Text(title(y_metric, y.is_log()));
  html.Raw("</text><text text-anchor=\"end\" x=\"" + P(kRight) + "\" y=\"" + P(kBottom + 32));
  html.Raw("\">").Text(title(x_metric, x.is_log())).Raw("</text>");
}

// Returns the points of the experiment with the most points. Overview ranks the same experiment. If
// several experiments have equally many points, the first one in the table is used.
std::vector<const Spot*> LargestExperiment(const std::vector<Spot>& spots) {
  std::map<std::string_view, std::vector<const Spot*>> experiments;
  for (const Spot& spot : spots) experiments[spot.model->experiment].push_back(&spot);
  return std::ranges::max(experiments | std::views::values, {}, [](const auto& members) {
    const auto row = [](const Spot* spot) { return *spot->model->row_b; };
    return std::pair(members.size(), -std::ptrdiff_t(std::ranges::min(members, {}, row)));
  });
}

// Returns the points of the Pareto front, sorted from left to right.
std::vector<const Spot*> FrontOf(const std::vector<const Spot*>& ranked,
                                 const compression::MetricDescription& x_metric,
                                 const compression::MetricDescription& y_metric) {
  std::vector<std::optional<double>> values;
  for (const Spot* spot : ranked) values.insert(values.end(), {spot->bx, spot->by});
  const std::array directions = {x_metric.better, y_metric.better};
  const Result<ParetoFront> front = ComputeParetoFront(directions, values);
  std::vector<const Spot*> line;
  if (!front) return line;  // Without a known direction there is no front.
  for (const std::size_t index : front->front) line.push_back(ranked[index]);
  std::ranges::sort(line, {}, [](const Spot* spot) { return spot->bx; });
  return line;
}

void WriteFront(HtmlWriter& html, const std::vector<const Spot*>& line, const PlotAxis& x,
                const PlotAxis& y, const compression::MetricDescription& x_metric) {
  std::string path;
  for (const Spot* spot : line) {
    const std::string px = P(x(spot->bx)), py = P(y(spot->by));
    if (path.empty()) {
      path = "M" + px + " " + py;
    } else {
      path += x_metric.better == compression::Better::kHigher ? "V" + py + "H" + px
                                                              : "H" + px + "V" + py;
    }
  }
  html.Raw("<path class=\"front\" d=\"" + path + "\"/>");
}

// Changes a metric name for the middle of a sentence: "Model size" to "model size"; "F1 score" does
// not change.
std::string InSentence(std::string name) {
  const auto is_between = [&](std::size_t i, char low, char high) {
    return name.size() > i && name[i] >= low && name[i] <= high;
  };
  if (is_between(0, 'A', 'Z') && is_between(1, 'a', 'z')) name[0] += 'a' - 'A';
  return name;
}

// Returns a sentence about the Pareto front, or about the variant that is better than all others.
std::string FrontDescription(const std::vector<const Spot*>& front,
                             const std::vector<const Spot*>& ranked, std::size_t shown) {
  if (front.empty()) return "";
  std::string text;
  if (front.size() > 1) {
    text = ", the line joins those that no other beats";
  } else if (ranked.size() > 1) {
    text = "; none beats " + front.front()->model->name;
  }
  if (ranked.size() == shown) return text;
  const std::string& experiment = front.front()->model->experiment;
  return text + "; the front is of " +
         (experiment == "." ? "the log directory itself" : experiment) +
         " alone, since experiments may differ in data and machine";
}

// Draws an arrow from A to just before B; its head marks B without using colours.
std::string Arrow(double ax, double ay, double bx, double by) {
  constexpr double kGap = 6, kHead = 6, kSlope = 0.5;
  const double length = std::hypot(bx - ax, by - ay);
  const double ux = (bx - ax) / length, uy = (by - ay) / length;
  const double gap = std::min(kGap, length / 2);
  const double x = bx - ux * gap, y = by - uy * gap;
  const auto side = [&](double sign) {
    return P(x - kHead * (ux + sign * kSlope * uy)) + " " +
           P(y - kHead * (uy - sign * kSlope * ux));
  };
  const std::string tip = P(x) + " " + P(y);
  std::string path = "M" + P(ax) + " " + P(ay) + "L" + tip;
  if (length > kGap + 2 * kHead) path += "M" + side(1) + "L" + tip + "L" + side(-1);
  return path;
}

void WriteParetoPoints(HtmlWriter& html, const std::vector<Spot>& spots, const PlotAxis& x,
                       const PlotAxis& y) {
  Labels labels;
  for (const Spot& spot : spots) {
    const double ax = x(spot.ax), ay = y(spot.ay), bx = x(spot.bx), by = y(spot.by);
    html.Raw("<g>").Element("title", spot.model->name);
    if (std::hypot(ax - bx, ay - by) > 1) {
      html.Raw("<path class=\"arrow\" d=\"" + Arrow(ax, ay, bx, by));
      html.Raw("\"/><circle class=\"dot-a\" r=\"3.5\" cx=\"" + P(ax) + "\" cy=\"" + P(ay) + "\"/>");
    }
    html.Raw("<path class=\"dot-b\" d=\"M" + P(bx) + " " + P(by - 4.5) + "l4.5 4.5-4.5 4.5");
    html.Raw("-4.5-4.5z\"/></g>");
  }
  for (const Spot& spot : spots) {
    const double px = x(spot.bx) + 7, py = y(spot.by) + 14;
    if (!labels.Place(px, py, spot.model->name.size())) continue;
    html.Raw("<text class=\"label\" x=\"" + P(px) + "\" y=\"" + P(py) + "\">");
    html.Text(spot.model->name).Raw("</text>");
  }
}

}  // namespace

void WritePareto(HtmlWriter& html, const ReportData& data) {
  if (data.quality.empty()) return;
  const compression::MetricDescription y_metric = compression::DescribeMetric(data.quality);
  std::vector<Spot> spots;
  compression::MetricDescription x_metric;
  for (const std::string_view key : {"model_size_mb", "latency_mean_ms", "throughput",
                                     "memory_usage_mb", "energy_consumption_mw"}) {
    std::vector<Spot> found = ParetoPointsOf(data, compression::DescribeMetric(key), y_metric);
    if (found.size() <= spots.size()) continue;
    spots = std::move(found);
    x_metric = compression::DescribeMetric(key);
  }
  if (spots.empty()) return;
  std::vector<double> xs, ys;
  for (const Spot& spot : spots) {
    xs.insert(xs.end(), {spot.ax, spot.bx});
    ys.insert(ys.end(), {spot.ay, spot.by});
  }
  const PlotAxis x(std::move(xs), kLeft, kRight, true);
  const PlotAxis y(std::move(ys), kBottom, kTop, false);
  const std::string title = PlainName(y_metric) + " against " + InSentence(PlainName(x_metric));
  const std::vector<const Spot*> ranked = LargestExperiment(spots);
  const std::vector<const Spot*> front = FrontOf(ranked, x_metric, y_metric);
  html.Raw("<section>").Element("h2", title);
  html.Element("p",
               HumanCount(spots.size()) + " of " + HumanCount(data.models.size()) +
                   " models logged both; an arrow leads from ● " + data.a + " to ◆ " + data.b +
                   FrontDescription(front, ranked, spots.size()) + ".",
               "note");
  html.Raw(
          "<div class=\"wide\" tabindex=\"0\"><svg viewBox=\"0 0 1000 384\" role=\"img\" "
          "aria-label=\"")
      .Text(title)
      .Raw("\">");
  WriteAxes(html, x, y, x_metric, y_metric);
  if (front.size() > 1) WriteFront(html, front, x, y, x_metric);
  WriteParetoPoints(html, spots, x, y);
  html.Raw("</svg></div></section>");
}

}  // namespace cboard::analysis
