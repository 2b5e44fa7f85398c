// How often values of which size came: 32 buckets for each power of two, so that a percentile is at most 3% too high,
// and memory that does not grow (15 KB). Values are whole numbers of any unit: nanoseconds, bytes. After Gil Tene's
// HdrHistogram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mobula::core {

class Histogram {
 public:
  void add(std::uint64_t value, std::uint64_t times = 1);
  void merge(const Histogram& other);
  void clear() { *this = Histogram(); }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }  // 0 if there is none
  [[nodiscard]] double mean() const;                        // 0 if there is none
  // The least bound that a `share` (0..1) of the values do not exceed (nearest rank); 0 if there is none.
  [[nodiscard]] std::uint64_t percentile(double share) const;
  // How many values are surely at most `bound`: exact where bound + 1 begins a bucket, as 32 or any power of two does.
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
