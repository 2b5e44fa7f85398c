#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/transport/session_body.hpp>

namespace mobula::transport {

std::size_t encode_disconnect(const Reason& reason, core::MutableBytes out) {
  MOBULA_ASSERT(reason.code > ReasonCode::none && reason.code < ReasonCode::count, "a disconnect needs a reason code");
  const std::size_t text = std::min(reason.text.size(), reason_text_bytes_max);
  const std::size_t size = body_header_bytes + entry_header_bytes + 1 + text;
  MOBULA_ASSERT(out.size() >= size, "no room for a disconnect body");
  std::fill_n(out.begin(), body_header_bytes, std::byte{});
  std::byte* entry = out.data() + body_header_bytes;
  core::store(entry, entry_header(EntryKind::disconnect, Lane::control, 1 + text));
  core::store(entry + entry_header_bytes, reason.code);
  if (text > 0) std::memcpy(entry + entry_header_bytes + 1, reason.text.data(), text);
  return size;
}

std::optional<Reason> decode_disconnect(core::ByteView body) {
  if (body.size() < body_header_bytes || core::load<std::uint64_t>(body.data()) != 0) return std::nullopt;
  core::ByteView rest = body.subspan(body_header_bytes);
  Entry entry;
  if (!next_entry(rest, entry) || entry.kind != EntryKind::disconnect || !rest.empty()) return std::nullopt;
  if (entry.bytes.empty() || entry.bytes.size() > 1 + reason_text_bytes_max) return std::nullopt;
  Reason reason;
  reason.code = static_cast<ReasonCode>(entry.bytes[0]);
  if (reason.code == ReasonCode::none || reason.code >= ReasonCode::count) return std::nullopt;
  for (const std::byte byte : entry.bytes.subspan(1)) {
    const auto c = static_cast<char>(byte);
    reason.text += c >= ' ' && c <= '~' ? c : '?';
  }
  return reason;
}

}  // namespace mobula::transport
