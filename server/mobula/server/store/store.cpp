#include <mobula/core/format.hpp>
#include <mobula/server/store/gatherer.hpp>
#include <mobula/server/store/restorer.hpp>
#include <mobula/server/store/run_mark.hpp>
#include <mobula/server/store/store.hpp>
#include <mobula/server/store/sums.hpp>
#include <mobula/server/store/writer_thread.hpp>
#include <utility>

namespace mobula::store {

struct Store::Parts {
  StoreConfig config;
  std::unique_ptr<RunMark> run;     // outlives the file, as it has its lock
  std::unique_ptr<WorldFile> file;  // until begin()
  std::uint32_t incarnation = 0;
  bool restored = false;  // the world is restored and its tables can be updated
  bool had_tick = false;
  std::unique_ptr<Gatherer> gatherer;
  std::unique_ptr<WriterThread> writer;

  void begin_tick() {
    if (!std::exchange(had_tick, true)) run->begin();
  }
};

Store::Store(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Store::~Store() {
  if (parts_->had_tick) return;
  if (parts_->file) parts_->file->undo_start();
  if (parts_->writer) parts_->writer->undo_start();
}

core::Result<std::unique_ptr<Store>> Store::open(StoreConfig config) {
  core::Result<WorldFile> file = WorldFile::open(config.path);
  if (!file) return file.error();
  config.path = file->path;
  auto parts = std::make_unique<Parts>();
  parts->config = std::move(config);
  parts->incarnation = file->content.incarnation;
  parts->run = std::make_unique<RunMark>(std::move(file->lock));
  parts->file = std::make_unique<WorldFile>(std::move(*file));
  return std::unique_ptr<Store>(new Store(std::move(parts)));
}

std::uint32_t Store::incarnation() const { return parts_->incarnation; }

const std::string& Store::last_end() const { return parts_->run->last_end(); }

void Store::note_failure(std::string_view line) { parts_->run->fail(line); }

bool Store::has_world() const { return parts_->file && parts_->file->content.world != nullptr; }

const Facts& Store::saved_facts() const {
  MOBULA_ASSERT(has_world(), "saved_facts() requires a saved world, before begin()");
  return parts_->file->content.world->facts;
}

std::uint64_t Store::saved_state() const {
  MOBULA_ASSERT(has_world(), "saved_state() requires a saved world, before begin()");
  return parts_->file->content.world->entities_sum;
}

core::Result<std::vector<std::string>> Store::restore(ecs::Registry& registry) {
  MOBULA_ASSERT(has_world(), "restore() requires a saved world, before begin()");
  const SavedWorld& world = *parts_->file->content.world;
  core::Result<Restored> restored = restore_world(world, *parts_->config.schema, registry);
  const auto cannot = [&](const core::Error& error) {
    return core::Error{error.reason, core::format("the world {} cannot be restored and stays unchanged: {}",
                                                  parts_->config.path, error.message)};
  };
  if (!restored) return cannot(restored.error());
  const bool same_schema = world.schema->fingerprint() == parts_->config.schema->fingerprint();
  parts_->restored = same_schema && world.changed.empty();
  if (!world.changed.empty())
    restored->notes.push_back("another program has changed " + world.changed +
                              ": the tables are recreated without its additions");
  // Computed from the registry, which reveals what the restore has lost.
  if (same_schema && entities_sum(registry, *parts_->config.schema) != world.entities_sum)
    return cannot({"damaged", "the restored world differs from the saved one"});
  return std::move(restored->notes);
}

core::Status Store::begin(const ecs::Registry& registry) {
  MOBULA_ASSERT(parts_->file, "begin() may be called once");
  parts_->gatherer = std::make_unique<Gatherer>(registry, *parts_->config.schema);
  parts_->writer = std::make_unique<WriterThread>(parts_->config, std::move(*parts_->file), parts_->restored);
  parts_->file.reset();
  return parts_->writer->start();
}

void Store::note() {
  parts_->begin_tick();
  parts_->gatherer->note();
}

bool Store::ready() const { return parts_->writer->free_batch() != nullptr; }

void Store::retry(core::Nanoseconds now) { parts_->writer->retry(now); }

void Store::wait_for_writer() { parts_->writer->wait(); }

bool Store::checkpoint(const Facts& facts) {
  Batch* const batch = parts_->writer->free_batch();
  if (batch == nullptr) return false;
  parts_->begin_tick();
  batch->clear();
  batch->facts = facts;
  parts_->gatherer->gather(*batch);
  parts_->writer->write();
  return true;
}

core::Status Store::finish(const Facts& facts) {
  WriterThread& writer = *parts_->writer;
  core::Status done = writer.drain(parts_->config.finish_tries);
  if (done) {
    checkpoint(facts);
    done = writer.drain(parts_->config.finish_tries);
  }
  writer.close();
  if (done) parts_->run->finish();
  return done;
}

StoreStatus Store::status() const {
  if (parts_->writer) return parts_->writer->status();
  StoreStatus status;
  status.incarnation = parts_->incarnation;
  return status;
}

}  // namespace mobula::store
