#include <gtest/gtest.h>

#include <mobula/server/cluster/ledger_state.hpp>

namespace mobula::cluster {
namespace ledger_state_test {

const LedgerState state{
    .version = epoch_max,
    .prepared = {{"1", {.source = "a", .target = "b", .account = "anna", .pack = core::Bytes(5, std::byte{1})}}},
    .left = {"2", "3"},
    .arrived = {"4"},
    .departed = {{"carl", "b"}, {"0x00", "c"}}};

TEST(LedgerState, ReadsBackWhatItWrites) {
  EXPECT_EQ(*parse_ledger_state(to_bytes(state)), state);
  EXPECT_EQ(*parse_ledger_state(to_bytes({})), LedgerState());
  EXPECT_EQ(*parse_ledger_state({}), LedgerState());
}

TEST(LedgerState, CountsForThoseWhoLeftAndArrived) {
  EXPECT_EQ(state.saved_ids(), (std::vector<std::string>{"2", "3", "4"}));
}

TEST(LedgerState, DamagedBytesAreRefused) {
  const core::Bytes bytes = to_bytes(state);
  for (std::size_t size = 1; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_ledger_state(core::ByteView(bytes).first(size)).ok()) << size;
  for (const std::string_view text :
       {R"({"prepared":[]})", R"({"prepared":{"1":{}}})", R"({"prepared":{"1":"{}"}})", R"({"left":[1],"prepared":{}})",
        R"({"version":7,"prepared":{}})", R"({"departed":[],"prepared":{}})", R"({"departed":{"a":1},"prepared":{}})"})
    EXPECT_FALSE(parse_ledger_state(core::as_bytes(text.data(), text.size())).ok()) << text;
}

}  // namespace ledger_state_test
}  // namespace mobula::cluster
