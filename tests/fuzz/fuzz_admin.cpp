// Any query to the admin port: what a browser, a script or an enemy may say to its routes, and on its live feed.
//
//   input: a byte that says how (see the table); up to a line's end the target, or nothing; then the body
#include <array>
#include <fuzz/asked_world.hpp>

using namespace mobula;
using fuzz::world;

namespace {

constexpr std::array<const char*, 4> methods{"GET", "PUT", "POST", "DELETE"};

// Whether it has changed anything.
bool ask(const char* method, const std::string& target, const std::string& body) {
  const std::uint64_t hash = world().village.published_hash();
  const test::Answer answer = world().ask(method, target, body);
  fuzz::require(answer.status >= 200 && answer.status < 600, "an answer has a status");
  fuzz::require(answer.status != 500, "nothing fails of what is said");
  if (answer.status == 200 && target.substr(0, target.find('?')) == "/metrics") return false;
  fuzz::require(!answer.json.is_discarded(), "an answer is JSON");
  fuzz::require(answer.status == 200 || !answer.message().empty(), "a refusal says why");
  const bool changes = answer.status < 300 && std::string(method) != "GET";
  if (changes) world().tick();
  fuzz::require(changes || world().village.published_hash() == hash, "what is refused changes nothing");
  return changes;
}

void watch(const std::string& wish) {
  const nlohmann::json said = nlohmann::json::parse(wish, nullptr, false);
  if (!said.is_object() || !said.contains("subscribe")) return;
  const core::Result<std::shared_ptr<server::admin::Feed>> feed = world().subscribe(said);
  if (!feed) return;
  for (int frames = 0; frames < 2; ++frames) {
    const core::Result<std::string> frame = (*feed)->next()();
    if (!frame) return;
    fuzz::require(nlohmann::json::parse(*frame, nullptr, false).is_object(), "a frame is a JSON object");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 32 * 1024) return 0;
  static bool changed = true;
  fuzz::renew_world(changed);
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t which = data[0] % (methods.size() + 1);
  if (which == methods.size()) {
    watch(text);
    return 0;
  }
  const std::size_t line = std::min(text.find('\n'), text.size());
  changed = ask(methods[which], text.substr(0, line), text.substr(std::min(line + 1, text.size())));
  if (changed) world().registry().check();
  return 0;
}
