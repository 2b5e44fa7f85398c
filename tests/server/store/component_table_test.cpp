#include <cmath>
#include <limits>
#include <mobula/server/store/component_table.hpp>
#include <reflect/compile_schema.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

// A file with one component table.
struct TableFile {
  explicit TableFile(const reflect::Component& component)
      : table(component, component.name, "t", "v"),
        database(std::move(*Database::open(folder.file(), Database::Access::create))) {
    database.run("CREATE TABLE saved_name (id INTEGER, text TEXT)");
    database.run("CREATE TABLE entities (entity INTEGER, handle TEXT, path TEXT)");
    database.run(table.create_sql());
    database.run(table.create_view_sql());
  }
  void write(std::uint32_t index, const core::Bytes& row) {
    Statement statement = database.prepare(table.write_sql());
    table.bind(statement, index, row.data());
    statement.run();
  }
  core::Bytes read() {
    Statement statement = database.prepare(table.select_sql());
    core::Bytes row(table.component().size);
    EXPECT_TRUE(statement.next());
    const core::Status done = table.read(statement, row.data());
    EXPECT_TRUE(done.ok()) << done.error().message;
    return row;
  }

  TestFolder folder;
  ComponentTable table;
  Database database;
};

TEST(ComponentTable, EveryValueIsRestored) {
  core::Random random(7);
  for (int i = 0; i < 60; ++i) {
    const auto schema = test::load_schema(test::random_schema(random));
    for (const reflect::Component& component : schema->components()) {
      if (component.not_saved) continue;
      TableFile file(component);
      const core::Bytes row = test::random_row(component, random);
      file.write(3, row);
      const core::Bytes back = file.read();
      EXPECT_EQ(saved_bytes(component, back.data()), saved_bytes(component, row.data()));
      EXPECT_EQ(file.table.sum(3, back.data()), file.table.sum(3, row.data())) << "padding is not part of a hash";
      EXPECT_NE(file.table.sum(4, row.data()), file.table.sum(3, row.data()));
      EXPECT_FALSE(file.database.failed()) << file.database.take_error()->message;
    }
  }
}

TEST(ComponentTable, ValuesThatSqliteWouldChangeAreRestored) {
  const auto schema =
      test::load_schema("struct C (component) { a:float; b:double; t:[ubyte:6] (fixed_string); f:bool; }");
  const reflect::Component& component = *schema->find("C");
  TableFile file(component);
  core::Bytes row(component.size);
  const auto put = [&](const char* field, const auto& value) {
    core::store(row.data() + component.find_field(field)->offset, value);
  };
  const float nan_with_payload = std::bit_cast<float>(0xffc01234u);
  const double nan = std::bit_cast<double>(0x7ff8000000000042ull);
  const std::array<std::array<char, 6>, 4> texts{
      {{'o', 'k'}, {'\xff', 'x'}, {'a', '\0', 'b'}, {'s', 'i', 'x', 'b', 'y', 't'}}};
  for (const float a : {-0.0f, 0.0f, nan_with_payload, -std::numeric_limits<float>::infinity(), 1e-45f, 0.1f}) {
    for (const double b : {-0.0, nan, std::numeric_limits<double>::infinity(), 5e-324, 3.0}) {
      for (const auto& text : texts) {
        for (const int flag : {0, 1, 2, 255}) {
          put("a", a), put("b", b), put("t", text), put("f", static_cast<std::uint8_t>(flag));
          file.write(1, row);
          EXPECT_EQ(file.read(), row) << a << " " << b << " " << text[0] << " " << flag;
        }
      }
    }
  }
}

TEST(ComponentTable, AViewShowsWhatIsNoNumberAsText) {
  const auto schema = test::load_schema("struct C (component) { a:float; b:double; }");
  const reflect::Component& component = *schema->find("C");
  TableFile file(component);
  file.database.run("INSERT INTO entities VALUES (1, '1.1', NULL)");
  core::Bytes row(component.size);
  core::store(row.data() + component.find_field("a")->offset, std::numeric_limits<float>::quiet_NaN());
  core::store(row.data() + component.find_field("b")->offset, -std::numeric_limits<double>::infinity());
  file.write(1, row);
  Statement statement = file.database.prepare("SELECT a, b || '' FROM v");
  ASSERT_TRUE(statement.next());
  EXPECT_EQ(statement.text(0), "NaN");
  EXPECT_EQ(statement.text(1), "-Inf");
}

TEST(ComponentTable, AnUnsavedFieldIsRestoredAsItsDefault) {
  const auto schema = test::load_schema("struct C (component) { a:int; b:int (not_saved, default:\"7\"); }");
  const reflect::Component& component = *schema->find("C");
  TableFile file(component);
  const std::int32_t values[] = {1, 2};
  core::Bytes row(component.size);
  std::memcpy(row.data(), values, sizeof values);
  file.write(1, row);
  const core::Bytes back = file.read();
  EXPECT_EQ(core::load<std::int32_t>(back.data()), 1);
  EXPECT_EQ(core::load<std::int32_t>(back.data() + 4), 7);
  EXPECT_EQ(file.table.sum(1, back.data()), file.table.sum(1, row.data()));
}

TEST(ComponentTable, AComponentOfTooManyValuesIsOneBlob) {
  const auto schema = test::load_schema(
      "struct S { a:ubyte; b:ubyte; }\n"
      "struct C (component) { many:[S:1000]; kept:int; unsaved:int (not_saved, default:\"5\"); }");
  const reflect::Component& component = *schema->find("C");
  core::Random random(3);
  TableFile file(component);
  const core::Bytes row = test::random_row(component, random);
  file.write(1, row);
  const core::Bytes back = file.read();
  EXPECT_EQ(saved_bytes(component, back.data()), saved_bytes(component, row.data()));
  EXPECT_EQ(core::load<std::int32_t>(back.data() + component.find_field("unsaved")->offset), 5);
  EXPECT_EQ(file.table.sum(1, back.data()), file.table.sum(1, row.data()));
}

TEST(ComponentTable, FieldsOfEqualColumnNamesGetDistinctColumns) {
  const auto schema = test::load_schema(
      "struct S { b:int; }\n"
      "struct C (component) { entity:int; a:S; a_b:int; A_B:int; handle:int; PATH:int; }");
  const reflect::Component& component = *schema->find("C");
  TableFile file(component);
  core::Random random(3);
  const core::Bytes row = test::random_row(component, random);
  file.write(1, row);
  EXPECT_EQ(file.read(), row);
  EXPECT_FALSE(file.database.failed());
  EXPECT_EQ(file.database.text("SELECT group_concat(name) FROM pragma_table_info('v')"),
            "handle,path,entity_2,a_b,a_b_2,A_B_3,handle_2,PATH_2");
}

TEST(ComponentTable, TheViewShowsReadableValues) {
  const auto schema = test::load_schema(
      "enum Colour:ubyte { red = 0, blue }\n"
      "struct C (component) { position:mobula.engine.Vec3; colour:Colour; other:mobula.engine.EntityRef;\n"
      "  mesh:uint (string_id); text:[ubyte:8] (fixed_string); }");
  const reflect::Component& component = *schema->find("C");
  TableFile file(component);
  core::Bytes row(component.size);
  const auto put = [&](const char* field, const auto& value) {
    core::store(row.data() + component.find_field(field)->offset, value);
  };
  put("position.y", 1.5f);
  put("colour", std::uint8_t{1});
  put("other", ecs::Entity{12, 4097});
  put("mesh", core::StringId32("crate").value);
  put("text", std::array<char, 4>{'i', 't', '\'', 's'});
  file.write(3, row);
  file.database.run("INSERT INTO entities VALUES (3, '3.1', '/door')");
  file.database.run("INSERT INTO saved_name VALUES (" + std::to_string(core::StringId32("crate").value) + ", 'crate')");
  EXPECT_EQ(
      file.database.text("SELECT handle || ' ' || path || ' ' || position_y || ' ' || colour || ' ' || other || ' ' "
                         "|| mesh || ' ' || text FROM v"),
      "3.1 /door 1.5 blue 12.4097 crate it's");
}

TEST(ComponentTable, AnInvalidValueIsRefused) {
  const auto schema =
      test::load_schema("struct C (component) { flag:bool; small:byte; real:float; text:[ubyte:3] (fixed_string); }");
  const reflect::Component& component = *schema->find("C");
  for (const char* wrong : {"flag = 2", "flag = x'01'", "flag = x'0202'", "flag = NULL", "small = 128", "small = 'x'",
                            "small = x'02'", "real = 'x'", "real = x'00000000'", "real = 1e300", "real = 0.1",
                            "text = 'four'", "text = x'0102'", "text = NULL"}) {
    TableFile file(component);
    file.write(1, core::Bytes(component.size));
    file.database.run(std::string("UPDATE t SET ") + wrong);
    Statement statement = file.database.prepare(file.table.select_sql());
    ASSERT_TRUE(statement.next());
    core::Bytes row(component.size);
    EXPECT_FALSE(file.table.read(statement, row.data()).ok()) << wrong;
  }
}

}  // namespace
}  // namespace mobula::store
