#include "recordings/cubes_play.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/random.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <mobula/transport/packet.hpp>
#include <mobula/transport/session_body.hpp>

#include "delta_acks.hpp"

namespace mobula::bench {
namespace {

constexpr std::uint32_t entities_max = 1u << 12;
constexpr std::size_t join_ticks_max = 10'000;
constexpr std::uint64_t seed = 1;

// Returns the size of a datagram with one delta that is the nth of its session, without the header of UDP.
std::size_t datagram_bytes(std::size_t delta, std::uint64_t nth) {
  const std::size_t sequence = static_cast<std::size_t>(std::bit_width(nth | 1) + 7) / 8;
  return 1 + sequence + transport::body_header_bytes + transport::entry_header_bytes + delta + core::seal_bytes;
}

// Traffic of one tick.
struct Frame {
  std::size_t deltas = 0;
  std::size_t delta_bytes = 0;
  std::size_t state_bytes = 0;
  std::size_t datagram_bytes = 0;
  core::Nanoseconds encode = 0;
  core::Nanoseconds decode = 0;
};

class CubesPlayer {
 public:
  CubesPlayer(const CubesRecording& recording, const CubesOptions& options)
      : recording_(recording),
        options_(options),
        schema_(*reflect::Schema::load(cubes::schema_bytes())),
        publisher_(registry_with(registry_, *schema_), *schema_),
        encoded_(publisher_.published()),
        view_(publisher_.published(), encoded_, workspace_, false),
        mirror_(std::move(*client::Mirror::make(schema_, entities_max))) {
    for (std::size_t i = 0; i < cubes_per_frame; ++i) {
      cubes_.push_back(registry_.create());
      registry_.add<cubes::Cube>(cubes_.back());
    }
  }

  core::Result<CubesReport> run();

 private:
  struct Input {
    ecs::Tick tick;
    wire::InputDatagram acks;
    bool knows_all;
  };

  static ecs::Registry& registry_with(ecs::Registry& registry, const reflect::Schema& schema) {
    static_cast<void>(reflect::register_components(registry, schema).value());
    return registry;
  }

  // Runs one tick: the world takes the frame's state, deltas arrive at once, their acknowledgement later.
  Frame play(std::size_t frame);
  void set(std::size_t frame);
  void deliver_inputs();
  void write_deltas(Frame& result);
  void announce();
  void apply_deltas(Frame& result);
  void send_input();
  [[nodiscard]] std::uint64_t mismatches() const;
  [[nodiscard]] bool lost() { return random_.chance(options_.loss_percent, 100); }

  const CubesRecording& recording_;
  CubesOptions options_;
  std::shared_ptr<const reflect::Schema> schema_;
  ecs::Registry registry_;
  server::Publisher publisher_;
  server::EncodedDeltaCache encoded_;
  server::ViewWorkspace workspace_;
  server::ClientView view_;
  std::unique_ptr<client::Mirror> mirror_;
  DeltaAcks acks_;
  core::Random random_{seed};
  std::vector<ecs::Entity> cubes_;
  std::vector<std::size_t> frame_of_tick_;
  std::deque<Input> inputs_;
  std::vector<core::Bytes> deltas_;  // deltas of this tick that were not lost
  std::uint64_t datagrams_ = 0;
  bool joined_ = false;  // the server knows that the client has a complete mirror
};

void CubesPlayer::set(std::size_t frame) {
  const std::span<const cubes::Cube> values = recording_.frame(frame);
  for (std::size_t i = 0; i < cubes_per_frame; ++i) registry_.get<cubes::Cube>(cubes_[i]) = values[i];
  frame_of_tick_.resize(registry_.tick() + 1);
  frame_of_tick_[registry_.tick()] = frame;
}

void CubesPlayer::deliver_inputs() {
  for (; !inputs_.empty() && inputs_.front().tick + options_.baseline_age <= registry_.tick(); inputs_.pop_front()) {
    if (lost()) continue;
    static_cast<void>(view_.acknowledge(inputs_.front().acks).value());
    joined_ = joined_ || inputs_.front().knows_all;
  }
}

// Announces prototypes, which a session sends as a reliable message.
void CubesPlayer::announce() {
  for (const auto& [prototype, id] : view_.prototypes().wanted()) {
    wire::Names names;
    for (const ecs::PoolId pool : registry_.prototypes().pools(prototype))
      names.texts.push_back(registry_.pool(pool).instance_name());
    static_cast<void>(mirror_->add_names(names).value());
    std::vector<index::ComponentRef> components = index::components(registry_, prototype);
    const wire::Prototypes message{{{id, index::prototype_hash(components), components}}};
    static_cast<void>(mirror_->add_prototypes(message).value());
    view_.prototypes().delivered(id);
  }
  view_.prototypes().clear_wanted();
}

void CubesPlayer::write_deltas(Frame& result) {
  const ecs::Tick tick = registry_.tick();
  core::Bytes datagram(wire::delta_bytes_max);
  deltas_.clear();
  view_.choose(tick, ~std::size_t{0}, [](std::uint32_t) { return 1.0f; });
  do {
    const std::size_t size = view_.write_delta(datagram, tick, {});
    const core::ByteView delta(datagram.data(), size);
    ++result.deltas;
    result.delta_bytes += size;
    result.state_bytes += size - wire::header_size(wire::read_delta_header(delta).value());
    result.datagram_bytes += datagram_bytes(size, ++datagrams_);
    if (!lost()) deltas_.emplace_back(delta.begin(), delta.end());
  } while (view_.has_chosen());
}

void CubesPlayer::apply_deltas(Frame& result) {
  const core::Nanoseconds begin = core::monotonic_now();
  for (const core::Bytes& delta : deltas_) {
    const wire::DeltaHeader header = wire::read_delta_header(delta).value();
    if (mirror_->apply(header, delta)) acks_.on_delta(header);
  }
  result.decode = core::monotonic_now() - begin;
  mirror_->changes().clear();
}

void CubesPlayer::send_input() {
  const wire::InputDatagram& input = acks_.next();
  mirror_->acknowledged(input.ack);
  inputs_.push_back({registry_.tick(), input, mirror_->size() == cubes_per_frame});
}

Frame CubesPlayer::play(std::size_t frame) {
  Frame result;
  set(frame);
  deliver_inputs();
  const core::Nanoseconds begin = core::monotonic_now();
  publisher_.publish();
  encoded_.begin_tick(registry_.tick());
  view_.note_published();
  for (const std::uint32_t index : publisher_.spawned()) view_.add_visible(index, false);
  write_deltas(result);
  result.encode = core::monotonic_now() - begin;
  announce();
  apply_deltas(result);
  send_input();
  registry_.clear_journal();
  registry_.set_tick(registry_.tick() + 1);
  return result;
}

// Compares every cube with the newest frame, or with loss, with the frame of its last update.
std::uint64_t CubesPlayer::mismatches() const {
  const client::Mirror& mirror = *mirror_;
  const std::size_t newest = frame_of_tick_.back();
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < cubes_per_frame; ++i) {
    const ecs::Tick tick = mirror.tick_of(cubes_[i]);
    const auto* cube = tick == 0 ? nullptr : mirror.registry().try_get<const cubes::Cube>(cubes_[i]);
    const std::size_t frame = options_.loss_percent == 0 || tick == 0 ? newest : frame_of_tick_[tick];
    count += cube == nullptr || *cube != recording_.frame(frame)[i] ? 1 : 0;
  }
  return count;
}

std::size_t percentile(std::vector<std::size_t> values, std::size_t percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * percent / 100);
  std::ranges::nth_element(values, at);
  return *at;
}

core::Result<CubesReport> CubesPlayer::run() {
  CubesReport report;
  report.frames = std::min(options_.frames, recording_.frames());
  if (report.frames < 2) return core::Error{"too short", "it takes two frames: the client joins on the first"};
  for (; !joined_; ++report.join_ticks) {
    if (report.join_ticks == join_ticks_max)
      return core::Error{"never joined",
                         core::format("the client's mirror was not complete after {} ticks", join_ticks_max)};
    report.join_bytes += play(0).delta_bytes;
  }
  report.mismatches = mismatches();
  Frame sum;
  std::vector<std::size_t> sizes;
  for (std::size_t frame = 1; frame < report.frames; ++frame) {
    const Frame played = play(frame);
    report.mismatches += mismatches();
    sizes.push_back(played.state_bytes);
    sum.deltas += played.deltas;
    sum.state_bytes += played.state_bytes;
    sum.datagram_bytes += played.datagram_bytes;
    sum.encode += played.encode;
    sum.decode += played.decode;
  }
  const auto count = static_cast<double>(sizes.size());
  report.mean_bytes = static_cast<double>(sum.state_bytes) / count;
  report.p50_bytes = percentile(sizes, 50);
  report.p95_bytes = percentile(sizes, 95);
  report.max_bytes = percentile(sizes, 100);
  report.mean_datagram_bytes = static_cast<double>(sum.datagram_bytes) / count;
  report.datagrams_per_frame = static_cast<double>(sum.deltas) / count;
  report.encode_us = static_cast<double>(sum.encode) / count / 1e3;
  report.decode_us = static_cast<double>(sum.decode) / count / 1e3;
  return report;
}

}  // namespace

core::Result<CubesReport> play_cubes(const CubesRecording& recording, const CubesOptions& options) {
  return CubesPlayer(recording, options).run();
}

std::string to_json(const CubesReport& report) {
  return core::format(R"({{"frames":{},"mean_bytes":{:.2f},"p50_bytes":{},"p95_bytes":{},"max_bytes":{},)"
                      R"("mean_datagram_bytes":{:.2f},"encode_us":{:.2f},"decode_us":{:.2f},"mismatches":{}}})",
                      report.frames, report.mean_bytes, report.p50_bytes, report.p95_bytes, report.max_bytes,
                      report.mean_datagram_bytes, report.encode_us, report.decode_us, report.mismatches);
}

std::string to_table(const CubesReport& report, const CubesOptions& options) {
  std::string text = core::format(
      "{} frames of {} cubes, deltas are encoded against the state {} frames before, {}% loss each way\n"
      "the first frame stands while the client joins ({} ticks, {} bytes of deltas): it is compared, not counted\n\n",
      report.frames, cubes_per_frame, options.baseline_age, options.loss_percent, report.join_ticks, report.join_bytes);
  text += core::format("bytes per frame         mean     p50     p95     max\n");
  text += core::format("state                {:7.1f} {:7} {:7} {:7}    deltas without their headers\n",
                       report.mean_bytes, report.p50_bytes, report.p95_bytes, report.max_bytes);
  text += core::format(
      "datagrams            {:7.1f}                            {:.2f} per frame, with headers of delta, session and "
      "packet, and seal\n\n",
      report.mean_datagram_bytes, report.datagrams_per_frame);
  text += core::format("encode {:.1f} us per frame (publish, choose, write), decode {:.1f} us\n{} mismatches\n",
                       report.encode_us, report.decode_us, report.mismatches);
  return text;
}

}  // namespace mobula::bench
