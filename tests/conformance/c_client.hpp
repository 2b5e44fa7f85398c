// A client of the C interface with a socket of the host, for tests. Reads arrays and texts into C++ types.
#pragma once

#include <client/c/calls.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/clock.hpp>
#include <string>
#include <vector>

namespace mobula::conformance {

class CClient {
 public:
  CClient(const mobula_client_options& options, core::Nanoseconds now);
  ~CClient();
  CClient(const CClient&) = delete;
  CClient& operator=(const CClient&) = delete;

  // Result of its creation.
  [[nodiscard]] mobula_result created() const { return created_; }
  [[nodiscard]] mobula_client handle() const { return handle_; }

  [[nodiscard]] mobula_status status() const;
  // Removes and returns the datagrams to send.
  [[nodiscard]] std::vector<core::Bytes> take_datagrams() const;
  [[nodiscard]] std::vector<mobula_change> changes() const;
  [[nodiscard]] std::vector<mobula_event> events() const;
  [[nodiscard]] std::vector<mobula_entity> entities() const;
  [[nodiscard]] std::vector<std::uint32_t> components_of(mobula_entity entity) const;
  [[nodiscard]] mobula_component_info component(std::uint32_t component) const;
  [[nodiscard]] std::uint32_t component_count() const;
  [[nodiscard]] mobula_type_info type(std::uint32_t type) const;

  struct Column {
    std::vector<mobula_entity> entities;
    core::Bytes values;  // each of the component's size
  };
  [[nodiscard]] Column column(std::uint32_t component) const;
  // Values of a moment.
  [[nodiscard]] Column column(std::uint32_t component, double view_tick) const;

 private:
  mobula_client handle_{};
  mobula_result created_ = MOBULA_OK;
};

}  // namespace mobula::conformance
