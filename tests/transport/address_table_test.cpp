#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/transport/address_table.hpp>

namespace mobula::transport {
namespace {

// Few addresses and a full table: long probes, many removals in the middle of them.
TEST(AddressTable, KnowsWhatAMapKnows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    AddressTable table(37, seed);
    std::map<int, std::uint32_t> model;
    for (int step = 0; step < 2000; ++step) {
      const int port = static_cast<int>(random.below(60));
      const Address address = Address::v4(127, 0, 0, 1, static_cast<std::uint16_t>(port));
      if (model.count(port) != 0) {
        table.erase(address);
        model.erase(port);
      } else if (model.size() < 37) {
        const std::uint32_t slot = random.below(1000);
        table.insert(address, slot);
        model[port] = slot;
      }
      ASSERT_EQ(table.size(), model.size());
      for (int p = 0; p < 60; ++p) {
        const auto known = model.find(p);
        ASSERT_EQ(table.find(Address::v4(127, 0, 0, 1, static_cast<std::uint16_t>(p))),
                  known == model.end() ? AddressTable::none : known->second);
      }
    }
  }
}

}  // namespace
}  // namespace mobula::transport
