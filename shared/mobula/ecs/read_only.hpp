// A part of a program that must change no entity, such as a rule of visibility that is asked after publication.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <string_view>

namespace mobula::ecs {

/// Fails a check at its end if entities were created or destroyed, or schema components added or removed, since its
/// beginning. Written values are not noticed.
class ReadOnly {
 public:
  /// `code`: name of what runs, for the message.
  ReadOnly(Registry& registry, std::string_view code);
  ~ReadOnly();
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;

 private:
  Registry& registry_;
  std::string_view code_;
  Journal journal_;  // the registry's, which has an empty one meanwhile
};

}  // namespace mobula::ecs
