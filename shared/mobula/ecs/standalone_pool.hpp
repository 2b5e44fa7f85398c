// A pool of no registry: its owner adds and removes components. In a registry's pool the registry alone does, because
// prototypes, groups, listeners and the log of structural changes change with it.
#pragma once

#include <mobula/ecs/pool.hpp>

namespace mobula::ecs {

class StandalonePool : public Pool {
 public:
  using Pool::append_rows;
  using Pool::commit;
  using Pool::commit_run;
  using Pool::end;
  using Pool::make_pages;
  using Pool::make_room;
  using Pool::Pool;
  using Pool::remove;
  using Pool::reorder;
  using Pool::reserve;
};

}  // namespace mobula::ecs
