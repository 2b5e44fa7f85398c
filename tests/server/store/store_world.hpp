// A registry of the kitchen schema that changes at random, a folder for its file, and what a save of it must have.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <kitchen/components.hpp>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/store/store.hpp>
#include <reflect/random_schema.hpp>
#include <set>
#include <string>
#include <vector>

namespace mobula::store {

namespace fs = std::filesystem;

class TestFolder {
 public:
  TestFolder() {
    // In memory where that can be: a disk takes its time for each commit.
    const fs::path parent = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    std::string made = (parent / "mobula_store_XXXXXX").string();
    EXPECT_NE(::mkdtemp(made.data()), nullptr);
    path_ = made;
  }
  ~TestFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] fs::path path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name = "world.db") const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// As a kill at this moment would leave the files; the lock stays with its owner.
inline void copy_world(const std::string& from, const std::string& to) {
  for (const char* suffix : {"", "-wal"}) {
    fs::remove(to + suffix);
    if (fs::exists(from + suffix)) fs::copy_file(from + suffix, to + suffix);
  }
  fs::remove(to + "-shm");
}

inline std::string read_file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline const std::shared_ptr<const reflect::Schema>& kitchen_schema() {
  static const auto schema = *reflect::Schema::load(kitchen::schema_bytes());
  return schema;
}

// Naively, all that is saved of a registry: by handle, then by component and instance, the bytes of its saved fields.
using Model = std::map<ecs::Entity, std::map<std::pair<std::string, std::string>, std::vector<std::byte>>>;

inline std::vector<std::byte> saved_bytes(const reflect::Component& component, const std::byte* row) {
  std::vector<std::byte> bytes;
  for (const reflect::Field& field : component.fields)
    for (std::uint32_t i = 0; i < field.count && !field.not_saved; ++i)
      bytes.insert(bytes.end(), row + field.offset + i * field.stride,
                   row + field.offset + i * field.stride + field.size);
  return bytes;
}

inline Model model_of(const ecs::Registry& registry, const reflect::Schema& schema) {
  Model model;
  registry.entities().each([&](ecs::Entity entity) {
    auto& components = model[entity];
    for (ecs::PoolId id = 0; id < registry.pool_count(); ++id) {
      const ecs::Pool& pool = registry.pool(id);
      const reflect::Component* component = schema.find(pool.type().id);
      if (component == nullptr || component->not_saved || !pool.contains(entity.index)) continue;
      components[{component->name, pool.instance_name()}] = saved_bytes(*component, pool.at(pool.find(entity.index)));
    }
  });
  return model;
}

class StoreWorld {
 public:
  explicit StoreWorld(std::uint32_t incarnation, std::shared_ptr<const reflect::Schema> of = kitchen_schema())
      : schema(std::move(of)),
        registry({.entities = {.incarnation = incarnation, .index_limit = 1u << 20}, .pools = {}}) {
    static_cast<void>(reflect::register_components(registry, *schema).value());
  }

  [[nodiscard]] Model model() const { return model_of(registry, *schema); }

  // Entities, ranges and components come, go and change, under instance names of their own too.
  void change(core::Random& random, int steps) {
    for (int i = 0; i < steps; ++i) step(random);
  }
  void end_tick() {
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  ecs::PoolId pool_of(const char* component, const std::string& instance) {
    return *registry.open_pool(core::StringId32(component), instance);
  }

  std::shared_ptr<const reflect::Schema> schema;
  ecs::Registry registry;
  std::set<ecs::Entity> ever;  // handles that there have been

 private:
  void step(core::Random& random) {
    alive_.clear();
    registry.entities().each([&](ecs::Entity entity) { alive_.push_back(entity); });
    if (alive_.empty() || (alive_.size() < 150 && random.chance(1, 4))) return create(random);
    const ecs::Entity entity = alive_[random.below(static_cast<std::uint32_t>(alive_.size()))];
    if (random.chance(1, 8)) return registry.destroy(entity);
    const auto& components = schema->components();
    const reflect::Component& component = components[random.below(static_cast<std::uint32_t>(components.size()))];
    const std::string instance =
        random.chance(1, 4) ? "Part_" + std::to_string(random.below(3)) + component.name : component.name;
    write(random, entity, component, pool_of(component.name.c_str(), instance));
  }

  void create(core::Random& random) {
    if (random.chance(1, 6)) {
      const ecs::EntityRange range = registry.create_range(1 + random.below(5));
      for (std::uint32_t i = 0; i < range.count; ++i) ever.insert(range.at(i));
      return;
    }
    ever.insert(registry.create());
  }

  void write(core::Random& random, ecs::Entity entity, const reflect::Component& component, ecs::PoolId pool) {
    const core::Bytes row = test::random_row(component, random);
    if (!registry.pool(pool).contains(entity.index)) {
      registry.add_bytes(entity, pool, row);
    } else if (random.chance(1, 3)) {
      registry.remove(entity, pool);
    } else {
      std::copy(row.begin(), row.end(), registry.try_write(entity, pool));
    }
  }

  std::vector<ecs::Entity> alive_;
};

inline std::unique_ptr<Store> open_store(const std::string& path,
                                         const std::shared_ptr<const reflect::Schema>& schema = kitchen_schema()) {
  core::Result<std::unique_ptr<Store>> store = Store::open({.path = path, .schema = schema});
  EXPECT_TRUE(store.ok()) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

inline std::string open_reason(const std::string& path,
                               const std::shared_ptr<const reflect::Schema>& schema = kitchen_schema()) {
  const core::Result<std::unique_ptr<Store>> store = Store::open({.path = path, .schema = schema});
  return store ? "" : store.error().reason;
}

inline Facts facts_of(const ecs::Registry& registry) {
  Facts facts;
  facts.tick = registry.tick();
  facts.unix_time = 1'700'000'000 + registry.tick();
  return facts;
}

// One tick's end as a server does it.
inline bool save(Store& store, StoreWorld& world) {
  store.note();
  const bool begun = store.checkpoint(facts_of(world.registry));
  world.end_tick();
  return begun;
}

// Waits until what has been handed over is on the disk, however often it has to be tried.
inline void settle(Store& store, std::uint64_t checkpoints) {
  core::Nanoseconds now = 0;
  while (store.status().checkpoints < checkpoints) {
    store.retry(now += core::second);
    store.wait_for_writer();
  }
}

}  // namespace mobula::store
