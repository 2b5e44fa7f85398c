// A client of the C interface in a village. The host, this class, carries its datagrams over the village's network.
#pragma once

#include <client/c/calls.hpp>
#include <server/hamlet.hpp>
#include <string>
#include <vector>

namespace mobula::test {

/// Returns the options of a client with a token. They point into it.
mobula_client_options options_for(const core::Bytes& token, std::uint32_t flags = 0);
/// Returns the bytes of a token for the village.
core::Bytes token_bytes(std::uint64_t client_id);
/// Returns the text of this thread's last error.
std::string error_text();

class Guest final : public client::ConnectionInput {
 public:
  explicit Guest(Village& village, std::uint32_t flags = 0, core::ByteView schema = {});
  ~Guest() override;

  [[nodiscard]] mobula_client client() const { return client_; }
  [[nodiscard]] mobula_status status() const;
  [[nodiscard]] mobula_statistics statistics() const;
  [[nodiscard]] std::vector<mobula_entity> entities() const;
  [[nodiscard]] std::vector<mobula_change> changes() const;
  [[nodiscard]] std::vector<mobula_event> events() const;
  /// Returns the number of a component's default instance.
  [[nodiscard]] std::uint32_t component(const char* type) const;
  /// Returns the code of why the connection is closed, and its text.
  [[nodiscard]] std::pair<int, std::string> reason() const;
  /// Returns the result of the last receive, and of the last update.
  [[nodiscard]] mobula_result received() const { return received_; }
  [[nodiscard]] mobula_result updated() const { return updated_; }
  /// Returns the datagrams and bytes that this host has carried.
  [[nodiscard]] const mobula_statistics& carried() const { return carried_; }
  /// Ticks until the client plays and its mirror has everything.
  [[nodiscard]] bool play();

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) override;
  void update(core::Nanoseconds now, transport::Output& output) override;
  void set_command(core::ByteView command) override;
  void pipe_closed(std::string_view why, core::Nanoseconds now) override;
  void rejoin(core::Nanoseconds now) override;
  void reconnect(const transport::ConnectToken& token, core::Nanoseconds now) override;
  void close(transport::Output& output) override;

  Village& village;
  Village::Client& seat;  // its place in the village; the connection in it is not used

 private:
  void send(transport::Output& output);

  mobula_client client_{};
  mobula_statistics carried_{};
  mobula_result received_ = MOBULA_OK;
  mobula_result updated_ = MOBULA_OK;
};

}  // namespace mobula::test
