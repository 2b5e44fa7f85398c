#include <examples/demo/compilers.hpp>
#include <examples/demo/obstacle_compiler.hpp>
#include <examples/demo/patrol_compiler.hpp>

namespace demo {

mobula::resource::CompilerTable component_compilers() {
  mobula::resource::CompilerTable table;
  add_patrol_compiler(table);
  add_obstacle_compiler(table);
  return table;
}

}  // namespace demo
