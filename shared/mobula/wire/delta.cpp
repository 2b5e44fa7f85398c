#include <mobula/schema/wire_generated.h>

#include <mobula/core/assert.hpp>
#include <mobula/wire/delta.hpp>

namespace mobula::wire {
namespace {

static_assert(sizeof(flat::DeltaHeader) == delta_header_size);

constexpr std::uint8_t complete_flag = 1;
constexpr std::uint8_t verifies_flag = 2;
constexpr std::uint8_t body_flag = 4;
constexpr std::uint8_t known_flags = complete_flag | verifies_flag | body_flag;

core::Error malformed_delta(const char* what) { return {"malformed delta", what}; }

}  // namespace

std::size_t write_header(const DeltaHeader& header, core::MutableBytes to) {
  MOBULA_ASSERT(to.size() >= header_size(header), "the buffer holds a header");
  const auto flags =
      static_cast<std::uint8_t>((header.complete ? complete_flag : 0) | (header.verifies ? verifies_flag : 0) |
                                (header.body != 0 ? body_flag : 0));
  core::store(to.data(), flat::DeltaHeader(delta_kind, flags, header.commands.margin, header.commands.held,
                                           header.sequence, header.tick, header.ack, header.commands.done));
  if (header.verifies) core::store(to.data() + delta_header_size, header.hash);
  if (header.body != 0) core::store(to.data() + header_size(header) - delta_body_number_size, header.body);
  return header_size(header);
}

core::Result<DeltaHeader> read_delta_header(core::ByteView datagram) {
  if (datagram.size() < delta_header_size) return malformed_delta("shorter than its header");
  const auto flat = core::load<flat::DeltaHeader>(datagram.data());
  const bool known = flat.kind() == delta_kind && flat.flags() <= known_flags;
  if (!known || flat.sequence() == 0 || flat.tick() == 0) return malformed_delta("header out of range");
  DeltaHeader header{.sequence = flat.sequence(),
                     .tick = flat.tick(),
                     .ack = flat.ack(),
                     .commands = {.done = flat.done(), .held = flat.held(), .margin = flat.margin()},
                     .complete = (flat.flags() & complete_flag) != 0,
                     .verifies = (flat.flags() & verifies_flag) != 0};
  if (datagram.size() < header_size(header)) return malformed_delta("shorter than its header");
  if (header.verifies) header.hash = core::load<std::uint64_t>(datagram.data() + delta_header_size);
  if ((flat.flags() & body_flag) == 0) return header;
  if (datagram.size() != header_size(header) + delta_body_number_size)
    return malformed_delta("a delta whose body was sent is a header and a number");
  header.body = core::load<std::uint32_t>(datagram.data() + header_size(header));
  if (header.body == 0) return malformed_delta("bodies are numbered from 1");
  return header;
}

}  // namespace mobula::wire
