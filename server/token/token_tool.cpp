#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mobula/core/base64.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/process/standard_output.hpp>
#include <mobula/transport/connect_token.hpp>
#include <optional>
#include <token/token_json.hpp>
#include <token/token_tool.hpp>

namespace mobula::server {
namespace {

constexpr int refused = 2;
// CLI11 parses -1 as the greatest number, and -2 as the one below.
const CLI::Validator id =
    CLI::Validator([](const std::string& text) { return text.starts_with('-') ? "below 0" : std::string(); }, "") &
    CLI::Range(std::uint64_t{0}, ~std::uint64_t{0} - 1);

constexpr const char* footer = R"(
Examples:
  {0} --new-key shared.key
  {0} --key-file shared.key --server 203.0.113.7:7777 --client-id 42 --user-data anna
  {0} --key-file shared.key --server game.example:7777 --expire 30 -o anna.token
  {0} --show anna.token --key-file shared.key

The token goes to standard output as base64, in one line; --binary makes its 2048 bytes. Its owner may log in as
this client until it expires.)";

struct Options {
  std::string program;
  std::string new_key;
  std::string show;
  std::string key_file;
  std::vector<std::string> servers;
  std::optional<std::uint64_t> client_id;
  std::string user_data;
  std::string user_data_hex;
  std::uint32_t expire_seconds = 45;
  std::int32_t timeout_seconds = 10;
  std::uint64_t protocol_id = transport::mobula_protocol_id;
  std::string output;
  bool binary = false;
};

// Adds options that write to `options`, which has to live until they are parsed.
void add_options(CLI::App& app, Options& options) {
  app.description("Mints a connect token, which admits a client to the servers it names; makes keys; shows tokens.");
  app.footer(core::format(footer, options.program));
  CLI::Option* key_file =
      app.add_option("--key-file", options.key_file, "key shared with the servers")->type_name("FILE");
  CLI::Option* server =
      app.add_option("--server", options.servers,
                     "address that clients reach, HOST[:PORT] or a URL such as wss://HOST; up to 32 times")
          ->type_name("ADDRESS");
  app.add_option("--client-id", options.client_id, "id of the client, unique per log-in; random if not given")
      ->check(id);
  CLI::Option* text =
      app.add_option("--user-data", options.user_data, "text for the server, such as the player's name");
  app.add_option("--user-data-hex", options.user_data_hex, "the same as hex digits, up to 256 bytes")->excludes(text);
  app.add_option("--expire", options.expire_seconds, "seconds for which the token is valid")
      ->check(CLI::Range(1, 31'536'000))
      ->capture_default_str();
  app.add_option("--timeout", options.timeout_seconds, "seconds of silence that end a session; -1 disables the timeout")
      ->check(CLI::Range(-1, 86'400))
      ->capture_default_str();
  app.add_option("--protocol-id", options.protocol_id,
                 "number of the protocol, for tokens of other servers than Mobula's")
      ->check(id);
  app.add_option("-o,--output", options.output, "the file to write; standard output if not given");
  app.add_flag("--binary", options.binary, "2048 bytes instead of base64");
  app.add_option("--new-key", options.new_key, "make a key in this new file, and nothing else")
      ->type_name("FILE")
      ->excludes(key_file)
      ->excludes(server);
  app.add_option("--show", options.show, "print this token as JSON; with the key, its private part too")
      ->type_name("FILE")
      ->excludes(server);
}

void print_error(const Options& options, std::string_view message) {
  const std::string line = core::format("{}: {}\n", options.program, message);
  std::fputs(line.c_str(), stderr);
}

int refuse(const Options& options, std::string_view message) {
  print_error(options, message);
  return refused;
}

core::Result<core::SecretKey> load_key(const Options& options) {
  core::Result<process::KeyFile> file = process::load_key_file(options.key_file);
  if (!file) return file.error();
  if (file->others_may_read)
    print_error(options,
                core::format("warning: {} may be read by others than its owner (chmod 600)", options.key_file));
  return file->key;
}

// --- Minting -------------------------------------------------------------------------------------------------------

core::Result<transport::UserData> user_data(const Options& options) {
  const core::ByteView text = core::as_bytes(options.user_data.data(), options.user_data.size());
  const std::optional<core::Bytes> hex = core::from_hex(options.user_data_hex);
  if (!hex) return core::Error{"bad user data", "--user-data-hex: expected pairs of hex digits"};
  const core::ByteView given = options.user_data_hex.empty() ? text : core::ByteView(*hex);
  transport::UserData data{};
  if (given.size() > data.size())
    return core::Error{"bad user data", core::format("user data: {} bytes, at most {} fit", given.size(), data.size())};
  std::copy(given.begin(), given.end(), data.begin());
  return data;
}

std::uint64_t random_id() {
  std::array<std::byte, 8> bytes;
  core::random_bytes(bytes);
  return core::load<std::uint64_t>(bytes.data());
}

core::Result<core::Bytes> mint(const Options& options) {
  if (options.key_file.empty()) return core::Error{"no key", "--key-file is missing (--new-key makes one)"};
  if (options.servers.empty())
    return core::Error{"no servers", "--server is missing; expected the address that clients reach, HOST[:PORT]"};
  const core::Result<core::SecretKey> key = load_key(options);
  if (!key) return key.error();
  const core::Result<transport::UserData> data = user_data(options);
  if (!data) return data.error();
  transport::TokenRequest request;
  request.protocol_id = options.protocol_id;
  request.client_id = options.client_id ? *options.client_id : random_id();
  request.user_data = *data;
  for (const std::string& server : options.servers) {
    const core::Result<net::Destination> destination = net::parse_destination(server);
    if (!destination) return destination.error();
    request.servers.push_back(destination->address);
    request.servers.back().pipe = transport::Pipe::udp;  // a token holds addresses without pipes
  }
  request.expire_seconds = options.expire_seconds;
  request.timeout_seconds = options.timeout_seconds;
  return transport::mint_token(request, *key, transport::random_token_secrets(), core::unix_now());
}

// Only the owner may read the file.
core::Status write_output(const Options& options, std::string_view text) {
  if (options.output.empty()) {
    process::print(text);
    return process::printed();
  }
  const auto failed = [&] {
    return core::Error{"not written", core::format("{}: {}", options.output, std::strerror(errno))};
  };
  const int number = ::open(options.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (number < 0) return failed();
  std::FILE* const file = ::fdopen(number, "wb");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) return failed();
  return core::Done{};
}

int run_mint(const Options& options) {
  const core::Result<core::Bytes> token = mint(options);
  if (!token) return refuse(options, token.error().message);
  const std::string text = options.binary ? std::string(reinterpret_cast<const char*>(token->data()), token->size())
                                          : core::to_base64(*token) + '\n';
  const core::Status written = write_output(options, text);
  return written.ok() ? 0 : refuse(options, written.error().message);
}

// --- The other jobs ------------------------------------------------------------------------------------------------

int run_new_key(const Options& options) {
  const core::Result<core::SecretKey> key = process::create_key_file(options.new_key);
  return key.ok() ? 0 : refuse(options, key.error().message);
}

// Reads slightly more than a token in base64, so that a longer file is recognised.
core::Result<core::Bytes> read_token_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  const auto failed = [&] { return core::Error{"cannot read", core::format("{}: {}", path, std::strerror(errno))}; };
  if (file == nullptr) return failed();
  core::Bytes bytes(4096);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (std::ferror(file.get()) != 0) return failed();
  return bytes;
}

int run_show(const Options& options) {
  const core::Result<core::Bytes> token = read_token_file(options.show);
  if (!token) return refuse(options, token.error().message);
  core::SecretKey key{};
  if (!options.key_file.empty()) {
    const core::Result<core::SecretKey> loaded = load_key(options);
    if (!loaded) return refuse(options, loaded.error().message);
    key = *loaded;
  }
  const core::Result<std::string> json = token_json(*token, options.key_file.empty() ? nullptr : &key);
  if (!json) return refuse(options, core::format("{}: {}", options.show, json.error().message));
  const core::Status written = write_output(options, *json + '\n');
  return written.ok() ? 0 : refuse(options, written.error().message);
}

}  // namespace

int run_token_tool(int argc, char** argv) {
  Options options;
  options.program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "mobula-token";
  CLI::App app("", options.program);
  add_options(app, options);
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  if (!options.new_key.empty()) return run_new_key(options);
  return options.show.empty() ? run_mint(options) : run_show(options);
}

}  // namespace mobula::server
