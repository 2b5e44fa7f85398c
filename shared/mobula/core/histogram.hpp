// Histogram of integers in any unit, for example nanoseconds or bytes. It has 32 buckets per power of two, so a
// percentile is at most 3% too high. Constant memory (15 KB). After Gil Tene's HdrHistogram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mobula::core {

/// Histogram with 32 buckets per power of two and constant memory.
class Histogram {
 public:
  void add(std::uint64_t value, std::uint64_t times = 1);
  void merge(const Histogram& other);
  void clear() { *this = Histogram(); }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }  // 0 if empty
  [[nodiscard]] double mean() const;                        // 0 if empty
  /// Returns the least bound that a `share` (0 to 1) of the values does not exceed (nearest rank). 0 if empty.
  [[nodiscard]] std::uint64_t percentile(double share) const;
  /// Returns the number of values in buckets up to `bound`. Exact if bound + 1 begins a bucket, like 32 or any power of
  /// two.
  [[nodiscard]] std::uint64_t count_up_to(std::uint64_t bound) const;

 private:
  static constexpr unsigned steps_log2 = 5;
  static constexpr std::size_t steps = 1u << steps_log2;
  static constexpr std::size_t buckets = (64 - steps_log2 + 1) * steps;

  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t last_of(std::size_t bucket);

  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace mobula::core
