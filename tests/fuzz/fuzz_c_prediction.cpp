// Arbitrary calls of the C interface's prediction, in any order, among updates of the client: steps that have not
// ended, wrong components and entities, arbitrary values, spawns without end, handles of destroyed clients. Results are
// known codes, nothing is written beyond a buffer, and mirrors hold what the server sent. Input: steps. Each is a byte
// that chooses a call, a byte that chooses the handle, then arguments.
#include <c/mobula_client.h>

#include <client/prediction/court_rules.hpp>
#include <fuzz/c_arguments.hpp>
#include <mobula/client/prediction/named_rules.hpp>
#include <mobula/core/log.hpp>

namespace fuzz_c_prediction {

using namespace mobula;
using fuzz::Arguments;
using fuzz::check_result;
using fuzz::CWorld;

namespace {

constexpr std::size_t steps_max = 400;
constexpr int ticks_to_play = 10;

template <class Struct>
Struct sized(Arguments& arguments) {
  Struct value{};
  value.struct_size = arguments.is_usual() ? static_cast<std::uint32_t>(sizeof value) : arguments.number() % 4096;
  return value;
}

// Handles below the crates' and the players', and those of local entities.
mobula_entity entity(Arguments& arguments) {
  constexpr std::uint32_t first_local = 1u << 12;  // small_server() has that many entities at most
  if (arguments.is_usual()) return mobula_entity{1} << 32 | arguments.byte() % 8u;
  return arguments.is_usual() ? mobula_entity{1} << 32 | (first_local + arguments.byte() % 16u) : arguments.entity();
}

// --- Clients -------------------------------------------------------------------------------------------------------

// Makes a client that plays.
void join(Arguments& arguments) {
  const core::Bytes token = transport::write_token(arguments.world().next_token());
  mobula_client_options options{};
  options.struct_size = sizeof options;
  options.token = token.data();
  options.token_size = token.size();
  const core::ByteView schema = test::court_schema()->bytes();
  if (arguments.is_usual()) options.schema = schema.data(), options.schema_size = schema.size();
  check_result(arguments.world().create(arguments.place(), options));
  for (int i = 0; i < ticks_to_play; ++i) arguments.world().tick();
}

void tick(Arguments& arguments) { arguments.world().tick(); }

void destroy_client(Arguments& arguments) { check_result(arguments.world().destroy(arguments.place())); }

void leave(Arguments& arguments) { check_result(mobula_client_leave(arguments.client())); }

void reconnect(Arguments& arguments) {
  const core::Bytes token = transport::write_token(arguments.world().next_token());
  check_result(mobula_client_reconnect(arguments.client(), token.data(), token.size(), arguments.time()));
}

void connect_udp(Arguments& arguments) { check_result(mobula_client_connect_udp(arguments.client(), "")); }

void set_command(Arguments& arguments) {
  const auto part = [&] { return static_cast<float>(arguments.byte()) / 128 - 1; };
  const core::Bytes command =
      arguments.is_usual() ? test::court_walk(part(), part()) : test::court_throw(part(), part());
  check_result(
      mobula_client_set_command(arguments.client(), command.data(), static_cast<std::uint32_t>(command.size())));
}

// --- Life ----------------------------------------------------------------------------------------------------------

void create(Arguments& arguments) {
  auto options = sized<mobula_prediction_options>(arguments);
  const std::string text = arguments.text();
  mobula_smoothing smoothing{nullptr, static_cast<std::int64_t>(arguments.word()) * 1'000'000, 4};
  options.reads = arguments.is_usual() ? "Surface" : text.c_str();
  if (!arguments.is_usual()) {
    options.rules = arguments.is_usual() ? "fuzzed court" : text.c_str();
    options.reads = nullptr;
  }
  options.flags = arguments.is_usual() ? 0 : arguments.number();
  options.input_delay_most = arguments.is_usual() ? arguments.byte() % 5u : arguments.number();
  options.input_delay_least = arguments.is_usual() ? 0 : arguments.byte() % 5u;
  options.predicted_max = arguments.is_usual() ? arguments.byte() % 64u : arguments.number();
  if (!arguments.is_usual()) options.smoothing = &smoothing, options.smoothing_count = 1;
  options.position_component = arguments.is_usual() ? "Body" : nullptr;
  check_result(mobula_prediction_create(arguments.client(), arguments.is_usual() ? &options : nullptr));
}

void destroy(Arguments& arguments) { check_result(mobula_prediction_destroy(arguments.client())); }

void begin_update(Arguments& arguments) {
  check_result(mobula_prediction_begin_update(arguments.client(), arguments.time()));
}

void next_step(Arguments& arguments) {
  auto step = sized<mobula_step>(arguments);
  check_result(mobula_prediction_next_step(arguments.client(), arguments.is_usual() ? &step : nullptr));
}

void end_step(Arguments& arguments) { check_result(mobula_prediction_end_step(arguments.client())); }

void abandon(Arguments& arguments) { check_result(mobula_prediction_abandon_update(arguments.client())); }

// Does what a host does whose steps change nothing.
void update(Arguments& arguments) {
  mobula_step step{};
  step.struct_size = sizeof step;
  static_cast<void>(mobula_prediction_begin_update(arguments.client(), arguments.world().now));
  static_cast<void>(mobula_prediction_end_step(arguments.client()));
  while (mobula_prediction_next_step(arguments.client(), &step) == MOBULA_OK)
    fuzz::require(mobula_prediction_end_step(arguments.client()) == MOBULA_OK, "a step that has begun is ended");
}

// --- State ---------------------------------------------------------------------------------------------------------

void set_predicted(Arguments& arguments) {
  check_result(mobula_prediction_set_predicted(arguments.client(), entity(arguments), arguments.byte() % 4u));
}

void state(Arguments& arguments) {
  std::uint32_t state = 0;
  auto info = sized<mobula_prediction_info>(arguments);
  auto counters = sized<mobula_prediction_counters>(arguments);
  check_result(
      mobula_prediction_entity(arguments.client(), entity(arguments), arguments.is_usual() ? &state : nullptr));
  check_result(mobula_prediction_status(arguments.client(), arguments.is_usual() ? &info : nullptr));
  check_result(mobula_prediction_statistics(arguments.client(), arguments.is_usual() ? &counters : nullptr));
}

void misprediction(Arguments& arguments) {
  arguments.read_text([&](char* text, std::uint32_t capacity, std::uint32_t* length) {
    return mobula_prediction_misprediction(arguments.client(), text, capacity, length);
  });
}

void sample(Arguments& arguments) {
  const mobula_entity sampled = entity(arguments);
  const std::uint32_t component = arguments.component();
  arguments.read_bytes([&](std::byte* to, std::uint32_t capacity) {
    return mobula_prediction_sample(arguments.client(), sampled, component, to, capacity);
  });
}

void sample_column(Arguments& arguments) {
  const std::uint32_t component = arguments.component();
  arguments.read_column(component, [&](mobula_entity* entities, std::byte* values, std::uint32_t stride,
                                       std::uint32_t capacity, std::uint32_t* count) {
    return mobula_prediction_sample_column(arguments.client(), component, entities, values, stride, capacity, count);
  });
}

void read_predicted(Arguments& arguments) {
  const mobula_entity read = entity(arguments);
  const std::uint32_t component = arguments.component();
  arguments.read_bytes([&](std::byte* to, std::uint32_t capacity) {
    return mobula_prediction_read(arguments.client(), read, component, to, capacity);
  });
}

void read_notices(Arguments& arguments) {
  arguments.read_array<mobula_effect>([&](mobula_effect* to, std::uint32_t capacity, std::uint32_t* count) {
    const mobula_result read = mobula_prediction_read_effects(arguments.client(), to, capacity, count);
    for (std::uint32_t i = 0; read == MOBULA_OK && i < *count; ++i) fuzz::touch(to[i].payload, to[i].size);
    return read;
  });
  arguments.read_array<mobula_spawn>([&](mobula_spawn* to, std::uint32_t capacity, std::uint32_t* count) {
    return mobula_prediction_read_spawns(arguments.client(), to, capacity, count);
  });
}

// --- Steps ---------------------------------------------------------------------------------------------------------

void read_commands(Arguments& arguments) {
  arguments.read_array<mobula_command>([&](mobula_command* to, std::uint32_t capacity, std::uint32_t* count) {
    const mobula_result read = mobula_step_read_commands(arguments.client(), to, capacity, count);
    for (std::uint32_t i = 0; read == MOBULA_OK && i < *count; ++i) fuzz::touch(to[i].bytes, to[i].size);
    return read;
  });
}

void find_entities(Arguments& arguments) {
  std::array<std::uint32_t, 4> components{};
  for (std::uint32_t& each : components) each = arguments.component();
  const std::uint32_t count = arguments.is_usual() ? arguments.byte() % 5u : arguments.number();
  const std::uint32_t named = count <= components.size() ? count : 0xffffff00u;
  const bool visible = arguments.is_usual();
  arguments.read_array<mobula_entity>([&](mobula_entity* to, std::uint32_t capacity, std::uint32_t* found) {
    return visible ? mobula_step_read_visible(arguments.client(), components.data(), named, to, capacity, found)
                   : mobula_step_read_stepped(arguments.client(), components.data(), named, to, capacity, found);
  });
}

void read(Arguments& arguments) {
  const mobula_entity read = entity(arguments);
  const std::uint32_t component = arguments.component();
  arguments.read_bytes([&](std::byte* to, std::uint32_t capacity) {
    return mobula_step_read(arguments.client(), read, component, to, capacity);
  });
}

// Any bytes may be a value.
void write(Arguments& arguments) {
  core::Bytes value = arguments.copied_bytes();
  const std::uint32_t component = arguments.component();
  mobula_component_info info{};
  info.struct_size = sizeof info;
  if (mobula_client_component(arguments.client(), component, &info) == MOBULA_OK && arguments.is_usual())
    value.resize(info.size);
  check_result(mobula_step_write(arguments.client(), entity(arguments), component,
                                 arguments.is_usual() ? value.data() : nullptr,
                                 static_cast<std::uint32_t>(value.size())));
}

void columns(Arguments& arguments) {
  std::array<mobula_entity, 4> entities{};
  for (mobula_entity& each : entities) each = entity(arguments);
  const std::uint32_t component = arguments.component();
  mobula_component_info info{};
  info.struct_size = sizeof info;
  static_cast<void>(mobula_client_component(arguments.client(), component, &info));
  const std::uint32_t stride = arguments.is_usual() ? 0 : arguments.byte();
  const std::uint32_t count = arguments.byte() % 5u;
  fuzz::Room<std::byte> room(std::size_t{4} * std::max(stride, info.size), !arguments.is_usual());
  check_result(mobula_step_read_column(arguments.client(), component, entities.data(), count, room.items(), stride));
  check_result(mobula_step_write_column(arguments.client(), component, arguments.is_usual() ? entities.data() : nullptr,
                                        count, room.items(), stride));
  room.check();
}

void random(Arguments& arguments) {
  mobula_random random{};
  check_result(mobula_step_random(arguments.client(), arguments.entity(), arguments.is_usual() ? &random : nullptr));
  check_result(mobula_step_random_of(arguments.client(), entity(arguments), &random));
  fuzz::require(mobula_random_below(&random, 5) < 5, "a number is below its bound");
  static_cast<void>(mobula_random_uniform(&random, static_cast<float>(arguments.byte()), 3));
}

void spawn(Arguments& arguments) {
  std::array<std::uint32_t, 3> components{};
  for (std::uint32_t& each : components) each = arguments.component();
  mobula_entity spawned = 0;
  const std::uint32_t command = arguments.is_usual() ? arguments.byte() % 8u : arguments.number();
  const std::uint32_t count = arguments.byte() % 4u;
  for (int i = arguments.is_usual() ? 1 : 300; i > 0; --i)
    check_result(mobula_step_spawn(arguments.client(), command, components.data(), count, &spawned));
}

void destroy_entity(Arguments& arguments) { check_result(mobula_step_destroy(arguments.client(), entity(arguments))); }

void effect(Arguments& arguments) {
  const std::string name = arguments.text();
  const core::Bytes payload = arguments.copied_bytes();
  check_result(mobula_step_effect(arguments.client(), arguments.is_usual() ? name.c_str() : nullptr, arguments.byte(),
                                  arguments.is_usual() ? payload.data() : nullptr,
                                  static_cast<std::uint32_t>(payload.size())));
}

void find_static(Arguments& arguments) {
  std::uint32_t type = 0;
  const void* bytes = nullptr;
  std::uint64_t size = 0;
  check_result(mobula_step_find_static(arguments.client(), arguments.entity(), &type,
                                       arguments.is_usual() ? &bytes : nullptr, &size));
}

using Call = void (*)(Arguments& arguments);
constexpr Call calls[] = {join,          tick,          create,         begin_update,  next_step,     end_step,
                          update,        set_command,   set_predicted,  write,         read,          columns,
                          spawn,         effect,        destroy,        abandon,       state,         misprediction,
                          sample,        sample_column, read_notices,   read_commands, find_entities, read_predicted,
                          random,        find_static,   destroy_entity, leave,         reconnect,     connect_udp,
                          destroy_client};
static_assert(calls[fuzz::c_create_call] == join && calls[fuzz::c_tick_call] == tick);
static_assert(calls[fuzz::c_predict_call] == create && calls[fuzz::c_update_call] == update);
static_assert(calls[fuzz::c_begin_call] == begin_update && calls[fuzz::c_next_call] == next_step);
static_assert(calls[fuzz::c_step_calls[0]] == write && calls[fuzz::c_step_calls[7]] == destroy_entity);
static_assert(std::size(calls) <= fuzz::c_calls_max);

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  client::add_rules("fuzzed court", test::court_rules());
  fuzz::Input input(fuzz::view(data, size));
  test::CourtGame game(3);
  server::ServerConfig config = fuzz::small_server();
  config.level = nullptr;
  CWorld world(std::move(config), game);
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) {
    const Call call = calls[input.byte() % std::size(calls)];
    Arguments arguments(input, world);
    call(arguments);
  }
  for (int ticks = 0; ticks < 3; ++ticks) world.tick();
  world.check_mirrors();
  return 0;
}

const mobula::fuzz::Target target("c_prediction", run_target);

}  // namespace
}  // namespace fuzz_c_prediction
