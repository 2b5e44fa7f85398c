// Components of one type, as one schema has them, become those of another schema: field by field, by path. For levels
// that were compiled, and worlds that were saved, with an older schema. What the new schema added gets its default,
// what it dropped is gone.
//
// Made once for a type and applied to many rows: what keeps its bytes is copied in runs, only the rest is looked at
// value by value. Good values (value_is_good) become good values; padding becomes zero unless nothing changes at all.
// Immutable; any number of threads may use one.
#pragma once

#include <mobula/reflect/conversion.hpp>
#include <string>

namespace mobula::reflect {

// How each value changes is said in conversion.hpp. Arrays go element by element, a single value being an array of one;
// elements that are not in use become the default. A count of elements becomes what was in use, as far as there is
// room; where nothing counted them, what the field of its path says.
class Migration {
 public:
  // Both must live as long.
  Migration(const Component& from, const Component& to);

  // Whether old bytes are new bytes: all fields lie where they lay, and can hold what they could.
  [[nodiscard]] bool same() const { return same_; }
  // What people should know, a line each: "Health.armor is new and gets its default", "Health.mana is gone", …
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  // Writes as many bytes as the new component has. Returns how many values the new one could not hold: they are its
  // default. A list that had more elements in use than there is room for is one such value, and is cut.
  std::uint32_t apply(const std::byte* from, std::byte* to) const;

  // Where the handle at this offset of the old component goes, in use or not; nothing if it is gone, or there is none.
  [[nodiscard]] std::optional<std::uint32_t> offset_of(std::uint32_t old_offset) const;

 private:
  // Bytes that stay what they are.
  struct Run {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t size;
  };
  // A new count: as much as the fullest of the old arrays has in use, or what the old field says.
  struct Count {
    const Field* counter;
    std::vector<const Field*> arrays;
    const Field* value;  // null: the arrays say it
  };
  // An old array that may have more elements in use than there is room for.
  struct Cut {
    const Field* array;
    std::uint32_t room;
  };
  class Planner;

  std::uint32_t write_count(const Count& count, const std::byte* from, std::byte* to) const;
  std::uint32_t move_elements(const Conversion& move, const std::byte* from, std::byte* to) const;

  const Component* from_;
  const Component* to_;
  bool same_ = false;
  std::vector<std::string> notes_;
  std::vector<Run> runs_;  // by place in the new component; none begins where the one before ends in both
  std::vector<Count> counts_;
  std::vector<Conversion> moves_;                                // of all elements of a field
  std::vector<Cut> cuts_;                                        // each list once
  std::vector<std::pair<const Field*, const Field*>> entities_;  // old, new
};

// What people should know of two schemas, a line each: components that are new or gone, and the notes of the others.
std::vector<std::string> differences(const Schema& from, const Schema& to);

}  // namespace mobula::reflect
