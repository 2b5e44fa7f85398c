// Messages of etcd's JSON gateway (etcd 3.4 and later, api/etcdserverpb/rpc.proto). Numbers of 64 bits are strings,
// keys and values are base64.
#pragma once

#include <mobula/server/cluster/coordinator.hpp>

namespace mobula::cluster {

struct EtcdRequest {
  const char* path;
  std::string json;
};

EtcdRequest etcd_list(std::string_view prefix);
EtcdRequest etcd_commit(const Transaction& transaction);
EtcdRequest etcd_grant(core::Nanoseconds ttl);
EtcdRequest etcd_keep_alive(LeaseId lease);
EtcdRequest etcd_revoke(LeaseId lease);
EtcdRequest etcd_watch(std::string_view prefix, Revision from);

/// An answer, and the store that gave it.
struct EtcdReply {
  Reply reply;
  std::uint64_t store = 0;
};
struct EtcdChanges {
  Changes changes;
  std::uint64_t store = 0;
};

/// Reads the answer to any request but etcd_watch. Error "bad answer".
core::Result<EtcdReply> read_etcd_reply(std::string_view json);
/// Reads a line of the answer to etcd_watch. An ended watch is a value with an error. Error "bad answer".
core::Result<EtcdChanges> read_etcd_changes(std::string_view json);
/// Returns the error of the interface that a status other than 2xx stands for. `message` has the server's text.
core::Error etcd_error(std::string message);

}  // namespace mobula::cluster
