// Arbitrary bytes as a recording, and the same with corrected checksums: read and replayed to a connection.
#include <fuzz/fuzz.hpp>
#include <headless/replay.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/log.hpp>

namespace fuzz_recording {

using namespace mobula;

namespace {

constexpr std::size_t head_bytes = 16;

std::uint64_t varint(fuzz::Input& input) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    const std::uint8_t byte = input.byte();
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

// Returns the bytes of the next entry without its checksum, and skips both.
core::ByteView next_entry(fuzz::Input& input, core::ByteView whole) {
  fuzz::Input ahead = input;
  ahead.byte();
  varint(ahead);
  const std::uint64_t length = varint(ahead);
  ahead.bytes(length);
  const std::size_t before = input.bytes(whole.size()).size();
  fuzz::Input behind = ahead;
  const core::ByteView entry = whole.subspan(whole.size() - before, before - behind.bytes(whole.size()).size());
  input = ahead;
  input.bytes(4);
  return entry;
}

core::Bytes with_valid_checksums(core::ByteView bytes) {
  fuzz::Input input(bytes);
  const core::ByteView head = input.bytes(head_bytes);
  core::Bytes out(head.begin(), head.end());
  for (std::uint32_t checksum = 0; !input.empty();) {
    const core::ByteView entry = next_entry(input, bytes);
    checksum = static_cast<std::uint32_t>(core::hash64(entry, checksum));
    out.insert(out.end(), entry.begin(), entry.end());
    const core::ByteView sum = core::as_bytes(&checksum, 1);
    out.insert(out.end(), sum.begin(), sum.end());
  }
  return out;
}

void replay(core::ByteView bytes) {
  auto reader =
      client::RecordingReader::read(std::make_unique<client::RecordedBytes>(core::Bytes(bytes.begin(), bytes.end())));
  if (!reader) return;
  auto made = client::Replay::make(std::move(*reader));
  if (!made) return;
  client::Replay& replay = **made;
  static_cast<void>(replay.run([](const client::Connection& /*connection*/) { return false; }));
  if (replay.connection().mirror() != nullptr) replay.connection().mirror()->check();
}

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  replay(fuzz::view(data, size));
  replay(with_valid_checksums(fuzz::view(data, size)));
  return 0;
}

const mobula::fuzz::Target target("recording", run_target);

}  // namespace
}  // namespace fuzz_recording
