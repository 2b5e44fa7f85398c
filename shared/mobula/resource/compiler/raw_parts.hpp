// Raw parts of a file: shared static resources and columns with their own compilers, in hex, and names that nothing
// else brings into the file. Written by `decompile`, rarely by hand. Errors go to the workshop's diagnostics.
#pragma once

#include <mobula/resource/compiler/scene.hpp>
#include <mobula/resource/compiler/workshop.hpp>

namespace mobula::resource {

/// Reads "statics": [{"type": "Spline", "data": "00ff…", "server_only": true}, …].
void read_statics(const JsonValue& statics, Workshop& workshop);

/// Reads "names": [{"text": "props/lantern", "server_only": true}, …], hashed in data that is not JSON.
void read_names(const JsonValue& names, Workshop& workshop);

/// Reads columns into draft.ready. "server_only" selects the part of the file that gets the column.
/// "columns": [{"type": "Route", "name": "Route", "spawn_order": 1, "entities": ["/path", …], "data": "00ff…",
///              "references": [[offset, "/path"], …], "server_only": true}, …]
void read_columns(const JsonValue& columns, const Scene& scene, Workshop& workshop, Draft& draft);

}  // namespace mobula::resource
