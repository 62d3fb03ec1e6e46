#include "object_store/access/credentials.h"

#include <gtest/gtest.h>

namespace cboard::object_store {
namespace {

TEST(Credentials, AreFoundInTheSectionOfTheProfile) {
  const std::string_view file =
      "# keys\n[default]\naws_access_key_id = A\naws_secret_access_key=S1\r\n\n"
      "[team]\n aws_access_key_id= B = C\n[profile other]\nregion = eu-west-1\n";
  EXPECT_EQ(IniValue(file, "default", "aws_access_key_id"), "A");
  EXPECT_EQ(IniValue(file, "default", "aws_secret_access_key"), "S1");
  EXPECT_EQ(IniValue(file, "team", "aws_access_key_id"), "B = C");
  EXPECT_EQ(IniValue(file, "other", "region"), "eu-west-1");
  EXPECT_EQ(IniValue(file, "team", "region"), "");
  EXPECT_EQ(IniValue("[", "", "x"), "");
  EXPECT_EQ(IniValue("", "default", "x"), "");
}

}  // namespace
}  // namespace cboard::object_store
