// The server of a workload in a child process. The two processes share a page of memory, in which the parent asks for
// the next phase and the child answers between two ticks.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mobula/ecs/entity.hpp>
#include <mobula/transport/connect_token.hpp>

#include "workload/purrnet.hpp"

namespace mobula::bench {

// Phases in their order. Each begins when the parent asks for it, except `failed`.
enum class ServerPhase : std::uint32_t { starting, serving, measuring, measured, ended, failed };

class ServerProcess {
 public:
  // Forks, and waits until the server listens. Errors: those of starting a server, "cannot fork", "server ended".
  static core::Result<std::unique_ptr<ServerProcess>> start(const PurrnetOptions& options);
  // Ends the process.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // Returns a new token, valid for a minute. At most one for each client.
  [[nodiscard]] transport::ConnectToken take_token();
  // Returns the handles of the objects, in the order of Movers.
  [[nodiscard]] std::span<const ecs::Entity> objects() const;

  void ask(ServerPhase phase);
  [[nodiscard]] ServerPhase phase() const;
  // Returns whether the process has ended, for whatever reason.
  [[nodiscard]] bool over();
  // Returns what the server used while measuring.
  [[nodiscard]] ServerUse use() const;

 private:
  struct Page;
  class Child;

  ServerProcess(Page* page, const PurrnetOptions& options) : page_(page), options_(options) {}

  Page* page_;
  PurrnetOptions options_;
  pid_t pid_ = 0;  // 0 after its end
  std::uint32_t tokens_ = 0;
};

}  // namespace mobula::bench
