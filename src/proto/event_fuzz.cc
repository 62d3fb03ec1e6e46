// Parses any bytes as an event, with everything that an event can contain.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"

namespace {

using namespace cboard::proto;  // NOLINT: a program of one file.

void ReadTensor(std::string_view bytes) {
  const auto tensor = ParseTensor(bytes);
  if (!tensor) return;
  (void)ReadNumbers(*tensor, std::size_t{1} << 16);
  (void)ReadStrings(*tensor);
}

void ReadValue(const SummaryValue& value) {
  (void)ParseSummaryMetadata(value.metadata);
  switch (value.kind) {
    case ValueKind::kImage:
      (void)ParseImage(value.payload);
      break;
    case ValueKind::kHistogram:
      (void)ParseHistogram(value.payload);
      break;
    case ValueKind::kAudio:
      (void)ParseAudio(value.payload);
      break;
    case ValueKind::kTensor:
      ReadTensor(value.payload);
      break;
    default:
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto event = ParseEvent(bytes);
  if (event) {
    (void)ForEachValue(event->payload, ReadValue);
    (void)ParseSessionLog(event->payload);
    (void)ParseTaggedRunMetadata(event->payload);
    // An event that is encoded again and parsed must be equal.
    const std::string again = EncodeEvent(*event);
    const auto reread = ParseEvent(again);
    if (!reread || reread->kind != event->kind || reread->step != event->step) __builtin_trap();
  }
  (void)ForEachValue(bytes, ReadValue);
  ReadTensor(bytes);
  return 0;
}
