// Messages of etcd's JSON gateway (etcd 3.4 and later, api/etcdserverpb/rpc.proto). Numbers of 64 bits are strings,
// keys and values are base64.
#pragma once

#include <mobula/server/cluster/coordinator.hpp>
#include <set>

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
EtcdRequest etcd_status();
EtcdRequest etcd_members();

/// An answer, and the store that gave it.
struct EtcdReply {
  Reply reply;
  std::uint64_t store = 0;
};
struct EtcdChanges {
  Changes changes;
  std::uint64_t store = 0;
};
/// Status of one member.
struct EtcdStatus {
  std::uint64_t store = 0;
  std::uint64_t member = 0;  // not 0
  std::uint64_t leader = 0;  // 0 if it has none
};

/// Reads the answer to etcd_status. Error "bad answer".
core::Result<EtcdStatus> read_etcd_status(std::string_view json);
/// Reads the answer to etcd_members: the ids of the members that vote, at least one. Error "bad answer".
core::Result<std::set<std::uint64_t>> read_etcd_voters(std::string_view json);
/// Reads the answer to any other request but etcd_watch. Error "bad answer".
core::Result<EtcdReply> read_etcd_reply(std::string_view json);
/// Reads a line of the answer to etcd_watch. An ended watch is a value with an error. Error "bad answer".
core::Result<EtcdChanges> read_etcd_changes(std::string_view json);
/// Returns the error of the interface that a status other than 2xx stands for. `message` has the server's text.
core::Error etcd_error(std::string message);

}  // namespace mobula::cluster
