// Arbitrary bytes as a file of bans: the result is bounded, and is the same after a rewrite of the file.
#include <fuzz/fuzz.hpp>
#include <mobula/server/session/ban_list.hpp>
#include <server/store/test_folder.hpp>

namespace fuzz_bans {

using namespace mobula;

namespace {

int run_target(const std::uint8_t* data, std::size_t size) {
  static const store::TestFolder folder;
  const std::string path = folder.file("bans.jsonl");
  store::write_file_bytes(path, {reinterpret_cast<const char*>(data), size});
  core::Result<server::BanList> list = server::BanList::open(path);
  if (!list) {
    fuzz::require(!list.error().message.empty(), "a refusal has a message");
    return 0;
  }
  const std::vector<server::Ban> bans = list->list(0);
  for (const server::Ban& ban : bans) {
    fuzz::require(!ban.account.empty() && ban.account.size() <= server::BanList::text_bytes_max,
                  "an account in bounds");
    fuzz::require(
        *list->find(ban.account, 0) == ban && !to_string(ban).empty() == (!ban.reason.empty() || ban.until != 0),
        "a reason or an end");
  }
  fuzz::require(list->add({.account = "zed", .reason = "written again"}, 0).ok(), "there is room for one more");
  fuzz::require(list->remove("zed").ok(), "a ban can be removed");
  list = core::Error{"ended", "its file is free"};
  const core::Result<server::BanList> again = server::BanList::open(path);
  std::vector<server::Ban> others = bans;
  std::erase_if(others, [](const server::Ban& ban) { return ban.account == "zed"; });
  fuzz::require(again.ok() && again->list(0) == others, "the rewritten file gives the same bans");
  return 0;
}

const mobula::fuzz::Target target("bans", run_target);

}  // namespace
}  // namespace fuzz_bans
