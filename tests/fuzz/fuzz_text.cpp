// Arbitrary text in formats for people: network conditions, addresses, keys, tokens, base64. No name is resolved.
//
//   input: a byte for the format (see the table), the text
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/bearer_token.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/net/written_address.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/transport/simulation/conditions_text.hpp>

namespace fuzz_text {

using namespace mobula;

namespace {

void conditions(std::string_view text) {
  const auto parsed = transport::parse_conditions(text);
  if (!parsed) return;
  const std::string written = to_string(*parsed);
  const auto again = transport::parse_conditions(written);
  fuzz::require(again.ok() && to_string(*again) == written, "written conditions read as the same");
}

void base64(std::string_view text) {
  const auto bytes = core::from_base64(text);
  if (bytes) fuzz::require(core::to_base64(*bytes) == text, "bytes have one base64");
}

void listen(std::string_view text) {
  const auto address = net::parse_listen(text);
  if (!address || address->port == 0 || !address->is_v4()) return;
  fuzz::require(net::parse_listen(to_string(*address)).value() == *address, "an address reads as itself");
}

// Between brackets, behind any prefix: a name there is refused, anything else would be looked up.
void destination(std::string_view text) {
  constexpr std::array<std::string_view, 5> prefixes{"", "tcp:", "wss:", "udp:ws:", "ws://"};
  const std::size_t prefix = text.empty() ? 0 : static_cast<unsigned char>(text[0]) % prefixes.size();
  const std::string_view rest = text.substr(text.empty() ? 0 : 1);
  const std::size_t end = rest.find(']');
  const std::string port(end == std::string_view::npos ? "7777" : rest.substr(end + 1));
  const std::string host = "[" + std::string(rest.substr(0, end)) + "]";
  const auto parsed = net::parse_destination(std::string(prefixes[prefix]) + host + ":" + port);
  if (!parsed) return;
  fuzz::require(parsed->address.port != 0 && !parsed->host.empty(), "somebody can be there");
  const auto again = net::parse_destination(to_string(parsed->address));
  fuzz::require(again.ok() && again->address == parsed->address, "an address reads as itself");
}

// Nothing is looked up here, so any host may stand in the text.
void written_address(std::string_view text) {
  constexpr std::array<std::string_view, 3> pipes{"udp", "tcp", "ws"};
  const auto parsed = net::parse_address(text);
  if (!parsed) {
    const std::string& message = parsed.error().message;
    return fuzz::require(core::is_printable(message) && message.size() < 600, "a refusal is a short line");
  }
  fuzz::require(parsed->at.port.value_or(0) != 0 && !parsed->at.host.empty(), "there is a host with a port");
  fuzz::require(parsed->path.starts_with('/') && core::is_printable(parsed->path + host_header(*parsed)),
                "a request has one line for each");
  const std::string host = parsed->at.bracketed ? '[' + parsed->at.host + ']' : parsed->at.host;
  const std::string url = std::string(pipes.at(static_cast<std::size_t>(parsed->pipe))) +
                          (parsed->secure ? "s://" : "://") + host + ':' + std::to_string(*parsed->at.port) +
                          parsed->path;
  const auto again = net::parse_address(url);
  if (url.size() > net::written_address_bytes_max) return fuzz::require(!again.ok(), "a longer URL is refused");
  fuzz::require(again.ok() && again->pipe == parsed->pipe && again->secure == parsed->secure &&
                    again->at.host == parsed->at.host && again->at.port == parsed->at.port &&
                    again->path == parsed->path && host_header(*again) == host_header(*parsed),
                "an address reads as its URL");
}

// A file in memory that has the text.
const std::string& file_of(std::string_view text) {
  static const int file = ::memfd_create("text", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  const bool written =
      ::ftruncate(file, 0) == 0 && ::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  fuzz::require(written, "there is a file in memory");
  return path;
}

void key_file(std::string_view text) {
  const auto loaded = process::load_key_file(file_of(text));
  if (!loaded) return;
  const auto same = core::from_hex(text.substr(0, 2 * loaded->key.size()));
  fuzz::require(same && std::equal(same->begin(), same->end(), loaded->key.begin(), loaded->key.end()),
                "a key is the text's beginning");
}

void bearer_file(std::string_view text) {
  const auto file = net::load_bearer_token(file_of(text));
  if (file) fuzz::require(!file->token.empty() && text.starts_with(file->token), "a token is the text's beginning");
}

constexpr std::array readers{conditions, base64, listen, destination, key_file, bearer_file, written_address};

int run_target(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const core::Bytes exact(fuzz::view(data + 1, size - 1).begin(), fuzz::view(data + 1, size - 1).end());
  readers[data[0] % readers.size()]({reinterpret_cast<const char*>(exact.data()), exact.size()});
  return 0;
}

const mobula::fuzz::Target target("text", run_target);

}  // namespace
}  // namespace fuzz_text
