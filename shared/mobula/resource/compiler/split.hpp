// Splits a draft in two: the clients' part, and the columns in which the server has more.
#pragma once

#include <mobula/resource/draft.hpp>

namespace mobula::resource {

struct SplitDraft {
  Draft clients;
  Draft server;
};

/// Splits a draft. Hidden from clients are marked instances and components that are never sent. Fields that are never
/// sent, or only to owners, have their default in the clients' part. Makes the prototypes; the server's cover all
/// columns.
SplitDraft split(Draft draft, const reflect::Schema& schema);

}  // namespace mobula::resource
