// Arbitrary calls of the C interface: wrong arguments, nulls, short buffers, destroyed handles, datagrams of a server,
// damaged ones and garbage. Results are known codes, nothing is written beyond a buffer, and mirrors hold what the
// server sent.
// Input: steps. Each is a byte that chooses a call, a byte that chooses the handle, then arguments.
#include <c/mobula_client.h>

#include <fuzz/c_arguments.hpp>
#include <mobula/core/log.hpp>
#include <server/tiny_game.hpp>

namespace fuzz_c_client {

using namespace mobula;
using fuzz::Arguments;
using fuzz::check_result;
using fuzz::CWorld;

namespace {

constexpr std::size_t steps_max = 300;

// --- Life ----------------------------------------------------------------------------------------------------------

void create(Arguments& arguments) {
  mobula_client_options options{};
  options.struct_size = arguments.is_usual() ? sizeof options : arguments.number();
  options.flags = arguments.is_usual() ? arguments.byte() % 16u : arguments.number();
  const std::string name = arguments.text();
  options.name = arguments.is_usual() ? name.c_str() : nullptr;
  const core::Bytes token = arguments.token();
  options.token = arguments.is_usual() ? token.data() : nullptr;
  options.token_size = token.size();
  const core::ByteView schema = arguments.is_usual() ? test::game_schema()->bytes() : arguments.bytes();
  if (!arguments.is_usual()) {
    options.schema = schema.data();
    options.schema_size = schema.size();
  }
  arguments.world().now += arguments.byte();
  const mobula_result created = arguments.world().create(arguments.place(), options);
  check_result(created);
}

void tick(Arguments& arguments) { arguments.world().tick(); }

void destroy(Arguments& arguments) { check_result(arguments.world().destroy(arguments.place())); }

void leave(Arguments& arguments) { check_result(mobula_client_leave(arguments.client())); }

void status(Arguments& arguments) {
  mobula_status status{};
  status.struct_size = arguments.is_usual() ? sizeof status : arguments.number() % 4096;
  check_result(mobula_client_status(arguments.client(), arguments.is_usual() ? &status : nullptr));
}

void statistics(Arguments& arguments) {
  mobula_statistics statistics{};
  statistics.struct_size = arguments.is_usual() ? sizeof statistics : arguments.number() % sizeof statistics;
  check_result(mobula_client_statistics(arguments.client(), arguments.is_usual() ? &statistics : nullptr));
}

void reason(Arguments& arguments) {
  std::int32_t code = 0;
  std::int32_t* const to = arguments.is_usual() ? &code : nullptr;
  arguments.read_text([&](char* text, std::uint32_t capacity, std::uint32_t* length) {
    return mobula_client_reason(arguments.client(), to, text, capacity, length);
  });
}

void error_text(Arguments& arguments) {
  arguments.read_text([&](char* text, std::uint32_t capacity, std::uint32_t* length) {
    return mobula_error_text(text, capacity, length);
  });
}

void server_address(Arguments& arguments) {
  const std::uint32_t at = arguments.number();
  arguments.read_text([&](char* text, std::uint32_t capacity, std::uint32_t* length) {
    return mobula_client_server_address(arguments.client(), at, text, capacity, length);
  });
}

// --- Network -------------------------------------------------------------------------------------------------------

void receive_garbage(Arguments& arguments) {
  const core::Bytes datagram = arguments.copied_bytes();
  check_result(mobula_client_receive(arguments.client(), arguments.is_usual() ? datagram.data() : nullptr,
                                     static_cast<std::uint32_t>(datagram.size()), arguments.time()));
}

// A datagram of the server again, damaged or for another client.
void receive_damaged(Arguments& arguments) {
  const core::ByteView last = arguments.world().last_received(arguments.byte());
  core::Bytes datagram(last.begin(), last.end());
  if (!datagram.empty() && arguments.is_usual())
    datagram[arguments.word() % datagram.size()] ^= static_cast<std::byte>(arguments.byte());
  if (!arguments.is_usual()) datagram.resize(std::min<std::size_t>(datagram.size(), arguments.word()));
  check_result(mobula_client_receive(arguments.client(), datagram.data(), static_cast<std::uint32_t>(datagram.size()),
                                     arguments.time()));
}

void update(Arguments& arguments) { check_result(mobula_client_update(arguments.client(), arguments.time())); }

void next_datagram(Arguments& arguments) {
  arguments.read_array<std::byte>([&](std::byte* to, std::uint32_t capacity, std::uint32_t* size) {
    return mobula_client_next_datagram(arguments.client(), to, capacity, size);
  });
}

void next_wakeup(Arguments& arguments) {
  std::int64_t at = 0;
  check_result(mobula_client_next_wakeup(arguments.client(), arguments.time(), arguments.is_usual() ? &at : nullptr));
}

void pipe_closed(Arguments& arguments) {
  const std::string why = arguments.text();
  check_result(
      mobula_client_pipe_closed(arguments.client(), arguments.is_usual() ? why.c_str() : nullptr, arguments.time()));
}

void rejoin(Arguments& arguments) { check_result(mobula_client_rejoin(arguments.client(), arguments.time())); }

void reconnect(Arguments& arguments) {
  const core::Bytes token = arguments.token();
  check_result(mobula_client_reconnect(arguments.client(), token.data(), token.size(), arguments.time()));
}

// The library's socket would send: addresses that cannot be read only.
void connect_udp(Arguments& arguments) {
  check_result(mobula_client_connect_udp(arguments.client(), arguments.is_usual() ? "" : "127.0.0.1:99999"));
}

void poll(Arguments& arguments) { check_result(mobula_client_poll(arguments.client(), 0)); }

// --- Mirror --------------------------------------------------------------------------------------------------------

void read_changes(Arguments& arguments) {
  arguments.read_array<mobula_change>([&](mobula_change* to, std::uint32_t capacity, std::uint32_t* count) {
    return mobula_client_read_changes(arguments.client(), to, capacity, count);
  });
}

void read_entities(Arguments& arguments) {
  arguments.read_array<mobula_entity>([&](mobula_entity* to, std::uint32_t capacity, std::uint32_t* count) {
    return mobula_client_read_entities(arguments.client(), to, capacity, count);
  });
}

void read_events(Arguments& arguments) {
  arguments.read_array<mobula_event>([&](mobula_event* to, std::uint32_t capacity, std::uint32_t* count) {
    return mobula_client_read_events(arguments.client(), to, capacity, count);
  });
}

void entity(Arguments& arguments) {
  mobula_entity_info info{};
  info.struct_size = sizeof info;
  check_result(mobula_client_entity(arguments.client(), arguments.entity(), arguments.is_usual() ? &info : nullptr));
}

void components_of(Arguments& arguments) {
  const mobula_entity entity = arguments.entity();
  arguments.read_array<std::uint32_t>([&](std::uint32_t* to, std::uint32_t capacity, std::uint32_t* count) {
    return mobula_client_components_of(arguments.client(), entity, to, capacity, count);
  });
}

void find_component(Arguments& arguments) {
  std::uint32_t component = 0;
  const std::string type = arguments.is_usual() ? "Transform" : arguments.text();
  const std::string instance = arguments.text();
  check_result(mobula_client_find_component(arguments.client(), type.c_str(),
                                            arguments.is_usual() ? nullptr : instance.c_str(),
                                            arguments.is_usual() ? &component : nullptr));
}

void component(Arguments& arguments) {
  mobula_component_info info{};
  info.struct_size = sizeof info;
  std::uint32_t count = 0;
  check_result(mobula_client_component_count(arguments.client(), arguments.is_usual() ? &count : nullptr));
  check_result(mobula_client_component(arguments.client(), arguments.component(), &info));
}

void read(Arguments& arguments) {
  const mobula_entity entity = arguments.entity();
  const std::uint32_t component = arguments.component();
  arguments.read_bytes([&](std::byte* to, std::uint32_t capacity) {
    return mobula_client_read(arguments.client(), entity, component, to, capacity);
  });
}

void sample(Arguments& arguments) {
  const mobula_entity entity = arguments.entity();
  const std::uint32_t component = arguments.component();
  const double tick = arguments.tick();
  arguments.read_bytes([&](std::byte* to, std::uint32_t capacity) {
    return mobula_client_sample(arguments.client(), entity, component, tick, to, capacity);
  });
}

void read_column(Arguments& arguments) {
  const std::uint32_t component = arguments.component();
  arguments.read_column(component, [&](mobula_entity* entities, std::byte* values, std::uint32_t stride,
                                       std::uint32_t capacity, std::uint32_t* count) {
    return mobula_client_read_column(arguments.client(), component, entities, values, stride, capacity, count);
  });
}

void sample_column(Arguments& arguments) {
  const std::uint32_t component = arguments.component();
  const double tick = arguments.tick();
  arguments.read_column(component, [&](mobula_entity* entities, std::byte* values, std::uint32_t stride,
                                       std::uint32_t capacity, std::uint32_t* count) {
    return mobula_client_sample_column(arguments.client(), component, tick, entities, values, stride, capacity, count);
  });
}

// The bytes that it names are read: AddressSanitizer knows whether they exist.
void map_column(Arguments& arguments) {
  const std::uint32_t component = arguments.component();
  const void* values = nullptr;
  std::uint32_t count = 0;
  const std::uint32_t first = arguments.number();
  const mobula_result mapped =
      mobula_client_map_column(arguments.client(), component, first, arguments.is_usual() ? &values : nullptr, &count);
  check_result(mapped);
  if (mapped != MOBULA_OK) return;
  mobula_component_info info{};
  info.struct_size = sizeof info;
  fuzz::require(mobula_client_component(arguments.client(), component, &info) == MOBULA_OK && count > 0,
                "a mapped column has a component and values");
  fuzz::touch(values, std::size_t{count} * info.size);
}

void read_value(Arguments& arguments) {
  mobula_value value{};
  const std::string path = arguments.path();
  const mobula_result read = mobula_client_read_value(arguments.client(), arguments.entity(),
                                                      arguments.is_usual() ? path.c_str() : nullptr, &value);
  check_result(read);
  if (read == MOBULA_OK && value.kind == MOBULA_TEXT) fuzz::touch(value.as.text, value.size);
}

void read_json(Arguments& arguments) {
  const std::string path = arguments.path();
  const mobula_entity entity = arguments.entity();
  arguments.read_text([&](char* text, std::uint32_t capacity, std::uint32_t* length) {
    return mobula_client_read_json(arguments.client(), entity, path.c_str(), text, capacity, length);
  });
}

void clock(Arguments& arguments) {
  mobula_clock clock{};
  clock.struct_size = sizeof clock;
  check_result(mobula_client_clock(arguments.client(), arguments.time(), arguments.is_usual() ? &clock : nullptr));
}

void sample_pose(Arguments& arguments) {
  mobula_pose pose{};
  check_result(mobula_client_sample_pose(arguments.client(), arguments.entity(), arguments.tick(),
                                         arguments.is_usual() ? &pose : nullptr));
}

// --- Schema, commands, levels, log ---------------------------------------------------------------------------------

void schema(Arguments& arguments) {
  const void* bytes = nullptr;
  std::uint64_t size = 0;
  const mobula_result found = mobula_client_schema(arguments.client(), arguments.is_usual() ? &bytes : nullptr, &size);
  check_result(found);
  if (found == MOBULA_OK) fuzz::touch(bytes, size);
}

void type(Arguments& arguments) {
  mobula_type_info info{};
  info.struct_size = sizeof info;
  std::uint32_t count = 0;
  check_result(mobula_client_type_count(arguments.client(), &count));
  const mobula_result found =
      mobula_client_type(arguments.client(), arguments.number(), arguments.is_usual() ? &info : nullptr);
  check_result(found);
  if (found == MOBULA_OK && info.default_value != nullptr) fuzz::touch(info.default_value, info.size);
}

void field(Arguments& arguments) {
  mobula_field_info info{};
  info.struct_size = sizeof info;
  const std::uint32_t type = arguments.number();
  const std::uint32_t field = arguments.number();
  check_result(mobula_client_field(arguments.client(), type, field, arguments.is_usual() ? &info : nullptr));
  const char* name = nullptr;
  std::int64_t value = 0;
  check_result(mobula_client_enum_value(arguments.client(), type, field, arguments.number(), &name,
                                        arguments.is_usual() ? &value : nullptr));
}

void set_command(Arguments& arguments) {
  const core::Bytes bytes = arguments.is_usual() ? test::move_command(1, 0) : arguments.copied_bytes();
  check_result(mobula_client_set_command(arguments.client(), arguments.is_usual() ? bytes.data() : nullptr,
                                         static_cast<std::uint32_t>(bytes.size())));
}

void set_command_schema(Arguments& arguments) {
  const core::ByteView bytes = arguments.is_usual() ? arguments.bytes() : test::game_schema()->bytes();
  check_result(mobula_client_set_command_schema(arguments.client(), bytes.data(), bytes.size()));
}

void set_command_json(Arguments& arguments) {
  const std::string json = arguments.is_usual() ? arguments.text() : R"({"body_type":"Move","body":{"x":1}})";
  check_result(mobula_client_set_command_json(arguments.client(), arguments.is_usual() ? json.c_str() : nullptr));
}

void add_level(Arguments& arguments) {
  const core::ByteView bytes = arguments.is_usual() ? test::hamlet()->clients_bytes() : arguments.bytes();
  check_result(
      mobula_client_add_level(arguments.client(), arguments.is_usual() ? bytes.data() : nullptr, bytes.size()));
}

void next_level(Arguments& arguments) {
  std::array<std::uint8_t, MOBULA_HASH_BYTES> hash{};
  const void* bytes = nullptr;
  std::uint64_t size = 0;
  const mobula_result next =
      mobula_client_next_level(arguments.client(), arguments.is_usual() ? hash.data() : nullptr, &bytes, &size);
  check_result(next);
  if (next == MOBULA_OK) fuzz::touch(bytes, size);
}

void log(Arguments& arguments) {
  std::int32_t level = 0;
  check_result(mobula_set_log_level(arguments.byte() % 8 - 1));
  arguments.read_text([&](char* text, std::uint32_t capacity, std::uint32_t* length) {
    return mobula_next_log(&level, text, capacity, length);
  });
  core::set_log_level(core::LogLevel::off);  // as in the target
}

void constants(Arguments& arguments) {
  fuzz::require(mobula_strerror(static_cast<std::int32_t>(arguments.number())) != nullptr, "a code has a text");
  fuzz::require(mobula_version() > 0 && mobula_protocol_version() > 0, "versions are known");
}

using Call = void (*)(Arguments& arguments);
constexpr Call calls[] = {create,
                          tick,
                          tick,
                          tick,
                          tick,
                          tick,
                          destroy,
                          leave,
                          status,
                          statistics,
                          reason,
                          error_text,
                          server_address,
                          receive_garbage,
                          receive_damaged,
                          update,
                          next_datagram,
                          next_wakeup,
                          pipe_closed,
                          rejoin,
                          reconnect,
                          connect_udp,
                          poll,
                          read_changes,
                          read_entities,
                          read_events,
                          entity,
                          components_of,
                          find_component,
                          component,
                          read,
                          sample,
                          read_column,
                          sample_column,
                          map_column,
                          read_value,
                          read_json,
                          clock,
                          sample_pose,
                          schema,
                          type,
                          field,
                          set_command,
                          set_command_schema,
                          set_command_json,
                          add_level,
                          next_level,
                          log,
                          constants};
static_assert(calls[fuzz::c_create_call] == create && calls[fuzz::c_tick_call] == tick);
static_assert(std::size(calls) <= fuzz::c_calls_max);

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  fuzz::Input input(fuzz::view(data, size));
  test::TinyGame game;
  CWorld world(fuzz::small_server(), game);
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) {
    const Call call = calls[input.byte() % std::size(calls)];
    Arguments arguments(input, world);
    call(arguments);
  }
  for (int ticks = 0; ticks < 3; ++ticks) world.tick();
  world.check_mirrors();
  fuzz::require(mobula_client_destroy(world.former()) != MOBULA_OK, "a handle of a destroyed client is not valid");
  return 0;
}

const mobula::fuzz::Target target("c_client", run_target);

}  // namespace
}  // namespace fuzz_c_client
