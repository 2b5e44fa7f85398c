#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/from_chars.hpp>
#include <mobula/server/admin/json_object.hpp>
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

std::vector<std::string_view> names_of(const std::vector<Inspection*>& worlds) {
  std::vector<std::string_view> names;
  for (const Inspection* world : worlds) names.push_back(world->name());
  return names;
}

class RepeatFeed final : public admin::Feed {
 public:
  RepeatFeed(ApiPtr api, Read read, Request request)
      : api_(std::move(api)), read_(std::move(read)), request_(std::move(request)) {}

  Frame next() override {
    const core::Result<Inspection*> world = find_world(*api_, request_.parameter("world"));
    auto reply = std::make_shared<core::Result<json>>(world ? read_(**world, request_) : world.error());
    return [reply]() -> core::Result<std::string> {
      if (!*reply) return reply->error();
      return text_of(**reply);
    };
  }

 private:
  ApiPtr api_;
  Read read_;
  Request request_;
};

}  // namespace

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

admin::Response answer_of(const json& value) { return {200, text_of(value)}; }

std::string hex(std::uint64_t value) { return core::format("{:016x}", value); }

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

json shortest(float value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  double read = value;
  core::from_chars(text.data(), written.ptr, read);
  return read;
}

core::Result<Inspection*> find_world(const Api& api, std::string_view name) {
  const std::vector<Inspection*> worlds = api.worlds();
  if (name.empty() && !worlds.empty()) return worlds.front();
  if (worlds.empty()) return core::Error{"no such world", "this process has no world at present"};
  const auto found = std::ranges::find_if(worlds, [&](const Inspection* world) { return world->name() == name; });
  if (found != worlds.end()) return *found;
  return core::Error{"no such world", core::format("there is no world '{:.100}'{}", name,
                                                   core::did_you_mean(name.substr(0, 100), names_of(worlds)))};
}

admin::Handler query_world(const ApiPtr& api, Read read) {
  return query_world_apart(
      api, [read = std::move(read)](Inspection& world, const Request& request) -> core::Result<std::function<json()>> {
        core::Result<json> reply = read(world, request);
        if (!reply) return reply.error();
        return std::function<json()>([reply = std::make_shared<json>(std::move(*reply))] { return *reply; });
      });
}

admin::Handler query_world_apart(const ApiPtr& api, ReadApart read) {
  return [api, read = std::move(read)](const Request& request) -> admin::Reply {
    return admin::Query{[api, read, request]() -> admin::Finish {
      const core::Result<Inspection*> world = find_world(*api, request.parameter("world"));
      core::Result<std::function<json()>> reply = core::Error{"failed", ""};
      const core::Status ran = world ? (*world)->run([&] { reply = read(**world, request); }) : world.error();
      if (!ran) reply = ran.error();
      if (!reply) return [error = reply.error()] { return admin::error_response(error); };
      return [write = std::move(*reply)] { return answer_of(write()); };
    }};
  };
}

std::shared_ptr<admin::Feed> repeat(const ApiPtr& api, Read read, Request request) {
  return std::make_shared<RepeatFeed>(api, std::move(read), std::move(request));
}

core::Result<std::optional<std::uint64_t>> number(const Request& request, std::string_view name, std::uint64_t low,
                                                  std::uint64_t high) {
  if (request.parameters.find(name) == request.parameters.end()) return std::optional<std::uint64_t>();
  const std::string_view text = request.parameter(name);
  std::uint64_t value = 0;
  const auto [end, error] = core::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    return core::Error{"bad request",
                       core::format("{}: '{:.40}' is not a whole number from {} to {}", name, text, low, high)};
  return std::optional(value);
}

core::Result<std::uint64_t> number_or(const Request& request, std::string_view name, std::uint64_t low,
                                      std::uint64_t high, std::uint64_t otherwise) {
  const core::Result<std::optional<std::uint64_t>> given = number(request, name, low, high);
  if (!given) return given.error();
  return given->value_or(otherwise);
}

core::Result<Page> page(const Request& request) {
  const core::Result<std::uint64_t> cursor = number_or(request, "cursor", 0, ~0u, 0);
  if (!cursor) return cursor.error();
  const core::Result<std::uint64_t> limit = number_or(request, "limit", 1, limit_max, limit_default);
  if (!limit) return limit.error();
  return Page{static_cast<std::uint32_t>(*cursor), static_cast<std::uint32_t>(*limit)};
}

json next_page(std::uint64_t cursor, bool more) { return more ? json(std::to_string(cursor)) : json(nullptr); }

core::Result<json> parse_body(const Request& request, std::initializer_list<std::string_view> members) {
  core::Result<json> object = request.body.empty() ? json::object() : admin::parse_object(request.body);
  if (!object) return object;
  const std::vector<std::string_view> known(members);
  for (const auto& [name, value] : object->items())
    if (std::ranges::find(known, name) == known.end())
      return core::Error{"bad request", core::format("there is no '{:.100}'{}", name,
                                                     core::did_you_mean(std::string_view(name).substr(0, 100), known))};
  return object;
}

core::Result<std::string> reason_in(const json& body) {
  constexpr std::size_t bytes_max = 200;
  const auto given = body.find("reason");
  if (given == body.end()) return std::string("by an administrator");
  if (!given->is_string()) return core::Error{"bad request", "reason: expected text"};
  auto reason = given->get<std::string>();
  if (reason.empty() || reason.size() > bytes_max)
    return core::Error{"bad request", core::format("reason: expected text of 1 to {} bytes", bytes_max)};
  return reason;
}

}  // namespace mobula::server::api
