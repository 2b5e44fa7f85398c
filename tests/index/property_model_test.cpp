// Random sets, typed and as text, valid and invalid, on many entities, against a reference map from property to text.
#include <charconv>
#include <map>
#include <mobula/core/random.hpp>

#include "index/kitchen_world.hpp"

namespace mobula::index {
namespace {

using reflect::Field;
using reflect::FieldKind;
using reflect::Value;
using test::KitchenWorld;
using test::Memory;

template <class Float>
std::string shortest(Float number) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return {buffer, end};
}

// A value for a field, its text, and the text that it reads back as.
struct Sample {
  Value value;
  std::string written;
  std::string read;  // empty if it must be refused
};

class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 8; ++i) {
      const ecs::Entity entity = world_.make();
      world_.add(entity, "Plain", "Spare");
      entities_.push_back(entity);
    }
    for (const ecs::Entity entity : entities_)
      for (const auto& [component, type] : instances_) remember(entity, component, type);
  }

  void step() {
    const ecs::Entity entity = entities_[random_.below(static_cast<std::uint32_t>(entities_.size()))];
    const auto& [component, type] = instances_[random_.below(static_cast<std::uint32_t>(instances_.size()))];
    const std::vector<Field>& fields = world_.schema->find(type)->fields;
    const Field& field = fields[random_.below(static_cast<std::uint32_t>(fields.size()))];
    const bool list = field.count > 1 && field.array_at == field.path.size() && random_.chance(1, 3);
    list ? set_list(entity, component, type, field) : set_element(entity, component, type, field);
  }

  // Compares every property of every entity with the model.
  void compare() {
    for (const auto& [key, text] : texts_) {
      const auto& [index, component, path, element] = key;
      const Field& field = *world_.schema->find(type_of(component))->find_field(path);
      const ecs::Entity entity = entities_[index];
      const auto got = world_.properties.get_text(entity, component, path_of(field, element));
      if (element < in_use(entity, component, field)) {
        ASSERT_TRUE(got) << got.error().message;
        ASSERT_EQ(*got, text) << component << '/' << path << ' ' << element;
      } else {
        ASSERT_FALSE(got) << component << '/' << path << ' ' << element;
      }
    }
  }

  [[nodiscard]] int refusals() const { return refusals_; }

 private:
  using Key = std::tuple<std::size_t, std::string, std::string, std::uint32_t>;  // entity, component, path, element

  Key key(ecs::Entity entity, const std::string& component, const Field& field, std::uint32_t element) const {
    const auto place = std::find(entities_.begin(), entities_.end(), entity);
    return {static_cast<std::size_t>(place - entities_.begin()), component, field.path, element};
  }
  std::string type_of(const std::string& component) const {
    for (const auto& [name, type] : instances_)
      if (name == component) return type;
    return "";
  }
  static std::string path_of(const Field& field, std::uint32_t element) {
    if (field.count == 1) return field.path;
    return field.path.substr(0, field.array_at) + "[" + std::to_string(element) + "]" +
           field.path.substr(field.array_at);
  }
  std::uint32_t in_use(ecs::Entity entity, const std::string& component, const Field& field) const {
    if (field.count_field < 0) return field.count;
    const Field& counter = world_.schema->find(type_of(component))->fields[static_cast<std::size_t>(field.count_field)];
    return static_cast<std::uint32_t>(std::stoul(texts_.at(key(entity, component, counter, 0))));
  }

  // Stores a new component's defaults, read from memory by a reference reader.
  void remember(ecs::Entity entity, const std::string& component, const std::string& type) {
    const reflect::Component& described = *world_.schema->find(type);
    for (const Field& field : described.fields)
      for (std::uint32_t i = 0; i < field.count; ++i)
        texts_[key(entity, component, field, i)] =
            raw(field, described.default_value.data() + field.offset + i * field.stride);
  }

  static std::string raw(const Field& field, const std::byte* at) {
    const auto named = [&](std::int64_t bits, std::string text) {
      for (const reflect::EnumValue& each : field.enum_values)
        if (each.value == bits) return '"' + each.name + '"';
      return text;
    };
    const auto number = [&]<class T>(T value) {
      return named(static_cast<std::int64_t>(value), std::to_string(value));
    };
    switch (field.kind) {
      case FieldKind::boolean: return core::load<std::uint8_t>(at) != 0 ? "true" : "false";
      case FieldKind::int8: return number(core::load<std::int8_t>(at));
      case FieldKind::uint8: return number(core::load<std::uint8_t>(at));
      case FieldKind::int16: return number(core::load<std::int16_t>(at));
      case FieldKind::uint16: return number(core::load<std::uint16_t>(at));
      case FieldKind::int32: return number(core::load<std::int32_t>(at));
      case FieldKind::uint32: return number(core::load<std::uint32_t>(at));
      case FieldKind::int64: return number(core::load<std::int64_t>(at));
      case FieldKind::uint64: return number(core::load<std::uint64_t>(at));
      case FieldKind::float32: return shortest(core::load<float>(at));
      case FieldKind::float64: return shortest(core::load<double>(at));
      case FieldKind::unit_quaternion: {
        const auto turn = core::load<reflect::Quaternion>(at);
        return '[' + shortest(turn[0]) + ',' + shortest(turn[1]) + ',' + shortest(turn[2]) + ',' + shortest(turn[3]) +
               ']';
      }
      case FieldKind::entity: return "null";
      case FieldKind::fixed_string: return '"' + std::string(reinterpret_cast<const char*>(at)) + '"';
      case FieldKind::string_id: {
        const auto id = core::load<std::uint32_t>(at);
        return id == core::StringId32("crate").value ? "\"crate\"" : std::to_string(id);
      }
    }
    return "";
  }

  Sample sample(const Field& field) {
    switch (field.kind) {
      case FieldKind::boolean: {
        const bool value = random_.chance(1, 2);
        const std::string text = value ? "true" : "false";
        return {value, text, text};
      }
      case FieldKind::float32:
      case FieldKind::float64: return real(field);
      case FieldKind::unit_quaternion: return rotation();
      case FieldKind::entity: return entity();
      case FieldKind::fixed_string: return text(field);
      case FieldKind::string_id: return name();
      default: return field.enum_values.empty() ? integer(field) : enumerated(field);
    }
  }

  Sample integer(const Field& field) {
    const bool is_signed = field.kind == FieldKind::int8 || field.kind == FieldKind::int16 ||
                           field.kind == FieldKind::int32 || field.kind == FieldKind::int64;
    const unsigned bits = 8 * field.size;
    // Mostly near the ends of the kind and of the range, and near zero.
    const std::uint64_t near = random_.below(5) - 2ull;
    if (is_signed) {
      const std::int64_t low = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
      const std::int64_t high = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
      const std::int64_t bases[] = {low, high, 0, static_cast<std::int64_t>(field.low),
                                    static_cast<std::int64_t>(field.high)};
      const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(bases[random_.below(5)]) + near);
      const bool good = value >= low && value <= high &&
                        (!field.ranged || (value >= static_cast<std::int64_t>(field.low) &&
                                           value <= static_cast<std::int64_t>(field.high)));
      return {value, std::to_string(value), good ? std::to_string(value) : ""};
    }
    const std::uint64_t high = ~0ull >> (64 - bits);
    const std::uint64_t bases[] = {high, 0, static_cast<std::uint64_t>(field.low),
                                   static_cast<std::uint64_t>(field.high)};
    const std::uint64_t value = bases[random_.below(4)] + near;
    const bool good = value <= high && (!field.ranged || (value >= static_cast<std::uint64_t>(field.low) &&
                                                          value <= static_cast<std::uint64_t>(field.high)));
    return {value, std::to_string(value), good ? std::to_string(value) : ""};
  }

  Sample enumerated(const Field& field) {
    const auto& chosen = field.enum_values[random_.below(static_cast<std::uint32_t>(field.enum_values.size()))];
    if (random_.chance(1, 10)) return {std::string_view("nonsense"), "\"nonsense\"", ""};
    const std::string text = '"' + chosen.name + '"';
    return {std::string_view(chosen.name), text, text};
  }

  Sample real(const Field& field) {
    if (random_.chance(1, 10)) return {true, "\"x\"", ""};
    if (random_.chance(1, 10)) return {HUGE_VAL, "1e999", ""};
    double value = static_cast<double>(random_.uniform(-600, 600));
    if (field.ranged && random_.chance(3, 4))
      value = field.low + (field.high - field.low) * static_cast<double>(random_.uniform(0, 1));
    const bool good = !field.ranged || (value >= field.low && value <= field.high);
    const std::string read = field.kind == FieldKind::float32 ? shortest(static_cast<float>(value)) : shortest(value);
    return {value, shortest(value), good ? read : ""};
  }

  Sample rotation() {
    const reflect::Quaternion turns[] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0.5f, -0.5f, 0.5f, 0.5f}, {0, 0.6f, -0.8f, 0}};
    const reflect::Quaternion turn = turns[random_.below(4)];
    if (random_.chance(1, 10)) return {reflect::Quaternion{1, 1, 0, 0}, "[1,1,0,0]", ""};
    const std::string text =
        '[' + shortest(turn[0]) + ',' + shortest(turn[1]) + ',' + shortest(turn[2]) + ',' + shortest(turn[3]) + ']';
    return {turn, text, text};
  }

  Sample entity() {
    if (random_.chance(1, 10)) return {1.0, "\"1\"", ""};
    if (random_.chance(1, 4)) return {ecs::null_entity, "null", "null"};
    const ecs::Entity target{random_.below(100), 1 + random_.below(100)};
    const std::string text = '"' + to_string(target) + '"';
    return {target, text, text};
  }

  Sample text(const Field& field) {
    kept_.assign(random_.below(field.size + 2), static_cast<char>('a' + random_.below(26)));
    const std::string text = '"' + kept_ + '"';
    return {std::string_view(kept_), text, kept_.size() <= field.size ? text : ""};
  }

  Sample name() {
    if (random_.chance(1, 4)) return {core::StringId32(17), "17", "17"};
    kept_ = random_.chance(1, 2) ? "crate" : "rock";
    return {std::string_view(kept_), '"' + kept_ + '"', '"' + kept_ + '"'};
  }

  void set_element(ecs::Entity entity, const std::string& component, const std::string& /*type*/, const Field& field) {
    const std::uint32_t element = random_.below(field.count);
    const Sample chosen = sample(field);
    const std::string path = path_of(field, element);
    const bool good = !chosen.read.empty() && !field.read_only && element < in_use(entity, component, field);
    apply(good, component + '/' + path + " = " + chosen.written, [&] {
      return random_.chance(1, 2) ? world_.properties.set(entity, component, path, chosen.value)
                                  : world_.properties.set_text(entity, component, path, chosen.written);
    });
    if (good) texts_[key(entity, component, field, element)] = chosen.read;
  }

  void set_list(ecs::Entity entity, const std::string& component, const std::string& type, const Field& field) {
    const std::uint32_t size = random_.below(field.count + 2);
    std::string json = "[";
    std::vector<std::string> read;
    bool good = field.count_field >= 0 ? size <= field.count : size == field.count;
    for (std::uint32_t i = 0; i < size; ++i) {
      const Sample chosen = sample(field);
      json += (i > 0 ? "," : "") + chosen.written;
      good = good && !chosen.read.empty();
      read.push_back(chosen.read);
    }
    json += ']';
    apply(good, component + '/' + field.path + " = " + json,
          [&] { return world_.properties.set_text(entity, component, field.path, json); });
    if (!good) return;
    const Component& described = *world_.schema->find(type);
    const std::vector<std::byte> zero(field.size);
    for (std::uint32_t i = 0; i < field.count; ++i)
      texts_[key(entity, component, field, i)] = i < size ? read[i] : raw(field, zero.data());
    if (field.count_field >= 0) {
      const Field& counter = described.fields[static_cast<std::size_t>(field.count_field)];
      texts_[key(entity, component, counter, 0)] = std::to_string(size);
    }
  }

  template <class Set>
  void apply(bool good, const std::string& what, Set set) {
    world_.registry.set_tick(world_.registry.tick() + 1);
    if (good) {
      const core::Status done = set();
      ASSERT_TRUE(done) << what << ": " << done.error().message;
      return;
    }
    const Memory before(world_.registry);
    const core::Status done = set();
    ASSERT_FALSE(done) << what;
    ASSERT_TRUE(Memory(world_.registry) == before) << what;
    ++refusals_;
  }

  using Component = reflect::Component;

  core::Random random_;
  KitchenWorld world_;
  std::vector<ecs::Entity> entities_;
  std::vector<std::pair<std::string, std::string>> instances_{
      {"Plain", "Plain"}, {"Spare", "Plain"}, {"Ranged", "Ranged"}, {"Nested", "Nested"}, {"Flags", "Flags"}};
  std::map<Key, std::string> texts_;
  std::string kept_;
  int refusals_ = 0;
};

TEST(PropertyModel, RandomSetsAgreeWithAMapFromPropertyToText) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Model model(seed);
    model.compare();
    for (int i = 0; i < 2000 && !testing::Test::HasFatalFailure(); ++i) {
      model.step();
      if (i % 250 == 0) model.compare();
    }
    model.compare();
    EXPECT_GT(model.refusals(), 100);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace mobula::index
