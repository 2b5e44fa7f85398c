#include <mobula/client/mirror/received_bodies.hpp>
#include <utility>

namespace mobula::client {

core::Status ReceivedBodies::add(wire::DeltaBody&& part) {
  Body& body = place(part.number);
  if (part.offset == 0) {
    if (part.number <= newest_) return core::Error{"malformed delta", "a body begins whose number is not a new one"};
    newest_ = part.number;
    body = {part.number, part.size, std::move(part.bytes)};
    return core::Done{};
  }
  if (part.number != newest_ || part.size != body.size || part.offset != body.bytes.size())
    return core::Error{"malformed delta", "a part of a body does not continue the last one"};
  body.bytes.insert(body.bytes.end(), part.bytes.begin(), part.bytes.end());
  return core::Done{};
}

const core::Bytes* ReceivedBodies::find(std::uint32_t number) const {
  const Body& body = place(number);
  const bool kept = number != 0 && body.number == number && newest_ - number < wire::delta_bodies_kept;
  return kept && body.bytes.size() == body.size ? &body.bytes : nullptr;
}

}  // namespace mobula::client
