// What TLS needs to know: a server's certificate, or whom a client trusts. Asio's side, for this folder.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <string>

namespace mobula::net {

// PEM files. Refused with "bad certificate" or "bad key".
core::Result<std::shared_ptr<boost::asio::ssl::context>> server_tls(const std::string& certificate_file,
                                                                    const std::string& key_file);

// Trusts the file's certificates, or the system's where there is no name. Made once per loop. Refused with
// "bad certificate".
core::Result<std::shared_ptr<boost::asio::ssl::context>> client_tls(EventLoop::Impl& loop, const std::string& ca_file);

}  // namespace mobula::net
