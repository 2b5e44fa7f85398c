#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::wire {
namespace {

constexpr std::size_t start_size = 5;
constexpr std::size_t entry_size = 4;
constexpr std::size_t handle_size = 8;
constexpr std::uint16_t about_bit = 1u << 15;

static_assert(start_size + entry_size + handle_size + max_event_bytes <= event_batch_bytes_max);
static_assert(max_event_bytes < about_bit);

core::Error malformed_events(const char* what) { return {"malformed events", what}; }

// Removes one event from the front. Returns null, or what is malformed.
const char* take_event(core::ByteView& rest, EventBatch::Event& event) {
  if (rest.size() < entry_size) return "ends within an event's header";
  event.sequence = core::load<std::uint16_t>(rest.data());
  const auto size_and_bit = core::load<std::uint16_t>(&rest[2]);
  const std::size_t size = size_and_bit & (about_bit - 1u);
  rest = rest.subspan(entry_size);
  event.about = {};
  if ((size_and_bit & about_bit) != 0) {
    if (rest.size() < handle_size) return "ends within a handle";
    event.about = {core::load<std::uint32_t>(rest.data()), core::load<std::uint32_t>(&rest[4])};
    if (!event.about) return "an event is about an entity of generation 0";
    rest = rest.subspan(handle_size);
  }
  if (size > max_event_bytes) return "an event has more than 1024 bytes";
  static_assert(max_event_bytes == 1024, "the text contains the number");
  if (size > rest.size()) return "ends within an event";
  event.bytes = rest.first(size);
  rest = rest.subspan(size);
  return nullptr;
}

}  // namespace

void begin_event_batch(ecs::Tick tick, core::Bytes& out) {
  out.resize(start_size);
  out[0] = std::byte{event_batch_kind};
  core::store(&out[1], tick);
}

bool add_to_event_batch(const EventBatch::Event& event, core::Bytes& out) {
  MOBULA_ASSERT(event.bytes.size() <= max_event_bytes, "an event is too long");
  std::size_t at = out.size();
  const std::size_t size = entry_size + (event.about ? handle_size : 0) + event.bytes.size();
  if (at > start_size && at + size > event_batch_bytes_shared) return false;
  out.resize(at + size);
  core::store(&out[at], event.sequence);
  core::store(&out[at + 2], static_cast<std::uint16_t>(event.bytes.size() | (event.about ? about_bit : 0u)));
  at += entry_size;
  if (event.about) {
    core::store(&out[at], event.about.index);
    core::store(&out[at + 4], event.about.generation);
    at += handle_size;
  }
  if (!event.bytes.empty()) std::memcpy(&out[at], event.bytes.data(), event.bytes.size());
  return true;
}

core::Status decode_event_batch(core::ByteView datagram, EventBatch& out) {
  if (datagram.size() > event_batch_bytes_max) return malformed_events("longer than 1190 bytes");
  if (datagram.size() < start_size || datagram[0] != std::byte{event_batch_kind})
    return malformed_events("not a batch of events");
  out.tick = core::load<ecs::Tick>(&datagram[1]);
  out.events.clear();
  core::ByteView rest = datagram.subspan(start_size);
  if (rest.empty()) return malformed_events("a batch has at least one event");
  while (!rest.empty()) {
    EventBatch::Event event{};
    if (const char* wrong = take_event(rest, event)) return malformed_events(wrong);
    if (!out.events.empty() && event.sequence <= out.events.back().sequence)
      return malformed_events("events are not by ascending sequence");
    out.events.push_back(event);
  }
  return core::Done{};
}

}  // namespace mobula::wire
