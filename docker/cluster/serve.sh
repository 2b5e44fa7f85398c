# Makes the keys and the map unless they exist, and serves the cluster.
set -eu
etcd=http://etcd1:2379,http://etcd2:2379,http://etcd3:2379
umask 077
test -s /keys/shared.key || mobula-token --new-key /keys/shared.key
test -s /keys/admin.token || od -An -N32 -tx8 /dev/urandom | tr -d ' \n' >/keys/admin.token

# The map needs the hash of the game, which the first node has.
make_map() {
  until game=$(mobula-cluster list --etcd $etcd | sed -n 's/.*"game":"\([0-9a-f]*\)".*/\1/p') && test -n "$game"; do
    sleep 1
  done 2>/dev/null
  mobula-cluster map land /etc/mobula/map.json --game "$game" --etcd $etcd
}
make_map &
exec mobula-cluster serve --etcd $etcd --address 0.0.0.0 --key-file /keys/shared.key --admin-token-file /keys/admin.token
