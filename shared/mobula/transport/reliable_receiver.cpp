#include <mobula/transport/reliable_receiver.hpp>
#include <mobula/transport/reliable_sender.hpp>

namespace mobula::transport {

bool ReliableReceiver::plausible(std::uint16_t chunk) const {
  const std::uint16_t ahead = distance(expected_, chunk);
  return ahead < reliable_window_chunks || ahead >= 0x8000;
}

bool ReliableReceiver::receive(std::uint16_t chunk, core::ByteView bytes, std::size_t message_bytes_max) {
  const std::uint16_t ahead = distance(expected_, chunk);
  if (ahead >= reliable_window_chunks) return true;  // already received
  if (ahead > 0) {
    keep_early(chunk, bytes);
    return true;
  }
  ++expected_;
  bool good = append(bytes, message_bytes_max);
  for (; good && early_count_ > 0 && early_[expected_].present; ++expected_) {
    EarlyChunk& early = early_[expected_];
    early.present = false;
    --early_count_;
    good = append(early.bytes, message_bytes_max);
  }
  return good;
}

void ReliableReceiver::keep_early(std::uint16_t chunk, core::ByteView bytes) {
  const std::size_t ahead = distance(expected_, chunk);
  if (ahead >= early_.capacity()) {
    early_.set_capacity(std::bit_ceil(ahead + 1), expected_, static_cast<std::uint32_t>(early_.capacity()));
  }
  early_used_ = true;
  EarlyChunk& early = early_[chunk];
  if (early.present) return;
  early.bytes.assign(bytes.begin(), bytes.end());
  early.present = true;
  ++early_count_;
}

bool ReliableReceiver::append(core::ByteView bytes, std::size_t message_bytes_max) {
  inbox_.append(bytes);
  while (inbox_.size() - ready_ >= reliable_length_bytes) {
    const std::size_t size = core::load<std::uint32_t>(inbox_.view().data() + ready_);
    if (size > message_bytes_max) return false;
    if (inbox_.size() - ready_ < reliable_length_bytes + size) break;
    ready_ += reliable_length_bytes + size;
  }
  return true;
}

bool ReliableReceiver::next(core::Bytes& message) {
  if (ready_ == 0) return false;
  const core::ByteView view = inbox_.view();
  const std::size_t size = core::load<std::uint32_t>(view.data());
  const core::ByteView content = view.subspan(reliable_length_bytes, size);
  message.assign(content.begin(), content.end());
  inbox_.consume(reliable_length_bytes + size);
  ready_ -= reliable_length_bytes + size;
  return true;
}

void ReliableReceiver::trim() {
  inbox_.trim();
  if (!early_used_ && early_count_ == 0) early_.set_capacity(0, 0, 0);
  early_used_ = false;
}

void ReliableReceiver::check() const {
  MOBULA_ASSERT(ready_ <= inbox_.size(), "complete messages exceed the inbox");
  [[maybe_unused]] std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < early_.capacity(); ++i) count += early_[i].present ? 1 : 0;
  MOBULA_ASSERT(count == early_count_, "early chunks are miscounted");
  MOBULA_ASSERT(early_.capacity() == 0 || !early_[expected_].present, "the expected chunk is stored as an early one");
}

}  // namespace mobula::transport
