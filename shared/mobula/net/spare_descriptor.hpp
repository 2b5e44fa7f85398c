// A descriptor in reserve, for a process whose descriptors run out.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstdint>

namespace mobula::net {

/// Holds a descriptor. A listener that must answer in any case releases it to accept one more connection.
class SpareDescriptor {
 public:
  SpareDescriptor() { renew(); }
  ~SpareDescriptor() { release(); }
  SpareDescriptor(const SpareDescriptor&) = delete;
  SpareDescriptor& operator=(const SpareDescriptor&) = delete;

  /// Frees the descriptor. Returns false if it is free already.
  bool release();
  /// Takes a descriptor again, if one is left.
  void renew();

 private:
  int descriptor_ = -1;
};

/// Returns whether accept failed because process or machine has no descriptors left.
bool is_out_of_descriptors(const boost::system::error_code& error);

/// Logs the first failure of a series to accept connections at a port, with the remedy.
class AcceptFailures {
 public:
  void note(std::uint16_t port, const boost::system::error_code& error);
  void end() { failing_ = false; }

 private:
  bool failing_ = false;
};

}  // namespace mobula::net
