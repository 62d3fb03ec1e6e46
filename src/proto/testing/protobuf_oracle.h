// libprotobuf as an oracle for the encoders of this module.
//
//   const auto event = ParsedByProtobuf<cboard_testing::Event>(EncodeEvent(…));
//   EXPECT_EQ(event.step(), 5);
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tensorboard_events.pb.h"

namespace cboard::testing {

// Serializes `message` with libprotobuf, with map entries sorted by key.
template <typename Message>
std::string SerializedByProtobuf(const Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

// Parses `bytes` with libprotobuf. Expects that this succeeds (it refuses strings that are not
// UTF-8), and that libprotobuf writes the same bytes from the fields it knows.
template <typename Message>
Message ParsedByProtobuf(std::string_view bytes) {
  Message message;
  EXPECT_TRUE(message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  message.DiscardUnknownFields();
  EXPECT_EQ(SerializedByProtobuf(message), bytes) << message.DebugString();
  return message;
}

}  // namespace cboard::testing
