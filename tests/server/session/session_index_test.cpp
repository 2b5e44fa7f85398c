#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/server/session/session_index.hpp>
#include <seeds.hpp>
#include <vector>

namespace mobula::server {
namespace {

// Random sessions, and the reference model: a search of their table.
class IndexHistory {
 public:
  explicit IndexHistory(std::uint64_t seed) : random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      change();
      compare();
      if (testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  void change() {
    const std::uint32_t dice = random_.below(4);
    if (table_.size() < 3 || (dice == 0 && table_.size() < 30)) return add();
    const std::size_t place = random_.below(static_cast<std::uint32_t>(table_.size()));
    ClientSession& session = *table_[place];
    if (dice == 1 && session.rejoin_number == 0) return index_.set_rejoin_number(session, ++numbers_);
    if (dice == 2) return index_.resume(session, connection(), 0);
    index_.remove(session);
    table_.erase(table_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  void add() {
    const bool restored = random_.chance(1, 4);
    ClientSession& session =
        *table_.emplace_back(std::make_unique<ClientSession>(restored ? transport::SessionId{} : connection()));
    session.player.account = accounts_[random_.below(static_cast<std::uint32_t>(accounts_.size()))];
    index_.add(session);
  }
  // A slot has another generation for each connection.
  transport::SessionId connection() {
    connections_.push_back({random_.below(10), ++generations_});
    return connections_.back();
  }
  template <class Fits>
  [[nodiscard]] std::vector<ClientSession*> search(Fits&& fits) const {
    std::vector<ClientSession*> found;
    for (const std::unique_ptr<ClientSession>& each : table_)
      if (fits(*each)) found.push_back(each.get());
    return found;
  }
  void compare() {
    for (const std::string& account : accounts_) {
      const auto all = search([&](const ClientSession& each) { return each.player.account == account; });
      const std::span<ClientSession* const> found = index_.of_account(account);
      ASSERT_TRUE(account.empty() ? found.empty() : std::ranges::equal(found, all)) << account;
    }
    for (std::uint32_t number = 0; number <= numbers_ + 1; ++number) {
      const auto all = search([&](const ClientSession& each) { return number != 0 && each.rejoin_number == number; });
      ASSERT_EQ(index_.find_rejoining(number), all.empty() ? nullptr : all.front()) << number;
    }
    std::vector<transport::SessionId> newest(10);
    for (const transport::SessionId id : connections_) newest[id.index] = id;
    for (const transport::SessionId id : connections_) {
      // The slot of an ended connection may be that of another one.
      const auto all =
          search([&](const ClientSession& each) { return id == newest[id.index] && each.transport_id == id; });
      ASSERT_EQ(index_.find(id), all.empty() ? nullptr : all.front()) << id.index << '.' << id.generation;
    }
  }

  core::Random random_;
  const std::vector<std::string> accounts_{"", "ada", "bert", "cleo", "dora"};
  SessionIndex index_;
  std::vector<std::unique_ptr<ClientSession>> table_;
  std::vector<transport::SessionId> connections_;  // all that there have been
  std::uint32_t generations_ = 0;
  std::uint32_t numbers_ = 0;
};

TEST(SessionIndex, FindsWhatASearchOfTheTableFinds) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(4, 16), 300,
                              [](std::uint64_t seed) { IndexHistory(seed).run(300); });
}

TEST(SessionIndex, ARestoredSessionHasNoConnection) {
  SessionIndex index;
  ClientSession session(transport::SessionId{});
  session.player.account = "ada";
  index.add(session);
  EXPECT_EQ(index.find(transport::SessionId{}), nullptr);
  ASSERT_EQ(index.of_account("ada").size(), 1u);
  index.resume(session, {7, 1}, 0);
  EXPECT_EQ(index.find({7, 1}), &session);
  EXPECT_EQ(index.find({7, 2}), nullptr) << "another connection of the slot";
  index.remove(session);
  EXPECT_EQ(index.find({7, 1}), nullptr);
  EXPECT_TRUE(index.of_account("ada").empty());
}

}  // namespace
}  // namespace mobula::server
