// Static data of the level, for a module's step. It takes the place of <mobula/resource/resource.hpp> where rules are
// compiled to WebAssembly.
#pragma once

#include <mobula/resource/static.hpp>
#include <mobula/rules_module/list.hpp>

namespace mobula::resource {

class Resource {
 public:
  /// Adds static data with an id above all others.
  void add(const Static& data) { statics_.push_back(data); }
  [[nodiscard]] const Static* find_static(std::uint64_t id) const {
    for (const Static& each : statics_.all())
      if (each.id == id) return &each;
    return nullptr;
  }
  /// Returns the static data of a type: that with the least id. Null if there is none.
  [[nodiscard]] const Static* find_static_of(core::StringId32 type) const {
    for (const Static& each : statics_.all())
      if (each.type == type) return &each;
    return nullptr;
  }

 private:
  rules_module::List<Static> statics_;  // ascending by id
};

}  // namespace mobula::resource
