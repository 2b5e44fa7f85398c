// Queue of unreliable messages for the next flush, oldest first, each with its queueing time and an optional tag.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/transport/byte_queue.hpp>
#include <optional>

namespace mobula::transport {

/// First-in first-out queue of unreliable messages.
class UnreliableQueue {
 public:
  struct Message {
    core::ByteView bytes;
    core::Nanoseconds queued_at = 0;
    std::optional<std::uint32_t> tag;
  };
  /// Bytes that a message of this size occupies in the queue.
  static constexpr std::size_t cost(std::size_t message_size) { return sizeof(Header) + message_size; }

  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }

  void push(core::ByteView message, core::Nanoseconds now, std::optional<std::uint32_t> tag) {
    const Header header{now, tag.value_or(0), static_cast<std::uint16_t>(message.size()), tag.has_value()};
    const core::MutableBytes place = queue_.extend(cost(message.size()));
    core::store(place.data(), header);
    if (!message.empty()) std::memcpy(place.data() + sizeof(Header), message.data(), message.size());
  }
  /// Returns the oldest message. Valid until the next push or pop.
  [[nodiscard]] Message front() const {
    const auto header = core::load<Header>(queue_.view().data());
    Message message{queue_.view().subspan(sizeof(Header), header.size), header.queued_at, std::nullopt};
    if (header.tagged) message.tag = header.tag;
    return message;
  }
  /// Removes the oldest message. Requires one.
  void pop() { queue_.consume(cost(front().bytes.size())); }
  void trim() { queue_.trim(); }

 private:
  // 16 bytes, before each message
  struct Header {
    core::Nanoseconds queued_at;
    std::uint32_t tag;
    std::uint16_t size;
    bool tagged;
  };

  ByteQueue queue_;
};

}  // namespace mobula::transport
