// TLS contexts: a server's certificate, or a client's trusted certificates. For the sources of this folder.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <string>

namespace mobula::net {

// Loads a server's PEM files. Errors: "bad certificate", "bad key".
core::Result<std::shared_ptr<boost::asio::ssl::context>> server_tls(const std::string& certificate_file,
                                                                    const std::string& key_file);

// Loads the trusted certificates of a file, or the system's if `ca_file` is empty. Cached per loop.
// Errors: "bad certificate".
core::Result<std::shared_ptr<boost::asio::ssl::context>> client_tls(EventLoop::Impl& loop, const std::string& ca_file);

}  // namespace mobula::net
