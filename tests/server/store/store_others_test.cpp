// Other programs' changes to a world file do not end its saving.
#include <gmock/gmock.h>

#include <mobula/server/store/database.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreOthers : public testing::Test {
 protected:
  using Notes = std::vector<std::string>;

  StoreOthers() { play(); }

  // Restores the world, saves it, calls `meanwhile`, saves it again. Returns the notes of the restore.
  template <class Meanwhile>
  Notes play(Meanwhile&& meanwhile) {
    const auto store = open_store(path);
    StoreWorld world(store->incarnation());
    Notes notes;
    if (store->has_world()) {
      notes = restored(*store, world);
      EXPECT_TRUE(world.model() == saved);
    }
    EXPECT_TRUE(store->begin(world.registry).ok());
    world.change(random, 100);
    save(*store, world);
    settle(*store, 1);
    meanwhile();
    world.change(random, 100);
    saved = world.model();
    store->note();
    const core::Status done = store->finish(facts(world));
    EXPECT_TRUE(done.ok()) << done.error().message;
    return notes;
  }
  Notes play() {
    return play([] {});
  }

  void change(const std::string& sql) const {
    Database database = std::move(*Database::open(path, Database::Access::existing));
    database.run("PRAGMA legacy_alter_table = ON");  // else SQLite would check the views
    database.run(sql);
    ASSERT_FALSE(database.failed()) << database.take_error()->message;
  }
  // Returns the message of a refusal as "foreign".
  [[nodiscard]] std::string foreign_for() const {
    const core::Result<std::unique_ptr<Store>> store = Store::open({.path = path, .schema = kitchen_schema()});
    if (store) return "no refusal: the file was opened";
    EXPECT_EQ(std::string(store.error().reason), "foreign");
    return store.error().message;
  }
  [[nodiscard]] std::int64_t count(const std::string& where) const {
    Database database = std::move(*Database::open(path, Database::Access::existing));
    return database.number("SELECT count(*) FROM sqlite_schema WHERE " + where);
  }

  const TestFolder folder;
  const std::string path = folder.file();
  Model saved;

 private:
  static Notes restored(Store& store, StoreWorld& world) {
    const auto notes = store.restore(world.registry);
    EXPECT_TRUE(notes.ok()) << notes.error().message;
    return notes ? *notes : Notes();
  }
  static Facts facts(const StoreWorld& world) {
    Facts facts = facts_of(world.registry);
    facts.players = {{.id = 1, .name = "Ada", .account = "ada", .entity = {1, 2}, .present = true}};
    return facts;
  }

  core::Random random{12};
};

std::string replaced(const std::string& table, const std::string& with) {
  return "CREATE TABLE loose " + with + "; DROP TABLE " + table + "; ALTER TABLE loose RENAME TO " + table;
}
const std::string entities_in_another_order =
    replaced("saved_entity",
             "(prototype INTEGER, entity INTEGER PRIMARY KEY, generation INTEGER); "
             "INSERT INTO loose SELECT prototype, entity, generation FROM saved_entity");

TEST_F(StoreOthers, ChangedTablesAreRecreatedAndReported) {
  for (const std::string& sql :
       {std::string("ALTER TABLE component_Plain ADD COLUMN note"), std::string("ALTER TABLE saved_player ADD note"),
        std::string("ALTER TABLE saved_world ADD COLUMN note"), entities_in_another_order,
        replaced("component_Plain", "AS SELECT * FROM component_Plain"),
        std::string("CREATE INDEX computed ON saved_player (length(name))"),
        std::string("CREATE UNIQUE INDEX one ON saved_player (present)"),
        std::string("CREATE INDEX some ON saved_player (name) WHERE name > 'B'")}) {
    SCOPED_TRACE(sql);
    change(sql);
    EXPECT_THAT(play(), ElementsAre(HasSubstr("another program has changed ")));
    EXPECT_THAT(play(), IsEmpty());
  }
}

TEST_F(StoreOthers, AnIndexThatRefusesNothingStays) {
  change("CREATE INDEX by_generation ON saved_entity (generation DESC)");
  change("CREATE INDEX by_name ON saved_player (name COLLATE NOCASE, id)");
  EXPECT_THAT(play(), IsEmpty());
  EXPECT_THAT(play(), IsEmpty());
  EXPECT_EQ(count("name IN ('by_generation', 'by_name')"), 2);
}

TEST_F(StoreOthers, ColumnsMayBeAddedAndMovedWhileAServerRuns) {
  play([&] {
    change("ALTER TABLE component_Plain ADD COLUMN note");
    change("ALTER TABLE saved_player ADD COLUMN note");
    change(entities_in_another_order);
  });
  EXPECT_THAT(play(), ElementsAre(HasSubstr("another program has changed ")));
}

// It belongs to another program, and the view is not needed.
TEST_F(StoreOthers, ATableOrIndexWithTheNameOfAViewStays) {
  change("DROP VIEW players; CREATE TABLE players AS SELECT * FROM saved_player");
  change("DROP INDEX saved_name_by_id; CREATE INDEX saved_name_by_id ON players (name)");
  change("DROP VIEW save; CREATE INDEX Save ON players (id)");
  change("ALTER TABLE saved_level ADD COLUMN note");
  play();
  EXPECT_THAT(play(), IsEmpty());
  EXPECT_EQ(count("type = 'table' AND name = 'players'"), 1);
  EXPECT_EQ(count("type = 'index' AND name = 'Save'"), 1);
  EXPECT_EQ(count("type = 'view' AND name = 'entities'"), 1);
}

// The collation of another program is missing here, but the file is intact.
TEST_F(StoreOthers, AnUnknownCollationIsForeignNotDamaged) {
  change("CREATE TABLE notes (text); CREATE INDEX by_text ON notes (text COLLATE NOCASE)");
  std::string bytes = read_file_bytes(path);
  const std::size_t at = bytes.rfind("COLLATE NOCASE");
  ASSERT_NE(at, std::string::npos);
  ASSERT_FALSE(fs::exists(path + "-wal"));
  bytes.replace(at, 14, "COLLATE MYCASE");
  write_file_bytes(path, bytes);
  EXPECT_THAT(foreign_for(), HasSubstr("MYCASE"));
  EXPECT_EQ(read_file_bytes(path), bytes);
}

// A virtual table runs code of a module. The world does not need it.
TEST_F(StoreOthers, AVirtualTableIsRefusedUntilItIsDropped) {
  change("CREATE VIRTUAL TABLE notes USING fts5(text)");
  EXPECT_THAT(foreign_for(), HasSubstr("virtual table notes"));
  change("DROP TABLE notes");
  EXPECT_THAT(play(), IsEmpty());
}

}  // namespace
}  // namespace mobula::store
