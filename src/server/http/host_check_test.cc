#include "server/http/host_check.h"

#include <gtest/gtest.h>

namespace cboard::server {
namespace {

TEST(HostCheck, KnowsThisMachineByItsUsualNames) {
  const HostCheck check({});
  for (const char* host : {"localhost", "localhost:6006", "LOCALHOST:1", "127.0.0.1",
                           "127.0.0.1:6006", "[::1]", "[::1]:6006", "localhost."}) {
    EXPECT_TRUE(check.Allows(host)) << host;
  }
}

TEST(HostCheck, RefusesNamesThatCouldHaveBeenRebound) {
  const HostCheck check({});
  for (const char* host :
       {"", "evil.example", "evil.example:6006", "localhost.evil.example", "127.0.0.1.evil.example",
        "192.168.1.5:6006", "localhost:6006:6006", "localhost:evil", "[::1", "[::1]evil", "::1",
        "localhost/", "localhost@evil.example", ":6006", "[fe80::1]"}) {
    EXPECT_FALSE(check.Allows(host)) << host;
  }
}

TEST(HostCheck, AllowsTheNamesItWasGiven) {
  const HostCheck check({"Board.Example", "192.168.1.5"});
  EXPECT_TRUE(check.Allows("board.example:6006"));
  EXPECT_TRUE(check.Allows("192.168.1.5"));
  EXPECT_FALSE(check.Allows("www.board.example"));
}

TEST(HostCheck, AllowsAddressesButNotNamesWhenEveryInterfaceIsBound) {
  const HostCheck check({}, true);
  EXPECT_TRUE(check.Allows("192.168.1.5:6006"));
  EXPECT_TRUE(check.Allows("[fe80::1]:6006"));
  EXPECT_FALSE(check.Allows("evil.example:6006"));
  EXPECT_FALSE(check.Allows("1.2.3.4.evil.example"));
}

}  // namespace
}  // namespace cboard::server
