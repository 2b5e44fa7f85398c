#include <algorithm>
#include <cmath>
#include <examples/demo/rules/obstacles.hpp>
#include <mobula/core/assert.hpp>
#include <vector>

namespace demo {
namespace {

using mobula::core::Bytes;
using mobula::core::ByteView;
using mobula::engine::Vec3;

constexpr std::size_t header_words = 6;
constexpr std::uint32_t side_max = 256;  // cells of a side
// Distance that is kept to surfaces: a place may be rounded by 0.0015 m and is outside then.
constexpr float skin = 0.003f;
constexpr int pushes_max = 6;      // per part of a way
constexpr float part_max = 0.25f;  // metres of a way that are taken at once: no obstacle is thinner
constexpr float parts_max = 64;

// Returns the cell of a coordinate, within 0 to count - 1. Zero for no number.
std::uint32_t cell_of(float coordinate, float low, std::uint32_t count) {
  const float cells = (coordinate - low) / Obstacles::cell;
  if (!(cells > 0)) return 0;
  return cells < static_cast<float>(count) ? static_cast<std::uint32_t>(cells) : count - 1;
}

// Grid of the cells that obstacles reach.
struct Grid {
  float min_x = 0;
  float min_z = 0;
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;

  template <class Function>
  void each_cell(const ObstacleShape& shape, Function&& function) const {
    const float extent = reach(shape);
    for (std::uint32_t row = cell_of(shape.z - extent, min_z, rows); row <= cell_of(shape.z + extent, min_z, rows);
         ++row)
      for (std::uint32_t column = cell_of(shape.x - extent, min_x, columns);
           column <= cell_of(shape.x + extent, min_x, columns); ++column)
        function(std::size_t{row} * columns + column);
  }
};

std::uint32_t cells_over(float low, float high) {
  return std::clamp(static_cast<std::uint32_t>((high - low) / Obstacles::cell) + 1, 1u, side_max);
}

Grid grid_of(std::span<const ObstacleShape> shapes) {
  if (shapes.empty()) return {};
  float max_x = -1024;
  float max_z = -1024;
  Grid grid{.min_x = 1024, .min_z = 1024};
  for (const ObstacleShape& each : shapes) {
    MOBULA_CHECK(is_obstacle(each), "an obstacle is neither a box nor a cylinder");
    grid.min_x = std::min(grid.min_x, each.x - reach(each));
    grid.min_z = std::min(grid.min_z, each.z - reach(each));
    max_x = std::max(max_x, each.x + reach(each));
    max_z = std::max(max_z, each.z + reach(each));
  }
  grid.columns = cells_over(grid.min_x, max_x);
  grid.rows = cells_over(grid.min_z, max_z);
  return grid;
}

template <class Value>
void append(Bytes& bytes, std::span<const Value> values) {
  const ByteView view = mobula::core::as_bytes(values.data(), values.size());
  bytes.insert(bytes.end(), view.begin(), view.end());
}

}  // namespace

Bytes Obstacles::make(std::span<const ObstacleShape> shapes) {
  const Grid grid = grid_of(shapes);
  std::vector<std::vector<std::uint32_t>> cells(std::size_t{grid.columns} * grid.rows);
  for (std::uint32_t i = 0; i < shapes.size(); ++i)
    grid.each_cell(shapes[i], [&](std::size_t at) { cells[at].push_back(i); });
  std::vector<std::uint32_t> first{0};
  std::vector<std::uint32_t> entries;
  for (const std::vector<std::uint32_t>& each : cells) {
    entries.insert(entries.end(), each.begin(), each.end());
    first.push_back(static_cast<std::uint32_t>(entries.size()));
  }
  const std::uint32_t counts[] = {static_cast<std::uint32_t>(shapes.size()), grid.columns, grid.rows,
                                  static_cast<std::uint32_t>(entries.size())};
  const float least[] = {grid.min_x, grid.min_z};
  Bytes bytes;
  append(bytes, std::span<const std::uint32_t>(counts));
  append(bytes, std::span<const float>(least));
  append(bytes, std::span<const std::uint32_t>(first));
  append(bytes, std::span<const std::uint32_t>(entries));
  append(bytes, shapes);
  return bytes;
}

bool Obstacles::check(ByteView bytes) {
  const Obstacles all(bytes);
  if (all.columns_ == 0) return false;
  std::vector<ObstacleShape> shapes(all.count_);
  for (std::uint32_t i = 0; i < all.count_; ++i) {
    shapes[i] = all.at(i);
    if (!is_obstacle(shapes[i])) return false;
  }
  return std::ranges::equal(make(shapes), bytes);
}

Obstacles::Obstacles(ByteView bytes) {
  if (bytes.size() < header_words * sizeof(std::uint32_t)) return;
  bytes_ = bytes;
  const std::uint32_t columns = word(1);
  const std::uint32_t rows = word(2);
  if (columns == 0 || rows == 0 || columns > side_max || rows > side_max) return;
  const std::uint64_t words = header_words + std::uint64_t{columns} * rows + 1 + word(3);
  if (bytes.size() != words * sizeof(std::uint32_t) + std::uint64_t{word(0)} * sizeof(ObstacleShape)) return;
  count_ = word(0);
  columns_ = columns;
  rows_ = rows;
  entries_ = word(3);
  min_x_ = mobula::core::load<float>(bytes.data() + 4 * sizeof(std::uint32_t));
  min_z_ = mobula::core::load<float>(bytes.data() + 5 * sizeof(std::uint32_t));
}

std::uint32_t Obstacles::word(std::size_t number) const {
  return mobula::core::load<std::uint32_t>(bytes_.data() + number * sizeof(std::uint32_t));
}

ObstacleShape Obstacles::at(std::uint32_t number) const {
  const std::size_t words = header_words + std::size_t{columns_} * rows_ + 1 + entries_;
  return mobula::core::load<ObstacleShape>(bytes_.data() + words * sizeof(std::uint32_t) +
                                           std::size_t{number} * sizeof(ObstacleShape));
}

template <class Function>
void Obstacles::each_near(const Area& area, Function&& function) const {
  if (count_ == 0) return;
  const std::uint32_t last_row = cell_of(area.max_z, min_z_, rows_);
  const std::uint32_t last_column = cell_of(area.max_x, min_x_, columns_);
  const std::size_t entries = header_words + std::size_t{columns_} * rows_ + 1;
  for (std::uint32_t row = cell_of(area.min_z, min_z_, rows_); row <= last_row; ++row)
    for (std::uint32_t column = cell_of(area.min_x, min_x_, columns_); column <= last_column; ++column) {
      const std::size_t at = header_words + std::size_t{row} * columns_ + column;
      const std::uint64_t begin = word(at);
      const std::uint64_t end =
          std::min<std::uint64_t>({word(at + 1), entries_, begin + count_});  // bytes may be damaged
      for (std::uint64_t entry = begin; entry < end; ++entry)
        if (const std::uint32_t number = word(entries + entry); number < count_) function(this->at(number));
    }
}

std::optional<Overlap> Obstacles::deepest(const Vec3& place, float radius, float height) const {
  std::optional<Overlap> deepest;
  each_near({place.x - radius, place.z - radius, place.x + radius, place.z + radius}, [&](const ObstacleShape& shape) {
    if (!(shape.bottom < place.y + height && shape.top > place.y)) return;
    const std::optional<Overlap> found = overlap(shape, place.x, place.z, radius);
    if (found && (!deepest || found->depth > deepest->depth)) deepest = found;
  });
  return deepest;
}

Vec3 Obstacles::slide_once(const Vec3& from, const Vec3& to, float radius, float height) const {
  Vec3 place = to;
  for (int i = 0; i < pushes_max; ++i) {
    const std::optional<Overlap> in = deepest(place, radius + skin, height);
    if (!in) return place;
    place.x += in->x * (in->depth + skin);
    place.z += in->z * (in->depth + skin);
  }
  const bool free = !deepest(place, radius + skin, height);
  return free || deepest(from, radius, height) ? place : from;
}

Vec3 Obstacles::slide(const Vec3& from, const Vec3& to, float radius, float height) const {
  const float x = to.x - from.x;
  const float z = to.z - from.z;
  const float length = std::sqrt(x * x + z * z);
  if (count_ == 0 || !std::isfinite(length)) return to;
  const int parts = static_cast<int>(std::clamp(std::ceil(length / part_max), 1.0f, parts_max));
  const auto share = static_cast<float>(parts);
  Vec3 place{from.x, to.y, from.z};
  for (int i = 0; i < parts; ++i) {
    const Vec3 ahead = parts == 1 ? to : Vec3{place.x + x / share, to.y, place.z + z / share};
    place = slide_once(place, ahead, radius, height);
  }
  return place;
}

std::optional<SurfaceHit> Obstacles::ray(const Vec3& from, const Vec3& direction, float length) const {
  std::optional<SurfaceHit> first;
  const float x = from.x + direction.x * length;
  const float z = from.z + direction.z * length;
  each_near({std::min(from.x, x), std::min(from.z, z), std::max(from.x, x), std::max(from.z, z)},
            [&](const ObstacleShape& shape) {
              const std::optional<SurfaceHit> hit = ray_hit(shape, from, direction, length);
              if (hit && (!first || hit->distance < first->distance)) first = hit;
            });
  return first;
}

}  // namespace demo
