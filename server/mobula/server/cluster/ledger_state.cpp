#include <mobula/core/name.hpp>
#include <mobula/server/cluster/json_fields_impl.hpp>
#include <mobula/server/cluster/ledger_state.hpp>

namespace mobula::cluster {
namespace {

using Json = nlohmann::json;

core::Error bad() { return {"bad record", "the saved crossings of the world are damaged"}; }

}  // namespace

std::vector<std::string> LedgerState::saved_ids() const {
  std::vector<std::string> ids(left.begin(), left.end());
  ids.insert(ids.end(), arrived.begin(), arrived.end());
  return ids;
}

core::Bytes to_bytes(const LedgerState& state) {
  Json prepared = Json::object();
  for (const auto& [id, record] : state.prepared) prepared[id] = to_json(record);
  const std::string text = Json{
      {"version", std::to_string(state.version)},
      {"prepared", std::move(prepared)},
      {"left", state.left},
      {"arrived", state.arrived},
      {"departed",
       state.departed}}.dump();
  const core::ByteView bytes = core::as_bytes(text.data(), text.size());
  return {bytes.begin(), bytes.end()};
}

core::Result<LedgerState> parse_ledger_state(core::ByteView bytes) {
  LedgerState state;
  if (bytes.empty()) return state;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Json parsed = Json::parse(text, nullptr, false);
  JsonFields fields(parsed);
  state.version = fields.number<std::uint64_t>("version");
  for (std::string& id : fields.texts("left")) state.left.insert(std::move(id));
  for (std::string& id : fields.texts("arrived")) state.arrived.insert(std::move(id));
  state.departed = fields.text_map("departed");
  const Json* const prepared = fields.find("prepared", Json::value_t::object);
  if (!fields.good() || prepared == nullptr) return bad();
  for (const auto& [id, record] : prepared->items()) {
    if (!record.is_string() || !core::is_good_name(id)) return bad();
    core::Result<CrossingRecord> crossing = parse_crossing(record.get_ref<const std::string&>());
    if (!crossing) return crossing.error();
    state.prepared.emplace(id, std::move(*crossing));
  }
  return state;
}

}  // namespace mobula::cluster
