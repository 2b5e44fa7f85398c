#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/signal.hpp>
#include <mobula/ecs/sparse_set.hpp>

namespace mobula::ecs::misuse {

void dead_entity(const char* doing, Entity entity) {
  core::check_failed(core::format("{} entity {}, which is not alive", doing, to_string(entity)));
}

void dead_entity(const char* doing, Entity entity, std::string_view component) {
  core::check_failed(
      core::format("{} component {} of entity {}, which is not alive", doing, component, to_string(entity)));
}

void double_add(Entity entity, std::string_view component) {
  core::check_failed(core::format("entity {} already has component {}", to_string(entity), component));
}

void name_taken(Entity entity, std::string_view type, std::string_view name, std::string_view by_type) {
  core::check_failed(core::format("adding {} {} to entity {}, which has a component of that name already: a {}", type,
                                  name, to_string(entity), by_type));
}

void too_large(Entity entity, std::string_view component, SentSize size) {
  core::check_failed(core::format(
      "adding {} to {}, which would have {} components to send, of at most {} bytes; an entity has at most {} "
      "components and {} bytes to send: divide it into several, or mark components not_sent",
      component, entity ? "entity " + to_string(entity) : "a new entity", size.components, (size.bits + 7) / 8,
      SentSize::components_max, SentSize::bits_max / 8));
}

void nothing_found(Entity entity) {
  core::check_failed(core::format(
      "entity {} has no component in no_pool, which Registry::find returns for a name that the entity does not have",
      to_string(entity)));
}

void incomplete_entity(std::string_view doing, Entity entity, std::string_view component) {
  core::check_failed(
      core::format("{} entity {}, whose spawn has not added component {} yet", doing, to_string(entity), component));
}

void missing_component(Entity entity, std::string_view component) {
  core::check_failed(core::format("entity {} has no component {} to remove", to_string(entity), component));
}

void nothing_to_get(Entity entity, std::string_view component) {
  core::check_failed(core::format("entity {} is dead or has no component {}", to_string(entity), component));
}

void changed_by_constructor(Entity entity, std::string_view component) {
  core::check_failed(
      core::format("the constructor of component {} of entity {} adds or removes another {}, or changes the entity; do "
                   "that once the component is added",
                   component, to_string(entity), component));
}

void added_at_end(std::string_view component) {
  core::check_failed(core::format(
      "a component's destructor adds component {} while the registry ends: it may only destroy and remove", component));
}

void changed_by_reader(const JournalEntry& change, std::string_view code) {
  const std::string_view verb = change.kind == JournalEntry::Kind::create    ? "creates"
                                : change.kind == JournalEntry::Kind::destroy ? "destroys"
                                                                             : "adds or removes components of";
  core::check_failed(core::format("{} {} entity {}: it must change no entity", code, verb, to_string(change.first)));
}

void lost_while_added(Entity entity, std::string_view component, bool destroyed) {
  core::check_failed(core::format(
      "a construct listener of component {} {} entity {} while it was added, so there is nothing to return; record the "
      "change in Commands",
      component, destroyed ? "destroyed" : "removed it from", to_string(entity)));
}

void endless_listeners(std::string_view change, std::string_view component, Entity entity) {
  core::check_failed(core::format(
      "listeners of `{}`{}{} call each other {} deep, now for entity {}: the change that one makes calls it again",
      change, component.empty() ? "" : " of component ", component, Signal::nested_max, to_string(entity)));
}

void nothing_at_iterator(std::uint32_t index, std::string_view component) {
  if (index == SparseSet::none)
    core::check_failed(core::format("an iterator over component {} is read at its end", component));
  core::check_failed(
      core::format("an iterator over component {} is read whose entity, index {}, was destroyed or no longer matches",
                   component, index));
}

}  // namespace mobula::ecs::misuse
