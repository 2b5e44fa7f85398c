#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/transport/protocol.hpp>

namespace mobula::transport {
namespace {

static_assert(2 + sizeof(std::uint64_t) + 1 + reason_text_bytes_max < hello_bytes, "a refusal is smaller than a hello");
static_assert(sizeof(Cookie) == 20, "copied as it lies in memory");

class Writer {
 public:
  Writer(Datagram& out, DatagramKind kind) : out_(out) {
    out_.size = 0;
    put(kind);
  }
  template <class T>
  void put(const T& value) {
    core::store(out_.bytes.data() + out_.size, value);
    out_.size += sizeof(T);
  }
  void put(const Reason& reason) {
    MOBULA_ASSERT(reason.code > ReasonCode::none && reason.code < ReasonCode::count, "a peer must be told why");
    const std::size_t length = std::min(reason.text.size(), reason_text_bytes_max);
    put(reason.code);
    put(static_cast<std::uint8_t>(length));
    std::memcpy(out_.bytes.data() + out_.size, reason.text.data(), length);
    out_.size += length;
  }
  void pad_to(std::size_t size) {
    std::fill(out_.bytes.begin() + static_cast<std::ptrdiff_t>(out_.size),
              out_.bytes.begin() + static_cast<std::ptrdiff_t>(size), std::byte{});
    out_.size = size;
  }

 private:
  Datagram& out_;
};

// Reads past the end give zero and make it bad. Whoever decodes ends with done().
class Reader {
 public:
  Reader(core::ByteView datagram, DatagramKind kind) : rest_(datagram) { expect(get<DatagramKind>() == kind); }
  template <class T>
  T get() {
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      return T{};
    }
    const T value = core::load<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  Reason get_reason() {
    Reason reason;
    reason.code = get<ReasonCode>();
    const std::size_t length = get<std::uint8_t>();
    ok_ = ok_ && reason.code > ReasonCode::none && reason.code < ReasonCode::count;
    ok_ = ok_ && length <= reason_text_bytes_max && length <= rest_.size();
    if (!ok_) return {};
    for (const std::byte byte : rest_.first(length)) {
      const auto c = static_cast<char>(byte);
      reason.text += c >= ' ' && c <= '~' ? c : '?';
    }
    rest_ = rest_.subspan(length);
    return reason;
  }
  void expect(bool condition) { ok_ = ok_ && condition; }
  void expect_zeros_to_end() {
    ok_ = ok_ && std::all_of(rest_.begin(), rest_.end(), [](std::byte byte) { return byte == std::byte{}; });
    rest_ = {};
  }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  core::ByteView rest_;
  bool ok_ = true;
};

template <class T>
std::optional<T> if_done(const Reader& reader, T value) {
  if (!reader.done()) return std::nullopt;
  return value;
}

void write_hello(Writer& writer, const Hello& hello) {
  writer.put(protocol_magic);
  writer.put(hello.protocol_version);
  writer.put(hello.nonce);
}

Hello read_hello(Reader& reader) {
  reader.expect(reader.get<std::uint32_t>() == protocol_magic);
  Hello hello;
  hello.protocol_version = reader.get<std::uint32_t>();
  hello.nonce = reader.get<std::uint64_t>();
  return hello;
}

// What is hashed under the key: the use first, so that no hash serves another use.
struct HashInput {
  std::array<std::byte, 1 + 20 + 8 + 8> bytes{};

  HashInput(char use, const Address& address, std::uint64_t nonce, std::uint64_t number) {
    core::store(bytes.data(), use);
    core::store(bytes.data() + 1, address);
    core::store(bytes.data() + 21, nonce);
    core::store(bytes.data() + 29, number);
  }
};

std::uint32_t epoch_at(core::Nanoseconds now) { return static_cast<std::uint32_t>(now / CookieJar::epoch_length); }

Cookie cookie_of_epoch(const core::SecretKey& key, const Address& address, std::uint64_t nonce, std::uint32_t epoch) {
  const core::ContentHash hash = core::keyed_hash(key, HashInput('c', address, nonce, epoch).bytes);
  Cookie cookie;
  cookie.epoch = epoch;
  std::copy_n(hash.bytes.begin(), cookie.hash.size(), cookie.hash.begin());
  return cookie;
}

}  // namespace

DatagramKind kind_of(core::ByteView datagram) {
  if (datagram.empty()) return DatagramKind::none;
  const auto kind = static_cast<DatagramKind>(datagram[0]);
  return kind <= DatagramKind::disconnect ? kind : DatagramKind::none;
}

void encode(const Hello& hello, Datagram& out) {
  Writer writer(out, DatagramKind::hello);
  write_hello(writer, hello);
  writer.pad_to(hello_bytes);
}

void encode(const Challenge& challenge, Datagram& out) {
  Writer writer(out, DatagramKind::challenge);
  writer.put(challenge.nonce);
  writer.put(challenge.cookie);
}

void encode(const Proof& proof, Datagram& out) {
  Writer writer(out, DatagramKind::proof);
  write_hello(writer, proof.hello);
  writer.put(proof.cookie);
  writer.pad_to(hello_bytes);
}

void encode(const Accepted& accepted, Datagram& out) {
  Writer writer(out, DatagramKind::accepted);
  writer.put(accepted.nonce);
  writer.put(accepted.connection);
}

void encode(const Refused& refused, Datagram& out) {
  Writer writer(out, DatagramKind::refused);
  writer.put(refused.nonce);
  writer.put(refused.reason);
}

void encode(const Disconnect& disconnect, Datagram& out) {
  Writer writer(out, DatagramKind::disconnect);
  writer.put(disconnect.connection);
  writer.put(disconnect.reason);
}

std::optional<Hello> decode_hello(core::ByteView datagram) {
  Reader reader(datagram, DatagramKind::hello);
  const Hello hello = read_hello(reader);
  reader.expect(datagram.size() == hello_bytes);
  reader.expect_zeros_to_end();
  return if_done(reader, Hello(hello));
}

std::optional<Challenge> decode_challenge(core::ByteView datagram) {
  Reader reader(datagram, DatagramKind::challenge);
  Challenge challenge;
  challenge.nonce = reader.get<std::uint64_t>();
  challenge.cookie = reader.get<Cookie>();
  return if_done(reader, challenge);
}

std::optional<Proof> decode_proof(core::ByteView datagram) {
  Reader reader(datagram, DatagramKind::proof);
  Proof proof;
  proof.hello = read_hello(reader);
  proof.cookie = reader.get<Cookie>();
  reader.expect(datagram.size() == hello_bytes);
  reader.expect_zeros_to_end();
  return if_done(reader, proof);
}

std::optional<Accepted> decode_accepted(core::ByteView datagram) {
  Reader reader(datagram, DatagramKind::accepted);
  Accepted accepted;
  accepted.nonce = reader.get<std::uint64_t>();
  accepted.connection = reader.get<ConnectionId>();
  return if_done(reader, accepted);
}

std::optional<Refused> decode_refused(core::ByteView datagram) {
  Reader reader(datagram, DatagramKind::refused);
  Refused refused;
  refused.nonce = reader.get<std::uint64_t>();
  refused.reason = reader.get_reason();
  return if_done(reader, std::move(refused));
}

std::optional<Disconnect> decode_disconnect(core::ByteView datagram) {
  Reader reader(datagram, DatagramKind::disconnect);
  Disconnect disconnect;
  disconnect.connection = reader.get<ConnectionId>();
  disconnect.reason = reader.get_reason();
  return if_done(reader, std::move(disconnect));
}

void encode_envelope(ConnectionId connection, core::MutableBytes datagram) {
  MOBULA_ASSERT(datagram.size() >= envelope_bytes, "no room for the envelope");
  core::store(datagram.data(), DatagramKind::payload);
  core::store(datagram.data() + 1, connection);
}

std::optional<Payload> decode_payload(core::ByteView datagram) {
  if (kind_of(datagram) != DatagramKind::payload || datagram.size() < envelope_bytes) return std::nullopt;
  return Payload{core::load<ConnectionId>(datagram.data() + 1), datagram.subspan(envelope_bytes)};
}

Cookie CookieJar::make(const Address& address, std::uint64_t nonce, core::Nanoseconds now) const {
  return cookie_of_epoch(key_, address, nonce, epoch_at(now));
}

bool CookieJar::good(const Cookie& cookie, const Address& address, std::uint64_t nonce, core::Nanoseconds now) const {
  const std::uint32_t age = epoch_at(now) - cookie.epoch;
  if (age > 1) return false;
  const Cookie expected = cookie_of_epoch(key_, address, nonce, cookie.epoch);
  return core::equal_in_constant_time(expected.hash, cookie.hash);
}

ConnectionId CookieJar::connection(const Address& address, std::uint64_t nonce, std::uint64_t count) const {
  const core::ContentHash hash = core::keyed_hash(key_, HashInput('i', address, nonce, count).bytes);
  return core::load<ConnectionId>(hash.bytes.data());
}

std::uint64_t CookieJar::table_seed() const {
  return core::load<std::uint64_t>(core::keyed_hash(key_, HashInput('t', {}, 0, 0).bytes).bytes.data());
}

}  // namespace mobula::transport
