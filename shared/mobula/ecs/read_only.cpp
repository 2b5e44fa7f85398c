#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/read_only.hpp>
#include <utility>

namespace mobula::ecs {

ReadOnly::ReadOnly(Registry& registry, std::string_view code) : registry_(registry), code_(code) {
  std::swap(journal_, registry_.journal_);
}

ReadOnly::~ReadOnly() {
  if (!registry_.journal().empty()) misuse::changed_by_reader(registry_.journal().front(), code_);
  std::swap(journal_, registry_.journal_);
}

}  // namespace mobula::ecs
