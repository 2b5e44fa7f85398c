// Whether a write-ahead log is whole. SQLite takes a log up to the first frame that is not as it was written, and says
// nothing of what comes after: a flipped bit would quietly take the world back by many checkpoints.
//
//   0   header of 32 bytes, big-endian: magic, version, page size, count, two salts, two sums
//   32  frames: 24 bytes {page, pages after commit or 0, two salts, two sums}, then the page
//
// A log is begun anew with other salts; what follows its end is of older ones, or of transactions that failed and were
// written over in part. Sums go on from frame to frame: a frame that follows from the end of a transaction was written
// when that was on the disk, whole. So all before it has to be, and only the transaction at the end may not.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::store {

// Good if there is no log. Reason: "damaged".
core::Status check_log(const std::string& path);

}  // namespace mobula::store
