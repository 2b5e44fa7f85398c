#include "client/measured_client.hpp"

#include <array>

namespace mobula::bench {
namespace {

client::ConnectionConfig config_of(const transport::ConnectToken& token) {
  client::ConnectionConfig config;
  config.transport.token = token;
  return config;
}

}  // namespace

// --- C++ -----------------------------------------------------------------------------------------------------------

CppClient::CppClient(const transport::ConnectToken& token, core::Nanoseconds now)
    : connection_(config_of(token), now) {}

void CppClient::read(DrawnColumn& column) {
  client::Mirror* const mirror = connection_.mirror();
  if (mirror == nullptr) return;
  for (const client::Change& change : mirror->changes())
    column.changes += change.kind == client::ChangeKind::changed ? 1 : 0;
  column.count = 0;
  mirror->registry().view<const engine::Transform>().each([&](ecs::Entity entity, const engine::Transform& transform) {
    if (column.count == column.values.size()) return;
    column.entities[column.count] = std::uint64_t{entity.generation} << 32 | entity.index;
    column.values[column.count++] = transform;
  });
}

// --- C -------------------------------------------------------------------------------------------------------------

CInterfaceClient::CInterfaceClient(const transport::ConnectToken& token, core::Nanoseconds now) : changes_(4096) {
  const core::Bytes bytes = transport::write_token(token);
  mobula_client_options options{};
  options.struct_size = sizeof options;
  options.token = bytes.data();
  options.token_size = bytes.size();
  static_cast<void>(mobula_client_create(&options, now, &handle_));
}

void CInterfaceClient::update(core::Nanoseconds now, transport::Output& output) {
  std::array<std::byte, MOBULA_DATAGRAM_BYTES_MAX> datagram;
  std::uint32_t size = 0;
  static_cast<void>(mobula_client_update(handle_, now));
  while (mobula_client_next_datagram(handle_, datagram.data(), MOBULA_DATAGRAM_BYTES_MAX, &size) == MOBULA_OK)
    output.send({}, core::ByteView(datagram.data(), size));
}

void CInterfaceClient::read(DrawnColumn& column) {
  std::uint32_t count = 0;
  const auto capacity = static_cast<std::uint32_t>(changes_.size());
  static_cast<void>(mobula_client_read_changes(handle_, changes_.data(), capacity, &count));
  for (std::uint32_t i = 0; i < std::min(count, capacity); ++i)
    column.changes += changes_[i].kind == MOBULA_CHANGED ? 1 : 0;
  if (transforms_ == MOBULA_NO_COMPONENT)
    static_cast<void>(mobula_client_find_component(handle_, "Transform", nullptr, &transforms_));
  static_cast<void>(mobula_client_read_column(handle_, transforms_, column.entities.data(), column.values.data(), 0,
                                              static_cast<std::uint32_t>(column.values.size()), &column.count));
}

mobula_status CInterfaceClient::status() const {
  mobula_status status{};
  status.struct_size = sizeof status;
  static_cast<void>(mobula_client_status(handle_, &status));
  return status;
}

mobula_statistics CInterfaceClient::statistics() const {
  mobula_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  static_cast<void>(mobula_client_statistics(handle_, &statistics));
  return statistics;
}

}  // namespace mobula::bench
