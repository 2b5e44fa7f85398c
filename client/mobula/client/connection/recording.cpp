#include <algorithm>
#include <array>
#include <cstring>
#include <mobula/client/connection/recording.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/log.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <utility>

namespace mobula::client {
namespace {

constexpr std::array<char, 8> magic{'m', 'o', 'b', 'u', 'l', 'a', 'r', 'c'};
constexpr std::uint32_t layout_version = 1;
constexpr std::size_t head_bytes = magic.size() + 2 * sizeof(std::uint32_t);
constexpr std::size_t address_bytes = 16 + 2 + 1;
constexpr std::size_t begin_bytes_min = 1 + 1 + transport::connect_token_bytes + 4;
constexpr std::size_t begin_bytes_max =
    begin_bytes_min + transport::token_servers_max * address_bytes + recorded_bytes_max + reflect::Limits::schema_bytes;
constexpr std::size_t flush_bytes = 64 * 1024;
constexpr core::Nanoseconds flush_interval = core::second;
constexpr core::Nanoseconds time_max = core::Nanoseconds{1} << 61;  // the sum of two times does not overflow

struct BodyBounds {
  std::size_t min;
  std::size_t max;
};
// Indexed by kind.
constexpr std::array<BodyBounds, static_cast<std::size_t>(RecordedKind::count)> body_bounds{{
    {begin_bytes_min, begin_bytes_max},
    {address_bytes, address_bytes},
    {0, recorded_bytes_max},  // datagram
    {0, 0},
    {0, 0},
    {0, recorded_bytes_max},  // command
    {0, recorded_bytes_max},  // pipe_closed
    {0, 0},
    {0, 0},
    {0, 0},
    {transport::connect_token_bytes, transport::connect_token_bytes},  // reconnect
}};

// Resizes first: g++ 12 warns that insert() at the end of an empty buffer writes beyond it.
void append(core::Bytes& out, core::ByteView bytes) {
  const std::size_t before = out.size();
  out.resize(before + bytes.size());
  std::copy(bytes.begin(), bytes.end(), out.begin() + static_cast<std::ptrdiff_t>(before));
}
template <class T>
void append_value(core::Bytes& out, const T& value) {
  append(out, core::as_bytes(&value, 1));
}
void append_varint(core::Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}
void append_address(core::Bytes& out, const transport::Address& address) {
  append_value(out, address.ip);
  append_value(out, address.port);
  append_value(out, address.pipe);
}

// Decodes address_bytes bytes. Nothing if the pipe is unknown.
std::optional<transport::Address> load_address(core::ByteView bytes) {
  transport::Address address;
  address.ip = core::load<decltype(address.ip)>(bytes.data());
  address.port = core::load<std::uint16_t>(bytes.data() + 16);
  const auto pipe = core::load<std::uint8_t>(bytes.data() + 18);
  if (pipe >= static_cast<std::uint8_t>(transport::Pipe::count)) return std::nullopt;
  address.pipe = static_cast<transport::Pipe>(pipe);
  return address;
}

core::ByteView cut(core::ByteView bytes) { return bytes.first(std::min(bytes.size(), recorded_bytes_max)); }
core::ByteView text(std::string_view text) { return cut(core::as_bytes(text.data(), text.size())); }

std::uint32_t chained(core::ByteView entry, std::uint32_t before) {
  return static_cast<std::uint32_t>(core::hash64(entry, before));
}

}  // namespace

// --- Writing -------------------------------------------------------------------------------------------------------

RecordingWriter::RecordingWriter(std::unique_ptr<RecordingSink> sink) : sink_(std::move(sink)) {
  append_value(buffer_, magic);
  append_value(buffer_, layout_version);
  append_value(buffer_, wire::protocol_version);
}

RecordingWriter::~RecordingWriter() { flush(); }

void RecordingWriter::begin(const ConnectionConfig& config, core::Nanoseconds now) {
  MOBULA_ASSERT(checksum_ == 0, "a recording holds one connection");
  MOBULA_ASSERT(config.transport.servers.size() <= transport::token_servers_max,
                "a connection has at most as many addresses as a token");
  core::Bytes body;
  append_value(body, static_cast<std::uint8_t>(config.resources != nullptr ? 1 : 0));
  append_value(body, static_cast<std::uint8_t>(config.transport.servers.size()));
  for (const transport::Address& server : config.transport.servers) append_address(body, server);
  append(body, transport::write_token(config.transport.token));
  const core::ByteView name = text(config.name);
  append_value(body, static_cast<std::uint32_t>(name.size()));
  append(body, name);
  if (config.schema != nullptr) append(body, config.schema->bytes());
  put(RecordedKind::begin, now, body);
}

void RecordingWriter::received(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  if (from != from_) {
    core::Bytes body;
    append_address(body, from);
    put(RecordedKind::address, now, body);
    from_ = from;
  }
  put(RecordedKind::datagram, now, cut(datagram));
}

void RecordingWriter::updated(bool ready, core::Nanoseconds now) {
  put(ready ? RecordedKind::update : RecordedKind::update_full, now);
}
void RecordingWriter::commanded(core::ByteView command) { put(RecordedKind::command, last_, cut(command)); }
void RecordingWriter::pipe_closed(std::string_view why, core::Nanoseconds now) {
  put(RecordedKind::pipe_closed, now, text(why));
}
void RecordingWriter::rejoined(core::Nanoseconds now) { put(RecordedKind::rejoin, now); }
void RecordingWriter::reconnected(const transport::ConnectToken& token, core::Nanoseconds now) {
  put(RecordedKind::reconnect, now, transport::write_token(token));
}
void RecordingWriter::closed() { put(RecordedKind::close, last_); }

void RecordingWriter::put(RecordedKind kind, core::Nanoseconds now, core::ByteView body) {
  MOBULA_ASSERT(now >= last_, "time never decreases");
  if (!written_) return;
  const std::size_t begin = buffer_.size();
  append_value(buffer_, kind);
  append_varint(buffer_, static_cast<std::uint64_t>(now - last_));
  append_varint(buffer_, body.size());
  append(buffer_, body);
  checksum_ = chained(core::ByteView(buffer_).subspan(begin), checksum_);
  append_value(buffer_, checksum_);
  last_ = now;
  if (buffer_.size() >= flush_bytes || now - flushed_ >= flush_interval) flush();
}

void RecordingWriter::flush() {
  flushed_ = last_;
  if (written_ && !buffer_.empty()) {
    written_ = sink_->write(buffer_);
    if (!written_) core::log_error("client", "recording stopped: {}", written_.error().message);
  }
  buffer_.clear();
}

core::Status RecordingWriter::finish() {
  put(RecordedKind::end, last_);
  flush();
  if (written_) return core::Done{};
  return core::Error{"not written", core::format("the recording is incomplete: {}", written_.error().message)};
}

// --- Reading -------------------------------------------------------------------------------------------------------

std::size_t RecordedBytes::read(core::MutableBytes out) {
  const core::ByteView next = core::ByteView(bytes_).subspan(given_, std::min(out.size(), bytes_.size() - given_));
  std::ranges::copy(next, out.begin());
  given_ += next.size();
  return next.size();
}

core::Result<std::unique_ptr<RecordingReader>> RecordingReader::read(std::unique_ptr<RecordingSource> source) {
  std::unique_ptr<RecordingReader> reader(new RecordingReader(std::move(source)));
  if (const core::Status read = reader->read_head(); !read) return read.error();
  if (const core::Status read = reader->read_begin(); !read) return read.error();
  return reader;
}

core::Error RecordingReader::damaged(const char* how) const {
  return {"damaged", core::format("entry {} of the recording is damaged: {}", entries_, how)};
}

// Appends bytes to the current entry. Returns false if the recording ends first.
bool RecordingReader::read_bytes(std::size_t bytes) {
  const std::size_t had = entry_.size();
  entry_.resize(had + bytes);
  return source_->read(core::MutableBytes(entry_).subspan(had)) == bytes;
}

// Reads a value of at most 63 bits.
bool RecordingReader::read_varint(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    if (!read_bytes(1)) return false;
    const auto byte = std::to_integer<std::uint64_t>(entry_.back());
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  value = ~std::uint64_t{0};
  return true;
}

core::Status RecordingReader::read_head() {
  if (!read_bytes(head_bytes)) return core::Error{"no recording", "not a recording: too short"};
  if (std::memcmp(entry_.data(), magic.data(), magic.size()) != 0)
    return core::Error{"no recording", "not a recording: it does not start with \"mobularc\""};
  const auto layout = core::load<std::uint32_t>(entry_.data() + magic.size());
  const auto protocol = core::load<std::uint32_t>(entry_.data() + magic.size() + 4);
  if (layout != layout_version || protocol != wire::protocol_version)
    return core::Error{"other version",
                       core::format("recorded with version {} and protocol {}; this client reads {} and {}", layout,
                                    protocol, layout_version, wire::protocol_version)};
  return core::Done{};
}

core::Status RecordingReader::read_begin() {
  RecordedInput input;
  const core::Result<bool> read = read_entry(input);
  if (!read) return read.error();
  if (!*read) return core::Error{"cut off", "the recording ends before its session begins"};
  if (input.kind != RecordedKind::begin) return damaged("the first entry does not begin a connection");
  begin_ = input.now;

  core::ByteView rest = input.body;
  const auto taken = [&rest](std::size_t bytes) {
    return std::exchange(rest, rest.subspan(bytes)).first(bytes);  // the caller has checked the size
  };
  asks_for_resources_ = std::to_integer<int>(taken(1)[0]) != 0;
  const auto servers = std::to_integer<std::size_t>(taken(1)[0]);
  if (servers > transport::token_servers_max || rest.size() < begin_bytes_min - 2 + servers * address_bytes)
    return damaged("too many addresses");
  for (std::size_t i = 0; i < servers; ++i) {
    const std::optional<transport::Address> server = load_address(taken(address_bytes));
    if (!server) return damaged("unknown pipe in an address");
    config_.transport.servers.push_back(*server);
  }
  core::Result<transport::ConnectToken> token = transport::read_token(taken(transport::connect_token_bytes));
  if (!token) return damaged(token.error().message.c_str());
  config_.transport.token = std::move(*token);
  const auto name_bytes = core::load<std::uint32_t>(taken(4).data());
  if (name_bytes > rest.size()) return damaged("the name is longer than the entry");
  const core::ByteView name = taken(name_bytes);
  config_.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  if (rest.empty()) return core::Done{};
  core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(rest);
  if (!schema) return damaged(schema.error().message.c_str());
  config_.schema = std::move(*schema);
  return core::Done{};
}

// Returns false if the recording ends before or within the entry.
core::Result<bool> RecordingReader::read_entry(RecordedInput& input) {
  entry_.clear();
  std::uint64_t passed = 0;
  std::uint64_t length = 0;
  if (!read_bytes(1)) return false;
  const auto kind = std::to_integer<std::uint8_t>(entry_[0]);
  if (kind >= static_cast<std::uint8_t>(RecordedKind::count)) return damaged("unknown kind");
  if (!read_varint(passed) || !read_varint(length)) return false;
  if (length < body_bounds[kind].min || length > body_bounds[kind].max) return damaged("wrong length for its kind");
  if (passed > static_cast<std::uint64_t>(time_max - last_)) return damaged("time out of range");
  const std::size_t body = entry_.size();
  if (!read_bytes(length) || !read_bytes(sizeof(checksum_))) return false;
  checksum_ = chained(core::ByteView(entry_).first(body + length), checksum_);
  if (checksum_ != core::load<std::uint32_t>(entry_.data() + body + length)) return damaged("wrong checksum");
  last_ += static_cast<core::Nanoseconds>(passed);
  ++entries_;
  input = {static_cast<RecordedKind>(kind), last_, core::ByteView(entry_).subspan(body, length)};
  return true;
}

core::Result<bool> RecordingReader::next(RecordedInput& input) {
  while (!over_) {
    const core::Result<bool> read = read_entry(input);
    over_ = !read || !*read;
    if (!read) return read.error();
    cut_off_ = !*read;
    if (over_) break;
    if (input.kind == RecordedKind::begin) return damaged("it begins a second connection");
    if (input.kind == RecordedKind::end) {
      over_ = true;
      if (std::byte more{}; source_->read({&more, 1}) != 0) return damaged("bytes follow the end");
    } else if (input.kind == RecordedKind::address) {
      const std::optional<transport::Address> from = load_address(input.body);
      if (!from) return damaged("unknown pipe in an address");
      from_ = *from;
      has_address_ = true;
    } else {
      if (input.kind == RecordedKind::datagram && !has_address_)
        return damaged("a datagram without an address before it");
      return true;
    }
  }
  return false;
}

}  // namespace mobula::client
