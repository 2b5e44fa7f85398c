#include "replication/light_client.hpp"

#include <mobula/wire/messages.hpp>

namespace mobula::bench {

void LightClient::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  endpoint_.receive(from, datagram, now);
  transport::Session& session = endpoint_.session();
  while (session.next_reliable(buffer_)) continue;
  while (session.next_unreliable(buffer_)) {
    const core::Result<wire::DeltaHeader> header = wire::read_delta_header(buffer_, acks_.known());
    if (!header || !acks_.is_new(header->sequence)) continue;
    acks_.on_delta(*header);
    ++deltas_;
  }
}

void LightClient::update(core::Nanoseconds now, transport::Output& output) {
  if (endpoint_.connected() && !greeted_) {
    greeted_ = true;
    static_cast<void>(endpoint_.session().send_reliable(wire::encode(wire::Hello{})).value());
  }
  if (deltas_ > 0) {
    buffer_.resize(wire::input_bytes_max);
    const std::size_t size = wire::encode_input(acks_.next(), buffer_).bytes;
    // An input that does not fit the queue counts as lost.
    static_cast<void>(endpoint_.session().send_unreliable(core::ByteView(buffer_).first(size)));
  }
  endpoint_.update(now, output);
}

}  // namespace mobula::bench
