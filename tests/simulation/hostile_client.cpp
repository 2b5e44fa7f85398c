#include <algorithm>
#include <cstring>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/input.hpp>
#include <server/hamlet.hpp>
#include <simulation/chance.hpp>
#include <simulation/hostile_client.hpp>
#include <utility>

namespace mobula::sim {
namespace {

constexpr std::uint32_t received_max = 16;
constexpr std::uint64_t too_old_seconds = 20'000;

}  // namespace

std::uint64_t date_at(core::Nanoseconds now) {
  return test::test_unix_time + static_cast<std::uint64_t>(now / core::second);
}

HostileClient::HostileClient(std::uint64_t seed, std::uint32_t number) : random_(seed), number_(number) {}

// Each session has an address of its own, so that the last session's token comes from another address.
void HostileClient::enter(core::Nanoseconds now) {
  ++sessions_;
  address_ = transport::Address::v4(10, 8, static_cast<std::uint8_t>(number_ + 1), static_cast<std::uint8_t>(sessions_),
                                    static_cast<std::uint16_t>(5000 + sessions_ / 256));
  is_bad_ = random_.chance(1, 3);
  transport::ClientEndpointConfig config;
  config.token = is_bad_ ? bad_token(date_at(now)) : token(date_at(now), true, true);
  config.servers = {test::village_address};
  token_ = config.token;
  endpoint_ = std::make_unique<transport::ClientEndpoint>(config, now);
  sent_hello_ = is_in_ = false;
  newest_ = tick_ = ack_ = 0;
}

// A used token is bad only until it expires: after its date goes back a server accepts it as new.
transport::ConnectToken HostileClient::bad_token(std::uint64_t date) {
  switch (random_.below(4)) {
    case 0: return used_ && used_->expire_time > date ? *used_ : token(date, true, false);
    case 1: return token(date - too_old_seconds, true, true);
    case 2: return token(date, false, true);
    default: return token(date, true, false);
  }
}

transport::ConnectToken HostileClient::token(std::uint64_t date, bool of_this_server, bool right_key) {
  transport::TokenRequest request;
  request.client_id = 1'000'000ull * (number_ + 1) + sessions_;
  request.expire_seconds = token_seconds;
  const std::string account = "liar " + std::to_string(number_);
  std::memcpy(request.user_data.data(), account.data(), account.size());
  request.servers = {of_this_server ? test::village_address : transport::Address::v4(10, 0, 0, 2, 7777)};
  core::SecretKey key = test::test_transport().private_key;
  if (!right_key) key[0] ^= std::byte{1};
  return test::test_token(request, key, date);
}

bool HostileClient::is_address(const transport::Address& address) {
  return address.ip[12] == 10 && address.ip[13] == 8;
}

void HostileClient::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  if (endpoint_ != nullptr) endpoint_->receive(from, datagram, now);
}

void HostileClient::act(core::Nanoseconds now, transport::Output& output) {
  if (endpoint_ == nullptr || endpoint_->closed()) {
    if (random_.chance(1, 30)) enter(now);
    return;
  }
  if (endpoint_->connected()) {
    if (!std::exchange(is_in_, true)) used_ = token_;
    receive_messages();
    send_messages();
    if (random_.chance(1, 300)) endpoint_->close({transport::ReasonCode::left, ""}, output);
  }
  if (!endpoint_->closed()) endpoint_->update(now, output);
}

void HostileClient::receive_messages() {
  while (endpoint_->session().next_reliable(buffer_)) {
    keep_some(received_, received_max, core::Bytes(buffer_), random_);
  }
  while (endpoint_->session().next_reliable(buffer_, transport::Lane::bulk)) {
  }
  while (endpoint_->session().next_unreliable(buffer_))
    if (const auto header = wire::read_delta_header(buffer_, {newest_, tick_, ack_})) {
      newest_ = header->sequence;
      tick_ = header->tick;
    }
}

// Sends mostly almost valid messages: after plain nonsense the server soon disconnects.
void HostileClient::send_messages() {
  transport::Session& session = endpoint_->session();
  if (!sent_hello_ && random_.chance(4, 5)) {
    sent_hello_ = session.send_reliable(wire::encode(wire::Hello{.schema_fingerprint = {}, .name = "liar"})).ok();
    return;
  }
  if (random_.chance(1, 2)) send_input();
  if (random_.chance(1, 20)) static_cast<void>(session.send_reliable(wire::encode(message())).ok());
  if (!random_.chance(1, 60)) return;
  core::Bytes bytes = received_.empty() || random_.chance(1, 4)
                          ? noise(random_, 1 + random_.below(3000))
                          : received_[random_.below(static_cast<std::uint32_t>(received_.size()))];
  static_cast<void>(session.send_reliable(bytes).ok());
}

wire::Message HostileClient::message() {
  const core::ContentHash hash = random_.chance(1, 2) ? core::content_hash({}) : test::hamlet()->identity();
  const auto any = [&] {
    return random_.chance(1, 2) ? random_.below(400) : static_cast<std::uint32_t>(random_.next());
  };
  switch (random_.below(5)) {
    case 0: return wire::ResourceRequest{hash, any()};
    case 1:
      return wire::MirrorHashes{random_.chance(1, 2), any(), any(), any(), {{any(), {any(), any()}, any(), any()}}};
    case 2: return wire::MirrorDifference{{any(), any()}, "Health", "current", "1", "2"};
    case 3: return wire::PredictionReport{.ticks = any(), .stalls = any(), .corrections_mm = random_.below(400)};
    default:
      return wire::Hello{.schema_fingerprint = hash,
                         .name = "liar",
                         .verify = true,
                         .resources = {hash},
                         .resume = random_.chance(1, 2),
                         .spectate = random_.chance(1, 2)};
  }
}

// Acknowledges ticks that it has not received or that never existed. Commands come in any order.
void HostileClient::send_input() {
  const core::Bytes command = random_.chance(1, 2) ? noise(random_, 1 + random_.below(40)) : core::Bytes();
  wire::InputDatagram input{.ack = ack_ += 1 + random_.below(2),
                            .newest = random_.chance(3, 4) ? newest_ : newest_ + random_.below(5),
                            .words = static_cast<std::uint8_t>(1 + random_.below(wire::input_words_max)),
                            .first_command = 1 + random_.below(100)};
  for (std::uint32_t word = 0; word < input.words; ++word) input.received[word] = random_.next();
  ecs::Tick tick = random_.below(4000);
  for (std::uint32_t count = random_.below(4); count > 0; --count) {
    tick += random_.below(20);
    input.commands.push_back({tick, tick - std::min(tick, random_.below(100)), 0, core::ByteView(command)});
  }
  core::Bytes bytes(wire::input_bytes_max);
  bytes.resize(wire::encode_input(input, bytes).bytes);
  if (random_.chance(1, 10) && !bytes.empty())
    bytes[random_.below(static_cast<std::uint32_t>(bytes.size()))] ^= std::byte{4};
  static_cast<void>(endpoint_->session().send_unreliable(bytes).ok());
}

}  // namespace mobula::sim
