// Batches into the file, a transaction each, whole or not at all. It remembers a hash of each row that the file has: of
// what a batch brings only what differs is written, and the sums follow without reading.
// Runs on the writer's thread.
#pragma once

#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/store/batch.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::store {

struct WrittenBatch {
  std::uint32_t rows = 0;  // written or deleted
  std::uint64_t entities_sum = 0;
};

class BatchWriter {
 public:
  // Both must live as long. `incarnation`: as the file has it.
  BatchWriter(Database& database, std::shared_ptr<const reflect::Schema> schema, std::uint32_t incarnation);
  ~BatchWriter();

  // What the file has, if it is of this schema. Else the first batch makes it anew.
  void remember(const SavedWorld& world);
  // Reasons: those of Database. Then the file is as it was, and the same batch can be written later.
  core::Result<WrittenBatch> write(const Batch& batch);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace mobula::store
