// Seeds of targets that read files.
#include <ecs/snapshot_world.hpp>
#include <fuzz/fuzz.hpp>
#include <fuzz/seeds.hpp>
#include <fuzz/valid_log.hpp>
#include <mobula/server/store/database.hpp>
#include <mobula/server/store/store.hpp>
#include <reflect/compile_schema.hpp>
#include <server/store/changing_world.hpp>
#include <server/store/test_folder.hpp>

namespace mobula::fuzz {
namespace {

void bans() {
  write_seed("bans", "three", std::string(R"({"account":"eve","reason":"cheating","until":1795340000}
{"account":"b\u00e4r","reason":"","until":1}

{"reason":"for ever","account":"eve"}
)"));
  write_seed("bans", "no_ban", std::string("{\"account\":\"eve\",\"reason\":7}\n"));
}

void snapshots() {
  for (const ecs::Recycling recycling : {ecs::Recycling::queue, ecs::Recycling::lifo, ecs::Recycling::given}) {
    const auto which = static_cast<unsigned>(recycling);
    ecs::test::OddWorld world(ecs::test::config_of(recycling));
    ecs::test::open_pools(world);
    ecs::test::churn(world, 2, 60);
    core::Bytes seed{static_cast<std::byte>(which)};
    const core::Bytes saved = ecs::test::saved(world);
    seed.insert(seed.end(), saved.begin(), saved.end());
    write_seed("snapshot", "policy_" + std::to_string(which), seed);
  }
}

// Returns a log with fixed salts, as SQLite chooses them at random.
std::string log_of(const std::string& path) {
  std::string log = store::read_file_bytes(path + "-wal");
  if (log.size() < store::log_header_bytes) return log;
  std::fill_n(log.begin() + 16, 8, '\1');
  correct_log({reinterpret_cast<std::byte*>(log.data()), log.size()});
  return log;
}

// Returns the input of fuzz_store.cpp for a world's files.
std::string store_seed(char how, const std::string& path) {
  const std::string file = store::read_file_bytes(path);
  const auto size = static_cast<std::uint32_t>(file.size());
  return how + std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + file + log_of(path);
}

// Reduces the size of pages, and so that of the file.
void make_pages_small(const std::string& path) {
  store::Database database = std::move(*store::Database::open(path, store::Database::Access::existing));
  database.run("PRAGMA journal_mode = DELETE");
  database.run("PRAGMA page_size = 512");
  database.run("VACUUM");
  fuzz::require(!database.failed(), "the file is small");
}

void small_store() {
  const auto schema = test::load_schema("struct Plain (component) { a_bool:bool; a_text:[ubyte:6] (fixed_string); }");
  const store::TestFolder folder;
  const auto open = [&] { return std::move(*store::Store::open({.path = folder.file(), .schema = schema})); };
  core::Random random(3);
  {
    const auto store = open();
    write_seed("store", "no_world", store_seed(0, folder.file()));
    store::StoreWorld world(store->incarnation(), schema);
    fuzz::require(store->begin(world.registry).ok(), "the store begins");
    store->note();
    fuzz::require(store->finish(store::facts_of(world.registry)).ok(), "a world is saved");
  }
  make_pages_small(folder.file());
  write_seed("store", "empty_world", store_seed(0, folder.file()));
  const auto store = open();
  // A reader of the first state keeps all later checkpoints in the log.
  store::Database reader = std::move(*store::Database::open(folder.file(), store::Database::Access::existing));
  reader.run("BEGIN");
  fuzz::require(reader.number("SELECT count(*) FROM saved_world") > 0, "the world has rows");
  store::StoreWorld world(store->incarnation(), schema);
  fuzz::require(store->begin(world.registry).ok(), "the store begins");
  world.change(random, 20);
  store->note();
  fuzz::require(store->finish(store::facts_of(world.registry)).ok(), "a world is saved");
  write_seed("store", "with_log", store_seed(0, folder.file()));
  write_seed("store", "corrected_log", store_seed(2, folder.file()));
}

// Writes steps of EditedWorld::edit.
void edited_stores() {
  using namespace std::string_literals;
  std::string edits;
  for (int column = 0; column < 48; ++column) {
    const char low = static_cast<char>(column * 3);
    edits += low + "\0\0\3\1"s + low + "\0\1\2"s + std::string(8, '\1') + low + "\0\2\4\3two"s;
  }
  constexpr std::size_t third = 16 * 25;
  for (std::size_t part = 0; part < 3; ++part)
    write_seed("restore", "edits_" + std::to_string(part), edits.substr(third * part, third));
  write_seed("restore", "unchanged", ""s);
  write_seed("store", "edits", "\1"s + edits.substr(0, third));
  write_seed("store", "edits_later_schema", "\5"s + edits.substr(third, third));
  write_seed("store", "loose", "\3"s + edits.substr(2 * third, third));
  write_seed("store", "unchanged", "\1"s);
  write_seed("store", "later_schema", "\5"s);
}

}  // namespace

void write_file_seeds() {
  bans();
  snapshots();
  small_store();
  edited_stores();
}

}  // namespace mobula::fuzz
