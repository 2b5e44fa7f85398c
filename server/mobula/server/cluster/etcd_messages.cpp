#include <algorithm>
#include <mobula/core/base64.hpp>
#include <mobula/server/cluster/etcd_messages.hpp>
#include <mobula/server/cluster/json_fields_impl.hpp>
#include <optional>

namespace mobula::cluster {
namespace {

using Json = nlohmann::json;

std::string base64(std::string_view text) { return core::to_base64(core::as_bytes(text.data(), text.size())); }

// Returns the first key after all those with a prefix.
std::string end_of(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return std::string(1, '\0');  // all keys
  ++end.back();
  return end;
}

Json range_of(std::string_view prefix) {
  if (prefix.empty()) prefix = std::string_view("\0", 1);
  return {{"key", base64(prefix)}, {"range_end", base64(end_of(prefix == std::string_view("\0", 1) ? "" : prefix))}};
}

Json to_json(const Put& put) {
  Json json{{"key", base64(put.key)}, {"value", base64(put.value)}};
  if (put.lease != 0) json["lease"] = std::to_string(put.lease);
  return {{"request_put", std::move(json)}};
}

// Returns bytes; empty if there are none.
std::optional<std::string> bytes_of(JsonFields& fields, const char* name) {
  const std::optional<core::Bytes> bytes = core::from_base64(fields.text(name));
  if (!bytes || !fields.good()) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

struct Header {
  std::uint64_t store = 0;
  std::uint64_t member = 0;
  Revision revision = 0;
};

bool read_header(JsonFields& of, Header& header) {
  const Json* const json = of.find("header", Json::value_t::object);
  if (json == nullptr) return false;
  JsonFields fields(*json);
  header.store = fields.number<std::uint64_t>("cluster_id");
  header.member = fields.number<std::uint64_t>("member_id");
  header.revision = fields.number<Revision>("revision");
  return fields.good() && header.store != 0 && header.revision >= 0;
}

bool read_value(const Json& json, KeyValue& value) {
  JsonFields fields(json);
  std::optional<std::string> key = bytes_of(fields, "key");
  std::optional<std::string> content = bytes_of(fields, "value");
  if (!key || key->empty() || !content) return false;
  value.key = std::move(*key);
  value.value = std::move(*content);
  value.created = fields.number<Revision>("create_revision");
  value.modified = fields.number<Revision>("mod_revision");
  value.lease = fields.number<LeaseId>("lease");
  return fields.good() && value.modified > 0;
}

bool read_values(JsonFields& fields, std::vector<KeyValue>& values) {
  const Json* const all = fields.find("kvs", Json::value_t::array);
  if (all == nullptr) return fields.good();
  for (const Json& each : *all)
    if (!read_value(each, values.emplace_back()) || values.back().created <= 0) return false;
  return true;
}

// Reads the answers of a transaction, of which only those to a failed one have keys.
bool read_responses(JsonFields& fields, std::vector<KeyValue>& values) {
  const Json* const all = fields.find("responses", Json::value_t::array);
  if (all == nullptr) return fields.good();
  for (const Json& each : *all) {
    JsonFields response(each);
    const Json* const range = response.find("response_range", Json::value_t::object);
    if (!response.good()) return false;
    if (range == nullptr) continue;
    JsonFields found(*range);
    if (!read_values(found, values)) return false;
  }
  return true;
}

core::Error bad(std::string_view json) {
  constexpr std::size_t shown_max = 200;
  return {"bad answer", "not an answer of etcd: " + std::string(json.substr(0, shown_max))};
}

bool read_changes(JsonFields& fields, std::vector<Change>& changes) {
  const Json* const events = fields.find("events", Json::value_t::array);
  if (events == nullptr) return fields.good();
  for (const Json& each : *events) {
    JsonFields event(each);
    Change& change = changes.emplace_back();
    change.erased = event.text("type") == "DELETE";
    const Json* const value = event.find("kv", Json::value_t::object);
    if (value == nullptr || !read_value(*value, change.value) || change.erased != (change.value.created == 0))
      return false;
  }
  return true;
}

}  // namespace

EtcdRequest etcd_list(std::string_view prefix) { return {"/v3/kv/range", range_of(prefix).dump()}; }

EtcdRequest etcd_commit(const Transaction& transaction) {
  Json compare = Json::array();
  Json success = Json::array();
  Json failure = Json::array();
  for (const Condition& condition : transaction.conditions) {
    failure.push_back({{"request_range", {{"key", base64(condition.key)}}}});
    compare.push_back({{"key", base64(condition.key)},
                       {"target", "MOD"},
                       {"result", "EQUAL"},
                       {"mod_revision", std::to_string(condition.modified)}});
  }
  for (const Put& put : transaction.puts) success.push_back(to_json(put));
  for (const std::string& key : transaction.erased)
    success.push_back({{"request_delete_range", {{"key", base64(key)}}}});
  return {
      "/v3/kv/txn",
      Json{{"compare", std::move(compare)}, {"success", std::move(success)}, {"failure", std::move(failure)}}.dump()};
}

EtcdRequest etcd_grant(core::Nanoseconds ttl) {
  return {"/v3/lease/grant", Json{{"TTL", std::to_string(ttl / core::second)}}.dump()};
}

EtcdRequest etcd_keep_alive(LeaseId lease) {
  return {"/v3/lease/keepalive", Json{{"ID", std::to_string(lease)}}.dump()};
}

EtcdRequest etcd_revoke(LeaseId lease) { return {"/v3/lease/revoke", Json{{"ID", std::to_string(lease)}}.dump()}; }

EtcdRequest etcd_watch(std::string_view prefix, Revision from) {
  Json create = range_of(prefix);
  create["start_revision"] = std::to_string(from);
  return {"/v3/watch", Json{{"create_request", std::move(create)}}.dump()};
}

EtcdRequest etcd_status() { return {"/v3/maintenance/status", "{}"}; }
EtcdRequest etcd_members() { return {"/v3/cluster/member/list", "{}"}; }

core::Result<EtcdStatus> read_etcd_status(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields fields(parsed);
  Header header;
  if (!read_header(fields, header) || header.member == 0) return bad(json);
  const auto leader = fields.number<std::uint64_t>("leader");
  if (!fields.good()) return bad(json);
  return EtcdStatus{.store = header.store, .member = header.member, .leader = leader};
}

core::Result<std::set<std::uint64_t>> read_etcd_voters(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields fields(parsed);
  const Json* const members = fields.find("members", Json::value_t::array);
  if (members == nullptr) return bad(json);
  std::set<std::uint64_t> voters;
  for (const Json& each : *members) {
    JsonFields member(each);
    const auto id = member.number<std::uint64_t>("ID");
    if (!member.flag("isLearner")) voters.insert(id);
    if (!member.good()) return bad(json);
  }
  if (voters.empty() || voters.contains(0)) return bad(json);
  return voters;
}

core::Result<EtcdReply> read_etcd_reply(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields outer(parsed);
  // An answer of a stream is wrapped.
  const Json* const wrapped = outer.find("result", Json::value_t::object);
  JsonFields fields(wrapped != nullptr ? *wrapped : parsed);
  EtcdReply result;
  Header header;
  if (!read_header(fields, header) || header.revision == 0) return bad(json);
  result.store = header.store;
  result.reply.revision = header.revision;
  result.reply.committed = fields.flag("succeeded");
  result.reply.lease = fields.number<LeaseId>("ID");
  const auto ttl = fields.number<std::int64_t>("TTL");
  constexpr std::int64_t ttl_max = 9'000'000'000;  // etcd's limit, in seconds
  std::vector<KeyValue>& values = result.reply.values;
  if (!read_values(fields, values) || !read_responses(fields, values) || !fields.good() || ttl > ttl_max)
    return bad(json);
  result.reply.ttl = std::max<std::int64_t>(ttl, 0) * core::second;
  return result;
}

core::Result<EtcdChanges> read_etcd_changes(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  JsonFields outer(parsed);
  EtcdChanges result;
  if (const Json* const error = outer.find("error", Json::value_t::object)) {
    result.changes.error = etcd_error(error->dump());
    return result;
  }
  const Json* const wrapped = outer.find("result", Json::value_t::object);
  if (wrapped == nullptr) return bad(json);
  JsonFields fields(*wrapped);
  Header header;
  if (!read_header(fields, header)) return bad(json);
  result.store = header.store;
  const auto compacted = fields.number<Revision>("compact_revision");
  const bool cancelled = fields.flag("canceled");
  std::vector<Change>& changes = result.changes.changes;
  if (!read_changes(fields, changes) || !fields.good()) return bad(json);
  // Not that of the header, which may be ahead of changes that are still to come.
  if (!changes.empty()) result.changes.revision = changes.back().value.modified;
  if (compacted > 0)
    result.changes.error = core::Error{"compacted", "etcd keeps changes since revision " + std::to_string(compacted)};
  else if (cancelled)
    result.changes.error = core::Error{"refused", "etcd has cancelled the watch"};
  return result;
}

// The texts are those of etcd's api/v3rpc/rpctypes/error.go.
core::Error etcd_error(std::string message) {
  struct Known {
    std::string_view text;
    const char* reason;
  };
  constexpr Known known[] = {
      {"requested lease not found", "no lease"},
      {"database space exceeded", "no space"},
      {"request timed out", "no majority"},
      {"no leader", "no majority"},
      {"leader changed", "no majority"},
      {"required revision has been compacted", "compacted"},
      {"stopped", "unreachable"},
  };
  for (const Known& each : known)
    if (message.find(each.text) != std::string::npos) return {each.reason, std::move(message)};
  // Other texts are of the gateway, and the request may still take effect.
  const bool is_of_server = message.find("etcdserver: ") != std::string::npos;
  return {is_of_server ? "refused" : "bad answer", std::move(message)};
}

}  // namespace mobula::cluster
