// The same client twice: by the classes of the C++ library, and by the C interface. Both copy the Transforms and their
// entities to arrays of their own.
#pragma once

#include <c/mobula_client.h>

#include <mobula/client/connection/connection.hpp>
#include <mobula/schema/engine.hpp>
#include <vector>

namespace mobula::bench {

// Arrays that a host draws from.
struct DrawnColumn {
  std::vector<std::uint64_t> entities;
  std::vector<engine::Transform> values;
  std::uint32_t count = 0;
  std::uint64_t changes = 0;  // read so far
};

class CppClient {
 public:
  CppClient(const transport::ConnectToken& token, core::Nanoseconds now);

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
    connection_.receive(from, datagram, now);
  }
  void update(core::Nanoseconds now, transport::Output& output) { connection_.update(now, output); }
  void read(DrawnColumn& column);

  [[nodiscard]] std::uint32_t entities() const { return mirror() != nullptr ? mirror()->size() : 0; }
  [[nodiscard]] std::uint64_t hash() const { return mirror() != nullptr ? mirror()->hash() : 0; }
  [[nodiscard]] std::uint64_t verified_ticks() const { return connection_.stats().verified_ticks; }
  [[nodiscard]] std::uint64_t mismatched_ticks() const { return connection_.stats().mismatched_ticks; }

 private:
  [[nodiscard]] const client::Mirror* mirror() const { return connection_.mirror(); }

  client::Connection connection_;
};

class CInterfaceClient {
 public:
  CInterfaceClient(const transport::ConnectToken& token, core::Nanoseconds now);
  ~CInterfaceClient() { static_cast<void>(mobula_client_destroy(handle_)); }
  CInterfaceClient(const CInterfaceClient&) = delete;
  CInterfaceClient& operator=(const CInterfaceClient&) = delete;

  void receive(const transport::Address& /*from*/, core::ByteView datagram, core::Nanoseconds now) {
    static_cast<void>(
        mobula_client_receive(handle_, datagram.data(), static_cast<std::uint32_t>(datagram.size()), now));
  }
  void update(core::Nanoseconds now, transport::Output& output);
  void read(DrawnColumn& column);

  [[nodiscard]] mobula_client handle() const { return handle_; }
  [[nodiscard]] std::uint32_t entities() const { return status().entities; }
  [[nodiscard]] std::uint64_t hash() const { return status().mirror_hash; }
  [[nodiscard]] std::uint64_t verified_ticks() const { return statistics().verified_ticks; }
  [[nodiscard]] std::uint64_t mismatched_ticks() const { return statistics().mismatched_ticks; }

 private:
  [[nodiscard]] mobula_status status() const;
  [[nodiscard]] mobula_statistics statistics() const;

  mobula_client handle_{};
  std::uint32_t transforms_ = MOBULA_NO_COMPONENT;
  std::vector<mobula_change> changes_;
};

}  // namespace mobula::bench
