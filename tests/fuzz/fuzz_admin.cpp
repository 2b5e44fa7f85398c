// Arbitrary requests to the routes of the admin port, and subscriptions to its live feed.
//
//   input: a byte for the method (see the table), the target up to the end of the line, the body
#include <array>
#include <fuzz/queried_world.hpp>

namespace fuzz_admin {

using namespace mobula;
using fuzz::world;

namespace {

constexpr std::array<const char*, 4> methods{"GET", "PUT", "POST", "DELETE"};

// Sends a request. Returns whether it has changed the world.
bool send(const char* method, const std::string& target, const std::string& body) {
  const std::uint64_t hash = world().village.published_hash();
  const test::Answer answer = world().send(method, target, body);
  fuzz::require(answer.status >= 200 && answer.status < 600, "an answer has a status");
  fuzz::require(answer.status != 500, "no input causes an internal error");
  if (answer.status == 200 && target.substr(0, target.find('?')) == "/metrics") return false;
  fuzz::require(!answer.json.is_discarded(), "an answer is JSON");
  fuzz::require(answer.status == 200 || !answer.message().empty(), "a refusal has a message");
  const bool changes = answer.status < 300 && std::string(method) != "GET";
  if (changes) world().tick();
  fuzz::require(changes || world().village.published_hash() == hash, "a refused request changes nothing");
  return changes;
}

void subscribe(const std::string& text) {
  const nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
  if (!message.is_object() || !message.contains("subscribe")) return;
  const core::Result<std::shared_ptr<server::admin::Feed>> feed = world().subscribe(message);
  if (!feed) return;
  for (int frames = 0; frames < 2; ++frames) {
    const core::Result<std::string> frame = (*feed)->next()();
    if (!frame) return;
    fuzz::require(nlohmann::json::parse(*frame, nullptr, false).is_object(), "a frame is a JSON object");
  }
}

int run_target(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 32 * 1024) return 0;
  static bool changed = true;
  fuzz::renew_world(changed);
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t which = data[0] % (methods.size() + 1);
  if (which == methods.size()) {
    subscribe(text);
    return 0;
  }
  const std::size_t line = std::min(text.find('\n'), text.size());
  changed = send(methods[which], text.substr(0, line), text.substr(std::min(line + 1, text.size())));
  if (changed) world().registry().check();
  return 0;
}

const mobula::fuzz::Target target("admin", run_target);

}  // namespace
}  // namespace fuzz_admin
