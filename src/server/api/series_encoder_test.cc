#include "server/api/series_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "reader/index/scalar_column.h"

namespace cboard::server {
namespace {

constexpr double kNow = 1763251200.25;

struct Points {
  std::vector<std::int64_t> steps;
  std::vector<double> wall_times;
  std::vector<double> values;
};

// Decodes a series from its description and bytes, as docs/formats/series.md defines.
class Decoder {
 public:
  Decoder(std::string description, std::string bytes)
      : description_(std::move(description)), bytes_(std::move(bytes)) {}

  Points Decode(std::size_t count) {
    Points points;
    if (Says("stride")) {
      const auto first = Integer("\"first\":");
      const auto stride = Integer("\"stride\":");
      for (std::size_t i = 0; i < count; ++i) {
        points.steps.push_back(first + static_cast<std::int64_t>(i) * stride);
      }
    } else {
      points.steps = Take<std::int64_t>(count);
    }
    if (const std::size_t at = description_.find("ulp32"); at != std::string::npos) {
      const double first = Number("\"first\":", at);
      const double ulp = Number("\"ulp\":", at);
      for (const std::uint32_t ulps : Take<std::uint32_t>(count)) {
        points.wall_times.push_back(first + ulps * ulp);
      }
    } else if (const std::size_t gaps = description_.find("gap32"); gaps != std::string::npos) {
      const double first = Number("\"first\":", gaps);
      const double ulp = Number("\"ulp\":", gaps);
      double distance = 0;
      for (const std::int32_t gap : Take<std::int32_t>(count)) {
        points.wall_times.push_back(first + (distance += gap) * ulp);
      }
    } else {
      points.wall_times = Take<double>(count);
    }
    if (Says("f32")) {
      for (const float value : Take<float>(count)) points.values.push_back(value);
    } else {
      points.values = Take<double>(count);
    }
    EXPECT_EQ(at_, bytes_.size());
    return points;
  }

  bool Says(std::string_view text) const { return description_.find(text) != std::string::npos; }

 private:
  template <typename T>
  std::vector<T> Take(std::size_t count) {
    std::vector<T> values(count);
    EXPECT_LE(at_ + count * sizeof(T), bytes_.size());
    std::memcpy(values.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    for (; at_ % 8 != 0; ++at_) EXPECT_EQ(bytes_[at_], '\0') << "padding";
    return values;
  }
  double Number(std::string_view key, std::size_t from = 0) const {
    return std::strtod(description_.c_str() + description_.find(key, from) + key.size(), nullptr);
  }
  std::int64_t Integer(std::string_view key) const {
    return std::strtoll(description_.c_str() + description_.find(key) + key.size(), nullptr, 10);
  }

  std::string description_;
  std::string bytes_;
  std::size_t at_ = 0;
};

Decoder Encode(const SeriesPoints& source) {
  BodyBuffer buffer(std::string(999, '?'));  // The old content of the buffer must not be visible.
  const EncodedSeries series = EncodedSeries::Append(source, buffer);
  JsonWriter json;
  json.BeginObject();
  series.Describe(json);
  json.EndObject();
  EXPECT_LE(json.text().size(), EncodedSeries::kMaxDescriptionBytes);
  return {json.Take(), std::move(buffer).Finish()};
}

// Encodes complete points, `block` at a time.
Decoder Encode(const Points& points, std::size_t block) {
  return Encode({.count = points.steps.size(),
                 .first_wall_time_seconds = points.wall_times.front(),
                 .last_wall_time_seconds = points.wall_times.back(),
                 .for_each_stored = [&](const auto& visit) {
                   for (std::size_t i = 0; i < points.steps.size(); i += block) {
                     const std::size_t n = std::min(block, points.steps.size() - i);
                     PointsOf(reader::ScalarBlock{std::span(points.steps).subspan(i, n),
                                                  std::span(points.wall_times).subspan(i, n),
                                                  std::span(points.values).subspan(i, n)})
                         .for_each_stored(visit);
                   }
                 }});
}

// Stores points as the reader does; those from `cut` on are in another file.
reader::ScalarSeries Stored(const Points& points, std::size_t cut) {
  std::vector<reader::ScalarColumnView> files;
  for (const auto& [begin, end] : {std::pair(std::size_t{0}, cut), {cut, points.steps.size()}}) {
    const auto arena = std::make_shared<reader::Arena>();
    reader::ScalarColumn column(*arena);
    for (std::size_t i = begin; i < end; ++i) {
      column.Append(points.steps[i], points.wall_times[i], points.values[i]);
    }
    files.push_back(column.View(arena));
  }
  return reader::ScalarSeries(std::move(files));
}

void ExpectSame(const Points& points, Decoder decoder) {
  const Points decoded = decoder.Decode(points.steps.size());
  EXPECT_EQ(decoded.steps, points.steps);
  ASSERT_EQ(decoded.values.size(), points.values.size());
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    EXPECT_TRUE(decoded.values[i] == points.values[i] ||
                (std::isnan(decoded.values[i]) && std::isnan(points.values[i])));
    EXPECT_TRUE(decoded.wall_times[i] == points.wall_times[i] ||
                (std::isnan(decoded.wall_times[i]) && std::isnan(points.wall_times[i])));
  }
}

// The result does not depend on the form of the points.
void ExpectSame(const Points& points, std::size_t block) {
  ExpectSame(points, Encode(points, block));
  for (const std::size_t cut : {std::size_t{0}, points.steps.size() / 3}) {
    const reader::ScalarSeries stored = Stored(points, cut);
    ExpectSame(points, Encode(PointsOf(stored)));
  }
}

TEST(EncodedSeries, StoresRegularPointsInEightBytesEach) {
  Points points;
  for (int i = 0; i < 1000; ++i) {
    points.steps.push_back(5 + 10 * i);
    points.wall_times.push_back(kNow + 0.5 * i);
    points.values.push_back(static_cast<float>(std::sin(i)));
  }
  const Decoder decoder = Encode(points, 64);
  EXPECT_TRUE(decoder.Says("stride") && decoder.Says("ulp32") && decoder.Says("f32"));
  for (const std::size_t block : {1u, 7u, 1000u}) ExpectSame(points, block);
}

TEST(EncodedSeries, StoresADayInEightBytesAPoint) {
  Points points;
  for (int i = 0; i < 5000; ++i) {
    points.steps.push_back(i);
    points.wall_times.push_back(kNow + 20.0 * i + (i % 7 == 0 ? 0.0001 : 0));
    points.values.push_back(0.5);
  }
  points.wall_times[17] = points.wall_times[16] - 0.001;  // The clock was changed.
  points.wall_times[4000] += 400;
  const Decoder decoder = Encode(PointsOf(Stored(points, 1500)));
  EXPECT_TRUE(decoder.Says("stride") && decoder.Says("gap32") && decoder.Says("f32"));
  for (const std::size_t block : {1u, 7u, 5000u}) ExpectSame(points, block);
}

TEST(EncodedSeries, PausesThatAreTooLongForGapsCostEightBytes) {
  const double ulp = std::nextafter(kNow, 2e9) - kNow;
  const double longest = 2147483647 * ulp;
  for (const auto& [pause, kind] : {std::pair(longest, "gap32"), {longest + ulp, "f64"}}) {
    Points points{{0, 1, 2, 3}, {kNow, kNow, kNow + pause, kNow + 1.9 * longest}, {1, 2, 3, 4}};
    points.wall_times.push_back(kNow + 2.9 * longest);
    points.steps.push_back(4);
    points.values.push_back(5);
    EXPECT_TRUE(Encode(points, 9).Says(kind)) << pause;
    EXPECT_TRUE(Encode(PointsOf(Stored(points, 0))).Says(kind)) << pause;
    ExpectSame(points, 2);
  }
}

// 2^30 seconds are in January 2004. From then on, a unit of the last place is twice as large.
TEST(EncodedSeries, LosesNothingWhereDoublesBecomeCoarser) {
  const double change = std::ldexp(1.0, 30);
  for (const double first : {change - 1, change - 0.001, change - 2000}) {
    Points points;
    for (int i = 0; i < 50; ++i) {
      points.steps.push_back(i);
      points.wall_times.push_back(first + i * (change - first) / 37);
      points.values.push_back(i);
    }
    ExpectSame(points, 7);
    Points back = points;  // Beyond the limit, and back before the end.
    back.wall_times.back() = first;
    ExpectSame(back, 7);
  }
}

TEST(EncodedSeries, LosesNothingOfPointsThatDoNotFit) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ExpectSame({{0, 1, 5}, {kNow, kNow + 5000, kNow - 1}, {0.1, 1e300, -0.5}}, 2);
  ExpectSame({{7}, {0}, {nan}}, 1);
  ExpectSame({{1, 2, 3}, {nan, kNow, -5}, {infinity, -infinity, nan}}, 1);
  ExpectSame({{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()},
              {kNow, kNow},
              {1, 2}},
             1);
  ExpectSame({{3, 3, 3}, {kNow, kNow, kNow}, {1, 2, 3}}, 2);
}

TEST(EncodedSeries, NoticesTheOnePointInTheMiddleThatDoesNotFit) {
  for (std::size_t odd = 0; odd < 40; ++odd) {
    Points points;
    for (int i = 0; i < 40; ++i) {
      points.steps.push_back(i);
      points.wall_times.push_back(kNow + i);
      points.values.push_back(0.5);
    }
    Points steps = points, walls = points, values = points;
    steps.steps[odd] = 1000;
    walls.wall_times[odd] = kNow + 1e6;
    values.values[odd] = 0.1;
    for (const Points* const changed : {&steps, &walls, &values}) ExpectSame(*changed, 7);
  }
}

TEST(EncodedSeries, DescribesTheLongestNumbersInTheRoomThatIsKept) {
  const auto least = std::numeric_limits<std::int64_t>::min();
  const double time = std::nextafter(1763251200.123456, 2e9);
  Encode({{least, least + (std::int64_t{1} << 62) + 12345}, {time, time}, {1, 2}}, 1);
}

TEST(EncodedSeries, IsTheIdentityOnRandomPoints) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    Points points;
    const std::size_t count = 1 + random() % 50;
    const bool regular = random() % 2 == 0;
    for (std::size_t i = 0; i < count; ++i) {
      points.steps.push_back(regular ? static_cast<std::int64_t>(3 * i)
                                     : static_cast<std::int64_t>(random() >> (random() % 63)));
      const double spread = round % 3 == 0 ? 1000.0 : round % 3 == 1 ? 4000.0 : 100.0;
      points.wall_times.push_back(kNow + static_cast<double>(random() % 2000000) / spread);
      const float narrow = static_cast<float>(random() % 1000) / 7.0F;
      points.values.push_back(random() % 200 == 0 ? 0.1 : narrow);
    }
    ExpectSame(points, 1 + random() % 20);
  }
}

TEST(EncodedSeries, LeavesOutWallTimesThatNobodyWants) {
  const Points points = {{7, 9, 11}, {kNow, kNow + 1, kNow + 2}, {0.5, 1.5, -2}};
  BodyBuffer buffer(std::string(99, '?'));
  const EncodedSeries series = EncodedSeries::Append(
      PointsOf(reader::ScalarBlock{points.steps, points.wall_times, points.values}), buffer, false);
  JsonWriter json;
  json.BeginObject();
  series.Describe(json);
  json.EndObject();
  EXPECT_EQ(
      json.text(),
      R"({"points":3,"steps":{"kind":"stride","first":7,"stride":2},"values":{"kind":"f32"}})");
  const std::string bytes = std::move(buffer).Finish();
  const float expected[] = {0.5, 1.5, -2, 0};  // The last is padding.
  ASSERT_EQ(bytes.size(), sizeof(expected));
  EXPECT_EQ(std::memcmp(bytes.data(), expected, sizeof(expected)), 0);
}

}  // namespace
}  // namespace cboard::server
