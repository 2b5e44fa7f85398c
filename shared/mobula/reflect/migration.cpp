#include <algorithm>
#include <cstring>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/reflect/migration.hpp>
#include <mobula/reflect/value.hpp>
#include <set>

namespace mobula::reflect {
namespace {

// Empty without a counting field.
std::string_view counter_path(const Component& component, const Field& field) {
  if (field.count_field < 0) return {};
  return component.fields[static_cast<std::size_t>(field.count_field)].path;
}

bool lies_alike(const Field& from, const Field& to) {
  return from.offset == to.offset && from.size == to.size && from.count == to.count && from.stride == to.stride;
}

std::string_view kind_of(const Field& field) {
  static constexpr std::string_view words[] = {"a bool",    "an int8",    "a uint8",   "an int16", "a uint16",
                                               "an int32",  "a uint32",   "an int64",  "a uint64", "a float32",
                                               "a float64", "a rotation", "an entity", "a text",   "a name"};
  static_assert(std::size(words) == field_kind_count);
  return field.enum_values.empty() ? words[static_cast<std::size_t>(field.kind)] : "an enum";
}

}  // namespace

// Pairs the fields of two components and chooses the conversion of each.
class Migration::Planner {
 public:
  explicit Planner(Migration& migration) : plan_(migration), from_(*migration.from_), to_(*migration.to_) {
    for (const Field& field : from_.fields) old_.emplace(field.path, &field);
    for (const Field& field : to_.fields)
      if (field.count_field >= 0) counted_by_[counter_path(to_, field)].push_back(&field);
  }

  void run() {
    plan_.same_ = from_.size == to_.size && from_.fields.size() == to_.fields.size() &&
                  std::ranges::all_of(to_.fields, [&](const Field& field) { return stays(field); });
    for (const Field& field : to_.fields) {
      if (counted_by_.contains(field.path)) {
        count(field);
      } else if (const Field* was = source_of(field)) {
        move(Conversion(*was, field));
      } else {
        note("{}.{} is new and gets its default", to_.name, field.path);
      }
    }
    note_removed();
    join_runs();
  }

 private:
  [[nodiscard]] const Field* source_of(const Field& field) const {
    const auto found = old_.find(field.path);
    return found == old_.end() ? nullptr : found->second;
  }

  [[nodiscard]] bool stays(const Field& field) const {
    const Field* was = source_of(field);
    return was != nullptr && lies_alike(*was, field) && counter_path(from_, *was) == counter_path(to_, field) &&
           Conversion(*was, field).certain();
  }

  void move(Conversion move) {
    const Field& from = move.from();
    const Field& to = move.to();
    note_elements(from, to);
    if (!note_kind(move) && !move.certain()) note_loss(from, to);
    if (from.kind == FieldKind::entity && to.kind == FieldKind::entity) plan_.entities_.emplace_back(&from, &to);
    if (from.count_field >= 0 && from.count > to.count) cut(from, to.count);
    if (!move.certain() || from.count_field >= 0 || to.count_field >= 0) return plan_.moves_.push_back(std::move(move));
    for (std::uint32_t i = 0; i < std::min(from.count, to.count); ++i)
      plan_.runs_.push_back({from.offset + i * from.stride, to.offset + i * to.stride, to.size});
  }

  // Arrays with the same counter form one list.
  void cut(const Field& array, std::uint32_t room) {
    const auto known = [&](const Cut& each) {
      return each.array->count_field == array.count_field && each.room == room;
    };
    if (std::ranges::none_of(plan_.cuts_, known)) plan_.cuts_.push_back({&array, room});
  }

  void count(const Field& counter) {
    const Field* was = source_of(counter);
    std::vector<const Field*> counted = sources_of_counted(counter, true);
    const bool by_value = counted.empty() && was != nullptr;
    if (counted.empty() && was == nullptr) counted = sources_of_counted(counter, false);
    if (by_value) note_kind(Conversion(*was, counter));
    if (was == nullptr) {
      note("{}.{} is new and {}", to_.name, counter.path,
           counted.empty() ? "gets its default" : "counts the elements that were there");
    }
    if (by_value || !counted.empty()) plan_.counts_.push_back({&counter, std::move(counted), by_value ? was : nullptr});
  }

  // Old fields of the arrays that the field counts: preferably those with a counter, else the others.
  std::vector<const Field*> sources_of_counted(const Field& counter, bool bounded) {
    std::vector<const Field*> sources;
    for (const Field* array : counted_by_[counter.path]) {
      const Field* was = source_of(*array);
      if (was != nullptr && (was->count_field >= 0) == bounded) sources.push_back(was);
    }
    return sources;
  }

  // Bytes between values are padding, and stay zero.
  void join_runs() {
    std::ranges::sort(plan_.runs_, {}, &Run::to);
    std::vector<Run> joined;
    for (const Run& run : plan_.runs_) {
      Run* last = joined.empty() ? nullptr : &joined.back();
      if (last != nullptr && last->from + last->size == run.from && last->to + last->size == run.to) {
        last->size += run.size;
      } else {
        joined.push_back(run);
      }
    }
    plan_.runs_ = std::move(joined);
  }

  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    plan_.notes_.push_back(core::format(text, std::forward<Args>(args)...));
  }

  void note_removed() {
    std::set<std::string_view> paths;
    for (const Field& field : to_.fields) paths.insert(field.path);
    for (const Field& field : from_.fields)
      if (!paths.contains(field.path)) note("{}.{} was removed", to_.name, field.path);
  }

  void note_elements(const Field& from, const Field& to) {
    if (from.count == to.count) return;
    note("{}.{} has {} where it had {}", to_.name, to.path, core::counted(to.count, "element", "elements"), from.count);
  }

  // Returns whether the old component had another kind.
  bool note_kind(const Conversion& move) {
    const std::string_view was = kind_of(move.from());
    const std::string_view is = kind_of(move.to());
    if (was == is) return false;
    note("{}.{} is {} where it was {}{}", to_.name, move.to().path, is, was,
         move.possible() ? "" : ", and gets its default");
    return true;
  }

  void note_loss(const Field& from, const Field& to) {
    if (!to.enum_values.empty()) {
      note_lost_names(from, to);
    } else if (to.kind != FieldKind::fixed_string) {
      note("{}.{} is only {} to {} now", to_.name, to.path, to.low, to.high);
    } else if (to.size < from.size) {
      note("{}.{} has room for {} bytes where it had {}", to_.name, to.path, to.size, from.size);
    }
  }

  void note_lost_names(const Field& from, const Field& to) {
    std::vector<std::string_view> lost;
    for (const EnumValue& each : from.enum_values) {
      if (std::ranges::find(to.enum_values, each.name, &EnumValue::name) == to.enum_values.end())
        lost.emplace_back(each.name);
    }
    if (!lost.empty()) note("{}.{} can no longer be {}", to_.name, to.path, fmt::join(lost, ", "));
  }

  Migration& plan_;
  const Component& from_;
  const Component& to_;
  std::map<std::string_view, const Field*> old_;                      // by path
  std::map<std::string_view, std::vector<const Field*>> counted_by_;  // new arrays, by the path of their counter
};

Migration::Migration(const Component& from, const Component& to) : from_(&from), to_(&to) { Planner(*this).run(); }

Repairs Migration::apply(const std::byte* from, std::byte* to) const {
  Repairs repairs;
  if (same_) {
    std::memcpy(to, from, to_->size);
    return repairs;
  }
  std::memcpy(to, to_->default_value.data(), to_->size);
  for (const Run& run : runs_) std::memcpy(to + run.to, from + run.from, run.size);
  for (const Count& count : counts_) repairs.add(write_count(count, from, to));  // first, because they limit the moves
  for (const Conversion& move : moves_) move_elements(move, from, to, repairs);
  for (const Cut& cut : cuts_) repairs.lost += elements_in_use(*from_, *cut.array, from) > cut.room ? 1 : 0;
  return repairs;
}

Converted Migration::write_count(const Count& count, const std::byte* from, std::byte* to) const {
  const auto room = static_cast<std::uint32_t>(count.counter->high);
  std::uint32_t elements = 0;
  for (const Field* array : count.arrays) elements = std::max(elements, elements_in_use(*from_, *array, from));
  if (count.value != nullptr) {
    const std::optional<std::uint32_t> number = whole_number(*count.value, from + count.value->offset);
    if (!number) return Converted::not_at_all;
    elements = *number;
  }
  const std::uint32_t written = std::min(elements, room);
  std::memcpy(to + count.counter->offset, &written, count.counter->size);
  const bool beyond = count.value != nullptr && elements > room;  // truncated arrays: see cuts_
  return beyond ? Converted::to_nearest : Converted::exactly;
}

void Migration::move_elements(const Conversion& move, const std::byte* from, std::byte* to, Repairs& repairs) const {
  const Field& source = move.from();
  const Field& target = move.to();
  const std::uint32_t elements = std::min(elements_in_use(*from_, source, from), elements_in_use(*to_, target, to));
  for (std::uint32_t i = 0; i < elements; ++i) {
    const std::uint32_t offset = target.offset + i * target.stride;
    const Converted converted = move.apply(from + source.offset + i * source.stride, to + offset);
    if (converted == Converted::not_at_all) std::memcpy(to + offset, to_->default_value.data() + offset, target.size);
    repairs.add(converted);
  }
}

std::optional<std::uint32_t> Migration::offset_of(std::uint32_t old_offset) const {
  for (const auto& [from, to] : entities_) {
    if (old_offset < from->offset) continue;
    const std::uint32_t beyond = old_offset - from->offset;
    const std::uint32_t element = beyond / from->stride;
    if (beyond % from->stride == 0 && element < std::min(from->count, to->count))
      return to->offset + element * to->stride;
  }
  return std::nullopt;
}

std::vector<std::string> differences(const Schema& from, const Schema& to) {
  std::vector<std::string> lines;
  for (const Component& component : to.components()) {
    const Component* was = from.find(component.name);
    if (was == nullptr) {
      lines.push_back(component.name + " is new");
      continue;
    }
    const Migration migration(*was, component);
    lines.insert(lines.end(), migration.notes().begin(), migration.notes().end());
  }
  for (const Component& component : from.components())
    if (to.find(component.name) == nullptr) lines.push_back(component.name + " was removed");
  return lines;
}

}  // namespace mobula::reflect
