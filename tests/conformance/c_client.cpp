#include <array>
#include <conformance/c_client.hpp>

namespace mobula::conformance {

using test::read_all;
using test::sized;

CClient::CClient(const mobula_client_options& options, core::Nanoseconds now)
    : created_(mobula_client_create(&options, now, &handle_)) {}

CClient::~CClient() {
  if (created_ == MOBULA_OK) mobula_client_destroy(handle_);
}

mobula_status CClient::status() const {
  auto status = sized<mobula_status>();
  mobula_client_status(handle_, &status);
  return status;
}

std::vector<core::Bytes> CClient::take_datagrams() const {
  std::vector<core::Bytes> datagrams;
  std::array<std::byte, MOBULA_DATAGRAM_BYTES_MAX> buffer;
  std::uint32_t size = 0;
  while (mobula_client_next_datagram(handle_, buffer.data(), buffer.size(), &size) == MOBULA_OK)
    datagrams.emplace_back(buffer.begin(), buffer.begin() + size);
  return datagrams;
}

std::vector<mobula_change> CClient::changes() const {
  return read_all<mobula_change>([&](auto... array) { return mobula_client_read_changes(handle_, array...); });
}

std::vector<mobula_event> CClient::events() const {
  return read_all<mobula_event>([&](auto... array) { return mobula_client_read_events(handle_, array...); });
}

std::vector<mobula_entity> CClient::entities() const {
  return read_all<mobula_entity>([&](auto... array) { return mobula_client_read_entities(handle_, array...); });
}

std::vector<std::uint32_t> CClient::components_of(mobula_entity entity) const {
  return read_all<std::uint32_t>([&](auto... array) { return mobula_client_components_of(handle_, entity, array...); });
}

mobula_component_info CClient::component(std::uint32_t component) const {
  auto info = sized<mobula_component_info>();
  mobula_client_component(handle_, component, &info);
  return info;
}

std::uint32_t CClient::component_count() const {
  std::uint32_t count = 0;
  mobula_client_component_count(handle_, &count);
  return count;
}

mobula_type_info CClient::type(std::uint32_t type) const {
  auto info = sized<mobula_type_info>();
  mobula_client_type(handle_, type, &info);
  return info;
}

CClient::Column CClient::column(std::uint32_t component) const {
  Column column;
  std::uint32_t count = 0;
  mobula_client_read_column(handle_, component, nullptr, nullptr, 0, 0, &count);
  column.entities.resize(count);
  column.values.resize(std::size_t{count} * this->component(component).size);
  const mobula_result read =
      mobula_client_read_column(handle_, component, column.entities.data(), column.values.data(), 0, count, &count);
  return read == MOBULA_OK ? column : Column{};
}

CClient::Column CClient::column(std::uint32_t component, double view_tick) const {
  Column column;
  std::uint32_t count = 0;
  mobula_client_sample_column(handle_, component, view_tick, nullptr, nullptr, 0, 0, &count);
  column.entities.resize(count);
  column.values.resize(std::size_t{count} * this->component(component).size);
  const mobula_result read = mobula_client_sample_column(handle_, component, view_tick, column.entities.data(),
                                                         column.values.data(), 0, count, &count);
  return read == MOBULA_OK ? column : Column{};
}

}  // namespace mobula::conformance
