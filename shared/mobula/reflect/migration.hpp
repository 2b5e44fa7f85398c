// Migration of a component type from one schema to another, field by field, by path. Used for levels compiled and
// worlds saved with an older schema. New fields get their default, dropped fields are lost. Built once per type and
// applied to many rows: unchanged bytes are copied in runs, the rest is converted value by value. Valid values
// (value_is_good) become valid values. Padding becomes zero unless nothing changes. Immutable; thread-safe.
#pragma once

#include <mobula/reflect/conversion.hpp>
#include <string>

namespace mobula::reflect {

/// Numbers of values that a new component cannot hold.
struct Repairs {
  std::uint32_t nearest = 0;  // numbers that became the nearest that it can hold
  std::uint32_t lost = 0;     // values that became the default, and lists that are truncated

  void add(const Repairs& more) {
    nearest += more.nearest;
    lost += more.lost;
  }
  void add(Converted converted) {
    nearest += converted == Converted::to_nearest ? 1 : 0;
    lost += converted == Converted::not_at_all ? 1 : 0;
  }
  bool operator==(const Repairs&) const = default;
};

/// Migration of one component type. conversion.hpp defines the conversion of values. Arrays are converted element by
/// element; a single value is an array of one. Unused elements get the default. A count becomes the number of used
/// elements, limited by the new array; without a counted array it is converted like any field.
class Migration {
 public:
  /// Both components must outlive this.
  Migration(const Component& from, const Component& to);

  /// Returns whether old bytes are valid new bytes: all fields have the same place and range.
  [[nodiscard]] bool same() const { return same_; }
  /// Returns notes for the operator, one line each, such as "Health.armor is new and gets its default" or "Health.mana
  /// was removed".
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Writes the bytes of the new component. Numbers that it cannot hold become the nearest, other values the default. A
  /// list with too many used elements is truncated, which counts as one lost value.
  Repairs apply(const std::byte* from, std::byte* to) const;

  /// Returns the new offset of the handle at an old offset, used or not; nothing if there is none.
  [[nodiscard]] std::optional<std::uint32_t> offset_of(std::uint32_t old_offset) const;

 private:
  // Bytes that are copied.
  struct Run {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t size;
  };
  // A new count: the largest used length of the old arrays, or the value of the old field.
  struct Count {
    const Field* counter;
    std::vector<const Field*> arrays;
    const Field* value;  // null if the arrays determine it
  };
  // An old array that may have more used elements than the new one can hold.
  struct Cut {
    const Field* array;
    std::uint32_t room;
  };
  class Planner;

  Converted write_count(const Count& count, const std::byte* from, std::byte* to) const;
  void move_elements(const Conversion& move, const std::byte* from, std::byte* to, Repairs& repairs) const;

  const Component* from_;
  const Component* to_;
  bool same_ = false;
  std::vector<std::string> notes_;
  std::vector<Run> runs_;  // by offset in the new component; no run continues its predecessor in both
  std::vector<Count> counts_;
  std::vector<Conversion> moves_;                                // each for all elements of a field
  std::vector<Cut> cuts_;                                        // each list once
  std::vector<std::pair<const Field*, const Field*>> entities_;  // old, new
};

/// Returns notes about two schemas, one line each: new and dropped components, and the notes of the others.
std::vector<std::string> differences(const Schema& from, const Schema& to);

}  // namespace mobula::reflect
