// A connection that waits for its peer is in a list of its server, and can be closed to make place for another one.
// Private to this folder.
#pragma once

#include <boost/intrusive/list.hpp>

namespace mobula::server::admin {

// Leaves its list when it is destroyed.
class Evictable : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  // Closes the socket. Operations of the connection fail, and it ends.
  virtual void evict() noexcept = 0;

 protected:
  ~Evictable() = default;
};
using Evictables = boost::intrusive::list<Evictable, boost::intrusive::constant_time_size<false>>;

}  // namespace mobula::server::admin
