#include <gtest/gtest.h>

#include <mobula/process/service_links.hpp>
#include <string>

namespace mobula::process {
namespace {

TEST(ServiceLinks, VariablesOfEveryServiceAreRecognised) {
  for (const std::string service : {"MOBULA", "MOBULA_SERVER", "MOBULA_ADMIN"})
    for (const auto& [name, value] : {std::pair{"_SERVICE_HOST", "10.0.0.1"},
                                      {"_SERVICE_PORT", "7777"},
                                      {"_SERVICE_PORT_GAME", "7777"},
                                      {"_PORT", "tcp://10.0.0.1:7777"},
                                      {"_PORT", "udp://10.0.0.1:7777"},
                                      {"_PORT_7777_UDP", "udp://10.0.0.1:7777"},
                                      {"_PORT_7777_UDP_PROTO", "udp"},
                                      {"_PORT_7777_UDP_PORT", "7777"},
                                      {"_PORT_80_TCP_ADDR", "10.0.0.1"},
                                      {"_PORT_9_SCTP", "sctp://10.0.0.1:9"}})
      EXPECT_TRUE(is_service_link(service + name, value)) << service << name;
}

TEST(ServiceLinks, SettingsAreNone) {
  for (const auto& [name, value] : {std::pair{"MOBULA_PORT", "7777"},
                                    {"MOBULA_PORT", "many"},
                                    {"MOBULA_ADMIN_PORT", "http://127.0.0.1:7780"},
                                    {"MOBULA_TICK_RATE", "20"},
                                    {"MOBULA_PORT_TCP", "7"},
                                    {"MOBULA_PORT_7777_UDP", "7777"},
                                    {"MOBULA_7_UDP_PORT", "1"},
                                    {"", ""},
                                    {"7", ""},
                                    {"TCP", "tcp://"}})
    EXPECT_FALSE(is_service_link(name, value)) << name;
}

}  // namespace
}  // namespace mobula::process
