#include <array>
#include <conformance/twin.hpp>
#include <mobula/core/format.hpp>
#include <vectors/output_tap.hpp>

namespace mobula::conformance {
namespace {

std::uint32_t flags_of(const client::ConnectionConfig& config) {
  std::uint32_t flags = 0;
  if (config.spectate) flags |= MOBULA_SPECTATE;
  if (!config.verify) flags |= MOBULA_NO_VERIFY;
  if (!config.decode) flags |= MOBULA_NO_MIRROR;
  if (config.resources != nullptr) flags |= MOBULA_LEVELS;
  return flags;
}

}  // namespace

Twin::Twin(client::Connection& connection, core::Nanoseconds now, core::ByteView level) : connection_(connection) {
  const client::ConnectionConfig& config = connection.config();
  const core::Bytes token = transport::write_token(config.transport.token);
  auto options = test::sized<mobula_client_options>();
  options.flags = flags_of(config);
  options.name = config.name.c_str();
  options.token = token.data();
  options.token_size = token.size();
  if (config.schema != nullptr) {
    options.schema = config.schema->bytes().data();
    options.schema_size = config.schema->bytes().size();
  }
  c_ = std::make_unique<CClient>(options, now);
  expect_ok(c_->created(), "create");
  if (!level.empty()) expect_ok(mobula_client_add_level(c_->handle(), level.data(), level.size()), "add_level");
}

void Twin::differ(const std::string& what) {
  if (!difference_.empty()) return;
  difference_ = core::format("update {}, {}: {}", updates_, to_string(connection_.reason()), what);
}

void Twin::expect_ok(mobula_result result, const char* call) {
  if (result != MOBULA_OK) differ(core::format("{} returned \"{}\"", call, mobula_strerror(result)));
}

// --- Inputs --------------------------------------------------------------------------------------------------------

void Twin::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  const bool is_server = from == connection_.server();
  connection_.receive(from, datagram, now);
  if (!is_server) return;  // a host's socket receives from the server alone
  expect_ok(mobula_client_receive(c_->handle(), datagram.data(), static_cast<std::uint32_t>(datagram.size()), now),
            "receive");
}

void Twin::update(core::Nanoseconds now, transport::Output& output) {
  ++updates_;
  test::OutputTap tap(output);
  connection_.update(now, tap);
  const bool is_closed = connection_.state() == client::Connection::State::closed;
  const mobula_result updated = mobula_client_update(c_->handle(), now);
  expect(updated == (is_closed ? MOBULA_ERROR_CLOSED : MOBULA_OK), "update returns another result");
  expect(c_->take_datagrams() == tap.sent, "other datagrams are sent");
  compare(now);
}

void Twin::set_command(core::ByteView command) {
  connection_.set_command(command);
  expect_ok(mobula_client_set_command(c_->handle(), command.data(), static_cast<std::uint32_t>(command.size())),
            "set_command");
}

void Twin::pipe_closed(std::string_view why, core::Nanoseconds now) {
  connection_.pipe_closed(why, now);
  expect_ok(mobula_client_pipe_closed(c_->handle(), std::string(why).c_str(), now), "pipe_closed");
}

void Twin::rejoin(core::Nanoseconds now) {
  connection_.rejoin(now);
  expect_ok(mobula_client_rejoin(c_->handle(), now), "rejoin");
}

void Twin::reconnect(const transport::ConnectToken& token, core::Nanoseconds now) {
  connection_.reconnect(token, now);
  const core::Bytes bytes = transport::write_token(token);
  expect_ok(mobula_client_reconnect(c_->handle(), bytes.data(), bytes.size(), now), "reconnect");
}

void Twin::close(transport::Output& output) {
  test::OutputTap tap(output);
  connection_.close(tap);
  expect_ok(mobula_client_leave(c_->handle()), "leave");
  expect(c_->take_datagrams() == tap.sent, "another farewell is sent");
  compare_status();
  compare_reason();
}

}  // namespace mobula::conformance
