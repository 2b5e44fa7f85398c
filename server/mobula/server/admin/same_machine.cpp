#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <mobula/server/admin/same_machine.hpp>
#include <string>

namespace mobula::server::admin {
namespace {

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_localhost(std::string_view host) {
  constexpr std::string_view localhost = "localhost";
  return std::equal(host.begin(), host.end(), localhost.begin(), localhost.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

bool is_ip(std::string_view host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address(std::string(host), error);
  return !error && ip.is_v6() == bracketed;
}

}  // namespace

bool names_a_machine_itself(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && !host.ends_with(']');
  if (has_port && !is_port(host.substr(colon + 1))) return false;
  if (has_port) host = host.substr(0, colon);
  return is_localhost(host) || is_ip(host);
}

}  // namespace mobula::server::admin
