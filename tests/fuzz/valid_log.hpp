// Turns arbitrary bytes into a write-ahead log that SQLite accepts: all frames get the header's salts and valid sums.
#pragma once

#include <algorithm>
#include <mobula/server/store/log_scan.hpp>

namespace mobula::fuzz {

inline void correct_log(core::MutableBytes log) {
  if (log.size() < store::log_header_bytes) return;
  const auto put = [](std::byte* at, const store::LogSum& sum) {
    core::store(at, __builtin_bswap32(sum.first));
    core::store(at + 4, __builtin_bswap32(sum.second));
  };
  store::LogSum sum{.swapped = (store::big_endian(log.data()) & 1) != 0};
  sum.add(log.first(24));
  put(&log[24], sum);
  const std::size_t page_bytes = store::big_endian(&log[8]);
  if (page_bytes < 512 || page_bytes > 65536) return;
  for (core::MutableBytes rest = log.subspan(store::log_header_bytes);
       rest.size() >= store::log_frame_header_bytes + page_bytes;
       rest = rest.subspan(store::log_frame_header_bytes + page_bytes)) {
    std::copy_n(&log[16], 8, &rest[8]);
    sum.add(rest.first(8));
    sum.add(rest.subspan(store::log_frame_header_bytes, page_bytes));
    put(&rest[16], sum);
  }
}

}  // namespace mobula::fuzz
