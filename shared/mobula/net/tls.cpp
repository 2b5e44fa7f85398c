#include <mobula/core/format.hpp>
#include <mobula/net/tls_impl.hpp>

namespace mobula::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;
using Context = std::shared_ptr<ssl::context>;

// Creates a context that accepts TLS 1.2 and later.
Context make_context(ssl::context::method method) {
  auto context = std::make_shared<ssl::context>(method);
  error_code ignored;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                           ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1,
                       ignored);
  // Frees the 16 KiB buffers of idle connections: there may be thousands.
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  return context;
}

core::Error cannot_read(const char* reason, std::string_view what, const std::string& file, const error_code& error) {
  return {reason, core::format("cannot read the {} in '{}': {}", what, file, error.message())};
}

}  // namespace

core::Result<Context> server_tls(const std::string& certificate_file, const std::string& key_file) {
  Context context = make_context(ssl::context::tls_server);
  error_code error;
  if (context->use_certificate_chain_file(certificate_file, error)) {
    return cannot_read("bad certificate", "certificate", certificate_file, error);
  }
  if (context->use_private_key_file(key_file, ssl::context::pem, error)) {
    return cannot_read("bad key", "certificate's key", key_file, error);
  }
  // Loading compares them only if both have the same key type.
  if (SSL_CTX_check_private_key(context->native_handle()) != 1)
    return core::Error{"bad key", core::format("the key in '{}' does not belong to the certificate in '{}'", key_file,
                                               certificate_file)};
  return context;
}

core::Result<Context> client_tls(EventLoop::Impl& loop, const std::string& ca_file) {
  Context& known = loop.client_tls[ca_file];
  if (known) return known;
  Context context = make_context(ssl::context::tls_client);
  error_code error;
  context->set_verify_mode(ssl::verify_peer, error);
  if (ca_file.empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->load_verify_file(ca_file, error);
  }
  if (error) return cannot_read("bad certificate", "trusted certificates", ca_file, error);
  known = context;
  return context;
}

}  // namespace mobula::net
