#include <gtest/gtest.h>

#include <mobula/transport/listen_error.hpp>

namespace mobula::transport {
namespace {

TEST(ListenError, NamesAddressAndCause) {
  const auto refused = [](const Address& local, std::errc why) {
    const core::Error error = listen_error("TCP", local, std::make_error_code(why));
    return std::string(error.reason) + "; " + error.message;
  };
  const Address loopback = Address::v4(127, 0, 0, 1, 7777);
  EXPECT_EQ(refused(loopback, std::errc::address_in_use),
            "port in use; cannot listen on TCP 127.0.0.1:7777: the port is in use by another program");
  EXPECT_EQ(refused(Address::any(80), std::errc::permission_denied),
            "no permission; cannot listen on TCP port 80: permission denied");
  EXPECT_EQ(refused(loopback, std::errc::address_not_available),
            "no such address; cannot listen on TCP 127.0.0.1:7777: this machine has no such address");
  EXPECT_EQ(refused(loopback, std::errc::too_many_files_open),
            "cannot open; cannot listen on TCP 127.0.0.1:7777: Too many open files");
}

TEST(ListenError, NamesThePipeOnce) {
  Address local = Address::v4(127, 0, 0, 1, 7777);
  local.pipe = Pipe::tcp;
  EXPECT_EQ(listen_error("TCP", local, std::make_error_code(std::errc::address_in_use)).message,
            "cannot listen on TCP 127.0.0.1:7777: the port is in use by another program");
}

}  // namespace
}  // namespace mobula::transport
