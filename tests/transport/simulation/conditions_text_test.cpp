#include <gtest/gtest.h>

#include <mobula/transport/simulation/conditions_text.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

NetworkConditions parsed(std::string_view text) {
  const core::Result<NetworkConditions> result = parse_conditions(text);
  if (!result.ok()) ADD_FAILURE() << text << ": " << result.error().message;
  return result.ok() ? *result : NetworkConditions();
}

std::string refusal(std::string_view text) {
  const core::Result<NetworkConditions> result = parse_conditions(text);
  return result.ok() ? "accepted" : core::Error(result.error()).message;
}

TEST(ConditionsText, EveryKeyIsRead) {
  const NetworkConditions expected{.latency = 80 * millisecond,
                                   .jitter = 20 * millisecond,
                                   .loss_ppm = 50'000,
                                   .duplicate_ppm = 10'000,
                                   .reorder_ppm = 20'000,
                                   .corrupt_ppm = 1'000,
                                   .burst_ppm = 10'000,
                                   .burst_length = 5,
                                   .burst_loss_ppm = 1'000'000,
                                   .bandwidth_bytes_per_second = 256'000,
                                   .queue = 250 * millisecond};
  EXPECT_EQ(parsed("latency=80ms jitter=20ms loss=5% dup=1% reorder=2% corrupt=0.1% burst=1%:5 bandwidth=256KB/s "
                   "queue=250ms"),
            expected);
  EXPECT_EQ(parsed(" queue=0.25s\tbandwidth=0.256MB/s burst=1%:5:100%\ncorrupt=0.1% reorder=2% dup=1.0% loss=5%  "
                   "jitter=20000us latency=0.08s "),
            expected);
}

TEST(ConditionsText, EmptyTextIsAPerfectNetwork) {
  EXPECT_EQ(parsed(""), NetworkConditions());
  EXPECT_EQ(parsed("  \n"), NetworkConditions());
  EXPECT_EQ(parsed("latency=0 loss=0"), NetworkConditions());
  EXPECT_EQ(to_string(NetworkConditions()), "");
}

TEST(ConditionsText, ReadsFractionsOfAPercentExactly) {
  EXPECT_EQ(parsed("loss=0.0001%").loss_ppm, 1u);
  EXPECT_EQ(parsed("loss=33.3333%").loss_ppm, 333'333u);
  EXPECT_EQ(parsed("loss=100%").loss_ppm, 1'000'000u);
  EXPECT_EQ(parsed("loss=0.50000000%").loss_ppm, 5'000u);
  EXPECT_EQ(refusal("loss=0.00001%"), "loss=0.00001%: expected a share such as 5% or 0.1%, up to 100%");
}

TEST(ConditionsText, SuggestsTheNearestKey) {
  EXPECT_EQ(refusal("latncy=80ms"),
            "unknown condition 'latncy' (did you mean 'latency'?); known: latency, jitter, loss, dup, reorder, "
            "corrupt, burst, bandwidth, queue");
  EXPECT_STREQ(parse_conditions("loss=5% lag=80ms").error().reason, "unknown key");
  EXPECT_STREQ(parse_conditions("=5%").error().reason, "unknown key");
  EXPECT_STREQ(parse_conditions("Loss=5%").error().reason, "unknown key");
}

TEST(ConditionsText, RefusesARepeatedKey) {
  EXPECT_STREQ(parse_conditions("loss=5% dup=1% loss=5%").error().reason, "given twice");
  EXPECT_EQ(refusal("dup=1% dup=1%"), "the condition 'dup' is given twice");
}

TEST(ConditionsText, RefusesMalformedAndOutOfRangeValues) {
  for (const char* text : {"latency",
                           "latency=",
                           "latency=80",
                           "latency=ms",
                           "latency=-1ms",
                           "latency=+1ms",
                           "latency=1 ms",
                           "latency=61s",
                           "latency=60.000000001s",
                           "latency=0.5ns",
                           "latency=1e3ms",
                           "latency=.5ms",
                           "latency=1.ms",
                           "latency=1..5ms",
                           "latency=80MS",
                           "latency=99999999999999999999ms",
                           "latency=999999999999999999s",
                           "latency=18446744074s",
                           "latency=80ms,jitter=20ms",
                           "jitter=5%",
                           "loss=5",
                           "loss=101%",
                           "loss=100.0001%",
                           "loss=0x5%",
                           "loss=5%%",
                           "loss=5%:5",
                           "burst=1%",
                           "burst=1%:",
                           "burst=1%:0",
                           "burst=1%:5%",
                           "burst=1%:1.5",
                           "burst=1%:100001",
                           "burst=1%:5:",
                           "burst=1%:5:80%:1",
                           "burst=1%:5:101%",
                           "bandwidth=0",
                           "bandwidth=0KB/s",
                           "bandwidth=256KB",
                           "bandwidth=256",
                           "bandwidth=101GB/s",
                           "queue=61s"}) {
    const core::Result<NetworkConditions> result = parse_conditions(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_STREQ(result.error().reason, "bad value") << text;
  }
  EXPECT_EQ(refusal("loss=5"), "loss=5: expected a share such as 5% or 0.1%, up to 100%");
  EXPECT_EQ(refusal("latency"), "latency=: expected a time such as 80ms or 1.5s, up to 60s");
}

TEST(ConditionsText, FormatsTheShortestText) {
  const char* text =
      "latency=80ms jitter=1500us loss=5% dup=0.25% reorder=2% corrupt=0.0001% burst=1%:5 bandwidth=256KB/s queue=1s";
  EXPECT_EQ(to_string(parsed(text)), text);
  EXPECT_EQ(to_string(parsed("burst=1%:5:80% bandwidth=1000000B/s queue=0")),
            "burst=1%:5:80% bandwidth=1MB/s queue=0s");
}

TEST(ConditionsText, RoundTrips) {
  core::Random random(31);
  const auto share = [&] { return random.chance(1, 3) ? 0 : random.below(1'000'001); };
  const auto time = [&] {
    constexpr std::array<core::Nanoseconds, 5> grains{0, 1, 1'000, millisecond, second};
    const core::Nanoseconds grain = grains[random.below(5)];
    if (grain == 0) return core::Nanoseconds{0};
    const auto grains_max = static_cast<std::uint64_t>(60 * second / grain);
    return static_cast<core::Nanoseconds>(random.next() % (grains_max + 1)) * grain;
  };
  for (int i = 0; i < 10'000; ++i) {
    const NetworkConditions conditions{.latency = time(),
                                       .jitter = time(),
                                       .loss_ppm = share(),
                                       .duplicate_ppm = share(),
                                       .reorder_ppm = share(),
                                       .corrupt_ppm = share(),
                                       .burst_ppm = share(),
                                       .burst_length = 1 + random.below(100'000),
                                       .burst_loss_ppm = share(),
                                       .bandwidth_bytes_per_second = random.next() % 100'000'000'001,
                                       .queue = time()};
    const std::string text = to_string(conditions);
    ASSERT_EQ(parsed(text), conditions) << text;
  }
}

TEST(ConditionsText, SurvivesRandomText) {
  core::Random random(32);
  const std::string_view letters = "latencyjitlosdupburqe=%:. 0159msuKMGB/";
  for (int i = 0; i < 50'000; ++i) {
    std::string text = random.chance(1, 2) ? "latency=80ms loss=5% burst=1%:5:80% bandwidth=256KB/s" : "";
    for (std::uint32_t edits = 1 + random.below(6); edits > 0; --edits) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size() + 1));
      text.insert(at, 1, letters[random.below(static_cast<std::uint32_t>(letters.size()))]);
      if (random.chance(1, 2)) text.erase(random.below(static_cast<std::uint32_t>(text.size())), 1);
    }
    const core::Result<NetworkConditions> result = parse_conditions(text);
    if (!result.ok()) continue;
    EXPECT_EQ(parsed(to_string(*result)), *result) << text;
  }
}

}  // namespace
}  // namespace mobula::transport
