#include <gtest/gtest.h>

#include <mobula/server/admin/same_machine.hpp>

namespace mobula::server::admin {
namespace {

TEST(AdminSameMachine, LocalhostAndIpAddressesAreNoNames) {
  for (const char* host : {"localhost", "localhost:7780", "LocalHost:7780", "127.0.0.1", "127.0.0.1:7780", "[::1]",
                           "[::1]:7780", "192.168.1.5:7780", "[2001:db8::1]:80", "0.0.0.0"}) {
    EXPECT_TRUE(names_a_machine_itself(host)) << host;
  }
}

TEST(AdminSameMachine, HostNamesAreNames) {
  for (const char* host : {"",
                           ":",
                           ":7780",
                           "evil.example",
                           "evil.example:7780",
                           "localhost.evil.example",
                           "localhost.",
                           "localhosts",
                           "127.0.0.1.evil.example",
                           "127.0.0.1:",
                           "127.0.0.1:x",
                           "127.0.0.1:7780:1",
                           "127.1",
                           "::1",
                           "::1:7780",
                           "[::1",
                           "::1]",
                           "[]",
                           "[127.0.0.1]",
                           "[localhost]",
                           "127.0.0.1 ",
                           "user@127.0.0.1",
                           "127.0.0.1:123456",
                           "[::1]x"}) {
    EXPECT_FALSE(names_a_machine_itself(host)) << host;
  }
}

}  // namespace
}  // namespace mobula::server::admin
