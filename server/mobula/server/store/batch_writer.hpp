// Writes batches into the file, each in one transaction.
//
// A hash of each row of the file stays in memory. Only rows whose hash differs are written, and the checksums are
// updated without reading the file. Runs on the writer thread.
#pragma once

#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/store/batch.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::store {

struct WrittenBatch {
  std::uint32_t rows = 0;          // written or deleted
  std::uint64_t entities_sum = 0;  // checksum of all entities (sums.hpp)
};

class BatchWriter {
 public:
  /// Writes to `database`, which must outlive the writer. `incarnation` is the file's.
  BatchWriter(Database& database, std::shared_ptr<const reflect::Schema> schema, std::uint32_t incarnation);
  ~BatchWriter();

  /// Takes over the rows of a file that was saved by the same schema. Without it the first batch recreates the tables.
  void remember(const SavedWorld& world);
  /// Writes a batch. Errors: those of Database; the file is unchanged then, and the batch can be written later.
  core::Result<WrittenBatch> write(const Batch& batch);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace mobula::store
