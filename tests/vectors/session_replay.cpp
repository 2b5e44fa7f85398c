#include <array>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <vectors/session_replay.hpp>

namespace mobula::test {
namespace {

core::Bytes bytes_of(const Json& hex) { return core::from_hex(hex.get<std::string>()).value(); }

}  // namespace

const std::array<SessionReplay::Kind, 5> SessionReplay::kinds{{{"receive", &SessionReplay::receive},
                                                               {"update", &SessionReplay::update},
                                                               {"command", &SessionReplay::command},
                                                               {"lost", &SessionReplay::lose},
                                                               {"rejoin", &SessionReplay::rejoin}}};

SessionReplay::SessionReplay(const Json& file, const Json& session) : session_(session) {
  client::ConnectionConfig config;
  config.name = session.at("name").get<std::string>();
  config.transport.token = *transport::read_token(bytes_of(session.at("connect").at("token")));
  if (session.at("has_schema").get<bool>()) config.schema = *reflect::Schema::load(bytes_of(file.at("schema")));
  if (session.at("has_level").get<bool>()) level_.emplace(bytes_of(file.at("level")));
  if (level_) config.resources = &level_->store;
  now_ = session.at("begin").get<core::Nanoseconds>() * core::millisecond;
  connection_ = std::make_unique<client::Connection>(config, now_);
  input_ = connection_.get();
}

void SessionReplay::receive(const Json& datagram) { input_->receive(connection_->server(), bytes_of(datagram), now_); }
void SessionReplay::update(const Json& /*sent*/) {
  input_->update(now_, nowhere_);
  connection_->forget_commands_before(1);
}
void SessionReplay::command(const Json& bytes) { input_->set_command(bytes_of(bytes)); }
void SessionReplay::lose(const Json& why) { input_->pipe_closed(why.get<std::string>(), now_); }
void SessionReplay::rejoin(const Json& /*token*/) {
  if (connection_->can_rejoin()) input_->rejoin(now_);
}

std::string SessionReplay::difference(const Json& step, const Json& ours) const {
  const Json none;
  const Json& theirs = step.contains("then") ? step.at("then") : none;
  if (ours == theirs) return {};
  return core::format("\"{}\" at {} ms: {} instead of {}; {}", session_.at("name").get<std::string>(),
                      step.at("at").get<std::uint64_t>(), ours.dump(), theirs.dump(), to_string(connection_->reason()));
}

std::string SessionReplay::end_difference(const char* member, const Json& ours) const {
  if (ours == session_.at(member)) return {};
  return core::format("\"{}\" at its end: {} instead of {}", session_.at("name").get<std::string>(), ours.dump(),
                      session_.at(member).dump());
}

std::string SessionReplay::replay(const Json& step) {
  now_ = step.at("at").get<core::Nanoseconds>() * core::millisecond;
  const std::uint64_t deltas = connection_->stats().deltas;
  for (const Kind& kind : kinds)
    if (step.contains(kind.name)) (this->*kind.handler)(step.at(kind.name));
  return difference(step, connection_->stats().deltas != deltas ? state_json(*connection_) : Json());
}

std::string SessionReplay::run() {
  for (const Json& step : session_.at("steps"))
    if (std::string wrong = replay(step); !wrong.empty()) return wrong;
  if (connection_->mirror() == nullptr) return "no mirror was made";
  return end_difference("levels", levels_json(connection_->levels())) +
         end_difference("commands", commands_json(connection_->commands())) +
         end_difference("entities", entities_json(*connection_->mirror()));
}

}  // namespace mobula::test
