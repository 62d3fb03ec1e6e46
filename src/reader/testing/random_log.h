// Event files of every kind of event in random order, for tests.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cboard/proto/tensor.h"
#include "reader/testing/event_builder.h"

namespace cboard::testing {

// Records that come in any order and number; the same for the same seed.
class RandomLog {
 public:
  explicit RandomLog(std::uint32_t seed) : random_(seed) {}

  std::string Version() const {
    return ::cboard::testing::EventRecord(proto::EventKind::kFileVersion, proto::kFileVersion);
  }

  // Mostly scalars of a few tags in turn, with everything else now and then.
  std::string Record() {
    step_ += static_cast<std::int64_t>(random_() % 3);
    wall_ += static_cast<double>(random_() % 100) * 1e-3;
    const std::string tag = "tag/" + std::to_string(turn_++ % 5) + std::string(random_() % 2, 'x');
    std::string summary;
    switch (random_() % 40) {
      case 0:
        proto::AppendImageValue(Tag("image"), {.encoded = Bytes()}, {}, summary);
        break;
      case 1: {  // Metadata with the first values only, as some writers do.
        const auto value = static_cast<float>(random_());
        proto::AppendTensorValue(Tag("tensor"), proto::EncodeFloatTensor({}, {&value, 1}),
                                 {.plugin_name = random_() % 8 == 0 ? "scalars" : ""}, summary);
        break;
      }
      case 2:
        proto::AppendScalarValue(tag, 1, {.display_name = "named"}, summary);
        proto::AppendScalarValue("second", 2, {}, summary);
        break;
      case 3:
        return EventAt(proto::EventKind::kSessionLog,
                       proto::EncodeSessionLog({.status = proto::SessionStatus::kStart}));
      case 4:
        return EventAt(proto::EventKind::kGraphDef, Bytes());
      case 5:
        return EventAt(proto::EventKind::kTaggedRunMetadata,
                       proto::EncodeTaggedRunMetadata({.tag = tag, .run_metadata = Bytes()}));
      case 6:
        step_ = random_() % 4 == 0 ? -5 : step_ / 2;
        proto::AppendScalarValue(tag, 1, {}, summary);
        break;
      case 7: {
        const double value = std::bit_cast<double>(std::uint64_t{random_()} << 32 | random_());
        proto::AppendTensorValue(
            Tag("double"), proto::EncodeDoubleTensor({}, {&value, 1}),
            {.plugin_name = "scalars", .data_class = proto::DataClass::kScalar}, summary);
        break;
      }
      case 8:
        return EventAt(proto::EventKind::kLogMessage, Bytes());
      default:
        proto::AppendScalarValue(tag, std::bit_cast<float>(static_cast<std::uint32_t>(random_())),
                                 {}, summary);
    }
    return ::cboard::testing::SummaryRecord(summary, step_, wall_);
  }

  std::string Records(std::size_t count) {
    std::string records;
    for (std::size_t i = 0; i < count; ++i) records += Record();
    return records;
  }

  std::uint32_t Number(std::size_t below) { return static_cast<std::uint32_t>(random_() % below); }

 private:
  std::string Tag(std::string_view kind) {
    return std::string(kind) + std::to_string(random_() % 20);
  }
  std::string Bytes() { return std::string(random_() % 300, static_cast<char>(random_())); }
  std::string EventAt(proto::EventKind kind, std::string_view payload) {
    std::string record;
    record::AppendRecord(AsBytes(proto::EncodeEvent({.wall_time_seconds = wall_,
                                                     .step = step_,
                                                     .kind = kind,
                                                     .payload = payload,
                                                     .source_writer = {}})),
                         record);
    return record;
  }

  std::mt19937 random_;
  std::int64_t step_ = 0;
  double wall_ = 1.7e9;
  int turn_ = 0;
};

}  // namespace cboard::testing
