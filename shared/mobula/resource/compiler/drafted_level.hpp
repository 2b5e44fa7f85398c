// The draft of a level, as level compilers see it.
#pragma once

#include <mobula/resource/compiler/level_compiler.hpp>
#include <mobula/resource/compiler/workshop.hpp>
#include <mobula/resource/draft.hpp>
#include <optional>
#include <vector>

namespace mobula::resource {

class DraftedLevel final : public CompiledLevel {
 public:
  /// Both outlive this. The draft has no errors.
  DraftedLevel(const Draft& draft, Workshop& workshop);

  void each(std::string_view component, const Visit& visit) const override;
  std::uint64_t add_static(std::string_view type, core::ByteView data) override;

 private:
  [[nodiscard]] const DraftColumn* find(std::string_view component) const;
  void place_entities();

  const Draft& draft_;
  Workshop& workshop_;
  std::vector<std::optional<hierarchy::WorldTransform>> places_;  // by entity
};

}  // namespace mobula::resource
