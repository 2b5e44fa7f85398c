#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/game/events.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {
namespace {

// Limits how long one message occupies the control lane.
constexpr std::size_t message_bytes_max = 48 * 1024;

}  // namespace

core::Status Events::send(core::ByteView bytes, const Audience& audience, Reliability reliability) {
  const std::size_t bytes_max =
      reliability == Reliability::reliable ? wire::max_reliable_event_bytes : wire::max_event_bytes;
  if (bytes.size() > bytes_max)
    return core::Error{"large event", core::format("{} bytes; the maximum is {}", bytes.size(), bytes_max)};
  if (bytes_.size() + all_.size() * overhead + bytes.size() + overhead > bytes_per_tick_max)
    return core::Error{"too many events",
                       core::format("the events of a tick are limited to {} bytes", bytes_per_tick_max)};
  if (audience.kind == Audience::Kind::seers && !audience.about) return core::Done{};  // nobody sees it
  const auto index = static_cast<std::uint32_t>(all_.size());
  all_.push_back(
      {audience, reliability, static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(bytes.size())});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  if (audience.kind == Audience::Kind::player) {
    of_player_.emplace_back(audience.id, index);
    sorted_ = false;
  } else {
    shared_.push_back(index);
  }
  if (audience.kind == Audience::Kind::everyone) ++for_everyone_;
  everyone_.done = false;
  return core::Done{};
}

void Events::relay(core::ByteView bytes, ecs::Entity about, Reliability reliability,
                   std::optional<std::uint32_t> origin) {
  const std::size_t before = all_.size();
  if (!send(bytes, Audience::seers_of(about), reliability) || all_.size() == before) return;
  all_.back().source = origin ? Source::other_zone : Source::entitys_zone;
  all_.back().origin = origin.value_or(0);
}

void Events::clear() {
  bytes_.clear();
  all_.clear();
  shared_.clear();
  of_player_.clear();
  sorted_ = true;
  for_everyone_ = 0;
  everyone_.done = false;
}

void Events::begin_selection(std::uint32_t player) {
  if (!sorted_) std::sort(of_player_.begin(), of_player_.end());
  sorted_ = true;
  selected_.clear();
  const auto first = std::lower_bound(of_player_.begin(), of_player_.end(), std::pair(player, std::uint32_t{0}));
  const auto last = std::upper_bound(first, of_player_.end(), std::pair(player, ~std::uint32_t{0}));
  own_ = {first, last};
  only_for_everyone_ = own_.empty();
}

void Events::select_own_before(std::uint32_t index) {
  for (; !own_.empty() && own_.front().second < index; own_ = own_.subspan(1)) selected_.push_back(own_.front().second);
}

void Events::select(std::uint32_t index) {
  select_own_before(index);
  selected_.push_back(index);
  only_for_everyone_ = only_for_everyone_ && all_[index].audience.kind == Audience::Kind::everyone;
}

const Events::ForClient& Events::encode_selection(ecs::Tick tick) {
  select_own_before(~std::uint32_t{0});
  if (selected_.empty()) return nothing_;
  if (!only_for_everyone_) {
    encode(tick, one_);
    return one_.view;
  }
  if (!everyone_.done) encode(tick, everyone_);
  everyone_.done = true;
  return everyone_.view;
}

void Events::encode(ecs::Tick tick, Encoded& out) const {
  encode_reliable(tick, out);
  encode_unreliable(tick, out);
  out.view = {out.reliable, std::span(out.unreliable).first(out.batches)};
}

// Numbers events per client, so that a client does not learn how many events others receive.
void Events::encode_reliable(ecs::Tick tick, Encoded& out) const {
  out.reliable.clear();
  wire::Events message{.tick = tick, .events = {}};
  std::size_t bytes = 0;
  const auto finish = [&] {
    if (!message.events.empty()) out.reliable.push_back(wire::encode(message));
    message.events.clear();
    bytes = 0;
  };
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    const Stored& event = all_[selected_[i]];
    if (event.reliability != Reliability::reliable) continue;
    if (message.events.size() == wire::max_events_per_message || bytes + event.size > message_bytes_max) finish();
    const core::ByteView content = bytes_of(event);
    message.events.push_back(
        {static_cast<std::uint16_t>(i), event.audience.about, core::Bytes(content.begin(), content.end())});
    bytes += event.size;
  }
  finish();
}

void Events::encode_unreliable(ecs::Tick tick, Encoded& out) const {
  out.batches = 0;
  const auto begin = [&] {
    if (out.unreliable.size() == out.batches) out.unreliable.emplace_back();
    wire::begin_event_batch(tick, out.unreliable[out.batches++]);
  };
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    const Stored& event = all_[selected_[i]];
    if (event.reliability != Reliability::unreliable) continue;
    const wire::EventBatch::Event entry{static_cast<std::uint16_t>(i), event.audience.about, bytes_of(event)};
    if (out.batches > 0 && wire::add_to_event_batch(entry, out.unreliable[out.batches - 1])) continue;
    begin();
    const bool added = wire::add_to_event_batch(entry, out.unreliable[out.batches - 1]);
    MOBULA_ASSERT(added, "an empty batch has room for any event");
  }
}

}  // namespace mobula::server
