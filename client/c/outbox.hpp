// Datagrams that wait for the host to send them. Beyond `max` they are lost, as in a full pipe.
#pragma once

#include <array>
#include <memory>
#include <mobula/transport/endpoint.hpp>

namespace mobula::c {

class Outbox final : public transport::Output {
 public:
  static constexpr std::uint32_t max = 32;
  static constexpr std::uint32_t farewell = 8;  // datagrams that a disconnect needs; kept free for it

  void send(const transport::Address& /*to*/, core::ByteView datagram) override {
    if (count_ == max || datagram.size() > transport::datagram_bytes_max) return;
    if (slots_ == nullptr) slots_ = std::make_unique<Slot[]>(max);
    Slot& slot = slots_[(first_ + count_++) % max];
    slot.size = static_cast<std::uint32_t>(datagram.size());
    std::copy(datagram.begin(), datagram.end(), slot.bytes.begin());
    sent_bytes_ += datagram.size();
    ++sent_;
  }
  [[nodiscard]] bool ready(const transport::Address& /*to*/) const override { return count_ + farewell < max; }

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Returns the oldest datagram. There must be one.
  [[nodiscard]] core::ByteView front() const { return {slots_[first_].bytes.data(), slots_[first_].size}; }
  void pop() {
    first_ = (first_ + 1) % max;
    --count_;
  }
  void clear() { first_ = count_ = 0; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  struct Slot {
    std::uint32_t size;
    std::array<std::byte, transport::datagram_bytes_max> bytes;
  };

  std::unique_ptr<Slot[]> slots_;  // made when first used
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace mobula::c
