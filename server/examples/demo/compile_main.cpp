// mobula-compile with the demo's components. A team's own main has its schema and its component compilers here.
#include <examples/demo/compilers.hpp>
#include <mobula/resource/compiler/compile_tool.hpp>
#include <mobula/schema/components.hpp>

int main(int argc, char** argv) {
  return mobula::resource::run_compile_tool(argc, argv,
                                            {demo::schema_bytes(), "the demo's", demo::component_compilers()});
}
