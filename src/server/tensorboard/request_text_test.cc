// Tests texts of requests (forms) and texts of responses in Python's format.
#include <gtest/gtest.h>

#include "server/tensorboard/form_body.h"
#include "server/tensorboard/python_text.h"

namespace cboard::server::tensorboard {
namespace {

TEST(PythonText, SpellsNumbersLikeRepr) {
  for (const auto& [number, text] : std::initializer_list<std::pair<double, const char*>>{
           {0, "0.0"},
           {-0.0, "-0.0"},
           {1.7e9, "1700000000.0"},
           {0.1, "0.1"},
           {1e16, "1e+16"},
           {123456789012345680.0, "1.2345678901234568e+17"},
           {0.0001, "0.0001"},
           {1e-5, "1e-05"},
           {-12.5, "-12.5"},
           {1e100, "1e+100"}}) {
    EXPECT_EQ(PythonRepr(number), text);
  }
}

TEST(PythonText, QuotesTextsLikeRepr) {
  EXPECT_EQ(PythonRepr(std::nullopt), "None");
  EXPECT_EQ(PythonRepr("it's"), "\"it's\"");
  EXPECT_EQ(PythonRepr("a'b\"c\n"), R"('a\'b"c\n')");
}

TEST(FormBody, ReadsBothEncodings) {
  const FormFields expected = {{"tag", "a b"}, {"runs", "x/y"}, {"runs", ""}};
  EXPECT_EQ(ParseForm("application/x-www-form-urlencoded", "tag=a+b&runs=x%2Fy&runs="), expected);
  const std::string part = "--B\r\nContent-Disposition: form-data; name=";
  EXPECT_EQ(ParseForm("multipart/form-data; boundary=B", part + "\"tag\"\r\n\r\na b\r\n" + part +
                                                             "\"runs\"\r\n\r\nx/y\r\n" + part +
                                                             "\"runs\"\r\n\r\n\r\n--B--\r\n"),
            expected);
}

TEST(FormBody, RefusesPartsThatDoNotEnd) {
  for (const char* const body : {"", "--B", "--B\r\nx", "--B\r\na: b\r\n\r\nvalue"}) {
    EXPECT_FALSE(ParseForm("multipart/form-data; boundary=B", body)) << body;
  }
  EXPECT_FALSE(ParseForm("multipart/form-data", "--B--"));
}

}  // namespace
}  // namespace cboard::server::tensorboard
