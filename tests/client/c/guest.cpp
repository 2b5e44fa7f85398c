#include <gtest/gtest.h>

#include <array>
#include <client/c/guest.hpp>

namespace mobula::test {

mobula_client_options options_for(const core::Bytes& token, std::uint32_t flags) {
  auto options = sized<mobula_client_options>();
  options.flags = flags;
  options.name = "ada";
  options.token = token.data();
  options.token_size = token.size();
  return options;
}

core::Bytes token_bytes(std::uint64_t client_id) { return transport::write_token(test_token(client_id)); }

std::string error_text() {
  std::array<char, 512> text{};
  std::uint32_t length = 0;
  return mobula_error_text(text.data(), text.size(), &length) == MOBULA_OK ? std::string(text.data(), length) : "";
}

Guest::Guest(Village& owner, std::uint32_t flags, core::ByteView schema)
    : village(owner), seat(owner.join(client::ConnectionConfig{.transport = {}, .name = "", .schema = {}})) {
  const core::Bytes token = transport::write_token(seat.connection.config().transport.token);
  mobula_client_options options = options_for(token, flags);
  options.schema = schema.data();
  options.schema_size = schema.size();
  EXPECT_EQ(mobula_client_create(&options, village.now, &client_), MOBULA_OK) << error_text();
  seat.input = this;
}

Guest::~Guest() {
  mobula_client_destroy(client_);
  village.remove(seat);
}

mobula_status Guest::status() const {
  auto status = sized<mobula_status>();
  EXPECT_EQ(mobula_client_status(client_, &status), MOBULA_OK);
  return status;
}

mobula_statistics Guest::statistics() const {
  auto statistics = sized<mobula_statistics>();
  EXPECT_EQ(mobula_client_statistics(client_, &statistics), MOBULA_OK);
  return statistics;
}

std::vector<mobula_entity> Guest::entities() const {
  return read_all<mobula_entity>([&](auto... array) { return mobula_client_read_entities(client_, array...); });
}

std::vector<mobula_change> Guest::changes() const {
  return read_all<mobula_change>([&](auto... array) { return mobula_client_read_changes(client_, array...); });
}

std::vector<mobula_event> Guest::events() const {
  return read_all<mobula_event>([&](auto... array) { return mobula_client_read_events(client_, array...); });
}

std::uint32_t Guest::component(const char* type) const {
  std::uint32_t component = MOBULA_NO_COMPONENT;
  EXPECT_EQ(mobula_client_find_component(client_, type, nullptr, &component), MOBULA_OK) << error_text();
  return component;
}

std::pair<int, std::string> Guest::reason() const {
  std::array<char, 512> text{};
  std::uint32_t length = 0;
  std::int32_t code = 0;
  if (mobula_client_reason(client_, &code, text.data(), text.size(), &length) != MOBULA_OK) return {};
  return {code, std::string(text.data(), length)};
}

bool Guest::play() {
  return village.tick_until([&] { return status().state == MOBULA_PLAYING && status().complete == 1; });
}

void Guest::receive(const transport::Address& /*from*/, core::ByteView datagram, core::Nanoseconds now) {
  ++carried_.datagrams_received;
  carried_.bytes_received += datagram.size();
  received_ = mobula_client_receive(client_, datagram.data(), static_cast<std::uint32_t>(datagram.size()), now);
}

void Guest::update(core::Nanoseconds now, transport::Output& output) {
  updated_ = mobula_client_update(client_, now);
  send(output);
}

void Guest::set_command(core::ByteView command) {
  EXPECT_EQ(mobula_client_set_command(client_, command.data(), static_cast<std::uint32_t>(command.size())), MOBULA_OK);
}

void Guest::pipe_closed(std::string_view why, core::Nanoseconds now) {
  EXPECT_EQ(mobula_client_pipe_closed(client_, std::string(why).c_str(), now), MOBULA_OK);
}

void Guest::rejoin(core::Nanoseconds now) { EXPECT_EQ(mobula_client_rejoin(client_, now), MOBULA_OK) << error_text(); }

void Guest::reconnect(const transport::ConnectToken& token, core::Nanoseconds now) {
  const core::Bytes bytes = transport::write_token(token);
  EXPECT_EQ(mobula_client_reconnect(client_, bytes.data(), bytes.size(), now), MOBULA_OK) << error_text();
}

void Guest::close(transport::Output& output) {
  EXPECT_EQ(mobula_client_leave(client_), MOBULA_OK);
  send(output);
}

void Guest::send(transport::Output& output) {
  std::array<std::byte, MOBULA_DATAGRAM_BYTES_MAX> buffer;
  std::uint32_t size = 0;
  while (mobula_client_next_datagram(client_, buffer.data(), buffer.size(), &size) == MOBULA_OK) {
    ++carried_.datagrams_sent;
    carried_.bytes_sent += size;
    output.send(village_address, core::ByteView(buffer).first(size));
  }
}

}  // namespace mobula::test
