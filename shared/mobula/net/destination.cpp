#include <mobula/net/destination.hpp>
#include <mobula/net/resolve.hpp>

namespace mobula::net {

core::Result<Destination> parse_destination(std::string_view text) {
  core::Result<WrittenAddress> written = parse_address(text);
  if (!written) return written.error();
  core::Result<transport::Address> address = resolve(written->at);
  if (!address) return address.error();
  address->pipe = written->pipe;
  return Destination{*address, written->secure, written->at.host, host_header(*written), written->path};
}

Destination destination_of(const transport::Address& address) {
  transport::Address bare = address;
  bare.pipe = transport::Pipe::udp;  // no prefix
  const std::string text = to_string(bare);
  const std::string_view host = std::string_view(text).substr(0, text.rfind(':'));
  const bool v6 = host.starts_with('[');
  const WrittenAddress written{
      address.pipe, false, {std::string(v6 ? host.substr(1, host.size() - 2) : host), v6, address.port}};
  return {address, false, written.at.host, host_header(written)};
}

}  // namespace mobula::net
