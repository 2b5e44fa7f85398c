// Arbitrary bytes as a world's files, and arbitrary values in the tables of one. Refused files have a reason and stay
// unchanged. A restored world is consistent, and is the same after saving and restoring it again.
//
//   input: a byte of flags (see the bits); then
//     files   u32 size of the file, the file, its log
//     edits   of a saved world (see EditedWorld::edit); the checksums are corrected after them
#include <array>
#include <fuzz/fuzz.hpp>
#include <fuzz/saved_world.hpp>
#include <fuzz/valid_log.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/store/store.hpp>
#include <reflect/compile_schema.hpp>
#include <server/store/changing_world.hpp>

namespace fuzz_store {

using namespace mobula;

namespace {

using SchemaPointer = std::shared_ptr<const reflect::Schema>;

constexpr unsigned edits_bit = 1;
constexpr unsigned loose_bit = 2;      // edits: tables without keys and types
constexpr unsigned valid_log_bit = 2;  // files: the log's checksums are corrected
constexpr unsigned migrate_bit = 4;    // restore by another schema
constexpr std::size_t edits_max = 64;

// A later version of the kitchen's schema: fields of other types and sizes, removed fields and new ones.
const SchemaPointer& later_schema() {
  static const SchemaPointer schema = test::load_schema(R"(
    enum Small:short { other = -300, zero = 0, plus = 7 }
    struct Plain (component) {
      a_bool:ubyte; an_int8:long; an_int64:byte; a_uint64:double; a_float:double; a_double:float;
      an_entity:mobula.engine.EntityRef; a_text:[ubyte:4] (fixed_string); shorts:[int:5]; fresh:int (default:"9");
      a_quaternion:mobula.engine.Quat (unit_quaternion, bits:"9", default:"0 0 0 1");
    }
    struct Ranged (component) { fine:float (range:"-10 10", step:"1"); small:Small; an_int16:short (range:"-3 3"); }
    struct Nested (component) { several_count:ubyte; several:[ushort:2] (count:"several_count"); }
    struct Hidden (component, not_saved) { value:int; })");
  return schema;
}

store::Facts facts_of(const ecs::Registry& registry) {
  store::Facts facts = store::facts_of(registry);
  facts.players = {{.id = 1, .name = "Ada", .account = "ada", .entity = {1, 2}, .present = true},
                   {.id = 0, .name = "Eve", .account = "eve", .entity = {}, .present = false}};
  facts.game = core::Bytes(9, std::byte{3});
  auto level = std::make_shared<store::SavedLevel>();
  level->file = core::Bytes(20, std::byte{7});
  level->entities = {{1, 2}, {}};
  level->paths = {"/a", "/b"};
  level->names = {"crate"};
  facts.level = level;
  return facts;
}

// Returns a saved world with a few entities of the kitchen's components.
core::Bytes make_world() {
  const store::TestFolder folder;
  const auto store = std::move(*store::Store::open({.path = folder.file(), .schema = store::kitchen_schema()}));
  store::StoreWorld world(store->incarnation());
  fuzz::require(store->begin(world.registry).ok(), "the store begins");
  core::Random random(5);
  world.change(random, 60);
  store->note();
  fuzz::require(store->finish(facts_of(world.registry)).ok(), "a world is saved");
  return fuzz::read_file(folder.file());
}

// Returns the saved world. If `loose`, its tables have no keys and types.
const fuzz::SavedWorldFile& saved_world(bool loose) {
  static const fuzz::SavedWorldFile strict_world(make_world());
  static const fuzz::SavedWorldFile loose_world = strict_world.loosened();
  return loose ? loose_world : strict_world;
}

struct Registry : ecs::Registry {
  Registry(const reflect::Schema& schema, std::uint32_t incarnation)
      : ecs::Registry({.entities = {.incarnation = incarnation, .entities_max = 1u << 12}, .pools = {}}) {
    fuzz::require(reflect::register_components(*this, schema).ok(), "our schema");
  }
};

core::Result<std::unique_ptr<store::Store>> open(const std::string& path, const SchemaPointer& schema) {
  return store::Store::open({.path = path, .schema = schema});
}

// Restores the store's world, or returns why it cannot.
core::Status restore(store::Store& store, ecs::Registry& registry) {
  const auto restored = store.restore(registry);
  fuzz::require(restored.ok() || !restored.error().message.empty(), "a refusal has a message");
  registry.check();
  if (!restored) return restored.error();
  return core::Done{};
}

// Saves a restored world and restores it in a new run: it is the same.
void save_and_restore(const std::string& path, const SchemaPointer& schema, std::unique_ptr<store::Store> store,
                      ecs::Registry& registry) {
  const store::Facts facts = store->saved_facts();
  fuzz::require(store->begin(registry).ok(), "the store begins");
  store->note();
  const core::Status saved = store->finish(facts);
  fuzz::require(saved.ok(), "a restored world can be saved");
  store.reset();
  auto again = open(path, schema);
  fuzz::require(again.ok(), "and read");
  Registry second(*schema, (*again)->incarnation());
  fuzz::require(restore(**again, second).ok(), "and restored");
  fuzz::require(store::model_of(second, *schema) == store::model_of(registry, *schema), "to the same world");
}

void read(const std::string& path, const SchemaPointer& schema, bool save) {
  const std::array before{store::read_file_bytes(path), store::read_file_bytes(path + "-wal")};
  auto opened = open(path, schema);
  if (!opened) {
    fuzz::require(!opened.error().message.empty(), "a refusal has a message");
    const std::array after{store::read_file_bytes(path), store::read_file_bytes(path + "-wal")};
    fuzz::require(before == after, "refused files stay unchanged");
    return;
  }
  if (!(*opened)->has_world()) return;
  Registry registry(*schema, (*opened)->incarnation());
  if (restore(**opened, registry) && save) save_and_restore(path, schema, std::move(*opened), registry);
}

void read_files(fuzz::Input& input, const fuzz::WorldFolder& folder, unsigned how) {
  const std::size_t low = input.word();
  const core::ByteView file = input.bytes(low | std::size_t{input.word()} << 16);
  const core::ByteView rest = input.bytes(~std::size_t{0});
  core::Bytes log(rest.begin(), rest.end());
  if ((how & valid_log_bit) != 0) fuzz::correct_log(log);
  folder.put(file, log);
}

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  static const fuzz::WorldFolder folder;
  fuzz::Input input(fuzz::view(data, size));
  const unsigned how = input.byte();
  if ((how & edits_bit) == 0) {
    read_files(input, folder, how);
  } else {
    fuzz::EditedWorld world(folder, saved_world((how & loose_bit) != 0));
    for (std::size_t edits = 0; edits < edits_max && !input.empty(); ++edits) world.edit(input);
    world.correct_checksums();
  }
  // A table without keys may hold a row twice, so a save would differ.
  const bool save = (how & (edits_bit | loose_bit)) == edits_bit;
  read(folder.path(), (how & migrate_bit) == 0 ? store::kitchen_schema() : later_schema(), save);
  return 0;
}

const mobula::fuzz::Target target("store", run_target);

}  // namespace
}  // namespace fuzz_store
