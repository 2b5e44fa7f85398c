// mobula-compile with the demo's components. A team's own has its schema and its component compilers here.
#include <mobula/resource/compile_tool.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/patrol_compiler.hpp>

int main(int argc, char** argv) {
  return mobula::resource::run_compile_tool(argc, argv,
                                            {demo::schema_bytes(), "the demo's", demo::component_compilers()});
}
