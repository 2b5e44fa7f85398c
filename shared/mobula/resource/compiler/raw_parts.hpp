// Parts of a file that are written as they are: shared static resources and columns that a compiler of their own made,
// in hex, and names that nothing else brings into the file. `decompile` writes them; people seldom do.
#pragma once

#include <mobula/resource/compiler/scene.hpp>
#include <mobula/resource/compiler/workshop.hpp>

namespace mobula::resource {

// "statics": [{"type": "Spline", "data": "00ff…", "server_only": true}, …]. Errors are told.
void read_statics(const JsonValue& statics, Workshop& workshop);

// "names": [{"text": "props/lantern", "server_only": true}, …]: hashed by data that does not say so. Errors are told.
void read_names(const JsonValue& names, Workshop& workshop);

// "columns": [{"type": "Route", "name": "Route", "spawn_order": 1, "entities": ["/path", …], "data": "00ff…",
//              "references": [[offset, "/path"], …], "server_only": true}, …]
// into draft.ready: "server_only" says which of the two parts a column stands in. Errors are told.
void read_columns(const JsonValue& columns, const Scene& scene, Workshop& workshop, Draft& draft);

}  // namespace mobula::resource
