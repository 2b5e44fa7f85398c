// One draft as two: what clients may have, and the columns in which the server has more.
#pragma once

#include <mobula/resource/compiler/draft.hpp>

namespace mobula::resource {

struct SplitDraft {
  Draft clients;
  Draft server;
};

// Kept from clients: instances that are marked, components that are never sent, and fields that are never sent or for
// owners alone, which are their default for everyone else. Prototypes are made: the server's are those of all columns.
SplitDraft split(Draft draft, const reflect::Schema& schema);

}  // namespace mobula::resource
