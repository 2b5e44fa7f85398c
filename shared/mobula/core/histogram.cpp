#include <algorithm>
#include <bit>
#include <cmath>
#include <mobula/core/histogram.hpp>

namespace mobula::core {

// Values below `steps` have one bucket each. For larger ones the highest set bit selects the row, and the next bits the
// step within it.
std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < steps) return static_cast<std::size_t>(value);
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - steps_log2 - 1;
  return shift * steps + static_cast<std::size_t>(value >> shift);
}

std::uint64_t Histogram::last_of(std::size_t bucket) {
  if (bucket < 2 * steps) return bucket;
  const std::size_t shift = bucket / steps - 1;
  const std::uint64_t step = bucket % steps + steps;
  return (step << shift) + ((std::uint64_t{1} << shift) - 1);
}

void Histogram::add(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  counts_[bucket_of(value)] += times;
  count_ += times;
  sum_ += value * times;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < buckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double Histogram::mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }

std::uint64_t Histogram::percentile(double share) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    seen += counts_[i];
    if (counts_[i] != 0 && seen >= rank) return std::min(last_of(i), max_);
  }
  return max_;
}

std::uint64_t Histogram::count_up_to(std::uint64_t bound) const {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets && last_of(i) <= bound; ++i) seen += counts_[i];
  return seen;
}

}  // namespace mobula::core
