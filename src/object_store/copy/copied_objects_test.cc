#include "object_store/copy/copied_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::object_store {
namespace {

TEST(CopiedObjects, AreReadAsTheyWereWritten) {
  const CopiedObjects objects = {{"a b/c\td", {"a b/c\td", 5, "\"e\"tag"}},
                                 {"ü+%41\n", {"ü+%41\n", 1u << 31, ""}}};
  EXPECT_EQ(DecodeCopiedObjects(EncodeCopiedObjects(objects)), objects);
}

TEST(CopiedObjects, LeavesOutLinesThatCannotBeRead) {
  EXPECT_TRUE(DecodeCopiedObjects("x\ty\tz\n5\t\n\t\t\n-1\ta\tb\n5z\ta\tb").empty());
}

TEST(CopiedObjects, MapsKeysToPathsBelowTheFolderOnly) {
  const auto path = [](std::string_view key) -> std::string {
    const auto found = PathOfKey(key, "runs/");
    if (!found) return "refused";
    return *found ? (*found)->string() : "no event file";
  };
  EXPECT_EQ(path("runs/a/events.out.tfevents.1.host"), "a/events.out.tfevents.1.host");
  EXPECT_EQ(path("runs/events.out.tfevents.1.host"), "events.out.tfevents.1.host");
  EXPECT_EQ(path("runs/a/projector_config.pbtxt"), "a/projector_config.pbtxt");
  EXPECT_EQ(path("runs/a/00000/default/tensors.tsv"), "a/00000/default/tensors.tsv");
  EXPECT_EQ(path("runs/model.onnx"), "no event file");
  EXPECT_EQ(path("runs/tfevents/x"), "no event file");
  EXPECT_EQ(path("other/events.out.tfevents.1"), "refused");
  EXPECT_EQ(path("runs/../events.out.tfevents.1"), "refused");
  EXPECT_EQ(path("runs//etc/tfevents"), "refused");
  EXPECT_EQ(path("runs/./tfevents"), "refused");
  EXPECT_EQ(path(std::string("runs/a\0b/tfevents", 17)), "refused");
  EXPECT_EQ(path("runs/" + std::string(300, 'a') + "/tfevents"), "refused");
}

}  // namespace
}  // namespace cboard::object_store
