// Any bytes as a world's files, and any values in the tables of one: what is refused has a name for it and is left as
// it was, to the last byte; what is restored is in order, and is the same when it was saved and restored again.
//
//   input: a byte that says how (see the bits); then
//     files   u32 size of the file; the file, and behind it its log
//     edits   of a world of ours (see EditedWorld::edit); then its sums are made right
#include <array>
#include <fuzz/fuzz.hpp>
#include <fuzz/right_log.hpp>
#include <fuzz/saved_world.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/store/store.hpp>
#include <reflect/compile_schema.hpp>
#include <server/store/changing_world.hpp>

using namespace mobula;

namespace {

using SchemaPointer = std::shared_ptr<const reflect::Schema>;

constexpr unsigned edits_bit = 1;
constexpr unsigned loose_bit = 2;      // edits: the tables take anything
constexpr unsigned right_log_bit = 2;  // files: the sums of the log are made right
constexpr unsigned moved_on_bit = 4;   // read by another schema than ours
constexpr std::size_t edits_max = 64;

// What became of the kitchen's: fields of other types, of another size, gone and new.
const SchemaPointer& moved_on_schema() {
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

// A few entities with the kitchen's components.
core::Bytes make_world() {
  const store::TestFolder folder;
  const auto store = std::move(*store::Store::open({.path = folder.file(), .schema = store::kitchen_schema()}));
  store::StoreWorld world(store->incarnation());
  fuzz::require(store->begin(world.registry).ok(), "it begins");
  core::Random random(5);
  world.change(random, 60);
  store->note();
  fuzz::require(store->finish(facts_of(world.registry)).ok(), "a world is saved");
  return fuzz::read_file(folder.file());
}

// Strict, or loose.
const fuzz::OldWorld& old_world(bool loose) {
  static const fuzz::OldWorld strict_world(make_world());
  static const fuzz::OldWorld loose_world = strict_world.loosened();
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

// The world that the store has, or why it cannot be restored.
core::Status restore(store::Store& store, ecs::Registry& registry) {
  const auto restored = store.restore(registry);
  fuzz::require(restored.ok() || !restored.error().message.empty(), "a refusal says why");
  registry.check();
  if (!restored) return restored.error();
  return core::Done{};
}

// What was restored, saved by this run and restored by the next, is the same.
void save_and_restore(const std::string& path, const SchemaPointer& schema, std::unique_ptr<store::Store> store,
                      ecs::Registry& registry) {
  const store::Facts facts = store->saved_facts();
  fuzz::require(store->begin(registry).ok(), "it begins");
  store->note();
  const core::Status saved = store->finish(facts);
  fuzz::require(saved.ok(), "what was restored can be saved");
  store.reset();
  auto again = open(path, schema);
  fuzz::require(again.ok(), "and read");
  Registry second(*schema, (*again)->incarnation());
  fuzz::require(restore(**again, second).ok(), "and restored");
  fuzz::require(store::model_of(second, *schema) == store::model_of(registry, *schema), "as the same");
}

void read(const std::string& path, const SchemaPointer& schema, bool save) {
  const std::array before{store::read_file_bytes(path), store::read_file_bytes(path + "-wal")};
  auto opened = open(path, schema);
  if (!opened) {
    fuzz::require(!opened.error().message.empty(), "a refusal says why");
    const std::array after{store::read_file_bytes(path), store::read_file_bytes(path + "-wal")};
    fuzz::require(before == after, "what is refused stays as it was");
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
  if ((how & right_log_bit) != 0) fuzz::make_log_right(log);
  folder.put(file, log);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  static const fuzz::WorldFolder folder;
  fuzz::Input input(fuzz::view(data, size));
  const unsigned how = input.byte();
  if ((how & edits_bit) == 0) {
    read_files(input, folder, how);
  } else {
    fuzz::EditedWorld world(folder, old_world((how & loose_bit) != 0));
    for (std::size_t edits = 0; edits < edits_max && !input.empty(); ++edits) world.edit(input);
    world.make_sums_right();
  }
  // Where a table takes a row twice, a save is not what was meant.
  const bool save = (how & (edits_bit | loose_bit)) == edits_bit;
  read(folder.path(), (how & moved_on_bit) == 0 ? store::kitchen_schema() : moved_on_schema(), save);
  return 0;
}
