// Mistakes of a game that every build finds: each function fails a check. They are apart from the code that finds the
// mistake, which then has a jump and no message.
#pragma once

#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/journal.hpp>
#include <mobula/ecs/sent_size.hpp>
#include <string_view>

namespace mobula::ecs::misuse {

[[noreturn, gnu::cold]] void dead_entity(const char* doing, Entity entity);
[[noreturn, gnu::cold]] void dead_entity(const char* doing, Entity entity, std::string_view component);
[[noreturn, gnu::cold]] void double_add(Entity entity, std::string_view component);
[[noreturn, gnu::cold]] void name_taken(Entity entity, std::string_view type, std::string_view name,
                                        std::string_view by_type);
[[noreturn, gnu::cold]] void too_large(Entity entity, std::string_view component, SentSize size);
[[noreturn, gnu::cold]] void missing_component(Entity entity, std::string_view component);
[[noreturn, gnu::cold]] void nothing_to_get(Entity entity, std::string_view component);
/// Reports no_pool in place of the pool of an entity's component.
[[noreturn, gnu::cold]] void nothing_found(Entity entity);
/// Reports a change of an entity whose spawn has not added a component of its prototype.
[[noreturn, gnu::cold]] void incomplete_entity(std::string_view doing, Entity entity, std::string_view component);
/// Reports a constructor that changes its entity, or adds or removes components of its own type.
[[noreturn, gnu::cold]] void changed_by_constructor(Entity entity, std::string_view component);
/// Reports a destructor that adds components of a type with a destructor while the registry ends.
[[noreturn, gnu::cold]] void added_at_end(std::string_view component);
/// Reports a change by code that must make none.
[[noreturn, gnu::cold]] void changed_by_reader(const JournalEntry& change, std::string_view code);
/// Reports a `construct` listener that left nothing for add() to return.
[[noreturn, gnu::cold]] void lost_while_added(Entity entity, std::string_view component, bool destroyed);

/// Reports a listener whose change calls it again without end.
[[noreturn, gnu::cold]] void endless_listeners(std::string_view change, std::string_view component, Entity entity);
/// Reports an iterator that is read without an entity. `index`: of the former one, ~0 at the end.
[[noreturn, gnu::cold]] void nothing_at_iterator(std::uint32_t index, std::string_view component);

}  // namespace mobula::ecs::misuse
